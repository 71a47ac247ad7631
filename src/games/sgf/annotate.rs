//! Notes written into an otherwise unchanged SGF text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use thiserror::Error;

use super::{coordinates, escaped, letters};
use crate::base::color::{ByColor, Color};
use crate::games::gothello::Point;

/// The prefix of every comment line that this program has written, and may replace.
const OWN: &str = "gothello: ";

/// The encoding of a text that is written.
const ENCODING: &str = "UTF-8";

/// The markup properties, of which a point may have one.
const MARKS: [&str; 5] = ["CR", "MA", "SL", "SQ", "TR"];

/// The main line of an SGF text: the places of its nodes and their properties.
///
/// It is what [`read`](super::read()) reads, in a text that it accepts.
///
/// ```
/// use gothello::sgf::{MainLine, Note};
///
/// let text = "(;GM[1]SZ[5]PB[Ann \\[9p\\]] (;B[cc]C[hm]) (;B[aa]))";
/// let line = MainLine::of(text);
/// assert_eq!(line.header("PB").as_deref(), Some("Ann [9p]"));
///
/// let note = Note { value: Some(3), comment: Some("B+3".into()), ..Note::default() };
/// assert_eq!(
///     line.annotated(&Note::default(), &[note]),
///     "(;GM[1]SZ[5]PB[Ann \\[9p\\]] (;B[cc]C[hm\ngothello: B+3]V[3]SBKV[100]SBKS[3]) (;B[aa]))"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct MainLine<'a> {
    text: &'a str,
    nodes: Vec<Node>,
}

/// A node of the main line.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Where its first property begins.
    start: usize,
    /// Where its last property ends.
    end: usize,
    properties: Vec<Property>,
}

#[derive(Clone, Debug)]
struct Property {
    name: String,
    /// The places of its values, without the brackets.
    values: Vec<Range<usize>>,
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

/// The notes of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// A line of the comment.
    pub comment: Option<String>,
    /// The value of the node: Black's stones minus White's.
    pub value: Option<i8>,
    /// Points to mark with a triangle, unless they have a mark.
    pub triangles: Vec<Point>,
    /// Points with a label, unless they have one.
    pub labels: Vec<(Point, String)>,
}

