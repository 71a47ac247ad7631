//! The ladder: ratings of the players in the results of a referee.
//!
//! A match counts if it has a result and two players with different names: teams, known by their
//! ports or their names, other clients that gave a name, and the house. Tournament matches count
//! like free ones. Players are identified only by name.
//!
//! [`Ladder::read`] reads the lines appended since the last call, so that a server can follow the
//! results that it appends to. [`Ladder::of`] reads all results, also from a pipe. Memory and time
//! are bounded: only the last [`MAX_MATCHES`] matches count, and of their players the
//! [`MAX_PLAYERS`] with the most matches.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use itertools::Itertools;

use super::results::{BadLine, ResultLine, ResultLines};
use crate::base::color::{ByColor, Color};
use crate::statistics::{Estimate, GameScore, PlayedGame, Rating, Ratings, WinDrawLoss};

/// The maximum number of matches that count: the latest ones.
pub const MAX_MATCHES: usize = 100_000;

/// The maximum number of players that are rated: the time grows with its third power.
pub const MAX_PLAYERS: usize = 300;

/// The ladder of the results of a referee.
#[derive(Debug, Default)]
pub struct Ladder {
    /// The number of the only tournament whose matches count; all matches count if `None`.
    tournament: Option<u32>,
    /// The number of bytes and lines read.
    offset: u64,
    lines: usize,
    /// The number of lines that are not empty.
    results: usize,
    /// The matches that count, in order.
    matches: VecDeque<RatedMatch>,
    /// Their keys.
    counted: HashSet<(String, SystemTime)>,
    /// The maximum length of that list.
    limit: Limit,
}

/// The limits of a ladder.
#[derive(Clone, Copy, Debug)]
struct Limit {
    matches: usize,
    players: usize,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit {
            matches: MAX_MATCHES,
            players: MAX_PLAYERS,
        }
    }
}

/// A match that counts.
#[derive(Debug)]
struct RatedMatch {
    key: (String, SystemTime),
    players: ByColor<String>,
    /// Who won; `None` is a draw.
    winner: Option<Color>,
}

/// A player in the ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderRow {
    /// The rank among the players of the same group, from 1.
    pub place: usize,
    /// The name.
    pub name: String,
    /// The results of the matches with other rated players.
    pub results: WinDrawLoss,
    /// The mean score of a match, in 0..=1.
    pub score: f64,
    /// The rating in Elo, with its 95 % interval; the mean of a group is 0.
    pub elo: Estimate,
    /// The number of the group, from 1. Players of different groups are not connected by any chain
    /// of matches, so their ratings cannot be compared.
    pub group: usize,
}

/// The players in their order: group by group, the strongest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LadderTable {
    /// The players.
    pub rows: Vec<LadderRow>,
    /// The number of matches that the ratings are computed from.
    pub matches: usize,
    /// The number of players who are left out, because there are too many.
    pub left_out: usize,
}

