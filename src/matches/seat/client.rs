//! A client of the network referee at a seat.
//!
//! Each game has a table of its own, at a port of its own on the loopback interface, so that the
//! client is known by its process although it sends no name. The table is that of the network
//! referee ([`Table`]); its other player is the opponent, whose moves are passed on.

use std::io::ErrorKind::ConnectionAborted;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::engine::{ending, last_lines};
use super::{Choice, GameStart, Seat, SeatAction, SeatError, SeatTurn};
use crate::base::color::{ByColor, Color};
use crate::contests::netref::{
    Action, ConnId, Effect, Effects, Line, Lines, MAX_MALFORMED, Malformed, NetrefGame, Opening,
    Response, Role, Settings, Table,
};
use crate::gtp::process::{Exhausted, Launch, Program, Resource, Tail, pauses};
use crate::matches::game::MatchGame;
use crate::matches::program::ProgramFiles;
use crate::matches::record::{GameRecord, LastLines, ProgramIdentity, Verdict};

/// The pause between two attempts to accept the client.
const ACCEPT_PAUSE: Duration = Duration::from_millis(2);

/// The longest wait for the socket before the stop flag is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long a client may fail to read what it is sent.
const WRITE_LIMIT: Duration = Duration::from_secs(5);

/// How long a client may take to end when its game is over.
const END_LIMIT: Duration = Duration::from_secs(1);

/// The number of illegal moves in a row after which the client has lost. The protocol lets it try
/// again.
const MAX_ILLEGAL: u32 = 10;

/// The number of bytes that are kept of what the client has sent: the last ones.
const MAX_RECEIVED: usize = 4 * 1024;

/// The connection of the client at its table.
const CLIENT: ConnId = ConnId(1);

/// The connection of the opponent, which has no socket.
const OPPONENT: ConnId = ConnId(2);

/// A client of the network referee at a seat. Its process is started for each game.
#[derive(Debug)]
pub struct ClientSeat<G: NetrefGame> {
    command: Vec<String>,
    /// How it is started, but for its words.
    launch: Launch,
    name: String,
    settings: ClientSettings,
    live: Option<Live<G>>,
    last_lines: LastLines,
    errors: String,
}

/// The settings of a client.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// Its files, by which it is known.
    pub files: Option<ProgramFiles>,
    /// How long it may take to connect, and to ask for its side.
    pub start_limit: Duration,
    /// How long it may be silent while no clock runs.
    pub hang_limit: Duration,
}

/// A client's game.
#[derive(Debug)]
struct Live<G: NetrefGame> {
    program: Program,
    stream: TcpStream,
    lines: Lines,
    table: Table<G>,
    /// The client's color.
    color: Color,
    /// The opponent's color; `None` once the opponent is seated.
    opponent: Option<Color>,
    /// The time by the table's clock: the sum of the times of all moves.
    now: Duration,
    /// Whether the match at the table is over.
    is_over: bool,
    /// The end of what the client has sent.
    received: Tail,
}

impl<G: MatchGame + NetrefGame> ClientSeat<G> {
    /// Returns the seat of a client with this command, whose placeholders are filled for each game.
    /// `launch` is how it is started, but for its words.
    pub fn new(
        command: Vec<String>,
        launch: Launch,
        name: String,
        settings: ClientSettings,
    ) -> ClientSeat<G> {
        ClientSeat {
            command,
            launch: launch.with_errors(),
            name,
            settings,
            live: None,
            last_lines: LastLines::default(),
            errors: String::new(),
        }
    }

