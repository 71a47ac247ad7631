//! Two machines and a cable, and programs that run on them.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::executable::executable;
use crate::waiting::{Deadline, EndsInTime, OutputInTime, wait_for};

/// One of the two machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    Here,
    There,
}

impl Machine {
    /// Its address.
    pub fn address(self) -> &'static str {
        match self {
            Machine::Here => "10.99.0.1",
            Machine::There => "10.99.0.2",
        }
    }
}

/// Two network namespaces with a cable between them, and without a route to anywhere else. They
/// are removed when this is dropped; the programs in them must be dropped first.
pub struct Network {
    name: String,
}

impl Network {
    /// Makes the namespaces.
    pub fn new() -> Network {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let network = Network {
            name: format!("gothello-{}-{count}", std::process::id()),
        };
        let [here, there] = [Machine::Here, Machine::There].map(|side| network.namespace(side));
        ip(&format!("netns add {here}"));
        ip(&format!("netns add {there}"));
        ip(&format!(
            "link add cable netns {here} type veth peer name cable netns {there}"
        ));
        for side in [Machine::Here, Machine::There] {
            let (namespace, address) = (network.namespace(side), side.address());
            ip(&format!("-n {namespace} addr add {address}/24 dev cable"));
            ip(&format!("-n {namespace} link set lo up"));
            ip(&format!("-n {namespace} link set cable up"));
        }
        network
    }

    fn namespace(&self, machine: Machine) -> String {
        let side = match machine {
            Machine::Here => "here",
            Machine::There => "there",
        };
        format!("{}-{side}", self.name)
    }

    /// Pulls the cable out: both machines notice that at once, and no connection
    /// does.
    pub fn pull_cable(&self) {
        let there = self.namespace(Machine::There);
        ip(&format!("-n {there} link set cable down"));
    }

    /// Plugs it in again.
    pub fn plug_cable_in(&self) {
        let there = self.namespace(Machine::There);
        ip(&format!("-n {there} link set cable up"));
    }

    /// Takes the other machine off the network, as if its power had failed: here,
    /// the cable still works.
    pub fn switch_off(&self) {
        let there = self.namespace(Machine::There);
        ip(&format!("-n {there} addr flush dev cable"));
    }

    /// How many connections a machine has to the other one.
    pub fn connections(&self, from: Machine) -> usize {
        let to = match from {
            Machine::Here => Machine::There,
            Machine::There => Machine::Here,
        };
        let filter = ["-Htn", "state", "established", "dst", to.address()];
        let output = self.command(from, "ss").args(filter).output_in_time();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().lines().count()
    }

    /// A program on a machine.
    pub fn command(&self, machine: Machine, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace(machine), program]);
        command
    }

    /// Starts `gothello ARGUMENTS` on a machine.
    pub fn start(&self, machine: Machine, arguments: &str) -> Program {
        let mut command = self.command(machine, executable());
        Program::spawn(command.args(arguments.split(' ')))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for side in [Machine::Here, Machine::There] {
            let namespace = self.namespace(side);
            let _ = Command::new("ip")
                .args(["netns", "del", &namespace])
                .status();
        }
    }
}

/// Runs a command of iproute2.
pub fn ip(arguments: &str) {
    let mut command = Command::new("ip");
    let output = command.args(arguments.split(' ')).output_in_time();
    assert!(
        output.status.success(),
        "this test needs root, to make network namespaces: ip {arguments}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A running program; it is killed when it is dropped.
pub struct Program {
    child: Child,
    out: Arc<Mutex<String>>,
}

impl Program {
    /// Starts a program and keeps its input open.
    pub fn spawn(command: &mut Command) -> Program {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = Arc::new(Mutex::new(String::new()));
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        for pipe in [
            Box::new(stdout.unwrap()) as Box<dyn Read + Send>,
            Box::new(stderr.unwrap()),
        ] {
            let sink = Arc::clone(&out);
            thread::spawn(move || {
                for line in BufReader::new(pipe).lines() {
                    let line = line.unwrap() + "\n";
                    sink.lock().unwrap().push_str(&line);
                }
            });
        }
        Program { child, out }
    }

    /// What it has written so far.
    pub fn out(&self) -> String {
        self.out.lock().unwrap().clone()
    }

    /// Waits until it has written this.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        wait_for(
            text,
            || self.out(),
            || self.out().contains(text).then_some(()),
        );
    }

    /// Types a line.
    pub fn types(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    /// Waits for its end.
    #[track_caller]
    pub fn end(&mut self, limit: Duration) -> ExitStatus {
        let out = Arc::clone(&self.out);
        let so_far = || out.lock().unwrap().clone();
        self.child.end_in_time(&Deadline::within(limit), so_far)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
