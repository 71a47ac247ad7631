//! Points and moves in responses.

use crate::gothello::{Move, Point, PointSet};
use crate::gtp::response::Response;

impl Response<'_> {
    /// Writes a point as GTP does, in upper case.
    pub(super) fn point(&mut self, point: Point) {
        let name = [point.letter(), point.digit()];
        self.ascii(name.map(|c| c.to_ascii_uppercase()));
    }

    /// Writes points, each with a space before it.
    pub(super) fn points(&mut self, points: PointSet) {
        for point in points {
            self.words(" ");
            self.point(point);
        }
    }

    /// Writes a move: a point in upper case, or `pass`.
    pub(super) fn mv(&mut self, mv: Move) {
        match mv {
            Move::Place(point) => self.point(point),
            Move::Pass => self.words("pass"),
        }
    }
}
