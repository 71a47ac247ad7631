//! Recordings of the course's own server, from the view of its clients.

use std::fs;
use std::path::Path;
use std::time::Duration;

use gothello::clients::agent::Decision;
use gothello::clients::goplay::{Effect, Session, State, read};
use gothello::contests::goref::wire::{Protocol, ServerMessage};
use serde_json::Value;

/// The messages that a client of a recording received and sent, with the time in ms.
fn lines(recording: &str, client: &str) -> Vec<(u64, bool, String)> {
    let section = recording
        .split("\n== ")
        .find_map(|section| section.strip_prefix(client));
    let lines = section.unwrap_or_default().lines();
    lines
        .filter_map(|line| {
            let (time, rest) = line.trim_start().split_once(' ')?;
            let heard = rest.starts_with("S>C {");
            let sent = rest.starts_with("C>S {");
            let text = rest.get(4..)?.to_owned();
            (heard || sent).then(|| (time.parse().unwrap(), heard, text))
        })
        .collect()
}

/// The client agrees with the server about every board, clock and result, and sends what was sent
/// if it chooses the same moves.
#[test]
fn the_recordings_are_followed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pure/goref/recordings");
    let (mut starts, mut ends, mut odd) = (0, 0, Vec::new());
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let recording = fs::read_to_string(&path).unwrap();
        for client in ["B", "W"] {
            let mut session = Session::new(client.into(), Protocol::V1);
            for (time, heard, text) in lines(&recording, client) {
                let effects = if heard {
                    let message = read(&text).unwrap();
                    starts += usize::from(matches!(message, ServerMessage::Start { .. }));
                    ends += usize::from(matches!(message, ServerMessage::End { .. }));
                    session.receive(message, Duration::from_millis(time))
                } else {
                    let sent: Value = serde_json::from_str(&text).unwrap();
                    // The tests of the server also sent messages that no client sends.
                    let Ok(ServerMessage::Move { played, .. }) = read(&with_times(sent)) else {
                        continue;
                    };
                    if session.state() != State::Thinking {
                        continue;
                    }
                    session.decide(Decision::Move(played))
                };
                odd.extend(effects.into_iter().filter_map(|effect| match effect {
                    Effect::Note(text) if text.contains("START:") || text.contains("END:") => {
                        Some(format!("{}: {text}", path.file_stem()?.display()))
                    }
                    Effect::Note(text) if text.contains("by our rules") => Some(text),
                    _ => None,
                }));
            }
        }
    }
    assert!(starts > 40 && ends > 30, "{starts} {ends}");
    odd.sort();
    insta::assert_snapshot!(odd.join("\n"));
}

/// A client's MOVE as if it were the server's.
fn with_times(mut sent: Value) -> String {
    sent["remainingTime"] = serde_json::json!({"B": 0, "W": 0});
    sent.to_string()
}