impl<'a> MainLine<'a> {
    /// Finds the main line of the first game of a text.
    pub fn of(text: &'a str) -> MainLine<'a> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut name = String::new();
        let mut bytes = text.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match (byte, nodes.last_mut()) {
                // The first line of play that ends is the main line.
                (b')', _) => break,
                (b';', _) => {
                    name.clear();
                    nodes.push(Node {
                        start: at + 1,
                        end: at + 1,
                        properties: Vec::new(),
                    });
                }
                (b'[', Some(node)) => {
                    let Some(end) = skip_value(&mut bytes) else {
                        break;
                    };
                    node.add(std::mem::take(&mut name), at + 1..end);
                }
                // The third version of the format allows lower-case letters in between, which mean
                // nothing.
                (b'A'..=b'Z', _) => name.push(char::from(byte)),
                _ => {}
            }
        }
        MainLine { text, nodes }
    }

    /// Returns a property of the root whose value is a text.
    pub fn header(&self, name: &str) -> Option<String> {
        let value = self.nodes.first()?.find(name)?.values.first()?;
        let value = unescaped(self.text.get(value.clone())?);
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// Returns the moves in their order: the color, and the point by its column from the left and
    /// its row from the top, from 0; `None` for a pass. Values that are neither are left out.
    pub fn moves(&self) -> Vec<(Color, Option<(u8, u8)>)> {
        let properties = self.nodes.iter().flat_map(|node| &node.properties);
        let moves = properties.filter_map(|property| {
            let color = match property.name.as_str() {
                "B" => Color::Black,
                "W" => Color::White,
                _ => return None,
            };
            let value = self.text.get(property.values.first()?.clone())?.trim();
            match value {
                "" | "tt" => Some((color, None)),
                _ => Some((color, Some(corner(value)?))),
            }
        });
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
    /// use gothello::sgf::MainLine;
    /// let set_up = MainLine::of("(;SZ[9]AB[cc][gg:gh]PL[W];W[ee])").set_up_stones()?;
    /// assert_eq!(set_up.stones.black.len(), 3);
    /// assert_eq!(set_up.to_move, Some(Color::White));
    /// # Ok::<(), gothello::sgf::SetUpError>(())
    /// ```
    pub fn set_up_stones(&self) -> Result<SetUpStones, SetUpError> {
        let mut found = SetUpStones::default();
        let mut has_begun = false;
        for node in &self.nodes {
            let has_move = node
                .properties
                .iter()
                .any(|property| is_move(&property.name));
            for Property { name, values } in &node.properties {
                let values = values
                    .iter()
                    .filter_map(|place| self.text.get(place.clone()));
                let color = match name.as_str() {
                    "AB" => Some(Color::Black),
                    "AW" => Some(Color::White),
                    "AE" => None,
                    // GoGui writes the player to move with every move.
                    "PL" if !has_begun && !has_move => {
                        let mut letters = values.filter_map(|value| value.trim().chars().next());
                        found.to_move = letters.next().and_then(|letter| match letter {
                            'B' | 'b' | '1' => Some(Color::Black),
                            'W' | 'w' | '2' => Some(Color::White),
                            _ => None,
                        });
                        continue;
                    }
                    _ => continue,
                };
                for value in values {
                    if has_begun {
                        return Err(SetUpError::AfterMove(format!("{name}[{value}]")));
                    }
                    let points = rectangle(value.trim());
                    let points =
                        points.ok_or_else(|| SetUpError::Value(format!("{name}[{value}]")));
                    for point in points? {
                        found.stones.black.remove(&point);
                        found.stones.white.remove(&point);
                        if let Some(color) = color {
                            found.stones[color].insert(point);
                        }
                    }
                }
            }
            has_begun |= has_move;
        }
        Ok(found)
    }

    /// Returns the whole text with a note to the root, and to each of the first moves. Comments are
    /// added to existing ones. The value, and comments from an earlier call, are replaced. The
    /// encoding that the text names (`CA`) becomes UTF-8.
    pub fn annotated(&self, root: &Note, moves: &[Note]) -> String {
        // A node may have several moves, and the root may have some.
        let mut notes: BTreeMap<usize, Vec<&Note>> = BTreeMap::from([(0, vec![root])]);
        let with_move = self.nodes.iter().enumerate().flat_map(|(index, node)| {
            let moves = node
                .properties
                .iter()
                .filter(|property| is_move(&property.name));
            moves.map(move |_| index)
        });
        for (index, note) in with_move.zip(moves) {
            notes.entry(index).or_default().push(note);
        }
        let mut text = self.text.to_owned();
        // From the end, so that earlier places stay valid.
        for (index, notes) in notes.iter().rev() {
            let Some(node) = self.nodes.get(*index) else {
                continue;
            };
            let mut edits = node.edits(self.text, notes);
            if *index == 0 {
                edits.extend(node.encoding_edit(self.text));
            }
            edits.sort_by_key(|(place, _)| place.start);
            for (place, written) in edits.into_iter().rev() {
                text.replace_range(place, &written);
            }
        }
        if let Some(root) = self.nodes.first()
            && root.find("CA").is_none()
            && !text.is_ascii()
        {
            text.insert_str(root.start, &format!("CA[{ENCODING}]"));
        }
        text
    }
}

/// Returns the texts of the games in a collection, in order; the text itself if there is only one.
///
/// ```
/// use gothello::sgf::games;
/// assert_eq!(games("(;B[a)];W[b]) (;B[c])\n"), ["(;B[a)];W[b])", "(;B[c])"]);
/// assert_eq!(games(" (;B[a])\n"), [" (;B[a])\n"]);
/// ```
pub fn games(text: &str) -> Vec<&str> {
    let begin = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !begin.trim_start().starts_with('(') {
        return vec![text];
    }
    let mut games = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'(' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    games.extend(text.get(start..=at));
                }
            }
            b'[' => {
                skip_value(&mut bytes);
            }
            _ => {}
        }
    }
    if depth > 0 {
        // It does not end, which is an error of only this game.
        games.extend(text.get(start..));
    }
    match games.len() {
        0 | 1 => vec![text],
        _ => games,
    }
}

