//! What ends an engine with the program that has started it.
//!
//! An engine whose input ends should end itself, but one that thinks does not read.
//! A program that is ended by a signal cannot do anything about that, and so another
//! process does it: the guard, a few words for the shell, which reads from a pipe.
//! When the pipe is closed, for whatever reason, it ends the engine with all
//! processes that the engine has started. They are a process group of their own, and
//! so is the guard: what is typed at a terminal (Ctrl-C) goes past them.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

/// Reads the number of a process group, waits for the end of the input, and ends
/// the group.
const SCRIPT: &str = "read -r group && { \
    read -r _; \
    kill -s TERM -- \"-$group\" && sleep 1 && kill -s KILL -- \"-$group\"; \
    }";

/// A process that ends an engine when this program is gone.
#[derive(Debug)]
pub(super) struct Guard {
    child: Child,
    pipe: ChildStdin,
}

impl Guard {
    /// Starts a guard; `None` where there is no shell.
    pub(super) fn start() -> Option<Guard> {
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .ok()?;
        let pipe = child.stdin.take()?;
        Some(Guard { child, pipe })
    }

    /// Tells it what to guard.
    pub(super) fn watch(&mut self, engine: &Child) {
        // A guard that is gone guards nothing; the engine plays nevertheless.
        let _ = writeln!(self.pipe, "{}", engine.id());
    }
}

/// There is nothing left to guard.
impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Gives a program, and all that it starts, a process group of its own.
pub(super) fn in_own_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Kills a program that has not been waited for, and all that it has started.
pub(super) fn kill(leader: &mut Child) {
    let _ = kill_process_group(Pid::from_child(leader), Signal::KILL);
}
