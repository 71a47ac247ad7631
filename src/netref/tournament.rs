//! The tournament of a server with teams: which clients of the lobby play which game, and which
//! games wait for absent teams.
//!
//! Pure. What is on the disk comes in as a [`Tournament`]; games that have begun, and those whose
//! forfeits are just being written, are kept here, so that no game is played twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::client::Name;
use super::lobby::{Entrant, Lobby};
use super::summary::Summary;
use super::wire::RoleRefusal;
use crate::color::{ByColor, Color};
use crate::tournament::{
    self, Event, Fixture, FixtureNumber, Forfeit, ForfeitClocks, GameResult, Need, Plan, Presence,
    Settings, Surroundings, Tournament,
};

/// Where a game is that has begun and has no result on the disk yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GamePlace {
    /// At the table with this server number.
    Table(u16),
    /// Adjourned by the operator.
    Adjourned,
    /// Nowhere: it is forfeited, which is being written.
    Forfeited,
}

/// Why a tournament cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BeginError {
    /// Another one is running.
    #[error("a tournament is being held: end it first")]
    Running,
    /// A game of the last one is not over.
    #[error(
        "a game of the last tournament is not over, {}: {}",
        .0,
        match .1 {
            GamePlace::Table(table) => format!("let it end at table {table}, or void it"),
            GamePlace::Adjourned => "resume it, and let it end or void it".to_owned(),
            GamePlace::Forfeited => "its forfeit is just being written".to_owned(),
        }
    )]
    Game(Fixture, GamePlace),
}

/// The tournament of a server.
#[derive(Debug, Default)]
pub struct TeamTournament {
    tournament: Option<Arc<Tournament>>,
    /// The colors of which each player has games without a result.
    left: BTreeMap<String, ByColor<bool>>,
    plan: Option<Plan>,
    games: BTreeMap<FixtureNumber, (Fixture, GamePlace)>,
    clocks: Option<ForfeitClocks>,
    /// The tables where a match could begin.
    free_tables: BTreeSet<u16>,
}

/// Why a client of a team is not let into the lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotDue {
    /// The code of the refusal; `None` for 399.
    pub refusal: Option<RoleRefusal>,
    /// The sentence.
    pub why: String,
}

impl TeamTournament {
    /// Creates the state without a tournament. Absent teams forfeit after this time, if there is
    /// one.
    pub fn new(plan: Option<Plan>, forfeit_after: Option<Duration>) -> TeamTournament {
        TeamTournament {
            plan,
            clocks: forfeit_after.map(ForfeitClocks::new),
            ..TeamTournament::default()
        }
    }

    /// Sets the tournament as it is on the disk.
    pub fn set(&mut self, tournament: Option<Arc<Tournament>>) {
        self.left.clear();
        for fixture in tournament.iter().flat_map(|held| held.due()) {
            let Fixture { black, white, .. } = fixture;
            self.left.entry(black.into()).or_default().black = true;
            self.left.entry(white.into()).or_default().white = true;
        }
        self.tournament = tournament;
        if self.running().is_some() {
            // It has begun, or the organizer has begun another one instead.
            self.plan = None;
        }
    }

    /// Returns the tournament that is running, or was the last.
    pub fn tournament(&self) -> Option<&Arc<Tournament>> {
        self.tournament.as_ref()
    }

    /// Returns the tournament that is running.
    pub fn running(&self) -> Option<&Arc<Tournament>> {
        self.tournament.as_ref().filter(|held| !held.is_over())
    }

    /// Returns whether a tournament is running or planned, so that free matches do not begin.
    pub fn is_held(&self) -> bool {
        self.plan.is_some() || self.running().is_some()
    }

    /// Returns the time after which absent teams forfeit.
    pub fn forfeit_after(&self) -> Option<Duration> {
        self.clocks.as_ref().map(ForfeitClocks::limit)
    }

