//! The commands that only Gothello has, except for searches: setting up positions,
//! game records, parameters of the engine, and graphics that show the board.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use itertools::Itertools;
use thiserror::Error;

use super::{GothelloEngine, GothelloSearchCommand as Search, analyze, write_point, write_points};
use crate::base::color::Color;
use crate::base::rng::Rng;
use crate::games::gothello::{Game, Point, PointSet, Position, Step};
use crate::games::sgf;
use crate::gtp::server::arguments::Arguments;
use crate::gtp::server::game::{Executed, Extension, ExtensionParser};
use crate::gtp::server::live::{LiveGraphics, last_move_label};
use crate::gtp::server::response::{Failure, Response};
use crate::player::{Level, Skill};

/// A command that only Gothello has. The names are those of the commands.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are those of the commands")]
pub enum GothelloCommand {
    FinalStatusList(StoneStatus),
    /// A file, and the number of the move before which to stop, counted from 1.
    Loadsgf(PathBuf, Option<u32>),
    /// A file; `None` writes the record as the response.
    Printsgf(Option<PathBuf>),
    Setup(Vec<(Color, Point)>),
    SetupPlayer(Color),
    Groups,
    Captures,
    Safety,
    ListParameters,
    SetParameter(Parameter),
}

/// The argument of `final_status_list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoneStatus {
    /// The stones that count: all of them.
    Alive,
    /// The stones that would be removed: none.
    Dead,
    /// The stones that live without territory: none, because Gothello has no territory.
    Seki,
}

/// A parameter of `gothello-param` with its new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The strength of the player.
    Level(Level),
    /// The seed of the player's random moves.
    Seed(u64),
    /// Whether GoGui shows the progress of a search.
    LiveGraphics(bool),
}

/// The reason why a game record could not be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is a directory, a pipe or a device.
    #[error("not a regular file")]
    NoFile,
    /// It is too large to be a game record.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// Its content is invalid.
    #[error(transparent)]
    Sgf(#[from] sgf::ReadError),
}

/// A game record that cannot be read or written, or is invalid.
#[derive(Debug, Error)]
#[error("cannot {verb} file: {}: {reason}", .path.display())]
struct UnusableFile {
    verb: &'static str,
    path: PathBuf,
    reason: LoadError,
}

/// The extension commands and the parsers of their arguments, in alphabetical order.
pub const EXTENSIONS: &[(&str, ExtensionParser<Game>)] = &[
    ("final_status_list", |a| {
        let status = a.one(parse_stone_status)?;
        command(GothelloCommand::FinalStatusList(status))
    }),
    ("gogui-setup", |a| {
        let stones = a.pairs(|a| a.parsed("point"))?;
        command(GothelloCommand::Setup(stones))
    }),
    ("gogui-setup_player", |a| {
        let color = a.one(Arguments::color)?;
        command(GothelloCommand::SetupPlayer(color))
    }),
    ("gothello-best_moves", |a| search(a, Search::BestMoves)),
    ("gothello-captures", |a| plain(a, GothelloCommand::Captures)),
    ("gothello-groups", |a| plain(a, GothelloCommand::Groups)),
    ("gothello-param", |mut a| {
        let parameter = a.optional(parse_parameter)?;
        let list = GothelloCommand::ListParameters;
        plain(a, parameter.map_or(list, GothelloCommand::SetParameter))
    }),
    ("gothello-pass_value", |a| search(a, Search::PassValue)),
    ("gothello-safety", |a| plain(a, GothelloCommand::Safety)),
    ("gothello-value", |a| search(a, Search::Value)),
    ("gothello-values", |a| search(a, Search::Values)),
    ("gothello-variation", |a| search(a, Search::Variation)),
    ("gothello-winner", |a| search(a, Search::Winner)),
    ("loadsgf", |mut a| {
        let (path, before) = file_and_move_number(a.text("file")?);
        command(GothelloCommand::Loadsgf(path.into(), before))
    }),
    ("printsgf", |mut a| {
        let path = a.optional(|a| a.text("file"))?.map(PathBuf::from);
        command(GothelloCommand::Printsgf(path))
    }),
];

/// Parses a command without further arguments.
fn plain(arguments: Arguments<'_>, command: GothelloCommand) -> Result<Extension<Game>, Failure> {
    arguments.none(Extension::Command(command))
}

