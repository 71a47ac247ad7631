//! A player's match as a state machine: lines of the referee and decisions of our side
//! in, effects out. Pure: no sockets, no clock.

use derive_more::From;
use thiserror::Error;

use super::drawing::drawing;
use super::games::ClientGame;
use super::reported::{Clocks, Contradiction, ReportedEnding, ReportedGame};
use crate::base::color::{ByColor, Color};
use crate::clients::agent::{self, AgentError, Decision, Task, Turn};
use crate::contests::netref::{
    Action, MatchReason, Name, Opening, Response, ResponseError, Role, RoleRefusal, Status, Times,
    Verdict,
};
use crate::games::awari;
use crate::games::game::Game as _;
use crate::games::gothello;

/// An effect of a match.
pub type Effect = agent::Effect<String, ReportedEnding>;

/// Why a match cannot go on after a line of the referee.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReceiveError {
    /// The role is refused (19x).
    #[error("the referee refuses: {code} {text}{}", .advice.as_ref().map_or_else(String::new, |advice| format!("; {advice}")))]
    Refused {
        /// The code.
        code: u16,
        /// The text after it.
        text: String,
        /// Advice about what may be granted.
        advice: Option<String>,
    },
    /// The greeting names another game.
    #[error("this is a referee of {0}: {advice}", advice = game_option(.0))]
    OtherGame(&'static str),
    /// The referee has a problem of its own (399).
    #[error("the referee says: {0}")]
    Problem(String),
    /// The line cannot be understood, or cannot come at this point of a match.
    #[error("the referee's line {line:?} makes no sense: {why}")]
    Line {
        /// The line.
        line: String,
        /// Why it makes no sense.
        why: ProtocolError,
    },
    /// A request other than a move or about a draw is illegal (291) or not understood (299).
    #[error("the referee did not accept {request:?}: {text}")]
    NotAccepted {
        /// The request.
        request: String,
        /// The referee's text.
        text: String,
    },
}

/// Returns what to change on the command line to play a game.
fn game_option(game: &str) -> &'static str {
    match game == awari::Game::NAME {
        true => "add --game awari",
        false => "leave out --game awari",
    }
}

/// Rejects a greeting that names another game and not `G`. One that names neither or both passes.
pub fn check_game<G: ClientGame>(greeting: &str) -> Result<(), ReceiveError> {
    let is_named = |game: &str| {
        let mut words = greeting.split_whitespace();
        words.any(|word| word.eq_ignore_ascii_case(game))
    };
    let mut games = [gothello::Game::NAME, awari::Game::NAME].into_iter();
    match games.find(|&game| is_named(game)) {
        Some(game) if !is_named(G::NAME) => Err(ReceiveError::OtherGame(game)),
        _ => Ok(()),
    }
}

