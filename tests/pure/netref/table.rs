//! The table as a state machine, without sockets: it keeps its invariants in any order of events.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use gothello::contests::netref::{
    self, Action, Awari, ConnId, Effect, Effects, Entry, FinishedMatch, Gothello, LiveMatch, Loss,
    LossWaits, MAX_ILLEGAL, MatchReason, MoveNumber, Name, NetrefGame, Opening, Player, Role,
    Seeker, Settings, StartEntry, Table, ToObservers,
};
use gothello::{ByColor, Color, Move};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::cases::cases;
use crate::netref::spoken::Spoken;
use crate::netref::test_table::resumed;

/// The name of the house.
const HOUSE: &str = "house-3";

/// An event. Numbers choose among the connected clients.
#[derive(Clone, Debug)]
enum Event {
    Open {
        line: String,
        coin: bool,
    },
    Request {
        who: usize,
        line: String,
    },
    /// The right player makes a move with the right number.
    Move {
        word: String,
    },
    Leave {
        who: usize,
        loss: Loss,
    },
    Tick,
    /// The organizer ends the match.
    Void,
    /// The organizer puts the match aside.
    Adjourn,
    /// The organizer puts an adjourned match back on the table.
    PutBack,
    /// Time passes, in milliseconds.
    Pass(u64),
    /// The next deadline comes.
    PassToDeadline,
}

/// A client as a spectator of the table knows it.
#[derive(Debug, Default)]
struct Client {
    named: bool,
    /// The number of times that it was given a role.
    roles: u32,
    side: Option<Color>,
    over: bool,
}

/// A table with a spectator, which reads everything that it sends.
struct World<G: NetrefGame> {
    table: Table<G>,
    settings: Settings<G>,
    now: Duration,
    clients: BTreeMap<ConnId, Client>,
    /// The connected clients.
    here: Vec<ConnId>,
    /// Whether the house plays here, and its seats in all matches.
    has_house: bool,
    houses: Vec<ConnId>,
    observers: BTreeSet<ConnId>,
    next: u64,
    /// Plies of the match that is played.
    plies: usize,
    /// Whether a flag has fallen, and may not count.
    is_flag_fallen: bool,
    began: u32,
    finished: u32,
}

impl<G: Spoken> World<G> {
    fn new(settings: Settings<G>, table: Table<G>) -> World<G> {
        World {
            began: u32::from(table.has_match()),
            table,
            settings,
            now: Duration::ZERO,
            clients: BTreeMap::new(),
            here: Vec::new(),
            has_house: false,
            houses: Vec::new(),
            observers: BTreeSet::new(),
            next: 0,
            plies: 0,
            is_flag_fallen: false,
            finished: 0,
        }
    }

    /// A world in which the house plays every client that comes.
    fn with_house(settings: Settings<G>) -> World<G> {
        let mut table = Table::new(settings.clone());
        table.set_house(Name::new(HOUSE).unwrap());
        World {
            has_house: true,
            ..World::new(settings, table)
        }
    }

    /// No client waits for the house, and the house knows when it has to decide.
    fn attend_house(&mut self) {
        if self.table.lacks_house() {
            self.next += 1;
            let conn = ConnId(self.next);
            let house = Client {
                named: true,
                ..Client::default()
            };
            self.clients.insert(conn, house);
            self.houses.push(conn);
            let wall = SystemTime::UNIX_EPOCH;
            let effects = self.table.seat_house(conn, self.now, wall, true);
            self.see(None, effects);
        }
        assert!(!self.table.lacks_house());
        let turn = self.table.house_turn(self.now);
        assert!(turn.is_none() || self.table.has_match());
        let Some(turn) = turn else { return };
        assert_eq!(Some(&turn.conn), self.houses.last());
        assert_eq!(self.clients[&turn.conn].side, Some(turn.color));
        assert_eq!(turn.is_draw_offered, turn.color != self.to_move());
        assert!(G::HAS_DRAWS || !turn.is_draw_offered);
    }

    fn to_move(&self) -> Color {
        Color::ALL[self.plies % 2]
    }

    fn happen(&mut self, event: Event) {
        self.happen_to_clients(event);
        self.attend_house();
    }

