//! Pseudo-random numbers that are the same for the same seed, on every machine and in
//! every version of this program.

/// A seeded generator: SplitMix64 (Steele, Lea and Flood, *Fast splittable
/// pseudorandom number generators*, 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Creates the generator of a seed.
    #[inline]
    pub const fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// Returns a random number: a bijection of the state before.
    #[inline]
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// Returns a random number in 0..1.
    pub(crate) fn fraction(&mut self) -> f64 {
        // As many bits as a float holds.
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a random number in 0..`end`, uniform up to a bias of `end` / 2^64; 0 if
    /// `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        // It is less than `end`.
        usize::try_from(self.below_u64(end as u64)).unwrap_or(0)
    }

    /// Does the work of [`below`](Rng::below) for numbers of which some do not fit a `usize`.
    pub(crate) fn below_u64(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// Returns `true` or `false`, each half of the time.
    pub(crate) fn coin(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    /// Picks one of the items, each equally likely; `None` if there is none.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    /// Shuffles items, every order equally likely (Durstenfeld, *Algorithm 235: Random
    /// permutation*, 1964).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last + 1);
            items.swap(last, other);
        }
    }

    /// Picks an item with a probability proportional to its weight; `None` if there is
    /// none. Weights are finite and not negative.
    pub(crate) fn draw<T: Copy>(&mut self, items: &[(T, f64)]) -> Option<T> {
        let total: f64 = items.iter().map(|(_, weight)| weight).sum();
        let mut rest = self.fraction() * total;
        for &(item, weight) in items {
            if rest < weight {
                return Some(item);
            }
            rest -= weight;
        }
        // Only rounding leads here.
        items.last().map(|&(item, _)| item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_that_were_published() {
        let mut rng = Rng::new(1_234_567);
        let numbers: [u64; 3] = std::array::from_fn(|_| rng.next());
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(numbers, published);
    }

    #[test]
    fn every_order_is_as_likely() {
        let mut rng = Rng::new(2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6_000 {
            let mut items = [1, 2, 3];
            rng.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(
            counts.values().all(|count| (900..1_100).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn items_are_drawn_as_often_as_they_weigh() {
        let mut rng = Rng::new(1);
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            let drawn = rng.draw(&[(0, 1.0), (1, 0.0), (2, 3.0)]).unwrap();
            counts[drawn] += 1;
        }
        assert!((2_300..2_700).contains(&counts[0]), "{counts:?}");
        assert_eq!(counts[1], 0);
        assert_eq!(rng.draw::<()>(&[]), None);
    }
}
