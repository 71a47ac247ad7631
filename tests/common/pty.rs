//! A pseudo-terminal.

use std::fs::{File, OpenOptions};
use std::path::PathBuf;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A pseudo-terminal.
pub struct Pty {
    /// The person's side: bytes written to it are typed, and bytes read from it appear on the
    /// screen.
    pub controller: File,
    name: PathBuf,
}

impl Pty {
    pub fn open() -> Pty {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        Pty {
            name: name.to_str().unwrap().into(),
            controller: controller.into(),
        }
    }

    /// The side of a program.
    pub fn stdio(&self) -> Stdio {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true);
        options.open(&self.name).unwrap().into()
    }
}
