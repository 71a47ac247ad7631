//! The values of a block: of all positions with the same occupied points.
//!
//! # Blocks
//!
//! A block belongs to a set S of n occupied points. Each of the 2^n ways to divide them
//! between the players is a *coloring*, the set of the mover's stones; the entry of a
//! coloring is at the number whose bits say, point by point in ascending order, which
//! stones are the mover's. So the complement of a coloring, the same stones as the
//! opponent sees them, is at the mirrored place, and the block can be read from the end.
//!
//! # The value
//!
//! V(S, m) is the value for the mover with the stones m if the preceding move was not a
//! pass (see the search of [`solver`](crate::solving::solver)). Let B(m) be the value of the
//! mover's best placement, minus infinity if there is none. Let m' be the complement of m.
//! A pass is answered by ending the game with the mover's lead, or by a placement of the
//! opponent on the same stones, so
//!
//! V(S, m) = max(B(m), min(lead(m), -B(m'))).
//!
//! # Placements
//!
//! A placement on p leads to the block of S + p. There, the other player is to move,
//! and p is not among that player's stones. So if no stone is captured, the children of
//! all colorings of S by a placement on p are the half of that block without p: entry m'
//! with a zero inserted at the place of p. If the block is stored for an image of S + p,
//! the bits are also permuted.
//!
//! With captures the child has another coloring. A stone placed on p captures exactly
//! the groups of the other player that have no liberty once p is occupied: every group of a
//! legal position has a liberty, so these had p as their last one. The rule asks that the
//! new stone's group has a liberty *before* captures. Both depend on S + p and on the
//! colors there, and not on which point was the last one. So a block also has entries for
//! colorings that are not legal, and they answer for all points at once:
//!
//! - a coloring in which the player who has just moved has a group without liberties:
//!   [`ILLEGAL`], for the placement is not legal;
//! - another coloring in which the player to move has such groups: the value after their
//!   stones change color.
//!
//! With these, the best placement is a minimum over entries of the blocks of S + p, for
//! one point p after another.
//!
//! # Groups without liberties
//!
//! A group has no liberty if none of its points is next to an empty point. So each such
//! group is a connected set G of the points of S that have only occupied neighbors, and
//! the colorings in which G is a group of the mover are those that have G and none of
//! its neighbors N(G). For each G in turn, the entry of such a coloring m becomes that of
//! m without G. After the k-th set, all colorings are right whose groups without
//! liberties are among the first k sets: if G is the last of these groups, m without G
//! has the same groups except G, and its entry is right already. The stones of G then belong
//! to groups of the opponent. These have liberties, unless the opponent had a group without
//! liberties before: such a coloring stays [`ILLEGAL`].

use super::chunk::Counts;
use super::grid::{Grid, Symmetry, elements, extract};
use super::{BIAS, ILLEGAL};

/// The entry of a coloring in which the player to move has a group without liberties,
/// before it is replaced by a value.
const CAPTURED: u8 = u8::MAX - 1;

/// The number of entries that are permuted with one table.
const TABLE_BITS: usize = 9;

/// The smallest number of bits that keep their places for which entries are compared as
/// whole runs.
const MIN_RUN_BITS: usize = 4;

/// Computes blocks; the buffers are used again and again.
pub struct BlockSolver<'a> {
    grid: &'a Grid,
    /// At each coloring of the opponent's stones, the minimum entry of the children: index m is for
    /// the positions in which the opponent has the stones m.
    least: Vec<u8>,
    entries: Vec<u8>,
    child: Vec<u8>,
}

/// A connected set of points without empty neighbors, as bits of colorings.
#[derive(Clone, Copy)]
struct Group {
    points: u32,
    neighbors: u32,
}

impl Group {
    /// Calls `visit` with every set of the stones that are neither in the group nor its
    /// neighbors. `all` are the bits of all stones.
    #[inline]
    fn each_rest(self, all: u32, mut visit: impl FnMut(u32)) {
        let free = all & !(self.points | self.neighbors);
        let mut rest = 0u32;
        loop {
            visit(rest);
            rest = rest.wrapping_sub(free) & free;
            if rest == 0 {
                return;
            }
        }
    }
}

/// The sets of a block that are groups without liberties in some coloring.
pub struct Groups {
    groups: Vec<Group>,
    /// The bits of all stones.
    all: u32,
}

