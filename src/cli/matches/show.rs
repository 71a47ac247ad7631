//! What people and programs see of an event that is being played.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::Receiver;
use std::time::Instant;

use anyhow::Result;
use serde::Serialize;

use super::live_table::{self, Pace, Screen, progress_table};
use super::page::MatchPage;
use super::records::Records;
use crate::agent::note;
use crate::color::ByColor;
use crate::counted::counted;
use crate::matches::{
    EventSettings, Fixture, GameRecord, PlayedGame, Progress, Report, Results, Verdict, WatchError,
    Watcher,
};

/// Shows an event, and writes its records.
pub(super) struct Show<'a> {
    settings: &'a EventSettings,
    records: Records,
    /// What people should know while games are played.
    notices: Receiver<String>,
    is_quiet: bool,
    is_json: bool,
    /// A table that shows the progress, on a terminal.
    screen: Screen,
    has_table: bool,
    begin: Instant,
    /// The games of this run that have ended.
    games: usize,
    /// The number of games that are being played.
    running: usize,
    /// Whether the same command goes on with the event.
    can_go_on: bool,
    /// The page for spectators.
    page: Option<MatchPage>,
}

/// An event of `--json`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum JsonEvent<'a> {
    /// The event begins, or goes on.
    Begin {
        v: u8,
        settings: &'a EventSettings,
        played: usize,
    },
    /// A game begins.
    Game { fixture: &'a Fixture },
    /// A game has ended.
    Result {
        #[serde(flatten)]
        record: &'a GameRecord,
    },
    /// The event has ended, or was interrupted.
    End { report: &'a Report },
}

/// Writes a line of JSON to standard output.
fn print_json(event: &JsonEvent<'_>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(event)?)?;
    out.flush()
}

impl<'a> Show<'a> {
    /// Returns what shows an event with these settings.
    pub(super) fn new(
        settings: &'a EventSettings,
        is_quiet: bool,
        is_json: bool,
        records: Records,
        notices: Receiver<String>,
    ) -> Show<'a> {
        // Lines of JSON would be written into the table.
        let has_table = live_table::is_possible() && !(is_json && io::stdout().is_terminal());
        Show {
            settings,
            records,
            notices,
            is_quiet,
            is_json,
            screen: Screen::default(),
            has_table,
            begin: Instant::now(),
            games: 0,
            running: 0,
            can_go_on: false,
            page: None,
        }
    }

    /// Says that the same command goes on with the event when it has been interrupted.
    pub(super) fn can_go_on(&mut self) {
        self.can_go_on = true;
    }

    /// Shows the event on a page, too.
    pub(super) fn on_page(&mut self, page: MatchPage) {
        self.page = Some(page);
    }

    /// Shows that the event begins, or goes on after this many games.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) fn begin(&self, played: usize) -> Result<()> {
        if self.is_json {
            print_json(&JsonEvent::Begin {
                v: 1,
                settings: self.settings,
                played,
            })?;
        }
        if !self.is_quiet {
            let seed = self.settings.seed;
            note(&match played {
                0 => format!("seed {seed}"),
                _ => format!("seed {seed}; {} played before", counted(played, "game")),
            });
        }
        Ok(())
    }

    /// Shows the end of the event: the report on it.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) fn end(&mut self, progress: &Progress, results: &Results) -> Result<()> {
        self.screen.clear();
        if let Some(page) = self.page.take() {
            page.finish(progress);
        }
        let report = Report::new(results, None);
        match self.is_json {
            true => print_json(&JsonEvent::End { report: &report })?,
            false => write!(io::stdout(), "{report}")?,
        }
        Ok(())
    }

    /// Shows the progress, on a terminal.
    fn show_progress(&mut self, progress: &Progress) {
        if !self.has_table || self.is_quiet {
            return;
        }
        let minutes = self.begin.elapsed().as_secs_f64() / 60.0;
        let pace = Pace {
            running: self.running,
            per_minute: self.games as f64 / minutes.max(f64::MIN_POSITIVE),
        };
        let settings = self.settings;
        let has_hint = self.can_go_on && self.games == 0;
        let table = |size| progress_table(settings, progress, pace, has_hint, size);
        self.screen.show(table);
    }
}

/// Returns the line that tells of a game.
fn game_line(game: &GameRecord, sides: ByColor<&str>) -> String {
    let Fixture {
        number, players, ..
    } = &game.fixture;
    let ByColor { black, white } = players;
    let result = game.result_of_sides(sides);
    let mut text = format!("{number}: {black} - {white} {result}");
    match game.verdict {
        Verdict::Count => {}
        verdict => {
            let _ = write!(text, ", {verdict}");
        }
    }
    if let Some(detail) = &game.detail {
        let _ = write!(text, ": {detail}");
    }
    if let Some(lines) = &game.last_lines {
        let name = match game.loser() {
            Some(color) => players[color].as_str(),
            None => "",
        };
        for (stream, lines) in [("output", &lines.output), ("errors", &lines.errors)] {
            for line in lines {
                let _ = write!(text, "\n  {name} {stream}: {line}");
            }
        }
    }
    text
}

impl Watcher for Show<'_> {
    fn begins(&mut self, fixture: &Fixture) {
        self.running = self.running.saturating_add(1);
        if self.is_json {
            // A reader that is gone is noticed when a game ends.
            let _ = print_json(&JsonEvent::Game { fixture });
        }
    }

    fn ends(&mut self, games: &[PlayedGame]) -> Result<(), WatchError> {
        for game in games {
            self.records.log(game)?;
        }
        Ok(())
    }

    fn ended(&mut self, games: &[PlayedGame], progress: &Progress) -> Result<(), WatchError> {
        for game in games {
            self.records.add(&game.record)?;
            self.games = self.games.saturating_add(1);
            self.running = self.running.saturating_sub(1);
            let record = &game.record;
            if let Some(page) = &self.page {
                page.add(record);
            }
            if self.is_json {
                print_json(&JsonEvent::Result { record })?;
            }
            let is_shown = record.verdict.is_failure() || !self.has_table;
            if !self.is_quiet && is_shown {
                self.screen.clear();
                note(&game_line(record, self.settings.game.sides()));
            }
        }
        if let Some(page) = &mut self.page {
            page.show_standings(progress);
        }
        self.show_progress(progress);
        Ok(())
    }

    fn idle(&mut self, progress: &Progress) {
        for text in self.notices.try_iter() {
            self.screen.clear();
            note(&text);
        }
        self.show_progress(progress);
    }
}
