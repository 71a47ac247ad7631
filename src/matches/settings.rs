//! The settings of an event: everything that its results depend on.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use itertools::Itertools as _;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::program::script;
use super::setup::Opening;
use super::time::TimeControl;
use crate::base::color::ByColor;
use crate::games::awari::{self, Variant};
use crate::games::game::Game as _;
use crate::games::go::{self, Komi, Size};
use crate::games::gothello;
use crate::player::MoveLimits;
use crate::statistics::Sprt;
use crate::tournament::{Name, SetupError};

/// The maximum number of games of an event.
pub const MAX_GAMES: u32 = 1_000_000;

/// The minimum number of openings that are a sample of all.
pub const MIN_SAMPLE: usize = 20;

/// The maximum number of players of an event.
pub const MAX_PLAYERS: usize = 200;

/// The settings of an event. Together with what the players do, they determine its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSettings {
    /// The game and its rules.
    pub game: GameSettings,
    /// The players, at least two.
    pub players: Vec<PlayerSettings>,
    /// The pairing format.
    pub format: Format,
    /// The number of games of two players who meet in a round.
    pub games: u32,
    /// The number of rounds.
    pub rounds: u32,
    /// The seed of all random decisions.
    pub seed: u64,
    /// The time control of players without their own; `None` without time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeControl>,
    /// How much longer than its time a player may take, in milliseconds.
    pub margin_ms: u64,
    /// How long a player may be silent while no clock runs, in milliseconds.
    pub hang_ms: u64,
    /// The openings in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<Opening>,
    /// The number of empty points at which a game of Gothello is adjudicated; `None` if it is
    /// played out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact_empty: Option<u32>,
    /// The number of moves after which a game is scored as it stands.
    pub move_limit: u32,
    /// The sequential probability ratio test that ends the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
    /// Whether the openings are a sample, and strengths and tests are about all openings like them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub population: bool,
}

/// A game and its rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
pub enum GameSettings {
    /// Gothello.
    Gothello,
    /// Awari.
    Awari {
        /// The variant of the rules.
        variant: Variant,
    },
    /// Go with area scoring.
    Go {
        /// The number of rows and columns.
        size: u8,
        /// White's compensation.
        komi: Komi,
        /// Whether situational superko holds; ko always does.
        superko: bool,
        /// The GTP engine that names dead stones: its program and arguments; `None` if the players
        /// do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scorer: Option<Vec<String>>,
    },
}

impl GameSettings {
    /// Returns the name of the game.
    pub const fn title(&self) -> &'static str {
        match self {
            GameSettings::Gothello => "Gothello",
            GameSettings::Awari { .. } => "Awari",
            GameSettings::Go { .. } => "Go",
        }
    }

    /// Returns the names of the sides.
    pub fn sides(&self) -> ByColor<&'static str> {
        match self {
            GameSettings::Gothello => gothello::Game::PLAYERS,
            GameSettings::Awari { .. } => awari::Game::PLAYERS,
            GameSettings::Go { .. } => go::Game::PLAYERS,
        }
    }
}

/// The pairing format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// All players meet each other.
    #[default]
    RoundRobin,
    /// The first player meets all others.
    Gauntlet,
    /// In each round, players with about the same points who have not met are paired.
    Swiss,
}

/// A player of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerSettings {
    /// The name.
    pub name: Name,
    /// What plays.
    pub kind: PlayerKind,
    /// The folder in which it runs; `None` for the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Variables that are added to its environment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
    /// GTP commands that it is sent when it has been started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// Its own time control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeControl>,
    /// When it is restarted.
    #[serde(default)]
    pub restart: Restart,
    /// Whether its commands have no numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_ids: bool,
}

/// The kind of a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayerKind {
    /// A GTP engine: its program and arguments.
    Engine(Vec<String>),
    /// The built-in player.
    BuiltIn(BuiltInSettings),
    /// A client of the network referee: its program and arguments, with placeholders.
    Client(Vec<String>),
}

/// The settings of the built-in player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuiltInSettings {
    /// The level in Gothello, as `--level` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The longest time for a move, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_time: Option<f64>,
    /// The most positions to search for a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    /// Whether it makes a random one of the moves that are proven to be equally good, at full
    /// strength.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub random_best: bool,
}

/// When a player's process is restarted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// After a failure.
    #[default]
    OnFailure,
    /// For each game.
    EveryGame,
}

/// Why a text is not a player.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PlayerError(String);

/// The placeholders of a client's command.
const PLACEHOLDERS: [&str; 5] = ["{side}", "{host}", "{server}", "{port}", "{name}"];

