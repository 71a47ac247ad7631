//! What people and programs see of an event that is being played.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::time::{Instant, SystemTime};

use anyhow::Result;
use serde::Serialize;

use super::page::MatchPage;
use super::records::Records;
use crate::agent::note;
use crate::cli::search::ProgressLine;
use crate::color::ByColor;
use crate::counted::counted;
use crate::matches::{
    EventSettings, Fixture, GameRecord, Header, PlayedGame, Progress, Report, Results, Verdict,
    WatchError, Watcher,
};

/// Shows an event, and writes its records.
pub(super) struct Show<'a> {
    settings: &'a EventSettings,
    records: Records,
    is_quiet: bool,
    is_json: bool,
    /// A line that shows the progress, on a terminal.
    line: ProgressLine,
    is_terminal: bool,
    begin: Instant,
    began: SystemTime,
    /// The games of this run.
    games: usize,
    /// The page for spectators, and the names of the sides on it.
    page: Option<(MatchPage, ByColor<&'static str>)>,
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
    ) -> Show<'a> {
        let is_terminal = io::stderr().is_terminal();
        Show {
            settings,
            records,
            is_quiet,
            is_json,
            line: match is_quiet {
                true => ProgressLine::silent(),
                false => ProgressLine::new(),
            },
            is_terminal,
            begin: Instant::now(),
            began: SystemTime::now(),
            games: 0,
            page: None,
        }
    }

    /// Shows the event on a page, too.
    pub(super) fn on_page(&mut self, page: MatchPage, sides: ByColor<&'static str>) {
        self.page = Some((page, sides));
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
    pub(super) fn end(&mut self, progress: &Progress) -> Result<()> {
        self.line.clear();
        if let Some((page, _)) = self.page.take() {
            page.finish(self.settings, progress);
        }
        let results = Results {
            header: Header::new(self.settings.clone(), self.began),
            games: progress.games().to_vec(),
        };
        let report = Report::new(&results, None);
        match self.is_json {
            true => print_json(&JsonEvent::End { report: &report })?,
            false => write!(io::stdout(), "{report}")?,
        }
        Ok(())
    }

    /// Returns the line that shows the progress.
    fn progress_line(&self, progress: &Progress) -> String {
        let played = progress.games().len();
        let mut text = format!("{played} of {}", counted(progress.planned(), "game"));
        let minutes = self.begin.elapsed().as_secs_f64() / 60.0;
        let rate = self.games as f64 / minutes.max(f64::MIN_POSITIVE);
        // Writing to memory cannot fail.
        let _ = write!(text, ", {rate:.0} a minute");
        if let [one, other] = &*self.settings.players {
            let evidence = progress.evidence().between(&one.name, &other.name);
            let strength = match evidence.pairs.pairs() {
                0 => evidence.games.strength(),
                _ => evidence.pairs.strength(),
            };
            if let Some(elo) = strength.and_then(|strength| strength.elo) {
                let _ = write!(text, ", {} {elo:+.1} Elo", one.name);
            }
        }
        if let Some(test) = progress.test() {
            let _ = write!(text, ", LLR {:.2}", test.llr);
        }
        let flags = progress.games().iter();
        let flags = flags.filter(|game| game.verdict == Verdict::Time).count();
        if flags > 0 {
            let _ = write!(text, ", {}", counted(flags, "time forfeit"));
        }
        text
    }
}

/// Returns the line that tells of a game.
fn game_line(game: &GameRecord) -> String {
    let Fixture {
        number, players, ..
    } = &game.fixture;
    let ByColor { black, white } = players;
    let mut text = format!("{number}: {black} - {white} {}", game.result);
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
        if self.is_json {
            // A reader that is gone is noticed when a game ends.
            let _ = print_json(&JsonEvent::Game { fixture });
        }
    }

    fn ended(&mut self, games: &[PlayedGame], progress: &Progress) -> Result<(), WatchError> {
        for game in games {
            self.records.add(game)?;
            self.games = self.games.saturating_add(1);
            let record = &game.record;
            if let Some((page, sides)) = &self.page {
                page.add(record, *sides);
            }
            if self.is_json {
                print_json(&JsonEvent::Result { record })?;
            }
            let is_shown = record.verdict.is_failure() || !self.is_terminal;
            if !self.is_quiet && is_shown {
                self.line.clear();
                note(&game_line(record));
            }
        }
        if let Some((page, _)) = &mut self.page {
            page.show_standings(self.settings, progress);
        }
        self.line.show(|| self.progress_line(progress));
        Ok(())
    }

    fn idle(&mut self, progress: &Progress) {
        self.line.show(|| self.progress_line(progress));
    }
}
