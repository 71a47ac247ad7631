//! A referee with its tables, lobby, and journal, without a socket, a clock, or a disk.

use std::collections::BTreeMap;
use std::mem;
use std::time::{Duration, SystemTime};

use gothello::contests::netref::{
    self, Action, ConnId, ConnIds, Delivery, Entrance, Gothello, Kept, LogEvent, LossWaits,
    MatchEntry, MatchReason, MatchToRecord, Matches, Name, Opening, OrderedEffect, Referee,
    RefereeCommand, RefereeSettings, Settings, Table, Timestamp, TournamentDesk, TournamentEffect,
    Write, replay,
};
use gothello::tournament::{LastTournament, StopAfter, Tournament};
use gothello::{ByColor, Color};
use proptest::prelude::*;

/// The time on each clock, and the time that a player waits for another.
pub const TIME: Duration = Duration::from_secs(60);

/// The text for clients when no more matches begin.
const NO_MORE: &str = "399 No more matches are played here\r\n";

/// How the disk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disk {
    Works,
    /// It writes nothing for now.
    Hangs,
    /// The next entry of the journal fails, and so does everything after it.
    Fails,
}

/// A referee, and everything that came of it.
pub struct World {
    pub referee: Referee<Gothello>,
    pub now: Duration,
    pub disk: Disk,
    /// The effects that wait for the disk.
    waiting: Vec<OrderedEffect<Matches>>,
    pub journal: Vec<MatchEntry>,
    /// The tournament on the disk.
    last: LastTournament,
    recorded: Vec<MatchToRecord>,
    /// What each client was sent and has not been looked at.
    sent: BTreeMap<ConnId, String>,
    closed: Vec<ConnId>,
    pub log: Vec<String>,
}

fn settings(number: u16) -> Settings<Gothello> {
    Settings {
        number,
        start: Gothello::default(),
        times: Some(ByColor::from_fn(|_| TIME)),
        private: false,
        strict: false,
        seat_timeout: Some(TIME),
        move_timeout: None,
        reclaim_time: Duration::ZERO,
        waits: LossWaits::default(),
    }
}

/// The settings of a referee with a journal and records.
pub fn with_journal() -> RefereeSettings {
    RefereeSettings {
        stop_after: None,
        lobby_timeout: Some(TIME),
        is_kept: true,
        house_plays_lobby: false,
        teams: Vec::new(),
        conns: ConnIds::new(SystemTime::UNIX_EPOCH),
        seed: 1,
    }
}

impl World {
    fn new(tables: u16) -> World {
        World::with(tables, with_journal())
    }

    fn with(tables: u16, referee: RefereeSettings) -> World {
        World::of(tables, referee, None)
    }

    /// A referee that holds tournaments at this desk.
    pub fn of(tables: u16, referee: RefereeSettings, desk: Option<TournamentDesk>) -> World {
        let tables = (0..tables).map(settings).collect();
        World::at_tables(tables, referee, desk)
    }

    /// A referee whose flags count only when a player is heard, or after this time.
    pub fn with_flag_wait(
        tables: u16,
        flag: Duration,
        (referee, desk): (RefereeSettings, Option<TournamentDesk>),
    ) -> World {
        let waits = LossWaits {
            flag,
            ..LossWaits::default()
        };
        let tables = (0..tables).map(|number| Settings {
            waits,
            ..settings(number)
        });
        World::at_tables(tables.collect(), referee, desk)
    }

    fn at_tables(
        tables: Vec<Settings<Gothello>>,
        referee: RefereeSettings,
        desk: Option<TournamentDesk>,
    ) -> World {
        let tables = tables.into_iter().map(Table::new);
        World {
            referee: Referee::new(tables.collect(), desk, referee),
            last: LastTournament::default(),
            now: Duration::from_secs(1_000),
            disk: Disk::Works,
            waiting: Vec::new(),
            journal: Vec::new(),
            recorded: Vec::new(),
            sent: BTreeMap::new(),
            closed: Vec::new(),
            log: Vec::new(),
        }
    }

    /// The same tables after a crash.
    pub fn restarted(&self, tables: u16) -> World {
        self.restarted_as(World::new(tables))
    }

    /// Another referee after a crash of this one.
    pub fn restarted_as(&self, mut again: World) -> World {
        again.journal.clone_from(&self.journal);
        again.now = self.now;
        let matches = replay(self.journal.clone()).unwrap();
        again.referee.restore(matches, true, again.at());
        again.perform();
        again
    }

    pub fn at(&self) -> Timestamp {
        Timestamp {
            clock: self.now,
            date: SystemTime::UNIX_EPOCH + self.now,
        }
    }

    /// A client comes through a port.
    pub fn comes(&mut self, conn: u64, line: &str, entrance: Entrance) {
        self.comes_as(conn, line, entrance, None);
    }

    pub fn comes_as(&mut self, conn: u64, line: &str, entrance: Entrance, team: Option<&str>) {
        let client = netref::Client {
            team: team.and_then(Name::new),
            ..ConnId(conn).into()
        };
        self.opens(client, line, entrance);
    }

    /// A client sends its first request.
    fn opens(&mut self, client: netref::Client, line: &str, entrance: Entrance) {
        let opening = Opening::parse::<Gothello>(line).unwrap();
        let client = netref::Client {
            resumes: opening.resumes::<Gothello>(),
            ..client
        };
        let now = self.at();
        self.referee.open(client, opening, entrance, now);
        self.perform();
    }

