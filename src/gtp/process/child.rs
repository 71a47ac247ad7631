//! A child process with all processes that it starts.

use std::io;
use std::process::{self, Command};
use std::thread;
use std::time::{Duration, Instant};

use super::group;
use super::guard::Guard;
use super::orphans::{self, Mark};

/// The interval at which to check whether the process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A child process. When it has ended, the processes that it has started are killed. When this is
/// dropped, and even when this program is killed, it is killed with them: with those in its process
/// group, and with all others if [orphans are adopted](orphans::adopt_orphans).
#[derive(Debug)]
pub struct Child {
    process: process::Child,
    /// Whether it has been waited for.
    has_ended: bool,
    /// Identifies the processes that it has started, if they can be identified.
    mark: Option<Mark>,
    /// Ends it when this program is killed.
    _guard: Option<Guard>,
}

impl Child {
    /// Starts a process, restricted to `core` if there is one: see [`group::pin`].
    ///
    /// # Errors
    /// It cannot be started.
    pub fn spawn(command: &mut Command, core: Option<usize>) -> io::Result<Child> {
        // The guard comes first, so that the process is never without one.
        let mut guard = Guard::start()?;
        let mark = Mark::new(command);
        let process = orphans::spawn(group::in_own_group(command))?;
        if let Some(guard) = &mut guard {
            guard.watch(&process, mark.as_ref());
        }
        if let Some(core) = core {
            group::pin(&process, core);
        }
        Ok(Child {
            process,
            has_ended: false,
            mark,
            _guard: guard,
        })
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the process, for its pipes.
    pub fn process(&mut self) -> &mut process::Child {
        &mut self.process
    }

    /// Returns a description of how the process has ended, such as `exit status: 1`, if it has.
    /// Processes that it has started are killed then.
    pub fn try_wait(&mut self) -> Option<String> {
        let status = self.process.try_wait().ok()??;
        if !self.has_ended {
            group::kill(&mut self.process);
            self.clean_up();
        }
        Some(status.to_string())
    }

    /// Kills the remaining processes of the process, which has been waited for.
    fn clean_up(&mut self) {
        self.has_ended = true;
        orphans::forget(&self.process);
        if let Some(mark) = &self.mark {
            mark.end_orphans();
        }
    }

    /// Waits at most this long for the process to end, then acts as [`try_wait`](Child::try_wait).
    pub fn wait_timeout(&mut self, limit: Duration) -> Option<String> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.try_wait() {
                return Some(status);
            }
            if start.elapsed() > limit {
                return None;
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}

/// Kills the process with all processes that it has started.
impl Drop for Child {
    fn drop(&mut self) {
        if self.try_wait().is_none() {
            group::kill(&mut self.process);
            let _ = self.process.wait();
            self.clean_up();
        }
    }
}
