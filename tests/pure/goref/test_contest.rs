//! A contest with clients, where time passes when the test says so.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gothello::contests::goref::{
    BreakLimits, ClientId, Contest, Delivery, Effects, Entry, FinishedGame, GameId, GameSetup,
    ImmediateEffect, LogEvent, OrderedEffect, OrganizerCommand, Timestamp, TournamentDesk,
    TournamentEffect, Write, read, read_setup, wire::ServerMessage,
};
use gothello::tournament::{Event, LastTournament, Tournament};
use serde_json::Value;

/// Reads a setup from the text of a `game.config.json`.
pub fn setup(text: &str) -> GameSetup {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.config.json");
    std::fs::write(&file, text).unwrap();
    read_setup(&file).unwrap()
}

/// Returns the setup of a board of this size, with so many milliseconds for each player.
pub fn small(side: usize, time: u64) -> GameSetup {
    setup(&format!(
        r#"{{"initialState": {{"board": {side}, "turn": "B", "players":
            {{"B": {{"remainingTime": {time}}}, "W": {{"remainingTime": {time}}}}}}}}}"#
    ))
}

/// A contest, and what came of everything that was done in it.
pub struct TestContest {
    pub contest: Contest,
    now: Duration,
    /// What each client was sent and has not been asked for.
    heard: BTreeMap<ClientId, Vec<String>>,
    /// Who was disconnected, and why.
    pub closed: Vec<(ClientId, &'static str)>,
    /// The clients that were pinged because of their names, and whether the newcomer is on the
    /// same machine.
    pub pinged: Vec<(ClientId, bool)>,
    /// The clients that sent too much, and how long nothing more of them is read.
    pub waits: Vec<(ClientId, Duration)>,
    pub journal: Vec<Entry>,
    pub records: Vec<FinishedGame>,
    pub log: Vec<LogEvent>,
    /// The games that were over with a result.
    pub over: Vec<GameId>,
    notes: Vec<TournamentEffect>,
    next: u64,
}

impl TestContest {
    /// A contest with one table, where the organizer pairs by hand.
    pub fn new(setup: GameSetup) -> TestContest {
        TestContest::of(Contest::new(vec![Arc::new(setup)], false))
    }

    pub fn of(contest: Contest) -> TestContest {
        let mut test = TestContest {
            contest,
            now: Duration::from_secs(1_000),
            heard: BTreeMap::new(),
            closed: Vec::new(),
            pinged: Vec::new(),
            waits: Vec::new(),
            journal: Vec::new(),
            records: Vec::new(),
            log: Vec::new(),
            over: Vec::new(),
            notes: Vec::new(),
            next: 1,
        };
        test.carry_out();
        test
    }

    /// Two clients, `b` and `w`, who play at table 1 from now on.
    pub fn playing(setup: GameSetup) -> (TestContest, ClientId, ClientId) {
        let mut test = TestContest::new(setup);
        let black = test.client("b");
        let white = test.client("w");
        test.seat(1, black, white);
        test.act(OrganizerCommand::Start(1)).unwrap();
        test.heard.clear();
        (test, black, white)
    }

    /// Allows a player so many breaks of so many milliseconds in all.
    pub fn limit_breaks(&mut self, number: u32, time: u64) {
        let time = Duration::from_millis(time);
        self.contest.set_break_limits(BreakLimits { number, time });
    }

    pub fn moment(&self) -> Timestamp {
        Timestamp {
            clock: self.now,
            date: SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000) + self.now,
        }
    }

