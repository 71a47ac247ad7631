//! A person at a terminal as an agent: the lines that they type, and notes on standard
//! error.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::{Agent, AgentError, AgentGame, Decision, Task, Turn, note};

/// The longest line in bytes; the rest of a longer one is read as another line.
const MAX_LINE: u64 = 1_024;

/// The maximum number of lines read ahead.
const MAX_WAITING: usize = 16;

/// The interval at which the stop flag is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A person who types moves.
#[derive(Debug)]
pub struct Human {
    lines: LineReader,
    /// A line that was not an answer to a draw offer and is kept for the next turn.
    kept: Option<String>,
    is_interactive: bool,
}

impl Human {
    /// Reads moves from `input`, one on each line. If `is_interactive`, lines that
    /// were typed before our turn are dropped, because they were meant for another position,
    /// and the cursor stays after the prompt.
    pub fn new(input: impl Read + Send + 'static, is_interactive: bool) -> Human {
        Human {
            lines: LineReader::new(input),
            kept: None,
            is_interactive,
        }
    }

    /// Asks for a line. Only a person who types it ends the line of the prompt.
    fn prompt(&self, text: &str) {
        if self.is_interactive {
            let mut error = io::stderr();
            let _ = write!(error, "{text} ").and_then(|()| error.flush());
        } else {
            note(text);
        }
    }
}

impl<G: AgentGame> Agent<G> for Human {
    fn choose(
        &mut self,
        turn: &Turn<G>,
        stop: &AtomicBool,
    ) -> Result<Decision<G::Move>, AgentError> {
        while self.is_interactive
            && let Some(line) = self.lines.waiting_line()
        {
            let line = line.trim();
            note(&format!("it was not your turn: {line:?} is dropped"));
        }
        loop {
            self.prompt(&match turn.task {
                Task::Move => format!("your move ({}, help):", G::PROMPT),
                Task::Answer => "your answer (draw, nodraw, help):".to_owned(),
            });
            let line = match self.kept.take() {
                Some(line) => line,
                None => match self.lines.next_line(stop) {
                    Ok(line) => line,
                    Err(AgentError::InputEnded) if turn.task == Task::Answer => {
                        return leave_open(stop);
                    }
                    Err(why) => {
                        if self.is_interactive {
                            // The next note begins on a line of its own.
                            note("");
                        }
                        return Err(why);
                    }
                },
            };
            match understand(&line, turn) {
                Ok(decision) => return Ok(decision),
                // In a file of moves this is the next move: the offer stays open.
                Err(_)
                    if turn.task == Task::Answer
                        && !self.is_interactive
                        && is_move(&line, &turn.game) =>
                {
                    self.kept = Some(line);
                    return leave_open(stop);
                }
                Err(why) if why.is_empty() => {}
                Err(why) => note(&why),
            }
        }
    }
}

/// Leaves a question open until it is withdrawn.
fn leave_open<T>(stop: &AtomicBool) -> Result<T, AgentError> {
    wait_for(stop);
    Err(AgentError::Stopped)
}

/// The help for a person who answers a draw offer.
const ANSWER_HELP: &str = "\
draw     accept the draw that is offered
nodraw   refuse it
help     show this help";

/// Returns the help for a person who is to move.
fn move_help<G: AgentGame>() -> String {
    let draws = match G::DRAW_OFFERS {
        true => "draw?    offer a draw\n",
        false => "",
    };
    let moves = G::MOVE_HELP;
    format!("{moves}\n{draws}resign   resign the game\nhelp     show this help")
}

/// Checks whether a line could be typed by the player to move.
fn is_move<G: AgentGame>(line: &str, game: &G) -> bool {
    let word = line.trim();
    let is = |command| word.eq_ignore_ascii_case(command);
    is("resign") || is("draw?") || game.parse_typed(word).is_ok()
}

/// Returns the decision that a line means.
///
/// # Errors
/// It means none: the text says what is wrong, or it is the help, or empty for an empty line.
fn understand<G: AgentGame>(line: &str, turn: &Turn<G>) -> Result<Decision<G::Move>, String> {
    let word = line.trim();
    let lower = word.to_ascii_lowercase();
    match (turn.task, lower.as_str()) {
        (_, "") => Err(String::new()),
        (Task::Move, "help" | "?") => Err(move_help::<G>()),
        (Task::Answer, "help" | "?") => Err(ANSWER_HELP.to_owned()),
        (Task::Move, "resign") => Ok(Decision::Resign),
        (Task::Move, "draw?") if G::DRAW_OFFERS => Ok(Decision::OfferDraw),
        (Task::Answer, "draw") => Ok(Decision::AcceptDraw),
        (Task::Answer, "nodraw") => Ok(Decision::RefuseDraw),
        (Task::Answer, _) => Err(format!(
            "{word:?} is not an answer: type draw, nodraw or help"
        )),
        (Task::Move, _) => understand_move(word, turn),
    }
}

fn understand_move<G: AgentGame>(word: &str, turn: &Turn<G>) -> Result<Decision<G::Move>, String> {
    let mv = turn.game.parse_typed(word).map_err(|why| why.to_string())?;
    if let Err(why) = turn.game.check(mv) {
        return Err(format!("{word} is illegal: {why}"));
    }
    if turn.refused.contains(&mv) {
        return Err(format!("{word} has been refused by the server"));
    }
    Ok(Decision::Move(mv))
}

