//! A game with its variations.

use sgf_parse::SgfNode;
use sgf_parse::go::Prop;
use thiserror::Error;

use super::{
    Headers, MainLine, ReadError, Writer, coordinates, first_game, parse, played, replay, set_up,
    write_headers, write_set_up,
};
use crate::base::color::{ByColor, Color};
use crate::games::gothello::{Game, IllegalMove, Move, Next, PlayError, Position, SIZE};

/// A start position and the moves that were looked at from there. The first continuation of
/// each position is the main one.
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
/// assert_eq!(read.moves(), tree.moves());
/// assert!(left_out.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameTree {
    start: Position,
    /// The start, then each position after those that lead to it.
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    /// Who moved, and how; `None` at the start.
    played: Option<(Color, Move)>,
    now: Next,
    children: Vec<usize>,
}

/// The reason why a move cannot be added to a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddError {
    /// There is no such node.
    #[error("there is no node {0} to play from")]
    NoNode(usize),
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

/// What a text has that a [`GameTree`] has not.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LeftOut {
    /// There are games after the first.
    #[error("of {0} games in the file, this is the first")]
    OtherGames(usize),
    /// A position is set up in the middle of the main line: the tree starts there.
    #[error("a position is set up after move {0}: the game is shown from there")]
    BeforeSetUp(usize),
    /// A position is set up in a variation.
    #[error("a variation that sets up a position is left out")]
    SetUp,
    /// A variation has something else that is not as it should be.
    #[error("a variation is left out: {0}")]
    Variation(ReadError),
}

impl GameTree {
    /// Creates a tree without moves.
    pub fn new(start: Position) -> GameTree {
        let root = Node {
            played: None,
            now: Next::Continues(start),
            children: Vec::new(),
        };
        GameTree {
            start,
            nodes: vec![root],
        }
    }

    /// Returns the position at the start.
    pub fn start(&self) -> Position {
        self.start
    }

    /// Adds a move after a node, and returns the number of the node after it: the one that is
    /// there already, or a new one. The start has the number 0.
    ///
    /// # Errors
    /// There is no such node, or the move is illegal.
    pub fn add(&mut self, node: usize, mv: Move) -> Result<usize, AddError> {
        let parent = self.nodes.get(node).ok_or(AddError::NoNode(node))?;
        let color = match parent.now {
            Next::Continues(position) => position.to_move(),
            Next::Ends(_) => Color::Black,
        };
        self.play(node, color, mv).map_err(|why| match why {
            Some(why) => AddError::Illegal { node, mv, why },
            None => AddError::NoNode(node),
        })
    }

    /// Adds a player's move. The error is `None` if there is no such node.
    fn play(&mut self, node: usize, color: Color, mv: Move) -> Result<usize, Option<PlayError>> {
        let parent = self.nodes.get(node).ok_or(None)?;
        let Next::Continues(position) = parent.now else {
            return Err(Some(IllegalMove::GameOver.into()));
        };
        if color != position.to_move() {
            return Err(Some(PlayError::OutOfTurn(position.to_move())));
        }
        let known = parent.children.iter().copied().find(|&child| {
            let child = self.nodes.get(child);
            child.is_some_and(|child| child.played == Some((color, mv)))
        });
        if let Some(child) = known {
            return Ok(child);
        }
        let now = position.play(mv).map_err(|why| Some(why.into()))?;
        let child = self.nodes.len();
        self.nodes.push(Node {
            played: Some((color, mv)),
            now,
            children: Vec::new(),
        });
        if let Some(parent) = self.nodes.get_mut(node) {
            parent.children.push(child);
        }
        Ok(child)
    }

    /// Returns all moves, each with the number of the node that it is played from. The start
    /// is node 0, and each move leads to the next number. What follows a move comes before the
    /// variations to it.
    pub fn moves(&self) -> Vec<(usize, Move)> {
        let mut moves = Vec::new();
        let mut open = vec![(0, 0)];
        while let Some((node, parent)) = open.pop() {
            let Some(node) = self.nodes.get(node) else {
                continue;
            };
            if let Some((_, mv)) = node.played {
                moves.push((parent, mv));
            }
            let number = moves.len();
            open.extend(node.children.iter().rev().map(|&child| (child, number)));
        }
        moves
    }

    /// Returns the moves of the main line.
    pub fn main_line(&self) -> Vec<Move> {
        let moves = self.main_nodes().filter_map(|node| node.played);
        moves.map(|(_, mv)| mv).collect()
    }

    fn main_nodes(&self) -> impl Iterator<Item = &Node> {
        let next = |node: &&Node| self.nodes.get(*node.children.first()?);
        std::iter::successors(self.nodes.first(), next)
    }

