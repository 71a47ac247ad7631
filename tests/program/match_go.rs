//! `gothello match` in Go: captures, ko, and how games are counted.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::match_run::{MATCH, lines, report, run, script};
use crate::waiting::OutputInTime;

/// A case of the engine script that makes these moves, and then passes.
pub fn makes(moves: &str) -> String {
    let mut cases = String::new();
    for (number, mv) in moves.split_whitespace().enumerate() {
        cases.push_str(&format!("{number}) m={mv};; "));
    }
    format!(
        "genmove) case ${{k:=0}} in {cases} *) m=pass;; esac; k=$((k+1)); \
         printf '=%s %s\\n\\n' $1 $m;;"
    )
}

/// Plays a game of Go between engines that make these moves, and returns its line in the results
/// file.
#[track_caller]
fn game_of_go(folder: &Path, black: &str, white: &str, options: &[&str], code: i32) -> Value {
    let black = script(folder, "black", &makes(black));
    let white = script(folder, "white", &makes(white));
    let players = ["--player", &black, "--player", &white];
    let event = ["--game", "go", "--games", "1", "--results", "go.jsonl"];
    run(folder, &[&players, &event[..], options].concat(), code);
    lines(&folder.join("go.jsonl")).remove(1)
}

#[test]
fn an_impossible_position_in_a_results_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let passing = script(folder.path(), "passing", &makes(""));
    let other = script(folder.path(), "other", &makes(""));
    let players = ["--player", &passing, "--player", &other, "--games", "1"];
    let event = ["--game", "go", "--size", "3", "--results", "r.jsonl"];
    run(folder.path(), &[&players[..], &event].concat(), 0);
    let file = folder.path().join("r.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let setup = r#""setup":{"black":["A1"],"white":["A2","B1"],"to_move":"black"},"moves""#;
    fs::write(&file, text.replace(r#""moves""#, setup)).unwrap();
    for command in [vec!["report", "r.jsonl"], [&players[..], &event].concat()] {
        let output = run(folder.path(), &command, 1);
        let told = String::from_utf8(output.stderr).unwrap();
        let expected = "r.jsonl, line 2: the position before the first move (setup) is impossible: the \
                        group of the stone at A1 has no liberty";
        assert!(told.contains(expected), "{command:?}: {told}");
    }
}

#[test]
fn a_stone_that_is_captured_in_go_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    // The whole board is Black's: 9 points, less 7.5 for White.
    let game = game_of_go(folder.path(), "a2 b1", "a1", &["--size", "3"], 0);
    assert_eq!(
        (&game["verdict"], &game["result"]),
        (&json!("count"), &json!("B+1.5"))
    );
}

#[test]
fn a_board_of_go_has_up_to_25_rows() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--size", "25", "--komi", "0.5", "--sgf", "go.sgf"];
    let game = game_of_go(folder.path(), "z25", "a1", &options, 0);
    assert_eq!(
        (&game["verdict"], &game["result"]),
        (&json!("count"), &json!("W+0.5"))
    );
    let sgf = fs::read_to_string(folder.path().join("go.sgf")).unwrap();
    assert!(
        sgf.contains("SZ[25]") && sgf.contains(";B[ya]") && sgf.contains(";W[ay]"),
        "{sgf}"
    );
}

