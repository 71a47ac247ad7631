//! What surrounds a contest: its clients' connections, its page, and the log.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::disk::Report;
use super::hosted::Hosted;
use super::organizer::{Answer, ServerCommand};
use super::page::Page;
use super::task::{Shell, timestamp};
use super::warnings::WarningsPage;
use crate::base::server_clock::ServerClock;
use crate::contests::contest::{
    ClientId, CommandError, Contest, DISK_RETRY, Delivery, Effects, Entry, Fault, GameId,
    ImmediateEffect, LogEvent, Name, OrderedEffect, OrganizerCommand, Ping, RequestOf,
    RulingRequest, SetupOf, Timestamp, TournamentDesk,
};
use crate::contests::results::ResultLine;
use crate::contests::warnings::Warnings;
use crate::tournament::StopAfter;

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
        /// What it has sent, as a line for people.
        line: String,
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
}

/// A contest with what surrounds it.
pub struct ContestShell<P: Hosted> {
    pub contest: Contest<P>,
    /// What the page shows of the contest.
    pub page: Page<P>,
    /// What the organizer is warned of.
    pub warnings: WarningsPage,
    /// Where events are logged.
    pub sink: Sink,
    /// The server's clock.
    pub clock: ServerClock,
    /// The queues to the connections of all clients.
    pub outboxes: HashMap<ClientId, Outbox>,
    /// When the server stops by itself; `None` if it does not.
    pub stop_after: Option<StopAfter>,
    /// The games that have ended with a result since the start.
    pub over: HashSet<GameId>,
    /// Whether the server stops.
    pub is_stopping: bool,
}

impl ServerCommand for OrganizerCommand {
    const STOPPING: &'static str = "the server stops";
}

impl<P: Hosted> Shell for ContestShell<P> {
    type Kept = P;
    type Input = Input<P>;
    type Command = OrganizerCommand;

    const REFRESH: Duration = Duration::from_millis(50);
    const LAST_WRITES: Duration = Duration::MAX;

    fn handle(&mut self, input: Input<P>, now: Timestamp) {
        let at = |clock| Timestamp { clock, ..now };
        match input {
            Input::Connected {
                client,
                address,
                outbox,
            } => {
                self.outboxes.insert(client, outbox);
                self.contest.connect(client, address, now);
            }
            Input::Request {
                client,
                line,
                request,
                at: clock,
            } => {
                self.contest.hear(client, &line);
                self.contest.receive(client, request, at(clock));
            }
            Input::Left {
                client,
                why,
                heard,
                at: clock,
            } => {
                self.outboxes.remove(&client);
                let now = at(clock);
                self.contest.disconnect_silent(client, &why, heard, now);
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
        }
    }

    fn free_ruling(&self, command: &OrganizerCommand) -> Option<RulingRequest> {
        match command {
            OrganizerCommand::Tournament(command) => {
                TournamentDesk::free_ruling(Some(self.contest.desk()), command)
            }
            _ => None,
        }
    }

    fn run_command(&mut self, command: OrganizerCommand, now: Timestamp) -> Answer {
        let answer = self.contest.run_command(&command, now);
        answer.map_err(|why| why.to_string())
    }

    fn disk_failure(why: &str) -> String {
        CommandError::DiskFails(why.to_owned()).to_string()
    }

    fn handle_report(&mut self, report: Report<P>, now: Timestamp) {
        let what = match report {
            // There is nothing to go back for.
            Report::Failed { why, .. } if self.is_stopping => why,
            Report::Failed {
                why,
                entries,
                tournament,
                ..
            } => {
                // The requests to close these connections were dropped with what waited for the disk.
                let clients = self.contest.clients();
                self.outboxes.retain(|&client, _| clients.contains(client));
                self.contest.disk_failed(&why, entries, tournament, now);
                return;
            }
            Report::Decided(decided) => {
                if let Ok((_, what)) = *decided {
                    self.log(LogEvent::Tournament { what });
                }
                return;
            }
            Report::Healed if self.is_stopping => return,
            Report::Healed => return self.contest.disk_healed(now),
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
            Report::Refused(why) => format!("the tournament: {why}"),
            // The others are no failures.
            _ => return,
        };
        self.log(LogEvent::Failed { what });
    }

    fn note_stall(&mut self, stall: Duration, now: Timestamp) {
        self.contest.note_stall(stall, now);
    }

    fn next_deadline(&self) -> Option<Duration> {
        self.contest.next_deadline()
    }

    fn tick(&mut self, now: Timestamp) {
        self.contest.tick(now);
    }

    fn take_effects(&mut self) -> Vec<OrderedEffect<P>> {
        let Effects { immediate, ordered } = self.contest.take_effects();
        // A slow disk fails long after the page has shown the moves that are rolled back.
        self.page.note(self.contest.take_changes());
        for effect in immediate {
            self.perform(effect);
        }
        ordered
    }

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
                Delivery::Log(event) => self.log(event),
                Delivery::Over(game) => _ = self.over.insert(game),
            }
        }
        // Dropping a client has further effects, which must come after those above.
        for client in stuck {
            self.drop_stuck(client);
        }
    }

    fn list(&mut self, result: &ResultLine, is_kept: bool) {
        self.page.list(result.listed(is_kept));
        self.warn(|warnings| warnings.note_result(result));
    }

    fn snapshot(&self, clock: Duration) -> Option<Vec<Entry<P>>> {
        let can_write = !self.contest.is_disk_failing();
        can_write.then(|| self.contest.snapshot(clock))
    }

    fn is_page_stale(&self) -> bool {
        self.page.is_stale()
    }

    fn refresh_page(&mut self, clock: Duration) {
        self.page.refresh(&self.contest, clock);
    }

    fn stop_reason(&self) -> Option<String> {
        match self.stop_after {
            Some(StopAfter::Games(games)) if self.over.len() as u64 >= games => {
                Some("the last game is over".into())
            }
            Some(StopAfter::Tournament) if self.contest.is_tournament_over() => {
                Some("the tournament is over".into())
            }
            _ => None,
        }
    }

    /// Interrupts all games. They can be resumed when the server runs again.
    fn stop(&mut self, why: String, now: Timestamp) {
        self.is_stopping = true;
        self.log(LogEvent::Stopping { why });
        self.contest.close(now);
    }
}

impl<P: Hosted> ContestShell<P> {
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
            let now = timestamp(self.clock.now());
            let why = "it does not take what it is sent";
            self.contest.disconnect(client, why, now);
        }
    }

    fn log(&mut self, event: LogEvent) {
        self.page.log(&event);
        (self.sink)(event.clone());
        let (name, why) = match event {
            LogEvent::Refused { name, why, .. } => (name, why),
            LogEvent::Invalid {
                table, side, why, ..
            } => {
                let index = usize::from(table).wrapping_sub(1);
                let player = self.contest.tables().get(index);
                let player = player.and_then(|table| table.player(side));
                (player.map(|player| player.name.to_string()), why)
            }
            _ => return,
        };
        if let Some(name) = name {
            self.warn(|warnings| warnings.note_error(&name, &why));
        }
    }

    /// Changes the warnings, and logs the new ones.
    fn warn(&mut self, change: impl FnOnce(&mut Warnings) -> Vec<String>) {
        for what in self.warnings.change(change) {
            (self.sink)(LogEvent::Warning { what });
        }
    }
}
