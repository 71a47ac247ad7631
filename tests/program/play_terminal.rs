//! `gothello play --terminal`: at a pipe and at a pseudo-terminal.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::subcommand::Subcommand;
use crate::waiting::{Deadline, EndsInTime, OutputInTime, Pipe};

const PLAY: Subcommand = Subcommand("play");

/// The whole dialogue when these lines are typed.
fn conversation(folder: &Path, options: &[&str], lines: &[&str]) -> String {
    let options = [&["--terminal"][..], options].concat();
    let mut child = PLAY
        .command(folder, &options)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all((lines.join("\n") + "\n").as_bytes())
        .unwrap();
    drop(input);
    let output = child.output_in_time();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stderr, b"", "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A late position, in which the stone of a move may have no liberty.
const LATE: &str = "(;GM[1]SZ[5]AB[ae][ad][bd][cd][ed][ac][bc][ab][bb][cb][db][aa][ba]\
    AW[be][de][ee][dd][cc][dc][eb][ca][da])";

#[test]
fn a_game_of_two_people_with_what_the_computer_knows() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("late.sgf"), LATE).unwrap();
    let lines = [
        "values",
        "hint",
        "c5",
        "c1",
        "z9",
        "hnit",
        "Hlep",
        "pas",
        "pass",
        "undo",
        "resign",
        "hint",
        "c3",
        "undo",
        "save late.sgf",
        "save new.sgf",
        "save",
        "load none.sgf",
        "side green",
        "level 12",
        "level perfect",
        "pass",
        "pass",
        "quit",
    ];
    let told = conversation(folder.path(), &["--side", "both", "late.sgf"], &lines);
    insta::assert_snapshot!(told, @r#"
    A liberty is an empty point next to a group of connected stones. Groups of the other color that your
    stone leaves without a liberty change color; its own group must have one before that. Two passes in a
    row end the game, and the player with more stones wins.
    You play both sides, Black (X) and White (O).
    Type a move or help.
      a b c d e
    5 X X O O . 5
    4 X X X X O 4
    3 X X O O . 3
    2 X X X O X 2
    1 X O . O O 1
      a b c d e
    Black (X)> values
    W+24: pass
    Black (X)> hint
    pass: W+24
    Black (X)> c5
    c5 is illegal: c5 is occupied
    Black (X)> c1
    c1 is illegal: a stone at c1 would have no liberty
    Black (X)> z9
    "z9" is not a move: type a letter a-e and a digit 1-5, pass, resign or help
    Black (X)> hnit
    "hnit" is not a move: type a letter a-e and a digit 1-5, pass, resign or help; did you mean hint?
    Black (X)> Hlep
    "Hlep" is not a move: type a letter a-e and a digit 1-5, pass, resign or help; did you mean help?
    Black (X)> pas
    "pas" is not a move: type a letter a-e and a digit 1-5, pass, resign or help; did you mean pass?
    Black (X)> pass
    Black (X) passes
      a b c d e
    5 X X O O . 5
    4 X X X X O 4
    3 X X O O . 3
    2 X X X O X 2
    1 X O . O O 1
      a b c d e
    White (O)> undo
      a b c d e
    5 X X O O . 5
    4 X X X X O 4
    3 X X O O . 3
    2 X X X O X 2
    1 X O . O O 1
      a b c d e
    Black (X)> resign
    Black resigns: White wins.
    new, undo or quit> hint
    the game is over: type new or undo
    new, undo or quit> c3
    the game is over: type new or undo
    new, undo or quit> undo
      a b c d e
    5 X X O O . 5
    4 X X X X O 4
    3 X X O O . 3
    2 X X X O X 2
    1 X O . O O 1
      a b c d e
    Black (X)> save late.sgf
    saved to late.sgf
    Black (X)> save new.sgf
    saved to new.sgf
    Black (X)> save
    the name of a file is missing: type save FILE
    Black (X)> load none.sgf
    none.sgf cannot be read: No such file or directory (os error 2)
    Black (X)> side green
    "green" is no side: type side black, white, both or none
    Black (X)> level 12
    "12" is no level: type level 1 to level 9, or level perfect
    Black (X)> level perfect
    the computer plays at level perfect
    Black (X)> pass
    Black (X) passes
      a b c d e
    5 X X O O . 5
    4 X X X X O 4
    3 X X O O . 3
    2 X X X O X 2
    1 X O . O O 1
      a b c d e
    White (O)> pass
    White (O) passes
      a b c d e
    5 X X O O . 5
    4 X X X X O 4
    3 X X O O . 3
    2 X X X O X 2
    1 X O . O O 1
      a b c d e
    Black wins by 4, 13 to 9.
    new, undo or quit> quit
    "#);
    let saved = fs::read_to_string(folder.path().join("new.sgf")).unwrap();
    assert!(gothello::sgf::read(&saved, usize::MAX).is_ok());
}