    /// Returns the settings of the planned tournament, and its players in the order in which they
    /// came, if enough teams are in the lobby.
    pub fn due_plan<T>(&self, lobby: &Lobby<T>) -> Option<(Settings, Vec<tournament::Name>)> {
        let plan = self.plan.as_ref()?;
        let teams = self.teams_present(lobby);
        (teams.len() >= plan.players).then(|| (plan.settings.clone(), teams))
    }

    /// Checks that a tournament can begin.
    ///
    /// # Errors
    /// Another one is running, or a game of the last one is not over: its number would be that of
    /// a game of this one.
    pub fn check_begin(&self) -> Result<(), BeginError> {
        if self.running().is_some() {
            return Err(BeginError::Running);
        }
        match self.games().next() {
            Some((fixture, place)) => Err(BeginError::Game(fixture.clone(), *place)),
            None => Ok(()),
        }
    }

    /// Returns the teams that are in the lobby, in the order in which they came. One that plays a
    /// free match is left out: the time in which it would have to come would pass meanwhile.
    pub fn teams_present<T>(&self, lobby: &Lobby<T>) -> Vec<tournament::Name> {
        let mut teams: Vec<tournament::Name> = Vec::new();
        let names = lobby.iter().filter_map(|entrant| entrant.player.team());
        for name in names.filter_map(player_name) {
            if !teams.contains(&name) {
                teams.push(name);
            }
        }
        teams
    }

    /// Notes whether a match could begin at a table. Returns whether that is new.
    pub fn note_table(&mut self, number: u16, is_free: bool) -> bool {
        match is_free {
            true => self.free_tables.insert(number),
            false => self.free_tables.remove(&number),
        }
    }

    /// Takes the two clients out of the lobby who are to play the first game that can begin, and
    /// notes that it begins at a table.
    pub fn take_pair<T>(
        &mut self,
        lobby: &mut Lobby<T>,
        table: u16,
    ) -> Option<(Fixture, ByColor<Entrant<T>>)> {
        let running = Arc::clone(self.running()?);
        let attendance = Attendance::new(self, lobby);
        let fixture = running.startable_if(|fixture| {
            let is_free = |name, color| attendance.presence(name, color) == Presence::Free;
            attendance.need(fixture.number) == Need::Start
                && is_free(&fixture.black, Color::Black)
                && is_free(&fixture.white, Color::White)
        });
        let fixture = fixture.into_iter().next()?;
        let mut take = |name: &tournament::Name, color| {
            lobby.take_first(|entrant| may_play(entrant, name.as_str(), color))
        };
        let black = take(&fixture.black, Color::Black)?;
        let Some(white) = take(&fixture.white, Color::White) else {
            lobby.enter(black);
            return None;
        };
        self.place(fixture.clone(), GamePlace::Table(table));
        Some((fixture, ByColor::new(black, white)))
    }

    /// Notes where a game is, unless it is one of another tournament than the running one, as a
    /// journal may hold.
    pub fn place(&mut self, fixture: Fixture, place: GamePlace) {
        let running = self.running();
        if running.is_none_or(|running| running.due().contains(&fixture)) {
            self.games.insert(fixture.number, (fixture, place));
        }
    }

    /// Notes that a game is nowhere any more: it has a result on the disk, or is to be played
    /// again.
    pub fn release(&mut self, number: FixtureNumber) {
        self.games.remove(&number);
    }

    /// Returns the games that have begun and have no result on the disk, with their places.
    pub fn games(&self) -> impl Iterator<Item = &(Fixture, GamePlace)> {
        self.games.values()
    }

    /// Returns the games that are forfeited now. Each must be written and then
    /// [released](TeamTournament::release).
    pub fn take_forfeits<T>(&mut self, lobby: &Lobby<T>, now: Duration) -> Vec<Forfeit> {
        let Some(mut clocks) = self.clocks.take() else {
            return Vec::new();
        };
        let forfeits = match self.running() {
            None => {
                clocks.clear();
                Vec::new()
            }
            Some(running) => clocks.update(running, &Attendance::new(self, lobby), now),
        };
        self.clocks = Some(clocks);
        for forfeit in &forfeits {
            self.place(forfeit.fixture.clone(), GamePlace::Forfeited);
        }
        forfeits
    }

