//! Scenes for the tests: weak games, but with everything that the page must show.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use gothello::pages::web::{
    Adjourned, BoardKind, Client, Crosstable, CrosstableRow, Feed, Finished, Grid, Ladder, Ply,
    Round, RoundStage, SeatView, TableStatus, TableView, Tournament,
};
use gothello::{ByColor, Color};

pub use crate::web::games::go_game;

/// An occupied seat.
fn seat(code: &str, title: &str, name: &str, client: u64, secs: u64) -> SeatView {
    SeatView {
        code: code.into(),
        title: title.into(),
        name: Some(name.into()),
        client: Some(client),
        connected: true,
        left: Some(Duration::from_secs(secs)),
    }
}

/// A Go table where Black and White sit.
pub fn go_table(id: u32, size: u16, names: [&str; 2]) -> TableView {
    let client = u64::from(id) * 10;
    TableView {
        id,
        kind: BoardKind::Go,
        title: format!("Table {id}"),
        port: None,
        rules: format!("{size}×{size} · komi 6.5 · superko · area"),
        rows: size,
        columns: size,
        numbered: true,
        seats: ByColor::new(
            seat("B", "Black", names[0], client, 754),
            seat("W", "White", names[1], client + 1, 611),
        ),
        phase: TableStatus::Playing,
        result: None,
        turn: Some(Color::Black),
        running_clock: Some(Color::Black),
        round: None,
        commands: commands(TableStatus::Playing),
    }
}

/// The commands at a table, each with the reason why it would be refused.
pub fn commands(phase: TableStatus) -> BTreeMap<&'static str, Option<String>> {
    let playing = phase == TableStatus::Playing;
    let waits = phase == TableStatus::Paused;
    let refused = |is_so: bool, why: &str| is_so.then(|| why.to_owned());
    let pause_first = "a game is played at this table: pause it first";
    BTreeMap::from([
        (
            "start",
            refused(playing || waits, "a game is there already"),
        ),
        ("pause", refused(!playing, "no game is played")),
        ("resume", refused(!waits, "no game waits there")),
        ("assign", refused(playing, pause_first)),
        ("swap", refused(playing, pause_first)),
        (
            "adjourn",
            refused(!playing && !waits, "no game waits there"),
        ),
        ("void", refused(playing, pause_first)),
        ("recall", refused(playing || waits, "this table is taken")),
    ])
}

/// A Gothello table with a game that has just begun.
pub fn gothello(id: u32) -> (TableView, Vec<Ply>) {
    let table = TableView {
        kind: BoardKind::Gothello,
        rules: "Gothello".into(),
        turn: Some(Color::White),
        running_clock: None,
        ..go_table(id, 5, ["perfect", "weakened"])
    };
    let ply = |board: &str, text: &str, at, by| Ply {
        board: board.into(),
        text: text.into(),
        at,
        by,
        used: None,
        prisoners: None,
        scores: None,
    };
    let plies = vec![
        ply(&".".repeat(25), "", None, None),
        ply(
            "............B............",
            "c3",
            Some([2, 2]),
            Some(Color::Black),
        ),
        ply(
            "............BW...........",
            "d3",
            Some([2, 3]),
            Some(Color::White),
        ),
        ply(
            ".......B....BW...........",
            "c4",
            Some([1, 2]),
            Some(Color::Black),
        ),
    ];
    (table, plies)
}

/// An Awari table after South's move C.
pub fn awari(id: u32) -> (TableView, Vec<Ply>) {
    let client = u64::from(id) * 10;
    let table = TableView {
        kind: BoardKind::Awari,
        rules: "Awari · 48 seeds".into(),
        rows: 2,
        columns: 6,
        numbered: false,
        seats: ByColor::new(
            seat("S", "South", "sower", client, 61),
            seat("N", "North", "reaper", client + 1, 17),
        ),
        turn: Some(Color::White),
        running_clock: Some(Color::White),
        ..go_table(id, 6, ["", ""])
    };
    let ply = |board: &str, text: &str, at, by, scores| Ply {
        board: board.into(),
        text: text.into(),
        at,
        by,
        used: None,
        prisoners: None,
        scores: Some(scores),
    };
    let plies = vec![
        ply(
            "4,4,4,4,4,4,4,4,4,4,4,4",
            "",
            None,
            None,
            ByColor::new(0.0, 0.0),
        ),
        ply(
            "4,4,4,4,4,5,4,4,0,5,5,5",
            "C",
            Some([1, 2]),
            Some(Color::Black),
            ByColor::new(0.0, 0.0),
        ),
        ply(
            "0,1,13,0,2,6,5,4,1,0,6,2",
            "e",
            Some([0, 1]),
            Some(Color::White),
            ByColor::new(5.0, 3.0),
        ),
    ];
    (table, plies)
}

