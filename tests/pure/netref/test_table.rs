//! A table of Gothello without a socket or a clock, and clients that talk to it line by line.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, SystemTime};

use gothello::contests::netref::{
    self, Action, ConnId, Effect, Effects, FinishedMatch, Gothello, LiveMatch, Loss, LossWaits,
    NetrefGame, Opening, Settings, Table, ToObservers,
};
use gothello::{ByColor, Move};

/// The time at which a table is there.
const START: Duration = Duration::from_secs(1_000);

/// Creates a table with an interrupted match, which waits for its players.
pub fn resumed<G: NetrefGame>(
    settings: Settings<G>,
    live: LiveMatch<G>,
    now: Duration,
) -> Table<G> {
    let mut table = Table::new(settings);
    assert!(
        table
            .resume_match(Box::new(live), now)
            .iter()
            .next()
            .is_none()
    );
    table
}

/// A table, its time, and what its clients have not read. The first lost connection decides a
/// match.
#[derive(Clone)]
pub struct TestTable(Rc<RefCell<State>>);

struct State {
    table: Table<Gothello>,
    now: Duration,
    /// Whether the first of two clients that ask for either side gets White.
    coin: bool,
    next: u64,
    unread: BTreeMap<ConnId, VecDeque<String>>,
    observers: BTreeSet<ConnId>,
    closed: BTreeSet<ConnId>,
    finished: Vec<FinishedMatch<Move>>,
}

/// The version that a client sends with this opening: one that gives its name can resume a match.
fn version_of(opening: &str) -> &'static str {
    match opening.contains('"') {
        true => "0.9.2",
        false => "0.9.1",
    }
}

/// The settings of a table without clocks or limits.
pub fn settings() -> Settings<Gothello> {
    Settings {
        number: 0,
        start: Gothello::default(),
        times: None,
        private: false,
        strict: false,
        seat_timeout: None,
        move_timeout: None,
        reclaim_time: Duration::ZERO,
        waits: LossWaits::default(),
    }
}

impl TestTable {
    /// A table without clocks.
    pub fn new() -> TestTable {
        TestTable::with(settings())
    }

    /// A table with these seconds for White and for Black.
    pub fn timed(white: u64, black: u64) -> TestTable {
        let seconds = ByColor { black, white };
        TestTable::with(Settings {
            times: Some(seconds.map(Duration::from_secs)),
            ..settings()
        })
    }

    pub fn with(settings: Settings<Gothello>) -> TestTable {
        TestTable::of(Table::new(settings))
    }

    /// A table where this match waits for its players.
    pub fn resuming(settings: Settings<Gothello>, live: LiveMatch<Gothello>) -> TestTable {
        TestTable::of(resumed(settings, live, START))
    }

    fn of(table: Table<Gothello>) -> TestTable {
        TestTable(Rc::new(RefCell::new(State {
            table,
            now: START,
            coin: true,
            next: 0,
            unread: BTreeMap::new(),
            observers: BTreeSet::new(),
            closed: BTreeSet::new(),
            finished: Vec::new(),
        })))
    }

    /// Sets whether the first of two clients that ask for either side gets White.
    pub fn set_coin(&self, coin: bool) {
        self.0.borrow_mut().coin = coin;
    }

    /// A client that asks for a role. It has read nothing.
    #[track_caller]
    pub fn open(&self, line: &str) -> Client {
        self.open_from(line, None)
    }

    /// A client at this address that asks for a role.
    #[track_caller]
    pub fn open_from(&self, line: &str, address: Option<SocketAddr>) -> Client {
        let mut state = self.0.borrow_mut();
        state.next += 1;
        let conn = ConnId(state.next);
        let opening = Opening::parse::<Gothello>(line).unwrap();
        let client = netref::Client {
            resumes: opening.resumes::<Gothello>(),
            address,
            ..conn.into()
        };
        state.unread.insert(conn, VecDeque::new());
        let (now, coin) = (state.now, state.coin);
        let effects = state
            .table
            .open(client, opening, now, SystemTime::UNIX_EPOCH, coin);
        state.perform(effects);
        Client {
            conn,
            table: self.clone(),
        }
    }

