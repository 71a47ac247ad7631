//! Game records as they are written: nodes with properties, whatever these mean.
//!
//! The parser is written by hand: those of crates (`sgf-parse`, `sgf-parser`, `sgf`) stop at the first
//! fault, tell no place, and keep neither escapes nor the letters of a name or value.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::{iter, mem};

use thiserror::Error;

use super::fault::{Fault, LeftOut, MAX_NODES, Place, ReadError, Told};
use crate::base::color::{ByColor, Color};

/// A game record as it is written: a tree of nodes with properties in their order, known or not.
///
/// Two records are equal if they have the same text: [`Record::parse`] of a record that is printed is
/// that record.
///
/// ```
/// use gothello::sgf::Record;
///
/// let text = "(;GM[1]SZ[5]PB[Ann \\[9p\\]]XY[?] (;B[cc]C[hm]) (;B[aa]))";
/// let (record, left_out) = Record::parse(text)?;
/// assert!(left_out.is_empty());
/// assert_eq!(record.header("PB").as_deref(), Some("Ann [9p]"));
/// assert_eq!(record.to_string(), text);
/// # Ok::<(), gothello::sgf::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The root, then each node after the one that it follows.
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// The white space before it.
    before: String,
    pub properties: Vec<Property>,
    /// The indices of the nodes that follow it, the one of the main line first.
    pub children: Vec<usize>,
}

/// A property as it is written, with the white space before it: `\nAB[aa] [bb]`.
#[derive(Clone, Debug, Eq)]
pub(super) struct Property {
    written: String,
    /// Where it begins in the text that it was read from.
    pub at: usize,
}

impl PartialEq for Property {
    fn eq(&self, other: &Property) -> bool {
        self.written == other.written
    }
}

/// The stones that a record sets up before the first move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetUpStones {
    /// The stones, each by its column from the left and its row from the top, from 0.
    pub stones: ByColor<BTreeSet<(u8, u8)>>,
    /// The player to move, if given.
    pub to_move: Option<Color>,
}

/// Why a record has no position before the first move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetUpError {
    /// A value is invalid.
    #[error("{0} is neither a point nor a rectangle of points")]
    Value(String),
    /// The board is changed later.
    #[error("stones are set up after the first move ({0})")]
    AfterMove(String),
}

impl Property {
    /// Creates a property whose value is a text.
    pub fn new(name: &str, value: &str) -> Property {
        Property::of_values(name, [escaped(value)])
    }

    /// Creates a property with values that need no escapes.
    pub fn of_values(name: &str, values: impl IntoIterator<Item = String>) -> Property {
        let mut property = Property {
            written: name.to_owned(),
            at: 0,
        };
        property.extend(values);
        property
    }

    /// Returns whether it has this name. The third version of the format allows lower-case letters in
    /// between, which mean nothing: `PlayerBlack`.
    pub fn is(&self, name: &str) -> bool {
        let letters = self.written.chars().take_while(|&letter| letter != '[');
        letters
            .filter(|letter| !letter.is_ascii_lowercase() && !letter.is_ascii_whitespace())
            .eq(name.chars())
    }

    /// Returns the player whose move it is.
    pub fn mover(&self) -> Option<Color> {
        let mut colors = Color::ALL.into_iter();
        colors.find(|color| self.is(color.capital().encode_utf8(&mut [0; 4])))
    }

    /// Returns the values as they are written.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.written.as_str();
        std::iter::from_fn(move || {
            (_, rest) = rest.split_once('[')?;
            let value = rest.get(..value_end(rest)?)?;
            rest = rest.get(value.len()..)?;
            Some(value)
        })
    }

    /// Returns the first value as a text.
    pub fn text(&self) -> String {
        unescaped(self.values().next().unwrap_or_default())
    }

    /// Replaces the first value.
    pub fn set(&mut self, value: &str) {
        if let Some(start) = self.written.find('[') {
            let first = self.values().next().unwrap_or_default();
            let end = start + 1 + first.len();
            self.written.replace_range(start + 1..end, value);
        }
    }

    /// Adds values that need no escapes.
    pub fn extend(&mut self, values: impl IntoIterator<Item = String>) {
        for value in values {
            self.written.reserve("[]".len() + value.len());
            self.written.push('[');
            self.written.push_str(&value);
            self.written.push(']');
        }
    }

    /// Returns it in short, on one line.
    pub fn quoted(&self) -> String {
        quoted(&self.written)
    }
}

