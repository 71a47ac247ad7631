//! The games that the client plays: Gothello and Awari.

use std::fmt::Write;

use itertools::Itertools;
use thiserror::Error;

use crate::base::color::Color;
use crate::clients::agent::{AgentGame, marked_row};
use crate::contests::netref::{AwariRow, GothelloRow, NetrefGame};
use crate::games::awari::{self, Pit, Player, Scores, Status};
use crate::games::game::{Game as _, Outcome};
use crate::games::gothello::{self, Move, Point, PointSet, SIZE, Step};

/// A game that the client can play and observe.
///
/// A value is a game from its start, or from the position in which an observer joined it, up
/// to the present.
pub trait Game: NetrefGame + AgentGame {
    /// The number of rows of a board in a state display.
    const ROWS: usize;

    /// Returns the game under the same rules as this one from a board on.
    ///
    /// # Errors
    /// No game leads to the board.
    fn resumed(&self, rows: &[Self::Row], to_move: Color) -> Result<Self, IllegalBoard>;

    /// Returns whether the board matches the one that the referee shows.
    fn looks_like(&self, rows: &[Self::Row]) -> bool;

    /// Plays the last move of a match. Returns `None` if the match does not end with
    /// it; the game may have changed then. Of a game that `was_found` in the middle, the
    /// moves before are unknown.
    ///
    /// # Errors
    /// The move is illegal.
    fn finish(
        &mut self,
        mv: Self::Move,
        was_found: bool,
    ) -> Result<Option<Margin>, Self::PlayError>;

    /// Returns whether a last move can be a substitute for an end without a move that the
    /// referee does not name.
    fn can_be_substitute(mv: Self::Move) -> bool;

    /// Returns a player's mark in the drawing of the board.
    fn mark(color: Color) -> String;

    /// Draws the board for people in whole lines, with the last move marked.
    fn diagram(&self) -> String;
}

/// How a game ended by its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margin {
    /// The winner; `None` in a draw.
    pub winner: Option<Color>,
    /// The winner's margin in stones; 0 in a draw.
    pub stones: u8,
}

impl From<Outcome> for Margin {
    fn from(outcome: Outcome) -> Margin {
        match outcome {
            Outcome::Drawn => Margin {
                winner: None,
                stones: 0,
            },
            Outcome::Won { winner, margin } => Margin {
                winner: Some(winner),
                stones: margin.get(),
            },
        }
    }
}

