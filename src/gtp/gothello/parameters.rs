//! `gothello-param`: how well the player plays, and what is shown of a proof that
//! still runs, as GoGui's dialog sets it.

use itertools::Itertools;

use super::Gothello;
use crate::gtp::arguments::Arguments;
use crate::gtp::failure::Failure;
use crate::gtp::response::Response;
use crate::gtp::session::Session;
use crate::player::{Level, Skill};

/// A parameter with its new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// How well the player plays.
    Level(Level),
    /// Where chance starts from.
    Seed(u64),
    /// Whether GoGui is shown how a proof goes.
    LiveGraphics(bool),
}

impl Parameter {
    /// Reads a name and a value.
    pub(super) fn read(arguments: &mut Arguments<'_>) -> Result<Parameter, Failure> {
        let name = arguments.word("a parameter")?;
        match name {
            "level" => arguments.parsed("a level").map(Parameter::Level),
            "seed" => arguments.number("a seed").map(Parameter::Seed),
            "live_graphics" => switch(arguments).map(Parameter::LiveGraphics),
            _ => Err(Failure::Syntax(format!(
                "{name:?} is no parameter: level, seed or live_graphics is expected"
            ))),
        }
    }
}

/// Reads yes or no as GoGui writes it.
fn switch(arguments: &mut Arguments<'_>) -> Result<bool, Failure> {
    match arguments.word("0 or 1")? {
        "0" => Ok(false),
        "1" => Ok(true),
        word => Err(Failure::Syntax(format!(
            "{word:?} is neither 0, for off, nor 1, for on"
        ))),
    }
}

/// Lists the parameters for GoGui: the type, the name and the value of each.
pub(super) fn list(session: &mut Session<Gothello>, out: &mut Response<'_>) {
    if let Some(skill) = session.played.player.skill() {
        let levels = Level::all().format("/");
        out.text(format_args!("[list/{levels}] level {}\n", skill.level));
        out.text(format_args!("[string] seed {}\n", skill.seed()));
    }
    let is_on = u8::from(session.live.is_on());
    out.text(format_args!("[bool] live_graphics {is_on}"));
}

/// Sets a parameter.
pub(super) fn set(session: &mut Session<Gothello>, parameter: Parameter) -> Result<(), Failure> {
    match parameter {
        Parameter::Level(level) => skill(session)?.level = level,
        Parameter::Seed(seed) => skill(session)?.sow(seed),
        Parameter::LiveGraphics(is_on) => session.live.set_on(is_on),
    }
    Ok(())
}

/// How well the player plays, which can be set.
fn skill(session: &mut Session<Gothello>) -> Result<&mut Skill, Failure> {
    session.played.player.skill().ok_or(Failure::NoSkill)
}