impl Groups {
    /// Finds the groups of the block of a set.
    pub fn new(grid: &Grid, set: u32) -> Groups {
        let inner = set & !grid.neighbors(grid.all() & !set);
        let mut groups = Vec::new();
        connected_subsets(grid, inner, &mut |points| {
            let neighbors = grid.neighbors(points) & !points;
            groups.push(Group {
                points: extract(points, set),
                neighbors: extract(neighbors, set),
            });
        });
        Groups {
            groups,
            all: (1 << set.count_ones()) - 1,
        }
    }

    /// Calls `visit` with every coloring that is not legal, and with [`CAPTURED`] or, if the
    /// player who has just moved has a group without liberties, at last [`ILLEGAL`].
    pub fn each_not_legal(&self, mut visit: impl FnMut(u32, u8)) {
        for group in &self.groups {
            group.each_rest(self.all, |rest| visit(rest | group.points, CAPTURED));
        }
        for group in &self.groups {
            group.each_rest(self.all, |rest| visit(rest | group.neighbors, ILLEGAL));
        }
    }

    /// Calls `visit` with every coloring in which the player to move has a group without
    /// liberties, and the coloring without this group, which was visited with all its own
    /// groups before.
    pub fn each_captured(&self, mut visit: impl FnMut(u32, u32)) {
        for group in &self.groups {
            group.each_rest(self.all, |rest| visit(rest | group.points, rest));
        }
    }
}

