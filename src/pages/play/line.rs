//! A line of play, and what the page shows of each of its positions.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use serde::Serialize;
use thiserror::Error;

use crate::base::color::{ByColor, Color};
use crate::games::game::Game;

/// A game that is played on the page.
pub trait PageGame: Game<Move: Display> + PartialEq {
    /// The start of a line.
    type Start: Copy + Debug + PartialEq + Send;

    /// A step of a line: a move, or something else that changes the position.
    type Step: Copy + Debug + Display + FromStr<Err: Error + Send + Sync + 'static> + PartialEq;

    /// The most steps of a line. Games are shorter.
    const MAX_STEPS: usize;

    /// Starts a game.
    fn start_from(start: Self::Start) -> Self;

    /// Makes a step.
    ///
    /// # Errors
    /// It is illegal, with the reason.
    fn step(&mut self, step: Self::Step) -> Result<(), String>;

    /// Describes the present of the game.
    fn view(&self) -> PlyView;
}

/// Makes a move of the player to move.
///
/// # Errors
/// It is illegal, or the game is over.
pub(super) fn play<G: Game>(game: &mut G, mv: G::Move) -> Result<(), String> {
    if game.is_over() {
        return Err("the game is over".into());
    }
    let color = game.to_move();
    game.play(color, mv).map_err(|why| why.to_string())
}

/// A start and the legal steps from there.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<G: PageGame> {
    start: G::Start,
    steps: Vec<G::Step>,
    game: G,
}

/// Why steps are not a line, as a sentence without a period.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct IllegalLine(String);

impl<G: PageGame> Line<G> {
    /// Makes steps from a start.
    ///
    /// # Errors
    /// There are more than [`PageGame::MAX_STEPS`], one is illegal, or a move follows the end of the
    /// game.
    pub fn new(start: G::Start, steps: Vec<G::Step>) -> Result<Line<G>, IllegalLine> {
        if steps.len() > G::MAX_STEPS {
            let (most, found) = (G::MAX_STEPS, steps.len());
            let why = format!("a line has at most {most} moves, and this has {found}");
            return Err(IllegalLine(why));
        }
        let mut game = G::start_from(start);
        for (&step, number) in steps.iter().zip(1..) {
            let player = G::PLAYERS[game.to_move()];
            game.step(step).map_err(|why| {
                IllegalLine(format!("move {number} ({player} {step}) is illegal: {why}"))
            })?;
        }
        Ok(Line { start, steps, game })
    }

    /// Returns what the line starts from.
    pub fn start(&self) -> G::Start {
        self.start
    }

    /// Returns the steps.
    pub fn steps(&self) -> &[G::Step] {
        &self.steps
    }

    /// Returns the game at the end of the line.
    pub fn game(&self) -> &G {
        &self.game
    }
}

/// A position of a line as the page draws it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlyView {
    /// The points or pits, row by row from the top: of Gothello `B`, `W` or `.` for each point;
    /// of Awari the stones in each pit, with commas between them.
    pub board: String,
    /// The position in its text form; `None` if the game is over.
    pub text: Option<String>,
    /// The step that led here, a move or the text form of a position; `None` at the start.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The row from the top and the column of that move, from 0.
    pub at: Option<[u16; 2]>,
    /// The player who made it; `None` if the position is set up.
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
}

/// A group and its liberties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupView {
    /// Its stones.
    pub stones: Vec<String>,
    /// The empty points beside it.
    pub liberties: Vec<String>,
}

/// Describes the positions of a line, from the one after `from` steps on.
pub fn plies<G: PageGame>(line: &Line<G>, from: usize) -> Vec<PlyView> {
    let mut game = G::start_from(line.start);
    let mut views = Vec::new();
    for made in 0..=line.steps.len() {
        if made >= from {
            views.push(game.view());
        }
        if let Some(&step) = line.steps.get(made) {
            let legal = game.step(step);
            debug_assert!(legal.is_ok(), "{step}");
        }
    }
    views
}
