//! A game with its variations.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::{self, Display};
use std::str::FromStr;

use thiserror::Error;

use super::annotate::{Annotation, Note};
use super::fault::{Fault, LeftOut, ReadError, Told};
use super::read::{self, played, set_up};
use super::record::{Node as WrittenNode, Property, Record};
use super::writer::{Writer, move_property};
use super::{Headers, coordinates, set_up_properties, write_set_up};
use crate::base::color::Color;
use crate::games::gothello::{
    Board, Game, IllegalMove, Move, Next, ParseMoveError, ParsePositionError, PlayError, Position,
    SIZE, Step,
};

/// Reads the first `max_moves` moves of the main line of the first game in an SGF text.
///
/// # Errors
/// If the text is not SGF, has another board, or contains a set-up or a move among these that is
/// illegal. Faults elsewhere are no error.
pub fn read(text: &str, max_moves: usize) -> Result<Game, ReadError> {
    GameTree::read_moves(text, max_moves)
}

/// The legal moves of a record, and the positions that it sets up, as a tree. The first continuation of
/// each position is the main one. All other content of the record stays as it is.
///
/// ```
/// use gothello::Position;
/// use gothello::sgf::{GameTree, Headers};
///
/// let mut tree = GameTree::new(Position::START);
/// let c3 = tree.add(0, "c3".parse()?)?;
/// tree.add(c3, "d3".parse()?)?;
/// tree.add(c3, "pass".parse()?)?;
/// let text = tree.write(&Headers::default());
/// assert!(text.ends_with(";B[cc]\n(;W[dc])\n(;W[]))"));
/// let (read, left_out) = GameTree::read(&text)?;
/// assert_eq!(read.steps(), tree.steps());
/// assert!(left_out.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameTree {
    record: Record,
    /// The beginning of the record, then each position after the one before it.
    nodes: Vec<Node>,
    /// The node where the tree begins: set-ups before it are no steps.
    start: usize,
}

/// A step from one node of a tree to the next.
///
/// ```
/// use gothello::sgf::TreeStep;
///
/// let set_up: TreeStep = "...../...../..bw./...../..... b".parse()?;
/// assert!(matches!(set_up, TreeStep::SetUp(_)));
/// assert_eq!("c3".parse::<TreeStep>()?, TreeStep::Move("c3".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeStep {
    /// A move of the player to move.
    Move(Move),
    /// A position that is set up.
    SetUp(Position),
}

/// Writes a move, or the text form of a position.
impl Display for TreeStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeStep::Move(mv) => mv.fmt(f),
            TreeStep::SetUp(position) => position.fmt(f),
        }
    }
}

#[cfg(feature = "serde")]
crate::base::text_serde::as_text! {
    TreeStep: "a move or a position of Gothello",
}

impl FromStr for TreeStep {
    type Err = ParseStepError;

    fn from_str(text: &str) -> Result<TreeStep, ParseStepError> {
        match text.contains('/') {
            true => Ok(TreeStep::SetUp(text.parse()?)),
            false => Ok(TreeStep::Move(text.parse()?)),
        }
    }
}

/// Why a text is neither a move nor a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseStepError {
    /// It is no move.
    #[error(transparent)]
    Move(#[from] ParseMoveError),
    /// It is no position.
    #[error(transparent)]
    SetUp(#[from] ParsePositionError),
}

#[derive(Clone, Debug)]
struct Node {
    step: Step,
    now: Next,
    /// The node before it; of the root, itself.
    parent: usize,
    /// The number of moves that lead to it.
    moves: usize,
    children: Vec<usize>,
    /// The nodes of the record for this position, the one with the move first.
    written: Vec<usize>,
}

impl Node {
    /// Returns the move; `None` if the position is set up.
    fn mv(&self) -> Option<Move> {
        match self.step {
            Step::Played { mv, .. } => Some(mv),
            Step::SetUp(_) => None,
        }
    }

    /// Returns the step, whoever made it.
    fn tree_step(&self) -> TreeStep {
        match self.step {
            Step::Played { mv, .. } => TreeStep::Move(mv),
            Step::SetUp(position) => TreeStep::SetUp(position),
        }
    }
}

/// A fault of a record.
struct Found {
    /// The node before it.
    parent: usize,
    /// Whether nothing follows that node yet.
    is_first: bool,
    /// The byte of the text where it is.
    at: usize,
    fault: Fault,
}

/// The reason why a move cannot be added to a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddError {
    /// There is no such node.
    #[error("there is no node {0} to play from")]
    NoNode(usize),
    /// A game starts from another position.
    #[error("the game starts from another position than that of the record")]
    OtherStart,
    /// The move is against the rules.
    #[error("{mv} after node {node} is illegal: {why}")]
    Illegal {
        /// The number of the node.
        node: usize,
        /// The move.
        mv: Move,
        /// The reason.
        why: PlayError,
    },
}

