//! The games that are being played, as spectators see them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::game::{MatchGame, first_position};
use super::record::{GameRecord, PlannedGame};
use super::setup::Setup;
use super::time::MatchClock;
use crate::base::color::{ByColor, Color};
use crate::pages::web::{Ply, SeatView, TableStatus, TableView};

/// The games that are being played, one for each thread that plays games. The threads note each
/// move, and the page reads them when it has time, so that a fast game is not slowed down.
#[derive(Debug)]
pub struct LiveGames(Vec<LiveGame>);

/// A place where games are played one after the other.
#[derive(Debug, Default)]
pub struct LiveGame(Mutex<Noted>);

/// A game as it has been noted.
#[derive(Clone, Debug, Default)]
struct Noted {
    /// Counts the games at this place.
    game: u64,
    /// Counts the changes.
    changes: u64,
    planned: Option<PlannedGame>,
    /// The position that it begins with.
    setup: Option<Setup>,
    /// The moves in the game's notation, each with the time that it took.
    moves: Vec<(String, Option<Duration>)>,
    clocks: ByColor<Option<MatchClock>>,
    turn: Option<Color>,
    result: Option<String>,
}

impl LiveGames {
    /// Returns places for this many games at the same time.
    pub fn new(number: usize) -> LiveGames {
        LiveGames((0..number).map(|_| LiveGame::default()).collect())
    }

    /// Returns the place of a thread.
    pub fn get(&self, thread: usize) -> Option<&LiveGame> {
        self.0.get(thread)
    }
}

impl LiveGame {
    fn change(&self, change: impl FnOnce(&mut Noted)) {
        let mut noted = self.lock();
        change(&mut noted);
        noted.changes = noted.changes.wrapping_add(1);
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the start of a game, after its setup and the moves of its opening.
    pub(super) fn begins(
        &self,
        planned: &PlannedGame,
        setup: Option<&Setup>,
        opening: &[String],
        clocks: ByColor<Option<MatchClock>>,
        turn: Color,
    ) {
        self.change(|noted| {
            *noted = Noted {
                game: noted.game.wrapping_add(1),
                changes: noted.changes,
                planned: Some(planned.clone()),
                setup: setup.cloned(),
                moves: opening.iter().map(|word| (word.clone(), None)).collect(),
                clocks,
                turn: Some(turn),
                result: None,
            };
        });
    }

    /// Notes a move and the next player to move.
    pub(super) fn moves(
        &self,
        word: &str,
        used: Duration,
        clocks: ByColor<Option<MatchClock>>,
        turn: Color,
    ) {
        self.change(|noted| {
            noted.moves.push((word.to_owned(), Some(used)));
            noted.clocks = clocks;
            noted.turn = Some(turn);
        });
    }

    /// Notes that the game has ended.
    pub(super) fn ends(&self, record: &GameRecord, sides: ByColor<&str>) {
        self.change(|noted| {
            noted.turn = None;
            let result = record.result_of_sides(sides);
            noted.result = Some(format!("{result} ({})", record.verdict));
        });
    }

    /// Notes that the game is broken off and will be replayed.
    pub(super) fn is_postponed(&self) {
        self.change(|noted| {
            noted.turn = None;
            noted.result = Some("postponed".to_owned());
        });
    }
}

/// Converts the games for the page.
#[derive(Debug)]
pub struct LiveTables<G> {
    start: G,
    tables: Vec<Shown<G>>,
}

/// A game as it was shown last.
#[derive(Debug)]
struct Shown<G> {
    game: u64,
    changes: u64,
    position: G,
    /// The number of boards that have been shown.
    plies: usize,
}

/// A table that has changed, with its new boards and the number of those before.
#[derive(Debug)]
pub struct ChangedTable {
    /// The table.
    pub table: TableView,
    /// The number of boards before the new ones.
    pub from: usize,
    /// The new boards.
    pub plies: Vec<Ply>,
}

impl<G: MatchGame> LiveTables<G> {
    /// Returns the tables of games that begin at `start`.
    pub fn new(start: G, games: &LiveGames) -> LiveTables<G> {
        let shown = |_: &LiveGame| Shown {
            game: 0,
            changes: 0,
            position: start.clone(),
            plies: 0,
        };
        let tables = games.0.iter().map(shown).collect();
        LiveTables { start, tables }
    }

    /// Returns the tables that have changed since the last call.
    pub fn changes(&mut self, games: &LiveGames) -> Vec<ChangedTable> {
        let start = &self.start;
        let tables = self.tables.iter_mut().zip(&games.0).zip(1..);
        let changes = tables.filter_map(|((shown, live), number)| {
            let noted = {
                let noted = live.lock();
                (noted.changes != shown.changes).then(|| noted.clone())
            };
            noted.and_then(|noted| shown.update(start, number, &noted))
        });
        changes.collect()
    }
}

impl<G: MatchGame> Shown<G> {
    fn update(&mut self, start: &G, number: u32, noted: &Noted) -> Option<ChangedTable> {
        self.changes = noted.changes;
        let mut plies = Vec::new();
        if self.game != noted.game {
            *self = Shown {
                game: noted.game,
                changes: noted.changes,
                position: first_position(start, noted.setup.as_ref()),
                plies: 0,
            };
            plies.push(self.position.ply());
        }
        let from = self.plies;
        // The first board precedes all moves.
        for (word, used) in noted.moves.iter().skip(from.saturating_sub(1)) {
            let by = self.position.to_move();
            let Some(mv) = self.position.play_word(word) else {
                break;
            };
            plies.push(Ply {
                text: word.clone(),
                at: G::place(mv),
                by: Some(by),
                used: *used,
                ..self.position.ply()
            });
        }
        self.plies = from.saturating_add(plies.len());
        let table = self.table(number, noted)?;
        Some(ChangedTable { table, from, plies })
    }

    fn table(&self, number: u32, noted: &Noted) -> Option<TableView> {
        let planned = noted.planned.as_ref()?;
        let [rows, columns] = self.position.size();
        let titles = G::PLAYERS;
        Some(TableView {
            id: number,
            kind: G::KIND,
            title: format!("Game {}", planned.number),
            port: None,
            rules: String::new(),
            rows,
            columns,
            numbered: false,
            seats: ByColor::from_fn(|color| SeatView {
                code: titles[color].chars().take(1).collect(),
                title: titles[color].to_owned(),
                name: Some(planned.players[color].to_string()),
                client: None,
                connected: true,
                left: noted.clocks[color].map(|clock| clock.left().time),
            }),
            phase: match noted.result {
                None => TableStatus::Playing,
                Some(_) => TableStatus::Over,
            },
            result: noted.result.clone(),
            turn: noted.turn,
            running_clock: noted.turn.filter(|&color| noted.clocks[color].is_some()),
            round: Some(planned.round),
            commands: Default::default(),
        })
    }
}
