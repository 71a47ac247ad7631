//! A search runs as long as its result can be read, and no longer, whatever else is closed.

use std::io::Write;
use std::process::Child;
use std::thread;
use std::time::Duration;

use super::engine::program;
use crate::waiting::{Deadline, EndsInTime, first_line};

/// A search that takes a minute, or a proof that takes minutes.
struct Search {
    arguments: &'static [&'static str],
    commands: &'static str,
}

const GOTHELLO: &[&str] = &["--no-tablebase", "--hash", "16", "--move-time", "60"];
const ALPHA_BETA: &[&str] = &["--player", "alpha-beta", "--move-time", "60"];
const AWARI: &[&str] = &["--game", "awari", "--move-time", "60"];

const SEARCHES: [Search; 12] = [
    Search::of(GOTHELLO, "play b a1\nplay w e5\ngothello-values\n"),
    Search::of(GOTHELLO, "play b a1\nplay w e5\ngenmove b\n"),
    Search::of(GOTHELLO, "play b a1\nplay w e5\nreg_genmove b\n"),
    Search::of(GOTHELLO, "play b a1\nplay w e5\ngothello-suggested_move\n"),
    Search::of(GOTHELLO, "play b a1\nplay w e5\ngothello-best_moves\n"),
    Search::of(GOTHELLO, "play b a1\nplay w e5\ngothello-variation\n"),
    Search::of(GOTHELLO, "play b a1\nplay w e5\ngothello-value\n"),
    Search::of(GOTHELLO, "play b a1\nplay w e5\ngothello-winner\n"),
    Search::of(GOTHELLO, "play b a1\nplay w e5\ngothello-pass_value\n"),
    Search::of(ALPHA_BETA, "genmove b\n"),
    Search::of(AWARI, "genmove b\n"),
    Search::of(AWARI, "gothello-suggested_move\n"),
];

/// The time for a search to begin.
const START: Duration = Duration::from_millis(100);

/// Longer than the interval of GoGui's live graphics.
const PAUSE: Duration = Duration::from_millis(350);

/// The time within which the program must end: a second, plus much more for a busy machine and a
/// debug build, but less than any of the searches takes.
const LIMIT: Duration = Duration::from_secs(20);

impl Search {
    const fn of(arguments: &'static [&'static str], commands: &'static str) -> Search {
        Search {
            arguments,
            commands,
        }
    }

    /// Starts the search.
    fn start(&self) -> Running {
        let mut search = Running::start(self.arguments, self.commands);
        search.send(self.commands);
        thread::sleep(START);
        search
    }

    fn goes_on_without_input_and_errors(&self) {
        let mut search = self.start();
        drop(search.child.stdin.take());
        drop(search.child.stderr.take());
        search.goes_on();
        drop(search.child.stdout.take());
        search.ends();
    }

    fn ends_without_output(&self) {
        let mut search = self.start();
        drop(search.child.stdout.take());
        search.ends();
    }

    fn ends_with_its_controller(&self) {
        let mut search = self.start();
        drop(search.child.stdout.take());
        drop(search.child.stderr.take());
        drop(search.child.stdin.take());
        search.ends();
    }
}

/// A program that searches. It is killed if the test fails.
struct Running {
    child: Child,
    commands: &'static str,
}

impl Running {
    fn start(arguments: &[&str], commands: &'static str) -> Running {
        let child = program(arguments).spawn().unwrap();
        Running { child, commands }
    }

    fn send(&mut self, commands: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(commands.as_bytes()).unwrap();
    }

    fn goes_on(&mut self) {
        thread::sleep(PAUSE);
        let ended = self.child.try_wait().unwrap();
        assert_eq!(ended, None, "{:?} has ended", self.commands);
    }

    fn ends(&mut self) {
        let searched = || format!("{:?} goes on", self.commands);
        self.child.end_in_time(&Deadline::within(LIMIT), searched);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn check(search: &Search) {
    thread::scope(|scope| {
        scope.spawn(|| search.goes_on_without_input_and_errors());
        scope.spawn(|| search.ends_without_output());
        scope.spawn(|| search.ends_with_its_controller());
    });
}

#[test]
fn a_proof_with_live_graphics_ends_with_the_reader_of_its_result() {
    check(&SEARCHES[0]);
}

#[test]
fn the_choice_of_a_move_ends_with_the_reader_of_its_result() {
    check(&SEARCHES[1]);
}

#[test]
fn a_search_that_begins_without_a_reader_ends() {
    let arguments = ["--no-tablebase", "--hash", "16", "--move-time", "0.05"];
    let mut search = Running::start(&arguments, "gothello-value\n");
    search.send("reg_genmove b\n");
    let (answer, output) = first_line(search.child.stdout.take().unwrap());
    assert!(answer.starts_with("= "), "{answer}");
    drop(output);
    thread::sleep(START);
    search.send(search.commands);
    search.ends();
}

#[test]
#[ignore = "takes seconds; two of the searches are tested above"]
fn every_search_ends_with_the_reader_of_its_result() {
    SEARCHES.iter().for_each(check);
}
