//! A line of play, and what the page shows of each of its positions.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};

use serde::Serialize;
use thiserror::Error;

use crate::base::color::{ByColor, Color};
use crate::games::game::Game;

/// A game that is played on the page.
pub trait PageGame: Game<Move: Display> + PartialEq {
    /// The start of a line.
    type Start: Copy + Debug + PartialEq + Send;

    /// The most moves of a line. Games are shorter.
    const MAX_MOVES: usize;

    /// Starts a game.
    fn start_from(start: Self::Start) -> Self;

    /// Describes the present of the game.
    fn view(&self) -> PlyView;
}

/// A start and the legal moves that are played from there.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<G: PageGame> {
    start: G::Start,
    moves: Vec<G::Move>,
    game: G,
}

/// Why moves are not a line, as a sentence without a period.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct IllegalLine(String);

impl<G: PageGame> Line<G> {
    /// Plays moves from a start.
    ///
    /// # Errors
    /// There are more than [`PageGame::MAX_MOVES`], one is illegal, or one follows the end of the
    /// game.
    pub fn new(start: G::Start, moves: Vec<G::Move>) -> Result<Line<G>, IllegalLine> {
        if moves.len() > G::MAX_MOVES {
            let (most, found) = (G::MAX_MOVES, moves.len());
            let why = format!("a line has at most {most} moves, and this has {found}");
            return Err(IllegalLine(why));
        }
        let mut game = G::start_from(start);
        for (&mv, number) in moves.iter().zip(1..) {
            let color = game.to_move();
            let result = match game.is_over() {
                true => Err("the game is over".to_owned()),
                false => game.play(color, mv).map_err(|why| why.to_string()),
            };
            result.map_err(|why| {
                let player = G::PLAYERS[color];
                IllegalLine(format!("move {number} ({player} {mv}) is illegal: {why}"))
            })?;
        }
        Ok(Line { start, moves, game })
    }

    /// Returns what the line starts from.
    pub fn start(&self) -> G::Start {
        self.start
    }

    /// Returns the moves.
    pub fn moves(&self) -> &[G::Move] {
        &self.moves
    }

    /// Returns the game at the end of the line.
    pub fn game(&self) -> &G {
        &self.game
    }
}

/// A position of a line as the page draws it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlyView {
    /// The points or pits, row by row from the top: of Gothello `B`, `W` or `.` for each point;
    /// of Awari the stones in each pit, with commas between them.
    pub board: String,
    /// The position in its text form; `None` if the game is over.
    pub text: Option<String>,
    /// The move that led here; `None` at the start.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The row from the top and the column of that move, from 0.
    pub at: Option<[u16; 2]>,
    /// The player who made it.
    pub by: Option<Color>,
    /// The stones that it captured in Gothello, where they change their color.
    pub flipped: Vec<String>,
    /// The pits into which it sowed in Awari, one for each stone.
    pub sown: Vec<String>,
    /// The number of stones that it captured in Awari, where they leave the board.
    pub taken: u8,
    /// The player to move; `None` if the game is over.
    pub turn: Option<Color>,
    /// Whether a pass ends the game.
    pub last_pass: bool,
    /// Each player's stones: on the board in Gothello, captured in Awari.
    pub count: ByColor<u8>,
    /// For each legal move but a pass, the points or pits from which it captures.
    pub legal: BTreeMap<String, Vec<String>>,
    /// For each empty point, or each pit, that is not legal, why.
    pub illegal: BTreeMap<String, String>,
    /// The groups of stones; none in Awari.
    pub groups: Vec<GroupView>,
    /// The result of the game as a sentence, if it is over.
    pub result: Option<String>,
    /// The first player's score minus the second one's at the end, if the game is over.
    pub lead: Option<i8>,
}

/// A group and its liberties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupView {
    /// Its stones.
    pub stones: Vec<String>,
    /// The empty points beside it.
    pub liberties: Vec<String>,
}

/// Describes the positions of a line, from the one after `from` moves on.
pub fn plies<G: PageGame>(line: &Line<G>, from: usize) -> Vec<PlyView> {
    let mut game = G::start_from(line.start);
    let mut views = Vec::new();
    for played in 0..=line.moves.len() {
        if played >= from {
            views.push(game.view());
        }
        if let Some(&mv) = line.moves.get(played) {
            let legal = game.play(game.to_move(), mv);
            debug_assert!(legal.is_ok(), "{mv}");
        }
    }
    views
}
