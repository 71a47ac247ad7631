//! The rules of Gothello a second time, transcribed schema by schema from section 1 of
//! "A Networked Gothello Referee: Specification" (Bart Massey, 2003).
//!
//! Sets are sets, closures are fixpoints and nothing is remembered between turns, so that each
//! function can be compared with its schema. Where the printed text cannot be meant literally, it
//! gets the smallest repair that yields the game described in prose, and the item concerned says
//! so.

#![allow(dead_code)] // The whole specification is here, even the parts that no test needs.

use SquareVal::{Blank, Stone};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// `PLAYER ::= black | white`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Player {
    Black,
    White,
}

/// `opponent`.
pub fn opponent(player: Player) -> Player {
    match player {
        Player::White => Player::Black,
        Player::Black => Player::White,
    }
}

/// `SQUARE == DIGIT × DIGIT`: the column (a = 1) and the row (the bottom one = 1).
pub type Square = (u8, u8);

/// `SQUAREVAL ::= stone⟨⟨PLAYER⟩⟩ | blank`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SquareVal {
    Stone(Player),
    Blank,
}

/// `BOARD == SQUARE → SQUAREVAL`, with `SQUARE` any rectangle of up to 5x5 squares: small boards
/// can be enumerated, and the schemas never mention the size.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Board {
    rows: u8,
    /// Column by column from a1.
    values: Vec<SquareVal>,
}

impl Board {
    /// The `BOARD` which maps each square to `value(square)`, asked column by column from a1.
    pub fn from_fn(columns: u8, rows: u8, value: impl FnMut(Square) -> SquareVal) -> Board {
        assert!((1..=5).contains(&columns) && (1..=5).contains(&rows));
        let squares = (1..=columns).flat_map(|column| (1..=rows).map(move |row| (column, row)));
        let values = squares.map(value).collect();
        Board { rows, values }
    }

    /// Every member of `BOARD` for one size: there are 3^(columns × rows) of them.
    pub fn all(columns: u8, rows: u8) -> impl Iterator<Item = Board> {
        let values = [Blank, Stone(Player::Black), Stone(Player::White)];
        (0..3_u64.pow(u32::from(columns) * u32::from(rows))).map(move |number| {
            let mut digits = number * 3;
            Board::from_fn(columns, rows, |_| {
                digits /= 3;
                values[(digits % 3) as usize]
            })
        })
    }

    /// `SQUARE`, the domain of the board: column by column from a1.
    pub fn squares(&self) -> impl Iterator<Item = Square> {
        let square = |place: u8| (place / self.rows + 1, place % self.rows + 1);
        (0..self.values.len() as u8).map(square)
    }

    /// Where the value of a square is; panics if `s` is not a `SQUARE` of this board.
    fn place(&self, (column, row): Square) -> usize {
        assert!(column >= 1 && (1..=self.rows).contains(&row));
        usize::from((column - 1) * self.rows + row - 1)
    }

    /// The function application `board s`; panics if `s` is not a `SQUARE` of this board.
    pub fn at(&self, s: Square) -> SquareVal {
        self.values[self.place(s)]
    }

    /// `board ⊕ changes`, the functional overriding of Z.
    pub fn overridden(&self, changes: &BTreeMap<Square, SquareVal>) -> Board {
        let mut board = self.clone();
        for (&s, &value) in changes {
            let place = board.place(s);
            board.values[place] = value;
        }
        board
    }
}

/// A picture of `BOARD`: the lines of the `sdisp_board` message, from the top, joined by `/`.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (columns, rows) = self.squares().last().expect("a board has squares");
        let character = |s| match self.at(s) {
            Stone(Player::Black) => 'b',
            Stone(Player::White) => 'w',
            Blank => '.',
        };
        let line = |row| (1..=columns).map(move |column| character((column, row)));
        let pictures: Vec<String> = (1..=rows).rev().map(|row| line(row).collect()).collect();
        f.write_str(&pictures.join("/"))
    }
}

/// `s1 adjoins s2`: next to each other in a row or a column.
/// Printed with `d2 = d1 + 1` only, so that a1 adjoins b1 but b1 not a1, and e5 adjoins nothing and
/// could never take a stone: the symmetric closure is meant.
pub fn adjoins(s1: Square, s2: Square) -> bool {
    s1.0.abs_diff(s2.0) + s1.1.abs_diff(s2.1) == 1
}

/// `neighbor board`, as a predicate on two squares: adjoining stones of the same color.
pub fn neighbor(board: &Board, s1: Square, s2: Square) -> bool {
    adjoins(s1, s2) && board.at(s1) != Blank && board.at(s1) == board.at(s2)
}

