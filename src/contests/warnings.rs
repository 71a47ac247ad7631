//! Warnings for the organizer about players whose programs fail, which a table of results does not
//! show: games that are lost before the first move, the same error again and again, and a side that
//! nobody else plays.
//!
//! Pure: results and errors go in; the sentences that are new come out, for the log.

use std::collections::{BTreeSet, VecDeque};

use super::results::ResultLine;
use crate::base::color::Color;
use crate::base::names::isolated;

/// The number of games in a row, lost before the first move, that are a warning.
const LOSSES: u32 = 3;

/// The number of times that a player makes the same error until that is a warning.
const REPEATS: u32 = 10;

/// The number of a player's moves after which its errors before them are forgotten.
const CALM_MOVES: usize = 50;

/// The maximum number of players that are watched: those that were heard of last.
const MAX_PLAYERS: usize = 200;

/// The maximum number of different errors of a player.
const MAX_ERRORS: usize = 3;

/// The maximum number of present warnings.
const MAX_WARNINGS: usize = 50;

/// The maximum number of characters of an error that are repeated.
const MAX_ERROR: usize = 120;

/// What there is to warn of.
#[derive(Debug, Default)]
pub struct Warnings {
    /// The players whose transcripts are kept.
    transcripts: BTreeSet<String>,
    /// The players, the one that was heard of last first.
    players: VecDeque<Watched>,
    /// The players who wait in vain, a sentence each.
    waits: Vec<String>,
}

/// A player.
#[derive(Debug, Default)]
struct Watched {
    name: String,
    /// The number of games in a row that it has lost before its first move.
    losses: u32,
    /// The reason of the last one, and the error before it.
    reason: String,
    /// Its last error since its last game.
    last_error: Option<String>,
    /// Its errors, each with how often it was made. The oldest is first.
    errors: VecDeque<(String, u32)>,
    /// The moves in its games since its last error.
    moves: usize,
}

impl Warnings {
    /// Creates an empty value. The transcripts of these players are kept.
    pub fn new(transcripts: impl IntoIterator<Item = String>) -> Warnings {
        Warnings {
            transcripts: transcripts.into_iter().collect(),
            ..Warnings::default()
        }
    }

    /// Notes a game that is over, and returns the new warnings.
    pub fn note_result(&mut self, line: &ResultLine) -> Vec<String> {
        let Some(outcome) = line.outcome().filter(|_| line.ruling.is_none()) else {
            return Vec::new();
        };
        let note = |side| {
            let player = line.player(side);
            let name = player.called().filter(|_| !player.house)?;
            let moves = match side {
                Color::Black => line.moves.div_ceil(2),
                Color::White => line.moves / 2,
            };
            let watched = self.watch(name);
            let error = watched.last_error.take();
            watched.moves = watched.moves.saturating_add(moves);
            if watched.moves >= CALM_MOVES {
                watched.errors.clear();
            }
            if moves > 0 || outcome != Some(side.opponent()) {
                watched.losses = 0;
                return None;
            }
            watched.losses = watched.losses.saturating_add(1);
            watched.reason = match error {
                Some(error) => format!("{}, after the error: {error}", line.reason),
                None => line.reason.clone(),
            };
            let is_new = watched.losses == LOSSES;
            self.lost(self.players.front()?).filter(|_| is_new)
        };
        Color::ALL.into_iter().filter_map(note).collect()
    }

    /// Notes an error of a player, as the player or the log was told, and returns the warning if it is
    /// new. Errors that differ only in numbers are the same.
    pub fn note_error(&mut self, player: &str, error: &str) -> Vec<String> {
        let error: String = error.chars().take(MAX_ERROR).collect();
        let is_same = |(known, _): &(String, u32)| {
            let letters = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
            letters(known) == letters(&error)
        };
        let watched = self.watch(player);
        watched.moves = 0;
        watched.last_error = Some(error.clone());
        let known = watched.errors.iter().position(is_same);
        let known = known.and_then(|at| watched.errors.remove(at));
        let count = known.map_or(0, |(_, count)| count).saturating_add(1);
        if watched.errors.len() >= MAX_ERRORS {
            watched.errors.pop_front();
        }
        let told = (count == REPEATS).then(|| repeated(player, &error, count));
        watched.errors.push_back((error, count));
        told.into_iter().collect()
    }

    /// Notes the players who wait in vain, a sentence each, and returns the new ones.
    pub fn set_waits(&mut self, waits: Vec<String>) -> Vec<String> {
        let known = std::mem::replace(&mut self.waits, waits);
        let new = self.waits.iter().filter(|wait| !known.contains(wait));
        new.cloned().collect()
    }

    /// Returns all present warnings, a sentence each.
    pub fn list(&self) -> Vec<String> {
        let of_players = self.players.iter().flat_map(|watched| {
            let errors = watched.errors.iter().filter(|(_, count)| *count >= REPEATS);
            let errors = errors.map(|(error, count)| repeated(&watched.name, error, *count));
            self.lost(watched).into_iter().chain(errors)
        });
        let all = self.waits.iter().cloned().chain(of_players);
        all.take(MAX_WARNINGS).collect()
    }

    /// Returns the warning that a player has lost games before its first move, if it has.
    fn lost(&self, watched: &Watched) -> Option<String> {
        let advice = match self.transcripts.contains(&watched.name) {
            true => ": see its transcript",
            false => "",
        };
        (watched.losses >= LOSSES).then(|| {
            format!(
                "{} has lost its last {} games before its first move ({}){advice}",
                isolated(&watched.name),
                watched.losses,
                watched.reason
            )
        })
    }