    fn carry_out(&mut self) {
        let Effects { immediate, ordered } = self.contest.take_effects();
        for effect in immediate {
            match effect {
                ImmediateEffect::AskName(client) => self.hear(client, &ServerMessage::Name),
                ImmediateEffect::Ping(ping) => self.pinged.push((ping.client, ping.same_machine)),
                ImmediateEffect::Wait(client, time) => self.waits.push((client, time)),
                // Only its transcript needs to know.
                ImmediateEffect::Joined(..) => {}
                ImmediateEffect::Log(event) => self.log.push(event),
            }
        }
        for effect in ordered {
            match effect {
                OrderedEffect::Write(Write::Journal(entry)) => self.journal.push(entry),
                OrderedEffect::Write(Write::Record(finished)) => self.records.push(*finished),
                OrderedEffect::Write(Write::Tournament(note)) => self.notes.push(note),
                // Its task asks the disk.
                OrderedEffect::Write(Write::Ruling(_)) => unreachable!(),
                OrderedEffect::Deliver(Delivery::Send(client, message)) => {
                    self.hear(client, &message);
                }
                OrderedEffect::Deliver(
                    Delivery::Close(client, why) | Delivery::Reject(client, why),
                ) => {
                    self.closed.push((client, why));
                }
                OrderedEffect::Deliver(Delivery::StartClock { table, game, moves }) => {
                    self.contest.start_clock(table, game, moves, self.now)
                }
                OrderedEffect::Deliver(Delivery::Log(event)) => self.log.push(event),
                OrderedEffect::Deliver(Delivery::Over(game)) => self.over.push(game),
            }
        }
    }

    fn hear(&mut self, client: ClientId, message: &ServerMessage) {
        let text = serde_json::to_string(message).unwrap();
        self.heard.entry(client).or_default().push(text);
    }

    /// Lets milliseconds pass; flags fall at their time.
    pub fn wait(&mut self, millis: u64) {
        let until = self.now + Duration::from_millis(millis);
        while let Some(flag) = self.contest.next_deadline().filter(|&flag| flag <= until) {
            self.now = flag;
            self.contest.tick(self.moment());
            self.carry_out();
        }
        self.now = until;
    }

    /// The disk can be written again.
    pub fn heal_disk(&mut self) {
        self.contest.disk_healed(self.moment());
        self.carry_out();
    }

    /// The server is stalled for so many seconds.
    pub fn stall(&mut self, seconds: u64) {
        let now = self.moment();
        let stall = Duration::from_secs(seconds);
        self.contest.note_stall(stall, now);
        self.carry_out();
    }

    /// Somebody connects, without a name yet.
    pub fn connect(&mut self) -> ClientId {
        let client = ClientId(self.next);
        self.next += 1;
        let now = self.moment();
        self.contest
            .connect(client, IpAddr::V4(Ipv4Addr::LOCALHOST), now);
        self.carry_out();
        client
    }