#[test]
fn a_ko_is_not_taken_back_at_once() {
    for (option, detail) in [
        (
            "--quiet",
            "superko forbids repeating a board with the same player to move",
        ),
        ("--no-superko", "ko forbids taking back at once"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (black, white) = ("b1 a2 b3 e5 c2", "c1 d2 c3 b2 b2");
        let game = game_of_go(folder.path(), black, white, &["--size", "5", option], 1);
        assert_eq!(game["verdict"], "illegal_move");
        assert_eq!(game["result"], "B+F");
        assert_eq!(game["detail"], format!("B2: {detail}"));
    }
}

const GNUGO: &str = "/usr/games/gnugo --mode gtp --chinese-rules --level 1";

/// GNU Go's own scores of the games in a folder, in their order.
fn gnu_go_scores(folder: &Path, games: usize) -> Vec<String> {
    let mut commands = String::new();
    for number in 1..=games {
        let path = folder.join(format!("{number:06}.sgf"));
        commands += &format!("loadsgf {}\nfinal_score\n", path.display());
    }
    let mut words = GNUGO.split_whitespace();
    let mut gnugo = Command::new(words.next().unwrap())
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = gnugo.stdin.take().unwrap();
    input.write_all((commands + "quit\n").as_bytes()).unwrap();
    drop(input);
    let output = String::from_utf8(gnugo.output_in_time().stdout).unwrap();
    let scores = output.lines().filter_map(|line| line.strip_prefix("= "));
    let scores = scores.filter(|answer| answer.contains('+') || *answer == "0");
    scores.map(str::to_owned).collect()
}

/// Whichever of the engines names dead stones, or a scorer in their place, the winner is GNU Go's.
#[test]
#[ignore = "plays games of GNU Go"]
fn gnu_go_counts_the_same() {
    // Hides GNU Go's command that lists dead stones.
    const HIDE: &str = r"
import subprocess, sys
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    words = line.split()
    if words[1:2] == ['final_status_list']:
        print(f'?{words[0]} unknown command\n', flush=True)
        continue
    engine.stdin.write(line)
    engine.stdin.flush()
    for answer in iter(engine.stdout.readline, ''):
        if answer.strip() != 'final_status_list':
            sys.stdout.write(answer)
        if answer == '\n':
            break
    sys.stdout.flush()
";
    const GAMES: usize = 6;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hide.py"), HIDE).unwrap();
    let hidden = format!("python3 hide.py {GNUGO}");
    let mut with_dead = 0;
    for (name, [one, two], scorer, by) in [
        ("neither", [GNUGO, GNUGO], None, &["players"][..]),
        ("one", [GNUGO, &hidden], None, &["black", "white"]),
        ("both", [&hidden, &hidden], Some(GNUGO), &["scorer"]),
    ] {
        let (one, two) = (format!("one={one} --seed 1"), format!("two={two} --seed 2"));
        let results = format!("{name}.jsonl");
        let games = GAMES.to_string();
        let players = ["--player", &one, "--player", &two, "--games", &games];
        let event = ["--game", "go", "--size", "9", "--seed", "1"];
        let files = ["--results", &results, "--sgf", name];
        let scorer: Vec<&str> = scorer.iter().flat_map(|line| ["--scorer", line]).collect();
        run(
            folder.path(),
            &[&players[..], &event, &files, &scorer].concat(),
            0,
        );
        let mut games = lines(&folder.path().join(&results)).split_off(1);
        games.sort_by_key(|game| game["number"].as_u64());
        let scores = gnu_go_scores(&folder.path().join(name), GAMES);
        assert_eq!(scores.len(), GAMES, "{name}: {scores:?}");
        for (game, score) in games.iter().zip(scores) {
            // GNU Go plays on before it counts, and may take a neutral point.
            let winner = |result: &str| result.chars().next();
            let result = game["result"].as_str().unwrap();
            assert_eq!(winner(result), winner(&score), "{name}: {score}: {game}");
            let found = game["scoring"]["by"].as_str().unwrap();
            assert!(by.contains(&found), "{name}: {game}");
            with_dead += usize::from(game["scoring"]["dead"].is_array());
        }
    }
    assert!(with_dead > 0, "no game had dead stones");
}

/// Cases of the engine script that answer a request for dead stones with these shell commands.
fn names_dead(answer: &str) -> String {
    format!(
        "list_commands) printf '=%s final_status_list\n\n' $1;;\nfinal_status_list) {answer};;\n"
    )
}

/// As above, with these stones.
fn names(stones: &str) -> String {
    names_dead(&format!("printf '=%s {stones}\n\n' $1"))
}

/// Plays a game at whose end Black has all of a board of 3x3 if the stone of White at A1 is dead, and
/// else loses. Returns the line in the results file.
#[track_caller]
fn dead_or_alive(folder: &Path, black: &str, white: &str, scorer: Option<&str>) -> Value {
    let black = script(folder, "black", &(black.to_owned() + &makes("a2 c1")));
    let white = script(folder, "white", &(white.to_owned() + &makes("a1")));
    let players = ["--player", &black, "--player", &white, "--games", "1"];
    let event = ["--game", "go", "--size", "3", "--results", "go.jsonl"];
    let scorer = scorer.map(|cases| script(folder, "scorer", cases).replace("scorer=", ""));
    let scorer: Vec<&str> = scorer.iter().flat_map(|line| ["--scorer", line]).collect();
    let files = ["--sgf", "game.sgf"];
    run(folder, &[&players[..], &event, &files, &scorer].concat(), 0);
    lines(&folder.join("go.jsonl")).remove(1)
}

#[test]
fn stones_are_dead_if_one_player_names_them_and_none_denies_it() {
    let (dead, none, mute) = (names("A1"), names(""), String::new());
    let fails = names_dead("echo 'I am lost' >&2; exit 3");
    let refuses = names_dead("printf '?%s too hard\\n\\n' $1");
    let no_list = "no final_status_list";
    let cases = [
        // Black, White, the scorer, whose answer counts, and a part of the detail.
        (&dead, &dead, None, "players", ""),
        (&dead, &names("a1"), None, "players", ""),
        (&dead, &mute, None, "black", no_list),
        (&mute, &dead, None, "white", no_list),
        (
            &dead,
            &none,
            None,
            "nobody",
            "Black names A1 as dead, White none",
        ),
        (
            &mute,
            &mute,
            None,
            "nobody",
            "Black: no final_status_list; White: no",
        ),
        (&mute, &mute, Some(&dead), "scorer", ""),
        (&none, &none, Some(&dead), "scorer", ""),
        (&dead, &none, Some(&dead), "scorer", ""),
        (&dead, &mute, Some(&none), "scorer", ""),
        // Players that fail at this do not lose.
        (&dead, &fails, None, "black", "exit status: 3"),
        (&dead, &refuses, None, "black", "too hard"),
        (
            &names("B3"),
            &dead,
            None,
            "white",
            "Black: it names \"B3\", which is no stone",
        ),
        (
            &names("Z9"),
            &mute,
            None,
            "nobody",
            "Black: it names \"Z9\", which is no stone",
        ),
        (&dead, &dead, Some(&fails), "players", "the scorer fails: "),
        (
            &dead,
            &mute,
            Some(&names("pass")),
            "black",
            "the scorer fails: it names \"PASS\"",
        ),
        (
            &mute,
            &mute,
            Some(&refuses),
            "nobody",
            "the scorer fails: the engine fails at",
        ),
    ];
    for (number, (black, white, scorer, by, detail)) in cases.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let game = dead_or_alive(folder.path(), black, white, scorer.map(String::as_str));
        assert_eq!(game["verdict"], "count", "{number}: {game}");
        assert_eq!(game["scoring"]["by"], by, "{number}: {game}");
        let is_dead = match by {
            "nobody" => false,
            "scorer" => scorer == Some(&dead),
            _ => true,
        };
        let (result, stones) = match is_dead {
            true => ("B+1.5", json!(["A1"])),
            false => ("W+6.5", Value::Null),
        };
        assert_eq!(game["result"], result, "{number}: {game}");
        assert_eq!(game["scoring"]["dead"], stones, "{number}: {game}");
        let told = game["detail"].as_str().unwrap_or_default();
        assert!(told.contains(detail), "{number}: {told}");
        assert_eq!(told.is_empty(), detail.is_empty(), "{number}: {told}");
        let sgf = fs::read_to_string(folder.path().join("game.sgf")).unwrap();
        assert_eq!(sgf.contains("says: A1\n"), is_dead, "{number}: {sgf}");
        assert!(sgf.contains(&told.replace(']', "\\]")), "{number}: {sgf}");
        // All points but Black's stones are Black's territory, or the white stone is alive.
        let territory = "TB[aa][ba][ca][bb][cb][ac][bc]";
        assert_eq!(sgf.contains(territory), is_dead, "{number}: {sgf}");
        let notice = report(folder.path(), "go.jsonl");
        let notice = notice.lines().find(|line| line.starts_with("Dead stones:"));
        let expected = match by {
            "nobody" => Some("in 1 game all stones counted as alive"),
            "black" | "white" => Some("in 1 game only one player named the dead stones"),
            _ => None,
        };
        assert_eq!(notice.is_some(), expected.is_some(), "{number}: {notice:?}");
        let expected = expected.unwrap_or_default();
        assert!(
            notice.unwrap_or_default().contains(expected),
            "{number}: {notice:?}"
        );
    }
}