/// Parses a search without arguments.
fn search(arguments: Arguments<'_>, search: Search) -> Result<Extension<Game>, Failure> {
    arguments.none(Extension::Search(search))
}

fn command(command: GothelloCommand) -> Result<Extension<Game>, Failure> {
    Ok(Extension::Command(command))
}

/// Splits the number of a move from the path before it, which may have spaces. A last word that is
/// a whole number is the number of a move.
fn file_and_move_number(text: &str) -> (&str, Option<u32>) {
    let split = text.rsplit_once(' ');
    let split = split.and_then(|(path, last)| Some((path.trim_end(), last.parse().ok()?)));
    split.map_or((text, None), |(path, number)| (path, Some(number)))
}

fn parse_stone_status(arguments: &mut Arguments<'_>) -> Result<StoneStatus, Failure> {
    match arguments.word("status")? {
        "alive" => Ok(StoneStatus::Alive),
        "dead" => Ok(StoneStatus::Dead),
        "seki" => Ok(StoneStatus::Seki),
        word => Err(Failure::Syntax(format!(
            "invalid status {word:?}: use alive, dead or seki"
        ))),
    }
}

fn parse_parameter(arguments: &mut Arguments<'_>) -> Result<Parameter, Failure> {
    match arguments.word("parameter")? {
        "level" => arguments.parsed("level").map(Parameter::Level),
        "seed" => arguments.number("seed").map(Parameter::Seed),
        "live_graphics" => match arguments.word("0 or 1")? {
            "0" => Ok(Parameter::LiveGraphics(false)),
            "1" => Ok(Parameter::LiveGraphics(true)),
            word => Err(Failure::Syntax(format!(
                "invalid live_graphics {word:?}: use 0 for off or 1 for on"
            ))),
        },
        name => Err(Failure::Syntax(format!(
            "invalid parameter {name:?}: use level, seed or live_graphics"
        ))),
    }
}

/// Executes a command.
pub fn execute(
    game: &mut Game,
    engine: &mut GothelloEngine,
    live: &LiveGraphics,
    command: GothelloCommand,
    out: &mut Response<'_>,
) -> Result<Executed, Failure> {
    match command {
        GothelloCommand::FinalStatusList(status) => write_status_list(game, status, out),
        GothelloCommand::Loadsgf(path, before) => {
            let moves = before.map_or(usize::MAX, |number| number.saturating_sub(1) as usize);
            *game = load(&path, moves).map_err(|reason| unusable("load", path, reason))?;
            return Ok(Executed::NewGame);
        }
        GothelloCommand::Printsgf(None) => out.push_str(&sgf::write(game)),
        GothelloCommand::Printsgf(Some(path)) => {
            save(&path, &sgf::write(game))
                .map_err(|reason| unusable("save", path, reason.into()))?;
        }
        GothelloCommand::Setup(stones) => set_up(game, &stones)?,
        GothelloCommand::SetupPlayer(color) => game.set_up(game.board().with_to_move(color)),
        GothelloCommand::Groups => draw_groups(game, out),
        GothelloCommand::Captures => draw_captures(game, out),
        GothelloCommand::Safety => analyze::draw_safety(game, out),
        GothelloCommand::ListParameters => list_parameters(engine, live, out),
        GothelloCommand::SetParameter(parameter) => match parameter {
            Parameter::Level(level) => skill(engine)?.level = level,
            Parameter::Seed(seed) => {
                skill(engine)?.reseed(seed);
                engine.random_best = engine.random_best.take().map(|_| Rng::new(seed));
            }
            Parameter::LiveGraphics(is_on) => live.set_on(is_on),
        },
    }
    Ok(Executed::Done)
}

fn unusable(verb: &'static str, path: PathBuf, reason: LoadError) -> Failure {
    Failure::Extension(Box::new(UnusableFile { verb, path, reason }))
}

/// Writes all stones as alive: all count at the end. Each group has a line.
fn write_status_list(game: &Game, status: StoneStatus, out: &mut Response<'_>) {
    if status != StoneStatus::Alive {
        return;
    }
    for (i, group) in game.board().groups().enumerate() {
        if i > 0 {
            out.push_str("\n");
        }
        for (i, point) in group.iter().enumerate() {
            if i > 0 {
                out.push_str(" ");
            }
            write_point(point, out);
        }
    }
}

