//! The tournament: its settings, players, and rounds so far.

mod crosstable;
mod csv;
mod standings;
mod swiss;
mod trf;

use std::collections::BTreeSet;

use itertools::Itertools;
use thiserror::Error;

use super::event::{Event, GameNumber, GameResult, Pairing, Points, Remark, Ruling, ScheduledGame};
use super::settings::{Games, MAX_ENTRANTS, Name, PairingSystem, Settings, SetupError};
use crate::base::color::{ByColor, Color};
use crate::base::counted::counted;
use crate::base::rng::Rng;

pub use crosstable::{CrossCell, CrossGame, Crosstable, Mark};
pub use standings::{GameView, RoundView, Standing, TieBreaks, View};
pub use trf::TrfError;

/// A tournament.
///
/// It is a pure value. [`apply`](Tournament::apply) takes [`Event`]s. The
/// same settings, entrants and events always give the same tournament.
///
/// ```
/// use gothello::Color;
/// use gothello::tournament::{Event, GameResult, Games, PairingSystem, Settings, Tournament};
///
/// let settings = Settings { system: PairingSystem::RoundRobin, games: Games::Both, seed: 1, forbidden: vec![] };
/// let names = ["Ann".parse()?, "Bob".parse()?];
/// let mut tournament = Tournament::new(settings, &names)?;
/// while let Some(round) = tournament.next_round()? {
///     tournament.apply(&round)?;
/// }
/// while let Some(scheduled) = tournament.pending_games().into_iter().next() {
///     let result = GameResult::played(Some(Color::Black), "resign");
///     tournament.apply(&Event::Game { scheduled, result })?;
/// }
/// assert!(tournament.is_over());
/// assert!(tournament.standings().iter().all(|row| row.points.to_string() == "1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tournament {
    settings: Settings,
    entrants: Vec<Entrant>,
    /// The number of entrants when it began.
    begun_with: usize,
    forbidden: ForbiddenPairs,
    rounds: Vec<Round>,
    /// What the organizer has decided about results, in order.
    rulings: Vec<Ruling>,
    ended: bool,
}

/// A player of a tournament.
#[derive(Clone, Debug)]
struct Entrant {
    name: Name,
    /// The starting number, from 1, which orders players with the same points.
    number: usize,
    status: Status,
}

/// Whether a player is paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// The player is paired in every round.
    Present,
    /// The player misses rounds until they return.
    Absent,
    /// The player has withdrawn.
    Left,
}

/// The effect of an event on a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It changed the tournament.
    Done,
    /// It says what is so already: the result that a game has, that an absent player is absent,
    /// or that a player who is not absent has returned. It does not count twice.
    Duplicate,
}

/// An event that fits a tournament, in terms of that tournament.
#[derive(Clone, Debug)]
enum Change {
    Duplicate,
    Round(Round),
    Result(Place, Option<GameResult>),
    /// The player is present, absent from the next round on, or leaves.
    Attend(PlayerId, Status),
    Enter(Name, Vec<PlayerId>),
    End,
}

/// The indices of a game, which count from 0.
#[derive(Clone, Copy, Debug)]
struct Place {
    round: usize,
    pairing: usize,
    game: usize,
}

impl Tournament {
    /// Creates a tournament of these players, before its first round. The seed determines
    /// their starting numbers.
    ///
    /// # Errors
    /// A tournament with these settings and players is impossible.
    pub fn new(settings: Settings, entrants: &[Name]) -> Result<Tournament, SetupError> {
        settings.check(entrants)?;
        let mut numbers: Vec<usize> = (1..=entrants.len()).collect();
        Rng::new(settings.seed).shuffle(&mut numbers);
        let entrants = entrants.iter().zip(numbers).map(|(name, number)| Entrant {
            name: name.clone(),
            number,
            status: Status::Present,
        });
        let mut tournament = Tournament {
            begun_with: entrants.len(),
            entrants: entrants.collect(),
            forbidden: ForbiddenPairs::default(),
            rounds: Vec::new(),
            rulings: Vec::new(),
            ended: false,
            settings,
        };
        for [one, other] in &tournament.settings.forbidden {
            let pair = (tournament.find(one), tournament.find(other));
            if let (Some(one), Some(other)) = pair {
                tournament.forbidden.insert(one, other);
            }
        }
        Ok(tournament)
    }

