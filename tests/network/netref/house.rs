//! The house plays every client that comes, at the built referee.

use std::fs;
use std::path::Path;
use std::thread;

use gothello::game::Game as _;
use gothello::{Color, Game, Move, awari};
use serde_json::Value;

use crate::cases::is_quick;
use crate::netref::desk::Desk;
use crate::netref::referee::{Client, Referee};
use crate::netref::scenes::refusal;
use crate::netref::server::results;

/// A client that plays the first legal move, as the libraries do: it reads what comes after each
/// of its moves, and no more. Returns the code of the line that ended the match.
fn play(mut client: Client) -> String {
    let ours = match &client.lines_to("35").pop().unwrap()[..3] {
        "352" => Color::Black,
        _ => Color::White,
    };
    play_as(ours, client)
}

/// The same, after the client has been told its side.
fn play_as(ours: Color, mut client: Client) -> String {
    let mut game = Game::new();
    loop {
        let number = game.moves().count() / 2 + 1;
        let dots = if game.to_move() == Color::White {
            "... "
        } else {
            ""
        };
        if game.to_move() == ours {
            let mv = game.legal_moves().find(|&mv| mv != Move::Pass);
            let mv = mv.unwrap_or(Move::Pass);
            client.ask(&format!("{number} {dots}{mv}"), "20");
        }
        // The house's moves are legal, and their numbers are right.
        let line = client.expect("3");
        let rest = line[4..].strip_prefix(&format!("{number} {dots}")).unwrap();
        let mv = rest.split(' ').next().unwrap();
        game.play(game.to_move(), mv.parse().unwrap()).unwrap();
        if line.starts_with("32") {
            client.expect_end();
            return line[..3].to_owned();
        }
    }
}

fn path(folder: &Path) -> &str {
    folder.to_str().unwrap()
}

#[test]
fn it_plays_unnamed_clients_on_either_side_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let records = path(folder.path());
    let referee = Referee::start(&["300", "--house", "3", "--state", records]);
    referee.wait_for_line("\"house-3\" plays whoever comes");
    let sides = ["black", "white", "?", "black"];
    for side in sides {
        play(referee.seat(&format!("player {side}")));
    }
    let rows = results(folder.path());
    assert_eq!(rows.len(), sides.len());
    let lines = fs::read_to_string(folder.path().join("results.jsonl")).unwrap();
    for (line, row) in lines.lines().zip(&rows) {
        let line: Value = serde_json::from_str(line).unwrap();
        for (side, column) in [2, 3].into_iter().enumerate() {
            let is_house = (row[column] == "house-3").then_some(true);
            let told = line["players"][side].get("house").and_then(Value::as_bool);
            assert_eq!(told, is_house, "{line}");
        }
    }
    for (row, side) in rows.iter().zip(sides) {
        let house = match side {
            "black" => 1,
            "white" => 0,
            _ => row[2..4].iter().position(|name| name == "house-3").unwrap(),
        };
        assert_eq!(row[2 + house], "house-3");
        assert_eq!(row[3 - house], "");
        assert_eq!(row[5], "play");
        // It has a number, but no address.
        let (numbers, addresses) = (&row[10..12], &row[12..14]);
        assert!(
            !numbers[house].is_empty() && addresses[house].is_empty(),
            "{row:?}"
        );
        assert!(addresses[1 - house].starts_with("127.0.0.1:"), "{row:?}");
        let record = folder.path().join("games").join(format!("{}.sgf", row[0]));
        let tag = ["PB[house-3]", "PW[house-3]"][house];
        assert!(fs::read_to_string(&record).unwrap().contains(tag));
        referee.wait_for_line(&format!("gothello review {}", path(&record)));
    }
}

#[test]
fn several_clients_of_one_port_get_a_table_each() {
    let referee = Referee::start(&["--tables", "3", "--house", "1"]);
    let clients = ["black", "?", "white"].map(|side| referee.seat(&format!("player {side}")));
    let mut more = referee.connect();
    more.expect("000 ");
    let full = more.ask("0.9.1 player white", "192 ");
    assert!(full.contains("There are already two players"), "{full}");
    more.expect_end();
    thread::scope(|scope| {
        for client in clients {
            scope.spawn(|| play(client));
        }
    });
    // Each table is free again at once, for a client at its own port, too.
    for &address in &referee.addresses {
        let mut client = Client::connect(address);
        client.expect("000 ");
        client.ask("0.9.1 player black", "100 ");
        play(client);
    }
}

