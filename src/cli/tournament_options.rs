//! The options of a tournament, which `goref` and `netref` share: each has its `--tournament`,
//! which says who plays.

use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use itertools::Itertools;

use super::values::{ValueError, at_least, number};
use super::wrong_usage;
use crate::goref::time;
use crate::tournament::{Games, MAX_ROUNDS, Name, PairingSystem, Settings, StopAfter, Tournament};

/// How pairs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum System {
    /// Everybody plays everybody
    RoundRobin,
    /// In each round, players with about the same points meet
    Swiss,
}

/// How a tournament is paired, and how long it waits for its players.
#[derive(Debug, Args)]
pub(super) struct PairingArguments {
    /// Number of rounds of a Swiss tournament
    #[arg(long, value_name = "N", required_if_eq("tournament", "swiss"), requires = "tournament", value_parser = number(1..=MAX_ROUNDS), help_heading = "Tournament")]
    rounds: Option<u32>,
    /// Play one game in each pairing instead of two with both colors
    #[arg(long, requires = "tournament", help_heading = "Tournament")]
    single: bool,
    /// Never pair these two; may be given several times
    #[arg(long, num_args = 2, value_names = ["NAME", "NAME"], action = clap::ArgAction::Append, requires = "tournament", help_heading = "Tournament")]
    apart: Vec<String>,
    /// Seed of the pairings: the same seed gives the same schedule [default: random]
    #[arg(long, value_name = "N", requires = "tournament", value_parser = at_least(0), help_heading = "Tournament")]
    pub(super) seed: Option<u64>,
    /// Time after which a player who does not come forfeits a game of the tournament, as SS or
    /// MM:SS; if neither comes, both do. It counts while the opponent is there, plays no other
    /// game, and a table is free [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = forfeit_time, help_heading = "Tournament")]
    pub(super) forfeit_after: Option<Duration>,
}

impl PairingArguments {
    /// Returns the settings of a tournament of this system.
    ///
    /// # Errors
    /// Wrong usage if the options do not fit together.
    pub(super) fn settings(&self, system: System) -> Result<Settings> {
        let name = |name: &String| {
            name.parse()
                .map_err(|why| wrong_usage(format!("--apart {name:?}: {why}")))
        };
        let pairs = self.apart.iter().tuples();
        let pair = |(one, other)| Ok([name(one)?, name(other)?]);
        if system == System::RoundRobin && self.rounds.is_some() {
            return Err(wrong_usage("--rounds is for a Swiss tournament"));
        }
        Ok(Settings {
            system: match system {
                System::RoundRobin => PairingSystem::RoundRobin,
                System::Swiss => PairingSystem::Swiss {
                    rounds: self.rounds.unwrap_or(1),
                },
            },
            games: match self.single {
                true => Games::Single,
                false => Games::Both,
            },
            seed: self.seed.unwrap_or_else(rand::random),
            forbidden: pairs.map(pair).collect::<Result<_>>()?,
        })
    }
}

/// Parses when a server stops by itself.
pub(super) fn stop_after(text: &str) -> Result<StopAfter, ValueError> {
    match text.parse() {
        _ if text == "tournament" => Ok(StopAfter::Tournament),
        Ok(games @ 1..) => Ok(StopAfter::Games(games)),
        _ => Err(ValueError::StopAfter),
    }
}

fn forfeit_time(text: &str) -> Result<Duration, ValueError> {
    let time = time::parse(text).map(Duration::from_millis);
    time.filter(|time| !time.is_zero()).ok_or(ValueError::Time)
}

/// Returns the options with which a tournament begins.
pub(super) fn options_of(tournament: &Tournament) -> String {
    let Settings {
        system,
        games,
        seed,
        forbidden,
    } = tournament.settings();
    let mut options = match system {
        PairingSystem::RoundRobin => "--tournament round-robin".to_owned(),
        PairingSystem::Swiss { rounds } => format!("--tournament swiss --rounds {rounds}"),
    };
    options += &format!(" --players {} --seed {seed}", tournament.players().len());
    if *games == Games::Single {
        options += " --single";
    }
    for [one, other] in forbidden {
        let quoted = |name: &Name| match shlex::try_quote(name.as_str()) {
            Ok(quoted) => quoted.into_owned(),
            Err(_) => name.to_string(),
        };
        options += &format!(" --apart {} {}", quoted(one), quoted(other));
    }
    options
}
