//! A minimal reverse proxy: it serves another server under a path.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;

/// The path under which the proxy serves.
pub const PATH: &str = "/some/course/";

/// A proxy on this machine. Its threads end with the test program.
pub struct ReverseProxy {
    /// Where it listens.
    pub address: SocketAddr,
}

impl ReverseProxy {
    /// Starts a proxy in front of a server. It tells the server the visitor's address and the
    /// requested host, as nginx does with `$proxy_add_x_forwarded_for` and `$http_host`; its own
    /// `Host` is the server's address.
    pub fn start(server: SocketAddr) -> ReverseProxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A visitor or server that disconnects is not an error of the proxy.
                thread::spawn(move || forward(stream, server));
            }
        });
        ReverseProxy { address }
    }

    /// The URL of what the server has at a path without its slash.
    pub fn url(&self, scheme: &str, path: &str) -> String {
        format!("{scheme}://{}{PATH}{path}", self.address)
    }
}

/// Forwards one request, and then bytes in both directions until the server closes.
fn forward(visitor: TcpStream, server: SocketAddr) -> io::Result<()> {
    let peer = visitor.peer_addr()?.ip();
    let mut from_visitor = BufReader::new(visitor.try_clone()?);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        from_visitor.read_line(&mut line)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let Some(request) = lines.first() else {
        return Ok(());
    };
    let Some((method, path)) = request.split_once(&format!(" {PATH}")) else {
        return (&visitor).write_all(
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
    };
    let mut head = format!("{method} /{path}\r\n");
    let mut before = Vec::new();
    let is_upgrade = |line: &String| line.to_lowercase().starts_with("upgrade:");
    let upgrades = lines.iter().any(is_upgrade);
    for line in &lines[1..] {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        match &*name.to_lowercase() {
            "host" => {
                head.push_str(&format!("Host: {server}\r\n"));
                head.push_str(&format!("X-Forwarded-Host: {}\r\n", value.trim()));
                head.push_str("X-Forwarded-Proto: http\r\n");
            }
            "x-forwarded-for" => before.push(value.trim().to_owned()),
            // One request for each connection.
            "connection" if !upgrades => {}
            _ => head.push_str(&format!("{line}\r\n")),
        }
    }
    before.push(peer.to_string());
    head.push_str(&format!("X-Forwarded-For: {}\r\n", before.join(", ")));
    if !upgrades {
        head.push_str("Connection: close\r\n");
    }
    head.push_str("\r\n");
    let mut to_server = TcpStream::connect(server)?;
    to_server.write_all(head.as_bytes())?;
    let mut from_server = to_server.try_clone()?;
    let mut to_visitor = visitor;
    thread::spawn(move || {
        let _ = copy(&mut from_visitor, &mut to_server);
        let _ = to_server.shutdown(Shutdown::Write);
    });
    copy(&mut from_server, &mut to_visitor)?;
    to_visitor.shutdown(Shutdown::Both)
}

/// Copies bytes as they come.
fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut bytes = [0; 4096];
    loop {
        match from.read(&mut bytes)? {
            0 => return Ok(()),
            length => to.write_all(&bytes[..length])?,
        }
    }
}
