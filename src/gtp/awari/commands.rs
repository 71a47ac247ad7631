//! The commands that only Awari has, and who answers them.

use itertools::Itertools;

use super::{Awari, analysis};
use crate::awari::{ParsePositionError, Position};
use crate::gtp::arguments::Arguments;
use crate::gtp::command::{Command, Parser, Thought, plain};
use crate::gtp::failure::Failure;
use crate::gtp::response::Response;
use crate::gtp::session::Session;

/// A command that only Awari has; the names say which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    Gains,
    Position,
    SetPosition(Position),
}

/// A question that may take long; the names are those of the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    SuggestedMove,
}

/// Every command's name with the parser of its arguments, in the order of the
/// names.
pub(super) const COMMANDS: &[(&str, Parser<Awari>)] = &[
    ("gothello-gains", plain!(Command::Own(Own::Gains))),
    ("gothello-position", position),
    (
        "gothello-suggested_move",
        plain!(Command::Think(Thought::Own(Question::SuggestedMove))),
    ),
];

/// Without arguments the position is told. The only letter in its text is that
/// of the side to move, which people type in either case.
fn position(mut arguments: Arguments<'_>) -> Result<Command<'_, Awari>, Failure> {
    let text = arguments.rest().join(" ").to_ascii_lowercase();
    if text.is_empty() {
        return Ok(Command::Own(Own::Position));
    }
    let position = text.parse().map_err(|error| match error {
        ParsePositionError::Illegal(why) => Failure::IllegalPosition(why.to_string()),
        other => Failure::Syntax(other.to_string()),
    })?;
    Ok(Command::Own(Own::SetPosition(position)))
}

/// Obeys a command.
pub(super) fn obey(
    session: &mut Session<Awari>,
    command: Own,
    out: &mut Response<'_>,
) -> Result<(), Failure> {
    match command {
        Own::Gains => analysis::gains(&session.played.game, out),
        Own::Position if session.played.game.is_over() => return Err(Failure::NoPosition),
        Own::Position => out.text(format_args!("{}", session.played.game.position())),
        Own::SetPosition(position) => {
            session.played.set_up(position);
            session.clocks.fill();
        }
    }
    Ok(())
}
