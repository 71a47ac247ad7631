//! The tournament of a server with teams: assigns clients from the lobby to games, and times the
//! games that wait for absent teams.
//!
//! Pure. The state on the disk comes in as a [`Tournament`]. Games that have begun, and those whose
//! forfeits are just being written, are kept here, so that no game is played twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use itertools::Itertools;
use thiserror::Error;

use super::client::Name;
use super::lobby::{Entrant, Lobby};
use super::summary::Summary;
use super::wire::RoleRefusal;
use crate::base::color::{ByColor, Color};
use crate::tournament::{
    self, Attendance, Event, Forfeit, ForfeitClocks, GameNumber, GameResult, Need, NumberedGame,
    Plan, Presence, ScheduledGame, Settings, Tournament,
};

/// The place of a game that has begun and has no result on the disk yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GamePlace {
    /// At the table with this server number.
    Table(u16),
    /// Adjourned by the organizer.
    Adjourned,
    /// Nowhere: it is forfeited, which is being written.
    Forfeited,
}

/// The match at a table, and the teams there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableUse {
    /// Whether a match of a tournament could begin.
    pub is_free: bool,
    /// When the match at the table began.
    pub match_began: Option<SystemTime>,
    /// Whether the house plays there.
    pub is_of_house: bool,
    /// The teams of the clients that are connected there.
    pub teams: [Option<Name>; 2],
}

/// Why a tournament cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BeginError {
    /// Another one is running.
    #[error("a tournament is being held: end it first")]
    Running,
    /// A game of the last tournament is not over.
    #[error(
        "a game of the last tournament is not over, {}: {}",
        .0,
        match .1 {
            GamePlace::Table(table) => format!("let it end at table {table}, or void it"),
            GamePlace::Adjourned => "resume it, and let it end or void it".to_owned(),
            GamePlace::Forfeited => "its forfeit is just being written".to_owned(),
        }
    )]
    Game(ScheduledGame, GamePlace),
}

/// The tournament of a server.
#[derive(Debug, Default)]
pub struct TeamTournament {
    tournament: Option<Arc<Tournament>>,
    /// Whether a tournament has been running since the start.
    has_run: bool,
    /// The number of the tournament; 0 without one.
    number: u32,
    /// The colors of which each player has games without a result.
    left: BTreeMap<String, ByColor<bool>>,
    plan: Option<Plan>,
    games: BTreeMap<GameNumber, (ScheduledGame, GamePlace)>,
    clocks: Option<ForfeitClocks>,
    tables: BTreeMap<u16, TableUse>,
    /// When the tournament began, if that is known.
    began: Option<SystemTime>,
    /// The teams of adjourned matches.
    adjourned: Vec<Name>,
}

/// Why a client that asks to play would wait in vain while a tournament is held. The text is the
/// sentence that it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EntrantRefusal {
    /// It belongs to no team.
    #[error("A tournament of teams is being played here: come back when it is over")]
    NoTeam,
    /// Its team is not in the tournament.
    #[error("{} is not in the tournament", .0.as_str())]
    NotInTournament(Name),
    /// Its team has played all its games.
    #[error("{} has no game left in the tournament", .0.as_str())]
    NoGameLeft(Name),
    /// Its team has only games with the other side left.
    #[error(
        "{} has no game left in the tournament as {asked}: ask for {left}",
        team.as_str()
    )]
    WrongSide {
        /// The team.
        team: Name,
        /// The name of the side that it asks for.
        asked: String,
        /// The name of the side that it would get.
        left: String,
    },
}

impl EntrantRefusal {
    /// Returns the code that goes with the sentence; `None` for 399, the code of all other
    /// problems.
    pub fn role_refusal(&self) -> Option<RoleRefusal> {
        match self {
            EntrantRefusal::WrongSide { .. } => Some(RoleRefusal::SideTaken),
            EntrantRefusal::NoTeam
            | EntrantRefusal::NotInTournament(_)
            | EntrantRefusal::NoGameLeft(_) => None,
        }
    }
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

