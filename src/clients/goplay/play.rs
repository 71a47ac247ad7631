//! The client around the session: connects, sends and receives, and runs the agent.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::signal::ctrl_c;
use tokio::sync::{Notify, mpsc};
use tokio::time::sleep;

use super::connection::{Address, Backoff, ConnectError, Connection, Frame, read};
use super::session::{Effect, Session, State};
use super::tls::EncryptError;
use super::tls::Tls;
use crate::base::counted::counted;
use crate::clients::agent::{Agent, AgentError, Answer, Display, Thinker, note};
use crate::contests::goref::wire::Protocol;
use crate::games::go::{Game, Move};

/// The maximum number of buffered answers of the agent.
const MAX_ANSWERS: usize = 4;

/// Why the client ends before it is done.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no server to play on, or no more.
    #[error("{0}")]
    Server(String),
    /// The program was interrupted in the middle of a game.
    #[error("interrupted before the game was over")]
    Interrupted,
    /// The agent failed.
    #[error("{0}; the game has not been resigned: start again to go on with it")]
    Agent(AgentError),
    /// A result could not be written.
    #[error(transparent)]
    Output(io::Error),
    /// The asynchronous runtime could not be started.
    #[error("cannot start: {0}")]
    System(io::Error),
}

/// `#[from]` is not used: the text already includes the error.
impl From<AgentError> for Error {
    fn from(error: AgentError) -> Error {
        Error::Agent(error)
    }
}

/// The settings of a client: the server, the name, and for how long to play.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address of the server.
    pub address: Address,
    /// The TLS configuration, if the address is a `wss://` URL.
    pub tls: Option<Tls>,
    /// The name to play under.
    pub name: String,
    /// The secret of the team, if it has one.
    pub secret: Option<String>,
    /// The version of the protocol, which decides the form of START.
    pub protocol: Protocol,
    /// The time limit of connection attempts, at first and after each loss.
    pub reconnect: Duration,
    /// Leave after this many finished games; `None` for no limit.
    pub games: Option<u64>,
}

/// Plays games until the limit is reached, the server is gone, or the program is interrupted
/// between two games.
///
/// # Errors
/// A game was left unfinished, no server was reached, the agent failed, or a result
/// could not be written.
pub fn play<W: Write>(
    settings: Settings,
    agent: Box<dyn Agent<Game>>,
    display: &mut Display<W>,
) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::System)?;
    let (report, answers) = mpsc::channel(MAX_ANSWERS);
    let mut client = Client {
        session: Session::new(settings.name.clone(), settings.protocol)
            .with_secret(settings.secret.clone()),
        backoff: Backoff::new(settings.reconnect),
        settings,
        thinker: Thinker::start(agent, move |answer| report.blocking_send(answer).is_ok()),
        answers,
        display,
        epoch: Instant::now(),
        was_connected: false,
        interrupt: Arc::new(Notify::new()),
    };
    runtime.spawn(listen_for_interrupts(Arc::clone(&client.interrupt)));
    let result = runtime.block_on(client.run());
    let Client {
        thinker, answers, ..
    } = client;
    drop(answers);
    thinker.finish();
    // A lookup of the host's address must not delay the end.
    runtime.shutdown_background();
    result?;
    display.finish().map_err(Error::Output)
}

/// A client: its session, agent, connection attempts and display.
struct Client<'a, W> {
    settings: Settings,
    session: Session,
    backoff: Backoff,
    thinker: Thinker<Game>,
    answers: mpsc::Receiver<Answer<Move>>,
    display: &'a mut Display<W>,
    /// The origin of the session's times.
    epoch: Instant,
    was_connected: bool,
    /// Notified by Ctrl-C, even while no task waits for it.
    interrupt: Arc<Notify>,
}

async fn listen_for_interrupts(interrupt: Arc<Notify>) {
    while ctrl_c().await.is_ok() {
        interrupt.notify_one();
    }
}

/// Why a connection ends.
enum Stop {
    /// It is lost, or could not be established.
    Lost(io::Error),
    /// There is nothing left to do.
    Done,
    /// The program was interrupted.
    Interrupted,
    /// The client cannot go on.
    Failed(Error),
}