    /// Checks whether any two players may meet. Tournaments in files of earlier versions may have no
    /// such two.
    ///
    /// # Errors
    /// All are kept apart from each other.
    pub fn check_pairings(&self) -> Result<(), SetupError> {
        let mut pairs = self.ids().array_combinations();
        match pairs.any(|[one, other]| !self.forbidden.contains(one, other)) {
            true => Ok(()),
            false => Err(SetupError::NothingToPlay),
        }
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the names of all players in the order of entry, withdrawn and absent ones included.
    pub fn players(&self) -> impl ExactSizeIterator<Item = &Name> {
        self.entrants.iter().map(|entrant| &entrant.name)
    }

    /// Returns whether a player has withdrawn.
    pub fn has_left(&self, player: &Name) -> bool {
        self.has_status(player, Status::Left)
    }

    /// Returns whether a player misses rounds, and has not withdrawn.
    pub fn is_absent(&self, player: &Name) -> bool {
        self.has_status(player, Status::Absent)
    }

    fn has_status(&self, player: &Name, status: Status) -> bool {
        let player = self.find(player);
        player.is_some_and(|player| self.status(player) == status)
    }

    /// Returns how many rounds have been paired.
    pub fn rounds_paired(&self) -> usize {
        self.rounds.len()
    }

    /// Returns the number of the first round with a game that has no result; if there is none,
    /// that of the round to be paired next.
    pub fn current_round(&self) -> u32 {
        let mut rounds = (1..).zip(&self.rounds);
        let open = rounds.find(|(_, round)| !round.is_over());
        open.map_or_else(|| self.next_round_number(), |(number, _)| number)
    }

    /// Returns how many rounds are planned. A round robin has as many as Berger's table for
    /// its players.
    pub fn rounds_planned(&self) -> usize {
        match self.settings.system {
            PairingSystem::RoundRobin => round_robin_rounds(self.entrants.len()),
            PairingSystem::Swiss { rounds } => usize::try_from(rounds).unwrap_or(usize::MAX),
        }
    }

    /// Returns whether nothing is left to be paired or played.
    pub fn is_over(&self) -> bool {
        self.ended || self.all_paired() && self.rounds.iter().all(Round::is_over)
    }

    /// Returns whether the last round is paired.
    pub fn all_paired(&self) -> bool {
        self.rounds.len() >= self.rounds_planned()
    }

    fn is_swiss(&self) -> bool {
        matches!(self.settings.system, PairingSystem::Swiss { .. })
    }

    /// Pairs the next round. Returns the event that pairs it, to be applied; `None` if there
    /// is no further round, or not yet.
    ///
    /// All rounds of a round robin can be paired at once. A round of a Swiss tournament is
    /// paired when the round before is over.
    ///
    /// # Errors
    /// No pairing satisfies the rules. Only a change of the tournament helps: a player enters,
    /// returns, is absent or withdraws, or the organizer ends it.
    pub fn next_round(&self) -> Result<Option<Event>, PairingError> {
        if self.ended || self.all_paired() {
            return Ok(None);
        }
        let paired = match self.settings.system {
            PairingSystem::RoundRobin => self.pair_round_robin(),
            PairingSystem::Swiss { .. } if self.rounds.last().is_none_or(Round::is_over) => {
                self.pair_swiss()?
            }
            PairingSystem::Swiss { .. } => return Ok(None),
        };
        let names = |players: ByColor<PlayerId>| players.map(|player| self.name(player).clone());
        Ok(Some(Event::Paired {
            round: self.next_round_number(),
            pairings: paired.pairings.into_iter().map(names).collect(),
            bye: paired.bye.map(|player| self.name(player).clone()),
        }))
    }

    fn next_round_number(&self) -> u32 {
        to_u32(self.rounds.len() + 1)
    }

    fn pair_round_robin(&self) -> PairedRound {
        let mut players: Vec<PlayerId> = self.ids().collect();
        players.sort_by_key(|player| self.starting_number(*player));
        pair_round_robin(&players, self.rounds.len(), &self.forbidden)
    }

    fn pair_swiss(&self) -> Result<PairedRound, PairingError> {
        swiss::pair_swiss(self).ok_or_else(|| PairingError {
            round: self.next_round_number(),
            players: self.available().count(),
            absent: self.absent().count(),
        })
    }

    /// Returns the games of the paired rounds that have no result, also those that are being
    /// played, in the order in which they are to be played: by round, pairing, and game. There are
    /// none after the tournament has been ended early.
    pub fn pending_games(&self) -> Vec<ScheduledGame> {
        if self.ended {
            return Vec::new();
        }
        let games = self.games();
        let due = games.filter(|(_, result)| result.is_none());
        due.map(|(scheduled, _)| scheduled).collect()
    }

    /// Returns whether a game is one of the [pending games](Tournament::pending_games).
    pub fn is_pending(&self, scheduled: &ScheduledGame) -> bool {
        !self.ended && matches!(self.game(scheduled), Ok((_, None)))
    }

    /// Returns the games that can be started now, given which players are free. Each player
    /// is in at most one of them, and earlier games take precedence.
    ///
    /// In a round robin a game of a later round may start if its players are free, so that
    /// no table waits for the longest game of a round.
    pub fn startable(&self, mut is_free: impl FnMut(&Name) -> bool) -> Vec<ScheduledGame> {
        self.startable_if(|scheduled| is_free(&scheduled.black) && is_free(&scheduled.white))
    }

    /// Returns the games that can be started now, given which of them could be played; otherwise
    /// as [`startable`](Tournament::startable).
    pub fn startable_if(
        &self,
        mut is_playable: impl FnMut(&ScheduledGame) -> bool,
    ) -> Vec<ScheduledGame> {
        let mut taken = BTreeSet::new();
        let mut start = Vec::new();
        for scheduled in self.pending_games() {
            let players = [&scheduled.black, &scheduled.white];
            if players.iter().any(|player| taken.contains(*player)) {
                continue;
            }
            if is_playable(&scheduled) {
                taken.extend(players.map(Name::clone));
                start.push(scheduled);
            }
        }
        start
    }

    /// Returns all games that have been paired, in order, with their results.
    pub fn games(&self) -> impl Iterator<Item = (ScheduledGame, Option<&GameResult>)> {
        let rounds = (1..).zip(&self.rounds);
        rounds.flat_map(|(number, round)| self.games_of(number, round))
    }

    /// Returns the games of a round, with their results.
    fn games_of<'a>(
        &'a self,
        number: u32,
        round: &'a Round,
    ) -> impl Iterator<Item = (ScheduledGame, Option<&'a GameResult>)> {
        let pairings = (1..).zip(&round.encounters);
        pairings.flat_map(move |(pairing, encounter)| {
            (0..).zip(&encounter.games).map(move |(game, result)| {
                let number = GameNumber {
                    round: number,
                    pairing,
                    game: to_u32(game + 1),
                };
                (self.scheduled(number, encounter, game), result.as_ref())
            })
        })
    }

