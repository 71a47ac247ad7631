//! Processes that an engine has started and that have left its process group: daemons.
//!
//! A program may become the parent of all orphans among its descendants (a child subreaper). Then
//! the remaining processes of an engine are among this program's children, and are identified by an
//! environment variable, [`VARIABLE`], which every process inherits. They are killed when their
//! engine has ended, without those of other engines. Processes that have removed the variable are
//! killed at the end, unless this program had children before, to which they could belong.

use std::collections::HashSet;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::process::{self, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockWriteGuard};
use std::thread;
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};

/// The variable that identifies the processes of an engine.
const VARIABLE: &str = "GOTHELLO_ENGINE";

/// The pause between two checks of whether processes that have been killed have ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The number of checks for killed processes: one that hangs in the system does not end.
const LOOKS: u32 = 500;

/// The maximum number of rounds of killing: each may leave new orphans.
const ROUNDS: u32 = 100;

/// The children of this program, once it adopts orphans.
static FAMILY: OnceLock<Family> = OnceLock::new();

/// The children of this program.
#[derive(Debug)]
struct Family {
    /// Those that it has started or had before. All others are orphans.
    own: Mutex<HashSet<Pid>>,
    /// Held while a child is started and not yet noted, and to look for orphans and wait for them: the
    /// process id of an orphan that has been reaped may be that of a new child.
    births: RwLock<()>,
    /// Whether it had children before, whose orphans may appear, too.
    had_children: bool,
    /// A random number, in the marks of all engines. Process ids would not do: they are reused, and
    /// differ between PID namespaces.
    nonce: u64,
    /// The number of engines that have been started.
    engines: AtomicU32,
}

/// The variable and its value in all processes of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark(String);

/// Makes this program the parent of orphans of the engines that it starts from now on, and kills them when
/// their engine ends. It affects all child processes of the program, so that a library must not do
/// so unasked. Systems other than Linux cannot do it.
pub fn adopt_orphans() {
    if set_child_subreaper(Some(getpid())).is_err() {
        return;
    }
    let own = children();
    let _ = FAMILY.set(Family {
        had_children: !own.is_empty(),
        own: Mutex::new(own),
        births: RwLock::new(()),
        nonce: RandomState::new().hash_one(()),
        engines: AtomicU32::new(0),
    });
}

/// Kills the remaining processes of all engines, which have ended, if orphans are adopted.
pub fn end_orphans() {
    if let Some(family) = FAMILY.get() {
        let of_all = family.beginning_of_marks();
        let is_marked =
            |pid| environment_has(pid, |variable| variable.starts_with(of_all.as_bytes()));
        family.end(|pid| !family.had_children || is_marked(pid));
    }
}

/// Waits for the orphans that have ended, if orphans are adopted: until then the system keeps their
/// process ids.
pub fn reap_orphans() {
    if let Some(family) = FAMILY.get() {
        family.end(|_| false);
    }
}

/// Starts a process of this program.
///
/// # Errors
/// It cannot be started.
pub fn spawn(command: &mut Command) -> io::Result<process::Child> {
    let Some(family) = FAMILY.get() else {
        return command.spawn();
    };
    let _births = family.births.read().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    family.own().insert(Pid::from_child(&child));
    Ok(child)
}

/// Forgets a process of this program that has been waited for.
pub fn forget(child: &process::Child) {
    if let Some(family) = FAMILY.get() {
        family.own().remove(&Pid::from_child(child));
    }
}

impl Mark {
    /// Marks the processes of an engine that is going to be started; `None` if orphans are not
    /// adopted.
    pub fn new(command: &mut Command) -> Option<Mark> {
        let family = FAMILY.get()?;
        let number = family.engines.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}{number}", family.beginning_of_marks());
        if let Some((name, value)) = mark.split_once('=') {
            command.env(name, value);
        }
        Some(Mark(mark))
    }

    /// Returns the variable and its value.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Kills the orphans of the engine, which has ended.
    pub fn end_orphans(&self) {
        if let Some(family) = FAMILY.get() {
            family.end(|pid| environment_has(pid, |variable| variable == self.0.as_bytes()));
        }
    }
}

impl Family {
    fn own(&self) -> MutexGuard<'_, HashSet<Pid>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Briefly keeps children from being started.
    fn without_births(&self) -> RwLockWriteGuard<'_, ()> {
        self.births.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the prefix of the marks of all engines.
    fn beginning_of_marks(&self) -> String {
        format!("{VARIABLE}={:016x}.", self.nonce)
    }

    /// Waits for the orphans that have ended, and kills those for which `is_meant` is true, and
    /// then their own orphans. Children can be started while it waits for killed processes.
    fn end(&self, is_meant: impl Fn(Pid) -> bool) {
        // Killed, and not yet ended.
        let mut killed = HashSet::new();
        for _ in 0..ROUNDS {
            let new = self.kill(&is_meant, &killed);
            if new.is_empty() {
                return;
            }
            killed.extend(&new);
            for _ in 0..LOOKS {
                self.forget_ended(&mut killed);
                if new.is_disjoint(&killed) {
                    break;
                }
                thread::sleep(POLL_INTERVAL);
            }
        }
    }

    /// Kills and returns the orphans for which `is_meant` is true and that have not been killed
    /// before.
    fn kill(&self, is_meant: impl Fn(Pid) -> bool, before: &HashSet<Pid>) -> HashSet<Pid> {
        let _births = self.without_births();
        let mut orphans = children();
        orphans.retain(|pid| {
            !self.own().contains(pid)
                && !has_ended(*pid)
                && !before.contains(pid)
                && is_meant(*pid)
                && kill_process(*pid, Signal::KILL).is_ok()
        });
        orphans
    }

    /// Retains only the orphans that have not ended.
    fn forget_ended(&self, orphans: &mut HashSet<Pid>) {
        let _births = self.without_births();
        orphans.retain(|pid| !self.own().contains(pid) && !has_ended(*pid));
    }
}

/// Returns whether an orphan has ended, and reaps it then.
fn has_ended(pid: Pid) -> bool {
    !matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None))
}

/// Returns the children of this program, of all its threads.
fn children() -> HashSet<Pid> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let mut found = HashSet::new();
    for list in lists {
        let numbers = list.split_whitespace().map(str::parse);
        found.extend(numbers.filter_map(|number| Pid::from_raw(number.ok()?)));
    }
    found
}

/// Returns whether `is_meant` is true of a variable, with its value, in the environment with which a
/// process was started.
fn environment_has(pid: Pid, is_meant: impl Fn(&[u8]) -> bool) -> bool {
    let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()));
    let environment = environment.unwrap_or_default();
    environment.split(|&byte| byte == 0).any(is_meant)
}
