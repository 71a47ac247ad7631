//! The report as text for a terminal.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use super::{PairingReport, PlayerReport, Report};
use crate::base::color::ByColor;
use crate::base::counted::counted;
use crate::base::names::isolated;
use crate::matches::progress::MAX_REPEATS;
use crate::matches::record::Verdict;
use crate::matches::text_table::{Column, TextTable};
use crate::statistics::{Decision, Estimate, WinDrawLoss};

/// The maximum number of openings and pairings in the text.
const MAX_ROWS: usize = 20;

/// The maximum number of failures in the text.
const MAX_SHOWN_FAILURES: usize = 5;

/// The maximum number of players of a crosstable.
const MAX_CROSS: usize = 12;

/// The numbers of a row: games, won, drawn, lost, score.
fn results(counts: &WinDrawLoss) -> [String; 5] {
    let score = counts.strength().map(|strength| strength.score);
    [
        counts.games().to_string(),
        counts.wins.to_string(),
        counts.draws.to_string(),
        counts.losses.to_string(),
        percent(score),
    ]
}

fn percent(share: Option<f64>) -> String {
    or_dash(share.map(|share| format!("{:.1} %", 100.0 * share)))
}

fn or_dash<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// Returns the number of rounds of a Swiss tournament in which a player had no opponent.
fn byes(player: &PlayerReport) -> u32 {
    player.standing.as_ref().map_or(0, |row| row.byes)
}

/// Returns the number of games of two players whose pairs are not complete.
fn single_games(PairingReport { evidence, .. }: &PairingReport) -> u64 {
    let in_pairs = evidence.pairs.pairs().saturating_mul(2);
    match evidence.by_pairs {
        true => evidence.games.games().saturating_sub(in_pairs),
        false => 0,
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_head(f)?;
        if self.games == 0 {
            return Ok(());
        }
        writeln!(f, "\n{}", self.standings())?;
        self.write_strengths(f)?;
        if self.players.len() > 2 && self.players.len() <= MAX_CROSS {
            writeln!(f, "{}", self.cross_table())?;
        }
        write!(f, "{}", self.by_color())?;
        if let Some(first_move) = &self.first_move {
            let advantage = Estimate {
                value: first_move.elo,
                error: first_move.elo_error,
            };
            let drawn = percent(Some(first_move.draw_rate));
            writeln!(
                f,
                "The first move is worth {advantage} Elo; {drawn} of the games between equals are drawn."
            )?;
        }
        if !self.openings.is_empty() {
            write!(f, "\n{}", self.by_opening())?;
        }
        write!(f, "\n{}", self.by_verdict())?;
        if let Some(notice) = self.scoring_notice() {
            writeln!(f, "\n{notice}")?;
        }
        self.write_failures(f)
    }
}

impl Report {
    fn write_head(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let games = match self.scheduled {
            Some(all) if all != self.games => format!("{} of {}", self.games, counted(all, "game")),
            _ => counted(self.games, "game"),
        };
        let repeated = match self.repeated {
            0 => String::new(),
            repeated => format!(", {repeated} of them repeated"),
        };
        let players = counted(self.players.len(), "player");
        writeln!(f, "{}: {players}, {games}{repeated}", self.game)
    }

    /// The players, the best first.
    fn standings(&self) -> TextTable {
        let has = |found: fn(&PlayerReport) -> bool| self.players.iter().any(found);
        let is_swiss = has(|player| player.standing.is_some());
        let has_byes = has(|player| byes(player) > 0);
        let is_rated = has(|player| player.rating.is_some());
        let are_groups = has(|player| player.group > Some(0));
        let columns: [Column<PlayerReport>; 12] = [
            ("Points", is_swiss, |player| player.points.to_string()),
            ("Buchholz", is_swiss, |player| {
                let ties = player.standing.as_ref().map(|row| row.tie_breaks);
                or_dash(ties.and_then(|ties| ties.buchholz))
            }),
            ("S-Berger", is_swiss, |player| {
                let ties = player.standing.as_ref().map(|row| row.tie_breaks);
                or_dash(ties.map(|ties| ties.sonneborn_berger))
            }),
            ("Byes", has_byes, |player| byes(player).to_string()),
            ("Games", true, |player| player.games.games().to_string()),
            ("Won", true, |player| player.games.wins.to_string()),
            ("Drawn", true, |player| player.games.draws.to_string()),
            ("Lost", true, |player| player.games.losses.to_string()),
            ("Score", true, |player| percent(player.score)),
            ("Rating", is_rated, |player| {
                let error = player.rating_error;
                or_dash(player.rating.map(|value| Estimate { value, error }))
            }),
            ("Group", are_groups, |player| {
                or_dash(player.group.map(|group| group + 1))
            }),
            ("s/move", true, |player| {
                let seconds = player.seconds_per_move;
                or_dash(seconds.map(|seconds| format!("{seconds:.3}")))
            }),
        ];
        let rows = (1..).zip(&self.players).map(|(number, player)| {
            let rank = match &player.standing {
                Some(row) => or_dash(row.rank),
                None => u32::to_string(&number),
            };
            ([rank, player.name.to_string()], player)
        });
        TextTable::of_columns(["", "Name"], &columns, rows)
    }

