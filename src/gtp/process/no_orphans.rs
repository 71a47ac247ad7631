//! Replaces the adoption of orphans on systems that cannot do it.

use std::io;
use std::process::{Child, Command};

/// The mark of an engine's processes, which cannot exist here.
#[derive(Debug)]
pub enum Mark {}

impl Mark {
    pub fn new(_: &mut Command) -> Option<Mark> {
        None
    }

    pub fn as_str(&self) -> &str {
        match *self {}
    }

    pub fn end_orphans(&self) {
        match *self {}
    }
}

/// Does nothing: processes that leave the process group of an engine are not found here.
pub fn adopt_orphans() {}

/// Does nothing.
pub fn end_orphans() {}

/// Does nothing.
pub fn reap_orphans() {}

pub fn spawn(command: &mut Command) -> io::Result<Child> {
    command.spawn()
}

pub fn forget(_: &Child) {}
