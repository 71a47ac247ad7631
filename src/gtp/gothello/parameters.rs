//! `gothello-param`: how well the player plays, as GoGui's dialog sets it.

use itertools::Itertools;

use crate::gtp::arguments::Arguments;
use crate::gtp::failure::Failure;
use crate::gtp::response::Response;
use crate::player::{Level, Player};

/// A parameter with its new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// How well the player plays.
    Level(Level),
    /// Where chance starts from.
    Seed(u64),
}

impl Parameter {
    /// Reads a name and a value.
    pub(super) fn read(arguments: &mut Arguments<'_>) -> Result<Parameter, Failure> {
        let name = arguments.word("a parameter")?;
        match name {
            "level" => arguments.parsed("a level").map(Parameter::Level),
            "seed" => arguments.number("a seed").map(Parameter::Seed),
            _ => Err(Failure::Syntax(format!(
                "{name:?} is no parameter: level or seed is expected"
            ))),
        }
    }
}

/// Lists the parameters for GoGui: the type, the name and the value of each.
pub(super) fn list(player: &mut dyn Player, out: &mut Response<'_>) {
    if let Some(skill) = player.skill() {
        let levels = Level::all().format("/");
        out.text(format_args!("[list/{levels}] level {}\n", skill.level));
        out.text(format_args!("[string] seed {}", skill.seed()));
    }
}

/// Sets a parameter.
pub(super) fn set(player: &mut dyn Player, parameter: Parameter) -> Result<(), Failure> {
    let skill = player.skill().ok_or(Failure::NoSkill)?;
    match parameter {
        Parameter::Level(level) => skill.level = level,
        Parameter::Seed(seed) => skill.sow(seed),
    }
    Ok(())
}