    fn happen_to_clients(&mut self, event: Event) {
        match event {
            Event::Open { line, coin } => {
                self.open(&line, coin);
            }
            Event::Request { who, line } if !self.here.is_empty() => {
                self.request(self.here[who % self.here.len()], &line);
            }
            Event::Move { word } => {
                let side = Some(self.to_move());
                let number = self.plies / 2 + 1;
                let ellipses = ["", "... "][self.plies % 2];
                let playing = |conn: &&ConnId| {
                    let client = &self.clients[conn];
                    client.side == side && !client.over
                };
                let mut players = self.here.iter().chain(&self.houses);
                if let Some(&conn) = players.find(playing) {
                    self.request(conn, &format!("{number} {ellipses}{word}"));
                }
            }
            Event::Leave { who, loss } if !self.here.is_empty() => {
                self.leave(self.here[who % self.here.len()], loss);
            }
            Event::Tick => {
                let effects = self.table.tick(self.now);
                self.see(None, effects);
            }
            Event::Void => {
                let was_playing = self.table.has_match();
                let effects = self.table.void("The organizer wants it", None, self.now);
                assert_eq!(was_playing, effects.finished().is_some());
                self.see(None, effects);
                assert!(!self.table.has_match());
            }
            Event::Adjourn => {
                let effects = self.table.tick(self.now);
                self.see(None, effects);
                let live = self.table.live_match();
                if live.is_some_and(|live| live.can_resume() && !live.is_flag_fallen()) {
                    self.began -= 1;
                    self.plies = 0;
                    let adjourned = self.table.adjourn("The organizer wants it", self.now);
                    let (live, effects) = adjourned.unwrap();
                    assert!(live.finished().is_none() && !live.is_on());
                    self.see(None, effects);
                    assert!(self.table.is_empty());
                }
            }
            // Without a timeout it would wait forever.
            Event::PutBack if self.table.is_empty() && self.settings.seat_timeout.is_some() => {
                self.began += 1;
                self.plies = 2;
                let playing = interrupted(&self.settings, self.has_house);
                let effects = self.table.resume_match(Box::new(playing), self.now);
                self.see(None, effects);
            }
            Event::Pass(ms) => self.now += Duration::from_millis(ms),
            Event::PassToDeadline => self.pass_to_deadline(),
            Event::PutBack | Event::Request { .. } | Event::Leave { .. } => {}
        }
    }

    fn open(&mut self, line: &str, coin: bool) -> ConnId {
        self.next += 1;
        let conn = ConnId(self.next);
        let opening = Opening::parse::<G>(line).unwrap();
        let client = Client {
            named: opening.name.is_some(),
            ..Client::default()
        };
        self.clients.insert(conn, client);
        self.here.push(conn);
        let client = netref::Client {
            resumes: opening.resumes::<G>(),
            ..conn.into()
        };
        let effects = self
            .table
            .open(client, opening, self.now, SystemTime::UNIX_EPOCH, coin);
        self.see(Some(conn), effects);
        conn
    }

    fn request(&mut self, conn: ConnId, line: &str) {
        let request = Action::parse::<G>(line);
        let effects = self.table.request(conn, request, self.now);
        self.see(Some(conn), effects);
    }

    fn leave(&mut self, conn: ConnId, loss: Loss) {
        self.here.retain(|&other| other != conn);
        self.observers.remove(&conn);
        let effects = self.table.lose(conn, loss, self.now);
        self.see(None, effects);
    }

    fn pass_to_deadline(&mut self) {
        if let Some(deadline) = self.table.deadline() {
            self.now = self.now.max(deadline);
            let effects = self.table.tick(self.now);
            self.see(None, effects);
            let next = self.table.deadline();
            assert!(next.is_none_or(|next| next > self.now), "it is due again");
        }
    }

    /// Reads the text that a player is sent. No end is sent before it is journaled.
    fn see_text(
        &mut self,
        actor: Option<ConnId>,
        conn: ConnId,
        text: &str,
        to_move: Color,
        is_end_journaled: bool,
    ) {
        let codes = codes::<G>(text);
        let client = self.clients.get_mut(&conn).unwrap();
        assert!(!client.over, "{conn} is closed and told {text}");
        if !client.named && G::FORFEIT_MOVE.is_some() {
            let asked = actor == Some(conn);
            check_library(&codes, asked, client.side, to_move);
        }
        for code in codes {
            client.roles += u32::from((351..=353).contains(&code));
            match code {
                351 => client.side = Some(Color::White),
                352 => client.side = Some(Color::Black),
                204 | 327..=329 | 361 | 362 | 391 | 392 => {
                    assert!(is_end_journaled, "{text} comes before the journal");
                }
                _ => {}
            }
        }
    }

