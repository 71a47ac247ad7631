//! The task that owns the contest. All other tasks send it inputs through a bounded queue.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::disk::{Disk, Report};
use super::hosted::Hosted;
use super::page::Page;
use crate::base::server_clock::ServerClock;
use crate::contests::contest::{
    ClientId, CommandError, Contest, DISK_RETRY, Delivery, Effects, Entry, Fault, ImmediateEffect,
    LogEvent, Name, OrderedEffect, OrganizerCommand, Ping, RequestOf, SetupOf, Timestamp, Write,
};
use crate::tournament::{LastTournament, StopAfter};

/// The capacity of the queue of inputs.
pub const MAX_QUEUED: usize = 1_024;

/// The shortest time between two updates of the page.
const REFRESH: Duration = Duration::from_millis(50);

/// The length at which the journal is rewritten, in moves.
const MAX_JOURNAL: usize = 40_000;

/// Where events are logged.
pub type Sink = Arc<dyn Fn(LogEvent) + Send + Sync>;

/// A message to the task of a client's connection.
#[derive(Clone, Debug)]
pub enum ToClient {
    /// Send a message.
    Text(Utf8Bytes),
    /// Ping the client, because another client has sent the same name.
    Ping {
        /// Whether the other client is on the same machine.
        same_machine: bool,
    },
    /// Read nothing more for this long.
    Wait(Duration),
    /// The client has proved to be of this team.
    Joined(Name),
    /// Close the connection, for this reason.
    Close(&'static str),
    /// Close it for a reason that will be the same when the client connects again.
    Reject(&'static str),
}

/// The queue to the task of a client's connection. The connection is closed when this is
/// dropped.
pub type Outbox = mpsc::Sender<ToClient>;

/// An input of the task. Times are those of the server's clock.
#[derive(Debug)]
pub enum Input<P: Hosted> {
    /// A client has connected.
    Connected {
        client: ClientId,
        /// Where it connects from, as the page and the log show it.
        address: IpAddr,
        /// The queue to its connection.
        outbox: Outbox,
    },
    /// A client has sent a request.
    Request {
        client: ClientId,
        /// The request, or why it is invalid.
        request: Result<RequestOf<P>, Fault>,
        /// When it arrived.
        at: Duration,
    },
    /// A client has disconnected.
    Left {
        client: ClientId,
        /// Why its connection ended, for the log.
        why: String,
        /// When the client last sent anything.
        heard: Duration,
        /// When its connection ended.
        at: Duration,
    },
    /// The organizer gives a command.
    Command {
        command: OrganizerCommand,
        /// Where the answer is sent.
        reply: oneshot::Sender<Result<(), CommandError>>,
    },
    /// An event is to be logged.
    Log(LogEvent),
    /// A file of the organizer has changed.
    Configured {
        /// The index of its table, from 0.
        table: usize,
        file: PathBuf,
        /// The settings of the games that begin at the table from now on, or why the file has none.
        setup: Result<Arc<SetupOf<P>>, String>,
    },
    /// The server stops, for this reason, which its clients and the log get.
    Stop { why: String },
}

/// The task that owns the contest and performs its effects.
pub struct ContestTask<P: Hosted> {
    pub contest: Contest<P>,
    /// What the page shows of the contest.
    pub page: Page<P>,
    /// Writes journals and records; `None` without a folder for them.
    pub disk: Option<Disk<P>>,
    /// Where events are logged.
    pub sink: Sink,
    /// The server's clock.
    pub clock: ServerClock,
    /// The queues to the connections of all clients.
    pub outboxes: HashMap<ClientId, Outbox>,
    /// The length of the journal since it was rewritten, in moves.
    pub journal_length: usize,
    /// When the server stops by itself; `None` if it does not. Games that end are counted down.
    pub stop_after: Option<StopAfter>,
}

impl<P: Hosted> ContestTask<P> {
    /// Runs until [`Input::Stop`] comes, or until [`StopAfter`] is reached.
    pub async fn run(
        mut self,
        mut inputs: mpsc::Receiver<Input<P>>,
        mut reports: mpsc::UnboundedReceiver<Report<P>>,
    ) {
        self.work(&mut inputs, &mut reports).await;
        if let Some(disk) = self.disk.take() {
            disk.finish(Duration::MAX);
        }
        while let Ok(report) = reports.try_recv() {
            match report {
                Report::Deliver(deliveries) => self.deliver(deliveries),
                Report::Failed { why, .. } => self.log(LogEvent::Failed { what: why }),
                Report::Done(_) | Report::Healed => {}
                other => self.log_report(other),
            }
        }
    }

    async fn work(
        &mut self,
        inputs: &mut mpsc::Receiver<Input<P>>,
        reports: &mut mpsc::UnboundedReceiver<Report<P>>,
    ) {
        self.apply_effects();
        let mut refresh = Instant::now();
        loop {
            if let Some(why) = self.stop_reason() {
                self.stop(why.into());
                return;
            }
            let deadline = self.contest.next_deadline();
            let deadline = deadline.map(|at| self.clock.moment(at).into());
            let stale = self.page.is_stale();
            tokio::select! {
                biased;
                Some(report) = reports.recv() => self.handle_report(report),
                input = inputs.recv() => {
                    let Some(input) = input else { return };
                    if self.handle(input) {
                        return;
                    }
                }
                () = sleep_until(deadline.unwrap_or(refresh)), if deadline.is_some() => {}
                () = sleep_until(refresh), if stale => {
                    self.page.refresh(&self.contest, self.clock.now());
                    refresh = Instant::now() + REFRESH;
                }
            }
            // Handle the inputs that came before a flag fell first.
            let now = self.now();
            if let Some(stall) = self.clock.take_stall() {
                self.contest.note_stall(stall, now);
                self.apply_effects();
            }
            for _ in 0..inputs.len() {
                let Ok(input) = inputs.try_recv() else { break };
                if self.handle(input) {
                    return;
                }
            }
            let deadline = self.contest.next_deadline();
            if deadline.is_some_and(|deadline| deadline <= now.clock) {
                self.contest.tick(now);
                self.apply_effects();
            }
        }
    }

    /// Returns the reason to stop, if [`StopAfter`] is reached.
    fn stop_reason(&self) -> Option<&'static str> {
        match self.stop_after {
            Some(StopAfter::Games(0)) => Some("the last game is over"),
            Some(StopAfter::Tournament) if self.contest.is_tournament_over() => {
                Some("the tournament is over")
            }
            _ => None,
        }
    }

    fn now(&self) -> Timestamp {
        self.at(self.clock.now())
    }

    fn at(&self, clock: Duration) -> Timestamp {
        Timestamp {
            clock,
            date: SystemTime::now(),
        }
    }

    /// Handles an input. Returns whether the server stops.
    fn handle(&mut self, input: Input<P>) -> bool {
        match input {
            Input::Connected {
                client,
                address,
                outbox,
            } => {
                self.outboxes.insert(client, outbox);
                let now = self.now();
                self.contest.connect(client, address, now);
            }
            Input::Request {
                client,
                request,
                at,
            } => {
                let now = self.at(at);
                self.contest.receive(client, request, now);
            }
            Input::Left {
                client,
                why,
                heard,
                at,
            } => {
                self.outboxes.remove(&client);
                let now = self.at(at);
                self.contest.disconnect_silent(client, &why, heard, now);
            }
            Input::Command { command, reply } => {
                let now = self.now();
                // The page may be gone.
                let _ = reply.send(self.contest.run_command(&command, now));
            }
            Input::Log(event) => self.log(event),
            Input::Configured { table, file, setup } => match setup {
                Ok(setup) => {
                    self.contest.configure(table, setup);
                    self.log(LogEvent::Configured {
                        table: u16::try_from(table + 1).unwrap_or(u16::MAX),
                        file: file.display().to_string(),
                    });
                }
                Err(what) => self.log(LogEvent::Failed { what }),
            },
            Input::Stop { why } => {
                self.stop(why);
                return true;
            }
        }
        self.apply_effects();
        false
    }

    fn handle_report(&mut self, report: Report<P>) {
        match report {
            Report::Deliver(deliveries) => self.deliver(deliveries),
            Report::Done(tasks) => {
                if let Some(disk) = &mut self.disk {
                    disk.note_done(tasks);
                }
            }
            Report::Failed {
                why,
                entries,
                tournament,
            } => self.disk_failed(&why, entries, tournament),
            Report::Healed => {
                self.contest.disk_healed(self.now());
                self.apply_effects();
            }
            other => self.log_report(other),
        }
    }

    /// Logs a report about the records of games.
    fn log_report(&mut self, report: Report<P>) {
        let what = match report {
            Report::Unrecorded { name, why, .. } => format!(
                "game {name} could not be recorded: {why}; this is tried again every {} seconds",
                DISK_RETRY.as_secs()
            ),
            Report::NotCounted { name, why } => {
                format!("the result of game {name} does not count: {why}")
            }
            Report::Abandoned(name) => {
                format!("game {name} is not recorded: too many games wait for the disk")
            }
            // The others say nothing about records.
            _ => return,
        };
        self.log(LogEvent::Failed { what });
    }

    /// Interrupts all games. They can be resumed when the server runs again.
    fn stop(&mut self, why: String) {
        self.log(LogEvent::Stopping { why });
        let now = self.now();
        self.contest.close(now);
        self.apply_effects();
        self.page.refresh(&self.contest, self.clock.now());
    }

    fn disk_failed(&mut self, why: &str, entries: Vec<Entry<P>>, tournament: LastTournament) {
        let now = self.now();
        // The requests to close these connections were dropped with what waited for the disk.
        let clients = self.contest.clients();
        self.outboxes.retain(|&client, _| clients.contains(client));
        self.contest.disk_failed(why, entries, tournament, now);
        if let Some(disk) = &mut self.disk {
            disk.go_on();
        }
        // A slow disk fails long after the page has shown the moves that are rolled back.
        self.page.note(self.contest.take_changes());
        let mut effects = self.contest.take_effects();
        // The contest is as it is on the disk: nothing must be written.
        effects
            .ordered
            .retain(|effect| !matches!(effect, OrderedEffect::Write(Write::Journal(_))));
        self.schedule(effects);
    }

    /// Performs the effects of the contest, and updates the page.
    fn apply_effects(&mut self) {
        let effects = self.contest.take_effects();
        self.page.note(self.contest.take_changes());
        self.schedule(effects);
        if let Some(disk) = &mut self.disk
            && self.journal_length > MAX_JOURNAL
            && !self.contest.is_disk_failing()
        {
            self.journal_length = 0;
            disk.rewrite(self.contest.snapshot(self.clock.now()));
        }
    }

    /// Performs the immediate effects, and then the ordered ones. If these need the disk, hands
    /// them to its thread, which returns the deliveries among them.
    fn schedule(&mut self, effects: Effects<P>) {
        let Effects { immediate, ordered } = effects;
        for effect in immediate {
            self.perform(effect);
        }
        for effect in &ordered {
            match effect {
                OrderedEffect::Write(Write::Journal(entry)) => {
                    self.journal_length += entry.weight();
                }
                OrderedEffect::Write(Write::Record(finished)) => {
                    self.count_game(finished.outcome.is_some());
                }
                OrderedEffect::Write(Write::Tournament(_)) | OrderedEffect::Deliver(_) => {}
            }
        }
        if ordered.is_empty() {
            return;
        }
        match &mut self.disk {
            Some(disk) if disk.is_needed(&ordered) => disk.write(ordered),
            // Nothing is to be written, or nothing is kept.
            _ => self.deliver(ordered.into_iter().filter_map(|effect| match effect {
                OrderedEffect::Write(_) => None,
                OrderedEffect::Deliver(delivery) => Some(delivery),
            })),
        }
    }

    /// Performs an effect that waits for nothing.
    fn perform(&mut self, effect: ImmediateEffect) {
        match effect {
            ImmediateEffect::AskName(client) => {
                // The client may have disconnected.
                let _ = self.send(client, ToClient::Text(P::encode(&P::ask_name())));
            }
            ImmediateEffect::Ping(Ping {
                client,
                same_machine,
            }) => {
                // A client that cannot even take this is soon found dead.
                let _ = self.send(client, ToClient::Ping { same_machine });
            }
            ImmediateEffect::Joined(client, team) => {
                // The same holds.
                let _ = self.send(client, ToClient::Joined(team));
            }
            ImmediateEffect::Wait(client, time) => {
                // One that does not take what it is sent is not read either.
                let _ = self.send(client, ToClient::Wait(time));
            }
            ImmediateEffect::Log(event) => self.log(event),
        }
    }

    /// Counts a recorded game. Void games do not count.
    fn count_game(&mut self, counts: bool) {
        if let Some(StopAfter::Games(games)) = &mut self.stop_after
            && counts
        {
            *games = games.saturating_sub(1);
        }
    }

    /// Performs deliveries: what they wait for is on the disk, or no journal is kept.
    fn deliver(&mut self, deliveries: impl IntoIterator<Item = Delivery<P>>) {
        let mut stuck = Vec::new();
        for delivery in deliveries {
            match delivery {
                Delivery::Send(client, message) => {
                    if !self.send(client, ToClient::Text(P::encode(&message))) {
                        stuck.push(client);
                    }
                }
                Delivery::Close(client, why) => self.close(client, ToClient::Close(why)),
                Delivery::Reject(client, why) => self.close(client, ToClient::Reject(why)),
                Delivery::StartClock { table, game, moves } => {
                    let clock = self.clock.now();
                    self.contest.start_clock(table, game, moves, clock);
                }
            }
        }
        // Dropping a client has further effects, which must come after those above.
        for client in stuck {
            self.drop_stuck(client);
        }
    }

    /// Queues a message for the connection of a client. Returns `false` if its queue is full. A
    /// disconnected client is not a failure.
    fn send(&self, client: ClientId, message: ToClient) -> bool {
        let outbox = self.outboxes.get(&client);
        outbox.is_none_or(|outbox| outbox.try_send(message).is_ok())
    }

    /// Closes the connection of a client after all queued messages. That of a client that does not
    /// read is closed by the end of its outbox.
    fn close(&mut self, client: ClientId, last: ToClient) {
        let _ = self.send(client, last);
        self.outboxes.remove(&client);
    }

    /// Disconnects a client that does not read.
    fn drop_stuck(&mut self, client: ClientId) {
        if self.outboxes.remove(&client).is_some() {
            let now = self.now();
            self.contest
                .disconnect(client, "it does not take what it is sent", now);
            self.apply_effects();
        }
    }

    fn log(&mut self, event: LogEvent) {
        self.page.log(&event);
        (self.sink)(event);
    }
}
