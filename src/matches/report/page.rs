//! The report as a page that needs no other file.

use std::fmt::Write;

use serde::Serialize;

use super::replay::Replays;
use super::{Analysis, Meeting, Report, Statistics};
use crate::matches::evidence::Evidence;
use crate::matches::results::Results;
use crate::matches::settings::EventSettings;
use crate::statistics::Sprt;
use crate::tournament::Name;

/// The scripts, each after those that it imports: the name under which others import it, and its
/// text.
const MODULES: [(&str, &str); 6] = [
    ("dom.js", include_str!("../../pages/web/page/dom.js")),
    ("goban.js", include_str!("../../pages/web/page/goban.js")),
    ("awari.js", include_str!("../../pages/web/page/awari.js")),
    ("plot.js", include_str!("page/plot.js")),
    ("games.js", include_str!("page/games.js")),
    ("report.js", include_str!("page/report.js")),
];

/// The style sheets.
const STYLES: [&str; 3] = [
    include_str!("../../pages/web/page/style.css"),
    include_str!("../../pages/web/page/boards.css"),
    include_str!("page/report.css"),
];

/// The scripts that draw boards.
const SHAPES: &str = include_str!("../../pages/web/page/shapes.svg");

/// The data of the page.
#[derive(Serialize)]
struct Content {
    report: Report,
    /// A note about how games were counted.
    notice: Option<String>,
    curves: Vec<Curve>,
    replays: Option<Replays>,
}

/// Returns the report on an event as a page with plots and the last games, which loads nothing
/// from anywhere. The test is chosen as in [`Report::new`].
///
/// # Errors
/// A number cannot be written, which is a bug.
pub fn page(results: &Results, sprt: Option<&Sprt>) -> serde_json::Result<String> {
    let analysis = Analysis::new(results);
    let report = Report::of(&analysis, sprt);
    let content = Content {
        notice: report.scoring_notice(),
        report,
        curves: curves(&analysis, analysis.sprt(sprt).as_ref()),
        replays: Replays::new(&results.header.event.game, &analysis.games),
    };
    // No data can end the element that it is in.
    let data = serde_json::to_string(&content)?.replace('<', "\\u003c");
    Ok(include_str!("page/index.html")
        .replacen("/* styles */", &STYLES.join("\n"), 1)
        .replacen("<!-- shapes -->", SHAPES, 1)
        .replacen("/* scripts */", &scripts(), 1)
        .replacen("/* data */", &data, 1))
}

/// Returns all scripts as one. Each is a function of its own, which returns what it exports.
fn scripts() -> String {
    let mut all = String::new();
    for (name, text) in MODULES {
        let mut body = String::new();
        let mut exports = Vec::new();
        for line in text.lines() {
            if let Some(import) = line.strip_prefix("import ") {
                let (names, from) = import.split_once(" from './").unwrap_or_default();
                let from = constant(from.trim_end_matches("';"));
                let _ = writeln!(body, "const {names} = {from};");
            } else if let Some(export) = line.strip_prefix("export ") {
                let mut words = export.split([' ', '(']);
                exports.extend(words.nth(1));
                let _ = writeln!(body, "{export}");
            } else {
                let _ = writeln!(body, "{line}");
            }
        }
        let (constant, exports) = (constant(name), exports.join(", "));
        let _ = writeln!(
            all,
            "const {constant} = (() => {{\n{body}return {{ {exports} }};\n}})();"
        );
    }
    all
}

/// Returns the name of the constant that has the exports of a module.
fn constant(name: &str) -> String {
    format!("{}_module", name.trim_end_matches(".js"))
}

/// The maximum number of points of all curves.
const MAX_POINTS: usize = 20_000;

/// The maximum number of points of a curve.
const MAX_CURVE: usize = 400;

/// The minimum number of points of a meaningful curve.
const MIN_CURVE: usize = 20;

/// The statistics of two players after some games, from the point of view of the first.
#[derive(Serialize)]
struct Curve {
    players: [Name; 2],
    points: Vec<Point>,
}

#[derive(Serialize)]
struct Point {
    /// The number of games so far.
    games: usize,
    elo: Option<f64>,
    elo_error: Option<f64>,
    llr: Option<f64>,
}

/// Returns the curves of players who have met; none if there are too many to be drawn.
fn curves(analysis: &Analysis<'_>, sprt: Option<&Sprt>) -> Vec<Curve> {
    let meetings = &analysis.meetings;
    let points = MAX_POINTS.checked_div(meetings.len()).unwrap_or(0);
    if points < MIN_CURVE {
        return Vec::new();
    }
    let curves = meetings.iter().map(|meeting| Curve {
        players: meeting.players.map(Name::clone),
        points: curve(&analysis.header.event, meeting, sprt, points.min(MAX_CURVE)),
    });
    curves.collect()
}

/// Returns about this many points of a curve, including the last one.
fn curve(
    settings: &EventSettings,
    meeting: &Meeting<'_>,
    sprt: Option<&Sprt>,
    points: usize,
) -> Vec<Point> {
    let ([one, other], games) = (meeting.players, &meeting.games);
    let mut evidence = Evidence::new(settings);
    let mut curve = Vec::new();
    let mut so_far = 0_usize;
    let step = games.len().div_ceil(points).max(1);
    for pair in games.chunk_by(|one, other| one.planned.pair == other.planned.pair) {
        evidence.add_pair(pair);
        let before = so_far;
        so_far = so_far.saturating_add(pair.len());
        let is_due = before / step != so_far / step || so_far == games.len();
        if !is_due {
            continue;
        }
        let statistics = Statistics::of(&evidence.between(one, other), sprt);
        curve.push(Point {
            games: so_far,
            elo: statistics.elo,
            elo_error: statistics.elo_error,
            llr: statistics.llr,
        });
    }
    curve
}
