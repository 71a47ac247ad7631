//! A game: moves, their legality, and how it ends.

use std::fmt;

use hashbrown::HashTable;
use thiserror::Error;

use super::chains::{Chains, Keys, Placement};
use super::{Board, ByColor, Color, Ownership, Point, Position, Rules, Score};
use crate::games::game;

/// A move of a player.
///
/// ```
/// use gothello::go::{Color, Game, Move, Point, Position, Rules, Size};
///
/// let size = Size::square(9)?;
/// let mut game = Game::new(Rules::default(), Position::start(size));
/// assert_eq!(game.play(Move::Place(Point::from_vertex("E5", size)?))?, None);
/// let ending = game.play(Move::Resign)?.unwrap();
/// assert_eq!(ending.winner, Some(Color::Black));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Move {
    /// Place a stone on a point.
    Place(Point),
    /// Place no stone.
    Pass,
    /// Give up the game.
    Resign,
}

/// Why a move is illegal. The reasons are checked in this order, and the first one that
/// applies is reported. The texts are those of the existing servers of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Error)]
pub enum Illegal {
    /// The game has ended.
    #[error("The game is over")]
    Over,
    /// The point is off the board.
    #[error("Out of Bound")]
    OutOfBounds,
    /// The point is occupied.
    #[error("Nonempty point")]
    Nonempty,
    /// The group of the new stone would have no liberty.
    #[error("Suicide")]
    Suicide,
    /// The board has occurred before with the same player to move.
    #[error("SuperKo")]
    Superko,
    /// The board is the one before the opponent's last move.
    #[error("Ko")]
    Ko,
}

impl Illegal {
    /// Returns the reason in words for people, in the middle of a sentence.
    pub const fn in_words(self) -> &'static str {
        match self {
            Illegal::Over => "the game is over",
            Illegal::OutOfBounds => "the point is off the board",
            Illegal::Nonempty => "the point is occupied",
            Illegal::Suicide => "the stone would have no liberty, which is suicide",
            Illegal::Superko => "superko forbids repeating a board with the same player to move",
            Illegal::Ko => "ko forbids taking back at once",
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ending {
    /// Why it ended.
    pub reason: EndReason,
    /// The winner; `None` in a draw.
    pub winner: Option<Color>,
}

/// Why the rules end a game. (A clock or the organizer may end it, too.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// Two passes in a row.
    Pass,
    /// A player resigned; the opponent wins, whatever the scores are.
    Resign,
    /// The scores were too far apart ([`Mercy`](super::Mercy)).
    Mercy,
}

/// Writes the word of the protocol: `pass`, `resign`, or `mercy`.
impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            EndReason::Pass => "pass",
            EndReason::Resign => "resign",
            EndReason::Mercy => "mercy",
        })
    }
}

/// A game from its first position to the current one, or to its end.
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
    /// The groups on the board of `now`.
    chains: Box<Chains>,
    keys: &'static Keys,
    /// All positions; the last one is `now`.
    history: History,
    moves: Vec<Move>,
    ending: Option<Ending>,
}

/// A legal placement, and the hash code of the position that it leads to.
struct Legal {
    placement: Placement,
    hash: u64,
}

impl Game {
    /// Starts a game at a position. Earlier repetitions and passes do not count.
    pub fn new(rules: Rules, position: Position) -> Game {
        Game::with_keys(rules, position, Keys::STANDARD)
    }

    /// Starts a game with other hash codes. They change nothing that can be observed.
    fn with_keys(rules: Rules, position: Position, keys: &'static Keys) -> Game {
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

    /// Returns the rules.
    #[inline]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the current position.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.now
    }

