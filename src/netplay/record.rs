//! The game as the referee tells it, checked against the rules.

use thiserror::Error;

use super::ending::{Ending, Reason};
use super::wire::Status;
use crate::gothello::{Color, Game, IllegalPosition, Move, PlayError, Point, PointSet, Position};
use crate::netref::{Game as _, Gothello, Side};

/// The rows of a board, row 5 first, each from the left.
pub type Rows = [[Option<Color>; 5]; 5];

/// The game so far.
#[derive(Clone, Debug)]
pub struct Record {
    game: Game,
    /// The number of the next move; both sides' moves share one.
    number: u64,
    /// Whether it is not known if the move before was a pass.
    blind: bool,
}

/// The referee says what cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Disagreement {
    /// The other side is to move.
    #[error("it is {0}'s turn")]
    Turn(&'static str),
    /// Not the number of the next move.
    #[error("the number of this move is {0}")]
    Number(u64),
    /// The move is against the rules.
    #[error("the move is illegal: {0}")]
    Move(#[from] PlayError),
    /// Nothing can follow the second pass.
    #[error("two passes end the game")]
    Over,
    /// No game ends so.
    #[error("a game is over only after two passes in a row")]
    NotOver,
    /// The stones say something else.
    #[error("by the stones on the board the result is: {0}")]
    Result(Ending),
    /// A board that no moves lead to.
    #[error("no game leads to this board: {0}")]
    Position(#[from] IllegalPosition),
    /// A board that the moves so far do not lead to.
    #[error("the moves so far lead to another board")]
    Board,
}

impl Default for Record {
    fn default() -> Record {
        Record::new()
    }
}

impl Record {
    /// A game that has not begun.
    pub fn new() -> Record {
        Record {
            game: Game::new(),
            number: 1,
            blind: false,
        }
    }

    /// A game that is met in the middle.
    ///
    /// # Errors
    /// No moves lead to the board.
    pub fn in_the_middle(rows: &Rows, number: u64, to_move: Side) -> Result<Record, Disagreement> {
        let [black, white] = Color::ALL.map(|color| stones(rows, color));
        let position = Position::new(black, white, to_move.color(), false)?;
        Ok(Record {
            game: Game::from(position),
            number,
            blind: true,
        })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The number of the next move.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The side to move.
    pub fn to_move(&self) -> Side {
        Side::of_color(self.game.to_move())
    }

    /// Compares the board with one that the referee shows.
    ///
    /// # Errors
    /// They differ.
    pub fn compare(&self, rows: &Rows) -> Result<(), Disagreement> {
        let position = self.game.position();
        let same = |color| position.stones_of(color) == stones(rows, color);
        if Color::ALL.into_iter().all(same) {
            Ok(())
        } else {
            Err(Disagreement::Board)
        }
    }

    /// Takes in what has happened; the ending, if the match is over.
    ///
    /// # Errors
    /// It is against the rules.
    pub fn follow(&mut self, status: &Status) -> Result<Option<Ending>, Disagreement> {
        match *status {
            Status::Moved {
                side, number, mv, ..
            } => {
                self.play(side, number, mv)?;
                self.blind = false;
                match self.game.is_over() {
                    true => Err(Disagreement::Over),
                    false => Ok(None),
                }
            }
            Status::LastMove {
                side,
                number,
                mv,
                winner,
                by,
            } => match (by, self.ends_with(side, mv)) {
                (Some(reason), _) => Ok(Some(Ending { winner, reason })),
                (None, true) => self.end(side, number, winner).map(Some),
                // A stand-in without a reason is a pass with which one loses.
                (None, false) if mv == Move::Pass && winner == Some(side.opponent()) => {
                    Ok(Some(Ending::lost(side, Reason::Untold)))
                }
                (None, false) => Err(Disagreement::NotOver),
            },
            Status::Resigned(loser) => Ok(Some(Ending::lost(loser, Reason::Resignation))),
            Status::FlagFell(loser) => Ok(Some(Ending::lost(loser, Reason::Time))),
            Status::Disconnected(loser) => Ok(Some(Ending::lost(loser, Reason::Disconnection))),
        }
    }

    fn play(&mut self, side: Side, number: u64, mv: Move) -> Result<(), Disagreement> {
        let to_move = self.to_move();
        if side != to_move {
            return Err(Disagreement::Turn(Gothello::TITLES[to_move]));
        }
        if number != self.number {
            return Err(Disagreement::Number(self.number));
        }
        self.game.play(side.color(), mv)?;
        if side == Side::Second {
            self.number = self.number.saturating_add(1);
        }
        Ok(())
    }

    /// Whether this move of this side ends the game by the rules.
    fn ends_with(&self, side: Side, mv: Move) -> bool {
        let after_pass = self.blind || self.game.position().after_pass();
        mv == Move::Pass && side == self.to_move() && after_pass
    }

    /// The last pass.
    fn end(
        &mut self,
        side: Side,
        number: u64,
        winner: Option<Side>,
    ) -> Result<Ending, Disagreement> {
        self.play(side, number, Move::Pass)?;
        // Met after the first pass, the game does not know of it.
        let counted = || Ending::of_outcome(self.game.count().outcome());
        let ending = Ending::of_game(&self.game).unwrap_or_else(counted);
        if ending.winner == winner {
            Ok(ending)
        } else {
            Err(Disagreement::Result(ending))
        }
    }
}

/// The points of the rows where a colour has stones.
fn stones(rows: &Rows, color: Color) -> PointSet {
    let rows = (0..).zip(rows.iter().rev());
    rows.flat_map(|(row, points)| {
        let points = (0..).zip(points);
        points.filter_map(move |(column, &stone)| {
            Point::new(column, row).filter(|_| stone == Some(color))
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netplay::wire::Message;

    /// What comes of status lines, one after the other.
    fn follow(lines: &[&str]) -> Result<Option<Ending>, Disagreement> {
        let mut record = Record::new();
        let mut ending = None;
        for line in lines {
            let Ok(Message::Status(status)) = Message::parse(line) else {
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
        let sentence = "by the stones on the board the result is: black wins by 1";
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
            "a game is over only after two passes in a row"
        );
        assert_eq!(
            ending(&["321 1 c3 and black wins"]),
            "a game is over only after two passes in a row"
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
            "two passes end the game"
        );
    }

    #[test]
    fn a_game_is_met_in_the_middle() {
        let mut rows: Rows = [[None; 5]; 5];
        rows[0][1] = Some(Color::White);
        rows[4][4] = Some(Color::Black);
        let mut record = Record::in_the_middle(&rows, 7, Side::First).unwrap();
        record.compare(&rows).unwrap();
        let stone = |name: &str| record.game().stone_at(name.parse().unwrap());
        assert_eq!(stone("b5"), Some(Color::White));
        assert_eq!(stone("e1"), Some(Color::Black));
        let passes = Status::LastMove {
            side: Side::First,
            number: 7,
            mv: Move::Pass,
            winner: None,
            by: None,
        };
        let ending = record.clone().follow(&passes).unwrap();
        assert_eq!(
            ending.map(|ending| ending.to_string()),
            Some("drawn".into())
        );
        let moved = Status::Moved {
            side: Side::First,
            number: 7,
            mv: "c3".parse().unwrap(),
            secs: None,
        };
        assert_eq!(record.follow(&moved), Ok(None));
        assert_eq!(record.compare(&rows), Err(Disagreement::Board));
        assert_eq!((record.to_move(), record.number()), (Side::Second, 7));
    }
}
