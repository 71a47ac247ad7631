//! The game as the referee tells it, checked against the rules.

use thiserror::Error;

use super::ending::{Ending, Reason};
use super::game::Game;
use crate::color::Color;
use crate::netref::Status;

/// The game so far.
#[derive(Clone, Debug)]
pub struct Record<G> {
    game: G,
    /// The number of the next move; both sides' moves share one.
    number: u64,
    /// Whether it was met in the middle.
    met: bool,
}

/// The referee says what cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Disagreement {
    /// The other side is to move.
    #[error("it is {0}'s turn")]
    Turn(&'static str),
    /// Not the number of the next move.
    #[error("the number of this move is {0}")]
    Number(u64),
    /// The move is against the rules.
    #[error("the move is illegal: {0}")]
    Move(String),
    /// The game does not go on.
    #[error("the game is over after this move")]
    Over,
    /// The game goes on.
    #[error("the game is not over after this move")]
    NotOver,
    /// The stones say something else.
    #[error("by the stones the result is: {0}")]
    Result(Ending),
    /// A board that no moves lead to.
    #[error("no game leads to this board: {0}")]
    Position(String),
    /// A board that the moves so far do not lead to.
    #[error("the moves so far lead to another board")]
    Board,
}

impl<G: Game> Record<G> {
    /// A game that has not begun.
    pub fn new(start: G) -> Record<G> {
        Record {
            game: start,
            number: 1,
            met: false,
        }
    }

    /// A game that is met in the middle; it is played like `start`.
    ///
    /// # Errors
    /// No moves lead to the board.
    pub fn in_the_middle(
        start: &G,
        rows: &[G::Row],
        number: u64,
        to_move: Color,
    ) -> Result<Record<G>, Disagreement> {
        Ok(Record {
            game: start.met(rows, to_move).map_err(Disagreement::Position)?,
            number,
            met: true,
        })
    }

    /// The game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Whether it was met in the middle.
    pub fn is_met(&self) -> bool {
        self.met
    }

    /// The number of the next move.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The side to move.
    pub fn to_move(&self) -> Color {
        self.game.to_move()
    }

    /// Compares the board with one that the referee shows.
    ///
    /// # Errors
    /// They differ.
    pub fn compare(&self, rows: &[G::Row]) -> Result<(), Disagreement> {
        if self.game.looks(rows) {
            Ok(())
        } else {
            Err(Disagreement::Board)
        }
    }

    /// Takes in what has happened; the ending, if the match is over.
    ///
    /// # Errors
    /// It is against the rules.
    pub fn follow(&mut self, status: &Status<G::Move>) -> Result<Option<Ending>, Disagreement> {
        let (winner, reason) = match *status {
            Status::Moved {
                side, number, mv, ..
            } => {
                self.play(side, number, mv)?;
                return match self.game.outcome() {
                    Some(_) => Err(Disagreement::Over),
                    None => Ok(None),
                };
            }
            Status::LastMove {
                winner,
                forfeit: Some(forfeit),
                ..
            } => (winner, Reason::from(forfeit)),
            Status::LastMove {
                side,
                number,
                mv,
                winner,
                forfeit: None,
            } => return self.last_move(side, number, mv, winner).map(Some),
            Status::DrawOffered(_) | Status::DrawRefused(_) => return Ok(None),
            Status::DrawAgreed => (None, Reason::Agreement),
            Status::Resigned(loser) => (Some(loser.opponent()), Reason::Resignation),
            Status::FlagFell(loser) => (Some(loser.opponent()), Reason::Time),
            Status::Disconnected(loser) => (Some(loser.opponent()), Reason::Disconnection),
        };
        Ok(Some(Ending::of::<G>(winner, reason)))
    }

    fn check(&self, side: Color, number: u64) -> Result<(), Disagreement> {
        let to_move = self.to_move();
        if side != to_move {
            return Err(Disagreement::Turn(G::PLAYERS[to_move]));
        }
        if number != self.number {
            return Err(Disagreement::Number(self.number));
        }
        Ok(())
    }

    fn play(&mut self, side: Color, number: u64, mv: G::Move) -> Result<(), Disagreement> {
        self.check(side, number)?;
        let played = self.game.play(side, mv);
        played.map_err(|why| Disagreement::Move(why.to_string()))?;
        if side == Color::White {
            self.number = self.number.saturating_add(1);
        }
        Ok(())
    }

    /// A last move, or what stands in for one and does not say so: then the one
    /// who makes it loses.
    fn last_move(
        &mut self,
        side: Color,
        number: u64,
        mv: G::Move,
        winner: Option<Color>,
    ) -> Result<Ending, Disagreement> {
        let stands_in = G::may_stand_in(mv) && winner == Some(side.opponent());
        let mut game = self.game.clone();
        let margin = match self.check(side, number) {
            Err(Disagreement::Turn(_)) if stands_in => None,
            checked => {
                let margin = game.finish(mv, self.met).map_err(Disagreement::Move)?;
                if margin.is_some() {
                    checked?;
                }
                margin
            }
        };
        match margin.map(Ending::played::<G>) {
            None if stands_in => Ok(Ending::lost::<G>(side, Reason::Untold)),
            None => Err(Disagreement::NotOver),
            Some(ending) if ending.winner == winner => {
                self.game = game;
                Ok(ending)
            }
            Some(ending) => Err(Disagreement::Result(ending)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gothello::Move;
    use crate::netref::{Gothello, GothelloRow, Response};

    /// What comes of status lines, one after the other.
    fn follow(lines: &[&str]) -> Result<Option<Ending>, Disagreement> {
        let mut record = Record::new(Gothello::default());
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
    fn a_stand_in_is_told_from_a_move() {
        for (why, sentence) in [
            ("resignation", "black wins by resignation"),
            ("time expiring", "black wins by time"),
            ("disconnection", "black wins by disconnection"),
            ("adjudication", "black wins"),
        ] {
            // Also where the pass would end the game with another result.
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
    fn what_cannot_be_is_said() {
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
    fn a_game_is_met_in_the_middle() {
        let mut rows = [GothelloRow([None; 5]); 5];
        rows[0].0[1] = Some(Color::White);
        rows[4].0[4] = Some(Color::Black);
        let mut record =
            Record::in_the_middle(&Gothello::default(), &rows, 7, Color::Black).unwrap();
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
        assert_eq!(record.compare(&rows), Err(Disagreement::Board));
        assert_eq!((record.to_move(), record.number()), (Color::White, 7));
    }
}
