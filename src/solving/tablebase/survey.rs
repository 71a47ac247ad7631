//! Remarkable positions: a survey of all positions and their moves, layer by layer.
//!
//! The values of a position's placements are in the next layer, and that of a pass follows
//! from the opponent's placements on the same stones (see `block`). So a block is surveyed
//! like it is computed, with the two best placements and the worst for each coloring.
//!
//! # Forced lines
//!
//! A move is an *only move* if it is better than every other move, passes and placements on
//! symmetric points among them. A forced line is a sequence of only moves; a pass is a move,
//! and the second pass in a row ends the line with the game. Its length F is 0 where there
//! is no only move, else 1 more than after the only move, so it is computed from the layer
//! with one stone more. After a pass, the line is followed on the same stones. An entry
//! of F for a coloring with captured groups is that of the coloring after the capture, as for
//! values.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use serde::{Serialize, Serializer};

use super::block::{Groups, gather, places};
use super::error::TablebaseError;
use super::files::Tablebase;
use super::grid::{Grid, deposit, elements};
use super::layer::Layer;
use super::{BIAS, ILLEGAL};
use crate::base::threads::try_for_each;
use crate::games::gothello::{Color, Placements, Point, Position, Stones};

/// A bit of a forced line's length: the line goes on in a layer that is not there.
const OPEN: u8 = 1 << 7;

/// The number of blocks that a thread takes at a time.
const BLOCKS: usize = 32;

/// A number of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Positions on the board.
    pub all: u64,
    /// Positions up to the symmetries of the board.
    pub up_to_symmetry: u64,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.all += other.all;
        self.up_to_symmetry += other.up_to_symmetry;
    }
}

/// The largest amount of something, and the positions that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extreme {
    /// The amount, in stones or in moves.
    pub amount: u8,
    /// The positions with this amount.
    pub positions: Tally,
    /// One of them: the stones of the player to move and those of the opponent, with a bit
    /// for each point; `None` if there are no positions.
    #[serde(serialize_with = "as_position")]
    pub example: Option<(u32, u32)>,
}

impl Extreme {
    /// Takes the larger amount, and of the same amount the example that is the first: with
    /// the smallest set of points, then of the mover's stones.
    fn add(&mut self, other: &Extreme) {
        if other.amount > self.amount || self.example.is_none() {
            *self = other.clone();
        } else if other.amount == self.amount {
            self.positions.add(other.positions);
            self.example = first_of(self.example, other.example);
        }
    }
}

/// Returns the example with the smaller set of points, or else of the mover's stones.
fn first_of(one: Option<(u32, u32)>, other: Option<(u32, u32)>) -> Option<(u32, u32)> {
    let examples = one.into_iter().chain(other);
    examples.min_by_key(|&(mover, opponent)| (mover | opponent, mover))
}

/// The remarkable positions with the same number of stones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LayerSurvey {
    /// The number of stones.
    pub stones: u8,
    /// All positions.
    pub positions: Tally,
    /// Positions in which one move is better than every other.
    pub only_moves: Tally,
    /// Positions in which a pass is better than every placement, though there is a legal one.
    pub best_passes: Tally,
    /// Those of [`best_passes`](LayerSurvey::best_passes) in which a placement would capture.
    pub refused_captures: Tally,
    /// A position with a refused capture, as in [`Extreme::example`].
    #[serde(serialize_with = "as_position")]
    pub refused_capture: Option<(u32, u32)>,
    /// The difference between the best move and the worst one.
    pub swing: Extreme,
    /// The difference between the best move and the second best one; 0 if two are best.
    pub margin: Extreme,
    /// The number of stones by which a player to move who wins is behind on the board.
    pub comeback: Extreme,
    /// The number of moves in a row, from this position on, that are only moves.
    pub forced_line: Extreme,
    /// Positions whose forced line goes on among positions that are not there: it is
    /// longer than was counted, or as long.
    pub open_lines: Tally,
}

impl LayerSurvey {
    fn add(&mut self, other: &LayerSurvey) {
        for (sum, more) in [
            (&mut self.positions, other.positions),
            (&mut self.only_moves, other.only_moves),
            (&mut self.best_passes, other.best_passes),
            (&mut self.refused_captures, other.refused_captures),
            (&mut self.open_lines, other.open_lines),
        ] {
            sum.add(more);
        }
        for (largest, more) in [
            (&mut self.swing, &other.swing),
            (&mut self.margin, &other.margin),
            (&mut self.comeback, &other.comeback),
            (&mut self.forced_line, &other.forced_line),
        ] {
            largest.add(more);
        }
        self.refused_capture = first_of(self.refused_capture, other.refused_capture);
    }
}

