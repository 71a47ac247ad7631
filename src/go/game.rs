//! A whole game.

use std::fmt;

use super::chains::{Chains, Placement};
use super::history::History;
use super::keys::Keys;
use super::{
    Board, ByColor, Color, Ending, Illegal, Move, Point, Position, Reason, Rules, Score, Territory,
};

/// A game from its first position to the present, or to its end.
///
/// ```
/// use gothello::go::{Color, Game, Illegal, Move, Point, Position, Rules, Size};
/// let mut game = Game::new(Rules::default(), Position::start(Size::new(2, 3)?));
/// let corner = Move::Place(Point { row: 0, column: 0 });
/// assert_eq!(game.play(corner), Ok(None));
/// assert_eq!(game.play(corner), Err(Illegal::Nonempty));
/// assert_eq!(game.play(Move::Pass), Ok(None));
/// let ending = game.play(Move::Pass)?.expect("two passes end a game");
/// // All six points are Black's, and White has 6.5 for komi.
/// assert_eq!(ending.winner, Some(Color::White));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Game {
    rules: Rules,
    now: Position,
    /// The groups of the board of `now`.
    chains: Box<Chains>,
    keys: &'static Keys,
    /// Every position, the last of which is `now`.
    history: History,
    moves: Vec<Move>,
    ending: Option<Ending>,
}

/// A stone that may be placed, and the hash code of the position it leads to.
struct Legal {
    placement: Placement,
    hash: u64,
}

impl Game {
    /// A game from a position on. What was before the position counts for
    /// nothing: neither for repetitions nor for passes.
    pub fn new(rules: Rules, position: Position) -> Game {
        Game::with_keys(rules, position, Keys::USUAL)
    }

    /// A game with other hash codes, which change nothing that can be seen.
    pub(super) fn with_keys(rules: Rules, position: Position, keys: &'static Keys) -> Game {
        let hash = keys.hash(&position.board, position.turn);
        Game {
            rules,
            chains: Box::new(Chains::new(&position.board, keys)),
            keys,
            history: History::new(position.clone(), hash),
            now: position,
            moves: Vec::new(),
            ending: None,
        }
    }

    /// How it is played.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What it is now.
    pub fn position(&self) -> &Position {
        &self.now
    }

    /// The stones now.
    pub fn board(&self) -> &Board {
        &self.now.board
    }

    /// The player to move; after a resignation the one who resigned, and after
    /// another end the one who would be.
    pub fn turn(&self) -> Color {
        self.now.turn
    }

    /// The prisoners that each player has made.
    pub fn prisoners(&self) -> ByColor<u32> {
        self.now.prisoners
    }

    /// All moves so far, passes and a resignation among them.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The first position and the one after each move: one more than there
    /// are moves. A resignation changes nothing.
    pub fn positions(&self) -> &[Position] {
        self.history.positions()
    }

    /// How the game ended; `None` while it goes on.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Whether the game has ended.
    pub fn is_over(&self) -> bool {
        self.ending.is_some()
    }

    /// Whose the points are now.
    pub fn territory(&self) -> Territory {
        Territory::of(&self.now.board)
    }

    /// The scores now, at the end and before it.
    pub fn score(&self) -> ByColor<Score> {
        self.territory().score(self.now.prisoners, &self.rules)
    }

    /// Whether the player to move may make a move.
    ///
    /// # Errors
    /// The first reason against it, in the order of [`Illegal`].
    pub fn check(&self, mv: Move) -> Result<(), Illegal> {
        if self.is_over() {
            return Err(Illegal::Over);
        }
        match mv {
            Move::Place(point) => self.judge(point).map(|_| ()),
            Move::Pass | Move::Resign => Ok(()),
        }
    }

    /// The points where the player to move may place a stone, row by row from
    /// the top and each from the left.
    pub fn legal_points(&self) -> impl Iterator<Item = Point> {
        let points = self.now.board.size().points();
        points.filter(|&point| self.check(Move::Place(point)).is_ok())
    }

    /// Makes a move of the player to move; how the game ends if it does.
    ///
    /// # Errors
    /// As for [`Game::check`]; the game is then unchanged.
    pub fn play(&mut self, mv: Move) -> Result<Option<Ending>, Illegal> {
        if self.is_over() {
            return Err(Illegal::Over);
        }
        let mover = self.now.turn;
        let hash = match mv {
            Move::Place(point) => {
                let Legal { placement, hash } = self.judge(point)?;
                let captured = self.chains.draw(&placement, &mut self.now.board);
                self.chains.place(&placement);
                self.add_prisoners(mover, captured);
                self.now.turn = mover.opponent();
                hash
            }
            Move::Pass => {
                if self.rules.pass_adds_to_prisoners {
                    self.add_prisoners(mover.opponent(), 1);
                }
                self.now.turn = mover.opponent();
                self.history.last_hash() ^ self.keys.turn()
            }
            Move::Resign => self.history.last_hash(),
        };
        let passed_before = self.moves.last() == Some(&Move::Pass);
        self.moves.push(mv);
        self.history.push(self.now.clone(), hash);
        self.ending = match mv {
            Move::Resign => Some(Ending {
                reason: Reason::Resign,
                winner: Some(mover.opponent()),
            }),
            Move::Pass if passed_before => Some(self.ends_by(Reason::Pass)),
            Move::Pass | Move::Place(_) => self.is_mercy_due().then(|| self.ends_by(Reason::Mercy)),
        };
        Ok(self.ending)
    }

    /// What a stone of the player to move on a point would do; or why it may
    /// not be placed.
    #[inline]
    fn judge(&self, point: Point) -> Result<Legal, Illegal> {
        let Position { board, turn, .. } = &self.now;
        if !board.size().contains(point) {
            return Err(Illegal::OutOfBounds);
        }
        if board.get(point).is_some() {
            return Err(Illegal::Nonempty);
        }
        let placement = self.chains.placement(point, *turn);
        let placement = placement.ok_or(Illegal::Suicide)?;
        let hash = self.history.last_hash() ^ placement.change ^ self.keys.turn();
        let next_board = || {
            let mut board = board.clone();
            self.chains.draw(&placement, &mut board);
            board
        };
        if self.rules.superko && self.history.contains(turn.opponent(), hash, next_board) {
            return Err(Illegal::Superko);
        }
        if self.rules.ko && self.history.is_before_last(hash, next_board) {
            return Err(Illegal::Ko);
        }
        Ok(Legal { placement, hash })
    }

    fn add_prisoners(&mut self, player: Color, stones: u32) {
        let prisoners = self.now.prisoners.get_mut(player);
        // A position may begin with as many as there can be.
        *prisoners = prisoners.saturating_add(stones);
    }

    /// The end by a count.
    fn ends_by(&self, reason: Reason) -> Ending {
        let ByColor { black, white } = self.score();
        let winner = match black.cmp(&white) {
            std::cmp::Ordering::Greater => Some(Color::Black),
            std::cmp::Ordering::Less => Some(Color::White),
            std::cmp::Ordering::Equal => None,
        };
        Ending { reason, winner }
    }

    fn is_mercy_due(&self) -> bool {
        let mercy = self.rules.mercy;
        mercy.looks(self.moves.len()) && {
            let ByColor { black, white } = self.score();
            (black - white).abs() >= mercy.margin()
        }
    }
}

/// Writes the moves and what they have led to.
impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game")
            .field("rules", &self.rules)
            .field("moves", &self.moves)
            .field("now", &self.now)
            .field("ending", &self.ending)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
