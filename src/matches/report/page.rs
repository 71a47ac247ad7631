//! The report as a page that needs no other file.

use std::fmt::Write;

use serde::Serialize;

use super::plots::{Curve, curves};
use super::replay::Replays;
use super::{Analysis, Report};
use crate::matches::results::Results;
use crate::statistics::Sprt;

/// A script of the page, a module that is put into one with the others.
struct Module {
    /// The name by which others import it.
    name: &'static str,
    text: &'static str,
}

/// The scripts, each after those that it imports.
const MODULES: [Module; 6] = [
    Module {
        name: "dom.js",
        text: include_str!("../../web/page/dom.js"),
    },
    Module {
        name: "goban.js",
        text: include_str!("../../web/page/goban.js"),
    },
    Module {
        name: "awari.js",
        text: include_str!("../../web/page/awari.js"),
    },
    Module {
        name: "plot.js",
        text: include_str!("page/plot.js"),
    },
    Module {
        name: "games.js",
        text: include_str!("page/games.js"),
    },
    Module {
        name: "report.js",
        text: include_str!("page/report.js"),
    },
];

/// The style sheets.
const STYLES: [&str; 3] = [
    include_str!("../../web/page/style.css"),
    include_str!("../../web/page/boards.css"),
    include_str!("page/report.css"),
];

/// What boards are drawn with.
const SHAPES: &str = include_str!("../../web/page/shapes.svg");

/// What the page shows.
#[derive(Serialize)]
struct Content {
    report: Report,
    curves: Vec<Curve>,
    replays: Option<Replays>,
}

/// Returns the report on an event as a page with plots and the last games, which loads nothing
/// from anywhere. The test is chosen as in [`Report::new`].
///
/// # Errors
/// A number cannot be written, which is a fault of this program.
pub fn page(results: &Results, sprt: Option<&Sprt>) -> serde_json::Result<String> {
    let analysis = Analysis::new(results);
    let content = Content {
        report: Report::of(&analysis, sprt),
        curves: curves(&analysis, analysis.sprt(sprt).as_ref()),
        replays: Replays::new(&results.header.event.game, &analysis.games),
    };
    // Nothing in the data can end the element that it is in.
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
    for Module { name, text } in MODULES {
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