    fn scheduled(&self, number: GameNumber, encounter: &Encounter, game: usize) -> ScheduledGame {
        let ByColor { black, white } = encounter.players(game);
        ScheduledGame {
            number,
            black: self.name(black).clone(),
            white: self.name(white).clone(),
        }
    }

    /// Applies an event. An event that is refused changes nothing.
    ///
    /// # Errors
    /// The event does not fit what has happened before.
    pub fn apply(&mut self, event: &Event) -> Result<Applied, EventError> {
        match self.change(event)? {
            Change::Duplicate => return Ok(Applied::Duplicate),
            Change::Round(round) => {
                self.rounds.push(round);
                self.forfeit_games();
            }
            Change::Result(place, result) => {
                self.note_ruling(event);
                if let Some(round) = self.rounds.get_mut(place.round) {
                    round.set_result(place.pairing, place.game, result);
                }
            }
            Change::Attend(player, status) => {
                if let Some(entrant) = self.entrants.get_mut(player.0) {
                    entrant.status = status;
                }
                if status == Status::Left {
                    self.forfeit_games();
                }
            }
            Change::Enter(name, forbidden) => self.enter(name, &forbidden),
            Change::End => self.ended = true,
        }
        Ok(Applied::Done)
    }

    /// Notes what the organizer has decided about a result, before it changes.
    fn note_ruling(&mut self, event: &Event) {
        let (scheduled, after, reason) = match event {
            Event::Correction { scheduled, result } => {
                (scheduled, Some(result.clone()), result.reason.clone())
            }
            Event::Replay { scheduled, reason } => (scheduled, None, reason.clone()),
            _ => return,
        };
        let before = self.game(scheduled).ok().and_then(|(_, result)| result);
        self.rulings.push(Ruling {
            scheduled: scheduled.clone(),
            before: before.cloned(),
            after,
            reason,
        });
    }

    /// Returns whether this is the result of a game that the organizer has decided about.
    fn is_ruled(&self, result: &GameResult) -> bool {
        let id = result.id.as_ref().map(Remark::as_str);
        id.is_some() && self.rulings.iter().any(|ruling| ruling.id() == id)
    }

    /// Returns what the organizer has decided about results, in order.
    pub fn rulings(&self) -> &[Ruling] {
        &self.rulings
    }

    /// Returns what [`apply`](Tournament::apply) would return, and changes nothing.
    ///
    /// # Errors
    /// The event does not fit what has happened before.
    pub fn check(&self, event: &Event) -> Result<Applied, EventError> {
        Ok(match self.change(event)? {
            Change::Duplicate => Applied::Duplicate,
            _ => Applied::Done,
        })
    }

