//! What stand-ins have in common.

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use gothello::{Point, PointSet, Position};

/// A stand-in for a client of the network referee, of any game.
pub struct Peer {
    pub fault: String,
    pub stream: TcpStream,
}

impl Peer {
    /// Returns a stand-in with this fault.
    pub fn new(fault: &str, stream: TcpStream) -> Peer {
        Peer {
            fault: fault.to_owned(),
            stream,
        }
    }

    /// Returns whether it has this fault.
    pub fn has(&self, fault: &str) -> bool {
        self.fault == fault
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        let end = if self.has("lf") { "\n" } else { "\r" };
        let _ = self.stream.write_all(format!("{line}{end}").as_bytes());
    }
}

/// Does nothing, until this process is killed.
pub fn hang() -> ! {
    loop {
        thread::sleep(Duration::from_secs(60));
    }
}

/// The point where a stand-in with this fault illegally places a stone. `forgetful` are the points
/// that are legal on its board if it forgets captures.
pub fn wrong_point(fault: &str, position: &Position, forgetful: PointSet) -> Option<Point> {
    let placements = position.placements();
    let blocked = position.empty().without(placements.legal());
    let own = placements.stones().mover;
    let atari = placements.in_atari().opponent;
    let beside = |point: Point| PointSet::from(point).neighbors();
    let mut points = blocked.iter();
    let is_free = !placements.legal().is_empty();
    match fault {
        "plays-on-stones" => (!position.empty()).first(),
        "plays-into-suicide" => {
            points.find(|&point| !beside(point).meets(own) && !beside(point).meets(atari))
        }
        "fills-its-eye" => {
            points.find(|&point| beside(point).meets(own) && !beside(point).meets(atari))
        }
        "captures-as-in-go" => points.find(|&point| beside(point).meets(atari)),
        "forgets-flips" => (forgetful & blocked).first(),
        "never-passes" if !is_free => blocked.first(),
        "never-passes-last" if !is_free && placements.swapped().legal().is_empty() => {
            blocked.first()
        }
        _ => None,
    }
}
