//! The client's side of the protocol: what the server says and what our side
//! chooses → what is to be done. Pure: no sockets, no clock.

use std::time::Duration;

use super::agent::Turn;
use super::deed::Deed;
use super::drawing::{Drawing, clock, mark};
use super::finished::Finished;
use super::rebuild::{Rebuilt, rebuild};
use super::record::Record;
use crate::clock::Clock;
use crate::go::{self, ByColor, Color, Game, Move};
use crate::goref::wire::{
    Both, ClientMessage, Configuration, Decimal, Millis, Protocol, Reason, ScoreAndTime,
    ServerMessage, Side,
};

/// Where the client is (the document, "Client State Machine").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The server is to ask for the name.
    Init,
    /// A game is waited for.
    Ready,
    /// Our side is to move.
    Thinking,
    /// What the server says of our move is waited for.
    AwaitingMoveResponse,
    /// The opponent is to move.
    Idle,
}

/// A client, from its first connection on. An instant is a [`Duration`] since any
/// fixed moment.
#[derive(Clone, Debug)]
pub struct Session {
    name: String,
    protocol: Protocol,
    phase: Phase,
    /// The number of the last START.
    start: u64,
    /// Whether a game has begun that is not over.
    unfinished: bool,
    /// How many games are over.
    finished: u64,
}

#[derive(Clone, Debug)]
enum Phase {
    Init,
    Ready,
    Playing(Box<Playing>),
}

/// A game that is being played.
#[derive(Clone, Debug)]
struct Playing {
    color: Color,
    record: Record,
    clocks: ByColor<Clock>,
    /// Our move that the server has not judged yet.
    sent: Option<Move>,
    /// Our moves that it has refused in this position.
    refused: Vec<Move>,
}

impl Session {
    /// A client that is not connected yet.
    pub fn new(name: String, protocol: Protocol) -> Session {
        Session {
            name,
            protocol,
            phase: Phase::Init,
            start: 0,
            unfinished: false,
            finished: 0,
        }
    }

    /// Where it is.
    pub fn state(&self) -> State {
        match &self.phase {
            Phase::Init => State::Init,
            Phase::Ready => State::Ready,
            Phase::Playing(playing) if playing.sent.is_some() => State::AwaitingMoveResponse,
            Phase::Playing(playing) if playing.is_our_turn() => State::Thinking,
            Phase::Playing(_) => State::Idle,
        }
    }

    /// The game that is being played.
    pub fn game(&self) -> Option<&Game> {
        match &self.phase {
            Phase::Playing(playing) => Some(playing.record.game()),
            Phase::Init | Phase::Ready => None,
        }
    }

    /// How many games are over.
    pub fn finished(&self) -> u64 {
        self.finished
    }

    /// Whether a game has begun that is not over: it may be broken off.
    pub fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    /// What our side is to decide at this moment, if anything.
    pub fn turn(&self, now: Duration) -> Option<Turn> {
        match &self.phase {
            Phase::Playing(playing) if self.state() == State::Thinking => Some(Turn {
                start: self.start,
                game: playing.record.game().clone(),
                refused: playing.refused.clone(),
                left: playing.clocks.get(playing.color).left(now),
            }),
            _ => None,
        }
    }

    /// The connection is lost.
    pub fn disconnected(&mut self) {
        self.phase = Phase::Init;
    }

    /// Takes in a message of the server. What cannot come now is told, and passed
    /// over.
    pub fn receive(&mut self, message: ServerMessage, now: Duration) -> Vec<Deed> {
        match message {
            ServerMessage::Name => self.introduce(),
            ServerMessage::Start {
                configuration,
                color,
            } => self.begin(&configuration, color, now),
            ServerMessage::Move {
                played,
                remaining_time,
            } => self.opponent_moved(played, remaining_time, now),
            ServerMessage::Valid { remaining_time } => self.accepted(remaining_time, now),
            ServerMessage::Invalid {
                message,
                remaining_time,
            } => self.refused(&message, remaining_time, now),
            ServerMessage::End {
                reason,
                winner,
                players,
            } => self.end(reason, winner.color(), players),
        }
    }