    /// Checks an event and returns the change that it makes.
    fn change(&self, event: &Event) -> Result<Change, EventError> {
        if self.ended && !matches!(event, Event::Correction { .. } | Event::Game { .. }) {
            return Err(EventError::Ended);
        }
        let change = match event {
            Event::Paired {
                round,
                pairings,
                bye,
            } => Change::Round(self.check_round(*round, pairings, bye.as_ref())?),
            Event::Game { scheduled, result } => match self.game(scheduled)? {
                (_, Some(before)) if before == result => Change::Duplicate,
                // The organizer has decided about it, and it is told again.
                _ if self.is_ruled(result) => Change::Duplicate,
                (_, Some(_)) => return Err(EventError::HasResult(scheduled.clone())),
                (place, None) => check_result(scheduled, place, result)?,
            },
            Event::Correction { scheduled, result } => match self.game(scheduled)? {
                (_, Some(before)) if before == result => Change::Duplicate,
                (place, _) => check_result(scheduled, place, result)?,
            },
            Event::Replay { scheduled, .. } => match self.game(scheduled)? {
                (_, None) => return Err(EventError::NoResult(scheduled.clone())),
                (place, Some(_)) => self.check_replay(scheduled, place)?,
            },
            Event::Withdrawal { player, .. } => {
                Change::Attend(self.find_staying(player)?, Status::Left)
            }
            Event::Absence { player, .. } => self.check_attendance(player, Status::Absent)?,
            Event::Return { player } => self.check_attendance(player, Status::Present)?,
            Event::Entry { player, forbidden } => self.check_entry(player, forbidden)?,
            Event::Ended { .. } => Change::End,
        };
        Ok(change)
    }

    /// Forfeits the games without a result of all players who have left.
    fn forfeit_games(&mut self) {
        let entrants = &self.entrants;
        let has_left = |PlayerId(player)| {
            let entrant = entrants.get(player);
            entrant.is_some_and(|entrant| entrant.status == Status::Left)
        };
        for round in &mut self.rounds {
            round.forfeit_games(has_left);
        }
    }

    fn enter(&mut self, name: Name, forbidden: &[PlayerId]) {
        let player = PlayerId(self.entrants.len());
        self.entrants.push(Entrant {
            name,
            number: self.entrants.len() + 1,
            status: Status::Present,
        });
        for &other in forbidden {
            self.forbidden.insert(other, player);
        }
    }

    /// Finds a player by name.
    fn find(&self, name: &Name) -> Option<PlayerId> {
        let mut entrants = self.entrants.iter();
        let found = entrants.position(|entrant| entrant.name == *name);
        found.map(PlayerId)
    }

    /// Returns the player with a name.
    ///
    /// # Errors
    /// No player has it.
    fn find_known(&self, name: &Name) -> Result<PlayerId, EventError> {
        let found = self.find(name);
        found.ok_or_else(|| EventError::UnknownPlayer(name.clone()))
    }

    /// Finds a player who has not left. They may be absent.
    fn find_staying(&self, name: &Name) -> Result<PlayerId, EventError> {
        let player = self.find_known(name)?;
        match self.status(player) {
            Status::Left => Err(EventError::HasLeft(name.clone())),
            Status::Present | Status::Absent => Ok(player),
        }
    }

    fn entrant(&self, PlayerId(player): PlayerId) -> &Entrant {
        // Entrants are never removed, and an id is only created for one that exists.
        &self.entrants[player]
    }

    fn name(&self, player: PlayerId) -> &Name {
        &self.entrant(player).name
    }

    /// Returns the number, from 1, which orders players with the same points.
    fn starting_number(&self, player: PlayerId) -> usize {
        self.entrant(player).number
    }

    fn status(&self, player: PlayerId) -> Status {
        self.entrant(player).status
    }

    /// Returns all players, withdrawn ones included.
    fn ids(&self) -> impl DoubleEndedIterator<Item = PlayerId> + use<> {
        (0..self.entrants.len()).map(PlayerId)
    }

    /// Returns the players of the next round of a Swiss tournament: those who have neither left
    /// nor are absent.
    fn available(&self) -> impl Iterator<Item = PlayerId> {
        self.ids().filter(|id| self.status(*id) == Status::Present)
    }

    /// Returns the players who miss the next round.
    fn absent(&self) -> impl Iterator<Item = PlayerId> {
        self.ids().filter(|id| self.status(*id) == Status::Absent)
    }

    /// Returns the points of a bye.
    fn bye_points(&self) -> Points {
        match self.settings.system {
            PairingSystem::RoundRobin => Points::ZERO,
            PairingSystem::Swiss { .. } => {
                (0..self.settings.games.number()).map(|_| Points::ONE).sum()
            }
        }
    }
}

/// The checks of events.
impl Tournament {
    /// Returns the place of a game and its result.
    fn game(&self, scheduled: &ScheduledGame) -> Result<(Place, Option<&GameResult>), EventError> {
        let number = scheduled.number;
        let none = || EventError::NoSuchGame(number);
        let index = |number: u32| usize::try_from(number).ok()?.checked_sub(1);
        let place = || {
            let place = Place {
                round: index(number.round)?,
                pairing: index(number.pairing)?,
                game: index(number.game)?,
            };
            let round = self.rounds.get(place.round)?;
            let encounter = round.encounters.get(place.pairing)?;
            Some((place, encounter, encounter.games.get(place.game)?))
        };
        let (place, encounter, result) = place().ok_or_else(none)?;
        let paired = self.scheduled(number, encounter, place.game);
        if paired != *scheduled {
            return Err(EventError::OtherPlayers(paired));
        }
        Ok((place, result.as_ref()))
    }

