//! The options of an event, on the command line and in a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Deserialize;

use crate::awari::Variant;
use crate::cli::files::read_file;
use crate::cli::game_options::VariantArguments;
use crate::cli::values::{at_least, number, seconds};
use crate::cli::wrong_usage;
use crate::go::Komi;
use crate::gtp_engine::Process;
use crate::matches::{
    EventSettings, Format, GameSettings, MAX_GAMES, MatchGame, OpeningSource, PlayerKind,
    PlayerSettings, Restart, TimeControl, read_openings,
};
use crate::statistics::Sprt;
use crate::tournament::Name;

/// The maximum size of a file with the description of an event.
const MAX_EVENT_FILE: u64 = 1 << 20;

/// The maximum size of a file of openings.
const MAX_OPENINGS_FILE: u64 = 64 << 20;

/// The number of seeds to draw from if none is given.
const SEEDS: u64 = 1_000_000;

/// The default of `--time-margin`, in milliseconds.
const MARGIN_MS: u64 = 50;

/// The default of `--hang-timeout`, in seconds.
const HANG_SECONDS: u64 = 300;

/// The number of empty points at which `--adjudicate exact` ends a game: a proof then takes some
/// milliseconds.
const EXACT_EMPTY: u32 = 12;

/// The heading of options about what is played.
const EVENT: &str = "Event";

/// The heading of options about time.
const TIME: &str = "Time";

/// The heading of options for Go.
const GO: &str = "Options for Go (with --game go)";

/// What the results of an event depend on, besides its players.
#[derive(Debug, Default, Args)]
pub(super) struct EventOptions {
    /// Game: gothello, awari or go [default: gothello]
    #[arg(long, help_heading = EVENT, value_name = "GAME", hide_possible_values = true,
        value_parser = ["gothello", "awari", "go"])]
    game: Option<String>,
    /// Who meets whom: round-robin, gauntlet (the first player meets all others), or swiss
    /// [default: round-robin]
    #[arg(long, help_heading = EVENT, value_name = "FORMAT", hide_possible_values = true,
        value_parser = format())]
    format: Option<Format>,
    /// Games of two players who meet, each opening twice with colors reversed [default: 2]
    #[arg(long, help_heading = EVENT, value_name = "N", value_parser = number(1..=MAX_GAMES))]
    games: Option<u32>,
    /// Rounds, in each of which players meet [default: 1]
    #[arg(long, help_heading = EVENT, value_name = "N", value_parser = number(1..=MAX_GAMES))]
    rounds: Option<u32>,
    /// Openings: a file with SGF games or a line of moves for each, or balanced:N for N positions
    /// of Gothello whose exact value is near a draw [default: the empty board]
    #[arg(long, help_heading = EVENT, value_name = "FILE|balanced:N")]
    openings: Option<OpeningSource>,
    /// Seed of all random decisions [default: random, and printed]
    #[arg(long, help_heading = EVENT, value_name = "N", value_parser = at_least(0))]
    seed: Option<u64>,
    /// End when a sequential probability ratio test between two players has decided, such as
    /// elo0=0,elo1=10,alpha=0.05,beta=0.05; --games is then the most that are played
    #[arg(long, help_heading = EVENT, value_name = "SETTINGS")]
    sprt: Option<Sprt>,
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
    #[arg(long, help_heading = TIME, value_name = "SECONDS", value_parser = seconds)]
    time_margin: Option<std::time::Duration>,
    /// How long a player may be silent while no clock runs, in seconds [default: 300]
    #[arg(long, help_heading = TIME, value_name = "SECONDS", value_parser = limit)]
    hang_timeout: Option<std::time::Duration>,
    /// How long the first response of an engine, or the connection of a client, may take, in
    /// seconds [default: 60]
    #[arg(long, help_heading = TIME, value_name = "SECONDS", value_parser = limit)]
    start_timeout: Option<std::time::Duration>,
    /// Number of rows and columns, 2 to 19 [default: 9]
    #[arg(long, help_heading = GO, value_name = "N", value_parser = number(2..=19_u8))]
    size: Option<u8>,
    /// White's compensation [default: 7.5]
    #[arg(long, help_heading = GO, value_name = "POINTS", value_parser = komi)]
    komi: Option<Komi>,
    /// Allow boards to be repeated, but for ko
    #[arg(long, help_heading = GO)]
    no_superko: bool,
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

/// Parses a number of seconds that is not 0.
fn limit(text: &str) -> Result<std::time::Duration, String> {
    match seconds(text) {
        Ok(time) if time.as_millis() == 0 => {
            Err("give at least 0.001 s: with 0 every player would have lost at once".to_owned())
        }
        parsed => parsed.map_err(|error| error.to_string()),
    }
}

