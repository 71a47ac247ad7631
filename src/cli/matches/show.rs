//! The output of a running event for people and programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Result;
use itertools::Itertools;
use serde::Serialize;
use terminal_size::{Height, Width, terminal_size_of};

use super::records::Records;
use crate::base::color::{ByColor, Color};
use crate::base::counted::counted;
use crate::base::names::isolated;
use crate::cli::output::Output;
use crate::cli::page::Page;
use crate::clients::agent::note;
use crate::gtp::process::reap_orphans;
use crate::matches::{
    Column, EventSettings, GameRecord, LiveGames, LiveTables, MatchGame, PlannedGame, PlayedGame,
    PlayerStanding, ProgramIdentity, Progress, Report, Results, RunEvent, TextTable, Verdict,
    WatchError, Watcher, cut, width,
};
use crate::pages::web::{self, AccessPolicy, Feed, Grid, ServerInfo};
use crate::statistics::{Decision, Estimate, WinDrawLoss};
use crate::tournament::{Name, TieBreaks};

/// Shows an event, and writes its records.
pub(super) struct Show<'a> {
    settings: &'a EventSettings,
    records: Records,
    /// A note for people while games are played.
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
    /// Whether a game was put off because this machine lacked something.
    has_postponed: bool,
    /// The programs of each player that are known, the newest last. A process goes on with the program
    /// that it was started from, beside processes of a new one.
    programs: BTreeMap<Name, Vec<ProgramIdentity>>,
    /// When orphans were last waited for.
    reaped: Instant,
    /// The results file, with which the same command resumes the event after an interruption.
    results: Option<PathBuf>,
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
    Game {
        #[serde(rename = "planned_game")]
        planned: &'a PlannedGame,
    },
    /// This machine lacks something for a game that has begun: it is played later.
    Postponed {
        #[serde(rename = "planned_game")]
        planned: &'a PlannedGame,
        why: String,
    },
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
    let mut out = Output::lock();
    writeln!(out, "{}", serde_json::to_string(event)?)?;
    out.flush()
}

impl<'a> Show<'a> {
    /// Returns what shows an event with these settings and this results file.
    pub(super) fn new(
        settings: &'a EventSettings,
        is_quiet: bool,
        is_json: bool,
        records: Records,
        results: Option<PathBuf>,
        notices: Receiver<String>,
    ) -> Show<'a> {
        // Lines of JSON would be written into the table.
        let has_table = can_show_table() && !(is_json && Output::is_terminal());
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
            has_postponed: false,
            programs: BTreeMap::new(),
            reaped: Instant::now(),
            results,
            page: None,
        }
    }

    /// Shows the event on a page, too, which is served at a bound port, with the games that were
    /// `played` before.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub(super) fn serve_page<G: MatchGame>(
        &mut self,
        listener: TcpListener,
        start: G,
        games: Arc<LiveGames>,
        title: String,
        access: AccessPolicy,
        played: &[GameRecord],
    ) -> Result<()> {
        let page = MatchPage::start(listener, start, games, title, access)?;
        for game in played {
            page.add(game);
        }
        self.page = Some(page);
        Ok(())
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
            page.finish(self.settings, progress);
        }
        let report = Report::new(results, None);
        match self.is_json {
            true => print_json(&JsonEvent::End { report: &report })?,
            false => write!(Output::lock(), "{report}")?,
        }
        Ok(())
    }

    /// Takes note of the programs of games that were played before: as each player was last.
    pub(super) fn knows(&mut self, played: &[GameRecord]) {
        for game in played {
            for color in Color::ALL {
                if let Some(program) = game.programs[color].clone() {
                    let name = game.planned.players[color].clone();
                    let known = self.programs.entry(name).or_default();
                    let last = known.pop().unwrap_or_default();
                    known.push(program.or(&last));
                }
            }
        }
    }

    /// Says so, once, if the program of a player has changed. The event goes on: whoever mends an engine
    /// knows whether it is the same player.
    pub(super) fn check_program(&mut self, player: &Name, program: ProgramIdentity) {
        let known = self.programs.entry(player.clone()).or_default();
        let mut same = known.iter_mut().rev();
        if let Some(same) = same.find(|known| !program.is_other_than(known)) {
            *same = program.or(same);
            return;
        }
        let last = known.last().map(ProgramIdentity::to_string);
        let now = program.to_string();
        known.push(program);
        if let Some(last) = last {
            self.tell(&format!(
                "player {player}: the program has changed: it was {last} in earlier games, which count, \
                 too, and is {now} now"
            ));
        }
    }

    /// Prints an event while games are played, with `--json`.
    fn print_event(&self, event: &JsonEvent<'_>) {
        if self.is_json {
            // An error is noticed when a game ends.
            let _ = print_json(event);
        }
    }

    /// Waits for processes that engines have started and left behind, and that have ended.
    fn reap(&mut self) {
        if self.reaped.elapsed() >= REAP_INTERVAL {
            reap_orphans();
            self.reaped = Instant::now();
        }
    }

    /// Says what people should know.
    pub(super) fn tell(&mut self, text: &str) {
        if !self.is_quiet {
            self.screen.clear();
            note(text);
        }
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
        let has_hint = self.results.is_some() && self.games == 0;
        let table = |size| progress_table(settings, progress, pace, has_hint, size);
        self.screen.show(table);
    }
}

