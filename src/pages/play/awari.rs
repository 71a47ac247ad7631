//! Awari on the page: South is Black.

use std::collections::BTreeMap;

use super::line::{PageGame, PlyView, play};
use crate::base::color::ByColor;
use crate::games::awari::{AwariOutcome, Game, Pit, Player, Position, Status, Variant};
use crate::pages::DrawnGame as _;

impl PageGame for Game {
    type Start = (Position, Variant);
    type Step = Pit;

    /// A game has no bound but that no position occurs twice.
    const MAX_STEPS: usize = 1_000;

    fn start_from((position, variant): (Position, Variant)) -> Game {
        Game::new(position, variant)
    }

    fn step(&mut self, pit: Pit) -> Result<(), String> {
        play(self, pit)
    }

    fn view(&self) -> PlyView {
        let position = (!self.is_over()).then(|| self.position());
        let mut legal = BTreeMap::new();
        let mut illegal = BTreeMap::new();
        if let Some(position) = position {
            for pit in Pit::ALL {
                match position.captured_from(pit, self.variant()) {
                    Ok(captured) => {
                        let captured = captured.map(|pit| pit.to_string());
                        legal.insert(pit.to_string(), captured.collect());
                    }
                    Err(why) => {
                        illegal.insert(pit.to_string(), why.to_string());
                    }
                }
            }
        }
        let scores = self.scores();
        let last = self.last_move();
        PlyView {
            board: self.ply().board,
            text: position.map(Position::to_string),
            mv: last.map(|pit| pit.to_string()),
            at: last.and_then(Game::place),
            by: last.map(|pit| pit.owner().into()),
            sown: self.sown().map(|pit| pit.to_string()).collect(),
            taken: self.captured(),
            turn: position.map(|position| position.to_move().into()),
            count: ByColor::new(scores.south, scores.north),
            legal,
            illegal,
            result: match self.status() {
                Status::Over(result) => Some(describe(result)),
                Status::Undecided => None,
            },
            ..PlyView::default()
        }
    }
}

/// Describes how a game ended.
fn describe(result: AwariOutcome) -> String {
    let ending = result.ending;
    let of = |player| result.scores.of(player);
    match result.winner() {
        None => {
            let (south, north) = (of(Player::South), of(Player::North));
            format!("The game is drawn, {south} to {north} ({ending})")
        }
        Some(winner) => {
            let (more, less) = (of(winner), of(winner.opponent()));
            format!("{winner} wins, {more} to {less} ({ending})")
        }
    }
}