impl Ladder {
    /// Reads the results appended to a file since the last call. If no line ends at the last
    /// position, the file has been replaced, and all lines are read. A line that is just being
    /// written is left for the next time. Calls `bad` for each line that is not a result.
    ///
    /// Returns whether there are more matches that count.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(&mut self, results: &Path, bad: impl FnMut(BadLine)) -> io::Result<bool> {
        let mut file = File::open(results)?;
        if !self.is_continued(&mut file)? {
            *self = Ladder {
                limit: self.limit,
                tournament: self.tournament,
                ..Ladder::default()
            };
        }
        file.seek(SeekFrom::Start(self.offset))?;
        self.read_lines(&mut BufReader::new(file), false, bad)
    }

    /// Reads all results. The last line need not end with a line feed. With `tournament`, only the
    /// matches that began in the tournament with this number count. Calls `bad` for each line that
    /// is not a result.
    ///
    /// # Errors
    /// The results cannot be read.
    pub fn of(
        mut results: impl BufRead,
        tournament: Option<u32>,
        bad: impl FnMut(BadLine),
    ) -> io::Result<Ladder> {
        let mut ladder = Ladder {
            tournament,
            ..Ladder::default()
        };
        ladder.read_lines(&mut results, true, bad)?;
        Ok(ladder)
    }

    /// Reads lines to the end of a file. Returns whether there are more matches that count.
    fn read_lines(
        &mut self,
        file: &mut impl BufRead,
        takes_rest: bool,
        mut bad: impl FnMut(BadLine),
    ) -> io::Result<bool> {
        let mut is_new = false;
        let mut lines = ResultLines {
            file,
            number: self.lines,
            bytes: 0,
            takes_rest,
        };
        for read in &mut lines {
            self.results = self.results.saturating_add(1);
            match read? {
                Ok(result) => is_new |= self.add(&result),
                Err(why) => bad(why),
            }
        }
        self.lines = lines.number;
        self.offset = self.offset.saturating_add(lines.bytes);
        Ok(is_new)
    }

    /// Adds a match if it counts. Returns whether the ratings change.
    fn add(&mut self, result: &ResultLine) -> bool {
        let key = result.key();
        // Second lines of a game are rare.
        let was_ruled = self.counted.remove(&key);
        if was_ruled {
            self.matches.retain(|rated| rated.key != key);
        }
        let is_meant = |wanted| result.tournament == Some(wanted);
        let players = Color::ALL.map(|color| result.player(color).called());
        let (Some(winner), [Some(black), Some(white)]) = (result.outcome(), players) else {
            return was_ruled;
        };
        if black == white || result.forfeit || !self.tournament.is_none_or(is_meant) {
            return was_ruled;
        }
        if self.matches.len() >= self.limit.matches
            && let Some(oldest) = self.matches.pop_front()
        {
            self.counted.remove(&oldest.key);
        }
        let players = ByColor::new(black, white).map(str::to_owned);
        self.counted.insert(key.clone());
        self.matches.push_back(RatedMatch {
            key,
            players,
            winner,
        });
        true
    }

    /// Returns whether a file still has what was read of it: a line ends at the last position.
    fn is_continued(&self, file: &mut File) -> io::Result<bool> {
        let Some(last) = self.offset.checked_sub(1) else {
            return Ok(true);
        };
        file.seek(SeekFrom::Start(last))?;
        let mut end = Vec::new();
        file.take(1).read_to_end(&mut end)?;
        Ok(end == b"\n")
    }

    /// Returns the number of results that are read.
    pub fn results(&self) -> usize {
        self.results
    }

    /// Computes the ratings.
    pub fn table(&self) -> LadderTable {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut names: Vec<&str> = Vec::new();
        let mut games: Vec<PlayedGame> = Vec::new();
        for RatedMatch {
            players, winner, ..
        } in &self.matches
        {
            let players = players.as_ref().map(|name| {
                *numbers.entry(name).or_insert_with(|| {
                    names.push(name);
                    names.len() - 1
                })
            });
            games.push(PlayedGame {
                players,
                winner: *winner,
            });
        }
        let left_out = names.len().saturating_sub(self.limit.players);
        let mut counts = vec![0_usize; names.len()];
        for &player in games.iter().flat_map(|game| game.players.iter()) {
            counts[player] += 1;
        }
        // Rated players are renumbered, because the time and memory of the ratings grow with the
        // highest number, even if that player has no game.
        let by_matches = (0..names.len()).sorted_by_key(|&player| Reverse(counts[player]));
        let rated: Vec<usize> = by_matches.take(self.limit.players).sorted().collect();
        let mut numbers = vec![None; names.len()];
        for (number, &player) in rated.iter().enumerate() {
            numbers[player] = Some(number);
        }
        let names: Vec<&str> = rated.iter().map(|&player| names[player]).collect();
        let games: Vec<PlayedGame> = games
            .into_iter()
            .filter_map(|PlayedGame { players, winner }| {
                let players = ByColor::new(numbers[players.black]?, numbers[players.white]?);
                Some(PlayedGame { players, winner })
            })
            .collect();
        let mut results = vec![WinDrawLoss::default(); names.len()];
        for game in &games {
            for color in Color::ALL {
                let score = GameScore::of(color, game.winner);
                results[game.players[color]].add(score);
            }
        }
        let mut table = LadderTable {
            rows: Vec::new(),
            matches: games.len(),
            left_out,
        };
        // This cannot fail: all numbers are those of names, and the two of a match differ.
        let Ok(ratings) = Ratings::new(names.len(), &games) else {
            return table;
        };
        let rated = names.iter().zip(results).enumerate();
        table
            .rows
            .extend(rated.filter_map(|(player, (&name, results))| {
                let &Rating { elo, group, .. } = ratings.get(player)?;
                Some(LadderRow {
                    place: 0,
                    name: name.to_owned(),
                    results,
                    score: results.strength()?.score,
                    elo,
                    group,
                })
            }));
        table.rows.sort_by(|one, other| {
            let by_rating = other.elo.value.total_cmp(&one.elo.value);
            one.group.cmp(&other.group).then(by_rating)
        });
        let groups = table
            .rows
            .chunk_by_mut(|one, other| one.group == other.group);
        for (number, group) in (1..).zip(groups) {
            for (place, row) in (1..).zip(group) {
                row.place = place;
                // Players who are left out are in groups, too.
                row.group = number;
            }
        }
        table
    }
}

impl LadderRow {
    /// Returns the rating as it is shown, such as `58 ± 170`.
    fn rating(&self) -> String {
        let Estimate { value, error } = self.elo;
        // Without the sign of a negative zero.
        let value = value.round() + 0.0;
        format!("{:.0}", Estimate { value, error })
    }

