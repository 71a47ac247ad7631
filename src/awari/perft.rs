//! Counting the leaves of the game tree, to check and to time the rules.

use super::{Game, Pit, Player};

/// The number of leaves of the game tree below the present of a game after
/// `depth` plies.
///
/// A game that ends counts one leaf at the depth where it ends and none deeper.
///
/// ```
/// use gothello::awari::{Game, perft};
/// assert_eq!(perft(&mut Game::default(), 3), 190);
/// ```
pub fn perft(game: &mut Game, depth: u32) -> u64 {
    let Some(rest) = depth.checked_sub(1) else {
        return 1;
    };
    if rest == 0 {
        // Each is a leaf, whether the game ends with it or not.
        return game.legal_moves().count() as u64;
    }
    let player = game.to_move();
    let mut sum = 0;
    for &pit in Pit::of(player) {
        sum += below(game, player, pit, rest).unwrap_or(0);
    }
    sum
}

/// The leaves at `depth` plies below each legal move, for comparing two programs
/// move by move; their sum is [`perft`] of the same depth. With depth 0 there is
/// no move to divide by, and the list is empty.
pub fn divide(game: &mut Game, depth: u32) -> Vec<(Pit, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let player = game.to_move();
    let pits = Pit::of(player).iter();
    pits.filter_map(|&pit| Some((pit, below(game, player, pit, rest)?)))
        .collect()
}

/// The leaves `depth` plies below a move; `None` if it is not legal.
fn below(game: &mut Game, player: Player, pit: Pit, depth: u32) -> Option<u64> {
    game.play(player, pit).ok()?;
    let leaves = perft(game, depth);
    game.undo();
    Some(leaves)
}
