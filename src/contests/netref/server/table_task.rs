//! The task of one table: it passes messages to the pure [`Table`], and performs the
//! [`Effects`] in order.

use std::collections::HashMap;
use std::future::pending;
use std::io;
use std::net::TcpStream as StdStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::sleep_until;

use super::answer::{Answer, CommandError};
use super::house::{House, HouseLink, HousePlayer};
use super::journals::{self, MatchToRecord, adjourn, resume_adjourned};
use super::lobby::{Link, LobbyHub};
use super::observers::ObserverHub;
use super::organizer::TableCommand;
use super::page::PageUpdates;
use super::recorder::Recorder;
use super::{DOES_NOT_READ, Message, Outbox, Permit, Shared, State};
use crate::base::color::{ByColor, Color};
use crate::base::journal::Journal;
use crate::base::server_clock::MAX_STALLED;
use crate::contests::netref::client::{Client, ConnId, Name};
use crate::contests::netref::entry::Entry;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::lobby::{Entrant, Lobby};
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::records::Records;
use crate::contests::netref::summary::{Player, Summary};
use crate::contests::netref::table::{Effect, Effects, FinishedMatch, LiveMatch, Loss, Table};
use crate::contests::netref::tournament::{GamePlace, TableUse, TeamTournament};
use crate::contests::netref::wire::{Lines, Opening, Response, Role};
use crate::tournament::NumberedGame;

/// The text for clients that come when no more matches begin.
const NO_MORE: &str = "No more matches are played here";

/// The text for a client that waits at a table when a tournament begins.
const TOURNAMENT: &str = "A tournament of teams is being played here: ask again";

/// The text for everybody at a table when the organizer voids its match.
const VOID: &str = "The organizer has ended the match: it does not count";

/// The text for everybody at a table whose match is adjourned because the server was stalled.
const STALLED: &str = "The referee was stalled for too long: come back when the match is resumed";

/// The text for everybody at a table when the organizer adjourns its match.
const ADJOURNED: &str = "The organizer has adjourned the match: come back when it is resumed";

/// What all tables use.
pub(super) struct TableParts<G: NetrefGame> {
    /// The folder of the journals, if there is one.
    pub journals: Option<PathBuf>,
    pub observer_runtime: Handle,
    pub recorder: Recorder,
    /// Where changes are noted for the page, if there is one.
    pub page: Option<Arc<PageUpdates<G::Move>>>,
    /// Where clients wait for a seat.
    pub lobby: Arc<LobbyHub<G::Move>>,
    /// The folder in which matches are recorded, if there is one.
    pub records: Option<Records>,
}

/// A table with its sockets, journal and records.
pub(super) struct TableTask<G: NetrefGame> {
    table: Table<G>,
    inbox: mpsc::Receiver<Message<G::Move>>,
    /// The sender of the inbox, for observers.
    inbox_sender: mpsc::Sender<Message<G::Move>>,
    outboxes: HashMap<ConnId, Outbox>,
    /// A client that asks to observe, until the table has decided.
    pending_observer: Option<((StdStream, Permit), Lines)>,
    hub: ObserverHub,
    observer_runtime: Handle,
    /// The folder of the journals, if there is one.
    journals: Option<PathBuf>,
    journal: Option<Journal<Entry>>,
    recorder: Recorder,
    /// Where changes are noted for the page, if there is one.
    page: Option<Arc<PageUpdates<G::Move>>>,
    /// Where clients wait for a seat.
    lobby: Arc<LobbyHub<G::Move>>,
    shared: Shared,
    /// The house, if it plays here.
    house: Option<SeatedHouse<G>>,
    /// This table as the tournament knows it.
    noted_use: TableUse,
    /// The match that is being played, and how long the server had been stalled before.
    stalled_before: Option<(String, Duration)>,
}

/// The house at a table.
struct SeatedHouse<G> {
    player: Box<dyn HousePlayer<G>>,
    /// The folder in which its matches are recorded.
    records: Option<Records>,
    /// Whether it plays clients from the lobby.
    plays_lobby: bool,
}

impl<G: NetrefGame> TableTask<G> {
    /// Creates the task of a table, with the journal of its interrupted match if it has
    /// one, and the sender of its messages.
    pub fn new(
        (table, journal): (Table<G>, Option<Journal<Entry>>),
        parts: &TableParts<G>,
        shared: Shared,
    ) -> (TableTask<G>, mpsc::Sender<Message<G::Move>>) {
        let (sender, inbox) = mpsc::channel(1_024);
        let runtime = &parts.observer_runtime;
        let task = TableTask {
            table,
            inbox,
            inbox_sender: sender.clone(),
            outboxes: HashMap::new(),
            pending_observer: None,
            hub: ObserverHub::open::<G>(runtime, sender.clone(), shared.clone()),
            observer_runtime: runtime.clone(),
            journals: parts.journals.clone(),
            journal,
            recorder: parts.recorder.clone(),
            page: parts.page.clone(),
            lobby: Arc::clone(&parts.lobby),
            shared,
            house: None,
            noted_use: TableUse::default(),
            stalled_before: None,
        };
        (task, sender)
    }

    /// Lets the house play here, and with `plays_lobby` against clients from the lobby, too. Its
    /// matches are recorded in this folder, if any.
    pub fn let_house_play(&mut self, house: House<G>, records: Option<Records>, plays_lobby: bool) {
        let link = HouseLink::new(self.inbox_sender.clone(), self.shared.clone());
        self.table.set_house(house.name);
        self.house = Some(SeatedHouse {
            player: (house.start)(link),
            records,
            plays_lobby,
        });
    }

