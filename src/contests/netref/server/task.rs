//! What surrounds the [`Referee`] in its task: the connections of players and observers, the houses,
//! the page, and the log.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::mem;
use std::net::TcpStream as StdStream;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};

use super::house::HousePlayer;
use super::observers::{HubMessage, ObserverHub};
use super::page::RefereePage;
use super::{Connection, DOES_NOT_READ, Input, Outbox, Permit, RoleRequest, Shared, ToPlayer};
use crate::contests::contest::{OrderedEffect, RulingRequest, Timestamp, TournamentDesk};
use crate::contests::netref::client::ConnId;
use crate::contests::netref::entry::MatchEntry;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::referee::{Delivery, Matches, Referee, RefereeCommand, interruption};
use crate::contests::netref::summary::Summary;
use crate::contests::netref::table::{Loss, Table, ToObservers};
use crate::contests::netref::wire::{Lines, Response};
use crate::contests::results::ResultLine;
use crate::contests::shell::{Answer, Records, Report, ServerCommand, Shell, timestamp};
use crate::pages::web::Feed;
use crate::tournament::LastTournament;

/// How often the clients in the lobby are looked at.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// A referee with what surrounds it.
pub struct RefereeShell<G: NetrefGame> {
    pub referee: Referee<G>,
    /// The sender of inputs, for observers.
    pub inputs: mpsc::Sender<Input<G::Move>>,
    /// The queues of texts for all players.
    pub outboxes: HashMap<ConnId, Outbox>,
    /// The clients that ask to observe, until the referee's decision is performed.
    pub newcomers: HashMap<ConnId, ((StdStream, Permit), Lines)>,
    /// The observers of each table.
    pub hubs: Vec<ObserverHub>,
    pub observer_runtime: Handle,
    /// The houses, by the indices of their tables.
    pub houses: BTreeMap<usize, Box<dyn HousePlayer<G>>>,
    /// The port of each table.
    pub ports: Vec<u16>,
    /// The records, if they are kept.
    pub records: Option<Records>,
    /// The feed of the page, if there is one.
    pub feed: Option<Feed>,
    /// What the page shows; `None` without a page, and before the ports are open.
    pub page: Option<RefereePage<G>>,
    /// What is logged after players have been sent their texts, each with a server number: waking
    /// another thread takes longer than all the rest.
    pub events: Vec<(u16, LogEvent)>,
    /// What observers of each table are sent then.
    pub later: Vec<(usize, ToObservers)>,
    /// When the clients in the lobby are looked at next, and whether some waited in vain.
    pub look_at: Duration,
    pub has_waits: bool,
    /// The threads of the houses that are being shut down.
    pub leaving: Vec<JoinHandle<()>>,
    pub shared: Shared,
}

impl ServerCommand for RefereeCommand {
    const STOPPING: &'static str = "the referee stops";
}

impl<G: NetrefGame> Shell for RefereeShell<G> {
    type Kept = Matches;
    type Input = Input<G::Move>;
    type Command = RefereeCommand;

    const REFRESH: Duration = Duration::from_millis(20);
    const LAST_WRITES: Duration = Duration::from_secs(3);

    fn handle(&mut self, input: Input<G::Move>, now: Timestamp) {
        let stamp = |clock| Timestamp { clock, ..now };
        match input {
            Input::Open(request) => {
                let request: RoleRequest = *request;
                let conn = request.client.conn;
                match request.connection {
                    Connection::Player(outbox) => _ = self.outboxes.insert(conn, outbox),
                    Connection::Observer(stream, lines) => {
                        self.newcomers.insert(conn, (stream, lines));
                    }
                }
                let (client, opening, entrance) =
                    (request.client, request.opening, request.entrance);
                self.referee
                    .open(client, opening, entrance, stamp(request.at));
            }
            Input::Request {
                conn,
                line,
                request,
                at,
            } => {
                self.referee.hear(conn, &line);
                self.referee.request(conn, request, stamp(at));
            }
            Input::Left { conn, at, loss } => {
                self.outboxes.remove(&conn);
                self.referee.lose(conn, loss, stamp(at));
            }
        }
    }

    fn free_ruling(&self, command: &RefereeCommand) -> Option<RulingRequest> {
        match command {
            RefereeCommand::Tournament(command) => {
                TournamentDesk::free_ruling(self.referee.desk(), command)
            }
            _ => None,
        }
    }

