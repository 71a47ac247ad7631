//! Strength levels, and a player that can be weakened for people to play with.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{AlphaBeta, Choice, Limits, Player};
use crate::base::rng::Rng;
use crate::games::gothello::{Move, Position};

/// A strength level: 1, the weakest, to 9, or perfect.
///
/// ```
/// use gothello::player::Level;
///
/// let level: Level = "3".parse()?;
/// assert!(level < Level::Perfect);
/// assert_eq!(Level::all().last(), Some(Level::Perfect));
/// # Ok::<(), gothello::player::ParseLevelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// A player that looks only a few plies ahead and makes mistakes; see
    /// [`LeveledPlayer`].
    Weak(WeakLevel),
    /// The full strength of the player, which is perfect play if it is a
    /// [`PerfectPlayer`](super::PerfectPlayer) that has the time.
    #[default]
    Perfect,
}

/// A level from 1 to 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WeakLevel(u8);

impl Level {
    /// Returns every level, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        let weak = (1..=9).map(|level| Level::Weak(WeakLevel(level)));
        weak.chain([Level::Perfect])
    }
}

impl WeakLevel {
    /// Returns the depth of the search, in plies.
    fn depth(self) -> u8 {
        self.0.div_ceil(2)
    }

    /// Returns the temperature, in stones: a move whose score is lower by this much is made
    /// e times less often.
    fn temperature(self) -> f64 {
        // From 4 stones down to a quarter of one, each by the same factor.
        4.0 * 0.5_f64.powf(f64::from(self.0 - 1) / 2.0)
    }
}

/// Writes `1` to `9` or `perfect`.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Weak(WeakLevel(level)) => write!(f, "{level}"),
            Level::Perfect => f.write_str("perfect"),
        }
    }
}

/// A word that is not a level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid level {0:?}: use 1 to 9 or perfect")]
pub struct ParseLevelError(pub String);

/// Parses `1` to `9` or `perfect`, in upper or lower case.
impl FromStr for Level {
    type Err = ParseLevelError;

    fn from_str(word: &str) -> Result<Level, ParseLevelError> {
        let is_it = |level: &Level| level.to_string().eq_ignore_ascii_case(word);
        Level::all()
            .find(is_it)
            .ok_or_else(|| ParseLevelError(word.to_owned()))
    }
}

/// A strength level, and the random numbers that the moves of weak levels depend on.
///
/// ```
/// use gothello::Position;
/// use gothello::player::{AlphaBeta, Level, LeveledPlayer, Limits, Player, Skill};
///
/// let weakest: Level = "1".parse()?;
/// let first_move = |seed| {
///     let skill = Skill::new(weakest, seed);
///     let mut player = LeveledPlayer::new(Box::new(AlphaBeta::new()), skill);
///     player.choose(&Position::START, &Limits::default()).mv
/// };
/// assert_eq!(first_move(1), first_move(1));
/// assert!((2..20).any(|seed| first_move(seed) != first_move(1)));
/// # Ok::<(), gothello::player::ParseLevelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Skill {
    /// The strength level.
    pub level: Level,
    seed: u64,
    rng: Rng,
}

impl Skill {
    /// Creates a skill from a level and the seed of the random numbers.
    pub const fn new(level: Level, seed: u64) -> Skill {
        Skill {
            level,
            seed,
            rng: Rng::new(seed),
        }
    }

    /// Returns the last seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Restarts the random numbers with a seed: the same moves follow in the same games.
    pub fn reseed(&mut self, seed: u64) {
        *self = Skill::new(self.level, seed);
    }
}

/// A player that plays as well as another one, or weaker.
///
/// At a level from 1 to 9 it searches every move with alpha-beta, to a depth of half
/// the level in plies, rounded up. Then it picks a random move: a move whose score is d
/// stones lower than the best one is e^(d/t) times less likely. The temperature t falls
/// from 4 stones at level 1 to a quarter of a stone at level 9. So small mistakes are
/// frequent and large ones are rare. It never passes by mistake.
///
/// Unless the limits interrupt even this short search, the moves follow from the seed, the
/// level, and the positions since both were set.
///
/// ```
/// use gothello::Position;
/// use gothello::player::{AlphaBeta, Level, LeveledPlayer, Limits, Player, Skill};
///
/// let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse()?;
/// let skill = Skill::new("4".parse()?, 1);
/// let mut player = LeveledPlayer::new(Box::new(AlphaBeta::new()), skill);
/// assert_eq!(player.choose(&position, &Limits::default()).depth, 2);
///
/// // The level may change during a game.
/// player.skill().unwrap().level = Level::Perfect;
/// assert!(player.choose(&position, &Limits::default()).proven);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LeveledPlayer {
    strong: Box<dyn Player>,
    weak: AlphaBeta,
    skill: Skill,
}

impl fmt::Debug for LeveledPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("LeveledPlayer");
        shown.field("skill", &self.skill).finish_non_exhaustive()
    }
}

impl LeveledPlayer {
    /// Creates a player that plays like `strong` at full strength.
    pub fn new(strong: Box<dyn Player>, skill: Skill) -> LeveledPlayer {
        LeveledPlayer {
            strong,
            weak: AlphaBeta::new(),
            skill,
        }
    }

    /// Picks a random move.
    fn pick(&mut self, level: WeakLevel, position: &Position, limits: &Limits<'_>) -> Choice {
        let mut choice = Choice::new(Move::Pass);
        let mut scores = Vec::new();
        for depth in 1..=level.depth() {
            match self.weak.move_scores(position, depth, limits) {
                Some(found) => scores = found,
                None => break,
            }
            choice.depth = depth;
        }
        let best = scores.iter().map(|&(_, score)| score).reduce(f32::max);
        let weight = |(mv, score): (Move, f32)| {
            let lost = f64::from(best.unwrap_or(score) - score);
            let weight = if mv == Move::Pass && lost > 0.0 {
                0.0
            } else {
                (-lost / level.temperature()).exp()
            };
            ((mv, score), weight)
        };
        let weighted: Vec<_> = scores.into_iter().map(weight).collect();
        if let Some((mv, lead)) = self.skill.rng.draw(&weighted) {
            choice.mv = mv;
            choice.lead = lead;
        }
        choice
    }
}

impl Player for LeveledPlayer {
    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Choice {
        match self.skill.level {
            Level::Weak(level) => self.pick(level, position, limits),
            Level::Perfect => self.strong.choose(position, limits),
        }
    }

    fn vary(&mut self, seed: u64) {
        self.strong.vary(seed);
    }

    fn skill(&mut self) -> Option<&mut Skill> {
        Some(&mut self.skill)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_as_they_are_written() {
        for level in Level::all() {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert_eq!(Level::all().count(), 10);
        assert_eq!("Perfect".parse(), Ok(Level::Perfect));
        for word in ["", "0", "10", "+1", "Max", "x"] {
            assert_eq!(word.parse::<Level>(), Err(ParseLevelError(word.into())));
        }
    }

    #[test]
    fn higher_levels_see_more_and_err_less() {
        let levels: Vec<_> = (1..=9).map(WeakLevel).collect();
        for pair in levels.windows(2) {
            assert!(pair[0].depth() <= pair[1].depth(), "{pair:?}");
            assert!(pair[0].temperature() > pair[1].temperature(), "{pair:?}");
        }
        assert_eq!(WeakLevel(1).temperature(), 4.0);
        assert_eq!(WeakLevel(9).temperature(), 0.25);
    }
}
