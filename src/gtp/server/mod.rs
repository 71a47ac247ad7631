//! The Go Text Protocol (GTP), version 2, on a pair of byte streams.
//!
//! Source: Gunnar Farnebäck, *Specification of the Go Text Protocol*, version
//! 2, draft 2 (2002), with GoGui's extensions.
//!
//! Bytes become a [`Line`], and a line a [`Request`]. A [`Session`] finds the command in its table,
//! which parses its [`Arguments`], executes it and writes the response. It does no other I/O, except
//! for the game records that `loadsgf` and `printsgf` name.
//!
//! This is the same for every game. The differences are in implementations of [`GtpGame`], a
//! submodule for each game. Each file uses only those before it: `request`, `input`, `response`,
//! `arguments`, `time`, `live`, `game`; `gothello` and `awari`; `session`.

mod arguments;
mod awari;
mod game;
mod gothello;
mod input;
mod live;
mod request;
mod response;
mod session;
mod time;

use std::io::{self, Read, Write};

use itertools::Itertools;

pub use arguments::Arguments;
pub use awari::{AwariVertex, ParseAwariVertexError};
pub use game::{Execution, Extension, ExtensionCommand, GtpGame, SearchContext};
pub use gothello::{GothelloEngine, GothelloSearchCommand};
pub use input::{Input, Line, MAX_LINE};
pub use live::LiveGraphics;
pub use request::{Id, Request, preprocess};
pub use response::{Failure, Response};
pub use session::{PendingSearch, SearchCommand, Session, WatchReader};
pub use time::{TimeLeft, TimeSettings};

/// The number of bytes of responses after which they are written even if more
/// commands are waiting.
const MAX_OUTPUT: usize = 64 * 1024;

/// Answers the commands of `input` on `output` until `quit` or the end of
/// input. Responses are written as soon as no complete command is waiting.
///
/// # Errors
/// If the input cannot be read or the output cannot be written.
pub fn run<G: GtpGame>(
    mut session: Session<G>,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    let mut input = Input::new(input);
    let mut responses = Vec::new();
    while !session.is_over() {
        if !input.has_line() || responses.len() > MAX_OUTPUT {
            flush(&mut responses, &mut output)?;
        }
        let Some(line) = input.next_line()? else {
            break;
        };
        if let Some(pending) = session.answer(&line, &mut responses) {
            flush(&mut responses, &mut output)?;
            input.watch(session.begin_search())?;
            session.search(pending, &mut responses);
            input.unwatch();
        }
    }
    flush(&mut responses, &mut output)
}

/// Writes the responses and clears them.
fn flush(responses: &mut Vec<u8>, output: &mut impl Write) -> io::Result<()> {
    if !responses.is_empty() {
        output.write_all(responses)?;
        output.flush()?;
        responses.clear();
    }
    Ok(())
}

/// Returns the names of all commands of any game in alphabetical order.
pub fn command_names() -> impl Iterator<Item = &'static str> {
    session::names::<crate::games::gothello::Game>()
        .merge(session::names::<crate::games::awari::Game>())
        .dedup()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_tables_are_sorted_and_disjoint() {
        fn is_sorted<G: GtpGame>() -> bool {
            session::names::<G>().is_sorted_by(|a, b| a < b)
                && G::EXTENSIONS.is_sorted_by(|(a, _), (b, _)| a < b)
        }
        assert!(is_sorted::<crate::games::gothello::Game>());
        assert!(is_sorted::<crate::games::awari::Game>());
    }
}
