//! The options of an event, on the command line or in a file.

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::base::counted::counted;
use crate::base::rng::Rng;
use crate::cli::files::read_file;
use crate::cli::game_options::VariantArguments;
use crate::cli::values::{
    CommandLine, at_least, duration, given, nearest, number, seed_or_random, time_limit,
};
use crate::cli::{bail_usage, wrong_usage};
use crate::games::go::{Komi, MAX_SIDE};
use crate::games::sgf;
use crate::gtp::process::GtpEngine;
use crate::matches::{
    EventSettings, Format, GameSettings, MAX_GAMES, MatchGame, Opening, OpeningSource,
    PlayerSettings, TimeControl, read_openings,
};
use crate::statistics::Sprt;

/// The maximum size of a file of openings.
const MAX_OPENINGS_FILE: u64 = 64 << 20;

/// The default of `--time-margin`, in milliseconds.
const MARGIN_MS: u64 = 50;

/// The default of `--hang-timeout`, in seconds.
const HANG_SECONDS: u64 = 300;

/// The number of empty points at which `--adjudicate exact` ends a game: a proof then takes some
/// milliseconds.
const EXACT_EMPTY: u32 = 12;

/// The default of `--games`.
const GAMES: u32 = 2;

/// The default of `--games` with `--sprt`, which ends the event when it has decided.
const SPRT_GAMES: u32 = 100_000;

/// The heading of options about the games.
const EVENT: &str = "Event";

/// The heading of options about time.
const TIME: &str = "Time";

/// The heading of options for Go.
const GO: &str = "Options for Go (with --game go)";

/// The settings that the results of an event depend on, besides its players.
#[derive(Debug, Default, Args)]
pub struct EventOptions {
    /// Game: gothello, awari or go [default: gothello]
    #[arg(long, help_heading = EVENT, value_name = "GAME", hide_possible_values = true,
        value_parser = ["gothello", "awari", "go"])]
    game: Option<String>,
    /// Who meets whom: round-robin, gauntlet (the first player meets all others), or swiss
    /// [default: round-robin]
    #[arg(long, help_heading = EVENT, value_name = "FORMAT", hide_possible_values = true,
        value_parser = format())]
    format: Option<Format>,
    /// Games of two players who meet, each opening twice with colors reversed [default: 2; with
    /// --sprt and one round 100000]
    #[arg(long, help_heading = EVENT, value_name = "N", value_parser = number(1..=MAX_GAMES))]
    games: Option<u32>,
    /// Rounds, in each of which players meet [default: 1]
    #[arg(long, help_heading = EVENT, value_name = "N", value_parser = number(1..=MAX_GAMES))]
    rounds: Option<u32>,
    /// Openings: a file with SGF games or a line of moves for each, or balanced:N for N positions
    /// of Gothello whose exact value is near a draw [default: the empty board]
    #[arg(long, help_heading = EVENT, value_name = "FILE|balanced:N")]
    openings: Option<OpeningSource>,
    /// Order of the openings: sequential, or random, which --seed determines [default: sequential]
    #[arg(long, help_heading = EVENT, value_name = "ORDER", hide_possible_values = true,
        value_parser = ["sequential", "random"])]
    openings_order: Option<String>,
    /// Number of the opening in this order that is the first one; those before it follow the last
    /// [default: 1]
    #[arg(long, help_heading = EVENT, value_name = "N", value_parser = at_least(1))]
    openings_start: Option<u64>,
    /// Seed of all random decisions [default: random, and printed]
    #[arg(long, help_heading = EVENT, value_name = "N", value_parser = at_least(0))]
    seed: Option<u64>,
    /// End when a sequential probability ratio test between two players has decided, such as
    /// elo0=0,elo1=10,alpha=0.05,beta=0.05; --games is then the most that are played
    #[arg(long, help_heading = EVENT, value_name = "SETTINGS")]
    sprt: Option<Sprt>,
    /// Treat the openings as a sample: Elo, errors and the test describe all openings like them, not
    /// only these. It takes at least 20
    #[arg(long, help_heading = EVENT)]
    population: bool,
    /// End games early: exact, when the solver has proven the result (Gothello)
    #[arg(long, help_heading = EVENT, value_name = "exact", hide_possible_values = true,
        value_parser = ["exact"])]
    adjudicate: Option<String>,
    /// Moves after which a game is scored as it stands [default: 1000; Go: 4 for each point]
    #[arg(long, help_heading = EVENT, value_name = "N", value_parser = number(1..=1_000_000_u32))]
    move_limit: Option<u32>,
    /// Time control in seconds: 60 for all moves, 60+0.6 with 0.6 more after each, 60+30/25 with
    /// 30 for every 25 moves after that, or 2/move [default: without limit]
    #[arg(long, help_heading = TIME, value_name = "CONTROL")]
    time: Option<TimeControl>,
    /// How many seconds longer than its time a player may take before its flag falls [default:
    /// 0.05]
    #[arg(long, help_heading = TIME, value_name = "SECONDS", value_parser = duration)]
    time_margin: Option<std::time::Duration>,
    /// How long a player may be silent while no clock runs, in seconds [default: 300]
    #[arg(long, help_heading = TIME, value_name = "SECONDS", value_parser = time_limit)]
    hang_timeout: Option<std::time::Duration>,
    /// How long the first response of an engine, or the connection of a client, may take, in
    /// seconds [default: 60]
    #[arg(long, help_heading = TIME, value_name = "SECONDS", value_parser = time_limit)]
    start_timeout: Option<std::time::Duration>,
    /// Number of rows and columns, 2 to 25 [default: 9]
    #[arg(long, help_heading = GO, value_name = "N", value_parser = number(2..=MAX_SIDE))]
    size: Option<u8>,
    /// White's compensation [default: 7.5]
    #[arg(long, help_heading = GO, value_name = "POINTS", value_parser = komi)]
    komi: Option<Komi>,
    /// Allow boards to be repeated, but for ko
    #[arg(long, help_heading = GO)]
    no_superko: bool,
    /// GTP engine that names the dead stones at the end of each game, such as "gnugo --mode gtp"
    /// [default: the players name them]
    #[arg(long, help_heading = GO, value_name = "COMMAND")]
    scorer: Option<CommandLine>,
    #[command(flatten)]
    variant: VariantArguments,
}

