//! `gothello review`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::pty::Pty;
#[cfg(unix)]
use crate::result_line::result_line;
use crate::subcommand::Subcommand;
use crate::waiting::{EndsInTime, OutputInTime, Pipe};
use gothello::{Color, Game, Position, sgf};

const REVIEW: Subcommand = Subcommand("review");

/// A late position, in which Black can only pass.
const LATE: &str = "bw.ww/bbbwb/bbww./bbbbw/bbww. b";

/// A game from a late position, which takes no time to solve.
pub(super) fn game(moves: &[&str]) -> Game {
    let mut game = Game::from(LATE.parse::<Position>().unwrap());
    for mv in moves {
        game.play(game.to_move(), mv.parse().unwrap()).unwrap();
    }
    game
}

/// Writes the record of a game.
pub(super) fn write(path: &Path, players: [&str; 2], game: &Game) {
    let [black, white] = players.map(|name| Some(name.to_owned()).filter(|name| !name.is_empty()));
    let headers = sgf::Headers {
        players: gothello::ByColor { black, white },
        ..sgf::Headers::default()
    };
    fs::write(path, sgf::write_with(game, &headers, [])).unwrap();
}

/// A folder with two games, one of them in a folder below.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(
        &folder.path().join("a.sgf"),
        ["Ann", "Bob"],
        &game(&["pass", "e1", "pass", "pass"]),
    );
    let below = folder.path().join("round 2");
    fs::create_dir(&below).unwrap();
    write(&below.join("b.SGF"), ["Bob", ""], &game(&["pass", "c5"]));
    fs::write(folder.path().join("results.jsonl"), "not read\n").unwrap();
    folder
}