/// `group board s`: the image of `{s}` under the closure of `neighbor board`.
/// Printed with the irreflexive closure `⁺`: a lone stone would have no group. `*` is meant.
pub fn group(board: &Board, s: Square) -> BTreeSet<Square> {
    assert_ne!(board.at(s), Blank, "a blank square has no group");
    let mut members = BTreeSet::from([s]);
    loop {
        let in_image = |&t: &Square| members.iter().any(|&m| neighbor(board, m, t));
        let grown = &members | &board.squares().filter(in_image).collect();
        if grown == members {
            return members;
        }
        members = grown;
    }
}

/// `adjoining_squares ss`: the squares outside `ss` which adjoin one inside.
pub fn adjoining_squares(board: &Board, ss: &BTreeSet<Square>) -> BTreeSet<Square> {
    let around = |&t: &Square| !ss.contains(&t) && ss.iter().any(|&s| adjoins(s, t));
    board.squares().filter(around).collect()
}

/// `group_liberties board ss`: the blank ones among the adjoining squares.
pub fn group_liberties(board: &Board, ss: &BTreeSet<Square>) -> BTreeSet<Square> {
    let mut squares = adjoining_squares(board, ss);
    squares.retain(|&s| board.at(s) == Blank);
    squares
}

/// `liberties board`: `group_liberties board` after `group board`.
pub fn liberties(board: &Board, s: Square) -> BTreeSet<Square> {
    group_liberties(board, &group(board, s))
}

/// `RESULT ::= win⟨⟨PLAYER⟩⟩ | draw | not_done | illegal_move`. The first two end the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    Win(Player),
    Draw,
    NotDone,
    IllegalMove,
}

/// `MOVE ::= move⟨⟨SQUARE⟩⟩ | pass`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    Move(Square),
    Pass,
}

/// `GothelloPosition`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub board: Board,
    pub to_move: Player,
}

/// `GothelloGame`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Game {
    /// The `GothelloPosition` which the schema includes.
    pub position: Position,
    /// `history`, the most recent move first.
    pub history: Vec<Move>,
}

impl Game {
    /// `InitGothelloGame`: no history, and `SQUARE × {blank}` with black to move.
    pub fn new(columns: u8, rows: u8) -> Game {
        let blank = Board::from_fn(columns, rows, |_| Blank);
        Game::from_parts(blank, Player::Black, false)
    }

    /// Any state of `GothelloGame`, up to what the schemas can tell apart: of the history they
    /// look at nothing but whether its head is a pass.
    pub fn from_parts(board: Board, to_move: Player, passed: bool) -> Game {
        let position = Position { board, to_move };
        let history = if passed { vec![Move::Pass] } else { vec![] };
        Game { position, history }
    }

    /// `history 1 = pass`; not so if `history 1` is undefined: an opening pass ends no game.
    pub fn passed(&self) -> bool {
        self.history.first() == Some(&Move::Pass)
    }

    /// `ΞGothelloPosition` within `GothelloAction`: only the history changes. To the letter, as
    /// here, it records illegal moves too, so that passes with one in between are not successive.
    fn xi(&self, mv: Move) -> Game {
        let position = self.position.clone();
        let history = [&[mv], &self.history[..]].concat();
        Game { position, history }
    }

    /// `GothelloAction` with this `board'` and `to_move' = opponent to_move`.
    fn action(&self, mv: Move, board: &Board) -> Game {
        let mut next = self.xi(mv);
        next.position.board = board.clone();
        next.position.to_move = opponent(self.position.to_move);
        next
    }
}

/// `cboard = board ⊕ {s ↦ stone to_move}`, in two of the schemas.
fn cboard(position: &Position, s: Square) -> Board {
    let stone = BTreeMap::from([(s, Stone(position.to_move))]);
    position.board.overridden(&stone)
}

/// `move? = move s ∧ board s = blank` for some `s`.
fn to_blank(game: &Game, mv: Move) -> bool {
    matches!(mv, Move::Move(s) if game.position.board.at(s) == Blank)
}

/// `GothelloIllegalMoveNonblank`.
pub fn illegal_move_nonblank(game: &Game, mv: Move) -> Option<(Game, Outcome)> {
    let holds = mv != Move::Pass && !to_blank(game, mv);
    holds.then(|| (game.xi(mv), Outcome::IllegalMove))
}

/// `GothelloIllegalMoveBlocked` to the letter, without `board s = blank`: a move onto a stone may
/// be blocked too, as if it replaced the stone. `GothelloIllegalMoveNonblank` has the same effect.
pub fn illegal_move_blocked_as_printed(game: &Game, mv: Move) -> Option<(Game, Outcome)> {
    let Move::Move(s) = mv else { return None };
    let holds = liberties(&cboard(&game.position, s), s).is_empty();
    holds.then(|| (game.xi(mv), Outcome::IllegalMove))
}

/// `GothelloIllegalMoveBlocked` with `board s = blank` added, which makes the five transitions
/// disjoint, as the specification says that they are.
pub fn illegal_move_blocked(game: &Game, mv: Move) -> Option<(Game, Outcome)> {
    illegal_move_blocked_as_printed(game, mv).filter(|_| to_blank(game, mv))
}

