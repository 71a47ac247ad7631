//! The position from which a subcommand starts.

use std::fmt::Display;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;

use super::{bail_usage, wrong_usage};
use crate::games::awari;
use crate::games::gothello::{self, Move, Position};

/// A position and moves to make first.
#[derive(Debug, Args)]
pub struct PositionArguments {
    /// Position: rows 5 to 1 with / between them, each of b, w and dots; the side to
    /// move, b or w; and pass if the last move was a pass [default: the start of the
    /// game]
    #[arg(value_name = "POSITION")]
    words: Vec<String>,
    /// The position, from the time when it was an option.
    #[arg(long, value_name = "POSITION", hide = true, conflicts_with = "words")]
    position: Option<String>,
    /// Moves to make first: points or pass with spaces between them, in quotes
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true
    )]
    moves: String,
}

impl PositionArguments {
    /// Returns the position after the moves, which must not end the game.
    pub fn gothello(&self) -> Result<Position> {
        let game = self.gothello_game()?;
        Ok(*game.position().context("the game is over")?)
    }

    /// Returns the game of the moves, which must not end it.
    pub fn gothello_game(&self) -> Result<gothello::Game> {
        let mut game = gothello::Game::from(self.parse(Position::START)?);
        self.make_each(|word| {
            let mv: Move = word.parse()?;
            game.play(game.to_move(), mv)?;
            match game.outcome() {
                None => Ok(()),
                Some(outcome) => bail!("it ends the game with the result {outcome}"),
            }
        })?;
        Ok(game)
    }

    /// Returns the game of Awari by these rules after the moves, which must not end it.
    pub fn awari(&self, variant: awari::Variant) -> Result<awari::Game> {
        let position = self.parse(awari::Position::START)?;
        let mut game = awari::Game::new(position, variant);
        self.make_each(|word| {
            let pit: awari::Pit = word.parse()?;
            game.play(game.to_move(), pit)?;
            match game.status() {
                awari::Status::Undecided => Ok(()),
                awari::Status::Over(outcome) => {
                    bail!("it ends the game ({})", outcome.ending)
                }
            }
        })?;
        Ok(game)
    }

    /// Parses the position, which need not be in quotes.
    fn parse<P>(&self, start: P) -> Result<P>
    where
        P: FromStr<Err: Display>,
    {
        let words = self.words.iter().chain(&self.position);
        let words: Vec<&str> = words.flat_map(|word| word.split_whitespace()).collect();
        if self.words.is_empty() && self.position.is_none() {
            return Ok(start);
        }
        let text = words.join(" ");
        if !words.is_empty() && words.iter().all(|word| is_move(word)) {
            let moves = self.moves.split_whitespace().chain(words);
            let moves = moves.collect::<Vec<_>>().join(" ");
            bail_usage!("{text:?} is not a position; write moves in quotes: --moves {moves:?}");
        }
        parse_position(&text).map_err(wrong_usage)
    }

    /// Makes the moves one by one; `make` says why one cannot be made.
    fn make_each(&self, mut make: impl FnMut(&str) -> Result<()>) -> Result<()> {
        for (number, word) in (1..).zip(self.moves.split_whitespace()) {
            if let Err(why) = make(word) {
                let message = format!("move {number} ({word}) in --moves: {why}");
                return Err(wrong_usage(message));
            }
        }
        Ok(())
    }
}

/// Parses a position as people type it: letters in upper or lower case, and any spaces.
///
/// # Errors
/// It is not a position.
pub fn parse_position<P: FromStr<Err: Display>>(text: &str) -> Result<P> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let position = text.to_ascii_lowercase().parse();
    position.map_err(|why| anyhow!("position {text:?}: {why}"))
}

/// Returns whether a word is a move in one of the games.
fn is_move(word: &str) -> bool {
    word.parse::<Move>().is_ok() || word.parse::<awari::Pit>().is_ok()
}