    /// Starts the client, and lets it take its seat.
    fn start(&mut self, start: &GameStart<'_, G>) -> Result<(), SeatError> {
        let listening = listen::<G>(&self.command);
        let (listener, port) = listening.map_err(|error| exhausted("cannot listen", &error))?;
        let server = port.saturating_sub(G::PORT);
        let words = fill_placeholders::<G>(&self.command, start.color, port, &self.name);
        let launch = self.launch.clone().with_words(words);
        let program = Program::start(&launch).map_err(|error| SeatError::not_started(&error))?;
        let times = ByColor::from_fn(|color| start.clocks[color].map(|clock| clock.left().time));
        let times = match times {
            ByColor {
                black: Some(black),
                white: Some(white),
            } => Some(ByColor::new(black, white)),
            _ => None,
        };
        let table = Table::new(Settings {
            times,
            private: true,
            strict: true,
            ..Settings::new(server, start.start.clone())
        });
        let mut program = program;
        let deadline = Instant::now() + self.settings.start_limit;
        let stream = accept(&listener, &mut program, deadline, start.stop);
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) => {
                self.keep_lines(&program, "");
                return Err(error);
            }
        };
        let live = self.live.insert(Live {
            program,
            stream,
            lines: Lines::default(),
            table,
            color: start.color,
            opponent: Some(start.color.opponent()),
            now: Duration::ZERO,
            is_over: false,
            received: Tail::new(MAX_RECEIVED),
        });
        live.seat(start, deadline)
    }

    /// Keeps the last lines of a client: of its output, of what was `received` from it, and of its
    /// errors.
    fn keep_lines(&mut self, program: &Program, received: &str) {
        self.errors = program.last_errors();
        self.last_lines = last_lines(&program.last_output(), &self.errors);
        let sent = ending(received).into_iter();
        let sent = sent.map(|line| format!("sent: {line}"));
        self.last_lines.output.extend(sent);
    }

    /// Ends the game of a client that has failed.
    fn discard<T>(&mut self, result: Result<T, SeatError>) -> Result<T, SeatError> {
        if result.is_err() {
            self.end_client(Duration::ZERO);
        }
        result
    }

    /// Ends the client, which gets this long to end by itself.
    fn end_client(&mut self, limit: Duration) {
        if let Some(mut live) = self.live.take() {
            let _ = live.stream.shutdown(Shutdown::Write);
            live.program.wait_timeout(limit);
            self.keep_lines(&live.program, &live.received.text());
        }
    }
}

/// Fills the placeholders in the command of a client that finds its server at this port of the
/// loopback interface.
pub(crate) fn fill_placeholders<G: NetrefGame>(
    command: &[String],
    side: Color,
    port: u16,
    name: &str,
) -> Vec<String> {
    let server = port.saturating_sub(G::PORT);
    let fill = |word: &String| {
        word.replace("{side}", G::SIDES[side])
            .replace("{host}", &Ipv4Addr::LOCALHOST.to_string())
            .replace("{server}", &server.to_string())
            .replace("{port}", &port.to_string())
            .replace("{name}", name)
    };
    command.iter().map(fill).collect()
}

/// Listens at a free port whose number the client with this command can compute from that of the
/// server: if it is given a server number, if possible one of those that clients know, the last one
/// first. These few are left to it by clients that are given a port.
pub(crate) fn listen<G: NetrefGame>(command: &[String]) -> io::Result<(TcpListener, u16)> {
    let knows = command.iter().any(|word| word.contains("{server}"));
    let known = (0..=G::MAX_SERVER).rev().filter(|_| knows);
    let known = known.map(|server| G::PORT.saturating_add(server));
    let any = std::iter::once(0).chain(G::PORT.saturating_add(G::MAX_SERVER)..u16::MAX);
    for port in known.chain(any) {
        match listen_at(port) {
            Ok((listener, port)) if port >= G::PORT => return Ok((listener, port)),
            // Another port would not help.
            Err(error) if Resource::exhausted(&error).is_some() => return Err(error),
            Ok(_) | Err(_) => {}
        }
    }
    Err(io::Error::other("no port is free"))
}

/// Listens at a port, or at any free one if it is 0, and accepts without waiting. Returns the port.
pub(crate) fn listen_at(port: u16) -> io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Returns the error of something that this machine does for a client, and cannot do now.
fn exhausted(what: &str, error: &io::Error) -> SeatError {
    SeatError::Exhausted(Exhausted {
        resource: Resource::exhausted(error).unwrap_or(Resource::Ports),
        detail: format!("{what}: {error}"),
    })
}