/// Why no game leads to a board that the referee shows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalBoard {
    /// Rows are missing.
    #[error("each player must have a row of pits")]
    Rows,
    /// No game of Gothello leads to it.
    #[error(transparent)]
    Gothello(#[from] gothello::IllegalPosition),
    /// No game of Awari leads to it.
    #[error(transparent)]
    Awari(#[from] awari::IllegalPosition),
}

impl Game for gothello::Game {
    const ROWS: usize = 5;

    fn resumed(&self, rows: &[GothelloRow], to_move: Color) -> Result<Self, IllegalBoard> {
        let [black, white] = Color::ALL.map(|color| stones(rows, color));
        let position = gothello::Position::new(black, white, to_move, false)?;
        Ok(gothello::Game::from(position))
    }

    fn looks_like(&self, rows: &[GothelloRow]) -> bool {
        let board = self.board();
        let same = |color| board.stones_of(color) == stones(rows, color);
        Color::ALL.into_iter().all(same)
    }

    /// Two passes end the game. The first one may have been before the game was found.
    fn finish(&mut self, mv: Move, was_found: bool) -> Result<Option<Margin>, gothello::PlayError> {
        let just_found = was_found && self.moves().next().is_none();
        let position = self.position();
        let passed = position.is_some_and(gothello::Position::after_pass);
        if mv != Move::Pass || !(just_found || passed) {
            return Ok(None);
        }
        self.play(self.to_move(), mv)?;
        Ok(Some(Outcome::from_scores(self.count()).into()))
    }

    /// The client libraries recognize no end but two passes.
    fn can_be_substitute(mv: Move) -> bool {
        mv == Move::Pass
    }

    fn mark(color: Color) -> String {
        format!("{color} ({})", color.mark())
    }

    /// `X` is Black, `O` is White; the last stone is in parentheses.
    fn diagram(&self) -> String {
        const LETTERS: &str = "  a b c d e";
        let last = match self.last_step() {
            Some(Step::Played { mv, .. }) => mv.point(),
            _ => None,
        };
        let mut text = format!("{LETTERS}\n");
        for row in (0..SIZE).rev() {
            let number = row + 1;
            let points = (0..SIZE).filter_map(|column| Point::new(column, row));
            let points = marked_row(points.map(|point| {
                let mark = self.stone_at(point).map_or('.', Color::mark);
                (mark, Some(point) == last)
            }));
            // Writing to memory cannot fail.
            let _ = writeln!(text, "{number}{points}{number}");
        }
        text + LETTERS + "\n"
    }
}

/// Returns the points of the rows where a color has stones.
fn stones(rows: &[GothelloRow], color: Color) -> PointSet {
    let rows = (0..).zip(rows.iter().rev());
    rows.flat_map(|(row, GothelloRow(points))| {
        let points = (0..).zip(points);
        points.filter_map(move |(column, &stone)| {
            Point::new(column, row).filter(|_| stone == Some(color))
        })
    })
    .collect()
}

impl Game for awari::Game {
    const ROWS: usize = 4;

    fn resumed(&self, rows: &[AwariRow], to_move: Color) -> Result<Self, IllegalBoard> {
        let (pits, scores) = shown(rows).ok_or(IllegalBoard::Rows)?;
        let position = awari::Position::new(pits, scores, Player::from(to_move))?;
        Ok(awari::Game::new(position, self.variant()))
    }

    fn looks_like(&self, rows: &[AwariRow]) -> bool {
        shown(rows) == Some((*self.pits(), self.scores()))
    }

    /// Of a game that was found in the middle, it is unknown which positions are
    /// repetitions.
    fn finish(&mut self, pit: Pit, was_found: bool) -> Result<Option<Margin>, awari::PlayError> {
        self.play(self.to_move(), pit)?;
        let scores = match self.status() {
            Status::Over(outcome) => outcome.scores,
            Status::Undecided if was_found => {
                let repetition = self.variant().repetition;
                self.position().repeated(repetition).scores
            }
            Status::Undecided => return Ok(None),
        };
        Ok(Some(Margin {
            winner: scores.winner().map(Color::from),
            stones: scores.south.abs_diff(scores.north),
        }))
    }

    /// Awari has no move that leaves the board unchanged.
    fn can_be_substitute(_: Pit) -> bool {
        false
    }

    fn mark(color: Color) -> String {
        Player::from(color).to_string()
    }

    /// Draws the board from South's side. The pit that was sown last is in parentheses, and
    /// each player's captured stones are after their pits.
    fn diagram(&self) -> String {
        let last = self.moves().last();
        let pits = self.pits();
        let scores = self.scores();
        let cell = |pit: Pit| {
            let stones = pits.get(pit.index()).copied().unwrap_or_default();
            match last == Some(pit) {
                true => format!("{:>4}", format!("({stones})")),
                false => format!("{stones:>3} "),
            }
        };
        let mut text = String::new();
        let letters = |pits: &[Pit]| pits.iter().map(|pit| format!("{pit:>3} ")).join("");
        let [north, south] = [Player::North, Player::South].map(|player| {
            let mut pits = *Pit::of(player);
            if player == Player::North {
                pits.reverse();
            }
            (player, pits)
        });
        let row = |(player, pits): (Player, [Pit; 6])| {
            let cells = pits.map(cell).concat();
            format!("{player} {cells} {:>2}", scores.of(player))
        };
        // Writing to memory cannot fail.
        let _ = writeln!(text, "      {}", letters(&north.1).trim_end());
        let _ = writeln!(text, "{}\n{}", row(north), row(south));
        let _ = writeln!(text, "      {}", letters(&south.1).trim_end());
        text
    }
}

/// Returns the pits and the scores of a board that is shown, if each player has a row.
fn shown(rows: &[AwariRow]) -> Option<([u8; 12], Scores)> {
    let row = |wanted: Player| {
        rows.iter().find_map(|row| match *row {
            AwariRow::Pits(player, pits, captured) if player == wanted => Some((pits, captured)),
            _ => None,
        })
    };
    let (mut north, north_score) = row(Player::North)?;
    let (south, south_score) = row(Player::South)?;
    north.reverse();
    let pits: [u8; 12] = [north, south].concat().try_into().ok()?;
    let scores = Scores {
        south: south_score,
        north: north_score,
    };
    Some((pits, scores))
}
