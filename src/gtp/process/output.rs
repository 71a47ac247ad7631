//! The output of a child process, read without threads.

use std::io::{self, Read};
use std::process::{ChildStderr, ChildStdout};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::OutputEvent;

/// The maximum number of bytes that are read at once.
const BLOCK: usize = 4096;

/// The standard output of a child process and, if it is captured, its standard error.
#[derive(Debug)]
pub struct Output {
    output: Option<ChildStdout>,
    errors: Option<ChildStderr>,
    block: Box<[u8]>,
}

impl Output {
    /// Takes the pipes of a child process.
    ///
    /// # Errors
    /// Never; elsewhere this needs threads.
    pub fn new(output: ChildStdout, errors: Option<ChildStderr>) -> io::Result<Output> {
        Ok(Output {
            output: Some(output),
            errors,
            block: vec![0; BLOCK].into(),
        })
    }

    /// Waits at most `timeout` for the next event.
    pub fn wait(&mut self, timeout: Duration) -> OutputEvent<'_> {
        let timeout = Timespec::try_from(timeout).ok();
        let flags = PollFlags::IN;
        let (has_output, has_errors) = match (&self.output, &self.errors) {
            (None, None) => return OutputEvent::End,
            (Some(output), None) => (
                is_ready([PollFd::new(output, flags)], timeout) == [true],
                false,
            ),
            (None, Some(errors)) => (
                false,
                is_ready([PollFd::new(errors, flags)], timeout) == [true],
            ),
            (Some(output), Some(errors)) => {
                let pipes = [PollFd::new(output, flags), PollFd::new(errors, flags)];
                is_ready(pipes, timeout).into()
            }
        };
        // The output comes first: a clock may be waiting for it.
        match (&mut self.output, &mut self.errors) {
            (Some(output), _) if has_output => match read(output, &mut self.block) {
                Some([]) => {
                    self.output = None;
                    OutputEvent::End
                }
                Some(bytes) => OutputEvent::Output(bytes),
                None => OutputEvent::Nothing,
            },
            (_, Some(errors)) if has_errors => match read(errors, &mut self.block) {
                Some([]) => {
                    self.errors = None;
                    OutputEvent::Nothing
                }
                Some(bytes) => OutputEvent::Errors(bytes),
                None => OutputEvent::Nothing,
            },
            _ => OutputEvent::Nothing,
        }
    }
}

/// Waits until one of the pipes can be read or has ended, and returns which of them.
fn is_ready<const N: usize>(mut pipes: [PollFd<'_>; N], timeout: Option<Timespec>) -> [bool; N] {
    match poll(&mut pipes, timeout.as_ref()) {
        Ok(_) => pipes.map(|pipe| !pipe.revents().is_empty()),
        // A signal.
        Err(_) => [false; N],
    }
}

/// Reads the available bytes: none at the end of the pipe. Returns `None` if it was interrupted.
fn read<'a>(pipe: &mut impl Read, block: &'a mut [u8]) -> Option<&'a [u8]> {
    match pipe.read(block) {
        Ok(length) => Some(block.get(..length).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
        // An error when reading counts as the end.
        Err(_) => Some(&[]),
    }
}