/// Returns the line that tells of a failure above the table on a terminal, and where the last lines of
/// the player are.
fn failure_line(
    game: &GameRecord,
    sides: ByColor<&str>,
    results: Option<&Path>,
    columns: usize,
) -> String {
    let line = game_line(game, sides);
    let place = match (&game.last_lines, results) {
        (None, _) => String::new(),
        (Some(_), Some(path)) => format!(" (its last lines: {})", path.display()),
        (Some(_), None) => " (--results keeps its last lines)".to_owned(),
    };
    let room = columns.saturating_sub(1).saturating_sub(width(&place));
    format!("{}{place}", shortened(&line, room))
}

/// Returns what the player who failed in a game wrote last, a line for each of its lines.
fn last_lines(game: &GameRecord) -> String {
    let mut text = String::new();
    if let Some(lines) = &game.last_lines {
        let name = match game.loser() {
            Some(color) => game.planned.players[color].as_str(),
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

/// Returns the line that tells of a game.
fn game_line(game: &GameRecord, sides: ByColor<&str>) -> String {
    let PlannedGame {
        number, players, ..
    } = &game.planned;
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
    text
}

impl Watcher for Show<'_> {
    fn notice(&mut self, event: &RunEvent) {
        let text = match event {
            RunEvent::Begins(planned) => {
                self.running = self.running.saturating_add(1);
                return self.print_event(&JsonEvent::Game { planned });
            }
            RunEvent::Postponed(planned, why) => {
                self.running = self.running.saturating_sub(1);
                self.print_event(&JsonEvent::Postponed {
                    planned,
                    why: why.to_string(),
                });
                // Others may follow for the same reason.
                if std::mem::replace(&mut self.has_postponed, true) {
                    return;
                }
                format!("game {} is played later: {why}", planned.number)
            }
            RunEvent::Repeats(planned) => {
                self.running = self.running.saturating_sub(1);
                format!(
                    "game {} is played again, because this program was stalled for too long during it",
                    planned.number
                )
            }
            RunEvent::Limited(games, why) => {
                format!(
                    "at most {} at the same time: {why}",
                    counted(*games, "game")
                )
            }
            RunEvent::Recovered(games) => {
                format!("{} at the same time again", counted(*games, "game"))
            }
            RunEvent::Stalled(time) => format!(
                "this program was stalled for {:.1} s, which no clock counts",
                time.as_secs_f64()
            ),
        };
        self.tell(&text);
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
            for color in Color::ALL {
                if let Some(program) = record.programs[color].clone() {
                    self.check_program(&record.planned.players[color], program);
                }
            }
            if let Some(page) = &self.page {
                page.add(record);
            }
            if self.is_json {
                print_json(&JsonEvent::Result { record })?;
            }
            let is_shown = record.verdict.is_failure() || !self.has_table;
            if !self.is_quiet && is_shown {
                let sides = self.settings.game.sides();
                let text = match self.has_table {
                    true => {
                        self.screen.clear();
                        let columns = TerminalSize::get().columns;
                        failure_line(record, sides, self.results.as_deref(), columns)
                    }
                    false => game_line(record, sides) + &last_lines(record),
                };
                note(&text);
            }
        }
        if let Some(page) = &mut self.page {
            page.show_standings(self.settings, progress);
        }
        self.reap();
        self.show_progress(progress);
        Ok(())
    }

    fn idle(&mut self, progress: &Progress) {
        self.reap();
        for text in self.notices.try_iter() {
            self.screen.clear();
            note(&text);
        }
        self.show_progress(progress);
    }
}

/// The shortest time between two looks for orphans that have ended.
const REAP_INTERVAL: Duration = Duration::from_secs(1);

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
fn can_show_table() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The size of a terminal.
#[derive(Clone, Copy, Debug)]
struct TerminalSize {
    columns: usize,
    rows: usize,
}

impl TerminalSize {
    /// Returns the size of the terminal at standard error, or a usual one if it is not known.
    fn get() -> TerminalSize {
        let found = terminal_size_of(io::stderr());
        let (Width(columns), Height(rows)) = found.unwrap_or((Width(80), Height(24)));
        TerminalSize {
            columns: columns.into(),
            rows: rows.into(),
        }
    }
}

/// How many games are played.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// The number of games that are being played.
    running: usize,
    /// The number of games that end in a minute.
    per_minute: f64,
}

