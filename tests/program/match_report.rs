//! `gothello match report`, on results files with games between random players.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::event::{five, swiss, two, with_failures, write};
use crate::subcommand::Subcommand;

const MATCH: Subcommand = Subcommand("match");

/// A folder with the results of two players, and of five.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("two.jsonl"), &two(), |_| {});
    write(&folder.path().join("five.jsonl"), &five(), with_failures);
    folder
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["report", "--json"], arguments].concat();
    serde_json::from_str(&MATCH.stdout(folder, &arguments)).unwrap()
}

#[test]
fn the_report_on_two_players_has_their_test() {
    let folder = folder();
    insta::assert_snapshot!(MATCH.stdout(folder.path(), &["report", "two.jsonl"]));
}

#[test]
fn the_report_on_many_players_has_ratings_and_a_cross_table() {
    let folder = folder();
    insta::assert_snapshot!(MATCH.stdout(folder.path(), &["report", "five.jsonl"]));
}

#[test]
fn a_swiss_tournament_has_its_standings() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("swiss.jsonl"), &swiss(), |_| {});
    let text = MATCH.stdout(folder.path(), &["report", "swiss.jsonl"]);
    let standings: Vec<&str> = text.lines().skip(2).take(6).collect();
    insta::assert_snapshot!(standings.join("\n"));
    let report = json(folder.path(), &["swiss.jsonl"]);
    let players = report["players"].as_array().unwrap();
    let points = players.iter().map(|player| {
        let standing = &player["standing"];
        let games = &player["games"];
        let won = games["wins"].as_f64().unwrap() + games["draws"].as_f64().unwrap() / 2.0;
        // A bye counts as both games of a pair.
        let points = won + 2.0 * standing["byes"].as_f64().unwrap();
        assert_eq!(player["points"], points, "{player}");
        points
    });
    assert!(points.is_sorted_by(|one, other| one >= other));
    // Three rounds with two pairs of games and a bye each.
    let sum: f64 = players
        .iter()
        .map(|player| player["points"].as_f64().unwrap())
        .sum();
    assert_eq!(sum, 3.0 * 6.0);
}

#[test]
fn sides_have_the_names_of_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let players = [
        "--player",
        "a=builtin:move-time=0",
        "--player",
        "b=builtin:move-time=0",
    ];
    let options = ["--game", "awari", "--quiet", "--results", "awari.jsonl"];
    MATCH.stdout(folder.path(), &[&players[..], &options].concat());
    let text = MATCH.stdout(folder.path(), &["report", "awari.jsonl"]);
    for side in ["South", "North", "By side"] {
        assert!(text.contains(side), "{text}");
    }
    assert!(!text.contains("Black") && !text.contains("White"), "{text}");
    let report = json(folder.path(), &["awari.jsonl"]);
    assert_eq!(report["sides"]["black"], "South");
    MATCH.stdout(
        folder.path(),
        &["report", "awari.jsonl", "--html", "awari.html"],
    );
    let page = fs::read_to_string(folder.path().join("awari.html")).unwrap();
    let (_, data) = page.split_once("\"replays\":").unwrap();
    assert!(!data.contains("\"result\":\"B+") && !data.contains("\"result\":\"W+"));
}

#[test]
fn a_continued_event_keeps_its_start_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.jsonl");
    let players = [
        "--player",
        "a=builtin:level=1",
        "--player",
        "b=builtin:level=2",
    ];
    let options = ["--json", "--quiet", "--results", "event.jsonl"];
    let command = [&players[..], &options].concat();
    MATCH.stdout(folder.path(), &command);
    let text = fs::read_to_string(&path).unwrap();
    let began = text.split("\"began\":\"").nth(1).unwrap();
    let (began, _) = began.split_once('"').unwrap();
    let earlier = "2001-02-03T04:05:06Z";
    fs::write(&path, text.replacen(began, earlier, 1)).unwrap();
    let events = MATCH.stdout(folder.path(), &command);
    let end: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!(end["report"]["began"], earlier);
}