    /// Performs all effects of the table.
    fn see(&mut self, actor: Option<ConnId>, effects: Effects<G::Move>) {
        let to_move = self.to_move();
        let is_over = effects.finished().is_some();
        let mut is_end_journaled = false;
        let is_flag_fallen = self
            .table
            .live_match()
            .is_some_and(LiveMatch::is_flag_fallen);
        let was_flag_fallen = std::mem::replace(&mut self.is_flag_fallen, is_flag_fallen);
        for effect in effects {
            match effect {
                Effect::Begin => self.began += 1,
                Effect::Journal(entry) => match entry {
                    Entry::Start(_) => self.plies = 0,
                    Entry::Move { .. } => self.plies += 1,
                    Entry::DrawOffer | Entry::DrawRefusal => assert!(G::HAS_DRAWS),
                    Entry::Interrupted { .. } => {
                        // It is adjourned, or both players are gone.
                        let live = self.table.live_match();
                        assert!(live.is_none_or(LiveMatch::can_resume));
                    }
                    Entry::Adjourned => assert!(self.table.is_empty()),
                    Entry::Resumed | Entry::Recorded => panic!("no table says that"),
                    Entry::End { .. } => {
                        assert!(is_over || is_flag_fallen);
                        is_end_journaled = true;
                    }
                },
                Effect::Send(conn, text) => {
                    self.see_text(actor, conn, &text, to_move, is_end_journaled)
                }
                Effect::StartClock => self.table.start_clock(self.now),
                Effect::Observers(ToObservers::Admit(conn, first)) => {
                    assert!(self.observers.insert(conn), "{conn} is admitted twice");
                    let told = codes::<G>(&first)
                        .iter()
                        .filter(|&&code| code == 353)
                        .count();
                    self.clients.get_mut(&conn).unwrap().roles += u32::try_from(told).unwrap();
                }
                Effect::Observers(ToObservers::Reject(conn, text)) => {
                    codes::<G>(&text);
                    self.clients.get_mut(&conn).unwrap().over = true;
                }
                Effect::Log(_) => {}
                Effect::Observers(ToObservers::Broadcast(text)) => {
                    let broadcast = codes::<G>(&text);
                    if broadcast.contains(&353) {
                        for conn in &self.observers {
                            self.clients.get_mut(conn).unwrap().roles += 1;
                        }
                    }
                    if broadcast.iter().any(|&code| code != 399) {
                        for conn in &self.observers {
                            let roles = self.clients[conn].roles;
                            assert_eq!(roles, 1, "{conn} is told of a match before its role");
                        }
                    }
                }
                Effect::Finish(finished) => {
                    let FinishedMatch {
                        summary, record, ..
                    } = *finished;
                    let by_play = summary.ending.reason == MatchReason::Play;
                    let is_end_journaled = is_end_journaled || was_flag_fallen;
                    assert_ne!(is_end_journaled, by_play, "each end is journaled");
                    self.finished += 1;
                    assert_eq!(summary.plies, self.plies);
                    assert_eq!(G::plies(&record), self.plies);
                    self.plies = 0;
                }
                Effect::EndOutput(conn) | Effect::Close(conn) => {
                    self.clients.get_mut(&conn).unwrap().over = true;
                }
                Effect::Observers(ToObservers::Close) => {
                    for conn in std::mem::take(&mut self.observers) {
                        self.clients.get_mut(&conn).unwrap().over = true;
                    }
                }
            }
        }
        for client in self.clients.values() {
            assert!(client.roles <= 1, "one role for each: {client:?}");
        }
        // A client has a seat exactly once for each match that began.
        let playing = u32::from(self.table.has_match());
        assert_eq!(self.began, self.finished + playing);
    }

