//! What is proven of a division of stones.

use super::MAX_STONES;

/// What the player to move gets of the stones on the board, at least and at most;
/// what these numbers mean, and of which games they are true, stands in the
/// [room](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// He gets no fewer, if he plays for it.
    pub low: u8,
    /// He gets no more, if the opponent plays for it.
    pub high: u8,
}

/// The bounds in the order of their bytes: first those that are at most 0, then
/// those that are at most 1, and so on.
static BOUNDS: [Option<Bounds>; 256] = {
    let mut bounds = [None; 256];
    let mut high = 0;
    while high <= MAX_STONES {
        let mut low = 0;
        while low <= high {
            let place = Bounds { low, high }.to_byte();
            bounds[place as usize] = Some(Bounds { low, high });
            low += 1;
        }
        high += 1;
    }
    bounds
};

impl Bounds {
    /// A number that is known.
    pub(super) const fn exactly(stones: u8) -> Bounds {
        Bounds {
            low: stones,
            high: stones,
        }
    }

    /// How many he gets, if that is known.
    pub fn value(self) -> Option<u8> {
        (self.low == self.high).then_some(self.low)
    }

    /// The byte that stands for them, if they are bounds of at most
    /// [`MAX_STONES`] stones.
    #[inline]
    pub(super) const fn to_byte(self) -> u8 {
        let high = self.high as u16;
        (high * (high + 1) / 2 + self.low as u16) as u8
    }

    /// The bounds of a byte, unless it stands for none.
    #[inline]
    pub(super) fn from_byte(byte: u8) -> Option<Bounds> {
        // There is a place for every byte.
        BOUNDS.get(usize::from(byte)).copied().flatten()
    }

    /// The bounds of a byte of a board with so many stones, which say nothing if
    /// it stands for none.
    #[inline]
    pub(super) fn of(byte: u8, stones: u8) -> Bounds {
        Bounds::from_byte(byte).unwrap_or(Bounds {
            low: 0,
            high: stones,
        })
    }
}
