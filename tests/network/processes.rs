//! Processes that a test has not itself started.

use std::fs;
use std::path::Path;

use crate::waiting::{wait_for, wait_until};

/// A script of an engine that writes the IDs of its own process and of one that it has started,
/// and then stops reading.
pub const DEAF: &str = "sleep 1000 & echo $! $$ >pids; wait";

/// Waits until the script [`DEAF`] has written its processes into this folder.
pub fn deaf(folder: &Path) -> Vec<u32> {
    let file = folder.join("pids");
    let written = || fs::read_to_string(&file).unwrap_or_default();
    let text = wait_for("the engine to be asked", written, || {
        Some(written()).filter(|text| text.ends_with('\n'))
    });
    let pids = text.split_whitespace().map(|pid| pid.parse().unwrap());
    pids.collect()
}

/// Whether a process is running. A zombie is not.
pub fn runs(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}

/// Waits until none of these processes runs.
#[track_caller]
pub fn wait_for_the_end(pids: &[u32]) {
    let end = format!("the end of {pids:?}");
    wait_until(&end, || !pids.iter().any(|&pid| runs(pid)));
}