/// Waits for the client to connect.
pub(crate) fn accept(
    listener: &TcpListener,
    program: &mut Program,
    deadline: Instant,
    stop: &AtomicBool,
) -> Result<TcpStream, SeatError> {
    let mut pauses = pauses();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                let ready = stream.set_nonblocking(false);
                let ready = ready.and_then(|()| stream.set_nodelay(true));
                let ready = ready.and_then(|()| stream.set_write_timeout(Some(WRITE_LIMIT)));
                return match ready {
                    Ok(()) => Ok(stream),
                    Err(error) if Resource::exhausted(&error).is_some() => {
                        Err(exhausted("cannot use the connection", &error))
                    }
                    Err(error) => Err(SeatError::lost(Verdict::NotStarted, error.to_string())),
                };
            }
            // A client that has hung up may connect again.
            Err(error) if is_timeout(&error) || error.kind() == ConnectionAborted => {}
            // The connection is waiting.
            Err(error) => match pauses.next() {
                Some(pause) => thread::sleep(pause),
                None => return Err(exhausted("cannot accept a connection", &error)),
            },
        }
        if let Some(status) = program.try_wait() {
            let why = format!("the client ended ({status}) without connecting");
            return Err(SeatError::lost(Verdict::NotStarted, why));
        }
        if stop.load(Ordering::Relaxed) {
            return Err(SeatError::Stopped);
        }
        if Instant::now() > deadline {
            let why = "the client did not connect in time";
            return Err(SeatError::lost(Verdict::NotStarted, why));
        }
        thread::sleep(ACCEPT_PAUSE);
    }
}

impl<G: MatchGame + NetrefGame> Live<G> {
    /// Greets the client, and seats it.
    fn seat(&mut self, start: &GameStart<'_, G>, deadline: Instant) -> Result<(), SeatError> {
        self.send(&Response::<G>::Greeting(G::greeting()).to_string())?;
        let limit = deadline.saturating_duration_since(Instant::now());
        let line = self.read_line(Some(limit), start.stop)?;
        let Some(line) = line else {
            let why = "the client asked for no role in time";
            return Err(SeatError::lost(Verdict::NotStarted, why));
        };
        let text = line.text().map(str::to_owned);
        let opening = text.map_err(|Malformed(why)| why);
        let opening =
            opening.and_then(|text| Opening::parse::<G>(&text).map_err(|why| why.to_string()));
        let opening = opening.map_err(|why| {
            let why = format!("the client's first request is wrong: {why}");
            SeatError::lost(Verdict::Garbage, why)
        })?;
        let wants_seat = match opening.role {
            Role::Player(side) => side == start.color,
            Role::EitherPlayer => true,
            Role::Observer => false,
        };
        if !wants_seat {
            let why = format!("the client did not ask to play {}", G::SIDES[start.color]);
            return Err(SeatError::lost(Verdict::Garbage, why));
        }
        let effects = self
            .table
            .open(CLIENT, opening, self.now, SystemTime::now(), false);
        self.perform(effects)
    }

    /// Seats the opponent, unless this has been done: the client is told that the game begins.
    fn seat_opponent(&mut self) -> Result<(), SeatError> {
        let Some(color) = self.opponent.take() else {
            return Ok(());
        };
        let opening = Opening::new::<G>(Role::Player(color), None);
        let effects = self
            .table
            .open(OPPONENT, opening, self.now, SystemTime::now(), false);
        self.perform(effects)
    }

    /// Performs the table's effects for the client. When the match is over, the client may be gone.
    fn perform(&mut self, effects: Effects<G::Move>) -> Result<(), SeatError> {
        self.is_over |= effects.finished().is_some();
        for effect in effects {
            match effect {
                Effect::Send(CLIENT, text) => match self.send(&text) {
                    Err(_) if self.is_over => {}
                    sent => sent?,
                },
                Effect::StartClock => self.table.start_clock(self.now),
                _ => {}
            }
        }
        Ok(())
    }

    fn send(&mut self, text: &str) -> Result<(), SeatError> {
        let sent = self.stream.write_all(text.as_bytes());
        sent.map_err(|error| self.broken(&error))
    }

    /// Returns the meaning of a connection error: the client has closed it or does not read, or
    /// this machine has no memory for it.
    fn broken(&mut self, error: &io::Error) -> SeatError {
        match Resource::exhausted(error) {
            Some(_) if !is_timeout(error) => exhausted("cannot use the connection", error),
            _ => self.await_end(),
        }
    }