    /// Sets the tournament as it is on the disk, its number, and when it began.
    pub fn set(
        &mut self,
        number: u32,
        began: Option<SystemTime>,
        tournament: Option<Arc<Tournament>>,
    ) {
        self.number = number;
        self.began = began;
        self.left.clear();
        for scheduled in tournament.iter().flat_map(|held| held.pending_games()) {
            let ScheduledGame { black, white, .. } = scheduled;
            self.left.entry(black.into()).or_default().black = true;
            self.left.entry(white.into()).or_default().white = true;
        }
        self.tournament = tournament;
        if self.running().is_some() {
            self.has_run = true;
            // The plan has begun, or the organizer has begun another tournament instead.
            self.plan = None;
        }
    }

    /// Treats the last tournament as the one that this run was started for.
    pub fn count_last(&mut self) {
        self.has_run = self.tournament.is_some();
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

    /// Returns whether a tournament that was running since the start is over, no other one is
    /// planned, and none of its games is still being played.
    pub fn is_finished(&self) -> bool {
        let is_at_table =
            |(_, place): &(ScheduledGame, GamePlace)| matches!(place, GamePlace::Table(_));
        self.has_run && !self.is_held() && !self.games().any(is_at_table)
    }

    /// Returns the time after which absent teams forfeit.
    pub fn forfeit_after(&self) -> Option<Duration> {
        self.clocks.as_ref().map(ForfeitClocks::limit)
    }

    /// Returns the settings of the planned tournament, and its players in the order in which they
    /// came, if enough teams are connected.
    pub fn due_plan(&self, lobby: &Lobby) -> Option<(Settings, Vec<tournament::Name>)> {
        let plan = self.plan.as_ref()?;
        let teams = self.teams_present(lobby);
        (teams.len() >= plan.players).then(|| (plan.settings.clone(), teams))
    }

    /// Checks that a tournament can begin.
    ///
    /// # Errors
    /// Another one is running, or a game of the last one is not over, which could not count any
    /// more.
    pub fn check_begin(&self) -> Result<(), BeginError> {
        if self.running().is_some() {
            return Err(BeginError::Running);
        }
        match self.games().next() {
            Some((scheduled, place)) => Err(BeginError::Game(scheduled.clone(), *place)),
            None => Ok(()),
        }
    }

    /// Returns the teams that take part in a tournament that the organizer begins now: those that
    /// are [present](TeamTournament::teams_present), and those of adjourned matches.
    pub fn entrants(&self, lobby: &Lobby) -> Vec<tournament::Name> {
        player_names(self.connected(lobby).chain(&self.adjourned))
    }

    /// Returns the teams of the clients in the lobby, in the order in which they came, and at the
    /// tables.
    pub fn teams_present(&self, lobby: &Lobby) -> Vec<tournament::Name> {
        player_names(self.connected(lobby))
    }

    fn connected<'a>(&'a self, lobby: &'a Lobby) -> impl Iterator<Item = &'a Name> {
        let waiting = lobby.iter().filter_map(|entrant| entrant.player.team());
        let tables = self.tables.values();
        waiting.chain(tables.flat_map(|used| used.teams.iter().flatten()))
    }

    /// Notes the match at a table. Returns whether that has changed.
    pub fn note_table(&mut self, number: u16, used: TableUse) -> bool {
        let is_new = self.tables.get(&number) != Some(&used);
        self.tables.insert(number, used);
        is_new
    }

    /// Notes the teams of the adjourned matches. Returns whether they have changed.
    pub fn note_adjourned(&mut self, teams: Vec<Name>) -> bool {
        let is_new = self.adjourned != teams;
        self.adjourned = teams;
        is_new
    }

    /// Returns the teams that are busy at a table, in a match that began before the tournament.
    /// (During it, only matches against the house begin.)
    fn busy_elsewhere(&self) -> impl Iterator<Item = &Name> {
        let tables = self.tables.values();
        let counts = move |used: &&TableUse| {
            let began_before = used.match_began.zip(self.began);
            !used.is_of_house || began_before.is_some_and(|(its, own)| its <= own)
        };
        tables
            .filter(counts)
            .flat_map(|used| used.teams.iter().flatten())
    }

    /// Starts the first game that can be played now: takes its two clients out of the lobby, and
    /// notes that it is at this table. Returns `None` if no game can start.
    pub fn start_game(
        &mut self,
        lobby: &mut Lobby,
        table: u16,
    ) -> Option<(NumberedGame, ByColor<Entrant>)> {
        let running = Arc::clone(self.running()?);
        let attendance = TeamAttendance::new(self, lobby);
        let scheduled = running.startable_if(|scheduled| {
            let is_free = |name, color| attendance.presence(name, color) == Presence::Free;
            attendance.need(scheduled.number) == Need::Start
                && is_free(&scheduled.black, Color::Black)
                && is_free(&scheduled.white, Color::White)
        });
        let scheduled = scheduled.into_iter().next()?;
        let mut take = |name: &tournament::Name, color| {
            lobby.take_first(|entrant| may_play(entrant, name.as_str(), color))
        };
        let black = take(&scheduled.black, Color::Black)?;
        let Some(white) = take(&scheduled.white, Color::White) else {
            lobby.enter(black);
            return None;
        };
        let scheduled = self.own(scheduled);
        self.place(scheduled.clone(), GamePlace::Table(table));
        Some((scheduled, ByColor::new(black, white)))
    }

    /// Notes where a game is, unless it is one of another tournament than the running one, as a
    /// journal may hold.
    pub fn place(&mut self, game: NumberedGame, place: GamePlace) {
        let is_of_it = game.tournament == self.number;
        let scheduled = game.scheduled;
        let running = self.running();
        if is_of_it && running.is_none_or(|running| running.pending_games().contains(&scheduled)) {
            self.games.insert(scheduled.number, (scheduled, place));
        }
    }

    /// Removes the place of a game that has a result on the disk, or is to be replayed. Games of
    /// other tournaments are ignored.
    pub fn release(&mut self, game: &NumberedGame) {
        if game.tournament == self.number {
            self.games.remove(&game.scheduled.number);
        }
    }

    /// Returns a game of this tournament with its number.
    pub fn own(&self, scheduled: ScheduledGame) -> NumberedGame {
        NumberedGame {
            tournament: self.number,
            scheduled,
        }
    }

    /// Returns the games that have begun and have no result on the disk, with their places.
    pub fn games(&self) -> impl Iterator<Item = &(ScheduledGame, GamePlace)> {
        self.games.values()
    }

    /// Returns the games that are forfeited now. Each must be written and then
    /// [released](TeamTournament::release). `now` is the time since the start of the server.
    pub fn take_forfeits(&mut self, lobby: &Lobby, now: Duration) -> Vec<Forfeit> {
        let Some(mut clocks) = self.clocks.take() else {
            return Vec::new();
        };
        let forfeits = match self.running() {
            None => {
                clocks.clear();
                Vec::new()
            }
            Some(running) => clocks.update(running, &TeamAttendance::new(self, lobby), now),
        };
        self.clocks = Some(clocks);
        for forfeit in &forfeits {
            let game = self.own(forfeit.scheduled.clone());
            self.place(game, GamePlace::Forfeited);
        }
        forfeits
    }

    /// Returns when the next game is forfeited if nothing changes, as the time since the start of
    /// the server; `None` if no game waits for an absent team.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.clocks.as_ref().and_then(ForfeitClocks::next_deadline)
    }

