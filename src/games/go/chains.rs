//! The groups on a board, updated move by move, and the hash code of its position.

use super::{Board, ByColor, Color, Point};
use crate::base::rng::Rng;

/// The distance between two rows: at least two more than the widest board, and a power of
/// two, so that the bits of a spot split into row and column.
const STRIDE: u16 = 32;

/// The number of spots. 25 rows and one above and below need 27 times [`STRIDE`]; with a
/// power of two, masking keeps every index in bounds.
const SPOTS: usize = 1024;

/// A place in an array of 32 by 32 that holds a point of the board or of its border. The
/// border is one row or column wide and never has a stone, so that every point of the board
/// has four neighbors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spot(u16);

impl Spot {
    /// Returns the index of the spot in an array, below [`SPOTS`].
    #[inline]
    const fn index(self) -> usize {
        self.0 as usize % SPOTS
    }

    #[inline]
    fn neighbors(self) -> [Spot; 4] {
        // Only called for points of the board, none of which is in the first row.
        [
            Spot(self.0 - STRIDE),
            Spot(self.0 - 1),
            Spot(self.0 + 1),
            Spot(self.0 + STRIDE),
        ]
    }

    #[inline]
    fn point(self) -> Point {
        Point {
            row: (self.0 / STRIDE - 1) as u8,
            column: (self.0 % STRIDE - 1) as u8,
        }
    }
}

/// Converts a point of the board.
impl From<Point> for Spot {
    #[inline]
    fn from(point: Point) -> Spot {
        Spot((u16::from(point.row) + 1) * STRIDE + u16::from(point.column) + 1)
    }
}

/// Zobrist keys: a random number for each color on each point, and one for White to
/// move. The XOR of the keys that apply is the hash code of a position.
///
/// The keys are the same in every build and on every machine.
pub struct Keys {
    stones: ByColor<[u64; SPOTS]>,
    white_to_move: u64,
}

impl Keys {
    /// The keys of every game.
    pub const STANDARD: &Keys = &Keys::new(0);

    /// Keys that give every position the same hash code.
    #[cfg(test)]
    pub const ALL_COLLIDE: &Keys = &Keys {
        stones: ByColor::new([0; SPOTS], [0; SPOTS]),
        white_to_move: 0,
    };

    const fn new(seed: u64) -> Keys {
        let mut rng = Rng::new(seed);
        Keys {
            stones: ByColor::new(random_array(&mut rng), random_array(&mut rng)),
            white_to_move: rng.next(),
        }
    }

    /// Returns the key of a stone.
    #[inline]
    const fn stone(&self, spot: Spot, color: Color) -> u64 {
        self.stones.get(color)[spot.index()]
    }

    /// Returns the key to XOR into a hash code when the turn changes.
    #[inline]
    pub const fn side_to_move(&self) -> u64 {
        self.white_to_move
    }

    /// Returns the hash code of a board with a player to move.
    pub fn hash(&self, board: &Board, turn: Color) -> u64 {
        let turn = match turn {
            Color::Black => 0,
            Color::White => self.white_to_move,
        };
        let stones = board.stones();
        stones.fold(turn, |hash, (point, color)| {
            hash ^ self.stone(Spot::from(point), color)
        })
    }
}

/// Fills an array with random numbers.
const fn random_array<const N: usize>(rng: &mut Rng) -> [u64; N] {
    let mut numbers = [0; N];
    let mut i = 0;
    while i < N {
        numbers[i] = rng.next();
        i += 1;
    }
    numbers
}

/// The content of a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Outside,
    Empty,
    Stone(Color),
}

/// The data of a group, stored at one of its stones, the *head*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Chain {
    /// The number of pseudo-liberties: pairs of a stone of the group and an adjacent empty
    /// point. It is 0 exactly if the group has no liberty, and simpler to update than the
    /// number of liberties, each of which may be adjacent to several stones.
    pseudo_liberties: u16,
    /// The number of stones.
    stones: u16,
    /// The XOR of the keys of its stones.
    hash: u64,
}

/// The groups on a board.
#[derive(Clone)]
pub struct Chains {
    keys: &'static Keys,
    contents: [Content; SPOTS],
    /// The head of the group of each stone.
    heads: [Spot; SPOTS],
    /// The next stone of the same group: the stones of a group form a ring.
    next: [Spot; SPOTS],
    /// The data of each group, at its head.
    chains: [Chain; SPOTS],
}

/// The effect of a stone that may be placed.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    spot: Spot,
    color: Color,
    /// The heads of the captured groups.
    captured: [Option<Spot>; 4],
    /// The number to XOR into the hash code of the position, without the turn.
    pub change: u64,
}

impl Placement {
    /// Calls `visit` with the head of each captured group.
    #[inline]
    fn each_captured(&self, mut visit: impl FnMut(Spot)) {
        for head in self.captured.into_iter().flatten() {
            visit(head);
        }
    }
}

impl Chains {
    /// Finds the groups of a board.
    pub fn new(board: &Board, keys: &'static Keys) -> Chains {
        let mut chains = Chains {
            keys,
            contents: [Content::Outside; SPOTS],
            heads: [Spot::default(); SPOTS],
            next: [Spot::default(); SPOTS],
            chains: [Chain::default(); SPOTS],
        };
        for point in board.size().points() {
            chains.contents[Spot::from(point).index()] = Content::Empty;
        }
        // Every group of a board has a liberty, and so has every group of a part of it.
        for (point, color) in board.stones() {
            chains.put(Spot::from(point), color);
        }
        chains
    }