    /// Somebody connects from another machine and says a name.
    pub fn client_from_afar(&mut self, name: &str) -> ClientId {
        let client = ClientId(self.next);
        self.next += 1;
        let now = self.moment();
        self.contest
            .connect(client, IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7)), now);
        self.send(client, &format!(r#"{{"type":"NAME","name":"{name}"}}"#));
        client
    }

    /// A client is found dead that was last heard of so many milliseconds ago.
    pub fn found_dead(&mut self, client: ClientId, ago: u64) {
        let now = self.moment();
        let heard = now.clock - Duration::from_millis(ago);
        let why = "it did not answer a ping";
        self.contest.disconnect_silent(client, why, heard, now);
        self.carry_out();
    }

    /// Somebody connects and says a name.
    pub fn client(&mut self, name: &str) -> ClientId {
        let client = self.connect();
        self.send(client, &format!(r#"{{"type":"NAME","name":"{name}"}}"#));
        client
    }

    pub fn send(&mut self, client: ClientId, text: &str) {
        let frame = read(text);
        let now = self.moment();
        self.contest.hear(client, text);
        self.contest.receive(client, frame, now);
        self.carry_out();
    }

    /// Places a stone.
    pub fn place(&mut self, client: ClientId, row: i32, column: i32) {
        self.send(
            client,
            &format!(
                r#"{{"type":"MOVE","move":{{"type":"place","point":{{"row":{row},"column":{column}}}}}}}"#
            ),
        );
    }

    pub fn pass(&mut self, client: ClientId) {
        self.send(client, r#"{"type":"MOVE","move":{"type":"pass"}}"#);
    }

    pub fn resign(&mut self, client: ClientId) {
        self.send(client, r#"{"type":"MOVE","move":{"type":"resign"}}"#);
    }

    pub fn leave(&mut self, client: ClientId) {
        let now = self.moment();
        self.contest.disconnect(client, "it closed", now);
        self.carry_out();
    }

    pub fn act(&mut self, command: OrganizerCommand) -> Result<String, String> {
        let now = self.moment();
        let answer = self.contest.run_command(&command, now);
        self.carry_out();
        answer.map_err(|why| why.to_string())
    }

    pub fn seat(&mut self, table: u16, black: ClientId, white: ClientId) {
        use gothello::go::Color;
        for (color, client) in [(Color::Black, black), (Color::White, white)] {
            let client = Some(client);
            self.act(OrganizerCommand::Assign(table, color, client))
                .unwrap();
        }
    }

    /// What a client has heard since it was last asked for.
    pub fn heard(&mut self, client: ClientId) -> Vec<String> {
        self.heard.remove(&client).unwrap_or_default()
    }

    /// The same, read.
    pub fn messages(&mut self, client: ClientId) -> Vec<Value> {
        let heard = self.heard(client).into_iter();
        heard
            .map(|text| serde_json::from_str(&text).unwrap())
            .collect()
    }

    /// The only message that a client has heard since.
    pub fn message(&mut self, client: ClientId) -> Value {
        let mut messages = self.messages(client);
        assert_eq!(messages.len(), 1, "{messages:#?}");
        messages.remove(0)
    }

    /// The types of what a client has heard since.
    pub fn types(&mut self, client: ClientId) -> Vec<String> {
        let messages = self.messages(client).into_iter();
        messages
            .map(|message| message["type"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Takes what has been logged since this was last called.
    pub fn take_log(&mut self) -> Vec<String> {
        let log = std::mem::take(&mut self.log);
        log.iter().map(ToString::to_string).collect()
    }

    /// How the tournament began, and what its results file has after that, in
    /// order.
    pub fn notes(&self) -> (TournamentEffect, Vec<Event>) {
        let mut results = self.records.iter().filter_map(|record| record.event());
        let mut events = Vec::new();
        for note in self.notes.iter().skip(1) {
            let TournamentEffect::Event(event) = note else {
                panic!("{note:?}");
            };
            events.push(event.clone());
        }
        // All rounds of a round robin are paired before its first game.
        events.extend(results.by_ref());
        (self.notes[0].clone(), events)
    }

    /// The tournament that its results file has.
    pub fn tournament(&self) -> Tournament {
        let (begin, events) = self.notes();
        tournament_of(begin, &events)
    }

    /// The contest as it is after a crash and a new start, where everything sent is
    /// on the disk.
    pub fn after_a_crash(self, setup: GameSetup) -> TestContest {
        self.after_a_crash_with(setup, TournamentDesk::default())
    }

    /// The same, with the tournament that the results file has.
    pub fn after_a_crash_with(self, setup: GameSetup, desk: TournamentDesk) -> TestContest {
        let mut contest = Contest::new(vec![Arc::new(setup)], false);
        contest.set_desk(desk);
        let next = GameId(1);
        contest
            .restore(self.journal.clone(), next, self.moment())
            .unwrap();
        let mut test = TestContest::of(contest);
        test.next = self.next;
        test
    }
}

/// A tournament that began so, after these events.
pub fn tournament_of(begin: TournamentEffect, events: &[Event]) -> Tournament {
    let TournamentEffect::Begin { settings, entrants } = begin else {
        panic!("{begin:?}");
    };
    let mut tournament = Tournament::new(settings, &entrants).unwrap();
    for event in events {
        tournament.apply(event).unwrap();
    }
    tournament
}

/// The first tournament of a folder.
pub fn last(tournament: Tournament) -> LastTournament {
    LastTournament {
        number: 1,
        began: None,
        tournament: Some(tournament),
    }
}
