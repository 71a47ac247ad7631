//! Any input is answered, and refused input changes nothing.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use gothello::games::{awari, gothello as rules};
use gothello::gtp::server::{self, GothelloEngine, GtpGame, MAX_LINE, Session, command_names};
use gothello::player::{AlphaBeta, AwariChoice, AwariPlayer, Limits, MoveLimits};
use gothello::solver::Bounds;
use proptest::prelude::*;
use proptest::string::string_regex;

use crate::analyzer::Knows;
use crate::cases::cases;

/// Gives out its bytes in pieces of certain lengths, over and over.
struct Pieces {
    bytes: io::Cursor<Vec<u8>>,
    lengths: std::iter::Cycle<std::vec::IntoIter<usize>>,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.lengths.next().unwrap_or(1).clamp(1, buffer.len());
        self.bytes.read(&mut buffer[..most])
    }
}

fn gothello() -> Session<rules::Game> {
    let player = Box::new(AlphaBeta::new());
    let analyzer = Arc::new(Knows(Bounds::UNKNOWN));
    let engine = GothelloEngine::new(player, analyzer);
    Session::new(
        rules::Game::new(),
        engine,
        MoveLimits::within(Duration::ZERO),
    )
}

/// Sows the first pit that is legal.
struct First;

impl AwariPlayer for First {
    fn choose(&mut self, game: &awari::Game, _: &Limits<'_>) -> AwariChoice {
        AwariChoice::new(game.legal_moves().next().unwrap())
    }
}

fn awari() -> Session<awari::Game> {
    let engine = Box::new(First);
    Session::new(
        awari::Game::default(),
        engine,
        MoveLimits::within(Duration::ZERO),
    )
}

fn answers<G: GtpGame>(session: Session<G>, input: Vec<u8>, pieces: Vec<usize>) -> Vec<u8> {
    let reader = Pieces {
        bytes: io::Cursor::new(input),
        lengths: pieces.into_iter().cycle(),
    };
    let mut output = Vec::new();
    server::run(session, reader, &mut output).unwrap();
    output
}

/// Checks the form of all responses against the draft, section 2.6. Returns how many there are.
fn count_responses(output: &[u8]) -> usize {
    let text = std::str::from_utf8(output).unwrap();
    if text.is_empty() {
        return 0;
    }
    let responses: Vec<&str> = text.strip_suffix("\n\n").unwrap().split("\n\n").collect();
    for response in &responses {
        assert!(response.starts_with(['=', '?']), "{response:?}");
        let head = response.split(' ').next().unwrap();
        assert!(
            head[1..].bytes().all(|byte| byte.is_ascii_digit()),
            "{response:?}"
        );
        assert!(response.contains(' '), "{response:?}");
        let clean = |c: char| c == '\n' || !c.is_control();
        assert!(response.chars().all(clean), "{response:?}");
    }
    responses.len()
}

/// How many lines of input are commands, written without any of the parser.
fn count_commands(input: &[u8]) -> usize {
    let mut count = 0;
    for line in input.split(|&byte| byte == b'\n') {
        let start = &line[..line.len().min(MAX_LINE)];
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        let command = start.split(|&byte| byte == b'#').next().unwrap();
        let visible = |&byte: &u8| byte > b' ' && byte != 0x7f;
        count += usize::from(command.iter().any(visible));
        let words = String::from_utf8_lossy(command);
        if words.split_whitespace().any(|word| word == "quit") {
            break;
        }
    }
    count
}

/// A word that some command takes or nearly takes.
fn any_word() -> impl Strategy<Value = String> {
    let names: Vec<&str> = command_names()
        // Random input must not write files; quitting has a test of its own.
        .filter(|name| !["printsgf", "loadsgf", "quit"].contains(name))
        .collect();
    // Parsed once: a `&str` as a strategy is parsed again for each word.
    let matching = |regex| string_regex(regex).unwrap();
    prop_oneof![
        4 => proptest::sample::select(names).prop_map(str::to_owned),
        3 => matching("[a-eA-F][0-6]"),
        1 => matching("[a-f][34]"),
        3 => matching("b|w|B|W|black|white|pass"),
        1 => matching("[0-9]{1,11}"),
        1 => matching("#|\t|\r|\\PC{1,5}"),
    ]
}

/// Positions of Awari that are soon over.
const POSITIONS: [&str; 3] = [
    "gothello-position 1,0,0,0,0,0/1,0,0,0,0,0 22 24 s",
    "gothello-position 1,0,0,0,0,0/3,0,0,0,0,1 24 19 s",
    "gothello-position 0,0,0,0,0,1/0,0,0,0,0,2 23 22 n",
];

fn any_script() -> impl Strategy<Value = String> {
    let words = proptest::collection::vec(any_word(), 0..6).prop_map(|words| words.join(" "));
    let line = prop_oneof![
        9 => words,
        1 => proptest::sample::select(&POSITIONS).prop_map(str::to_owned),
    ];
    proptest::collection::vec(line, 0..20).prop_map(|lines| lines.join("\n") + "\n")
}

fn any_pieces() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(1..200_usize, 1..5)
}

fn assert_bytes_are_answered(input: Vec<u8>, pieces: Vec<usize>) {
    let commands = count_commands(&input);
    let answered = answers(gothello(), input.clone(), pieces.clone());
    assert_eq!(count_responses(&answered), commands);
    let answered = answers(awari(), input, pieces);
    assert_eq!(count_responses(&answered), commands);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(5_000)))]

    #[test]
    fn any_bytes_are_answered(input in proptest::collection::vec(any::<u8>(), 0..300), pieces in any_pieces()) {
        assert_bytes_are_answered(input, pieces);
    }

    #[test]
    fn any_commands_are_answered(input in any_script(), pieces in any_pieces()) {
        assert_bytes_are_answered(input.into_bytes(), pieces);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(100)))]

    #[test]
    fn lines_of_any_length_are_answered(lengths in proptest::collection::vec(0..200_000_usize, 1..4), pieces in any_pieces()) {
        let lines: Vec<Vec<u8>> = lengths.into_iter().map(|length| [vec![b'x'; length], b"\n".to_vec()].concat()).collect();
        let pieces = pieces.into_iter().map(|piece| piece * 300).collect();
        assert_bytes_are_answered(lines.concat(), pieces);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300_000))]

    #[test]
    #[ignore = "takes a quarter of a minute, optimized"]
    fn many_inputs_of_bytes(input in proptest::collection::vec(any::<u8>(), 0..40), pieces in any_pieces()) {
        assert_bytes_are_answered(input, pieces);
    }

    #[test]
    #[ignore = "takes a quarter of a minute, optimized"]
    fn many_inputs_of_commands(words in proptest::collection::vec(any_word(), 0..8), pieces in any_pieces()) {
        assert_bytes_are_answered((words.join(" ") + "\n").into_bytes(), pieces);
    }
}