#[test]
fn the_stones_of_a_dead_group_are_dead_together() {
    let folder = tempfile::tempdir().unwrap();
    let black = script(folder.path(), "black", &(names("A1") + &makes("a2 c1 c2")));
    let white = script(folder.path(), "white", &(names("B1 A1") + &makes("a1 b1")));
    let players = ["--player", &black, "--player", &white, "--games", "1"];
    let event = ["--game", "go", "--size", "3", "--results", "go.jsonl"];
    run(folder.path(), &[&players[..], &event].concat(), 0);
    let game = &lines(&folder.path().join("go.jsonl"))[1];
    let expected = json!({"by": "players", "dead": ["A1", "B1"]});
    assert_eq!(game["scoring"], expected, "{game}");
}

#[test]
fn a_useless_scorer_is_reported_before_a_game_begins() {
    let folder = tempfile::tempdir().unwrap();
    let player = |name: &str| script(folder.path(), name, &makes(""));
    let players = [player("a"), player("b")];
    let [a, b] = &players;
    let mute = script(folder.path(), "mute", "").replace("mute=", "");
    let crash = script(
        folder.path(),
        "crash",
        "list_commands) echo 'no weights' >&2; exit 4;;",
    );
    let crash = crash.replace("crash=", "");
    for (scorer, code, expected) in [
        ("./no-such-engine", 1, "error: scorer: "),
        (
            &*mute,
            1,
            "error: scorer: the engine does not list final_status_list",
        ),
        (&*crash, 1, "\n  no weights"),
        ("'", 2, "a quote is not closed"),
        ("", 2, "give the command line of a program"),
    ] {
        let arguments = [
            "--game", "go", "--player", a, "--player", b, "--scorer", scorer,
        ];
        let told = run(folder.path(), &arguments, code).stderr;
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains(expected), "{scorer}: {told}");
    }
    let arguments = ["--player", a, "--player", b, "--scorer", &mute];
    let told = MATCH.error(folder.path(), &arguments, 2);
    assert!(told.contains("--scorer is for --game go"), "{told}");
}

