//! Tournaments through kills, stalls, lost connections and full disks: no result comes of them,
//! except that of a player whose connection is lost alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::ops::Range;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::Duration;

use gothello::tournament::ResultsFile;
use gothello::{ByColor, Color, Game, Move};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::in_threads;
use crate::executable::executable;
use crate::namespaces::links::Links;
use crate::netref::referee::{Referee, Room};
use crate::netref::tournaments::Course;
use crate::waiting::Deadline;

/// The time on each clock, in seconds: much more than a client takes for its moves.
const CLOCK: &str = "3";

/// The time on each clock, in seconds, if a link may be cut for a minute.
const LONG_CLOCK: &str = "300";

/// The number of moves after which the players pass.
const MOVES: usize = 10;

/// How a team plays, which decides how its games end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// It plays to the end.
    Plays,
    /// It resigns in its third turn.
    Resigns,
    /// It lets its flag fall in its second turn.
    Sleeps,
}

/// The clients of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// Without a name, as the libraries do: a client for each side.
    Library,
    /// With a name, as the paper has it.
    Paper,
    /// With the newest version, in which the moves so far come before the role.
    Newest,
    /// `gothello netplay`, which speaks the newest version, too.
    Netplay,
}

/// A team.
type Team = (Style, Speech);

/// The teams of a tournament.
pub const TEAMS: [Team; 4] = [
    (Style::Plays, Speech::Library),
    (Style::Resigns, Speech::Paper),
    (Style::Sleeps, Speech::Newest),
    (Style::Plays, Speech::Newest),
];

/// The teams of a tournament over links that are cut, in which a clock would run.
const REMOTE_TEAMS: [Team; 4] = [
    (Style::Plays, Speech::Library),
    (Style::Resigns, Speech::Paper),
    (Style::Plays, Speech::Newest),
    (Style::Plays, Speech::Netplay),
];

impl Style {
    /// The turn in which it ends a game, counted from 0.
    fn last_turn(self) -> usize {
        match self {
            Style::Plays => usize::MAX / 4,
            Style::Resigns => 2,
            Style::Sleeps => 1,
        }
    }
}

/// How a game between players of these styles ends without any trouble: the reason, and the winner
/// unless the score decides.
fn right_ending(styles: ByColor<Style>) -> (&'static str, Option<Color>) {
    let ply = |color: Color| 2 * styles[color].last_turn() + usize::from(color == Color::White);
    let first = match ply(Color::Black) < ply(Color::White) {
        true => Color::Black,
        false => Color::White,
    };
    match styles[first] {
        Style::Plays => ("play", None),
        Style::Resigns => ("resignation", Some(first.opponent())),
        Style::Sleeps => ("time", Some(first.opponent())),
    }
}

/// What a tournament's clients and its troubles share.
#[derive(Default)]
pub struct Shared {
    /// Where the teams connect now; nowhere while the referee is dead.
    pub ports: Mutex<Option<Vec<SocketAddr>>>,
    /// The connections of the clients in matches, by their teams.
    connections: Mutex<BTreeMap<usize, TcpStream>>,
    pub is_over: AtomicBool,
}

/// A client that comes back whatever happens.
pub struct Bot {
    /// Its team.
    pub team: usize,
    pub style: Style,
    /// What it asks for.
    pub opening: String,
    pub shared: Arc<Shared>,
    pub rng: StdRng,
}

impl Bot {
    pub fn run(mut self) {
        while !self.shared.is_over.load(Relaxed) {
            let ports = self.shared.ports.lock().unwrap();
            let port = ports.as_ref().map(|ports| ports[self.team]);
            drop(ports);
            if let Some(port) = port {
                // However it ends.
                let _ = self.play(port);
            }
            sleep(Duration::from_millis(self.rng.random_range(10..60)));
        }
    }