impl Node {
    pub fn find(&self, name: &str) -> Option<&Property> {
        let mut properties = self.properties.iter();
        properties.find(|property| property.is(name))
    }

    pub fn find_mut(&mut self, name: &str) -> Option<&mut Property> {
        let mut properties = self.properties.iter_mut();
        properties.find(|property| property.is(name))
    }

    /// Sets the text of a property, which is added if it is new, or removed.
    pub fn set_text(&mut self, name: &str, text: Option<&str>) {
        match (self.find_mut(name), text) {
            (Some(property), Some(text)) if property.text().trim() == text => {}
            (_, Some(text)) => self.set(name, &escaped(text)),
            (_, None) => self.properties.retain(|property| !property.is(name)),
        }
    }

    /// Sets the first value of a property, with its escapes; the property is added if it is new.
    pub fn set(&mut self, name: &str, value: &str) {
        match self.find_mut(name) {
            Some(property) => property.set(value),
            None => self
                .properties
                .push(Property::of_values(name, [value.to_owned()])),
        }
    }

    /// Adds values that need no escapes to a property, which is added if it is new.
    pub fn extend(&mut self, name: &str, values: Vec<String>) {
        match self.find_mut(name) {
            Some(property) => property.extend(values),
            None if values.is_empty() => {}
            None => self.properties.push(Property::of_values(name, values)),
        }
    }

    /// Sets the values of a property, which need no escapes: it is added if it is new, or removed.
    pub fn set_values(&mut self, name: &str, values: Vec<String>) {
        self.properties.retain(|property| !property.is(name));
        if !values.is_empty() {
            self.properties.push(Property::of_values(name, values));
        }
    }

    /// Returns its moves, usually one.
    pub fn moves(&self) -> impl Iterator<Item = (&Property, Color)> {
        let properties = self.properties.iter();
        properties.filter_map(|property| Some((property, property.mover()?)))
    }

    pub fn has_move(&self) -> bool {
        self.moves().next().is_some()
    }
}

impl Record {
    /// Creates a record whose root has these properties.
    pub(super) fn new(root: Vec<Property>) -> Record {
        Record {
            nodes: vec![Node {
                properties: root,
                ..Node::default()
            }],
        }
    }

    /// Adds a node after another one, with white space before it, and returns its index.
    pub(super) fn add(&mut self, parent: usize, before: &str) -> usize {
        let index = self.nodes.len();
        self.nodes.push(Node {
            before: before.to_owned(),
            ..Node::default()
        });
        if let Some(parent) = self.nodes.get_mut(parent) {
            parent.children.push(index);
        }
        index
    }

