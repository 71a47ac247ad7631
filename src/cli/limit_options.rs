//! The options that limit the clients of a referee.

use clap::Args;

use super::values::number;
use crate::contests::Limits;

/// The limits of the clients of each address and each team.
#[derive(Debug, Args)]
pub struct LimitArguments {
    /// Maximum number of connections from an address at the same time; 0 is without limit
    /// [default: with --teams half of --max-connections, else 0]
    #[arg(long, value_name = "N", value_parser = number(0..=u32::MAX), help_heading = "Network")]
    address_connections: Option<u32>,
    /// Maximum number of messages a second from an address, on average over ten seconds: more are
    /// read later; 0 is without limit [default: with --teams 1000, else 0]
    #[arg(long, alias = "address-lines", value_name = "N", value_parser = number(0..=u32::MAX), help_heading = "Network")]
    address_messages: Option<u32>,
    /// Maximum number of connections of a team at the same time; 0 is without limit. Clients that
    /// give the team's name count separately from those known by its port, and all count for their
    /// addresses, too
    #[arg(long, value_name = "N", default_value_t = 64, requires = "teams", value_parser = number(0..=u32::MAX), help_heading = "Teams")]
    team_connections: u32,
    /// Maximum number of messages a second of a team's clients, on average over ten seconds: more
    /// are read later; 0 is without limit. They count as for --team-connections
    #[arg(long, alias = "team-lines", value_name = "N", default_value_t = 100, requires = "teams", value_parser = number(0..=u32::MAX), help_heading = "Teams")]
    team_messages: u32,
}

impl LimitArguments {
    /// Returns the limits of the clients of an address. `connections` is the maximum number of all.
    pub fn of_addresses(&self, has_teams: bool, connections: u32) -> Limits {
        let of_teams = |most: u32| if has_teams { most } else { 0 };
        Limits::unless_zero(
            self.address_connections
                .unwrap_or_else(|| of_teams(connections / 2)),
            self.address_messages.unwrap_or_else(|| of_teams(1_000)),
        )
    }

    /// Returns the limits of the clients of a team.
    pub fn of_teams(&self) -> Limits {
        Limits::unless_zero(self.team_connections, self.team_messages)
    }
}