/// The lengths of the forced lines of a layer, block by block.
type ForcedLineLengths = Vec<OnceLock<Vec<u8>>>;

/// Returns the position of Gothello with the stones of the player to move and those of the
/// opponent, and Black to move; `None` if it is not legal.
pub fn position_of(mover: u32, opponent: u32) -> Option<Position> {
    let points = |set| elements(set).filter_map(|point| Point::ALL.get(point).copied());
    let [black, white] = [mover, opponent].map(|set| points(set).collect());
    Position::new(black, white, Color::Black, false).ok()
}

/// Serializes an example as a position of Gothello.
fn as_position<S: Serializer>(
    example: &Option<(u32, u32)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let position = example.and_then(|(mover, opponent)| position_of(mover, opponent));
    position.serialize(serializer)
}

impl Tablebase {
    /// Surveys all positions that are available together with those after their moves: each layer
    /// with the next one, from the most stones to the fewest. Returns `None` if it was stopped.
    ///
    /// Calls `progress` with the number of stones and of blocks done, and of all blocks with
    /// so many stones, from several threads. The lengths of the forced lines of two layers
    /// are in memory, with one byte for each entry of a block.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged, or there are no layers to survey.
    pub fn survey(
        &self,
        threads: usize,
        stop: &AtomicBool,
        progress: &(dyn Fn(u8, usize, usize) + Sync),
    ) -> Result<Option<Vec<LayerSurvey>>, TablebaseError> {
        let is_there: Vec<bool> = self.layers.iter().map(Layer::has_blocks).collect();
        let has_moves = |stones: usize| is_there.get(stones + 1).is_none_or(|&next| next);
        let surveyed = |stones: &usize| is_there[*stones] && has_moves(*stones);
        if !(0..self.layers.len()).any(|stones| surveyed(&stones)) {
            return Err(TablebaseError::NoNeighbors);
        }
        let mut surveys: Vec<LayerSurvey> = Vec::new();
        let mut next: Option<ForcedLineLengths> = None;
        for stones in (0..self.layers.len()).rev().filter(surveyed) {
            let layer = &self.layers[stones];
            // Lines of a layer above one that is not there.
            if surveys
                .last()
                .is_some_and(|last| usize::from(last.stones) != stones + 1)
            {
                next = None;
            }
            let scan = LayerScan {
                grid: &self.grid,
                layer,
                next: self.layers.get(usize::from(layer.stones()) + 1),
                next_lines: next.as_ref(),
                lines: (0..layer.block_count()).map(|_| OnceLock::new()).collect(),
            };
            let total = layer.block_count();
            let parts: Vec<usize> = (0..total).step_by(BLOCKS).collect();
            let found = Mutex::new(LayerSurvey::default());
            try_for_each(threads, &parts, Moves::default, |moves, &first| {
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let mut survey = LayerSurvey::default();
                for number in first..(first + BLOCKS).min(total) {
                    if let Some(set) = layer.set(number) {
                        let lines = scan.survey_block(set, moves, &mut survey)?;
                        let _ = scan.lines[number].set(lines);
                    }
                }
                if let Ok(mut found) = found.lock() {
                    found.add(&survey);
                }
                progress(layer.stones(), first, total);
                Ok(())
            })?;
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            surveys.push(LayerSurvey {
                stones: layer.stones(),
                ..found.into_inner().unwrap_or_default()
            });
            next = Some(scan.lines);
        }
        Ok(Some(surveys))
    }
}

/// The blocks of a layer that several threads survey.
struct LayerScan<'a> {
    grid: &'a Grid,
    layer: &'a Layer,
    /// The layer with one stone more.
    next: Option<&'a Layer>,
    /// Its forced lines; `None` if they are not known.
    next_lines: Option<&'a ForcedLineLengths>,
    lines: ForcedLineLengths,
}