    /// Adds a property to a node.
    pub(super) fn push(&mut self, node: usize, property: Property) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.properties.push(property);
        }
    }

    pub(super) fn node(&self, index: usize) -> Option<&Node> {
        self.nodes.get(index)
    }

    pub(super) fn node_mut(&mut self, index: usize) -> Option<&mut Node> {
        self.nodes.get_mut(index)
    }

    /// Gives each move a node without others, set-ups, and the properties of a game, as the format wants
    /// it.
    pub(super) fn split_moves(&mut self) {
        for index in 0..self.nodes.len() {
            let new = self.nodes.len();
            let Some(node) = self.nodes.get_mut(index) else {
                return;
            };
            let is_move = |property: &Property| property.mover().is_some();
            let may_move = index > 0 && set_ups(node).next().is_none();
            if node.moves().nth(usize::from(may_move)).is_none() {
                continue;
            }
            let properties = std::mem::take(&mut node.properties);
            let mut rest: Vec<Node> = Vec::new();
            let mut has_move = !may_move;
            for property in properties {
                let stays = match index {
                    0 => !is_move(&property) && !property.is("PL"),
                    _ => set_up_color(&property).is_some(),
                };
                if is_move(&property) && std::mem::replace(&mut has_move, true) {
                    rest.push(Node::default());
                }
                match rest.last_mut().filter(|_| !stays) {
                    Some(last) => last.properties.push(property),
                    None => node.properties.push(property),
                }
            }
            let children = std::mem::take(&mut node.children);
            node.children.push(new);
            let after = (new + 1..).map(|next| vec![next]);
            for (node, after) in rest.iter_mut().zip(after) {
                node.children = after;
            }
            if let Some(last) = rest.last_mut() {
                last.children = children;
            }
            self.nodes.append(&mut rest);
        }
    }

    /// Lets a node, and each of its siblings, begin a line of its own.
    pub(super) fn break_lines_after(&mut self, parent: usize) {
        let children = self.node(parent).map(|parent| parent.children.clone());
        for child in children.into_iter().flatten() {
            if let Some(child) = self.node_mut(child).filter(|node| node.before.is_empty()) {
                child.before = "\n".to_owned();
            }
        }
    }

    /// Reads the first game of a text, and tells what is no part of it. White space stays as it is, but
    /// where a parenthesis closes.
    ///
    /// # Errors
    /// It does not begin as a record does, or has more than [`MAX_NODES`] nodes, or open parentheses.
    pub fn parse(text: &str) -> Result<(Record, Vec<LeftOut>), ReadError> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut told = Told::new(text);
        // The nodes before the open parentheses, and the one that comes next follows.
        let (mut open, mut last) = (Vec::new(), None::<usize>);
        let mut before = String::new();
        let mut is_new = false;
        match first_letter(text) {
            Some('(') => {}
            Some(_) => return Err(ReadError::Format("it does not begin with (;")),
            None => return Err(ReadError::Format("it is empty")),
        }
        for Token { kind, at, written } in tokens(text) {
            if matches!(kind, Kind::Open | Kind::Node) {
                before += written.get(..written.len() - 1).unwrap_or_default();
            }
            // A node may lack its semicolon.
            if kind == Kind::Node || is_new && kind == Kind::Property {
                if nodes.len() == MAX_NODES {
                    return Err(ReadError::TooLarge);
                }
                let index = nodes.len();
                match last.map(|last| nodes.get_mut(last)) {
                    Some(Some(parent)) => parent.children.push(index),
                    _ if index == 0 => {}
                    _ => {
                        told.tell(at, Fault::Stray("a second root".to_owned()));
                        break;
                    }
                }
                last = Some(index);
                is_new = false;
                nodes.push(Node {
                    before: std::mem::take(&mut before),
                    ..Node::default()
                });
            }
            match (kind, last.and_then(|last| nodes.get_mut(last))) {
                (Kind::Open, _) => {
                    if open.len() == MAX_NODES {
                        return Err(ReadError::TooLarge);
                    }
                    open.push(last);
                    is_new = true;
                }
                (Kind::Close, _) => {
                    before.clear();
                    is_new = false;
                    last = open.pop().flatten();
                    if open.is_empty() {
                        break;
                    }
                }
                (Kind::Node, _) => {}
                (Kind::Property, Some(node)) => node.properties.push(Property {
                    written: written.to_owned(),
                    at,
                }),
                (Kind::Cut, _) => {
                    told.tell(at, Fault::Cut(quoted(written)));
                    open.clear();
                }
                (Kind::Property | Kind::Stray, _) => told.tell(at, Fault::Stray(quoted(written))),
            }
        }
        if !open.is_empty() {
            told.tell(text.trim_ascii_end().len(), Fault::Unclosed);
        }
        match nodes.is_empty() {
            true => Err(ReadError::Format("it has no node")),
            false => Ok((Record { nodes }, told.left_out)),
        }
    }

    /// Returns the indices of the nodes of the main line.
    pub(super) fn main_line(&self) -> impl Iterator<Item = usize> {
        self.line_from(0)
    }

    /// Returns the index of a node, and those of the nodes that follow it first.
    pub(super) fn line_from(&self, index: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(index), |&index| {
            self.node(index)?.children.first().copied()
        })
    }

    fn main_nodes(&self) -> impl Iterator<Item = &Node> {
        self.main_line().filter_map(|index| self.node(index))
    }

    /// Returns a property of the root whose value is a text.
    pub fn header(&self, name: &str) -> Option<String> {
        let value = self.node(0)?.find(name)?.text();
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// Returns the moves of the main line in their order: the color, and the point by its column from
    /// the left and its row from the top, from 0; `None` for a pass. Values that are neither are left
    /// out.
    pub fn moves(&self) -> Vec<(Color, Option<(u8, u8)>)> {
        let moves = self.main_nodes().flat_map(Node::moves);
        let moves = moves.filter_map(|(property, color)| Some((color, point_or_pass(property)?)));
        moves.collect()
    }

    /// Returns the stones that are set up (`AB`, `AW`, `AE`) before the first move, and the player to
    /// move then (`PL`).
    ///
    /// # Errors
    /// A value is not a point, or stones are set up later.
    ///
    /// ```
    /// use gothello::Color;
    /// use gothello::sgf::Record;
    /// let (record, _) = Record::parse("(;SZ[9]AB[cc][gg:gh]PL[W];W[ee])")?;
    /// let set_up = record.set_up_stones()?;
    /// assert_eq!(set_up.stones.black.len(), 3);
    /// assert_eq!(set_up.to_move, Some(Color::White));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_up_stones(&self) -> Result<SetUpStones, SetUpError> {
        let mut found = SetUpStones::default();
        let mut has_begun = false;
        for node in self.main_nodes() {
            // GoGui writes the player to move with every move.
            if !has_begun && !node.has_move() {
                found.to_move = player_to_move(node).or(found.to_move);
            }
            for (property, color) in set_ups(node) {
                for value in property.values() {
                    let written = || format!("{}[{value}]", set_up_name(color));
                    if has_begun {
                        return Err(SetUpError::AfterMove(written()));
                    }
                    for point in rectangle(value).ok_or_else(|| SetUpError::Value(written()))? {
                        found.stones.black.remove(&point);
                        found.stones.white.remove(&point);
                        if let Some(color) = color {
                            found.stones[color].insert(point);
                        }
                    }
                }
            }
            has_begun |= node.has_move();
        }
        Ok(found)
    }
}

