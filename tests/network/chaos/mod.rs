//! The built referees through stalls, and tournaments through kills, stalls, lost connections and full
//! disks.
//!
//! These tests take longer than others, and the first letters of their names let them begin first.

mod goref;
mod goref_stalls;
#[cfg(target_os = "linux")]
mod ledger;
#[cfg(target_os = "linux")]
mod netref;
mod netref_stalls;

use std::ops::Range;
use std::thread;

/// Tries four ranges of seeds at the same time, from 100 on: the trials mostly wait, but other tests
/// are run at the same time.
fn in_threads(seeds: u64, trial: fn(Range<u64>)) {
    let threads: Vec<_> = (0..4)
        .map(|thread| 100 + seeds * thread)
        .map(|first| thread::spawn(move || trial(first..first + seeds)))
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
