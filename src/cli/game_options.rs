//! The options that depend on the game: which game, by which rules, and how the built-in
//! players play.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use itertools::Itertools;

use super::bail_usage;
use super::files::{FileError, read_file_if};
use super::search::{mebibytes, thread_count};
use super::tablebase_options::TablebaseArguments;
use super::values::{at_least, duration, given, seed_or_random};
use crate::games::awari::{GrandSlam, Repetition, Variant};
use crate::player::{
    AlphaBeta, AwariSearch, Level, LeveledPlayer, MoveLimits, PerfectPlayer, Player, Prover, Skill,
};
use crate::solving::endgame::{Database, describe};

/// The heading of options for Gothello only.
const GOTHELLO: &str = "Options for Gothello";

/// The heading of options for Awari only.
pub const AWARI: &str = "Options for Awari (with --game awari)";

/// The name of a game of the family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum GameName {
    /// The game on 5x5 points
    #[default]
    Gothello,
    /// The game on twelve pits
    Awari,
}

/// The game and its rules.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct GameArguments {
    /// Game: gothello or awari
    #[arg(
        id = "game",
        long = "game",
        default_value = "gothello",
        hide_possible_values = true,
        value_name = "GAME"
    )]
    name: GameName,
    #[command(flatten)]
    rules: VariantArguments,
}

/// A game with its rules.
#[derive(Clone, Copy, Debug)]
pub enum ChosenGame {
    Gothello,
    Awari(Variant),
}

impl ChosenGame {
    /// Returns Awari, by the chosen rules if there are any.
    pub fn or_awari(self) -> ChosenGame {
        match self {
            ChosenGame::Gothello => ChosenGame::Awari(Variant::default()),
            ChosenGame::Awari(variant) => ChosenGame::Awari(variant),
        }
    }
}

impl GameArguments {
    /// Returns the chosen game.
    ///
    /// # Errors
    /// Wrong usage if there are rules of the other game.
    pub fn choose(&self) -> Result<ChosenGame> {
        match self.name {
            GameName::Awari => Ok(ChosenGame::Awari(self.rules.variant())),
            GameName::Gothello => {
                refuse(self.rules.given(), "awari")?;
                Ok(ChosenGame::Gothello)
            }
        }
    }
}

/// Refuses options that concern only another game.
pub fn refuse(given: impl IntoIterator<Item = &'static str>, game: &str) -> Result<()> {
    let options = given.into_iter().map(|option| format!("--{option}"));
    let options = options.collect_vec();
    let verb = if options.len() == 1 { "is" } else { "are" };
    match options.is_empty() {
        true => Ok(()),
        false => {
            let options = options.join(", ");
            bail_usage!("{options} {verb} for --game {game}")
        }
    }
}

/// The settings of the built-in players.
#[derive(Debug, Default, Args)]
pub struct BuiltInArguments {
    #[command(flatten)]
    gothello: PlayerArguments,
    // Else the heading of the last options of Gothello would be that of others, too.
    #[command(flatten, next_help_heading = None::<&str>)]
    awari: AwariPlayerArguments,
}

impl BuiltInArguments {
    /// The names of these options, for those that conflict with them.
    pub const OPTIONS: [&str; 9] = [
        "level",
        "seed",
        "random_best",
        "hash",
        "threads",
        "tablebase",
        "no_tablebase",
        "player",
        "endgames",
    ];

    /// Makes the player of Gothello, and the prover that it asks, which allocates its
    /// memory later.
    ///
    /// # Errors
    /// The tablebase cannot be used, or there are options of Awari or of another player.
    pub fn gothello(&self) -> Result<(Box<dyn Player>, Arc<Prover>)> {
        refuse(self.awari.given(), "awari")?;
        if self.random_best() && self.gothello.player == Some(Kind::AlphaBeta) {
            bail_usage!(
                "--random-best is for --player perfect: alpha-beta does not prove its moves"
            );
        }
        let PlayerArguments { hash, threads, .. } = self.gothello;
        let prover = Arc::new(prover(threads, hash, &self.gothello.tablebase)?);
        Ok((self.gothello.player(&prover), prover))
    }

