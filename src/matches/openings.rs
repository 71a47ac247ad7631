//! Openings: the moves with which games begin.

use std::collections::BTreeSet;
use std::str::FromStr;

use derive_more::Display;
use thiserror::Error;

use super::game::{MatchGame, PointNamer};
use super::setup::{Opening, Setup};
use crate::base::color::Color;
use crate::base::rng::Rng;
use crate::games::gothello::{Move, Next, Position};
use crate::games::sgf::{self, GameText, Record, SetUpStones};
use crate::solving::solver::canonical;
use crate::solving::tablebase::PackedTablebase;

/// The maximum number of openings.
pub const MAX_OPENINGS: usize = 100_000;

/// The search gives up after this many random games for each wanted opening.
const MAX_TRIES: usize = 2_000;

/// Where openings come from.
#[derive(Clone, Debug, PartialEq, Eq, Display)]
pub enum OpeningSource {
    /// A file: a collection of SGF games, or a line of moves for each opening.
    File(String),
    /// Positions of Gothello whose exact value is near a draw.
    Balanced(Balanced),
}

/// Random positions of Gothello whose exact value is near a draw.
///
/// The text form is `balanced:N,plies=P,margin=M`: `N` positions with `P` stones, the better side
/// of which wins by at most `M` stones. The default of `plies` is 6, that of `margin` 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
#[display("balanced:{number},plies={plies},margin={margin}")]
pub struct Balanced {
    /// The number of positions, from 1 to [`MAX_OPENINGS`].
    number: usize,
    /// The number of moves, none of which is a pass, from 1 to 7.
    plies: u32,
    /// The maximum lead under best play, from 0 to 25 stones.
    margin: i8,
}

impl Balanced {
    /// The default number of moves.
    const PLIES: u32 = 6;

    /// The maximum number of moves: the built-in tablebase knows the values of these positions.
    const MAX_PLIES: u32 = 7;

    /// The default margin in stones.
    const MARGIN: i8 = 1;

    /// Finds the openings: positions that differ up to symmetry, in random order. There may be
    /// fewer than wanted.
    pub fn find(self, seed: u64) -> Vec<Vec<String>> {
        let tablebase = PackedTablebase::built_in();
        let mut rng = Rng::new(seed);
        let mut found = Vec::new();
        let mut known = BTreeSet::new();
        for _ in 0..self.number.saturating_mul(MAX_TRIES) {
            if found.len() == self.number {
                break;
            }
            let Some((moves, position)) = random_stones(&mut rng, self.plies) else {
                continue;
            };
            let is_balanced = tablebase
                .value(&position)
                .is_some_and(|value| value.abs() <= self.margin);
            if is_balanced && known.insert(canonical(&position).0.to_string()) {
                found.push(moves);
            }
        }
        found
    }
}

/// Places stones at random, and returns the moves and the position; `None` if the game ended, or
/// a player had to pass.
fn random_stones(rng: &mut Rng, stones: u32) -> Option<(Vec<String>, Position)> {
    let mut position = Position::START;
    let mut moves = Vec::new();
    for _ in 0..stones {
        let points: Vec<(Move, f64)> = position
            .legal_moves()
            .filter(|&mv| mv != Move::Pass)
            .map(|mv| (mv, 1.0))
            .collect();
        let mv = rng.draw(&points)?;
        match position.play(mv).ok()? {
            Next::Continues(next) => position = next,
            Next::Ends(_) => return None,
        }
        moves.push(mv.to_string());
    }
    Some((moves, position))
}

/// Why a text is not a source of openings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "give a file, or balanced:N for N positions of Gothello, at most {MAX_OPENINGS}, whose exact \
     value is near a draw, with ,plies=1 to {max} for the number of stones and ,margin=0 to 25 for the largest value",
    max = Balanced::MAX_PLIES
)]
pub struct ParseOpeningsError;

impl FromStr for OpeningSource {
    type Err = ParseOpeningsError;