/// The new game does not inherit its end or its file name.
#[test]
fn a_new_game_keeps_nothing_of_the_old_one() {
    for (game, first, second) in [("gothello", "c3", "d3"), ("awari", "C", "f")] {
        let folder = tempfile::tempdir().unwrap();
        // The output after each line.
        let answers = |lines: &[&str]| {
            let options = ["--game", game, "--side", "both"];
            let told = conversation(folder.path(), &options, lines);
            // The first line is the echo.
            let answers = told.split("> ").filter_map(|part| part.split_once('\n'));
            answers
                .map(|(_, answer)| answer.to_owned())
                .skip(1)
                .collect::<Vec<String>>()
        };
        let alone = answers(&["board", first]);
        let old = [first, second, "save old", "resign"];
        let told = answers(&[&old[..], &["new", "undo", "save old", first]].concat());
        let [new, undo, save, again] = &told[old.len()..old.len() + 4] else {
            panic!("{told:#?}");
        };
        assert_eq!([new, again], [&alone[0], &alone[1]]);
        let [undo, save] = [undo, save].map(|answer| answer.lines().next().unwrap());
        assert_eq!(undo, "there is no move of yours to take back");
        assert_eq!(save, "old: it exists: save the game under another name");
    }
}

#[test]
fn a_command_can_be_abbreviated_unless_that_is_a_move_or_ambiguous() {
    let folder = tempfile::tempdir().unwrap();
    let answers = |game, lines: &[&str]| -> Vec<String> {
        let told = conversation(folder.path(), &["--game", game, "--side", "both"], lines);
        // What follows each line.
        let parts = told.split("> ").filter_map(|part| part.split_once('\n'));
        parts.map(|(_, answer)| answer.to_owned()).collect()
    };
    assert_eq!(
        answers("gothello", &["c3", "u", "le 2", "Res", "n", "q", "c3"]),
        answers(
            "gothello",
            &["c3", "undo", "level 2", "resign", "new", "quit", "c3"]
        )
    );
    let ambiguous = answers("gothello", &["h"]);
    assert!(
        ambiguous[1].starts_with("\"h\" is not a move: "),
        "{ambiguous:?}"
    );
    assert_eq!(
        answers("awari", &["b", "u", "q"]),
        answers("awari", &["B", "undo", "quit"])
    );
}

#[test]
fn the_computer_answers_and_its_answer_is_taken_back_with_the_move() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--level", "1", "--seed", "3"];
    let lines = ["c3", "undo 3", "undo", "undo", "side white", "quit"];
    insta::assert_snapshot!(conversation(folder.path(), &options, &lines), @r#"
    A liberty is an empty point next to a group of connected stones. Groups of the other color that your
    stone leaves without a liberty change color; its own group must have one before that. Two passes in a
    row end the game, and the player with more stones wins.
    You play Black (X), and the computer White (O).
    Type a move or help.
      a b c d e
    5 . . . . . 5
    4 . . . . . 4
    3 . . . . . 3
    2 . . . . . 2
    1 . . . . . 1
      a b c d e
    Black (X)> c3
    Black (X) plays c3
      a b c d e
    5 . . . . . 5
    4 . . . . . 4
    3 . .(X). . 3
    2 . . . . . 2
    1 . . . . . 1
      a b c d e
    White (O) plays d1
      a b c d e
    5 . . . . . 5
    4 . . . . . 4
    3 . . X . . 3
    2 . . . . . 2
    1 . . .(O). 1
      a b c d e
    Black (X)> undo 3
    undo stands alone: type undo without "3"
    Black (X)> undo
      a b c d e
    5 . . . . . 5
    4 . . . . . 4
    3 . . . . . 3
    2 . . . . . 2
    1 . . . . . 1
      a b c d e
    Black (X)> undo
    there is no move of yours to take back
    Black (X)> side white
    Black (X) plays c4
      a b c d e
    5 . . . . . 5
    4 . .(X). . 4
    3 . . . . . 3
    2 . . . . . 2
    1 . . . . . 1
      a b c d e
    White (O)> quit
    "#);
}