/// Parses the name of a format.
fn format() -> impl TypedValueParser<Value = Format> {
    let names = PossibleValuesParser::new(["round-robin", "gauntlet", "swiss"]);
    names.map(|name| match &*name {
        "gauntlet" => Format::Gauntlet,
        "swiss" => Format::Swiss,
        _ => Format::RoundRobin,
    })
}

/// Parses a number of points.
fn komi(text: &str) -> Result<Komi, &'static str> {
    text.parse()
        .map_err(|_| "give a number of points, such as 7.5")
}

impl EventOptions {
    /// Takes the options of a file where the command line has none.
    pub fn or(self, file: EventOptions) -> EventOptions {
        EventOptions {
            game: self.game.or(file.game),
            format: self.format.or(file.format),
            games: self.games.or(file.games),
            rounds: self.rounds.or(file.rounds),
            openings: self.openings.or(file.openings),
            openings_order: self.openings_order.or(file.openings_order),
            openings_start: self.openings_start.or(file.openings_start),
            seed: self.seed.or(file.seed),
            sprt: self.sprt.or(file.sprt),
            population: self.population || file.population,
            adjudicate: self.adjudicate.or(file.adjudicate),
            move_limit: self.move_limit.or(file.move_limit),
            time: self.time.or(file.time),
            time_margin: self.time_margin.or(file.time_margin),
            hang_timeout: self.hang_timeout.or(file.hang_timeout),
            start_timeout: self.start_timeout.or(file.start_timeout),
            size: self.size.or(file.size),
            komi: self.komi.or(file.komi),
            no_superko: self.no_superko || file.no_superko,
            scorer: self.scorer.or(file.scorer),
            variant: self.variant.or(file.variant),
        }
    }

    /// Returns how long a player may take to start.
    pub fn start_limit(&self) -> std::time::Duration {
        self.start_timeout.unwrap_or(GtpEngine::START_LIMIT)
    }

    /// Returns whether a seed is given.
    pub const fn has_seed(&self) -> bool {
        self.seed.is_some()
    }

    /// Returns the game and its rules.
    ///
    /// # Errors
    /// Wrong usage if there are rules of another game.
    pub fn game(&self) -> Result<GameSettings> {
        let name = self.game.as_deref().unwrap_or("gothello");
        if name != "awari" {
            crate::cli::game_options::refuse(self.variant.given(), "awari")?;
        }
        if name != "go" {
            let given = given([
                ("size", self.size.is_some()),
                ("komi", self.komi.is_some()),
                ("no-superko", self.no_superko),
                ("scorer", self.scorer.is_some()),
            ]);
            crate::cli::game_options::refuse(given, "go")?;
        }
        Ok(match name {
            "awari" => GameSettings::Awari {
                variant: self.variant.variant(),
            },
            "go" => GameSettings::Go {
                size: self.size.unwrap_or(9),
                komi: self.komi.unwrap_or(Komi::from_halves(15)),
                superko: !self.no_superko,
                scorer: self.scorer.as_ref().map(CommandLine::words),
            },
            _ => GameSettings::Gothello,
        })
    }

