//! Awari, as the client plays it.

use std::fmt::Write;

use itertools::Itertools;

use super::ending::Margin;
use super::game::Game;
use crate::awari::{self as rules, Pit, Player, Position, Scores, Status};
use crate::color::Color;
use crate::gtp::{GtpGame, Vertex};
use crate::netref::AwariRow;

impl Game for rules::Game {
    const ROWS: usize = 4;
    const PROMPT: &str = "a letter, draw?, resign";
    const MOVES: &str = "a letter A-F (South) or a-f (North), draw? or resign";
    const MOVE_HELP: &str = "c        sow the stones of your pit c";
    const VERTICES: &'static str = "A3 to F3, A4 to F4 or resign is expected";
    const GTP_SIZE: u8 = <rules::Game as GtpGame>::BOARD_SIZE;

    /// The player's own pit of this letter, in either case: nobody sows the other's.
    fn read_typed(&self, word: &str) -> Option<Pit> {
        let pit: Pit = word.parse().ok()?;
        let own = Pit::of(self.to_move());
        own.get(pit.index() % own.len()).copied()
    }

    /// GTP has points for pits.
    fn vertex(pit: Pit) -> String {
        Vertex(pit).to_string()
    }

    fn of_vertex(word: &str) -> Option<Pit> {
        word.parse().ok().map(|Vertex(pit)| pit)
    }

    fn met(&self, rows: &[AwariRow], to_move: Color) -> Result<rules::Game, String> {
        let (pits, scores) = shown(rows).ok_or("it has not a row of pits for each player")?;
        let position = Position::new(pits, scores, Player::from(to_move));
        let position = position.map_err(|error| error.to_string())?;
        Ok(rules::Game::new(position, self.variant()))
    }

    fn looks(&self, rows: &[AwariRow]) -> bool {
        shown(rows) == Some((*self.pits(), self.scores()))
    }

    /// Of a game that was met in the middle it is not known which positions come
    /// up again.
    fn finish(&mut self, pit: Pit, met: bool) -> Result<Option<Margin>, String> {
        let mover = self.to_move();
        self.play(mover, pit).map_err(|error| error.to_string())?;
        let scores = match self.status() {
            Status::Over(outcome) => outcome.scores,
            Status::Undecided if met => {
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

    /// There is no move that changes nothing.
    fn may_stand_in(_: Pit) -> bool {
        false
    }

    fn mark(side: Color) -> String {
        Player::from(side).to_string()
    }

    /// As South sees it; the pit that was sown last stands in brackets, and what
    /// each player has captured after his pits.
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

/// The pits and the scores of a board that is shown, if each player has a row.
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
