//! The standings as a table of text, for terminals.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::event::GameResult;
use super::name::Name;
use super::points::Points;
use super::round::{Id, Pairing};
use super::settings::{Games, Kind};
use super::standings::Standing;
use super::state::Tournament;
use crate::color::Color;
use crate::names::isolated;

/// What a cell shows of a player.
type Show = fn(&Standing) -> String;

/// A column: its heading and its cells.
type Column = (String, Vec<String>);

impl Tournament {
    /// The standings as a table, a line for each player.
    ///
    /// A round robin is shown as a cross table: below each number stand the games
    /// with the player in that line. For a Swiss tournament there is a column for
    /// each round: the line of the opponent, the color of the first game, and the
    /// games. A game is `1` won, `=` tied, `0` lost, `+` won or `-` lost by forfeit,
    /// `.` not yet played.
    pub fn table(&self) -> String {
        let rows = self.standings();
        let ids: Vec<Option<Id>> = rows.iter().map(|row| self.find(&row.player)).collect();
        let ids: Vec<Id> = ids.into_iter().flatten().collect();
        let line = |show: Show| rows.iter().map(show).collect();
        let mut columns: Vec<Column> = vec![
            (
                "".into(),
                (1..=rows.len()).map(|line| line.to_string()).collect(),
            ),
            ("Rank".into(), line(|row| or_dash(row.rank))),
        ];
        let swiss = matches!(self.settings().kind, Kind::Swiss { .. });
        let sums: [(&str, Show); 4] = [
            ("Points", |row| row.points.to_string()),
            ("Buchholz", |row| or_dash(row.tie_breaks.buchholz)),
            ("S-Berger", |row| {
                row.tie_breaks.sonneborn_berger.to_string()
            }),
            ("Wins", |row| row.wins.to_string()),
        ];
        let sums = sums
            .into_iter()
            .filter(|(heading, _)| swiss || *heading != "Buchholz");
        columns.extend(sums.map(|(heading, show)| (heading.to_owned(), line(show))));
        columns.extend(if swiss {
            self.swiss_columns(&ids)
        } else {
            self.cross_columns(&ids)
        });
        written(&rows, &columns)
    }

    /// A column for each round.
    fn swiss_columns(&self, ids: &[Id]) -> Vec<Column> {
        let lines: BTreeMap<Id, usize> = ids.iter().copied().zip(1..).collect();
        let single = self.settings().games == Games::Single;
        let columns = (1_usize..).zip(self.rounds()).map(|(number, round)| {
            let cell = |id: &Id| {
                let Some(pairing) = round.pairing_of(*id) else {
                    let bye = round.bye == Some(*id);
                    return if bye { "bye" } else { "" }.to_owned();
                };
                let opponent = lines.get(&pairing.opponent(*id)).copied();
                let color = match pairing.color(0, *id) {
                    _ if !single => ":",
                    Color::Black => "b",
                    Color::White => "w",
                };
                format!("{}{color}{}", or_dash(opponent), marks(pairing, *id))
            };
            (number.to_string(), ids.iter().map(cell).collect())
        });
        columns.collect()
    }

    /// A column for each opponent.
    fn cross_columns(&self, ids: &[Id]) -> Vec<Column> {
        let mut meetings: BTreeMap<(Id, Id), String> = BTreeMap::new();
        for pairing in self.rounds().iter().flat_map(|round| &round.pairings) {
            for id in pairing.players {
                meetings.insert((id, pairing.opponent(id)), marks(pairing, id));
            }
        }
        let columns = (1_usize..).zip(ids).map(|(number, other)| {
            let cell = |id: &Id| match meetings.get(&(*id, *other)) {
                Some(marks) => marks.clone(),
                None if id == other => "x".to_owned(),
                None => String::new(),
            };
            (number.to_string(), ids.iter().map(cell).collect())
        });
        columns.collect()
    }
}

/// The games of a pairing, as one of its players sees them.
fn marks(pairing: &Pairing, id: Id) -> String {
    let games = pairing.games.iter().enumerate();
    games
        .map(|(game, result)| mark(result.as_ref(), pairing.color(game, id)))
        .collect()
}

fn mark(result: Option<&GameResult>, color: Color) -> char {
    let Some(result) = result else {
        return '.';
    };
    match (result.points(color), result.forfeit) {
        (Points::ONE, false) => '1',
        (Points::ONE, true) => '+',
        (Points::HALF, _) => '=',
        (_, false) => '0',
        (_, true) => '-',
    }
}

fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

/// The table: the first two columns, the names, and the other columns.
fn written(rows: &[Standing], columns: &[Column]) -> String {
    let width = rows.iter().map(|row| row.player.width());
    let width = width.chain([4]).max().unwrap_or_default();
    let mut text = String::new();
    for line in 0..=rows.len() {
        let mut cells = String::new();
        for (number, (heading, column)) in columns.iter().enumerate() {
            let cells_of_column = || std::iter::once(heading).chain(column);
            let column_width = cells_of_column().map(String::len).max().unwrap_or_default();
            let cell = cells_of_column().nth(line).map_or("", String::as_str);
            if number == 2 {
                let player = line.checked_sub(1).and_then(|row| rows.get(row));
                let name = player.map_or("Name", |row| Name::as_str(&row.player));
                let rest = width.saturating_sub(name.chars().count());
                let _ = write!(cells, "{}{:rest$}  ", isolated(name), "");
            }
            let _ = write!(cells, "{cell:>column_width$}  ");
        }
        text.push_str(cells.trim_end());
        text.push('\n');
    }
    text
}