#[test]
fn the_computer_plays_a_whole_game_against_itself() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--level", "1", "--seed", "3", "--side", "none"];
    let told = conversation(folder.path(), &options, &["save game.sgf"]);
    let plays = told.lines().filter(|line| line.contains(" plays "));
    assert!(plays.count() > 8, "{told}");
    let saved = fs::read_to_string(folder.path().join("game.sgf")).unwrap();
    let game = gothello::sgf::read(&saved, usize::MAX).unwrap();
    let margin = game.outcome().unwrap().lead_of(gothello::Color::Black);
    assert!(
        told.contains(&format!(" wins by {}, ", margin.abs())),
        "{told}"
    );
}

#[test]
fn the_perfect_player_chooses_among_the_best_moves_at_random_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let game = |seed: &str| {
        let options = [
            "--side",
            "white",
            "--level",
            "perfect",
            "--random-best",
            "--seed",
            seed,
        ];
        conversation(folder.path(), &options, &["quit"])
    };
    let games = ["1", "2", "3", "4", "5", "6"].map(|seed| (game(seed), seed));
    for (told, seed) in &games {
        assert_eq!(game(seed), *told);
    }
    assert!(
        games.iter().any(|(told, _)| *told != games[0].0),
        "{games:?}"
    );
}

#[test]
fn awari_is_played_too() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        "C",
        "f",
        "x",
        "undo",
        "level 3",
        "save awari.txt",
        "new",
        "load awari.txt",
    ];
    let options = ["--game", "awari", "--side", "both"];
    insta::assert_snapshot!(conversation(folder.path(), &options, &lines), @r#"
    Sow all stones of one of your pits, counterclockwise. If the last one makes two or three in a pit of
    the other player, you capture these, and those in the pits before it that also hold two or three. 25
    captured stones win.
    You play both sides, South and North.
    Type a move or help.
            f   e   d   c   b   a
    North   4   4   4   4   4   4   0
    South   4   4   4   4   4   4   0
            A   B   C   D   E   F
    South> C
    South plays C
            f   e   d   c   b   a
    North   4   4   4   4   4   5   0
    South   4   4  (0)  5   5   5   0
            A   B   C   D   E   F
    North> f
    North plays f
            f   e   d   c   b   a
    North  (0)  4   4   4   4   5   0
    South   5   5   1   6   5   5   0
            A   B   C   D   E   F
    South> x
    "x" is not a move: type a letter A-F (South) or a-f (North), draw?, resign or help
    South> undo
            f   e   d   c   b   a
    North   4   4   4   4   4   5   0
    South   4   4  (0)  5   5   5   0
            A   B   C   D   E   F
    North> level 3
    the engine for Awari has no levels
    North> save awari.txt
    saved to awari.txt
    North> new
            f   e   d   c   b   a
    North   4   4   4   4   4   4   0
    South   4   4   4   4   4   4   0
            A   B   C   D   E   F
    South> load awari.txt
            f   e   d   c   b   a
    North   4   4   4   4   4   5   0
    South   4   4  (0)  5   5   5   0
            A   B   C   D   E   F
    North>
    "#);
    let answered = conversation(
        folder.path(),
        &["--game", "awari"],
        &["C", "hint", "values"],
    );
    assert!(answered.contains("\nNorth plays "), "{answered}");
    let options = ["--terminal", "--game", "awari", "--level", "3"];
    let error = PLAY.error(folder.path(), &options, 2);
    assert_eq!(error, "error: --level is for --game gothello");
    let error = PLAY.error(folder.path(), &["--terminal", "none.sgf"], 1);
    assert_eq!(
        error,
        "error: none.sgf cannot be read: No such file or directory (os error 2)"
    );
}