    /// Plays one match, as far as it goes.
    fn play(&mut self, port: SocketAddr) -> Option<()> {
        // A link that is cut refuses nothing.
        let mut stream = TcpStream::connect_timeout(&port, Duration::from_secs(2)).ok()?;
        stream.set_nodelay(true).ok()?;
        let time = Some(Duration::from_secs(100));
        stream.set_read_timeout(time).ok()?;
        let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
        let mut next = || lines.next()?.ok();
        next()?;
        stream.write_all(self.opening.as_bytes()).ok()?;
        let mut game = Game::new();
        let mut side = None;
        loop {
            let line = next()?;
            match line.get(..2)? {
                "31" => {
                    let mut words = line.split(' ').skip(2).filter(|word| *word != "...");
                    let played: Move = words.next()?.parse().ok()?;
                    game.play(game.to_move(), played).ok()?;
                }
                "35" => {
                    side = Some(match line.starts_with("351") {
                        true => Color::White,
                        false => Color::Black,
                    });
                    let mut connections = self.shared.connections.lock().unwrap();
                    connections.insert(self.team, stream.try_clone().ok()?);
                }
                "32" | "36" | "39" | "19" => {
                    // The connections that can be cut hold it open.
                    let _ = stream.shutdown(Shutdown::Both);
                    return Some(());
                }
                // Its move is accepted, or it is told who plays.
                _ => continue,
            }
            if side == Some(game.to_move())
                && let Some(request) = self.choose(&game)
            {
                stream.write_all(request.as_bytes()).ok()?;
            }
        }
    }

    /// Its request in its turn; `None` if it sleeps.
    fn choose(&mut self, game: &Game) -> Option<String> {
        let moves = game.undoable();
        if moves / 2 >= self.style.last_turn() {
            return (self.style == Style::Resigns).then(|| "resign\r".into());
        }
        let legal = game.position()?.legal_moves();
        let legal: Vec<Move> = legal.filter(|mv| *mv != Move::Pass).collect();
        let mv = match moves >= MOVES {
            true => Move::Pass,
            false => legal[self.rng.random_range(0..legal.len())],
        };
        let dots = if moves % 2 == 1 { "... " } else { "" };
        Some(format!("{} {dots}{mv}\r", moves / 2 + 1))
    }
}

/// Starts `gothello netplay` again and again.
fn run_netplay(team: usize, shared: &Shared) {
    while !shared.is_over.load(Relaxed) {
        let port = shared
            .ports
            .lock()
            .unwrap()
            .as_ref()
            .map(|ports| ports[team]);
        let Some(port) = port else {
            sleep(Duration::from_millis(20));
            continue;
        };
        let mut netplay = Command::new(executable());
        netplay.args(["netplay", &port.to_string(), "either", "--level", "1"]);
        netplay
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut netplay = netplay.spawn().unwrap();
        while netplay.try_wait().unwrap().is_none() {
            if shared.is_over.load(Relaxed) {
                let _ = netplay.kill();
            }
            sleep(Duration::from_millis(20));
        }
    }
}

/// A tournament, and what goes wrong in it.
struct Trial {
    course: Course,
    teams: [Team; 4],
    /// The links of the teams, if these are what is cut.
    links: Option<Links>,
    rng: StdRng,
    shared: Arc<Shared>,
    referee: Option<Referee>,
    /// The teams whose connections were cut.
    cut: BTreeSet<usize>,
    /// How often connections were cut. Each time one match at most is lost: that of a player whose
    /// connection is cut alone, or of one whose match is just beginning when all are cut.
    cuts: usize,
}

impl Trial {
    fn new(seed: u64, teams: [Team; 4], links: Option<Links>) -> Trial {
        Trial {
            course: Course::new(teams.len()),
            teams,
            links,
            rng: StdRng::seed_from_u64(seed),
            shared: Arc::default(),
            referee: None,
            cut: BTreeSet::new(),
            cuts: 0,
        }
    }