/// Returns the table, and with `has_hint` how the event is stopped and resumed.
fn progress_table(
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
    let room = size.columns.saturating_sub(NUMBERS);
    let last = figures(settings, progress, |name| shortened(name, room));
    text += &wrapped(&last, size.columns);
    if has_hint {
        let hint = ["Ctrl-C stops", "the same command goes on"].map(str::to_owned);
        text += &wrapped(&hint, size.columns);
    }
    text
}

/// Returns how much stronger the first of two players is, and how the test stands.
fn figures(
    settings: &EventSettings,
    progress: &Progress,
    shown_name: impl Fn(&str) -> String,
) -> Vec<String> {
    let mut figures = Vec::new();
    if let [one, other] = &*settings.players {
        let evidence = progress.evidence().between(&one.name, &other.name);
        if let Some(strength) = evidence.strength() {
            let shown = |number: Option<Estimate>| {
                number.map_or_else(|| "unknown".to_owned(), |number| number.to_string())
            };
            let name = shown_name(one.name.as_str());
            figures.push(format!("{name}: Elo {}", shown(strength.elo)));
            figures.push(format!("nElo {}", shown(strength.nelo)));
            let los = strength.los.map(|los| format!("LOS {:.1} %", 100.0 * los));
            figures.extend(los);
        }
    }
    if let Some((test, sprt)) = progress.test().zip(settings.sprt) {
        let (lower, upper) = (sprt.lower_bound(), sprt.upper_bound());
        figures.push(format!("LLR {:.2} ({lower:.2} to {upper:.2})", test.llr));
        match test.decision {
            Decision::Continue => {}
            decision => figures.push(format!("decided for {decision}")),
        }
    }
    figures
}