    fn run_command(&mut self, command: RefereeCommand, now: Timestamp) -> Answer {
        let answer = self.referee.run_command(command, &self.ports, now);
        answer.map_err(|why| why.to_string())
    }

    fn disk_failure(why: &str) -> String {
        why.to_owned()
    }

    fn handle_report(&mut self, report: Report<Matches>, now: Timestamp) {
        match report {
            Report::Unrecorded { name, why, waiting } => {
                let id = name;
                self.log_of(&id.clone(), LogEvent::Unrecorded { id, why, waiting });
            }
            Report::Recorded {
                names, had_waited, ..
            } => {
                if let Some(id) = names.last().filter(|_| had_waited) {
                    let count = names.len();
                    self.log_of(id, LogEvent::Recorded { count });
                }
                self.referee.note_recorded(&names, now);
            }
            Report::Abandoned(id) => {
                if let Some(summary) = self.unrecorded(&id) {
                    self.events.push(given_up(summary));
                }
                self.referee.note_recorded(&[id], now);
            }
            Report::NotCounted { name, why } => {
                let what =
                    format!("the result of match {name} does not count for the tournament: {why}");
                self.log_of(&name, LogEvent::Failed { what });
            }
            Report::Decided(decided) => {
                if let Ok((_, what)) = *decided {
                    self.log(LogEvent::Tournament { what });
                }
            }
            Report::Refused(why) => {
                let what = format!("the tournament: {why}");
                self.log(LogEvent::Failed { what });
            }
            Report::Failed { why, .. } if self.shared.is_stopping() => {
                self.last_writes_failed(&why, now)
            }
            Report::Failed {
                why,
                entries,
                tournament,
                ..
            } => self.disk_failed(&why, entries, tournament, now),
            Report::Healed if self.shared.is_stopping() => {}
            Report::Healed => self.referee.disk_healed(now),
            // The task handles these.
            Report::Deliver(_) | Report::Done(_) | Report::Ruled(_) => {}
        }
    }

    fn note_stall(&mut self, stall: Duration, now: Timestamp) {
        self.referee.note_stall(stall, now);
    }

    fn next_deadline(&self) -> Option<Duration> {
        // While clients wait, they are looked at now and then.
        let waits = (self.referee.lobby().count() > 0 || self.has_waits).then_some(self.look_at);
        self.referee.next_deadline().into_iter().chain(waits).min()
    }

    fn tick(&mut self, now: Timestamp) {
        self.referee.tick(now);
        if now.clock >= self.look_at {
            self.look_at = now.clock.saturating_add(LOOK_AGAIN);
            let waits = self.referee.vain_waits(now.clock);
            self.has_waits = !waits.is_empty();
            self.shared.warn(|warnings| warnings.set_waits(waits));
        }
    }

    fn take_effects(&mut self) -> Vec<OrderedEffect<Matches>> {
        let mut output = self.referee.take_output();
        self.ask_houses(&output.changes.tables);
        // While the server stops, the page keeps what it shows.
        if let Some(page) = self.page.as_mut().filter(|_| !self.shared.is_stopping()) {
            page.note(&mut output, &self.referee);
        }
        if !output.immediate.is_empty() {
            self.deliver(output.immediate);
        }
        output.ordered
    }

    fn deliver(&mut self, deliveries: impl IntoIterator<Item = Delivery>) {
        let mut stuck = Vec::new();
        for delivery in deliveries {
            match delivery {
                Delivery::Send(conn, text) => stuck.extend(self.queue(conn, ToPlayer::Text(text))),
                Delivery::EndOutput(conn) => stuck.extend(self.queue(conn, ToPlayer::EndOutput)),
                Delivery::Close(conn) => drop(self.outboxes.remove(&conn)),
                Delivery::StartClock {
                    table,
                    started,
                    moves,
                } => {
                    let now = self.shared.now();
                    self.referee.start_clock(table, started, moves, now);
                }
                Delivery::Log(number, event) => self.events.push((number, event)),
                Delivery::Over { table, id, counts } => {
                    self.tell_record(table, &id);
                    if counts {
                        self.referee.count_end(&id);
                    }
                }
                Delivery::Observers(table, what) => {
                    if !self.is_for_nobody(table, &what) {
                        self.later.push((table, what));
                    }
                }
            }
        }
        // Dropping a client has further effects, which must come after those above.
        for conn in stuck {
            if self.outboxes.remove(&conn).is_some() {
                let now = timestamp(self.shared.now());
                let loss = Loss::Dropped(DOES_NOT_READ.to_owned());
                self.referee.lose(conn, loss, now);
            }
        }
    }

