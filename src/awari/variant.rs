//! The ways to play what the rules leave open.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A way to play Awari, where there are several (paper, section 1). The default
/// is what the paper's referee plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    /// What happens when all of the opponent's stones would be captured.
    pub grand_slam: GrandSlam,
    /// Whose the stones on the board are when a position comes up again.
    pub repetition: Repetition,
}

/// What happens when a move captures, or would capture, all of the opponent's
/// stones; the letters are those of the paper's list. The order of captures is
/// that in which they are made: the last pit sown is the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GrandSlam {
    /// (a) It may not be played unless there is no other move; then all is
    /// captured.
    Forbidden,
    /// (b) It captures nothing.
    CapturesNothing,
    /// (c) The last of the pits is not captured.
    SparesLast,
    /// (d) Only the first of the pits is captured.
    FirstOnly,
    /// (e) All is captured, the stones that are left on each side are the other
    /// player's, and the game is over.
    #[default]
    EndsGame,
}

impl GrandSlam {
    /// All of them, in the order of their letters.
    pub const ALL: [GrandSlam; 5] = [
        GrandSlam::Forbidden,
        GrandSlam::CapturesNothing,
        GrandSlam::SparesLast,
        GrandSlam::FirstOnly,
        GrandSlam::EndsGame,
    ];

    /// The letter of the paper's list.
    pub const fn letter(self) -> char {
        match self {
            GrandSlam::Forbidden => 'a',
            GrandSlam::CapturesNothing => 'b',
            GrandSlam::SparesLast => 'c',
            GrandSlam::FirstOnly => 'd',
            GrandSlam::EndsGame => 'e',
        }
    }

    /// What happens, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            GrandSlam::Forbidden => "grand slam only if there is no other move",
            GrandSlam::CapturesNothing => "grand slam captures nothing",
            GrandSlam::SparesLast => "grand slam spares the last pit",
            GrandSlam::FirstOnly => "grand slam captures the first pit only",
            GrandSlam::EndsGame => "grand slam ends the game",
        }
    }
}

/// Whose the stones on the board are when a position comes up again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// Each player has those on his side.
    #[default]
    Claim,
    /// Nobody's.
    Discard,
}

impl Repetition {
    /// Both of them.
    pub const ALL: [Repetition; 2] = [Repetition::Claim, Repetition::Discard];

    /// What becomes of the stones: `claim` or `discard`.
    pub const fn word(self) -> &'static str {
        match self {
            Repetition::Claim => "claim",
            Repetition::Discard => "discard",
        }
    }

    /// What becomes of the stones, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            Repetition::Claim => "repetition: each side claims its stones",
            Repetition::Discard => "repetition: the stones left count for nobody",
        }
    }
}

impl Variant {
    /// Every combination.
    pub fn all() -> impl Iterator<Item = Variant> {
        GrandSlam::ALL.into_iter().flat_map(|grand_slam| {
            Repetition::ALL.into_iter().map(move |repetition| Variant {
                grand_slam,
                repetition,
            })
        })
    }

    /// The rules for people who do not know the letters and words of [`Display`](fmt::Display).
    pub fn description(self) -> String {
        let Variant {
            grand_slam,
            repetition,
        } = self;
        format!(
            "{} ({}), {}",
            grand_slam.description(),
            grand_slam.letter(),
            repetition.description()
        )
    }
}

/// Writes the letter and the word, as in `e claim`.
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.grand_slam.letter(), self.repetition.word())
    }
}

/// A text that names no variant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is no variant: the letter of a grand slam, a to e, and claim or discard are expected, as \
     in e claim"
)]
pub struct ParseVariantError(pub String);

/// Reads what is written.
impl FromStr for Variant {
    type Err = ParseVariantError;

    fn from_str(text: &str) -> Result<Variant, ParseVariantError> {
        let variant = Variant::all().find(|variant| variant.to_string() == text);
        variant.ok_or_else(|| ParseVariantError(text.to_owned()))
    }
}