    /// Runs the table until the server stops.
    pub async fn run(mut self) {
        self.show();
        let mut state = self.shared.state();
        // The state may have changed before.
        state.mark_changed();
        let mut stopped = false;
        let lobby_changes = self.lobby.table(self.table.number());
        let server = Arc::clone(&self.shared.inner);
        while !stopped {
            // Registered first, so that a client that connects meanwhile is noticed.
            let lobby_change = lobby_changes.notified();
            let stall = server.stalls.notified();
            let has_seated = self.seat_from_lobby().await;
            self.attend_house().await;
            if has_seated {
                continue;
            }
            self.adjourn_stalled().await;
            let deadline = self.table.deadline().map(|at| self.shared.instant(at));
            let timer = async {
                match deadline {
                    Some(deadline) => sleep_until(deadline).await,
                    None => pending().await,
                }
            };
            let effects = tokio::select! {
                // Requests that came before a flag fell are handled before it falls.
                biased;
                Ok(()) = state.changed() => {
                    let now = state.borrow_and_update().clone();
                    stopped = matches!(now, State::Stopping(_));
                    self.change(now)
                }
                Some(message) = self.inbox.recv() => match message {
                    Message::Command { command, reply, at } => {
                        let answer = self.run_command(command, at).await;
                        // The organizer may be gone.
                        let _ = reply.send(answer);
                        continue;
                    }
                    message @ Message::Open { .. } => {
                        let effects = self.handle(message);
                        // Its seat may have to wait for the disk.
                        self.note_use(&[]);
                        effects
                    }
                    message => self.handle(message),
                },
                () = timer => self.table.tick(self.shared.now()),
                () = lobby_change => continue,
                () = stall => continue,
            };
            // If the match was interrupted, the clients have been notified.
            let _ = self.perform(effects).await;
        }
        let TableTask { inbox, house, .. } = self;
        // Late messages of the house must not wait for this table.
        drop(inbox);
        if let Some(house) = house {
            let _ = spawn_blocking(|| house.player.finish()).await;
        }
    }

    /// Seats the house if a client waits for it, and lets it think if it has to decide.
    async fn attend_house(&mut self) {
        if self.house.is_none() {
            return;
        }
        if self.table.lacks_house() && (self.table.has_match() || self.shared.is_open()) {
            let conn = self.shared.next_connection();
            let (now, wall) = (self.shared.now(), SystemTime::now());
            let effects = self.table.seat_house(conn, now, wall, rand::random());
            let _ = self.perform(effects).await;
        }
        let turn = self.table.house_turn(self.shared.now());
        if let Some(house) = &mut self.house {
            house.player.think_about(turn);
        }
    }

    /// Seats clients from the lobby, if this table has seats for them: a client that returns to an
    /// interrupted match or whose opponent waits here, or two that may meet. During a tournament,
    /// no client waits here for an opponent. Returns whether any were seated.
    async fn seat_from_lobby(&mut self) -> bool {
        let tournament = self.shared.tournament().cloned();
        let held = tournament.filter(|tournament| tournament.state().is_held());
        let is_waiting = !self.table.is_empty() && !self.table.has_match();
        if held.is_some() && self.house.is_none() && is_waiting {
            // It came before, or its opponent in a game of the tournament has just left.
            let effects = self.table.dismiss(TOURNAMENT);
            // No journal is written.
            let _ = self.perform(effects).await;
        }
        let table = &self.table;
        // The table itself may learn later that no more matches may begin.
        let may_begin = self.shared.is_open();
        let is_free = may_begin && table.is_free();
        self.note_use(&[]);
        let table = &self.table;
        let mut scheduled = None;
        let now = self.shared.now();
        let entrants = self.lobby.change(|lobby| {
            let may_have_seat = table.has_match() || may_begin && held.is_none();
            let fits = |entrant: &Entrant<_>| {
                may_have_seat && table.has_seat_for(&entrant.player, entrant.side, now)
            };
            match (lobby.take_first(fits), &self.house, &held) {
                (Some(entrant), ..) => vec![entrant],
                (None, Some(house), None) => {
                    let has_seat = house.plays_lobby && is_free;
                    lobby.take_first(|_| has_seat).into_iter().collect()
                }
                (None, Some(_), Some(_)) => Vec::new(),
                (None, None, _) if !is_free => Vec::new(),
                (None, None, None) => {
                    let pair = lobby.take_pair(Entrant::may_meet);
                    pair.into_iter().flatten().collect()
                }
                (None, None, Some(held)) => {
                    let pair = start_game(&mut held.state(), lobby, table.number());
                    let (begins, pair) = pair.unzip();
                    scheduled = begins;
                    pair.into_iter().flatten().collect()
                }
            }
        });
        let has_taken = !entrants.is_empty();
        if has_taken {
            // They have left the lobby, and their seats may have to wait for the disk.
            let teams = entrants.iter().filter_map(|entrant| entrant.player.team());
            let teams: Vec<Name> = teams.cloned().collect();
            self.note_use(&teams);
        }
        let limit = held.as_ref().and_then(|held| held.state().forfeit_after());
        self.table.set_scheduled(scheduled.clone(), limit);
        // All are told before anything is awaited: a client that leaves from now on leaves this
        // table, and no opponent is lost while the first one is being seated.
        let seated = entrants.into_iter().filter_map(|entrant| {
            let client = entrant.player.client?;
            let outbox = entrant.link.seat_at(self.inbox_sender.clone())?;
            let opening = Opening::new::<G>(Role::of(entrant.side), entrant.player.name);
            Some((client, opening, outbox))
        });
        for (client, opening, outbox) in seated.collect::<Vec<_>>() {
            if !self.table.has_match() && !self.shared.is_open() {
                // The last match has begun at another table since the first client was seated.
                let effects = self.table.close(NO_MORE);
                let _ = self.perform(effects).await;
            }
            let effects = self.handle(Message::Open {
                client,
                opening,
                at: self.shared.now(),
                outbox,
                offer: None,
            });
            // If the match was interrupted, the clients have been notified.
            let _ = self.perform(effects).await;
        }
        self.table.set_scheduled(None, None);
        if let (Some(held), Some(scheduled)) = (held, scheduled) {
            let begun = self.table.live_match().and_then(LiveMatch::scheduled);
            if begun != Some(&scheduled) {
                // It did not begin: its journal cannot be written, or no more matches are played.
                held.release(&scheduled);
            }
            held.notify();
        }
        has_taken
    }

