//! The records of games: for each an SGF file, an archive like those of the existing server, and a
//! line of the table of all games.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use super::protocol::{GoProtocol, sgf_result};
use super::wire::{Decimal, LogEntry, Millis, WireReason};
use crate::base::journal::{LineFile, make_writable, write_whole};
use crate::contests::codes::{by_color_code, winner_code};
use crate::contests::contest::{FinishedGame, GameId};
use crate::contests::shell::{LadderThread, RecordKeeper};
use crate::games::go::{ByColor, Color, Move, Point, Position};
use crate::games::sgf;

/// A line of the table of games.
#[derive(Debug, Serialize)]
struct Row<'a> {
    /// The version of this form.
    v: u8,
    game: u64,
    table: u16,
    black: &'a str,
    white: &'a str,
    /// `null` for a void game.
    #[serde(serialize_with = "row_winner")]
    winner: Option<Option<Color>>,
    /// `cleared` for a void game.
    reason: String,
    #[serde(with = "by_color_code")]
    scores: ByColor<Decimal>,
    moves: usize,
    #[serde(with = "by_color_code")]
    left_ms: ByColor<Millis>,
    began: String,
    ended: String,
    record: &'a str,
}

/// Writes the winner of a game that is over, and `null` for a void game.
fn row_winner<S: Serializer>(
    winner: &Option<Option<Color>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match winner {
        Some(winner) => winner_code::serialize(winner, serializer),
        None => serializer.serialize_none(),
    }
}

/// The last entry of the log of an archive.
#[derive(Serialize)]
struct End {
    reason: WireReason,
    #[serde(with = "by_color_code")]
    scores: ByColor<Decimal>,
    #[serde(with = "winner_code")]
    winner: Option<Color>,
}

impl FinishedGame<GoProtocol> {
    /// Returns the line of the table of games.
    fn row<'a>(&'a self, record: &'a str) -> Row<'a> {
        let score = self.play.score();
        let mut left = self.play.shown();
        if self
            .outcome
            .is_some_and(|outcome| outcome.reason == WireReason::Timeout)
        {
            *left.get_mut(self.play.turn()) = 0;
        }
        Row {
            v: 1,
            game: self.game.0,
            table: self.table,
            black: self.names.black.as_ref(),
            white: self.names.white.as_ref(),
            winner: self.outcome.map(|outcome| outcome.winner),
            reason: match self.outcome {
                Some(outcome) => outcome.reason.to_string(),
                None => "cleared".into(),
            },
            scores: score.map(|score| Decimal(score.to_f64())),
            moves: self.play.log().len(),
            left_ms: left,
            began: rfc3339(self.began),
            ended: rfc3339(self.ended),
            record,
        }
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

    /// Returns the result as SGF writes it.
    fn result(&self) -> String {
        let outcome = self.outcome;
        outcome.map_or_else(
            || "Void".into(),
            |outcome| sgf_result(outcome, self.play.score()),
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

fn rfc3339(date: SystemTime) -> String {
    humantime::format_rfc3339_seconds(date).to_string()
}

/// The table of games: a line of JSON for each.
pub const GAMES: &str = "games.jsonl";

/// The records of games: two files each, and a table of all.
#[derive(Debug)]
pub struct Records {
    folder: PathBuf,
    table: LineFile,
    /// The games in the table.
    known: HashSet<u64>,
    /// The ratings on the page, if it has any.
    ladder: Option<LadderThread>,
}

/// The parts of a line of the table that are read.
#[derive(Deserialize)]
struct Known {
    game: u64,
}

impl Records {
    /// Opens the records in a folder, and creates them if necessary. A line that a crash left
    /// incomplete is cut off.
    ///
    /// # Errors
    /// They cannot be read or written.
    pub fn open(folder: &Path) -> io::Result<Records> {
        let games = folder.join("games");
        make_writable(&games)?;
        let path = folder.join(GAMES);
        let table = LineFile::open_or_create(&path, Duration::ZERO)?
            .keep_whole_lines()?
            .file;
        let mut known = HashSet::new();
        for (number, line) in (1..).zip(table.reader()?.split(b'\n')) {
            let row: Known = serde_json::from_slice(&line?).map_err(|error| {
                io::Error::other(format!("{}, line {number}: {error}", path.display()))
            })?;
            known.insert(row.game);
        }
        Ok(Records {
            folder: games,
            table,
            known,
            ladder: None,
        })
    }

    /// Returns the path of the table.
    pub(super) fn table(&self) -> &Path {
        self.table.path()
    }

    /// Keeps the ratings on the page up to date.
    pub(super) fn show(&mut self, ladder: LadderThread) {
        self.ladder = Some(ladder);
    }

    /// Returns a number above those of all recorded games.
    pub fn next(&self) -> GameId {
        GameId(
            self.known
                .iter()
                .max()
                .map_or(1, |last| last.saturating_add(1)),
        )
    }
}

impl RecordKeeper<GoProtocol> for Records {
    fn add(&mut self, finished: &FinishedGame<GoProtocol>) -> io::Result<()> {
        let name = finished.file_name();
        let record = format!("{name}.sgf");
        write_whole(&self.folder.join(&record), finished.sgf().as_bytes())?;
        let archive = finished.archive()?;
        write_whole(
            &self.folder.join(format!("{name}.json")),
            archive.as_bytes(),
        )?;
        if self.known.contains(&finished.game.0) {
            return Ok(());
        }
        let mut line = serde_json::to_string(&finished.row(&record))?;
        line.push('\n');
        self.table.append(&line)?;
        self.known.insert(finished.game.0);
        if let Some(ladder) = &self.ladder {
            ladder.notify();
        }
        Ok(())
    }
}
