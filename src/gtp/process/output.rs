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
        let (output, errors) = (self.output.as_ref(), self.errors.as_ref());
        let mut pipes = Vec::with_capacity(2);
        pipes.extend(output.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        pipes.extend(errors.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        if pipes.is_empty() {
            return OutputEvent::End;
        }
        // A signal ends it early.
        let is_done = poll(&mut pipes, timeout.as_ref()).is_ok();
        let mut ready = pipes
            .iter()
            .map(|pipe| is_done && !pipe.revents().is_empty());
        let has_output = output.is_some() && ready.next() == Some(true);
        let has_errors = ready.next() == Some(true);
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

/// Reads the available bytes: none at the end of the pipe. Returns `None` if it was interrupted.
fn read<'a>(pipe: &mut impl Read, block: &'a mut [u8]) -> Option<&'a [u8]> {
    match pipe.read(block) {
        Ok(length) => Some(block.get(..length).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
        // An error when reading counts as the end.
        Err(_) => Some(&[]),
    }
}
