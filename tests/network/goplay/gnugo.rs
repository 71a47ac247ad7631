//! GNU Go, as packaged by Debian, against itself, from start to end.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gothello::go::{Game, Mercy, Move, Point, Position, Rules, Size};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use crate::client::{Done, Program};
use crate::executable::executable;
use crate::go_messages::{end, moved, start, valid};
use crate::goplay::server::Server;
use crate::waiting::{EndsInTime, Pipe};

/// Where Debian puts it.
const GNUGO: &str = "/usr/games/gnugo";

/// How long a whole game may take beside the other long tests.
const GAME: Duration = Duration::from_secs(300);

/// Chinese rules count stones; dead ones are captured before the game ends, for the
/// contest takes none off the board. It always plays the same games, and does not
/// resign, so that none is too short.
fn engine() -> String {
    assert!(
        Path::new(GNUGO).exists(),
        "the package gnugo is missing: apt-get install gnugo"
    );
    format!(
        "{GNUGO} --mode gtp --level 1 --chinese-rules --capture-all-dead --never-resign --seed 1"
    )
}

/// A running referee, and where clients connect.
struct Referee {
    child: Child,
    port: u16,
}

impl Referee {
    fn start(folder: &Path, arguments: &[&str]) -> Referee {
        let mut child = Command::new(executable())
            .args(["goref", "--auto", "--port", "0", "--state"])
            .arg(folder.join("state"))
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The rest is read, so that the referee can go on writing.
        let mut log = Pipe::new(child.stdout.take().unwrap());
        let line = log.line("the port").unwrap();
        let (_, port) = line.split_once("ws://127.0.0.1:").unwrap();
        let port = port.parse().unwrap();
        Referee { child, port }
    }
}

/// Whether a program succeeded, and both sides agree.
fn agree(black: &Done, white: &Done) {
    for done in [black, white] {
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(!done.err.contains("by our rules"), "{}", done.err);
        assert!(!done.err.contains("unexpected"), "{}", done.err);
    }
    let score = |done: &Done| done.out.split_once(": ").unwrap().1.to_owned();
    assert_eq!(score(black), score(white));
    assert!(black.out.contains(" as Black: ") && white.out.contains(" as White: "));
}

#[test]
#[ignore = "it needs the package gnugo, and takes a minute"]
fn gnugo_plays_itself_at_the_referee() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game.config.json");
    let text = r#"{"initialState": {"board": 9, "turn": "B", "players":
        {"B": {"remainingTime": "15:00"}, "W": {"remainingTime": "15:00"}}}}"#;
    std::fs::write(&game, text).unwrap();
    let game = game.to_str().unwrap();
    let mut referee = Referee::start(folder.path(), &["--stop-after", "1", "--setup", game]);
    let engine = engine();
    let arguments = ["--engine", &engine, "--games", "1"];
    let clients = [(); 2].map(|()| Program::goplay(referee.port, &arguments));
    let [one, other] = clients.map(|client| client.wait_within(GAME));
    match one.out.contains(" as Black: ") {
        true => agree(&one, &other),
        false => agree(&other, &one),
    }
    assert!(referee.child.wait_in_time().success());
    let games = folder.path().join("state").join("games");
    assert_eq!(std::fs::read_dir(games).unwrap().count(), 2);
}

/// GNU Go as White against random moves, with a break in the middle, with this test as the
/// referee.
#[test]
#[ignore = "it needs the package gnugo"]
fn gnugo_plays_from_any_position_and_reconnects() {
    let engine = engine();
    for seed in 0..6_u64 {
        let size = 4 + seed as usize % 4;
        let done = against_chance(&engine, size, seed);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(!done.err.contains("does not accept"), "{}", done.err);
        assert!(done.err.contains("a game goes on after"), "{}", done.err);
        assert!(!done.err.contains("started again"), "{}", done.err);
    }
}

/// A game on a square board of this many rows.
fn against_chance(engine: &str, size: usize, seed: u64) -> Done {
    let rules = Rules {
        mercy: Mercy::OFF,
        ..Rules::default()
    };
    let mut game = Game::new(rules, Position::start(Size::square(size).unwrap()));
    let server = Server::new();
    let (client, mut peer) = server.client(&["--engine", engine, "--games", "1"]);
    peer.says(&start(size, &[], "W"));
    let mut rng = StdRng::seed_from_u64(seed);
    let mut log: Vec<String> = Vec::new();
    while !game.is_over() && log.len() < 60 {
        let points: Vec<Point> = game.legal_points().collect();
        let chosen = points.choose(&mut rng);
        let word = chosen.map_or("pass".into(), |point| {
            format!("{},{}", point.row, point.column)
        });
        game.play(chosen.map_or(Move::Pass, |&point| Move::Place(point)))
            .unwrap();
        log.push(word.clone());
        if log.len() == 21 {
            drop(peer);
            (peer, _) = server.greet();
            let log: Vec<&str> = log.iter().map(String::as_str).collect();
            peer.says(&start(size, &log, "W"));
        } else {
            peer.says(&moved(&word));
        }
        if game.is_over() {
            break;
        }
        let answer = peer.hears_move();
        let point = &answer["point"];
        let word = match answer["type"].as_str().unwrap() {
            "place" => format!("{},{}", point["row"], point["column"]),
            other => other.to_owned(),
        };
        let made = match word.as_str() {
            "pass" => Move::Pass,
            "resign" => Move::Resign,
            _ => Move::Place(Point {
                row: point["row"].as_u64().unwrap().try_into().unwrap(),
                column: point["column"].as_u64().unwrap().try_into().unwrap(),
            }),
        };
        // Its first answers are legal.
        game.play(made).unwrap();
        log.push(word);
        peer.says(&valid());
    }
    peer.says(&end("timeout", "W"));
    client.wait_within(GAME)
}