impl GameTree {
    /// Creates a tree without moves.
    pub fn new(start: Position) -> GameTree {
        let mut writer = Writer::new();
        writer.property("SZ", SIZE);
        writer.property("RU", "Gothello");
        let empty = (Position::START.board(), Color::Black, true);
        write_set_up(&mut writer, empty, &start);
        let written = writer.record.main_line().collect();
        GameTree::of(writer.record, start, written)
    }

    /// Creates a tree without moves. `written` has the nodes of the record for the start.
    fn of(record: Record, start: Position, written: Vec<usize>) -> GameTree {
        let root = Node {
            step: Step::SetUp(start),
            now: Next::Continues(start),
            parent: 0,
            moves: 0,
            children: Vec::new(),
            written,
        };
        GameTree {
            record,
            nodes: vec![root],
            start: 0,
        }
    }

    /// Returns the position at the start.
    pub fn start(&self) -> Position {
        match self.nodes.get(self.start).map(|node| node.step) {
            Some(Step::SetUp(position)) => position,
            _ => Position::START,
        }
    }

    /// Adds a move after a node, and returns the number of the node after it: the one that is
    /// there already, or a new one. The start has the number 0.
    ///
    /// # Errors
    /// There is no such node, or the move is illegal.
    pub fn add(&mut self, node: usize, mv: Move) -> Result<usize, AddError> {
        let parent = if node == 0 { self.start } else { node };
        let before = self.nodes.get(parent).ok_or(AddError::NoNode(node))?;
        let color = match before.now {
            Next::Continues(position) => position.to_move(),
            Next::Ends(_) => Color::Black,
        };
        let moves = before.moves;
        let illegal = |why| AddError::Illegal { node, mv, why };
        let (child, is_new) = self.play(parent, color, mv).map_err(illegal)?;
        if is_new {
            let property = move_property(color, mv.point().map(coordinates));
            self.write_node(child, Writer::before(moves), [property]);
        }
        Ok(child)
    }

    /// Adds a position that is set up after a node, and returns the number of the node for it, likewise.
    /// That the last move was a pass cannot be set up.
    ///
    /// # Errors
    /// There is no such node.
    pub fn set_up(&mut self, node: usize, position: Position) -> Result<usize, AddError> {
        let position = position.board().with_to_move(position.to_move());
        let parent = if node == 0 { self.start } else { node };
        let (board, to_move) = self.present(parent).ok_or(AddError::NoNode(node))?;
        let (child, is_new) = self.add_set_up(parent, position);
        if is_new {
            let properties = set_up_properties((board, to_move, false), &position);
            self.write_node(child, "\n", properties);
        }
        Ok(child)
    }

    /// Returns the node of the record that a new node of the tree, the last child of its parent, follows.
    fn written_before(&self, child: usize) -> Option<usize> {
        let parent = self.nodes.get(self.nodes.get(child)?.parent)?;
        // It comes after the child that was the last one.
        let sibling = match parent.children.as_slice() {
            [.., sibling, _] => self.nodes.get(*sibling)?.written.first(),
            _ => None,
        };
        let has_sibling = |&&index: &&usize| {
            let node = self.record.node(index).zip(sibling);
            node.is_some_and(|(node, sibling)| node.children.contains(sibling))
        };
        let written = &parent.written;
        written.iter().find(has_sibling).or(written.last()).copied()
    }

