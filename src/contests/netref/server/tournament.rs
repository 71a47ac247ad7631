//! The tournament of a server with teams: its results file, written by the recorder and the
//! tournament's task, and its state for the tables, the lobby and the page.
//!
//! The disk is authoritative. [`TournamentHub`] writes an event, and only then publishes the
//! tournament with it. The result of a match is written after its record and before its journal is
//! removed, so that a crash neither loses nor doubles it.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use super::Shared;
use super::lobby::LobbyHub;
use crate::base::color::ByColor;
use crate::base::counted::counted;
use crate::base::names::isolated;
use crate::contests::netref::client;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::summary::Summary;
use crate::contests::netref::tournament::{
    BeginError, GamePlace, TableUse, TeamTournament, event_of_match,
};
use crate::pages::web::{self, Feed, OpenGames};
use crate::tournament::{
    Event, Forfeit, Name, NameError, NumberedGame, ResultsFiles, Settings, Tournament, View,
};

/// The pause after the results file could not be written.
const PAUSE: Duration = Duration::from_secs(1);

/// A command of the organizer about the tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TournamentCommand {
    /// Begins a tournament of the teams that are present.
    Begin(Settings),
    /// Withdraws a team.
    Withdraw(String),
    /// Ends the tournament early.
    End,
}

/// Why a tournament has not been begun or changed.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// It cannot begin now.
    #[error(transparent)]
    Begin(#[from] BeginError),
    /// There is no tournament to change.
    #[error("no tournament is held")]
    NotHeld,
    /// The server holds no tournaments.
    #[error("tournaments need teams and records: start the referee with --teams and --records")]
    NoTeams,
    /// The name to withdraw is not a valid player name.
    #[error("{name:?}: {error}")]
    Name {
        /// The name.
        name: String,
        /// The error in the name.
        error: NameError,
    },
    /// A team that is to be withdrawn is in a match of the tournament.
    #[error(
        "{0} is in a match: let it end, or void it first (if it is adjourned, resume it before)"
    )]
    InMatch(Name),
    /// It is impossible, the event does not fit it, or its file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The tournament of a server, shared by all its parts.
pub(super) struct TournamentHub {
    files: Mutex<ResultsFiles>,
    state: Mutex<TeamTournament>,
    /// Counts the changes of the tournament and of the places of its games.
    changes: watch::Sender<u64>,
}

impl TournamentHub {
    pub fn new(files: ResultsFiles, mut state: TeamTournament) -> TournamentHub {
        let tournament = files.tournament().cloned().map(Arc::new);
        state.set(files.number(), files.began(), tournament);
        TournamentHub {
            files: Mutex::new(files),
            state: Mutex::new(state),
            changes: watch::Sender::new(0),
        }
    }

    /// Locks the state. Must not be held while waiting for the disk.
    pub fn state(&self) -> MutexGuard<'_, TeamTournament> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies all parts of a change.
    pub fn notify(&self) {
        self.changes
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Returns a receiver of the changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Notes the match at a table.
    pub fn note_table(&self, number: u16, used: TableUse) {
        if self.state().note_table(number, used) {
            self.notify();
        }
    }

    /// Notes the teams of the adjourned matches.
    pub fn note_adjourned(&self, teams: Vec<client::Name>) {
        if self.state().note_adjourned(teams) {
            self.notify();
        }
    }

    /// Notes that a match of the tournament has left its table.
    pub fn release(&self, game: &NumberedGame) {
        self.state().release(game);
        self.notify();
    }

    /// Notes where a match of the tournament is.
    pub fn place(&self, game: NumberedGame, place: GamePlace) {
        self.state().place(game, place);
        self.notify();
    }

    /// Writes to the results file, and publishes the tournament with the change. This blocks the
    /// thread.
    fn write<T, E>(&self, write: impl FnOnce(&mut ResultsFiles) -> Result<T, E>) -> Result<T, E> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let result = write(&mut files);
        let tournament = files.tournament().cloned().map(Arc::new);
        self.state().set(files.number(), files.began(), tournament);
        if result.is_ok() {
            // A failed write is retried after a pause, which a change would end.
            self.notify();
        }
        result
    }

    /// Begins a tournament. This blocks the thread.
    ///
    /// # Errors
    /// It [cannot begin](TeamTournament::check_begin), is impossible, or its file cannot be written.
    fn begin_now(&self, settings: &Settings, teams: &[Name]) -> Result<(), TournamentError> {
        self.write(|files| {
            self.state().check_begin()?;
            Ok(files.begin(settings, teams)?)
        })
    }

