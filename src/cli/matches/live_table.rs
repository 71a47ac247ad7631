//! The table on a terminal that shows how an event stands.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::counted::counted;
use crate::matches::{Column, EventSettings, PlayerStanding, Progress, Table, cut, width};
use crate::statistics::Estimate;

/// The maximum number of players in the table.
const MAX_ROWS: usize = 12;

/// The lines around the players: the table's headings, what is said before and after it, and the
/// cursor's.
const OTHER_LINES: usize = 8;

/// The number of columns of a table with points and scores.
const WIDE: usize = 60;

/// The columns that the numbers of a table take, of one that is not wide.
const NUMBERS: usize = 28;

/// The minimum number of columns of a name.
const MIN_NAME: usize = 8;

/// The shortest time between two texts that show the progress.
const INTERVAL: Duration = Duration::from_millis(200);

/// Returns whether the table can be shown: whether standard error is a terminal that can move its
/// cursor.
pub(super) fn is_possible() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The size of a terminal.
#[derive(Clone, Copy, Debug)]
pub(super) struct TerminalSize {
    columns: usize,
    rows: usize,
}

impl TerminalSize {
    /// Returns the size of the terminal at standard error, or a usual one if it is not known.
    fn get() -> TerminalSize {
        let usual = TerminalSize {
            columns: 80,
            rows: 24,
        };
        #[cfg(unix)]
        if let Ok(found) = rustix::termios::tcgetwinsize(io::stderr())
            && found.ws_col > 0
            && found.ws_row > 0
        {
            return TerminalSize {
                columns: found.ws_col.into(),
                rows: found.ws_row.into(),
            };
        }
        usual
    }
}

/// How many games are played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The number of games that are being played.
    pub running: usize,
    /// The number of games that end in a minute.
    pub per_minute: f64,
}

/// Returns the table, with a hint how the event is stopped and goes on if `has_hint` is true.
pub(super) fn progress_table(
    settings: &EventSettings,
    progress: &Progress,
    pace: Pace,
    has_hint: bool,
    size: TerminalSize,
) -> String {
    let planned = counted(progress.planned(), "game");
    let mut first = vec![
        format!("{} of {planned}", progress.played()),
        format!("{:.0} a minute", pace.per_minute),
    ];
    if pace.running > 0 {
        first.push(format!("{} being played", counted(pace.running, "game")));
    }
    let flags = progress.time_forfeits();
    if flags > 0 {
        first.push(counted(flags, "time forfeit"));
    }
    let standings = progress.standings();
    let rows = size.rows.saturating_sub(OTHER_LINES).clamp(1, MAX_ROWS);
    let mut text = wrapped(&first, size.columns);
    text += &players(standings.iter().take(rows), standings.len(), size.columns).to_string();
    if let Some(hidden) = standings.len().checked_sub(rows).filter(|&more| more > 0) {
        text += &format!("and {}\n", counted(hidden, "other player"));
    }
    let mut last = Vec::new();
    if let [one, other] = &*settings.players {
        let evidence = progress.evidence().between(&one.name, &other.name);
        if let Some(strength) = evidence.strength() {
            let shown = |number: Option<Estimate>| {
                number.map_or_else(|| "unknown".to_owned(), |number| number.to_string())
            };
            let name = shortened(one.name.as_str(), size.columns.saturating_sub(NUMBERS));
            last.push(format!("{name}: Elo {}", shown(strength.elo)));
            last.push(format!("nElo {}", shown(strength.nelo)));
            let los = strength.los.map(|los| format!("LOS {:.1} %", 100.0 * los));
            last.extend(los);
        }
    }
    if let Some((test, sprt)) = progress.test().zip(settings.sprt) {
        let (lower, upper) = (sprt.lower_bound(), sprt.upper_bound());
        last.push(format!("LLR {:.2} ({lower:.2} to {upper:.2})", test.llr));
    }
    text += &wrapped(&last, size.columns);
    if has_hint {
        let hint = ["Ctrl-C stops", "the same command goes on"].map(str::to_owned);
        text += &wrapped(&hint, size.columns);
    }
    text
}

/// Returns the table of some of this many players.
fn players<'a>(
    rows: impl Iterator<Item = &'a PlayerStanding>,
    number: usize,
    columns: usize,
) -> Table {
    let has_points = number > 2;
    let has_score = !has_points || columns >= WIDE;
    let numbers: [Column<PlayerStanding>; 5] = [
        ("Points", has_points, |row| row.points.to_string()),
        ("Won", true, |row| row.results.wins.to_string()),
        ("Drawn", true, |row| row.results.draws.to_string()),
        ("Lost", true, |row| row.results.losses.to_string()),
        ("Score", has_score, |row| {
            let score = row.results.strength().map(|strength| strength.score);
            score.map_or_else(String::new, |score| format!("{:.1} %", 100.0 * score))
        }),
    ];
    let numbers = numbers.into_iter().filter(|&(_, is_shown, _)| is_shown);
    let headings = numbers.clone().map(|(heading, ..)| heading.to_owned());
    let mut table = Table::new(1, [String::new()].into_iter().chain(headings));
    for row in rows {
        let name = shortened(row.player.as_str(), columns.saturating_sub(NUMBERS));
        let cells = numbers.clone().map(|(.., cell)| cell(row));
        table.add([name].into_iter().chain(cells));
    }
    table
}

/// Returns a name that takes at most this many columns, but not too few.
fn shortened(name: &str, room: usize) -> String {
    let room = room.max(MIN_NAME);
    match width(name) > room {
        true => format!("{}…", cut(name, room - 1)),
        false => name.to_owned(),
    }
}

/// Returns parts of a sentence in lines, as few as there can be.
fn wrapped(parts: &[String], columns: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if width(line) + width(part) + 2 < columns => {
                line.push_str(", ");
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A text of several lines on a terminal that is written again and again in the same place.
#[derive(Debug, Default)]
pub(super) struct Screen {
    /// The number of columns of each line that is there.
    lines: Vec<usize>,
    written: Option<Instant>,
}

impl Screen {
    /// Shows a text, unless the last one is still new.
    pub(super) fn show(&mut self, text: impl FnOnce(TerminalSize) -> String) {
        if self
            .written
            .is_some_and(|written| written.elapsed() < INTERVAL)
        {
            return;
        }
        let size = TerminalSize::get();
        let mut written = self.take(size);
        for line in text(size).lines().take(size.rows.saturating_sub(1)) {
            // A line that the terminal breaks would be two.
            let line = cut(line, size.columns.saturating_sub(1));
            written.push_str(line);
            written.push('\n');
            self.lines.push(width(line));
        }
        self.written = Some(Instant::now());
        // At once, so that it does not flicker. The event goes on if its progress cannot be shown.
        let _ = io::stderr().write_all(written.as_bytes());
    }

    /// Removes the text. What is written next takes its place.
    pub(super) fn clear(&mut self) {
        let written = self.take(TerminalSize::get());
        let _ = io::stderr().write_all(written.as_bytes());
    }

    /// Returns what removes the text, which the terminal may have broken into more lines since it has
    /// become narrower.
    fn take(&mut self, size: TerminalSize) -> String {
        let lines = std::mem::take(&mut self.lines).into_iter();
        let rows = lines.map(|columns| columns.max(1).div_ceil(size.columns));
        match rows.sum::<usize>() {
            0 => String::new(),
            // The beginning of the line that is so many lines above, and the end of the screen.
            rows => format!("\x1b[{rows}F\x1b[J"),
        }
    }
}
