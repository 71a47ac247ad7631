//! The Go Text Protocol (GTP), version 2, on a pair of byte streams.
//!
//! Source: Gunnar Farnebäck, *Specification of the Go Text Protocol*, version
//! 2, draft 2 (2002), with GoGui's extensions.
//!
//! Bytes become a [`Line`], a line a [`Request`], a request a [`Command`];
//! there parsing ends. A [`Session`] answers commands; it reads and writes
//! nothing but the game records that `loadsgf` and `printsgf` name.
//!
//! All this is the same for every game. What is a game's alone stands behind the
//! trait [`Played`], in a folder for each: [`Gothello`] and [`Awari`].

mod administration;
mod arguments;
mod awari;
mod chosen;
mod command;
mod dispatch;
mod failure;
mod game;
mod generation;
mod gothello;
mod input;
mod live;
mod position;
mod request;
mod response;
mod ruler;
mod session;
mod time;
mod watch;

use std::io::{self, Read, Write};

pub use awari::{Awari, Turn};
pub use command::{Command, Thought, command_names};
pub use dispatch::Pending;
pub use failure::Failure;
pub use game::Played;
pub use gothello::{Gothello, LoadError, Parameter, StoneStatus};
pub use input::{Input, Line, MAX_LINE};
pub use request::{Id, Request, preprocess};
pub use session::Session;
pub use time::TimeSettings;

/// How much is answered at most before it is written, in bytes.
const MAX_OUTPUT: usize = 64 * 1024;

/// Answers the commands of `input` on `output` until `quit` or the end of
/// input. Answers are written as soon as no whole command is waiting.
///
/// # Errors
/// If the input cannot be read or the output not written.
pub fn run<G: Played>(
    mut session: Session<G>,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    let mut input = Input::new(input);
    let mut answers = Vec::new();
    while !session.is_over() {
        if !input.has_line() || answers.len() > MAX_OUTPUT {
            flush(&mut answers, &mut output)?;
        }
        let Some(line) = input.next_line()? else {
            break;
        };
        if let Some(pending) = session.answer(&line, &mut answers) {
            flush(&mut answers, &mut output)?;
            input.watch(session.stop())?;
            session.think(pending, &mut answers);
            input.unwatch();
        }
    }
    flush(&mut answers, &mut output)
}

/// Writes the answers out, and forgets them.
fn flush(answers: &mut Vec<u8>, output: &mut impl Write) -> io::Result<()> {
    if !answers.is_empty() {
        output.write_all(answers)?;
        output.flush()?;
        answers.clear();
    }
    Ok(())
}