/// Sets up stones on an otherwise empty board, with Black to move.
fn set_up(game: &mut Game, stones: &[(Color, Point)]) -> Result<(), Failure> {
    let [black, white] = Color::ALL.map(|color| {
        stones
            .iter()
            .filter(|&&(other, _)| other == color)
            .map(|&(_, point)| point)
            .collect::<PointSet>()
    });
    let position = Position::new(black, white, Color::Black, false)
        .map_err(|error| Failure::IllegalPosition(error.to_string()))?;
    game.set_up(position);
    Ok(())
}

/// The maximum size of a game record, in bytes: enough for 50 moves and many comments, but too
/// small for a malicious file to keep the reader busy.
const MAX_FILE: u64 = 64 * 1024;

/// Loads the first moves of a game record.
fn load(path: &Path, moves: usize) -> Result<Game, LoadError> {
    // Anything but a file, for instance a pipe, could block.
    if !fs::metadata(path)?.is_file() {
        return Err(LoadError::NoFile);
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_FILE + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(LoadError::TooLarge(MAX_FILE));
    }
    Ok(sgf::read(&sgf::decode(&bytes), moves)?)
}

/// Writes a file. Refuses anything else, such as a pipe without a reader or this process's standard
/// output.
fn save(path: &Path, text: &str) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::Error::other("it exists and is not a regular file"));
    }
    fs::write(path, format!("{text}\n"))
}

/// Lists the parameters for GoGui: the type, the name and the value of each.
fn list_parameters(engine: &mut GothelloEngine, live: &LiveGraphics, out: &mut Response<'_>) {
    if let Some(skill) = engine.player.skill() {
        let levels = Level::all().format("/");
        out.text(format_args!("[list/{levels}] level {}\n", skill.level));
        out.text(format_args!("[string] seed {}\n", skill.seed()));
    }
    let is_on = u8::from(live.is_on());
    out.text(format_args!("[bool] live_graphics {is_on}"));
}

fn skill(engine: &mut GothelloEngine) -> Result<&mut Skill, Failure> {
    engine.player.skill().ok_or(Failure::NoLevels)
}

/// Labels every stone with the liberties of its group, and colors it by them: red with
/// one, yellow with two, green with more.
fn draw_groups(game: &Game, out: &mut Response<'_>) {
    let board = game.board();
    let last = match game.last_step() {
        Some(Step::Played { mv, .. }) => mv.point(),
        _ => None,
    };
    for group in board.groups() {
        let liberties = (group.neighbors() & board.empty()).len();
        let color = match liberties {
            0 | 1 => "#ff4040",
            2 => "#ffd040",
            _ => "#40c040",
        };
        out.text(format_args!("COLOR {color}"));
        write_points(group, out);
        out.push_str("\nLABEL");
        for point in group {
            out.push_str(" ");
            write_point(point, out);
            if last == Some(point) {
                out.text(format_args!(" {}", last_move_label(liberties)));
            } else {
                out.text(format_args!(" {liberties}"));
            }
        }
        out.push_str("\n");
    }
    if game.is_over() {
        // Remove the words of the result, which are labels, too.
        out.push_str("LABEL");
        for point in board.empty() {
            out.push_str(" ");
            write_point(point, out);
            out.push_str(" \"\"");
        }
        out.push_str("\n");
    }
    let [black, white] = Color::ALL.map(|color| board.stones_of(color).groups().count());
    out.text(format_args!("TEXT {black} black and {white} white groups"));
}

/// Draws triangles on the stones that the player to move can capture with the next move
/// (the crosses of `gogui-rules_board_gfx` mean something else), and labels the points
/// where a stone captures with the number of captures.
fn draw_captures(game: &Game, out: &mut Response<'_>) {
    let placements = game.position().map(Position::placements);
    let mut in_danger = PointSet::EMPTY;
    for point in game.legal_points() {
        let captured = placements.and_then(|placements| placements.captures(point));
        let captured = captured.unwrap_or_default();
        if !captured.is_empty() {
            in_danger |= captured;
            out.push_str("LABEL ");
            write_point(point, out);
            out.text(format_args!(" {}\n", captured.len()));
        }
    }
    if !in_danger.is_empty() {
        out.push_str("TRIANGLE");
        write_points(in_danger, out);
        out.push_str("\n");
    }
    let color = game.to_move();
    match in_danger.len() {
        0 => out.text(format_args!("TEXT none by {color}")),
        stones => out.text(format_args!("TEXT {stones} by {color}")),
    }
}
