//! An observer's match as a state machine: lines of the referee in, effects out. Pure.

use super::drawing::drawing;
use super::games::ClientGame;
use super::reported::{Clocks, Contradiction, ReportedEnding, ReportedGame};
use super::session::{Effect, ProtocolError, ReceiveError, check_game, protocol_error};
use crate::base::color::{ByColor, Color};
use crate::contests::netref::{Name, Opening, Response, Role, Status};

/// An observed match.
///
/// Every status line is followed by two responses with the state of the match. An observer
/// who joins during the match gets these first.
#[derive(Debug)]
pub struct Observer<G: ClientGame> {
    /// The game at its start.
    start: G,
    name: Option<Name>,
    phase: ObserverPhase,
    /// The game; `None` until the first move or the first board is seen.
    record: Option<ReportedGame<G>>,
    /// The clocks, with time control.
    clocks: Option<Clocks>,
    /// The number of the move and the player to move, of the state display that is being received.
    state: Option<(u64, Option<Color>)>,
    /// The rows of its board so far; `None` if no board was announced.
    rows: Option<Vec<G::Row>>,
    /// The number of moves when the board was drawn last.
    drawn: Option<usize>,
    ending: Option<ReportedEnding>,
}

/// The phase of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ObserverPhase {
    /// Waiting for the greeting.
    New,
    /// Waiting for the response to our request.
    Asked,
    /// Waiting for the start.
    Seated,
    /// The match is on, or over.
    Watching,
}

impl<G: ClientGame> Observer<G> {
    /// Creates a match that waits for the greeting; its game begins with `start`.
    pub fn new(start: G, name: Option<Name>) -> Observer<G> {
        Observer {
            start,
            name,
            phase: ObserverPhase::New,
            record: None,
            clocks: None,
            state: None,
            rows: None,
            drawn: None,
            ending: None,
        }
    }

    /// Returns how the match ended; `None` while it goes on.
    pub fn ending(&self) -> Option<ReportedEnding> {
        self.ending
    }

