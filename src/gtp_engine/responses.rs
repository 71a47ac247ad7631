//! The responses of an engine, read from its output.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// The maximum length of a response in bytes, with the empty lines before it.
const MAX_RESPONSE: u64 = 64 * 1024;

/// The number of characters of invalid output that are shown.
const MAX_SHOWN: usize = 80;

/// A response: the text after `=`, or the error message after `?`.
pub type EngineResponse = Result<String, String>;

/// The beginning of output that is not a GTP response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidResponse(pub String);

/// Starts a thread that reads responses. The channel is closed after the last response or
/// after invalid output. Output of [`MAX_RESPONSE`] bytes without the end of a response is
/// invalid.
pub fn spawn_reader(
    output: impl Read + Send + 'static,
) -> Receiver<Result<EngineResponse, InvalidResponse>> {
    let (sender, responses) = sync_channel(1);
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(response) = next(&mut output) {
            let is_invalid = response.is_err();
            if sender.send(response).is_err() || is_invalid {
                break;
            }
        }
    });
    responses
}

/// Returns the next response; `None` at the end of the output. An incomplete response,
/// without the terminating empty line, is ignored.
fn next(output: &mut impl BufRead) -> Option<Result<EngineResponse, InvalidResponse>> {
    let mut output = output.take(MAX_RESPONSE);
    let mut text = String::new();
    loop {
        let mut line = Vec::new();
        // An error when reading counts as the end of the output.
        let read = output.read_until(b'\n', &mut line).unwrap_or(0);
        let is_whole = line.ends_with(b"\n");
        if read == 0 || !is_whole {
            text.push_str(&String::from_utf8_lossy(&line));
            let is_too_long = output.limit() == 0;
            return is_too_long.then(|| invalid(&text));
        }
        let line = String::from_utf8_lossy(&line);
        match (line.trim().is_empty(), text.is_empty()) {
            // Some engines send empty lines between their responses.
            (true, true) => {}
            (true, false) => return Some(parse(&text)),
            (false, true) if !line.starts_with(['=', '?']) => return Some(invalid(&line)),
            (false, _) => text.push_str(&line),
        }
    }
}

/// Parses a response without the terminating empty line.
fn parse(text: &str) -> Result<EngineResponse, InvalidResponse> {
    let without_id = |text: &str| {
        let text = text.trim_start_matches(|c: char| c.is_ascii_digit());
        text.trim().to_owned()
    };
    if let Some(text) = text.strip_prefix('=') {
        Ok(Ok(without_id(text)))
    } else if let Some(text) = text.strip_prefix('?') {
        Ok(Err(without_id(text)))
    } else {
        invalid(text)
    }
}

fn invalid(text: &str) -> Result<EngineResponse, InvalidResponse> {
    Err(InvalidResponse(
        text.trim().chars().take(MAX_SHOWN).collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn responses(mut output: &[u8]) -> Vec<Result<EngineResponse, InvalidResponse>> {
        let mut found = Vec::new();
        while let Some(response) = next(&mut output) {
            let is_invalid = response.is_err();
            found.push(response);
            if is_invalid {
                break;
            }
        }
        found
    }

    fn good(text: &str) -> Result<EngineResponse, InvalidResponse> {
        Ok(Ok(text.into()))
    }

    #[test]
    fn responses_are_found_among_empty_lines() {
        let output =
            b"\n\r\n= C3\r\n\r\n\n\n=7 pass\n\n=\n\n? unknown command\n\n?2 no\nand no\n\n= half";
        let bad = |text: &str| Ok(Err(text.to_owned()));
        assert_eq!(
            responses(output),
            [
                good("C3"),
                good("pass"),
                good(""),
                bad("unknown command"),
                bad("no\nand no")
            ]
        );
    }

    #[test]
    fn the_beginning_of_invalid_output_is_kept() {
        let invalid = |text: &str| Err(InvalidResponse(text.to_owned()));
        assert_eq!(
            responses(b"= a\n\nhello\n= b\n\n"),
            [good("a"), invalid("hello")]
        );
        let endless = vec![b'x'; 100_000];
        assert_eq!(responses(&endless), [invalid(&"x".repeat(MAX_SHOWN))]);
        let empty = vec![b'\n'; 100_000];
        assert_eq!(responses(&empty), [invalid("")]);
        let endless = [&b"= "[..], &endless].concat();
        assert_eq!(responses(&endless).len(), 1);
    }

    proptest! {
        #[test]
        fn any_output_is_read(output in proptest::collection::vec(
            prop_oneof![Just(b'='), Just(b'\n'), Just(b'?'), any::<u8>()], 0..100)) {
            responses(&output);
        }
    }
}