    /// Ann and Bob play at a table; they are the clients with these numbers.
    fn pair(&mut self, table: usize, [black, white]: [u64; 2]) {
        // The time of its start names a match.
        self.now += Duration::from_millis(1);
        let entrance = Entrance::Table(table);
        self.comes(black, "0.9.2 player black \"Ann\"", entrance);
        self.comes(white, "0.9.2 player white \"Bob\"", entrance);
    }

    pub fn says(&mut self, conn: u64, line: &str) {
        let action = Action::parse::<Gothello>(line);
        let now = self.at();
        self.referee.hear(ConnId(conn), line);
        self.referee.request(ConnId(conn), action, now);
        self.perform();
    }

    /// A client closes its connection.
    pub fn leaves(&mut self, conn: u64) {
        let now = self.at();
        self.referee.lose(ConnId(conn), netref::Loss::Closed, now);
        self.perform();
    }

    /// The organizer gives a command. Returns the answer.
    pub fn command(&mut self, line: &str) -> Result<String, String> {
        self.runs(line.parse().unwrap())
    }

    pub fn runs(&mut self, command: RefereeCommand) -> Result<String, String> {
        let now = self.at();
        let answer = self.referee.run_command(command, &[29_068, 29_069], now);
        self.perform();
        answer.map_err(|why| why.to_string())
    }

    pub fn passes(&mut self, time: Duration) {
        self.now += time;
        let now = self.at();
        self.referee.tick(now);
        self.perform();
    }

    /// What a client was sent since the last look.
    pub fn told(&mut self, conn: u64) -> String {
        self.sent.remove(&ConnId(conn)).unwrap_or_default()
    }

    /// The disk works again.
    pub fn heals(&mut self) {
        self.disk = Disk::Works;
        let now = self.at();
        self.referee.disk_healed(now);
        self.perform();
    }

    /// Performs the effects of the referee as its task does.
    fn perform(&mut self) {
        loop {
            let output = self.referee.take_output();
            for delivery in output.immediate {
                self.deliver(delivery);
            }
            self.waiting.extend(output.ordered);
            let is_write =
                |effect: &OrderedEffect<Matches>| matches!(effect, OrderedEffect::Write(_));
            match self.disk {
                Disk::Hangs if self.waiting.iter().any(is_write) => return,
                _ if self.waiting.is_empty() => return,
                _ => {}
            }
            for effect in mem::take(&mut self.waiting) {
                match effect {
                    OrderedEffect::Write(Write::Journal(entry)) => {
                        if self.disk == Disk::Fails {
                            let (entries, now) = (self.journal.clone(), self.at());
                            self.referee.take_output();
                            let last = self.last.clone();
                            self.referee.disk_failed("it is full", entries, last, now);
                            break;
                        }
                        self.journal.push(entry);
                    }
                    OrderedEffect::Write(Write::Record(finished)) => {
                        let (id, now) = (finished.summary.id.clone(), self.at());
                        self.journal.push(MatchEntry {
                            id: id.clone(),
                            entry: netref::Entry::Recorded,
                        });
                        if let (Some(event), Some(last)) =
                            (Matches::event(&finished), &mut self.last.tournament)
                        {
                            last.apply(&event).unwrap();
                        }
                        self.recorded.push(*finished);
                        self.referee.note_recorded(&[id], now);
                    }
                    OrderedEffect::Write(Write::Tournament(effect)) => self.write_line(effect),
                    // Its task asks the disk.
                    OrderedEffect::Write(Write::Ruling(_)) => unreachable!(),
                    OrderedEffect::Deliver(delivery) => self.deliver(delivery),
                }
            }
        }
    }

    /// Writes a line of the results file.
    fn write_line(&mut self, effect: TournamentEffect) {
        match effect {
            TournamentEffect::Begin { settings, entrants } => {
                self.last = LastTournament {
                    number: self.last.number + 1,
                    began: Some(self.at().date),
                    tournament: Some(Tournament::new(settings, &entrants).unwrap()),
                };
            }
            TournamentEffect::Event(event) => {
                _ = self
                    .last
                    .tournament
                    .as_mut()
                    .unwrap()
                    .apply(&event)
                    .unwrap();
            }
        }
    }

    fn deliver(&mut self, delivery: Delivery) {
        match delivery {
            Delivery::Send(conn, text) => {
                assert!(!self.closed.contains(&conn), "{conn} is closed: {text}");
                self.sent.entry(conn).or_default().push_str(&text);
            }
            Delivery::EndOutput(_) => {}
            Delivery::Close(conn) => self.closed.push(conn),
            Delivery::StartClock {
                table,
                started,
                moves,
            } => {
                self.referee.start_clock(table, started, moves, self.now);
            }
            Delivery::Log(_, event) if event.is_unlisted() => {}
            Delivery::Log(_, event) => self.log.push(event.to_string()),
            Delivery::Over { id, counts, .. } => {
                if counts {
                    self.referee.count_end(&id);
                }
            }
            Delivery::Observers(..) => {}
        }
    }

    /// The last lines of the loser in the last result.
    fn exchange(&self) -> Vec<String> {
        let last = self.recorded.last().unwrap();
        last.report.result.exchange.clone()
    }

    /// The results of all matches, a sentence each.
    pub fn results(&self) -> Vec<&str> {
        let recorded = self.recorded.iter();
        recorded.map(|found| &*found.report.result.result).collect()
    }

    pub fn reasons(&self) -> Vec<MatchReason> {
        let recorded = self.recorded.iter();
        recorded.map(|found| found.summary.ending.reason).collect()
    }
}