    /// Begins a tournament, and returns the sentence that says so.
    ///
    /// # Errors
    /// As [`TournamentHub::begin_now`].
    async fn begin(
        self: &Arc<Self>,
        settings: Settings,
        teams: Vec<Name>,
    ) -> Result<String, TournamentError> {
        let begins = begins(teams.len(), &settings);
        let hub = Arc::clone(self);
        let begun = spawn_blocking(move || hub.begin_now(&settings, &teams)).await;
        begun.map_err(io::Error::from)??;
        Ok(begins)
    }

    /// Writes an event.
    ///
    /// # Errors
    /// It does not fit, or cannot be written.
    async fn add(self: &Arc<Self>, event: Event) -> io::Result<()> {
        let hub = Arc::clone(self);
        spawn_blocking(move || hub.write(|files| files.add(&event))).await?
    }

    /// Writes the result of a match, if it is one of the tournament. Returns the reason if it does
    /// not count. This blocks the thread.
    ///
    /// # Errors
    /// It cannot be written, and must be retried.
    pub fn add_result(&self, summary: &Summary) -> io::Result<Option<String>> {
        let Some(game) = &summary.scheduled else {
            return Ok(None);
        };
        let event = event_of_match(summary);
        let refused = self.write(|files| {
            let (own, here) = (game.tournament, files.number());
            if own == here {
                return files.add_result(event.as_ref());
            }
            Ok(event.is_some().then(|| {
                format!("it is a game of tournament {own}, and the one here has number {here}")
            }))
        })?;
        self.release(game);
        Ok(refused)
    }
}

/// Starts the task of the tournament, which begins it, pairs its rounds, forfeits the games of absent
/// teams, and shows it on the page, until it is aborted. `sides` are the names of the sides there.
pub(super) fn spawn_tournament<M: Copy + Send + 'static>(
    hub: Arc<TournamentHub>,
    lobby: Arc<LobbyHub<M>>,
    feed: Option<Feed>,
    sides: ByColor<&'static str>,
    shared: Shared,
) -> JoinHandle<()> {
    let was_over = hub.state().running().is_none();
    let task = TournamentTask {
        hub,
        lobby,
        feed,
        sides,
        shared,
        complaint: None,
        was_over,
        view: CachedView::default(),
        shown: None,
        entrants: None,
    };
    tokio::spawn(task.run())
}

/// The state of the task.
struct TournamentTask<M> {
    hub: Arc<TournamentHub>,
    lobby: Arc<LobbyHub<M>>,
    feed: Option<Feed>,
    sides: ByColor<&'static str>,
    shared: Shared,
    /// The last logged reason why the tournament cannot go on.
    complaint: Option<String>,
    was_over: bool,
    view: CachedView,
    /// What the page shows.
    shown: Option<web::Tournament>,
    /// The teams that would take part in a tournament, as the page shows them; `None` before it
    /// does.
    entrants: Option<Vec<Name>>,
}