    /// The statistics of the players who have met.
    fn write_strengths(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let has_test = self
            .pairings
            .iter()
            .any(|pairing| pairing.statistics.llr.is_some());
        let headings = [
            "Player", "Opponent", "Games", "Won", "Drawn", "Lost", "Score", "Elo", "nElo", "LOS",
        ];
        let test = has_test.then_some("LLR");
        let mut table = TextTable::new(2, headings.into_iter().chain(test));
        for pairing in self.pairings.iter().take(MAX_ROWS) {
            let statistics = &pairing.statistics;
            let names = pairing.players.iter().map(ToString::to_string);
            let strength = [
                or_dash(statistics.elo()),
                or_dash(statistics.nelo()),
                percent(statistics.los),
            ];
            let llr = statistics.llr.map(|llr| format!("{llr:.2}"));
            let [games, won, drawn, lost, score] = results(&pairing.evidence.games);
            // The score of the pairs, which Elo is computed from.
            let score = statistics.score.map_or(score, |score| percent(Some(score)));
            let row = names
                .chain([games, won, drawn, lost, score])
                .chain(strength);
            table.add(row.chain(llr));
        }
        writeln!(f, "{table}")?;
        if let Some(more) = more_than(self.pairings.len()) {
            writeln!(f, "and {more} more, which --json has\n")?;
        }
        let single = self.pairings.iter().map(single_games).sum::<u64>();
        if single > 0 {
            let games = counted(single, "game");
            writeln!(
                f,
                "not counted for Elo: {games} without the other game of the pair\n"
            )?;
        }
        if let [pairing] = self.pairings.as_slice() {
            return self.write_pairing(f, pairing);
        }
        // If all games are alike, the row shows it.
        let mut pairings = self.pairings.iter();
        let too_few = pairings.find(|pairing| pairing.evidence.effective.is_none());
        for note in too_few.iter().flat_map(|pairing| &pairing.notes) {
            writeln!(f, "-: {note}\n")?;
        }
        Ok(())
    }

    /// The pairs of games of two players, and their test.
    fn write_pairing(&self, f: &mut Formatter<'_>, pairing: &PairingReport) -> fmt::Result {
        let mut lines = Vec::new();
        if pairing.evidence.by_pairs {
            let [ll, ld, even, wd, ww] = pairing.evidence.pairs.counts();
            lines.push(format!(
                "Pairs of games: LL {ll}, LD {ld}, DD or WL {even}, WD {wd}, WW {ww}"
            ));
        }
        lines.extend(pairing.notes.iter().cloned());
        if let (Some(sprt), Some(test)) = (&self.sprt, &pairing.statistics.test) {
            let (lower, upper) = (test.llr_lower, test.llr_upper);
            lines.push(format!(
                "SPRT {sprt}: {}, LLR from {lower:.2} to {upper:.2}",
                test.decision
            ));
            if self.repeating {
                lines.push(format!(
                    "undecided: {MAX_REPEATS} games in a row were repeated; play from more openings, \
                     with another results file"
                ));
            } else if test.decision == Decision::Continue && self.scheduled == Some(self.games) {
                let games = counted(self.games, "game");
                lines.push(format!(
                    "undecided after {games}: give more --games, and run the same command again"
                ));
            }
        }
        for line in &lines {
            writeln!(f, "{line}")?;
        }
        match lines.is_empty() {
            true => Ok(()),
            false => writeln!(f),
        }
    }

