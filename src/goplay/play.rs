//! Games from the first connection to the last: the loop around what is pure.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::signal::ctrl_c;
use tokio::sync::Notify;
use tokio::time::sleep;

use super::address::Address;
use super::agent::{Agent, AgentError};
use super::backoff::Backoff;
use super::deed::Deed;
use super::display::{Display, note};
use super::error::Error;
use super::incoming;
use super::link::{Frame, Link};
use super::session::{Session, State};
use super::thinker::Thinker;
use crate::goref::wire::Protocol;

/// Where, as whom and how long to play.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The server.
    pub address: Address,
    /// The name that it is told.
    pub name: String,
    /// The form of START that it is asked for.
    pub protocol: Protocol,
    /// For how long a connection is tried to be had, or to be had again.
    pub reconnect: Duration,
    /// After how many finished games to leave.
    pub games: Option<u64>,
}

/// Plays games until there are enough, until the server is gone between two games,
/// or until somebody interrupts the program there.
///
/// # Errors
/// A game is not over, there never was a server, the agent failed, or a result could
/// not be shown.
pub fn play<W: Write>(
    settings: Settings,
    agent: Box<dyn Agent>,
    display: &mut Display<W>,
) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::System)?;
    let mut client = Client {
        session: Session::new(settings.name.clone(), settings.protocol),
        backoff: Backoff::new(settings.reconnect),
        settings,
        thinker: Thinker::start(agent),
        display,
        epoch: Instant::now(),
        was_connected: false,
        interrupt: Arc::new(Notify::new()),
    };
    runtime.spawn(hear_interrupts(Arc::clone(&client.interrupt)));
    let result = runtime.block_on(client.run());
    client.thinker.finish();
    // What still looks up the address of a host must not be waited for.
    runtime.shutdown_background();
    result?;
    display.finish()
}

/// A client and what belongs to it.
struct Client<'a, W> {
    settings: Settings,
    session: Session,
    backoff: Backoff,
    thinker: Thinker,
    display: &'a mut Display<W>,
    /// The moment from which all instants are counted.
    epoch: Instant,
    was_connected: bool,
    /// Ctrl-C, also one that was pressed while nobody waited for it.
    interrupt: Arc<Notify>,
}

async fn hear_interrupts(interrupt: Arc<Notify>) {
    while ctrl_c().await.is_ok() {
        interrupt.notify_one();
    }
}

/// Why a connection is not gone on with.
enum Stop {
    /// It is lost, or none is had.
    Lost(io::Error),
    /// There is nothing more to do.
    Done,
    /// The program is interrupted.
    Interrupted,
    /// Our side cannot go on.
    Failed(AgentError),
}

impl<W: Write> Client<'_, W> {
    async fn run(&mut self) -> Result<(), Error> {
        loop {
            let why = match self.connection().await {
                Stop::Lost(why) => why,
                Stop::Done => return Ok(()),
                Stop::Failed(error) => return Err(error.into()),
                Stop::Interrupted => return self.interrupted(),
            };
            self.session.disconnected();
            self.thinker.think_about(None);
            let Some(pause) = self.backoff.failed(self.now()) else {
                return self.give_up(why);
            };
            note(&format!(
                "{}: {why}; trying again in {:.1} s",
                self.settings.address,
                pause.as_secs_f64()
            ));
            tokio::select! {
                () = sleep(pause) => {}
                () = self.interrupt.notified() => return self.interrupted(),
            }
        }
    }

    /// A connection from its beginning to its end.
    async fn connection(&mut self) -> Stop {
        let link = tokio::select! {
            link = Link::connect(&self.settings.address) => link,
            () = self.interrupt.notified() => return Stop::Interrupted,
        };
        let mut link = match link {
            Ok(link) => link,
            Err(why) => return Stop::Lost(why),
        };
        note(&format!("connected to {}", self.settings.address));
        self.was_connected = true;
        let stop = loop {
            if let Err(stop) = self.step(&mut link).await {
                break stop;
            }
        };
        if !matches!(stop, Stop::Lost(_)) {
            link.part().await;
        }
        stop
    }

    /// Waits for one thing and does what is to be done about it.
    async fn step(&mut self, link: &mut Link) -> Result<(), Stop> {
        self.thinker.think_about(self.session.turn(self.now()));
        let deeds = tokio::select! {
            frame = link.next() => self.receive(frame.map_err(Stop::Lost)?),
            chosen = self.thinker.next() => self.session.choose(chosen.map_err(Stop::Failed)?),
            () = self.interrupt.notified() => return Err(Stop::Interrupted),
        };
        for deed in deeds {
            self.display.show(&deed);
            if let Deed::Send(message) = deed {
                let text = serde_json::to_string(&message);
                let text = text.map_err(|why| Stop::Lost(why.into()))?;
                link.send(text).await.map_err(Stop::Lost)?;
            }
        }
        let enough = self.settings.games;
        if enough.is_some_and(|games| self.session.finished() >= games) {
            return Err(Stop::Done);
        }
        Ok(())
    }

    fn receive(&mut self, frame: Frame) -> Vec<Deed> {
        let text = match frame {
            Frame::Text(text) => text,
            Frame::Binary(bytes) => {
                let text = format!("the server sends {bytes} bytes that are no text");
                return vec![Deed::Note(text)];
            }
        };
        let message = match incoming::read(&text) {
            Ok(message) => message,
            Err(why) => return vec![Deed::Note(why.to_string())],
        };
        let now = self.now();
        let deeds = self.session.receive(message, now);
        if self.session.state() != State::Init {
            self.backoff.connected();
        }
        deeds
    }

    /// Time is over for the attempts to connect.
    fn give_up(&self, why: io::Error) -> Result<(), Error> {
        let (address, tried) = (self.settings.address.to_string(), self.settings.reconnect);
        match (self.was_connected, self.session.is_unfinished()) {
            (false, _) => Err(Error::Unreachable {
                address,
                tried,
                why,
            }),
            (true, true) => Err(Error::Lost {
                address,
                tried,
                why,
            }),
            (true, false) => {
                note(&format!("{address}: {why}"));
                Ok(())
            }
        }
    }

    fn interrupted(&self) -> Result<(), Error> {
        match self.session.is_unfinished() {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }

    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }
}