    /// Tells the tournament about the match here. `coming` are the teams that are just being
    /// seated.
    fn note_use(&mut self, coming: &[Name]) {
        let Some(tournament) = self.shared.tournament() else {
            return;
        };
        let may_begin = self.house.is_none() && self.shared.is_open();
        let is_free = may_begin && self.table.is_free() && coming.is_empty();
        let mut seated = self.table.teams().into_iter().flatten().chain(coming);
        let teams = [seated.next(), seated.next()];
        let began = self.table.live_match().map(LiveMatch::started);
        let known = &self.noted_use;
        let is_known = is_free == known.is_free && began == known.match_began;
        if !is_known || teams != known.teams.each_ref().map(Option::as_ref) {
            self.noted_use = TableUse {
                is_free,
                match_began: began,
                is_of_house: self.house.is_some(),
                teams: teams.map(|team| team.cloned()),
            };
            tournament.note_table(self.table.number(), self.noted_use.clone());
        }
    }

    /// Returns whether this table has a seat for a client: one that it had in an interrupted match,
    /// or if `may_be_new`, one in a new match.
    fn has_seat_for(&self, client: &Client, opening: &Opening, may_be_new: bool) -> bool {
        let player = Player {
            name: opening.name.clone(),
            client: Some(client.clone()),
        };
        let (side, now) = (opening.role.side(), self.shared.now());
        let is_back = self.table.has_seat_for(&player, side, now);
        is_back || may_be_new && self.table.is_free()
    }

    fn change(&mut self, state: State) -> Effects<G::Move> {
        match state {
            State::Open => {
                self.table.reopen();
                Effects::default()
            }
            State::Closed => self.table.close(NO_MORE),
            State::Stopping(why) => {
                if let Some(live) = self.table.live_match()
                    && !self.shared.is_journaled()
                {
                    self.shared.log(live.discarded_event());
                }
                self.table.stop(&why)
            }
        }
    }

    fn handle(&mut self, message: Message<G::Move>) -> Effects<G::Move> {
        match message {
            Message::Open {
                client,
                opening,
                at,
                outbox,
                offer,
            } => {
                if let Some(offer) = offer
                    && !self.has_seat_for(&client, &opening, offer.may_be_new)
                {
                    // The client may be gone.
                    let _ = offer.declined.send(outbox);
                    return Effects::default();
                }
                self.outboxes.insert(client.conn, outbox);
                self.table
                    .open(client, opening, at, SystemTime::now(), rand::random())
            }
            Message::Observe {
                client,
                name,
                at,
                stream,
                permit,
                lines,
            } => {
                let opening = Opening::new::<G>(Role::Observer, name);
                self.pending_observer = Some(((stream, permit), lines));
                self.table
                    .open(client, opening, at, SystemTime::now(), false)
            }
            Message::Request { conn, request, at } => self.table.request(conn, request, at),
            // Commands are run before.
            Message::Command { .. } => Effects::default(),
            Message::Left { conn, at, loss } => {
                self.outboxes.remove(&conn);
                // Matches against the house have one client.
                let live = self
                    .table
                    .live_match()
                    .filter(|live| live.house().is_none());
                if let Some(live) = live.filter(|live| live.is_played_by(conn)) {
                    self.shared.note_loss((live.server(), live.id()), at);
                }
                self.table.lose(conn, loss, at)
            }
        }
    }

    /// Adjourns the match. Everybody at the table is sent this text.
    async fn adjourn(&mut self, told: &str, at: Duration) -> Answer {
        let live = self.table.live_match().ok_or(CommandError::NoMatch)?;
        if !live.can_resume() {
            return Err(CommandError::NotResumable);
        }
        let (id, title) = (live.id().to_owned(), live.title());
        let scheduled = live.scheduled().cloned();
        let entry = live.adjournment_entry(at);
        let journal = self.journal.take();
        let journal = journal.ok_or(CommandError::NoJournal)?;
        // The disk may be slow, and other tables need not wait for it.
        let put = spawn_blocking(move || adjourn(journal, entry)).await;
        match put.map_err(|error| CommandError::NotAdjourned(error.into()))? {
            Ok(warning) => self.warn(warning),
            Err((error, journal)) => {
                self.journal = Some(journal);
                return Err(CommandError::NotAdjourned(error));
            }
        }
        self.place(scheduled, GamePlace::Adjourned);
        let effects = self.table.adjourn(told);
        self.shared.uncount_start();
        self.shared.log(LogEvent::Adjourned {
            id: id.clone(),
            title,
        });
        self.perform(effects).await.map_err(CommandError::Journal)?;
        Ok(format!("match {id} is adjourned"))
    }