    /// A game can be played again only while neither player has left and, in a Swiss
    /// tournament, before its result has determined the next pairing. Its players may be absent,
    /// because they play the games that are paired already.
    fn check_replay(&self, scheduled: &ScheduledGame, place: Place) -> Result<Change, EventError> {
        self.find_staying(&scheduled.black)?;
        self.find_staying(&scheduled.white)?;
        if self.is_swiss() && place.round + 1 < self.rounds.len() {
            return Err(EventError::NextRoundPaired(scheduled.clone()));
        }
        Ok(Change::Result(place, None))
    }

    fn check_attendance(&self, name: &Name, status: Status) -> Result<Change, EventError> {
        if !self.is_swiss() {
            return Err(EventError::RoundRobinAbsence);
        }
        let player = self.find_staying(name)?;
        Ok(match self.status(player) == status {
            true => Change::Duplicate,
            false => Change::Attend(player, status),
        })
    }

    fn check_entry(&self, name: &Name, forbidden: &[Name]) -> Result<Change, EventError> {
        if !self.is_swiss() {
            return Err(EventError::LateEntry);
        }
        if self.find(name).is_some() {
            return Err(EventError::AlreadyEntered(name.clone()));
        }
        if self.entrants.len() >= MAX_ENTRANTS {
            return Err(EventError::Full);
        }
        let known = |name: &Name| self.find_known(name);
        let forbidden: Result<Vec<PlayerId>, EventError> = forbidden.iter().map(known).collect();
        Ok(Change::Enter(name.clone(), forbidden?))
    }

    fn check_round(
        &self,
        round: u32,
        pairings: &[Pairing],
        bye: Option<&Name>,
    ) -> Result<Round, EventError> {
        let expected = self.next_round_number();
        if self.all_paired() {
            return Err(EventError::NoFurtherRound);
        }
        if round != expected {
            return Err(EventError::OtherRound {
                expected,
                found: round,
            });
        }
        let swiss = self.is_swiss();
        if swiss && self.rounds.last().is_some_and(|last| !last.is_over()) {
            return Err(EventError::RoundNotOver(expected - 1));
        }
        let mut taken = BTreeSet::new();
        let mut take = |name: &Name| {
            let id = match self.find_staying(name) {
                // A player who has left a round robin is still paired, and forfeits.
                Err(EventError::HasLeft(_)) if !swiss => self.find_known(name)?,
                found => found?,
            };
            if self.status(id) == Status::Absent {
                return Err(EventError::IsAbsent(name.clone()));
            }
            if !taken.insert(id) {
                return Err(EventError::PairedTwice(name.clone()));
            }
            Ok(id)
        };
        let mut paired = PairedRound::default();
        for Pairing { black, white } in pairings {
            let players = ByColor::new(take(black)?, take(white)?);
            self.check_pair(players)?;
            paired.pairings.push(players);
        }
        paired.bye = bye.map(&mut take).transpose()?;
        if let Some(player) = paired
            .bye
            .filter(|player| swiss && !self.may_have_bye(*player))
        {
            return Err(EventError::SecondBye(self.name(player).clone()));
        }
        let left_out = self.available().find(|player| !taken.contains(player));
        match left_out {
            Some(player) if swiss => Err(EventError::LeftOut(self.name(player).clone())),
            _ => Ok(Round::new(
                paired,
                self.absent().collect(),
                self.settings.games,
            )),
        }
    }

    fn check_pair(&self, ByColor { black, white }: ByColor<PlayerId>) -> Result<(), EventError> {
        let refused = |why: fn(Name, Name) -> EventError| {
            Err(why(self.name(black).clone(), self.name(white).clone()))
        };
        if self.forbidden.contains(black, white) {
            return refused(EventError::MayNotMeet);
        }
        if self.have_met(black, white) {
            return refused(EventError::HaveMet);
        }
        Ok(())
    }

    /// Returns whether two players have met: in a Swiss tournament in a game that was played
    /// (FIDE, C.04.1, rule b), in a round robin also by forfeit.
    fn have_met(&self, one: PlayerId, other: PlayerId) -> bool {
        let forfeits_count = !self.is_swiss();
        self.encounters_of(one).any(|encounter| {
            encounter.opponent(one) == other && (forfeits_count || encounter.was_played())
        })
    }

    /// Returns the encounters of a player, in the order of the rounds.
    fn encounters_of(&self, player: PlayerId) -> impl Iterator<Item = &Encounter> {
        let encounters = self.rounds.iter();
        encounters.filter_map(move |round| round.encounter_of(player))
    }

