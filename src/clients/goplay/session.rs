//! The client's side of the protocol as a state machine: messages of the server and
//! decisions of our side in, effects out. Pure: no sockets, no clock.

use std::fmt;
use std::time::Duration;

use derive_more::Display;

use super::drawing::drawing;
use super::reported::{Rebuilt, ReportedGame, rebuild};
use crate::base::clock::Clock;
use crate::base::counted::counted;
use crate::clients::agent::{self, AgentGame, Decision, Task, Turn, clock_text};
use crate::contests::goref::wire::{
    ClientMessage, Configuration, Decimal, Millis, Protocol, ScoreAndTime, ServerMessage,
    WireReason,
};
use crate::games::go::{self, ByColor, Color, Game, Illegal, Move};

/// An effect of a client's games.
pub type Effect = agent::Effect<ClientMessage, FinishedGame>;

/// The state of the client (the document, "Client State Machine").
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq)]
#[display(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    /// Waiting for the server to ask for the name.
    Init,
    /// Waiting for a game.
    Ready,
    /// Our side is to move.
    Thinking,
    /// Waiting for the server's response to our move.
    AwaitingMoveResponse,
    /// The opponent is to move.
    Idle,
}

/// How a game ended for our side, as the server says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinishedGame {
    /// Our side.
    pub color: Color,
    /// The winner; `None` if the game is drawn.
    pub winner: Option<Color>,
    /// Why the game is over.
    pub reason: WireReason,
    /// The scores.
    pub scores: ByColor<Decimal>,
    /// The number of moves, passes included.
    pub moves: usize,
}

/// A client from its first connection on. An instant is a [`Duration`] since any
/// fixed moment.
#[derive(Clone, Debug)]
pub struct Session {
    name: String,
    secret: Option<String>,
    protocol: Protocol,
    phase: ConnectionPhase,
    /// The number of games that were begun or resumed.
    start: u64,
    /// Whether an unfinished game has begun.
    has_open_game: bool,
    /// The number of games that are over.
    finished_games: u64,
}

#[derive(Clone, Debug)]
enum ConnectionPhase {
    Init,
    Ready,
    Playing(Box<Playing>),
}

/// A game that is being played.
#[derive(Clone, Debug)]
struct Playing {
    color: Color,
    record: ReportedGame,
    clocks: ByColor<Clock>,
    /// Our move that the server has not responded to yet.
    sent: Option<Move>,
    /// Our moves that it has refused in this position.
    refused: Vec<Move>,
}

impl Session {
    /// Creates a client that is not connected yet.
    pub fn new(name: String, protocol: Protocol) -> Session {
        Session {
            name,
            secret: None,
            protocol,
            phase: ConnectionPhase::Init,
            start: 0,
            has_open_game: false,
            finished_games: 0,
        }
    }

    /// Sets the secret of the client's team.
    pub fn with_secret(self, secret: Option<String>) -> Session {
        Session { secret, ..self }
    }

    /// Returns the state of the protocol.
    pub fn state(&self) -> State {
        match &self.phase {
            ConnectionPhase::Init => State::Init,
            ConnectionPhase::Ready => State::Ready,
            ConnectionPhase::Playing(playing) if playing.sent.is_some() => {
                State::AwaitingMoveResponse
            }
            ConnectionPhase::Playing(playing) if playing.is_our_turn() => State::Thinking,
            ConnectionPhase::Playing(_) => State::Idle,
        }
    }

    /// Returns the game that is being played.
    pub fn game(&self) -> Option<&Game> {
        match &self.phase {
            ConnectionPhase::Playing(playing) => Some(playing.record.game()),
            ConnectionPhase::Init | ConnectionPhase::Ready => None,
        }
    }

    /// Returns the number of games that are over.
    pub fn finished_games(&self) -> u64 {
        self.finished_games
    }

    /// Returns whether a game has begun that is not over: it is being played, or was adjourned or
    /// interrupted and may be resumed.
    pub fn has_open_game(&self) -> bool {
        self.has_open_game
    }

    /// Returns the decision that our side has to make now, if there is one.
    pub fn turn(&self, now: Duration) -> Option<Turn<Game>> {
        match &self.phase {
            ConnectionPhase::Playing(playing) if self.state() == State::Thinking => Some(Turn {
                start: self.start,
                task: Task::Move,
                color: playing.color,
                game: playing.record.game().clone(),
                refused: playing.refused.clone(),
                left: Some(playing.clocks[playing.color].remaining(now)),
            }),
            _ => None,
        }
    }

    /// Records that the connection is lost.
    pub fn on_disconnect(&mut self) {
        self.phase = ConnectionPhase::Init;
    }

