//! What is written of a game, and of several together.

use std::collections::BTreeMap;
use std::io::{self, Write};

use itertools::Itertools;
use serde::Serialize;

use super::LoadedGame;
use crate::base::color::{ByColor, Color};
use crate::base::counted::counted;
use crate::games::game::Outcome;
use crate::games::gothello::Move;
use crate::games::sgf::Note;
use crate::solving::review::{End, Judgment, PlayerReview, Ply, Review, Tally};

/// The widest column of names, in characters. A longer name moves its own line only.
const MAX_NAME_WIDTH: usize = 40;

/// A reviewed game.
#[derive(Debug)]
pub(super) struct Report {
    pub file: String,
    pub record: LoadedGame,
    pub review: Review,
}

impl Report {
    fn players(&self) -> ByColor<PlayerReview> {
        ByColor::from_fn(|color| self.review.player(color))
    }

    /// Writes the game as a table, and below it how the players were.
    pub fn write_table(&self, out: &mut impl Write) -> io::Result<()> {
        let named = |color: Color| match &self.record.players[color] {
            Some(name) => format!("{name} ({color})"),
            None => color.to_string(),
        };
        let [black, white] = Color::ALL.map(named);
        write!(out, "{}: {black} against {white}", self.file)?;
        match &self.record.result {
            Some(result) => writeln!(out, ", {result}")?,
            None => writeln!(out)?,
        }
        writeln!(out, " ply  player  move  value  lost  best moves")?;
        let shown = |value: Option<Outcome>| value.map(|value| value.to_string());
        let start = shown(self.review.start()).unwrap_or_default();
        writeln!(out, "{:>4}  {:6}  {:4}  {start}", 0, "", "")?;
        for ply in self.review.plies() {
            let after = shown(ply.after).unwrap_or_default();
            let lost = ply.lost.filter(|&lost| lost > 0).map(|lost| {
                let mark = if ply.judgment == Some(Judgment::Blunder) {
                    "!"
                } else {
                    ""
                };
                format!("{lost}{mark}")
            });
            let line = format!(
                "{:>4}  {:6}  {:4}  {after:5}  {:5} {}",
                ply.ply,
                ply.color,
                ply.mv.to_string(),
                lost.unwrap_or_default(),
                best_moves(&ply).unwrap_or_default()
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        for color in Color::ALL {
            writeln!(out, "{color}: {}", counts(&self.review.player(color)))?;
        }
        writeln!(out, "{}", self.sum())
    }

    /// Returns how the value at the start becomes that at the end.
    fn sum(&self) -> String {
        let shown = |value: Option<Outcome>| value.map_or("?".into(), |value| value.to_string());
        let lost = self.players().map(|player| player.lost);
        let set_up = match self.review.changed_by_set_up() {
            None | Some(0) => String::new(),
            Some(change) => format!(", set up {change:+} for Black"),
        };
        let end = match self.review.end() {
            End::Score(score) => format!("the score is {score}"),
            End::Value(value) => format!("the value of the last position is {}", shown(value)),
        };
        let start = shown(self.review.start());
        let ByColor { black, white } = lost;
        format!("{start} at the start, Black lost {black}, White lost {white}{set_up}: {end}")
    }

    /// Writes the game as an object on a line.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let end = self.review.end();
        let json = JsonGame {
            file: &self.file,
            black: self.record.players.black.as_deref(),
            white: self.record.players.white.as_deref(),
            result: self.record.result.as_deref(),
            over: matches!(end, End::Score(_)),
            start: self.review.start(),
            end: end.outcome(),
            changed_by_set_up: self.review.changed_by_set_up(),
            plies: self.review.plies().collect(),
            players: self.players(),
        };
        serde_json::to_writer(&mut *out, &json)?;
        writeln!(out)
    }

    /// Writes the text of the file with notes.
    pub fn write_sgf(&self, out: &mut impl Write) -> io::Result<()> {
        let counts = self.players().map(|player| counts(&player));
        let lead = |value: Option<Outcome>| value.map(|value| value.lead_of(Color::Black));
        let start = self.review.start();
        let root = Note {
            comment: start.map(|start| {
                let ByColor { black, white } = counts;
                format!("{start} under best play. Black: {black}. White: {white}.")
            }),
            value: lead(start),
            ..Note::default()
        };
        let moves: Vec<Note> = self.review.plies().map(|ply| note(&ply)).collect();
        let text = self.record.tree.annotated(&root, &moves);
        writeln!(out, "{}", text.trim_end())
    }
}

/// Returns the note to a move.
fn note(ply: &Ply) -> Note {
    let (Some(before), Some(after), Some(lost)) = (ply.before, ply.after, ply.lost) else {
        return Note::default();
    };
    let value = Some(after.lead_of(Color::Black));
    let kind = match ply.judgment {
        Some(Judgment::Mistake) => "mistake",
        Some(Judgment::Blunder) => "blunder",
        Some(Judgment::Perfect) | None => {
            return Note {
                comment: Some(after.to_string()),
                value,
                ..Note::default()
            };
        }
    };
    let best = best_moves(ply).map_or(String::new(), |best| format!("; best: {best}"));
    let of = counted(lost, "stone");
    let better = ply.best_moves.iter().flatten();
    let labels = ply.mv.point().map(|point| (point, format!("-{lost}")));
    Note {
        comment: Some(format!(
            "{after} instead of {before}, a {kind} of {of}{best}"
        )),
        value,
        triangles: better.filter_map(|mv| mv.point()).collect(),
        labels: labels.into_iter().collect(),
    }
}

fn best_moves(ply: &Ply) -> Option<String> {
    let moves: &Vec<Move> = ply.best_moves.as_ref()?;
    Some(moves.iter().join(" "))
}

/// Returns a player's moves in words.
fn counts(player: &PlayerReview) -> String {
    let (Some(perfect), Some(kept)) = (player.perfect_share(), player.kept_result_share()) else {
        return "no moves".into();
    };
    let first = |name: &str, ply: Option<usize>| match ply {
        Some(ply) => format!(", first {name} at ply {ply}"),
        None => String::new(),
    };
    format!(
        "{}, {} perfect, {} kept the result, {} lost{}{}",
        counted(player.moves, "move"),
        percent(Some(perfect)),
        percent(Some(kept)),
        counted(player.lost, "stone"),
        first("mistake", player.first_mistake),
        first("blunder", player.first_blunder),
    )
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".into(), |share| format!("{:.1} %", 100.0 * share))
}

/// Several games together.
#[derive(Debug, Default)]
pub(super) struct Summary {
    games: u64,
    all: Tally,
    /// By the name of the player; those without one last.
    players: BTreeMap<(bool, String), Tally>,
}

impl Summary {
    /// Adds a game.
    pub fn add(&mut self, report: &Report) {
        self.games += 1;
        for color in Color::ALL {
            let player = report.review.player(color);
            self.all.add(&player);
            let name = report.record.players[color].clone();
            let key = (name.is_none(), name.unwrap_or_default());
            self.players.entry(key).or_default().add(&player);
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    fn rows(&self) -> impl Iterator<Item = (Option<&str>, &Tally)> {
        self.players
            .iter()
            .map(|((is_unnamed, name), tally)| ((!is_unnamed).then_some(name.as_str()), tally))
    }

    /// Writes a table with a line for each player.
    pub fn write_table(&self, out: &mut impl Write) -> io::Result<()> {
        let players = self
            .rows()
            .map(|(name, tally)| (name.unwrap_or("(no name)"), tally));
        let rows: Vec<_> = players.chain([("all", &self.all)]).collect();
        let widths = rows.iter().map(|(name, _)| name.chars().count());
        let width = widths.max().unwrap_or_default();
        let width = width.clamp("player".len(), MAX_NAME_WIDTH);
        writeln!(
            out,
            "{:width$}  games  moves  perfect  kept result  lost per game  perfect games  first \
             mistake  first blunder",
            "player"
        )?;
        for (name, tally) in rows {
            let per_game = tally.lost as f64 / tally.games.max(1) as f64;
            let ply = |ply: Option<usize>| ply.map_or("-".into(), |ply| ply.to_string());
            writeln!(
                out,
                "{name:width$}  {:>5}  {:>5}  {:>7}  {:>11}  {per_game:>13.2}  {:>13}  {:>13}  {:>13}",
                tally.games,
                tally.moves,
                percent(tally.perfect_share()),
                percent(tally.kept_result_share()),
                tally.perfect_games(),
                ply(tally.typical_first_mistake()),
                ply(tally.typical_first_blunder()),
            )?;
        }
        Ok(())
    }

    /// Writes an object on a line.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let player = |(name, tally)| JsonTally::of(name, tally);
        let json = JsonSummary {
            games: self.games,
            players: self.rows().map(player).collect(),
            all: JsonTally::of(None, &self.all),
        };
        serde_json::to_writer(&mut *out, &json)?;
        writeln!(out)
    }
}

/// A game as the help documents it.
#[derive(Serialize)]
struct JsonGame<'a> {
    file: &'a str,
    black: Option<&'a str>,
    white: Option<&'a str>,
    result: Option<&'a str>,
    over: bool,
    start: Option<Outcome>,
    end: Option<Outcome>,
    changed_by_set_up: Option<i32>,
    plies: Vec<Ply>,
    players: ByColor<PlayerReview>,
}

#[derive(Serialize)]
struct JsonSummary<'a> {
    games: u64,
    players: Vec<JsonTally<'a>>,
    all: JsonTally<'a>,
}

#[derive(Serialize)]
struct JsonTally<'a> {
    name: Option<&'a str>,
    games: u64,
    moves: u64,
    perfect_share: Option<f64>,
    kept_result_share: Option<f64>,
    lost: u64,
    perfect_games: u64,
    first_mistake: Option<usize>,
    first_blunder: Option<usize>,
}

impl<'a> JsonTally<'a> {
    fn of(name: Option<&'a str>, tally: &Tally) -> JsonTally<'a> {
        JsonTally {
            name,
            games: tally.games,
            moves: tally.moves,
            perfect_share: tally.perfect_share(),
            kept_result_share: tally.kept_result_share(),
            lost: tally.lost,
            perfect_games: tally.perfect_games(),
            first_mistake: tally.typical_first_mistake(),
            first_blunder: tally.typical_first_blunder(),
        }
    }
}
