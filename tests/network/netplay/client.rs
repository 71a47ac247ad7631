//! The built program as a client of a referee.

use std::net::SocketAddr;

use crate::client::Program;
use crate::netref::referee::Referee;

impl Program {
    /// Starts `gothello netplay 127.0.0.1 0 ARGUMENTS` at a referee.
    pub fn netplay(referee: &Referee, arguments: &[&str]) -> Program {
        Program::netplay_at(referee.addresses[0], arguments)
    }

    /// Starts it at an address.
    pub fn netplay_at(address: SocketAddr, arguments: &[&str]) -> Program {
        let port = address.port().to_string();
        let command = ["netplay", "127.0.0.1", "0", "--port", &port];
        Program::start(&command, arguments)
    }
}