    /// All clients leave, and all deadlines pass.
    fn clear(&mut self) {
        for conn in self.here.clone() {
            self.leave(conn, Loss::Closed);
        }
        // Seats are no longer reserved, the time to return is over, again seats are no longer reserved,
        // and players are no longer waited for.
        for _ in 0..4 {
            self.pass_to_deadline();
        }
        if self.settings.seat_timeout.is_none() {
            // Players whose connections were lost together are waited for without limit.
            self.happen_to_clients(Event::Void);
        }
        assert!(!self.table.has_match());
        assert_eq!(self.table.deadline(), None);
    }
}

/// The codes of a text, which consists of whole lines of printable ASCII.
fn codes<G: Spoken>(text: &str) -> Vec<u16> {
    assert!(text.is_empty() || text.ends_with("\r\n"), "{text:?}");
    let mut board = 0;
    let mut codes = Vec::new();
    for line in text.split_terminator("\r\n") {
        assert!(
            line.bytes().all(|byte| matches!(byte, b' '..=b'~')),
            "{line:?}"
        );
        if board > 0 {
            board -= 1;
            assert!(line.len() <= G::BOARD.1, "{line:?}");
            continue;
        }
        let code = line[..3].parse().unwrap();
        assert_eq!(line.as_bytes()[3], b' ', "{line:?}");
        board = if code == 382 { G::BOARD.0 } else { 0 };
        codes.push(code);
    }
    assert_eq!(board, 0);
    codes
}

/// The client libraries can read these codes at this moment.
fn check_library(codes: &[u16], asked: bool, side: Option<Color>, to_move: Color) {
    let fits = match side {
        // It has no role yet: any line other than its role ends it.
        None => codes.iter().enumerate().all(|(i, code)| match code {
            100 | 101 | 191..=199 => i == 0,
            351 | 352 => true,
            291 | 299 => asked,
            399 => codes.len() == 1 || (asked && matches!(codes, [291 | 299, 399])),
            // Its opponent has not come back.
            201 => codes.len() == 2,
            322 | 324 => i + 1 == codes.len(),
            _ => false,
        }),
        Some(side) => {
            let thinks = side == to_move;
            let after_answer = match codes {
                [291 | 299, rest @ ..] if asked => {
                    // After too many refused requests, it has lost.
                    let has_lost = match rest {
                        [202, 322 | 324] => thinks,
                        [322 | 324] => !thinks,
                        _ => false,
                    };
                    return assert!(rest.is_empty() || has_lost, "{codes:?}");
                }
                // It lost on time when it made its request.
                [200..=204 | 207, rest @ ..] if thinks => rest,
                [399] => &[],
                _ => {
                    assert!(!thinks, "who thinks is answered: {codes:?}");
                    codes
                }
            };
            match after_answer {
                [] => codes == [399],
                [311..=318 | 321..=326] => true,
                [321..=326, 361 | 362] => true,
                [361 | 362] => codes[0] == 202,
                _ => false,
            }
        }
    };
    assert!(fits, "{codes:?} to {side:?}, {to_move:?} to move");
}

fn event<G: Spoken>() -> impl Strategy<Value = Event> {
    let open = (prop::sample::select(G::OPENINGS), any::<bool>()).prop_map(|(line, coin)| {
        let line = line.to_owned();
        Event::Open { line, coin }
    });
    let request = (any::<usize>(), prop::sample::select(G::REQUESTS)).prop_map(|(who, line)| {
        let line = line.to_owned();
        Event::Request { who, line }
    });
    prop_oneof![
        5 => open,
        4 => request,
        8 => G::MOVES.prop_map(|word| Event::Move { word }),
        2 => (any::<usize>(), loss()).prop_map(|(who, loss)| Event::Leave { who, loss }),
        1 => Just(Event::Tick),
        1 => Just(Event::Void),
        1 => Just(Event::Adjourn),
        1 => Just(Event::PutBack),
        3 => (0_u64..4_000).prop_map(Event::Pass),
        1 => Just(Event::PassToDeadline),
    ]
}

fn loss() -> impl Strategy<Value = Loss> {
    let dropped = Loss::Dropped("it does not read".into());
    prop::sample::select(vec![Loss::Closed, Loss::Silent, dropped])
}

/// How long lost connections are waited for.
fn waits() -> impl Strategy<Value = LossWaits> {
    let seconds = || prop_oneof![Just(0), 1_u64..5].prop_map(Duration::from_secs);
    let waits = (seconds(), seconds(), seconds(), seconds());
    waits.prop_map(|(closed, silent, flag, comeback)| LossWaits {
        closed,
        silent,
        flag,
        comeback,
    })
}