    /// Takes in what our side has chosen.
    pub fn choose(&mut self, chosen: Move) -> Vec<Deed> {
        match &mut self.phase {
            Phase::Playing(playing) if playing.is_thinking() => {
                playing.sent = Some(chosen);
                vec![Deed::Send(ClientMessage::Move { played: chosen })]
            }
            _ => Vec::new(),
        }
    }

    fn introduce(&mut self) -> Vec<Deed> {
        let mut deeds = Vec::new();
        match self.state() {
            State::Init => self.phase = Phase::Ready,
            _ => deeds.push(self.unexpected("NAME")),
        }
        deeds.push(Deed::Send(ClientMessage::Name {
            name: self.name.clone(),
            protocol: self.protocol,
        }));
        deeds
    }

    fn begin(&mut self, configuration: &Configuration, color: Side, now: Duration) -> Vec<Deed> {
        let mut deeds = Vec::new();
        if self.state() != State::Ready {
            deeds.push(self.unexpected("START"));
        }
        let Some(color) = color.color() else {
            let text = "START: the color is \".\", and \"B\" or \"W\" is expected";
            deeds.push(Deed::Note(text.into()));
            return deeds;
        };
        self.phase = Phase::Ready;
        let Rebuilt { record, left, odd } = match rebuild(configuration) {
            Ok(rebuilt) => rebuilt,
            Err(why) => {
                deeds.push(Deed::Note(format!("START: this cannot be played: {why}")));
                return deeds;
            }
        };
        deeds.extend(
            odd.into_iter()
                .map(|text| Deed::Note(format!("START: {text}"))),
        );
        let mut playing = Playing {
            color,
            record,
            clocks: left.map(Clock::new),
            sent: None,
            refused: Vec::new(),
        };
        let mover = playing.record.game().turn();
        playing.clocks.get_mut(mover).start(now);
        deeds.push(Deed::Note(playing.introduction()));
        deeds.push(playing.board(now));
        self.start = self.start.saturating_add(1);
        self.unfinished = true;
        self.phase = Phase::Playing(Box::new(playing));
        deeds
    }

    fn opponent_moved(&mut self, played: Move, left: Both<Millis>, now: Duration) -> Vec<Deed> {
        let state = self.state();
        match &mut self.phase {
            Phase::Playing(playing) if state == State::Idle => {
                playing.made(played, "the opponent's", left, now)
            }
            _ => vec![self.unexpected("MOVE")],
        }
    }

    fn accepted(&mut self, left: Both<Millis>, now: Duration) -> Vec<Deed> {
        if let Phase::Playing(playing) = &mut self.phase
            && let Some(sent) = playing.sent.take()
        {
            playing.refused.clear();
            return playing.made(sent, "our", left, now);
        }
        vec![self.unexpected("VALID")]
    }

    fn refused(&mut self, message: &str, left: Both<Millis>, now: Duration) -> Vec<Deed> {
        if let Phase::Playing(playing) = &mut self.phase
            && let Some(sent) = playing.sent.take()
        {
            playing.refused.push(sent);
            playing.set_clocks(left, now);
            let text = format!(
                "the server does not take {}: {message:?}",
                playing.written(sent)
            );
            return vec![Deed::Note(text)];
        }
        vec![self.unexpected("INVALID")]
    }

    fn end(
        &mut self,
        reason: Reason,
        winner: Option<Color>,
        players: Both<ScoreAndTime>,
    ) -> Vec<Deed> {
        let is_over = !matches!(reason, Reason::Pause | Reason::Error);
        let Phase::Playing(playing) = &self.phase else {
            // A game that was broken off may be given up.
            self.unfinished &= !is_over;
            return vec![self.unexpected("END")];
        };
        let mut deeds = Vec::new();
        if is_over {
            let finished = Finished {
                color: playing.color,
                winner,
                reason,
                scores: ByColor::from(players).map(|player| player.score),
                moves: playing.record.moves(),
            };
            deeds.extend(playing.judge(&finished).map(Deed::Note));
            deeds.push(Deed::Over(finished));
            self.finished = self.finished.saturating_add(1);
        } else {
            let text = format!("the game is broken off ({reason}) and may go on");
            deeds.push(Deed::Note(text));
        }
        self.unfinished = !is_over;
        self.phase = Phase::Ready;
        deeds
    }

