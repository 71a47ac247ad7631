//! A player that can be made weaker, for people to play with.

use super::level::Weakness;
use super::{AlphaBeta, Choice, Level, Limits, Player, Skill};
use crate::gothello::{Move, Position};

/// A player who plays as well as another, or weaker.
///
/// At a level from 1 to 9 he looks at every move with an alpha-beta search of
/// as many plies as half the level, rounded up. Then he draws one: a move that
/// is worth d stones less than the best is made less often by the factor
/// e^(d/t). The temperature t falls from 4 stones at level 1 to a quarter of a
/// stone at level 9. So he makes small mistakes often and large ones seldom. He
/// does not pass by mistake.
///
/// As long as the limits leave time for so short a search, the moves follow
/// from the seed, the level, and what was asked since both were set.
pub struct Weakened {
    strong: Box<dyn Player>,
    weak: AlphaBeta,
    skill: Skill,
}

impl Weakened {
    /// A player who plays as well as `strong` at the highest level.
    pub fn new(strong: Box<dyn Player>, skill: Skill) -> Weakened {
        Weakened {
            strong,
            weak: AlphaBeta::new(),
            skill,
        }
    }

    /// A move by chance.
    fn draw(&mut self, weakness: Weakness, position: &Position, limits: &Limits<'_>) -> Choice {
        let mut choice = Choice {
            mv: Move::Pass,
            margin: 0.0,
            proven: false,
            depth: 0,
            positions: 0,
        };
        let mut values = Vec::new();
        for depth in 1..=weakness.depth() {
            match self.weak.values(position, depth, limits) {
                Some(found) => values = found,
                None => break,
            }
            choice.depth = depth;
        }
        let best = values.iter().map(|&(_, value)| value).reduce(f32::max);
        let weight = |(mv, value): (Move, f32)| {
            let lost = f64::from(best.unwrap_or(value) - value);
            let weight = if mv == Move::Pass && lost > 0.0 {
                0.0
            } else {
                (-lost / weakness.temperature()).exp()
            };
            ((mv, value), weight)
        };
        let weighted: Vec<_> = values.into_iter().map(weight).collect();
        if let Some((mv, margin)) = self.skill.chance.draw(&weighted) {
            choice.mv = mv;
            choice.margin = margin;
        }
        choice
    }
}

impl Player for Weakened {
    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Choice {
        match self.skill.level {
            Level::Weak(weakness) => self.draw(weakness, position, limits),
            Level::Max => self.strong.choose(position, limits),
        }
    }

    fn skill(&mut self) -> Option<&mut Skill> {
        Some(&mut self.skill)
    }
}
