//! The tournament: its settings, its players, and what has happened.

use std::collections::BTreeSet;

use super::berger;
use super::change::Change;
use super::event::{Event, Fixture, FixtureNumber, GameResult, Pair};
use super::name::Name;
use super::points::Points;
use super::refusal::{NoPairing, Refusal};
use super::round::{Id, Pairing, Round};
use super::settings::{Kind, Settings, SetupError};
use super::swiss;
use crate::rng::Rng;

/// A tournament.
///
/// It is a pure value: what happens goes in as [`Event`]s, and the same settings,
/// entrants and events always give the same tournament.
///
/// ```
/// use gothello::tournament::{Color, Event, GameResult, Games, Kind, Settings, Tournament};
///
/// let settings = Settings { kind: Kind::RoundRobin, games: Games::Both, seed: 1, apart: vec![] };
/// let names = ["Ann".parse()?, "Bob".parse()?];
/// let mut tournament = Tournament::new(settings, &names)?;
/// while let Some(round) = tournament.next_round()? {
///     tournament.apply(&round)?;
/// }
/// while let Some(fixture) = tournament.due().into_iter().next() {
///     let result = GameResult::played(Some(Color::Black), "resign");
///     tournament.apply(&Event::Game { fixture, result })?;
/// }
/// assert!(tournament.is_over());
/// assert!(tournament.standings().iter().all(|row| row.points.to_string() == "1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tournament {
    settings: Settings,
    entrants: Vec<Entrant>,
    /// Who may not meet: the lower number first.
    apart: BTreeSet<(Id, Id)>,
    rounds: Vec<Round>,
    ended: bool,
}

/// A player.
#[derive(Clone, Debug)]
pub(super) struct Entrant {
    pub(super) name: Name,
    /// His starting number, from 1, by which players are ordered who have the same
    /// points.
    pub(super) number: usize,
    /// How many rounds had been paired when he left.
    pub(super) left: Option<usize>,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It changed the tournament.
    Done,
    /// It is a result that the game has already: it is not counted twice.
    Duplicate,
}

impl Tournament {
    /// A tournament of these players, before its first round. The seed gives them
    /// their starting numbers.
    ///
    /// # Errors
    /// There can be no such tournament.
    pub fn new(settings: Settings, entrants: &[Name]) -> Result<Tournament, SetupError> {
        settings.check(entrants)?;
        let mut numbers: Vec<usize> = (1..=entrants.len()).collect();
        Rng::new(settings.seed).shuffle(&mut numbers);
        let entrants = entrants.iter().zip(numbers).map(|(name, number)| Entrant {
            name: name.clone(),
            number,
            left: None,
        });
        let mut tournament = Tournament {
            entrants: entrants.collect(),
            apart: BTreeSet::new(),
            rounds: Vec::new(),
            ended: false,
            settings,
        };
        for [one, other] in tournament.settings.apart.clone() {
            let pair = (tournament.find(&one), tournament.find(&other));
            if let (Some(one), Some(other)) = pair {
                tournament.keep_apart(one, other);
            }
        }
        Ok(tournament)
    }

    /// The settings it was begun with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The names of all players in the order of entry, withdrawn ones included.
    pub fn players(&self) -> impl ExactSizeIterator<Item = &Name> {
        self.entrants.iter().map(|entrant| &entrant.name)
    }

    /// How many rounds have been paired.
    pub fn rounds_paired(&self) -> usize {
        self.rounds.len()
    }

    /// How many rounds there are to be: in a round robin as many as its tables
    /// have.
    pub fn rounds_planned(&self) -> usize {
        match self.settings.kind {
            Kind::RoundRobin => berger::rounds(self.entrants.len()),
            Kind::Swiss { rounds } => usize::try_from(rounds).unwrap_or(usize::MAX),
        }
    }

    /// Whether nothing is left to be paired or played.
    pub fn is_over(&self) -> bool {
        self.ended || self.all_paired() && self.rounds.iter().all(Round::is_over)
    }

    pub(super) fn all_paired(&self) -> bool {
        self.rounds.len() >= self.rounds_planned()
    }

    /// The round to be paired now, as the event that pairs it; `None` if there is
    /// none, or not yet.
    ///
    /// All rounds of a round robin can be paired at once. A round of a Swiss
    /// tournament is paired when the one before it is over.
    ///
    /// # Errors
    /// No pairing keeps the rules. Nothing but a change of the tournament helps:
    /// a player enters or leaves, or the organiser ends it.
    pub fn next_round(&self) -> Result<Option<Event>, NoPairing> {
        let before_is_over = self.rounds.last().is_none_or(Round::is_over);
        let next = match self.settings.kind {
            _ if self.ended || self.all_paired() => return Ok(None),
            Kind::RoundRobin => berger::round(self),
            Kind::Swiss { .. } if before_is_over => swiss::round(self)?,
            Kind::Swiss { .. } => return Ok(None),
        };
        let pairings = next.pairings.iter().map(|[black, white]| Pair {
            black: self.name(*black).clone(),
            white: self.name(*white).clone(),
        });
        Ok(Some(Event::Paired {
            round: count(self.rounds.len() + 1),
            pairings: pairings.collect(),
            bye: next.bye.map(|player| self.name(player).clone()),
        }))
    }

    /// The games that have no result, in the order in which they are to be played:
    /// by round, pairing and game. Games that are being played are among them.
    pub fn due(&self) -> Vec<Fixture> {
        if self.ended {
            return Vec::new();
        }
        let fixtures = self.fixtures();
        let due = fixtures.filter(|(_, result)| result.is_none());
        due.map(|(fixture, _)| fixture).collect()
    }