/// A connected client.
pub fn client(id: u64, name: Option<&str>, seat: Option<&str>) -> Client {
    Client {
        log_label: None,
        id,
        name: name.map(Into::into),
        address: format!("192.168.1.{id}:{}", 50_000 + id),
        protocol: if id.is_multiple_of(2) { "v1" } else { "v2" }.into(),
        seat: seat.map(Into::into),
    }
}

/// A contest in full swing: four tables, clients, a tournament, a log.
pub fn contest(feed: &Feed) {
    feed.set_plies(
        go_table(1, 19, ["Hane Heroes", "Ladder Breakers"]),
        0,
        go_game(19, 146, 7),
    );
    let over = TableView {
        phase: TableStatus::Over,
        commands: commands(TableStatus::Over),
        result: Some("White wins by 8.5: both passed".into()),
        turn: None,
        running_clock: None,
        ..go_table(2, 9, ["Sente", "The Ko Threat"])
    };
    feed.set_plies(over, 0, go_game(9, 62, 3));
    let paused = TableView {
        phase: TableStatus::Paused,
        commands: commands(TableStatus::Paused),
        result: Some("the organizer has paused it".into()),
        running_clock: None,
        ..go_table(3, 13, ["Tengen", "Monte & Carlo"])
    };
    feed.set_plies(paused, 0, go_game(13, 40, 11));
    let mut waiting = go_table(4, 19, ["Nobi", ""]);
    waiting.phase = TableStatus::Waiting;
    waiting.commands = commands(TableStatus::Waiting);
    waiting.turn = None;
    waiting.running_clock = None;
    waiting.seats.white.name = None;
    waiting.seats.white.client = None;
    feed.set_plies(waiting, 0, go_game(19, 0, 1));
    for (id, name, seat) in [
        (10, "Hane Heroes", Some("Table 1, Black")),
        (11, "Ladder Breakers", Some("Table 1, White")),
        (20, "Sente", Some("Table 2, Black")),
        (21, "The Ko Threat", Some("Table 2, White")),
        (30, "Tengen", Some("Table 3, Black")),
        (31, "Monte & Carlo", Some("Table 3, White")),
        (40, "Nobi", Some("Table 4, Black")),
        (51, "Atari Safari", None),
    ] {
        feed.set_client(client(id, Some(name), seat));
    }
    feed.set_client(client(52, None, None));
    feed.log("Tengen", "a MOVE out of turn was ignored");
    feed.log(
        "192.168.1.52:50052",
        "malformed JSON: expected value at line 1 column 1",
    );
    feed.log("Nobi", "INVALID: Nonempty point at 3,4");
    feed.set_adjourned(vec![Adjourned {
        id: "2026-11-20-b".into(),
        title: "Atari Safari – Nobi, 88 moves".into(),
        table: None,
    }]);
    feed.set_tournament(Some(tournament()));
}

/// A game that is over.
pub fn finished(number: usize) -> Finished {
    Finished {
        began: SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + number as u64),
        table: format!("Table {}", number % 4),
        sides: ByColor::new("Black", "White").map(Into::into),
        players: ByColor::new("Ann".into(), format!("Bob {number}")),
        result: "Black wins (B+3)".into(),
        decided: false,
        free: None,
        exchange: Vec::new(),
        record: None,
    }
}

