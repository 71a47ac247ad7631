//! The game as reported by the referee, checked against the rules, and its ending.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use super::games::ClientGame;
use crate::base::color::{ByColor, Color};
use crate::contests::netref::{IllegalBoard, MatchReason, NetrefGame, Status};
use crate::games::game::Outcome;

/// The game so far.
#[derive(Clone, Debug)]
pub struct ReportedGame<G> {
    game: G,
    /// The number of the next move, which both players' moves share.
    number: u64,
    /// Whether the game was found in the middle.
    was_found: bool,
}

/// The clocks as the referee reports them: in whole seconds, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    secs: ByColor<u64>,
    /// The first report. At the start of a match it is exact.
    first: ByColor<u64>,
}

impl Clocks {
    /// Creates clocks from the first report.
    pub fn new(secs: ByColor<u64>) -> Clocks {
        Clocks { secs, first: secs }
    }

    /// Returns the minimum time that a player has left.
    pub fn left(self, color: Color) -> Duration {
        Duration::from_secs(self.secs[color])
    }

    /// Records a report about one clock.
    pub fn set(&mut self, color: Color, secs: u64) {
        self.secs[color] = secs;
    }

    /// Records a report about one clock, which does not go up.
    pub fn lower(&mut self, color: Color, secs: u64) {
        self.set(color, secs.min(self.secs[color]));
    }

    /// Returns the times for people, rounded up: a clock shows 0 only when the flag has
    /// fallen.
    pub fn shown(self) -> ByColor<Duration> {
        ByColor::from_fn(|color| {
            let (secs, first) = (self.secs[color], self.first[color]);
            Duration::from_secs(secs.saturating_add(1).min(first).max(secs))
        })
    }
}

