//! The options that depend on the game: which game, by which rules, and how the built-in
//! players play.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use itertools::Itertools;

use super::values::{at_least, mebibytes, thread_count};
use super::{awari_db, book, wrong_usage};
use crate::awari::{GrandSlam, Repetition, Variant};
use crate::endgame::describe;
use crate::netref::NetrefGame;
use crate::player::{
    AlphaBeta, AwariSearch, Level, LeveledPlayer, PerfectPlayer, Player, Prover, Skill,
};
use crate::solver::book::{BuiltInBook, Oracle};

/// The heading of options that concern Gothello alone.
pub(super) const GOTHELLO: &str = "Options for Gothello";

/// The heading of options that concern Awari alone.
pub(super) const AWARI: &str = "Options for Awari (with --game awari)";

/// The number of seeds to draw from if none is given: people read them in GoGui's
/// dialog of levels, and type them again.
const SEEDS: u64 = 1_000_000;

/// A game of the family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum GameName {
    /// The game on 5x5 points
    #[default]
    Gothello,
    /// The game on twelve pits
    Awari,
}

/// Which game is meant.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct GameArguments {
    /// Game: gothello or awari
    #[arg(
        id = "game",
        long = "game",
        default_value = "gothello",
        hide_possible_values = true,
        value_name = "GAME"
    )]
    pub(super) name: GameName,
}

impl GameName {
    /// Refuses options that concern only the other game.
    ///
    /// # Errors
    /// Wrong usage if there is any.
    pub(super) fn refuse(self, given: impl IntoIterator<Item = &'static str>) -> Result<()> {
        let other = match self {
            GameName::Gothello => "awari",
            GameName::Awari => "gothello",
        };
        let options = given.into_iter().map(|option| format!("--{option}"));
        let options = options.collect_vec();
        let verb = if options.len() == 1 { "is" } else { "are" };
        match options.is_empty() {
            true => Ok(()),
            false => {
                let options = options.join(", ");
                Err(wrong_usage(format!("{options} {verb} for --game {other}")))
            }
        }
    }
}

/// Checks that a game has a server of this number.
///
/// # Errors
/// Wrong usage if it has none.
pub(super) fn check_server_number<G: NetrefGame>(number: u16) -> Result<()> {
    let (game, last) = (G::NAME, G::MAX_SERVER);
    match number <= last {
        true => Ok(()),
        false => Err(wrong_usage(format!(
            "{game} has no server number {number}: give 0 to {last}"
        ))),
    }
}

/// How the built-in player of Gothello plays.
#[derive(Debug, Args)]
pub(super) struct PlayerArguments {
    /// Playing level: 1, for beginners, to 9, or max [default: max]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,
    /// Seed of the random choices at levels 1 to 9: with the same seed the engine
    /// makes the same moves in the same game [default: random]
    #[arg(long, value_name = "N", value_parser = at_least(0))]
    seed: Option<u64>,
    /// Memory for proofs in MiB, allocated when the first proof begins [default:
    /// 256]
    #[arg(long, value_name = "MiB", value_parser = mebibytes)]
    hash: Option<NonZeroUsize>,
    /// Search threads for proofs [default: 1]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
    /// Book to look positions up in, made by `gothello book build` [default: the
    /// built-in book]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Player at level max [default: perfect]
    #[arg(long, value_enum, value_name = "PLAYER")]
    player: Option<Kind>,
}

/// The names of these options, for those that conflict with them.
pub(super) const PLAYER_OPTIONS: [&str; 6] = ["level", "seed", "hash", "threads", "book", "player"];

/// The kinds of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Proves its moves if the time is enough
    Perfect,
    /// Searches as deep as the time allows, and estimates
    AlphaBeta,
}

impl PlayerArguments {
    /// Makes a prover, which allocates its memory later.
    ///
    /// # Errors
    /// The book cannot be used.
    pub(super) fn prover(&self) -> Result<Arc<Prover>> {
        let mut prover = Prover::new();
        if let Some(memory) = self.hash {
            prover = prover.memory_mib(memory.get());
        }
        if let Some(threads) = self.threads {
            prover = prover.threads(threads.get());
        }
        let book: Arc<dyn Oracle> = match &self.book {
            None => Arc::new(BuiltInBook),
            Some(path) => Arc::new(book::read(path).context("--book")?),
        };
        Ok(Arc::new(prover.with_book(book)))
    }

