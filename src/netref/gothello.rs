//! What is Gothello's alone.

use itertools::Itertools;

use super::game::{Game, GameResult, Picture};
use super::record::{Ending, Reason, Summary};
use super::version::Version;
use crate::color::{ByColor, Color};
use crate::gothello::{self as rules, Move, Outcome, Point, SIZE, Status};
use crate::sgf;
use crate::web::BoardKind;

/// A game of Gothello.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gothello(rules::Game);

impl Gothello {
    /// The game by its rules.
    pub fn game(&self) -> &rules::Game {
        &self.0
    }
}

/// A game by its rules.
impl From<rules::Game> for Gothello {
    fn from(game: rules::Game) -> Gothello {
        Gothello(game)
    }
}

impl Game for Gothello {
    type Move = Move;

    const NAME: &str = "Gothello";
    const SIDES: ByColor<&'static str> = ByColor {
        black: "black",
        white: "white",
    };
    const TITLES: ByColor<&'static str> = ByColor {
        black: "Black",
        white: "White",
    };
    const LETTERS: ByColor<char> = ByColor {
        black: 'b',
        white: 'w',
    };
    const PORT: u16 = 29_068;
    /// The deployed referee's; the paper has 9.
    const MAX_SERVER: u16 = 29;
    const ALONE: &str = "pass or resign";
    const EXAMPLE: &str = "1 c3, 1 ... d3, 2 pass, pass or resign";
    const HAS_DRAWS: bool = false;
    const STAND_IN: Option<&'static str> = Some("pass");
    const RECORD_EXTENSION: &str = "sgf";
    const KIND: BoardKind = BoardKind::Gothello;
    const SIZE: [u16; 2] = [SIZE as u16; 2];

    /// 0.9 of the paper, with what the deployed referee added and calls 0.9.1.
    fn version() -> Version {
        Version::new([0, 9, 1])
    }

    fn greeting() -> String {
        format!("{} {} server says hello!", Self::NAME, Self::version())
    }

    fn under(rules: Option<&str>) -> Option<Gothello> {
        rules.is_none().then(Gothello::default)
    }

    fn rules(&self) -> Option<String> {
        None
    }

    fn rules_description(&self) -> Option<String> {
        None
    }

    /// Only small letters: so the deployed referee has it, and a client that
    /// meets it must not learn otherwise here.
    fn parse_move(word: &str) -> Option<Move> {
        let lower = !word.bytes().any(|byte| byte.is_ascii_uppercase());
        lower.then(|| word.parse().ok()).flatten()
    }

    fn bare_move(word: &str) -> Option<Move> {
        (word == "pass").then_some(Move::Pass)
    }

    fn is_pass(mv: Move) -> bool {
        mv == Move::Pass
    }

    fn to_move(&self) -> Color {
        self.0.to_move()
    }

    fn play(&mut self, mv: Move) -> Result<(), String> {
        let color = self.0.to_move();
        self.0.play(color, mv).map_err(|error| error.to_string())
    }

    fn result(&self) -> Option<GameResult> {
        let Status::Over(outcome) = self.0.status() else {
            return None;
        };
        Some(GameResult {
            winner: match outcome {
                Outcome::Drawn => None,
                Outcome::Won { winner, .. } => Some(winner),
            },
            score: outcome.to_string(),
        })
    }

    fn rows(&self) -> Vec<String> {
        let letter = |point| self.0.stone_at(point).map_or('.', Color::letter);
        let row = |row| {
            let points = (0..SIZE).filter_map(|column| Point::new(column, row));
            points.map(letter).collect()
        };
        (0..SIZE).rev().map(row).collect()
    }

    fn picture(&self) -> Picture {
        Picture {
            board: self.rows().concat().to_ascii_uppercase(),
            scores: self.0.count(),
            captured: Some(self.0.captured()),
        }
    }

    fn place(mv: Move) -> Option<[u16; 2]> {
        match mv {
            Move::Place(point) => Some([SIZE - 1 - point.row(), point.column()].map(u16::from)),
            Move::Pass => None,
        }
    }

    fn record(&self, summary: &Summary) -> String {
        let headers = sgf::Headers {
            players: ByColor::from_fn(|color| {
                let player = &summary.players[color];
                let name = player.name.as_ref().map(|name| name.as_str().to_owned());
                // One without a name is called by its address.
                name.or_else(|| Some(player.client?.address?.to_string()))
            }),
            date: Some(summary.date()),
            result: Some(result(&summary.ending)),
            // The property has one time for both.
            seconds: match summary.times {
                Some(ByColor {
                    black: first,
                    white: second,
                }) if first == second => Some(first.as_secs()),
                _ => None,
            },
            event: Some(summary.id.clone()),
            comment: Some(comment(summary)),
        };
        let notes = summary.moves.iter().map(|played| sgf::MoveNotes {
            left: played.left,
            comment: Some(format!("{:.3} s", played.spent.as_secs_f64())),
        });
        sgf::write_with(&self.0, &headers, notes) + "\n"
    }
}

/// Who played and why it ended, a line each.
fn comment(summary: &Summary) -> String {
    let players = Color::ALL.into_iter().filter_map(|side| {
        let whereabouts = summary.whereabouts(side)?;
        Some(format!("{}: {whereabouts}", Gothello::TITLES[side]))
    });
    let reason = format!("Reason: {}", summary.ending.reason.word());
    players.chain([reason]).join("\n")
}

/// The result as SGF has it (property RE).
fn result(ending: &Ending) -> String {
    let Some(winner) = ending.winner else {
        return match ending.reason {
            Reason::Play | Reason::Agreement => "0".into(),
            _ => "Void".into(),
        };
    };
    let letter = winner.capital();
    match (ending.reason, &ending.score) {
        (Reason::Play, Some(score)) => score.clone(),
        (Reason::Play | Reason::Agreement, _) => format!("{letter}+"),
        (Reason::Resignation, _) => format!("{letter}+R"),
        (Reason::Time, _) => format!("{letter}+T"),
        (Reason::Disconnection | Reason::Abandonment | Reason::Protocol, _) => {
            format!("{letter}+F")
        }
        (Reason::Interruption | Reason::Void, _) => "Void".into(),
    }
}
