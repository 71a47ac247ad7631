//! The character encodings of SGF files.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::mem::decode_latin1;
use encoding_rs::{Encoding, UTF_8};

use super::{MAX_BYTES, Record};

/// Decodes the text of an SGF file.
///
/// Its encoding is that of the byte order mark, which is left out, or else the one that the
/// property `CA` of the first game names, as in `CA[GB18030]`. A file with neither, or with a name
/// that no browser knows, is UTF-8 if valid, and otherwise what its letters are most likely: Shift-JIS,
/// GBK, or else a Western encoding, as ISO 8859-1 is the default of the format. As in browsers,
/// Windows-1252 stands for ISO 8859-1, and U+FFFD for bytes that are no character.
///
/// [`GameTree::annotated`](super::GameTree::annotated) names the encoding of its text.
///
/// ```
/// use gothello::sgf;
///
/// assert_eq!(sgf::decode(b"(;PB[J\xF6rg])"), "(;PB[Jörg])");
/// assert_eq!(sgf::decode(b"(;CA[gb2312]PB[\xCE\xE2])"), "(;CA[gb2312]PB[吴])");
/// assert_eq!(sgf::decode(b"(;PB[\x8d\x95\x94\xd4])"), "(;PB[黒番])");
/// ```
pub fn decode(bytes: &[u8]) -> String {
    decode_with(bytes).text
}

/// A text that was decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// The name of its encoding.
    pub encoding: &'static str,
    /// Whether the encoding is what its letters are most likely, as the file does not tell.
    pub is_detected: bool,
}

/// Decodes the text of an SGF file, and returns its encoding, too.
pub fn decode_with(bytes: &[u8]) -> Decoded {
    let known = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let known = known.or_else(|| named_encoding(bytes));
    let known = known.or_else(|| std::str::from_utf8(bytes).is_ok().then_some(UTF_8));
    let encoding = known.unwrap_or_else(|| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(bytes, true);
        detector.guess(None, Utf8Detection::Deny)
    });
    let (text, encoding, _) = encoding.decode(bytes);
    Decoded {
        text: text.into_owned(),
        encoding: encoding.name(),
        is_detected: known.is_none(),
    }
}

/// Encodes a text in the encoding of this name, which it may name itself; `None` if it cannot be.
pub fn encode(text: &str, name: &str) -> Option<Vec<u8>> {
    let encoding = Encoding::for_label(name.as_bytes())?;
    // There is no encoder for UTF-16.
    let (bytes, used, has_unknown) = encoding.encode(text);
    (used == encoding && !has_unknown).then(|| bytes.into_owned())
}

/// Returns the encoding that the first game of a file names.
fn named_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    // Its properties are at the beginning. Names of properties and of encodings are ASCII, and so are their bytes.
    let beginning = bytes.get(..MAX_BYTES).unwrap_or(bytes);
    let (record, _) = Record::parse(&decode_latin1(beginning)).ok()?;
    let name = record.header("CA")?;
    // It cannot be UTF-16: its bytes would not read as this name.
    Some(Encoding::for_label(name.as_bytes())?.output_encoding())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_byte_order_mark_counts_most_and_then_the_name() {
        let text = "(;GM[1]PB[吴清源]C[ソ\\] — é])";
        let units = text.encode_utf16();
        let little: Vec<u8> = [0xff, 0xfe]
            .into_iter()
            .chain(units.clone().flat_map(u16::to_le_bytes))
            .collect();
        let big: Vec<u8> = [0xfe, 0xff]
            .into_iter()
            .chain(units.flat_map(u16::to_be_bytes))
            .collect();
        assert_eq!(decode(&little), text);
        assert_eq!(decode(&big), text);
        assert_eq!(decode(format!("\u{feff}{text}").as_bytes()), text);
        let named = "\u{feff}(;CA[Shift_JIS]PB[吴])";
        assert_eq!(
            decode(named.as_bytes()),
            named.trim_start_matches('\u{feff}')
        );
        for label in ["GB18030", "gbk", " utf8 ", "UTF-8"] {
            let named = text.replacen("GM[1]", &format!("CA[{label}]"), 1);
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let (bytes, _, has_unknown) = encoding.encode(&named);
            assert!(!has_unknown, "{label}");
            assert_eq!(decode(&bytes), named, "{label}");
        }
    }

    #[test]
    fn a_character_may_have_a_byte_that_is_a_backslash_or_bracket() {
        // ソ is 83 5C in Shift_JIS, 漖 is 9D 5D in GBK.
        for (label, player) in [("Shift_JIS", "ソ"), ("GBK", "漖")] {
            let text = format!("(;FF[4]CA[{label}]PB[{player}]PW[Bob])");
            let (bytes, ..) = Encoding::for_label(label.as_bytes()).unwrap().encode(&text);
            assert!(
                bytes.contains(&b'\\') || bytes.windows(2).any(|two| two == b"]]"),
                "{label}"
            );
            assert_eq!(decode(&bytes), text);
        }
    }

    #[test]
    fn without_a_name_a_file_is_utf_8_or_else_latin_1() {
        assert_eq!(decode("(;PB[Jörg])".as_bytes()), "(;PB[Jörg])");
        assert_eq!(decode(b"(;PB[J\xF6rg \x80])"), "(;PB[Jörg €])");
        for name in ["", "latin", "x", "UTF-16", "hz-gb-2312"] {
            let text = format!("(;CA[{name}]PB[Jörg])");
            assert_eq!(decode(text.as_bytes()), text, "{name}");
        }
        // The name of another property, of another node, or in a text.
        let text = b"(;C[CA[GBK\\]]GC[\xE9];CA[GBK])";
        assert_eq!(decode(text), "(;C[CA[GBK\\]]GC[é];CA[GBK])");
    }

    #[test]
    fn the_encoding_is_detected_where_the_file_does_not_name_it() {
        for (label, names) in [
            ("Shift_JIS", "黒番 白番"),
            ("Shift_JIS", "ソニー"),
            ("EUC-JP", "藤沢秀行"),
            ("GBK", "吴清源 柯洁"),
            ("Big5", "周俊勳"),
            ("EUC-KR", "이세돌"),
            ("windows-1251", "Иванов"),
        ] {
            let text = format!("(;FF[4]SZ[5]PB[{names}];B[cc])");
            let (bytes, ..) = Encoding::for_label(label.as_bytes()).unwrap().encode(&text);
            let decoded = Decoded {
                text: text.clone(),
                encoding: label,
                is_detected: true,
            };
            assert_eq!(decode_with(&bytes), decoded, "{label}");
            assert_eq!(encode(&text, label).as_deref(), Some(&*bytes), "{label}");
        }
        assert_eq!(encode("é", "Shift_JIS"), None);
        assert_eq!(encode("a", "UTF-16LE"), None);
    }

    #[test]
    fn bytes_that_are_no_character_are_replaced() {
        assert_eq!(
            decode(b"(;CA[UTF-8]PB[J\xF6rg])"),
            "(;CA[UTF-8]PB[J\u{fffd}rg])"
        );
        assert_eq!(decode(b"(;CA[GBK]PB[\xFF])"), "(;CA[GBK]PB[\u{fffd}])");
        assert_eq!(decode(b""), "");
        assert_eq!(decode(b"\xFF\xFE("), "\u{fffd}");
    }
}
