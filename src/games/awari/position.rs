//! Positions: sowing, capturing, and the text form.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use thiserror::Error;

use super::outcome::{AwariOutcome, EndReason, Scores};
use super::pit::{PITS, Pit, Player, SIDE};
use super::variant::{GrandSlam, Repetition, Variant};
use super::{MAJORITY, STONES};

/// A position in which a player is to move: the stones in the pits, the captured stones,
/// and whose turn it is.
///
/// By construction, the game is not over: there are 48 stones in all, no player has captured 25,
/// and the player to move has a stone. A game that is over has no position: [`Position::sow`]
/// returns its outcome instead. Earlier positions are not part of a position, so a
/// [`Game`](super::Game) takes care of repetition.
///
/// The start, and the position after South sows F:
///
/// ```text
///        North                  North
///   f  e  d  c  b  a       f  e  d  c  b  a
///   4  4  4  4  4  4       4  4  5  5  5  5
///   4  4  4  4  4  4       4  4  4  4  4  0
///   A  B  C  D  E  F       A  B  C  D  E  F
///        South                  South
/// ```
///
/// ```
/// use gothello::awari::{Next, Position, Variant};
/// let start = Position::START;
/// assert_eq!(start.legal_moves(Variant::default()).count(), 6);
/// let Ok(Next::Continues(next)) = start.sow("F".parse().unwrap(), Variant::default()) else {
///     panic!();
/// };
/// assert_eq!(next.to_string(), "5,5,5,5,4,4/4,4,4,4,4,0 0 0 n");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pits: [u8; PITS],
    scores: Scores,
    to_move: Player,
}

/// The result of a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// The game goes on, unless the position occurred before.
    Continues(Position),
    /// The game is over.
    Ends(AwariOutcome),
}

/// Why stones do not form a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalPosition {
    /// The number of stones is not 48.
    #[error("there are {0} stones on the board and captured, not {STONES}")]
    Stones(u32),
    /// A player has captured enough to end the game.
    #[error("{0} has captured {1} stones: with {MAJORITY} or more the game is over")]
    Majority(Player, u8),
    /// The player to move has no stones, so the game is over.
    #[error("{0} is to move and has no stones: the game is over")]
    NoMove(Player),
}

/// Why a move is illegal (*IllegalMove*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The pit belongs to the other player.
    #[error("{0} is not {1}'s pit")]
    NotYours(Pit, Player),
    /// The pit is empty.
    #[error("{0} is empty")]
    Empty(Pit),
    /// The opponent has no stones and would get none, though another move gives them
    /// some.
    #[error("{0} leaves the opponent without stones")]
    Starves(Pit),
    /// The move would capture all of the opponent's stones, which this variant forbids.
    #[error("{0} captures all of the opponent's stones, which is not allowed")]
    GrandSlam(Pit),
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

/// The number of stones that are sown in one lap: one for each other pit.
const LAP: usize = PITS - 1;

/// The stones that each pit receives, by the pit that is sown and its stones.
static SOWN: [[[u8; PITS]; STONES as usize + 1]; PITS] = {
    let mut sown = [[[0; PITS]; STONES as usize + 1]; PITS];
    let mut pit = 0;
    while pit < PITS {
        let mut stones = 1;
        while stones <= STONES as usize {
            sown[pit][stones] = sown[pit][stones - 1];
            let last = Pit::ALL[pit].after((stones - 1) % LAP + 1);
            sown[pit][stones][last.index()] += 1;
            stones += 1;
        }
        pit += 1;
    }
    sown
};

/// The result of sowing a pit, whether it is legal or not.
struct Sown {
    pits: [u8; PITS],
    captured: u8,
    /// Whether the move captures, or would capture, all of the opponent's stones.
    is_slam: bool,
}

impl Position {
    /// The start: four stones in each pit, and South to move (*InitAwariBoard*).
    pub const START: Position = Position {
        pits: [4; PITS],
        scores: Scores { south: 0, north: 0 },
        to_move: Player::South,
    };

    /// Creates a position from the stones in the pits, in the order of [`Pit::ALL`], the
    /// captured stones, and the player to move.
    ///
    /// # Errors
    ///
    /// If there are not 48 stones in all, or the game would be over.
    pub fn new(
        pits: [u8; PITS],
        scores: Scores,
        to_move: Player,
    ) -> Result<Position, IllegalPosition> {
        let counts = pits.iter().chain([&scores.south, &scores.north]);
        let stones = counts.map(|&count| u32::from(count)).sum();
        if stones != u32::from(STONES) {
            return Err(IllegalPosition::Stones(stones));
        }
        for player in Player::ALL {
            let score = scores.of(player);
            if score >= MAJORITY {
                return Err(IllegalPosition::Majority(player, score));
            }
        }
        let position = Position {
            pits,
            scores,
            to_move,
        };
        if position.stones_of(to_move) == 0 {
            return Err(IllegalPosition::NoMove(to_move));
        }
        Ok(position)
    }

