//! A tournament as data for a web page.

use serde::Serialize;

use super::event::{Fixture, GameResult};
use super::name::Name;
use super::settings::{Games, Kind};
use super::standings::Standing;
use super::state::Tournament;

/// Everything about a tournament that people look at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// Who meets whom.
    pub kind: Kind,
    /// How many games two players play when they meet.
    pub games: Games,
    /// The seed, as text: it may be too large for numbers elsewhere.
    pub seed: String,
    /// How many rounds there are to be.
    pub rounds_planned: usize,
    /// Whether nothing is left to be paired or played.
    pub over: bool,
    /// The standings, the leader first.
    pub standings: Vec<Standing>,
    /// The rounds that have been paired, the first one first.
    pub rounds: Vec<RoundView>,
}

/// A round.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundView {
    /// Its number, from 1.
    pub round: u32,
    /// Who has no opponent.
    pub bye: Option<Name>,
    /// Its games in their order.
    pub fixtures: Vec<FixtureView>,
}

/// A game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FixtureView {
    /// Which one.
    #[serde(flatten)]
    pub fixture: Fixture,
    /// How it ended; `None` if it is to be played.
    pub result: Option<GameResult>,
}

impl Tournament {
    /// Everything about it that people look at.
    pub fn view(&self) -> View {
        let rounds = (1..).zip(self.rounds()).map(|(round, paired)| RoundView {
            round,
            bye: paired.bye.map(|player| self.name(player).clone()),
            fixtures: self
                .fixtures_of(round, paired)
                .map(|(fixture, result)| FixtureView {
                    fixture,
                    result: result.cloned(),
                })
                .collect(),
        });
        let settings = self.settings();
        View {
            kind: settings.kind,
            games: settings.games,
            seed: settings.seed.to_string(),
            rounds_planned: self.rounds_planned(),
            over: self.is_over(),
            standings: self.standings(),
            rounds: rounds.collect(),
        }
    }
}
