//! A player's match: what the referee says and what our side decides → what is
//! to be done. Pure: no sockets, no clock.

use std::time::Duration;

use super::agent::{AgentError, Decision, Task, Turn};
use super::board::Drawing;
use super::deed::Deed;
use super::ending::{Ending, Reason};
use super::error::Error;
use super::game::Game;
use super::phase::Phase;
use super::record::Record;
use crate::color::{ByColor, Color};
use crate::netref::{Action, MoveNumber, Name, Opening, Response, Role, Status, Times, Verdict};

/// A player's match.
#[derive(Debug)]
pub struct Session<G: Game> {
    /// The side that is wanted; `None` for either.
    wanted: Option<Color>,
    name: Option<Name>,
    phase: Phase<G::Move>,
    record: Record<G>,
    /// Who offers a draw.
    offer: Option<Color>,
    /// Whether the referee has not taken a move of ours in this turn.
    refused: bool,
    /// The whole seconds that each side has left, with time controls.
    secs: Option<ByColor<u64>>,
}

impl<G: Game> Session<G> {
    /// A match of which the greeting is yet to come; the game is to begin so.
    pub fn new(start: G, wanted: Option<Color>, name: Option<Name>) -> Session<G> {
        Session {
            record: Record::new(start),
            wanted,
            name,
            phase: Phase::New,
            offer: None,
            refused: false,
            secs: None,
        }
    }

    /// What our side is to decide, if anything.
    pub fn turn(&self) -> Option<Turn<G>> {
        let Phase::Playing { side, sent: None } = self.phase else {
            return None;
        };
        let task = if self.record.to_move() == side {
            Task::Move
        } else if self.offer == Some(side.opponent()) {
            Task::Answer
        } else {
            return None;
        };
        Some(Turn {
            task,
            refused: self.refused,
            side,
            game: self.record.game().clone(),
            left: self.secs.map(|secs| Duration::from_secs(secs[side])),
        })
    }

    /// Takes in a line of the referee.
    ///
    /// # Errors
    /// The match cannot go on; for a line that makes no sense the line is
    /// named.
    pub fn receive(&mut self, line: &str) -> Result<Vec<Deed>, Error> {
        let nonsense = |why: String| Error::Line {
            line: line.to_owned(),
            why,
        };
        if matches!(self.phase, Phase::Over) {
            return Ok(Vec::new());
        }
        let message = Response::parse(line).map_err(|error| nonsense(error.to_string()))?;
        match message {
            Response::Refused(why, text) => Err(Error::Refused {
                code: why.code(),
                text,
            }),
            Response::Problem(text) if self.closed().is_none() => Err(Error::Trouble(text)),
            Response::PlayerName(side, name) => {
                let text = format!("{} is {name}", G::PLAYERS[side]);
                Ok(vec![Deed::Note(text)])
            }
            Response::Other(code, text) => {
                let text = format!("the referee says: {code:03} {text}");
                Ok(vec![Deed::Note(text)])
            }
            // These are for observers.
            Response::ObserverName(..)
            | Response::Observers(_)
            | Response::State { .. }
            | Response::Board
            | Response::Row(_) => Ok(Vec::new()),
            message => self.step(message).map_err(|error| match error {
                StepError::Nonsense(why) => nonsense(why),
                StepError::Fatal(error) => error,
            }),
        }
    }