#[test]
fn the_result_of_a_fault_has_the_last_lines_of_the_loser() {
    let mut world = World::new(1);
    world.pair(0, [1, 2]);
    world.says(1, "1 c3");
    for _ in 0..netref::MAX_MALFORMED {
        world.says(2, &"what? ".repeat(100));
    }
    assert_eq!(world.reasons(), [MatchReason::Protocol]);
    let lines = world.exchange();
    assert_eq!(lines.len(), 6);
    let (sent, answered) = (&lines[4], &lines[5]);
    assert!(sent.starts_with("> what? what? ") && sent.ends_with('…'));
    assert_eq!(sent.chars().count(), 203);
    assert!(
        answered.starts_with("< 299 Request not understood"),
        "{answered}"
    );
    // The next match at the table has its own.
    world.pair(0, [3, 4]);
    world.says(3, "1 c3");
    world.passes(2 * TIME);
    let told = ["< 351 ", "< 313 1 c3"];
    let lines = world.exchange();
    for (line, told) in lines[lines.len() - 2..].iter().zip(told) {
        assert!(line.starts_with(told), "{lines:?}");
    }
    assert!(!lines.iter().any(|line| line.contains("what?")));
    // A connection that is lost.
    world.pair(0, [5, 6]);
    world.says(5, "1 c3");
    world.says(6, "1 ... c4");
    world.leaves(5);
    assert_eq!(world.reasons()[2..], [MatchReason::Disconnection]);
    assert!(world.exchange().contains(&"> 1 c3".to_owned()));
    // One that resigns has made no fault.
    world.pair(0, [7, 8]);
    world.says(7, "resign");
    assert_eq!(world.exchange(), [""; 0]);
}

#[test]
fn the_last_lines_of_a_loser_survive_a_crash_before_the_result_is_written() {
    let mut world = World::new(1);
    world.pair(0, [1, 2]);
    world.says(1, "1 c3");
    world.passes(2 * TIME);
    assert!(!world.exchange().is_empty());
    let is_record = |entry: &MatchEntry| entry.entry == netref::Entry::Recorded;
    world.journal.retain(|entry| !is_record(entry));
    assert_eq!(world.restarted(1).exchange(), world.exchange());
}

#[test]
fn a_command_after_a_flag_fell_is_refused_because_the_match_is_over() {
    for command in ["void 0", "adjourn 0"] {
        let mut world = World::new(1);
        world.pair(0, [1, 2]);
        world.now += 2 * TIME;
        let why = world.command(command).unwrap_err();
        assert!(
            why.ends_with("is over: White wins: Black ran out of time"),
            "{why}"
        );
        assert_eq!(world.reasons(), [MatchReason::Time]);
        for player in [1, 2] {
            let told = world.told(player);
            assert!(told.contains("\r\n362 "), "{told}");
        }
    }
}

/// A referee at whose table White's flag has fallen, after a move of Black.
fn flag_has_fallen() -> World {
    let mut world = World::with_flag_wait(1, TIME, (with_journal(), None));
    world.pair(0, [1, 2]);
    world.says(1, "1 c3");
    world.passes(TIME);
    assert!(world.told(2).contains("\r\n361 "));
    assert_eq!(world.reasons(), []);
    world
}

#[test]
fn until_it_is_certain_that_a_flag_counts_the_match_is_not_over() {
    let mut world = flag_has_fallen();
    let list = world.command("list").unwrap();
    assert!(list.ends_with("1 move, a flag has fallen"), "{list}");
    let why = world.command("adjourn 0").unwrap_err();
    assert!(why.contains("a flag has fallen"), "{why}");
    let exchange = {
        let mut crashed = world.restarted(1);
        crashed.passes(Duration::ZERO);
        assert_eq!(crashed.reasons(), [MatchReason::Time]);
        crashed.exchange()
    };
    world.leaves(1);
    assert_eq!(world.reasons(), [MatchReason::Time]);
    assert_eq!(world.closed, [ConnId(1), ConnId(2)]);
    assert!(exchange.last().unwrap().starts_with("< 313 1 c3"));
    assert_eq!(world.exchange(), exchange, "what came after it is left out");
    // The organizer may void it.
    let mut world = flag_has_fallen();
    world.command("void 0").unwrap();
    assert_eq!(world.reasons(), [MatchReason::Void]);
}

#[test]
fn a_flag_that_has_fallen_counts_if_the_referee_stops_or_the_disk_fails() {
    let mut world = flag_has_fallen();
    let now = world.at();
    world.referee.stop("The referee stops", now);
    world.perform();
    assert_eq!(world.reasons(), [MatchReason::Time]);

    let mut world = flag_has_fallen();
    let (entries, now) = (world.journal.clone(), world.at());
    let last = world.last.clone();
    world.referee.disk_failed("it is full", entries, last, now);
    world.perform();
    assert_eq!(world.reasons(), [MatchReason::Time]);
}

#[test]
fn clients_that_are_told_of_fallen_flags_are_not_lost_together() {
    let mut world = World::with_flag_wait(2, TIME, (with_journal(), None));
    world.pair(0, [1, 2]);
    world.pair(1, [3, 4]);
    world.passes(TIME);
    [1, 3, 2, 4].into_iter().for_each(|conn| world.leaves(conn));
    assert_eq!(world.reasons(), [MatchReason::Time; 2]);
    let lost = world.log.iter().find(|line| line.contains("lost"));
    assert_eq!(lost, None);
}