    /// Returns whether the match has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.phase == ObserverPhase::Watching
    }

    /// Handles a line of the referee.
    ///
    /// # Errors
    /// The match cannot be followed.
    pub fn receive(&mut self, line: &str) -> Result<Vec<Effect>, ReceiveError> {
        let response = Response::parse(line).map_err(|why| protocol_error(line, why.into()))?;
        match response {
            Response::Refused(why, text) => {
                return Err(ReceiveError::Refused {
                    code: why.code(),
                    text,
                    advice: None,
                });
            }
            Response::Problem(text) if self.ending.is_none() => {
                return Err(ReceiveError::Problem(text));
            }
            Response::Greeting(ref text) if self.phase == ObserverPhase::New => {
                check_game::<G>(text)?
            }
            _ => {}
        }
        self.step(response).map_err(|why| protocol_error(line, why))
    }

    fn step(&mut self, response: Response<G>) -> Result<Vec<Effect>, ProtocolError> {
        let effect = match (self.phase, response) {
            (ObserverPhase::New, Response::Greeting(text)) => {
                self.phase = ObserverPhase::Asked;
                let opening = Opening::answering::<G>(&text, Role::Observer, self.name.clone());
                Effect::Send(opening.to_line::<G>())
            }
            (ObserverPhase::Asked, Response::Granted(times)) => {
                self.phase = ObserverPhase::Seated;
                // White's comes first.
                self.clocks = times.map(|times| {
                    let [white, black] = times.secs;
                    Clocks::new(ByColor { black, white })
                });
                Effect::Note("waiting for the match to begin".into())
            }
            (ObserverPhase::Seated, Response::RoleObserver) => {
                self.phase = ObserverPhase::Watching;
                return Ok(Vec::new());
            }
            (_, Response::PlayerName(side, name)) => {
                Effect::Note(format!("{} is {name}", G::PLAYERS[side]))
            }
            (_, Response::ObserverName(number, name)) => {
                Effect::Note(format!("observer {number} is {name}"))
            }
            (_, Response::Observers(_) | Response::Problem(_)) => return Ok(Vec::new()),
            (_, Response::Other(code, text)) => {
                Effect::Note(format!("the referee says: {code:03} {text}"))
            }
            (ObserverPhase::Watching, Response::Status(status)) => {
                return Ok(self.handle_status(&status)?);
            }
            (
                ObserverPhase::Watching,
                Response::State {
                    number,
                    secs,
                    to_move,
                },
            ) => {
                match (&mut self.clocks, secs) {
                    (Some(clocks), Some(secs)) => {
                        for color in Color::ALL {
                            clocks.set(color, secs[color]);
                        }
                    }
                    (clocks, secs) => *clocks = clocks.or(secs.map(Clocks::new)),
                }
                self.state = Some((number, to_move));
                return Ok(Vec::new());
            }
            (ObserverPhase::Watching, Response::Board) => {
                self.rows = Some(Vec::new());
                return Ok(Vec::new());
            }
            (ObserverPhase::Watching, Response::Row(row)) => return self.row(row),
            (phase, _) => return Err(ProtocolError::Unexpected(phase.awaited())),
        };
        Ok(vec![effect])
    }

    /// Handles a status line.
    fn handle_status(&mut self, status: &Status<G::Move>) -> Result<Vec<Effect>, Contradiction> {
        if self.ending.is_some() {
            return Err(Contradiction::Over);
        }
        let (side, does) = match *status {
            Status::DrawOffered(side) => (side, "offers a draw"),
            Status::DrawRefused(side) => (side, "refuses the draw"),
            _ => {
                let start = || ReportedGame::new(self.start.clone());
                self.ending = self.record.get_or_insert_with(start).follow(status)?;
                if let (
                    &Status::Moved {
                        side,
                        secs: Some(left),
                        ..
                    },
                    Some(clocks),
                ) = (status, &mut self.clocks)
                {
                    clocks.set(side, left);
                }
                return Ok(self.draw().into_iter().collect());
            }
        };
        Ok(vec![Effect::Note(format!("{} {does}", G::PLAYERS[side]))])
    }

    /// Handles one more row of the board, and draws the board after the last one.
    fn row(&mut self, row: G::Row) -> Result<Vec<Effect>, ProtocolError> {
        let Some(rows) = &mut self.rows else {
            return Err(ProtocolError::NoBoard);
        };
        rows.push(row);
        if rows.len() < G::default().rows().len() {
            return Ok(Vec::new());
        }
        let rows = std::mem::take(rows);
        self.rows = None;
        self.see(&rows)?;
        Ok(self.draw().into_iter().collect())
    }

    /// Draws the board, unless it has not changed since it was drawn.
    fn draw(&mut self) -> Option<Effect> {
        let record = self.record.as_ref()?;
        let moves = Some(record.game().moves().count());
        if self.drawn == moves {
            return None;
        }
        self.drawn = moves;
        Some(Effect::Board(drawing(record, self.clocks)))
    }

    /// Handles a board: the moves so far must have led to it, or the record begins
    /// with it.
    fn see(&mut self, rows: &[G::Row]) -> Result<(), Contradiction> {
        match (&self.record, self.state) {
            // The ending of a match found in the middle need not be known.
            (Some(record), _) if self.ending.is_some() && record.was_found() => {}
            (Some(record), _) => record.compare(rows)?,
            (None, Some((number, Some(to_move)))) => {
                let found = ReportedGame::found(&self.start, rows, number, to_move)?;
                self.record = Some(found);
            }
            (None, _) => self.record = Some(ReportedGame::new(self.start.clone())),
        }
        Ok(())
    }
}

impl ObserverPhase {
    /// Describes the responses that the referee may send next.
    fn awaited(self) -> &'static str {
        match self {
            ObserverPhase::New => "a greeting (000)",
            ObserverPhase::Asked => "the response to the first request (1xx)",
            ObserverPhase::Seated => "the start of the match (353)",
            ObserverPhase::Watching => "a status (3xx) or a state display (38x)",
        }
    }
}