    /// Takes in a message that depends on how far the match is.
    fn step(&mut self, message: Response<G>) -> Result<Vec<Deed>, StepError> {
        match (&mut self.phase, message) {
            (Phase::New, Response::Greeting(text)) => {
                self.phase = Phase::Asked;
                let role = self.wanted.map_or(Role::EitherPlayer, Role::Player);
                let opening = Opening::answering::<G>(&text, role, self.name.clone());
                let mut deeds = vec![Deed::Send(opening.to_line::<G>())];
                if self.wanted.is_none() {
                    // The answer may wait for the opponent: it tells the times of our
                    // side first.
                    deeds.push(Deed::Note("asked for either side".into()));
                }
                Ok(deeds)
            }
            (Phase::Asked, Response::Granted(times)) => {
                self.phase = Phase::Seated { times };
                Ok(vec![Deed::Note("waiting for the match to begin".into())])
            }
            (&mut Phase::Seated { times }, Response::RolePlayer(side)) => self.begin(side, times),
            // The move counts when its status line comes.
            (&mut Phase::Playing { side, .. }, Response::Accepted(secs, _)) => {
                self.tell_secs(side, secs);
                Ok(Vec::new())
            }
            // What it is about comes with a status line.
            (Phase::Playing { .. }, Response::OfferReceived | Response::RefusalReceived) => {
                Ok(Vec::new())
            }
            (&mut Phase::Playing { side, .. }, Response::Ended(verdict, _)) => {
                let winner = match verdict {
                    Verdict::Win => Some(side),
                    Verdict::Loss => Some(side.opponent()),
                    Verdict::Draw => None,
                };
                self.phase = Phase::Decided { winner };
                Ok(Vec::new())
            }
            (
                &mut Phase::Playing {
                    side,
                    sent: Some(Action::Resign),
                },
                Response::Resigned,
            ) => {
                let winner = Some(side.opponent());
                self.phase = Phase::Decided { winner };
                Ok(Vec::new())
            }
            (&mut Phase::Playing { side, sent }, Response::Illegal(text)) => {
                self.not_taken(side, sent, text)
            }
            // A referee need not know of draws.
            (
                &mut Phase::Playing {
                    side,
                    sent: sent @ Some(Action::OfferDraw | Action::AcceptDraw | Action::RefuseDraw),
                },
                Response::NotUnderstood(text),
            ) => self.not_taken(side, sent, text),
            (&mut Phase::Playing { sent, .. }, Response::NotUnderstood(text)) => {
                let request = sent.map_or_else(String::new, |sent| sent.to_string());
                Err(Error::NotTaken { request, text }.into())
            }
            (Phase::Playing { .. } | Phase::Decided { .. }, Response::Status(status)) => {
                self.status(&status)
            }
            // The match was over before our last request was read.
            (
                Phase::Decided { .. },
                Response::Illegal(_) | Response::NotUnderstood(_) | Response::Problem(_),
            ) => Ok(Vec::new()),
            (phase, _) => Err(StepError::Nonsense(phase.expected().into())),
        }
    }

    /// The match begins, or goes on: then status lines of the moves so far
    /// follow.
    fn begin(&mut self, side: Color, times: Option<Times>) -> Result<Vec<Deed>, StepError> {
        if self.wanted.is_some_and(|wanted| wanted != side) {
            let why = "the other side was asked for and granted".into();
            return Err(StepError::Nonsense(why));
        }
        let is_own_asked_for = self.wanted.is_some();
        self.secs = times.map(|times| {
            let is_own_first = times.is_own_first || is_own_asked_for;
            let first_told = if is_own_first { side } else { Color::White };
            let [one, other] = times.secs;
            ByColor::from_fn(|side| match side == first_told {
                true => one,
                false => other,
            })
        });
        self.phase = Phase::Playing { side, sent: None };
        let role = format!("you play {}", G::SIDES[side]);
        Ok(vec![Deed::Note(role), Deed::Board(self.drawing())])
    }

    /// A side has so much left on its clock. Moves of a resumed match tell of
    /// more than 101 did; no clock gains time.
    fn tell_secs(&mut self, side: Color, left: Option<u64>) {
        if let (Some(secs), Some(left)) = (&mut self.secs, left) {
            secs[side] = left.min(secs[side]);
        }
    }

    /// The referee finds our request illegal.
    fn not_taken(
        &mut self,
        side: Color,
        sent: Option<Action<G::Move>>,
        text: String,
    ) -> Result<Vec<Deed>, StepError> {
        match sent {
            Some(Action::Move { mv, .. }) => {
                self.refused = true;
                self.phase = Phase::Playing { side, sent: None };
                let note = format!("the referee does not take {mv} ({text})");
                Ok(vec![Deed::Note(note)])
            }
            // The draw cannot be offered now, or the offer is gone.
            Some(Action::OfferDraw | Action::AcceptDraw | Action::RefuseDraw) => {
                self.offer = None;
                self.phase = Phase::Playing { side, sent: None };
                Ok(vec![Deed::Note(text)])
            }
            Some(Action::Resign) | None => {
                let request = sent.map_or_else(String::new, |sent| sent.to_string());
                Err(Error::NotTaken { request, text }.into())
            }
        }
    }

