//! `gothello solve`.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::cases::is_quick;
use crate::executable::executable;
use crate::waiting::{EndsInTime, OutputInTime, Pipe};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(executable());
    command
        .arg("solve")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// The output without the last line, which has the effort.
fn solve(arguments: &[&str]) -> String {
    let output = command(arguments).output_in_time();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    // No terminal, no progress.
    assert_eq!(text(output.stderr), "");
    let printed = text(output.stdout);
    let (result, total) = printed.trim_end().rsplit_once('\n').unwrap();
    let words: Vec<&str> = total.split(' ').collect();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    assert!(
        matches!(words[..], [positions, "positions,", seconds, "s,", speed, "million", "positions/s"]
            if [positions, seconds, speed].into_iter().all(is_number)),
        "{total}"
    );
    result.to_owned()
}

/// The first line on standard error of a call that is wrong.
fn usage_error(arguments: &[&str]) -> String {
    let output = command(arguments).output_in_time();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(text(output.stdout), "");
    text(output.stderr).lines().next().unwrap().to_owned()
}

#[test]
fn a_picture_has_the_value_of_every_move() {
    let position = "bbbbw/bbbbw/bbb../bbbww/bw.ww b";
    let output = command(&["--svg", "--moves", "d3", position]).output_in_time();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(output.stderr), "");
    let svg = text(output.stdout);
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("class=\"value").count(), 3);
    for told in [">−8<", ">pass −14<", ">Black wins by 8 under best play<"] {
        assert!(svg.contains(told), "{svg}");
    }
    // The one in the guide; with `INSTA_UPDATE=always` it is drawn again, as snapshots are.
    let output = command(&["--svg", "--moves", "c3 d2"]).output_in_time();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/images/picture.svg");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(file, &output.stdout).unwrap();
    }
    assert_eq!(std::fs::read(file).unwrap(), output.stdout);
    insta::assert_snapshot!(usage_error(&["--svg", "--json"]), @"error: the argument '--svg' cannot be used with '--json'");
}

