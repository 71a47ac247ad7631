//! A person at a terminal.

use std::io::{BufRead, BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::agent::{Agent, AgentError, Decision, Turn};
use super::display::{note, prompt};
use crate::gothello::{Game, Move};

/// The longest line that is read as one.
const MAX_LINE: u64 = 1_024;

/// How many lines may wait that were typed before they were asked for.
const WAITING: usize = 16;

/// How often is looked whether the match is over.
const PATIENCE: Duration = Duration::from_millis(20);

/// A person who types moves.
#[derive(Debug)]
pub struct Human {
    /// Closed at the end of the input.
    lines: Receiver<String>,
    /// Whether what was typed before it was asked for is dropped.
    is_live: bool,
}

impl Human {
    /// Reads what is typed from `input`, a move a line. If it `is_live`, what
    /// was typed before it was asked for is dropped: it was meant for another
    /// position.
    pub fn new(input: impl Read + Send + 'static, is_live: bool) -> Human {
        let (sender, lines) = sync_channel(WAITING);
        thread::spawn(move || read(input, &sender));
        Human { lines, is_live }
    }

    /// The next line; an error if there is none.
    fn line(&self, stop: &AtomicBool) -> Result<String, AgentError> {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(AgentError::Left),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    return Err(AgentError::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Agent for Human {
    fn choose(&mut self, turn: &Turn, stop: &AtomicBool) -> Result<Decision, AgentError> {
        let clock = turn
            .left
            .map_or_else(String::new, |left| format!(", {} s left", left.as_secs()));
        while self.is_live
            && let Ok(line) = self.lines.try_recv()
        {
            note(&format!(
                "it was not your turn: {:?} is dropped",
                line.trim()
            ));
        }
        loop {
            prompt(&format!("your move (c3, pass, resign){clock}: "));
            // What is told next begins on a line of its own.
            let line = self.line(stop).inspect_err(|_| note(""))?;
            match understand(&line, turn) {
                Ok(Some(decision)) => return Ok(decision),
                Ok(None) => {}
                Err(why) => note(&why),
            }
        }
    }
}

/// What a line says: `None` if it is empty.
fn understand(line: &str, turn: &Turn) -> Result<Option<Decision>, String> {
    let word = line.trim();
    if word.is_empty() {
        return Ok(None);
    }
    if word.eq_ignore_ascii_case("resign") {
        return Ok(Some(Decision::Resign));
    }
    let mv: Move = word.parse().map_err(|_| {
        format!("{word:?} is no move: a letter a-e and a digit 1-5, pass or resign is expected")
    })?;
    let mut game: Game = turn.game.clone();
    game.play(turn.side.color(), mv)
        .map_err(|why| format!("{mv} is illegal: {why}"))?;
    Ok(Some(Decision::Move(mv)))
}

/// Reads lines until the input ends or nobody wants them.
fn read(input: impl Read, lines: &SyncSender<String>) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        // An input that cannot be read has ended.
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if read.unwrap_or(0) == 0 {
            return;
        }
        if lines.send(String::from_utf8_lossy(&line).into()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gothello::Color;
    use crate::netref::Side;

    #[test]
    fn lines_are_understood_or_explained() {
        let mut game = Game::new();
        game.play(Color::Black, "c3".parse().unwrap()).unwrap();
        let turn = Turn {
            side: Side::Second,
            game,
            left: None,
        };
        let says = |line| match understand(line, &turn) {
            Ok(None) => "nothing".into(),
            Ok(Some(Decision::Resign)) => "resign".into(),
            Ok(Some(Decision::Move(mv))) => mv.to_string(),
            Err(why) => why,
        };
        for (line, said) in [
            (" D3 \r\n", "d3"),
            ("Pass\n", "pass"),
            ("RESIGN", "resign"),
            ("\n", "nothing"),
            ("c3", "c3 is illegal: c3 is occupied"),
        ] {
            assert_eq!(says(line), said);
        }
        insta::assert_snapshot!(says("f9\n"), @r#""f9" is no move: a letter a-e and a digit 1-5, pass or resign is expected"#);
    }

    #[test]
    fn whoever_ends_the_input_leaves() {
        let turn = Turn {
            side: Side::First,
            game: Game::new(),
            left: None,
        };
        let mut human = Human::new(&b"what\nc3"[..], false);
        let stop = AtomicBool::new(false);
        let choice = human.choose(&turn, &stop).unwrap();
        assert_eq!(choice, Decision::Move("c3".parse().unwrap()));
        let end = human.choose(&turn, &stop).unwrap_err();
        assert!(matches!(end, AgentError::Left), "{end}");
    }
}