/// Options that have no effect on the page or in the terminal.
#[test]
fn options_of_the_other_kind_of_play_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = |arguments: &str| {
        let words: Vec<_> = arguments.split(' ').collect();
        PLAY.error(folder.path(), &words, 2)
    };
    for option in [
        "--no-browser",
        "--host <HOST>",
        "--port <PORT>",
        "--allowed-host <HOST>",
        "--trusted-proxy <ADDRESS>",
        "--searches <N>",
    ] {
        let typed = option.replace("<HOST>", "::1").replace("<ADDRESS>", "::1");
        let typed = typed.replace("<PORT>", "1").replace("<N>", "1");
        let found = error(&format!("--terminal {typed}"));
        let why = format!("error: the argument '--terminal' cannot be used with '{option}");
        assert!(found.starts_with(&why), "{found}");
    }
    let awari = |more: &str| error(&format!("--game awari --seed 1 {more}"));
    insta::assert_snapshot!(awari("--level 3 --hash 1 --threads 1 --no-tablebase"), @"error: --level, --seed are for --game gothello");
    insta::assert_snapshot!(awari("--terminal --level 3 --hash 1 --threads 1 --no-tablebase"), @"error: --level, --seed, --threads, --hash, --no-tablebase are for --game gothello");
    insta::assert_snapshot!(error("--grand-slam b --level 3"), @"error: --grand-slam is for --game awari");
}

#[cfg(target_os = "linux")]
#[test]
fn as_many_threads_search_as_the_option_says() {
    use std::time::Duration;

    use crate::waiting::wait_for;

    let folder = tempfile::tempdir().unwrap();
    // Some of its threads search; a few others wait for signals and the like.
    for (threads, least, most) in [("12", 12, 18), ("1", 2, 7)] {
        let options = ["--terminal", "--no-tablebase", "--threads", threads];
        let mut command = PLAY.command(folder.path(), &options);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"values\n").unwrap();
        let tasks = format!("/proc/{}/task", child.id());
        let count = || fs::read_dir(&tasks).unwrap().count();
        wait_for("the threads", count, || (count() >= least).then_some(()));
        let later = Deadline::within(Duration::from_millis(200));
        assert_eq!(
            later.find(|| Some(count()).filter(|&count| count > most)),
            None,
            "{threads}"
        );
        child.kill().unwrap();
        child.wait_in_time();
    }
}