    /// Returns the player to move.
    #[inline]
    pub const fn to_move(&self) -> Player {
        self.to_move
    }

    /// Returns the number of stones in a pit.
    #[inline]
    pub const fn stones(&self, pit: Pit) -> u8 {
        self.pits[pit.index()]
    }

    /// Returns the stones in each pit, in the order of [`Pit::ALL`].
    #[inline]
    pub const fn pits(&self) -> &[u8; PITS] {
        &self.pits
    }

    /// Returns the captured stones.
    #[inline]
    pub const fn scores(&self) -> Scores {
        self.scores
    }

    /// Returns the number of stones on a player's side.
    #[inline]
    pub fn stones_of(&self, player: Player) -> u8 {
        side_sum(&self.pits, player)
    }

    /// Returns every legal move, in the order of [`Pit::ALL`]. There is at least one.
    #[inline]
    pub fn legal_moves(&self, variant: Variant) -> impl Iterator<Item = Pit> {
        // Usually every pit with stones can be sown.
        let any = variant.grand_slam != GrandSlam::Forbidden
            && self.stones_of(self.to_move.opponent()) > 0;
        let legal = move |&pit: &Pit| match any {
            true => self.stones(pit) > 0,
            false => self.check(pit, variant).is_ok(),
        };
        Pit::of(self.to_move).iter().copied().filter(legal)
    }

    /// Plays a move: sows a pit, captures, and checks whether the game is over.
    ///
    /// # Errors
    ///
    /// If the move is illegal.
    #[inline]
    pub fn sow(&self, pit: Pit, variant: Variant) -> Result<Next, IllegalMove> {
        let sown = self.check(pit, variant)?;
        let (mover, opponent) = (self.to_move, self.to_move.opponent());
        let scores = self.scores.plus(mover, sown.captured);
        let ends = |scores, pits, ending| {
            Ok(Next::Ends(AwariOutcome {
                scores,
                pits,
                ending,
            }))
        };
        if sown.is_slam && variant.grand_slam == GrandSlam::EndsGame {
            // The opponent has no stones left to forfeit (*ForfeitStones*).
            let rest = side_sum(&sown.pits, mover);
            return ends(scores.plus(opponent, rest), [0; PITS], EndReason::GrandSlam);
        }
        if scores.of(mover) >= MAJORITY {
            return ends(scores, sown.pits, EndReason::Majority);
        }
        let next = Position {
            pits: sown.pits,
            scores,
            to_move: opponent,
        };
        if next.stones_of(opponent) == 0 {
            return ends(next.claimed(), [0; PITS], EndReason::NoMove);
        }
        Ok(Next::Continues(next))
    }

    /// Returns the stones in each pit after a move, in the order of [`Pit::ALL`], whether
    /// the game goes on or not.
    ///
    /// # Errors
    ///
    /// If the move is illegal.
    pub fn pits_after(&self, pit: Pit, variant: Variant) -> Result<[u8; PITS], IllegalMove> {
        self.check(pit, variant).map(|sown| sown.pits)
    }

    /// Returns the pits into which the stones of a pit are sown, one for each stone, in order.
    ///
    /// ```
    /// use itertools::Itertools;
    /// use gothello::awari::Position;
    ///
    /// let pits = Position::START.sown_from("E".parse()?);
    /// assert_eq!(pits.format(" ").to_string(), "F a b c");
    /// # Ok::<(), gothello::awari::ParsePitError>(())
    /// ```
    pub fn sown_from(&self, pit: Pit) -> impl Iterator<Item = Pit> + use<> {
        // A pit that is sown for more than a lap is left out.
        (0..usize::from(self.stones(pit))).map(move |number| pit.after(number % LAP + 1))
    }