/// Advances to the end of a value, and returns its place.
fn skip_value(bytes: &mut impl Iterator<Item = (usize, u8)>) -> Option<usize> {
    let mut is_escaped = false;
    let end = bytes.find(|&(_, byte)| {
        let is_end = byte == b']' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map(|(end, _)| end)
}

fn is_move(name: &str) -> bool {
    name == "B" || name == "W"
}

impl Node {
    fn add(&mut self, name: String, value: Range<usize>) {
        self.end = value.end + 1;
        match self.properties.last_mut() {
            Some(property) if name.is_empty() => property.values.push(value),
            _ => self.properties.push(Property {
                name,
                values: vec![value],
            }),
        }
    }

    fn find(&self, name: &str) -> Option<&Property> {
        let mut properties = self.properties.iter();
        properties.find(|property| property.name == name)
    }

    /// Returns the place of the name of another encoding, and its replacement.
    fn encoding_edit(&self, text: &str) -> Option<(Range<usize>, String)> {
        let place = self.find("CA")?.values.first()?;
        let name = text.get(place.clone())?.trim();
        (!name.eq_ignore_ascii_case(ENCODING)).then(|| (place.clone(), ENCODING.to_owned()))
    }

    /// Returns the replacements and their places.
    fn edits(&self, text: &str, notes: &[&Note]) -> Vec<(Range<usize>, String)> {
        let mut edits = Vec::new();
        let mut added = String::new();
        let comments: Vec<&String> = notes.iter().flat_map(|note| &note.comment).collect();
        if !comments.is_empty() {
            let own = comments
                .iter()
                .map(|comment| format!("{OWN}{}", escaped(comment)));
            match self.find("C").and_then(|property| property.values.first()) {
                Some(place) => {
                    let before = text.get(place.clone()).unwrap_or_default();
                    let kept = before.lines().filter(|line| !line.starts_with(OWN));
                    let lines: Vec<String> = kept.map(str::to_owned).chain(own).collect();
                    edits.push((place.clone(), lines.join("\n")));
                }
                None => {
                    let lines: Vec<String> = own.collect();
                    added += &format!("C[{}]", lines.join("\n"));
                }
            }
        }
        let value = notes.iter().rev().find_map(|note| note.value);
        for (name, value) in value.into_iter().flat_map(value_properties) {
            match self.find(name).and_then(|property| property.values.first()) {
                Some(place) => edits.push((place.clone(), value.to_string())),
                None => added += &format!("{name}[{value}]"),
            }
        }
        let values = |name: &str| {
            let places = self.find(name).map(|property| property.values.as_slice());
            let places = places.unwrap_or_default().iter();
            places.filter_map(|place| text.get(place.clone()))
        };
        let triangles = notes.iter().flat_map(|note| &note.triangles);
        let is_marked = |point| {
            let mut marked = MARKS.iter().flat_map(|name| values(name));
            marked.any(|value| {
                rectangle(value).is_some_and(|points| points.contains(&coordinates(point)))
            })
        };
        let triangles = triangles.filter(|&&point| !is_marked(point));
        let triangles = triangles.map(|&point| written(point));
        let labels = notes.iter().flat_map(|note| &note.labels);
        let is_labeled = |point| {
            let at = format!("{}:", written(point));
            values("LB").any(|value| value.starts_with(&at))
        };
        let labels = labels.filter(|(point, _)| !is_labeled(*point));
        let labels = labels.map(|(point, label)| (written(*point), escaped(label)));
        // Moves in one node may name a point twice.
        let labels: BTreeMap<String, String> = labels.collect();
        let labels = labels
            .iter()
            .map(|(point, label)| format!("{point}:{label}"));
        let triangles: BTreeSet<String> = triangles.collect();
        for (name, values) in [("TR", triangles), ("LB", labels.collect())] {
            if values.is_empty() {
                continue;
            }
            let values: String = values.iter().map(|value| format!("[{value}]")).collect();
            match self.find(name).and_then(|property| property.values.last()) {
                Some(last) => edits.push((last.end + 1..last.end + 1, values)),
                None => added += &format!("{name}{values}"),
            }
        }
        edits.push((self.end..self.end, added));
        edits
    }
}

/// Returns the properties for a value: the format's own, and those of Sabaki's graphs, Black's
/// winning chance in percent and the score.
fn value_properties(value: i8) -> [(&'static str, i8); 3] {
    let chance = 50 + 50 * value.signum();
    [("V", value), ("SBKV", chance), ("SBKS", value)]
}

/// Returns the column and the row that two letters name.
fn corner(text: &str) -> Option<(u8, u8)> {
    match text.as_bytes() {
        &[column @ b'a'..=b'z', row @ b'a'..=b'z'] => Some((column - b'a', row - b'a')),
        _ => None,
    }
}

/// Returns the points of a value: `cc`, or those of the rectangle `aa:cc`.
fn rectangle(value: &str) -> Option<Vec<(u8, u8)>> {
    let (first, last) = value.split_once(':').unwrap_or((value, value));
    let ((left, top), (right, bottom)) = (corner(first)?, corner(last)?);
    let rows = (top..=bottom).flat_map(|row| (left..=right).map(move |column| (column, row)));
    Some(rows.collect())
}

/// Returns the letters of a point.
fn written(point: Point) -> String {
    letters(coordinates(point))
}

/// Returns the text of a value: a backslash before a character, and line breaks after one,
/// are no part of it.
fn unescaped(value: &str) -> String {
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
        MainLine::of(text).annotated(&Note::default(), moves)
    }

    #[test]
    fn everything_else_stays() {
        let text = " (;FF[4] SZ[5]C[a \\] b; ( c]\n\n ;B [cc]\t;W[](;B[aa]XY[1][2];W[bb]) (;B[ee]))(;SZ[9])";
        let none = vec![Note::default(); 9];
        assert_eq!(annotated(text, &none), text);
        let moves = ["one", "two]", "three", "four", "five"].map(|comment| Note {
            comment: Some(comment.into()),
            ..Note::default()
        });
        insta::assert_snapshot!(annotated(text, &moves), @r"
         (;FF[4] SZ[5]C[a \] b; ( c]

         ;B [cc]C[gothello: one]	;W[]C[gothello: two\]](;B[aa]XY[1][2]C[gothello: three];W[bb]C[gothello: four]) (;B[ee]))(;SZ[9])
        ");
    }

    #[test]
    fn the_encoding_is_named() {
        insta::assert_snapshot!(annotated("(;SZ[5]CA[GB18030]PB[吴];B[bb])", &[]), @"(;SZ[5]CA[UTF-8]PB[吴];B[bb])");
        insta::assert_snapshot!(annotated("(;SZ[5]PB[Jörg];B[bb])", &[]), @"(;CA[UTF-8]SZ[5]PB[Jörg];B[bb])");
        for text in ["(;SZ[5];B[bb])", "(;CA[utf-8]PB[Jörg])", "PB[Jörg]"] {
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
    fn moves_in_one_node_share_its_notes() {
        insta::assert_snapshot!(annotated("(;SZ[5]B[bb]W[cc];B[dd])", &[note("x"), note("y"), note("z")]), @r"
        (;SZ[5]B[bb]W[cc]C[gothello: x
        gothello: y]V[-2]SBKV[0]SBKS[-2]TR[aa][cc]LB[bb:-5];B[dd]C[gothello: z]V[-2]SBKV[0]SBKS[-2]TR[aa][cc]LB[bb:-5])
        ");
    }

    #[test]
    fn headers_are_unescaped() {
        let line = MainLine::of("(;PB[ A\\]n\\\\n \\\nX]PW[]PLayerX[y];PB[no])");
        assert_eq!(line.header("PB").as_deref(), Some("A]n\\n X"));
        assert_eq!(line.header("PW"), None);
        assert_eq!(line.header("PLX").as_deref(), Some("y"));
        for text in [
            "", "(", "(;", "(;A", "(;A[", "(;A[x\\]", ";)", "[x]", "(;[x][y]",
        ] {
            let line = MainLine::of(text);
            assert_eq!(line.header("A"), None, "{text:?}");
            line.annotated(&note("x"), &[note("x"), note("y")]);
        }
    }
}
