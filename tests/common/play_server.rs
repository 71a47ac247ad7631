//! The built program as the server of the page to play on.

use std::process::{Child, Command, Stdio};

use crate::executable::executable;
use crate::waiting::Pipe;

/// `gothello play`, until this is dropped.
pub struct PlayServer {
    pub child: Child,
    /// The printed address of the page.
    pub url: String,
}

impl PlayServer {
    pub fn start(arguments: &[&str]) -> PlayServer {
        let mut child = Command::new(executable())
            .args(["play", "--no-browser"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let url = Pipe::new(child.stdout.take().unwrap()).line("the address of the page");
        PlayServer {
            child,
            url: url.expect("an address"),
        }
    }

    /// Its host and port.
    pub fn host(&self) -> &str {
        let rest = self.url.strip_prefix("http://").unwrap();
        rest.split('/').next().unwrap()
    }
}

impl Drop for PlayServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
