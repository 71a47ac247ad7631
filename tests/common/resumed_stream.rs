//! A TCP connection that retries reads and writes that a signal interrupts, as the standard
//! library's buffered readers do. A read with a timeout is also interrupted when the whole test is
//! stopped and continued.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::ops::Deref;

pub struct ResumedStream(pub TcpStream);

impl Deref for ResumedStream {
    type Target = TcpStream;

    fn deref(&self) -> &TcpStream {
        &self.0
    }
}

impl Read for ResumedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        resumed(|| self.0.read(buffer))
    }
}

impl Write for ResumedStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        resumed(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        resumed(|| self.0.flush())
    }
}

fn resumed<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