/// Of two scorers at the same time, the second one fails whenever it is started, after the first
/// one has answered with a game's dead stones.
#[test]
fn a_scorer_that_fails_to_start_later_does_not_end_the_event() {
    let folder = tempfile::tempdir().unwrap();
    let player = |name: &str| script(folder.path(), name, &(names("") + &makes("")));
    let players = [player("a"), player("b")];
    let [a, b] = &players;
    let cases = "list_commands)
        [ \"$first\" ] || mkdir first 2>&- && first=1 || {
            until [ $(wc -l <go.jsonl) -gt 1 ]; do sleep 0.02; done
            echo 'no weights' >&2
            exit 4
        }
        printf '=%s final_status_list\n\n' $1;;
        final_status_list) printf '=%s\n\n' $1;;";
    let scorer = script(folder.path(), "scorer", cases).replace("scorer=", "");
    #[rustfmt::skip]
    let arguments = [
        "--game", "go", "--size", "3", "--player", a, "--player", b, "--games", "12",
        "--concurrency", "2", "--scorer", &scorer, "--results", "go.jsonl",
    ];
    run(folder.path(), &arguments, 0);
    let games = lines(&folder.path().join("go.jsonl")).split_off(1);
    assert_eq!(games.len(), 12);
    let by = |who: &str| {
        games
            .iter()
            .filter(|game| game["scoring"]["by"] == *who)
            .count()
    };
    assert!(by("scorer") > 0 && by("players") > 0, "{games:?}");
    assert_eq!(by("scorer") + by("players"), 12, "{games:?}");
    for game in &games {
        let detail = game["detail"].as_str().unwrap_or_default();
        let has_failed = game["scoring"]["by"] == "players";
        assert_eq!(
            detail.starts_with("the scorer fails: "),
            has_failed,
            "{game}"
        );
    }
}

