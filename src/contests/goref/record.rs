//! What is kept of games: for each a line of the results, an SGF file, and an archive like those of
//! the existing server.

use std::io;

use serde::Serialize;
use serde_json::{Value, json};

use super::wire::{Decimal, LogEntry, Millis, WireReason};
use crate::contests::color_codes::{ByColorCode, winner_code};
use crate::contests::contest::{FinishedGame, GameReport, Outcome, TimedGame};
use crate::contests::results::{GameOver, ResultLine, ResultPlayer};
use crate::games::game::Game as _;
use crate::games::go::{ByColor, Color, Game, Move, Point, Position, Score};
use crate::games::sgf;

/// The last entry of the log of an archive.
#[derive(Serialize)]
struct End {
    reason: WireReason,
    #[serde(with = "ByColorCode")]
    scores: ByColor<Decimal>,
    #[serde(with = "winner_code")]
    winner: Option<Color>,
}

impl FinishedGame<Game> {
    /// Returns the line of the results.
    fn result_line(&self) -> ResultLine {
        let score = self.play.score();
        let (times, left) = (self.play.setup().times(), self.play.shown());
        let is_timeout = |outcome: Outcome<WireReason>| outcome.reason == WireReason::Timeout;
        let has_flagged = |color| self.outcome.is_some_and(is_timeout) && color == self.play.turn();
        let players = ByColor::from_fn(|color| {
            let left = if has_flagged(color) { 0 } else { left[color] };
            ResultPlayer {
                side: color.to_string().to_lowercase(),
                name: Some(self.names[color].to_string()),
                points: Some(score[color].to_f64()),
                clock: Some(seconds(times[color])),
                seconds: seconds(times[color].saturating_sub(left)),
                ..ResultPlayer::default()
            }
        });
        let is_counted = |outcome: &Outcome<WireReason>| {
            matches!(outcome.reason, WireReason::Pass | WireReason::Mercy)
        };
        let over = GameOver {
            id: self.file_name(),
            game: Game::NAME,
            table: self.table,
            began: self.began,
            outcome: self.outcome.map(|outcome| outcome.winner),
            reason: match self.outcome {
                Some(outcome) => outcome.reason.to_string(),
                None => "void".into(),
            },
            result: match self.outcome {
                Some(outcome) => ending(outcome, &self.play),
                None => format!("No result: {}", self.void),
            },
            exchange: self.exchange.clone(),
            score: (self.outcome.filter(is_counted)).map(|outcome| sgf_result(outcome, score)),
            moves: self.play.log().len(),
            extension: "sgf",
            scheduled: self.scheduled.clone(),
        };
        ResultLine::new(over, players)
    }

    /// Returns what is kept of the game.
    pub(super) fn report(&self) -> io::Result<GameReport> {
        Ok(GameReport {
            result: self.result_line(),
            records: vec![("sgf", self.sgf()), ("json", self.archive()?)],
        })
    }

    /// Returns the game as the existing server archives it: the configuration that a client
    /// would be sent, and an entry that says how it ended.
    fn archive(&self) -> serde_json::Result<String> {
        let left = self.play.shown();
        let mut archive =
            serde_json::to_value(self.play.setup().configuration(self.play.log(), 0))?;
        if let (Some(outcome), Some(Value::Array(log))) = (self.outcome, archive.get_mut("moveLog"))
        {
            let used = match outcome.reason {
                WireReason::Timeout => left[self.play.turn()],
                _ => 0,
            };
            let end = End {
                reason: outcome.reason,
                scores: self.play.score().map(|score| Decimal(score.to_f64())),
                winner: outcome.winner,
            };
            log.push(json!({"end": end, "deltaTime": used}));
        }
        serde_json::to_string_pretty(&archive)
    }