    /// Returns the effect of a stone on an empty point of the board; `None` if it is
    /// suicide.
    #[inline]
    pub fn placement(&self, point: Point, color: Color) -> Option<Placement> {
        let spot = Spot::from(point);
        let mut placement = Placement {
            spot,
            color,
            captured: [None; 4],
            change: self.keys.stone(spot, color),
        };
        let (mut lives, mut captures) = (false, false);
        let neighbors = spot.neighbors();
        for (direction, neighbor) in neighbors.into_iter().enumerate() {
            match self.contents[neighbor.index()] {
                Content::Outside => {}
                Content::Empty => lives = true,
                Content::Stone(stone) => {
                    let head = self.heads[neighbor.index()];
                    let chain = self.chains[head.index()];
                    // The point itself is counted at most four times.
                    let others = chain.pseudo_liberties > 4
                        || chain.pseudo_liberties > self.stones_at(head, neighbors);
                    if stone == color {
                        lives |= others;
                    } else if !others {
                        (lives, captures) = (true, true);
                        placement.captured[direction] = Some(head);
                    }
                }
            }
        }
        if captures {
            // A group that is adjacent twice is captured once.
            let [first, second, third, fourth] = &mut placement.captured;
            deduplicate(second, &[*first]);
            deduplicate(third, &[*first, *second]);
            deduplicate(fourth, &[*first, *second, *third]);
            let mut change = placement.change;
            placement.each_captured(|head| change ^= self.chains[head.index()].hash);
            placement.change = change;
        }
        lives.then_some(placement)
    }

    /// Returns how many of these spots hold a stone of a group.
    #[inline]
    fn stones_at(&self, head: Spot, spots: [Spot; 4]) -> u16 {
        let mut count = 0;
        for spot in spots {
            let is_stone = matches!(self.contents[spot.index()], Content::Stone(_));
            count += u16::from(is_stone && self.heads[spot.index()] == head);
        }
        count
    }

    /// Applies a placement to the board of these groups. Returns how many stones it
    /// captures.
    #[inline]
    pub fn apply(&self, placement: &Placement, board: &mut Board) -> u32 {
        board.place(placement.spot.point(), placement.color);
        let mut count = 0;
        placement.each_captured(|head| {
            let mut stone = head;
            loop {
                board.remove(stone.point(), placement.color.opponent());
                count += 1;
                stone = self.next[stone.index()];
                if stone == head {
                    break;
                }
            }
        });
        count
    }

    /// Places a stone.
    #[inline]
    pub fn place(&mut self, placement: &Placement) {
        self.put(placement.spot, placement.color);
        placement.each_captured(|head| self.lift(head));
    }

    /// Puts a stone on an empty spot, without capturing.
    #[inline]
    fn put(&mut self, spot: Spot, color: Color) {
        self.contents[spot.index()] = Content::Stone(color);
        self.heads[spot.index()] = spot;
        self.next[spot.index()] = spot;
        self.chains[spot.index()] = Chain {
            pseudo_liberties: 0,
            stones: 1,
            hash: self.keys.stone(spot, color),
        };
        for neighbor in spot.neighbors() {
            match self.contents[neighbor.index()] {
                Content::Outside => {}
                Content::Empty => self.chain_of(spot).pseudo_liberties += 1,
                Content::Stone(stone) => {
                    self.chain_of(neighbor).pseudo_liberties -= 1;
                    if stone == color {
                        self.join(spot, neighbor);
                    }
                }
            }
        }
    }

    #[inline]
    fn chain_of(&mut self, spot: Spot) -> &mut Chain {
        &mut self.chains[self.heads[spot.index()].index()]
    }

    /// Merges the groups of two stones.
    #[inline]
    fn join(&mut self, one: Spot, other: Spot) {
        let (one, other) = (self.heads[one.index()], self.heads[other.index()]);
        if one == other {
            return;
        }
        let stones = |head: Spot| self.chains[head.index()].stones;
        let (small, large) = if stones(one) < stones(other) {
            (one, other)
        } else {
            (other, one)
        };
        let mut stone = small;
        loop {
            self.heads[stone.index()] = large;
            stone = self.next[stone.index()];
            if stone == small {
                break;
            }
        }
        self.next.swap(small.index(), large.index());
        let added = self.chains[small.index()];
        let chain = &mut self.chains[large.index()];
        chain.pseudo_liberties += added.pseudo_liberties;
        chain.stones += added.stones;
        chain.hash ^= added.hash;
    }

    /// Removes a group.
    #[inline]
    fn lift(&mut self, head: Spot) {
        let mut stone = head;
        loop {
            self.contents[stone.index()] = Content::Empty;
            // This also updates the removed group, which is harmless.
            for neighbor in stone.neighbors() {
                if matches!(self.contents[neighbor.index()], Content::Stone(_)) {
                    self.chain_of(neighbor).pseudo_liberties += 1;
                }
            }
            stone = self.next[stone.index()];
            if stone == head {
                break;
            }
        }
    }
}

/// Clears a slot whose group is among the earlier ones.
#[inline]
fn deduplicate(slot: &mut Option<Spot>, earlier: &[Option<Spot>]) {
    for &head in earlier {
        if head == *slot {
            *slot = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::Size;
    use super::*;

    #[test]
    fn every_stone_has_a_number_of_its_own() {
        let points = Size::new(25, 25).unwrap().points();
        let spots = points.map(Spot::from);
        let keys = |spot| Color::ALL.map(|color| Keys::STANDARD.stone(spot, color));
        let mut numbers: HashSet<u64> = spots.flat_map(keys).collect();
        numbers.extend([0, Keys::STANDARD.side_to_move()]);
        assert_eq!(numbers.len(), 2 * 625 + 2);
    }
}
