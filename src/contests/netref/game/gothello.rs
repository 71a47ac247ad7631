//! Gothello, as the network referee needs it.

use std::fmt::{self, Display, Formatter};

use itertools::Itertools;

use super::{IllegalBoard, NetrefGame, Version};
use crate::base::color::{ByColor, Color};
use crate::contests::netref::summary::{MatchEnding, MatchReason, Played, Summary};
use crate::games::game::{Game as _, Outcome};
use crate::games::gothello::{Game, Move, PlayError, Point, PointSet, Position, SIZE};
use crate::games::sgf;

/// A row of the board in a state display: its points from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GothelloRow(pub [Option<Color>; SIZE as usize]);

/// Writes `b`, `w` or `.` for each point.
impl Display for GothelloRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let letters = self.0.iter().map(|point| point.map_or('.', Color::letter));
        write!(f, "{}", letters.format(""))
    }
}

impl NetrefGame for Game {
    type Row = GothelloRow;

    const SIDES: ByColor<&'static str> = ByColor::new("black", "white");
    const LETTERS: ByColor<char> = ByColor::new(Color::Black.letter(), Color::White.letter());
    const PORT: u16 = 29_068;
    /// As in the deployed server; the paper has 9.
    const MAX_SERVER: u16 = 29;
    const ALONE: &str = "pass or resign";
    const EXAMPLE: &str = "1 c3, 1 ... d3, 2 pass, pass or resign";
    const HAS_DRAWS: bool = false;
    const FORFEIT_MOVE: Option<Move> = Some(Move::Pass);
    const RECORD_EXTENSION: &str = "sgf";

    /// Version 0.9 of the paper, with the additions that the deployed server calls 0.9.1, and the
    /// resumption of interrupted matches.
    fn version() -> Version {
        Version::new([0, 9, 2])
    }

    fn greeting() -> String {
        format!("{} {} server says hello!", Self::NAME, Self::version())
    }

    fn with_rules(rules: Option<&str>) -> Option<Game> {
        rules.is_none().then(Game::default)
    }

    fn rules(&self) -> Option<String> {
        None
    }

    fn rules_description(&self) -> Option<String> {
        None
    }

    /// Only lower case, like the deployed server: requests that fail there must fail here.
    fn parse_move(word: &str) -> Option<Move> {
        let lower = !word.bytes().any(|byte| byte.is_ascii_uppercase());
        lower.then(|| word.parse().ok()).flatten()
    }

    fn parse_bare_move(word: &str) -> Option<Move> {
        (word == "pass").then_some(Move::Pass)
    }

    fn rows(&self) -> Vec<GothelloRow> {
        let stone = |column, row| self.stone_at(Point::new(column, row)?);
        let row = |row| {
            let mut points = [None; SIZE as usize];
            for (point, column) in points.iter_mut().zip(0..) {
                *point = stone(column, row);
            }
            GothelloRow(points)
        };
        (0..SIZE).rev().map(row).collect()
    }

    fn parse_row(line: &str) -> Option<GothelloRow> {
        let mut row = [None; SIZE as usize];
        let letters = line.trim_end_matches([' ', '\t']);
        if letters.chars().count() != row.len() {
            return None;
        }
        for (point, letter) in row.iter_mut().zip(letters.chars()) {
            *point = match letter {
                'b' => Some(Color::Black),
                'w' => Some(Color::White),
                '.' => None,
                _ => return None,
            };
        }
        Some(GothelloRow(row))
    }

    fn resumed(&self, rows: &[GothelloRow], to_move: Color) -> Result<Self, IllegalBoard> {
        let [black, white] = Color::ALL.map(|color| stones(rows, color));
        let position = Position::new(black, white, to_move, false)?;
        Ok(Game::from(position))
    }

    /// Two passes end the game. The first one may precede the board that the game was restored
    /// from.
    fn finish(&mut self, mv: Move, was_found: bool) -> Result<Option<Outcome>, PlayError> {
        let just_found = was_found && self.moves().next().is_none();
        let position = self.position();
        let passed = position.is_some_and(Position::after_pass);
        if mv != Move::Pass || !(just_found || passed) {
            return Ok(None);
        }
        self.play(self.to_move(), mv)?;
        Ok(Some(Outcome::from_scores(self.count())))
    }

    fn record(&self, summary: &Summary, moves: &[Played<Move>]) -> String {
        let headers = sgf::Headers {
            players: ByColor::from_fn(|color| {
                let player = &summary.players[color];
                let name = player.called().map(|name| name.as_str().to_owned());
                // A player without a name is recorded by its address.
                name.or_else(|| Some(player.client.as_ref()?.address?.to_string()))
            }),
            date: Some(summary.date()),
            result: Some(result(&summary.ending)),
            // The property has one time for both.
            seconds: (summary.times.filter(|times| times.black == times.white))
                .map(|times| times.black.as_secs()),
            event: Some(summary.id.clone()),
            comment: Some(comment(summary)),
        };
        let notes = moves.iter().map(|played| sgf::MoveNotes {
            left: played.left,
            comment: Some(format!("{:.3} s", played.spent.as_secs_f64())),
        });
        sgf::write_with(self, &headers, notes) + "\n"
    }
}

/// Returns the players and the reason of the end, one per line.
fn comment(summary: &Summary) -> String {
    let players = Color::ALL.into_iter().filter_map(|side| {
        let whereabouts = summary.whereabouts(side)?;
        Some(format!("{}: {whereabouts}", Game::PLAYERS[side]))
    });
    let reason = format!("Reason: {}", summary.ending.reason);
    players.chain([reason]).join("\n")
}

/// The result as SGF has it (property RE).
fn result(ending: &MatchEnding) -> String {
    let Some(winner) = ending.winner else {
        return match ending.reason {
            MatchReason::Play | MatchReason::Agreement => "0".into(),
            _ => "Void".into(),
        };
    };
    let letter = winner.capital();
    match (ending.reason, &ending.score) {
        (MatchReason::Play, Some(score)) => score.clone(),
        (MatchReason::Play | MatchReason::Agreement, _) => format!("{letter}+"),
        (MatchReason::Resignation, _) => format!("{letter}+R"),
        (MatchReason::Time, _) => format!("{letter}+T"),
        (
            MatchReason::Disconnection
            | MatchReason::Abandonment
            | MatchReason::Protocol
            | MatchReason::IllegalRequests,
            _,
        ) => format!("{letter}+F"),
        (MatchReason::Interruption | MatchReason::Void, _) => "Void".into(),
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