impl<M: Copy> TournamentTask<M> {
    /// Runs until it is dropped.
    async fn run(mut self) {
        if let Some(running) = self.hub.state().running() {
            let teams = counted(running.players().len(), "team");
            let (round, rounds) = (running.current_round(), running.rounds_planned());
            self.log(match running.rounds_paired() {
                0 => begins(running.players().len(), running.settings()),
                _ => format!(
                    "the tournament of {teams} goes on in round {round} of {rounds}: each game \
                     begins when both teams are there"
                ),
            });
        }
        let mut changes = self.hub.changes.subscribe();
        let hub = Arc::clone(&self.hub);
        let lobby = Arc::clone(&self.lobby);
        loop {
            if changes.has_changed().unwrap_or(false) {
                changes.mark_unchanged();
                lobby.wake();
            }
            // Registered first, so that no change goes unnoticed.
            let lobby_change = lobby.changed();
            let pause = match self.step().await {
                Ok(true) => continue,
                Ok(false) => None,
                Err(error) => {
                    self.complain(format!("the results file: {error}"));
                    Some(Instant::now() + PAUSE)
                }
            };
            self.show();
            if hub.state().is_finished() {
                self.shared.end_tournament();
            }
            let deadline = hub.state().next_deadline();
            let deadline = deadline.map(|at| self.shared.instant(at));
            let wake = pause.or(deadline);
            let timer = async {
                match wake {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                Ok(()) = changes.changed(), if pause.is_none() => lobby.wake(),
                () = lobby_change, if pause.is_none() => {}
                () = timer => {}
            }
        }
    }

    /// Performs the due actions. Returns whether the tournament has changed.
    ///
    /// # Errors
    /// The results file cannot be written.
    async fn step(&mut self) -> io::Result<bool> {
        let due = self.lobby.read(|lobby| self.hub.state().due_plan(lobby));
        if let Some((settings, teams)) = due {
            match self.hub.begin(settings, teams).await {
                Ok(begins) => {
                    self.log(begins);
                    self.lobby.wake();
                    return Ok(true);
                }
                Err(TournamentError::Io(error)) => return Err(error),
                Err(why) => self.complain(why.to_string()),
            }
        }
        let unpaired = {
            let state = self.hub.state();
            let next = state.running().map(|running| running.next_round());
            match next.unwrap_or(Ok(None)) {
                Ok(next) => next,
                Err(why) => {
                    drop(state);
                    self.complain(why.to_string());
                    None
                }
            }
        };
        if let Some(round) = unpaired {
            self.hub.add(round).await?;
            self.lobby.wake();
            return Ok(true);
        }
        let now = self.shared.now();
        let forfeits = self
            .lobby
            .read(|lobby| self.hub.state().take_forfeits(lobby, now));
        let mut result = Ok(!forfeits.is_empty());
        for forfeit in forfeits {
            if let Err(error) = self.forfeit(&forfeit).await {
                result = Err(error);
            }
        }
        self.log_end();
        if let Ok(true) = result {
            self.lobby.wake();
        }
        result
    }

    /// Writes that a game is forfeited.
    async fn forfeit(&self, forfeit: &Forfeit) -> io::Result<()> {
        let written = self.hub.add(forfeit.event()).await;
        {
            let mut state = self.hub.state();
            let game = state.own(forfeit.scheduled.clone());
            state.release(&game);
        }
        if written.is_ok() {
            self.log(forfeit.to_string());
        }
        written
    }

    fn log(&self, what: String) {
        self.shared.log(LogEvent::Tournament { what });
    }

    /// Logs once why the tournament cannot go on.
    fn complain(&mut self, what: String) {
        if self.complaint.as_ref() != Some(&what) {
            self.complaint = Some(what.clone());
            self.shared.log(LogEvent::Failed { what });
        }
    }

    /// Logs the standings when the tournament is over.
    fn log_end(&mut self) {
        let state = self.hub.state();
        let Some(tournament) = state.tournament() else {
            return;
        };
        let is_over = tournament.is_over();
        if is_over && !self.was_over {
            self.log("the tournament is over".into());
            for line in tournament.standings_table().lines() {
                self.log(line.to_owned());
            }
        }
        self.was_over = is_over;
    }

    /// Shows the tournament on the page, and the teams that would take part in the next one.
    fn show(&mut self) {
        let Some(feed) = &self.feed else { return };
        let (present, entrants) = self.lobby.read(|lobby| {
            let state = self.hub.state();
            (state.teams_present(lobby), state.entrants(lobby))
        });
        let state = self.hub.state();
        let seen = state.tournament().map(|tournament| {
            let waits = match tournament.is_over() {
                true => Vec::new(),
                false => waits(&state, tournament, &present),
            };
            let clock = |at| feed.clock_at(self.shared.instant(at).into_std());
            (Arc::clone(tournament), open_games(&state, clock), waits)
        });
        drop(state);
        let view = seen.map(|(tournament, states, waits)| {
            web::Tournament::new(self.view.of(tournament), &states, waits, self.sides)
        });
        if view != self.shown {
            self.shown.clone_from(&view);
            feed.set_tournament(view);
        }
        if self.entrants.as_ref() != Some(&entrants) {
            feed.set_entrants(entrants.iter().map(Name::to_string).collect());
            self.entrants = Some(entrants);
        }
    }
}

/// The view of the tournament that was shown last; recomputed only when the tournament is replaced.
#[derive(Default)]
struct CachedView(Option<(Arc<Tournament>, View)>);

impl CachedView {
    /// Returns the view of a tournament.
    fn of(&mut self, tournament: Arc<Tournament>) -> &View {
        let cached = self.0.take();
        let cached = cached.filter(|(shown, _)| Arc::ptr_eq(shown, &tournament));
        let fresh = || {
            let view = tournament.view();
            (tournament, view)
        };
        &self.0.insert(cached.unwrap_or_else(fresh)).1
    }
}

/// Returns the reasons why the tournament waits, one sentence each. `present` are the teams that are
/// connected.
fn waits(state: &TeamTournament, tournament: &Tournament, present: &[Name]) -> Vec<String> {
    let adjourned = state.games().filter_map(|(scheduled, place)| {
        let (black, white) = (
            isolated(scheduled.black.as_str()),
            isolated(scheduled.white.as_str()),
        );
        (*place == GamePlace::Adjourned)
            .then(|| format!("{black} - {white} is adjourned: resume it, so that the rounds go on"))
    });
    let mut waits: Vec<String> = adjourned.collect();
    let plays = |name: &Name| {
        let mut games = state.games();
        games.any(|(scheduled, place)| matches!(place, GamePlace::Table(_)) && scheduled.has(name))
    };
    let due = tournament.pending_games();
    let has_game = |name: &&Name| due.iter().any(|scheduled| scheduled.has(name));
    let absent = tournament.players().filter(has_game);
    let absent = absent.filter(|name| !present.contains(name) && !plays(name));
    let absent = absent.map(Name::as_str);
    waits.extend(web::absence(absent, "not there", state.forfeit_after()));
    waits
}

/// Returns the sentence that a tournament begins.
fn begins(teams: usize, settings: &Settings) -> String {
    let (teams, seed) = (counted(teams, "team"), settings.seed);
    format!("a tournament of {teams} begins, seed {seed}")
}

/// Returns the places of the unfinished tournament games, and when others are forfeited, as times
/// of the server's clock.
fn open_games(state: &TeamTournament, clock: impl Fn(Duration) -> u64) -> OpenGames {
    let mut states = OpenGames::new();
    for (scheduled, place) in state.games() {
        let place = match place {
            GamePlace::Table(number) => format!("at table {number}"),
            GamePlace::Adjourned => "adjourned".to_owned(),
            GamePlace::Forfeited => continue,
        };
        states.entry(scheduled.number).or_default().place = Some(place);
    }
    for (number, deadlines) in state.deadlines() {
        states.entry(number).or_default().deadlines = deadlines.map(|at| at.map(&clock));
    }
    states
}

/// Runs a command of the organizer about the tournament. Returns a sentence about the result.
///
/// # Errors
/// The command is refused, or the results file cannot be written.
pub(super) async fn run_command<M: Copy>(
    hub: &Arc<TournamentHub>,
    lobby: &LobbyHub<M>,
    command: TournamentCommand,
    shared: &Shared,
) -> Result<String, TournamentError> {
    let log = |what: String| shared.log(LogEvent::Tournament { what });
    let done = match command {
        TournamentCommand::Begin(settings) => {
            let teams = lobby.read(|lobby| hub.state().entrants(lobby));
            hub.begin(settings, teams).await
        }
        TournamentCommand::Withdraw(name) => {
            let player: Name = match name.parse() {
                Ok(player) => player,
                Err(error) => return Err(TournamentError::Name { name, error }),
            };
            let is_playing = hub
                .state()
                .games()
                .any(|(scheduled, _)| scheduled.has(&player));
            if is_playing {
                return Err(TournamentError::InMatch(player));
            }
            let event = Event::Withdrawal {
                player,
                reason: "the organizer withdrew the team".into(),
            };
            let added = add_event(hub, event).await;
            added.map(|()| format!("{name} leaves the tournament"))
        }
        TournamentCommand::End => {
            let event = Event::Ended {
                reason: "the organizer ended it".into(),
            };
            let added = add_event(hub, event).await;
            added.map(|()| "the organizer has ended the tournament".to_owned())
        }
    };
    hub.notify();
    let what = done?;
    log(what.clone());
    Ok(what)
}

/// Writes an event of a running tournament.
///
/// # Errors
/// None is running, the event does not fit, or it cannot be written.
async fn add_event(hub: &Arc<TournamentHub>, event: Event) -> Result<(), TournamentError> {
    if hub.state().running().is_none() {
        return Err(TournamentError::NotHeld);
    }
    Ok(hub.add(event).await?)
}

#[cfg(test)]
mod tests {
    use crate::tournament::{Games, PairingSystem};