    /// Adds a node to the record for a new node of the tree.
    fn write_node(
        &mut self,
        node: usize,
        space: &str,
        properties: impl IntoIterator<Item = Property>,
    ) {
        let after = self.written_before(node).unwrap_or_default();
        let has_others = |node: &WrittenNode| !node.children.is_empty();
        let is_variation = self.record.node(after).is_some_and(has_others);
        let index = self.record.add(after, space);
        if is_variation {
            self.record.break_lines_after(after);
        }
        for property in properties {
            self.record.push(index, property);
        }
        self.set_written(node, index);
    }

    /// Adds the node of a record to a position.
    fn set_written(&mut self, node: usize, index: usize) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.written.push(index);
        }
    }

    /// Adds a player's move, and returns the node after it and whether it is new.
    fn play(&mut self, node: usize, color: Color, mv: Move) -> Result<(usize, bool), PlayError> {
        let over = PlayError::from(IllegalMove::GameOver);
        let parent = self.nodes.get(node).ok_or(over)?;
        let Next::Continues(position) = parent.now else {
            return Err(over);
        };
        if color != position.to_move() {
            return Err(PlayError::OutOfTurn(position.to_move()));
        }
        let step = Step::Played { color, mv };
        if let Some(child) = self.child(node, step) {
            return Ok((child, false));
        }
        let now = position.play(mv)?;
        let moves = parent.moves + 1;
        Ok((self.push(node, step, now, moves), true))
    }

    /// Adds a position that is set up, and returns the node for it and whether it is new.
    fn add_set_up(&mut self, node: usize, position: Position) -> (usize, bool) {
        let step = Step::SetUp(position);
        match self.child(node, step) {
            Some(child) => (child, false),
            None => {
                let moves = self.nodes.get(node).map_or(0, |node| node.moves);
                (
                    self.push(node, step, Next::Continues(position), moves),
                    true,
                )
            }
        }
    }

    /// Returns the node after a step.
    fn child(&self, node: usize, step: Step) -> Option<usize> {
        let mut children = self.nodes.get(node)?.children.iter().copied();
        children.find(|&child| {
            self.nodes
                .get(child)
                .is_some_and(|child| child.step == step)
        })
    }

    fn push(&mut self, parent: usize, step: Step, now: Next, moves: usize) -> usize {
        let child = self.nodes.len();
        self.nodes.push(Node {
            step,
            now,
            parent,
            moves,
            children: Vec::new(),
            written: Vec::new(),
        });
        if let Some(parent) = self.nodes.get_mut(parent) {
            parent.children.push(child);
        }
        child
    }

    /// Returns all steps, each with the number of the node that it follows. The start is node 0, and each
    /// step leads to the next number. What follows a step comes before the variations to it.
    pub fn steps(&self) -> Vec<(usize, TreeStep)> {
        let shown = self.shown().into_iter().skip(1);
        let step =
            |(node, parent): (usize, usize)| Some((parent, self.nodes.get(node)?.tree_step()));
        shown.filter_map(step).collect()
    }

    /// Returns the nodes from the start, each with the number of the one before it, in the order of
    /// their numbers.
    fn shown(&self) -> Vec<(usize, usize)> {
        let mut shown = Vec::new();
        let mut open = vec![(self.start, 0)];
        while let Some((index, parent)) = open.pop() {
            let Some(node) = self.nodes.get(index) else {
                continue;
            };
            let number = shown.len();
            shown.push((index, parent));
            open.extend(node.children.iter().rev().map(|&child| (child, number)));
        }
        shown
    }

    /// Returns the steps of the main line.
    pub fn main_line(&self) -> Vec<TreeStep> {
        let nodes = self.main_nodes(self.start).skip(1);
        nodes
            .filter_map(|index| Some(self.nodes.get(index)?.tree_step()))
            .collect()
    }

    fn main_nodes(&self, from: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(from), |&node| {
            self.nodes.get(node)?.children.first().copied()
        })
    }

    /// Returns the record.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the nodes of the record with the moves of its main line.
    pub(super) fn main_moves(&self) -> impl Iterator<Item = usize> {
        let nodes = self.main_nodes(0).filter_map(|index| self.nodes.get(index));
        let moves = nodes.filter(|node| node.mv().is_some());
        moves.filter_map(|node| node.written.first().copied())
    }

    /// Returns the first moves of the main line of the record, with all set-ups in it.
    pub fn game(&self, max_moves: usize) -> Game {
        let mut game = None::<Game>;
        for node in self.main_nodes(0).map_while(|index| self.nodes.get(index)) {
            match (node.step, &mut game) {
                // The game begins with what is set up before the first move.
                (Step::SetUp(position), Some(game)) if node.moves > 0 => game.set_up(position),
                (Step::SetUp(position), _) => game = Some(Game::from(position)),
                (Step::Played { .. }, _) if node.moves > max_moves => break,
                (Step::Played { color, mv }, game) => {
                    // The tree has accepted the move.
                    let _ = game.get_or_insert_default().play(color, mv);
                }
            }
        }
        game.unwrap_or_default()
    }

    /// Reads the first game of a text with its variations, and tells what is left out. What is left out
    /// of the tree is still in the record that [`write`](Self::write) writes.
    ///
    /// # Errors
    /// The text is not SGF, has another board, or begins with a set-up that is illegal.
    pub fn read(text: &str) -> Result<(GameTree, Vec<LeftOut>), ReadError> {
        let (tree, left_out, found) = GameTree::read_all(text)?;
        let mut found: Vec<(usize, Fault)> = found
            .into_iter()
            .map(|found| (found.at, found.fault))
            .collect();
        found.sort_by_key(|(at, _)| *at);
        Ok((tree, Told::of(text, left_out, found)))
    }

    /// Reads the first game of a text as [`read`](Self::read) does, and tells what is left out of its main
    /// line. The main line is the first that is legal: if a move is not, the next variation there continues
    /// it.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    ///
    /// ```
    /// use gothello::sgf::GameTree;
    /// let (tree, left_out) = GameTree::read_main_line("(;SZ[5];B[cc];W[cc];B[dd])")?;
    /// assert_eq!(tree.main_line().len(), 1);
    /// assert_eq!(
    ///     left_out[0].to_string(),
    ///     "line 1, column 15: move 2, W[cc], is illegal: c3 is occupied; it is left out with all that \
    ///      follows it"
    /// );
    /// # Ok::<(), gothello::sgf::ReadError>(())
    /// ```
    pub fn read_main_line(text: &str) -> Result<(GameTree, Vec<LeftOut>), ReadError> {
        let (tree, left_out, found) = GameTree::read_all(text)?;
        let found = tree
            .of_main_line(found)
            .map(|(_, found)| (found.at, found.fault))
            .collect();
        Ok((tree, Told::of(text, left_out, found)))
    }

    /// Reads the first moves of the main line, which must be legal, without another line in its place.
    pub(super) fn read_moves(text: &str, max_moves: usize) -> Result<Game, ReadError> {
        let (tree, _, found) = GameTree::read_all(text)?;
        let is_wanted =
            |(moves, found): &(usize, Found)| *moves < max_moves && found.fault.ends_line();
        match tree.of_main_line(found).find(is_wanted) {
            Some((_, found)) => Err(ReadError::illegal(text, found.at, found.fault)),
            None => Ok(tree.game(max_moves)),
        }
    }

    /// Returns the faults of the main line, each with the number of moves before it.
    fn of_main_line(&self, found: Vec<Found>) -> impl Iterator<Item = (usize, Found)> {
        let main: HashSet<usize> = self.main_nodes(0).collect();
        found.into_iter().filter_map(move |found| {
            let is_main = found.is_first && main.contains(&found.parent);
            let moves = self.nodes.get(found.parent).filter(|_| is_main)?.moves;
            Some((moves, found))
        })
    }

    /// Reads the first game of a text, and returns its faults: those of the syntax, and those of the game.
    fn read_all(text: &str) -> Result<(GameTree, Vec<LeftOut>, Vec<Found>), ReadError> {
        let (mut record, left_out) = read::parse(text)?;
        record.split_moves();
        let illegal = |(at, fault)| ReadError::illegal(text, at, fault);
        let start = set_up(&record, 0, None).map_err(illegal)?;
        let mut tree = GameTree::of(record, start.unwrap_or(Position::START), Vec::new());
        let mut found = Vec::new();
        let mut open = vec![(0, 0)];
        while let Some((index, parent)) = open.pop() {
            if let Some(last) = tree.read_node(index, parent, &mut found)
                && let Some(node) = tree.record.node(index)
            {
                open.extend(node.children.iter().rev().map(|&child| (child, last)));
            }
        }
        while let Some(start) = tree.only_set_up_after(tree.start) {
            tree.start = start;
        }
        // Before the first move, nothing is legal.
        let is_set_up = |fault: &Fault| matches!(fault, Fault::SetUp(_) | Fault::SetUpOffBoard(_));
        let first = found
            .iter()
            .find(|found| found.is_first && is_set_up(&found.fault));
        match first.filter(|_| tree.nodes.iter().all(|node| node.moves == 0)) {
            Some(found) => Err(illegal((found.at, found.fault.clone()))),
            None => Ok((tree, left_out, found)),
        }
    }

    /// Returns the node after another one, if only that follows and is set up.
    fn only_set_up_after(&self, node: usize) -> Option<usize> {
        let &[next] = self.nodes.get(node)?.children.as_slice() else {
            return None;
        };
        (self.nodes.get(next)?.mv().is_none()).then_some(next)
    }

    /// Adds the set-up or the move of a node of the record, and returns the node for it.
    fn read_node(&mut self, index: usize, parent: usize, found: &mut Vec<Found>) -> Option<usize> {
        let is_first = self.nodes.get(parent)?.children.is_empty();
        let mut tell = |(at, fault)| {
            found.push(Found {
                parent,
                is_first,
                at,
                fault,
            });
        };
        let moves = self.nodes.get(parent)?.moves;
        let mut last = parent;
        // That of the root is the start.
        let set_up = match index {
            0 => Ok(None),
            _ => set_up(&self.record, index, self.present(parent)),
        };
        if let Some(position) = set_up.map_err(&mut tell).ok()? {
            (last, _) = self.add_set_up(parent, position);
        }
        let written = self.record.node(index)?.moves().next();
        if let Some((property, color)) = written.map(|(property, color)| (property.clone(), color))
        {
            if property.values().nth(1).is_some() {
                tell((property.at, Fault::Values(property.quoted())));
            }
            let number = moves + 1;
            let next = played(&property, number).and_then(|mv| {
                let next = self.play(parent, color, mv);
                next.map_err(|why| Fault::Move {
                    number,
                    written: property.quoted(),
                    why,
                })
            });
            (last, _) = next.map_err(|fault| tell((property.at, fault))).ok()?;
        }
        self.set_written(last, index);
        Some(last)
    }

    /// Returns the board at a node, and who is to move; at the end of a game, who would be.
    fn present(&self, node: usize) -> Option<(Board, Color)> {
        let node = self.nodes.get(node)?;
        match (node.now, self.nodes.get(node.parent)?.now) {
            (Next::Continues(position), _) => Some((position.board(), position.to_move())),
            // The last move was a pass.
            (Next::Ends(_), Next::Continues(before)) => {
                Some((before.board(), before.to_move().opponent()))
            }
            (Next::Ends(_), Next::Ends(_)) => None,
        }
    }

    /// Changes the tree to these steps, each with the number of the node that it follows as in
    /// [`steps`](Self::steps), and these annotations by the numbers of their nodes. The record keeps all
    /// else: properties, and lines that are no part of the tree.
    ///
    /// # Errors
    /// A move is illegal, or follows no node.
    pub fn update(
        &mut self,
        steps: &[(usize, TreeStep)],
        annotations: &BTreeMap<usize, Annotation>,
    ) -> Result<(), AddError> {
        let mut numbers = vec![self.start];
        let mut wanted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &(node, step) in steps {
            let parent = numbers.get(node).copied().ok_or(AddError::NoNode(node))?;
            let child = match step {
                TreeStep::Move(mv) => self.add(parent, mv),
                TreeStep::SetUp(position) => self.set_up(parent, position),
            };
            let child = child.map_err(|error| match error {
                AddError::Illegal { mv, why, .. } => AddError::Illegal { node, mv, why },
                AddError::NoNode(_) | AddError::OtherStart => AddError::NoNode(node),
            })?;
            numbers.push(child);
            let children = wanted.entry(parent).or_default();
            if !children.contains(&child) {
                children.push(child);
            }
        }
        for (index, _) in self.shown() {
            self.set_children(index, wanted.remove(&index).unwrap_or_default());
        }
        for (number, annotation) in annotations {
            let node = numbers.get(*number).and_then(|&node| self.nodes.get(node));
            let written = node.map(|node| node.written.as_slice());
            self.record
                .set_annotation(written.unwrap_or_default(), annotation);
        }
        Ok(())
    }

    /// Makes a game the main line: its steps are added where they are new, and what the tree has in place of
    /// them becomes variations. Nothing is removed: the main line goes on after the game if the tree has steps
    /// there, such as those that were taken back.
    ///
    /// # Errors
    /// The game starts from another position than the main line.
    ///
    /// ```
    /// use gothello::sgf::GameTree;
    ///
    /// let (mut tree, _) = GameTree::read("(;SZ[5]XY[1];B[cc]C[good];W[dc];B[aa])")?;
    /// let mut game = tree.game(1);
    /// game.play(game.to_move(), "c2".parse()?)?;
    /// tree.set_main_line(&game)?;
    /// let text = tree.write(&tree.headers());
    /// assert_eq!(text, "(;SZ[5]XY[1];B[cc]C[good]\n(;W[cd])\n(;W[dc];B[aa]))");
    /// tree.set_main_line(&tree.game(1))?;
    /// assert_eq!(tree.write(&tree.headers()), text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_main_line(&mut self, game: &Game) -> Result<(), AddError> {
        let is_set_up = |&index: &usize| {
            let node = self.nodes.get(index);
            node.is_some_and(|node| node.mv().is_none() && node.moves == 0)
        };
        let begin = self.main_nodes(0).take_while(is_set_up).last();
        let begin = begin.unwrap_or_default();
        let mut steps = game.steps().map(|(step, _)| step);
        let start = steps.next();
        if self.nodes.get(begin).map(|node| node.step) != start {
            return Err(AddError::OtherStart);
        }
        let mut last = begin;
        for step in steps {
            let next = match step {
                Step::Played { mv, .. } => self.add(last, mv)?,
                Step::SetUp(position) => self.set_up(last, position)?,
            };
            let others = self.children_but(last, next);
            self.set_children(last, [vec![next], others].concat());
            last = next;
        }
        Ok(())
    }

    /// Returns the nodes after a node without one of them.
    fn children_but(&self, node: usize, without: usize) -> Vec<usize> {
        let children = self.nodes.get(node).map(|node| node.children.iter());
        let children = children.into_iter().flatten().copied();
        children.filter(|&child| child != without).collect()
    }

    /// Leaves these of the nodes after a node, in this order.
    fn set_children(&mut self, node: usize, wanted: Vec<usize>) {
        let Some(parent) = self.nodes.get_mut(node) else {
            return;
        };
        if parent.children == wanted {
            return;
        }
        let shown = std::mem::replace(&mut parent.children, wanted.clone());
        let written = parent.written.clone();
        let places: HashMap<usize, usize> = wanted.into_iter().zip(0..).collect();
        // The nodes of the record for the children, each with its place; `None` if it goes. The nodes for
        // the same child keep their order: so does what follows that child.
        let places: HashMap<usize, Option<(usize, usize)>> = shown
            .iter()
            .filter_map(|child| Some((self.nodes.get(*child)?, places.get(child).copied())))
            .flat_map(|(child, place)| {
                let written = child.written.iter().copied().zip(0..);
                written.map(move |(index, order)| (index, place.map(|place| (place, order))))
            })
            .collect();
        let mut following = Vec::new();
        let mut before = Vec::new();
        for &index in &written {
            let Some(node) = self.record.node_mut(index) else {
                continue;
            };
            let (known, others): (Vec<usize>, Vec<usize>) = node
                .children
                .iter()
                .partition(|&child| places.contains_key(child));
            if !known.is_empty() {
                before.push(index);
            }
            node.children = others;
            let staying = known
                .iter()
                .filter_map(|child| Some((places.get(child).copied().flatten()?, *child)));
            following.extend(staying);
        }
        following.sort_by_key(|(place, _)| *place);
        // If the position is written in several nodes, all that follows is gathered after the first of them.
        let home = match before.as_slice() {
            &[only] => Some(only),
            _ => written.first().copied(),
        };
        let Some(home) = home else {
            return;
        };
        if let Some(node) = self.record.node_mut(home) {
            // Lines that are no part of the tree come last: the main line is one that is.
            let following = following.into_iter().map(|(_, child)| child);
            node.children.splice(..0, following);
        }
        if before.len() > 1 {
            self.record.break_lines_after(home);
        }
        self.keep_mover(node);
    }

    /// Writes who is to move at a position that is set up, if the record would now tell it differently:
    /// without `PL`, the first move after it does.
    fn keep_mover(&mut self, node: usize) {
        let Some(at) = self.nodes.get(node) else {
            return;
        };
        let Step::SetUp(position) = at.step else {
            return;
        };
        let to_move = position.to_move();
        for &index in &at.written {
            // Nothing is before the root of the record.
            let before = match index {
                0 => None,
                _ => self.present(at.parent),
            };
            let told = match set_up(&self.record, index, before) {
                Ok(Some(told)) => told.to_move(),
                Ok(None) if index == 0 => Color::Black,
                Ok(None) | Err(_) => continue,
            };
            if told != to_move
                && let Some(written) = self.record.node_mut(index)
            {
                written.set_text("PL", Some(&to_move.capital().to_string()));
            }
        }
    }

    /// Returns the comments and marks, each with the number of its node.
    pub fn annotations(&self) -> BTreeMap<usize, Annotation> {
        let nodes = self
            .shown()
            .into_iter()
            .map(|(node, _)| self.nodes.get(node));
        let written = nodes.map(|node| node.map_or(&[][..], |node| &node.written));
        let annotations = (0..).zip(written.map(|written| self.record.annotation(written)));
        annotations
            .filter(|(_, annotation)| *annotation != Annotation::default())
            .collect()
    }

    /// Writes the record with a note to the root, and one to each of the first moves of the main line, as a
    /// review has them. Comments are added to existing ones. The value, and comments from an earlier call,
    /// are replaced. The encoding that the record names (`CA`) becomes UTF-8.
    ///
    /// ```
    /// use gothello::sgf::{GameTree, Note};
    ///
    /// let text = "(;GM[1]SZ[5]PB[Ann \\[9p\\]]XY[?] (;B[cc]C[hm]) (;B[aa]))";
    /// let (tree, _) = GameTree::read(text)?;
    /// let note = Note { value: Some(3), comment: Some("B+3".into()), ..Note::default() };
    /// assert_eq!(
    ///     tree.annotated(&Note::default(), &[note]),
    ///     "(;GM[1]SZ[5]PB[Ann \\[9p\\]]XY[?] (;B[cc]C[hm\ngothello: B+3]V[3]SBKV[100]SBKS[3]) (;B[aa]))"
    /// );
    /// # Ok::<(), gothello::sgf::ReadError>(())
    /// ```
    pub fn annotated(&self, root: &Note, moves: &[Note]) -> String {
        let mut record = self.record().clone();
        let notes = [(0, root)].into_iter().chain(self.main_moves().zip(moves));
        for (index, note) in notes {
            if let Some(node) = record.node_mut(index) {
                node.annotate(note);
            }
        }
        record.declare_utf_8();
        record.to_string()
    }

    /// Returns the headers of the record; the time is left out.
    pub fn headers(&self) -> Headers {
        Headers::of(&self.record)
    }

    /// Writes the record with the tree. Headers that are given replace those that it has. Without a
    /// result in the headers, it is that of the main line if that ends the game.
    pub fn write(&self, headers: &Headers) -> String {
        let mut record = self.record.clone();
        let last = self.main_nodes(0).last();
        let outcome = match last
            .and_then(|last| self.nodes.get(last))
            .map(|last| last.now)
        {
            Some(Next::Ends(outcome)) => Some(outcome),
            Some(Next::Continues(_)) | None => None,
        };
        if let Some(root) = record.node_mut(0) {
            for (name, value) in headers.properties(outcome) {
                if value.is_some() || name == "RE" {
                    root.set_text(name, value.as_deref());
                }
            }
        }
        record.to_string()
    }
}

