//! An observer's match: what the referee says → what is to be shown. Pure.

use super::board::Drawing;
use super::deed::Deed;
use super::ending::Ending;
use super::error::Error;
use super::game::Game;
use super::record::{Disagreement, Record};
use crate::color::{ByColor, Color};
use crate::netref::{Name, Opening, Response, Role, Status};

/// A match that is observed.
///
/// Every status line is followed by two messages that show the match as it
/// stands; who comes in the middle of a match is shown it so, too.
#[derive(Debug)]
pub struct Observer<G: Game> {
    /// The game as it begins.
    start: G,
    name: Option<Name>,
    phase: Phase,
    /// `None` until the first move, or the first board, is seen.
    record: Option<Record<G>>,
    secs: Option<ByColor<u64>>,
    /// The match as it is being shown.
    shown: Shown<G::Row>,
    /// After how many moves the board was drawn last.
    drawn: Option<usize>,
    ending: Option<Ending>,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The greeting is waited for.
    New,
    /// The answer to our request is waited for.
    Asked,
    /// The start is waited for.
    Seated,
    /// The match is on, or over.
    Watching,
}

/// A state display as it comes in, line by line.
#[derive(Debug)]
struct Shown<R> {
    /// The number of the move and the side to move.
    state: Option<(u64, Option<Color>)>,
    /// The rows of a board that have come; `None` if none is due.
    rows: Option<Vec<R>>,
}

impl<G: Game> Observer<G> {
    /// A match of which the greeting is yet to come; the game is to begin so.
    pub fn new(start: G, name: Option<Name>) -> Observer<G> {
        Observer {
            start,
            name,
            phase: Phase::New,
            record: None,
            secs: None,
            shown: Shown {
                state: None,
                rows: None,
            },
            drawn: None,
            ending: None,
        }
    }

    /// How the match ended; `None` while it goes on.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Takes in a line of the referee.
    ///
    /// # Errors
    /// The match cannot be followed; for a line that makes no sense the line
    /// is named.
    pub fn receive(&mut self, line: &str) -> Result<Vec<Deed>, Error> {
        let nonsense = |why: String| Error::Line {
            line: line.to_owned(),
            why,
        };
        let message = Response::parse(line).map_err(|error| nonsense(error.to_string()))?;
        match message {
            Response::Refused(why, text) => {
                return Err(Error::Refused {
                    code: why.code(),
                    text,
                });
            }
            Response::Problem(text) if self.ending.is_none() => return Err(Error::Trouble(text)),
            _ => {}
        }
        self.step(message).map_err(nonsense)
    }

    fn step(&mut self, message: Response<G>) -> Result<Vec<Deed>, String> {
        let wrong = |error: Disagreement| error.to_string();
        let deed = match (self.phase, message) {
            (Phase::New, Response::Greeting(text)) => {
                self.phase = Phase::Asked;
                let opening = Opening::answering::<G>(&text, Role::Observer, self.name.clone());
                Deed::Send(opening.to_line::<G>())
            }
            (Phase::Asked, Response::Granted(times)) => {
                self.phase = Phase::Seated;
                // Those of the second side come first.
                self.secs = times.map(|times| {
                    let [white, black] = times.secs;
                    ByColor { black, white }
                });
                Deed::Note("waiting for the match to begin".into())
            }
            (Phase::Seated, Response::RoleObserver) => {
                self.phase = Phase::Watching;
                return Ok(Vec::new());
            }
            (_, Response::PlayerName(side, name)) => {
                Deed::Note(format!("{} is {name}", G::PLAYERS[side]))
            }
            (_, Response::ObserverName(number, name)) => {
                Deed::Note(format!("observer {number} is {name}"))
            }
            (_, Response::Observers(_) | Response::Problem(_)) => return Ok(Vec::new()),
            (_, Response::Other(code, text)) => {
                Deed::Note(format!("the referee says: {code:03} {text}"))
            }
            (Phase::Watching, Response::Status(status)) => {
                return self.status(&status).map_err(wrong);
            }
            (
                Phase::Watching,
                Response::State {
                    number,
                    secs,
                    to_move,
                },
            ) => {
                self.secs = secs.or(self.secs);
                self.shown.state = Some((number, to_move));
                return Ok(Vec::new());
            }
            (Phase::Watching, Response::Board) => {
                self.shown.rows = Some(Vec::new());
                return Ok(Vec::new());
            }
            (Phase::Watching, Response::Row(row)) => return self.row(row),
            (phase, _) => return Err(phase.expected().into()),
        };
        Ok(vec![deed])
    }

    /// Something has happened in the match.
    fn status(&mut self, status: &Status<G::Move>) -> Result<Vec<Deed>, Disagreement> {
        if self.ending.is_some() {
            return Err(Disagreement::Over);
        }
        let (side, does) = match *status {
            Status::DrawOffered(side) => (side, "offers a draw"),
            Status::DrawRefused(side) => (side, "refuses the draw"),
            _ => {
                let start = || Record::new(self.start.clone());
                self.ending = self.record.get_or_insert_with(start).follow(status)?;
                if let (
                    &Status::Moved {
                        side,
                        secs: Some(left),
                        ..
                    },
                    Some(secs),
                ) = (status, &mut self.secs)
                {
                    secs[side] = left;
                }
                return Ok(self.draw().into_iter().collect());
            }
        };
        Ok(vec![Deed::Note(format!("{} {does}", G::PLAYERS[side]))])
    }

    /// One more row of the board; with the last one it is drawn.
    fn row(&mut self, row: G::Row) -> Result<Vec<Deed>, String> {
        let Some(rows) = &mut self.shown.rows else {
            return Err("no board is announced (382)".into());
        };
        rows.push(row);
        if rows.len() < G::ROWS {
            return Ok(Vec::new());
        }
        let rows = std::mem::take(rows);
        self.shown.rows = None;
        self.see(&rows).map_err(|error| error.to_string())?;
        Ok(self.draw().into_iter().collect())
    }

    /// Draws the board, unless it has not changed since it was drawn.
    fn draw(&mut self) -> Option<Deed> {
        let record = self.record.as_ref()?;
        let moves = Some(record.game().moves().count());
        if self.drawn == moves {
            return None;
        }
        self.drawn = moves;
        let secs = self.secs;
        Some(Deed::Board(Drawing { record, secs }.to_string()))
    }

    /// A board is shown: the moves so far must have led to it, or the record
    /// begins with it.
    fn see(&mut self, rows: &[G::Row]) -> Result<(), Disagreement> {
        match (&self.record, self.shown.state) {
            // How a match ended that was met in the middle need not be known.
            (Some(record), _) if self.ending.is_some() && record.is_met() => {}
            (Some(record), _) => record.compare(rows)?,
            (None, Some((number, Some(to_move)))) => {
                let met = Record::in_the_middle(&self.start, rows, number, to_move)?;
                self.record = Some(met);
            }
            (None, _) => self.record = Some(Record::new(self.start.clone())),
        }
        Ok(())
    }
}

impl Phase {
    /// What the referee may say.
    fn expected(self) -> &'static str {
        match self {
            Phase::New => "a greeting (000) is expected",
            Phase::Asked => "the answer to the first request (1xx) is expected",
            Phase::Seated => "the start of the match (353) is expected",
            Phase::Watching => "a status (3xx) or a state display (38x) is expected",
        }
    }
}
