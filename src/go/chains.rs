//! The groups on a board, kept up move by move.

use super::keys::Keys;
use super::{Board, Color, Point};

/// The distance between two rows: at least two more than the widest board,
/// and a power of two, so that a spot splits into row and column by its bits.
const STRIDE: u16 = 32;

/// How many spots there are: 25 rows and one above and below need 27 times
/// [`STRIDE`] of them, and with a power of two no index can be too large.
pub(super) const SPOTS: usize = 1024;

/// A point of the board or beside it. The points of the board have one row or
/// column around them that never holds a stone: every spot of the board has
/// four neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spot(u16);

impl Spot {
    /// Its place in an array, below [`SPOTS`].
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize % SPOTS
    }

    #[inline]
    fn neighbours(self) -> [Spot; 4] {
        // Only spots of the board are asked, none of which is in the first row.
        [self.0 - STRIDE, self.0 - 1, self.0 + 1, self.0 + STRIDE].map(Spot)
    }

    #[inline]
    pub(super) fn point(self) -> Point {
        Point {
            row: (self.0 / STRIDE - 1) as u8,
            column: (self.0 % STRIDE - 1) as u8,
        }
    }
}

/// The spot of a point of the board.
impl From<Point> for Spot {
    #[inline]
    fn from(point: Point) -> Spot {
        Spot((u16::from(point.row) + 1) * STRIDE + u16::from(point.column) + 1)
    }
}

/// What is on a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Outside,
    Empty,
    Stone(Color),
}

/// What is known of a group; it is kept at one of its stones, its *head*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Chain {
    /// How often a stone of it is next to an empty point. This is 0 exactly if
    /// there is no liberty, and simpler to keep up than the liberties, of
    /// which each may be next to several stones.
    contacts: u16,
    /// How many stones it has.
    stones: u16,
    /// The hash code of its stones.
    hash: u64,
}

/// The groups on a board.
#[derive(Clone)]
pub(super) struct Chains {
    keys: &'static Keys,
    contents: [Content; SPOTS],
    /// Of each stone the head of its group.
    heads: [Spot; SPOTS],
    /// Of each stone another one of its group: they form a ring.
    next: [Spot; SPOTS],
    /// Of each head what is known of its group.
    chains: [Chain; SPOTS],
}

/// What a stone would do that may be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    spot: Spot,
    color: Color,
    /// The heads of the groups that it captures.
    captured: [Option<Spot>; 4],
    /// What it changes in the hash code of the board, the turn apart.
    pub(super) change: u64,
}

impl Chains {
    /// The groups of a board.
    pub(super) fn new(board: &Board, keys: &'static Keys) -> Chains {
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
        // No group of a board is without liberty; nor is one of a part of it.
        for (point, color) in board.stones() {
            chains.put(Spot::from(point), color);
        }
        chains
    }

    /// What a stone on an empty point of the board would do; `None` if it is
    /// suicide.
    #[inline]
    pub(super) fn placement(&self, point: Point, color: Color) -> Option<Placement> {
        let spot = Spot::from(point);
        let mut placement = Placement {
            spot,
            color,
            captured: [None; 4],
            change: self.keys.stone(spot, color),
        };
        let mut lives = false;
        let neighbours = spot.neighbours();
        for (slot, neighbour) in placement.captured.iter_mut().zip(neighbours) {
            match self.contents[neighbour.index()] {
                Content::Outside => {}
                Content::Empty => lives = true,
                Content::Stone(stone) => {
                    let head = self.heads[neighbour.index()];
                    let chain = self.chains[head.index()];
                    let others = chain.contacts > self.contacts(head, neighbours);
                    if stone == color {
                        lives |= others;
                    } else if !others {
                        lives = true;
                        *slot = Some(head);
                    }
                }
            }
        }
        // A group that is a neighbour twice is captured once.
        let [first, second, third, fourth] = &mut placement.captured;
        forget(second, &[*first]);
        forget(third, &[*first, *second]);
        forget(fourth, &[*first, *second, *third]);
        for head in placement.captured.into_iter().flatten() {
            placement.change ^= self.chains[head.index()].hash;
        }
        lives.then_some(placement)
    }

    /// How many of these spots have a stone of a group.
    #[inline]
    fn contacts(&self, head: Spot, spots: [Spot; 4]) -> u16 {
        let of_it = |spot: Spot| {
            let stone = matches!(self.contents[spot.index()], Content::Stone(_));
            u16::from(stone && self.heads[spot.index()] == head)
        };
        spots.map(of_it).into_iter().sum()
    }

    /// Does on a picture of these groups what a stone would do; how many stones it
    /// captures.
    #[inline]
    pub(super) fn draw(&self, placement: &Placement, board: &mut Board) -> u32 {
        board.place(placement.spot.point(), placement.color);
        let captured = placement.captured.into_iter().flatten();
        let mut count = 0;
        for stone in captured.flat_map(|head| self.ring(head)) {
            board.take(stone.point(), placement.color.opponent());
            count += 1;
        }
        count
    }

    /// Places a stone.
    #[inline]
    pub(super) fn place(&mut self, placement: &Placement) {
        self.put(placement.spot, placement.color);
        for head in placement.captured.into_iter().flatten() {
            self.lift(head);
        }
    }

    /// Puts a stone on an empty spot, whatever its neighbours are left with.
    #[inline]
    fn put(&mut self, spot: Spot, color: Color) {
        self.contents[spot.index()] = Content::Stone(color);
        self.heads[spot.index()] = spot;
        self.next[spot.index()] = spot;
        self.chains[spot.index()] = Chain {
            contacts: 0,
            stones: 1,
            hash: self.keys.stone(spot, color),
        };
        for neighbour in spot.neighbours() {
            match self.contents[neighbour.index()] {
                Content::Outside => {}
                Content::Empty => self.chain_of(spot).contacts += 1,
                Content::Stone(stone) => {
                    self.chain_of(neighbour).contacts -= 1;
                    if stone == color {
                        self.join(spot, neighbour);
                    }
                }
            }
        }
    }

    #[inline]
    fn chain_of(&mut self, spot: Spot) -> &mut Chain {
        &mut self.chains[self.heads[spot.index()].index()]
    }

    /// Makes one group of those of two stones.
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
        chain.contacts += added.contacts;
        chain.stones += added.stones;
        chain.hash ^= added.hash;
    }

    /// Takes a group off.
    #[inline]
    fn lift(&mut self, head: Spot) {
        let mut stone = head;
        loop {
            self.contents[stone.index()] = Content::Empty;
            // The contacts of its own stones are of no use any more.
            for neighbour in stone.neighbours() {
                if matches!(self.contents[neighbour.index()], Content::Stone(_)) {
                    self.chain_of(neighbour).contacts += 1;
                }
            }
            stone = self.next[stone.index()];
            if stone == head {
                break;
            }
        }
    }

    /// The stones of a group.
    fn ring(&self, head: Spot) -> impl Iterator<Item = Spot> {
        let after = move |&stone: &Spot| {
            let next = self.next[stone.index()];
            (next != head).then_some(next)
        };
        std::iter::successors(Some(head), after)
    }
}

/// Empties a slot whose group is among the earlier ones.
#[inline]
fn forget(slot: &mut Option<Spot>, earlier: &[Option<Spot>]) {
    if slot.is_some() && earlier.contains(slot) {
        *slot = None;
    }
}
