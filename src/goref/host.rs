//! The task that owns the hall: everybody else talks to it through a bounded
//! queue.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::client::ClientId;
use super::disk::{Disk, Job};
use super::effects::Effect;
use super::entry::{Entry, GameId};
use super::hall::{Hall, Moment};
use super::news::News;
use super::organiser::Action;
use super::request::Fault;
use super::server::StopAfter;
use super::show::Show;
use super::terms::Terms;
use super::wire::{ClientMessage, ServerMessage};
use crate::tournament::Tournament;

/// How many inputs may wait.
pub(super) const WAITING: usize = 1_024;

/// How often the page is told what has changed.
const REFRESH: Duration = Duration::from_millis(50);

/// How large a journal may become before it is written anew, in moves.
const MOST_ENTRIES: usize = 40_000;

/// Where news are told.
pub type Sink = Arc<dyn Fn(News) + Send + Sync>;

/// What a client is to be sent.
#[derive(Clone, Debug)]
pub(super) enum Out {
    /// A message.
    Text(Utf8Bytes),
    /// A question whether it is still there, because its name has come again, from the
    /// same machine or another.
    Probe {
        /// Whether it is the same machine.
        is_near: bool,
    },
    /// The end of the connection, and why.
    Close(&'static str),
}

/// The way to a client. When it is dropped the connection is closed.
pub(super) type Outbox = mpsc::Sender<Out>;

/// What the host is told. Each tells when it came, by the server's own clock.
#[derive(Debug)]
pub(super) enum Input {
    /// A client has connected.
    Connected {
        client: ClientId,
        address: IpAddr,
        outbox: Outbox,
    },
    /// A client has sent something.
    Frame {
        client: ClientId,
        frame: Result<ClientMessage, Fault>,
        at: Duration,
    },
    /// A client is gone.
    Left {
        client: ClientId,
        why: String,
        /// The last sign of it.
        heard: Duration,
        at: Duration,
    },
    /// The organiser wants something.
    Act {
        action: Action,
        reply: oneshot::Sender<Result<(), String>>,
    },
    /// What a move or a start causes is sent.
    Sent {
        game: GameId,
        moves: usize,
        at: Duration,
    },
    /// A client does not take what it is sent.
    Stuck { client: ClientId },
    /// A game is on record, or a line is to be told.
    Told(News),
    /// The disk cannot be written; this is what is in the journal and in the
    /// results file.
    DiskFailed {
        why: String,
        entries: Vec<Entry>,
        held: Option<Tournament>,
    },
    /// A file of the organiser has changed.
    Configured {
        table: usize,
        file: PathBuf,
        terms: Result<Arc<Terms>, String>,
    },
    /// Everything stops.
    Stop { why: String },
}

/// The owner of the hall.
pub(super) struct Host {
    pub(super) hall: Hall,
    pub(super) show: Show,
    pub(super) disk: Option<Disk>,
    pub(super) sink: Sink,
    pub(super) origin: Instant,
    pub(super) outboxes: HashMap<ClientId, Outbox>,
    /// How long the journal has become since it was written anew, in moves.
    pub(super) entries: usize,
    pub(super) stop_after: Option<StopAfter>,
}

impl Host {
    /// Works until it is told to stop.
    pub(super) async fn run(
        mut self,
        mut inputs: mpsc::Receiver<Input>,
        mut done: mpsc::UnboundedReceiver<Input>,
    ) {
        self.work(&mut inputs, &mut done).await;
        // What the disk had to say at last.
        while let Ok(input) = done.try_recv() {
            match input {
                Input::Told(news) => self.tell(news),
                Input::DiskFailed { why, .. } => self.tell(News::Failed { what: why }),
                _ => {}
            }
        }
    }

