//! Awari, as the network referee needs it. South, who moves first, is Black.

use std::fmt::{self, Display, Formatter};

use itertools::Itertools;

use super::{IllegalBoard, NetrefGame, Version, ellipses};
use crate::base::color::{ByColor, Color};
use crate::contests::netref::summary::{MatchEnding, MatchReason, Played, Summary};
use crate::games::awari::{Game, Pit, PlayError, Player, Position, Scores, Status, Variant};
use crate::games::game::{Game as _, Outcome};

/// A row of the board in a state display, as South sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwariRow {
    /// The letters of a player's pits.
    Letters(Player),
    /// The stones in a player's pits from the left, and the stones that the player has
    /// captured.
    Pits(Player, [u8; 6], u8),
}

/// The letters of North's pits from the left.
const NORTH: [&str; 6] = ["f", "e", "d", "c", "b", "a"];

/// The letters of South's pits from the left.
const SOUTH: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

/// Writes the columns of each row below each other.
impl Display for AwariRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            AwariRow::Letters(Player::North) => write!(f, "   {}", NORTH.join("  ")),
            AwariRow::Letters(Player::South) => write!(f, "   {}", SOUTH.join("  ")),
            AwariRow::Pits(player, pits, captured) => {
                let stones = pits
                    .iter()
                    .format_with(" ", |stones, f| f(&format_args!("{stones:>2}")));
                write!(f, "{} {stones}  {captured:>2}", player.letter())
            }
        }
    }
}

impl NetrefGame for Game {
    type Row = AwariRow;

    const SIDES: ByColor<&'static str> = ByColor::new("south", "north");
    const LETTERS: ByColor<char> = ByColor::new(Player::South.letter(), Player::North.letter());
    const PORT: u16 = 29_046;
    const MAX_SERVER: u16 = 10;
    const ALONE: &str = "resign, draw?, draw or nodraw";
    const EXAMPLE: &str = "1 C, 1 ... c, draw? or resign";
    const HAS_DRAWS: bool = true;
    const FORFEIT_MOVE: Option<Pit> = None;
    const RECORD_EXTENSION: &str = "txt";

    /// Version 0.9 of the paper, with the resumption of interrupted matches.
    fn version() -> Version {
        Version::new([0, 9, 2])
    }

    /// The version comes first, as in the paper.
    fn greeting() -> String {
        format!("{} {} server says hello!", Self::version(), Game::NAME)
    }

    fn with_rules(rules: Option<&str>) -> Option<Game> {
        let variant = rules.map_or(Ok(Variant::default()), str::parse).ok()?;
        Some(Game::from(variant))
    }

    fn rules(&self) -> Option<String> {
        Some(self.variant().to_string())
    }

    fn rules_description(&self) -> Option<String> {
        Some(self.variant().description())
    }

    fn parse_move(word: &str) -> Option<Pit> {
        word.parse().ok()
    }

    /// Every move has a number.
    fn parse_bare_move(_: &str) -> Option<Pit> {
        None
    }

    fn rows(&self) -> Vec<AwariRow> {
        let (pits, scores) = (self.pits(), self.scores());
        let row = |player: Player| {
            let mut stones =
                Pit::of(player).map(|pit| pits.get(pit.index()).copied().unwrap_or_default());
            if player == Player::North {
                stones.reverse();
            }
            AwariRow::Pits(player, stones, scores.of(player))
        };
        vec![
            AwariRow::Letters(Player::North),
            row(Player::North),
            row(Player::South),
            AwariRow::Letters(Player::South),
        ]
    }

    fn parse_row(line: &str) -> Option<AwariRow> {
        let words = line.split_ascii_whitespace().collect_vec();
        if words == NORTH {
            return Some(AwariRow::Letters(Player::North));
        }
        if words == SOUTH {
            return Some(AwariRow::Letters(Player::South));
        }
        let (&letter, counts) = words.split_first()?;
        let is_letter = |player: &Player| letter.chars().eq([player.letter()]);
        let player = Player::ALL.into_iter().find(is_letter)?;
        let counts: Option<Vec<u8>> = counts.iter().map(|word| word.parse().ok()).collect();
        let [one, two, three, four, five, six, captured] = counts?.try_into().ok()?;
        let stones = [one, two, three, four, five, six];
        Some(AwariRow::Pits(player, stones, captured))
    }

    fn score(&self, _: Outcome) -> String {
        let scores = match self.status() {
            Status::Over(outcome) => outcome.scores,
            Status::Undecided => self.scores(),
        };
        format!("{}-{}", scores.south, scores.north)
    }

    fn resumed(&self, rows: &[AwariRow], to_move: Color) -> Result<Self, IllegalBoard> {
        let (pits, scores) = shown(rows).ok_or(IllegalBoard::Rows)?;
        let position = Position::new(pits, scores, Player::from(to_move))?;
        Ok(Game::new(position, self.variant()))
    }

    fn looks_like(&self, rows: &[AwariRow]) -> bool {
        shown(rows) == Some((*self.pits(), self.scores()))
    }

    /// In a game restored from the middle, repetitions are unknown.
    fn finish(&mut self, pit: Pit, was_found: bool) -> Result<Option<Outcome>, PlayError> {
        self.play(self.to_move(), pit)?;
        let scores = match self.status() {
            Status::Over(outcome) => outcome.scores,
            Status::Undecided if was_found => {
                let repetition = self.variant().repetition;
                self.position().repeated(repetition).scores
            }
            Status::Undecided => return Ok(None),
        };
        let Scores { south, north } = scores;
        Ok(Some(Outcome::from_scores(ByColor::new(south, north))))
    }

    /// Writes the properties of the match, one per line, an empty line, and the moves with the time of
    /// each.
    fn record(&self, summary: &Summary, moves: &[Played<Pit>]) -> String {
        let name = |player| {
            let name = summary.players[Color::from(player)].called();
            name.map_or("-", |name| name.as_str())
        };
        let mut lines = vec![
            format!("Match: {}", summary.id),
            format!("Date: {}", summary.date()),
        ];
        lines.extend(Player::ALL.map(|player| format!("{player}: {}", name(player))));
        lines.extend(Player::ALL.into_iter().filter_map(|player| {
            let whereabouts = summary.whereabouts(Color::from(player))?;
            Some(format!("{player} at: {whereabouts}"))
        }));
        lines.push(format!("Rules: {}", self.variant()));
        if let Some(times) = summary.times {
            let seconds = Color::ALL.map(|side| times[side].as_secs());
            lines.push(format!("Seconds: {}", seconds.iter().format(" ")));
        }
        lines.push(format!("Result: {}", result(self, &summary.ending)));
        lines.push(String::new());
        lines.extend(moves.iter().zip(0..).map(|(played, ply)| {
            let (number, ellipses) = (ply / 2 + 1, ellipses(played.side));
            let spent = played.spent.as_secs_f64();
            format!("{number} {ellipses}{} {spent:.3} s", played.mv)
        }));
        lines.join("\n") + "\n"
    }
}

/// Returns the winner and the reason, with the stones if a move ended the game.
fn result(game: &Game, ending: &MatchEnding) -> String {
    let winner = match ending.winner {
        Some(winner) => format!("{} wins", Player::from(winner)),
        None if matches!(ending.reason, MatchReason::Play | MatchReason::Agreement) => {
            "drawn".into()
        }
        None => "none".into(),
    };
    match (game.status(), &ending.score) {
        (Status::Over(outcome), Some(score)) => format!("{winner} {score} by {}", outcome.ending),
        _ => format!(
            "{winner} by {}",
            ending.reason.to_string().replace('_', " ")
        ),
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