/// Writes the record, without a line feed at the end.
impl Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each with whether it is in parentheses; `None` closes one.
        let mut open = vec![Some((0, true))];
        while let Some(next) = open.pop() {
            let Some((index, is_variation)) = next else {
                f.write_str(")")?;
                continue;
            };
            let Some(node) = self.node(index) else {
                continue;
            };
            let parenthesis = if is_variation { "(" } else { "" };
            write!(f, "{}{parenthesis};", node.before)?;
            for property in &node.properties {
                f.write_str(&property.written)?;
            }
            if is_variation {
                open.push(None);
            }
            let has_variations = node.children.len() > 1;
            let children = node.children.iter().rev();
            open.extend(children.map(|&child| Some((child, has_variations))));
        }
        Ok(())
    }
}

/// A game in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameText<'a> {
    /// Its own text.
    pub text: &'a str,
    /// The byte at which it begins.
    pub at: usize,
    /// The place where it begins.
    pub begins: Place,
}

/// Returns the games in a collection, in order; the text itself if there is only one.
///
/// A text can have very many games: the iterator reads them one by one.
///
/// ```
/// use gothello::sgf::games;
/// let texts = |text| games(text).map(|game| game.text).collect::<Vec<_>>();
/// assert_eq!(texts("(;B[a)];W[b]) (;B[c])\n"), ["(;B[a)];W[b])", "(;B[c])"]);
/// assert_eq!(texts(" (;B[a])\n"), [" (;B[a])\n"]);
/// ```
pub fn games(text: &str) -> impl Iterator<Item = GameText<'_>> {
    let is_collection = first_letter(text) == Some('(');
    let mut found = is_collection.then(|| each_game(text)).into_iter().flatten();
    let several = found.next().zip(found.next());
    let whole = GameText {
        text,
        at: 0,
        begins: Place::START,
    };
    let (first, second) = several.map_or((whole, None), |(first, second)| (first, Some(second)));
    [first].into_iter().chain(second).chain(found)
}

