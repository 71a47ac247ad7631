//! How much stronger one player is than another: a match in pairs of games, Elo, and the SPRT.
//!
//! ```sh
//! cargo run --release --example strength --features player,statistics
//! ```

use std::error::Error;

use gothello::player::{AlphaBeta, LeveledPlayer, Limits, Player, Skill};
use gothello::statistics::{Decision, GameScore, Pentanomial, Sprt};
use gothello::{ByColor, Color, Game, Move, Point};

/// Returns the winner of a game from this opening; `None` if it is drawn.
fn winner(
    opening: &Game,
    players: ByColor<&mut dyn Player>,
) -> Result<Option<Color>, Box<dyn Error>> {
    let mut game = opening.clone();
    let ByColor { black, white } = players;
    // A game that is over has no position.
    while let Some(position) = game.position().copied() {
        let player = match position.to_move() {
            Color::Black => &mut *black,
            Color::White => &mut *white,
        };
        let choice = player.choose(&position, &Limits::default());
        game.play(position.to_move(), choice.mv)?;
    }
    Ok(game.outcome().and_then(|outcome| outcome.winner()))
}

/// Returns one of the nine levels; its random choices follow from the seed.
fn level(level: &str, seed: u64) -> Result<LeveledPlayer, Box<dyn Error>> {
    let skill = Skill::new(level.parse()?, seed);
    Ok(LeveledPlayer::new(Box::new(AlphaBeta::new()), skill))
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let (mut strong, mut weak) = (level("4", 1)?, level("2", 2)?);
    // Is the first player 0 or 100 Elo stronger? Each wrong answer has a probability of 5 %.
    let sprt: Sprt = "elo0=0,elo1=100,alpha=0.05,beta=0.05".parse()?;
    // Both games of a pair have the same opening, so that its value for a color cancels out. Each
    // pair has one of five results, which the pentanomial model counts.
    let mut pairs = Pentanomial::default();
    for first in Point::ALL {
        let mut opening = Game::new();
        opening.play(Color::Black, Move::Place(first))?;
        let black = winner(&opening, ByColor::new(&mut strong, &mut weak))?;
        let white = winner(&opening, ByColor::new(&mut weak, &mut strong))?;
        pairs.add(
            GameScore::of(Color::Black, black),
            GameScore::of(Color::White, white),
        );
        // The log-likelihood ratio of the two hypotheses; the test ends when it reaches a bound.
        let llr = sprt.llr_of_pairs(&pairs).unwrap_or_default();
        println!("{first}: pairs {:?}, LLR {llr:.2}", pairs.counts());
        match sprt.decision(llr) {
            Decision::Continue => {}
            decision => {
                println!("{decision} after {} pairs", pairs.pairs());
                break;
            }
        }
    }
    if let Some(elo) = pairs.strength().and_then(|strength| strength.elo) {
        println!("Elo {elo:.0}");
    }
    Ok(())
}
