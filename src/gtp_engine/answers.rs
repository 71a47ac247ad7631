//! The responses of an engine, read from its output.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// The greatest length of a response in bytes, with the empty lines before it.
const MAX_ANSWER: u64 = 64 * 1024;

/// The number of characters of invalid output that are shown.
const MAX_SHOWN: usize = 80;

/// A response: the text after `=`, or as an error the one after `?`.
pub type Answer = Result<String, String>;

/// The beginning of output that is not a GTP response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Garbage(pub String);

/// Starts a thread that reads responses. The channel is closed after the last one, or
/// after output that is none.
pub fn read(output: impl Read + Send + 'static) -> Receiver<Result<Answer, Garbage>> {
    let (sender, answers) = sync_channel(1);
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(answer) = next(&mut output) {
            let is_garbage = answer.is_err();
            if sender.send(answer).is_err() || is_garbage {
                break;
            }
        }
    });
    answers
}

/// Returns the next response; `None` at the end of the output. A response that is not
/// ended by an empty line does not count.
fn next(output: &mut impl BufRead) -> Option<Result<Answer, Garbage>> {
    let mut output = output.take(MAX_ANSWER);
    let mut text = String::new();
    loop {
        let mut line = Vec::new();
        // Output that cannot be read has ended.
        let read = output.read_until(b'\n', &mut line).unwrap_or(0);
        let is_whole = line.ends_with(b"\n");
        if read == 0 || !is_whole {
            text.push_str(&String::from_utf8_lossy(&line));
            let is_too_long = output.limit() == 0;
            return is_too_long.then(|| garbage(&text));
        }
        let line = String::from_utf8_lossy(&line);
        match (line.trim().is_empty(), text.is_empty()) {
            // Some engines send empty lines between their responses.
            (true, true) => {}
            (true, false) => return Some(parse(&text)),
            (false, true) if !line.starts_with(['=', '?']) => return Some(garbage(&line)),
            (false, _) => text.push_str(&line),
        }
    }
}

/// Parses a response without its end.
fn parse(text: &str) -> Result<Answer, Garbage> {
    let without_id = |text: &str| {
        let text = text.trim_start_matches(|c: char| c.is_ascii_digit());
        text.trim().to_owned()
    };
    if let Some(text) = text.strip_prefix('=') {
        Ok(Ok(without_id(text)))
    } else if let Some(text) = text.strip_prefix('?') {
        Ok(Err(without_id(text)))
    } else {
        garbage(text)
    }
}

fn garbage(text: &str) -> Result<Answer, Garbage> {
    Err(Garbage(text.trim().chars().take(MAX_SHOWN).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answers(mut output: &[u8]) -> Vec<Result<Answer, Garbage>> {
        let mut found = Vec::new();
        while let Some(answer) = next(&mut output) {
            let is_garbage = answer.is_err();
            found.push(answer);
            if is_garbage {
                break;
            }
        }
        found
    }

    fn good(text: &str) -> Result<Answer, Garbage> {
        Ok(Ok(text.into()))
    }

    #[test]
    fn answers_are_found_among_empty_lines() {
        let output =
            b"\n\r\n= C3\r\n\r\n\n\n=7 pass\n\n=\n\n? unknown command\n\n?2 no\nand no\n\n= half";
        let bad = |text: &str| Ok(Err(text.to_owned()));
        assert_eq!(
            answers(output),
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
    fn what_is_no_answer_is_shown_in_part() {
        let garbage = |text: &str| Err(Garbage(text.to_owned()));
        assert_eq!(
            answers(b"= a\n\nhello\n= b\n\n"),
            [good("a"), garbage("hello")]
        );
        let endless = vec![b'x'; 100_000];
        assert_eq!(answers(&endless), [garbage(&"x".repeat(MAX_SHOWN))]);
        let empty = vec![b'\n'; 100_000];
        assert_eq!(answers(&empty), [garbage("")]);
        let endless = [&b"= "[..], &endless].concat();
        assert_eq!(answers(&endless).len(), 1);
    }

    proptest! {
        #[test]
        fn any_output_is_read(output in proptest::collection::vec(
            prop_oneof![Just(b'='), Just(b'\n'), Just(b'?'), any::<u8>()], 0..100)) {
            answers(&output);
        }
    }
}
