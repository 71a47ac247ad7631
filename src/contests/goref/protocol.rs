//! Go as contests play it, and what its clients are told.

use std::io;
use std::time::Duration;

use super::setup::{GameSetup, game_state};
use super::wire::{
    Decimal, GameState, LogEntry, Millis, Protocol as Version, ScoreAndTime, ServerMessage,
    WireReason,
};
use crate::contests::contest::{
    ContestGame, FinishedGame, GameReport, Misplaced, NotOfTheTeam, Notice, Outcome, Protocol,
    Recipient, Settings, TimedGame, WaitsFor,
};
use crate::games::go::{self, ByColor, Ending, Game, Illegal, Move, Score};

/// The protocol of Go contests (the document, "Messages").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoProtocol;

impl Protocol for GoProtocol {
    type Game = Game;
    type Dialect = Version;
    type Message = ServerMessage;

    const TOO_MANY_MALFORMED: &'static str = "ten frames were no JSON objects";

    fn say(notice: Notice<'_, Game>, to: Recipient<Version>) -> ServerMessage {
        match notice {
            Notice::Begun(game, now) => {
                let mut configuration = game.setup().configuration(game.log(), game.idle(now));
                if to.dialect == Version::V2 {
                    configuration.final_states = Some(final_states(game));
                }
                ServerMessage::Start {
                    configuration: Box::new(configuration),
                    color: to.color,
                }
            }
            Notice::Accepted(remaining_time) => ServerMessage::Valid { remaining_time },
            Notice::Moved(played, remaining_time) => ServerMessage::Move {
                played,
                remaining_time,
            },
            Notice::Refused(why, remaining_time) => ServerMessage::Invalid {
                message: why.to_owned(),
                remaining_time,
            },
            Notice::Over(game, outcome, now) => end(game, outcome, now),
            Notice::Interrupted(game, waits_for, now) => {
                let outcome = Outcome {
                    reason: match waits_for {
                        WaitsFor::Organizer => WireReason::Pause,
                        WaitsFor::Players => WireReason::Error,
                    },
                    winner: None,
                };
                end(game, outcome, now)
            }
        }
    }

    fn describe(misplaced: Misplaced) -> &'static str {
        match misplaced {
            Misplaced::SecondName => "a second NAME",
            Misplaced::MoveWithoutGame => "a MOVE without a game",
            Misplaced::MoveOutOfTurn => "a MOVE out of turn",
        }
    }

    fn rejection(why: &NotOfTheTeam) -> &'static str {
        match why {
            NotOfTheTeam::NoSecret(_) => {
                "this team has a secret: send it in NAME, as \"secret\" (goplay: --secret)"
            }
            NotOfTheTeam::WrongSecret(_) => "the secret is wrong: send that of this team",
            NotOfTheTeam::UnknownTeam => "no team with a secret has this name: check the name",
        }
    }

    fn report(finished: &FinishedGame<Game>) -> io::Result<GameReport> {
        finished.report()
    }
}

/// Returns the message that ends or interrupts a game.
fn end(game: &TimedGame<Game>, outcome: Outcome<WireReason>, now: Duration) -> ServerMessage {
    let (score, left) = (game.score(), game.remaining(now));
    ServerMessage::End {
        reason: outcome.reason,
        winner: outcome.winner,
        players: ByColor::from_fn(|color| ScoreAndTime {
            score: Decimal(score[color].to_f64()),
            remaining_time: left[color],
        }),
    }
}

/// Returns the last two states, or the only one.
fn final_states(timed: &TimedGame<Game>) -> Vec<GameState> {
    let game = timed.game();
    let before = match game.positions() {
        [.., before, _] => Some(game_state(before, timed.shown_before())),
        _ => None,
    };
    let last = game_state(game.position(), timed.shown());
    before.into_iter().chain([last]).collect()
}

impl ContestGame for Game {
    type Setup = GameSetup;
    type Illegal = Illegal;
    type Reason = WireReason;

    fn begin(setup: &GameSetup) -> Game {
        Game::new(setup.rules().clone(), setup.position().clone())
    }

    fn advance(&mut self, mv: Move) -> Result<Option<Outcome<WireReason>>, Illegal> {
        Ok(self.play(mv)?.map(outcome))
    }

    fn points(score: Score) -> f64 {
        score.to_f64()
    }

    fn move_text(&self, mv: Move) -> String {
        match mv {
            Move::Pass => "passes".into(),
            Move::Resign => "resigns".into(),
            Move::Place(point) => {
                let vertex = point.vertex(self.board().size());
                vertex.unwrap_or_else(|| point.to_string())
            }
        }
    }
}

fn outcome(ending: Ending) -> Outcome<WireReason> {
    Outcome {
        reason: match ending.reason {
            go::EndReason::Pass => WireReason::Pass,
            go::EndReason::Resign => WireReason::Resign,
            go::EndReason::Mercy => WireReason::Mercy,
        },
        winner: ending.winner,
    }
}

impl Settings<Move> for GameSetup {
    fn times(&self) -> ByColor<Millis> {
        self.times()
    }

    fn log(&self) -> &[LogEntry] {
        self.log()
    }

    fn idle(&self) -> Millis {
        self.idle()
    }

    fn weight(&self) -> usize {
        /// This many points of a board are as long as a move.
        const POINTS: usize = 25;
        self.log().len() + self.position().board.size().points().count() / POINTS
    }
}
