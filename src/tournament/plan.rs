//! A tournament that has not begun.

use super::settings::Settings;
use super::state::Tournament;

/// A tournament that begins when enough players have sent their names.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The number of players needed.
    pub players: usize,
    /// The settings.
    pub settings: Settings,
}

impl Plan {
    /// Returns whether a tournament can have begun with this plan.
    pub fn fits(&self, tournament: &Tournament) -> bool {
        self.settings == *tournament.settings() && self.players <= tournament.players().len()
    }
}