    /// Returns whether a player may have a bye: they have neither had one nor won all games
    /// of a round by forfeit (FIDE, C.04.1, rule d).
    fn may_have_bye(&self, player: PlayerId) -> bool {
        let all = self.bye_points();
        !self.rounds.iter().any(|round| {
            let encounter = round.encounter_of(player);
            let won = encounter.is_some_and(|encounter| {
                !encounter.was_played() && encounter.points(player) >= all
            });
            round.bye == Some(player) || won
        })
    }
}

/// Checks the scores of a result: the results file cannot hold infinite numbers.
fn check_result(
    scheduled: &ScheduledGame,
    place: Place,
    result: &GameResult,
) -> Result<Change, EventError> {
    match result.scores {
        Some(scores) if !scores.iter().all(|score| score.is_finite()) => {
            Err(EventError::InvalidScores(scheduled.clone()))
        }
        _ => Ok(Change::Result(place, Some(result.clone()))),
    }
}

/// Why an event does not fit what has happened before.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EventError {
    /// The organizer has ended the tournament.
    #[error("the tournament has been ended")]
    Ended,
    /// The round is not the next one.
    #[error("round {found} is paired, but the next one is round {expected}")]
    OtherRound {
        /// The next round.
        expected: u32,
        /// The round of the event.
        found: u32,
    },
    /// All planned rounds have been paired.
    #[error("all rounds that were planned have been paired")]
    NoFurtherRound,
    /// The round before has games without a result.
    #[error("a round is paired before round {0} is over")]
    RoundNotOver(u32),
    /// No player has this name.
    #[error("no player is called {0}")]
    UnknownPlayer(Name),
    /// The player has left.
    #[error("{0} has left the tournament")]
    HasLeft(Name),
    /// The player is absent.
    #[error("{0} is absent, and cannot be paired until they return")]
    IsAbsent(Name),
    /// No round of a round robin can be missed.
    #[error(
        "nobody misses rounds of a round robin: its games wait for an absent player, or are \
         forfeited; a player who does not come back withdraws"
    )]
    RoundRobinAbsence,
    /// The player is paired more than once in a round.
    #[error("{0} is paired twice in one round")]
    PairedTwice(Name),
    /// The player is not paired.
    #[error("{0} is not paired")]
    LeftOut(Name),
    /// Two players have met before.
    #[error("{0} and {1} have met before")]
    HaveMet(Name, Name),
    /// Two players may not meet.
    #[error("{0} and {1} may not meet")]
    MayNotMeet(Name, Name),
    /// The player had a bye before, or won a round by forfeit.
    #[error("{0} cannot have a bye, because they have won a round without playing before")]
    SecondBye(Name),
    /// No such game has been paired.
    #[error("there is no {0}")]
    NoSuchGame(GameNumber),
    /// Other players were paired for this game.
    #[error("this game was paired as {0}")]
    OtherPlayers(ScheduledGame),
    /// The game has a result already.
    #[error("{0} has another result already: only a correction changes it")]
    HasResult(ScheduledGame),
    /// The game has no result.
    #[error("{0} has no result that could be taken back")]
    NoResult(ScheduledGame),
    /// The result has determined the next pairing.
    #[error("{0} cannot be played again, because the next round has been paired")]
    NextRoundPaired(ScheduledGame),
    /// A score is infinite or not a number.
    #[error("a score of {0} is not a finite number")]
    InvalidScores(ScheduledGame),
    /// A player of this name is in the tournament.
    #[error("{0} is in the tournament already")]
    AlreadyEntered(Name),
    /// No player can enter a round robin that has begun.
    #[error("nobody can enter a round robin that has begun: its pairings are fixed")]
    LateEntry,
    /// There are [`MAX_ENTRANTS`] players.
    #[error("there are {MAX_ENTRANTS} players already, which is the limit")]
    Full,
}

/// Why a round cannot be paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("round {round} cannot be paired for {}", self.why())]
#[non_exhaustive]
pub struct PairingError {
    /// The round, from 1.
    pub round: u32,
    /// The number of players, without those who have left and those who are absent.
    pub players: usize,
    /// The number of absent players.
    pub absent: usize,
}

impl PairingError {
    /// Returns the number of players, what is wrong, and what helps.
    fn why(&self) -> String {
        let players = counted(self.players, "player");
        let wrong = match self.players {
            0 | 1 => "a round needs 2",
            _ => "every pairing has two who have met before or may not meet, or a second bye",
        };
        let (are, change) = match self.absent {
            0 => (String::new(), "enter or withdraw"),
            absent => (format!(" ({absent} absent)"), "return, enter or withdraw"),
        };
        format!("{players}{are}: {wrong}. Let a player {change}, or end the tournament")
    }
}

/// Converts a small number to the type in which numbers are written.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A player, by the order of entry from 0. Only a tournament creates one, so that the
/// player exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct PlayerId(usize);