/// Parses a number of points.
fn komi(text: &str) -> Result<Komi, String> {
    let komi = text.parse().ok();
    komi.ok_or_else(|| "give a number of points, such as 7.5".to_owned())
}

/// A file that describes an event. Its other keys are options of the command line.
#[derive(Debug, Deserialize)]
struct EventFile {
    #[serde(default)]
    player: Vec<PlayerTable>,
    #[serde(flatten)]
    options: BTreeMap<String, toml::Value>,
}

/// A player in such a file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PlayerTable {
    #[serde(default)]
    name: Option<Name>,
    command: String,
    #[serde(default)]
    folder: Option<PathBuf>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    init: Vec<String>,
    #[serde(default)]
    time: Option<TimeControl>,
    #[serde(default)]
    restart: Option<Restart>,
    #[serde(default)]
    ids: Option<bool>,
}

/// Returns whether a text is one command of GTP: engines do not answer empty lines and comments.
fn is_command(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('#') && !text.contains(char::is_control)
}

impl PlayerTable {
    fn settings(self) -> Result<PlayerSettings> {
        let mut player = match self.name {
            Some(name) => {
                let kind = PlayerKind::parse(&self.command);
                let kind = kind.with_context(|| format!("player {name}"))?;
                PlayerSettings::new(name, kind)
            }
            None => self.command.parse().with_context(|| self.command.clone())?,
        };
        if !self.init.is_empty() && !matches!(player.kind, PlayerKind::Engine(_)) {
            bail!("player {}: init is for GTP engines", player.name);
        }
        if matches!(player.kind, PlayerKind::BuiltIn(_)) {
            let given = [
                ("folder", self.folder.is_some()),
                ("environment", !self.environment.is_empty()),
                ("restart", self.restart.is_some()),
                ("ids", self.ids.is_some()),
            ];
            if let Some((key, _)) = given.into_iter().find(|&(_, is_given)| is_given) {
                bail!(
                    "player {}: {key} is for programs, not for the built-in player",
                    player.name
                );
            }
        }
        if let Some(command) = self.init.iter().find(|command| !is_command(command)) {
            bail!(
                "player {}: init: {command:?} is not a GTP command, such as \"komi 7.5\"",
                player.name
            );
        }
        player.folder = self.folder;
        player.environment = self.environment.into_iter().collect();
        player.init = self.init;
        player.time = self.time;
        player.restart = self.restart.unwrap_or_default();
        player.without_ids = self.ids == Some(false);
        Ok(player)
    }
}

/// Reads a file that describes an event: its options, and its players.
///
/// # Errors
/// It cannot be read, or something in it is wrong.
pub(super) fn read_event(path: &Path) -> Result<(EventOptions, Vec<PlayerSettings>)> {
    let read = || {
        let bytes = read_file(path, MAX_EVENT_FILE)?;
        let text = String::from_utf8(bytes).map_err(|_| anyhow!("it is not UTF-8"))?;
        let file: EventFile = toml::from_str(&text)?;
        let options = options_of(&file.options)?;
        let players = file.player.into_iter().map(PlayerTable::settings);
        Ok((options, players.collect::<Result<_>>()?))
    };
    read().map_err(|error: anyhow::Error| anyhow!("{}: {error:#}", path.display()))
}

/// Parses the keys of a file as options of the command line, so that they mean the same.
fn options_of(table: &BTreeMap<String, toml::Value>) -> Result<EventOptions> {
    let mut words = vec!["gothello".to_owned()];
    for (key, value) in table {
        match value {
            toml::Value::Boolean(true) => words.push(format!("--{key}")),
            toml::Value::Boolean(false) => {}
            toml::Value::String(text) => words.push(format!("--{key}={text}")),
            toml::Value::Integer(number) => words.push(format!("--{key}={number}")),
            toml::Value::Float(number) => words.push(format!("--{key}={number}")),
            _ => bail!("{key}: give a text, a number, true or false"),
        }
    }
    let command = EventOptions::augment_args(Command::new("gothello").disable_help_flag(true));
    let known: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long().map(str::to_owned))
        .collect();
    if let Some(unknown) = table.keys().find(|key| !known.contains(key)) {
        bail!(
            "{unknown:?} is not an option of an event: use {}, or [[player]]",
            known.join(", ")
        );
    }
    let parsed: Result<ArgMatches, clap::Error> = command.try_get_matches_from(words);
    let parsed = parsed.and_then(|matches| EventOptions::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        anyhow!("{}", first.trim_start_matches("error: "))
    })
}

/// A choice of a game with its rules, and its first position.
#[derive(Clone, Debug)]
pub(super) enum Game {
    Gothello,
    Awari(Variant),
    Go { size: u8, komi: Komi, superko: bool },
}

