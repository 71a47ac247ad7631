//! TLS through OpenSSL's program: a certificate, and a client's stream.

use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::waiting::{DeadlineStream, OutputInTime};

/// A self-signed certificate and its key.
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
            .output_in_time();
        assert!(made.status.success(), "{made:?}");
        Certificate { certificate, key }
    }
}

/// Opens an encrypted connection to a port of this machine, which must have this certificate.
pub fn connect(port: u16, trusted: &Path) -> DeadlineStream {
    // OpenSSL reads and writes a socket, because a socket can have a timeout.
    let (ours, theirs) = UnixStream::pair().unwrap();
    let theirs = OwnedFd::from(theirs);
    let mut child = Command::new("openssl")
        .args(["s_client", "-quiet", "-verify_return_error", "-connect"])
        .arg(format!("localhost:{port}"))
        .args(["-servername", "localhost", "-verify_hostname", "localhost"])
        .arg("-CAfile")
        .arg(trusted)
        // The process ends when our side is closed.
        .arg("-no_ign_eof")
        .stdin(Stdio::from(theirs.try_clone().unwrap()))
        .stdout(Stdio::from(theirs))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    thread::spawn(move || child.wait());
    DeadlineStream::new(TcpStream::from(OwnedFd::from(ours)))
}