    /// Reads or finds the openings.
    ///
    /// # Errors
    /// They cannot be read, or there are none.
    fn read_openings<G: MatchGame>(
        &self,
        start: &G,
        game: &GameSettings,
        seed: u64,
    ) -> Result<Vec<Opening>> {
        Ok(match &self.openings {
            None => Vec::new(),
            Some(OpeningSource::Balanced(_)) if *game != GameSettings::Gothello => {
                bail_usage!("--openings balanced:N is for Gothello: give a file");
            }
            Some(OpeningSource::Balanced(balanced)) => {
                let found = balanced.find(seed);
                if found.is_empty() {
                    bail!("--openings {balanced}: there is no such position");
                }
                found.into_iter().map(Opening::from).collect()
            }
            Some(OpeningSource::File(path)) => {
                let read = || {
                    let bytes = read_file(Path::new(path), MAX_OPENINGS_FILE)?;
                    anyhow::Ok(read_openings(start, &sgf::decode(&bytes))?)
                };
                match path.split_once(':') {
                    // Not a file whose name has a colon.
                    Some((word, rest))
                        if nearest(word, &["balanced"]).is_some() && !Path::new(path).exists() =>
                    {
                        bail_usage!(
                            "--openings {path}: there is no such file; did you mean balanced:{rest}?"
                        );
                    }
                    _ => read().with_context(|| format!("--openings {path}"))?,
                }
            }
        })
    }

    /// Returns the openings in their order.
    ///
    /// # Errors
    /// Wrong usage if there are fewer than those that are to come last.
    fn in_order(&self, mut openings: Vec<Opening>, seed: u64) -> Result<Vec<Opening>> {
        if self.openings.is_none()
            && (self.openings_order.is_some() || self.openings_start.is_some())
        {
            bail_usage!("--openings-order and --openings-start are for --openings");
        }
        if self.openings_order.as_deref() == Some("random") {
            Rng::new(seed).shuffle(&mut openings);
        }
        if let Some(start) = self.openings_start {
            let before = usize::try_from(start.saturating_sub(1)).unwrap_or(usize::MAX);
            if before >= openings.len() {
                let number = counted(openings.len(), "opening");
                bail_usage!("--openings-start {start}: there are only {number}");
            }
            openings.rotate_left(before);
        }
        Ok(openings)
    }

    /// Returns the settings of an event of these players. `seed` is that of an event that is
    /// resumed.
    ///
    /// # Errors
    /// The openings cannot be read, or the event is impossible.
    pub fn settings<G: MatchGame>(
        &self,
        start: &G,
        players: Vec<PlayerSettings>,
        seed: Option<u64>,
    ) -> Result<EventSettings> {
        let game = self.game()?;
        let seed = seed_or_random(self.seed.or(seed));
        let openings = self.read_openings(start, &game, seed)?;
        let openings = self.in_order(openings, seed)?;
        let move_limit = match game {
            GameSettings::Go { size, .. } => u32::from(size).pow(2).saturating_mul(4),
            GameSettings::Gothello | GameSettings::Awari { .. } => 1_000,
        };
        let millis =
            |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let format = self.format.unwrap_or_default();
        let games = match self.sprt {
            Some(_) if self.rounds.is_none() && format != Format::Swiss => SPRT_GAMES,
            _ => GAMES,
        };
        let settings = EventSettings {
            game,
            players,
            format,
            games: self.games.unwrap_or(games),
            rounds: self.rounds.unwrap_or(1),
            seed,
            time: self.time,
            margin_ms: self.time_margin.map_or(MARGIN_MS, millis),
            hang_ms: self.hang_timeout.map_or(HANG_SECONDS * 1_000, millis),
            openings,
            exact_empty: self.adjudicate.as_ref().map(|_| EXACT_EMPTY),
            move_limit: self.move_limit.unwrap_or(move_limit),
            sprt: self.sprt,
            population: self.population,
        };
        settings
            .check()
            .and_then(|()| settings.check_sample())
            .map_err(|error| wrong_usage(error.to_string()))?;
        Ok(settings)
    }
}
