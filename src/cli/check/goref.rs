//! `gothello check goref`.

use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::{CheckArguments, list, show};
use crate::check::goref::{GorefSettings, GorefStep, check};
use crate::cli::values::{number, seconds};
use crate::cli::wrong_usage;
use crate::go::Size;

/// Check a client of Go contests, which speaks JSON over WebSocket
///
/// The command is run with {url}, or {host} and {port}, replaced. The client connects, and plays
/// games and parts of games: it need not end in between, and must connect again when its
/// connection is lost.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello check goref -- node agent.js {url}\n  \
    gothello check goref --port 8080 --board 9 -- ./agent\n  \
    gothello check goref --list")]
pub(super) struct Arguments {
    #[command(flatten)]
    check: CheckArguments,
    /// Port, for a command without {url} and {port} [default: one that is free]
    #[arg(long, value_name = "N", value_parser = number(1..=u16::MAX))]
    port: Option<u16>,
    /// Rows and columns of the board
    #[arg(long, value_name = "N", default_value = "19", value_parser = number(2..=25_u8))]
    board: u8,
    /// Time limit in seconds to answer a ping
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    ping_interval: Duration,
}

impl Arguments {
    pub(super) fn run(self) -> Result<()> {
        if self.check.list {
            return list::<GorefStep>();
        }
        let mut words = self.check.command.iter();
        let has_place = words.any(|word| word.contains("{url}") || word.contains("{port}"));
        if self.port.is_none() && !has_place {
            return Err(wrong_usage(
                "the command needs {url} or {port}, which tell the client where to connect, or \
                 there must be --port",
            ));
        }
        let seed = self.check.seed();
        let settings = GorefSettings {
            command: self.check.command.clone(),
            port: self.port,
            size: Size::square(usize::from(self.board))?,
            only: self.check.only()?,
            seed,
            ping_interval: self.ping_interval,
            limits: self.check.limits(),
        };
        let report = check(&settings, &mut |what| self.check.tell(&what))?;
        show("goref", &self.check, seed, &report)
    }
}