    /// Returns the current board.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.now.board
    }

    /// Returns the player to move; after a resignation the player who resigned, and after
    /// any other end the player who would be next.
    #[inline]
    pub fn turn(&self) -> Color {
        self.now.turn
    }

    /// Returns the number of prisoners that each player has taken.
    #[inline]
    pub fn prisoners(&self) -> ByColor<u32> {
        self.now.prisoners
    }

    /// Returns all moves so far, passes and a resignation included.
    #[inline]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns the first position and the position after each move: one more than there
    /// are moves. A resignation repeats the position.
    #[inline]
    pub fn positions(&self) -> &[Position] {
        self.history.positions()
    }

    /// Returns how the game ended; `None` if it is not over.
    #[inline]
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Returns whether the game has ended.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.ending.is_some()
    }

    /// Returns the current owner of each point.
    pub fn ownership(&self) -> Ownership {
        Ownership::of(&self.now.board)
    }

    /// Returns the current scores, even before the end.
    pub fn score(&self) -> ByColor<Score> {
        self.ownership().score(self.now.prisoners, &self.rules)
    }

    /// Checks whether a move of the player to move is legal.
    ///
    /// # Errors
    /// Returns the first reason against it, in the order of [`Illegal`].
    #[inline]
    pub fn check(&self, mv: Move) -> Result<(), Illegal> {
        if self.is_over() {
            return Err(Illegal::Over);
        }
        match mv {
            Move::Place(point) => self.check_placement(point).map(|_| ()),
            Move::Pass | Move::Resign => Ok(()),
        }
    }

    /// Returns the points where the player to move may place a stone, row by row from the
    /// top, each row from the left.
    pub fn legal_points(&self) -> impl Iterator<Item = Point> {
        let points = self.now.board.empty_points();
        points.filter(|&point| !self.is_over() && self.check_empty_point(point).is_ok())
    }

    /// Plays a move of the player to move. Returns how the game ended, if this move ended
    /// it.
    ///
    /// # Errors
    /// The move is illegal, as for [`Game::check`]; the game is unchanged.
    pub fn play(&mut self, mv: Move) -> Result<Option<Ending>, Illegal> {
        if self.is_over() {
            return Err(Illegal::Over);
        }
        let mover = self.now.turn;
        let hash = match mv {
            Move::Place(point) => {
                let Legal { placement, hash } = self.check_placement(point)?;
                let captured = self.chains.apply(&placement, &mut self.now.board);
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
                self.history.last_hash() ^ self.keys.side_to_move()
            }
            Move::Resign => self.history.last_hash(),
        };
        let passed_before = self.moves.last() == Some(&Move::Pass);
        self.moves.push(mv);
        self.history.push(self.now.clone(), hash);
        self.ending = match mv {
            Move::Resign => Some(Ending {
                reason: EndReason::Resign,
                winner: Some(mover.opponent()),
            }),
            Move::Pass if passed_before => Some(self.ending_by_score(EndReason::Pass)),
            Move::Pass | Move::Place(_) => self
                .is_mercy_due()
                .then(|| self.ending_by_score(EndReason::Mercy)),
        };
        Ok(self.ending)
    }

    /// Returns the effect of a stone of the player to move on a point, or why it is
    /// illegal.
    #[inline]
    fn check_placement(&self, point: Point) -> Result<Legal, Illegal> {
        let board = &self.now.board;
        if !board.size().contains(point) {
            return Err(Illegal::OutOfBounds);
        }
        if board.get(point).is_some() {
            return Err(Illegal::Nonempty);
        }
        self.check_empty_point(point)
    }

    /// Does what [`Game::check_placement`] does, for an empty point of the board.
    #[inline]
    fn check_empty_point(&self, point: Point) -> Result<Legal, Illegal> {
        let Position { board, turn, .. } = &self.now;
        let placement = self.chains.placement(point, *turn);
        let placement = placement.ok_or(Illegal::Suicide)?;
        let hash = self.history.last_hash() ^ placement.change ^ self.keys.side_to_move();
        let next_board = || {
            let mut board = board.clone();
            self.chains.apply(&placement, &mut board);
            board
        };
        if self.rules.superko && self.history.contains(turn.opponent(), hash, next_board) {
            return Err(Illegal::Superko);
        }
        if self.rules.ko && self.history.is_simple_ko(hash, next_board) {
            return Err(Illegal::Ko);
        }
        Ok(Legal { placement, hash })
    }

    fn add_prisoners(&mut self, player: Color, stones: u32) {
        let prisoners = self.now.prisoners.get_mut(player);
        // A position may begin with the maximum number.
        *prisoners = prisoners.saturating_add(stones);
    }

    /// Returns an end at which the scores decide.
    fn ending_by_score(&self, reason: EndReason) -> Ending {
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
        mercy.applies_after(self.moves.len()) && {
            let ByColor { black, white } = self.score();
            (black - white).abs() >= mercy.margin()
        }
    }
}