/// Writes the record as it is. If it names its encoding or is not ASCII, it names UTF-8.
impl Display for GameTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut record = self.record.clone();
        record.declare_utf_8();
        record.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(comment: &str) -> Note {
        Note {
            comment: Some(comment.into()),
            value: Some(-2),
            triangles: vec!["c3".parse().unwrap(), "a5".parse().unwrap()],
            labels: vec![("b4".parse().unwrap(), "-5".into())],
        }
    }

    fn annotated(text: &str, moves: &[Note]) -> String {
        let (tree, _) = GameTree::read(text).unwrap();
        tree.annotated(&Note::default(), moves)
    }

    #[test]
    fn everything_else_stays() {
        let text =
            " (;FF[4] SZ[5]C[a \\] b; ( c]\n\n ;B [cc]\t;W[](;B[aa]XY[1][2];W[bb]) (;B[ee]))";
        let none = vec![Note::default(); 9];
        assert_eq!(annotated(text, &none), text);
        let moves = ["one", "two]", "three", "four", "five"].map(|comment| Note {
            comment: Some(comment.into()),
            ..Note::default()
        });
        insta::assert_snapshot!(annotated(text, &moves), @r"
         (;FF[4] SZ[5]C[a \] b; ( c]

         ;B [cc]C[gothello: one]	;W[]C[gothello: two\]](;B[aa]XY[1][2]C[gothello: three];W[bb]C[gothello: four]) (;B[ee]))
        ");
    }

    #[test]
    fn the_encoding_is_named() {
        insta::assert_snapshot!(annotated("(;SZ[5]CA[GB18030]PB[吴];B[bb])", &[]), @"(;SZ[5]CA[UTF-8]PB[吴];B[bb])");
        insta::assert_snapshot!(annotated("(;SZ[5]PB[Jörg];B[bb])", &[]), @"(;CA[UTF-8]SZ[5]PB[Jörg];B[bb])");
        for text in ["(;SZ[5];B[bb])", "(;SZ[5]CA[utf-8]PB[Jörg])"] {
            assert_eq!(annotated(text, &[]), text);
        }
    }

    #[test]
    fn marks_join_those_that_are_there() {
        insta::assert_snapshot!(annotated("(;SZ[5];B[bb])", &[note("x")]), @"(;SZ[5];B[bb]C[gothello: x]V[-2]SBKV[0]SBKS[-2]TR[aa][cc]LB[bb:-5])");
        insta::assert_snapshot!(annotated("(;SZ[5];TR[cc]B[bb]LB[bb:A]V[1])", &[note("x")]), @"(;SZ[5];TR[cc][aa]B[bb]LB[bb:A]V[-2]C[gothello: x]SBKV[0]SBKS[-2])");
        insta::assert_snapshot!(annotated("(;SZ[5];B[bb]CR[aa:bc]LB[ee:bb]TR[dd]\n[ee])", &[note("x")]), @r"
        (;SZ[5];B[bb]CR[aa:bc]LB[ee:bb][bb:-5]TR[dd]
        [ee][cc]C[gothello: x]V[-2]SBKV[0]SBKS[-2])
        ");
    }

    #[test]
    fn a_second_call_replaces_the_notes_of_the_first() {
        let text = "(;SZ[5]C[mine];B[bb]C[first\nlast];W[cc])";
        let first = annotated(text, &[note("old"), note("older")]);
        let again = annotated(&first, &[note("new"), note("newer")]);
        insta::assert_snapshot!(again, @r"
        (;SZ[5]C[mine];B[bb]C[first
        last
        gothello: new]V[-2]SBKV[0]SBKS[-2]TR[aa][cc]LB[bb:-5];W[cc]C[gothello: newer]V[-2]SBKV[0]SBKS[-2]TR[aa][cc]LB[bb:-5])
        ");
        assert_eq!(annotated(&again, &[note("new"), note("newer")]), again);
        assert_eq!(annotated(text, &[note("new"), note("newer")]), again);
    }

    #[test]
    fn moves_in_one_node_get_nodes_of_their_own() {
        insta::assert_snapshot!(annotated("(;SZ[5]B[bb]W[cc];B[dd])", &[note("x"), note("y"), note("z")]), @"(;SZ[5];B[bb]C[gothello: x]V[-2]SBKV[0]SBKS[-2]TR[aa][cc]LB[bb:-5];W[cc]C[gothello: y]V[-2]SBKV[0]SBKS[-2]TR[aa][cc]LB[bb:-5];B[dd]C[gothello: z]V[-2]SBKV[0]SBKS[-2]TR[aa][cc]LB[bb:-5])");
    }
}