    /// Waits a moment for a client that has closed its connection to end, and returns the error
    /// that says whether it has.
    fn await_end(&mut self) -> SeatError {
        match self.program.wait_timeout(POLL_INTERVAL * 5) {
            Some(status) => SeatError::lost(Verdict::Crash, format!("the client ended ({status})")),
            None => SeatError::lost(Verdict::Gone, "the client closed its connection"),
        }
    }

    /// Reads a line; returns `None` if none comes in time.
    fn read_line(
        &mut self,
        limit: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<Option<Line>, SeatError> {
        let begin = Instant::now();
        loop {
            if let Some(line) = self.lines.next() {
                if let Ok(text) = line.text() {
                    self.received.push(text.as_bytes());
                    self.received.push(b"\n");
                }
                return Ok(Some(line));
            }
            let left = limit.map(|limit| limit.saturating_sub(begin.elapsed()));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            if stop.load(Ordering::Relaxed) {
                return Err(SeatError::Stopped);
            }
            let pause = left.map_or(POLL_INTERVAL, |left| left.min(POLL_INTERVAL));
            // A timeout of zero would be none.
            let pause = pause.max(Duration::from_micros(1));
            let mut piece = [0; 2_048];
            let waits = self.stream.set_read_timeout(Some(pause));
            match waits.and_then(|()| self.stream.read(&mut piece)) {
                Ok(0) => return Err(self.await_end()),
                Ok(length) => self.lines.push(piece.get(..length).unwrap_or_default()),
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(self.broken(&error)),
            }
        }
    }

    /// Returns the time by the table's clock at which the player to move has used this much, at most
    /// a millisecond before its flag falls: the runner decides who loses on time.
    fn time_after(&self, used: Duration) -> Duration {
        let at = self.now.saturating_add(used);
        let fall = self.table.deadline().unwrap_or(Duration::MAX);
        let almost = fall.saturating_sub(Duration::from_millis(1));
        at.min(almost).max(self.now)
    }

    /// Tells the client that the flag of the player to move has fallen.
    fn tell_flag_fall(&mut self) {
        if let Some(fall) = self.table.deadline() {
            let effects = self.table.tick(fall);
            // It may be gone.
            let _ = self.perform(effects);
        }
    }

    /// Waits for the client's move. A move that the table refuses is not the last.
    fn choose(
        &mut self,
        turn: &SeatTurn<'_, G>,
        hang_limit: Duration,
    ) -> Result<Choice<G::Move>, SeatError> {
        let watch = turn.time.stopwatch();
        self.seat_opponent()?;
        let clock = turn.clock();
        let limit = turn.limit();
        let mut illegal = 0;
        loop {
            let left = limit.unwrap_or(hang_limit).saturating_sub(watch.elapsed());
            let Some(line) = self.read_line(Some(left), turn.stop)? else {
                // A stall of the runner does not count.
                if watch.elapsed() < limit.unwrap_or(hang_limit) {
                    continue;
                }
                self.tell_flag_fall();
                return Err(match clock {
                    Some(clock) => {
                        let allowed = clock.allowed().as_secs_f64();
                        let detail = format!("no move within its {allowed:.3} s");
                        SeatError::lost(Verdict::Time, detail)
                    }
                    None => {
                        let detail = format!("no move within {} s", hang_limit.as_secs());
                        SeatError::lost(Verdict::Hang, detail)
                    }
                });
            };
            let used = watch.elapsed();
            let request = line.text().and_then(Action::parse::<G>);
            let (action, what) = match &request {
                Ok(Action::Move { mv, .. }) => {
                    (Some(SeatAction::Move(*mv)), turn.game.notation(*mv))
                }
                Ok(Action::Resign) => (Some(SeatAction::Resign), "a resignation".to_owned()),
                Ok(_) => (None, "a request out of turn".to_owned()),
                Err(Malformed(why)) => (None, why.clone()),
            };
            let is_offer = request == Ok(Action::OfferDraw);
            let at = self.time_after(used);
            let effects = self.table.request(CLIENT, request, at);
            let is_refused = effects.iter().any(
                |effect| matches!(effect, Effect::Send(CLIENT, text) if text.starts_with("29")),
            );
            if is_offer && !is_refused {
                self.perform(effects)?;
                let refused = self.table.request(OPPONENT, Ok(Action::RefuseDraw), at);
                self.perform(refused)?;
                continue;
            }
            if let Some(action) = action
                && !is_refused
            {
                self.now = at;
                self.perform(effects)?;
                return Ok(Choice { action, used });
            }
            let response = effects.iter().find_map(|effect| match effect {
                Effect::Send(CLIENT, text) => Some(text.trim().to_owned()),
                _ => None,
            });
            self.perform(effects)?;
            illegal = u32::saturating_add(illegal, 1);
            if illegal >= MAX_ILLEGAL.min(MAX_MALFORMED) {
                let response = response.unwrap_or_default();
                let detail = format!("{what}: {response}, {illegal} times in a row");
                return Err(SeatError::lost(Verdict::IllegalMove, detail));
            }
        }
    }

    /// Sends the client a move of the opponent.
    fn notify_move(&mut self, game: &G, mv: G::Move, used: Duration) -> Result<(), SeatError> {
        self.seat_opponent()?;
        self.now = self.time_after(used);
        let plies = u64::try_from(game.moves().count()).unwrap_or(u64::MAX);
        let number = (plies / 2).saturating_add(1);
        let action = Action::numbered(number, game.to_move(), mv);
        let effects = self.table.request(OPPONENT, Ok(action), self.now);
        self.perform(effects)
    }

    /// Tells the client how the game ended, unless it knows.
    fn finish(&mut self, record: &GameRecord) {
        if self.is_over || self.opponent.is_some() {
            return;
        }
        let lost = record.loser() == Some(self.color.opponent());
        let effects = match record.verdict {
            Verdict::Time if lost => return self.tell_flag_fall(),
            Verdict::Resignation if lost => {
                let resigns = Ok(Action::Resign);
                self.table.request(OPPONENT, resigns, self.now)
            }
            // The protocol has no other code for a player that has failed.
            verdict if verdict.is_failure() && lost => self.table.leave(OPPONENT, self.now),
            verdict => {
                let why = format!("{} ({verdict})", record.result);
                self.table.void(&why, None, self.now)
            }
        };
        // It may be gone.
        let _ = self.perform(effects);
    }
}

/// Returns whether a read or an accept failed only because nothing came in time.
pub(crate) fn is_timeout(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

impl<G: MatchGame + NetrefGame> Seat<G> for ClientSeat<G> {
    fn begin(&mut self, start: &GameStart<'_, G>) -> Result<(), SeatError> {
        self.errors.clear();
        let started = self.start(start);
        self.discard(started)
    }

    fn choose(&mut self, turn: &SeatTurn<'_, G>) -> Result<Choice<G::Move>, SeatError> {
        let Some(live) = &mut self.live else {
            return Err(SeatError::lost(Verdict::Gone, "the client has ended"));
        };
        let chosen = live.choose(turn, self.settings.hang_limit);
        self.discard(chosen)
    }

    fn notify_move(
        &mut self,
        game: &G,
        mv: G::Move,
        used: Duration,
        _: &AtomicBool,
    ) -> Result<(), SeatError> {
        let Some(live) = &mut self.live else {
            return Err(SeatError::lost(Verdict::Gone, "the client has ended"));
        };
        let notified = live.notify_move(game, mv, used);
        self.discard(notified)
    }

    fn end(&mut self, record: &GameRecord) {
        if let Some(live) = &mut self.live {
            live.finish(record);
        }
        self.end_client(END_LIMIT);
    }

    fn last_lines(&mut self) -> LastLines {
        if let Some(live) = &self.live {
            return last_lines(&live.program.last_output(), &live.program.last_errors());
        }
        std::mem::take(&mut self.last_lines)
    }

    fn identity(&self) -> Option<ProgramIdentity> {
        self.settings.files.as_ref().map(ProgramFiles::identity)
    }

    fn take_errors(&mut self) -> String {
        std::mem::take(&mut self.errors)
    }
}