    /// Handles a message of the server. One that the state does not allow is noted: NAME is answered
    /// and START begins a game all the same, END only settles whether a game is over, and the others
    /// are ignored.
    pub fn receive(&mut self, message: ServerMessage, now: Duration) -> Vec<Effect> {
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
            } => self.end(reason, winner, players),
        }
    }

    /// Handles the decision of our side. The protocol has no draw offers: an
    /// agent that decides about one resigns.
    pub fn decide(&mut self, decision: Decision<Move>) -> Vec<Effect> {
        let chosen = match decision {
            Decision::Move(mv) => mv,
            Decision::Resign
            | Decision::OfferDraw
            | Decision::AcceptDraw
            | Decision::RefuseDraw => Move::Resign,
        };
        let state = self.state();
        match &mut self.phase {
            ConnectionPhase::Playing(playing) if state == State::Thinking => {
                playing.sent = Some(chosen);
                vec![Effect::Send(ClientMessage::Move {
                    played: chosen,
                    outside: None,
                })]
            }
            _ => Vec::new(),
        }
    }

    fn introduce(&mut self) -> Vec<Effect> {
        let ask = Effect::Send(ClientMessage::Name {
            name: self.name.clone(),
            protocol: self.protocol,
            secret: self.secret.clone(),
        });
        match self.state() {
            State::Init => {
                self.phase = ConnectionPhase::Ready;
                // The server does not tell a client that another one has the same name.
                let wait = format!(
                    "waiting for a game as {:?}; in a tournament, only the first of several \
                     clients with this name gets games",
                    self.name
                );
                vec![ask, Effect::Note(wait)]
            }
            _ => vec![self.unexpected("NAME"), ask],
        }
    }

    fn begin(&mut self, configuration: &Configuration, color: Color, now: Duration) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.state() != State::Ready {
            effects.push(self.unexpected("START"));
        }
        self.phase = ConnectionPhase::Ready;
        let Rebuilt {
            record,
            left,
            contradictions,
        } = match rebuild(configuration) {
            Ok(rebuilt) => rebuilt,
            Err(why) => {
                effects.push(Effect::Note(format!("START: this cannot be played: {why}")));
                return effects;
            }
        };
        let contradictions = contradictions.into_iter();
        effects.extend(contradictions.map(|text| Effect::Note(format!("START: {text}"))));
        let mut playing = Playing {
            color,
            record,
            clocks: left.map(Clock::new),
            sent: None,
            refused: Vec::new(),
        };
        let mover = playing.record.game().turn();
        playing.clocks.get_mut(mover).start(now);
        effects.push(Effect::Note(playing.introduction()));
        effects.push(playing.board(now));
        self.start = self.start.saturating_add(1);
        self.has_open_game = true;
        self.phase = ConnectionPhase::Playing(Box::new(playing));
        effects
    }

    fn opponent_moved(
        &mut self,
        played: Move,
        left: ByColor<Millis>,
        now: Duration,
    ) -> Vec<Effect> {
        let state = self.state();
        match &mut self.phase {
            ConnectionPhase::Playing(playing) if state == State::Idle => {
                playing.made(played, "the opponent's", left, now)
            }
            _ => vec![self.unexpected("MOVE")],
        }
    }

    fn accepted(&mut self, left: ByColor<Millis>, now: Duration) -> Vec<Effect> {
        if let ConnectionPhase::Playing(playing) = &mut self.phase
            && let Some(sent) = playing.sent.take()
        {
            playing.refused.clear();
            return playing.made(sent, "our", left, now);
        }
        vec![self.unexpected("VALID")]
    }

    fn refused(&mut self, message: &str, left: ByColor<Millis>, now: Duration) -> Vec<Effect> {
        if let ConnectionPhase::Playing(playing) = &mut self.phase
            && let Some(sent) = playing.sent.take()
        {
            playing.refused.push(sent);
            playing.set_clocks(left, now);
            let text = format!(
                "the server does not accept {}: {message:?}",
                playing.written(sent)
            );
            return vec![Effect::Note(text)];
        }
        vec![self.unexpected("INVALID")]
    }

    fn end(
        &mut self,
        reason: WireReason,
        winner: Option<Color>,
        players: ByColor<ScoreAndTime>,
    ) -> Vec<Effect> {
        let is_over = !matches!(reason, WireReason::Pause | WireReason::Error);
        let ConnectionPhase::Playing(playing) = &self.phase else {
            // An adjourned game may be abandoned.
            self.has_open_game &= !is_over;
            return vec![self.unexpected("END")];
        };
        let mut effects = Vec::new();
        if is_over {
            let finished = FinishedGame {
                color: playing.color,
                winner,
                reason,
                scores: players.map(|player| player.score),
                moves: playing.record.move_count(),
            };
            effects.extend(playing.judge(&finished).map(Effect::Note));
            effects.push(Effect::Over(finished));
            self.finished_games = self.finished_games.saturating_add(1);
        } else {
            let why = match reason {
                WireReason::Pause => "the organizer has paused it",
                _ => "it was interrupted (a lost connection, or trouble at the server)",
            };
            effects.push(Effect::Note(format!(
                "the game is adjourned and may be resumed: {why}"
            )));
        }
        self.has_open_game = !is_over;
        self.phase = ConnectionPhase::Ready;
        effects
    }

    fn unexpected(&self, message: &str) -> Effect {
        let state = self.state();
        Effect::Note(format!("the server sends {message}, unexpected in {state}"))
    }
}

