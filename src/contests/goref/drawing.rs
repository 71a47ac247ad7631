//! What the page shows of a game of Go.

use std::time::Duration;

use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::protocol::GoProtocol;
use super::record::ending;
use super::setup::GameSetup;
use super::wire::{ServerMessage, WireReason};
use crate::base::counted::counted;
use crate::contests::contest::{Outcome, TimedGame};
use crate::contests::shell::{BoardView, Hosted};
use crate::games::go::{Game, Move, Ownership, Point, Position, Rules, Score, Scoring, Size};
use crate::pages::web::{BoardKind, Ply, json_text};

impl Hosted for GoProtocol {
    fn ask_name() -> ServerMessage {
        ServerMessage::Name
    }

    fn encode(message: &ServerMessage) -> Utf8Bytes {
        json_text(message)
    }

    fn board(setup: &GameSetup) -> BoardView {
        let size = setup.position().board.size();
        BoardView {
            kind: BoardKind::Go,
            rules: rules_view(setup.rules(), size),
            rows: size.rows().into(),
            columns: size.columns().into(),
            first: setup.position().turn,
        }
    }

    fn start(setup: &GameSetup) -> Ply {
        first_ply(setup.position(), setup.rules())
    }

    fn ply(game: &TimedGame<Game>, moves: usize) -> Option<Ply> {
        ply(game, moves)
    }

    fn ending(outcome: Outcome<WireReason>, game: &TimedGame<Game>) -> String {
        ending(outcome, game)
    }
}

fn rules_view(rules: &Rules, size: Size) -> String {
    let mut words = vec![size.to_string(), format!("komi {}", rules.komi)];
    words.extend(rules.ko.then(|| "ko".into()));
    words.extend(rules.superko.then(|| "superko".into()));
    words.push(match rules.scoring {
        Scoring::Area => "area scoring".into(),
        Scoring::Territory => "territory scoring".into(),
    });
    let (margin, start) = (rules.mercy.margin(), rules.mercy.start());
    if margin > Score::ZERO {
        words.push(format!("mercy {margin} after {}", counted(start, "move")));
    }
    if rules.prisoner_score != 1 {
        words.push(format!("prisoners count {}", rules.prisoner_score));
    }
    words.join(", ")
}

/// Returns the view of a position without a move.
fn first_ply(position: &Position, rules: &Rules) -> Ply {
    let ownership = Ownership::of(&position.board);
    let scores = ownership.score(position.prisoners, rules);
    Ply {
        board: ownership.letters(position.board.size()),
        prisoners: Some(position.prisoners),
        scores: Some(scores.map(Score::to_f64)),
        ..Ply::default()
    }
}

/// Returns the view of the position after a number of moves.
fn ply(play: &TimedGame<Game>, index: usize) -> Option<Ply> {
    let game = play.game();
    let mut ply = first_ply(game.positions().get(index)?, game.rules());
    let Some(before) = index.checked_sub(1) else {
        return Some(ply);
    };
    let entry = play.log().get(before)?;
    let size = game.board().size();
    ply.text = match entry.played {
        Move::Pass => "pass".into(),
        Move::Resign => "resign".into(),
        Move::Place(point) => point.vertex(size).unwrap_or_default(),
    };
    if let Move::Place(Point { row, column }) = entry.played {
        ply.at = Some([row.into(), column.into()]);
    }
    ply.by = Some(game.positions().get(before)?.turn);
    ply.used = Some(Duration::from_millis(entry.delta_time));
    Some(ply)
}