    /// Makes the player of Awari.
    ///
    /// # Errors
    /// The database cannot be used or is for other rules, or there are options of Gothello.
    pub fn awari(&self, variant: Variant) -> Result<AwariSearch> {
        refuse(self.gothello.given(), "gothello")?;
        self.awari.player(variant)
    }

    /// Returns whether choices between best moves of Gothello are random.
    pub fn random_best(&self) -> bool {
        self.gothello.random.random_best
    }

    /// Returns the names of the options that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        self.gothello.given().chain(self.awari.given())
    }
}

/// The limits of the built-in player's search for a move besides the clock.
#[derive(Debug, Default, Args)]
pub struct MoveLimitArguments {
    /// Longest time in seconds for a move of the built-in player, whatever the clock
    /// allows [default: 1 without a clock or --move-positions]
    #[arg(long, value_name = "SECONDS", value_parser = duration)]
    move_time: Option<Duration>,
    /// Maximum number of positions to search for a move of the built-in player. Without a
    /// clock, and with one search thread, it makes the same moves on any machine under any
    /// load
    #[arg(long, value_name = "N", value_parser = at_least(1))]
    move_positions: Option<u64>,
}

impl MoveLimitArguments {
    /// The names of these options, for those that conflict with them.
    pub const OPTIONS: [&str; 2] = ["move_time", "move_positions"];

    /// Returns the limits.
    pub fn limits(&self) -> MoveLimits {
        MoveLimits {
            time: self.move_time,
            positions: self.move_positions,
        }
    }

    /// Returns the names of the options that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        given([
            ("move-time", self.move_time.is_some()),
            ("move-positions", self.move_positions.is_some()),
        ])
    }
}

/// The settings of the built-in player of Gothello.
#[derive(Debug, Default, Args)]
struct PlayerArguments {
    /// Playing level: 1, the weakest, to 9, or perfect [default: perfect]
    #[arg(long, help_heading = GOTHELLO, value_name = "LEVEL")]
    level: Option<Level>,
    #[command(flatten, next_help_heading = GOTHELLO)]
    random: RandomArguments,
    /// Memory for proofs in MiB, allocated when the first proof begins [default:
    /// 256]
    #[arg(long, help_heading = GOTHELLO, value_name = "MiB", value_parser = mebibytes)]
    hash: Option<NonZeroUsize>,
    /// Search threads for proofs [default: 1]
    #[arg(long, help_heading = GOTHELLO, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
    #[command(flatten, next_help_heading = GOTHELLO)]
    tablebase: TablebaseArguments,
    /// Player at the strongest level [default: perfect]
    #[arg(long, help_heading = GOTHELLO, value_enum, value_name = "PLAYER")]
    player: Option<Kind>,
}

/// The random choices of the built-in player of Gothello.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct RandomArguments {
    /// Seed of the random choices at levels 1 to 9 and of --random-best: with the same
    /// seed the engine makes the same moves in the same game [default: random]
    #[arg(long, value_name = "N", value_parser = at_least(0))]
    pub seed: Option<u64>,
    /// At full strength, make a random one of the moves that are proven to be equally
    /// good, in place of the one that is hardest to answer
    #[arg(long)]
    pub random_best: bool,
}

impl RandomArguments {
    /// Returns the names of the options that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        given([
            ("seed", self.seed.is_some()),
            ("random-best", self.random_best),
        ])
    }

    /// Makes a player of a level from a strong one. Without a seed, its random choices depend
    /// on nothing.
    pub fn player(self, mut strong: Box<dyn Player>, level: Level) -> LeveledPlayer {
        let seed = seed_or_random(self.seed);
        if self.random_best {
            strong.vary(seed);
        }
        LeveledPlayer::new(strong, Skill::new(level, seed))
    }
}

/// Makes a prover with this many threads, by default one, which allocates its memory later.
///
/// # Errors
/// The tablebase cannot be used.
pub fn prover(
    threads: Option<NonZeroUsize>,
    memory_mib: Option<NonZeroUsize>,
    tablebase: &TablebaseArguments,
) -> Result<Prover> {
    let mut prover = Prover::new().threads(threads.map_or(1, NonZeroUsize::get));
    if let Some(memory) = memory_mib {
        prover = prover.memory_mib(memory.get());
    }
    if let Some(read) = tablebase.choose()? {
        prover = prover.with_tablebase(read);
    }
    Ok(prover)
}

