//! Comments and marks in a record, and the notes of a review.

use std::collections::BTreeSet;

use super::coordinates;
use super::read::point;
use super::record::{Node, Property, Record, escaped, letters, rectangle, unescaped};
use crate::games::gothello::{Mark, MarkKind, Point};

/// The prefix of every comment line that this program has written, and may replace.
const OWN: &str = "gothello: ";

/// The encoding of a text that is written.
const ENCODING: &str = "UTF-8";

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

/// The comment and the marks of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Annotation {
    /// The comment.
    pub comment: String,
    /// The marks.
    pub marks: Vec<Mark>,
}

impl MarkKind {
    const ALL: [MarkKind; 6] = [
        MarkKind::Label,
        MarkKind::Circle,
        MarkKind::Cross,
        MarkKind::Square,
        MarkKind::Triangle,
        MarkKind::Selected,
    ];

    /// Returns the name of its property.
    fn name(self) -> &'static str {
        match self {
            MarkKind::Label => "LB",
            MarkKind::Circle => "CR",
            MarkKind::Cross => "MA",
            MarkKind::Square => "SQ",
            MarkKind::Triangle => "TR",
            MarkKind::Selected => "SL",
        }
    }
}

impl Mark {
    /// Returns the value of its property.
    fn value(&self) -> String {
        let point = written(self.point);
        match self.kind {
            MarkKind::Label => format!("{point}:{}", escaped(&self.label)),
            _ => point,
        }
    }
}

impl Record {
    /// Returns the comments and marks of these nodes together.
    pub(super) fn annotation(&self, nodes: &[usize]) -> Annotation {
        let nodes = nodes.iter().filter_map(|&index| self.node(index));
        let properties = nodes.flat_map(|node| &node.properties);
        let (mut comments, mut marks) = (Vec::new(), Vec::new());
        for property in properties {
            if property.is("C") {
                comments.push(property.text());
            }
            let mut kinds = MarkKind::ALL.into_iter();
            let Some(kind) = kinds.find(|kind| property.is(kind.name())) else {
                continue;
            };
            for value in property.values() {
                let (points, label) = match kind {
                    MarkKind::Label => value.split_once(':').unwrap_or((value, "")),
                    _ => (value, ""),
                };
                let points = rectangle(points).unwrap_or_default().into_iter();
                marks.extend(points.filter_map(point).map(|point| Mark {
                    point,
                    kind,
                    label: unescaped(label),
                }));
            }
        }
        Annotation {
            comment: comments.join("\n\n"),
            marks,
        }
    }

    /// Changes the comments and marks of these nodes together to those of the first.
    pub(super) fn set_annotation(&mut self, nodes: &[usize], annotation: &Annotation) {
        let now = self.annotation(nodes);
        for (number, &index) in nodes.iter().enumerate() {
            let Some(node) = self.node_mut(index) else {
                continue;
            };
            if now.comment != annotation.comment {
                let comment = Some(annotation.comment.as_str());
                node.set_text("C", comment.filter(|text| number == 0 && !text.is_empty()));
            }
            if now.marks != annotation.marks {
                for kind in MarkKind::ALL {
                    let marks = annotation.marks.iter();
                    let marks = marks.filter(|mark| number == 0 && mark.kind == kind);
                    node.set_values(kind.name(), marks.map(Mark::value).collect());
                }
            }
        }
    }

    /// Names UTF-8 as the encoding, unless it names none and is ASCII.
    pub fn declare_utf_8(&mut self) {
        let is_ascii = self.to_string().is_ascii();
        let Some(root) = self.node_mut(0) else { return };
        match root.find_mut("CA") {
            Some(name) if name.text().trim().eq_ignore_ascii_case(ENCODING) => {}
            Some(name) => name.set(ENCODING),
            None if is_ascii => {}
            None => root.properties.insert(0, Property::new("CA", ENCODING)),
        }
    }
}

impl Node {
    /// Adds a note.
    pub fn annotate(&mut self, note: &Note) {
        if let Some(comment) = &note.comment {
            let own = format!("{OWN}{}", escaped(comment));
            let before = self.find("C").and_then(|comment| comment.values().next());
            let kept = before.unwrap_or_default().lines();
            let kept = kept
                .filter(|line| !line.starts_with(OWN))
                .map(str::to_owned);
            self.set("C", &kept.chain([own]).collect::<Vec<String>>().join("\n"));
        }
        for (name, value) in note.value.into_iter().flat_map(value_properties) {
            self.set(name, &value.to_string());
        }
        let is_marked = |point| {
            let marks = self.properties.iter();
            // Of these, a point may have one.
            let kinds = MarkKind::ALL.into_iter();
            let kinds = kinds.filter(|&kind| kind != MarkKind::Label);
            let mut marks =
                marks.filter(|property| kinds.clone().any(|kind| property.is(kind.name())));
            marks.any(|property| {
                let mut values = property.values().filter_map(rectangle);
                values.any(|points| points.contains(&coordinates(point)))
            })
        };
        let triangles = note.triangles.iter().filter(|&&point| !is_marked(point));
        let triangles: BTreeSet<String> = triangles.map(|&point| written(point)).collect();
        let is_labeled = |point| {
            let at = format!("{}:", written(point));
            let labels = self.find("LB");
            labels.is_some_and(|labels| labels.values().any(|label| label.starts_with(&at)))
        };
        let labels = note.labels.iter().filter(|(point, _)| !is_labeled(*point));
        let labels = labels.map(|(point, label)| format!("{}:{}", written(*point), escaped(label)));
        let labels = labels.collect();
        for (name, values) in [("TR", triangles.into_iter().collect()), ("LB", labels)] {
            self.extend(name, values);
        }
    }
}

/// Returns the properties for a value: the format's own, and those of Sabaki's graphs, Black's
/// winning chance in percent and the score.
fn value_properties(value: i8) -> [(&'static str, i8); 3] {
    let chance = 50 + 50 * value.signum();
    [("V", value), ("SBKV", chance), ("SBKS", value)]
}

/// Returns the letters of a point.
fn written(point: Point) -> String {
    letters(coordinates(point))
}
