//! The process group of a program, which has all processes that the program starts and that do not
//! leave it, and the core that the program runs on.

#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};

/// Makes a program and all processes that it starts a separate process group, on systems that have
/// process groups.
pub fn in_own_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// Kills a program and all processes of its group. It is still running, or has been waited for just
/// now: later, its id may be that of another process.
pub fn kill(leader: &mut Child) {
    #[cfg(unix)]
    let _ = kill_process_group(Pid::from_child(leader), Signal::KILL);
    #[cfg(not(unix))]
    let _ = leader.kill();
}

/// Restricts a program to one core: the one with this number, from 0, among those that this program
/// may use. Does nothing on systems other than Linux.
#[cfg(target_os = "linux")]
pub fn pin(child: &Child, number: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Ok(allowed) = sched_getaffinity(None) else {
        return;
    };
    let cores = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core));
    let cores: Vec<usize> = cores.collect();
    let index = number.checked_rem(cores.len());
    if let Some(&core) = index.and_then(|index| cores.get(index)) {
        let mut one = CpuSet::new();
        one.set(core);
        // It may have ended.
        let _ = sched_setaffinity(Some(Pid::from_child(child)), &one);
    }
}

#[cfg(not(target_os = "linux"))]
pub fn pin(_: &Child, _: usize) {}