/// Returns the table of some of this many players.
fn players<'a>(
    rows: impl Iterator<Item = &'a PlayerStanding>,
    number: usize,
    columns: usize,
) -> TextTable {
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
    let room = columns.saturating_sub(NUMBERS);
    let rows = rows.map(|row| ([shortened(row.player.as_str(), room)], row));
    TextTable::of_columns([""], &numbers, rows)
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
struct Screen {
    /// The number of columns of each line that is there.
    lines: Vec<usize>,
    written: Option<Instant>,
}

impl Screen {
    /// Shows a text, unless the last one is still new.
    fn show(&mut self, text: impl FnOnce(TerminalSize) -> String) {
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

    /// Removes the text. What is written next takes its place, and then the text comes again at once.
    fn clear(&mut self) {
        self.written = None;
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

/// The pause between two looks at the games.
const REST: Duration = Duration::from_millis(100);

/// The pause between two looks at the standings.
const STANDINGS_REST: Duration = Duration::from_secs(1);

/// The page of an event.
struct MatchPage {
    page: Page,
    /// The names of the sides.
    sides: ByColor<&'static str>,
    /// Dropping it ends the thread.
    end: Sender<()>,
    thread: JoinHandle<()>,
    shown: Option<Instant>,
}

impl MatchPage {
    /// Starts serving the page at a bound port.
    ///
    /// # Errors
    /// The system has no thread for it.
    fn start<G: MatchGame>(
        listener: TcpListener,
        start: G,
        games: Arc<LiveGames>,
        title: String,
        access: AccessPolicy,
    ) -> Result<MatchPage> {
        let feed = Page::feed_of(ServerInfo {
            title,
            organizer: false,
            tournaments: true,
            clients: false,
        });
        let app = web::spectator_routes(feed.clone(), access);
        let page = Page::start(listener, feed.clone(), app, |what| note(&what))?;
        let (end, ended) = channel();
        let thread = thread::Builder::new()
            .name("tables".into())
            .spawn(move || publish(&feed, start, &games, &ended))?;
        Ok(MatchPage {
            page,
            sides: G::PLAYERS,
            end,
            thread,
            shown: None,
        })
    }

    /// Shows a game that has ended.
    fn add(&self, game: &GameRecord) {
        let players = game.planned.players.as_ref();
        let result = game.result_of_sides(self.sides);
        self.page.feed().add_finished(web::Finished {
            began: game.began.into(),
            table: format!("Game {}", game.planned.number),
            sides: self.sides.map(str::to_owned),
            players: players.map(ToString::to_string),
            result: format!("{result} ({})", game.verdict),
            decided: false,
            free: None,
            exchange: Vec::new(),
            record: None,
        });
    }

    /// Shows the standings, unless they were shown a moment ago.
    fn show_standings(&mut self, settings: &EventSettings, progress: &Progress) {
        if self
            .shown
            .is_some_and(|shown| shown.elapsed() < STANDINGS_REST)
        {
            return;
        }
        self.shown = Some(Instant::now());
        let standings = standings(settings, progress, self.sides, true);
        self.page.feed().set_tournament(Some(standings));
    }

    /// Lets spectators see the last changes, and stops.
    fn finish(self, settings: &EventSettings, progress: &Progress) {
        let standings = standings(settings, progress, self.sides, false);
        self.page.feed().set_tournament(Some(standings));
        drop(self.end);
        // It ends soon; if it has panicked, the page stops all the same.
        let _ = self.thread.join();
        self.page.finish();
    }
}

/// Publishes the games until the sender is dropped, and once more then.
fn publish<G: MatchGame>(feed: &Feed, start: G, games: &LiveGames, end: &Receiver<()>) {
    let mut tables = LiveTables::new(start, games);
    loop {
        let goes_on = end.recv_timeout(REST) == Err(RecvTimeoutError::Timeout);
        for changed in tables.changes(games) {
            feed.set_plies(changed.table, changed.from, changed.plies);
        }
        if !goes_on {
            return;
        }
    }
}

/// Returns the standings of an event, the best player first.
fn standings(
    settings: &EventSettings,
    progress: &Progress,
    sides: ByColor<&str>,
    is_running: bool,
) -> web::Tournament {
    let standings = progress.standings();
    let is_swiss = standings.iter().any(|row| row.swiss.is_some());
    let head = ["Rank", "Player", "Points"].into_iter();
    let head = head.chain(["Buchholz", "S-Berger"].into_iter().filter(|_| is_swiss));
    let head = head.chain(["Games", "Won", "Drawn", "Lost"]);
    let rows = standings.iter().zip(1_u32..).map(|(row, place)| {
        let rank = row.swiss.as_ref().and_then(|row| row.rank);
        let mut cells = vec![
            rank.unwrap_or(place).to_string(),
            row.player.to_string(),
            row.points.to_string(),
        ];
        if let Some(TieBreaks {
            buchholz,
            sonneborn_berger,
            ..
        }) = row.swiss.as_ref().map(|row| row.tie_breaks)
        {
            let points = [buchholz.unwrap_or_default(), sonneborn_berger];
            cells.extend(points.map(|points| points.to_string()));
        }
        let WinDrawLoss {
            wins,
            draws,
            losses,
        } = row.results;
        cells.extend([row.results.games(), wins, draws, losses].map(|number| number.to_string()));
        cells
    });
    let played = format!("{} of {} games", progress.played(), progress.planned());
    let figures = figures(settings, progress, |name| isolated(name).into_owned());
    // A line does not begin with a percent sign.
    let figures = figures.iter().map(|figure| figure.replace(" %", "\u{a0}%"));
    web::Tournament {
        title: [played].into_iter().chain(figures).join(", "),
        sides: sides.map(str::to_owned),
        is_running,
        standings: Grid {
            head: head.map(str::to_owned).collect(),
            rows: rows.collect(),
        },
        ..web::Tournament::default()
    }
}