/// A move of the trait [`Game`](game::Game) may also be a resignation, although it is not among the
/// legal moves.
impl game::Game for Game {
    type Move = Move;
    type PlayError = PlayError;
    type Score = Score;

    const NAME: &'static str = "Go";
    const PLAYERS: ByColor<&'static str> = ByColor::new("Black", "White");
    const PASS: Option<Move> = Some(Move::Pass);

    fn to_move(&self) -> Color {
        self.turn()
    }

    fn is_over(&self) -> bool {
        self.is_over()
    }

    fn scores(&self) -> ByColor<Score> {
        self.score()
    }

    /// Returns the placements row by row from the top, then the pass.
    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let pass = (!self.is_over()).then_some(Move::Pass);
        self.legal_points().map(Move::Place).chain(pass)
    }

    fn check(&self, mv: Move) -> Result<(), PlayError> {
        Ok(self.check(mv)?)
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), PlayError> {
        if color != self.turn() {
            return Err(PlayError::OutOfTurn(self.turn()));
        }
        self.play(mv)?;
        Ok(())
    }

    fn moves(&self) -> impl Iterator<Item = (Color, Move)> {
        let turns = self.positions().iter().map(|position| position.turn);
        turns.zip(self.moves().iter().copied())
    }

    /// Returns the name of a point as in GTP, `pass` or `resign`.
    fn notation(&self, mv: Move) -> String {
        match mv {
            Move::Place(point) => {
                let vertex = point.vertex(self.board().size());
                vertex.unwrap_or_else(|| point.to_string())
            }
            Move::Pass => "pass".to_owned(),
            Move::Resign => "resign".to_owned(),
        }
    }

    /// Parses the name of a point of the board, or `pass`, in either case.
    fn parse_notation(&self, text: &str) -> Option<Move> {
        match text.eq_ignore_ascii_case("pass") {
            true => Some(Move::Pass),
            false => {
                let point = Point::from_vertex(text, self.board().size());
                point.ok().map(Move::Place)
            }
        }
    }
}

/// The reason why a game refuses a move. It is worded for people, unlike [`Illegal`], which has the
/// words of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlayError {
    /// The other player is to move.
    #[error("it is {0}'s turn")]
    OutOfTurn(Color),
    /// The move is against the rules.
    #[error("{}", .0.in_words())]
    Illegal(#[from] Illegal),
}

/// Writes the moves and the current position.
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

/// The positions of a game from the first one on, with an index by hash code.
#[derive(Clone)]
struct History {
    positions: Vec<Position>,
    /// The hash code of each position.
    hashes: Vec<u64>,
    /// Indices into `positions`, by hash code.
    places: HashTable<usize>,
}

impl History {
    /// Returns the history of a game that has just begun.
    fn new(first: Position, hash: u64) -> History {
        let mut history = History {
            positions: Vec::new(),
            hashes: Vec::new(),
            places: HashTable::new(),
        };
        history.push(first, hash);
        history
    }