    /// Makes the player, which asks this prover.
    pub(super) fn player(&self, prover: &Arc<Prover>) -> Box<dyn Player> {
        let strong: Box<dyn Player> = match self.player.unwrap_or(Kind::Perfect) {
            Kind::Perfect => Box::new(PerfectPlayer::new(Arc::clone(prover))),
            Kind::AlphaBeta => Box::new(AlphaBeta::new()),
        };
        let level = self.level.unwrap_or_default();
        let seed = self.seed.unwrap_or_else(|| rand::random_range(0..SEEDS));
        Box::new(LeveledPlayer::new(strong, Skill::new(level, seed)))
    }

    /// Returns the names of the options that are given.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            self.level.is_some(),
            self.seed.is_some(),
            self.hash.is_some(),
            self.threads.is_some(),
            self.book.is_some(),
            self.player.is_some(),
        ];
        PLAYER_OPTIONS
            .into_iter()
            .zip(given)
            .filter(|(_, is_given)| *is_given)
            .map(|(option, _)| option)
    }
}

/// The rules of Awari that can be chosen.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct VariantArguments {
    /// What happens if a move would capture all of the opponent's stones: a, it is
    /// forbidden; b, it captures nothing; c, the last pit is spared; d, only the
    /// first pit is captured; e, the game ends and the opponent gets what is left
    /// [default: e]
    #[arg(long, value_name = "LETTER", hide_possible_values = true)]
    grand_slam: Option<Letter>,
    /// What happens to the stones on the board when a position occurs again: each
    /// player claims those on their side, or they are discarded [default: claim]
    #[arg(long, value_name = "claim|discard", hide_possible_values = true)]
    repetition: Option<RepetitionName>,
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

/// What happens to the stones on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RepetitionName {
    Claim,
    Discard,
}

impl VariantArguments {
    /// Returns the variant, with the defaults for what is not given.
    pub(super) fn variant(&self) -> Variant {
        let default = Variant::default();
        Variant {
            grand_slam: match self.grand_slam {
                None => default.grand_slam,
                Some(Letter::A) => GrandSlam::Forbidden,
                Some(Letter::B) => GrandSlam::CapturesNothing,
                Some(Letter::C) => GrandSlam::SparesLast,
                Some(Letter::D) => GrandSlam::FirstOnly,
                Some(Letter::E) => GrandSlam::EndsGame,
            },
            repetition: match self.repetition {
                None => default.repetition,
                Some(RepetitionName::Claim) => Repetition::Claim,
                Some(RepetitionName::Discard) => Repetition::Discard,
            },
        }
    }

    /// Returns the names of the options that are given.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("grand-slam", self.grand_slam.is_some()),
            ("repetition", self.repetition.is_some()),
        ];
        let given = given.into_iter().filter(|&(_, is_given)| is_given);
        given.map(|(option, _)| option)
    }
}

/// How the built-in player of Awari plays.
#[derive(Debug, Args)]
pub(super) struct AwariPlayerArguments {
    /// Endgame database to look positions up in, made by `gothello awari-db build`
    /// [default: a small one, built when the first move is wanted]
    #[arg(long, value_name = "FILE")]
    endgames: Option<PathBuf>,
}

impl AwariPlayerArguments {
    /// Returns the names of the options that are given.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        self.endgames.is_some().then_some("endgames").into_iter()
    }

    /// Makes the player.
    ///
    /// # Errors
    /// The file cannot be used, or is for other rules.
    pub(super) fn player(&self, variant: Variant) -> Result<AwariSearch> {
        let database = self.endgames.as_deref().map(|path| {
            let read = awari_db::read(path).context("--endgames")?;
            anyhow::Ok(Arc::new(read))
        });
        let database = database.transpose()?;
        match &database {
            Some(database) if database.variant() != variant => {
                let (found, wanted) = (describe(database.variant()), describe(variant));
                bail!("--endgames: the file is for other rules ({found}, not {wanted})")
            }
            _ => Ok(AwariSearch::new(database)),
        }
    }
}