    /// Returns the opponent's pits from which a move captures, in the order of
    /// [`Pit::ALL`].
    ///
    /// # Errors
    ///
    /// If the move is illegal.
    pub fn captured_from(
        &self,
        pit: Pit,
        variant: Variant,
    ) -> Result<impl Iterator<Item = Pit>, IllegalMove> {
        let left = self.check(pit, variant)?.pits;
        let (before, received) = (self.pits, &SOWN[pit.index()][usize::from(self.stones(pit))]);
        let pits = Pit::of(self.to_move.opponent()).iter().copied();
        // Stones leave a pit of the opponent only by being captured.
        Ok(pits.filter(move |other| {
            let place = other.index();
            left[place] < before[place] + received[place]
        }))
    }

    /// Returns the scores if each player claims the stones on their side (*ClaimStones*).
    pub fn claimed(&self) -> Scores {
        let claim = |scores: Scores, player| scores.plus(player, self.stones_of(player));
        Player::ALL.into_iter().fold(self.scores, claim)
    }

    /// Returns the outcome of a game in which this position has occurred again.
    pub fn repeated(&self, repetition: Repetition) -> AwariOutcome {
        let (scores, pits) = match repetition {
            Repetition::Claim => (self.claimed(), [0; PITS]),
            Repetition::Discard => (self.scores, self.pits),
        };
        AwariOutcome {
            scores,
            pits,
            ending: EndReason::Repetition,
        }
    }

    /// Sows a pit, if that is legal.
    // Its result is large, and a call would copy it.
    #[inline(always)]
    fn check(&self, pit: Pit, variant: Variant) -> Result<Sown, IllegalMove> {
        if pit.owner() != self.to_move {
            return Err(IllegalMove::NotYours(pit, self.to_move));
        }
        if self.stones(pit) == 0 {
            return Err(IllegalMove::Empty(pit));
        }
        let sown = self.sown(pit, variant.grand_slam);
        let opponent = self.to_move.opponent();
        let is_bad = |sown: &Sown| match variant.grand_slam {
            GrandSlam::Forbidden if sown.is_slam => true,
            _ => self.stones_of(opponent) == 0 && side_sum(&sown.pits, opponent) == 0,
        };
        if !is_bad(&sown) {
            return Ok(sown);
        }
        // The move is still legal if every other move has the same fault.
        let others = Pit::of(self.to_move).iter();
        let mut others = others.filter(|&&other| self.stones(other) > 0);
        if others.all(|&other| is_bad(&self.sown(other, variant.grand_slam))) {
            return Ok(sown);
        }
        Err(if sown.is_slam {
            IllegalMove::GrandSlam(pit)
        } else {
            IllegalMove::Starves(pit)
        })
    }

    /// Sows a pit of the player to move that is not empty, and captures (*Sow*,
    /// *Capture*).
    #[inline]
    fn sown(&self, pit: Pit, grand_slam: GrandSlam) -> Sown {
        let opponent = self.to_move.opponent();
        let mut pits = self.pits;
        let stones = usize::from(self.stones(pit));
        pits[pit.index()] = 0;
        let received = &SOWN[pit.index()][stones];
        for place in 0..PITS {
            pits[place] += received[place];
        }
        let last = pit.after((stones - 1) % LAP + 1).index();
        let first = Pit::of(opponent)[0].index();
        // Nothing is captured if the last stone is on the player's own side.
        let mut count = 0;
        if (first..first + SIDE).contains(&last) {
            while last >= first + count && matches!(pits[last - count], 2 | 3) {
                count += 1;
            }
        }
        if count == 0 {
            return Sown {
                pits,
                captured: 0,
                is_slam: false,
            };
        }
        let taken = |count: usize| last + 1 - count..last + 1;
        let stones_in = |places: Range<usize>| sum(&pits[places]);
        // All stones that are there, and there were some before the move.
        let is_slam =
            stones_in(taken(count)) == side_sum(&pits, opponent) && self.stones_of(opponent) > 0;
        let count = match grand_slam {
            GrandSlam::CapturesNothing if is_slam => 0,
            GrandSlam::SparesLast if is_slam => count - 1,
            GrandSlam::FirstOnly if is_slam => 1,
            _ => count,
        };
        let captured = stones_in(taken(count));
        pits[taken(count)].fill(0);
        Sown {
            pits,
            captured,
            is_slam,
        }
    }
}

/// Returns the number of stones on a player's side.
#[inline]
fn side_sum(pits: &[u8; PITS], player: Player) -> u8 {
    let (north, south) = pits.split_at(SIDE);
    let side = match player {
        Player::North => north,
        Player::South => south,
    };
    sum(side)
}

/// Returns the number of stones in some pits.
// A loop: `Iterator::sum` is not inlined across codegen units.
#[inline]
fn sum(pits: &[u8]) -> u8 {
    let mut sum = 0;
    for &stones in pits {
        sum += stones;
    }
    sum
}

