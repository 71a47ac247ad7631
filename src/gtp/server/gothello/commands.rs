//! The commands that only Gothello has, except for searches: setting up positions,
//! game records, parameters of the engine, and graphics that show the board.

use std::error::Error;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use itertools::Itertools;

use super::{GothelloEngine, GothelloSearchCommand as By, analyze, write_point, write_points};
use crate::base::color::Color;
use crate::base::rng::Rng;
use crate::games::gothello::{Game, Point, PointSet, Position, Step};
use crate::games::sgf::{self, GameTree};
use crate::gtp::server::arguments::{Arguments, invalid};
use crate::gtp::server::game::Execution;
use crate::gtp::server::game::Extension::{self, Command, Search, Show};
use crate::gtp::server::live::{LiveGraphics, last_move_label};
use crate::gtp::server::response::{Failure, Response};
use crate::player::{Level, Skill};

/// A parameter of `gothello-param` with its new value.
enum Parameter {
    /// The strength of the player.
    Level(Level),
    /// The seed of the player's random moves.
    Seed(u64),
    /// Whether GoGui shows the progress of a search.
    LiveGraphics(bool),
}

/// The extension commands, in alphabetical order.
pub const EXTENSIONS: &[(&str, Extension<Game>)] = &[
    ("final_status_list", Command(final_status_list)),
    ("gogui-setup", Command(set_up)),
    (
        "gogui-setup_player",
        Command(|Execution { game, .. }, a, _| {
            let color = a.one(Arguments::color)?;
            game.set_up(game.board().with_to_move(color));
            Ok(())
        }),
    ),
    ("gothello-best_moves", Search(By::BestMoves)),
    ("gothello-captures", Show(draw_captures)),
    ("gothello-groups", Show(draw_groups)),
    ("gothello-param", Command(set_or_list_parameters)),
    ("gothello-pass_value", Search(By::PassValue)),
    ("gothello-safety", Show(analyze::draw_safety)),
    ("gothello-value", Search(By::Value)),
    ("gothello-values", Search(By::Values)),
    ("gothello-variation", Search(By::Variation)),
    ("gothello-winner", Search(By::Winner)),
    (
        "loadsgf",
        Command(|execution, mut a, _| {
            let (path, before) = file_and_move_number(a.text("file")?);
            let moves = before.map_or(usize::MAX, |number| number.saturating_sub(1) as usize);
            let (game, record) =
                load(Path::new(path), moves).map_err(|why| unusable("load", path, &why))?;
            *execution.game = game;
            execution.engine.loaded = Some(record);
            execution.is_new_game = true;
            Ok(())
        }),
    ),
    (
        "printsgf",
        Command(|Execution { game, engine, .. }, mut a, out| {
            let is_loaded =
                |record: &&GameTree| **game != Game::new() && record.game(usize::MAX) == **game;
            let record = match engine.loaded.as_ref().filter(is_loaded) {
                Some(record) => record.to_string(),
                None => sgf::write(game),
            };
            match a.optional(|a| a.text("file"))? {
                Some(path) => {
                    save(Path::new(path), &record).map_err(|why| unusable("save", path, &why))
                }
                None => {
                    // An empty line of a comment would end the response.
                    let lines = record.lines().map(|line| match line.trim().is_empty() {
                        true => " ",
                        false => line,
                    });
                    out.text(format_args!("{}", lines.format("\n")));
                    Ok(())
                }
            }
        }),
    ),
];

/// Splits the number of a move from the path before it, which may have spaces. A last word that is
/// a whole number is the number of a move.
fn file_and_move_number(text: &str) -> (&str, Option<u32>) {
    let split = text.rsplit_once(' ');
    let split = split.and_then(|(path, last)| Some((path.trim_end(), last.parse().ok()?)));
    split.map_or((text, None), |(path, number)| (path, Some(number)))
}

