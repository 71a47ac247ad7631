//! TLS by way of OpenSSL's program: a certificate, and a client's stream.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A certificate that only its own file vouches for, and its key.
pub struct Certificate {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

impl Certificate {
    /// Makes one for `localhost` in a folder.
    pub fn create(folder: &Path) -> Certificate {
        let [certificate, key] = ["fullchain.pem", "privkey.pem"].map(|name| folder.join(name));
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt"])
            .args(["ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
            .args(["-subj", "/CN=localhost", "-addext"])
            .args(["subjectAltName=DNS:localhost", "-addext"])
            // A server's own certificate, which signs no others.
            .args(["basicConstraints=critical,CA:FALSE", "-keyout"])
            .arg(&key)
            .arg("-out")
            .arg(&certificate)
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        Certificate { certificate, key }
    }
}

/// An encrypted connection.
pub struct TlsStream(Child);

impl TlsStream {
    /// Connects to a port of this machine, whose certificate must be this one.
    pub fn connect(port: u16, trusted: &Path) -> TlsStream {
        let child = Command::new("openssl")
            .args(["s_client", "-quiet", "-verify_return_error", "-connect"])
            .arg(format!("localhost:{port}"))
            .args([
                "-servername",
                "localhost",
                "-verify_hostname",
                "localhost",
                "-CAfile",
            ])
            .arg(trusted)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        TlsStream(child)
    }
}

impl Read for TlsStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.stdout.as_mut().unwrap().read(buffer)
    }
}

impl Write for TlsStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.stdin.as_mut().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.stdin.as_mut().unwrap().flush()
    }
}

impl Drop for TlsStream {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