/// Returns the games in a text that begins with one.
fn each_game(text: &str) -> impl Iterator<Item = GameText<'_>> {
    let game = |text, at, begins| GameText { text, at, begins };
    let mut tokens = tokens(text);
    let (mut start, mut depth) = (0, 0_usize);
    let mut begins = Place::START;
    let mut line_at = 0;
    iter::from_fn(move || {
        for Token { kind, at, .. } in tokens.by_ref() {
            match kind {
                Kind::Open => {
                    if depth == 0 {
                        let since =
                            Place::of(text.get(line_at..).unwrap_or_default(), at - line_at);
                        (begins, line_at, start) = (begins.then(since), at, at);
                    }
                    depth += 1;
                }
                Kind::Close if depth > 0 => {
                    depth -= 1;
                    if depth == 0 {
                        return text.get(start..=at).map(|text| game(text, start, begins));
                    }
                }
                _ => {}
            }
        }
        // It does not end, which is a fault of only this game.
        (mem::take(&mut depth) > 0)
            .then(|| text.get(start..).map(|text| game(text, start, begins)))
            .flatten()
    })
}

/// Returns the first letter of a text after white space.
fn first_letter(text: &str) -> Option<char> {
    // Some editors begin a text with this mark.
    let text = text.trim_start_matches('\u{feff}');
    text.trim_start().chars().next()
}

/// A part of a text.
struct Token<'a> {
    kind: Kind,
    /// Where it begins after white space.
    at: usize,
    /// Its text, with the white space before it.
    written: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `;`
    Node,
    /// A name with its values.
    Property,
    /// Something else.
    Stray,
    /// A property in which the text ends.
    Cut,
}

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    // Some editors begin a text with this mark.
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    iter::from_fn(move || {
        let rest = text.get(at..)?;
        let trimmed = rest.trim_ascii_start();
        let (kind, length) = match trimmed.bytes().next()? {
            b'(' => (Kind::Open, 1),
            b')' => (Kind::Close, 1),
            b';' => (Kind::Node, 1),
            _ => property(trimmed),
        };
        let start = text.len() - trimmed.len();
        let written = text.get(at..start + length)?;
        at = start + length;
        Some(Token {
            kind,
            at: start,
            written,
        })
    })
}

/// Returns what a text begins with that is neither a node nor a parenthesis, and its length.
fn property(text: &str) -> (Kind, usize) {
    let delimiter = text.find(['[', ';', '(', ')']);
    let (name, mut rest) = text.split_at(delimiter.unwrap_or(text.len()));
    if !rest.starts_with('[') {
        return (Kind::Stray, name.trim_ascii_end().len());
    }
    // What is before the last word is no part of the name.
    let mut letters = name.trim_ascii_end().char_indices();
    if let Some((last, letter)) = letters.rfind(|(_, letter)| !letter.is_ascii_alphanumeric()) {
        return (Kind::Stray, last + letter.len_utf8());
    }
    // The values that are whole.
    let mut whole = None;
    while let Some(value) = rest.strip_prefix('[') {
        let length = value_end(value).map(|length| length + "[]".len());
        let Some(after) = length.and_then(|length| rest.get(length..)) else {
            break;
        };
        whole = Some(text.len() - after.len());
        rest = after.trim_ascii_start();
    }
    whole.map_or((Kind::Cut, text.len()), |length| (Kind::Property, length))
}