#[test]
fn the_value_comes_first_then_the_moves_and_best_play() {
    insta::assert_snapshot!(solve(&["bbbbw/bbbbw/bbbw./bbbww/bw.ww w"]), @r"
    W+24
    best moves: c1
    principal variation: c1 pass pass
    ");
    insta::assert_snapshot!(solve(&["wbwww/.bwww/wbwwb/bbwbb/bw.bb w"]), @r"
    W+1
    best moves: pass
    principal variation: pass pass
    ");
}

#[test]
fn every_move_has_its_value_the_best_first() {
    insta::assert_snapshot!(solve(&["--moves-table", "bbbbw/bbbbw/bbbw./bbbww/bw.ww w"]), @r"
    W+24
    best moves: c1
    principal variation: c1 pass pass
      c1    W+24
      e3    B+6
      pass  B+7
    ");
    insta::assert_snapshot!(solve(&["--moves-table", "bw.ww/bbbwb/bbww./bbbbw/bbww. w"]), @r"
    W+24
    best moves: e3 c5
    principal variation: c5 pass e3 pass pass
      e3    W+24
      c5    W+24
      e1    W+22
      pass  B+4
    ");
}

#[test]
fn the_winner_can_be_asked_for_without_the_value() {
    insta::assert_snapshot!(solve(&["--winner", "bbbbw/bbbbw/bbbw./bbbww/bw.ww w"]), @r"
    White wins
    at least W+24
    ");
    insta::assert_snapshot!(solve(&["--winner", "bbbww/bbbww/bbb.w/b.bww/bbbww b"]), @r"
    Black wins
    at least B+24
    ");
}

#[test]
fn a_preceding_pass_is_part_of_the_position() {
    // After a pass, Black can end the game before White takes everything.
    let position = "wwwww/wwwwb/b.wbb/.w.w./bww.b b";
    let passed = format!("{position} pass");
    let threads = ["--threads", "2", "--hash", "1"];
    let played = solve(&[&threads[..], &[position]].concat());
    let after_pass = solve(&[&threads[..], &[passed.as_str()]].concat());
    insta::assert_snapshot!(format!("{played}\n{after_pass}"), @r"
    W+24
    best moves: d1 a2 e2 b3 pass
    principal variation: d1 a2 pass e2 pass b3 pass pass
    W+8
    best moves: pass
    principal variation: pass
    ");
}

#[test]
fn moves_lead_to_the_position() {
    let moves = "e1 a4 a1 c1 b5 c2 b2 b1 a5 e3 d3 e2 d2 pass";
    let position = "bb.../w..../...bw/.bwbw/bww.b b pass";
    assert_eq!(solve(&["--moves", moves]), solve(&[position]));
}

#[test]
fn a_position_that_no_game_leads_to_is_solved_too() {
    // 24 black stones and no white one.
    insta::assert_snapshot!(solve(&["bbbbb/bbbbb/bb.bb/bbbbb/bbbbb b"]), @r"
    B+24
    best moves: pass
    principal variation: pass pass
    ");
}

#[test]
fn wrong_usage_is_reported() {
    insta::assert_snapshot!(usage_error(&[""]), @r#"error: position "": the board has 1 row: use rows 5 to 1 with / between them, as in ...../...../..b../...../..... w"#);
    insta::assert_snapshot!(usage_error(&["..... b"]), @r#"error: position "..... b": the board has 1 row: use rows 5 to 1 with / between them, as in ...../...../..b../...../..... w"#);
    insta::assert_snapshot!(usage_error(&["wb.../b..../...../...../..... b"]), @r#"error: position "wb.../b..../...../...../..... b": the group at a5 has no liberty"#);
    insta::assert_snapshot!(usage_error(&["--moves", "c3 c3"]), @"error: move 2 (c3) in --moves: c3 is occupied");
    insta::assert_snapshot!(usage_error(&["--moves", "c3 pass pass"]), @"error: move 3 (pass) in --moves: it ends the game with the result B+1");
    insta::assert_snapshot!(usage_error(&["--threads", "0"]), @"error: invalid value '0' for '--threads <N>': give a whole number from 1 to 256");
    insta::assert_snapshot!(usage_error(&["--threads", "257"]), @"error: invalid value '257' for '--threads <N>': give a whole number from 1 to 256");
    insta::assert_snapshot!(usage_error(&["--hash", "0"]), @"error: invalid value '0' for '--hash <MiB>': give a whole number from 1 to 1048576");
    insta::assert_snapshot!(usage_error(&["--hash", "lots"]), @"error: invalid value 'lots' for '--hash <MiB>': give a whole number from 1 to 1048576");
    insta::assert_snapshot!(usage_error(&["--winner", "--moves-table"]), @"error: the argument '--winner' cannot be used with '--moves-table'");
}

/// The output as one line of JSON, without the effort.
fn json(arguments: &[&str]) -> serde_json::Value {
    let output = command(&[&["--json"], arguments].concat()).output_in_time();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    let printed = text(output.stdout);
    assert_eq!(printed.lines().count(), 1, "{printed}");
    without_effort(&printed)
}

fn without_effort(line: &str) -> serde_json::Value {
    let mut answer: serde_json::Value = serde_json::from_str(line).unwrap();
    let object = answer.as_object_mut().unwrap();
    assert!(object.remove("positions").unwrap().is_u64(), "{line}");
    assert!(object.remove("seconds").unwrap().is_f64(), "{line}");
    assert_eq!(object.remove("tablebase").unwrap(), false, "{line}");
    answer
}

#[test]
fn an_answer_can_be_an_object() {
    let position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w";
    insta::assert_snapshot!(json(&[position]), @r#"{"best_moves":["c1"],"bounds":{"high":"W+24","low":"W+24"},"complete":true,"moves":null,"position":"bbbbw/bbbbw/bbbw./bbbww/bw.ww w","pv":["c1","pass","pass"],"value":"W+24","winner":"white"}"#);
    let won = "w.bb./b.bw./.bwww/b..ww/w..ww b";
    insta::assert_snapshot!(json(&["--winner", won]), @r#"{"best_moves":null,"bounds":{"high":"B+24","low":"B+1"},"complete":true,"moves":null,"position":"w.bb./b.bw./.bwww/b..ww/w..ww b","pv":null,"value":null,"winner":"black"}"#);
    insta::assert_snapshot!(json(&["--moves-table", position])["moves"], @r#"[{"bounds":{"high":"W+24","low":"W+24"},"move":"c1","value":"W+24"},{"bounds":{"high":"B+6","low":"B+6"},"move":"e3","value":"B+6"},{"bounds":{"high":"B+7","low":"B+7"},"move":"pass","value":"B+7"}]"#);
}

#[test]
fn a_position_needs_no_quotes_and_letters_have_either_case() {
    let words = ["wbwww/.bwww/wbwwb/bbwbb/bw.bb", "w"];
    let whole = solve(&["wbwww/.bwww/wbwwb/bbwbb/bw.bb w"]);
    assert_eq!(solve(&words), whole);
    assert_eq!(solve(&["WBWWW/.bwww/wbwwb/bbwbb/bw.bb  W"]), whole);
    assert_eq!(
        solve(&["--position", "wbwww/.bwww/wbwwb/bbwbb/bw.bb w"]),
        whole
    );
    let full = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w";
    assert_eq!(
        solve(&["--moves", "C1 Pass", full]),
        solve(&["--moves", "c1 pass", full])
    );
}

/// Runs a batch. Returns the exit code, the lines, and the standard error.
fn batch(arguments: &[&str], input: &[u8]) -> (Option<i32>, Vec<String>, String) {
    let mut command = command(&[&["--batch"], arguments].concat());
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.output_in_time();
    // The run may have been interrupted.
    let _ = writer.join().unwrap();
    let lines = text(output.stdout).lines().map(str::to_owned).collect();
    (output.status.code(), lines, text(output.stderr))
}

#[test]
fn a_batch_is_answered_in_order() {
    // Hard positions precede easy ones, so that threads do not finish in this order.
    let fewest = if is_quick() { 13 } else { 10 };
    let (positions, values): (Vec<_>, Vec<_>) = crate::values::known(fewest..=24)
        .flat_map(|known| known.positions.into_iter().zip(known.values))
        .unzip();
    let input: String = positions
        .iter()
        .map(|position| format!("{position}\n"))
        .collect();
    let (code, lines, error) = batch(&["--threads", "3"], input.as_bytes());
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let found: Vec<_> = lines
        .iter()
        .map(|line| line.split('\t').next().unwrap())
        .collect();
    assert_eq!(found, values);
}

#[test]
fn a_batch_goes_on_after_an_error() {
    let long = [b'b'; 5_000];
    let input = [
        b"\xef\xbb\xbfbbbbw/bbbbw/bbbw./bbbww/bw.ww w\r\n\n# Nothing\n..... b\n\xff\n",
        &b"WBWWW/.bwww/wbwwb/bbwbb/bw.bb  W\n"[..],
        &long,
        b"\nwbwww/.bwww/wbwwb/bbwbb/bw.bb w",
    ]
    .concat();
    let (code, lines, error) = batch(&["--threads", "2"], &input);
    assert_eq!(code, Some(1));
    assert_eq!(error, "error: 3 lines could not be answered\n");
    insta::assert_snapshot!(lines.join("\n"), @r#"
    W+24	c1	c1 pass pass
    error: line 4: position "..... b": the board has 1 row: use rows 5 to 1 with / between them, as in ...../...../..b../...../..... w
    error: line 5: position "�": the board has 1 row: use rows 5 to 1 with / between them, as in ...../...../..b../...../..... w
    W+1	pass	pass pass
    error: line 7: it has more than 1024 bytes: give one position a line
    W+1	pass	pass pass
    "#);
    let (code, lines, _) = batch(&["--json", "--winner"], &input);
    assert_eq!((code, lines.len()), (Some(1), 6));
    let first = without_effort(&lines[0]);
    assert_eq!(
        (&first["line"], &first["winner"]),
        (&1.into(), &"white".into())
    );
    let second: serde_json::Value = serde_json::from_str(&lines[1]).unwrap();
    assert_eq!(second["line"], 4);
    assert!(
        second["error"].as_str().unwrap().starts_with("position"),
        "{second}"
    );
}

#[test]
fn a_batch_has_columns() {
    let position = b"bbbbw/bbbbw/bbbw./bbbww/bw.ww w\nbbbww/bbbww/bbb.w/b.bww/bbbww b\n";
    insta::assert_snapshot!(batch(&["--moves-table"], position).1[0], @"W+24	c1	c1 pass pass	c1 W+24, e3 B+6, pass B+7");
    insta::assert_snapshot!(batch(&["--winner"], position).1.join("\n"), @"
    White wins	at least W+24
    Black wins	at least B+24
    ");
}

/// A program that writes a position waits for its answer before it writes the next.
#[test]
fn an_answer_comes_before_the_next_position() {
    let mut command = command(&["--batch", "--winner"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = Pipe::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        input
            .write_all(b"bbbbw/bbbbw/bbbw./bbbww/bw.ww w\n")
            .unwrap();
        let line = output.line("an answer");
        assert_eq!(line.as_deref(), Some("White wins\tat least W+24"));
    }
    drop(input);
    assert!(child.wait_in_time().success());
}

#[test]
fn positions_with_few_stones_are_looked_up() {
    let answer = |arguments: &[&str]| text(command(arguments).output_in_time().stdout);
    let json = answer(&["--json", "--winner", "--moves", "c3 b1"]);
    assert!(json.contains("\"winner\":\"black\""), "{json}");
    assert!(json.contains("\"positions\":0,"), "{json}");
    assert!(json.contains("\"tablebase\":true"), "{json}");
}

#[test]
#[ignore = "takes minutes, unoptimized"]
fn the_first_moves_are_looked_up() {
    let printed = text(command(&["--moves-table"]).output_in_time().stdout);
    let (answer, total) = printed.trim_end().rsplit_once('\n').unwrap();
    assert!(
        total.ends_with("; the rest is from the tablebase"),
        "{total}"
    );
    let mut lines = answer.lines();
    assert_eq!(lines.next(), Some("B+3"));
    assert_eq!(lines.next(), Some("best moves: c2 b3 c3 d3 c4"));
    let values = lines.skip(1).map(|line| line.split_whitespace().last());
    let count = |value| values.clone().filter(|&found| found == Some(value)).count();
    let counts = ["B+3", "B+2", "B+1", "W+1", "W+3"].map(count);
    // The last is the pass.
    assert_eq!(counts, [5, 4, 12, 4, 1]);
}

#[test]
#[cfg(unix)]
fn an_interrupted_search_reports_what_is_proven() {
    use std::thread::sleep;
    use std::time::Duration;

    let interrupted = |wait| -> Output {
        let arguments = ["--no-tablebase", "--hash", "1", "--threads", "1"];
        let child = command(&arguments).spawn().unwrap();
        sleep(wait);
        let mut kill = Command::new("kill");
        kill.args(["-INT", &child.id().to_string()]);
        assert!(kill.status().unwrap().success());
        child.output_in_time()
    };
    // On a busy machine, the program may not yet handle the signal when it comes.
    let output = [100, 300, 1_000, 3_000]
        .map(Duration::from_millis)
        .into_iter()
        .map(interrupted)
        .find(|output| output.status.code().is_some())
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = "error: interrupted: the answer is not complete\n";
    assert_eq!(text(output.stderr), error);
    let printed = text(output.stdout);
    let (bounds, total) = printed.trim_end().split_once('\n').unwrap();
    let (low, high) = bounds.split_once(" to ").unwrap();
    assert!(low.starts_with("W+") && high.starts_with("B+"), "{bounds}");
    assert!(total.ends_with(" million positions/s"), "{total}");
}