#[test]
fn each_move_has_a_line_with_what_it_cost() {
    let folder = folder();
    insta::assert_snapshot!(REVIEW.stdout(folder.path(), &["a.sgf"]), @r"
    a.sgf: Ann (Black) against Bob (White), B+3
     ply  player  move  value  lost  best moves
       0                W+24
       1  Black   pass  W+24
       2  White   e1    W+22   2     e3 c5
       3  Black   pass  W+22
       4  White   pass  B+3    25!   c5
    Black: 2 moves, 100.0 % perfect, 100.0 % kept the result, 0 stones lost
    White: 2 moves, 0.0 % perfect, 50.0 % kept the result, 27 stones lost, first mistake at ply 2, first blunder at ply 4
    W+24 at the start, Black lost 0, White lost 27: the score is B+3
    ");
}

#[test]
fn a_table_of_players_follows_the_games() {
    let folder = folder();
    insta::assert_snapshot!(REVIEW.stdout(folder.path(), &["."]), @r"
    ./a.sgf: Ann (Black) against Bob (White), B+3
     ply  player  move  value  lost  best moves
       0                W+24
       1  Black   pass  W+24
       2  White   e1    W+22   2     e3 c5
       3  Black   pass  W+22
       4  White   pass  B+3    25!   c5
    Black: 2 moves, 100.0 % perfect, 100.0 % kept the result, 0 stones lost
    White: 2 moves, 0.0 % perfect, 50.0 % kept the result, 27 stones lost, first mistake at ply 2, first blunder at ply 4
    W+24 at the start, Black lost 0, White lost 27: the score is B+3

    ./round 2/b.SGF: Bob (Black) against White
     ply  player  move  value  lost  best moves
       0                W+24
       1  Black   pass  W+24
       2  White   c5    W+24
    Black: 1 move, 100.0 % perfect, 100.0 % kept the result, 0 stones lost
    White: 1 move, 100.0 % perfect, 100.0 % kept the result, 0 stones lost
    W+24 at the start, Black lost 0, White lost 0: the value of the last position is W+24

    player     games  moves  perfect  kept result  lost per game  perfect games  first mistake  first blunder
    Ann            1      2  100.0 %      100.0 %           0.00              1              -              -
    Bob            2      3   33.3 %       66.7 %          13.50              1              2              4
    (no name)      1      1  100.0 %      100.0 %           0.00              1              -              -
    all            4      6   66.7 %       83.3 %           6.75              3              2              4
    ");
    let table = REVIEW.stdout(folder.path(), &["--summary", "."]);
    let all = REVIEW.stdout(folder.path(), &["a.sgf", "round 2/b.SGF"]);
    assert!(all.ends_with(&table), "{all}{table}");
}

#[test]
fn a_long_name_makes_no_wide_table() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(70_000);
    write(
        &folder.path().join("a.sgf"),
        [&long, "Bob"],
        &game(&["pass"]),
    );
    let table = REVIEW.stdout(folder.path(), &["--summary", "a.sgf"]);
    assert!(table.contains(&long));
    let others = table.lines().filter(|line| !line.contains(&long));
    insta::assert_snapshot!(others.collect::<Vec<_>>().join("\n"), @r"
    player                                    games  moves  perfect  kept result  lost per game  perfect games  first mistake  first blunder
    Bob                                           1      0        -            -           0.00              1              -              -
    all                                           2      1  100.0 %      100.0 %           0.00              2              -              -
    ");
}

#[test]
fn json_has_a_line_for_each_game_and_one_for_all() {
    let folder = folder();
    let printed = REVIEW.stdout(folder.path(), &["--json", "a.sgf", "round 2"]);
    let values: Vec<serde_json::Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(values.len(), 3, "{values:?}");
    assert_eq!(values[0]["plies"][3]["judgment"], "blunder");
    assert_eq!(values[0]["plies"][3]["best_moves"][0], "c5");
    assert_eq!(values[1]["over"], false);
    insta::assert_snapshot!(printed.lines().last().unwrap(), @r#"{"games":2,"players":[{"name":"Ann","games":1,"moves":2,"perfect_share":1.0,"kept_result_share":1.0,"lost":0,"perfect_games":1,"first_mistake":null,"first_blunder":null},{"name":"Bob","games":2,"moves":3,"perfect_share":0.3333333333333333,"kept_result_share":0.6666666666666666,"lost":27,"perfect_games":1,"first_mistake":2,"first_blunder":4},{"name":null,"games":1,"moves":1,"perfect_share":1.0,"kept_result_share":1.0,"lost":0,"perfect_games":1,"first_mistake":null,"first_blunder":null}],"all":{"name":null,"games":4,"moves":6,"perfect_share":0.6666666666666666,"kept_result_share":0.8333333333333334,"lost":27,"perfect_games":3,"first_mistake":2,"first_blunder":4}}"#);
}

#[test]
fn the_file_itself_gets_the_notes() {
    let folder = folder();
    let annotated = REVIEW.stdout(folder.path(), &["--sgf", "a.sgf"]);
    insta::assert_snapshot!(annotated, @r"
    (;FF[4]GM[1]CA[UTF-8]AP[gothello:1.0.0-rc.1]SZ[5]RU[Gothello]PB[Ann]PW[Bob]RE[B+3]AB[ae][be][ad][bd][cd][dd][ac][bc][ab][bb][cb][eb][aa]AW[ce][de][ed][cc][dc][db][ba][da][ea]C[gothello: W+24 under best play. Black: 2 moves, 100.0 % perfect, 100.0 % kept the result, 0 stones lost. White: 2 moves, 0.0 % perfect, 50.0 % kept the result, 27 stones lost, first mistake at ply 2, first blunder at ply 4.]V[-24]SBKV[0]SBKS[-24]
    ;B[]C[gothello: W+24]V[-24]SBKV[0]SBKS[-24];W[ee]C[gothello: W+22 instead of W+24, a mistake of 2 stones; best: e3 c5]V[-22]SBKV[0]SBKS[-22]TR[ca][ec]LB[ee:-2];B[]C[gothello: W+22]V[-22]SBKV[0]SBKS[-22];W[]C[gothello: B+3 instead of W+22, a blunder of 25 stones; best: c5]V[3]SBKV[100]SBKS[3]TR[ca])
    ");
    // The annotated file has the same game, and a second review changes nothing.
    let original = fs::read_to_string(folder.path().join("a.sgf")).unwrap();
    let games = [&original, &annotated].map(|text| sgf::read(text, usize::MAX).unwrap());
    assert_eq!(games[0], games[1]);
    fs::write(folder.path().join("again.sgf"), &annotated).unwrap();
    assert_eq!(
        REVIEW.stdout(folder.path(), &["--sgf", "again.sgf"]),
        annotated
    );
}

#[test]
fn a_file_without_a_game_is_named_and_the_others_are_reviewed() {
    let folder = folder();
    let path = |name| folder.path().join(name);
    fs::write(path("awari.sgf"), "South: x\nNorth: y\n\n1 C\n").unwrap();
    fs::write(path("text.sgf"), "hello").unwrap();
    fs::write(path("chess.sgf"), "(;GM[3];B[aa])").unwrap();
    fs::write(path("go.sgf"), "(;GM[1]SZ[19];B[aa])").unwrap();
    fs::write(path("large.sgf"), vec![b'('; 5 << 20]).unwrap();
    fs::create_dir(path("empty")).unwrap();
    let output = REVIEW.run(
        folder.path(),
        &["--summary", ".", "empty", "none.sgf", "results.jsonl"],
    );
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    insta::assert_snapshot!(errors, @r"
    empty: has no file whose name ends with .sgf
    none.sgf: cannot be read: No such file or directory (os error 2)
    results.jsonl, line 1: it is not the result of a game: expected ident at column 2
    ./awari.sgf: is a game of Awari, which has no exact values to review; gothello play shows it
    ./chess.sgf: wrong game: Gothello is recorded as GM[1]
    ./go.sgf: wrong board size 19x19: Gothello is recorded with SZ[5]
    ./large.sgf: cannot be read: it has more than 4194304 bytes
    ./text.sgf: not an SGF file: it does not begin with (;
    error: 8 games, files or folders could not be reviewed
    ");
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        table,
        REVIEW.stdout(folder.path(), &["--summary", "a.sgf", "round 2"])
    );
}

/// A path that is longer than the system allows cannot be read, not even by root.
#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_cannot_be_read_is_named_and_the_others_are_reviewed() {
    let folder = folder();
    let path = |name| folder.path().join(name);
    let levels = vec!["x".repeat(250); 10].join("/");
    for top in ["deep", "deeper"] {
        fs::create_dir_all(path(top).join(&levels)).unwrap();
    }
    fs::rename(path("deeper"), path("deep").join(&levels).join("deeper")).unwrap();

    let output = REVIEW.run(folder.path(), &["--summary", ".", "deep"]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    let [first, second, last] = errors.lines().collect::<Vec<_>>()[..] else {
        panic!("{errors}");
    };
    let deeper = format!("deep/{levels}/deeper/xxx");
    assert!(first.starts_with(&format!("./{deeper}")), "{first}");
    assert!(second.starts_with(&deeper), "{second}");
    for line in [first, second] {
        let why = "x: cannot be read: File name too long (os error 36)";
        assert!(line.ends_with(why), "{line}");
    }
    assert_eq!(
        last,
        "error: 2 games, files or folders could not be reviewed"
    );
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        REVIEW.stdout(folder.path(), &["--summary", "a.sgf", "round 2"])
    );
}

#[test]
fn the_matches_in_the_results_of_a_referee_are_reviewed() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let row = |id, tournament| result_line(id, ["=1", "\"x"], "black", tournament);
    let first = "20261120-093000-000001-0";
    let second = "20261120-093000-000002-1";
    let ids = [second, "20261120-093000-000003-2", "../a", first, second];
    fs::create_dir_all(path("course/games")).unwrap();
    let record = |id| path(&format!("course/games/{id}.sgf"));
    fs::copy(path("a.sgf"), record(first)).unwrap();
    fs::copy(path("round 2/b.SGF"), record(second)).unwrap();
    fs::write(path("course/games/other.sgf"), "not read").unwrap();
    let rows = ids.map(|id| row(id, None)).concat();
    let of_go = row("9", None).replace("Gothello", "Go");
    fs::write(path("course/results.jsonl"), rows + &of_go).unwrap();
    fs::write(path("empty.jsonl"), "").unwrap();
    let output = REVIEW.run(
        folder.path(),
        &["--summary", "course/results.jsonl", "empty.jsonl"],
    );
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @r#"
    course/results.jsonl, line 3: the record "../a.sgf" is not the name of a file in the folder games
    course/results.jsonl, line 2: the record 20261120-093000-000003-2.sgf cannot be read: No such file or directory (os error 2)
    course/results.jsonl, line 6: is a game of Go, not of Gothello
    empty.jsonl: has no matches
    error: 4 games, files or folders could not be reviewed
    "#);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        REVIEW.stdout(folder.path(), &["--summary", "a.sgf", "round 2"])
    );
    let json = REVIEW.stdout(&path("course"), &["--json", &format!("games/{first}.sgf")]);

    // The results say which matches are those of a tournament. One without a result was played again.
    let rows = [
        row(second, None),
        row(first, Some(1)),
        result_line(second, ["Ann", "Bob"], "none", Some(1)),
        row("20261120-093000-000004-0", Some(2)),
    ];
    fs::write(path("course/results.jsonl"), rows.concat()).unwrap();
    for name in ["results.jsonl", "."] {
        let of_one = ["--json", "--tournament", "1", name];
        let told = REVIEW.stdout(&path("course"), &of_one);
        assert_eq!(told.replace("./games", "games"), json);
    }
    let of_others = ["--tournament", "3", "results.jsonl", "-", "games"];
    let output = REVIEW.run(&path("course"), &of_others);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @r"
    results.jsonl: has no match of tournament 3
    -: has no results.jsonl of a referee, which --tournament needs: name its folder
    games: has no results.jsonl of a referee, which --tournament needs: name its folder
    error: 3 games, files or folders could not be reviewed
    ");
}

/// From the empty board, a debug build searches for minutes: the test does not wait for it.
#[test]
#[cfg(unix)]
fn progress_is_shown_on_a_terminal_before_the_first_game_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let mut long = Game::new();
    long.play(Color::Black, "c3".parse().unwrap()).unwrap();
    write(&folder.path().join("long.sgf"), ["Ann", "Bob"], &long);
    let pty = Pty::open();
    let mut command = REVIEW.command(
        folder.path(),
        &["--threads", "1", "--no-tablebase", "long.sgf"],
    );
    command.stdout(Stdio::null()).stderr(pty.stdio());
    let mut child = command.spawn().unwrap();
    drop(command);
    Pipe::new(pty.controller).take_to("0 of 1 game, 0.0 games/s");
    child.kill().unwrap();
    child.wait_in_time();
}

#[test]
fn a_file_counts_once_whatever_paths_lead_to_it() {
    let folder = folder();
    let once = REVIEW.stdout(folder.path(), &["--json", "a.sgf", "round 2"]);
    let twice = ["a.sgf", "round 2", "./a.sgf", ".", "round 2/../a.sgf", "."];
    let twice = [&["--json"], &twice[..]].concat();
    assert_eq!(REVIEW.stdout(folder.path(), &twice), once);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::symlink;
        let links = [
            ("a.sgf", "link.sgf"),
            ("round 2", "link"),
            ("..", "round 2/up"),
            (".", "round 2/here.sgf"),
            ("loop.sgf", "loop.sgf"),
        ];
        for (target, link) in links {
            symlink(target, folder.path().join(link)).unwrap();
        }
        let output = REVIEW.run(folder.path(), &["--json", "a.sgf", "link", ".", "link.sgf"]);
        let errors = String::from_utf8(output.stderr).unwrap();
        insta::assert_snapshot!(errors, @r"
        link/here.sgf: cannot be read: Is a directory (os error 21)
        ./loop.sgf: cannot be read: Too many levels of symbolic links (os error 40)
        error: 2 games, files or folders could not be reviewed
        ");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed.replace("link/b.SGF", "round 2/b.SGF"), once);
    }
    #[cfg(unix)]
    {
        let path = |name| folder.path().join(name);
        fs::hard_link(path("a.sgf"), path("same.sgf")).unwrap();
        assert_eq!(
            REVIEW.stdout(folder.path(), &["--json", "a.sgf", "same.sgf"]),
            REVIEW.stdout(folder.path(), &["--json", "a.sgf"])
        );
    }
}

#[test]
fn all_games_of_a_collection_are_reviewed() {
    let folder = folder();
    let path = folder.path().join("all.sgf");
    let first = fs::read_to_string(folder.path().join("a.sgf")).unwrap();
    let second = fs::read_to_string(folder.path().join("round 2/b.SGF")).unwrap();
    let collection = format!("{first}\n(;GM[1]SZ[5];AB[zz])\n\n{second}(;SZ[9]C[a )]");
    fs::write(&path, collection).unwrap();
    let output = REVIEW.run(folder.path(), &["all.sgf"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @r"
    all.sgf:2: line 3, column 14: AB[zz] is not on the 5x5 board
    all.sgf:4: wrong board size 9x9: Gothello is recorded with SZ[5]
    error: 2 games, files or folders could not be reviewed
    ");
    // Except for the names, everything is as with two files.
    let table = String::from_utf8(output.stdout).unwrap();
    let table = table
        .replace("all.sgf:1:", "a.sgf:")
        .replace("all.sgf:3:", "round 2/b.SGF:");
    assert_eq!(
        table,
        REVIEW.stdout(folder.path(), &["a.sgf", "round 2/b.SGF"])
    );
    // The annotated games are a collection again.
    fs::write(&path, format!("{first}{second}")).unwrap();
    let annotated = REVIEW.stdout(folder.path(), &["--sgf", "all.sgf"]);
    assert_eq!(sgf::games(&annotated).count(), 2, "{annotated}");
    fs::write(&path, &annotated).unwrap();
    assert_eq!(
        REVIEW.stdout(folder.path(), &["--sgf", "all.sgf"]),
        annotated
    );
}

/// Two moves before the end, so that no search is long.
const LATE_FILE: &str = "(;GM[1]SZ[5]XY[1]AB[ae][ad][bd][cd][ed][ac][bc][ab][bb][cb][db][aa][ba]\n\
    AW[be][de][ee][dd][cc][dc][eb][ca][da]PL[B]";

#[test]
fn the_legal_beginning_is_reviewed_and_a_warning_says_where_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let file = "all.sgf";
    let reviewed = |text: &str, options: &[&str]| {
        fs::write(folder.path().join(file), text).unwrap();
        let output = REVIEW.run(folder.path(), &[options, &[file]].concat());
        assert!(output.status.success(), "{output:?}");
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let [whole, _] = reviewed(&format!("{LATE_FILE};B[];W[])"), &[]);
    for (rest, expected) in [
        (
            ";B[];W[];B[ce])",
            "line 2, column 53: move 3, B[ce], is illegal: the game is over; it is left out with all that follows it",
        ),
        (
            ";B[];W[](;B[ce])(;W[ce]))",
            "line 2, column 54: move 3, B[ce], is illegal: the game is over; it is left out with all that follows it",
        ),
        (
            ";B[];W[];B[c",
            "line 2, column 53: the text ends in B[c, which is left out",
        ),
        (
            ";B[ ];W[tt]",
            "line 2, column 55: the text ends before the last parenthesis",
        ),
        (
            ";B[][ce];W[])",
            "line 2, column 45: of the values of B[][ce], the first is the move",
        ),
        (
            "(;B[aa])(;B[];W[]))",
            "line 2, column 46: move 1, B[aa], is illegal: a5 is occupied; it is left out with all that follows it",
        ),
    ] {
        let text = format!("{LATE_FILE}{rest}");
        let [table, warnings] = reviewed(&text, &[]);
        assert_eq!(table, whole, "{text}");
        let warnings: Vec<&str> = warnings.lines().collect();
        assert!(
            warnings.contains(&&*format!("warning: {file}: {expected}")),
            "{warnings:#?}"
        );
        // The file with notes has all that it had.
        let [annotated, _] = reviewed(&text, &["--sgf"]);
        assert!(annotated.contains("XY[1]"), "{annotated}");
        assert_eq!(
            annotated.contains("B[ce]"),
            text.contains("B[ce])"),
            "{annotated}"
        );
        let [again, _] = reviewed(&annotated, &["--sgf"]);
        assert_eq!(again, annotated);
    }
}

#[test]
fn the_number_of_threads_and_the_tablebase_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (number, last) in ["c5", "e3", "e1", "pass"].into_iter().enumerate() {
        let path = folder.path().join(format!("{number}.sgf"));
        write(&path, ["Ann", "Bob"], &game(&["pass", last]));
    }
    let one = REVIEW.stdout(folder.path(), &["--threads", "1", "--hash", "1", "."]);
    assert_eq!(
        one.matches(": Ann (Black) against Bob (White)").count(),
        4,
        "{one}"
    );
    for threads in ["2", "3", "16"] {
        let other = REVIEW.stdout(
            folder.path(),
            &["--threads", threads, "--no-tablebase", "."],
        );
        assert_eq!(one, other, "{threads}");
    }
}

#[test]
fn a_cache_keeps_what_was_found_and_survives_a_kill() {
    let folder = folder();
    let path = folder.path().join("values.cache");
    let run = || REVIEW.stdout(folder.path(), &["--cache", "values.cache", "."]);
    let first = run();
    let written = fs::read(&path).unwrap();
    assert!(written.len() > 100);
    assert_eq!(run(), first);
    assert_eq!(fs::read(&path).unwrap(), written, "nothing new was found");
    // Every way in which a kill can tear the file.
    for length in [0, 5, 9, 11, 40, written.len() / 2, written.len() - 1] {
        fs::write(&path, &written[..length]).unwrap();
        assert_eq!(run(), first, "torn at {length}");
        let lines = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').count();
        assert_eq!(lines(&fs::read(&path).unwrap()), lines(&written));
    }
    // The cache is used: a wrong value in it is visible.
    let text = String::from_utf8(written).unwrap();
    let wrong = text.lines().map(|line| {
        let (_, json) = line.split_once(' ').unwrap();
        let (before, rest) = json.split_once("\"value\":").unwrap();
        let (_, after) = rest.split_once(',').unwrap();
        let json = format!("{before}\"value\":1,{after}");
        format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
    });
    let wrong: String = wrong.collect();
    fs::write(&path, &wrong).unwrap();
    assert_ne!(run(), first);
    // A file that cannot be a cache is left unchanged.
    for (text, why) in [
        ("(;SZ[5])", "it is not a cache of gothello review"),
        (
            &*wrong.replacen(' ', " {\"p\":1}\n00000000 ", 1),
            "values.cache, line 1: its checksum is wrong",
        ),
    ] {
        fs::write(&path, text).unwrap();
        let error = REVIEW.error(folder.path(), &["--cache", "values.cache", "."], 1);
        assert_eq!(error, format!("error: --cache values.cache: {why}"));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn the_sum_is_exact_in_a_game_of_the_guide() {
    // The whole game of GoGui's example; its late part is solved here.
    let text = include_str!("../../gogui/game.sgf");
    let game = sgf::read(text, usize::MAX).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut late = Game::from(game.steps().nth(15).unwrap().1.with_to_move(Color::White));
    for (color, mv) in gothello::game::Game::moves(&game).skip(15) {
        late.play(color, mv).unwrap();
    }
    write(&folder.path().join("late.sgf"), ["", ""], &late);
    let printed = REVIEW.stdout(folder.path(), &["late.sgf"]);
    let sum = printed.lines().last().unwrap();
    insta::assert_snapshot!(sum, @"W+3 at the start, Black lost 0, White lost 0: the score is W+3");
}

/// The output for what comes through a pipe, and the errors.
fn piped(folder: &Path, arguments: &[&str], text: &[u8]) -> [String; 2] {
    let mut command = REVIEW.command(folder, arguments);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // The program may end before it has read everything.
    let _ = pipe.write_all(text);
    drop(pipe);
    let output = child.output_in_time();
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
}

/// A pipe can be read only once.
#[test]
fn games_come_through_a_pipe() {
    let folder = folder();
    let game = fs::read(folder.path().join("a.sgf")).unwrap();
    let expected = REVIEW.stdout(folder.path(), &["--summary", "a.sgf"]);
    let whole = |output: String| [output, String::new()];
    for path in ["-", "/dev/stdin"] {
        if path == "-" || cfg!(unix) {
            let output = piped(folder.path(), &["--summary", path], &game);
            assert_eq!(output, whole(expected.clone()));
            let twice = piped(folder.path(), &["--summary", path, path], &game);
            assert_eq!(twice, whole(expected.clone()));
        }
    }
    let collection = [&game[..], b"\n", &game].concat();
    let [table, _] = piped(folder.path(), &["-"], &collection);
    assert!(table.contains("\n-:2: Ann (Black)"), "{table}");

    // Errors in it are reported as for a file.
    let why = |text: &[u8]| piped(folder.path(), &["-"], text)[1].clone();
    insta::assert_snapshot!(why(b""), @r"
    -: not an SGF file: it is empty
    error: 1 game, file or folder could not be reviewed
    ");
    insta::assert_snapshot!(why(b"hello (;SZ[5]) (;SZ[5])"), @r"
    -: not an SGF file: it does not begin with (;
    error: 1 game, file or folder could not be reviewed
    ");
    insta::assert_snapshot!(why(&vec![b' '; (64 << 20) + 1]), @r"
    -: cannot be read: it has more than 67108864 bytes
    error: 1 game, file or folder could not be reviewed
    ");
}

/// The late game with a name in an encoding, as a file of these bytes.
fn encoded(encoding: &str, name: &[u8]) -> Vec<u8> {
    let text = sgf::write(&game(&["pass", "c5"]));
    let (head, tail) = text.split_once("CA[UTF-8]").unwrap();
    [
        head.as_bytes(),
        encoding.as_bytes(),
        b"PB[",
        name,
        b"]",
        tail.as_bytes(),
    ]
    .concat()
}

#[test]
fn files_in_other_encodings_become_utf_8() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    for (encoding, bytes, name) in [
        ("CA[ISO-8859-1]", &b"J\xF6rg"[..], "Jörg"),
        ("", b"J\xF6rg", "Jörg"),
        ("CA[gb2312]", b"\xCE\xE2\x9D\x5D", "吴漖"),
        ("CA[Shift_JIS]", b"\x83\x5C", "ソ"),
        ("CA[UTF-8]", "Jörg 吴".as_bytes(), "Jörg 吴"),
        ("", "Jörg 吴".as_bytes(), "Jörg 吴"),
        ("CA[UTF-8]", b"J\xF6rg", "J\u{fffd}rg"),
    ] {
        fs::write(&path, encoded(encoding, bytes)).unwrap();
        let table = REVIEW.stdout(folder.path(), &["game.sgf"]);
        let title = format!("game.sgf: {name} (Black) against White\n");
        assert!(table.starts_with(&title), "{encoding}: {table}");
        let annotated = REVIEW.stdout(folder.path(), &["--sgf", "game.sgf"]);
        assert_eq!(annotated.matches("CA[UTF-8]").count(), 1, "{annotated}");
        assert!(annotated.contains(&format!("PB[{name}]")), "{annotated}");
        // A second review does not change it.
        fs::write(&path, &annotated).unwrap();
        let again = REVIEW.stdout(folder.path(), &["--sgf", "game.sgf"]);
        assert_eq!(again, annotated);
    }
}