    use super::*;

    fn settings() -> Settings {
        Settings {
            system: PairingSystem::RoundRobin,
            games: Games::Single,
            seed: 7,
            forbidden: Vec::new(),
        }
    }

    #[test]
    fn a_tournament_is_viewed_anew_when_it_has_been_set_anew() {
        let teams = ["Red", "Blue"].map(|name| name.parse().unwrap());
        let first = Arc::new(Tournament::new(settings(), &teams).unwrap());
        let second = Arc::new(Tournament::clone(&first));
        let mut view = CachedView::default();
        view.of(Arc::clone(&first));
        view.0.as_mut().unwrap().1.seed = "kept".into();
        assert_eq!(view.of(first).seed, "kept");
        assert_eq!(view.of(second).seed, "7");
    }

    #[test]
    fn an_unwritten_change_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().join("records");
        let files = ResultsFiles::open(&records).unwrap();
        let hub = TournamentHub::new(files, TeamTournament::default());
        let changes = hub.changes();
        let teams = ["Red", "Blue"].map(|name| name.parse().unwrap());
        for _ in 0..2 {
            hub.begin_now(&settings(), &teams).unwrap_err();
            assert!(!changes.has_changed().unwrap());
        }
        std::fs::create_dir(&records).unwrap();
        hub.begin_now(&settings(), &teams).unwrap();
        assert!(changes.has_changed().unwrap());
        assert!(records.join("tournament-0001.jsonl").exists());
        let why = hub.begin_now(&settings(), &teams).unwrap_err();
        assert_eq!(why.to_string(), "a tournament is being held: end it first");
    }
}