    /// A client that has asked for a role and read the answer.
    #[track_caller]
    pub fn seat(&self, opening: &str) -> Client {
        let mut client = self.open(&format!("{} {opening}", version_of(opening)));
        client.expect("10");
        client
    }

    /// Black and White, without names, at the start of a match.
    #[track_caller]
    pub fn pair(&self) -> (Client, Client) {
        self.pair_called("", "")
    }

    /// Black and White at the start of a match, with names in quotes or without names.
    #[track_caller]
    pub fn pair_called(&self, black: &str, white: &str) -> (Client, Client) {
        let mut black = self.seat(&format!("player black {black}"));
        let mut white = self.seat(&format!("player white {white}"));
        black.lines_to("352 ");
        white.lines_to("351 ");
        (black, white)
    }

    /// Plays a whole match. Returns the lines that Black, White and an observer received after
    /// they got their roles, and with a `>` those that they sent. The requests are Black's and
    /// White's in turn; the last one ends the match.
    #[track_caller]
    pub fn play(&self, names: [&str; 2], requests: &[&str]) -> [Vec<String>; 3] {
        let mut observer = self.seat("observer");
        let [black, white] = names;
        let black = self.seat(&format!("player black {black}"));
        let white = self.seat(&format!("player white {white}"));
        let mut players = [black, white];
        let mut heard = players.each_mut().map(|player| player.lines_to("35"));
        for (number, request) in requests.iter().enumerate() {
            let mover = number % 2;
            players[mover].send(request);
            heard[mover].push(format!("> {request}"));
            for (player, heard) in players.iter_mut().zip(&mut heard) {
                heard.extend(player.lines_to("3"));
            }
        }
        for (player, heard) in players.iter_mut().zip(&mut heard) {
            heard.extend(player.rest());
        }
        let [black, white] = heard;
        [black, white, observer.rest()]
    }

    /// Lets time pass. Deadlines are met in their order.
    pub fn passes(&self, time: Duration) {
        let mut state = self.0.borrow_mut();
        let until = state.now + time;
        while let Some(at) = state.table.deadline().filter(|&at| at <= until) {
            state.now = at;
            let effects = state.table.tick(at);
            state.perform(effects);
        }
        state.now = until;
    }

    /// Disconnects all clients, because the referee stops.
    pub fn stop(&self, why: &str) {
        let mut state = self.0.borrow_mut();
        let effects = state.table.stop(why);
        state.perform(effects);
    }

    /// Takes the last match that is over.
    pub fn finished(&self) -> Option<FinishedMatch<Move>> {
        self.0.borrow_mut().finished.pop()
    }
}

impl State {
    fn perform(&mut self, effects: Effects<Move>) {
        for effect in effects {
            match effect {
                Effect::Send(conn, text) => self.send(conn, &text),
                Effect::Observers(ToObservers::Admit(conn, text)) => {
                    self.observers.insert(conn);
                    self.send(conn, &text);
                }
                Effect::Observers(ToObservers::Reject(conn, text)) => {
                    self.send(conn, &text);
                    self.closed.insert(conn);
                }
                Effect::Observers(ToObservers::Broadcast(text)) => {
                    for conn in self.observers.clone() {
                        self.send(conn, &text);
                    }
                }
                Effect::Close(conn) => {
                    self.closed.insert(conn);
                }
                Effect::Observers(ToObservers::Close) => self.closed.append(&mut self.observers),
                Effect::StartClock => self.table.start_clock(self.now),
                Effect::Finish(finished) => self.finished.push(*finished),
                Effect::Begin | Effect::Journal(_) | Effect::Log(_) | Effect::EndOutput(_) => {}
            }
        }
    }