    fn from_str(text: &str) -> Result<OpeningSource, ParseOpeningsError> {
        let Some(options) = text.strip_prefix("balanced:") else {
            return match text {
                "" | "balanced" => Err(ParseOpeningsError),
                path => Ok(OpeningSource::File(path.to_owned())),
            };
        };
        let mut options = options.split(',');
        let number = options.next().and_then(|number| number.parse().ok());
        let is_valid = |number: &usize| (1..=MAX_OPENINGS).contains(number);
        let mut balanced = Balanced {
            number: number.filter(is_valid).ok_or(ParseOpeningsError)?,
            plies: Balanced::PLIES,
            margin: Balanced::MARGIN,
        };
        for option in options {
            match option.split_once('=') {
                Some(("plies", plies)) => {
                    let plies = plies.parse().ok();
                    let plies = plies.filter(|plies| (1..=Balanced::MAX_PLIES).contains(plies));
                    balanced.plies = plies.ok_or(ParseOpeningsError)?;
                }
                Some(("margin", margin)) => {
                    let margin = margin.parse().ok();
                    let margin = margin.filter(|margin| (0..=25).contains(margin));
                    balanced.margin = margin.ok_or(ParseOpeningsError)?;
                }
                _ => return Err(ParseOpeningsError),
            }
        }
        Ok(OpeningSource::Balanced(balanced))
    }
}

/// Why the openings of a file cannot be read, with the line or game of the error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct OpeningsError(String);

/// Reads the openings of a file: a collection of SGF games, or a line of moves for each opening.
/// Empty lines and those that begin with `#` are left out. `start` is the game before the first move.
/// Games of Go may begin with stones that are set up (`AB`, `AW`, `PL`), a handicap (`HA`) among them.
///
/// # Errors
/// There is no opening, or there are more than [`MAX_OPENINGS`]; a word is not a move; a move is
/// illegal; stones cannot be set up; or an opening ends the game.
pub fn read_openings<G: MatchGame>(start: &G, text: &str) -> Result<Vec<Opening>, OpeningsError> {
    let is_sgf = text.trim_start().starts_with('(');
    let mut openings = Vec::new();
    if is_sgf && let Some(to_word) = G::from_coordinates() {
        for (number, GameText { text, .. }) in (1..).zip(sgf::games(text)) {
            let place = format!("game {number}");
            let wrong = |why| OpeningsError(format!("{place}: {why}"));
            let (line, left_out) = Record::parse(text).map_err(|why| wrong(why.to_string()))?;
            if let Some(left_out) = left_out.first() {
                return Err(wrong(left_out.to_string()));
            }
            let setup = read_setup(start, to_word, &line).map_err(wrong)?;
            let begun = setup.as_ref().map(|setup| start.set_up(setup));
            let begun = begun.transpose().map_err(wrong)?;
            let words = line
                .moves()
                .into_iter()
                .map(|(color, point)| (Some(color), to_word(start, point)));
            let moves = check(begun.as_ref().unwrap_or(start), &place, words)?;
            openings.push(Opening { setup, moves });
        }
    } else {
        let lines = (1..).zip(text.lines().map(str::trim));
        for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let words = line.split_whitespace().map(|word| (None, word.to_owned()));
            openings.push(check(start, &format!("line {number}"), words)?.into());
            if openings.len() > MAX_OPENINGS {
                break;
            }
        }
    }
    match openings.len() {
        0 => Err(OpeningsError("there is no opening in it".into())),
        1..=MAX_OPENINGS => Ok(openings),
        _ => Err(OpeningsError(format!(
            "it has more than {MAX_OPENINGS} openings"
        ))),
    }
}

/// Returns the position that a record begins with, unless it is the start of the game. The error is
/// a clause.
fn read_setup<G: MatchGame>(
    start: &G,
    to_word: PointNamer<G>,
    line: &Record,
) -> Result<Option<Setup>, String> {
    let [rows, columns] = start.size();
    if let Some(size) = line.header("SZ") {
        let found = size.split_once(':').unwrap_or((&size, &size));
        if found != (&columns.to_string(), &rows.to_string()) {
            let (found_columns, found_rows) = found;
            return Err(format!(
                "its board is {found_columns}x{found_rows} (SZ[{size}]), and that of the event \
                 {columns}x{rows}"
            ));
        }
    }
    let SetUpStones { stones, to_move } = line.set_up_stones().map_err(|why| why.to_string())?;
    let is_off =
        |&&(column, row): &&(u8, u8)| u16::from(column) >= columns || u16::from(row) >= rows;
    let off_board = stones.iter().flatten().find(is_off);
    if let Some(&(column, row)) = off_board {
        let (column, row) = (u16::from(column) + 1, u16::from(row) + 1);
        return Err(format!(
            "a stone is set up in column {column} and row {row} from the top, and the board is \
             {columns}x{rows}"
        ));
    }
    let handicap = line.header("HA").and_then(|number| number.parse().ok());
    let handicap = handicap.filter(|&number: &usize| number > 1);
    if let Some(number) = handicap
        && (stones.black.len() != number || !stones.white.is_empty())
    {
        return Err(format!(
            "HA[{number}] needs {number} stones of Black (AB) and none of White (AW), and there are {} \
             and {}",
            stones.black.len(),
            stones.white.len()
        ));
    }
    let is_empty = stones.iter().all(BTreeSet::is_empty);
    if is_empty && to_move.is_none_or(|color| color == start.to_move()) {
        return Ok(None);
    }
    let first = || line.moves().first().map(|&(color, _)| color);
    let to_move = to_move
        .or_else(first)
        .unwrap_or(match stones.white.is_empty() {
            // As after a handicap.
            true => Color::White,
            false => Color::Black,
        });
    let words = stones.map(|points| {
        let words = points.into_iter().map(|point| to_word(start, Some(point)));
        words.collect::<Vec<String>>()
    });
    Ok(Some(Setup {
        black: words.black,
        white: words.white,
        handicap: handicap.is_some(),
        to_move,
    }))
}