#[test]
fn an_event_file_has_a_scorer_on_which_results_depend() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| script(folder.path(), name, &names("A1"));
    let scorer = path("scorer").replace("scorer=", "");
    let [black, white] = [("black", "a2 c1"), ("white", "a1")]
        .map(|(name, moves)| script(folder.path(), name, &makes(moves)));
    let table = |player: &str| {
        let (name, command) = player.split_once('=').unwrap();
        format!("[[player]]\nname = {name:?}\ncommand = {command:?}\n")
    };
    let event = format!(
        "game = \"go\"\nsize = 3\ngames = 1\nscorer = {scorer:?}\n{}{}",
        table(&black),
        table(&white)
    );
    fs::write(folder.path().join("event.toml"), event).unwrap();
    let arguments = ["--event", "event.toml", "--results", "go.jsonl"];
    run(folder.path(), &arguments, 0);
    let game = &lines(&folder.path().join("go.jsonl"))[1];
    assert_eq!(game["scoring"]["by"], "scorer", "{game}");
    let other = [&arguments[..], &["--scorer", "other"]].concat();
    let told = String::from_utf8(run(folder.path(), &other, 1).stderr).unwrap();
    assert!(told.contains("\n  --scorer: sh "), "{told}");
}

/// An interruption at the count is not part of the game: it is played again.
#[cfg(unix)]
#[test]
fn a_game_that_is_interrupted_while_stones_are_counted_does_not_count() {
    use rustix::process::{Pid, Signal, kill_process};

    use crate::waiting::{EndsInTime, wait_until};

    let folder = tempfile::tempdir().unwrap();
    let waits = names_dead("touch counting; sleep 60");
    let [black, white] = [
        ("black", waits + &makes("a2")),
        ("white", names("") + &makes("")),
    ]
    .map(|(name, cases)| script(folder.path(), name, &cases));
    let players = ["--player", &black, "--player", &white, "--games", "1"];
    let event = ["--game", "go", "--size", "3", "--results", "go.jsonl"];
    let arguments = [&players[..], &event].concat();
    let mut runner = MATCH.command(folder.path(), &arguments).spawn().unwrap();
    wait_until("the count", || folder.path().join("counting").exists());
    kill_process(Pid::from_child(&runner), Signal::INT).unwrap();
    assert_eq!(runner.wait_in_time().code(), Some(1));
    assert_eq!(lines(&folder.path().join("go.jsonl")).len(), 1);
}

/// An engine that always passes, and records how stones are set up on its board.
fn passes(folder: &Path, name: &str, commands: &str) -> String {
    let cases = format!(
        "list_commands) printf '=%s {commands}\\n\\n' $1;;\n\
         genmove) printf '=%s pass\\n\\n' $1;;\n\
         play|set_free_handicap|clear_board) id=$1; shift; echo $* >> {name}.log; \
         printf '=%s\\n\\n' $id;;"
    );
    script(folder, name, &cases)
}

