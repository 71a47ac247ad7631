//! Awari: your own player against the built-in one, with an endgame database.
//!
//! ```sh
//! cargo run --release --example awari --features player
//! ```

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gothello::awari::{Game, Player, Variant};
use gothello::endgame::Database;
use gothello::player::{AwariChoice, AwariPlayer, AwariSearch, Limits};
use gothello::solver::PositionBudget;

/// Sows the pit that captures the most.
struct Greedy;

impl AwariPlayer for Greedy {
    fn choose(&mut self, game: &Game, _: &Limits<'_>) -> AwariChoice {
        let player = game.to_move();
        let captured = |&pit: &_| {
            let mut next = game.clone();
            // A legal move is never refused.
            next.play(player, pit).map_or(0, |()| next.captured())
        };
        // A game that is not over has a legal move.
        let pit = game.legal_moves().max_by_key(captured);
        AwariChoice::new(pit.expect("the game is not over"))
    }
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // The rules differ in what a grand slam captures, and in repetitions: `Variant` names them.
    let variant = Variant::default();
    // Bounds on what the player to move captures on every board with up to five stones; the arguments
    // after the variant are the stones, the threads, and a flag that stops the work.
    let database = Database::build(variant, 5, 1, &AtomicBool::new(false));
    let mut south = AwariSearch::new(database.map(Arc::new));
    let mut north = Greedy;

    let mut game = Game::from(variant);
    while !game.is_over() {
        // With a budget of positions instead of a time, each run plays the same game.
        let budget = PositionBudget::new(2_000);
        let limits = Limits::default().spending(&budget);
        let player = game.to_move();
        let choice = match player {
            Player::South => south.choose(&game, &limits),
            Player::North => north.choose(&game, &limits),
        };
        game.play(player, choice.pit)?;
        if player == Player::South {
            // The choice as a log shows it: the pit, and how many stones South expects to lead by.
            println!(
                "{:>3} stones on the board, South: {choice}",
                game.pits().iter().sum::<u8>()
            );
        }
    }
    let scores = game.scores();
    println!("South {}, North {}", scores.south, scores.north);
    Ok(())
}
