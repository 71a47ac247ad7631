//! An observer's match: what the referee says → what is to be shown. Pure.

use super::board::Drawing;
use super::deed::Deed;
use super::ending::Ending;
use super::error::Error;
use super::record::{Disagreement, Record, Rows};
use super::request::opening;
use super::wire::{Message, Status};
use crate::gothello::Color;
use crate::netref::{Game as _, Gothello, Name, Side, Sides};

/// A match that is observed.
///
/// Every status line is followed by two messages that show the match as it
/// stands; who comes in the middle of a match is shown it so, too.
#[derive(Debug)]
pub struct Observer {
    name: Option<Name>,
    phase: Phase,
    /// `None` until the first move, or the first board, is seen.
    record: Option<Record>,
    secs: Option<Sides<u64>>,
    /// The match as it is being shown.
    shown: Shown,
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
#[derive(Debug, Default)]
struct Shown {
    /// The number of the move and the side to move.
    state: Option<(u64, Option<Side>)>,
    /// The rows of a board that have come; `None` if none is due.
    rows: Option<Vec<[Option<Color>; 5]>>,
}

impl Observer {
    /// A match of which the greeting is yet to come.
    pub fn new(name: Option<Name>) -> Observer {
        Observer {
            name,
            phase: Phase::New,
            record: None,
            secs: None,
            shown: Shown::default(),
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
        let message = Message::parse(line).map_err(|error| nonsense(error.to_string()))?;
        match message {
            Message::Refused(code, text) => return Err(Error::Refused { code, text }),
            Message::Trouble(text) if self.ending.is_none() => return Err(Error::Trouble(text)),
            _ => {}
        }
        self.step(message).map_err(nonsense)
    }

    fn step(&mut self, message: Message) -> Result<Vec<Deed>, String> {
        let wrong = |error: Disagreement| error.to_string();
        let deed = match (self.phase, message) {
            (Phase::New, Message::Greeting(version)) => {
                self.phase = Phase::Asked;
                Deed::Send(opening(version, "observer", self.name.as_ref()))
            }
            (Phase::Asked, Message::Granted { secs, .. }) => {
                self.phase = Phase::Seated;
                // White's come first.
                self.secs = secs.map(|(second, first)| Sides { first, second });
                Deed::Note("waiting for the match to begin".into())
            }
            (Phase::Seated, Message::RoleObserver) => {
                self.phase = Phase::Watching;
                return Ok(Vec::new());
            }
            (_, Message::PlayerName(side, name)) => {
                Deed::Note(format!("{} is {name}", Gothello::TITLES[side]))
            }
            (_, Message::ObserverName(number, name)) => {
                Deed::Note(format!("observer {number} is {name}"))
            }
            (_, Message::Observers(_) | Message::Trouble(_)) => return Ok(Vec::new()),
            (_, Message::Other(code, text)) => {
                Deed::Note(format!("the referee says: {code:03} {text}"))
            }
            (Phase::Watching, Message::Status(status)) => {
                self.status(&status).map_err(wrong)?;
                return Ok(Vec::new());
            }
            (
                Phase::Watching,
                Message::State {
                    number,
                    secs,
                    to_move,
                },
            ) => {
                self.secs = secs.or(self.secs);
                self.shown.state = Some((number, to_move));
                return Ok(Vec::new());
            }
            (Phase::Watching, Message::Board) => {
                self.shown.rows = Some(Vec::new());
                return Ok(Vec::new());
            }
            (Phase::Watching, Message::Row(row)) => return self.row(row),
            (phase, _) => return Err(phase.expected().into()),
        };
        Ok(vec![deed])
    }

    /// Something has happened in the match.
    fn status(&mut self, status: &Status) -> Result<(), Disagreement> {
        if self.ending.is_some() {
            return Err(Disagreement::Over);
        }
        self.ending = self.record.get_or_insert_default().follow(status)?;
        Ok(())
    }

    /// One more row of the board; with the last one it is drawn.
    fn row(&mut self, row: [Option<Color>; 5]) -> Result<Vec<Deed>, String> {
        let Some(rows) = &mut self.shown.rows else {
            return Err("no board is announced (382)".into());
        };
        rows.push(row);
        let Ok(rows) = Rows::try_from(rows.as_slice()) else {
            return Ok(Vec::new());
        };
        self.shown.rows = None;
        let secs = self.secs;
        let record = self.seen(&rows).map_err(|error| error.to_string())?;
        let drawing = Drawing { record, secs };
        Ok(vec![Deed::Board(drawing.to_string())])
    }

    /// The record, which must have led to this board or begins with it.
    fn seen(&mut self, rows: &Rows) -> Result<&Record, Disagreement> {
        if let Some(record) = &self.record {
            record.compare(rows)?;
        }
        match (&mut self.record, self.shown.state) {
            (Some(record), _) => Ok(record),
            (none, Some((number, Some(to_move)))) => {
                Ok(none.insert(Record::in_the_middle(rows, number, to_move)?))
            }
            (none, _) => Ok(none.insert(Record::new())),
        }
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
