//! Proven values in pictures.

use super::{Bounds, MoveBounds, OutcomeRange};
use crate::games::gothello::{Color, Outcome, Picture, Position};

impl Picture {
    /// Adds what is proven of a position: below the board its value, which has these bounds for the player
    /// to move, and the value of each legal move. Numbers are the lead of `viewer` at the end of the game.
    ///
    /// ```
    /// use gothello::solver::{Bounds, Control, Objective};
    /// use gothello::{Game, Picture, Position, Solver};
    ///
    /// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
    /// let solver = Solver::builder().memory_mib(1).build();
    /// let moves = solver.search_moves(&position, Objective::Value, &Control::default());
    /// let svg = Picture::of_game(&Game::from(position))
    ///     .values(&position, position.to_move(), Bounds::UNKNOWN, &moves)
    ///     .to_svg();
    /// assert!(svg.contains(">White wins by 24 under best play</text>"));
    /// assert_eq!(svg.matches("class=\"value").count(), moves.len());
    /// # Ok::<(), gothello::ParsePositionError>(())
    /// ```
    #[must_use]
    pub fn values(
        self,
        position: &Position,
        viewer: Color,
        value: Bounds,
        moves: &[MoveBounds],
    ) -> Picture {
        let bounds_of = |mv| {
            let known = moves.iter().find(|known| known.mv == mv);
            known.map_or(Bounds::UNKNOWN, |known| known.bounds)
        };
        let all = || position.legal_moves().map(bounds_of);
        // The best move is worth as much as the position.
        let of_best = Bounds {
            low: all().map(|bounds| bounds.low).max().unwrap_or(-25),
            high: all().map(|bounds| bounds.high).max().unwrap_or(25),
        };
        let value = value.intersect(of_best);
        let to_move = position.to_move();
        let seen = |bounds: Bounds| match viewer == to_move {
            true => bounds.low..=bounds.high,
            false => -bounds.high..=-bounds.low,
        };
        let picture = self
            .caption(sentence(value.seen_by(to_move)))
            .caption(format!("Numbers: {viewer}’s lead at the end"));
        position.legal_moves().fold(picture, |picture, mv| {
            let bounds = bounds_of(mv);
            picture.value(mv, seen(bounds), bounds.low >= value.high)
        })
    }
}

/// Describes the value of a position.
fn sentence(range: OutcomeRange) -> String {
    let by = |outcome: Outcome| outcome.lead_of(Color::Black).unsigned_abs();
    let (low, high) = (range.low(), range.high());
    match (range.outcome(), low, high) {
        (Some(Outcome::Drawn), ..) => "A draw under best play".into(),
        (Some(Outcome::Won { winner, margin }), ..) => {
            format!("{winner} wins by {margin} under best play")
        }
        (
            None,
            Outcome::Won {
                winner: Color::Black,
                margin,
            },
            _,
        ) => {
            format!("Black wins, by {margin} to {}", by(high))
        }
        (
            None,
            _,
            Outcome::Won {
                winner: Color::White,
                margin,
            },
        ) => {
            format!("White wins, by {margin} to {}", by(low))
        }
        (None, ..) => "Not yet known who wins".into(),
    }
}