/// `capture_at` of `GothelloMove`: the changes which turn the group at `s`, if it has no liberty.
pub fn capture_at(cboard: &Board, to_move: Player, s: Square) -> BTreeMap<Square, SquareVal> {
    if !liberties(cboard, s).is_empty() {
        return BTreeMap::new();
    }
    let turned = group(cboard, s).into_iter();
    turned.map(|t| (t, Stone(to_move))).collect()
}

/// `captures` of `GothelloMove`: the union of `capture_at` over the opposing stones which adjoin
/// the new one.
/// Printed as the union over `neighbor cboard`. That relates stones of one color only, all in the
/// group of the new stone, which has a liberty: to the letter nothing would ever be captured.
pub fn captures(cboard: &Board, to_move: Player, s: Square) -> BTreeMap<Square, SquareVal> {
    let opposing = |&t: &Square| adjoins(s, t) && cboard.at(t) == Stone(opponent(to_move));
    let around = cboard.squares().filter(opposing);
    around
        .flat_map(|t| capture_at(cboard, to_move, t))
        .collect()
}

/// `GothelloMove`.
pub fn stone_move(game: &Game, mv: Move) -> Option<(Game, Outcome)> {
    let Move::Move(s) = mv else { return None };
    let to_move = game.position.to_move;
    let cboard = cboard(&game.position, s);
    let holds = to_blank(game, mv) && !liberties(&cboard, s).is_empty();
    holds.then(|| {
        let board = cboard.overridden(&captures(&cboard, to_move, s));
        (game.action(mv, &board), Outcome::NotDone)
    })
}

/// `GothelloPass`. Printed with both `ΞGothelloPosition` and `to_move' = opponent to_move`, which
/// contradict each other: the turn does go over to the opponent, and only the board stays.
pub fn pass(game: &Game, mv: Move) -> Option<(Game, Outcome)> {
    let holds = mv == Move::Pass && !game.passed();
    holds.then(|| (game.action(mv, &game.position.board), Outcome::NotDone))
}

/// `GothelloGameOver`. The state keeps no mark that the game is over: only the result tells.
pub fn game_over(game: &Game, mv: Move) -> Option<(Game, Outcome)> {
    let board = &game.position.board;
    let stones = |val| board.squares().filter(|&s| board.at(s) == val).count();
    let result = match stones(Stone(Player::Black)).cmp(&stones(Stone(Player::White))) {
        Ordering::Greater => Outcome::Win(Player::Black),
        Ordering::Less => Outcome::Win(Player::White),
        Ordering::Equal => Outcome::Draw,
    };
    (mv == Move::Pass && game.passed()).then(|| (game.xi(mv), result))
}

/// The five disjuncts of `GothelloTurn`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Transition {
    IllegalMoveNonblank,
    IllegalMoveBlocked,
    Move,
    Pass,
    GameOver,
}

/// `GothelloTurn`: every transition which applies. That it is always exactly one is to be tested.
pub fn turn(game: &Game, mv: Move) -> Vec<(Transition, Game, Outcome)> {
    use Transition as T;
    let named = |t, step: Option<(Game, Outcome)>| step.map(|(next, result)| (t, next, result));
    let disjuncts = [
        named(T::IllegalMoveNonblank, illegal_move_nonblank(game, mv)),
        named(T::IllegalMoveBlocked, illegal_move_blocked(game, mv)),
        named(T::Move, stone_move(game, mv)),
        named(T::Pass, pass(game, mv)),
        named(T::GameOver, game_over(game, mv)),
    ];
    disjuncts.into_iter().flatten().collect()
}

/// `GothelloTurn` as the function which it is claimed to be; panics if it is not one here.
pub fn only_turn(game: &Game, mv: Move) -> (Transition, Game, Outcome) {
    let [only]: [_; 1] = turn(game, mv).try_into().expect("exactly one transition");
    only
}

/// `MOVE` on this board: every square, blank or not, and the pass.
pub fn all_moves(board: &Board) -> impl Iterator<Item = Move> {
    board.squares().map(Move::Move).chain([Move::Pass])
}

/// The moves to which `GothelloTurn` does not answer `illegal_move`; the last is always the pass.
pub fn legal_moves(game: &Game) -> Vec<Move> {
    let legal = |&mv: &Move| only_turn(game, mv).2 != Outcome::IllegalMove;
    all_moves(&game.position.board).filter(legal).collect()
}

/// The leaves of the tree of repeated `GothelloTurn`s, `depth` legal moves deep. A pass is a move,
/// and a game which is over sooner than at `depth` leaves nothing to count.
pub fn perft(game: &Game, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let leaves = |mv| match only_turn(game, mv) {
        (_, _, Outcome::IllegalMove) => 0,
        (_, next, Outcome::NotDone) => perft(&next, depth - 1),
        (_, _, Outcome::Win(_) | Outcome::Draw) => u64::from(depth == 1),
    };
    all_moves(&game.position.board).map(leaves).sum()
}
