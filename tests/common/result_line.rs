//! Lines of the results of a referee, as they are written for tests.

use serde_json::{Value, json};

/// The line of a match of Gothello between two players, who have no names if these are empty. The
/// winner is `black`, `white`, `draw`, or `none`.
pub fn result_line(
    id: &str,
    [black, white]: [&str; 2],
    winner: &str,
    tournament: Option<u32>,
) -> String {
    let player = |side: &str, name: &str| match name {
        "" => json!({"side": side, "seconds": 1}),
        name => json!({"side": side, "name": name, "seconds": 1}),
    };
    let winner = Some(winner).filter(|winner| *winner != "none");
    let mut line: Value = json!({
        "v": 1, "id": id, "game": "Gothello", "table": 0, "began": "2026-11-20T09:30:00Z",
        "players": [player("black", black), player("white", white)],
        "winner": winner, "reason": "play", "result": "", "moves": 9,
        "record": format!("{id}.sgf"),
    });
    if let Some(number) = tournament {
        line["tournament"] = number.into();
    }
    format!("{line}\n")
}