/// Why the referee contradicts the rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Contradiction {
    /// The other player is to move.
    #[error("it is {0}'s turn")]
    Turn(&'static str),
    /// This is not the number of the next move.
    #[error("the number of this move is {0}")]
    Number(u64),
    /// The move is illegal.
    #[error("the move is illegal: {0}")]
    Move(String),
    /// The game should be over.
    #[error("the game is over after this move")]
    Over,
    /// The game should go on.
    #[error("the game is not over after this move")]
    NotOver,
    /// The stones give another result.
    #[error("by the stones the result is: {0}")]
    Result(ReportedEnding),
    /// No game leads to the board.
    #[error("no game leads to this board: {0}")]
    Position(#[from] IllegalBoard),
    /// The moves so far do not lead to the board.
    #[error("the moves so far lead to another board")]
    Board,
}

impl<G: ClientGame> ReportedGame<G> {
    /// Creates a game that has not begun.
    pub fn new(start: G) -> ReportedGame<G> {
        ReportedGame {
            game: start,
            number: 1,
            was_found: false,
        }
    }

    /// Creates a game that is found in the middle, under the rules of `start`.
    ///
    /// # Errors
    /// No game leads to the board.
    pub fn found(
        start: &G,
        rows: &[G::Row],
        number: u64,
        to_move: Color,
    ) -> Result<ReportedGame<G>, Contradiction> {
        Ok(ReportedGame {
            game: start.resumed(rows, to_move)?,
            number,
            was_found: true,
        })
    }

    /// Returns the game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Returns whether the game was found in the middle.
    pub fn was_found(&self) -> bool {
        self.was_found
    }

    /// Returns the number of the next move.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the player to move.
    pub fn to_move(&self) -> Color {
        self.game.to_move()
    }

    /// Compares the board with one that the referee shows.
    ///
    /// # Errors
    /// The boards differ.
    pub fn compare(&self, rows: &[G::Row]) -> Result<(), Contradiction> {
        if self.game.looks_like(rows) {
            Ok(())
        } else {
            Err(Contradiction::Board)
        }
    }

    /// Applies a status to the game. Returns the ending if the match is over.
    ///
    /// # Errors
    /// It contradicts the rules.
    pub fn follow(
        &mut self,
        status: &Status<G::Move>,
    ) -> Result<Option<ReportedEnding>, Contradiction> {
        let (winner, reason) = match *status {
            Status::Moved {
                side, number, mv, ..
            } => {
                self.play(side, number, mv)?;
                return match self.game.outcome() {
                    Some(_) => Err(Contradiction::Over),
                    None => Ok(None),
                };
            }
            Status::LastMove {
                winner,
                forfeit: Some(forfeit),
                ..
            } => (winner, forfeit),
            Status::LastMove {
                side,
                number,
                mv,
                winner,
                forfeit: None,
            } => return self.last_move(side, number, mv, winner).map(Some),
            Status::DrawOffered(_) | Status::DrawRefused(_) => return Ok(None),
            Status::DrawAgreed => (None, MatchReason::Agreement),
            Status::Resigned(loser) => (Some(loser.opponent()), MatchReason::Resignation),
            Status::FlagFell(loser) => (Some(loser.opponent()), MatchReason::Time),
            Status::Disconnected(loser) => (Some(loser.opponent()), MatchReason::Disconnection),
        };
        Ok(Some(ReportedEnding::of::<G>(winner, reason)))
    }

    fn check(&self, side: Color, number: u64) -> Result<(), Contradiction> {
        let to_move = self.to_move();
        if side != to_move {
            return Err(Contradiction::Turn(G::PLAYERS[to_move]));
        }
        if number != self.number {
            return Err(Contradiction::Number(self.number));
        }
        Ok(())
    }

    fn play(&mut self, side: Color, number: u64, mv: G::Move) -> Result<(), Contradiction> {
        self.check(side, number)?;
        let played = self.game.play(side, mv);
        played.map_err(|why| Contradiction::Move(why.to_string()))?;
        if side == Color::White {
            self.number = self.number.saturating_add(1);
        }
        Ok(())
    }

    /// Plays a last move. If it is a substitute for an end that the referee does not name, the
    /// player who makes it loses.
    fn last_move(
        &mut self,
        side: Color,
        number: u64,
        mv: G::Move,
        winner: Option<Color>,
    ) -> Result<ReportedEnding, Contradiction> {
        let is_substitute = Some(mv) == G::PASS && winner == Some(side.opponent());
        let mut game = self.game.clone();
        let margin = match self.check(side, number) {
            Err(Contradiction::Turn(_)) if is_substitute => None,
            checked => {
                let margin = game.finish(mv, self.was_found);
                let margin = margin.map_err(|why| Contradiction::Move(why.to_string()))?;
                if margin.is_some() {
                    checked?;
                }
                margin
            }
        };
        let played = |outcome: Outcome| ReportedEnding {
            margin: outcome.lead_of(Color::Black).unsigned_abs(),
            ..ReportedEnding::of::<G>(outcome.winner(), MatchReason::Play)
        };
        match margin.map(played) {
            None if is_substitute => Ok(ReportedEnding::of::<G>(winner, MatchReason::Void)),
            None => Err(Contradiction::NotOver),
            Some(ending) if ending.winner == winner => {
                self.game = game;
                Ok(ending)
            }
            Some(ending) => Err(Contradiction::Result(ending)),
        }
    }
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportedEnding {
    /// The winner; `None` in a draw.
    pub winner: Option<Color>,
    /// Why the match is over; [`MatchReason::Void`] if the referee did not say.
    pub reason: MatchReason,
    /// The margin of the winner in stones, if the game was played to its end.
    margin: u8,
    /// The names of the players in this game.
    names: ByColor<&'static str>,
}

impl ReportedEnding {
    /// Creates the ending of a match of `G`.
    pub fn of<G: NetrefGame>(winner: Option<Color>, reason: MatchReason) -> ReportedEnding {
        ReportedEnding {
            winner,
            reason,
            margin: 0,
            names: G::SIDES,
        }
    }
}

/// Writes a sentence, as in `black wins by 3`, `white wins by time` or `drawn`.
impl fmt::Display for ReportedEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{} wins", self.names[winner])?,
            None => f.write_str("drawn")?,
        }
        match self.reason {
            MatchReason::Play if self.winner.is_some() => write!(f, " by {}", self.margin),
            reason @ (MatchReason::Agreement
            | MatchReason::Resignation
            | MatchReason::Time
            | MatchReason::Disconnection) => write!(f, " by {reason}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contests::netref::{Gothello, GothelloRow, Response};
    use crate::games::gothello::Move;

    /// Handles status lines, one after the other.
    fn follow(lines: &[&str]) -> Result<Option<ReportedEnding>, Contradiction> {
        let mut record = ReportedGame::new(Gothello::default());
        let mut ending = None;
        for line in lines {
            let Ok(Response::Status(status)) = Response::<Gothello>::parse(line) else {
                panic!("{line} is no status line");
            };
            ending = record.follow(&status)?;
        }
        Ok(ending)
    }

    fn ending(lines: &[&str]) -> String {
        match follow(lines) {
            Ok(None) => "the game goes on".into(),
            Ok(Some(ending)) => ending.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_rules_say_how_a_game_ends() {
        let draw = ["315 1 pass is black move", "326 1 ... pass and white draws"];
        assert_eq!(ending(&draw), "drawn");
        let played = ["311 1 c3 x", "316 1 ... pass x", "321 2 pass x"];
        assert_eq!(ending(&played), "black wins by 1");
        let lost = ["311 1 c3", "312 1 ... pass", "322 2 pass"];
        let sentence = "by the stones the result is: black wins by 1";
        assert_eq!(ending(&lost), sentence);
    }

    #[test]
    fn clocks_are_shown_rounded_up() {
        let shown = |clocks: Clocks| {
            let ByColor { black, white } = clocks.shown();
            (black.as_secs(), white.as_secs())
        };
        let mut clocks = Clocks::new(ByColor {
            black: 60,
            white: 5,
        });
        assert_eq!(shown(clocks), (60, 5));
        // Some time between 59 and 60 seconds is left, and less than one.
        clocks.set(Color::Black, 59);
        clocks.lower(Color::White, 0);
        clocks.lower(Color::White, 4);
        assert_eq!(shown(clocks), (60, 1));
        assert_eq!(clocks.left(Color::Black), Duration::from_secs(59));
        assert_eq!(clocks.left(Color::White), Duration::ZERO);
    }

    #[test]
    fn a_stand_in_is_told_from_a_move() {
        for (why, sentence) in [
            ("resignation", "black wins by resignation"),
            ("time expiring", "black wins by time"),
            ("disconnection", "black wins by disconnection"),
            ("adjudication", "black wins"),
        ] {
            // Even if the pass would end the game with another result.
            let line = format!("324 1 ... pass and white loses by {why}");
            assert_eq!(ending(&[&line]), sentence);
            assert_eq!(ending(&["315 1 pass", &line]), sentence);
        }
        assert_eq!(ending(&["324 1 ... pass"]), "black wins");
        assert_eq!(
            ending(&["323 1 ... pass"]),
            "the game is not over after this move"
        );
        assert_eq!(
            ending(&["321 1 c3 and black wins"]),
            "the game is not over after this move"
        );
    }

    #[test]
    fn impossible_moves_are_reported() {
        assert_eq!(ending(&["312 1 ... c3"]), "it is Black's turn");
        assert_eq!(ending(&["311 2 c3"]), "the number of this move is 1");
        assert_eq!(
            ending(&["311 1 c3", "312 1 ... c3"]),
            "the move is illegal: c3 is occupied"
        );
        assert_eq!(
            ending(&["315 1 pass", "316 1 ... pass"]),
            "the game is over after this move"
        );
    }

    #[test]
    fn a_game_is_found_in_the_middle() {
        let mut rows = [GothelloRow([None; 5]); 5];
        rows[0].0[1] = Some(Color::White);
        rows[4].0[4] = Some(Color::Black);
        let mut record = ReportedGame::found(&Gothello::default(), &rows, 7, Color::Black).unwrap();
        record.compare(&rows).unwrap();
        let stone = |name: &str| record.game().stone_at(name.parse().unwrap());
        assert_eq!(stone("b5"), Some(Color::White));
        assert_eq!(stone("e1"), Some(Color::Black));
        let passes = Status::LastMove {
            side: Color::Black,
            number: 7,
            mv: Move::Pass,
            winner: None,
            forfeit: None,
        };
        let ending = record.clone().follow(&passes).unwrap();
        assert_eq!(
            ending.map(|ending| ending.to_string()),
            Some("drawn".into())
        );
        let moved = Status::Moved {
            side: Color::Black,
            number: 7,
            mv: "c3".parse().unwrap(),
            secs: None,
        };
        assert_eq!(record.follow(&moved), Ok(None));
        assert_eq!(record.compare(&rows), Err(Contradiction::Board));
        assert_eq!((record.to_move(), record.number()), (Color::White, 7));
    }
}