fn settings<G: Spoken>() -> impl Strategy<Value = Settings<G>> {
    let times = prop::option::of((1_u64..20, 1_u64..20));
    let timeouts = (
        prop::option::of(1_u64..20),
        prop::option::weighted(0.2, 1_u64..20),
        prop_oneof![Just(0), 1_u64..20],
    );
    let flags = (any::<bool>(), any::<bool>());
    (times, flags, timeouts, waits()).prop_map(|(times, (private, strict), timeouts, waits)| {
        Settings {
            number: 3,
            start: G::default(),
            times: times.map(|(first, second)| ByColor {
                black: Duration::from_secs(first),
                white: Duration::from_secs(second),
            }),
            private,
            strict,
            seat_timeout: timeouts.0.map(Duration::from_secs),
            move_timeout: timeouts.1.map(Duration::from_secs),
            reclaim_time: Duration::from_secs(timeouts.2),
            waits,
        }
    })
}

/// After a pair has come, a match begins.
fn begins_anew<G: Spoken>(world: &mut World<G>) {
    let before = world.began;
    world.open("0.9 player ?", true);
    world.attend_house();
    world.open(G::OPENINGS[0], true);
    assert_eq!(world.began, before + 1);
    world.clear();
}

/// A match of Ann against Cy, or against the house, that was interrupted after two moves.
fn interrupted<G: Spoken>(settings: &Settings<G>, is_of_house: bool) -> LiveMatch<G> {
    LiveMatch::restore(journal(settings, is_of_house)).unwrap()
}

/// The journal of that match.
fn journal<G: Spoken>(settings: &Settings<G>, is_of_house: bool) -> Vec<Entry> {
    let player = netref::Client {
        resumes: true,
        ..ConnId(0).into()
    };
    let house = netref::Client {
        is_house: true,
        ..player.clone()
    };
    let start = Entry::Start(Box::new(StartEntry {
        game: G::NAME.into(),
        id: "20261120-120000-000-3".into(),
        server: 3,
        started_ms: 0,
        names: ByColor {
            black: Some("Ann".into()),
            white: Some(if is_of_house { HOUSE } else { "Cy" }.into()),
        },
        clients: ByColor::new(player.clone(), if is_of_house { house } else { player })
            .map(|client| Some(Box::new(client))),
        times_ms: settings.times.map(|_| ByColor::from_fn(|_| 10_000)),
        rules: settings.start.rules(),
        scheduled: None,
    }));
    let moves = G::BEGINNING.map(|mv| Entry::Move {
        mv: mv.into(),
        spent_ms: 1_000,
        left_ms: settings.times.map(|_| 9_000),
    });
    [start].into_iter().chain(moves).collect()
}

/// A table keeps its invariants in every sequence of events.
fn check<G: Spoken>(settings: Settings<G>, events: Vec<Event>) {
    let mut world = World::new(settings.clone(), Table::new(settings));
    for event in events {
        world.happen(event);
    }
    world.clear();
    begins_anew(&mut world);
}

/// A table at which the house plays keeps them, too.
fn check_with_house<G: Spoken>(mut settings: Settings<G>, events: Vec<Event>) {
    // Otherwise a restored match waits for its player forever.
    settings.seat_timeout.get_or_insert(Duration::from_secs(30));
    let mut world = World::with_house(settings);
    for event in events {
        world.happen(event);
    }
    world.clear();
    begins_anew(&mut world);
}

/// A table with an interrupted match keeps them, too.
fn check_interrupted<G: Spoken>(mut settings: Settings<G>, events: Vec<Event>) {
    settings.seat_timeout.get_or_insert(Duration::from_secs(30));
    let playing = interrupted(&settings, false);
    let table = resumed(settings.clone(), playing, Duration::ZERO);
    let mut world = World::new(settings, table);
    world.plies = 2;
    for event in events {
        world.happen(event);
    }
    world.clear();
    begins_anew(&mut world);
}