/// Pairs of players who may not meet.
#[derive(Clone, Debug, Default)]
struct ForbiddenPairs(BTreeSet<(PlayerId, PlayerId)>);

impl ForbiddenPairs {
    fn insert(&mut self, one: PlayerId, other: PlayerId) {
        self.0.insert((one.min(other), one.max(other)));
    }

    fn contains(&self, one: PlayerId, other: PlayerId) -> bool {
        self.0.contains(&(one.min(other), one.max(other)))
    }
}

/// A pairing of all players for the next round.
#[derive(Clone, Debug, Default)]
struct PairedRound {
    /// The pairs of opponents, by their colors in the first game.
    pairings: Vec<ByColor<PlayerId>>,
    /// The player without an opponent.
    bye: Option<PlayerId>,
}

/// A round that has been paired, with its results so far.
#[derive(Clone, Debug)]
struct Round {
    encounters: Vec<Encounter>,
    bye: Option<PlayerId>,
    /// The players who miss the round, in the order of entry.
    absent: Vec<PlayerId>,
    /// The index of each player's encounter, by the order of entry. It ends with the last
    /// player who is paired.
    places: Vec<Option<usize>>,
}

/// Two players who meet in a round, in one game or in two.
#[derive(Clone, Debug)]
struct Encounter {
    /// The players by their colors in the first game.
    players: ByColor<PlayerId>,
    /// The results of the games in order; `None` if a game has none yet.
    games: Vec<Option<GameResult>>,
}

impl Round {
    /// Creates a round without results.
    fn new(paired: PairedRound, absent: Vec<PlayerId>, games: Games) -> Round {
        let encounters: Vec<Encounter> = paired
            .pairings
            .into_iter()
            .map(|players| Encounter {
                players,
                games: (0..games.number()).map(|_| None).collect(),
            })
            .collect();
        let mut places = Vec::new();
        for (place, encounter) in encounters.iter().enumerate() {
            for PlayerId(player) in [encounter.players.black, encounter.players.white] {
                if places.len() <= player {
                    places.resize(player + 1, None);
                }
                places[player] = Some(place);
            }
        }
        Round {
            places,
            bye: paired.bye,
            absent,
            encounters,
        }
    }

    /// Returns whether every game has a result.
    fn is_over(&self) -> bool {
        self.encounters.iter().all(Encounter::is_over)
    }

    /// Returns the encounter of this player, if they are paired.
    fn encounter_of(&self, player: PlayerId) -> Option<&Encounter> {
        let place = *self.places.get(player.0)?;
        self.encounters.get(place?)
    }

    /// Returns whether this player has an opponent or the bye.
    fn has(&self, player: PlayerId) -> bool {
        self.encounter_of(player).is_some() || self.bye == Some(player)
    }

    /// Returns whether this player missed the round: they were absent when it was paired.
    fn was_missed_by(&self, player: PlayerId) -> bool {
        self.absent.binary_search(&player).is_ok()
    }

    /// Sets or deletes the result of a game; both indices count from 0.
    fn set_result(&mut self, pairing: usize, game: usize, result: Option<GameResult>) {
        let encounter = self.encounters.get_mut(pairing);
        if let Some(place) = encounter.and_then(|encounter| encounter.games.get_mut(game)) {
            *place = result;
        }
    }

    /// Forfeits the games without a result of all players who have left.
    fn forfeit_games(&mut self, has_left: impl Fn(PlayerId) -> bool) {
        for encounter in &mut self.encounters {
            let winner = match encounter.players.map(&has_left) {
                ByColor {
                    black: false,
                    white: false,
                } => continue,
                ByColor {
                    black: true,
                    white: true,
                } => None,
                ByColor { black: false, .. } => Some(encounter.players.black),
                ByColor { white: false, .. } => Some(encounter.players.white),
            };
            for game in 0..encounter.games.len() {
                let winner = winner.map(|player| encounter.color(game, player));
                if let Some(place) = encounter.games.get_mut(game) {
                    place.get_or_insert_with(|| GameResult::forfeit(winner, "withdrawal"));
                }
            }
        }
    }
}

impl Encounter {
    /// Returns whether every game has a result.
    fn is_over(&self) -> bool {
        self.games.iter().all(Option::is_some)
    }

    /// Returns whether at least one game was played rather than forfeited.
    fn was_played(&self) -> bool {
        self.results().any(|(_, result)| !result.forfeit)
    }

    /// Returns the players by their colors in a game, which counts from 0.
    fn players(&self, game: usize) -> ByColor<PlayerId> {
        if game.is_multiple_of(2) {
            self.players
        } else {
            self.players.swapped()
        }
    }

    /// Returns the color of one of the players in a game, which counts from 0.
    fn color(&self, game: usize, player: PlayerId) -> Color {
        if player == self.players(game).black {
            Color::Black
        } else {
            Color::White
        }
    }