    /// Returns the game in the Smart Game Format, version FF\[4\].
    fn sgf(&self) -> String {
        let setup = self.play.setup();
        let (position, rules) = (setup.position(), setup.rules());
        let size = position.board.size();
        let (rows, columns) = (size.rows(), size.columns());
        let mut writer = sgf::Writer::new();
        match rows == columns {
            true => writer.property("SZ", rows),
            false => writer.property("SZ", format_args!("{columns}:{rows}")),
        }
        writer.property("KM", rules.komi);
        writer.property("PB", &self.names.black);
        writer.property("PW", &self.names.white);
        let times = setup.times();
        if times.black == times.white {
            writer.property("TM", Decimal(seconds(times.black)).0);
        }
        let mut date = humantime::format_rfc3339_seconds(self.began).to_string();
        date.truncate(10);
        writer.property("DT", date);
        writer.property("GN", format_args!("game {}", self.game));
        writer.property(
            "RE",
            match self.outcome {
                Some(outcome) => sgf_result(outcome, self.play.score()),
                None => "Void".into(),
            },
        );
        set_up(&mut writer, position);
        for (entry, left) in self.moves() {
            write_move(&mut writer, entry, &left);
        }
        writer.finish() + "\n"
    }

    /// Returns each move with its player and what the player's clock showed after it.
    fn moves(&self) -> Vec<(LogEntry, (Color, Millis))> {
        let setup = self.play.setup();
        let mut left = setup.times();
        let mut mover = setup.position().turn;
        let moves = self.play.log().iter().map(|&entry| {
            let clock = left.get_mut(mover);
            *clock = clock.saturating_sub(entry.delta_time);
            let player = (mover, *clock);
            mover = mover.opponent();
            (entry, player)
        });
        moves.collect()
    }
}

/// Returns a result as SGF writes it: `B+6.5`, `W+R`, `B+T`, `Draw`.
fn sgf_result(outcome: Outcome<WireReason>, score: ByColor<Score>) -> String {
    let Some(winner) = outcome.winner else {
        return "Draw".into();
    };
    let how = match outcome.reason {
        WireReason::Resign => "R".into(),
        WireReason::Timeout => "T".into(),
        _ => (score[winner] - score[winner.opponent()]).to_string(),
    };
    format!("{}+{how}", winner.capital())
}

/// Returns a sentence that says how a game ended.
pub fn ending(outcome: Outcome<WireReason>, play: &TimedGame<Game>) -> String {
    let score = play.score();
    let Some(winner) = outcome.winner else {
        let ByColor { black, white } = score;
        return format!("Drawn ({black}-{white})");
    };
    let result = sgf_result(outcome, score);
    match outcome.reason {
        WireReason::Resign => format!("{winner} wins by resignation"),
        WireReason::Timeout => format!("{winner} wins on time"),
        WireReason::Mercy => format!("{winner} wins by mercy ({result})"),
        WireReason::Pass | WireReason::Pause | WireReason::Error => {
            format!("{winner} wins ({result})")
        }
    }
}

fn set_up(writer: &mut sgf::Writer, position: &Position) {
    for color in Color::ALL {
        let stones = position.board.stones();
        let points = stones
            .filter(|&(_, stone)| stone == color)
            .map(|(point, _)| coordinates(point));
        writer.points(&format!("A{}", color.capital()), points);
    }
    if !position.board.is_empty() || position.turn != Color::Black {
        writer.property("PL", position.turn.capital());
    }
}

fn write_move(writer: &mut sgf::Writer, entry: LogEntry, &(mover, left): &(Color, Millis)) {
    match entry.played {
        Move::Place(point) => writer.play(mover, Some(coordinates(point))),
        Move::Pass => writer.play(mover, None),
        // It is the result; a node may still have its time.
        Move::Resign => {
            writer.move_node();
            writer.property("C", format_args!("{mover} resigns"));
        }
    }
    let name = format!("{}L", mover.capital());
    writer.property(&name, Decimal(seconds(left)).0);
}

/// Returns the column and the row from the top of a point.
fn coordinates(point: Point) -> (u8, u8) {
    (point.column, point.row)
}

#[expect(clippy::cast_precision_loss, reason = "ten days are far below 2^53 ms")]
fn seconds(time: Millis) -> f64 {
    time as f64 / 1000.0
}
