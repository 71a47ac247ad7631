//! Any bytes sent to the GTP engine: nothing panics, hangs, or breaks the shape
//! of the responses.
//!
//! `cargo fuzz run gtp -- -runs=10000000 -dict=fuzz/gtp.dict -detect_leaks=0`
//! (a stable toolchain needs `RUSTC_BOOTSTRAP=1`). Leak detection is off: a
//! thread that reads ahead ends by itself after `quit`, and what it still has
//! at that moment would be reported as a leak.

#![no_main]

use std::io::Cursor;
use std::sync::Arc;

use gothello::awari;
use gothello::gtp::server::{self, GothelloEngine, GtpGame, Session};
use gothello::player::{
    AnalysisControl, Analyzer, AwariChoice, AwariPlayer, BestMoves, Choice, Limits, MoveLimits,
    Player,
};
use gothello::solver::{Bounds, Control, MoveBounds, Objective, PrincipalVariation};
use gothello::{Game, Move, Position};
use libfuzzer_sys::fuzz_target;

/// Makes the first legal move at once: the fuzz target is the reader.
struct First;

impl Player for First {
    fn choose(&mut self, position: &Position, _: &Limits<'_>) -> Choice {
        Choice::new(position.legal_moves().next().unwrap_or(Move::Pass))
    }
}

impl AwariPlayer for First {
    fn choose(&mut self, game: &awari::Game, _: &Limits<'_>) -> AwariChoice {
        AwariChoice::new(game.legal_moves().next().expect("the game is not over"))
    }
}

/// Proves nothing.
struct Nothing;

impl Analyzer for Nothing {
    fn value(&self, _: &Position, _: Objective, _: &Control<'_>) -> Bounds {
        Bounds::UNKNOWN
    }

    fn moves(&self, position: &Position, _: &AnalysisControl<'_>) -> Vec<MoveBounds> {
        let bounds = Bounds::UNKNOWN;
        position
            .legal_moves()
            .map(|mv| MoveBounds { mv, bounds })
            .collect()
    }

    fn best_moves(&self, _: &Position, _: &AnalysisControl<'_>) -> BestMoves {
        BestMoves {
            value: Bounds::UNKNOWN,
            moves: Vec::new(),
            complete: false,
        }
    }

    fn principal_variation(&self, _: &Position, _: &AnalysisControl<'_>) -> PrincipalVariation {
        PrincipalVariation::default()
    }
}

fuzz_target!(|input: &[u8]| {
    // Do not write files with random names.
    let names_a_file = |line: &[u8]| server::preprocess(line).contains("sgf");
    if input.split(|&byte| byte == b'\n').any(names_a_file) {
        return;
    }
    let engine = GothelloEngine::new(Box::new(First), Arc::new(Nothing));
    answers(Session::new(Game::new(), engine, MoveLimits::default()), input);
    answers(
        Session::new(awari::Game::default(), Box::new(First), MoveLimits::default()),
        input,
    );
});

fn answers<G: GtpGame>(session: Session<G>, input: &[u8]) {
    let mut output = Vec::new();
    server::run(session, Cursor::new(input.to_vec()), &mut output).expect("memory does not fail");
    let text = std::str::from_utf8(&output).expect("responses are text");
    assert!(text.is_empty() || text.ends_with("\n\n"));
    for response in text.split_terminator("\n\n") {
        assert!(response.starts_with(['=', '?']), "{response:?}");
    }
}
