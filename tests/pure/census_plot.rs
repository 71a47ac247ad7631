//! The plot of the tablebase's census, drawn from the numbers that the guide shows.
//!
//! Above, the share of each value among the positions with the same number of stones; below,
//! the share of positions that the player to move wins, draws and loses. The picture has its
//! own background, so it is readable on a page of any color, and follows the reader's choice
//! of light or dark colors.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The left edge of the column of the empty board, in pixels as all lengths here.
const LEFT: f64 = 62.0;
/// The distance between columns.
const COLUMN: f64 = 25.0;
/// The height of one value.
const ROW: f64 = 7.0;
/// The middle of the row of the value 0.
const ZERO: f64 = 226.0;
/// The top and the height of the bars of positions won, drawn and lost.
const BARS: (f64, f64) = (474.0, 110.0);
/// The share at which a cell reaches the full color.
const FULL_SHARE: f64 = 0.25;

const STYLE: &str = "
  .page{fill:#fff}text{font:13px system-ui,'DejaVu Sans',sans-serif;fill:#333}
  .head{font-weight:600}.middle{text-anchor:middle}.end{text-anchor:end}.small{font-size:12px}
  .grid{stroke:#888;stroke-opacity:.35;fill:none}.won,.cell{fill:#0b5fb0}.drawn{fill:#999}.lost{fill:#d9862b}
  @media(prefers-color-scheme:dark){.page{fill:#1b1e24}text{fill:#ddd}.cell{fill:#7cc0ff}}
";

/// Returns the left edge of the column of positions with this number of stones.
fn column(stones: u64) -> f64 {
    LEFT + COLUMN * stones as f64
}

/// Returns the middle of the row of a value.
fn row(value: i64) -> f64 {
    ZERO - ROW * value as f64
}

/// Draws the rectangle of a column from one height to another.
fn draw_cell(svg: &mut String, x: f64, y: f64, height: f64, more: &str) -> std::fmt::Result {
    writeln!(svg, r#"<path{more} d="M{x} {y:.2}h23v{height:.2}h-23z"/>"#)
}

fn draw(census: &Value) -> Result<String, std::fmt::Error> {
    let mut svg = String::new();
    let (width, height, right) = (720, 640, column(25));
    let (bars_top, bars_height) = BARS;
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="t">
<title id="t">How the values of all positions are distributed, by the number of stones</title>
<style>{STYLE}</style>
<rect class="page" width="{width}" height="{height}" rx="8"/>"#
    )?;
    let heads = [
        (28.0, "Positions with each value for the player to move"),
        (
            bars_top - 14.0,
            "Positions won, drawn and lost by the player to move",
        ),
    ];
    for (y, head) in heads {
        writeln!(
            svg,
            r#"<text class="head" x="{LEFT}" y="{y}">{head}</text>"#
        )?;
    }
    // The scales: of the values' shares, and of the outcomes.
    for (x, percent) in (0..)
        .map(|n| 440.0 + 62.0 * f64::from(n))
        .zip([1, 5, 10, 25])
    {
        let more = format!(
            r#" class="cell" opacity="{:.2}""#,
            opacity(f64::from(percent) / 100.0)
        );
        draw_cell(&mut svg, x, 20.0, ROW, &more)?;
        writeln!(
            svg,
            r#"<text class="small" x="{}" y="28">{percent} %</text>"#,
            x + 27.0
        )?;
    }
    for (x, outcome) in [(504.0, "won"), (564.0, "drawn"), (637.0, "lost")] {
        let y = bars_top - 14.0;
        draw_cell(&mut svg, x, y - 8.0, ROW, &format!(r#" class="{outcome}""#))?;
        writeln!(
            svg,
            r#"<text class="small" x="{}" y="{y}">{outcome}</text>"#,
            x + 27.0
        )?;
    }
    for value in (-24..=24).step_by(8) {
        let (y, sign) = (row(value), if value > 0 { "+" } else { "" });
        writeln!(svg, r#"<path class="grid" d="M{LEFT} {y}H{right}"/>"#)?;
        writeln!(
            svg,
            r#"<text class="end" x="54" y="{}">{sign}{value}</text>"#,
            y + 4.5
        )?;
    }
    for percent in [0, 25, 50, 75, 100] {
        let y = bars_top + bars_height * f64::from(100 - percent) / 100.0 + 4.5;
        writeln!(
            svg,
            r#"<text class="end" x="54" y="{y}">{percent} %</text>"#
        )?;
    }
    for layer in census["layers"].as_array().into_iter().flatten() {
        let stones = layer["stones"].as_u64().unwrap();
        let count = |value: &Value| value.as_u64().unwrap() as f64;
        let all = count(&layer["all"]["positions"]);
        let x = column(stones) + 1.0;
        for (value, positions) in layer["all"]["values"].as_object().unwrap() {
            let more = format!(
                r#" class="cell" opacity="{:.2}""#,
                opacity(count(positions) / all)
            );
            draw_cell(
                &mut svg,
                x,
                row(value.parse().unwrap()) - ROW / 2.0,
                ROW,
                &more,
            )?;
        }
        let mut y = bars_top;
        for outcome in ["lost", "drawn", "won"] {
            let length = bars_height * count(&layer["all"][outcome]) / all;
            draw_cell(&mut svg, x, y, length, &format!(r#" class="{outcome}""#))?;
            y += length;
        }
        let x = column(stones) + COLUMN / 2.0;
        for y in [row(-25) + 24.0, bars_top + bars_height + 20.0] {
            writeln!(
                svg,
                r#"<text class="middle" x="{x}" y="{y}">{stones}</text>"#
            )?;
        }
    }
    let (x, y) = ((LEFT + right) / 2.0, bars_top + bars_height + 42.0);
    writeln!(
        svg,
        r#"<text class="middle" x="{x}" y="{y}">stones on the board</text>"#
    )?;
    writeln!(svg, "</svg>")?;
    Ok(svg)
}

/// Returns the opacity of a cell. It grows with the square root of the share, so that small
/// shares are seen, too.
fn opacity(share: f64) -> f64 {
    (share / FULL_SHARE).sqrt().min(1.0)
}

/// With `INSTA_UPDATE=always` the picture is redrawn, as snapshots are.
#[test]
fn the_plot_in_the_guide_shows_the_census() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src");
    let census = fs::read(docs.join("tablebase-census.json")).unwrap();
    let drawn = draw(&serde_json::from_slice(&census).unwrap()).unwrap();
    let file = docs.join("images/tablebase-values.svg");
    if env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&file, &drawn).unwrap();
    }
    assert!(
        fs::read_to_string(file).unwrap() == drawn,
        "draw it with INSTA_UPDATE=always"
    );
}