    async fn work(
        &mut self,
        inputs: &mut mpsc::Receiver<Input>,
        done: &mut mpsc::UnboundedReceiver<Input>,
    ) {
        self.carry_out();
        let mut refresh = self.origin;
        loop {
            let flag = self.hall.next_flag().map(|flag| self.origin + flag);
            let stale = self.show.is_stale();
            tokio::select! {
                biased;
                Some(input) = done.recv() => {
                    self.take(input);
                }
                input = inputs.recv() => {
                    let Some(input) = input else { return };
                    if self.take(input) {
                        return;
                    }
                }
                () = sleep_until(flag.unwrap_or(self.origin)), if flag.is_some() => {}
                () = sleep_until(refresh), if stale => {
                    self.show.refresh(&self.hall, self.origin.elapsed());
                    refresh = Instant::now() + REFRESH;
                }
            }
            // What came before a flag fell is heard before it.
            let now = self.now();
            for _ in 0..inputs.len() {
                let Ok(input) = inputs.try_recv() else { break };
                if self.take(input) {
                    return;
                }
            }
            self.look_at_flags(now);
            if let Some(why) = self.is_done() {
                self.stop(why.into());
                return;
            }
        }
    }

    /// Why everything is over, if it is.
    fn is_done(&self) -> Option<&'static str> {
        match self.stop_after {
            Some(StopAfter::Games(0)) => Some("the last game is over"),
            Some(StopAfter::Tournament) if self.hall.is_tournament_over() => {
                Some("the tournament is over")
            }
            _ => None,
        }
    }

    fn look_at_flags(&mut self, now: Moment) {
        if self.hall.next_flag().is_some_and(|flag| flag <= now.clock) {
            self.hall.flags(now);
            self.carry_out();
        }
    }

    fn now(&self) -> Moment {
        self.at(self.origin.elapsed())
    }

    fn at(&self, clock: Duration) -> Moment {
        Moment {
            clock,
            date: SystemTime::now(),
        }
    }

    /// Takes what comes; whether it is the end.
    fn take(&mut self, input: Input) -> bool {
        match input {
            Input::Connected {
                client,
                address,
                outbox,
            } => {
                self.outboxes.insert(client, outbox);
                self.hall.connected(client, address);
            }
            Input::Frame { client, frame, at } => self.hall.received(client, frame, self.at(at)),
            Input::Left {
                client,
                why,
                heard,
                at,
            } => {
                self.outboxes.remove(&client);
                self.hall.fell_silent(client, &why, heard, self.at(at));
            }
            Input::Act { action, reply } => {
                let done = self.hall.act(&action, self.now());
                // Whoever asked may be gone.
                let _ = reply.send(done);
            }
            Input::Sent { game, moves, at } => self.hall.sent(game, moves, at),
            Input::Stuck { client } => self.drop_stuck(client),
            Input::Told(news) => self.tell(news),
            Input::DiskFailed { why, entries, held } => self.disk_failed(&why, entries, held),
            Input::Configured { table, file, terms } => self.configure(table, file, terms),
            Input::Stop { why } => {
                self.stop(why);
                return true;
            }
        }
        self.carry_out();
        false
    }

    fn configure(&mut self, table: usize, file: PathBuf, terms: Result<Arc<Terms>, String>) {
        match terms {
            Ok(terms) => {
                self.hall.configure(table, terms);
                self.tell(News::Configured {
                    table: u16::try_from(table + 1).unwrap_or(u16::MAX),
                    file: file.display().to_string(),
                });
            }
            Err(what) => self.tell(News::Failed { what }),
        }
    }

    /// Breaks off what is played, so that it goes on where it was.
    fn stop(&mut self, why: String) {
        self.tell(News::Stopping { why });
        self.hall.close(self.now());
        self.carry_out();
        self.show.refresh(&self.hall, self.origin.elapsed());
        if let Some(disk) = self.disk.take() {
            disk.finish();
        }
    }

    fn disk_failed(&mut self, why: &str, entries: Vec<Entry>, held: Option<Tournament>) {
        let now = self.now();
        self.hall.disk_failed(why, entries, held, now);
        // What is told now stands on no disk: nothing of it has to.
        let effects = self.hall.effects();
        let mut jobs = vec![Job::GoOn];
        for effect in effects {
            if !matches!(effect, Effect::Journal(_)) {
                self.prepare(effect, &mut jobs);
            }
        }
        self.hand_over(jobs);
    }

