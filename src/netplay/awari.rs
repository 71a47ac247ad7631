//! Awari, as the client plays it.

use std::fmt::Write;

use itertools::Itertools;

use super::ending::Margin;
use super::game::Game;
use crate::awari::{self as rules, Pit, Player, Position, Scores, Status};
use crate::color::Color;
use crate::gtp::{GtpGame, Vertex};
use crate::netref::Awari;

/// A line of the board in a state display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// The letters above and below the pits.
    Letters,
    /// A player's pits from the left, and what he has captured.
    Pits(Player, [u8; 6], u8),
}

impl Game for Awari {
    type Row = Row;

    const ROWS: usize = 4;
    const PROMPT: &str = "a letter, draw?, resign";
    const MOVES: &str = "a letter A-F (South) or a-f (North), draw? or resign";
    const MOVE_HELP: &str = "c        sow the stones of your pit c";
    const VERTICES: &'static str = "A3 to F3, A4 to F4 or resign is expected";
    const GTP_SIZE: u8 = <rules::Game as GtpGame>::BOARD_SIZE;

    fn row(line: &str) -> Option<Row> {
        let words = line.split_ascii_whitespace().collect_vec();
        if words == ["f", "e", "d", "c", "b", "a"] || words == ["A", "B", "C", "D", "E", "F"] {
            return Some(Row::Letters);
        }
        let (&letter, counts) = words.split_first()?;
        let player = Player::ALL
            .into_iter()
            .find(|player| letter.chars().eq([player.letter()]))?;
        let counts: Option<Vec<u8>> = counts.iter().map(|word| word.parse().ok()).collect();
        let counts: [u8; 7] = counts?.try_into().ok()?;
        let [one, two, three, four, five, six, captured] = counts;
        Some(Row::Pits(
            player,
            [one, two, three, four, five, six],
            captured,
        ))
    }

    fn read_move(word: &str) -> Option<Pit> {
        word.parse().ok()
    }

    /// The player's own pit of this letter, in either case: nobody sows the other's.
    fn read_typed(&self, word: &str) -> Option<Pit> {
        let pit: Pit = word.parse().ok()?;
        let own = Pit::of(self.game().to_move());
        own.get(pit.index() % own.len()).copied()
    }

    /// GTP has points for pits.
    fn vertex(pit: Pit) -> String {
        Vertex(pit).to_string()
    }

    fn of_vertex(word: &str) -> Option<Pit> {
        word.parse().ok().map(|Vertex(pit)| pit)
    }

    fn met(&self, rows: &[Row], to_move: Color) -> Result<Awari, String> {
        let (pits, scores) = shown(rows).ok_or("it has not a row of pits for each player")?;
        let position = Position::new(pits, scores, Player::from(to_move));
        let position = position.map_err(|error| error.to_string())?;
        let game = rules::Game::new(position, self.game().variant());
        Ok(Awari::from(game))
    }

    fn looks(&self, rows: &[Row]) -> bool {
        shown(rows) == Some((*self.game().pits(), self.game().scores()))
    }

    /// Of a game that was met in the middle it is not known which positions come
    /// up again.
    fn finish(&mut self, pit: Pit, met: bool) -> Result<Option<Margin>, String> {
        crate::netref::Game::play(self, pit)?;
        let scores = match self.game().status() {
            Status::Over(outcome) => outcome.scores,
            Status::Undecided if met => {
                let repetition = self.game().variant().repetition;
                self.game().position().repeated(repetition).scores
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

    fn moves(&self) -> Vec<(Color, Pit)> {
        let moves = self.game().moves();
        moves.map(|pit| (Color::from(pit.owner()), pit)).collect()
    }

    fn mark(side: Color) -> String {
        Player::from(side).to_string()
    }

    /// As South sees it; the pit that was sown last stands in brackets, and what
    /// each player has captured after his pits.
    fn board(&self) -> String {
        let last = self.game().moves().last();
        let pits = self.game().pits();
        let scores = self.game().scores();
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
fn shown(rows: &[Row]) -> Option<([u8; 12], Scores)> {
    let row = |wanted: Player| {
        rows.iter().find_map(|row| match *row {
            Row::Pits(player, pits, captured) if player == wanted => Some((pits, captured)),
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