    /// Returns when the next game is forfeited if nothing changes.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.clocks.as_ref().and_then(ForfeitClocks::next_deadline)
    }

    /// Checks whether a client that asks for a side may wait for a game.
    ///
    /// # Errors
    /// It would wait in vain: its team is not in the tournament or has no game left, or none with
    /// this side.
    pub fn check_entrant(
        &self,
        team: Option<&Name>,
        side: Option<Color>,
        sides: ByColor<&str>,
    ) -> Result<(), NotDue> {
        let Some(running) = self.running() else {
            return Ok(());
        };
        let problem = |why: String| NotDue { refusal: None, why };
        let Some(team) = team else {
            let why = "A tournament of teams is being played here: come back when it is over";
            return Err(problem(why.to_owned()));
        };
        let name = team.as_str();
        if !running.players().any(|player| player.as_str() == name) {
            return Err(problem(format!("{name} is not in the tournament")));
        }
        // Another round may be paired.
        if running.rounds_paired() < running.rounds_planned() {
            return Ok(());
        }
        let left = self.left.get(name).copied().unwrap_or_default();
        match (side, left.black, left.white) {
            (_, false, false) => Err(problem(format!(
                "{name} has no game left in the tournament"
            ))),
            (Some(Color::Black), false, true) | (Some(Color::White), true, false) => {
                let (asked, due) = match side {
                    Some(Color::Black) => (sides.black, sides.white),
                    _ => (sides.white, sides.black),
                };
                Err(NotDue {
                    refusal: Some(RoleRefusal::SideTaken),
                    why: format!(
                        "{name} has no game left in the tournament as {asked}: ask for {due}"
                    ),
                })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the event of the tournament that a match is; `None` if it is none of a tournament or
/// has no result, so that the game is played again.
pub fn event(summary: &Summary) -> Option<Event> {
    let fixture = summary.fixture.clone()?;
    let ending = &summary.ending;
    (!ending.is_void()).then(|| Event::Game {
        fixture,
        result: GameResult {
            id: Some(summary.id.as_str().into()),
            ..GameResult::played(ending.winner, ending.reason.word())
        },
    })
}

/// Returns the name of a team as a player of a tournament.
pub fn player_name(team: &Name) -> Option<tournament::Name> {
    team.as_str().parse().ok()
}

/// Returns whether a client is of a team and may have a color.
fn may_play<T>(entrant: &Entrant<T>, team: &str, color: Color) -> bool {
    let is_theirs = entrant
        .player
        .team()
        .is_some_and(|name| name.as_str() == team);
    is_theirs && entrant.side.is_none_or(|side| side == color)
}

/// Where the teams and the games are.
struct Attendance<'a> {
    games: &'a BTreeMap<FixtureNumber, (Fixture, GamePlace)>,
    /// The teams that play.
    busy: BTreeSet<&'a str>,
    /// The teams in the lobby, and which colors each could have.
    waiting: BTreeMap<String, ByColor<bool>>,
    has_free_table: bool,
}

impl<'a> Attendance<'a> {
    fn new<T>(state: &'a TeamTournament, lobby: &Lobby<T>) -> Attendance<'a> {
        let games = state.games.values();
        let at_tables = games.filter(|(_, place)| matches!(place, GamePlace::Table(_)));
        let busy = at_tables.flat_map(|(fixture, _)| [&fixture.black, &fixture.white]);
        let mut waiting: BTreeMap<String, ByColor<bool>> = BTreeMap::new();
        for entrant in lobby.iter() {
            let Some(team) = entrant.player.team() else {
                continue;
            };
            let colors = waiting.entry(team.as_str().to_owned()).or_default();
            for color in Color::ALL {
                colors[color] |= entrant.side.is_none_or(|side| side == color);
            }
        }
        Attendance {
            games: &state.games,
            busy: busy.map(tournament::Name::as_str).collect(),
            waiting,
            has_free_table: !state.free_tables.is_empty(),
        }
    }
}

impl Surroundings for Attendance<'_> {
    fn presence(&self, player: &tournament::Name, color: Color) -> Presence {
        let name = player.as_str();
        if self.busy.contains(name) {
            return Presence::Busy;
        }
        match self.waiting.get(name) {
            Some(colors) if colors[color] => Presence::Free,
            _ => Presence::Absent,
        }
    }

    fn is_connected(&self, player: &tournament::Name) -> bool {
        let name = player.as_str();
        self.busy.contains(name) || self.waiting.contains_key(name)
    }

    fn need(&self, game: FixtureNumber) -> Need {
        match self.games.contains_key(&game) {
            // An interrupted match has a wait of its own.
            true => Need::Nothing,
            false => Need::Start,
        }
    }

    fn has_free_table(&self) -> bool {
        self.has_free_table
    }

    fn is_playing(&self) -> bool {
        !self.busy.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{Games, PairingSystem};

    fn settings() -> Settings {
        Settings {
            system: PairingSystem::RoundRobin,
            games: Games::Single,
            seed: 7,
            forbidden: Vec::new(),
        }
    }

    /// A tournament whose rounds are paired.
    fn held(names: &[&str]) -> Tournament {
        let names: Vec<_> = names.iter().map(|name| name.parse().unwrap()).collect();
        let mut held = Tournament::new(settings(), &names).unwrap();
        while let Some(round) = held.next_round().unwrap() {
            held.apply(&round).unwrap();
        }
        held
    }

    fn over(mut held: Tournament) -> Tournament {
        let ended = Event::Ended {
            reason: "the organizer ended it".into(),
        };
        held.apply(&ended).unwrap();
        held
    }

    #[test]
    fn a_plan_is_kept_until_a_tournament_has_begun() {
        let plan = Plan {
            players: 0,
            settings: settings(),
        };
        let mut state = TeamTournament::new(Some(plan), None);
        let lobby = Lobby::<()>::default();
        for _ in 0..2 {
            assert_eq!(state.due_plan(&lobby), Some((settings(), Vec::new())));
        }
        state.set(Some(Arc::new(held(&["Red", "Blue"]))));
        assert!(state.is_held());
        // Also if the organizer began it.
        state.set(Some(Arc::new(over(held(&["Red", "Blue"])))));
        assert!(!state.is_held());
        assert_eq!(state.due_plan(&lobby), None);
    }

    #[test]
    fn no_tournament_begins_before_the_games_of_the_last_one_are_over() {
        let last = held(&["Red", "Blue"]);
        let fixture = last.due().remove(0);
        let number = fixture.number;
        let mut state = TeamTournament::default();
        assert_eq!(state.check_begin(), Ok(()));
        state.set(Some(Arc::new(last.clone())));
        assert_eq!(state.check_begin(), Err(BeginError::Running));
        state.place(fixture.clone(), GamePlace::Adjourned);
        state.set(Some(Arc::new(over(last))));
        assert_eq!(
            state.check_begin(),
            Err(BeginError::Game(fixture, GamePlace::Adjourned))
        );
        state.release(number);
        assert_eq!(state.check_begin(), Ok(()));
    }

    #[test]
    fn a_journal_of_another_tournament_keeps_no_game_from_being_played() {
        let mut state = TeamTournament::default();
        state.set(Some(Arc::new(held(&["Red", "Blue"]))));
        let other = held(&["Red", "Green"]).due().remove(0);
        state.place(other, GamePlace::Adjourned);
        assert_eq!(state.games().count(), 0);
    }
}