/// Why a line of the referee makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProtocolError {
    /// It does not follow the protocol.
    #[error(transparent)]
    Malformed(#[from] ResponseError),
    /// Something else must come first.
    #[error("only {0} can come now")]
    Unexpected(&'static str),
    /// It contradicts the rules or what the referee said before.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// The start names a color that was not granted.
    #[error("the other side was asked for and granted")]
    OtherSide,
    /// There was a verdict already.
    #[error("the match is over")]
    Over,
    /// Our side has sent another move.
    #[error("{0} was sent")]
    OtherMove(String),
    /// The result differs from the verdict before it.
    #[error("before, the result was: {0}")]
    OtherResult(ReportedEnding),
    /// A row of a board comes without its code (382). Only an observer's match reports this: a
    /// player's session skips boards.
    #[error("no board was announced (382)")]
    NoBoard,
}

/// A player's match.
#[derive(Debug)]
pub struct Session<G: ClientGame> {
    /// The color to ask for; `None` for either.
    wanted: Option<Color>,
    name: Option<Name>,
    /// Whether our side and the referee can resume a match that was interrupted.
    resumes: bool,
    phase: MatchPhase<G::Move>,
    record: ReportedGame<G>,
    /// Who offers a draw.
    offer: Option<Color>,
    /// Our moves that the referee has rejected in this position.
    rejected_moves: Vec<G::Move>,
    /// The clocks, with time control.
    clocks: Option<Clocks>,
}

/// The phase of a match.
#[derive(Debug)]
enum MatchPhase<M> {
    /// Waiting for the greeting.
    New,
    /// Waiting for the response to our first request.
    Asked,
    /// Waiting for the opponent.
    Seated {
        /// The times in Granted (101).
        times: Option<Times>,
    },
    /// The match is on.
    Playing {
        /// Our color.
        color: Color,
        /// The request that the referee has not responded to.
        sent: Option<Action<M>>,
    },
    /// The referee has said who wins (`None`: nobody), but not yet why.
    Decided { winner: Option<Color> },
    /// Nothing more matters.
    Over,
}

impl<G: ClientGame> Session<G> {
    /// Creates a match that waits for the greeting; its game begins with `start`.
    pub fn new(start: G, wanted: Option<Color>, name: Option<Name>) -> Session<G> {
        Session {
            record: ReportedGame::new(start),
            wanted,
            name,
            resumes: false,
            phase: MatchPhase::New,
            offer: None,
            rejected_moves: Vec::new(),
            clocks: None,
        }
    }

    /// Returns the decision that our side has to make, if any.
    pub fn turn(&self) -> Option<Turn<G>> {
        let MatchPhase::Playing { color, sent: None } = self.phase else {
            return None;
        };
        let task = if self.record.to_move() == color {
            Task::Move
        } else if self.offer == Some(color.opponent()) {
            Task::Answer
        } else {
            return None;
        };
        Some(Turn {
            start: 1,
            task,
            color,
            game: self.record.game().clone(),
            refused: self.rejected_moves.clone(),
            left: self.clocks.map(|clocks| clocks.left(color)),
        })
    }

    /// Handles a line of the referee.
    ///
    /// # Errors
    /// The match cannot go on.
    pub fn receive(&mut self, line: &str) -> Result<Vec<Effect>, ReceiveError> {
        if matches!(self.phase, MatchPhase::Over) {
            return Ok(Vec::new());
        }
        let response = Response::parse(line).map_err(|why| protocol_error(line, why.into()))?;
        match response {
            Response::Refused(why, text) => Err(ReceiveError::Refused {
                code: why.code(),
                advice: self.advice(why, &text),
                text,
            }),
            Response::Problem(text) if self.verdict_ending().is_none() => {
                Err(ReceiveError::Problem(text))
            }
            Response::PlayerName(color, name) => {
                let text = format!("{} is {name}", G::PLAYERS[color]);
                Ok(vec![Effect::Note(text)])
            }
            Response::Other(code, text) => {
                let text = format!("the referee says: {code:03} {text}");
                Ok(vec![Effect::Note(text)])
            }
            // These are for observers.
            Response::ObserverName(..)
            | Response::Observers(_)
            | Response::State { .. }
            | Response::Board
            | Response::Row(_) => Ok(Vec::new()),
            response => self.step(response).map_err(|error| match error {
                StepError::Protocol(why) => protocol_error(line, why),
                StepError::Fatal(error) => error,
            }),
        }
    }

    /// Returns advice about what the referee may grant instead.
    fn advice(&self, why: RoleRefusal, text: &str) -> Option<String> {
        match (why, self.wanted) {
            // Then the other side is kept, too, or taken.
            (RoleRefusal::SideTaken, _) if text.contains("interrupted match") => None,
            (RoleRefusal::SideTaken, Some(taken)) => {
                let other = G::SIDES[taken.opponent()];
                Some(format!("{other} may be free: ask for {other} or either"))
            }
            (RoleRefusal::Full, _) => Some("to watch, ask to observe".into()),
            _ => None,
        }
    }

    /// Handles a response that depends on the phase of the match.
    fn step(&mut self, response: Response<G>) -> Result<Vec<Effect>, StepError> {
        match (&mut self.phase, response) {
            (MatchPhase::New, Response::Greeting(text)) => {
                check_game::<G>(&text)?;
                self.phase = MatchPhase::Asked;
                let role = self.wanted.map_or(Role::EitherPlayer, Role::Player);
                let opening = Opening::answering::<G>(&text, role, self.name.clone());
                self.resumes = opening.resumes::<G>();
                let mut effects = vec![Effect::Send(opening.to_line::<G>())];
                if self.wanted.is_none() {
                    // The response may come only with the opponent.
                    effects.push(Effect::Note("asked for either side".into()));
                }
                Ok(effects)
            }
            (MatchPhase::Asked, Response::Granted(times)) => {
                self.phase = MatchPhase::Seated { times };
                Ok(vec![Effect::Note("waiting for the match to begin".into())])
            }
            // The moves of a match that is resumed.
            (
                MatchPhase::Seated { .. },
                Response::Status(
                    status @ (Status::Moved { .. }
                    | Status::DrawOffered(_)
                    | Status::DrawRefused(_)),
                ),
            ) => self.handle_status(&status),
            (&mut MatchPhase::Seated { times }, Response::RolePlayer(color)) => {
                self.begin(color, times)
            }
            // The move counts when its status line comes.
            (&mut MatchPhase::Playing { color, .. }, Response::Accepted(secs, _)) => {
                self.lower_clock(color, secs);
                Ok(Vec::new())
            }
            // The status line that follows says more.
            (MatchPhase::Playing { .. }, Response::OfferReceived | Response::RefusalReceived) => {
                Ok(Vec::new())
            }
            (&mut MatchPhase::Playing { color, .. }, Response::Ended(verdict, _)) => {
                let winner = match verdict {
                    Verdict::Win => Some(color),
                    Verdict::Loss => Some(color.opponent()),
                    Verdict::Draw => None,
                };
                self.phase = MatchPhase::Decided { winner };
                Ok(Vec::new())
            }
            (
                &mut MatchPhase::Playing {
                    color,
                    sent: Some(Action::Resign),
                },
                Response::Resigned,
            ) => {
                let winner = Some(color.opponent());
                self.phase = MatchPhase::Decided { winner };
                Ok(Vec::new())
            }
            (&mut MatchPhase::Playing { color, sent }, Response::Illegal(text)) => {
                self.handle_rejection(color, sent, text)
            }
            // A referee may not support draws.
            (
                &mut MatchPhase::Playing {
                    color,
                    sent: sent @ Some(Action::OfferDraw | Action::AcceptDraw | Action::RefuseDraw),
                },
                Response::NotUnderstood(text),
            ) => self.handle_rejection(color, sent, text),
            (&mut MatchPhase::Playing { sent, .. }, Response::NotUnderstood(text)) => {
                let request = sent.map_or_else(String::new, |sent| sent.to_string());
                Err(ReceiveError::NotAccepted { request, text }.into())
            }
            (MatchPhase::Playing { .. } | MatchPhase::Decided { .. }, Response::Status(status)) => {
                self.handle_status(&status)
            }
            // The match was over before our last request was read.
            (
                MatchPhase::Decided { .. },
                Response::Illegal(_) | Response::NotUnderstood(_) | Response::Problem(_),
            ) => Ok(Vec::new()),
            (phase, _) => Err(ProtocolError::Unexpected(phase.awaited()).into()),
        }
    }

    /// Begins or resumes the match. When it is resumed, status lines of the moves so far have
    /// come before.
    fn begin(&mut self, color: Color, times: Option<Times>) -> Result<Vec<Effect>, StepError> {
        if self.wanted.is_some_and(|wanted| wanted != color) {
            return Err(ProtocolError::OtherSide.into());
        }
        let asked_for_color = self.wanted.is_some();
        self.clocks = times.map(|times| {
            let is_own_first = times.is_own_first || asked_for_color;
            let first = if is_own_first { color } else { Color::White };
            let [one, other] = times.secs;
            Clocks::new(ByColor::from_fn(|color| match color == first {
                true => one,
                false => other,
            }))
        });
        self.phase = MatchPhase::Playing { color, sent: None };
        let role = format!("you play {}", G::SIDES[color]);
        Ok(vec![
            Effect::Note(role),
            Effect::Board(drawing(&self.record, self.clocks)),
        ])
    }

    /// Lowers a clock to the time that the referee reports, but never raises it.
    fn lower_clock(&mut self, color: Color, left: Option<u64>) {
        if let (Some(clocks), Some(left)) = (&mut self.clocks, left) {
            clocks.lower(color, left);
        }
    }

    /// Handles Illegal (291) or NotUnderstood (299) for our request: a move is not tried again, a
    /// draw is dropped, anything else is an error.
    fn handle_rejection(
        &mut self,
        color: Color,
        sent: Option<Action<G::Move>>,
        text: String,
    ) -> Result<Vec<Effect>, StepError> {
        match sent {
            Some(Action::Move { mv, .. }) => {
                self.rejected_moves.push(mv);
                self.phase = MatchPhase::Playing { color, sent: None };
                let note = format!("the referee does not accept {mv}: {text:?}");
                Ok(vec![Effect::Note(note)])
            }
            // The draw cannot be offered now, or the offer is gone.
            Some(Action::OfferDraw | Action::AcceptDraw | Action::RefuseDraw) => {
                self.offer = None;
                self.phase = MatchPhase::Playing { color, sent: None };
                Ok(vec![Effect::Note(text)])
            }
            Some(Action::Resign) | None => {
                let request = sent.map_or_else(String::new, |sent| sent.to_string());
                Err(ReceiveError::NotAccepted { request, text }.into())
            }
        }
    }

    /// Handles a status line.
    fn handle_status(&mut self, status: &Status<G::Move>) -> Result<Vec<Effect>, StepError> {
        if let (MatchPhase::Decided { .. }, Status::Moved { .. }) = (&self.phase, status) {
            return Err(ProtocolError::Over.into());
        }
        if let (
            &MatchPhase::Playing {
                color,
                sent: Some(Action::Move { mv: sent, .. }),
            },
            &Status::Moved { side, mv, .. },
        ) = (&self.phase, status)
            && (side, mv) != (color, sent)
        {
            return Err(ProtocolError::OtherMove(sent.to_string()).into());
        }
        let moves = self.record.game().moves().count();
        let ending = self.record.follow(status).map_err(ProtocolError::from)?;
        let mut effects = Vec::new();
        if self.record.game().moves().count() > moves {
            self.moved(status, &mut effects);
        }
        if let Status::DrawOffered(color) | Status::DrawRefused(color) = *status {
            self.draw(
                color,
                matches!(status, Status::DrawOffered(_)),
                &mut effects,
            );
        }
        if let Some(ending) = ending {
            if let Some(verdict) = self.verdict_ending()
                && verdict.winner != ending.winner
            {
                return Err(ProtocolError::OtherResult(verdict).into());
            }
            self.phase = MatchPhase::Over;
            effects.push(Effect::Over(ending));
        }
        Ok(effects)
    }

    /// Records that a move was made by our side or by the opponent.
    fn moved(&mut self, status: &Status<G::Move>, effects: &mut Vec<Effect>) {
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
            self.lower_clock(side, secs);
            let is_ours = matches!(self.phase, MatchPhase::Playing { color, .. } if color == side);
            if is_ours && self.offer == Some(side) {
                effects.push(Effect::Note("your offer of a draw lapses".into()));
            }
        }
        self.offer = None;
        self.rejected_moves.clear();
        self.answered(side);
        effects.push(Effect::Moved(
            Action::numbered(number, side, mv).to_string(),
        ));
        effects.push(Effect::Board(drawing(&self.record, self.clocks)));
    }

    /// Records that a player offers a draw or refuses it.
    fn draw(&mut self, color: Color, is_offered: bool, effects: &mut Vec<Effect>) {
        self.offer = is_offered.then_some(color);
        self.answered(color);
        let does = if is_offered {
            "offers a draw"
        } else {
            "refuses the draw"
        };
        effects.push(Effect::Note(format!("{} {does}", G::PLAYERS[color])));
    }

    /// Clears our request, if it was `color` who has acted.
    fn answered(&mut self, color: Color) {
        if let MatchPhase::Playing { color: ours, sent } = &mut self.phase
            && *ours == color
        {
            *sent = None;
        }
    }

    /// Handles the decision of our side on its turn. Without a turn the decision is dropped.
    ///
    /// An offer of a draw is accepted by [`Decision::AcceptDraw`] and refused by any other
    /// decision. [`Decision::AcceptDraw`] and [`Decision::RefuseDraw`] without an offer resign.
    ///
    /// # Errors
    /// The move is illegal. It is still our side's turn.
    pub fn decide(&mut self, decision: Decision<G::Move>) -> Result<Vec<Effect>, AgentError> {
        let Some(Turn { task, color, .. }) = self.turn() else {
            return Ok(Vec::new());
        };
        let request = match (task, decision) {
            (Task::Answer, Decision::AcceptDraw) => Action::AcceptDraw,
            (Task::Answer, _) => Action::RefuseDraw,
            (Task::Move, Decision::OfferDraw) => Action::OfferDraw,
            // An agent that answers an offer that was not made cannot play.
            (Task::Move, Decision::Resign | Decision::AcceptDraw | Decision::RefuseDraw) => {
                Action::Resign
            }
            (Task::Move, Decision::Move(mv)) => {
                if let Err(why) = self.record.game().check(mv) {
                    let (mv, why) = (mv.to_string(), why.to_string());
                    return Err(AgentError::Illegal { mv, why });
                }
                Action::numbered(self.record.number(), color, mv)
            }
        };
        let sent = Some(request);
        self.phase = MatchPhase::Playing { color, sent };
        Ok(vec![Effect::Send(request.to_string())])
    }

    /// Returns the ending without its reason, between the verdict (a 2xx response) and the
    /// status that gives the reason (3xx); `None` before and after.
    ///
    /// It is the result of the match if the referee closes the connection in between.
    pub fn verdict_ending(&self) -> Option<ReportedEnding> {
        match self.phase {
            MatchPhase::Decided { winner } => {
                Some(ReportedEnding::of::<G>(winner, MatchReason::Void))
            }
            _ => None,
        }
    }

    /// Returns whether the match has begun.
    pub(super) fn has_begun(&self) -> bool {
        use MatchPhase::{Asked, New, Seated};
        !matches!(self.phase, New | Asked | Seated { .. })
    }

    /// Returns whether our side can come back to the match if the connection is lost now.
    pub(super) fn can_come_back(&self) -> bool {
        self.has_begun() && self.name.is_some() && self.resumes
    }
}

impl<M> MatchPhase<M> {
    /// Describes the responses that the referee may send next.
    fn awaited(&self) -> &'static str {
        match self {
            MatchPhase::New => "a greeting (000)",
            MatchPhase::Asked => "the response to the first request (1xx)",
            MatchPhase::Seated { .. } => "the start of the match (351, 352)",
            MatchPhase::Playing { .. } => "a response (2xx) or a status (3xx)",
            MatchPhase::Decided { .. } | MatchPhase::Over => "the end of the match (3xx)",
        }
    }
}

/// Why a response is rejected.
#[derive(From)]
enum StepError {
    /// It makes no sense now.
    Protocol(ProtocolError),
    /// The match cannot go on.
    Fatal(ReceiveError),
}

/// Returns the error about a line that makes no sense.
pub fn protocol_error(line: &str, why: ProtocolError) -> ReceiveError {
    ReceiveError::Line {
        line: line.to_owned(),
        why,
    }
}