impl LayerScan<'_> {
    /// Surveys a block; returns its forced lines.
    fn survey_block(
        &self,
        set: u32,
        moves: &mut Moves,
        survey: &mut LayerSurvey,
    ) -> Result<Vec<u8>, TablebaseError> {
        let stones = set.count_ones();
        let all = (1u32 << stones) - 1;
        moves.clear(all as usize + 1);
        let children = self.add_placements(set, moves)?;
        let mut entries = Vec::new();
        self.layer.read(set, &mut entries)?;
        let groups = Groups::new(self.grid, set);
        let mut is_legal = vec![true; entries.len()];
        groups.each_not_legal(|coloring, _| is_legal[coloring as usize] = false);
        let stabilizer: Vec<Vec<u32>> = (self.grid.stabilizer(set))
            .map(|symmetry| places(set, set, symmetry))
            .collect();
        let images = (self.grid.symmetry_count() / (1 + stabilizer.len())) as u64;

        // The forced line after an only placement.
        let line_after = |mover: u32| {
            let opponent = all & !mover;
            let Some((places, lines)) = children.get(usize::from(moves.point[opponent as usize]))
            else {
                return 0;
            };
            let Some(lines) = lines else {
                return OPEN;
            };
            let place = elements(opponent).fold(0, |place, bit| place | places[bit]);
            lines.get(place as usize).copied().unwrap_or(OPEN)
        };
        let mut lines = vec![0; entries.len()];
        for mover in 0..=all {
            if !is_legal[mover as usize] {
                continue;
            }
            let choice = moves.choice(mover, all, false);
            if choice.best != entries[mover as usize] {
                let what = "values are not those that the positions with one more stone give";
                return Err(self.layer.wrong_block(self.layer.number(set)?, what));
            }
            let is_least = stabilizer.iter().all(|places| {
                let image = elements(mover).fold(0, |image, bit| image | places[bit]);
                image >= mover
            });
            let one = Tally {
                all: images,
                up_to_symmetry: is_least.into(),
            };
            let line = match choice.only {
                None => 0,
                Some(Only::Placement) => 1 + line_after(mover),
                // The opponent's answer on the same stones.
                Some(Only::Pass) => match moves.choice(all & !mover, all, true).only {
                    None => 1,
                    Some(Only::Placement) => 2 + line_after(all & !mover),
                    Some(Only::Pass) => 2,
                },
            };
            lines[mover as usize] = line;

            let coloring = (deposit(mover, set), deposit(all & !mover, set));
            let can_place = moves.least[(all & !mover) as usize] != ILLEGAL;
            self.tally(survey, coloring, one, &choice, can_place, line);
        }
        // Colorings with captured groups, as in a block of values.
        groups.each_captured(|coloring, rest| {
            if entries[coloring as usize] != ILLEGAL {
                lines[coloring as usize] = lines[rest as usize];
            }
        });
        Ok(lines)
    }

    /// Counts a coloring, which has the stones of the mover and of the opponent, with its images. The
    /// mover has this choice, and may be able to place a stone.
    fn tally(
        &self,
        survey: &mut LayerSurvey,
        (mover, opponent): (u32, u32),
        one: Tally,
        choice: &Choice,
        can_place: bool,
        line: u8,
    ) {
        let raise = |largest: &mut Extreme, amount: u8| {
            if amount >= largest.amount || largest.example.is_none() {
                largest.add(&Extreme {
                    amount,
                    positions: one,
                    example: Some((mover, opponent)),
                });
            }
        };
        survey.positions.add(one);
        raise(&mut survey.swing, choice.best - choice.worst);
        raise(&mut survey.margin, choice.best - choice.second);
        raise(&mut survey.forced_line, line & !OPEN);
        if line & OPEN != 0 {
            survey.open_lines.add(one);
        }
        let lead = mover.count_ones() as i8 - opponent.count_ones() as i8;
        if choice.best > BIAS && lead < 0 {
            raise(&mut survey.comeback, lead.unsigned_abs());
        }
        if choice.only.is_some() {
            survey.only_moves.add(one);
        }
        if choice.only == Some(Only::Pass) && can_place {
            survey.best_passes.add(one);
            if self.can_capture(mover, opponent) {
                survey.refused_captures.add(one);
                survey.refused_capture.get_or_insert((mover, opponent));
            }
        }
    }

    /// Adds the placements on the empty points of a block. Returns the next block of each.
    fn add_placements(
        &self,
        set: u32,
        moves: &mut Moves,
    ) -> Result<Vec<NextBlock<'_>>, TablebaseError> {
        let empty = self.grid.all() & !set;
        let mut children = Vec::new();
        // On a full board every group is without liberties.
        if empty.count_ones() > 1
            && let Some(next) = self.next
        {
            for point in elements(empty) {
                let (child, symmetry) = self.grid.canonical(set | 1 << point);
                next.read(child, &mut moves.child)?;
                let places = places(set, child, symmetry);
                moves.add(children.len() as u8, &places);
                let lines = self.next_lines.and_then(|lines| {
                    let lines = lines.get(next.number(child).ok()?)?;
                    lines.get().map(Vec::as_slice)
                });
                children.push((places, lines));
            }
        }
        Ok(children)
    }

    fn can_capture(&self, mover: u32, opponent: u32) -> bool {
        let stones = Stones {
            mover: self.grid.point_set(mover),
            opponent: self.grid.point_set(opponent),
        };
        let empty = self.grid.all() & !(mover | opponent);
        let placements = Placements::new(stones, self.grid.point_set(empty));
        placements.legal().iter().any(|point| {
            placements
                .captures(point)
                .is_some_and(|set| !set.is_empty())
        })
    }
}