/// A crosstable of this many players: a round robin, or two rounds of a Swiss tournament.
pub fn crosstable(players: usize, swiss: bool) -> Crosstable {
    let row = |row: usize| {
        let name = ["The Magnificent Ladder Breakers", "Tengen"][(row + 1) % 2];
        let cell = |column: usize| match (swiss, row, column) {
            (true, _, 2) => "bye".into(),
            (true, ..) => "2:b1w=".into(),
            (false, row, column) if row == column => "x".into(),
            (false, 1, _) => format!("{column}:b1w="),
            (false, ..) => format!("{column}:w-b."),
        };
        let columns = if swiss { 2 } else { players };
        CrosstableRow {
            player: format!("{name} {row}"),
            cells: (1..=columns).map(cell).collect(),
            sums: vec!["12.5".into()],
        }
    };
    Crosstable {
        swiss,
        head: vec!["Points".into()],
        rows: (1..=players).map(row).collect(),
    }
}

/// The ladder of this many players.
pub fn ladder(players: usize) -> Ladder {
    let head = [
        "Rank", "Player", "Matches", "Won", "Drawn", "Lost", "Score", "Rating", "Group",
    ];
    let row = |rank: usize| {
        let name = ["The Magnificent Ladder Breakers", "Tengen", "فريق النجوم"][rank % 3];
        let cells = ["120", "80", "10", "30", "70.8 %", "-153 ± 41", "1"].map(str::to_owned);
        [rank.to_string(), format!("{name} {rank}")]
            .into_iter()
            .chain(cells)
            .collect()
    };
    Ladder {
        note: "Elo with 95 % intervals, from 1200 matches.".into(),
        players: Grid {
            head: head.map(Into::into).into(),
            rows: (1..=players).map(row).collect(),
        },
    }
}

/// A tournament in its second round.
pub fn tournament() -> Tournament {
    let grid = |head: &[&str], rows: &[&[&str]]| Grid {
        head: head.iter().map(ToString::to_string).collect(),
        rows: rows
            .iter()
            .map(|row| row.iter().map(ToString::to_string).collect())
            .collect(),
    };
    Tournament {
        title: "Swiss system, round 2 of 5".into(),
        outcome: None,
        seed: Some("18446744073709551557".into()),
        sides: ByColor::new("Black", "White").map(Into::into),
        is_running: true,
        withdrawable: [
            "Hane Heroes",
            "Ladder Breakers",
            "Sente",
            "The Ko Threat",
            "Tengen",
        ]
        .map(Into::into)
        .into(),
        absent: Some(vec!["Sente".into()]),
        waits: vec!["The Ko Threat is not connected".into()],
        standings: grid(
            &["Rank", "Player", "Points", "Won", "Lost", "Buchholz"],
            &[
                &["1", "Hane Heroes", "3", "3", "0", "2.5"],
                &["2", "The Ko Threat", "2.5", "2", "0", "2"],
                &["3", "Tengen", "2", "2", "1", "3"],
                &["4", "Ladder Breakers", "0.5", "0", "2", "4"],
                &["5", "Sente", "0", "0", "2", "3"],
            ],
        ),
        crosstable: None,
        rounds: vec![
            Round {
                title: "Round 1".into(),
                stage: RoundStage::Over,
                played: 2,
                planned: 2,
                games: grid(
                    &["Black", "White", "Result", "By"],
                    &[
                        &["Hane Heroes", "Sente", "1-0", "resignation"],
                        &["Ladder Breakers", "The Ko Threat", "½-½", "score"],
                    ],
                ),
                numbers: ["1.1.1", "1.2.1"].map(Into::into).into(),
                deadlines: BTreeMap::new(),
            },
            Round {
                title: "Round 2".into(),
                stage: RoundStage::Current,
                played: 1,
                planned: 2,
                games: grid(
                    &["Black", "White", "Result", "By"],
                    &[
                        &["Hane Heroes", "Ladder Breakers", "at table 1", ""],
                        &["Sente", "The Ko Threat", "0-1", "score"],
                    ],
                ),
                numbers: ["2.1.1", "2.2.1"].map(Into::into).into(),
                deadlines: BTreeMap::new(),
            },
        ],
        rulings: vec![
            "game 1.2.1, Ladder Breakers - The Ko Threat: 1/2 in place of 1-0, because a move was not \
             counted"
                .into(),
        ],
    }
}
