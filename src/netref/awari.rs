//! What is Awari's alone.

use itertools::Itertools;

use super::game::{Game, GameResult, Picture};
use super::record::{Ending, Reason, Summary};
use super::response::ellipses;
use super::version::Version;
use crate::awari::{self as rules, Pit, Player, Status, Variant};
use crate::color::{ByColor, Color};
use crate::web::BoardKind;

/// A game of Awari.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Awari(rules::Game);

impl Awari {
    /// The game by its rules.
    pub fn game(&self) -> &rules::Game {
        &self.0
    }
}

/// A game by its rules.
impl From<rules::Game> for Awari {
    fn from(game: rules::Game) -> Awari {
        Awari(game)
    }
}

/// A game that has not begun.
impl From<Variant> for Awari {
    fn from(variant: Variant) -> Awari {
        Awari(rules::Game::new(rules::Position::START, variant))
    }
}

impl Game for Awari {
    type Move = Pit;

    const NAME: &str = "Awari";
    const SIDES: ByColor<&'static str> = ByColor {
        black: "south",
        white: "north",
    };
    const TITLES: ByColor<&'static str> = ByColor {
        black: "South",
        white: "North",
    };
    const LETTERS: ByColor<char> = ByColor {
        black: Player::South.letter(),
        white: Player::North.letter(),
    };
    const PORT: u16 = 29_046;
    const MAX_SERVER: u16 = 10;
    const ALONE: &str = "resign, draw?, draw or nodraw";
    const EXAMPLE: &str = "1 C, 1 ... c, draw? or resign";
    const HAS_DRAWS: bool = true;
    const STAND_IN: Option<&'static str> = None;
    const RECORD_EXTENSION: &str = "txt";
    const KIND: BoardKind = BoardKind::Awari;
    const SIZE: [u16; 2] = [2, 6];

    fn version() -> Version {
        Version::new([0, 9])
    }

    /// The version comes first, as in the paper.
    fn greeting() -> String {
        format!("{} {} server says hello!", Self::version(), Self::NAME)
    }

    fn under(rules: Option<&str>) -> Option<Awari> {
        let variant = rules.map_or(Ok(Variant::default()), str::parse).ok()?;
        Some(Awari::from(variant))
    }

    fn rules(&self) -> Option<String> {
        Some(self.0.variant().to_string())
    }

    fn rules_description(&self) -> Option<String> {
        Some(self.0.variant().description())
    }

    fn parse_move(word: &str) -> Option<Pit> {
        word.parse().ok()
    }

    /// Every move has a number.
    fn bare_move(_: &str) -> Option<Pit> {
        None
    }

    /// Nobody passes.
    fn is_pass(_: Pit) -> bool {
        false
    }

    fn to_move(&self) -> Color {
        Color::from(self.0.to_move())
    }

    fn play(&mut self, pit: Pit) -> Result<(), String> {
        let player = self.0.to_move();
        self.0.play(player, pit).map_err(|error| error.to_string())
    }

    fn result(&self) -> Option<GameResult> {
        let Status::Over(outcome) = self.0.status() else {
            return None;
        };
        let scores = outcome.scores;
        Some(GameResult {
            winner: outcome.winner().map(Color::from),
            score: format!("{}-{}", scores.south, scores.north),
        })
    }

    /// The pits as South sees them, each player's captured stones at the end of
    /// his row, and the letters of the pits beside them.
    fn rows(&self) -> Vec<String> {
        let scores = self.0.scores();
        let pits = self.0.pits();
        let row = |player: Player, pits: [u8; 6]| {
            let pits = pits
                .iter()
                .format_with(" ", |stones, f| f(&format_args!("{stones:>2}")));
            format!("{} {pits}  {:>2}", player.letter(), scores.of(player))
        };
        let [north, south] = [Player::North, Player::South].map(|player| {
            Pit::of(player).map(|pit| pits.get(pit.index()).copied().unwrap_or_default())
        });
        let [a, b, c, d, e, f] = north;
        vec![
            "   f  e  d  c  b  a".into(),
            row(Player::North, [f, e, d, c, b, a]),
            row(Player::South, south),
            "   A  B  C  D  E  F".into(),
        ]
    }

    fn picture(&self) -> Picture {
        let pits = self.0.pits();
        let north = Pit::of(Player::North).iter().rev();
        let board = north
            .chain(Pit::of(Player::South))
            .map(|pit| pits.get(pit.index()));
        let scores = self.0.scores();
        Picture {
            board: board.flatten().join(","),
            scores: ByColor {
                black: scores.south,
                white: scores.north,
            },
            captured: None,
        }
    }

    fn place(pit: Pit) -> Option<[u16; 2]> {
        let player = pit.owner();
        let column = Pit::of(player).iter().position(|&other| other == pit)?;
        let column = u16::try_from(column).ok()?;
        let [_, columns] = Self::SIZE;
        Some(match player {
            Player::North => [0, columns.checked_sub(column + 1)?],
            Player::South => [1, column],
        })
    }

    fn record(&self, summary: &Summary) -> String {
        record(&self.0, summary)
    }
}

/// A match as text: what is known of it, a line each, an empty line, and the
/// moves with what each took.
fn record(game: &rules::Game, summary: &Summary) -> String {
    let name = |player| {
        let name = summary.players[Color::from(player)].name.as_ref();
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
    lines.push(format!("Rules: {}", game.variant()));
    if let Some(times) = summary.times {
        let seconds = Color::ALL.map(|side| times[side].as_secs());
        lines.push(format!("Seconds: {}", seconds.iter().format(" ")));
    }
    lines.push(format!("Result: {}", result(game, &summary.ending)));
    lines.push(String::new());
    lines.extend(summary.moves.iter().zip(0..).map(|(played, ply)| {
        let (number, ellipses) = (ply / 2 + 1, ellipses(played.side));
        let spent = played.spent.as_secs_f64();
        format!("{number} {ellipses}{} {spent:.3} s", played.mv)
    }));
    lines.join("\n") + "\n"
}

/// Who won and why, with the stones where a move ended the game.
fn result(game: &rules::Game, ending: &Ending) -> String {
    let winner = match ending.winner {
        Some(winner) => format!("{} wins", Player::from(winner)),
        None if matches!(ending.reason, Reason::Play | Reason::Agreement) => "drawn".into(),
        None => "none".into(),
    };
    match (game.status(), &ending.score) {
        (Status::Over(outcome), Some(score)) => format!("{winner} {score} by {}", outcome.ending),
        _ => format!("{winner} by {}", ending.reason.word()),
    }
}