    /// Returns a player, which is now the first one.
    fn watch(&mut self, name: &str) -> &mut Watched {
        let known = self.players.iter().position(|watched| watched.name == name);
        let watched = known.and_then(|at| self.players.remove(at));
        self.players.push_front(watched.unwrap_or_else(|| Watched {
            name: name.to_owned(),
            ..Watched::default()
        }));
        self.players.truncate(MAX_PLAYERS);
        &mut self.players[0]
    }
}

/// Returns the warning that a player has made the same error this often, rounded down so that it
/// seldom changes.
fn repeated(player: &str, error: &str, count: u32) -> String {
    let rounded = REPEATS << (count / REPEATS).max(1).ilog2();
    let player = isolated(player);
    format!("{player} has made the same error at least {rounded} times: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::color::ByColor;
    use crate::contests::results::{GameOver, ResultPlayer};

    /// A game of Red with Black and Blue with White.
    fn game(winner: Option<Color>, moves: usize) -> ResultLine {
        let over = GameOver {
            id: "1".into(),
            game: "Go",
            table: 1,
            began: std::time::SystemTime::UNIX_EPOCH,
            outcome: Some(winner),
            reason: "disconnection".into(),
            result: String::new(),
            exchange: Vec::new(),
            score: None,
            moves,
            extension: "sgf",
            scheduled: None,
        };
        let player = |name: &str, side: &str| ResultPlayer {
            side: side.into(),
            name: Some(name.into()),
            ..ResultPlayer::default()
        };
        ResultLine::new(
            over,
            ByColor::new(player("Red", "black"), player("Blue", "white")),
        )
    }

    const RED_LOSES: Option<Color> = Some(Color::White);
    const BLUE_LOSES: Option<Color> = Some(Color::Black);

    #[test]
    fn games_that_are_lost_before_the_first_move_are_a_warning_until_one_is_not() {
        let mut warnings = Warnings::new(["Red".to_owned()]);
        for _ in 0..2 {
            assert!(warnings.note_result(&game(RED_LOSES, 0)).is_empty());
        }
        assert!(warnings.note_error("Red", "299 What?").is_empty());
        let new = warnings.note_result(&game(RED_LOSES, 0));
        assert_eq!(
            new,
            [
                "Red has lost its last 3 games before its first move (disconnection, after the error: \
              299 What?): see its transcript"
            ]
        );
        assert_eq!(warnings.list(), new);
        // It is logged once. Without a result nothing changes.
        assert!(warnings.note_result(&game(RED_LOSES, 0)).is_empty());
        let line = game(RED_LOSES, 0).write().unwrap();
        let void = ResultLine::read(&line.replace("\"winner\":\"white\"", "\"winner\":null"));
        assert!(warnings.note_result(&void.unwrap()).is_empty());
        assert_eq!(
            warnings.list(),
            [
                "Red has lost its last 4 games before its first move (disconnection): see its transcript"
            ]
        );
        // White has not moved after one move.
        for _ in 0..3 {
            warnings.note_result(&game(BLUE_LOSES, 1));
        }
        assert_eq!(
            warnings.list(),
            ["Blue has lost its last 3 games before its first move (disconnection)"]
        );
        warnings.note_result(&game(BLUE_LOSES, 2));
        assert!(warnings.list().is_empty());
    }

    #[test]
    fn the_same_error_is_a_warning_until_fifty_moves_are_accepted() {
        let mut warnings = Warnings::default();
        let mut new = Vec::new();
        for number in 0..25 {
            new.extend(warnings.note_error("Red", &format!("299 Move {number} is not understood")));
            new.extend(warnings.note_error("Red", &format!("291 {}", "x".repeat(1 + number))));
        }
        assert_eq!(
            new,
            ["Red has made the same error at least 10 times: 299 Move 9 is not understood"]
        );
        // Three different ones are remembered.
        assert_eq!(
            warnings.list(),
            ["Red has made the same error at least 20 times: 299 Move 24 is not understood"]
        );
        warnings.note_result(&game(RED_LOSES, 98));
        assert_eq!(warnings.list().len(), 1);
        warnings.note_result(&game(RED_LOSES, 2));
        assert!(warnings.list().is_empty());
    }

    #[test]
    fn anybody_who_waits_is_logged_once() {
        let mut warnings = Warnings::default();
        let waits = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(warnings.set_waits(waits(&["Red"])), ["Red"]);
        assert_eq!(warnings.set_waits(waits(&["Blue", "Red"])), ["Blue"]);
        assert_eq!(warnings.list(), ["Blue", "Red"]);
        assert!(warnings.set_waits(Vec::new()).is_empty());
        assert!(warnings.list().is_empty());
    }

    #[test]
    fn many_names_and_long_errors_take_little_room() {
        let mut warnings = Warnings::default();
        for name in 0..1_000 {
            for _ in 0..REPEATS {
                warnings.note_error(&name.to_string(), &"\u{e9}".repeat(1_000));
            }
        }
        assert_eq!(warnings.players.len(), MAX_PLAYERS);
        let list = warnings.list();
        assert_eq!(list.len(), MAX_WARNINGS);
        assert!(list.iter().all(|text| text.chars().count() < 200));
    }
}
