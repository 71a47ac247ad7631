//! What it costs a game to be shown on the page.

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use divan::Bencher;
use gothello::pages::web::{
    AccessPolicy, BoardKind, Feed, Hosts, Limits, Ply, SeatView, ServerInfo, TableStatus,
    TableView, serve, spectator_routes,
};
use gothello::{ByColor, Color};
use tokio::runtime;

fn main() {
    divan::main();
}

/// The moves of a game of 19x19.
const MOVES: usize = 300;

fn feed() -> Feed {
    let info = ServerInfo {
        title: "Bench".into(),
        organizer: false,
        tournaments: false,
        clients: true,
    };
    Feed::new(info, 1_000)
}

fn table() -> TableView {
    let seat = |code: &str| SeatView {
        code: code.into(),
        title: code.into(),
        name: Some("somebody".into()),
        client: Some(1),
        connected: true,
        left: Some(Duration::from_secs(900)),
    };
    TableView {
        id: 1,
        kind: BoardKind::Go,
        title: "Table 1".into(),
        port: None,
        rules: String::new(),
        rows: 19,
        columns: 19,
        numbered: true,
        seats: ByColor::new(seat("B"), seat("W")),
        phase: TableStatus::Playing,
        result: None,
        turn: Some(Color::Black),
        running_clock: Some(Color::Black),
        round: None,
        commands: BTreeMap::new(),
    }
}

/// The board after so many stones.
fn ply(stones: usize) -> Ply {
    let cell = |index| match (index < stones, index % 2) {
        (false, _) => '.',
        (true, 0) => 'B',
        (true, _) => 'W',
    };
    Ply {
        board: (0..361).map(cell).collect(),
        text: "3,4".into(),
        at: Some([3, 4]),
        by: Some(Color::Black),
        used: Some(Duration::from_millis(7)),
        prisoners: Some(ByColor::new(1, 2)),
        scores: Some(ByColor::new(100.0, 93.5)),
    }
}

/// A game of 300 moves, shown move by move while so many watch. The time is
/// that of the one who plays, not of those who are sent it.
#[divan::bench(args = [0, 1, 100], sample_count = 20)]
fn showing_a_game(bencher: Bencher, count: usize) {
    let feed = feed();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let access = AccessPolicy::spectators(Hosts::default());
    let app = spectator_routes(feed.clone(), access);
    thread::spawn(move || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let served = serve(listener, app, Limits::default(), std::future::pending());
        runtime.unwrap().block_on(served)
    });
    for _ in 0..count {
        let stream = TcpStream::connect(address).unwrap();
        let url = format!("ws://{address}/watch");
        let (mut socket, _) = tungstenite::client(url, stream).unwrap();
        thread::spawn(move || while socket.read().is_ok() {});
    }
    while feed.spectator_count() < count {
        thread::yield_now();
    }
    bencher
        .with_inputs(|| {
            (0..=MOVES)
                .map(|stones| (table(), ply(stones)))
                .collect::<Vec<_>>()
        })
        .bench_values(|game| {
            for (number, (table, ply)) in game.into_iter().enumerate() {
                feed.set_plies(table, number, vec![ply]);
            }
        });
}
