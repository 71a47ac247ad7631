//! The messages between the page and the server: JSON, one value in each WebSocket message.
//!
//! A request has a number, which the responses to it repeat, and a question in `ask`. Parsing
//! ends at [`Question`]: the lines and trees in it are legal.

use std::error::Error;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::gothello::{SetUp, set_up};
use super::line::{Line, PageGame, PlyView, plies};
use crate::base::color::{ByColor, Color};
use crate::games::awari;
use crate::games::gothello;
use crate::games::gothello::{
    Mark, Move, Outcome, ParsePointError, Picture, Point, PointSet, Position, Step,
};
use crate::player::Level;
use crate::solving::review::{Judgment, PlayerReview, Ply, Review};
use crate::solving::solver::{Bounds, MoveBounds};

/// The longest message of the page, in bytes: 64 KiB.
pub const MAX_MESSAGE: usize = 64 * 1024;

/// The longest time for a move of Awari.
pub const MAX_MOVE_TIME: Duration = Duration::from_secs(10);

/// The subject of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Search {
    /// The values of all moves.
    Values(Position),
    /// Best play to the end.
    BestLine(Position),
    /// A move of the engine at a level, with this time left on its clock if it has one.
    Move(Position, Level, Option<Duration>),
    /// A move of the engine for Awari in a game that goes on, within this time, and with this time
    /// left on its clock if it has one.
    AwariMove(Box<awari::Game>, Duration, Option<Duration>),
    /// The cost of each move of a line.
    Review(Line<gothello::Game>),
}

/// A request of the page.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its number.
    pub id: u64,
    /// The request.
    pub question: Question,
}

/// A request of the page.
#[derive(Clone, Debug)]
pub enum Question {
    /// A request that is answered at once, with this.
    Answered(Content),
    /// A request that needs a search. It stops the visitor's last one of its kind.
    Search(Search),
    /// Stops the search about a position.
    Stop,
    /// Stops the review.
    StopReview,
}

/// Why a message is not a request, which is only told to the visitor.
pub type RequestError = Box<dyn Error + Send + Sync>;

/// A search in a game that is over.
const OVER: &str = "the game is over";

#[derive(Deserialize)]
struct RawRequest {
    id: u64,
    #[serde(flatten)]
    question: RawQuestion,
}

/// Only the number, to answer a request that is otherwise not understood.
#[derive(Deserialize)]
struct OnlyId {
    id: u64,
}

#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
enum RawQuestion {
    Show {
        line: RawLine,
        #[serde(default)]
        from: usize,
    },
    SetUp {
        stones: ByColor<Vec<String>>,
        turn: Color,
    },
    Values {
        line: RawLine,
    },
    BestLine {
        line: RawLine,
    },
    Move {
        line: RawLine,
        /// How well to play Gothello.
        #[serde(default)]
        level: Option<String>,
        /// How long to think about a move of Awari, in milliseconds.
        #[serde(default)]
        ms: Option<u64>,
        /// The time left on the engine's clock, in milliseconds.
        #[serde(default)]
        left: Option<u64>,
    },
    Review {
        line: RawLine,
    },
    Picture {
        line: RawLine,
        #[serde(default)]
        marks: Vec<Mark>,
        #[serde(default)]
        liberties: bool,
        #[serde(default)]
        values: Option<ShownValues>,
    },
    Stop,
    StopReview,
}

/// What the page knows of a position.
#[derive(Deserialize)]
struct ShownValues {
    /// Whose lead the numbers are.
    viewer: Color,
    /// The bounds on the value of the position, for the player to move.
    value: (i8, i8),
    /// Each move with the bounds on its value for the player to move.
    moves: Vec<(Move, i8, i8)>,
}

#[derive(Deserialize)]
struct RawLine {
    #[serde(default)]
    game: GameName,
    /// The variant of Awari; the default one if there is none.
    #[serde(default)]
    rules: Option<String>,
    /// The start of the game if there is none.
    #[serde(default)]
    start: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GameName {
    #[default]
    Gothello,
    Awari,
}

impl RawLine {
    fn gothello(&self) -> Result<Line<gothello::Game>, RequestError> {
        if matches!(self.game, GameName::Awari) {
            return Err("this can be asked of gothello only".into());
        }
        if self.rules.is_some() {
            return Err("Gothello has no variants: rules are for awari".into());
        }
        let start = self.start.as_deref();
        line(start.map_or(Ok(Position::START), str::parse)?, &self.moves)
    }

    fn awari(&self) -> Result<Line<awari::Game>, RequestError> {
        let start = self.start.as_deref();
        let start = start.map_or(Ok(awari::Position::START), str::parse)?;
        let rules = self.rules.as_deref();
        let variant = rules.map_or(Ok(awari::Variant::default()), str::parse)?;
        line((start, variant), &self.moves)
    }