/// Returns the placeholders in a word, known or not: lower-case letters in braces.
fn placeholders(word: &str) -> impl Iterator<Item = &str> {
    let after_braces = word.match_indices('{').filter_map(|(start, _)| {
        let rest = word.get(start..)?;
        let end = rest.find('}')?;
        rest.get(..=end)
    });
    after_braces.filter(|found| {
        let inner = found.trim_matches(['{', '}']);
        !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

impl PlayerKind {
    /// Parses `builtin`, `builtin:level=3`, or the command line of an engine or a client. A
    /// command with a placeholder other than `{name}` is that of a client.
    ///
    /// # Errors
    /// It is neither.
    pub fn parse(text: &str) -> Result<PlayerKind, PlayerError> {
        let text = text.trim();
        if text == "builtin" {
            return Ok(PlayerKind::BuiltIn(BuiltInSettings::default()));
        }
        if let Some(options) = text.strip_prefix("builtin:") {
            return options.parse().map(PlayerKind::BuiltIn);
        }
        let words = shlex::split(text);
        let words = words.ok_or_else(|| PlayerError("a quote is not closed".into()))?;
        if words.first().is_none_or(String::is_empty) {
            let why = "give NAME=COMMAND, such as \"gnugo=gnugo --mode gtp\", or builtin";
            return Err(PlayerError(why.into()));
        }
        let found: BTreeSet<&str> = words.iter().flat_map(|word| placeholders(word)).collect();
        if let Some(unknown) = found.iter().find(|found| !PLACEHOLDERS.contains(found)) {
            return Err(PlayerError(format!(
                "{unknown} is no placeholder: use {{side}}, {{host}}, {{server}}, {{port}} or {{name}}"
            )));
        }
        let is_client = found.iter().any(|&found| found != "{name}");
        if !is_client {
            return Ok(PlayerKind::Engine(words));
        }
        let is_missing = |needed: &&&str| match **needed {
            "{server}" => !found.contains("{server}") && !found.contains("{port}"),
            needed => !found.contains(needed),
        };
        match ["{host}", "{side}", "{server}"].iter().find(is_missing) {
            None => Ok(PlayerKind::Client(words)),
            Some(missing) => Err(PlayerError(format!(
                "a client of the network referee needs {{host}}, {{side}}, and {{server}} or {{port}} in \
                 its command, and there is no {missing}"
            ))),
        }
    }

    /// Returns a name for a player that was given none: that of its program, or of the script that
    /// an interpreter runs.
    fn default_name(&self, text: &str) -> String {
        match self {
            PlayerKind::BuiltIn(_) => text.trim().to_owned(),
            PlayerKind::Engine(words) | PlayerKind::Client(words) => {
                let program = words.get(script(words).unwrap_or(0));
                let program = program.map(PathBuf::from).unwrap_or_default();
                program
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned()
            }
        }
    }
}

/// Writes the text that is parsed as this kind.
impl Display for PlayerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerKind::BuiltIn(settings) => settings.fmt(f),
            PlayerKind::Engine(words) | PlayerKind::Client(words) => {
                match shlex::try_join(words.iter().map(String::as_str)) {
                    Ok(command) => f.write_str(&command),
                    // A word has a character that cannot be quoted for a shell.
                    Err(_) => write!(f, "{words:?}"),
                }
            }
        }
    }
}

/// Writes `builtin` with its options.
impl Display for BuiltInSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BuiltInSettings {
            level,
            move_time,
            positions,
            random_best,
        } = self;
        let options = [
            level.as_ref().map(|level| format!("level={level}")),
            move_time.map(|seconds| format!("move-time={seconds}")),
            positions.map(|number| format!("positions={number}")),
            random_best.then(|| "random-best".to_owned()),
        ];
        let options = options.iter().flatten().join(",");
        let colon = if options.is_empty() { "" } else { ":" };
        write!(f, "builtin{colon}{options}")
    }
}

impl FromStr for BuiltInSettings {
    type Err = PlayerError;

    fn from_str(options: &str) -> Result<BuiltInSettings, PlayerError> {
        let mut settings = BuiltInSettings::default();
        for option in options.split(',') {
            let wrong = || {
                PlayerError(format!(
                    "{option:?} is no option of the built-in player: use level=1 to 9 or level=perfect, \
                     move-time=SECONDS, positions=NUMBER, at least 1, or random-best"
                ))
            };
            match option.split_once('=') {
                Some(("level", level)) if level.parse::<crate::player::Level>().is_ok() => {
                    settings.level = Some(level.to_owned());
                }
                Some(("move-time", seconds)) => {
                    let seconds = seconds.parse().ok();
                    let seconds = seconds.filter(|seconds| (0.0..=1e6).contains(seconds));
                    settings.move_time = Some(seconds.ok_or_else(wrong)?);
                }
                Some(("positions", number)) => {
                    let number = number.parse().ok().filter(|&number| number > 0);
                    settings.positions = Some(number.ok_or_else(wrong)?);
                }
                None if option == "random-best" => settings.random_best = true,
                _ => return Err(wrong()),
            }
        }
        Ok(settings)
    }
}