    fn start(&mut self) {
        let (clock, host) = match self.links {
            Some(_) => (LONG_CLOCK, "0.0.0.0"),
            None => (CLOCK, "127.0.0.1"),
        };
        let options = [
            clock,
            "--host",
            host,
            "--tables",
            "2",
            "--tournament",
            "round-robin",
            "--single",
            "--seed",
            "7",
            "--loss-wait",
            "0.3",
            "--forfeit-after",
            "100",
        ];
        let prlimit = match &self.links {
            Some(links) => links.command("prlimit"),
            None => Command::new("prlimit"),
        };
        let start =
            |arguments: &[&str]| Referee::start_with_room_by(prlimit, Room::Enough, arguments);
        let referee = self.course.start_as(&options, start);
        let mut ports = self.course.ports(&referee);
        if let Some(links) = &self.links {
            for (team, port) in ports.iter_mut().enumerate() {
                *port = links.address(team, port.port());
            }
        }
        *self.shared.ports.lock().unwrap() = Some(ports);
        self.referee = Some(referee);
    }

    /// Plays a tournament through so many troubles.
    fn run(mut self, seed: u64, troubles: usize) {
        self.start();
        let mut bots = Vec::new();
        for (team, &(style, speech)) in self.teams.iter().enumerate() {
            let openings = match speech {
                Speech::Library => {
                    vec!["0.9.1 player black\r".into(), "0.9.1 player white\r".into()]
                }
                Speech::Paper => vec![format!("0.9.1 player ? \"T{team}\"\r")],
                Speech::Newest => vec![format!("0.9.2 player ? \"T{team}\"\r")],
                Speech::Netplay => {
                    let shared = Arc::clone(&self.shared);
                    bots.push(thread::spawn(move || run_netplay(team, &shared)));
                    continue;
                }
            };
            for opening in openings {
                let bot = Bot {
                    team,
                    style,
                    opening,
                    shared: Arc::clone(&self.shared),
                    rng: StdRng::seed_from_u64(self.rng.random()),
                };
                bots.push(thread::spawn(move || bot.run()));
            }
        }
        for _ in 0..troubles {
            sleep(Duration::from_millis(self.rng.random_range(0..500)));
            self.make_trouble();
        }
        let file = self.course.results_file();
        let so_far = || {
            let log = self.referee.as_ref().map(Referee::log).unwrap_or_default();
            format!("seed {seed}: {:#?}", &log[log.len().saturating_sub(60)..])
        };
        let mut read = 0;
        Deadline::within(Duration::from_secs(240)).wait_for("the end", so_far, || {
            let length = fs::metadata(&file).ok()?.len();
            if length == std::mem::replace(&mut read, length) {
                return None;
            }
            ResultsFile::read(&file).ok()?.is_over().then_some(())
        });
        self.shared.is_over.store(true, Relaxed);
        *self.shared.ports.lock().unwrap() = None;
        let log = self.referee.take().map(|referee| referee.log());
        for bot in bots {
            bot.join().unwrap();
        }
        self.check(&format!("seed {seed}: {log:#?}"));
    }

    /// Something goes wrong, and is right again.
    fn make_trouble(&mut self) {
        let pause =
            |rng: &mut StdRng, most| sleep(Duration::from_millis(rng.random_range(1..most)));
        let Some(referee) = self.referee.take() else {
            return;
        };
        match self.rng.random_range(0..8) {
            0 | 1 => {
                *self.shared.ports.lock().unwrap() = None;
                referee.kill();
                pause(&mut self.rng, 50);
                return self.start();
            }
            2 => {
                referee.signal("-STOP");
                pause(&mut self.rng, 3_000);
                referee.signal("-CONT");
            }
            3 | 4 => {
                referee.set_room(Room::Bytes(self.rng.random_range(0..4_000)));
                pause(&mut self.rng, 2_500);
                referee.set_room(Room::Enough);
            }
            _ if self.links.is_some() => self.cut_links(),
            5 => {
                // Everybody's, as when a link is down.
                self.cuts += 1;
                let all = std::mem::take(&mut *self.shared.connections.lock().unwrap());
                for (team, stream) in all {
                    let _ = stream.shutdown(Shutdown::Both);
                    self.cut.insert(team);
                }
            }
            _ => {
                let team = self.rng.random_range(0..self.teams.len());
                if let Some(stream) = self.shared.connections.lock().unwrap().remove(&team) {
                    let _ = stream.shutdown(Shutdown::Both);
                    self.cut.insert(team);
                    self.cuts += 1;
                }
            }
        }
        self.referee = Some(referee);
    }

