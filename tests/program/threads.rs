//! `--threads`: no command computes on more threads than it was given.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::executable::executable;
use crate::waiting::{Deadline, EndsInTime, PATIENCE};

/// The processor time of a thread that computes, in hundredths of a second.
const COMPUTES: u64 = 12;

/// More than the processor time of a thread that only waits.
const WAITS: u64 = 6;

/// The processor times of the threads of a process, in hundredths of a second.
fn times(process: u32) -> Vec<u64> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let stats = threads.flatten().map(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The name of the thread, in parentheses, may have spaces.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let times = fields.split_whitespace().skip(11).take(2);
        times.map(|time| time.parse::<u64>().unwrap()).sum()
    });
    stats.collect()
}

/// Asserts that a command that takes minutes computes on this many threads and no more.
fn computes_on(threads: usize, command: &str, input: &str) {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.sgf", "b.sgf"] {
        fs::write(folder.path().join(name), "(;GM[1]SZ[5];B[cc])").unwrap();
    }
    let mut child = Command::new(executable())
        .args(command.split(' '))
        .args(["--threads", &threads.to_string()])
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A search may end with its input, which therefore stays open.
    let stdin = child.stdin.as_mut().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    let process = child.id();
    let so_far = || format!("{command}: {:?}", times(process));
    // Any other computing thread has had some time by then.
    let enough = 2 * COMPUTES * threads as u64;
    let count = |times: &[u64], least| times.iter().filter(|&&time| time >= least).count();
    // Not every one of them gets time at once on a busy machine.
    let deadline = Deadline::within(3 * PATIENCE);
    let found = deadline.wait_for("threads that compute", so_far, || {
        let times = times(process);
        let is_enough = times.iter().sum::<u64>() >= enough && count(&times, COMPUTES) >= threads;
        is_enough.then_some(times)
    });
    child.kill().unwrap();
    child.wait_in_time();
    assert_eq!(count(&found, WAITS), threads, "{command}: {found:?}");
}

#[test]
fn commands_compute_on_as_many_threads_as_were_given() {
    let hard = "...../...../...../...../..... b\n".repeat(10);
    let gtp = "gtp --no-tablebase --hash 1 --move-time 600";
    for threads in [1, 2] {
        computes_on(threads, "solve --no-tablebase --hash 1", "");
        computes_on(threads, "solve --batch --no-tablebase --hash 1", &hard);
        computes_on(threads, gtp, "gothello-values\n");
    }
    computes_on(1, gtp, "genmove b\n");
    computes_on(1, gtp, "gothello-value\n");
    computes_on(1, "review --no-tablebase --hash 1 a.sgf b.sgf", "");
}