impl<W: Write> Client<'_, W> {
    async fn run(&mut self) -> Result<(), Error> {
        loop {
            let why = match self.run_connection().await {
                Stop::Lost(why) => why,
                Stop::Done => return Ok(()),
                Stop::Failed(error) => return Err(error),
                Stop::Interrupted => return self.on_interrupt(),
            };
            self.session.on_disconnect();
            self.thinker.think_about(None);
            let Some(pause) = self.backoff.on_failure(self.now()) else {
                return self.give_up(why);
            };
            note(&format!(
                "{}: {why}; trying again in {:.1} s",
                self.settings.address,
                pause.as_secs_f64()
            ));
            tokio::select! {
                () = sleep(pause) => {}
                () = self.interrupt.notified() => return self.on_interrupt(),
            }
        }
    }

    /// Runs one connection from its beginning to its end.
    async fn run_connection(&mut self) -> Stop {
        let Settings { address, tls, .. } = &self.settings;
        let connection = tokio::select! {
            connection = Connection::connect(address, tls.as_ref()) => connection,
            () = self.interrupt.notified() => return Stop::Interrupted,
        };
        let mut connection = match connection {
            Ok(connection) => connection,
            Err(ConnectError::Failed(why) | ConnectError::Tls(EncryptError::Failed(why))) => {
                return Stop::Lost(why);
            }
            Err(ConnectError::NotHttp) => return self.not_a_server("does not answer in HTTP"),
            Err(ConnectError::Page) => return self.not_a_server("answers with a web page"),
            Err(ConnectError::Redirect(to)) => {
                let does = format!("redirects to {to}");
                let error = format!("{address} {does}: connect to that address");
                return self.without_server(&does, error);
            }
            Err(ConnectError::Tls(EncryptError::NotTls)) => {
                return self.not_a_server("does not speak TLS, use ws://");
            }
            Err(ConnectError::Tls(EncryptError::Certificate(why))) => {
                let why = format!("the certificate of {address} is not trusted: {why}");
                return Stop::Failed(Error::Server(why));
            }
        };
        note(&format!("connected to {}", self.settings.address));
        self.was_connected = true;
        let stop = loop {
            if let Err(stop) = self.step(&mut connection).await {
                break stop;
            }
        };
        if !matches!(stop, Stop::Lost(_)) {
            connection.close().await;
        }
        stop
    }

    /// Returns how the client continues if the address has no contest server.
    fn not_a_server(&self, does: &str) -> Stop {
        let address = &self.settings.address;
        let error = format!(
            "{address} is not a server of Go contests: it {does}; for a match at a referee (gothello \
             netref), use gothello netplay"
        );
        self.without_server(does, error)
    }

    /// Returns how the client continues if the address has no contest server: one that was there
    /// before may come back, for example behind a proxy.
    fn without_server(&self, does: &str, error: String) -> Stop {
        match self.was_connected {
            true => Stop::Lost(io::Error::other(format!("what listens there {does}"))),
            false => Stop::Failed(Error::Server(error)),
        }
    }

    /// Waits for one event and performs its effects.
    async fn step(&mut self, connection: &mut Connection) -> Result<(), Stop> {
        self.thinker.think_about(self.session.turn(self.now()));
        let effects = tokio::select! {
            frame = connection.next() => {
                self.receive(frame.map_err(|why| self.closed(why))?)
            }
            answer = self.answers.recv() => self.on_answer(answer)?,
            () = self.interrupt.notified() => return Err(Stop::Interrupted),
        };
        for effect in effects {
            self.display.show(&effect);
            if let Effect::Send(message) = effect {
                let text = serde_json::to_string(&message);
                let text = text.map_err(|why| Stop::Lost(why.into()))?;
                connection.send(text).await.map_err(Stop::Lost)?;
            }
        }
        let enough = self.settings.games;
        if enough.is_some_and(|games| self.session.finished_games() >= games) {
            return Err(Stop::Done);
        }
        Ok(())
    }

    /// Returns how the client continues after the server has closed the connection.
    fn closed(&self, why: io::Error) -> Stop {
        match why.kind() {
            io::ErrorKind::PermissionDenied => {
                let address = &self.settings.address;
                Stop::Failed(Error::Server(format!("{address}: {why}")))
            }
            _ => Stop::Lost(why),
        }
    }

    /// Handles an answer of the agent; `None` if its thread has ended.
    fn on_answer(&mut self, answer: Option<Answer<Move>>) -> Result<Vec<Effect>, Stop> {
        let answer = answer.ok_or(Stop::Failed(AgentError::Stopped.into()))?;
        match self.thinker.accept(answer) {
            Some(Ok(decision)) => Ok(self.session.decide(decision)),
            Some(Err(error)) => Err(Stop::Failed(error.into())),
            None => Ok(Vec::new()),
        }
    }

    fn receive(&mut self, frame: Frame) -> Vec<Effect> {
        let text = match frame {
            Frame::Text(text) => text,
            Frame::Binary(bytes) => {
                let text = format!("the server sent {bytes} bytes that are not text");
                return vec![Effect::Note(text)];
            }
        };
        let message = match read(&text) {
            Ok(message) => message,
            Err(why) => return vec![Effect::Note(why.to_string())],
        };
        let now = self.now();
        let effects = self.session.receive(message, now);
        if self.session.state() != State::Init {
            self.backoff.reset();
        }
        effects
    }

    /// Ends the client when no attempt to connect was successful.
    fn give_up(&self, why: io::Error) -> Result<(), Error> {
        let (address, limit) = (&self.settings.address, self.settings.reconnect);
        let limit = limit.as_secs_f64();
        match (self.was_connected, self.session.has_open_game()) {
            (false, _) => Err(Error::Server(format!(
                "cannot reach a server at {address}, tried for {limit} s (--reconnect): {why}"
            ))),
            (true, true) => Err(Error::Server(format!(
                "the connection was lost before the game was over, and {address} could not be \
                 reached again within {limit} s (--reconnect): {why}"
            ))),
            (true, false) => {
                let games = counted(self.session.finished_games(), "finished game");
                note(&format!(
                    "the server has been gone for {limit} s (--reconnect): left after {games}"
                ));
                Ok(())
            }
        }
    }

    /// Ends the client after an interrupt.
    fn on_interrupt(&self) -> Result<(), Error> {
        match self.session.has_open_game() {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }

    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }
}
