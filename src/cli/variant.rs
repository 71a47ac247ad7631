//! How Awari is played, where its rules leave that open.

use clap::{Args, ValueEnum};

use crate::awari::{GrandSlam, Repetition, Variant};

/// The rules of Awari that can be chosen.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct VariantArguments {
    /// Awari: what a move does that would capture all of the opponent's stones.
    /// a: it is forbidden; b: it captures nothing; c: the last pit is spared;
    /// d: only the first pit is captured; e, the default: it ends the game, and
    /// what is left is the opponent's
    #[arg(long, value_name = "LETTER", hide_possible_values = true)]
    grand_slam: Option<Letter>,
    /// Awari: whose the stones on the board are when a position comes up again:
    /// each player claims those on his side, the default, or they are discarded
    #[arg(long, value_name = "claim|discard", hide_possible_values = true)]
    repetition: Option<Word>,
}

/// The letter of a grand slam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Letter {
    A,
    B,
    C,
    D,
    E,
}

/// What becomes of the stones on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Word {
    Claim,
    Discard,
}

impl VariantArguments {
    /// The variant; what is not chosen is as usual.
    pub(super) fn variant(&self) -> Variant {
        let usual = Variant::default();
        Variant {
            grand_slam: match self.grand_slam {
                None => usual.grand_slam,
                Some(Letter::A) => GrandSlam::Forbidden,
                Some(Letter::B) => GrandSlam::CapturesNothing,
                Some(Letter::C) => GrandSlam::SparesLast,
                Some(Letter::D) => GrandSlam::FirstOnly,
                Some(Letter::E) => GrandSlam::EndsGame,
            },
            repetition: match self.repetition {
                None => usual.repetition,
                Some(Word::Claim) => Repetition::Claim,
                Some(Word::Discard) => Repetition::Discard,
            },
        }
    }

    /// The names of the options that are given.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("grand-slam", self.grand_slam.is_some()),
            ("repetition", self.repetition.is_some()),
        ];
        let given = given.into_iter().filter(|&(_, is_given)| is_given);
        given.map(|(option, _)| option)
    }
}