/// The kinds of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Proves its moves if the time is enough
    Perfect,
    /// Searches as deep as the time allows, and estimates
    AlphaBeta,
}

impl PlayerArguments {
    /// Makes the player, which asks this prover.
    fn player(&self, prover: &Arc<Prover>) -> Box<dyn Player> {
        let strong: Box<dyn Player> = match self.player.unwrap_or(Kind::Perfect) {
            Kind::Perfect => Box::new(PerfectPlayer::new(Arc::clone(prover))),
            Kind::AlphaBeta => Box::new(AlphaBeta::new()),
        };
        let level = self.level.unwrap_or_default();
        Box::new(self.random.player(strong, level))
    }

    /// Returns the names of the options that are given.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let own = given([
            ("level", self.level.is_some()),
            ("hash", self.hash.is_some()),
            ("threads", self.threads.is_some()),
            ("player", self.player.is_some()),
        ]);
        own.chain(self.random.given()).chain(self.tablebase.given())
    }
}

/// The rules of Awari that can be chosen.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct VariantArguments {
    /// Rule for a grand slam, a move that would capture all of the opponent's stones
    /// [default: e]
    #[arg(long, help_heading = AWARI, value_name = "LETTER")]
    grand_slam: Option<Letter>,
    /// Rule for the stones on the board when a position occurs again [default: claim]
    #[arg(long, help_heading = AWARI, value_name = "claim|discard")]
    repetition: Option<RepetitionName>,
}

/// The letter of the rule for a grand slam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Letter {
    /// It is allowed only if there is no other move, and captures all
    A,
    /// It captures nothing
    B,
    /// It captures all pits but the last, backwards from the pit sown last
    C,
    /// It captures only the first pit, which is the pit sown last
    D,
    /// It captures all and ends the game; the opponent gets the stones that are left
    E,
}

/// The rule for the stones on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RepetitionName {
    /// Each player gets the stones on their own side
    Claim,
    /// Neither player gets them
    Discard,
}

impl VariantArguments {
    /// Takes the rules of another description where this one has none.
    pub fn or(self, other: VariantArguments) -> VariantArguments {
        VariantArguments {
            grand_slam: self.grand_slam.or(other.grand_slam),
            repetition: self.repetition.or(other.repetition),
        }
    }

    /// Returns the variant, with the defaults for the options that are not given.
    pub fn variant(&self) -> Variant {
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
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        given([
            ("grand-slam", self.grand_slam.is_some()),
            ("repetition", self.repetition.is_some()),
        ])
    }
}

/// The largest endgame database that is read, in bytes.
const MAX_ENDGAMES: u64 = 1 << 30;

/// Reads the endgame database in a file.
pub fn read_endgames(path: &Path) -> Result<Database> {
    let name = path.display();
    let bytes = read_bytes(path).with_context(|| format!("{name} cannot be read"))?;
    Database::from_bytes(&bytes).with_context(|| format!("{name} cannot be used"))
}

/// Reads a file; only its first bytes if these are not a database's.
fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file").into());
    }
    read_file_if(path, MAX_ENDGAMES, Database::has_magic)
}

/// The settings of the built-in player of Awari.
#[derive(Debug, Default, Args)]
struct AwariPlayerArguments {
    /// Endgame database to look positions up in, made by `gothello awari-db build`
    /// [default: a small one, built at the first move]
    #[arg(long, help_heading = AWARI, value_name = "FILE")]
    endgames: Option<PathBuf>,
}

impl AwariPlayerArguments {
    /// Returns the names of the options that are given.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        self.endgames.is_some().then_some("endgames").into_iter()
    }

    /// Makes the player.
    ///
    /// # Errors
    /// The file cannot be used, or is for other rules.
    fn player(&self, variant: Variant) -> Result<AwariSearch> {
        let database = self.endgames.as_deref().map(|path| {
            let read = read_endgames(path).context("--endgames")?;
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