    /// Adjourns a match during which the server was stalled for too long, if it can be resumed.
    async fn adjourn_stalled(&mut self) {
        let stalled = self.shared.stalled();
        let id = self.table.live_match().map(LiveMatch::id);
        let before = match (&self.stalled_before, id) {
            (Some((known, before)), Some(id)) if known == id => *before,
            _ => {
                self.stalled_before = id.map(|id| (id.to_owned(), stalled));
                return;
            }
        };
        if stalled.saturating_sub(before) <= MAX_STALLED {
            return;
        }
        let at = self.shared.now();
        let adjourned = self.adjourn(STALLED, at).await;
        if let (Err(why), Some((id, before))) = (adjourned, &mut self.stalled_before) {
            *before = stalled;
            let what = format!("match {id} goes on although the referee was stalled: {why}");
            self.shared.log(LogEvent::Failed { what });
        }
    }

    /// Runs a command of the organizer. A flag that has fallen before ends the match first.
    async fn run_command(&mut self, command: TableCommand, at: Duration) -> Answer {
        let due = self.table.tick(at);
        let ended = due.finished();
        let ended = ended.map(|end| LogEvent::ended::<G>(&end.summary).to_string());
        self.perform(due).await.map_err(CommandError::Journal)?;
        if let (TableCommand::Void | TableCommand::Adjourn, Some(ended)) = (&command, ended) {
            return Err(CommandError::Ended(ended));
        }
        match command {
            TableCommand::Describe => Ok(self.table.describe()),
            TableCommand::Void => {
                let id = self.table.live_match().map(|live| live.id().to_owned());
                let id = id.ok_or(CommandError::NoMatch)?;
                let effects = self.table.void(VOID, at);
                self.perform(effects).await.map_err(CommandError::Journal)?;
                Ok(format!("match {id} is void"))
            }
            TableCommand::Adjourn => self.adjourn(ADJOURNED, at).await,
            TableCommand::Resume(path) => {
                if !self.table.is_empty() {
                    return Err(CommandError::NotFree {
                        held: self.table.describe(),
                        advice: match self.table.live_match() {
                            Some(_) => "wait for the end of that match, or adjourn or void it",
                            None => {
                                "that client waits for another match and must leave: resume \
                                 first, then the players come back"
                            }
                        },
                    });
                }
                if !self.shared.is_open() {
                    return Err(CommandError::NoMoreMatches);
                }
                // This counts before the disk is waited for: another table may begin meanwhile.
                self.shared.count_start();
                let house = self.table.house().cloned();
                let taken =
                    spawn_blocking(move || resume_adjourned::<G>(&path, house.as_ref())).await;
                let taken = taken.map_err(|error| CommandError::Journal(error.into()));
                let taken = taken.and_then(|taken| taken.map_err(CommandError::NotResumed));
                let ((mut live, journal), warning) =
                    taken.inspect_err(|_| self.shared.uncount_start())?;
                self.warn(warning);
                if let Some(tournament) = self.shared.tournament() {
                    live.limit_wait(tournament.state().forfeit_after());
                }
                self.place(
                    live.scheduled().cloned(),
                    GamePlace::Table(self.table.number()),
                );
                let event = live.restored_event();
                let id = live.id().to_owned();
                let effects = self.table.resume_match(live, self.shared.now());
                self.journal = Some(journal);
                self.shared.log(event);
                self.perform(effects).await.map_err(CommandError::Journal)?;
                Ok(format!("match {id} waits for its players"))
            }
        }
    }

    /// Notes where a match of the tournament is.
    fn place(&self, scheduled: Option<NumberedGame>, place: GamePlace) {
        if let (Some(tournament), Some(scheduled)) = (self.shared.tournament(), scheduled) {
            tournament.place(scheduled, place);
        }
    }

    /// Logs a warning, if there is one.
    fn warn(&self, warning: Option<String>) {
        if let Some(what) = warning {
            self.shared.log(LogEvent::Failed { what });
        }
    }

    /// Performs effects in order.
    ///
    /// # Errors
    /// If the journal cannot be written. The match is then interrupted, and the
    /// remaining effects are dropped.
    async fn perform(&mut self, effects: Effects<G::Move>) -> io::Result<()> {
        let (mut is_new, mut is_over, mut has_yielded) = (false, false, false);
        for effect in effects {
            match effect {
                Effect::Begin => {
                    is_new = true;
                    self.shared.count_start();
                }
                Effect::Journal(entry) => {
                    if let Err(error) = self.journal(entry).await {
                        self.interrupt(is_new, &error).await;
                        return Err(error);
                    }
                }
                Effect::Send(conn, text) => self.send(conn, text),
                Effect::StartClock => self.table.start_clock(self.shared.now()),
                Effect::AdmitObserver(conn, first) => {
                    if let Some((stream, lines)) = self.pending_observer.take()
                        && self.hub.join(conn, stream, lines, first).is_err()
                    {
                        self.drop_observers();
                    }
                }
                Effect::RejectObserver(_, text) => {
                    if let Some((stream, _)) = self.pending_observer.take()
                        && self.hub.reject(stream, text).is_err()
                    {
                        self.drop_observers();
                    }
                }
                Effect::Log(event) => self.shared.log(event),
                Effect::Broadcast(text) => {
                    // The players first: waking the observers' thread takes longer than
                    // all the rest.
                    yield_now().await;
                    has_yielded = true;
                    if self.hub.broadcast(text).is_err() {
                        self.drop_observers();
                    }
                }
                Effect::Finish(finished) => {
                    is_over = true;
                    if let Some(page) = &self.page {
                        page.ended::<G>(self.table.number(), &finished, self.shared.is_recorded());
                    }
                    let FinishedMatch {
                        summary, record, ..
                    } = *finished;
                    // A client that sees its connection end finds the match on record.
                    self.record(summary, record).await;
                }
                Effect::Close(conn) => {
                    self.outboxes.remove(&conn);
                }
                Effect::CloseObservers => self.close_observers(),
            }
        }
        if self.page.is_some() && !is_over {
            if !has_yielded {
                yield_now().await;
            }
            self.show();
        }
        Ok(())
    }