#[test]
fn tables_may_have_other_houses_or_none() {
    let houses = ["--tables", "3", "--house", "2:1", "--house", "1-1:2"];
    let referee = Referee::start(&houses);
    let seat = |table: usize| {
        let mut client = Client::connect(referee.addresses[table]);
        client.expect("000 ");
        client.ask("0.9.2 player white \"Ann\"", "100 ");
        client
    };
    let first = &mut seat(0);
    for (table, name) in [(1, "\"house-2\""), (2, "\"house-1\"")] {
        let mut client = seat(table);
        client.expect("341 \"Ann\" ");
        client.expect(&format!("342 {name} is the black player"));
        // Another house is not a replacement.
        let mut other = Client::connect(referee.addresses[table]);
        other.expect("000 ");
        other.ask("0.9.1 player black", "192 ");
    }
    // At tables without a house, players meet each other.
    let mut black = referee.seat("player black");
    black.expect("352 ");
    first.lines_to("351 ");
}

#[test]
fn the_name_of_the_house_is_refused() {
    let referee = Referee::start(&["--house", "3"]);
    let mut client = referee.connect();
    client.expect("000 ");
    let why = client.ask("0.9.2 player black \"House-3\"", "199 ");
    assert!(
        why.contains("\"house-3\" is the name of the house"),
        "{why}"
    );
    client.expect_end();
    play(referee.seat("player black \"house\""));
}

#[test]
fn a_house_that_cannot_play_is_an_error_at_the_start() {
    for (house, code, why) in [
        ("./no-engine", 1, "cannot start \"./no-engine\""),
        ("false", 1, "without a response to \"boardsize 5\""),
        ("12", 2, "give a level from 1 to 9, perfect, builtin, or"),
        ("'", 2, "a quote is not closed"),
        ("1-2-3:4", 2, "give the tables as one server number or two"),
        ("4-7:1", 2, "there is no table 4: the tables are 0 to 0"),
    ] {
        let (found, lines) = refusal(&["0", "--port", "0", "--house", house]);
        assert_eq!(found, Some(code), "{lines:?}");
        assert!(lines[0].contains(why), "{lines:?}");
    }
    for (house, why) in [
        (["3", "perfect"], "all tables have two houses"),
        (["0:3", "0-0:perfect"], "table 0 has two houses"),
    ] {
        let (code, lines) = refusal(&["--port", "0", "--house", house[0], "--house", house[1]]);
        assert_eq!(code, Some(2), "{lines:?}");
        assert!(lines[0].contains(why), "{lines:?}");
    }
    let (code, lines) = refusal(&["--game", "awari", "--port", "0", "--house", "3"]);
    assert_eq!(code, Some(2), "{lines:?}");
    assert!(
        lines[0].contains("the player of Awari has no levels"),
        "{lines:?}"
    );
}

#[test]
#[ignore = "takes seconds, unoptimized"]
fn it_plays_awari_and_answers_offers_of_a_draw() {
    let referee = Referee::start(&["2", "60", "--game", "awari", "--house", "builtin"]);
    let mut south = referee.connect();
    south.expect("000 ");
    south.ask("0.9.2 player south \"Ann\"", "101 60 2 ");
    south.lines_to("352 ");
    south.ask("draw?", "205 ");
    south.expect("331 ");
    // At the start, no side is ahead.
    south.expect("334 ");
    south.ask("1 A", "207 ");
    south.expect("313 1 A ");
    south.expect("314 1 ... ");
    drop(south);
    referee.wait_for_line("South disconnected");
    // It uses its time: in the quick tests, some moves are enough.
    let mut south = referee.connect();
    south.expect("000 ");
    south.ask("0.9.2 player south \"Ann\"", "101 60 2 ");
    south.lines_to("352 ");
    let mut game = awari::Game::default();
    let turns = if is_quick() { 2 } else { 1_000 };
    for number in 1..=turns {
        let pit = game.legal_moves().next().unwrap();
        game.play(game.to_move(), pit).unwrap();
        south.ask(&format!("{number} {pit}"), "20");
        south.expect("3");
        if game.is_over() {
            return south.expect_end();
        }
        // The house's moves are legal, and their numbers are right.
        let line = south.expect("3");
        let rest = line[4..].strip_prefix(&format!("{number} ... ")).unwrap();
        let pit = rest.split(' ').next().unwrap();
        game.play(game.to_move(), pit.parse().unwrap()).unwrap();
        if game.is_over() {
            return south.expect_end();
        }
    }
    south.ask("resign", "204 ");
}