impl Playing {
    fn is_our_turn(&self) -> bool {
        let game = self.record.game();
        !game.is_over() && game.turn() == self.color
    }

    /// Records that a move was made by our side or by the opponent.
    fn made(
        &mut self,
        played: Move,
        whose: &str,
        left: ByColor<Millis>,
        now: Duration,
    ) -> Vec<Effect> {
        let mover = self.record.game().turn();
        let name = self.written(played);
        let illegal = self.record.follow(played);
        self.set_clocks(left, now);
        let clocks = self.left(now).map(clock_text);
        let mut effects = vec![Effect::Moved(format!(
            "{} {} {name} (B {}, W {})",
            self.record.move_count(),
            mover.capital(),
            clocks.black,
            clocks.white,
        ))];
        if let Some(why) = illegal.map(Illegal::in_words) {
            effects.push(Effect::Note(format!(
                "{whose} move {name} is illegal by our rules ({why}), but the server accepts it: \
                 our board may differ from the server's"
            )));
        }
        effects.push(self.board(now));
        effects
    }

    /// Sets the clocks, and starts that of the player to move.
    fn set_clocks(&mut self, left: ByColor<Millis>, now: Duration) {
        self.clocks = left.map(|left| Clock::new(Duration::from_millis(left)));
        let mover = self.record.game().turn();
        self.clocks.get_mut(mover).start(now);
    }

    fn left(&self, now: Duration) -> ByColor<Duration> {
        self.clocks.map(|clock| clock.remaining(now))
    }

    /// Returns the errors in a result according to our rules.
    fn judge(&self, finished: &FinishedGame) -> Option<String> {
        let game = self.record.game();
        let is_counted = matches!(finished.reason, WireReason::Pass | WireReason::Mercy);
        let ours = game.score().map(|score| Decimal(score.to_f64()));
        (is_counted && ours != finished.scores).then(|| {
            format!(
                "END: by our rules the score is B {}, W {}",
                ours.black.0, ours.white.0
            )
        })
    }

    fn written(&self, played: Move) -> String {
        self.record.game().to_gtp(played)
    }

    /// Describes a game that starts or resumes.
    fn introduction(&self) -> String {
        let go::Rules {
            ko, superko, komi, ..
        } = self.record.game().rules();
        let ko = match (ko, superko) {
            (_, true) => "superko",
            (true, false) => "ko",
            (false, false) => "no ko",
        };
        let goes = match self.record.move_count() {
            0 => "a game begins".to_owned(),
            moves => format!("a game goes on after {}", counted(moves, "move")),
        };
        format!(
            "{goes}: you are {} ({}), board {}, komi {komi}, {ko}",
            self.color,
            self.color.mark(),
            self.record.game().board().size(),
        )
    }

    fn board(&self, now: Duration) -> Effect {
        Effect::Board(drawing(self.record.game(), self.left(now)))
    }
}

/// Writes a line like `won as Black: B+3.5 by pass, B 44, W 40.5, 70 moves`.
impl fmt::Display for FinishedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.winner {
            None => "drawn",
            Some(winner) if winner == self.color => "won",
            Some(_) => "lost",
        };
        write!(f, "{how} as {}: ", self.color)?;
        let ByColor { black, white } = self.scores.map(|score| score.0);
        match (self.winner, self.reason) {
            (None, _) => f.write_str("0")?,
            (Some(winner), WireReason::Resign) => write!(f, "{}+R", winner.capital())?,
            (Some(winner), WireReason::Timeout) => write!(f, "{}+T", winner.capital())?,
            (Some(winner), _) => write!(f, "{}+{}", winner.capital(), (black - white).abs())?,
        }
        write!(
            f,
            " by {}, B {black}, W {white}, {}",
            self.reason,
            counted(self.moves, "move")
        )
    }
}