fn parse_parameter(arguments: &mut Arguments<'_>) -> Result<Parameter, Failure> {
    match arguments.word("parameter")? {
        "level" => arguments.parsed("level").map(Parameter::Level),
        "seed" => arguments.number("seed").map(Parameter::Seed),
        "live_graphics" => match arguments.word("0 or 1")? {
            "0" => Ok(Parameter::LiveGraphics(false)),
            "1" => Ok(Parameter::LiveGraphics(true)),
            word => Err(invalid("live_graphics", word, "0 for off or 1 for on")),
        },
        name => Err(invalid("parameter", name, "level, seed or live_graphics")),
    }
}

/// Executes `gothello-param`.
fn set_or_list_parameters(
    Execution { engine, live, .. }: &mut Execution<'_, Game>,
    mut arguments: Arguments<'_>,
    out: &mut Response<'_>,
) -> Result<(), Failure> {
    let parameter = arguments.optional(parse_parameter)?;
    arguments.end()?;
    match parameter {
        None => list_parameters(engine, live, out),
        Some(Parameter::Level(level)) => skill(engine)?.level = level,
        Some(Parameter::Seed(seed)) => {
            skill(engine)?.reseed(seed);
            engine.random_best = engine.random_best.take().map(|_| Rng::new(seed));
        }
        Some(Parameter::LiveGraphics(is_on)) => live.set_on(is_on),
    }
    Ok(())
}

/// Returns the failure of a command with a game record that cannot be read or written, or is invalid.
fn unusable(verb: &str, path: &str, why: &dyn Display) -> Failure {
    Failure::File(format!("cannot {verb} file: {path}: {why}"))
}

/// Writes all stones as alive, because all count at the end; each group has a line. None would be
/// removed as dead, and none lives without territory.
fn final_status_list(
    Execution { game, .. }: &mut Execution<'_, Game>,
    arguments: Arguments<'_>,
    out: &mut Response<'_>,
) -> Result<(), Failure> {
    let are_listed = arguments.one(|a| match a.word("status")? {
        "alive" => Ok(true),
        "dead" | "seki" => Ok(false),
        word => Err(invalid("status", word, "alive, dead or seki")),
    })?;
    let groups = game.board().groups().filter(|_| are_listed);
    let lines = groups.map(|group| group.iter().map(analyze::upper).join(" "));
    out.text(format_args!("{}", lines.format("\n")));
    Ok(())
}

/// Sets up stones on an otherwise empty board, with Black to move.
fn set_up(
    Execution { game, .. }: &mut Execution<'_, Game>,
    arguments: Arguments<'_>,
    _: &mut Response<'_>,
) -> Result<(), Failure> {
    let stones: Vec<(Color, Point)> = arguments.pairs(|a| a.parsed("point"))?;
    let [black, white] = Color::ALL.map(|color| {
        let of_color = stones.iter().filter(|&&(other, _)| other == color);
        of_color.map(|&(_, point)| point).collect::<PointSet>()
    });
    let position = Position::new(black, white, Color::Black, false)
        .map_err(|error| Failure::IllegalPosition(error.to_string()))?;
    game.set_up(position);
    Ok(())
}

/// Loads the first moves of a game record, and the record.
fn load(path: &Path, moves: usize) -> Result<(Game, GameTree), Box<dyn Error>> {
    // Anything but a file, for instance a pipe, could block.
    if !fs::metadata(path)?.is_file() {
        return Err("not a regular file".into());
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(sgf::MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() > sgf::MAX_BYTES {
        return Err(format!("larger than {} bytes", sgf::MAX_BYTES).into());
    }
    let text = sgf::decode(&bytes);
    let game = sgf::read(&text, moves)?;
    let (record, left_out) = GameTree::read_main_line(&text)?;
    for left_out in left_out {
        // GoGui shows it. A warning that cannot be written changes nothing.
        let _ = writeln!(io::stderr(), "warning: {}: {left_out}", path.display());
    }
    Ok((game, record))
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