    fn deliver_later(&mut self) {
        for (number, event) in mem::take(&mut self.events) {
            self.shared.at(number).log(event);
        }
        for (table, what) in mem::take(&mut self.later) {
            self.tell_observers(table, what);
        }
    }

    fn has_later(&self) -> bool {
        !self.later.is_empty() || !self.events.is_empty()
    }

    fn list(&mut self, result: &ResultLine, is_kept: bool) {
        if let Some(feed) = &self.feed {
            feed.add_finished(result.listed(is_kept));
        }
        self.shared.warn(|warnings| warnings.note_result(result));
    }

    fn snapshot(&self, clock: Duration) -> Option<Vec<MatchEntry>> {
        let can_write = !self.referee.is_disk_failing();
        can_write.then(|| self.referee.snapshot(clock))
    }

    fn is_page_stale(&self) -> bool {
        self.page.as_ref().is_some_and(RefereePage::is_stale)
    }

    fn refresh_page(&mut self, _: Duration) {
        if let Some(page) = &mut self.page {
            page.refresh(&self.referee);
        }
    }

    fn stop_reason(&self) -> Option<String> {
        self.referee.stop_reason().map(str::to_owned)
    }

    fn stop(&mut self, why: String, now: Timestamp) {
        self.shared.stop(&why);
        self.referee.stop(&why, now);
        self.log(LogEvent::Stopping { why });
        let houses = mem::take(&mut self.houses).into_values();
        let leaving = houses.map(|house| spawn_blocking(|| house.finish()));
        self.leaving.extend(leaving);
    }
}

/// Returns what is logged of a match that is not recorded: it is at the next start.
fn given_up(summary: &Summary) -> (u16, LogEvent) {
    let id = &summary.id;
    let what = format!("match {id} is over, and is recorded at the next start");
    (summary.server, LogEvent::Failed { what })
}

impl<G: NetrefGame> RefereeShell<G> {
    /// Waits until the houses are shut down, and gives up all matches that are not recorded.
    pub async fn finish(mut self) {
        for house in mem::take(&mut self.leaving) {
            let _ = house.await;
        }
        for (number, event) in self.referee.unrecorded().map(given_up) {
            self.shared.at(number).log(event);
        }
    }

    /// Queues something for a client. Returns the client if its queue is full.
    fn queue(&self, conn: ConnId, what: ToPlayer) -> Option<ConnId> {
        let outbox = self.outboxes.get(&conn)?;
        outbox.try_send(what).is_err().then_some(conn)
    }

    /// Returns a match that is over and not recorded yet.
    fn unrecorded(&self, id: &str) -> Option<&Summary> {
        self.referee.unrecorded().find(|summary| summary.id == id)
    }

    /// Goes back to what is on the disk.
    fn disk_failed(
        &mut self,
        why: &str,
        entries: Vec<MatchEntry>,
        tournament: LastTournament,
        now: Timestamp,
    ) {
        let conns = self.outboxes.keys().copied();
        let waiting: HashSet<ConnId> = conns.filter(|&conn| self.referee.waits(conn)).collect();
        self.referee.disk_failed(why, entries, tournament, now);
        // What these clients were to be sent was dropped with what waited for the disk, and the end
        // of their connections, too. Those who only waited are told so by the referee.
        let told = Response::<G>::Problem(interruption(why)).to_string();
        let referee = &self.referee;
        self.outboxes.retain(|&conn, outbox| {
            let is_there = referee.knows(conn) || waiting.contains(&conn);
            if !is_there {
                // One whose queue is full does not read.
                let _ = outbox.try_send(ToPlayer::Text(told.clone()));
            }
            is_there
        });
        for conn in mem::take(&mut self.newcomers).into_keys() {
            self.referee.lose(conn, Loss::Closed, now);
        }
        // The same of observers, and of the page.
        for index in 0..self.hubs.len() {
            if let Some(hub) = self.hubs.get_mut(index) {
                hub.send(HubMessage::Broadcast(told.as_str().into()));
            }
            self.close_observers(index);
        }
        if let Some(page) = &mut self.page {
            page.forget();
        }
    }

