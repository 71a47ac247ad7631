//! The schedule of an event: which games are played, in which order.

use std::collections::{BTreeMap, BTreeSet};

use super::record::{GameRecord, PlannedGame};
use super::settings::{EventSettings, Format, SettingsError};
use crate::base::color::ByColor;
use crate::base::shard::Shard;
use crate::tournament::{
    Event, GameNumber, GameResult, Games, Name, PairingError, PairingSystem, Settings, Standing,
    Tournament,
};

/// The schedule of an event. It follows from the settings, and for a Swiss tournament from the
/// results so far.
#[derive(Debug)]
pub struct Schedule {
    planned: Vec<PlannedGame>,
    /// A Swiss tournament, and the place of each of its games.
    swiss: Option<(Tournament, BTreeMap<u32, GameNumber>)>,
    games: u32,
    openings: u32,
}

impl Schedule {
    /// Returns the schedule of an event that has not begun.
    ///
    /// # Errors
    /// The event is impossible.
    pub fn new(settings: &EventSettings) -> Result<Schedule, SettingsError> {
        settings.check()?;
        let names: Vec<Name> = settings
            .players
            .iter()
            .map(|player| player.name.clone())
            .collect();
        let mut schedule = Schedule {
            planned: Vec::new(),
            swiss: None,
            games: settings.games,
            openings: u32::try_from(settings.openings.len()).unwrap_or(u32::MAX),
        };
        let tournament = |system, games| {
            let seed = settings.seed;
            let forbidden = Vec::new();
            let settings = Settings {
                system,
                games,
                seed,
                forbidden,
            };
            Tournament::new(settings, &names)
        };
        match settings.format {
            Format::Swiss => {
                let rounds = settings.rounds;
                let games = match settings.games {
                    1 => Games::Single,
                    _ => Games::Both,
                };
                let tournament = tournament(PairingSystem::Swiss { rounds }, games)?;
                schedule.swiss = Some((tournament, BTreeMap::new()));
                // The first round of players who have not met can always be paired.
                let _ = schedule.pair_swiss();
            }
            Format::RoundRobin if names.len() > 2 => {
                let mut tournament = tournament(PairingSystem::RoundRobin, Games::Single)?;
                let mut pairings = Vec::new();
                while let Ok(Some(paired)) = tournament.next_round() {
                    // It has just been made for this tournament.
                    let _ = tournament.apply(&paired);
                    if let Event::Paired { pairings: more, .. } = paired {
                        pairings.extend(more);
                    }
                }
                schedule.add_rounds(settings.rounds, &pairings);
            }
            // The first player meets each other.
            Format::Gauntlet | Format::RoundRobin => {
                let mut others = names.iter();
                let first = others.next().into_iter().cycle();
                let pairings = first.zip(others);
                let pairings =
                    pairings.map(|(one, other)| ByColor::new(one.clone(), other.clone()));
                schedule.add_rounds(settings.rounds, &Vec::from_iter(pairings));
            }
        }
        Ok(schedule)
    }

    /// Returns whether all these games, which have been played, are games of an event with these
    /// settings.
    ///
    /// # Errors
    /// The event is impossible.
    pub fn has_all(settings: &EventSettings, games: &[GameRecord]) -> Result<bool, SettingsError> {
        let mut schedule = Schedule::new(settings)?;
        let mut games: Vec<&GameRecord> = games.iter().collect();
        games.sort_by_key(|game| game.planned.number);
        Ok(games.into_iter().all(|game| {
            let index = usize::try_from(game.planned.number.saturating_sub(1)).ok();
            let known = index.and_then(|index| schedule.planned.get(index));
            known == Some(&game.planned) && schedule.record(game).is_ok()
        }))
    }

    /// Returns the numbers of the known games in a part of the event.
    pub fn numbers_in(&self, part: Shard) -> BTreeSet<u32> {
        let ours = self.planned.iter().filter(|game| game.is_in(part));
        ours.map(|game| game.number).collect()
    }

