//! The files that the page opens and saves, and texts that are pasted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::wire::RequestError;
use crate::games::awari;
use crate::games::gothello::{Move, Position};
use crate::games::sgf::{
    Annotation, Decoded, GameText, GameTree, Headers, MAX_BYTES, MAX_FILE_BYTES, MAX_NODES, Record,
    TreeStep, decode_with, encode, games,
};

/// The largest file that is opened, in bytes.
pub const MAX_OPENED: usize = MAX_FILE_BYTES;

/// The largest game to save, in bytes of JSON: its file with escapes, and its moves.
pub const MAX_SAVED: usize = 2 * MAX_FILE_BYTES;

/// The most games of a file to choose from.
const MAX_GAMES: usize = 20_000;

/// How many parts of a file that the page does not show are reported.
const MAX_NOTES: usize = 4;

/// What is in a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Opened {
    /// Several games of SGF, one of which is to be chosen.
    Games {
        /// In order.
        games: Vec<GameEntry>,
    },
    /// A game of Gothello with its variations.
    Tree(Box<OpenedTree>),
    /// A game of Awari.
    Awari {
        /// The variant of its rules.
        rules: String,
        /// Its moves from the start.
        moves: Vec<String>,
    },
    /// Nothing that the page can show.
    Error {
        /// The reason.
        why: String,
    },
}

/// A game of a file, to choose from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameEntry {
    /// The properties besides its moves.
    pub headers: Headers,
    /// The number of moves of its main line.
    pub moves: usize,
}

/// A game of Gothello with its variations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenedTree {
    /// The file, which [`Saved`] needs; `None` if it is not SGF.
    pub file: Option<OpenedFile>,
    /// The text form of its start position.
    pub start: String,
    /// Its moves and set-ups, each with the number of the node that it follows; the start is node 0.
    pub moves: Vec<(usize, TreeStep)>,
    /// Comments and marks, by the numbers of their nodes.
    pub annotations: BTreeMap<usize, Annotation>,
    /// The other properties in the file.
    pub headers: Headers,
    /// The parts of the file that are left out.
    pub left_out: Vec<String>,
}

/// A file of SGF, and which of its games is open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenedFile {
    /// The text.
    pub text: String,
    /// The name of its encoding.
    pub encoding: String,
    /// Whether the encoding was detected, and the file does not tell.
    #[serde(default)]
    pub is_detected: bool,
    /// The index of the game.
    pub game: usize,
}

/// A game to save.
#[derive(Clone, Debug, Deserialize)]
pub struct Saved {
    /// The file that it is from, which keeps all that the page does not show.
    #[serde(default)]
    pub file: Option<OpenedFile>,
    /// The text form of the start position.
    pub start: String,
    /// The moves and set-ups, each with the number of the node that it follows.
    pub moves: Vec<(usize, String)>,
    /// Comments and marks that have changed, by the numbers of their nodes.
    #[serde(default)]
    pub annotations: BTreeMap<usize, Annotation>,
    /// The properties of the game.
    #[serde(default)]
    pub headers: Headers,
}

/// Opens a file or a text: games of SGF, a game of Awari, or of Gothello a position or moves.
///
/// # Errors
/// It is none of these.
pub fn open(bytes: &[u8], chosen: Option<usize>) -> Result<Opened, RequestError> {
    let file = OpenedFile::decode(bytes, chosen.unwrap_or_default());
    let text = &file.text;
    let word = text.trim();
    if word.starts_with('(') {
        return open_sgf(file, chosen.is_some());
    }
    if word.contains('/') {
        return Ok(Opened::of(&GameTree::new(word.parse()?), Vec::new(), None));
    }
    if let Some(tree) = parse_moves(word) {
        return Ok(tree);
    }
    if !awari::is_record(text) {
        return Err("it is neither a game in SGF, nor a position, nor moves".into());
    }
    let game = awari::read(text, awari::Variant::default())?;
    Ok(Opened::Awari {
        rules: game.variant().to_string(),
        moves: game.moves().map(|pit| pit.to_string()).collect(),
    })
}

/// Opens a file as [`open`] does. What cannot be opened is an [`Opened::Error`].
pub fn open_or_tell(bytes: &[u8], chosen: Option<usize>) -> Opened {
    open(bytes, chosen).unwrap_or_else(|why| Opened::Error {
        why: why.to_string(),
    })
}

fn open_sgf(file: OpenedFile, is_chosen: bool) -> Result<Opened, RequestError> {
    // One more than is allowed; none if the game is chosen already.
    let most = if is_chosen { 0 } else { MAX_GAMES + 1 };
    let all: Vec<GameText<'_>> = games(&file.text).take(most).collect();
    if all.len() > MAX_GAMES {
        return Err(format!("a file has at most {MAX_GAMES} games").into());
    }
    if all.len() > 1 {
        let entry = |game: &GameText<'_>| {
            let record = Some(game.text).filter(|text| text.len() <= MAX_BYTES);
            let record = record.and_then(|text| Record::parse(text).ok());
            let record = record.map(|(record, _)| record);
            GameEntry {
                headers: record.as_ref().map(Headers::of).unwrap_or_default(),
                moves: record.map_or(0, |record| record.moves().len()),
            }
        };
        let games = all.iter().map(entry).collect();
        return Ok(Opened::Games { games });
    }
    let game = games(&file.text)
        .nth(file.game)
        .ok_or("there is no such game in the file")?;
    if game.text.len() > MAX_BYTES {
        return Err(format!("the game is longer than {MAX_BYTES} bytes").into());
    }
    let begins = game.begins;
    let (tree, left_out) = GameTree::read(game.text).map_err(|why| why.in_file(begins))?;
    let left_out = left_out.into_iter().take(MAX_NOTES);
    let left_out = left_out.map(|left_out| left_out.in_file(begins).to_string());
    Ok(Opened::of(&tree, left_out.collect(), Some(file)))
}

