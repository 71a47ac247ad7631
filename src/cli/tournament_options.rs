//! The options of a tournament, which `goref` and `netref` share: each has its `--tournament`,
//! which says who plays.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use itertools::Itertools;

use super::values::{at_least, number, time_limit};
use super::{bail_usage, wrong_usage};
use crate::tournament::{
    Games, MAX_ROUNDS, Name, PairingSystem, Plan, Settings, StopAfter, Tournament,
};

/// How pairs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum System {
    /// Every player meets every other
    RoundRobin,
    /// In each round, players with about the same points meet
    Swiss,
}

/// The settings of a tournament: its pairings, and how long it waits for its players.
#[derive(Debug, Args)]
pub(super) struct PairingArguments {
    /// Number of rounds of a Swiss tournament
    #[arg(long, value_name = "N", required_if_eq("tournament", "swiss"), requires = "tournament", value_parser = number(1..=MAX_ROUNDS), help_heading = "Tournament")]
    rounds: Option<u32>,
    /// Play one game in each pairing instead of two with both colors
    #[arg(long, requires = "tournament", help_heading = "Tournament")]
    single: bool,
    /// Never pair these two; may be given several times
    #[arg(long, alias = "apart", num_args = 2, value_names = ["NAME", "NAME"], action = clap::ArgAction::Append, requires = "tournament", help_heading = "Tournament")]
    avoid: Vec<String>,
    /// Seed of the pairings: the same seed gives the same schedule [default: random]
    #[arg(long, value_name = "N", requires = "tournament", value_parser = at_least(0), help_heading = "Tournament")]
    pub(super) seed: Option<u64>,
    /// Time in seconds after which a player who does not come forfeits a game of the tournament; if
    /// neither comes, both do. It counts while the opponent is there, plays no other
    /// game, and a table is free [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = time_limit, help_heading = "Tournament")]
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
                .map_err(|why| wrong_usage(format!("--avoid {name:?}: {why}")))
        };
        let pairs = self.avoid.iter().tuples();
        let pair = |(one, other)| Ok([name(one)?, name(other)?]);
        if system == System::RoundRobin && self.rounds.is_some() {
            bail_usage!("--rounds is for a Swiss tournament");
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

/// What becomes of the tournament of the options in a folder whose last tournament is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Upcoming {
    /// The last one goes on.
    GoesOn,
    /// It is the last one, which is over: there is nothing to hold.
    IsOver,
    /// It begins.
    Begins,
}

impl PairingArguments {
    /// Compares the tournament of the options with the last one of a folder. The same options hold
    /// no second one, so that a server which is started again and again does not. `names` are those
    /// of its players, if they are known. `page` is where a tournament can be ended.
    ///
    /// # Errors
    /// The last one is unfinished, and another than that of the options.
    pub(super) fn upcoming(
        &self,
        plan: &Plan,
        names: Option<&[Name]>,
        folder: &Path,
        page: &str,
        last: Option<&Tournament>,
    ) -> Result<Upcoming> {
        let Some(last) = last else {
            return Ok(Upcoming::Begins);
        };
        let mut plan = plan.clone();
        if self.seed.is_none() {
            plan.settings.seed = last.settings().seed;
        }
        if last.is_over() {
            return Ok(match plan.was_held(last, names) {
                true => Upcoming::IsOver,
                false => Upcoming::Begins,
            });
        }
        match plan.fits(last) {
            true => Ok(Upcoming::GoesOn),
            false => bail!(
                "--tournament: {} has an unfinished tournament, that of {}: continue it with these \
                 options or with none; hold the new one in another folder; or end the old one: start \
                 with none, and press \"End the tournament\" on {page}",
                folder.display(),
                options_of(last)
            ),
        }
    }
}

impl Upcoming {
    /// Returns what there is to say if the last tournament of the folder is over: the one of the options
    /// is not held again, or is another one.
    pub(super) fn sentence(self, last: Option<&Tournament>) -> Option<String> {
        let last = last.map(options_of)?;
        match self {
            Upcoming::GoesOn => None,
            Upcoming::IsOver => Some(
                "the tournament of these options is over: for another one, give another --seed or \
                 other players, or begin it on the organizer's page"
                    .to_owned(),
            ),
            Upcoming::Begins => Some(format!(
                "the last tournament in this folder, that of {last}, is over: these options hold \
                 another one"
            )),
        }
    }
}

/// Parses when a server stops by itself.
pub(super) fn stop_after(text: &str) -> Result<StopAfter, &'static str> {
    match text.parse() {
        _ if text == "tournament" => Ok(StopAfter::Tournament),
        Ok(games @ 1..) => Ok(StopAfter::Games(games)),
        _ => Err("give a number of games, 1 or more, or the word tournament"),
    }
}

/// Returns the options with which a tournament begins.
fn options_of(tournament: &Tournament) -> String {
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
        options += &format!(" --avoid {} {}", quoted(one), quoted(other));
    }
    options
}