    /// Returns the mean score of a match as it is shown, such as `62.5 %`.
    fn percentage(&self) -> String {
        format!("{:.1} %", 100.0 * self.score)
    }
}

impl LadderTable {
    /// Returns whether some players are connected by no chain of matches, so that their ratings
    /// cannot be compared.
    pub fn has_separate_groups(&self) -> bool {
        self.rows.iter().any(|row| row.group > 1)
    }

    /// Returns the headings of the numbers of a row. Groups are shown if there are several.
    pub fn headings(&self) -> impl Iterator<Item = &'static str> {
        let all = ["Matches", "Won", "Drawn", "Lost", "Score", "Rating"];
        let group = self.has_separate_groups().then_some("Group");
        all.into_iter().chain(group)
    }

    /// Returns the cells of each row: the place, the name, and the numbers below the headings.
    pub fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        let has_groups = self.has_separate_groups();
        self.rows.iter().map(move |row| {
            let WinDrawLoss {
                wins,
                draws,
                losses,
            } = row.results;
            let numbers = [row.results.games(), wins, draws, losses];
            let mut cells = vec![row.place.to_string(), row.name.clone()];
            cells.extend(numbers.map(|number| number.to_string()));
            cells.extend([row.percentage(), row.rating()]);
            cells.extend(has_groups.then(|| row.group.to_string()));
            cells
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    /// A file of results that grows.
    struct GrowingFile {
        file: tempfile::NamedTempFile,
        text: String,
    }

    impl GrowingFile {
        fn new() -> GrowingFile {
            GrowingFile {
                file: tempfile::NamedTempFile::new().unwrap(),
                text: String::new(),
            }
        }

        fn append(&mut self, text: &str) {
            self.text += text;
            fs::write(self.file.path(), &self.text).unwrap();
        }

        /// Reads the new lines, and returns the names of the ladder and the invalid lines.
        fn read(&self, ladder: &mut Ladder) -> (bool, Vec<String>, Vec<String>) {
            let mut bad = Vec::new();
            let is_new = ladder.read(self.file.path(), |row| bad.push(row.to_string()));
            let rows = ladder.table().rows.into_iter();
            let named = rows.map(|row| format!("{} {}", row.name, row.results.games()));
            (is_new.unwrap(), named.collect(), bad)
        }
    }

    /// Returns a result; `winner` is JSON, and players with empty names have none.
    fn row(black: &str, white: &str, winner: &str) -> String {
        let player = |side, name: &str| match name {
            "" => format!("{{\"side\":\"{side}\",\"seconds\":1}}"),
            name => format!("{{\"side\":\"{side}\",\"name\":\"{name}\",\"seconds\":1}}"),
        };
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Relaxed);
        let (black, white) = (player("black", black), player("white", white));
        format!(
            "{{\"v\":1,\"id\":\"{id}\",\"game\":\"Go\",\"table\":1,\
             \"began\":\"2026-11-20T09:30:00Z\",\"players\":[{black},{white}],\
             \"winner\":{winner},\"reason\":\"play\",\"result\":\"\",\"moves\":9,\
             \"record\":\"x.sgf\"}}\n"
        )
    }

    /// The second line of the game is the organizer's decision.
    #[test]
    fn a_game_that_is_decided_as_a_forfeit_does_not_count_any_more() {
        let (mut ladder, mut file) = (Ladder::default(), GrowingFile::new());
        let played = row("Ann", "Bob", "\"black\"");
        file.append(&played);
        file.read(&mut ladder);
        file.append(&played.replace("{\"v\":1,", "{\"v\":1,\"forfeit\":true,"));
        assert_eq!(file.read(&mut ladder), (true, vec![], vec![]));
    }

    #[test]
    fn a_ladder_follows_the_results() {
        let (mut ladder, mut file) = (Ladder::default(), GrowingFile::new());
        assert_eq!(file.read(&mut ladder), (false, vec![], vec![]));
        file.append(&row("Ann", "Bob", "\"black\""));
        let names = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let first = names(&["Ann 1", "Bob 1"]);
        assert_eq!(file.read(&mut ladder), (true, first.clone(), vec![]));
        // Nothing new, half a line, and the other half.
        assert_eq!(file.read(&mut ladder), (false, first.clone(), vec![]));
        let next = row("Bob", "Équipe 1", "\"draw\"");
        let (half, rest) = next.split_at(9);
        file.append(half);
        assert_eq!(file.read(&mut ladder), (false, first, vec![]));
        file.append(rest);
        let second = names(&["Ann 1", "Équipe 1 1", "Bob 2"]);
        assert_eq!(file.read(&mut ladder), (true, second.clone(), vec![]));
        // Results that do not count, and lines that are no results.
        file.append(&row("", "Bob", "\"black\""));
        file.append(&row("Ann", "Ann", "\"black\""));
        file.append(&row("Ann", "Bob", "null"));
        file.append(&format!("{}\n\nAnn\tBob\n", "x".repeat(40_000)));
        file.append(&row("Ann", "Bob", "\"Ann\""));
        let (is_new, names_now, bad) = file.read(&mut ladder);
        assert!(!is_new);
        assert_eq!(names_now, second);
        assert_eq!(
            bad,
            [
                "line 6: it has more than 32768 bytes, and is not a result",
                "line 8: it is not the result of a game: expected value at column 1",
                "line 9: the winner is \"Ann\": write \"black\", \"white\", \"draw\", or null",
            ]
        );
        assert_eq!(ladder.results(), 8);
        // The file is replaced.
        file.text.clear();
        file.append(&row("Dora", "Emil", "\"white\""));
        let other = names(&["Emil 1", "Dora 1"]);
        assert_eq!(file.read(&mut ladder), (true, other, vec![]));
    }

    #[test]
    fn the_last_line_of_a_game_counts() {
        let (mut ladder, mut file) = (Ladder::default(), GrowingFile::new());
        let first = row("Ann", "Bob", "\"black\"");
        file.append(&first);
        file.append(&first);
        file.append(&row("Ann", "Bob", "\"black\""));
        file.read(&mut ladder);
        assert_eq!(ladder.table().matches, 2);
        file.append(&first.replace(":\"black\",\"reason", ":\"white\",\"reason"));
        file.read(&mut ladder);
        let table = ladder.table();
        assert_eq!(table.matches, 2);
        assert_eq!(table.rows[0].results.wins, 1);
        // A game of another folder may have the same name.
        file.append(&first.replace("09:30", "10:30"));
        file.read(&mut ladder);
        assert_eq!(ladder.table().matches, 3);
    }

    #[test]
    fn many_matches_and_many_players_have_limits() {
        let mut file = GrowingFile::new();
        for _ in 0..3 {
            file.append(&row("Ann", "Bob", "\"black\""));
            file.append(&row("Bob", "Cleo", "\"black\""));
        }
        file.append(&row("Dora", "Ann", "\"black\""));
        let ladder = |matches, players| {
            let mut ladder = Ladder {
                limit: Limit { matches, players },
                ..Ladder::default()
            };
            let (_, names, _) = file.read(&mut ladder);
            let LadderTable {
                matches, left_out, ..
            } = ladder.table();
            (names.join(", "), matches, left_out)
        };
        let all = "Dora 1, Ann 4, Bob 6, Cleo 3".to_owned();
        assert_eq!(ladder(7, 4), (all, 7, 0));
        assert_eq!(ladder(7, 2), ("Ann 3, Bob 3".into(), 3, 2));
        assert_eq!(ladder(1, 2), ("Dora 1, Ann 1".into(), 1, 0));
    }

    /// Each stranger's match is with the same player, so that all of them are connected. A fit of
    /// 20,000 players would need gigabytes.
    #[test]
    fn ever_new_names_cost_no_more_than_the_players_who_are_rated() {
        let mut file = GrowingFile::new();
        let strangers = (0..20_000).map(|number| row("Ann", &format!("S{number}"), "\"black\""));
        let last = ["Dora", "Dora"].map(|name| row("Ann", name, "\"white\""));
        let rows: String = strangers.chain(last).collect();
        file.append(&rows);
        let limit = Limit {
            players: 5,
            ..Limit::default()
        };
        let mut ladder = Ladder {
            limit,
            ..Ladder::default()
        };
        let (_, names, _) = file.read(&mut ladder);
        assert_eq!(names, ["Dora 2", "Ann 5", "S0 1", "S1 1", "S2 1"]);
        let LadderTable {
            matches, left_out, ..
        } = ladder.table();
        assert_eq!((matches, left_out), (5, 19_997));
    }

    /// Players that none of the others has met.
    #[test]
    fn places_are_those_within_a_group() {
        let mut file = GrowingFile::new();
        for (black, white) in [("Ann", "Bob"), ("Cleo", "Dora"), ("Ann", "Emil")] {
            file.append(&row(black, white, "\"black\""));
        }
        let mut ladder = Ladder::default();
        file.read(&mut ladder);
        let table = ladder.table();
        assert!(table.has_separate_groups());
        let rows = table.rows.iter();
        let placed = rows.map(|row| (row.group, row.place, row.name.as_str()));
        assert_eq!(
            placed.collect::<Vec<_>>(),
            [
                (1, 1, "Ann"),
                (1, 2, "Bob"),
                (1, 3, "Emil"),
                (2, 1, "Cleo"),
                (2, 2, "Dora")
            ]
        );
    }
}
