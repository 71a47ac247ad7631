//! Replaces the guard on systems without process groups. There, an engine ends when its
//! input does.

use std::io;
use std::process::Child;

use super::orphans::Mark;

/// A guard that does nothing.
#[derive(Debug)]
pub struct Guard;

impl Guard {
    pub fn start() -> io::Result<Option<Guard>> {
        Ok(None)
    }

    pub fn watch(&mut self, _: &Child, _: Option<&Mark>) {}
}