    /// The games that can be started now if these players are free: each player is
    /// in one of them at most, and an earlier game goes first.
    ///
    /// In a round robin a game of a later round may be started if its players are
    /// free, so that no table waits for the longest game of a round.
    pub fn startable(&self, mut is_free: impl FnMut(&Name) -> bool) -> Vec<Fixture> {
        let mut taken = BTreeSet::new();
        let mut start = Vec::new();
        for fixture in self.due() {
            let players = [&fixture.black, &fixture.white];
            if players.iter().any(|player| taken.contains(*player)) {
                continue;
            }
            if players.iter().all(|player| is_free(player)) {
                taken.extend(players.map(Name::clone));
                start.push(fixture);
            }
        }
        start
    }

    /// All games that have been paired, in their order, with their results.
    pub fn fixtures(&self) -> impl Iterator<Item = (Fixture, Option<&GameResult>)> {
        let rounds = (1..).zip(&self.rounds);
        rounds.flat_map(|(number, round)| self.fixtures_of(number, round))
    }

    /// The games of a round, with their results.
    pub(super) fn fixtures_of<'a>(
        &'a self,
        round: u32,
        paired: &'a Round,
    ) -> impl Iterator<Item = (Fixture, Option<&'a GameResult>)> {
        let pairings = (1..).zip(&paired.pairings);
        pairings.flat_map(move |(pairing, meeting)| {
            (0..).zip(&meeting.games).map(move |(game, result)| {
                let number = FixtureNumber {
                    round,
                    pairing,
                    game: count(game + 1),
                };
                (self.fixture(number, meeting, game), result.as_ref())
            })
        })
    }

    pub(super) fn fixture(&self, number: FixtureNumber, meeting: &Pairing, game: usize) -> Fixture {
        let [black, white] = meeting.seats(game);
        Fixture {
            number,
            black: self.name(black).clone(),
            white: self.name(white).clone(),
        }
    }

    /// Takes note of what happened. An event that is refused changes nothing.
    ///
    /// # Errors
    /// The event does not fit what has happened before.
    pub fn apply(&mut self, event: &Event) -> Result<Applied, Refusal> {
        let change = self.check(event)?;
        Ok(self.make(change))
    }

    /// Makes a change that was checked.
    pub(super) fn make(&mut self, change: Change) -> Applied {
        match change {
            Change::Duplicate => return Applied::Duplicate,
            Change::Round(round) => {
                self.rounds.push(round);
                self.forfeit_games();
            }
            Change::Result(place, result) => {
                let round = self.rounds.get_mut(place.round);
                let pairing = round.and_then(|round| round.pairings.get_mut(place.pairing));
                if let Some(game) = pairing.and_then(|pairing| pairing.games.get_mut(place.game)) {
                    *game = result;
                }
            }
            Change::Leave(player) => self.leave(player),
            Change::Enter(name, apart) => self.enter(name, &apart),
            Change::End => self.ended = true,
        }
        Applied::Done
    }

    fn leave(&mut self, player: Id) {
        let paired = self.rounds.len();
        if let Some(entrant) = self.entrants.get_mut(player.0) {
            entrant.left = Some(paired);
        }
        self.forfeit_games();
    }

    /// Whoever has left forfeits his games that have no result.
    fn forfeit_games(&mut self) {
        let has_left = |Id(player): Id| {
            self.entrants
                .get(player)
                .is_some_and(|one| one.left.is_some())
        };
        for pairing in self.rounds.iter_mut().flat_map(|round| &mut round.pairings) {
            let gone = pairing.players.map(has_left);
            if gone == [false, false] {
                continue;
            }
            let winner = pairing
                .players
                .into_iter()
                .zip(gone)
                .find(|(_, gone)| !gone);
            for game in 0..pairing.games.len() {
                let winner = winner.map(|(player, _)| pairing.color(game, player));
                if let Some(place) = pairing.games.get_mut(game) {
                    place.get_or_insert_with(|| GameResult::forfeit(winner, "withdrawal"));
                }
            }
        }
    }

    fn enter(&mut self, name: Name, apart: &[Id]) {
        let id = Id(self.entrants.len());
        self.entrants.push(Entrant {
            name,
            number: self.entrants.len() + 1,
            left: None,
        });
        for &other in apart {
            self.keep_apart(other, id);
        }
    }

    fn keep_apart(&mut self, one: Id, other: Id) {
        self.apart.insert((one.min(other), one.max(other)));
    }

    /// Whether two players may not meet.
    pub(super) fn are_apart(&self, one: Id, other: Id) -> bool {
        self.apart.contains(&(one.min(other), one.max(other)))
    }

    /// The player of this name.
    pub(super) fn find(&self, name: &Name) -> Option<Id> {
        let found = self
            .entrants
            .iter()
            .position(|entrant| entrant.name == *name);
        found.map(Id)
    }

    /// What a player is called.
    pub(super) fn name(&self, player: Id) -> &Name {
        &self.entrant(player).name
    }

    /// A player.
    pub(super) fn entrant(&self, Id(player): Id) -> &Entrant {
        // Players are only ever added, and an `Id` is made for one that is there.
        &self.entrants[player]
    }

    /// All players.
    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = Id> + use<> {
        (0..self.entrants.len()).map(Id)
    }

    /// The players who have not left.
    pub(super) fn present(&self) -> impl Iterator<Item = Id> {
        self.ids().filter(|id| self.entrant(*id).left.is_none())
    }

    pub(super) fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// What a bye gives.
    pub(super) fn bye_points(&self) -> Points {
        match self.settings.kind {
            Kind::RoundRobin => Points::ZERO,
            Kind::Swiss { .. } => (0..self.settings.games.number()).map(|_| Points::ONE).sum(),
        }
    }
}

/// A small number as it is written.
pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
