//! The variants of the rules.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A variant of the rules, for the choices that they leave (paper, section 1). The default is that
/// of the paper's referee.
///
/// ```
/// use gothello::awari::{GrandSlam, Variant};
///
/// let variant: Variant = "b claim".parse()?;
/// assert_eq!(variant.grand_slam, GrandSlam::CapturesNothing);
/// assert_eq!(Variant::default().to_string(), "e claim");
/// # Ok::<(), gothello::awari::ParseVariantError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The effect of a move that captures all of the opponent's stones.
    pub grand_slam: GrandSlam,
    /// Who gets the stones on the board when a position occurs again.
    pub repetition: Repetition,
}

/// The effect of a move that captures, or would capture, all of the opponent's stones.
/// The letters are those of the paper's list. Captures are made from the last pit sown
/// backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GrandSlam {
    /// (a) The move is legal only if there is no other, and captures all.
    Forbidden,
    /// (b) The move captures nothing.
    CapturesNothing,
    /// (c) The move captures all but the last of the pits.
    SparesLast,
    /// (d) The move captures the first of the pits only.
    FirstOnly,
    /// (e) The move captures all and ends the game; the stones left on each side go to the
    /// other player.
    #[default]
    EndsGame,
}

impl GrandSlam {
    /// All effects, in the order of their letters.
    pub const ALL: [GrandSlam; 5] = [
        GrandSlam::Forbidden,
        GrandSlam::CapturesNothing,
        GrandSlam::SparesLast,
        GrandSlam::FirstOnly,
        GrandSlam::EndsGame,
    ];

    /// Returns the letter of the paper's list.
    pub const fn letter(self) -> char {
        match self {
            GrandSlam::Forbidden => 'a',
            GrandSlam::CapturesNothing => 'b',
            GrandSlam::SparesLast => 'c',
            GrandSlam::FirstOnly => 'd',
            GrandSlam::EndsGame => 'e',
        }
    }

    /// Describes the effect in a few words.
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

/// Who gets the stones on the board when a position occurs again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// Each player gets those on their side.
    #[default]
    Claim,
    /// Nobody does.
    Discard,
}

impl Repetition {
    /// Both rules.
    pub const ALL: [Repetition; 2] = [Repetition::Claim, Repetition::Discard];

    /// Returns `claim` or `discard`.
    pub const fn word(self) -> &'static str {
        match self {
            Repetition::Claim => "claim",
            Repetition::Discard => "discard",
        }
    }

    /// Describes the rule in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            Repetition::Claim => "repetition: each side claims its stones",
            Repetition::Discard => "repetition: the stones left count for nobody",
        }
    }
}

impl Variant {
    /// Returns every variant.
    pub fn all() -> impl Iterator<Item = Variant> {
        GrandSlam::ALL.into_iter().flat_map(|grand_slam| {
            Repetition::ALL.into_iter().map(move |repetition| Variant {
                grand_slam,
                repetition,
            })
        })
    }

    /// Describes the variant for people who do not know the letters and words of its
    /// [`Display`](fmt::Display) form.
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

/// A text that is not a variant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is not a variant: write the letter of a grand slam, a to e, and claim or discard, as in \
     e claim"
)]
pub struct ParseVariantError(pub String);

/// Parses the letter and the word.
impl FromStr for Variant {
    type Err = ParseVariantError;

    fn from_str(text: &str) -> Result<Variant, ParseVariantError> {
        let variant = Variant::all().find(|variant| variant.to_string() == text);
        variant.ok_or_else(|| ParseVariantError(text.to_owned()))
    }
}