    /// Returns the last position of a line of Gothello that goes on.
    fn position(&self) -> Result<Position, RequestError> {
        Ok(self.gothello()?.position().ok_or(OVER)?)
    }
}

fn line<G: PageGame>(start: G::Start, words: &[String]) -> Result<Line<G>, RequestError> {
    let steps = words.iter().map(|word| word.parse());
    let steps = steps.collect::<Result<Vec<G::Step>, _>>()?;
    Ok(Line::new(start, steps)?)
}

impl Request {
    /// Parses a message.
    ///
    /// # Errors
    /// It is not a request; with its number if that can be read.
    pub fn parse(text: &str) -> Result<Request, (Option<u64>, RequestError)> {
        let raw: RawRequest = serde_json::from_str(text).map_err(|error| {
            let id = serde_json::from_str(text).ok().map(|OnlyId { id }| id);
            (id, format!("the request is not understood: {error}").into())
        })?;
        let id = raw.id;
        let question = raw.question.parse().map_err(|error| (Some(id), error))?;
        Ok(Request { id, question })
    }
}

impl RawQuestion {
    fn parse(self) -> Result<Question, RequestError> {
        let search = match self {
            RawQuestion::Show { line, from } => {
                let plies = match line.game {
                    GameName::Gothello => plies(&line.gothello()?, from),
                    GameName::Awari => plies(&line.awari()?, from),
                };
                return Ok(Question::Answered(Content::Plies { plies }));
            }
            RawQuestion::SetUp { stones, turn } => {
                let stones = ByColor::new(point_set(&stones.black)?, point_set(&stones.white)?);
                return Ok(Question::Answered(Content::SetUp(set_up(stones, turn))));
            }
            RawQuestion::Picture {
                line,
                marks,
                liberties,
                values,
            } => {
                let svg = draw(&line.gothello()?, marks, liberties, values)?;
                return Ok(Question::Answered(Content::Picture { svg }));
            }
            RawQuestion::Stop => return Ok(Question::Stop),
            RawQuestion::StopReview => return Ok(Question::StopReview),
            RawQuestion::Values { line } => Search::Values(line.position()?),
            RawQuestion::BestLine { line } => Search::BestLine(line.position()?),
            RawQuestion::Review { line } => Search::Review(line.gothello()?),
            RawQuestion::Move {
                line,
                level,
                ms,
                left,
            } => {
                let left = left.map(Duration::from_millis);
                match line.game {
                    GameName::Gothello => {
                        let line = line.gothello()?;
                        let level =
                            level.ok_or("a move of gothello has a level, 1 to 9 or perfect")?;
                        let level = level.parse()?;
                        Search::Move(line.position().ok_or(OVER)?, level, left)
                    }
                    GameName::Awari => {
                        let line = line.awari()?;
                        let time = move_time(ms)?;
                        if line.game().is_over() {
                            return Err(OVER.into());
                        }
                        Search::AwariMove(Box::new(line.game().clone()), time, left)
                    }
                }
            }
        };
        Ok(Question::Search(search))
    }
}

/// Draws the end of a line.
fn draw(
    line: &Line<gothello::Game>,
    marks: Vec<Mark>,
    liberties: bool,
    values: Option<ShownValues>,
) -> Result<String, RequestError> {
    let picture = Picture::of_game(line.game());
    let picture = marks.into_iter().fold(picture, Picture::mark);
    let picture = match liberties {
        true => picture.liberties(),
        false => picture,
    };
    let Some((values, position)) = values.zip(line.position()) else {
        return Ok(picture.to_svg());
    };
    let moves = values.moves.into_iter().map(|(mv, low, high)| {
        let bounds = bounds(low, high)?;
        Ok(MoveBounds { mv, bounds })
    });
    let moves = moves.collect::<Result<Vec<MoveBounds>, RequestError>>()?;
    let (low, high) = values.value;
    let picture = picture.values(&position, values.viewer, bounds(low, high)?, &moves);
    Ok(picture.to_svg())
}

/// Checks bounds on a value.
fn bounds(low: i8, high: i8) -> Result<Bounds, RequestError> {
    let Bounds {
        low: least,
        high: most,
    } = Bounds::UNKNOWN;
    match least <= low && low <= high && high <= most {
        true => Ok(Bounds { low, high }),
        false => Err(format!(
            "bounds on a value are two numbers from {least} to {most}, the lower one first"
        )
        .into()),
    }
}

/// Checks the time for a move of Awari.
fn move_time(ms: Option<u64>) -> Result<Duration, RequestError> {
    let most = MAX_MOVE_TIME.as_millis();
    let time = ms.map(Duration::from_millis);
    let time = time.filter(|time| !time.is_zero() && *time <= MAX_MOVE_TIME);
    Ok(time.ok_or_else(|| format!("a move of awari has a time in ms, 1 to {most}"))?)
}

fn point_set(words: &[String]) -> Result<PointSet, ParsePointError> {
    words.iter().map(|word| word.parse::<Point>()).collect()
}

/// A response to a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Response {
    /// The number of the request; `None` if there was none or it could not be read.
    pub id: Option<u64>,
    /// The content.
    #[serde(flatten)]
    pub content: Content,
}