impl EventOptions {
    /// Takes the options of a file where the command line has none.
    pub(super) fn or(self, file: EventOptions) -> EventOptions {
        EventOptions {
            game: self.game.or(file.game),
            format: self.format.or(file.format),
            games: self.games.or(file.games),
            rounds: self.rounds.or(file.rounds),
            openings: self.openings.or(file.openings),
            seed: self.seed.or(file.seed),
            sprt: self.sprt.or(file.sprt),
            adjudicate: self.adjudicate.or(file.adjudicate),
            move_limit: self.move_limit.or(file.move_limit),
            time: self.time.or(file.time),
            time_margin: self.time_margin.or(file.time_margin),
            hang_timeout: self.hang_timeout.or(file.hang_timeout),
            start_timeout: self.start_timeout.or(file.start_timeout),
            size: self.size.or(file.size),
            komi: self.komi.or(file.komi),
            no_superko: self.no_superko || file.no_superko,
            variant: self.variant.or(file.variant),
        }
    }

    /// Returns how long a player may take to start.
    pub(super) fn start_limit(&self) -> std::time::Duration {
        self.start_timeout.unwrap_or(Process::START_LIMIT)
    }

    /// Returns whether a seed is given.
    pub(super) const fn has_seed(&self) -> bool {
        self.seed.is_some()
    }

    /// Returns the game and its rules.
    ///
    /// # Errors
    /// Wrong usage if there are rules of another game.
    pub(super) fn game(&self) -> Result<Game> {
        let name = self.game.as_deref().unwrap_or("gothello");
        if name != "awari" {
            crate::cli::game_options::refuse(self.variant.given(), "awari")?;
        }
        if name != "go" {
            let given = [
                ("size", self.size.is_some()),
                ("komi", self.komi.is_some()),
                ("no-superko", self.no_superko),
            ];
            let given = given.into_iter().filter(|&(_, is_given)| is_given);
            crate::cli::game_options::refuse(given.map(|(option, _)| option), "go")?;
        }
        Ok(match name {
            "awari" => Game::Awari(self.variant.variant()),
            "go" => Game::Go {
                size: self.size.unwrap_or(9),
                komi: self.komi.unwrap_or(Komi::from_halves(15)),
                superko: !self.no_superko,
            },
            _ => Game::Gothello,
        })
    }

    /// Returns the settings of an event of these players. `seed` is that of an event that is
    /// resumed.
    ///
    /// # Errors
    /// The openings cannot be read, or the event is impossible.
    pub(super) fn settings<G: MatchGame>(
        &self,
        start: &G,
        players: Vec<PlayerSettings>,
        seed: Option<u64>,
    ) -> Result<EventSettings> {
        let game = match self.game()? {
            Game::Gothello => GameSettings::Gothello,
            Game::Awari(variant) => GameSettings::Awari { variant },
            Game::Go {
                size,
                komi,
                superko,
            } => GameSettings::Go {
                size,
                komi,
                superko,
            },
        };
        let seed = self.seed.or(seed);
        let seed = seed.unwrap_or_else(|| rand::random_range(0..SEEDS));
        let openings = match &self.openings {
            None => Vec::new(),
            Some(OpeningSource::Balanced(_)) if game != GameSettings::Gothello => {
                return Err(wrong_usage(
                    "--openings balanced:N is for Gothello: give a file".to_owned(),
                ));
            }
            Some(OpeningSource::Balanced(balanced)) => {
                let found = balanced.find(seed);
                if found.is_empty() {
                    bail!("--openings {balanced}: there is no such position");
                }
                found
            }
            Some(OpeningSource::File(path)) => {
                let read = || {
                    let bytes = read_file(Path::new(path), MAX_OPENINGS_FILE)?;
                    let text = String::from_utf8(bytes).map_err(|_| anyhow!("it is not UTF-8"))?;
                    anyhow::Ok(read_openings(start, &text)?)
                };
                read().with_context(|| format!("--openings {path}"))?
            }
        };
        let move_limit = match game {
            GameSettings::Go { size, .. } => u32::from(size).pow(2).saturating_mul(4),
            GameSettings::Gothello | GameSettings::Awari { .. } => 1_000,
        };
        let millis =
            |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let settings = EventSettings {
            game,
            players,
            format: self.format.unwrap_or_default(),
            games: self.games.unwrap_or(2),
            rounds: self.rounds.unwrap_or(1),
            seed,
            time: self.time,
            margin_ms: self.time_margin.map_or(MARGIN_MS, millis),
            hang_ms: self.hang_timeout.map_or(HANG_SECONDS * 1_000, millis),
            openings,
            exact_empty: self.adjudicate.as_ref().map(|_| EXACT_EMPTY),
            move_limit: self.move_limit.unwrap_or(move_limit),
            sprt: self.sprt,
        };
        settings
            .check()
            .map_err(|error| wrong_usage(error.to_string()))?;
        Ok(settings)
    }
}
