//! How many games at the same time the system's limit of open files allows.

use std::fs;

use itertools::Itertools;

use crate::base::counted::counted;
use crate::cli::page::Page;
use crate::matches::{EventSettings, PlayerKind, Schedule};

/// The files that are open here for an engine: the pipes of its input, its output and its errors,
/// and that of its guard.
const ENGINE_FILES: u64 = 4;

/// The files that are open here for a client: its port, its connection, the pipes of its output and
/// its errors, and that of its guard.
const CLIENT_FILES: u64 = 5;

/// The files that are open besides while a program is started: the program's own ends of the pipes.
const START_FILES: u64 = 6;

/// The files for records, and some for the libraries of the system.
const OTHER_FILES: u64 = 16;

/// The number of files that are taken to be open already, where the system does not tell.
const USUAL_FILES: u64 = 16;

/// Raises the limit of open files, as far as the system allows it, so that it suffices for this many
/// games at the same time, and for a page. Returns the number of games for which it does, at least 1; if
/// it is less than `wanted`, calls `warn` with the reason.
///
/// The limit is not raised further than this: programs that are started here inherit it, and some of
/// them close as many files as there could be.
pub fn allowed_games(
    settings: &EventSettings,
    wanted: usize,
    has_page: bool,
    warn: impl FnOnce(String),
) -> usize {
    let programs = program_files(settings);
    if programs == 0 {
        return wanted;
    }
    let per_game = programs.saturating_add(START_FILES);
    let open = fs::read_dir("/dev/fd").map_or(USUAL_FILES, |files| files.count() as u64);
    let others = open.saturating_add(OTHER_FILES);
    let page = match has_page {
        true => Page::MAX_CONNECTIONS.into(),
        false => 0,
    };
    let needed = |games: usize| {
        let games = u64::try_from(games).unwrap_or(u64::MAX);
        games.saturating_mul(per_game).saturating_add(others)
    };
    let limit = needed(wanted).saturating_add(page);
    let granted = rlimit::increase_nofile_limit(limit).unwrap_or(limit);
    if granted >= limit {
        return wanted;
    }
    // Spectators have to leave room for the games.
    let left = granted
        .saturating_sub(others)
        .saturating_sub(page.min(granted / 4));
    let allowed = usize::try_from(left / per_game)
        .unwrap_or(usize::MAX)
        .max(1);
    // There may be no more games than these.
    let most = Schedule::new(settings).map_or(wanted, |schedule| match schedule.may_grow() {
        true => wanted,
        false => schedule.games().len().min(wanted),
    });
    if allowed >= most {
        return wanted;
    }
    warn(format!(
        "the system allows {granted} open files, which is enough for {} at the same time, and not for \
         {most}: raise the limit with ulimit -n {}, or give --concurrency {allowed}",
        counted(allowed, "game"),
        needed(most).saturating_add(page)
    ));
    allowed
}

/// Returns the most files that the programs of a game need: two players, and the scorer.
fn program_files(settings: &EventSettings) -> u64 {
    let files = |kind: &PlayerKind| match kind {
        PlayerKind::BuiltIn(_) => 0,
        PlayerKind::Engine(_) => ENGINE_FILES,
        PlayerKind::Client(_) => CLIENT_FILES,
    };
    let players = settings.players.iter().map(|one| files(&one.kind));
    let players: u64 = players.sorted_unstable().rev().take(2).sum();
    let scorer = settings.scorer().map_or(0, |scorer| files(&scorer.kind));
    players.saturating_add(scorer)
}
