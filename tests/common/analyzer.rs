//! An analyzer that does not search.

use gothello::Position;
use gothello::player::{AnalysisControl, Analyzer, BestMoves};
use gothello::solver::{Bounds, Control, MoveBounds, Objective, PrincipalVariation};

/// Has the same bounds for every position and every move.
pub struct Knows(pub Bounds);

impl Analyzer for Knows {
    fn value(&self, _: &Position, _: Objective, _: &Control<'_>) -> Bounds {
        self.0
    }

    fn moves(&self, position: &Position, _: &AnalysisControl<'_>) -> Vec<MoveBounds> {
        let bounds = self.0;
        let judge = |mv| MoveBounds { mv, bounds };
        position.legal_moves().map(judge).collect()
    }

    fn best_moves(&self, _: &Position, _: &AnalysisControl<'_>) -> BestMoves {
        BestMoves {
            value: self.0,
            moves: Vec::new(),
            complete: false,
        }
    }

    fn principal_variation(&self, _: &Position, _: &AnalysisControl<'_>) -> PrincipalVariation {
        PrincipalVariation::default()
    }
}