/// Returns the length of the value that a text begins with.
fn value_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b']' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}

/// The most characters of a text that is quoted.
const MAX_QUOTED: usize = 30;

/// Returns a text in short, on one line.
pub(super) fn quoted(text: &str) -> String {
    let shown = |letter: char| if letter.is_control() { ' ' } else { letter };
    let text = text.trim();
    let mut quoted: String = text.chars().take(MAX_QUOTED).map(shown).collect();
    if text.chars().count() > MAX_QUOTED {
        quoted.push('…');
    }
    quoted
}

/// Returns the properties of a node that set up stones, with their color; `None` removes some.
pub(super) fn set_ups(node: &Node) -> impl Iterator<Item = (&Property, Option<Color>)> {
    let properties = node.properties.iter();
    properties.filter_map(|property| Some((property, set_up_color(property)?)))
}

fn set_up_color(property: &Property) -> Option<Option<Color>> {
    let mut colors = [Some(Color::Black), Some(Color::White), None].into_iter();
    colors.find(|&color| property.is(set_up_name(color)))
}

/// Returns the name of the property that sets up stones of a color; `None` removes some.
pub(super) fn set_up_name(color: Option<Color>) -> &'static str {
    match color {
        Some(Color::Black) => "AB",
        Some(Color::White) => "AW",
        None => "AE",
    }
}

/// Returns the player to move that a node sets.
pub(super) fn player_to_move(node: &Node) -> Option<Color> {
    match node.find("PL")?.text().trim().chars().next()? {
        'B' | 'b' | '1' => Some(Color::Black),
        'W' | 'w' | '2' => Some(Color::White),
        _ => None,
    }
}

/// Returns the point of a move by its column and its row; `Some(None)` if it is a pass, and `None` if
/// it is neither.
pub(super) fn point_or_pass(property: &Property) -> Option<Option<(u8, u8)>> {
    match property.values().next()?.trim() {
        // On boards of up to 19 lines, the format's third version has this pass.
        "" | "tt" => Some(None),
        value => Some(Some(corner(value)?)),
    }
}

/// Returns the column and the row that two letters name.
fn corner(text: &str) -> Option<(u8, u8)> {
    let index = |letter: u8| match letter {
        b'a'..=b'z' => Some(letter - b'a'),
        b'A'..=b'Z' => Some(letter - b'A' + 26),
        _ => None,
    };
    match text.as_bytes() {
        &[column, row] => Some((index(column)?, index(row)?)),
        _ => None,
    }
}

/// Returns the points of a value: `cc`, or those of the rectangle `aa:cc`.
pub(super) fn rectangle(value: &str) -> Option<Vec<(u8, u8)>> {
    let value = value.trim();
    let (first, last) = value.split_once(':').unwrap_or((value, value));
    let ((left, top), (right, bottom)) = (corner(first)?, corner(last)?);
    let rows = (top..=bottom).flat_map(|row| (left..=right).map(move |column| (column, row)));
    Some(rows.collect())
}

/// Returns the text of a value: a backslash before a character, and a line break after one, are no part
/// of it.
pub(super) fn unescaped(value: &str) -> String {
    let mut text = String::new();
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.extend(letters.next().filter(|&letter| letter != '\n')),
            _ => text.push(letter),
        }
    }
    text
}

/// Returns a text as a value has it.
pub(super) fn escaped(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\\' | ']') {
            value.push('\\');
        }
        value.push(letter);
    }
    value
}

/// Returns the letters of a column and a row.
pub(super) fn letters((column, row): (u8, u8)) -> String {
    let letter = |index: u8| match index {
        0..26 => char::from(b'a' + index),
        _ => char::from(b'A'.saturating_add(index - 26)),
    };
    [letter(column), letter(row)].iter().collect()
}