    /// The points of each player against each other.
    fn cross_table(&self) -> TextTable {
        let numbers = (1..=self.players.len()).map(|number| number.to_string());
        let names = ["", "Name"].map(String::from).into_iter();
        let mut table = TextTable::new(2, names.chain(numbers));
        for (rank, player) in (1..).zip(&self.players) {
            let rank: usize = rank;
            let cells = self
                .players
                .iter()
                .map(|other| match self.between(player, other) {
                    _ if player.name == other.name => "x".to_owned(),
                    Some(games) => format!("{}/{}", games.points(), games.games()),
                    None => String::new(),
                });
            let row = [rank.to_string(), player.name.to_string()].into_iter();
            table.add(row.chain(cells));
        }
        table
    }

    /// Returns the results of one player against another.
    pub(super) fn between(&self, one: &PlayerReport, other: &PlayerReport) -> Option<WinDrawLoss> {
        let mut pairings = self.pairings.iter();
        pairings.find_map(|pairing| {
            let [first, second] = &pairing.players;
            if (first, second) == (&one.name, &other.name) {
                Some(pairing.evidence.games)
            } else if (second, first) == (&one.name, &other.name) {
                Some(pairing.evidence.games.reversed())
            } else {
                None
            }
        })
    }

    fn by_color(&self) -> TextTable {
        let ByColor { black, white } = self.sides;
        let by_side = match black {
            "Black" => "By color",
            _ => "By side",
        };
        let headings = [by_side, "", "Games", "Won", "Drawn", "Lost", "Score"];
        let mut table = TextTable::new(2, headings);
        for player in &self.players {
            for (side, counts) in [(black, &player.black), (white, &player.white)] {
                let row = [player.name.to_string(), side.to_owned()].into_iter();
                table.add(row.chain(results(counts)));
            }
        }
        let all = ["all", black].map(String::from).into_iter();
        table.add(all.chain(results(&self.black)));
        table
    }

    fn by_opening(&self) -> String {
        let ByColor { black, white } = self.sides;
        let names = ["Opening", "Moves", "Games"].map(String::from).into_iter();
        let numbers = [
            format!("{black} won"),
            "Drawn".to_owned(),
            format!("{white} won"),
            format!("{black}'s score"),
        ];
        let mut table = TextTable::new(2, names.chain(numbers));
        for opening in self.openings.iter().take(MAX_ROWS) {
            let row = [opening.number.to_string(), opening.shown()].into_iter();
            table.add(row.chain(results(&opening.black)));
        }
        let more = more_than(self.openings.len());
        let more = more.map(|more| format!("and {more} more, which --json has\n"));
        format!("{table}{}", more.unwrap_or_default())
    }

    /// The ways in which games were lost.
    fn by_verdict(&self) -> TextTable {
        let found: BTreeSet<Verdict> = self
            .players
            .iter()
            .flat_map(|player| player.lost_by.keys().copied())
            .collect();
        let headings = found.iter().map(ToString::to_string);
        let mut table = TextTable::new(1, std::iter::once("Lost by".into()).chain(headings));
        for player in &self.players {
            let count = |verdict| {
                player
                    .lost_by
                    .get(verdict)
                    .copied()
                    .unwrap_or(0)
                    .to_string()
            };
            let name = [player.name.to_string()].into_iter();
            table.add(name.chain(found.iter().map(count)));
        }
        table
    }

    fn write_failures(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let hidden = self.failures.len().saturating_sub(MAX_SHOWN_FAILURES);
        if self.failures.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nFailures")?;
        for failure in self.failures.iter().skip(hidden) {
            let detail = failure.detail.as_deref().unwrap_or_default();
            let colon = if detail.is_empty() { "" } else { ": " };
            let player = failure.player.to_string();
            writeln!(
                f,
                "  {}: {}, {}{colon}{detail}",
                failure.id,
                isolated(&player),
                failure.verdict
            )?;
        }
        match hidden {
            0 => Ok(()),
            hidden => writeln!(f, "and {hidden} before, which --json has"),
        }
    }
}

/// Returns the number of hidden rows.
fn more_than(rows: usize) -> Option<usize> {
    rows.checked_sub(MAX_ROWS).filter(|&more| more > 0)
}