    /// Returns the opponent of one of the players.
    fn opponent(&self, player: PlayerId) -> PlayerId {
        let ByColor { black, white } = self.players;
        if player == black { white } else { black }
    }

    /// Returns the results so far, each with the number of its game from 0.
    fn results(&self) -> impl Iterator<Item = (usize, &GameResult)> {
        let games = self.games.iter().enumerate();
        games.filter_map(|(game, result)| Some((game, result.as_ref()?)))
    }

    /// Returns the points of one of the players in all games.
    fn points(&self, player: PlayerId) -> Points {
        self.results()
            .map(|(game, result)| result.points(self.color(game, player)))
            .sum()
    }
}

/// Returns the number of rounds of a round robin.
const fn round_robin_rounds(players: usize) -> usize {
    if players < 2 {
        return 0;
    }
    players - 1 + players % 2
}

/// Pairs a round of a round robin, which counts from 0, by Berger's tables (FIDE, C.05,
/// annex 1).
///
/// `players` are in the order of their starting numbers. If their number is odd, the
/// opponent of the last player in the table has a bye. Forbidden pairs are left out.
fn pair_round_robin(players: &[PlayerId], round: usize, forbidden: &ForbiddenPairs) -> PairedRound {
    let player = |place: usize| players.get(place).copied();
    let mut paired = PairedRound::default();
    for (first, second) in berger_table(players.len(), round) {
        match (player(first), player(second)) {
            (Some(one), Some(other)) if forbidden.contains(one, other) => {}
            (Some(black), Some(white)) => paired.pairings.push(ByColor { black, white }),
            (one, other) => paired.bye = one.or(other),
        }
    }
    paired
}

/// Returns the pairs of a round of Berger's table. Players and rounds count from 0, and the
/// first player of each pair moves first. With an odd number of players, the table has one
/// more, who does not exist.
fn berger_table(players: usize, round: usize) -> impl Iterator<Item = (usize, usize)> {
    let circle = round_robin_rounds(players).max(1);
    let half = circle.div_ceil(2);
    // The last player keeps the seat, all others move on by half of the circle.
    let turn = round * half % circle;
    let last = if round.is_multiple_of(2) {
        (turn, circle)
    } else {
        (circle, turn)
    };
    let others = (1..half).map(move |step| {
        let first = (turn + step) % circle;
        let second = (turn + circle - step) % circle;
        (first, second)
    });
    std::iter::once(last).chain(others)
}

/// The condition for a server to stop by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopAfter {
    /// After this many games.
    Games(u64),
    /// When a tournament is over.
    Tournament,
}

/// A tournament that begins when enough players have sent their names.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The number of players needed.
    pub players: usize,
    /// The settings.
    pub settings: Settings,
}

impl Plan {
    /// Returns whether an unfinished tournament can have begun with this plan.
    pub fn fits(&self, tournament: &Tournament) -> bool {
        self.settings == *tournament.settings() && self.players <= tournament.players().len()
    }

    /// Returns whether a finished tournament was that of this plan: it began with this many
    /// players, and with these if their `names` are known.
    pub fn was_held(&self, tournament: &Tournament, names: Option<&[Name]>) -> bool {
        let begun_with = || tournament.players().take(tournament.begun_with);
        let has_all = |names: &[Name]| begun_with().all(|player| names.contains(player));
        self.settings == *tournament.settings()
            && self.players == tournament.begun_with
            && names.is_none_or(has_all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_was_held_if_the_same_players_have_played_it() {
        let names = |names: &[&str]| {
            let names = names.iter().map(|name| name.parse().unwrap());
            names.collect::<Vec<Name>>()
        };
        let settings = Settings {
            system: PairingSystem::RoundRobin,
            games: Games::Single,
            seed: 1,
            forbidden: Vec::new(),
        };
        let tournament =
            Tournament::new(settings.clone(), &names(&["Red", "Blue", "Green"])).unwrap();
        let plan = |players| Plan {
            players,
            settings: settings.clone(),
        };
        assert!(plan(3).was_held(&tournament, None));
        assert!(plan(3).was_held(&tournament, Some(&names(&["Blue", "Green", "Red"]))));
        assert!(!plan(2).was_held(&tournament, None));
        assert!(!plan(3).was_held(&tournament, Some(&names(&["Blue", "Gold", "Red"]))));
        assert!(plan(2).fits(&tournament));
    }

    #[test]
    fn the_table_for_six_players_is_the_published_one() {
        let written = |round| {
            let pairs =
                berger_table(6, round).map(|(one, other)| format!("{}-{}", one + 1, other + 1));
            pairs.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(written(0), "1-6 2-5 3-4");
        assert_eq!(written(1), "6-4 5-3 1-2");
        assert_eq!(written(2), "2-6 3-1 4-5");
        assert_eq!(written(3), "6-5 1-4 2-3");
        assert_eq!(written(4), "3-6 4-2 5-1");
    }
}