/// The block after a placement: the place of each of its points in the coloring, and the lengths of
/// its forced lines, if they are known.
type NextBlock<'a> = (Vec<u32>, Option<&'a [u8]>);

/// The placements of each coloring of a block, by the opponent's coloring.
#[derive(Default)]
struct Moves {
    /// The least entry after a placement, which is the best for the mover.
    least: Vec<u8>,
    /// The second least; the same if two placements have it.
    second: Vec<u8>,
    /// The greatest entry after a legal placement; 0 if there is none.
    greatest: Vec<u8>,
    /// The number of the placement with the least entry.
    point: Vec<u8>,
    /// The block after a placement.
    child: Vec<u8>,
}

/// An only move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Only {
    Placement,
    Pass,
}

/// The values of a position's moves, as entries.
struct Choice {
    best: u8,
    /// The best without one of the best moves; `best` if there is but one move.
    second: u8,
    worst: u8,
    only: Option<Only>,
}

impl Moves {
    fn clear(&mut self, len: usize) {
        for (entries, value) in [
            (&mut self.least, ILLEGAL),
            (&mut self.second, ILLEGAL),
            (&mut self.greatest, 0),
            (&mut self.point, 0),
        ] {
            entries.clear();
            entries.resize(len, value);
        }
    }

    /// Adds the placement that leads to `child`, as in `block`.
    fn add(&mut self, number: u8, places: &[u32]) {
        let Moves {
            least,
            second,
            greatest,
            point,
            child,
        } = self;
        gather(child, places, |first, entries| {
            let range = first..first + entries.len();
            let own = least[range.clone()]
                .iter_mut()
                .zip(&mut second[range.clone()]);
            let more = greatest[range.clone()].iter_mut().zip(&mut point[range]);
            for ((&entry, (least, second)), (greatest, point)) in entries.iter().zip(own).zip(more)
            {
                *second = (*second).min(entry.max(*least));
                *point = if entry < *least { number } else { *point };
                *least = entry.min(*least);
                let legal = if entry == ILLEGAL { 0 } else { entry };
                *greatest = legal.max(*greatest);
            }
        });
    }

    /// Returns the values of the moves of a coloring; of `all` colorings it is the last.
    fn choice(&self, mover: u32, all: u32, after_pass: bool) -> Choice {
        let (opponent, mover) = ((all & !mover) as usize, mover as usize);
        let negated = |entry: u8| (2 * BIAS).saturating_sub(entry);
        let lead = BIAS + 2 * mover.count_ones() as u8 - all.count_ones() as u8;
        let pass = match after_pass {
            true => lead,
            false => lead.min(self.least[mover]),
        };
        if self.least[opponent] == ILLEGAL {
            return Choice {
                best: pass,
                second: pass,
                worst: pass,
                only: Some(Only::Pass),
            };
        }
        let placement = negated(self.least[opponent]);
        let worst = pass.min(negated(self.greatest[opponent]));
        if pass > placement {
            return Choice {
                best: pass,
                second: placement,
                worst,
                only: Some(Only::Pass),
            };
        }
        let second = pass.max(negated(self.second[opponent]));
        Choice {
            best: placement,
            second,
            worst,
            only: (placement > second).then_some(Only::Placement),
        }
    }
}