impl BuiltInSettings {
    /// Returns the limits of the search for a move.
    pub fn limits(&self) -> MoveLimits {
        MoveLimits {
            time: self.move_time.map(Duration::from_secs_f64),
            positions: self.positions,
        }
    }

    /// Returns an option that is given and only for Gothello.
    fn for_gothello(&self) -> Option<&'static str> {
        match self.level {
            Some(_) => Some("builtin:level is"),
            None => self.random_best.then_some("builtin:random-best is"),
        }
    }
}

impl PlayerSettings {
    /// Returns a player of this kind.
    pub fn new(name: Name, kind: PlayerKind) -> PlayerSettings {
        PlayerSettings {
            name,
            kind,
            folder: None,
            environment: Vec::new(),
            init: Vec::new(),
            time: None,
            restart: Restart::default(),
            without_ids: false,
        }
    }
}

/// Parses `NAME=COMMAND` or `COMMAND`. A name that is given in this way has no spaces.
impl FromStr for PlayerSettings {
    type Err = PlayerError;

    fn from_str(text: &str) -> Result<PlayerSettings, PlayerError> {
        let is_name = |name: &str| {
            let is_letter = |c: char| match c.is_ascii() {
                true => c.is_ascii_alphanumeric(),
                // Accents and vowel signs are characters of their own.
                false => !c.is_whitespace(),
            };
            let is_part = |c: char| is_letter(c) || "._-+#".contains(c);
            name.chars().all(is_part) && !name.starts_with('-')
        };
        let named = text.split_once('=').filter(|(name, _)| is_name(name));
        let (name, kind) = match named {
            Some((name, command)) => (name.to_owned(), PlayerKind::parse(command)?),
            None => {
                let kind = PlayerKind::parse(text);
                // A text that looks like a name before a command but is not one may explain why the
                // whole text is not a command.
                if let Some((name, command)) = text.split_once('=')
                    && !name.contains(['/', ':'])
                    && (kind.is_err() || command.starts_with("builtin"))
                {
                    return Err(PlayerError(format!(
                        "the name {name:?} cannot be given in this way: in NAME=COMMAND it has letters, \
                         digits, and ._-+# alone; a file for --event can have any name"
                    )));
                }
                let kind = kind?;
                (kind.default_name(text), kind)
            }
        };
        match name.parse() {
            Ok(name) => Ok(PlayerSettings::new(name, kind)),
            Err(why) => Err(PlayerError(format!("the name {name:?}: {why}"))),
        }
    }
}

/// Why an event with these settings is impossible.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SettingsError(String);

impl From<SetupError> for SettingsError {
    fn from(error: SetupError) -> SettingsError {
        SettingsError(error.to_string())
    }
}

impl EventSettings {
    /// Checks that the event can be played.
    ///
    /// # Errors
    /// It cannot.
    pub fn check(&self) -> Result<(), SettingsError> {
        let wrong = |why: String| Err(SettingsError(why));
        let players = self.players.len();
        if !(2..=MAX_PLAYERS).contains(&players) {
            return wrong(format!(
                "an event has 2 to {MAX_PLAYERS} players, and there are {players}"
            ));
        }
        let mut names = BTreeSet::new();
        let mut all = self.players.iter().map(|player| &player.name);
        if let Some(twice) = all.find(|name| !names.insert(*name)) {
            return wrong(format!(
                "two players are called {twice}: name them, as in --player NAME=COMMAND"
            ));
        }
        let numbers = [
            ("--games", self.games),
            ("--rounds", self.rounds),
            ("--move-limit", self.move_limit),
        ];
        if let Some((option, _)) = numbers.into_iter().find(|&(_, number)| number == 0) {
            return wrong(format!("{option} must be at least 1"));
        }
        if self.format == Format::Swiss && self.games > 2 {
            return wrong(format!(
                "in a Swiss tournament two players meet in 1 or 2 games, not in {}: play more rounds",
                self.games
            ));
        }
        let players = players as u64;
        let meetings = match self.format {
            Format::RoundRobin => players.saturating_mul(players.saturating_sub(1)) / 2,
            Format::Gauntlet => players.saturating_sub(1),
            Format::Swiss => players / 2,
        };
        let games = meetings
            .saturating_mul(self.games.into())
            .saturating_mul(self.rounds.into());
        if games > MAX_GAMES.into() {
            return wrong(format!(
                "the event would have {games} games, and {MAX_GAMES} are allowed"
            ));
        }
        const TEST: &str = "a sequential probability ratio test";
        if self.sprt.is_some() && players != 2 {
            return wrong(format!(
                "{TEST} is between 2 players, and there are {players}"
            ));
        }
        if self.sprt.is_some() && !self.games.is_multiple_of(2) {
            return wrong(format!(
                "{TEST} needs an even number of games of each opening"
            ));
        }
        self.check_game().map_err(SettingsError)
    }