    /// Cuts the link of a team or of all teams, mostly for a moment, in which nothing is lost, and
    /// sometimes until the connections are.
    fn cut_links(&mut self) {
        let Some(links) = &self.links else { return };
        let all = 0..self.teams.len();
        let teams = match self.rng.random_bool(0.5) {
            true => all,
            false => {
                let team = self.rng.random_range(all);
                team..team + 1
            }
        };
        teams.clone().for_each(|team| links.cut(team));
        let milliseconds = match self.rng.random_bool(0.1) {
            true => {
                self.cut.extend(teams.clone());
                self.cuts += 1;
                self.rng.random_range(30_000..90_000)
            }
            false => self.rng.random_range(1..4_000),
        };
        sleep(Duration::from_millis(milliseconds));
        teams.for_each(|team| links.repair(team));
    }

    /// Every game has the result that it would have without trouble, or was lost by a team whose
    /// connection was cut.
    fn check(&self, log: &str) {
        let tournament = ResultsFile::read(&self.course.results_file()).unwrap();
        let records = self.course.path("state");
        let (mut games, mut lost) = (0, 0);
        for (scheduled, result) in tournament.games() {
            let result = result.unwrap();
            games += 1;
            let told = || format!("{scheduled}: {result:?}\n{log}");
            assert!(!result.forfeit, "{}", told());
            let names = ByColor::new(&scheduled.black, &scheduled.white);
            let teams = names.map(|name| name.as_str()[1..].parse::<usize>().unwrap());
            let (reason, winner) = right_ending(teams.map(|team| self.teams[team].0));
            if result.reason.as_str() == "disconnection" {
                let loser = teams[result.winner.unwrap().opponent()];
                lost += 1;
                let is_known = self.cut.contains(&loser) && lost <= self.cuts;
                assert!(is_known, "{}", told());
                continue;
            }
            assert_eq!(result.reason.as_str(), reason, "{}", told());
            let winner = winner.or_else(|| {
                let id = result.id.as_ref().unwrap().as_str();
                let text = fs::read_to_string(records.join(format!("games/{id}.sgf"))).unwrap();
                let game = gothello::sgf::read(&text, usize::MAX).unwrap();
                game.outcome().unwrap().winner()
            });
            assert_eq!(result.winner, winner, "{}", told());
        }
        assert_eq!(games, self.teams.len() * (self.teams.len() - 1) / 2);
    }
}

fn try_tournaments(seeds: Range<u64>, troubles: usize) {
    for seed in seeds {
        Trial::new(seed, TEAMS, None).run(seed, troubles);
    }
}

/// Tournaments in which the links between the teams and the referee are cut.
fn try_remote_tournaments(seeds: Range<u64>, troubles: usize) {
    for seed in seeds {
        let links = Links::new(REMOTE_TEAMS.len());
        Trial::new(seed, REMOTE_TEAMS, Some(links)).run(seed, troubles);
    }
}

#[test]
#[ignore = "takes minutes"]
fn no_result_comes_of_trouble_in_many_tournaments() {
    in_threads(2, |seeds| try_tournaments(seeds, 12));
}

#[test]
#[ignore = "takes minutes, and needs root, to make network namespaces"]
fn no_result_comes_of_links_that_are_cut() {
    in_threads(1, |seeds| try_remote_tournaments(seeds, 8));
}