    /// Does what the hall has decided.
    fn carry_out(&mut self) {
        let effects = self.hall.effects();
        self.show.note(self.hall.changes());
        if effects.is_empty() {
            return;
        }
        let mut jobs = Vec::with_capacity(effects.len());
        for effect in effects {
            self.prepare(effect, &mut jobs);
        }
        self.hand_over(jobs);
        if self.disk.is_some() && self.entries > MOST_ENTRIES {
            self.entries = 0;
            let snapshot = self.hall.snapshot(self.origin.elapsed());
            self.hand_over(vec![Job::Rewrite(snapshot)]);
        }
    }

    /// What is to be done for an effect, in order.
    fn prepare(&mut self, effect: Effect, jobs: &mut Vec<Job>) {
        match effect {
            Effect::Journal(entry) => {
                self.entries += entry.weight();
                jobs.push(Job::Journal(entry));
            }
            // It comes first and waits for no disk; were one to fail now, nobody
            // would ask again.
            Effect::Send(client, message @ ServerMessage::Name) => {
                if let Some(outbox) = self.outboxes.get(&client) {
                    // Whoever is gone already needs no question.
                    let _ = outbox.try_send(Out::Text(text(&message)));
                }
            }
            // It waits for no disk either. A client that cannot even take this is
            // dropped for that soon.
            Effect::Probe { client, is_near } => {
                if let Some(outbox) = self.outboxes.get(&client) {
                    let _ = outbox.try_send(Out::Probe { is_near });
                }
            }
            Effect::Send(client, message) => {
                if let Some(outbox) = self.outboxes.get(&client) {
                    let out = Out::Text(text(&message));
                    jobs.push(Job::Deliver(client, outbox.clone(), out));
                }
            }
            Effect::Close(client, why) => {
                if let Some(outbox) = self.outboxes.remove(&client) {
                    jobs.push(Job::Deliver(client, outbox, Out::Close(why)));
                }
            }
            Effect::Sent(game, moves) => jobs.push(Job::Sent(game, moves)),
            Effect::Record(finished) => {
                // A game that was given up does not count.
                if let Some(StopAfter::Games(games)) = &mut self.stop_after
                    && finished.outcome.is_some()
                {
                    *games = games.saturating_sub(1);
                }
                jobs.push(Job::Record(finished));
            }
            Effect::Note(note) => jobs.push(Job::Note(note)),
            Effect::Tell(news) => self.tell(news),
        }
    }

    fn hand_over(&mut self, jobs: Vec<Job>) {
        if let Some(disk) = &self.disk
            && disk.is_needed(&jobs)
        {
            disk.hand_over(jobs);
            return;
        }
        let mut stuck = Vec::new();
        for job in jobs {
            match job {
                Job::Deliver(client, outbox, out) => {
                    if outbox.try_send(out).is_err() {
                        stuck.push(client);
                    }
                }
                Job::Sent(game, moves) => {
                    let now = self.origin.elapsed();
                    self.hall.sent(game, moves, now);
                }
                // Without a disk, nothing is kept.
                Job::Journal(_) | Job::Record(_) | Job::Note(_) | Job::Rewrite(_) | Job::GoOn => {}
            }
        }
        // What follows from it comes after all of the above.
        for client in stuck {
            self.drop_stuck(client);
        }
    }

    /// A client that does not read, or is gone already, waits for nobody.
    fn drop_stuck(&mut self, client: ClientId) {
        if self.outboxes.remove(&client).is_some() {
            let now = self.now();
            self.hall
                .left(client, "it does not take what it is sent", now);
            self.carry_out();
        }
    }

    fn tell(&mut self, news: News) {
        self.show.log(&news);
        (self.sink)(news);
    }
}

/// A message as it is sent.
fn text(message: &ServerMessage) -> Utf8Bytes {
    // Every message can be written.
    serde_json::to_string(message).unwrap_or_default().into()
}