#[test]
fn its_match_goes_on_after_a_crash() {
    let desk = Desk::new();
    let referee = desk.start(&["100", "--tables", "2", "--house", "3"]);
    // They come to one port, so that one of them plays at the table of the other.
    let mut ann = referee.seat("player black \"Ann\"");
    ann.lines_to("352 ");
    ann.ask("1 c3", "207 ");
    ann.expect("313 1 c3 ");
    let answer = ann.expect("31");
    let mut bob = referee.seat("player white \"Bob\"");
    bob.lines_to("351 ");
    let first = bob.expect("31");
    drop(referee);

    let others = [(&["--house", "2"][..]), &[]];
    for house in others {
        let house = [&["100", "--tables", "2"], house].concat();
        let why = desk.refusal(&house);
        assert!(why.contains("this is a match against \"house-3\""), "{why}");
    }
    let referee = desk.start(&["100", "--tables", "2", "--house", "3"]);
    let mut bob = referee.seat("player ? \"Bob\"");
    bob.lines_to(&first[..8]);
    bob.expect("351 ");
    let mut ann = referee.seat("player ? \"Ann\"");
    ann.lines_to("313 1 c3 ");
    ann.expect(&answer[..13]);
    ann.expect("352 ");
    ann.ask("2 pass", "207 ");
    ann.expect("317 2 pass ");
    ann.expect("3");
    bob.ask("resign", "204 ");
    referee.wait_for_line("black (\"house-3\") against white (\"Bob\"), is over");
}

#[test]
fn its_match_against_a_client_without_a_name_ends_with_a_crash() {
    let desk = Desk::new();
    let referee = desk.start(&["--house", "3"]);
    let mut black = referee.seat("player black");
    black.expect("352 ");
    black.ask("1 c3", "200 ");
    black.expect("311 1 c3 ");
    black.expect("312 1 ... ");
    referee.kill();
    let referee = desk.start(&["--house", "3"]);
    let rows = results(desk.state());
    assert_eq!(rows[0][3..6], ["house-3", "none", "interruption"]);
    play(referee.seat("player white"));
}

#[cfg(unix)]
mod operated {
    use super::*;

    #[test]
    fn its_match_is_adjourned_and_resumed() {
        let desk = Desk::new();
        let arguments = desk.arguments(&["100", "--house", "3"]);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut referee = Referee::start_with_organizer(&arguments);
        let mut ann = referee.seat("player black \"Ann\"");
        ann.lines_to("352 ");
        let adjourned = referee.command("adjourn 0", "is adjourned");
        ann.expect("399 ");
        let id = adjourned.split(' ').nth(1).unwrap();
        // Only the same house continues the match.
        drop(referee);
        let mut referee =
            Referee::start_with_organizer(&[&arguments[..1], &arguments[3..]].concat());
        let why = referee.command(&format!("resume {id}"), "against \"house-3\"");
        assert!(
            why.contains("start the referee with the same --house"),
            "{why}"
        );
        drop(referee);
        let mut referee = Referee::start_with_organizer(&arguments);
        referee.command(&format!("resume {id}"), "waits for its players");
        let mut ann = referee.seat("player black \"Ann\"");
        ann.lines_to("352 ");
        ann.ask("1 c3", "207 ");
        ann.expect("313 1 c3 ");
        ann.expect("31");
        referee.command("void 0", "is void");
        ann.expect("399 ");
    }
}

#[cfg(target_os = "linux")]
mod engines {
    use super::*;
    use crate::netplay::engines::Script;
    use crate::processes::{DEAF, deaf, runs, wait_for_the_end};

    /// An engine that runs this at its first move, and then passes. After a crash, it is a new
    /// process.
    fn fails_once(genmove: &str) -> Script {
        Script::new(&format!(
            "if [ -e failed ]; then printf '= pass\\n\\n'; else touch failed; {genmove}; fi"
        ))
    }

    /// The client passes, and so does the engine.
    fn pass(client: &mut Client) {
        client.expect("315 1 pass ");
        client.ask("1 ... pass", "203 ");
        client.expect("326 ");
        client.expect_end();
    }

    #[test]
    fn an_engine_plays_under_its_name() {
        let engine = Script::with(
            "name) printf '= Passer, an engine with a long name\\n\\n';;\n\
             genmove) printf '= pass\\n\\n';;",
        );
        let referee = Referee::start(&["--tables", "2", "--house", &engine.command()]);
        referee.wait_for_line("house-Passer, an engine with a\" plays whoever comes");
        for _ in 0..2 {
            let mut clients = [(); 2].map(|()| referee.seat("player white"));
            for client in &mut clients {
                client.expect("351 ");
                pass(client);
            }
        }
    }

