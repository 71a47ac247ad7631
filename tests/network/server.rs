//! The built program as a server: its log, its signals and its end.

use std::fmt::Debug;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::waiting::{Deadline, EndsInTime, PATIENCE, wait_for};

/// A running server, which prints its log on standard output: an `E` for each line. It is killed
/// when this is dropped.
pub struct ServerProcess<E> {
    child: Child,
    log: Arc<Mutex<Vec<E>>>,
    /// Reads the log.
    reader: JoinHandle<()>,
}

impl<E: Clone + Debug + Send + 'static> ServerProcess<E> {
    /// Starts a command whose lines this function parses.
    pub fn start(command: &mut Command, parse: fn(String) -> E) -> ServerProcess<E> {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&log);
        let reader = thread::spawn(move || {
            for line in lines {
                sink.lock().unwrap().push(parse(line.unwrap()));
            }
        });
        ServerProcess { child, log, reader }
    }

    /// Removes and returns its standard input and standard error, if they are pipes.
    pub fn take_pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStderr>) {
        (self.child.stdin.take(), self.child.stderr.take())
    }

    /// Returns its output so far.
    pub fn log(&self) -> Vec<E> {
        self.log.lock().unwrap().clone()
    }

    /// Finds something in its output so far.
    pub fn find<T>(&self, find: impl FnOnce(&[E]) -> T) -> T {
        find(&self.log.lock().unwrap())
    }

    /// Waits until something is there, which the error calls `what`.
    #[track_caller]
    pub fn wait_for<T>(&self, what: &str, found: impl Fn(&Self) -> Option<T>) -> T {
        wait_for(what, || self.last_lines(), || found(self))
    }

    /// Returns its latest output.
    fn last_lines(&self) -> String {
        self.find(|log| format!("{:#?}", &log[log.len().saturating_sub(30)..]))
    }

    /// The ID of the process.
    #[cfg(target_os = "linux")]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal: `-INT`, `-TERM`, `-STOP`.
    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        let mut kill = Command::new("kill");
        kill.args([signal, &self.child.id().to_string()]);
        assert!(kill.status().unwrap().success());
    }

    /// Kills it as a power failure would. This is also what dropping it does.
    pub fn kill(self) {}

    /// Waits until it ends by itself, and its log has been read.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let log = Arc::clone(&self.log);
        let so_far = || format!("{:#?}", log.lock().unwrap());
        let deadline = Deadline::within(PATIENCE);
        let status = self.child.end_in_time(&deadline, so_far);
        let is_read = || self.reader.is_finished().then_some(());
        deadline.wait_for("the end of its log", so_far, is_read);
        status
    }
}

impl<E> Drop for ServerProcess<E> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the signals that end a server. Under `nohup` it ignores the hangup of a terminal, as
/// the tests do; it handles the others.
#[cfg(unix)]
pub fn ending_signals() -> Vec<&'static str> {
    let mut signals = vec!["-INT", "-TERM"];
    signals.extend(["-HUP"].iter().filter(|signal| !is_ignored(signal)));
    signals
}

/// Whether the tests ignore a signal, and so do the programs that they start. A shell that runs them
/// in the background (`cargo test &`) ignores Ctrl-C for them.
#[cfg(unix)]
pub fn is_ignored(signal: &str) -> bool {
    let number = match signal {
        "-HUP" => 1,
        "-INT" => 2,
        "-TERM" => 15,
        _ => return false,
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    ignored >> (number - 1) & 1 == 1
}
