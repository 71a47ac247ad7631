//! Scenes that many tests need.

use std::net::SocketAddr;
use std::process::Command;

use crate::executable::executable;
use crate::netref::referee::{Client, Referee, version_of};
use crate::waiting::{Deadline, OutputInTime, PATIENCE};

impl Referee {
    /// A client that takes a seat at the first table as soon as it is free.
    pub fn seat_when_free(&self, opening: &str) -> Client {
        seat_when_free(self.addresses[0], opening)
    }

    /// A new pair at the first table, as soon as that is free.
    pub fn pair_when_free(&self) -> (Client, Client) {
        pair_when_free(self.addresses[0])
    }

    /// Ann plays Black and Bob plays White: they gave their names, so they can read everything in
    /// the paper.
    pub fn named_pair(&self) -> (Client, Client) {
        let mut black = self.seat_when_free("player black \"Ann\"");
        let mut white = self.seat_when_free("player white \"Bob\"");
        black.lines_to("352 ");
        white.lines_to("351 ");
        (black, white)
    }

    /// An observer who is there before a match begins.
    pub fn observer(&self) -> Client {
        self.seat("observer")
    }

    /// A new pair plays a whole match at the first table.
    pub fn plays_a_match(&self) {
        let (mut black, mut white) = self.pair_when_free();
        play_out(&mut black, &mut white);
    }

    /// Waits until this many lines of the log contain this, and checks that there are no more.
    #[track_caller]
    pub fn wait_for_count(&self, text: &str, count: usize) {
        let is_text = |line: &&String| line.contains(text);
        let is_there = |log: &[String]| log.iter().filter(is_text).count() >= count;
        self.wait_for_news(&format!("{count} lines with {text:?}"), is_there);
        assert_eq!(
            self.count_in_log(text),
            count,
            "{text:?} in {:#?}",
            self.log()
        );
    }

    /// How many lines of the log so far contain this.
    pub fn count_in_log(&self, text: &str) -> usize {
        self.log().iter().filter(|line| line.contains(text)).count()
    }
}

/// A client that takes a seat as soon as it is free: the table notices in a moment that a client
/// left.
pub fn seat_when_free(address: SocketAddr, opening: &str) -> Client {
    let nothing = || "other answers";
    Deadline::within(PATIENCE).wait_for(&format!("a seat for {opening:?}"), nothing, || {
        let mut client = Client::connect(address);
        client.expect("000 ");
        let version = version_of(opening);
        let answer = client.ask(&format!("{version} {opening}"), "1");
        answer.starts_with("10").then_some(client)
    })
}

/// A new pair as soon as the table is free.
pub fn pair_when_free(address: SocketAddr) -> (Client, Client) {
    let nothing = || "no pair";
    Deadline::within(PATIENCE).wait_for("a free table", nothing, || try_pair(address))
}

/// A new pair. `None` if the table is not free, or if one of them met a client that was just
/// leaving.
fn try_pair(address: SocketAddr) -> Option<(Client, Client)> {
    let seat = |side: &str| {
        let mut client = Client::connect(address);
        client.expect("000 ");
        client.send(&format!("0.9.1 player {side}\r"));
        client.line()?.starts_with("10").then_some(client)
    };
    let mut black = seat("black")?;
    let mut white = seat("white")?;
    // If Black met another client, that match is over by now.
    let begins = black.line()?.starts_with("352 ");
    black.send("hello\r");
    let goes_on = black.line()?.starts_with("299 ");
    (begins && goes_on).then_some(())?;
    white.expect("351 ");
    Some((black, white))
}

/// Black plays c3 and wins by two passes, without clocks.
pub fn play_out(black: &mut Client, white: &mut Client) {
    black.ask("1 c3", "200 ");
    white.expect("311 1 c3 ");
    white.ask("1 ... pass", "200 ");
    for client in [&mut *black, &mut *white] {
        client.lines_to("316 1 ... pass ");
    }
    black.ask("2 pass", "201 ");
    for client in [black, white] {
        client.expect("321 2 pass and black wins");
        client.expect_end();
    }
}

/// Reads the two displays that observers get, the board in one string.
#[track_caller]
pub fn expect_board(observer: &mut Client, status: &str, board: &str) {
    observer.expect(status);
    observer.expect("382 ");
    let rows: Vec<String> = (0..5).filter_map(|_| observer.line()).collect();
    assert_eq!(rows.join(" "), board);
}

/// Runs `gothello netref ARGUMENTS`, which cannot start. Returns its exit code and the lines on
/// standard error.
pub fn refusal(arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let output = Command::new(executable())
        .arg("netref")
        .args(arguments)
        .output_within(PATIENCE);
    let text = String::from_utf8(output.stderr).unwrap();
    (
        output.status.code(),
        text.lines().map(str::to_owned).collect(),
    )
}