/// Reads moves of Gothello from the start, with or without numbers: `1. c3 d3 2. pass`; `None` if a word
/// is no move. An illegal move ends them.
fn parse_moves(text: &str) -> Option<Opened> {
    let words = text.split([' ', '\t', '\r', '\n', ',', ';']);
    let words = words.map(|word| word.trim_start_matches(|letter: char| letter.is_ascii_digit()));
    let words = words.map(|word| word.trim_start_matches('.'));
    let words = words.filter(|word| !word.is_empty());
    let moves = words.map(|word| word.parse().ok());
    let moves = moves
        .collect::<Option<Vec<Move>>>()
        .filter(|moves| !moves.is_empty())?;
    let mut tree = GameTree::new(Position::START);
    let (mut last, mut illegal) = (0, None);
    for mv in moves {
        match tree.add(last, mv) {
            Ok(next) => last = next,
            Err(why) => {
                illegal = Some(format!("{why}; it is left out with all that follows it"));
                break;
            }
        }
    }
    Some(Opened::of(&tree, illegal.into_iter().collect(), None))
}

impl Opened {
    fn of(tree: &GameTree, left_out: Vec<String>, file: Option<OpenedFile>) -> Opened {
        Opened::Tree(Box::new(OpenedTree {
            file,
            start: tree.start().to_string(),
            moves: tree.steps(),
            annotations: tree.annotations(),
            headers: tree.headers(),
            left_out,
        }))
    }
}

/// Returns the bytes of the file that a game is saved as: a [`Saved`] in JSON.
///
/// # Errors
/// It is no legal game.
pub fn save(json: &[u8]) -> Result<Vec<u8>, RequestError> {
    serde_json::from_slice::<Saved>(json)?.write()
}

impl Saved {
    /// Returns the bytes of the file: those of the file that it is from, in its encoding, with the game as
    /// it is now.
    ///
    /// # Errors
    /// It is no legal game.
    pub fn write(self) -> Result<Vec<u8>, RequestError> {
        if self.moves.len() > MAX_NODES {
            let moves = self.moves.len();
            let why = format!(
                "a game with its variations has at most {MAX_NODES} moves, and this has {moves}"
            );
            return Err(why.into());
        }
        let moves = self.moves.iter().map(|(node, mv)| Ok((*node, mv.parse()?)));
        let moves = moves.collect::<Result<Vec<(usize, TreeStep)>, RequestError>>()?;
        let start: Position = self.start.parse()?;
        let old = self.file.as_ref().and_then(|file| {
            let game = games(&file.text).nth(file.game)?.text;
            Some(GameTree::read(game).ok()?.0)
        });
        let old = old.filter(|tree| tree.start() == start);
        let is_of_file = old.is_some();
        let mut tree = old.unwrap_or_else(|| GameTree::new(start));
        tree.update(&moves, &self.annotations)?;
        let new = tree.write(&self.headers);
        match self.file.filter(|_| is_of_file) {
            Some(file) => file.with_game(&new),
            None => Ok(format!("{new}\n").into_bytes()),
        }
    }
}

impl OpenedFile {
    /// Decodes a file, of which the game with this index is open.
    pub fn decode(bytes: &[u8], game: usize) -> OpenedFile {
        let Decoded {
            text,
            encoding,
            is_detected,
            ..
        } = decode_with(bytes);
        OpenedFile {
            text,
            encoding: encoding.to_owned(),
            is_detected,
            game,
        }
    }

    /// Returns the bytes of the file with this text in place of its game, in its encoding: in UTF-8 if
    /// that has not all characters.
    ///
    /// # Errors
    /// The text is no game.
    pub fn with_game(&self, game: &str) -> Result<Vec<u8>, RequestError> {
        let old = games(&self.text)
            .nth(self.game)
            .ok_or("there is no such game in the file")?;
        let end = old.at + old.text.trim_ascii_end().len();
        let before = self.text.get(..old.at).unwrap_or_default();
        let after = self.text.get(end..).unwrap_or_default();
        let within = |game: &str| format!("{before}{game}{after}");
        if let Some(bytes) = encode(&within(game), &self.encoding) {
            return Ok(bytes);
        }
        // The mark counts more than the names of encodings in the file.
        let (mut record, _) = Record::parse(game)?;
        record.declare_utf_8();
        Ok(format!("\u{feff}{}", within(&record.to_string())).into_bytes())
    }
}
