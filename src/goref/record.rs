//! A finished game as files: SGF, and an archive as the server that exists writes
//! it.

use std::time::SystemTime;

use serde::Serialize;
use serde_json::{Value, json};

use super::effects::Finished;
use super::wire::{Both, Decimal, LogEntry, Millis, Reason, Side};
use crate::go::{ByColor, Color, Move, Point, Position};
use crate::sgf;

/// A line of the table of games.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    /// The version of this form.
    v: u8,
    game: u64,
    table: u16,
    black: &'a str,
    white: &'a str,
    /// `null` for a game that was given up.
    winner: Option<Side>,
    /// `cleared` for a game that was given up.
    reason: String,
    scores: Both<Decimal>,
    moves: usize,
    left_ms: Both<Millis>,
    began: String,
    ended: String,
    record: &'a str,
}

impl Finished {
    pub(super) fn row<'a>(&'a self, record: &'a str) -> Row<'a> {
        let score = self.play.score();
        let mut left = self.play.shown();
        if self
            .outcome
            .is_some_and(|outcome| outcome.reason == Reason::Timeout)
        {
            *left.get_mut(self.play.turn()) = 0;
        }
        Row {
            v: 1,
            game: self.game.0,
            table: self.table,
            black: self.names.black.as_ref(),
            white: self.names.white.as_ref(),
            winner: self.outcome.map(|outcome| outcome.winner.into()),
            reason: match self.outcome {
                Some(outcome) => outcome.reason.to_string(),
                None => "cleared".into(),
            },
            scores: score.map(|score| Decimal(score.to_f64())).into(),
            moves: self.play.log().len(),
            left_ms: left.into(),
            began: rfc3339(self.began),
            ended: rfc3339(self.ended),
            record,
        }
    }

    /// The name of its record, without what tells the form.
    pub(super) fn file_name(&self) -> String {
        let ByColor { black, white } = self.names.as_ref().map(|name| plain(name.as_ref()));
        format!("{}-{black}-{white}", self.game)
    }

    /// The game as the server that exists archives it: the configuration that a
    /// client would be sent, and an entry that says how it ended.
    pub(super) fn archive(&self) -> serde_json::Result<String> {
        let left = self.play.shown();
        let mut archive =
            serde_json::to_value(self.play.terms().configuration(self.play.log(), 0))?;
        if let (Some(outcome), Some(Value::Array(log))) = (self.outcome, archive.get_mut("moveLog"))
        {
            let used = match outcome.reason {
                Reason::Timeout => left[self.play.turn()],
                _ => 0,
            };
            let scores: Both<Decimal> = self
                .play
                .score()
                .map(|score| Decimal(score.to_f64()))
                .into();
            log.push(json!({
                "end": {
                    "reason": outcome.reason,
                    "scores": scores,
                    "winner": Side::from(outcome.winner),
                },
                "deltaTime": used,
            }));
        }
        serde_json::to_string_pretty(&archive)
    }

    /// The game in the Smart Game Format, version FF\[4\].
    pub(super) fn sgf(&self) -> String {
        let terms = self.play.terms();
        let (position, rules) = (terms.position(), terms.rules());
        let size = position.board.size();
        let (rows, columns) = (size.rows(), size.columns());
        let mut writer = sgf::Writer::new();
        match rows == columns {
            true => writer.property("SZ", rows),
            false => writer.property("SZ", format_args!("{columns}:{rows}")),
        }
        writer.property("KM", &rules.komi);
        writer.property("PB", &self.names.black);
        writer.property("PW", &self.names.white);
        let times = terms.times();
        if times.black == times.white {
            writer.property("TM", Decimal(seconds(times.black)).0);
        }
        let mut date = rfc3339(self.began);
        date.truncate(10);
        writer.property("DT", date);
        writer.property("GN", format_args!("game {}", self.game));
        writer.property("RE", self.result());
        set_up(&mut writer, position);
        for (entry, left) in self.moves() {
            write_move(&mut writer, entry, &left);
        }
        writer.finish() + "\n"
    }

    /// Each move with its player and what his clock showed after it.
    fn moves(&self) -> Vec<(LogEntry, (Color, Millis))> {
        let terms = self.play.terms();
        let mut left = terms.times();
        let mut mover = terms.position().turn;
        let moves = self.play.log().iter().map(|&entry| {
            let clock = left.get_mut(mover);
            *clock = clock.saturating_sub(entry.delta_time);
            let player = (mover, *clock);
            mover = mover.opponent();
            (entry, player)
        });
        moves.collect()
    }

    /// The result as SGF writes it.
    fn result(&self) -> String {
        let outcome = self.outcome;
        outcome.map_or_else(
            || "Void".into(),
            |outcome| outcome.result(self.play.score()),
        )
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
        // It is the result; a node may still say when it was.
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

fn rfc3339(date: SystemTime) -> String {
    humantime::format_rfc3339_seconds(date).to_string()
}

/// A name as a part of a file's name.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(plain).take(24).collect()
}
