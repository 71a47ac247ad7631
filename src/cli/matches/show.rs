//! What people and programs see of an event that is being played.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

use super::page::MatchPage;
use super::records::Records;
use crate::agent::note;
use crate::color::ByColor;
use crate::counted::counted;
use crate::matches::{
    EventSettings, Fixture, GameRecord, PlayedGame, Progress, Report, Results, Verdict, WatchError,
    Watcher,
};
use crate::statistics::{Estimate, WinDrawLoss};
use crate::tournament::Name;

/// The maximum number of players in the table that shows the progress.
const MAX_ROWS: usize = 12;

/// The maximum number of characters of its lines.
const MAX_COLUMNS: usize = 79;

/// The shortest time between two texts that show the progress.
const INTERVAL: Duration = Duration::from_millis(200);

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
    is_terminal: bool,
    begin: Instant,
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
        notices: Receiver<String>,
    ) -> Show<'a> {
        let is_terminal = io::stderr().is_terminal();
        Show {
            settings,
            records,
            notices,
            is_quiet,
            is_json,
            screen: Screen::default(),
            is_terminal,
            begin: Instant::now(),
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
    pub(super) fn end(&mut self, progress: &Progress, results: &Results) -> Result<()> {
        self.screen.clear();
        if let Some((page, _)) = self.page.take() {
            page.finish(self.settings, progress);
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
        if !self.is_terminal || self.is_quiet {
            return;
        }
        let mut screen = std::mem::take(&mut self.screen);
        screen.show(|| self.progress_table(progress));
        self.screen = screen;
    }

    /// Returns the table that shows the progress on a terminal.
    fn progress_table(&self, progress: &Progress) -> String {
        let played = progress.played();
        let minutes = self.begin.elapsed().as_secs_f64() / 60.0;
        let rate = self.games as f64 / minutes.max(f64::MIN_POSITIVE);
        let planned = counted(progress.planned(), "game");
        let mut text = format!("{played} of {planned}, {rate:.0} a minute");
        let flags = progress.time_forfeits();
        // Writing to memory cannot fail.
        if flags > 0 {
            let _ = write!(text, ", {}", counted(flags, "time forfeit"));
        }
        let mut players: Vec<(&Name, WinDrawLoss)> = self
            .settings
            .players
            .iter()
            .map(|player| (&player.name, progress.results_of(&player.name)))
            .collect();
        let names = players
            .iter()
            .map(|(name, _)| name.as_str().chars().count());
        let width = names.max().unwrap_or(0);
        if players.len() > 2 {
            let points = |results: &WinDrawLoss| {
                results.wins.saturating_mul(2).saturating_add(results.draws)
            };
            players.sort_by_key(|(_, results)| std::cmp::Reverse(points(results)));
        }
        for (name, results) in players.iter().take(MAX_ROWS) {
            let WinDrawLoss {
                wins,
                draws,
                losses,
            } = results;
            let score = results.strength().map(|strength| 100.0 * strength.score);
            let score = score.map(|score| format!("{score:5.1} %"));
            let score = score.unwrap_or_default();
            let _ = write!(
                text,
                "\n{name:width$}  {wins:5} won {draws:5} drawn {losses:5} lost  {score}"
            );
        }
        if let Some(hidden) = players
            .len()
            .checked_sub(MAX_ROWS)
            .filter(|&hidden| hidden > 0)
        {
            let _ = write!(text, "\nand {}", counted(hidden, "other player"));
        }
        if let [one, other] = &*self.settings.players {
            let evidence = progress.evidence().between(&one.name, &other.name);
            let strength = match evidence.pairs.pairs() {
                0 => evidence.games.strength(),
                _ => evidence.pairs.strength(),
            };
            if let Some(strength) = strength {
                let shown = |number: Option<Estimate>| {
                    number.map_or_else(|| "unknown".into(), |number| number.to_string())
                };
                let (elo, nelo) = (shown(strength.elo), shown(strength.nelo));
                let _ = write!(text, "\n{}: Elo {elo}, nElo {nelo}", one.name);
                if let Some(los) = strength.los {
                    let _ = write!(text, ", LOS {:.1} %", 100.0 * los);
                }
            }
        }
        if let Some((test, sprt)) = progress.test().zip(self.settings.sprt) {
            let (lower, upper) = (sprt.lower_bound(), sprt.upper_bound());
            let _ = write!(text, "\nLLR {:.2}, from {lower:.2} to {upper:.2}", test.llr);
        }
        text
    }
}

/// A text of several lines on a terminal that is written again and again in the same place.
#[derive(Debug, Default)]
struct Screen {
    /// The number of lines that are there.
    lines: usize,
    written: Option<Instant>,
}

impl Screen {
    /// Shows a text, unless the last one is still new.
    fn show(&mut self, text: impl FnOnce() -> String) {
        if self
            .written
            .is_some_and(|written| written.elapsed() < INTERVAL)
        {
            return;
        }
        let text = text();
        self.clear();
        self.written = Some(Instant::now());
        for line in text.lines() {
            // A line that the terminal breaks would be two. The event goes on if its progress
            // cannot be shown.
            let line: String = line.chars().take(MAX_COLUMNS).collect();
            let _ = writeln!(io::stderr(), "{line}");
            self.lines = self.lines.saturating_add(1);
        }
    }

    /// Removes the text. What is written next takes its place.
    fn clear(&mut self) {
        if self.lines > 0 {
            // The beginning of the line that is so many lines above, and the end of the screen.
            let _ = write!(io::stderr(), "\x1b[{}F\x1b[J", self.lines);
        }
        self.lines = 0;
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
            let record = &game.record;
            if let Some((page, sides)) = &self.page {
                page.add(record, *sides);
            }
            if self.is_json {
                print_json(&JsonEvent::Result { record })?;
            }
            let is_shown = record.verdict.is_failure() || !self.is_terminal;
            if !self.is_quiet && is_shown {
                self.screen.clear();
                note(&game_line(record));
            }
        }
        if let Some((page, _)) = &mut self.page {
            page.show_standings(self.settings, progress);
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
