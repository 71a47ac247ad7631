//! Your own engine: a player, served to programs by the Go Text Protocol (GTP).
//!
//! ```sh
//! cargo build --release --examples
//! gothello match --player mine=target/release/examples/engine --player builtin:level=1 --openings balanced:10 --games 20
//! ```
//!
//! The modules `gtp` and `MoveLimits` belong to the program, and may change at any time.

use std::io::{self, stdin, stdout};
use std::sync::Arc;

use gothello::gtp::server::{GothelloEngine, Session, run};
use gothello::player::{Choice, Limits, MoveLimits, Player, Prover};
use gothello::{Game, Move, Next, Position};

/// Makes the move that leaves it with the largest lead after the opponent's best capture.
struct Cautious;

/// Returns the lead of the opponent, who moves next, after the reply that captures the most.
fn best_reply(position: &Position) -> i8 {
    // `children` yields the position after each placement. There the other player is to move, so
    // the lead changes its sign.
    let replies = position.children().map(|(_, next)| -next.stones().lead());
    replies.fold(position.stones().lead(), i8::max)
}

impl Player for Cautious {
    // A player that searches deeper stops when `limits` says so: its `time` has passed, its
    // `budget` of positions is spent, or its flag `stop` is set. This one is quick enough.
    fn choose(&mut self, position: &Position, _limits: &Limits<'_>) -> Choice {
        let score = |&mv: &Move| match position.play(mv) {
            Ok(Next::Continues(next)) => -best_reply(&next),
            // Only a second pass ends the game: what counts then is on the board.
            Ok(Next::Ends(_)) => position.stones().lead(),
            Err(_) => i8::MIN, // `legal_moves` has no such move
        };
        let mv = position.legal_moves().max_by_key(score);
        // A pass is always legal.
        let mv = mv.unwrap_or(Move::Pass);
        Choice::new(mv).with_lead(f32::from(score(&mv)))
    }
}

/// Returns a session with the engine in a new game.
pub(crate) fn session() -> Session<Game> {
    // `genmove` asks the player, and GoGui's analyze commands ask the prover, which solves.
    let engine = GothelloEngine::new(Box::new(Cautious), Arc::new(Prover::new()));
    Session::new(Game::new(), engine, MoveLimits::default())
}

fn main() -> io::Result<()> {
    run(session(), stdin(), stdout().lock())
}