    /// Tells all players that the disk failed while the server stops: what they were to be sent was
    /// dropped.
    fn last_writes_failed(&mut self, why: &str, now: Timestamp) {
        let told = format!("the referee stops, and its journal cannot be written: {why}");
        let told = Response::<G>::Problem(told).to_string();
        for outbox in self.outboxes.values() {
            // One whose queue is full does not read.
            let _ = outbox.try_send(ToPlayer::Text(told.clone()));
        }
        let what = format!("{why}: at the next start the matches go on as they are on the disk");
        self.log(LogEvent::Failed { what });
        let unrecorded = self.referee.unrecorded();
        let unrecorded: Vec<String> = unrecorded.map(|summary| summary.id.clone()).collect();
        self.referee.note_recorded(&unrecorded, now);
    }

    /// Lets the houses of tables that have changed decide, or withdraws their turns.
    fn ask_houses(&mut self, changed: &BTreeSet<usize>) {
        if self.houses.is_empty() {
            return;
        }
        for index in changed {
            if let Some(house) = self.houses.get_mut(index) {
                let table = self.referee.table(*index);
                house.think_about(table.and_then(|table| table.house_turn(self.shared.now())));
            }
        }
    }

    /// Tells the observers of a table something.
    fn tell_observers(&mut self, table: usize, what: ToObservers) {
        let mut newcomer = |conn| self.newcomers.remove(&conn);
        let joining = match what {
            ToObservers::Admit(conn, _) => Some(conn),
            _ => None,
        };
        let message = match what {
            ToObservers::Admit(conn, first) => {
                newcomer(conn).map(|(stream, lines)| HubMessage::Join {
                    conn,
                    stream,
                    lines,
                    first: first.into(),
                })
            }
            ToObservers::Reject(conn, text) => {
                newcomer(conn).map(|(stream, _)| HubMessage::Reject { stream, text })
            }
            ToObservers::Broadcast(text) => Some(HubMessage::Broadcast(text.into())),
            ToObservers::Close => return self.close_observers(table),
        };
        let sent = self.hubs.get_mut(table).zip(message);
        if sent.is_some_and(|(hub, message)| !hub.send(message)) {
            let what = "the observers are given up: there are too many for this machine".to_owned();
            self.shared_at(table).log(LogEvent::Failed { what });
            self.close_observers(table);
            if let Some(conn) = joining {
                let now = timestamp(self.shared.now());
                self.referee.lose(conn, Loss::Closed, now);
            }
        }
    }

    /// Returns whether this is for the observers of a table that has none.
    fn is_for_nobody(&self, table: usize, what: &ToObservers) -> bool {
        let is_for_all = matches!(what, ToObservers::Broadcast(_) | ToObservers::Close);
        let hub = self.hubs.get(table);
        // The first observer may be among what waits.
        is_for_all && self.later.is_empty() && hub.is_some_and(ObserverHub::is_unused)
    }

    /// Disconnects all observers of a table after the queued texts, and opens a new hub.
    fn close_observers(&mut self, table: usize) {
        let shared = self.shared_at(table);
        if let Some(hub) = self.hubs.get_mut(table) {
            let inputs = self.inputs.clone();
            *hub = ObserverHub::open::<G>(&self.observer_runtime, inputs, shared);
        }
    }

    /// Logs where a match of the house is recorded, so that it can be reviewed.
    fn tell_record(&mut self, table: Option<usize>, id: &str) {
        // `gothello review` reads SGF files.
        if let Some(table) = table.filter(|table| self.houses.contains_key(table))
            && let Some(table) = self.referee.table(table)
            && G::RECORD_EXTENSION == "sgf"
            && let Some(records) = &self.records
            && let Some(path) = records.path(&format!("{id}.{}", G::RECORD_EXTENSION))
        {
            let event = LogEvent::Reviewable {
                id: id.to_owned(),
                record: path.display().to_string(),
            };
            self.events.push((table.number(), event));
        }
    }

    /// Returns the shared state for the port of a table.
    fn shared_at(&self, table: usize) -> Shared {
        let table = self.referee.table(table);
        self.shared.at(table.map_or(0, Table::number))
    }

    /// Logs an event of a match that is not recorded yet.
    fn log_of(&mut self, id: &str, event: LogEvent) {
        let number = self.unrecorded(id).map(|summary| summary.server);
        let number = number.unwrap_or(self.shared.number);
        self.events.push((number, event));
    }

    /// Logs an event of no table.
    fn log(&mut self, event: LogEvent) {
        self.events.push((self.shared.number, event));
    }
}