    /// Something has happened in the match.
    fn status(&mut self, status: &Status<G::Move>) -> Result<Vec<Deed>, StepError> {
        if let (Phase::Decided { .. }, Status::Moved { .. }) = (&self.phase, status) {
            return Err(StepError::Nonsense("the match is over".into()));
        }
        if let (
            &Phase::Playing {
                side,
                sent: Some(Action::Move { mv: sent, .. }),
            },
            &Status::Moved {
                side: mover, mv, ..
            },
        ) = (&self.phase, status)
            && (mover, mv) != (side, sent)
        {
            return Err(StepError::Nonsense(format!("{sent} was sent")));
        }
        let moves = self.record.game().moves().count();
        let ending = self.record.follow(status);
        let ending = ending.map_err(|error| StepError::Nonsense(error.to_string()))?;
        let mut deeds = Vec::new();
        if self.record.game().moves().count() > moves {
            self.moved(status, &mut deeds);
        }
        if let Status::DrawOffered(side) | Status::DrawRefused(side) = *status {
            self.draw(side, matches!(status, Status::DrawOffered(_)), &mut deeds);
        }
        if let Some(ending) = ending {
            self.agrees(&ending).map_err(StepError::Nonsense)?;
            self.phase = Phase::Over;
            deeds.push(Deed::Over(ending));
        }
        Ok(deeds)
    }

    /// A move was made, by our side or by the other one.
    fn moved(&mut self, status: &Status<G::Move>, deeds: &mut Vec<Deed>) {
        let (Status::Moved {
            side, number, mv, ..
        }
        | Status::LastMove {
            side, number, mv, ..
        }) = *status
        else {
            return;
        };
        if let Status::Moved { secs, .. } = *status {
            self.tell_secs(side, secs);
        }
        self.offer = None;
        self.refused = false;
        if let Phase::Playing { side: ours, sent } = &mut self.phase
            && *ours == side
        {
            *sent = None;
        }
        let written = Action::Move {
            number: Some(MoveNumber::new(number, side)),
            mv,
        };
        deeds.push(Deed::Moved(written.to_string()));
        deeds.push(Deed::Board(self.drawing()));
    }

    /// A side offers a draw, or does not accept it.
    fn draw(&mut self, side: Color, is_offered: bool, deeds: &mut Vec<Deed>) {
        self.offer = is_offered.then_some(side);
        if let Phase::Playing { side: ours, sent } = &mut self.phase
            && *ours == side
        {
            *sent = None;
        }
        let does = if is_offered {
            "offers a draw"
        } else {
            "refuses the draw"
        };
        deeds.push(Deed::Note(format!("{} {does}", G::PLAYERS[side])));
    }

    /// Whether an ending is what the referee told our side.
    fn agrees(&self, ending: &Ending) -> Result<(), String> {
        match self.closed() {
            Some(told) if told.winner != ending.winner => {
                Err(format!("before, the result was: {told}"))
            }
            _ => Ok(()),
        }
    }

    /// Takes in what our side wants to do on its turn.
    ///
    /// # Errors
    /// It wants to make an illegal move, and is still to decide.
    pub fn decide(&mut self, decision: Decision<G::Move>) -> Result<Vec<Deed>, AgentError> {
        let Some(Turn { task, side, .. }) = self.turn() else {
            return Ok(Vec::new());
        };
        let request = match (task, decision) {
            (Task::Answer, Decision::AcceptDraw) => Action::AcceptDraw,
            (Task::Answer, _) => Action::RefuseDraw,
            (Task::Move, Decision::OfferDraw) => Action::OfferDraw,
            // There is no offer to be answered: whoever decides so cannot play.
            (Task::Move, Decision::Resign | Decision::AcceptDraw | Decision::RefuseDraw) => {
                Action::Resign
            }
            (Task::Move, Decision::Move(mv)) => match self.record.game().clone().play(side, mv) {
                Ok(()) => {
                    let number = MoveNumber::new(self.record.number(), side);
                    Action::Move {
                        number: Some(number),
                        mv,
                    }
                }
                Err(why) => {
                    let (mv, why) = (mv.to_string(), why.to_string());
                    return Err(AgentError::Illegal { mv, why });
                }
            },
        };
        Ok(vec![self.send(side, request)])
    }

    fn send(&mut self, side: Color, request: Action<G::Move>) -> Deed {
        let sent = Some(request);
        self.phase = Phase::Playing { side, sent };
        Deed::Send(request.to_string())
    }

    /// The referee has closed the connection: the ending, if the match is over.
    pub fn closed(&self) -> Option<Ending> {
        match self.phase {
            Phase::Decided { winner } => Some(Ending::of::<G>(winner, Reason::Untold)),
            _ => None,
        }
    }

    fn drawing(&self) -> String {
        let drawing = Drawing {
            record: &self.record,
            secs: self.secs,
        };
        drawing.to_string()
    }
}

/// Why a message is not taken in.
enum StepError {
    /// It cannot come now.
    Nonsense(String),
    /// The match cannot go on.
    Fatal(Error),
}

impl From<Error> for StepError {
    fn from(error: Error) -> StepError {
        StepError::Fatal(error)
    }
}