    fn send(&mut self, conn: ConnId, text: &str) {
        assert!(!self.closed.contains(&conn), "{conn} is closed: {text}");
        assert!(text.is_empty() || text.ends_with("\r\n"), "{text:?}");
        let lines = text.split_terminator("\r\n").map(str::to_owned);
        self.unread.entry(conn).or_default().extend(lines);
    }
}

/// A client, which leaves when it is dropped.
pub struct Client {
    conn: ConnId,
    table: TestTable,
}

impl Client {
    /// Sends a request.
    pub fn send(&mut self, request: &str) {
        let mut state = self.table.0.borrow_mut();
        let now = state.now;
        let action = Action::parse::<Gothello>(request);
        let effects = state.table.request(self.conn, action, now);
        state.perform(effects);
    }

    /// Sends a request and expects the next line to begin with this.
    #[track_caller]
    pub fn ask(&mut self, request: &str, beginning: &str) -> String {
        self.send(request);
        self.expect(beginning)
    }

    /// The next line; `None` at the end of the connection.
    #[track_caller]
    pub fn line(&mut self) -> Option<String> {
        let mut state = self.table.0.borrow_mut();
        let line = state.unread.entry(self.conn).or_default().pop_front();
        let is_closed = state.closed.contains(&self.conn);
        assert!(line.is_some() || is_closed, "no line comes");
        line
    }

    /// Reads the next line, which must begin with this.
    #[track_caller]
    pub fn expect(&mut self, beginning: &str) -> String {
        let line = self.line();
        let line = line.unwrap_or_else(|| panic!("{beginning}: it is the end"));
        assert!(line.starts_with(beginning), "{beginning:?}: {line:?}");
        line
    }

    /// Reads lines up to the first one that begins with this.
    #[track_caller]
    pub fn lines_to(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            lines.push(line.unwrap_or_else(|| panic!("no {beginning:?} comes: {lines:#?}")));
            if lines.last().is_some_and(|line| line.starts_with(beginning)) {
                return lines;
            }
        }
    }

    /// Expects the next lines to begin with these texts, in order.
    #[track_caller]
    pub fn expect_all(&mut self, beginnings: &[&str]) {
        for beginning in beginnings {
            self.expect(beginning);
        }
    }

    /// Expects the next lines to begin with these texts, and then the end of the connection.
    #[track_caller]
    pub fn expect_last(&mut self, beginnings: &[&str]) {
        assert_begin(&self.rest(), beginnings);
    }

    /// Expects that nothing was sent, and that the connection is open.
    #[track_caller]
    pub fn expect_nothing(&self) {
        let state = self.table.0.borrow();
        let unread = &state.unread[&self.conn];
        assert!(unread.is_empty(), "{unread:?}");
        assert!(!state.closed.contains(&self.conn));
    }

    /// All lines up to the end of the connection.
    #[track_caller]
    pub fn rest(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.line() {
            lines.push(line);
        }
        lines
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        let mut state = self.table.0.borrow_mut();
        if !state.closed.contains(&self.conn) {
            state.observers.remove(&self.conn);
            let now = state.now;
            let effects = state.table.lose(self.conn, Loss::Closed, now);
            state.perform(effects);
            state.closed.insert(self.conn);
        }
    }
}

/// Checks the beginnings of these lines, and that there are no others: the text after a code and
/// its arguments is free.
#[track_caller]
pub fn assert_begin(lines: &[String], beginnings: &[&str]) {
    let right = lines.len() == beginnings.len()
        && (lines.iter().zip(beginnings)).all(|(line, beginning)| line.starts_with(beginning));
    assert!(right, "{lines:#?} ought to begin {beginnings:#?}");
}

/// Checks that the last of these lines begin like this.
#[track_caller]
pub fn assert_end(lines: &[String], beginnings: &[&str]) {
    let others = lines.len().saturating_sub(beginnings.len());
    assert_begin(&lines[others..], beginnings);
}