    /// Returns the known games in order.
    pub fn games(&self) -> &[PlannedGame] {
        &self.planned
    }

    /// Adds rounds in each of which the same players meet. All play their first pair of games
    /// before any player plays the second, so that the table is always balanced.
    fn add_rounds(&mut self, rounds: u32, pairings: &[ByColor<Name>]) {
        let pairs = self.games.div_ceil(2);
        for round in 1..=rounds {
            for pair in 0..pairs {
                // All play the same openings.
                let opening = round
                    .saturating_sub(1)
                    .saturating_mul(pairs)
                    .saturating_add(pair);
                for players in pairings {
                    let has_both = pair.saturating_mul(2).saturating_add(1) < self.games;
                    self.add_pair(round, opening, players, has_both);
                }
            }
        }
    }

    /// Adds a pair of games, or only its first game.
    fn add_pair(&mut self, round: u32, opening: u32, players: &ByColor<Name>, has_both: bool) {
        let pair = self
            .planned
            .last()
            .map_or(0, |last| last.pair)
            .saturating_add(1);
        let opening = opening
            .checked_rem(self.openings)
            .map(|index| index.saturating_add(1));
        let colors = [players.clone(), players.clone().swapped()];
        for players in colors.into_iter().take(if has_both { 2 } else { 1 }) {
            let number = u32::try_from(self.planned.len())
                .unwrap_or(u32::MAX)
                .saturating_add(1);
            self.planned.push(PlannedGame {
                number,
                round,
                pair,
                players,
                opening,
            });
        }
    }

    /// Pairs the next round of a Swiss tournament, if the round before is over.
    fn pair_swiss(&mut self) -> Result<(), PairingError> {
        let Some((tournament, places)) = &mut self.swiss else {
            return Ok(());
        };
        let Some(paired) = tournament.next_round()? else {
            return Ok(());
        };
        // It has just been made for this tournament.
        let _ = tournament.apply(&paired);
        let Event::Paired {
            round, pairings, ..
        } = paired
        else {
            return Ok(());
        };
        let mut number = u32::try_from(self.planned.len()).unwrap_or(u32::MAX);
        for pairing in (1..).take(pairings.len()) {
            for game in 1..=self.games.min(2) {
                number = number.saturating_add(1);
                let place = GameNumber {
                    round,
                    pairing,
                    game,
                };
                places.insert(number, place);
            }
        }
        for players in &pairings {
            self.add_pair(round, round.saturating_sub(1), players, self.games > 1);
        }
        Ok(())
    }

    /// Applies the result of a game: in a Swiss tournament the next round may now be known. The
    /// order in which the games of a round end does not matter.
    ///
    /// # Errors
    /// The next round cannot be paired.
    pub fn record(&mut self, record: &GameRecord) -> Result<(), PairingError> {
        let Some((tournament, places)) = &mut self.swiss else {
            return Ok(());
        };
        let Some(&number) = places.get(&record.planned.number) else {
            return Ok(());
        };
        let ByColor { black, white } = record.planned.players.clone();
        let event = Event::Game {
            scheduled: crate::tournament::ScheduledGame {
                number,
                black,
                white,
            },
            result: GameResult::played(record.winner, record.verdict.to_string()),
        };
        if tournament.apply(&event).is_err() {
            return Ok(());
        }
        self.pair_swiss()
    }

    /// Returns the standings of a Swiss tournament, the leader first; `None` in other formats.
    pub fn swiss_standings(&self) -> Option<Vec<Standing>> {
        let (tournament, _) = self.swiss.as_ref()?;
        Some(tournament.standings())
    }

    /// Returns whether further games may follow the known ones.
    pub fn may_grow(&self) -> bool {
        self.swiss
            .as_ref()
            .is_some_and(|(tournament, _)| !tournament.is_over())
    }
}