#[test]
fn a_match_can_be_voided_or_adjourned_before_a_flag_falls() {
    for (command, ending, reasons) in [
        ("void 0", "is void", &[MatchReason::Void][..]),
        ("adjourn 0", "is adjourned", &[]),
    ] {
        let mut world = World::new(1);
        world.pair(0, [1, 2]);
        world.now += TIME / 2;
        let answer = world.command(command).unwrap();
        assert!(answer.ends_with(ending), "{answer}");
        assert_eq!(world.reasons(), reasons, "{ending}");
        assert!(world.told(1).contains("\r\n399 The organizer"));
        assert_eq!(world.closed, [ConnId(1), ConnId(2)]);
    }
}

#[test]
fn a_resumed_match_goes_on_with_the_time_that_was_left() {
    let mut world = World::new(1);
    world.pair(0, [1, 2]);
    world.now += TIME / 2;
    let adjourned = world.command("adjourn 0").unwrap();
    let id = adjourned.split(' ').nth(1).unwrap().to_owned();
    // It survives a crash, and its table is free.
    let mut world = world.restarted(1);
    let list = world.command("list").unwrap();
    let expected = format!(
        "table 0, port 29068: nobody\n\
         adjourned: match {id}, black (\"Ann\") against white (\"Bob\"), 0 moves"
    );
    assert_eq!(list, expected);
    world.command(&format!("resume {id}")).unwrap();
    world.comes(3, "0.9.2 player black \"Ann\"", Entrance::Table(0));
    let granted = world.told(3);
    assert!(granted.starts_with("101 30 60 "), "{granted}");
}

#[test]
fn every_command_first_ends_a_wait_that_is_over() {
    for (command, answer) in [
        ("void 0", Err("table 0: no match is played there")),
        ("adjourn 0", Err("table 0: no match is played there")),
        ("list", Ok("table 0, port 29068: nobody")),
    ] {
        let mut world = World::new(1);
        world.comes(1, "0.9.2 player black \"Ann\"", Entrance::Table(0));
        world.now += 2 * TIME;
        let given = world.command(command);
        let given = given.as_deref().map_err(String::as_str);
        assert_eq!(given, answer);
        let told = world.told(1);
        assert!(told.contains("399 Nobody came to play"), "{told}");
    }
}

#[test]
fn commands_that_are_impossible_are_refused_with_a_reason() {
    let mut world = World::new(2);
    for (command, why) in [
        ("void 0", "table 0: no match is played there"),
        ("adjourn 1", "table 1: no match is played there"),
        ("void 2", "there is no table 2: the tables are 0, 1"),
        ("resume x", "no match \"x\" is adjourned"),
    ] {
        let told = world.command(command).unwrap_err();
        assert_eq!(told, why);
    }
    let told = "void".parse::<RefereeCommand>().unwrap_err().to_string();
    assert!(told.contains("as in void 2"), "{told}");
    world.comes(1, "0.9.1 player black", Entrance::Table(0));
    world.comes(2, "0.9.1 player white", Entrance::Table(0));
    let told = world.command("adjourn 0").unwrap_err();
    assert!(told.contains("a player cannot resume a match"), "{told}");
    let list = world.command("list").unwrap();
    assert!(list.starts_with("table 0, port "), "{list}");
    assert!(list.ends_with(": nobody"), "{list}");
    let unjournaled = RefereeSettings {
        is_kept: false,
        ..with_journal()
    };
    let mut world = World::with(1, unjournaled);
    world.pair(0, [1, 2]);
    let told = world.command("adjourn 0").unwrap_err();
    assert!(told.contains("--state"), "{told}");
}

#[test]
fn who_waits_is_told_when_the_last_match_has_begun_elsewhere() {
    let last = RefereeSettings {
        stop_after: Some(StopAfter::Games(1)),
        ..with_journal()
    };
    let mut world = World::with(2, last);
    world.comes(3, "0.9.1 player black", Entrance::Table(1));
    world.told(3);
    world.pair(0, [1, 2]);
    assert_eq!(world.told(3), NO_MORE);
    world.comes(4, "0.9.1 player black", Entrance::Table(1));
    assert_eq!(world.told(4), NO_MORE);
    assert_eq!(world.closed, [ConnId(3), ConnId(4)]);
    // If it is adjourned, another one may be played.
    world.command("adjourn 0").unwrap();
    world.comes(5, "0.9.1 player black", Entrance::Table(1));
    assert!(world.told(5).starts_with("101 "));
    world.comes(6, "0.9.1 player white", Entrance::Table(1));
    world.says(5, "resign");
    let why = world.referee.stop_reason();
    assert_eq!(why, Some("The referee stops: match 1 of 1 is over"));
}

#[test]
fn games_of_all_tables_count_together() {
    let last = RefereeSettings {
        stop_after: Some(StopAfter::Games(2)),
        ..with_journal()
    };
    let mut world = World::with(2, last);
    world.pair(0, [1, 2]);
    world.pair(1, [3, 4]);
    world.says(1, "resign");
    assert_eq!(world.referee.stop_reason(), None);
    world.says(3, "resign");
    let why = world.referee.stop_reason();
    assert_eq!(why, Some("The referee stops: match 2 of 2 is over"));
}