/// Plays the moves of an opening, and returns them in the game's notation.
fn check<G: MatchGame>(
    start: &G,
    place: &str,
    words: impl Iterator<Item = (Option<Color>, String)>,
) -> Result<Vec<String>, OpeningsError> {
    let mut game = start.clone();
    let mut moves = Vec::new();
    for (number, (color, word)) in (1..).zip(words) {
        let wrong = |what: String| OpeningsError(format!("{place}, move {number}: {what}"));
        let Some(mv) = game.parse_notation(&word) else {
            return Err(wrong(format!("{word:?} is not a move")));
        };
        let notation = game.notation(mv);
        let why = match color {
            Some(color) if color != game.to_move() => {
                Some(format!("it is not the turn of {color}"))
            }
            _ => game.advance(mv).err().map(|why| why.to_string()),
        };
        if let Some(why) = why {
            return Err(wrong(format!("{word} is illegal: {why}")));
        }
        moves.push(notation);
    }
    match game.counted() {
        None => Ok(moves),
        Some(_) => Err(OpeningsError(format!(
            "{place}: the game is over after these moves"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::awari;
    use crate::games::go;
    use crate::games::gothello::Game;

    fn balanced(text: &str) -> Balanced {
        match text.parse().unwrap() {
            OpeningSource::Balanced(balanced) => balanced,
            OpeningSource::File(path) => panic!("{path}"),
        }
    }

    #[test]
    fn balanced_openings_have_values_within_the_margin() {
        let openings = balanced("balanced:20,plies=5,margin=1").find(7);
        assert_eq!(openings.len(), 20);
        assert_eq!(openings, balanced("balanced:20,plies=5,margin=1").find(7));
        let mut positions = BTreeSet::new();
        for opening in &openings {
            let mut game = Game::new();
            for word in opening {
                game.advance(word.parse().unwrap()).unwrap();
            }
            let position = *game.position().unwrap();
            let value = PackedTablebase::built_in().value(&position).unwrap();
            assert!(value.abs() <= 1, "{opening:?}: {value}");
            assert!(
                positions.insert(canonical(&position).0.to_string()),
                "{opening:?} comes again"
            );
        }
    }

    #[test]
    fn there_are_no_more_openings_than_positions() {
        // Up to symmetry there are six first moves, and no value is this near a draw.
        assert!(balanced("balanced:10,plies=1,margin=25").find(1).len() <= 6);
    }

    #[test]
    fn sources_are_parsed() {
        for text in [
            "",
            "balanced",
            "balanced:",
            "balanced:0",
            "balanced:5,plies=8",
            "balanced:5,x=1",
        ] {
            assert_eq!(
                text.parse::<OpeningSource>(),
                Err(ParseOpeningsError),
                "{text}"
            );
        }
        assert_eq!(
            "balanced:5".parse::<OpeningSource>().unwrap().to_string(),
            "balanced:5,plies=6,margin=1"
        );
    }

    /// The moves of openings from the start of the game.
    fn moves(openings: Result<Vec<Opening>, OpeningsError>) -> Vec<Vec<String>> {
        let openings = openings.unwrap().into_iter();
        openings
            .map(|opening| {
                assert_eq!(opening.setup, None);
                opening.moves
            })
            .collect()
    }

    fn nine() -> go::Game {
        let rules = go::Rules::area(go::Komi::from_halves(15));
        go::Game::new(rules, go::Position::start(go::Size::square(9).unwrap()))
    }

    #[test]
    fn games_of_go_begin_with_stones_that_are_set_up() {
        let shown = |text: &str| {
            let openings = read_openings(&nine(), text).unwrap();
            let texts = openings.iter().map(ToString::to_string);
            texts.collect::<Vec<_>>().join("\n")
        };
        for (text, expected) in [
            (
                "(;SZ[9]AB[cc][gg]AW[ee])",
                "Black C7 G3, White E5, Black to move",
            ),
            (
                "(;SZ[9:9]AB[cc][gg]AW[ee]PL[W];W[aa])",
                "Black C7 G3, White E5, White to move; A9",
            ),
            (
                "(;AB[cc][gg];W[ee];B[ec])",
                "Black C7 G3, White to move; E5 E7",
            ),
            ("(;AB[cc][gg];B[ee])", "Black C7 G3, Black to move; E5"),
            ("(;HA[2]AB[cc][gg])", "Black C7 G3, White to move"),
            ("(;PL[W];W[ee])", "White to move; E5"),
            ("(;PL[B];B[ee]PL[W])", "E5"),
            // A rectangle without one of its points, in several nodes.
            ("(;AB[aa:bb];AE[ab]PL[B])", "Black A9 B9 B8, Black to move"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        let two = shown("(;AB[cc];W[ee])(;B[aa])");
        assert_eq!(two, "Black C7, White to move; E5\nA9");
    }

    #[test]
    fn errors_of_a_set_up_say_what_would_be_right() {
        let why = |text: &str| read_openings(&nine(), text).unwrap_err().to_string();
        insta::assert_snapshot!(why("(;AB[cc])(;AB[c])"), @"game 2: AB[c] is neither a point nor a rectangle of points");
        insta::assert_snapshot!(why("(;AB[zz])"), @"game 1: a stone is set up in column 26 and row 26 from the top, and the board is 9x9");
        insta::assert_snapshot!(why("(;AB[ba][ab]AW[aa])"), @"game 1: the group of the stone at A9 has no liberty");
        insta::assert_snapshot!(why("(;B[aa];AB[cc])"), @"game 1: stones are set up after the first move (AB[cc])");
        insta::assert_snapshot!(why("(;HA[3]AB[cc][gg])"), @"game 1: HA[3] needs 3 stones of Black (AB) and none of White (AW), and there are 2 and 0");
        insta::assert_snapshot!(why("(;SZ[19];B[cc])"), @"game 1: its board is 19x19 (SZ[19]), and that of the event 9x9");
        insta::assert_snapshot!(why("(;AB[cc]PL[B];W[ee])"), @"game 1, move 1: E5 is illegal: it is not the turn of White");
        let gothello = read_openings(&Game::new(), "(;AB[cc];W[bb])").unwrap_err();
        insta::assert_snapshot!(gothello, @"game 1: stones can be set up (AB, AW, PL) only in openings of Go");
    }

    #[test]
    fn openings_are_serialized_as_moves_if_they_can_be() {
        for text in [
            r#"["c3","d3"]"#,
            r#"{"setup":{"black":["C7","G3"],"handicap":true,"to_move":"white"},"moves":["E5"]}"#,
        ] {
            let opening: Opening = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&opening).unwrap(), text);
        }
    }

    #[test]
    fn files_have_lines_or_games() {
        let start = Game::new();
        let lines = "# two openings\n\nc3 D3\nb2 pass\n";
        let expected = vec![vec!["c3", "d3"], vec!["b2", "pass"]];
        assert_eq!(moves(read_openings(&start, lines)), expected);
        let games = "(;FF[4]SZ[5];B[cc];W[dc](;B[aa])(;B[bb]))\n(;SZ[5];B[bd];W[])";
        let expected = vec![vec!["c3", "d3", "a5"], vec!["b2", "pass"]];
        assert_eq!(moves(read_openings(&start, games)), expected);
        let pits = read_openings(&awari::Game::default(), "F f\n");
        assert_eq!(moves(pits), [["F", "f"]]);
    }

    #[test]
    fn errors_name_the_place() {
        let why = |text: &str| read_openings(&Game::new(), text).unwrap_err().to_string();
        insta::assert_snapshot!(why("c3\nc3 x9"), @r#"line 2, move 2: "x9" is not a move"#);
        insta::assert_snapshot!(why("c3 c3"), @"line 1, move 2: c3 is illegal: c3 is occupied");
        insta::assert_snapshot!(why("(;W[cc])"), @"game 1, move 1: c3 is illegal: it is not the turn of White");
        insta::assert_snapshot!(why("pass pass"), @"line 1: the game is over after these moves");
        insta::assert_snapshot!(why("# nothing"), @"there is no opening in it");
    }
}