    fn unexpected(&self, message: &str) -> Deed {
        let state = match self.state() {
            State::Init => "INIT",
            State::Ready => "READY",
            State::Thinking => "THINKING",
            State::AwaitingMoveResponse => "AWAITING_MOVE_RESPONSE",
            State::Idle => "IDLE",
        };
        Deed::Note(format!("the server sends {message}, unexpected in {state}"))
    }
}

impl Playing {
    fn is_our_turn(&self) -> bool {
        let game = self.record.game();
        !game.is_over() && game.turn() == self.color
    }

    fn is_thinking(&self) -> bool {
        self.is_our_turn() && self.sent.is_none()
    }

    /// A move was made, by our side or by the other.
    fn made(&mut self, played: Move, whose: &str, left: Both<Millis>, now: Duration) -> Vec<Deed> {
        let mover = self.record.game().turn();
        let name = self.written(played);
        let odd = self.record.follow(played);
        self.set_clocks(left, now);
        let clocks = self.left(now).map(clock);
        let mut deeds = vec![Deed::Moved(format!(
            "{} {} {name} (B {}, W {})",
            self.record.moves(),
            mover.capital(),
            clocks.black,
            clocks.white,
        ))];
        if let Some(why) = odd {
            deeds.push(Deed::Note(format!(
                "{whose} move {name} is illegal by our rules ({why}), and the server takes it: \
                 our board may not be the server's"
            )));
        }
        deeds.push(self.board(now));
        deeds
    }

    /// The clocks show this; that of the player to move runs.
    fn set_clocks(&mut self, left: Both<Millis>, now: Duration) {
        self.clocks = ByColor::from(left).map(|left| Clock::new(Duration::from_millis(left)));
        let mover = self.record.game().turn();
        self.clocks.get_mut(mover).start(now);
    }

    fn left(&self, now: Duration) -> ByColor<Duration> {
        self.clocks.map(|clock| clock.left(now))
    }

    /// What is wrong about a result by our rules.
    fn judge(&self, finished: &Finished) -> Option<String> {
        let game = self.record.game();
        let is_counted = matches!(finished.reason, Reason::Pass | Reason::Mercy);
        let ours = game.score().map(|score| Decimal(score.to_f64()));
        (is_counted && ours != finished.scores).then(|| {
            format!(
                "END: by our rules the score is B {}, W {}",
                ours.black.0, ours.white.0
            )
        })
    }

    /// A move as people write it.
    fn written(&self, played: Move) -> String {
        match played {
            Move::Place(point) => {
                let vertex = point.vertex(self.record.game().board().size());
                vertex.unwrap_or_else(|| point.to_string())
            }
            Move::Pass => "pass".into(),
            Move::Resign => "resign".into(),
        }
    }

    /// What is told about a game that begins or goes on.
    fn introduction(&self) -> String {
        let go::Rules {
            ko, superko, komi, ..
        } = self.record.game().rules();
        let ko = match (ko, superko) {
            (_, true) => "superko",
            (true, false) => "ko",
            (false, false) => "no ko",
        };
        let goes = match self.record.moves() {
            0 => "a game begins".to_owned(),
            moves => format!("a game goes on after {moves} moves"),
        };
        format!(
            "{goes}: you are {} ({}), board {}, komi {komi}, {ko}",
            self.color,
            mark(self.color),
            self.record.game().board().size(),
        )
    }

    fn board(&self, now: Duration) -> Deed {
        let drawing = Drawing {
            game: self.record.game(),
            left: self.left(now),
        };
        Deed::Board(drawing.to_string())
    }
}