#[test]
fn a_client_that_waits_for_a_side_that_nobody_plays_is_a_warning() {
    let patient = RefereeSettings {
        lobby_timeout: None,
        ..with_journal()
    };
    let mut world = World::with(1, patient);
    let port = Entrance::Team(10);
    let waits = |world: &World, seconds| {
        let now = world.now + Duration::from_secs(seconds);
        world.referee.vain_waits(now)
    };
    world.comes_as(1, "0.9.1 player black", port, Some("Red"));
    world.passes(Duration::from_secs(50));
    // Nobody else is there.
    assert_eq!(waits(&world, 90), [""; 0]);
    world.comes_as(2, "0.9.1 player black", port, Some("Blue"));
    assert_eq!(waits(&world, 69), [""; 0]);
    let told = |name| {
        format!("{name} has waited as Black for more than 2 minutes, and nobody there plays White")
    };
    assert_eq!(waits(&world, 70), [told("Red")]);
    assert_eq!(waits(&world, 120), [told("Red"), told("Blue")]);
    // The match of two is at the only table; the third one could play the fourth.
    world.comes_as(3, "0.9.1 player white", port, Some("Green"));
    world.comes_as(4, "0.9.1 player ?", port, Some("Brown"));
    assert_eq!(world.referee.lobby().count(), 2);
    assert_eq!(waits(&world, 500), [""; 0]);
}

#[test]
fn clients_of_two_teams_meet_at_the_first_free_table() {
    let mut world = World::new(2);
    world.pair(0, [1, 2]);
    let door = Entrance::Team(10);
    world.comes_as(3, "0.9.1 player ?", door, Some("Red"));
    world.comes_as(4, "0.9.1 player black", door, Some("Red"));
    // Nothing is said before they have an opponent, but their requests are refused.
    assert_eq!(world.told(3), "");
    world.says(3, "1 c3");
    assert_eq!(
        world.told(3),
        "291 Illegal request: the match has not begun\r\n"
    );
    world.comes_as(5, "0.9.1 player white", door, Some("Blue"));
    // The first of the others that may have Black.
    let told = world.told(3);
    assert!(told.starts_with("101 60 60 "), "{told}");
    assert!(told.ends_with("352 You will play black\r\n"), "{told}");
    assert!(world.told(5).ends_with("351 You will play white\r\n"));
    let list = world.command("list").unwrap();
    assert!(list.ends_with("#0-4 \"Red\" waits to play black"), "{list}");
    // And who waits too long is told so.
    world.passes(TIME);
    assert_eq!(world.told(4), "399 Nobody came to play; ask again\r\n");
    assert!(world.closed.contains(&ConnId(4)));
}

#[test]
fn two_clients_of_one_team_wait_for_another_team() {
    let mut world = World::new(2);
    let door = Entrance::Team(11);
    world.comes_as(1, "0.9.1 player black", door, Some("Blue"));
    world.comes_as(2, "0.9.1 player white", door, Some("Blue"));
    assert_eq!([world.told(1), world.told(2)], ["", ""]);
    world.comes_as(3, "0.9.1 player ?", Entrance::Team(10), Some("Red"));
    world.comes_as(4, "0.9.1 player ?", Entrance::Team(13), Some("Green"));
    for (conn, role) in [(1, "352 "), (3, "351 "), (2, "351 "), (4, "352 ")] {
        assert!(world.told(conn).contains(&format!("\r\n{role}")), "{conn}");
    }
}

#[test]
fn a_client_without_a_free_table_is_seated_when_a_match_is_over() {
    let mut world = World::new(1);
    world.pair(0, [1, 2]);
    world.comes_as(3, "0.9.1 player white", Entrance::Team(10), Some("Red"));
    world.comes_as(4, "0.9.1 player black", Entrance::Team(13), Some("Green"));
    assert_eq!([world.told(3), world.told(4)], ["", ""]);
    world.says(1, "resign");
    assert!(world.told(3).ends_with("351 You will play white\r\n"));
    assert!(world.told(4).ends_with("352 You will play black\r\n"));
}

#[test]
fn the_first_tables_are_taken_first() {
    let mut world = World::new(3);
    let door = Entrance::Team(10);
    let pairs = [["Red", "Blue"], ["Green", "Red"], ["Blue", "Green"]];
    for (table, teams) in pairs.into_iter().enumerate() {
        for (conn, (team, side)) in (1..).zip(teams.into_iter().zip(["black", "white"])) {
            let opening = format!("0.9.1 player {side}");
            world.comes_as(10 * table as u64 + conn, &opening, door, Some(team));
        }
        let table = world.referee.table(table).unwrap();
        let teams = teams.map(|team| Name::new(team).unwrap());
        assert_eq!(table.teams(), teams.each_ref().map(Some));
    }
}

#[test]
fn a_client_that_leaves_the_lobby_is_not_seated() {
    let mut world = World::new(1);
    let door = Entrance::Team(10);
    world.comes_as(1, "0.9.1 player black", door, Some("Red"));
    let now = world.at();
    world.referee.lose(ConnId(1), netref::Loss::Closed, now);
    world.perform();
    world.comes_as(2, "0.9.1 player white", door, Some("Green"));
    assert_eq!(world.told(2), "");
    world.comes_as(3, "0.9.1 player black", door, Some("Blue"));
    assert!(world.told(2).ends_with("351 You will play white\r\n"));
    assert!(world.told(3).ends_with("352 You will play black\r\n"));
}

#[test]
fn a_client_at_a_table_is_found_by_clients_of_team_ports() {
    let mut world = World::new(1);
    world.comes(1, "0.9.2 player black \"Ann\"", Entrance::Table(0));
    world.told(1);
    world.comes_as(2, "0.9.1 player white", Entrance::Team(10), Some("Red"));
    assert!(world.told(2).ends_with("351 You will play white\r\n"));
    let told = world.told(1);
    let codes: Vec<&str> = told.lines().map(|line| &line[..3]).collect();
    assert_eq!(codes, ["341", "342", "344", "352"], "{told}");
    assert!(told.starts_with("341 \"Red\""), "{told}");
}

