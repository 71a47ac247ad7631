//! A referee in a network of its own, which each team reaches over a link of its own.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::network::ip;

/// A network namespace, and a link to it for each team. They are removed when this is dropped;
/// programs in the namespace must be dropped first.
pub struct Links {
    number: usize,
    teams: usize,
}

impl Links {
    /// Makes the namespace and links for so many teams.
    pub fn new(teams: usize) -> Links {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        assert!(number < 256 && teams <= 64);
        let links = Links { number, teams };
        let namespace = links.namespace();
        ip(&format!("netns add {namespace}"));
        ip(&format!("-n {namespace} link set lo up"));
        for team in 0..teams {
            // A name of an interface has 15 characters at most.
            let (ours, its) = (format!("gt{number}-{team}"), format!("team{team}"));
            ip(&format!(
                "link add {ours} type veth peer name {its} netns {namespace}"
            ));
            let (here, there) = (links.host(team, 1), links.host(team, 2));
            ip(&format!("addr add {here}/30 dev {ours}"));
            ip(&format!("link set {ours} up"));
            ip(&format!("-n {namespace} addr add {there}/30 dev {its}"));
            ip(&format!("-n {namespace} link set {its} up"));
        }
        links
    }

    fn namespace(&self) -> String {
        format!("gothello-{}-links{}", std::process::id(), self.number)
    }

    /// The address of an end of a team's link.
    fn host(&self, team: usize, end: usize) -> String {
        format!("10.98.{}.{}", self.number, 4 * team + end)
    }

    /// Where a team connects to a port of the referee.
    pub fn address(&self, team: usize, port: u16) -> SocketAddr {
        format!("{}:{port}", self.host(team, 2)).parse().unwrap()
    }

    /// Returns a command for a program in the namespace.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace(), program]);
        command
    }

    /// Cuts a team's link: what is sent is lost, and neither side is told.
    pub fn cut(&self, team: usize) {
        self.set(team, "down");
    }

    /// Repairs a team's link.
    pub fn repair(&self, team: usize) {
        self.set(team, "up");
    }

    fn set(&self, team: usize, state: &str) {
        ip(&format!(
            "-n {} link set team{team} {state}",
            self.namespace()
        ));
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        // The links vanish with one of their ends.
        for team in 0..self.teams {
            let link = format!("gt{}-{team}", self.number);
            let _ = Command::new("ip").args(["link", "del", &link]).status();
        }
        let mut delete = Command::new("ip");
        let _ = delete.args(["netns", "del", &self.namespace()]).status();
    }
}