#[test]
fn games_of_go_begin_with_handicaps_and_stones_that_are_set_up() {
    let folder = tempfile::tempdir().unwrap();
    let openings = "(;SZ[5]HA[2]AB[bb][dd];W[cc])\n(;SZ[5]AB[bb]AW[dd][ed]PL[W])\n(;B[cc])";
    fs::write(folder.path().join("openings.sgf"), openings).unwrap();
    let knows = passes(folder.path(), "knows", "set_free_handicap");
    let plain = passes(folder.path(), "plain", "play");
    let players = ["--player", &knows, "--player", &plain, "--games", "6"];
    let event = ["--game", "go", "--size", "5", "--openings", "openings.sgf"];
    let files = [
        "--results",
        "go.jsonl",
        "--sgf",
        "sgf",
        "--concurrency",
        "1",
    ];
    let arguments = [&players[..], &event, &files].concat();
    run(folder.path(), &arguments, 0);
    let told = |name: &str| {
        let log = fs::read_to_string(folder.path().join(name)).unwrap();
        let games = log.split("clear_board\n").skip(1);
        games
            .map(|game| game.trim().replace('\n', ", "))
            .collect::<Vec<_>>()
    };
    let set_up = "play b B4, play w D2, play w E2";
    assert_eq!(
        told("knows.log"),
        [
            "set_free_handicap B4 D2, play w C3, play w pass",
            "set_free_handicap B4 D2, play w C3, play b pass",
            &format!("{set_up}, play w pass"),
            &format!("{set_up}, play b pass"),
            "play b C3, play w pass",
            "play b C3, play b pass",
        ]
    );
    assert_eq!(
        told("plain.log"),
        [
            "play b B4, play b D2, play w C3, play b pass",
            "play b B4, play b D2, play w C3, play w pass",
            &format!("{set_up}, play b pass"),
            &format!("{set_up}, play w pass"),
            "play b C3, play b pass",
            "play b C3, play w pass",
        ]
    );
    let lines = lines(&folder.path().join("go.jsonl"));
    let handicap = json!({"black": ["B4", "D2"], "handicap": true, "to_move": "white"});
    let stones = json!({"black": ["B4"], "white": ["D2", "E2"], "to_move": "white"});
    for (game, setup) in lines[1..]
        .iter()
        .zip([&handicap, &handicap, &stones, &stones])
    {
        assert_eq!(game["setup"], *setup, "{game}");
    }
    assert_eq!(lines[5]["setup"], Value::Null);
    // Two stones against one or two, and komi.
    assert_eq!(
        (&lines[1]["result"], &lines[3]["result"]),
        (&json!("W+6.5"), &json!("W+8.5"))
    );
    for (number, expected) in [
        (1, ["HA[2]AB[bb][dd]PL[W]\n;W[cc]", ";B[]"]),
        (3, ["]AB[bb]AW[dd][ed]PL[W]\n;W[]", ";B[]"]),
        (5, ["]\n;B[cc]", ";W[]"]),
    ] {
        let path = folder.path().join(format!("sgf/00000{number}.sgf"));
        let sgf = fs::read_to_string(path).unwrap();
        for part in expected {
            assert!(sgf.contains(part), "{number}: {part}: {sgf}");
        }
    }
    let text = report(folder.path(), "go.jsonl");
    assert!(text.contains("Black B4 D2, White to move; C3 "), "{text}");
    // The event continues with the existing records.
    run(folder.path(), &arguments, 0);
    MATCH.stdout(folder.path(), &["report", "go.jsonl", "--html", "go.html"]);
    let page = fs::read_to_string(folder.path().join("go.html")).unwrap();
    let board = "\"setup\":[[6,\"B\"],[18,\"B\"]],\"first\":\"white\"";
    assert!(page.contains(board), "{page}");
}

#[test]
fn an_opening_that_sets_up_stones_is_for_go() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.sgf"), "(;SZ[5]AB[cc];W[bb])").unwrap();
    let players = [
        "--player",
        "a=builtin:level=1",
        "--player",
        "b=builtin:level=2",
    ];
    let arguments = [&players[..], &["--openings", "x.sgf"]].concat();
    let told = String::from_utf8(run(folder.path(), &arguments, 1).stderr).unwrap();
    let expected = "game 1: stones can be set up (AB, AW, PL) only in openings of Go";
    assert!(told.contains(expected), "{told}");
}