impl<'a> BlockSolver<'a> {
    pub fn new(grid: &'a Grid) -> BlockSolver<'a> {
        BlockSolver {
            grid,
            least: Vec::new(),
            entries: Vec::new(),
            child: Vec::new(),
        }
    }

    /// Returns the entries of the block of a set, and the numbers of its legal positions.
    ///
    /// `read` fills a buffer with the block of a set that has one point more, of which no
    /// image is smaller. It is not called for the set of all points.
    ///
    /// # Errors
    /// What `read` returns.
    pub fn solve<E>(
        &mut self,
        set: u32,
        mut read: impl FnMut(u32, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(&[u8], Counts), E> {
        let empty = self.grid.all() & !set;
        let size = 1 << set.count_ones();
        self.least.clear();
        self.least.resize(size, ILLEGAL);
        // On a full board every group is without liberties.
        if empty.count_ones() > 1 {
            for point in elements(empty) {
                let (child, symmetry) = self.grid.canonical(set | 1 << point);
                read(child, &mut self.child)?;
                minimize(&mut self.least, &self.child, &places(set, child, symmetry));
            }
        }
        self.maximize_over_moves(set.count_ones());
        let counts = self.finish(set);
        Ok((&self.entries, counts))
    }

    /// Computes the values of all colorings as if all were legal.
    fn maximize_over_moves(&mut self, stones: u32) {
        let low_bits = stones.min(8);
        let mut leads = [0; 256];
        for (number, lead) in (0u8..=255).zip(&mut leads) {
            *lead = 2 * number.count_ones() as u8;
        }
        let leads = &leads[..1 << low_bits];
        self.entries.clear();
        self.entries.reserve(self.least.len());
        let own = self.least.rchunks_exact(leads.len());
        let replies = self.least.chunks_exact(leads.len());
        for ((number, own), replies) in (0u32..).zip(own).zip(replies) {
            // The mover's stones twice, minus all stones.
            let base = BIAS + 2 * number.count_ones() as u8 - stones as u8;
            let entries =
                (leads.iter().zip(own.iter().rev()).zip(replies)).map(|((&lead, &own), &reply)| {
                    // The negated minimum; 0 if there is no placement.
                    let best = (2 * BIAS).saturating_sub(own);
                    best.max(reply.min(base + lead))
                });
            self.entries.extend(entries);
        }
    }

    /// Counts the legal positions, and gives the other colorings their entries.
    fn finish(&mut self, set: u32) -> Counts {
        let groups = Groups::new(self.grid, set);
        let entries = self.entries.as_mut_slice();
        groups.each_not_legal(|coloring, entry| entries[coloring as usize] = entry);
        let counts = self.count(set);
        let entries = self.entries.as_mut_slice();
        groups.each_captured(|coloring, rest| {
            if entries[coloring as usize] != ILLEGAL {
                entries[coloring as usize] = entries[rest as usize];
            }
        });
        counts
    }

    /// Counts the legal positions with each value, before captures have entries.
    fn count(&self, set: u32) -> Counts {
        // Equal entries follow each other often: four tables keep them from waiting for the
        // preceding increment.
        let mut tables = [[0u32; 256]; 4];
        let (groups, rest) = self.entries.as_chunks();
        for group in groups {
            for (table, &entry) in tables.iter_mut().zip::<&[u8; 4]>(group) {
                table[usize::from(entry)] += 1;
            }
        }
        for &entry in rest {
            tables[0][usize::from(entry)] += 1;
        }
        let mut numbers = [0u64; 256];
        for table in tables {
            for (number, count) in numbers.iter_mut().zip(table) {
                *number += u64::from(count);
            }
        }
        let stabilizer: Vec<Vec<u32>> = (self.grid.stabilizer(set))
            .map(|symmetry| places(set, set, symmetry))
            .collect();
        // How many different images the set has; the stabilizer has the identity, too.
        let images = (self.grid.symmetry_count() / (1 + stabilizer.len())) as u64;
        let mut counts = Counts::default();
        if stabilizer.is_empty() {
            counts.add(&numbers, images, 1);
            return counts;
        }
        counts.add(&numbers, images, 0);
        // Of the images of a coloring on the same points, the least one counts.
        let mut numbers = [0u64; 256];
        for (coloring, &entry) in (0u32..).zip(&self.entries) {
            let is_least = stabilizer.iter().all(|places| {
                let image = elements(coloring).fold(0, |image, bit| image | places[bit]);
                image >= coloring
            });
            numbers[usize::from(entry)] += u64::from(is_least);
        }
        counts.add(&numbers, 0, 1);
        counts
    }
}

/// Returns, for each point of `set` in ascending order, the bit of its image in colorings
/// of `target`, which contains the image of the set.
pub fn places(set: u32, target: u32, symmetry: Symmetry<'_>) -> Vec<u32> {
    elements(set)
        .map(|point| extract(symmetry.image(point), target))
        .collect()
}

/// Replaces each entry by the minimum of it and an entry of `child`, at the place with
/// the bits of its own place moved to `places`.
fn minimize(least: &mut [u8], child: &[u8], places: &[u32]) {
    gather(child, places, |first, others| {
        let entries = &mut least[first..first + others.len()];
        for (entry, &other) in entries.iter_mut().zip(others) {
            *entry = (*entry).min(other);
        }
    });
}

/// Calls `visit` with runs of entries of `child`, each with the place of its first: the entry
/// of a place is that of `child` with the bits of the place moved to `places`.
#[inline]
pub fn gather(child: &[u8], places: &[u32], mut visit: impl FnMut(usize, &[u8])) {
    let unmoved = (0..)
        .zip(places)
        .take_while(|&(bit, &place)| place == 1 << bit);
    let run_bits = unmoved.count();
    let moved = |bits: usize, places: &[u32]| {
        let mut place = 0;
        for bit in elements(bits as u32) {
            place |= places[bit];
        }
        place as usize
    };
    if run_bits >= MIN_RUN_BITS {
        let (high, len) = (&places[run_bits..], 1 << run_bits);
        for number in 0..1 << high.len() {
            let start = moved(number, high);
            visit(number * len, &child[start..start + len]);
        }
        return;
    }
    let (low, high) = places.split_at(places.len().min(TABLE_BITS));
    let table: Vec<u32> = (0..1 << low.len())
        .map(|number| moved(number, low) as u32)
        .collect();
    let mut others = [0; 1 << TABLE_BITS];
    let others = &mut others[..table.len()];
    for number in 0..1 << high.len() {
        let start = moved(number, high);
        // Gathered first, they are compared many at a time.
        for (other, &offset) in others.iter_mut().zip(&table) {
            *other = child[start | offset as usize];
        }
        visit(number * table.len(), others);
    }
}

/// Calls `visit` with every connected subset of a set of points that is not empty.
fn connected_subsets(grid: &Grid, set: u32, visit: &mut impl FnMut(u32)) {
    /// Visits the connected sets that contain `subset` and no point of `excluded`.
    fn extend(grid: &Grid, set: u32, subset: u32, mut excluded: u32, visit: &mut impl FnMut(u32)) {
        visit(subset);
        let candidates = grid.neighbors(subset) & set & !subset & !excluded;
        for point in elements(candidates) {
            extend(grid, set, subset | 1 << point, excluded, visit);
            excluded |= 1 << point;
        }
    }
    let mut excluded = 0;
    for point in elements(set) {
        extend(grid, set, 1 << point, excluded, visit);
        excluded |= 1 << point;
    }
}