impl Default for Position {
    fn default() -> Position {
        Position::START
    }
}

/// An error in the text of a position, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParsePositionError {
    /// There are not four words.
    #[error(
        "a position has four words with one space between them: the pits, North's and South's \
         captured stones, and the side to move, as in {}",
        Position::START
    )]
    Words,
    /// There are not two sides.
    #[error("{text:?} has no two sides: write a to f, / and A to F, as in 4,4,4,4,4,4/4,4,4,4,4,4")]
    Sides {
        /// The first word.
        text: String,
    },
    /// A side does not have six pits.
    #[error(
        "{player}'s side ({text:?}) has {found} pits: write 6 numbers with commas between them"
    )]
    Pits {
        /// The owner of the side.
        player: Player,
        /// The text of the side.
        text: String,
        /// The number of pits.
        found: usize,
    },
    /// The content of a pit is not a number of stones.
    #[error("{found:?} in pit {pit} is not a number of stones, 0 to 48")]
    Pit {
        /// The pit.
        pit: Pit,
        /// The text found instead.
        found: String,
    },
    /// A word is not a number of captured stones.
    #[error("{found:?} is not a number of stones that {player} has captured, 0 to 48")]
    Score {
        /// The player whose captured stones it should be.
        player: Player,
        /// The text found instead.
        found: String,
    },
    /// The side to move is neither `s` nor `n`.
    #[error("{found:?} is not a side to move: write s or n")]
    Side {
        /// The word found instead.
        found: String,
    },
    /// The stones do not form a position.
    #[error(transparent)]
    Illegal(#[from] IllegalPosition),
}

/// Parses the text form: the stones in North's pits a to f with commas between them, a `/`, those
/// in South's pits A to F; a space and the stones that North has captured, a space and those that
/// South has; a space and the side to move, `s` or `n`: `4,4,4,4,4,4/4,4,4,4,4,4 0 0 s`. Nothing
/// else is accepted, so parsed text is printed back identically.
impl FromStr for Position {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Position, ParsePositionError> {
        let words = text.split(' ').collect::<Vec<_>>();
        let [board, north, south, side] = words[..] else {
            return Err(ParsePositionError::Words);
        };
        let pits = parse_board(board)?;
        let score = |player, word: &str| {
            number(word).ok_or_else(|| ParsePositionError::Score {
                player,
                found: word.to_owned(),
            })
        };
        let scores = Scores {
            north: score(Player::North, north)?,
            south: score(Player::South, south)?,
        };
        let letter = |player: &Player| side.chars().eq([player.letter()]);
        let to_move = Player::ALL.into_iter().find(letter);
        let to_move = to_move.ok_or_else(|| ParsePositionError::Side {
            found: side.to_owned(),
        })?;
        Ok(Position::new(pits, scores, to_move)?)
    }
}

/// Parses the first word of the text form.
fn parse_board(text: &str) -> Result<[u8; PITS], ParsePositionError> {
    let sides = text.split('/').collect::<Vec<_>>();
    let [north, south] = sides[..] else {
        return Err(ParsePositionError::Sides {
            text: text.to_owned(),
        });
    };
    let mut pits = [0; PITS];
    for (player, text) in [(Player::North, north), (Player::South, south)] {
        let found = text.split(',').count();
        if found != SIDE {
            return Err(ParsePositionError::Pits {
                player,
                text: text.to_owned(),
                found,
            });
        }
        for (&pit, word) in Pit::of(player).iter().zip(text.split(',')) {
            let wrong = || ParsePositionError::Pit {
                pit,
                found: word.to_owned(),
            };
            pits[pit.index()] = number(word).ok_or_else(wrong)?;
        }
    }
    Ok(pits)
}

/// Parses a number of stones as it is printed: without a sign and without leading zeros.
fn number(word: &str) -> Option<u8> {
    let number: u8 = word.parse().ok()?;
    let is_stones = number <= STONES && number.to_string() == word;
    is_stones.then_some(number)
}

/// Writes the text form, as in `4,4,4,4,4,4/4,4,4,4,4,4 0 0 s`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |player| {
            Pit::of(player)
                .iter()
                .map(|&pit| self.stones(pit).to_string())
                .collect::<Vec<_>>()
                .join(",")
        };
        let Scores { south, north } = self.scores();
        let (upper, lower) = (side(Player::North), side(Player::South));
        let letter = self.to_move().letter();
        write!(f, "{upper}/{lower} {north} {south} {letter}")
    }
}