/// A match that is over after a crash, because a player cannot resume it, leaves its table free.
#[test]
fn after_a_crash_who_cannot_resume_a_match_plays_again() {
    for versions in [["0.9.1", "0.9.2"], ["0.9.2", "0.9"]] {
        let mut world = World::new(1);
        let sides = ["black \"Ann\"", "white \"Bob\""];
        for (conn, (version, side)) in (1..).zip(versions.into_iter().zip(sides)) {
            world.comes(
                conn,
                &format!("{version} player {side}"),
                Entrance::Table(0),
            );
        }
        world.says(1, "1 c3");
        let mut world = world.restarted(1);
        assert_eq!(world.reasons(), [MatchReason::Interruption]);
        world.pair(0, [3, 4]);
        assert!(world.told(3).ends_with("352 You will play black\r\n"));
    }
}

#[test]
fn a_resumed_match_counts_toward_the_number_of_games_to_stop_after() {
    let mut world = World::new(1);
    world.pair(0, [1, 2]);
    let last = RefereeSettings {
        stop_after: Some(StopAfter::Games(1)),
        ..with_journal()
    };
    let mut again = World::with(2, last);
    let matches = replay(world.journal.clone()).unwrap();
    again.referee.restore(matches, true, world.at());
    again.perform();
    again.comes(3, "0.9.1 player black", Entrance::Table(1));
    assert_eq!(again.told(3), NO_MORE);
}

#[test]
fn who_is_not_understood_in_the_lobby_is_dropped() {
    let mut world = World::new(1);
    world.comes_as(1, "0.9.1 player ?", Entrance::Team(10), Some("Red"));
    for _ in 0..10 {
        assert!(world.closed.is_empty());
        world.says(1, "hello");
    }
    let told = world.told(1);
    assert_eq!(told.matches("299 ").count(), 10, "{told}");
    assert!(told.ends_with("399 Ten requests in a row were not understood\r\n"));
    assert_eq!(world.closed, [ConnId(1)]);
}

#[test]
fn nothing_is_said_before_it_is_on_the_disk_and_no_clock_runs() {
    let mut world = World::new(1);
    world.pair(0, [1, 2]);
    for player in [1, 2] {
        world.told(player);
    }
    world.disk = Disk::Hangs;
    world.says(1, "1 c3");
    // Longer than White's clock.
    world.passes(2 * TIME);
    for player in [1, 2] {
        assert_eq!(world.told(player), "");
    }
    world.disk = Disk::Works;
    world.perform();
    assert_eq!(
        world.told(1),
        "207 60 secs remaining after move c3 accepted, continue playing\r\n\
         313 1 c3 60 (secs) is black move, game continues\r\n"
    );
    world.passes(TIME / 2);
    world.says(2, "1 ... c4");
    assert!(world.told(2).contains("207 30 "));
    assert_eq!(world.reasons(), []);
}

#[test]
fn after_a_failure_of_the_disk_matches_are_where_the_journal_has_them() {
    let mut world = World::new(3);
    world.pair(0, [1, 2]);
    world.comes(3, "0.9.1 player black", Entrance::Table(1));
    world.comes(4, "0.9.1 player white", Entrance::Table(1));
    world.says(1, "1 c3");
    world.disk = Disk::Fails;
    world.told(2);
    world.says(2, "1 ... c4");
    let why = "399 the match is interrupted, its journal cannot be written: it is full\r\n";
    for player in [2, 3, 4] {
        assert!(world.told(player).ends_with(why), "{player}");
        assert!(world.closed.contains(&ConnId(player)));
    }
    // Who cannot resume a match plays again. The others, and who comes, wait for the disk.
    assert_eq!(world.reasons(), [MatchReason::Interruption]);
    world.pair(0, [5, 6]);
    world.comes(7, "0.9.1 player black", Entrance::Table(2));
    world.comes(8, "0.9.1 player white", Entrance::Table(2));
    for player in 5..=8 {
        assert_eq!(world.told(player), "", "{player}");
    }
    world.heals();
    let white = world.told(6);
    assert!(
        white.contains("313 1 c3 60 (secs) is black move"),
        "{white}"
    );
    assert!(!white.contains("c4"), "{white}");
    assert!(world.told(7).ends_with("352 You will play black\r\n"));
    world.says(6, "1 ... c4");
    assert!(world.told(6).starts_with("207 "));
}

/// Everything that the disk would have had is there after a crash.
#[test]
fn a_match_that_is_adjourned_on_a_failing_disk_goes_on_at_its_table() {
    let mut world = World::new(1);
    world.pair(0, [1, 2]);
    world.disk = Disk::Fails;
    let command: RefereeCommand = "adjourn 0".parse().unwrap();
    world.runs(command).unwrap();
    world.heals();
    let list = world.command("list").unwrap();
    assert!(list.ends_with("0 moves, waits for its players"), "{list}");
    let again = world.restarted(1).command("list").unwrap();
    assert_eq!(again, list);
}

