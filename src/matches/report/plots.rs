//! How the statistics of two players change from game to game.

use serde::Serialize;

use super::{Analysis, Meeting, Statistics};
use crate::matches::evidence::Evidence;
use crate::matches::settings::EventSettings;
use crate::statistics::Sprt;
use crate::tournament::Name;

/// The maximum number of points of all curves.
const MAX_POINTS: usize = 20_000;

/// The maximum number of points of a curve.
const MAX_CURVE: usize = 400;

/// The minimum number of points of a curve that says something.
const MIN_CURVE: usize = 20;

/// The statistics of two players after some games, from the point of view of the first.
#[derive(Serialize)]
pub(super) struct Curve {
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
pub(super) fn curves(analysis: &Analysis<'_>, sprt: Option<&Sprt>) -> Vec<Curve> {
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

/// Returns about so many points of a curve, the last one among them.
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
    for pair in games.chunk_by(|one, other| one.fixture.pair == other.fixture.pair) {
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