    /// Notes the state of the table for the page. While the server stops, the page keeps
    /// what it shows.
    fn show(&self) {
        if let Some(page) = &self.page
            && !self.shared.is_stopping()
        {
            page.table(&self.table);
        }
    }

    /// Interrupts the match, because its journal cannot be written. Nothing is acknowledged. All
    /// clients at the table are told why and disconnected, and the match is restored from its
    /// journal as after a crash: it waits for its players, or is over without a result. `is_new`
    /// says whether the match began with the effects that could not be performed.
    async fn interrupt(&mut self, is_new: bool, error: &io::Error) {
        let live = self.table.live_match();
        let scheduled = live.and_then(|live| live.scheduled().cloned());
        self.table.clear();
        let why = format!("its journal cannot be written: {error}");
        let text = Response::<G>::Problem(format!("the match is interrupted, {why}")).to_string();
        let what = format!("the match is interrupted: {why}");
        self.shared.log(LogEvent::Failed { what });
        for (_, outbox) in self.outboxes.drain() {
            // A player whose queue is full does not read.
            let _ = outbox.try_send(text.clone());
        }
        let _ = self.hub.broadcast(text);
        self.close_observers();
        let journal = self.journal.take();
        if is_new {
            // No client has been notified of this match: it did not begin.
            self.shared.uncount_start();
            let _ = journal.map(Journal::remove);
            return self.show();
        }
        let restored = journal.and_then(journals::reopen::<G>);
        match restored {
            Some((mut live, journal)) if !live.can_resume() => {
                self.journal = Some(journal);
                if let Some(FinishedMatch {
                    summary, record, ..
                }) = live.end_interrupted()
                {
                    self.shared.log(LogEvent::ended::<G>(&summary));
                    self.record(summary, record).await;
                }
            }
            Some((live, journal)) => {
                self.shared.log(live.restored_event());
                // The observers have been closed.
                let _ = self.table.resume_match(live, self.shared.now());
                self.journal = Some(journal);
            }
            None => {
                if let (Some(tournament), Some(scheduled)) = (self.shared.tournament(), scheduled) {
                    tournament.release(&scheduled);
                }
                self.shared.count_end();
            }
        }
        self.show();
    }

    /// Appends an entry to the journal of the match; the first entry begins it.
    async fn journal(&mut self, entry: Entry) -> io::Result<()> {
        let Some(folder) = self.journals.clone() else {
            return Ok(());
        };
        let journal = self.journal.take();
        // The disk may be slow, and other tables need not wait for it.
        let written = spawn_blocking(move || {
            let named = |error| io::Error::other(format!("{}: {error}", folder.display()));
            let mut journal = match (journal, &entry) {
                (Some(journal), _) => journal,
                (None, Entry::Start { id, .. }) => match journals::create(&folder, id) {
                    Ok(journal) => journal,
                    Err(error) => return (None, Err(named(error))),
                },
                (None, _) => return (None, Err(io::Error::other("there is none"))),
            };
            let written = journal.append(&[entry]).map_err(named);
            (Some(journal), written)
        });
        let (journal, written) = written.await?;
        self.journal = journal;
        written
    }

    /// Records a finished match, after which its journal is not needed.
    async fn record(&mut self, summary: Summary, record: String) {
        let finished = MatchToRecord {
            server: self.table.number(),
            summary,
            record,
            journal: self.journal.take(),
            may_be_recorded: false,
        };
        if finished.journal.is_some() || self.shared.is_recorded() {
            let shared = self.shared.clone();
            let id = finished.summary.id.clone();
            self.recorder.record::<G>(finished, shared).await;
            self.tell_record(&id);
        }
        self.shared.count_end();
    }

    /// Logs where a match of the house is recorded, so that it can be reviewed.
    fn tell_record(&self, id: &str) {
        let records = self.house.as_ref().and_then(|house| house.records.as_ref());
        if let Some(path) = records.and_then(|records| records.reviewable::<G>(id)) {
            self.shared.log(LogEvent::Reviewable {
                id: id.to_owned(),
                record: path.display().to_string(),
            });
        }
    }

    /// Disconnects all observers, because there are too many for this machine.
    fn drop_observers(&mut self) {
        let what = "the observers are given up: there are too many for this machine".to_owned();
        self.shared.log(LogEvent::Failed { what });
        self.close_observers();
    }

    /// Disconnects all observers after the queued texts, and opens a new hub.
    fn close_observers(&mut self) {
        let (sender, shared) = (self.inbox_sender.clone(), self.shared.clone());
        self.hub = ObserverHub::open::<G>(&self.observer_runtime, sender, shared);
    }