#[test]
fn statistics_are_those_of_match_stats() {
    let folder = folder();
    let report = json(folder.path(), &["two.jsonl"]);
    let pairing = &report["pairings"][0];
    let pairs: Vec<String> = pairing["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    let sprt = report["sprt"].as_str().unwrap();
    let arguments = ["stats", "--pairs", &pairs.join(","), "--sprt", sprt];
    let stats = MATCH.stdout(folder.path(), &arguments);
    let stats: Value = serde_json::from_str(&stats).unwrap();
    for (key, value) in stats.as_object().unwrap() {
        assert_eq!(value, &pairing[key], "{key}");
    }
    assert!(stats["llr"].is_number());
    // A test with other settings.
    let other = "elo0=-500,elo1=0,alpha=0.05,beta=0.05,model=logistic";
    let other = json(folder.path(), &["five.jsonl", "--sprt", other]);
    assert_eq!(other["pairings"][0]["llr_lower"], stats["llr_lower"]);
    assert_eq!(other["pairings"].as_array().unwrap().len(), 10);
}

#[test]
fn counts_agree_with_the_records() {
    let folder = folder();
    let report = json(folder.path(), &["five.jsonl"]);
    assert_eq!(
        (&report["games"], &report["scheduled"]),
        (&59.into(), &60.into())
    );
    let sum = |counts: &Value| -> u64 {
        let keys = ["wins", "draws", "losses"].iter();
        keys.map(|key| counts[key].as_u64().unwrap()).sum()
    };
    let players = report["players"].as_array().unwrap();
    assert_eq!(
        players
            .iter()
            .map(|player| sum(&player["games"]))
            .sum::<u64>(),
        2 * 59
    );
    for color in ["black", "white"] {
        assert_eq!(
            players
                .iter()
                .map(|player| sum(&player[color]))
                .sum::<u64>(),
            59
        );
    }
    let ratings = players
        .iter()
        .map(|player| player["rating"].as_f64().unwrap());
    let ratings: Vec<f64> = ratings.collect();
    assert!(ratings.iter().sum::<f64>().abs() < 1e-6);
    assert!(
        ratings.is_sorted_by(|one, other| one >= other),
        "{ratings:?}"
    );
    let ann = players
        .iter()
        .find(|player| player["name"] == "Ann")
        .unwrap();
    assert_eq!(ann["lost_by"]["crash"], 1);
    assert_eq!(report["failures"][0]["detail"], "signal 11");
    let openings = report["openings"].as_array().unwrap();
    assert_eq!(
        openings
            .iter()
            .map(|opening| sum(&opening["black"]))
            .sum::<u64>(),
        59
    );
}

#[test]
fn files_of_an_event_are_merged_and_games_counted_once() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let text = fs::read_to_string(path("two.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (head, games) = lines.split_first().unwrap();
    let part = |name: &str, games: &[&str]| {
        fs::write(path(name), format!("{head}\n{}\n", games.join("\n"))).unwrap();
    };
    part("a.jsonl", &games[..40]);
    part("b.jsonl", &games[35..]);
    // A line that is being written.
    let torn = format!(
        "{}{{\"id\":\"",
        fs::read_to_string(path("b.jsonl")).unwrap()
    );
    fs::write(path("b.jsonl"), torn).unwrap();
    let merged = MATCH.run(folder.path(), &["report", "b.jsonl", "a.jsonl"]);
    assert!(merged.status.success());
    let told = String::from_utf8(merged.stderr).unwrap();
    assert_eq!(told, "5 games in more than one file: counted once\n");
    let whole = MATCH.stdout(folder.path(), &["report", "two.jsonl"]);
    assert_eq!(String::from_utf8(merged.stdout).unwrap(), whole);
    let other = MATCH.run(folder.path(), &["report", "two.jsonl", "five.jsonl"]);
    assert_eq!(other.status.code(), Some(1));
    let told = String::from_utf8(other.stderr).unwrap();
    assert!(
        told.starts_with("error: five.jsonl: the event in this file has other settings"),
        "{told}"
    );
    assert!(
        told.contains(" in two.jsonl, ") && told.contains(" in five.jsonl\n"),
        "{told}"
    );
    // The game brings many lines with it.
    let go = "{\"name\":\"go\",\"size\":5,\"komi\":\"7.5\",\"superko\":true}";
    let go = head.replacen("{\"name\":\"gothello\"}", go, 1);
    fs::write(path("go.jsonl"), format!("{go}\n")).unwrap();
    let other = MATCH.run(folder.path(), &["report", "two.jsonl", "go.jsonl"]);
    insta::assert_snapshot!(String::from_utf8(other.stderr).unwrap(), @r#"
    error: go.jsonl: the event in this file has other settings than that in two.jsonl:
      --game: gothello in two.jsonl, go in go.jsonl
    "#);
}

#[test]
fn repeated_games_make_the_score_no_more_certain() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("same.jsonl");
    write(&path, &two(), |games| {
        // Every pair of players repeats its first pair of games.
        let [first, second] = [games[0].clone(), games[1].clone()];
        for (index, game) in games.iter_mut().enumerate() {
            let same = if index % 2 == 0 { &first } else { &second };
            (game.winner, game.result) = (same.winner, same.result.clone());
            (game.moves, game.times) = (same.moves.clone(), same.times.clone());
        }
    });
    let report = json(folder.path(), &["same.jsonl"]);
    assert_eq!(
        (&report["games"], &report["repeated"]),
        (&60.into(), &58.into())
    );
    let pairing = &report["pairings"][0];
    let pairs = pairing["pairs"].as_array().unwrap();
    assert_eq!(pairs.iter().filter_map(Value::as_u64).sum::<u64>(), 30);
    // From all openings they play the same games.
    assert_eq!(pairing["effective"], 1.0);
    for figure in ["elo", "elo_error", "nelo", "los"] {
        assert_eq!(pairing[figure], Value::Null, "{figure}");
    }
    let text = MATCH.stdout(folder.path(), &["report", "same.jsonl"]);
    let head = text.lines().next().unwrap();
    assert_eq!(head, "Gothello: 2 players, 60 games, 58 of them repeated");
    assert!(
        text.contains("\n30 pairs count as 1.0 independent ones\n"),
        "{text}"
    );
}

#[test]
fn three_openings_are_not_a_sample() {
    let folder = folder();
    let sample = MATCH.stdout(folder.path(), &["report", "--population", "two.jsonl"]);
    let told =
        "\n3 openings cannot be a sample of all: play at least 20, or leave out --population\n";
    assert!(sample.contains(told), "{sample}");
    // With more players, the first of them are named, and ratings do not depend on this.
    let sample = MATCH.stdout(folder.path(), &["report", "--population", "five.jsonl"]);
    assert!(
        sample.contains(&format!("\n-: {}\n", told.trim())),
        "{sample}"
    );
    let rating = |options: &[&str]| json(folder.path(), options)["players"][0]["rating"].clone();
    let usual = rating(&["five.jsonl"]);
    assert_eq!(rating(&["five.jsonl", "--population"]), usual);
    assert!(usual.is_number());
}

#[test]
fn a_page_does_not_overwrite_other_files() {
    let folder = folder();
    // The name of the page is missing.
    let results = fs::read(folder.path().join("two.jsonl")).unwrap();
    let forgotten = ["report", "--html", "two.jsonl", "five.jsonl"];
    let told = MATCH.error(folder.path(), &forgotten, 2);
    insta::assert_snapshot!(told, @"error: --html two.jsonl: this file is no page, and would be lost; give the name of another file for the page");
    assert_eq!(fs::read(folder.path().join("two.jsonl")).unwrap(), results);
    // A page is written again.
    for results in ["two.jsonl", "five.jsonl"] {
        MATCH.stdout(folder.path(), &["report", "--html", "page.html", results]);
    }
}

#[test]
fn games_of_incomplete_pairs_do_not_count_for_elo() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.jsonl");
    write(&path, &two(), |games| games.truncate(15));
    let text = MATCH.stdout(folder.path(), &["report", "odd.jsonl"]);
    let told = "\nnot counted for Elo: 1 game without the other game of the pair\n";
    assert!(text.contains(told), "{text}");
    let report = json(folder.path(), &["odd.jsonl"]);
    let pairing = &report["pairings"][0];
    let [score, elo] = ["score", "elo"].map(|key| pairing[key].as_f64().unwrap());
    assert_eq!(score.total_cmp(&0.5), elo.total_cmp(&0.0), "{pairing}");
    // The score is that of the pairs.
    let counts = pairing["pairs"].as_array().unwrap();
    let counts = counts.iter().map(|count| count.as_f64().unwrap());
    let points: f64 = counts
        .zip([0.0, 0.5, 1.0, 1.5, 2.0])
        .map(|(count, each)| count * each)
        .sum();
    assert_eq!(score, points / 14.0);
}

#[test]
fn an_event_that_has_just_begun_has_a_report() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("new.jsonl"), &two(), Vec::clear);
    let text = MATCH.stdout(folder.path(), &["report", "new.jsonl"]);
    assert_eq!(text, "Gothello: 2 players, 0 of 60 games\n");
    let report = json(folder.path(), &["new.jsonl"]);
    assert_eq!(report["pairings"], Value::Array(Vec::new()));
    MATCH.stdout(
        folder.path(),
        &["report", "new.jsonl", "--html", "new.html"],
    );
}