    /// Returns the games that are forfeited if nothing changes, as
    /// [`ForfeitClocks::deadlines`] does.
    pub fn deadlines(&self) -> impl Iterator<Item = (GameNumber, ByColor<Option<Duration>>)> {
        self.clocks.iter().flat_map(ForfeitClocks::deadlines)
    }

    /// Checks whether a client that asks for a side may wait for a game. `side` is `None` for either
    /// side, and `sides` has the names of the sides.
    ///
    /// # Errors
    /// It would wait in vain: its team is not in the tournament or has no game left, or none with
    /// this side.
    pub fn check_entrant(
        &self,
        team: Option<&Name>,
        side: Option<Color>,
        sides: ByColor<&str>,
    ) -> Result<(), EntrantRefusal> {
        let Some(running) = self.running() else {
            return Ok(());
        };
        let team = team.ok_or(EntrantRefusal::NoTeam)?;
        let name = team.as_str();
        if !running.players().any(|player| player.as_str() == name) {
            return Err(EntrantRefusal::NotInTournament(team.clone()));
        }
        // Another round may be paired.
        if running.rounds_paired() < running.rounds_planned() {
            return Ok(());
        }
        let left = self.left.get(name).copied().unwrap_or_default();
        match (side, left.black, left.white) {
            (_, false, false) => Err(EntrantRefusal::NoGameLeft(team.clone())),
            (Some(asked @ Color::Black), false, true)
            | (Some(asked @ Color::White), true, false) => Err(EntrantRefusal::WrongSide {
                team: team.clone(),
                asked: sides[asked].to_owned(),
                left: sides[asked.opponent()].to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

/// Returns the event that adds the result of a match to its tournament; `None` if the match is not
/// of a tournament, or ended without a result, so that the game is played again.
pub fn event_of_match(summary: &Summary) -> Option<Event> {
    let scheduled = summary.scheduled.clone()?.scheduled;
    let ending = &summary.ending;
    (!ending.is_void()).then(|| Event::Game {
        scheduled,
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

/// Returns the names of teams as player names, without duplicates.
fn player_names<'a>(teams: impl Iterator<Item = &'a Name>) -> Vec<tournament::Name> {
    teams.filter_map(player_name).unique().collect()
}

/// Returns whether a client belongs to a team and may have a color.
fn may_play(entrant: &Entrant, team: &str, color: Color) -> bool {
    let is_theirs = entrant
        .player
        .team()
        .is_some_and(|name| name.as_str() == team);
    is_theirs && entrant.side.is_none_or(|side| side == color)
}

/// The places of the teams and the games.
struct TeamAttendance<'a> {
    games: &'a BTreeMap<GameNumber, (ScheduledGame, GamePlace)>,
    /// The teams that play.
    busy: BTreeSet<&'a str>,
    /// Whether a game of the tournament is being played.
    has_game_in_play: bool,
    /// The teams in the lobby, and which colors each could have.
    waiting: BTreeMap<String, ByColor<bool>>,
    has_free_table: bool,
}

impl<'a> TeamAttendance<'a> {
    fn new(state: &'a TeamTournament, lobby: &Lobby) -> TeamAttendance<'a> {
        let games = state.games.values();
        let at_tables = games.filter(|(_, place)| matches!(place, GamePlace::Table(_)));
        let due_here = at_tables.flat_map(|(scheduled, _)| [&scheduled.black, &scheduled.white]);
        let mut busy: BTreeSet<&str> = due_here.map(tournament::Name::as_str).collect();
        let has_game_in_play = !busy.is_empty();
        busy.extend(state.busy_elsewhere().map(Name::as_str));
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
        TeamAttendance {
            games: &state.games,
            busy,
            has_game_in_play,
            waiting,
            has_free_table: state.tables.values().any(|used| used.is_free),
        }
    }
}

impl Attendance for TeamAttendance<'_> {
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

    fn is_present(&self, player: &tournament::Name) -> bool {
        let name = player.as_str();
        self.busy.contains(name) || self.waiting.contains_key(name)
    }

    fn need(&self, game: GameNumber) -> Need {
        match self.games.contains_key(&game) {
            // An interrupted match has its own wait.
            true => Need::Nothing,
            false => Need::Start,
        }
    }

    fn has_free_table(&self) -> bool {
        self.has_free_table
    }

    fn has_game_in_play(&self) -> bool {
        self.has_game_in_play
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
        let lobby = Lobby::default();
        for _ in 0..2 {
            assert_eq!(state.due_plan(&lobby), Some((settings(), Vec::new())));
        }
        state.set(1, None, Some(Arc::new(held(&["Red", "Blue"]))));
        assert!(state.is_held());
        // Even if the organizer began it.
        state.set(1, None, Some(Arc::new(over(held(&["Red", "Blue"])))));
        assert!(!state.is_held());
        assert_eq!(state.due_plan(&lobby), None);
    }

    #[test]
    fn an_old_tournament_is_not_the_end_of_one_that_has_not_begun() {
        let mut state = TeamTournament::default();
        state.set(1, None, Some(Arc::new(over(held(&["Red", "Blue"])))));
        assert!(!state.is_finished());
        state.set(2, None, Some(Arc::new(held(&["Red", "Blue"]))));
        assert!(!state.is_finished());
        state.set(2, None, Some(Arc::new(over(held(&["Red", "Blue"])))));
        assert!(state.is_finished());
        // Or it is the one that this run was started for.
        let mut state = TeamTournament::default();
        state.count_last();
        assert!(!state.is_finished());
        state.set(1, None, Some(Arc::new(over(held(&["Red", "Blue"])))));
        state.count_last();
        assert!(state.is_finished());
    }

    #[test]
    fn no_tournament_begins_before_the_games_of_the_last_one_are_over() {
        let last = held(&["Red", "Blue"]);
        let scheduled = last.pending_games().remove(0);
        let mut state = TeamTournament::default();
        assert_eq!(state.check_begin(), Ok(()));
        state.set(3, None, Some(Arc::new(last.clone())));
        assert_eq!(state.check_begin(), Err(BeginError::Running));
        let game = state.own(scheduled.clone());
        state.place(game.clone(), GamePlace::Adjourned);
        state.set(3, None, Some(Arc::new(over(last))));
        assert_eq!(
            state.check_begin(),
            Err(BeginError::Game(scheduled, GamePlace::Adjourned))
        );
        state.release(&game);
        assert_eq!(state.check_begin(), Ok(()));
    }

    #[test]
    fn a_game_belongs_only_to_its_own_tournament() {
        let mut state = TeamTournament::default();
        let tournament = held(&["Red", "Blue"]);
        let scheduled = tournament.pending_games().remove(0);
        state.set(2, None, Some(Arc::new(tournament)));
        let of = |tournament| NumberedGame {
            tournament,
            scheduled: scheduled.clone(),
        };
        state.place(of(1), GamePlace::Table(0));
        assert_eq!(state.games().count(), 0);
        state.place(of(2), GamePlace::Table(0));
        state.release(&of(1));
        assert_eq!(state.games().count(), 1);
        state.release(&of(2));
        assert_eq!(state.games().count(), 0);
    }

    /// A table as these teams use it.
    fn used(is_of_house: bool, teams: [Option<&str>; 2]) -> TableUse {
        TableUse {
            is_free: false,
            match_began: None,
            is_of_house,
            teams: teams.map(|team| Name::new(team?)),
        }
    }

    #[test]
    fn teams_that_play_take_part_and_are_waited_for() {
        let limit = Duration::from_secs(10);
        let mut state = TeamTournament::new(None, Some(limit));
        let lobby = Lobby::default();
        state.note_table(0, used(true, [None, Some("Red")]));
        state.note_table(1, used(false, [Some("Blue"), Some("Green")]));
        state.note_adjourned(
            ["Gold", "Red"]
                .map(|name| Name::new(name).unwrap())
                .to_vec(),
        );
        let entrants = state.entrants(&lobby);
        let entrants: Vec<&str> = entrants.iter().map(tournament::Name::as_str).collect();
        assert_eq!(entrants, ["Red", "Blue", "Green", "Gold"]);
        let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        let practice = |began| TableUse {
            match_began: at(began),
            ..used(true, [None, Some("Red")])
        };
        let busy = |state: &TeamTournament| {
            let names = state.busy_elsewhere().map(Name::as_str);
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        state.note_table(0, practice(9));
        state.set(1, at(10), Some(Arc::new(held(&entrants))));
        assert_eq!(busy(&state), ["Red", "Blue", "Green"]);
        // It is known again after a restart.
        let mut again = TeamTournament::new(None, Some(limit));
        again.set(1, at(10), state.tournament.clone());
        again.note_table(0, practice(9));
        assert_eq!(busy(&again), ["Red"]);
        // A client that practices against the house during the tournament may keep its opponent
        // waiting in vain.
        state.note_table(0, practice(11));
        assert_eq!(busy(&state), ["Blue", "Green"]);
        state.set(1, at(10), state.tournament.clone());
        assert_eq!(busy(&state), ["Blue", "Green"]);
    }

    #[test]
    fn a_journal_of_another_tournament_keeps_no_game_from_being_played() {
        let mut state = TeamTournament::default();
        state.set(1, None, Some(Arc::new(held(&["Red", "Blue"]))));
        let other = NumberedGame {
            tournament: 1,
            scheduled: held(&["Red", "Green"]).pending_games().remove(0),
        };
        state.place(other, GamePlace::Adjourned);
        assert_eq!(state.games().count(), 0);
    }
}
