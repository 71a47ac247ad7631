//! The report file of FIDE (TRF), in which programs for Swiss tournaments exchange them.
//!
//! The format is that of FIDE's handbook (C.04, annex 2, TRF16), with the codes of JaVaFo for the
//! number of rounds (`XXR`), the first color (`XXC`) and pairs who may not meet (`XXP`). Columns
//! count characters, and lines end with `\r\n`.

use thiserror::Error;

use super::{Encounter, Mark, PlayerId, Round, Standing, Status, Tournament, swiss};
use crate::base::color::Color;
use crate::tournament::settings::{Games, Name, PairingSystem};

/// The number of columns of a name.
const NAME_WIDTH: usize = 33;

/// A round that a player neither played nor had as a bye: they were absent, had not entered, or
/// had left.
const MISSED: &str = "  0000 - Z";

/// Why a tournament has no report file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TrfError {
    /// All players meet.
    #[error("the report file (TRF) is for Swiss tournaments, and this is a round robin")]
    RoundRobin,
    /// There are two games in each pairing.
    #[error(
        "the report file (TRF) has one game in each round of a player, and two players meet in \
         two games here"
    )]
    TwoGames,
}

impl Tournament {
    /// Returns the report file of FIDE (TRF16) of a Swiss tournament with single games, as the
    /// pairing programs bbpPairings and JaVaFo read it.
    ///
    /// It has the rounds that are over, and the points and ranks after them. The codes of games
    /// and rounds without a game are:
    ///
    /// | code | meaning |
    /// |---|---|
    /// | `1`, `=`, `0` | won, drawn, lost |
    /// | `+`, `-` | won, lost by forfeit |
    /// | `U` | a bye |
    /// | `Z` | not paired: absent, not yet entered, or withdrawn |
    ///
    /// While the tournament is running, those who are not paired in the next round, or in the one
    /// that is being played, have `Z` there already, so that another program can pair it. If the
    /// organizer ended the tournament during a round, `Z` also stands for its games without a
    /// result. A name is cut off after 33 characters. `w` is White and `b` Black; in chess White
    /// moves first.
    ///
    /// # Errors
    /// It is a round robin, or has two games in each pairing.
    ///
    /// ```
    /// use gothello::tournament::{Games, PairingSystem, Settings, Tournament, TrfError};
    ///
    /// let names = ["Ann".parse()?, "Bob".parse()?];
    /// let system = PairingSystem::Swiss { rounds: 1 };
    /// let settings = Settings { system, games: Games::Single, seed: 1, forbidden: vec![] };
    /// let report = Tournament::new(settings.clone(), &names)?.trf()?;
    /// assert!(report.lines().any(|line| line == "XXR 1"));
    ///
    /// let settings = Settings { games: Games::Both, ..settings };
    /// assert_eq!(Tournament::new(settings, &names)?.trf(), Err(TrfError::TwoGames));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trf(&self) -> Result<String, TrfError> {
        let PairingSystem::Swiss { rounds } = self.settings.system else {
            return Err(TrfError::RoundRobin);
        };
        if self.settings.games != Games::Single {
            return Err(TrfError::TwoGames);
        }
        // A report has no code for a game that has no result yet.
        let mut reported = self.clone();
        let open = match self.ended {
            true => None,
            false => reported.rounds.pop_if(|last| !last.is_over()),
        };
        let initial = match swiss::initial_color(&self.settings) {
            Color::Black => "black1",
            Color::White => "white1",
        };
        let mut lines = vec![
            "012 Swiss tournament".to_owned(),
            format!("062 {}", self.entrants.len()),
            "092 Individual: Swiss-System".to_owned(),
            format!("XXR {rounds}"),
            format!("XXC {initial}"),
        ];
        let mut numbered: Vec<(usize, Standing, PlayerId)> = Vec::new();
        for row in reported.standings() {
            if let Some(id) = self.find(&row.player) {
                numbered.push((self.starting_number(id), row, id));
            }
        }
        numbered.sort_by_key(|(number, ..)| *number);
        for (number, row, id) in &numbered {
            let rounds = reported.rounds.iter();
            let mut cells: String = rounds.map(|round| self.round_cell(*id, round)).collect();
            if self.misses_next(*id, open.as_ref()) {
                cells += MISSED;
            }
            lines.push(player_line(*number, row) + &cells);
        }
        for (one, other) in &self.forbidden.0 {
            let (one, other) = (self.starting_number(*one), self.starting_number(*other));
            lines.push(format!("XXP {one} {other}"));
        }
        Ok(lines.iter().map(|line| format!("{line}\r\n")).collect())
    }

    /// Returns whether a player is known not to play in the round after those that are reported:
    /// in the one that is being played, if there is one, or in the next one.
    fn misses_next(&self, id: PlayerId, open: Option<&Round>) -> bool {
        match open {
            Some(round) => !round.has(id),
            None => !self.is_over() && self.status(id) != Status::Present,
        }
    }

    /// Returns what a player did in a round: ten columns.
    fn round_cell(&self, id: PlayerId, round: &Round) -> String {
        if round.bye == Some(id) {
            return "  0000 - U".to_owned();
        }
        let encounter = round.encounter_of(id);
        let game = encounter.and_then(|encounter| self.game_cell(id, encounter));
        game.unwrap_or_else(|| MISSED.to_owned())
    }

    /// Returns the game of a player as ten columns; `None` if it has no result.
    fn game_cell(&self, id: PlayerId, encounter: &Encounter) -> Option<String> {
        let (game, result) = encounter.results().next()?;
        let color = encounter.color(game, id);
        let opponent = self.starting_number(encounter.opponent(id));
        let code = Mark::new(Some(result), color).symbol();
        Some(format!("  {opponent:>4} {} {code}", color.letter()))
    }
}

/// Returns the line of a player up to the rounds. Sex, title, rating, federation, FIDE's number and
/// the date of birth are unknown.
fn player_line(number: usize, row: &Standing) -> String {
    let name: String = Name::as_str(&row.player).chars().take(NAME_WIDTH).collect();
    let points = row.points.as_f64();
    let rank = row.rank.map_or_else(String::new, |rank| rank.to_string());
    format!(
        "001 {number:>4}      {name:<NAME_WIDTH$}{:>33}{points:>4.1} {rank:>4}",
        ""
    )
}