    /// Checks that the openings of an event to be played can be a sample, if they are to be one. A report
    /// leaves out what it cannot tell.
    ///
    /// # Errors
    /// They cannot.
    pub fn check_sample(&self) -> Result<(), SettingsError> {
        let played = self.games.div_ceil(2).saturating_mul(self.rounds);
        let most = usize::try_from(played).unwrap_or(usize::MAX);
        let openings = self.openings.len().min(most);
        let why = match self.format {
            _ if !self.population => return Ok(()),
            Format::Swiss => {
                "in a Swiss tournament two players meet too seldom for a sample of openings: leave out \
                 --population"
                    .to_owned()
            }
            Format::RoundRobin | Format::Gauntlet if openings < MIN_SAMPLE => format!(
                "two players play {openings} openings, too few to be a sample of all: give at least \
                 {MIN_SAMPLE}, and twice as many --games, or leave out --population"
            ),
            Format::RoundRobin | Format::Gauntlet => return Ok(()),
        };
        Err(SettingsError(why))
    }

    /// Checks that the players can play the game.
    fn check_game(&self) -> Result<(), String> {
        if self.exact_empty.is_some() && self.game != GameSettings::Gothello {
            return Err("--adjudicate exact is only for Gothello".to_owned());
        }
        let for_gothello = |player: &PlayerSettings| match &player.kind {
            PlayerKind::BuiltIn(settings) => settings.for_gothello(),
            PlayerKind::Engine(_) | PlayerKind::Client(_) => None,
        };
        if matches!(self.game, GameSettings::Awari { .. })
            && let Some(what) = self.players.iter().find_map(for_gothello)
        {
            return Err(format!("{what} only for Gothello"));
        }
        self.check_clients()?;
        let GameSettings::Go { size, .. } = self.game else {
            return Ok(());
        };
        if size < 2 || Size::square(size.into()).is_err() {
            let most = go::MAX_SIDE;
            return Err(format!("a board of Go has 2 to {most} rows, not {size}"));
        }
        for player in &self.players {
            let why = match player.kind {
                PlayerKind::Engine(_) => continue,
                PlayerKind::BuiltIn(_) => "the built-in player plays Gothello and Awari",
                PlayerKind::Client(_) => "the network referee is for Gothello and Awari",
            };
            return Err(format!("{} cannot play Go: {why}", player.name));
        }
        Ok(())
    }

    /// Checks that the clients of the network referee can be told the settings.
    fn check_clients(&self) -> Result<(), String> {
        let is_client = |player: &&PlayerSettings| matches!(player.kind, PlayerKind::Client(_));
        let Some(client) = self.players.iter().find(is_client) else {
            return Ok(());
        };
        let times = || self.players.iter().map(|player| self.time_of(player));
        let is_plain =
            |time: TimeControl| time.increment().is_none() && time.gtp_settings().stones == 0;
        let why = if !self.openings.is_empty() {
            "its games begin with the start position, without --openings"
        } else if times().flatten().any(|time| !is_plain(time)) {
            "its protocol has only a time for all moves, such as --time 60"
        } else if times().any(|time| time.is_some()) && times().any(|time| time.is_none()) {
            "its protocol has a clock for both players or for none"
        } else {
            return Ok(());
        };
        let name = &client.name;
        Err(format!("{name} is a client of the network referee: {why}"))
    }

    /// Returns the time control of a player.
    pub fn time_of(&self, player: &PlayerSettings) -> Option<TimeControl> {
        player.time.or(self.time)
    }

    /// Returns the opening with this number, from 1.
    pub fn opening(&self, number: u32) -> Option<&Opening> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.openings.get(index)
    }

    /// Returns the settings of the player with this name.
    pub fn player(&self, name: &Name) -> Option<&PlayerSettings> {
        self.players.iter().find(|player| player.name == *name)
    }

    /// Returns the engine that names dead stones as a player, if there is one.
    pub fn scorer(&self) -> Option<PlayerSettings> {
        let GameSettings::Go {
            scorer: Some(words),
            ..
        } = &self.game
        else {
            return None;
        };
        let name = "scorer".parse().ok()?;
        Some(PlayerSettings::new(name, PlayerKind::Engine(words.clone())))
    }

    /// Returns the margin by which a player may exceed its time.
    pub const fn margin(&self) -> Duration {
        Duration::from_millis(self.margin_ms)
    }

    /// Returns how long a player may be silent while no clock runs.
    pub const fn hang_limit(&self) -> Duration {
        Duration::from_millis(self.hang_ms)
    }
}
