//! `gothello standings` of a tournament: its tables, and FIDE's report file.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use gothello::Color;
use gothello::tournament::{
    Event, GameResult, Games, PairingSystem, ResultsFile, Settings, Tournament,
};

use crate::result_line::result_line;
use crate::subcommand::Subcommand;
use crate::waiting::OutputInTime;

const STANDINGS: Subcommand = Subcommand("standings");

/// Writes the results file of a tournament of three players, who play all games.
fn write(path: &Path, system: PairingSystem, games: Games) -> Tournament {
    let settings = Settings {
        system,
        games,
        seed: 5,
        forbidden: Vec::new(),
    };
    let names = ["Ann", "=Bob", "Cyd, \"C\""].map(|name| name.parse().unwrap());
    let now = SystemTime::UNIX_EPOCH;
    let mut file = ResultsFile::create(path, "Go 9x9", settings, &names, now).unwrap();
    while !file.tournament().is_over() {
        file.pair(now).unwrap();
        for scheduled in file.tournament().pending_games() {
            let result = GameResult::played(Some(Color::Black), "resign");
            file.record(&Event::Game { scheduled, result }, now)
                .unwrap();
        }
    }
    file.tournament().clone()
}

#[test]
fn a_tournament_is_printed_as_csv_and_as_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tournament-0001.jsonl");
    let swiss = PairingSystem::Swiss { rounds: 2 };
    let tournament = write(&path, swiss, Games::Single);
    let printed = |options: &[&str]| {
        let file = &["tournament-0001.jsonl"];
        STANDINGS.stdout(folder.path(), &[options, file].concat())
    };
    insta::assert_snapshot!(printed(&["--csv", "games"]), @r#"
    round,pairing,game,black,white,winner,forfeit,reason,black_score,white_score,id
    1,1,1,Ann,"Cyd, ""C""",black,false,resign,,,
    2,1,1,'=Bob,Ann,black,false,resign,,,
    "#);
    assert_eq!(printed(&["--csv", "standings"]), tournament.standings_csv());
    assert_eq!(
        printed(&["--csv", "crosstable"]),
        tournament.crosstable_csv()
    );
    assert_eq!(printed(&["--csv", "games"]), tournament.games_csv());
    assert_eq!(printed(&["--trf"]), tournament.trf().unwrap());
    assert_eq!(printed(&[]), tournament.standings_table());

    // A torn line may just be being written.
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("{\"v\":1,\"ti");
    fs::write(&path, text).unwrap();
    assert_eq!(printed(&["--csv", "games"]), tournament.games_csv());
}

#[test]
fn python_reads_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.jsonl");
    write(&path, PairingSystem::RoundRobin, Games::Both);
    let script = "import csv, sys\n\
        for row in csv.DictReader(open(sys.argv[1])): print(row['player'], row['points'])";
    let table = STANDINGS.stdout(folder.path(), &["--csv", "standings", "games.jsonl"]);
    let input = folder.path().join("standings.csv");
    fs::write(&input, table).unwrap();
    let output = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(&input)
        .output_in_time();
    assert!(output.status.success(), "{output:?}");
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r#"
    Ann 2
    Cyd, "C" 2
    '=Bob 2
    "#);
}

#[test]
fn the_results_of_a_referee_are_printed_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [
        result_line("1", ["Red", "=Blue"], "black", Some(1)),
        result_line("2", ["Red", ""], "none", None),
        // The organizer has changed the first one.
        result_line("1", ["Red", "=Blue"], "draw", Some(1))
            .replace("}\n", ",\"ruling\":\"why\"}\n"),
    ];
    fs::write(folder.path().join("results.jsonl"), rows.concat()).unwrap();
    let printed = |options: &[&str]| {
        let file = &["results.jsonl"];
        STANDINGS.stdout(
            folder.path(),
            &[&["--csv", "games"], options, file].concat(),
        )
    };
    insta::assert_snapshot!(printed(&[]), @r"
    id,began,table,tournament,round,black,white,winner,reason,score,moves,result,ruling,black_team,white_team,black_seconds,white_seconds,black_address,white_address
    1,2026-11-20T09:30:00.000Z,0,1,,Red,'=Blue,draw,play,,9,,why,,,1.000,1.000,,
    2,2026-11-20T09:30:00.000Z,0,,,Red,,,play,,9,,,,,1.000,1.000,,
    ");
    assert_eq!(printed(&["--tournament", "1"]).lines().count(), 2);
}

#[test]
fn other_files_and_tournaments_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    write(
        &file("robin.jsonl"),
        PairingSystem::RoundRobin,
        Games::Single,
    );
    let swiss = PairingSystem::Swiss { rounds: 2 };
    write(&file("both.jsonl"), swiss, Games::Both);
    fs::write(file("empty.jsonl"), "").unwrap();
    let row = result_line("1", ["Red", "=Blue"], "black", Some(1));
    fs::write(file("results.jsonl"), row).unwrap();
    let mut told = String::new();
    let mut tell = |arguments: &[&str], code| {
        let run = STANDINGS.run(folder.path(), arguments);
        assert!(run.stdout.is_empty(), "{run:?}");
        told += &STANDINGS.error(folder.path(), arguments, code);
        told.push('\n');
    };
    tell(&["--trf", "robin.jsonl"], 1);
    tell(&["--trf", "both.jsonl"], 1);
    tell(&["--trf", "results.jsonl"], 1);
    tell(&["--csv", "crosstable", "results.jsonl"], 1);
    tell(&["--csv", "games", "empty.jsonl"], 1);
    tell(&["--csv", "rounds", "both.jsonl"], 2);
    tell(&["--csv", "games", "--trf", "both.jsonl"], 2);
    // The message is that of the operating system.
    STANDINGS.error(folder.path(), &["--csv", "games", "missing.jsonl"], 1);
    insta::assert_snapshot!(told, @"
    error: robin.jsonl: the report file (TRF) is for Swiss tournaments, and this is a round robin; --csv prints its tables
    error: both.jsonl: the report file (TRF) has one game in each round of a player, and two players meet in two games here; --csv prints its tables
    error: --trf is not for results.jsonl, which has the games of all tournaments
    error: of the tables of --csv, only games is for results.jsonl, which has the games of all tournaments
    error: empty.jsonl: no tournament has begun in this file
    error: invalid value 'rounds' for '--csv <TABLE>'
    error: the argument '--csv <TABLE>' cannot be used with '--trf'
    ");
}