    /// Returns all positions, the first one first.
    fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Returns the hash code of the last position.
    #[inline]
    fn last_hash(&self) -> u64 {
        self.hashes.last().copied().unwrap_or(0)
    }

    /// Adds a position.
    #[inline]
    fn push(&mut self, position: Position, hash: u64) {
        let place = self.positions.len();
        self.positions.push(position);
        self.hashes.push(hash);
        let hash_of = |&place: &usize| self.hashes.get(place).copied().unwrap_or(0);
        self.places.insert_unique(hash, place, hash_of);
    }

    /// Returns whether a board has occurred with this player to move (situational superko).
    /// Positions with the same hash code are candidates. `board` is called only to compare
    /// the board with a candidate.
    #[inline]
    fn contains(&self, turn: Color, hash: u64, board: impl Fn() -> Board) -> bool {
        let same = |&place: &usize| {
            self.hashes.get(place) == Some(&hash)
                && self
                    .positions
                    .get(place)
                    .is_some_and(|position| position.turn == turn && position.board == board())
        };
        self.places.find(hash, same).is_some()
    }

    /// Returns whether a board is the one before the last move, with either player to move (simple
    /// ko). `hash` and `board` are as for [`History::contains`].
    #[inline]
    fn is_simple_ko(&self, hash: u64, board: impl Fn() -> Board) -> bool {
        let [.., other, _] = self.hashes[..] else {
            return false;
        };
        let before = self.positions.iter().nth_back(1);
        other == hash && before.is_some_and(|before| before.board == board())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Size;
    use super::*;
    use crate::base::rng::Rng;

    fn small_boards() -> impl Iterator<Item = Size> {
        let sizes = (1..=4).flat_map(|rows| (1..=4).map(move |columns| (rows, columns)));
        sizes.map(|(rows, columns)| Size::new(rows, columns).unwrap())
    }

    fn some_move(size: Size, random: &mut Rng) -> Move {
        let mut below = |limit: u8| (random.next() % u64::from(limit)) as u8;
        match below(20) {
            0 => Move::Pass,
            _ => Move::Place(Point {
                row: below(size.rows()),
                column: below(size.columns()),
            }),
        }
    }

    /// With one hash code for all positions every look-up finds all of them: the
    /// boards alone tell them apart.
    #[test]
    fn equal_hash_codes_do_not_make_positions_equal() {
        let mut random = Rng::new(1);
        let mut superko = 0;
        for size in small_boards() {
            for game in 0..20 {
                let rules = Rules {
                    ko: game % 2 == 0,
                    superko: game % 3 != 0,
                    ..Rules::default()
                };
                let mut usual = Game::new(rules.clone(), Position::start(size));
                let mut forged = Game::with_keys(rules, Position::start(size), Keys::ALL_COLLIDE);
                for _ in 0..60 {
                    for point in size.points() {
                        let checked = usual.check(Move::Place(point));
                        assert_eq!(checked, forged.check(Move::Place(point)), "{usual:?}");
                        superko += usize::from(checked == Err(Illegal::Superko));
                    }
                    let mv = some_move(size, &mut random);
                    assert_eq!(usual.play(mv), forged.play(mv));
                    assert_eq!(usual.positions(), forged.positions());
                }
                assert_eq!(forged.history.last_hash(), 0);
            }
        }
        assert!(superko > 1000, "{superko}");
    }

    #[test]
    fn hash_codes_that_are_kept_equal_those_made_anew() {
        let mut random = Rng::new(2);
        let large = [Size::STANDARD, Size::new(25, 24).unwrap()];
        for size in small_boards().chain(large) {
            let mut game = Game::new(Rules::default(), Position::start(size));
            for _ in 0..1000 {
                // Refusals are part of it.
                let _ = game.play(some_move(size, &mut random));
                let Position { board, turn, .. } = &game.now;
                assert_eq!(game.history.last_hash(), Keys::STANDARD.hash(board, *turn));
            }
        }
    }
}
