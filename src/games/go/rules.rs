//! The rules that differ between contests.

use super::{Komi, Score};

/// The rules that differ between contests. The names are those of the protocol
/// (*GameConfiguration*).
///
/// ```
/// use gothello::go::{Komi, Rules, Scoring};
///
/// let rules = Rules {
///     komi: Komi::from_halves(11),
///     scoring: Scoring::Territory,
///     ..Rules::default()
/// };
/// assert!(rules.ko && rules.superko);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Ko: forbids the board of two plies ago.
    pub ko: bool,
    /// Situational superko: forbids every earlier board with the same player to move.
    pub superko: bool,
    /// White's compensation.
    pub komi: Komi,
    /// When a game ends because the scores are far apart.
    pub mercy: Mercy,
    /// How the board is scored.
    pub scoring: Scoring,
    /// Points for each prisoner.
    pub prisoner_score: u32,
    /// Gives the opponent a prisoner for each pass.
    pub pass_adds_to_prisoners: bool,
}

impl Rules {
    /// Returns rules as most programs know them: area scoring, in which prisoners count
    /// nothing, with ko and situational superko and without a mercy rule.
    ///
    /// ```
    /// use gothello::go::{Komi, Rules};
    ///
    /// assert_eq!(Rules::area(Komi::from_halves(15)).prisoner_score, 0);
    /// ```
    pub fn area(komi: Komi) -> Rules {
        Rules {
            komi,
            mercy: Mercy::OFF,
            scoring: Scoring::Area,
            prisoner_score: 0,
            ..Rules::default()
        }
    }
}

/// How the board is scored (*scoringMethod*).
///
/// ```
/// use gothello::go::{Board, ByColor, Komi, Ownership, Rules, Score, Scoring};
///
/// let board: Board = "
///     . B .
///     B B W".parse().unwrap();
/// let ownership = Ownership::of(&board);
/// let score = |scoring| {
///     let rules = Rules { scoring, ..Rules::area(Komi::ZERO) };
///     ownership.score(ByColor::new(0, 0), &rules).black
/// };
/// assert_eq!(score(Scoring::Area), Score::from(4)); // three stones and the corner
/// assert_eq!(score(Scoring::Territory), Score::from(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Area scoring: a player's stones, and the empty regions that border only on them.
    #[default]
    Area,
    /// Territory scoring: the empty regions that border only on a player's stones.
    Territory,
}

/// The mercy rule: when a game ends because the scores are far apart.
///
/// ```
/// use gothello::go::{Game, Komi, Mercy, Move, Point, Position, EndReason, Rules, Score, Size};
///
/// // With one stone on the board, all 81 points count as Black's.
/// let mercy = Mercy::new(Score::from(50), 1).unwrap();
/// let rules = Rules { mercy, ..Rules::area(Komi::from_halves(15)) };
/// let mut game = Game::new(rules, Position::start(Size::square(9)?));
/// let ending = game.play(Move::Place(Point { row: 4, column: 4 }))?;
/// assert_eq!(ending.unwrap().reason, EndReason::Mercy);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mercy {
    margin: Score,
    start: u32,
}

impl Mercy {
    /// No mercy rule.
    pub const OFF: Mercy = Mercy {
        margin: Score::ZERO,
        start: 0,
    };

    /// Returns the rule that ends a game as soon as the scores differ by `margin` after at
    /// least `start` moves, passes included. A margin of 0 never ends a game. Returns `None`
    /// if the margin is negative.
    pub fn new(margin: Score, start: u32) -> Option<Mercy> {
        (margin >= Score::ZERO).then_some(Mercy { margin, start })
    }

    /// Returns the difference in score that ends a game, komi included; 0 if none does.
    pub fn margin(self) -> Score {
        self.margin
    }

    /// Returns how many moves must have been played.
    pub fn start(self) -> u32 {
        self.start
    }

    /// Returns whether the rule applies after this many moves.
    pub(super) fn applies_after(self, moves: usize) -> bool {
        self.margin > Score::ZERO && moves >= self.start as usize
    }
}

/// The rules of the competition in the protocol's document.
impl Default for Rules {
    fn default() -> Rules {
        Rules {
            ko: true,
            superko: true,
            komi: Komi::from_halves(13),
            mercy: Mercy {
                margin: Score::from_halves(100),
                start: 100,
            },
            scoring: Scoring::Area,
            prisoner_score: 1,
            pass_adds_to_prisoners: false,
        }
    }
}