    /// Writes the tree. Without a result in the headers, it is that of the main line if that
    /// ends the game.
    pub fn write(&self, headers: &Headers) -> String {
        let mut writer = Writer::new();
        writer.property("SZ", SIZE);
        writer.property("RU", "Gothello");
        let outcome = self.main_nodes().last().and_then(|node| match node.now {
            Next::Continues(_) => None,
            Next::Ends(outcome) => Some(outcome),
        });
        write_headers(&mut writer, outcome, headers);
        let empty = (Position::START.board(), Color::Black, true);
        let to_move = self.start.to_move();
        if self.start.after_pass() {
            // The format sets up no passes: one is played.
            let before = self.start.board().with_to_move(to_move.opponent());
            write_set_up(&mut writer, empty, &before);
            writer.play(to_move.opponent(), None);
        } else {
            write_set_up(&mut writer, empty, &self.start);
        }
        self.write_after(&mut writer, 0);
        writer.finish()
    }

    /// Writes what follows a node. A game has at most 52 moves, so that this goes no deeper.
    fn write_after(&self, writer: &mut Writer, node: usize) {
        let children = self.nodes.get(node).map(|node| node.children.as_slice());
        let children = children.unwrap_or_default();
        for &child in children {
            let played = self.nodes.get(child).and_then(|child| child.played);
            let Some((color, mv)) = played else { continue };
            if children.len() > 1 {
                writer.begin_variation();
            }
            writer.play(color, mv.point().map(coordinates));
            self.write_after(writer, child);
            if children.len() > 1 {
                writer.end_variation();
            }
        }
    }

    /// Reads the first game of a text with its variations, and tells what is left out.
    ///
    /// # Errors
    /// As for [`read`](super::read()): the text is not SGF, has another board, or its main line
    /// has a set-up or a move that is illegal.
    pub fn read(text: &str) -> Result<(GameTree, Vec<LeftOut>), ReadError> {
        let trees = parse(text)?;
        let root = first_game(&trees)?;
        let mut left_out = Vec::new();
        if trees.len() > 1 {
            left_out.push(LeftOut::OtherGames(trees.len()));
        }
        // The start is what the main line sets up last.
        let (mut start, mut first, mut before) = (Position::START, 0, 0);
        replay(root, usize::MAX, |node, moves, position| {
            (first, before, start) = (node, moves, position);
        })?;
        if before > 0 {
            left_out.push(LeftOut::BeforeSetUp(before));
        }
        let mut tree = GameTree::new(start);
        let node = root.main_variation().nth(first);
        let mut open = node
            .map(|node| (node, 0, first))
            .into_iter()
            .collect::<Vec<_>>();
        while let Some((node, parent, depth)) = open.pop() {
            // The set-up of the start is what the tree starts from.
            let is_first = depth == first;
            match tree.read_node(node, parent, depth, is_first) {
                Ok(last) => {
                    let children = node.children().collect::<Vec<_>>();
                    let children = children.into_iter().rev();
                    open.extend(children.map(|child| (child, last, depth + 1)));
                }
                Err(why) => left_out.push(why),
            }
        }
        Ok((tree, left_out))
    }

    /// Adds the moves of a node of a text, usually one, and returns the last node.
    fn read_node(
        &mut self,
        node: &SgfNode<Prop>,
        parent: usize,
        depth: usize,
        is_first: bool,
    ) -> Result<usize, LeftOut> {
        let properties = node.properties().collect::<Vec<_>>();
        let now = self.nodes.get(parent).map(|node| node.now);
        let game = match now {
            Some(Next::Continues(position)) => Some(Game::from(position)),
            Some(Next::Ends(_)) | None => None,
        };
        let sets_up = set_up(&properties, game.as_ref(), depth);
        if !is_first && sets_up.map_err(LeftOut::Variation)?.is_some() {
            return Err(LeftOut::SetUp);
        }
        let mut last = parent;
        for property in properties {
            let Some((color, mv)) = played(property, depth).map_err(LeftOut::Variation)? else {
                continue;
            };
            last = self.play(last, color, mv).map_err(|why| {
                let why = why.unwrap_or(IllegalMove::GameOver.into());
                LeftOut::Variation(ReadError::Move {
                    number: depth,
                    color,
                    mv,
                    why,
                })
            })?;
        }
        Ok(last)
    }
}

impl Headers {
    /// Reads the headers of the first game of a text; the time is left out.
    pub fn read(text: &str) -> Headers {
        let line = MainLine::of(text);
        Headers {
            players: ByColor::new(line.header("PB"), line.header("PW")),
            date: line.header("DT"),
            seconds: None,
            event: line.header("EV"),
            result: line.header("RE"),
            comment: line.header("GC"),
        }
    }
}