/// What is counted for the last match goes back with everything else.
#[test]
fn a_command_that_the_disk_does_not_take_does_not_count() {
    let last = || RefereeSettings {
        stop_after: Some(StopAfter::Games(1)),
        ..with_journal()
    };
    let run = |world: &mut World, command: RefereeCommand| {
        world.runs(command).unwrap();
    };
    // The only match is adjourned, and that is not written: no other one begins.
    let mut world = World::with(2, last());
    world.pair(0, [1, 2]);
    world.disk = Disk::Fails;
    run(&mut world, RefereeCommand::Adjourn(0));
    world.heals();
    world.comes(3, "0.9.1 player black", Entrance::Table(1));
    assert_eq!(world.told(3), NO_MORE);
    // It is adjourned, and resumed, and that is not written: it can be resumed again.
    let mut world = World::with(2, last());
    world.pair(0, [1, 2]);
    world.command("adjourn 0").unwrap();
    let id = world.referee.adjourned().next().unwrap().id().to_owned();
    world.disk = Disk::Fails;
    let resume = RefereeCommand::Resume {
        id: id.clone(),
        table: None,
    };
    run(&mut world, resume);
    world.heals();
    world.command(&format!("resume {id}")).unwrap();
    // A match that has begun and ended while the disk hung has never been.
    let mut world = World::with(2, last());
    world.disk = Disk::Hangs;
    world.pair(0, [1, 2]);
    let now = world.at();
    world.referee.lose(ConnId(1), netref::Loss::Closed, now);
    world.disk = Disk::Fails;
    world.perform();
    world.heals();
    world.pair(1, [3, 4]);
    assert!(world.told(3).ends_with("352 You will play black\r\n"));
    assert_eq!(world.referee.stop_reason(), None);
    // A match whose end is not on the disk goes on, and counts when it has ended again.
    let counts_at_its_end = |mut world: World| {
        assert_eq!(world.referee.unrecorded().count(), 0);
        world.heals();
        assert_eq!(world.referee.stop_reason(), None);
        world.command("void 0").unwrap();
        assert_eq!(world.reasons(), [MatchReason::Void]);
        assert!(world.referee.stop_reason().is_some());
    };
    let mut world = World::with(2, last());
    world.pair(0, [1, 2]);
    world.disk = Disk::Fails;
    world.leaves(1);
    counts_at_its_end(world);
    // Nor is it on the disk that it was resumed.
    let mut world = World::with(2, last());
    world.pair(0, [1, 2]);
    world.command("adjourn 0").unwrap();
    let id = world.referee.adjourned().next().unwrap().id().to_owned();
    let resume = format!("resume {id}");
    world.disk = Disk::Hangs;
    world.command(&resume).unwrap();
    world.command("void 0").unwrap();
    world.disk = Disk::Fails;
    world.perform();
    world.disk = Disk::Works;
    world.command(&resume).unwrap();
    counts_at_its_end(world);
}

/// Nobody in the lobby waits for the disk: their requests are answered at once.
#[test]
fn who_waits_in_the_lobby_is_answered_while_the_disk_hangs() {
    let mut world = World::new(1);
    world.pair(0, [1, 2]);
    world.comes_as(3, "0.9.1 player ?", Entrance::Team(10), Some("Red"));
    world.told(2);
    world.disk = Disk::Hangs;
    world.says(1, "1 c3");
    world.says(3, "1 c3");
    let refused = "291 Illegal request: the match has not begun\r\n";
    assert_eq!(world.told(3), refused);
    assert_eq!(world.told(2), "");
}

#[test]
fn a_match_during_which_the_server_was_stalled_for_too_long_is_adjourned() {
    let mut world = World::new(2);
    world.pair(0, [1, 2]);
    world.comes(3, "0.9.1 player black", Entrance::Table(1));
    world.comes(4, "0.9.1 player white", Entrance::Table(1));
    let stall = |world: &mut World| {
        let now = world.at();
        world.referee.note_stall(Duration::from_secs(20), now);
        world.perform();
        world.closed.len()
    };
    assert_eq!(stall(&mut world), 0);
    while stall(&mut world) == 0 {}
    assert_eq!(world.closed, [ConnId(1), ConnId(2)]);
    assert!(
        world
            .told(1)
            .ends_with("come back when the match is resumed\r\n")
    );
    // A client without a name could not come back.
    let goes_on = world
        .log
        .iter()
        .filter(|line| line.contains("goes on although"));
    assert_eq!(goes_on.count(), 1, "{:#?}", world.log);
    assert_eq!(world.reasons(), []);
}

#[test]
fn two_who_ask_for_either_side_have_them_at_random() {
    let mut world = World::new(1);
    let mut first_is_black = [0, 0];
    // The probability that one outcome never occurs is 2⁻³⁹.
    for first in (1..80).step_by(2) {
        world.now += Duration::from_millis(1);
        for conn in [first, first + 1] {
            world.comes(conn, "0.9.1 player ?", Entrance::Table(0));
        }
        let roles = [first, first + 1].map(|conn| world.told(conn));
        let is_black = roles.map(|told| told.ends_with("352 You will play black\r\n"));
        assert_ne!(is_black[0], is_black[1]);
        first_is_black[usize::from(is_black[0])] += 1;
        let black = if is_black[0] { first } else { first + 1 };
        world.says(black, "resign");
    }
    assert!(!first_is_black.contains(&0), "{first_is_black:?}");
}

/// What happens at two tables.
#[derive(Clone, Debug)]
enum Event {
    Move(usize, usize),
    Resign(usize),
    Adjourn(usize),
    Resume,
    Wait(u64),
    Fail,
    Heal,
}