    /// Queues a text for a player. Drops the player if the queue is full, because it does not
    /// read.
    fn send(&mut self, conn: ConnId, text: String) {
        let Some(outbox) = self.outboxes.get(&conn) else {
            return;
        };
        if outbox.try_send(text).is_err() {
            self.outboxes.remove(&conn);
            let (at, loss) = (self.shared.now(), Loss::Dropped(DOES_NOT_READ.to_owned()));
            let sender = self.inbox_sender.clone();
            tokio::spawn(async move { sender.send(Message::Left { conn, at, loss }).await });
        }
    }
}

/// Takes the players of the next game of the tournament out of the lobby, Black first, each with the
/// side that it has in this game.
fn start_game<M>(
    state: &mut TeamTournament,
    lobby: &mut Lobby<Link<M>>,
    table: u16,
) -> Option<(NumberedGame, [Entrant<Link<M>>; 2])> {
    let (scheduled, ByColor { black, white }) = state.start_game(lobby, table)?;
    let seat = |entrant: Entrant<Link<M>>, side| Entrant {
        side: Some(side),
        ..entrant
    };
    let pair = [seat(black, Color::Black), seat(white, Color::White)];
    Some((scheduled, pair))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tempfile::TempDir;
    use tokio::runtime::Builder;

    use super::super::lobby::Ticket;
    use super::super::tournament::TournamentHub;
    use super::*;
    use crate::contests::netref::table::HouseTurn;
    use crate::contests::netref::{Action, Gothello, LossWaits, MatchReason, Settings};
    use crate::games::gothello::Move;
    use crate::tournament::ResultsFiles;

    /// The time on each clock, and the time that a player waits for another.
    const TIME: Duration = Duration::from_secs(60);

    /// The time of a command that comes when the clock has run out, before the table's own
    /// timer.
    const OVER: Duration = Duration::from_secs(120);

    /// A table whose task is not running, and its log.
    struct TestTable {
        task: TableTask<Gothello>,
        log: Arc<Mutex<Vec<LogEvent>>>,
        /// An event to happen as soon as a client is seated.
        on_seated: Arc<Mutex<Option<Job>>>,
        folder: TempDir,
    }

    type Job = Box<dyn FnOnce() + Send>;

    /// A client in the lobby: its place, and the queue of texts for it.
    type Waiting = (Ticket<Move>, mpsc::Receiver<String>);

    impl TestTable {
        fn new() -> TestTable {
            let log = Arc::new(Mutex::new(Vec::new()));
            let sink = Arc::clone(&log);
            let on_seated: Arc<Mutex<Option<Job>>> = Arc::default();
            let job = Arc::clone(&on_seated);
            let mut shared = Shared::for_tests(Arc::new(move |_, event| {
                let is_seated = matches!(event, LogEvent::Seated { .. });
                sink.lock().unwrap().push(event);
                let job = job.lock().unwrap().take_if(|_| is_seated);
                if let Some(job) = job {
                    job();
                }
            }));
            let table = Table::new(Settings {
                number: 0,
                start: Gothello::default(),
                times: Some(ByColor::from_fn(|_| TIME)),
                private: false,
                strict: false,
                seat_timeout: Some(TIME),
                move_timeout: None,
                reclaim_time: Duration::ZERO,
                waits: LossWaits::default(),
            });
            let folder = tempfile::tempdir().unwrap();
            let files = ResultsFiles::open(folder.path()).unwrap();
            let tournament = TournamentHub::new(files, TeamTournament::default());
            Arc::get_mut(&mut shared.inner).unwrap().tournament = Some(Arc::new(tournament));
            let journals = Some(folder.path().to_owned());
            let (recorder, _) = Recorder::start::<Gothello>(None, None, None).unwrap();
            let parts = TableParts {
                journals,
                observer_runtime: Handle::current(),
                recorder,
                page: None,
                lobby: Arc::new(LobbyHub::new(None)),
                records: None,
            };
            let (task, _) = TableTask::new((table, None), &parts, shared);
            TestTable {
                task,
                log,
                on_seated,
                folder,
            }
        }

        /// Lets a client of a team wait in the lobby.
        fn wait(&self, number: u64, team: &str) -> Waiting {
            let conn = ConnId(number);
            let player = Player {
                name: None,
                client: Some(Client {
                    team: Name::new(team),
                    ..conn.into()
                }),
            };
            let (outbox, inbox) = mpsc::channel(16);
            let lobby = &self.task.lobby;
            let ticket = lobby.enter((conn, player), None, outbox, Duration::ZERO);
            (ticket, inbox)
        }

        /// Handles the next message in the table's inbox.
        async fn handle_next(&mut self) {
            let message = self.task.inbox.recv().await.unwrap();
            let effects = self.task.handle(message);
            self.task.perform(effects).await.unwrap();
        }

        /// Seats a player at time zero, and returns its queue.
        async fn seat(&mut self, side: Color, name: &str) -> mpsc::Receiver<String> {
            let (outbox, inbox) = mpsc::channel(16);
            let effects = self.task.handle(Message::<Move>::Open {
                client: Client {
                    resumes: true,
                    ..ConnId(side as u64 + 1).into()
                },
                opening: Opening::new::<Gothello>(Role::Player(side), Name::new(name)),
                at: Duration::ZERO,
                outbox,
                offer: None,
            });
            self.task.perform(effects).await.unwrap();
            inbox
        }

        /// Returns how the matches ended.
        fn reasons(&self) -> Vec<MatchReason> {
            let log = self.log.lock().unwrap();
            let reasons = log.iter().filter_map(|event| match event {
                LogEvent::Ended { reason, .. } => Some(*reason),
                _ => None,
            });
            reasons.collect()
        }
    }

    #[test]
    fn a_pair_that_is_being_seated_takes_part_in_a_tournament_that_begins_now() {
        run(async {
            let mut table = TestTable::new();
            let _waiting = [table.wait(1, "Red"), table.wait(2, "Blue")];
            let tournament = Arc::clone(table.task.shared.tournament().unwrap());
            let lobby = Arc::clone(&table.task.lobby);
            let entrants: Arc<Mutex<Vec<String>>> = Arc::default();
            let found = Arc::clone(&entrants);
            *table.on_seated.lock().unwrap() = Some(Box::new(move || {
                assert!(lobby.read(|lobby| lobby.count() == 0));
                let names = lobby.read(|lobby| tournament.state().entrants(lobby));
                *found.lock().unwrap() = names.iter().map(ToString::to_string).collect();
            }));
            assert!(table.task.seat_from_lobby().await);
            assert_eq!(*entrants.lock().unwrap(), ["Red", "Blue"]);
        });
    }

    /// Returns everything that a player was sent until its connection was closed.
    fn drain(inbox: &mut mpsc::Receiver<String>) -> String {
        let mut told = String::new();
        loop {
            match inbox.try_recv() {
                Ok(text) => told.push_str(&text),
                Err(error) => {
                    assert_eq!(error, mpsc::error::TryRecvError::Disconnected, "{told}");
                    return told;
                }
            }
        }
    }

    fn run(test: impl Future<Output = ()>) {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(test);
    }

    #[test]
    fn a_command_after_a_flag_fell_is_refused_because_the_match_is_over() {
        run(async {
            for command in [TableCommand::Void, TableCommand::Adjourn] {
                let mut table = TestTable::new();
                let mut players = [
                    table.seat(Color::Black, "Ann").await,
                    table.seat(Color::White, "Bob").await,
                ];
                let why = table.task.run_command(command, OVER).await.unwrap_err();
                assert!(
                    why.to_string().ends_with("is over: white wins by time"),
                    "{why}"
                );
                assert_eq!(table.reasons(), [MatchReason::Time]);
                for inbox in &mut players {
                    let told = drain(inbox);
                    assert!(told.contains("\r\n362 "), "{told}");
                }
            }
        });
    }

    /// It reads everything that it was sent, and then the end.
    #[test]
    fn a_player_whose_queue_is_full_has_left() {
        run(async {
            let mut table = TestTable::new();
            let mut ann = table.seat(Color::Black, "Ann").await;
            let mut bob = table.seat(Color::White, "Bob").await;
            let told = bob.len();
            for _ in 0..20 {
                let request = Message::Request {
                    conn: ConnId(Color::White as u64 + 1),
                    request: Action::parse::<Gothello>("1 ... c3"),
                    at: Duration::ZERO,
                };
                let effects = table.task.handle(request);
                table.task.perform(effects).await.unwrap();
            }
            let texts: Vec<String> = std::iter::from_fn(|| bob.try_recv().ok()).collect();
            assert_eq!(texts.len(), 16, "{texts:?}");
            let refused = texts.iter().filter(|text| text.starts_with("291 "));
            assert_eq!(refused.count(), 16 - told, "{texts:?}");
            assert!(bob.is_closed());
            table.handle_next().await;
            assert_eq!(table.reasons(), [MatchReason::Disconnection]);
            let told = drain(&mut ann);
            assert!(told.contains("\r\n392 "), "{told}");
        });
    }

    #[test]
    fn a_match_can_be_voided_or_adjourned_before_a_flag_falls() {
        run(async {
            for (command, ending, reasons) in [
                (TableCommand::Void, "is void", &[MatchReason::Void][..]),
                (TableCommand::Adjourn, "is adjourned", &[]),
            ] {
                let mut table = TestTable::new();
                let mut ann = table.seat(Color::Black, "Ann").await;
                let _bob = table.seat(Color::White, "Bob").await;
                let answer = table.task.run_command(command, TIME / 2).await.unwrap();
                assert!(answer.ends_with(ending), "{answer}");
                assert_eq!(table.reasons(), reasons, "{ending}");
                assert!(drain(&mut ann).contains("\r\n399 The organizer"));
            }
        });
    }

    #[test]
    fn a_resumed_match_continues_with_the_remaining_time() {
        run(async {
            let mut table = TestTable::new();
            let _players = [
                table.seat(Color::Black, "Ann").await,
                table.seat(Color::White, "Bob").await,
            ];
            table
                .task
                .run_command(TableCommand::Adjourn, TIME / 2)
                .await
                .unwrap();
            let mut files = std::fs::read_dir(table.folder.path()).unwrap();
            let journal = files.next().unwrap().unwrap().path();
            table
                .task
                .run_command(TableCommand::Resume(journal), TIME)
                .await
                .unwrap();
            let mut ann = table.seat(Color::Black, "Ann").await;
            let granted = ann.try_recv().unwrap();
            assert!(granted.starts_with("101 30 60 "), "{granted}");
        });
    }

    #[test]
    fn no_match_begins_here_after_the_last_one_has_begun_elsewhere() {
        run(async {
            let mut table = TestTable::new();
            let _waiting = [table.wait(1, "Red"), table.wait(2, "Blue")];
            let shared = table.task.shared.clone();
            // The table has not been told yet.
            shared.turn(State::Open, State::Closed);
            assert!(!table.task.seat_from_lobby().await);
            assert!(table.task.table.is_empty());
            shared.turn(State::Closed, State::Open);
            assert!(table.task.seat_from_lobby().await);
            assert!(table.task.table.has_match());
        });
    }

    #[test]
    fn leaving_the_lobby_before_being_seated_costs_the_opponent_nothing() {
        run(async {
            let mut table = TestTable::new();
            let (red, mut red_inbox) = table.wait(1, "Red");
            let (blue, _) = table.wait(2, "Blue");
            drop(blue);
            assert!(!table.task.seat_from_lobby().await);
            // Red has been told nothing, and is the first in the queue.
            assert!(red_inbox.is_empty());
            let _waiting = [table.wait(3, "Green"), table.wait(4, "Gold")];
            assert!(table.task.seat_from_lobby().await);
            assert!(red.leave().is_some(), "it is seated");
            assert!(red_inbox.try_recv().unwrap().starts_with("101 "));
            assert_eq!(table.task.lobby.read(Lobby::count), 1);
        });
    }

    /// Its opponent could not go back to the lobby: it has been told its role.
    #[test]
    fn a_client_that_vanishes_while_being_seated_loses_the_match() {
        run(async {
            for vanishing in [1, 2] {
                let mut table = TestTable::new();
                let [(red, mut red_inbox), (blue, mut blue_inbox)] =
                    [table.wait(1, "Red"), table.wait(2, "Blue")];
                let (gone, _stays) = if vanishing == 1 {
                    (red, blue)
                } else {
                    (blue, red)
                };
                *table.on_seated.lock().unwrap() = Some(Box::new(move || {
                    // As its connection does.
                    let at = Duration::ZERO;
                    let (conn, loss) = (ConnId(vanishing), Loss::Closed);
                    let table = gone.leave().expect("all are seated at once");
                    let left = table.try_send(Message::Left { conn, at, loss });
                    assert!(left.is_ok(), "{vanishing}");
                }));
                assert!(table.task.seat_from_lobby().await, "{vanishing}");
                assert!(table.task.table.has_match(), "{vanishing}");
                table.handle_next().await;
                assert_eq!(table.reasons(), [MatchReason::Disconnection], "{vanishing}");
                let other = if vanishing == 1 {
                    &mut blue_inbox
                } else {
                    &mut red_inbox
                };
                let told = drain(other);
                assert!(told.contains("loses by disconnection"), "{told}");
                // Other clients play.
                let _waiting = [table.wait(3, "Green"), table.wait(4, "Gold")];
                assert!(table.task.seat_from_lobby().await, "{vanishing}");
                assert!(table.task.table.has_match(), "{vanishing}");
            }
        });
    }

    #[test]
    fn a_client_being_seated_is_told_when_the_last_match_has_begun_elsewhere() {
        run(async {
            let mut table = TestTable::new();
            let [(_red, mut red_inbox), (_blue, mut blue_inbox)] =
                [table.wait(1, "Red"), table.wait(2, "Blue")];
            let shared = table.task.shared.clone();
            let close = move || shared.turn(State::Open, State::Closed);
            *table.on_seated.lock().unwrap() = Some(Box::new(close));
            assert!(table.task.seat_from_lobby().await);
            assert!(table.task.table.is_empty());
            for inbox in [&mut red_inbox, &mut blue_inbox] {
                let told = drain(inbox);
                assert!(
                    told.ends_with("399 No more matches are played here\r\n"),
                    "{told}"
                );
            }
            assert_eq!(std::fs::read_dir(table.folder.path()).unwrap().count(), 0);
        });
    }

    /// A house player that never decides anything.
    struct Idle;

    impl HousePlayer<Gothello> for Idle {
        fn think_about(&mut self, _: Option<HouseTurn<Gothello>>) {}

        fn finish(self: Box<Self>) {}
    }

    #[test]
    fn the_house_is_not_seated_when_no_match_may_begin_any_more() {
        run(async {
            for closes in [true, false] {
                let mut table = TestTable::new();
                let house = House {
                    name: Name::new("house-3").unwrap(),
                    start: Box::new(|_: HouseLink<Move>| -> Box<dyn HousePlayer<Gothello>> {
                        Box::new(Idle)
                    }),
                };
                table.task.let_house_play(house, None, false);
                let mut ann = table.seat(Color::Black, "Ann").await;
                if closes {
                    // The table has not been told yet.
                    table.task.shared.turn(State::Open, State::Closed);
                }
                table.task.attend_house().await;
                assert_eq!(table.task.table.has_match(), !closes, "{closes}");
                let effects = table.task.change(State::Closed);
                table.task.perform(effects).await.unwrap();
                if closes {
                    let told = drain(&mut ann);
                    assert!(
                        told.ends_with("399 No more matches are played here\r\n"),
                        "{told}"
                    );
                } else {
                    // A match that has begun goes on.
                    assert!(table.task.table.has_match(), "{closes}");
                }
            }
        });
    }

    #[test]
    fn every_command_first_ends_a_wait_that_is_over() {
        run(async {
            for (command, answer) in [
                (TableCommand::Void, Err(CommandError::NoMatch.to_string())),
                (
                    TableCommand::Adjourn,
                    Err(CommandError::NoMatch.to_string()),
                ),
                (TableCommand::Describe, Ok("nobody".to_owned())),
            ] {
                let mut table = TestTable::new();
                let mut ann = table.seat(Color::Black, "Ann").await;
                let given = table.task.run_command(command, OVER).await;
                assert_eq!(given.map_err(|why| why.to_string()), answer);
                let told = drain(&mut ann);
                assert!(told.contains("399 Nobody came to play"), "{told}");
            }
        });
    }
}
