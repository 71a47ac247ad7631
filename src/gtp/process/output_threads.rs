//! The output of a child process on systems whose pipes cannot be polled: a thread reads each.

use std::io::{self, Read};
use std::process::{ChildStderr, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::OutputEvent;

/// The maximum number of bytes that are read at once.
const BLOCK: usize = 4096;

/// The number of blocks that wait to be received.
const QUEUE: usize = 4;

/// A block that a thread has read; empty at the end.
struct Block {
    is_output: bool,
    bytes: Vec<u8>,
}

/// The standard output of a child process and, if it is captured, its standard error.
#[derive(Debug)]
pub struct Output {
    blocks: Receiver<Block>,
    block: Vec<u8>,
}

impl Output {
    /// Takes the pipes of a child process.
    ///
    /// # Errors
    /// The system has no threads for them.
    pub fn new(output: ChildStdout, errors: Option<ChildStderr>) -> io::Result<Output> {
        let (sender, blocks) = sync_channel(QUEUE);
        if let Some(errors) = errors {
            read_all(errors, false, sender.clone())?;
        }
        read_all(output, true, sender)?;
        let block = Vec::new();
        Ok(Output { blocks, block })
    }

    /// Waits at most `timeout` for the next event. The end of standard error is none: standard output
    /// may follow it.
    pub fn wait(&mut self, timeout: Duration) -> OutputEvent<'_> {
        let start = Instant::now();
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            let Block { is_output, bytes } = match self.blocks.recv_timeout(left) {
                Ok(block) => block,
                Err(RecvTimeoutError::Timeout) => return OutputEvent::Nothing,
                Err(RecvTimeoutError::Disconnected) => return OutputEvent::End,
            };
            self.block = bytes;
            match (is_output, self.block.is_empty()) {
                (true, true) => return OutputEvent::End,
                (true, false) => return OutputEvent::Output(&self.block),
                (false, true) => {}
                (false, false) => return OutputEvent::Errors(&self.block),
            }
        }
    }
}

/// Reads a pipe on a thread until it ends, or until the [`Output`] is dropped.
fn read_all(
    mut pipe: impl Read + Send + 'static,
    is_output: bool,
    sender: SyncSender<Block>,
) -> io::Result<()> {
    let reading = move || {
        let mut block = vec![0; BLOCK];
        loop {
            // An error when reading counts as the end.
            let length = pipe.read(&mut block).unwrap_or(0);
            let bytes = block.get(..length).unwrap_or_default().to_vec();
            if sender.send(Block { is_output, bytes }).is_err() || length == 0 {
                break;
            }
        }
    };
    thread::Builder::new().spawn(reading).map(drop)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn standard_output_is_read_after_the_end_of_standard_error() {
        let mut child = Command::new("sh")
            .args(["-c", "exec 2>&-; sleep 0.2; echo out"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let mut output = Output::new(output, child.stderr.take()).unwrap();
        let limit = Duration::from_secs(60);
        assert_eq!(output.wait(limit), OutputEvent::Output(b"out\n"));
        assert_eq!(output.wait(limit), OutputEvent::End);
        child.wait().unwrap();
    }
}