fn event() -> impl Strategy<Value = Event> {
    let table = 0..2_usize;
    prop_oneof![
        12 => (table.clone(), any::<usize>()).prop_map(|(table, choice)| Event::Move(table, choice)),
        1 => table.clone().prop_map(Event::Resign),
        2 => table.prop_map(Event::Adjourn),
        2 => Just(Event::Resume),
        1 => (0..5_u64).prop_map(Event::Wait),
        1 => Just(Event::Fail),
        2 => Just(Event::Heal),
    ]
}

/// The matches of a list: what is at the tables, and what is adjourned.
fn matches_of(world: &mut World) -> Vec<String> {
    let list = world.command("list").unwrap();
    let waits = ", waits for its players";
    list.lines()
        .map(|line| line.trim_end_matches(waits).to_owned())
        .collect()
}

proptest! {
    /// However the disk fails: what a player was told is in the journal, and a crash, a failure of
    /// the disk, and a shortened journal lead to the same matches.
    #[test]
    fn what_was_said_is_in_the_journal(events in prop::collection::vec(event(), 1..60)) {
        let mut world = World::new(2);
        let mut next = 1;
        let mut is_failing = false;
        for event in events {
            for table in 0..2 {
                let is_on = |world: &World| {
                    let live = world.referee.table(table).unwrap().live_match();
                    live.is_some_and(|live| live.is_on())
                };
                if !is_on(&world) && !is_failing {
                    world.pair(table, [next, next + 1]);
                    next += 2;
                }
            }
            let mover = |world: &World, table: usize| {
                let live = world.referee.table(table)?.live_match()?;
                let snapshot = world.referee.table(table)?.snapshot();
                let turn = snapshot.turn.filter(|_| live.is_on())?;
                Some((snapshot.players[turn].as_ref()?.conn?.0, turn, live.game().clone()))
            };
            match event {
                Event::Move(table, choice) => {
                    let Some((conn, turn, game)) = mover(&world, table) else { continue };
                    let position = game.position().unwrap();
                    let legal: Vec<_> = position.legal_moves().collect();
                    let mv = legal[choice % legal.len()];
                    let number = game.undoable() / 2 + 1;
                    let dots = if turn == Color::White { "... " } else { "" };
                    world.says(conn, &format!("{number} {dots}{mv}"));
                    if world.told(conn).starts_with("20") {
                        let text = mv.to_string();
                        let is_there = world.journal.iter().any(|found| {
                            matches!(&found.entry, netref::Entry::Move { mv, .. } if *mv == text)
                        });
                        prop_assert!(is_there, "{text}");
                    }
                }
                Event::Resign(table) => {
                    if let Some((conn, ..)) = mover(&world, table) {
                        world.says(conn, "resign");
                    }
                }
                Event::Adjourn(table) => {
                    let command: RefereeCommand = format!("adjourn {table}").parse().unwrap();
                    let _ = world.runs(command);
                }
                Event::Resume => {
                    let first = world.referee.adjourned().next();
                    if let Some(id) = first.map(|live| live.id().to_owned()) {
                        let command = RefereeCommand::Resume { id, table: None };
                        let _ = world.runs(command);
                    }
                }
                Event::Wait(seconds) => world.passes(Duration::from_secs(seconds)),
                Event::Fail => world.disk = Disk::Fails,
                Event::Heal if world.disk == Disk::Fails => world.heals(),
                Event::Heal => {}
            }
            is_failing = world.disk == Disk::Fails;
            if !is_failing {
                let here = matches_of(&mut world);
                let mut again = world.restarted(2);
                prop_assert_eq!(&matches_of(&mut again), &here);
                let mut short = World::new(2);
                short.journal = world.referee.snapshot(world.now);
                short.now = world.now;
                let mut short = short.restarted(2);
                prop_assert_eq!(&matches_of(&mut short), &here);
            }
        }
    }
}

#[test]
fn the_log_names_a_lobby_client_once_with_its_address() {
    let mut world = World::new(1);
    world.comes_as(1, "0.9.1 player ?", Entrance::Team(10), Some("Red"));
    let waits = LogEvent::Waiting {
        who: netref::Who {
            conn: Some(ConnId(1)),
            side: Some("either side"),
            name: Name::new("Red"),
            address: None,
            is_unlisted: false,
        },
    };
    assert_eq!(world.log, [waits.to_string()]);
}

/// The first one waits for an opponent, who decides its side.
#[test]
fn the_log_says_which_side_a_seated_client_has() {
    let mut world = World::new(1);
    let entrance = Entrance::Table(0);
    world.comes(1, "0.9.2 player ? \"Ann\"", entrance);
    world.comes(2, "0.9.2 player ? \"Bob\"", entrance);
    let said = |name: &str, what: &str| {
        let line = format!("\"{name}\" {what}");
        world.log.iter().any(|logged| logged.ends_with(&line))
    };
    assert!(said("Ann", "waits to play either side"), "{:?}", world.log);
    let sides = ["will play black", "will play white"];
    assert!(
        sides.iter().any(|side| said("Bob", side)),
        "{:?}",
        world.log
    );
}

#[test]
fn a_client_that_is_not_listed_is_not_in_the_log_until_its_match_begins() {
    let mut world = World::new(1);
    let unlisted = |conn| netref::Client {
        is_unlisted: true,
        ..ConnId(conn).into()
    };
    let port = Entrance::Team(10);
    world.opens(unlisted(1), "0.9.1 player black \"Ann\"", port);
    assert!(world.log.is_empty(), "{:?}", world.log);
    world.opens(unlisted(2), "0.9.1 player white \"Bob\"", port);
    assert_eq!(world.log.len(), 1, "{:?}", world.log);
    assert!(world.log[0].contains("begins"), "{:?}", world.log);
}