/// A client that repeats one request, whatever it is, neither keeps a seat nor a match forever, even
/// if no clock runs. One or two of the requests may be accepted.
fn check_repetition<G: Spoken>(settings: Settings<G>, events: Vec<Event>, line: &str) {
    let mut world = World::new(settings.clone(), Table::new(settings));
    for event in events {
        world.happen(event);
    }
    let is_player = |conn: &ConnId| !world.observers.contains(conn) && !world.clients[conn].over;
    let players: Vec<ConnId> = world.here.iter().copied().filter(is_player).collect();
    for conn in players {
        for _ in 0..MAX_ILLEGAL + 2 {
            if !world.clients[&conn].over {
                world.request(conn, line);
            }
        }
        assert!(world.clients[&conn].over, "{conn} repeats {line}");
    }
    world.clear();
    begins_anew(&mut world);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(200)) })]

    #[test]
    fn a_client_that_repeats_a_request_forever_is_dropped(
        settings in settings::<Gothello>(),
        events in vec(event::<Gothello>(), 0..40),
        line in prop::sample::select(Gothello::REQUESTS),
    ) {
        check_repetition(settings, events, line);
    }

    #[test]
    fn a_client_that_repeats_a_request_of_awari_forever_is_dropped(
        settings in settings::<Awari>(),
        events in vec(event::<Awari>(), 0..40),
        line in prop::sample::select(Awari::REQUESTS),
    ) {
        check_repetition(settings, events, line);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(2_000)) })]

    #[test]
    fn a_table_keeps_its_invariants_in_any_order_of_events(
        settings in settings::<Gothello>(),
        events in vec(event::<Gothello>(), 0..120),
    ) {
        check(settings, events);
    }

    #[test]
    fn a_table_with_an_interrupted_match_keeps_its_invariants(
        settings in settings::<Gothello>(),
        events in vec(event::<Gothello>(), 0..60),
    ) {
        check_interrupted(settings, events);
    }

    #[test]
    fn a_table_of_the_house_keeps_its_invariants(
        settings in settings::<Gothello>(),
        events in vec(event::<Gothello>(), 0..120),
    ) {
        check_with_house(settings, events);
    }

    #[test]
    fn a_table_of_the_house_in_awari_keeps_its_invariants(
        settings in settings::<Awari>(),
        events in vec(event::<Awari>(), 0..120),
    ) {
        check_with_house(settings, events);
    }

    #[test]
    fn a_table_of_awari_keeps_its_invariants(
        settings in settings::<Awari>(),
        events in vec(event::<Awari>(), 0..120),
    ) {
        check(settings, events);
    }

    #[test]
    fn a_table_of_awari_with_an_interrupted_match_keeps_its_invariants(
        settings in settings::<Awari>(),
        events in vec(event::<Awari>(), 0..60),
    ) {
        check_interrupted(settings, events);
    }
}

#[test]
fn the_time_of_a_move_goes_on_after_an_adjournment() {
    let (spent, wait) = (Duration::from_secs(6), Duration::from_secs(100));
    let settings = Settings {
        number: 3,
        start: Gothello::default(),
        times: None,
        private: false,
        strict: false,
        seat_timeout: None,
        move_timeout: Some(Duration::from_secs(10)),
        reclaim_time: Duration::ZERO,
        waits: LossWaits::default(),
    };
    let mut journal = journal(&settings, false);
    journal.push(Entry::Interrupted {
        spent_ms: 6_000,
        left_ms: None,
    });
    let live = LiveMatch::restore(journal).unwrap();
    let table = resumed(settings.clone(), live, Duration::ZERO);
    let mut world = World::new(settings, table);
    world.plies = 2;
    world.now = wait;
    world.open("0.9.2 player black \"Ann\"", true);
    assert_eq!(world.table.deadline(), None, "she waits for Cy");
    world.open("0.9.2 player white \"Cy\"", true);
    let end = wait + Duration::from_secs(10) - spent;
    assert_eq!(world.table.deadline(), Some(end));
    let effects = world.table.tick(end);
    let finished = effects.finished().unwrap();
    assert_eq!(finished.summary.ending.reason, MatchReason::Time);
    assert_eq!(finished.summary.ending.winner, Some(Color::White));
}

/// A player of a team whose client gave this name.
fn of_team(team: &str, name: &str) -> Player {
    let client = netref::Client {
        team: Name::new(team),
        resumes: true,
        ..ConnId(9).into()
    };
    Player {
        name: Name::new(name),
        client: Some(client),
    }
}