#[test]
fn a_file_says_which_game_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let record = "South: Ann\nNorth: Bob\nRules: b claim\n\n1 C 0.250 s\n1 ... f 1.500 s\n";
    for (name, text) in [("record.txt", record), ("words.txt", "C f\n")] {
        fs::write(folder.path().join(name), text).unwrap();
        let told = conversation(folder.path(), &["--side", "both", name], &["undo"]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(told, @r"
            Sow all stones of one of your pits, counterclockwise. If the last one makes two or three in a pit of
            the other player, you capture these, and those in the pits before it that also hold two or three. 25
            captured stones win.
            You play both sides, South and North.
            Type a move or help.
                    f   e   d   c   b   a
            North  (0)  4   4   4   4   5   0
            South   5   5   1   6   5   5   0
                    A   B   C   D   E   F
            South> undo
                    f   e   d   c   b   a
            North   4   4   4   4   4   5   0
            South   4   4  (0)  5   5   5   0
                    A   B   C   D   E   F
            North>
            ");
        }
    }
    // In the middle of a game of Gothello, it is not.
    let lines = ["load words.txt", "load none.txt"];
    let told = conversation(folder.path(), &["--side", "both"], &lines);
    insta::assert_snapshot!(told, @r"
    A liberty is an empty point next to a group of connected stones. Groups of the other color that your
    stone leaves without a liberty change color; its own group must have one before that. Two passes in a
    row end the game, and the player with more stones wins.
    You play both sides, Black (X) and White (O).
    Type a move or help.
      a b c d e
    5 . . . . . 5
    4 . . . . . 4
    3 . . . . . 3
    2 . . . . . 2
    1 . . . . . 1
      a b c d e
    Black (X)> load words.txt
    words.txt: it is a game of Awari
    Black (X)> load none.txt
    none.txt cannot be read: No such file or directory (os error 2)
    Black (X)>
    ");
    fs::write(folder.path().join("game.sgf"), LATE).unwrap();
    let error = |options: &[&str]| PLAY.error(folder.path(), options, 1);
    insta::assert_snapshot!(error(&["--terminal", "--game", "awari", "game.sgf"]), @"error: game.sgf is no game: it is an SGF file; a game of Awari is a record, or its moves as words");
    // The first of many games is opened.
    fs::write(folder.path().join("many.sgf"), LATE.repeat(10_000)).unwrap();
    let one = conversation(folder.path(), &["--side", "both", "game.sgf"], &["pass"]);
    let many = conversation(folder.path(), &["--side", "both", "many.sgf"], &["pass"]);
    assert_eq!(many, one);
    let lines = ["save game.sgf"];
    let told = conversation(folder.path(), &["--side", "both", "many.sgf"], &lines);
    assert!(
        told.contains("it exists: save the game under another name"),
        "{told}"
    );
    fs::write(folder.path().join("long.sgf"), "x".repeat(5 << 20)).unwrap();
    insta::assert_snapshot!(error(&["--terminal", "long.sgf"]), @"error: long.sgf is longer than 4194304 bytes, the most of a game");
    fs::write(folder.path().join("wrong.txt"), "C D").unwrap();
    insta::assert_snapshot!(error(&["wrong.txt"]), @"error: wrong.txt is no game: move 2 (D) is illegal: D is not North's pit");
}

#[test]
fn a_game_is_saved_in_the_file_that_it_is_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    // In Shift-JIS, which the file does not name; the second game of two, and a variation.
    let file = b"(;SZ[5]PB[\x8d\x95\x94\xd4]XY[1]RE[W+R]\n;B[cc]C[good](;W[cd];B[dd])(;W[dc]TR[cc]))\n(;SZ[5];B[aa])\n";
    let saved = |lines: &[&str]| {
        fs::write(&path, file).unwrap();
        let lines = [lines, &["save game.sgf", "load game.sgf"]].concat();
        let told = conversation(folder.path(), &["--side", "both", "game.sgf"], &lines);
        assert!(told.contains("saved to game.sgf"), "{told}");
        gothello::sgf::decode(&fs::read(&path).unwrap())
    };
    assert_eq!(saved(&[]), gothello::sgf::decode(file));
    insta::assert_snapshot!(saved(&["b2"]), @r"
    (;SZ[5]PB[黒番]XY[1]
    ;B[cc]C[good](;W[cd];B[dd];W[bd])(;W[dc]TR[cc]))
    (;SZ[5];B[aa])
    ");
    // Another move in place of one: that is a variation now. And a variation becomes the main line.
    insta::assert_snapshot!(saved(&["undo", "b4"]), @r"
    (;SZ[5]PB[黒番]XY[1]
    ;B[cc]C[good](;W[cd]
    (;B[bb])
    (;B[dd]))(;W[dc]TR[cc]))
    (;SZ[5];B[aa])
    ");
    insta::assert_snapshot!(saved(&["undo", "undo", "d3"]), @r"
    (;SZ[5]PB[黒番]XY[1]
    ;B[cc]C[good](;W[dc]TR[cc])(;W[cd];B[dd]))
    (;SZ[5];B[aa])
    ");
    // Moves that are only taken back stay, with what was written about them, and so does the result.
    for taken_back in 1..=3 {
        let lines = vec!["undo"; taken_back];
        assert_eq!(saved(&lines), gothello::sgf::decode(file), "{taken_back}");
    }
    assert!(
        fs::read(&path)
            .unwrap()
            .windows(4)
            .any(|bytes| bytes == b"\x8d\x95\x94\xd4")
    );
}

#[test]
fn the_page_takes_a_game_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let start = |game: &str| {
        let mut page = PLAY.command(folder.path(), &["--no-browser", "-"]);
        let mut page = page.stdin(Stdio::piped()).spawn().unwrap();
        let mut input = page.stdin.take().unwrap();
        input.write_all(game.as_bytes()).unwrap();
        page
    };
    let mut page = start("(;GM[1]SZ[5];B[cc];W[dc])");
    let address = Pipe::new(page.stdout.take().unwrap())
        .line("the address of the page")
        .unwrap();
    let hint = Pipe::new(page.stderr.take().unwrap()).line("the hint");
    assert_eq!(hint.as_deref(), Some("Ctrl-C ends the program."));
    page.kill().unwrap();
    page.wait_in_time();
    assert!(
        address.ends_with("/#review&from=file&moves=c3,d3"),
        "{address}"
    );
    let output = start("C D").output_in_time();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    insta::assert_snapshot!(error, @"error: standard input is no game: move 2 (D) is illegal: D is not North's pit");
    // In a terminal, the file has the moves.
    let error = PLAY.error(folder.path(), &["--terminal", "-"], 2);
    insta::assert_snapshot!(error, @"error: with --terminal, moves are read from standard input: name a file");
    let told = conversation(folder.path(), &["--side", "both"], &["load -", "c3"]);
    assert!(told.contains("\nstandard input has the moves: load a file\n"));
    assert!(told.contains("\nBlack (X) plays c3\n"), "{told}");
}

#[cfg(unix)]
mod terminal {
    use std::fs::File;
    use std::io::Write;
    use std::process::Child;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process};

    use super::*;
    use crate::pty::Pty;

    /// A person at a pseudo-terminal.
    struct Person {
        child: Child,
        keyboard: File,
        screen: Pipe,
    }

    /// How long a person waits, on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(120);

    impl Person {
        fn sit_down(options: &[&str], no_color: &str) -> Person {
            let pty = Pty::open();
            let options = [&["--terminal"][..], options].concat();
            let child = PLAY
                .command(Path::new("."), &options)
                .env("NO_COLOR", no_color)
                .env("TERM", "xterm")
                .stdin(pty.stdio())
                .stdout(pty.stdio())
                .spawn();
            Person {
                child: child.unwrap(),
                screen: Pipe::new(pty.controller.try_clone().unwrap()),
                keyboard: pty.controller,
            }
        }

        fn types(&mut self, line: &str) {
            self.keyboard
                .write_all(format!("{line}\n").as_bytes())
                .unwrap();
        }

        /// Reads until a text appears. Returns the new output.
        #[track_caller]
        fn sees(&mut self, wanted: &str) -> String {
            let deadline = Deadline::within(PATIENCE);
            self.screen.take_to_before(wanted, wanted, &deadline)
        }

        fn presses_control_c(&self) {
            let pid = Pid::from_child(&self.child);
            kill_process(pid, Signal::INT).unwrap();
        }

        fn leaves(mut self) {
            assert!(self.child.wait_in_time().success());
        }
    }

    #[test]
    fn a_person_plays_in_colors_and_quits_with_control_c() {
        let mut person = Person::sit_down(&["--level", "1", "--seed", "3"], "");
        person.sees("Black (X)> ");
        person.types("c3");
        let board = person.sees("White (O) plays ");
        assert!(board.contains("\x1b[1;38;5;33mX\x1b[0m"), "{board:?}");
        person.sees("Black (X)> ");
        person.presses_control_c();
        person.leaves();
    }

    #[test]
    fn control_c_ends_a_search_and_not_the_game() {
        // Without the tablebase, the values of the empty board take long.
        let options = ["--side", "both", "--no-tablebase", "--hash", "16"];
        let mut person = Person::sit_down(&options, "1");
        let board = person.sees("Black (X)> ");
        assert!(!board.contains('\x1b'), "{board:?}");
        person.types("values");
        // The echo of the terminal: the line has been read soon after.
        person.sees("values");
        std::thread::sleep(Duration::from_secs(1));
        person.presses_control_c();
        let values = person.sees("Black (X)> ");
        assert!(values.contains(" to "), "bounds: {values:?}");
        person.types("quit");
        person.leaves();
    }
}
