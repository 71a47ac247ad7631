//! The responses of an engine, parsed from the bytes of its output as they come.

use thiserror::Error;

/// The maximum length of a response in bytes, with the empty lines before it.
const MAX_RESPONSE: usize = 64 * 1024;

/// The number of characters of invalid output that are shown.
const MAX_SHOWN: usize = 80;

/// A response: the text after `=`, or the failure after `?`.
pub type EngineResponse = Result<String, FailureResponse>;

/// A failure response: the error message after `?`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct FailureResponse(pub String);

/// A response with the number of its command, if the engine repeated one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedResponse {
    /// The number after `=` or `?`.
    pub id: Option<u32>,
    /// The response.
    pub response: EngineResponse,
}

/// The beginning of output that is not a GTP response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidResponse(pub String);

/// Splits the output of an engine into responses. After invalid output there are no more.
#[derive(Debug, Default)]
pub struct Responses {
    /// The output that is not parsed yet: whole lines of a response, and the last, partial line.
    unparsed: Vec<u8>,
    /// The number of bytes at its beginning that are whole lines of the next response.
    lines: usize,
    /// The number of bytes in empty lines before the next response.
    skipped: usize,
}

impl Responses {
    /// Adds output.
    pub fn push(&mut self, output: &[u8]) {
        self.unparsed.extend_from_slice(output);
    }

    /// Returns the next response; `None` if it is not complete. Output of [`MAX_RESPONSE`] bytes
    /// without the end of a response is invalid.
    pub fn next(&mut self) -> Option<Result<NumberedResponse, InvalidResponse>> {
        loop {
            let rest = self.unparsed.get(self.lines..).unwrap_or_default();
            let Some(end) = rest.iter().position(|&byte| byte == b'\n') else {
                let is_too_long = self.skipped.saturating_add(self.unparsed.len()) >= MAX_RESPONSE;
                return is_too_long.then(|| invalid(&self.unparsed));
            };
            let line = rest.get(..=end).unwrap_or_default();
            let is_empty = line.trim_ascii().is_empty();
            match (is_empty, self.lines) {
                // Some engines send empty lines between their responses.
                (true, 0) => {
                    self.skipped = self.skipped.saturating_add(line.len());
                    self.unparsed.drain(..=end);
                }
                (true, lines) => {
                    let through = lines.saturating_add(end).saturating_add(1);
                    let text: Vec<u8> = self.unparsed.drain(..through).take(lines).collect();
                    self.lines = 0;
                    self.skipped = 0;
                    return Some(parse(&String::from_utf8_lossy(&text)));
                }
                (false, 0) if !line.starts_with(b"=") && !line.starts_with(b"?") => {
                    return Some(invalid(line));
                }
                (false, lines) => self.lines = lines.saturating_add(line.len()),
            }
            if self.skipped.saturating_add(self.lines) >= MAX_RESPONSE {
                return Some(invalid(&self.unparsed));
            }
        }
    }

    /// Returns the beginning of an incomplete response, if there is one.
    pub fn unfinished(&self) -> Option<String> {
        Some(beginning(&self.unparsed)).filter(|text| !text.is_empty())
    }
}

/// Parses a response without the terminating empty line.
fn parse(text: &str) -> Result<NumberedResponse, InvalidResponse> {
    let Some((digits, _, response)) = split_response(text) else {
        return invalid(text.as_bytes());
    };
    let id = digits.parse().ok();
    Ok(NumberedResponse { id, response })
}

/// Splits a response without the terminating empty line into the digits after `=` or `?`, and the
/// rest. Returns them, and what the response says.
pub fn split_response(text: &str) -> Option<(&str, &str, EngineResponse)> {
    let after_sign = text.strip_prefix(['=', '?'])?;
    let rest = after_sign.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = after_sign.strip_suffix(rest)?;
    let result = rest.trim().to_owned();
    let response = match text.starts_with('=') {
        true => Ok(result),
        false => Err(FailureResponse(result)),
    };
    Some((digits, rest, response))
}

fn invalid<T>(output: &[u8]) -> Result<T, InvalidResponse> {
    Err(InvalidResponse(beginning(output)))
}

/// Returns the beginning of output as it is shown.
fn beginning(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    text.trim().chars().take(MAX_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Found = Vec<Result<NumberedResponse, InvalidResponse>>;

    /// Parses output that comes in pieces of this many bytes.
    fn responses_in_pieces(output: &[u8], size: usize) -> Found {
        let mut responses = Responses::default();
        let mut found = Vec::new();
        for piece in output.chunks(size) {
            responses.push(piece);
            while let Some(response) = responses.next() {
                let is_invalid = response.is_err();
                found.push(response);
                if is_invalid {
                    return found;
                }
            }
        }
        found
    }

    fn responses(output: &[u8]) -> Found {
        responses_in_pieces(output, usize::MAX)
    }

    fn good(id: Option<u32>, text: &str) -> Result<NumberedResponse, InvalidResponse> {
        let response = Ok(text.into());
        Ok(NumberedResponse { id, response })
    }

    fn bad(id: Option<u32>, text: &str) -> Result<NumberedResponse, InvalidResponse> {
        let response = Err(FailureResponse(text.into()));
        Ok(NumberedResponse { id, response })
    }

    #[test]
    fn responses_are_found_among_empty_lines() {
        let output =
            b"\n\r\n= C3\r\n\r\n\n\n=7 pass\n\n=\n\n? unknown command\n\n?2 no\nand no\n\n= half";
        assert_eq!(
            responses(output),
            [
                good(None, "C3"),
                good(Some(7), "pass"),
                good(None, ""),
                bad(None, "unknown command"),
                bad(Some(2), "no\nand no")
            ]
        );
    }

    #[test]
    fn the_beginning_of_invalid_output_is_kept() {
        let invalid = |text: &str| Err(InvalidResponse(text.to_owned()));
        assert_eq!(
            responses(b"= a\n\nhello\n= b\n\n"),
            [good(None, "a"), invalid("hello")]
        );
        let endless = vec![b'x'; 100_000];
        assert_eq!(responses(&endless), [invalid(&"x".repeat(MAX_SHOWN))]);
        let empty = vec![b'\n'; 100_000];
        assert_eq!(responses(&empty), [invalid("")]);
        let endless = [&b"= "[..], &endless].concat();
        assert_eq!(responses(&endless).len(), 1);
        let many_lines = [&b"= "[..], &b"x\n".repeat(50_000)].concat();
        assert_eq!(responses_in_pieces(&many_lines, 1_000).len(), 1);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            output in proptest::collection::vec(
                prop_oneof![Just(b'='), Just(b'\n'), Just(b'?'), Just(b'1'), any::<u8>()], 0..100),
            size in 1..10_usize,
        ) {
            prop_assert_eq!(responses(&output), responses_in_pieces(&output, size));
        }
    }
}