/// Reads lines on a thread of its own.
#[derive(Debug)]
pub(crate) struct LineReader {
    /// Closed at the end of the input.
    lines: Receiver<String>,
}

impl LineReader {
    /// Starts a thread that reads from `input`.
    pub(crate) fn new(input: impl Read + Send + 'static) -> LineReader {
        let (sender, lines) = sync_channel(MAX_WAITING);
        thread::spawn(move || read_lines(input, &sender));
        LineReader { lines }
    }

    /// Waits for the next line, which includes its line end.
    ///
    /// # Errors
    /// `stop` is set, or the input has ended.
    pub(crate) fn next_line(&self, stop: &AtomicBool) -> Result<String, AgentError> {
        loop {
            match self.lines.recv_timeout(POLL_INTERVAL) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(AgentError::InputEnded),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    return Err(AgentError::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Returns a line that has been read already, if there is one.
    fn waiting_line(&self) -> Option<String> {
        self.lines.try_recv().ok()
    }
}

/// Waits until `stop` is set.
fn wait_for(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(POLL_INTERVAL);
    }
}

/// Sends lines until the input ends or the receiver is gone.
fn read_lines(input: impl Read, lines: &SyncSender<String>) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        // A read error counts as the end of input.
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if read.unwrap_or(0) == 0 {
            return;
        }
        let line = String::from_utf8_lossy(&line);
        // A byte order mark, with which some programs and editors begin a text, is not part of it.
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        if lines.send(line.to_owned()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::{Game, Move, Point, Position, Rules, Size};

    fn turn() -> Turn<Game> {
        let mut game = Game::new(Rules::default(), Position::start(Size::square(5).unwrap()));
        game.play(Move::Place(Point { row: 0, column: 0 })).unwrap();
        Turn {
            start: 1,
            task: Task::Move,
            color: game.turn(),
            game,
            refused: vec![Move::Place(Point { row: 2, column: 2 })],
            left: Some(Duration::from_secs(60)),
        }
    }

    #[test]
    fn lines_are_understood() {
        let place = |row, column| Decision::Move(Move::Place(Point { row, column }));
        for (line, decision) in [
            (" d4 \r\n", place(1, 3)),
            ("1,3\n", place(1, 3)),
            ("PASS", Decision::Move(Move::Pass)),
            ("resign\n", Decision::Resign),
        ] {
            let input = understand(line, &turn());
            assert_eq!(input, Ok(decision), "{line:?}");
        }
        assert_eq!(understand("\n", &turn()), Err(String::new()));
    }

    #[test]
    fn moves_that_cannot_be_played_are_explained() {
        let why = |line: &str| understand(line, &turn()).unwrap_err();
        insta::assert_snapshot!(why("a5"), @"a5 is illegal: the point is occupied");
        insta::assert_snapshot!(why("5,0"), @"5,0 is illegal: the point is off the board");
        insta::assert_snapshot!(why("c3"), @"c3 has been refused by the server");
        insta::assert_snapshot!(why("draw?"), @r#""draw?" is not a point of a 5x5 board: use A1 to E5"#);
        assert_eq!(why("Help\n"), move_help::<Game>());
        assert_eq!(why("?"), move_help::<Game>());
    }

    #[test]
    fn ko_superko_and_suicide_are_explained() {
        let explain = |rules: Rules, board: &str, moves: &[&str]| {
            let mut position = Position::start(Size::square(4).unwrap());
            position.board = board.parse().unwrap();
            let mut game = Game::new(rules, position);
            let (last, before) = moves.split_last().unwrap();
            for word in before {
                game.play(game.parse_typed(word).unwrap()).unwrap();
            }
            understand(last, &Turn { game, ..turn() }).unwrap_err()
        };
        let ko = ".BW.\nBW.W\n.BW.\n....";
        let simple = Rules {
            ko: true,
            superko: false,
            ..Rules::default()
        };
        insta::assert_snapshot!(explain(simple.clone(), ko, &["c3", "b3"]), @"b3 is illegal: ko forbids taking back at once");
        insta::assert_snapshot!(explain(Rules::default(), ko, &["c3", "b3"]), @"b3 is illegal: superko forbids repeating a board with the same player to move");
        insta::assert_snapshot!(explain(simple.clone(), ".B..\nBB..\n....\n....", &["pass", "a4"]), @"a4 is illegal: the stone would have no liberty, which is suicide");
        insta::assert_snapshot!(explain(simple, ko, &["pass", "pass", "d1"]), @"d1 is illegal: the game is over");
    }

    #[test]
    fn a_byte_order_mark_does_not_count() {
        let lines = LineReader::new(&b"\xef\xbb\xbfd4\n"[..]);
        let line = lines.next_line(&AtomicBool::new(false));
        assert_eq!(line.ok().as_deref(), Some("d4\n"));
    }

    #[test]
    fn the_end_of_the_input_ends_the_game() {
        let mut human = Human::new(&b"what\nd4"[..], false);
        let stop = AtomicBool::new(false);
        let decision = human.choose(&turn(), &stop).unwrap();
        let d4 = Move::Place(Point { row: 1, column: 3 });
        assert_eq!(decision, Decision::Move(d4));
        let end = human.choose(&turn(), &stop).unwrap_err();
        assert!(matches!(end, AgentError::InputEnded), "{end}");
    }
}