#[test]
fn the_page_needs_no_other_file() {
    let folder = folder();
    let page = |name: &str| {
        let (file, page) = (format!("{name}.jsonl"), format!("{name}.html"));
        MATCH.stdout(folder.path(), &["report", &file, "--html", &page]);
        fs::read_to_string(folder.path().join(page)).unwrap()
    };
    for text in [page("two"), page("five")] {
        // The page contains no URL except the SVG namespace, and loads no script.
        let addresses: Vec<&str> = text
            .split("://")
            .skip(1)
            .filter_map(|rest| rest.split(['\'', '"']).next())
            .collect();
        assert!(
            addresses
                .iter()
                .all(|address| *address == "www.w3.org/2000/svg"),
            "{addresses:?}"
        );
        for loading in [
            " src=", "<link", "import ", "export ", "@import", "url(http",
        ] {
            assert!(!text.contains(loading), "{loading}");
        }
        // Text that an engine wrote does not end an element.
        assert_eq!(text.matches("</script>").count(), 2, "{text}");
        assert!(
            text.contains("\"curves\":[{") && text.contains("\"plies\":[{"),
            "{text}"
        );
    }
}

#[test]
fn unreadable_files_are_reported() {
    let folder = folder();
    fs::write(folder.path().join("other.txt"), "hello\n").unwrap();
    let error = |arguments: &[&str], code| {
        let arguments = [&["report"], arguments].concat();
        MATCH.error(folder.path(), &arguments, code)
    };
    assert_eq!(
        error(&["missing.jsonl"], 1),
        "error: missing.jsonl: there is no such file"
    );
    assert!(error(&["other.txt"], 1).starts_with("error: other.txt, line 1: "));
    assert!(error(&["two.jsonl", "--html", "no/such/folder"], 1).contains("cannot be written"));
    insta::assert_snapshot!(
        [&["raport", "two.jsonl"][..], &["two.jsonl"], &["stats", "two.jsonl"], &["./engine"]]
            .map(|arguments| String::from_utf8(MATCH.run(folder.path(), arguments).stderr).unwrap())
            .map(|text| text.lines().filter(|line| line.contains("tip:")).collect::<String>())
            .join("\n"),
        @r#"
tip: did you mean gothello match report two.jsonl?
tip: did you mean gothello match report two.jsonl?
tip: gothello match report two.jsonl prints the report on a results file
tip: give each player with an option, as in --player "gnugo=gnugo --mode gtp"
"#
    );
    error(&[], 2);
    error(&["two.jsonl", "--json", "--html", "x.html"], 2);
}