#[test]
fn the_client_that_played_has_precedence_over_others_of_its_team_for_a_while() {
    let seconds = Duration::from_secs;
    let settings = |seat_timeout: Option<u64>| Settings {
        number: 3,
        start: Gothello::default(),
        times: None,
        private: false,
        strict: false,
        seat_timeout: seat_timeout.map(seconds),
        move_timeout: None,
        reclaim_time: seconds(10),
        waits: LossWaits::default(),
    };
    for (seat_timeout, reserved) in [(None, 10), (Some(100), 10), (Some(12), 6)] {
        let settings = settings(seat_timeout);
        let mut journal = journal(&settings, false);
        if let Entry::Start(start) = &mut journal[0] {
            let StartEntry { clients, .. } = &mut **start;
            let red = of_team("Red", "Ann").client.map(Box::new);
            *clients = ByColor::new(red.clone(), red);
        }
        let now = seconds(1_000);
        let live = LiveMatch::restore(journal).unwrap();
        let mut table = resumed(settings, live, now);
        let end = now + seconds(reserved);
        assert_eq!(table.deadline(), Some(end), "{seat_timeout:?}");
        let has_seat = |table: &Table<_>, team: &str, name: &str, side, now| {
            let Player { name, client } = of_team(team, name);
            let opening = Opening::new::<Gothello>(Role::of(side), name);
            table.has_seat_for(&Seeker::new(client.unwrap(), opening), now)
        };
        let just_before = end - Duration::from_millis(1);
        for (now, is_reserved) in [(now, true), (just_before, true), (end, false)] {
            table.tick(now);
            assert!(
                has_seat(&table, "Red", "Ann", None, now),
                "{seat_timeout:?} at {now:?}"
            );
            let other = has_seat(&table, "Red", "Bea", Some(Color::Black), now);
            assert_eq!(other, !is_reserved, "{seat_timeout:?} at {now:?}");
            // Two clients of one team play each other: each has its own seat first.
            let other = has_seat(&table, "Red", "Ann", Some(Color::White), now);
            assert_eq!(other, !is_reserved, "{seat_timeout:?} at {now:?}");
            assert!(
                !has_seat(&table, "Blue", "Ann", None, now),
                "{seat_timeout:?} at {now:?}"
            );
        }
        let wait = seat_timeout.map(|time| now + seconds(time));
        assert_eq!(table.deadline(), wait, "{seat_timeout:?}");
    }
}

/// Returns the first text that is sent.
fn answer(effects: Effects<Move>) -> String {
    let sent = effects.into_iter().find_map(|effect| match effect {
        Effect::Send(_, text) => Some(text),
        _ => None,
    });
    sent.unwrap()
}

/// While the referee waits for the disk, the other player is not told of the move: a move that it
/// sends then is out of turn.
#[test]
fn a_move_that_was_sent_before_the_turn_was_told_is_out_of_turn() {
    let mut table = Table::<Gothello>::new(Settings {
        number: 0,
        start: Gothello::default(),
        times: Some(ByColor::from_fn(|_| Duration::from_secs(60))),
        private: false,
        strict: false,
        seat_timeout: None,
        move_timeout: None,
        reclaim_time: Duration::ZERO,
        waits: LossWaits::default(),
    });
    let at = Duration::from_millis;
    let [black, white] = [ConnId(1), ConnId(2)];
    for (conn, line) in [(black, "0.9.1 player black"), (white, "0.9.1 player white")] {
        let opening = Opening::parse::<Gothello>(line).unwrap();
        table.open(conn, opening, at(0), SystemTime::UNIX_EPOCH, false);
    }
    table.start_clock(at(10));
    let mv = |word: &str, ellipses| Action::Move {
        number: Some(MoveNumber {
            number: 1,
            ellipses,
        }),
        mv: word.parse().unwrap(),
    };
    table.request(black, Ok(mv("c3", false)), at(1_010));
    // The journal takes half a second, and White sends a move in the meantime.
    table.start_clock(at(1_510));
    let early = table.request(white, Ok(mv("d3", true)), at(1_200));
    let early = answer(early);
    assert!(early.starts_with("291 "), "{early}");
    let in_time = table.request(white, Ok(mv("d3", true)), at(2_510));
    // Its clock has lost one second, and nothing for the disk.
    let in_time = answer(in_time);
    assert!(in_time.starts_with("207 59 "), "{in_time}");
}