    #[test]
    fn a_crash_is_logged_and_the_engine_is_started_again() {
        let engine = fails_once("exit 3");
        let referee = Referee::start(&["--house", &engine.command()]);
        for _ in 0..2 {
            let mut client = referee.seat("player white");
            client.expect("351 ");
            pass(&mut client);
        }
        referee.wait_for_line("without a response to \"genmove b\": it is started again");
        assert_eq!(referee.count_in_log("the house: the engine ended (exit"), 1);
    }

    #[test]
    fn an_engine_that_cannot_move_resigns_match_after_match() {
        let resigns = |genmove: &str, why: &str| {
            let engine = Script::new(genmove);
            let referee = Referee::start(&["--house", &engine.command()]);
            for _ in 0..2 {
                let mut client = referee.seat("player white");
                client.expect("351 ");
                client.expect("322 1 pass and black loses by resignation");
                client.expect_end();
            }
            referee.wait_for_line(&format!("the house: {why}"));
            referee.wait_for_count("it resigns the match", 2);
        };
        // An engine that is started again waits for a moment before.
        let engines = [
            ("exit 3", "the engine ended (exit status: 3)"),
            (
                "printf '= z9\\n\\n'",
                "the engine responded to \"genmove b\" with \"z9\"",
            ),
            (
                "printf '? no idea\\n\\n'",
                "the engine fails at \"genmove b\": no idea",
            ),
        ];
        thread::scope(|scope| {
            for (genmove, why) in engines {
                scope.spawn(move || resigns(genmove, why));
            }
        });
    }

    #[test]
    fn an_engine_that_hangs_is_started_again() {
        let engine = fails_once("sleep 1000");
        let arguments = ["--move-timeout", "3", "--house", &engine.command()];
        let referee = Referee::start(&arguments);
        let mut client = referee.seat("player white");
        client.expect("351 ");
        pass(&mut client);
        referee.wait_for_line("did not respond to \"genmove b\" within 1 s: it is started again");
    }

    #[test]
    fn an_engine_that_is_too_slow_loses_on_time_and_plays_the_next_match() {
        let engine = fails_once("sleep 1000");
        let referee = Referee::start(&["1", "--house", &engine.command()]);
        let mut client = referee.seat("player white");
        client.expect("351 ");
        client.expect("322 1 pass and black loses by time expiring");
        // It spends at most half of the time of this match on the last one.
        let referee = Referee::start(&["30", "--house", &engine.command()]);
        let mut client = referee.seat("player white");
        client.expect("351 ");
        client.expect("317 1 pass ");
    }

    #[test]
    fn its_engine_ends_with_the_referee() {
        let end = |signal: &str| {
            let engine = Script::new(DEAF);
            let mut referee = Referee::start(&["--house", &engine.command()]);
            let mut client = referee.seat("player white");
            client.expect("351 ");
            let pids = deaf(engine.folder.path());
            assert!(pids.iter().all(|&pid| runs(pid)), "{signal}: {pids:?}");
            referee.signal(signal);
            referee.wait();
            wait_for_the_end(&pids);
        };
        // It is given a time to end.
        thread::scope(|scope| {
            for signal in ["-INT", "-TERM", "-KILL"] {
                scope.spawn(move || end(signal));
            }
        });
    }

    #[test]
    fn an_engine_that_waits_ends_with_the_referee() {
        let engine = Script::with("genmove) echo $$ >pid; printf '= pass\\n\\n';;");
        let mut referee = Referee::start(&["--house", &engine.command()]);
        let mut client = referee.seat("player white");
        client.expect("351 ");
        client.expect("315 ");
        let pid = fs::read_to_string(engine.folder.path().join("pid")).unwrap();
        referee.signal("-INT");
        client.lines_to("399 ");
        drop(client);
        assert!(referee.wait().success());
        wait_for_the_end(&[pid.trim().parse().unwrap()]);
        assert!(engine.log().ends_with("quit \n"), "{}", engine.log());
    }
}

#[test]
fn after_the_last_match_has_begun_the_house_plays_nobody_else() {
    let mut referee = Referee::start(&["--house", "1", "--tables", "2", "--stop-after", "1"]);
    let mut seated = referee.seat("player black");
    seated.lines_to("352 ");
    // The house at the second table has no match.
    let answers = [
        "192 There are already two players",
        "399 No more matches are played here",
    ];
    for (table, answer) in answers.into_iter().enumerate() {
        let mut late = Client::connect(referee.addresses[table]);
        late.expect("000 ");
        late.send("0.9.1 player ?\r");
        late.expect(answer);
        late.expect_end();
    }
    play_as(Color::Black, seated);
    assert_eq!(referee.wait().code(), Some(0));
}
