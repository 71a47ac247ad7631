//! A guard process, which ends an engine together with the program that started it.
//!
//! An engine should end when its input does, but an engine that is thinking does not read its
//! input. A program that is killed by a signal cannot end its engine either. So a guard does it: a
//! short shell script that reads from a pipe. When the pipe is closed for any reason, the guard
//! ends the engine and all processes that the engine has started. Those that have left its process
//! group are identified by a variable of their environment, on systems that show it. The engine and
//! its processes form a process group, and the guard another, so that Ctrl-C at a terminal does not
//! reach them.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::Resource;
use super::orphans::{self, Mark};

/// Reads the id of a process group and the mark of its processes, waits for the end of the input,
/// and ends the group and all other processes with the mark as a variable of their environment. Not
/// every `grep` can search for a whole variable, so `tr` splits files that contain the mark into
/// lines.
const SCRIPT: &str = "read -r group mark && { \
    read -r _; \
    kill -s TERM -- \"-$group\" && sleep 1 && kill -s KILL -- \"-$group\"; \
    [ -n \"$mark\" ] && for found in $(grep -alsF -e \"$mark\" /proc/[0-9]*/environ); do \
    tr '\\0' '\\n' <\"$found\" | grep -qxF -e \"$mark\" || continue; \
    found=${found#/proc/}; kill -s KILL \"${found%/environ}\"; \
    done; \
    }";

/// A process that ends an engine when this program has ended.
#[derive(Debug)]
pub struct Guard {
    child: Child,
    pipe: ChildStdin,
}

impl Guard {
    /// Starts a guard; returns `None` if there is no shell.
    ///
    /// # Errors
    /// This machine lacks a resource for it.
    pub fn start() -> io::Result<Option<Guard>> {
        let mut command = Command::new("sh");
        command
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let mut child = match orphans::spawn(&mut command) {
            Err(error) if Resource::exhausted(&error).is_some() => return Err(error),
            Err(_) => return Ok(None),
            Ok(child) => child,
        };
        let pipe = child.stdin.take();
        Ok(pipe.map(|pipe| Guard { child, pipe }))
    }

    /// Sets the engine to guard, and the mark of its processes, if they have one.
    pub fn watch(&mut self, engine: &Child, mark: Option<&Mark>) {
        let mark = mark.map(Mark::as_str).unwrap_or_default();
        // The engine can play without a guard.
        let _ = writeln!(self.pipe, "{} {mark}", engine.id());
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        orphans::forget(&self.child);
    }
}
