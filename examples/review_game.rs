//! What each move of a recorded game cost.
//!
//! ```sh
//! cargo run --release --example review_game --features review
//! cargo run --release --example review_game --features review -- game.sgf
//! ```

use std::env::args;
use std::error::Error;
use std::fs;
use std::thread::available_parallelism;

use gothello::review::{BestMoves, Evaluator, Judgment, Review};
use gothello::solver::Control;
use gothello::{Color, Solver, sgf};

/// A game from a position late in the game.
const RECORD: &str = "(;FF[4]GM[1]SZ[5]RU[Gothello]\
    AB[ae][be][ad][ac][cc]AW[ce][de][ee][dd][ed][dc][ec][eb][da]\
    ;B[cb];W[ba];B[bb];W[ca];B[bd];W[db];B[aa];W[cd];B[bc];W[];B[])";

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let record = match args().find(|argument| argument.ends_with(".sgf")) {
        Some(path) => fs::read_to_string(path)?,
        None => RECORD.to_owned(),
    };
    // The second argument limits the moves that are read.
    let game = sgf::read(&record, usize::MAX)?;

    // A review is a value without a solver: it says which values it needs. An evaluator finds
    // them from the end of the game, and keeps them for further games.
    let mut review = Review::new(&game);
    let evaluator = Evaluator::new(Solver::builder().memory_mib(64).build());
    let threads = available_parallelism().map_or(1, usize::from);
    evaluator.evaluate(
        &mut review,
        BestMoves::OfMistakes,
        threads,
        &Control::default(),
    );

    for ply in review.plies() {
        print!(
            "{:>3}. {:<5} {:<4}",
            ply.ply,
            ply.color.to_string(),
            ply.mv.to_string()
        );
        // What is not known is `None`; here, everything is known, as nothing stopped the search.
        let (Some(judgment), Some(lost), Some(after)) = (ply.judgment, ply.lost, ply.after) else {
            println!(" ?");
            continue;
        };
        let best: Vec<String> = ply
            .best_moves
            .iter()
            .flatten()
            .map(|mv| mv.to_string())
            .collect();
        match judgment {
            Judgment::Perfect => println!(" {after}"),
            // The result stays, with fewer stones.
            Judgment::Mistake => println!(" {after}, loses {lost}; best {}", best.join(" ")),
            Judgment::Blunder => println!(" {after}, loses the result; best {}", best.join(" ")),
        }
    }
    for color in Color::ALL {
        let player = review.player(color);
        let (perfect, moves, lost) = (player.perfect, player.moves, player.lost);
        println!("{color}: {perfect} of {moves} moves perfect, {lost} stones lost");
    }
    Ok(())
}