/// The content of a response.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Content {
    /// The first message to a visitor, who may ask now.
    Welcome,
    /// The first and only message to a visitor for whom there is no room.
    NoRoom {
        /// The reason.
        why: String,
    },
    /// The positions of a line.
    Plies {
        /// In order.
        plies: Vec<PlyView>,
    },
    /// What is said of stones that were set up.
    SetUp(SetUp),
    /// The search waits for its turn.
    Waiting,
    /// There is no room for the search: the page may ask again.
    Busy,
    /// The proven bounds of each legal move.
    Values {
        /// The bounds on the value of the position, for the player to move.
        value: (i8, i8),
        /// Each move with the bounds on its value for the player to move.
        moves: Vec<(Move, i8, i8)>,
        /// Whether nothing more follows.
        done: bool,
        /// Of several best moves the one that is hardest to answer, once it is known.
        hardest: Option<Move>,
    },
    /// Best play to the end.
    BestLine {
        /// The moves.
        moves: Vec<Move>,
    },
    /// The engine's move.
    Move {
        /// The move.
        #[serde(rename = "move")]
        mv: String,
        /// Whether the perfect player had no time to prove it.
        is_estimate: bool,
    },
    /// The cost of each move of a line.
    Review(ReviewView),
    /// A position as a drawing.
    Picture {
        /// The SVG document.
        svg: String,
    },
    /// The request is wrong.
    Error {
        /// The reason.
        why: String,
    },
}

/// A review as far as it is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewView {
    /// Black's lead under best play at the start and after each step.
    pub values: Vec<Option<i8>>,
    /// The cost of each step; `None` if it sets up a position.
    pub plies: Vec<Option<CostView>>,
    /// The summary of each player, with the numbers of steps.
    pub players: ByColor<PlayerReview>,
    /// Whether nothing more follows.
    pub done: bool,
}

/// The cost of a move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostView {
    /// The stones that it lost.
    pub lost: Option<u8>,
    /// The kind of the move.
    pub judgment: Option<Judgment>,
    /// The moves that would have kept the value, if it lost stones.
    pub best: Option<Vec<Move>>,
}

impl ReviewView {
    /// Describes what is known of the review of a game.
    pub(super) fn new(game: &gothello::Game, review: &Review, done: bool) -> ReviewView {
        let lead = |value: Outcome| value.lead_of(Color::Black);
        let cost = |ply: Ply| CostView {
            lost: ply.lost,
            judgment: ply.judgment,
            best: ply.best_moves,
        };
        let (mut values, mut costs, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        let mut plies = review.plies().peekable();
        let mut steps = game.steps().map(|(step, _)| step).peekable();
        while let Some(step) = steps.next() {
            match step {
                Step::Played { .. } => {
                    let Some(ply) = plies.next() else { break };
                    numbers.push(values.len());
                    values.push(ply.after.map(lead));
                    costs.push(Some(cost(ply)));
                }
                Step::SetUp(_) => {
                    // No move is made in a position that another one replaces.
                    let value = match (steps.peek(), plies.peek()) {
                        (Some(Step::SetUp(_)), _) => None,
                        (Some(Step::Played { .. }), Some(next)) => next.before,
                        _ => review.end().outcome(),
                    };
                    values.push(value.map(lead));
                    costs.push(None);
                }
            }
        }
        let number_of = |mv: Option<usize>| numbers.get(mv?.checked_sub(1)?).copied();
        let players = ByColor::from_fn(|color| {
            let player = review.player(color);
            PlayerReview {
                first_mistake: number_of(player.first_mistake),
                first_blunder: number_of(player.first_blunder),
                ..player
            }
        });
        ReviewView {
            values,
            // The first one is of the start.
            plies: costs.into_iter().skip(1).collect(),
            players,
            done,
        }
    }
}

impl Content {
    /// Returns the content that says what is wrong.
    pub fn error(why: impl ToString) -> Content {
        Content::Error {
            why: why.to_string(),
        }
    }
}
