//! The programs in `examples/` run to their ends.

#[path = "../../examples/awari.rs"]
mod awari;
#[path = "../../examples/engine.rs"]
#[allow(dead_code)] // `main` reads standard input.
mod engine;
#[path = "../../examples/exact_values.rs"]
mod exact_values;
#[path = "../../examples/review_game.rs"]
mod review_game;
#[path = "../../examples/strength.rs"]
mod strength;

use std::io::Cursor;

use gothello::gtp::server::run;

#[test]
fn the_examples_end_without_an_error() {
    awari::main().unwrap();
    exact_values::main().unwrap();
    review_game::main().unwrap();
    strength::main().unwrap();
}

#[test]
fn the_engine_of_the_example_plays_a_game_to_its_end() {
    let mut output = Vec::new();
    let commands = "genmove b\ngenmove w\n".repeat(30) + "final_score\n";
    run(engine::session(), Cursor::new(commands), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let placed = output.lines().filter(|line| line.len() == 4);
    assert!(placed.count() >= 10, "{output}");
    let score = output.trim_end().lines().last().unwrap();
    assert!(
        score.starts_with("= B+") || score.starts_with("= W+"),
        "{output}"
    );
}
