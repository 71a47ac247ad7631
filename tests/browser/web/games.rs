//! Random games of Go, played by the simplest rules.

use std::time::Duration;

use gothello::pages::web::Ply;
use gothello::{ByColor, Color};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A minimal board of Go.
struct Board {
    size: usize,
    cells: Vec<char>,
}

impl Board {
    fn neighbors(&self, point: usize) -> Vec<usize> {
        let (row, column) = (point / self.size, point % self.size);
        let mut all = Vec::new();
        if row > 0 {
            all.push(point - self.size);
        }
        if row + 1 < self.size {
            all.push(point + self.size);
        }
        if column > 0 {
            all.push(point - 1);
        }
        if column + 1 < self.size {
            all.push(point + 1);
        }
        all
    }

    /// The points of the same kind around one, and the kinds around them.
    fn region(&self, start: usize) -> (Vec<usize>, Vec<char>) {
        let mut region = vec![start];
        let mut seen = vec![false; self.cells.len()];
        seen[start] = true;
        let mut edge = Vec::new();
        let mut next = 0;
        while next < region.len() {
            for point in self.neighbors(region[next]) {
                if self.cells[point] != self.cells[start] {
                    edge.push(self.cells[point]);
                } else if !seen[point] {
                    seen[point] = true;
                    region.push(point);
                }
            }
            next += 1;
        }
        (region, edge)
    }

    /// Plays a stone unless that is suicide. Returns how many stones were captured.
    fn play(&mut self, point: usize, color: char) -> Option<u32> {
        let before = self.cells.clone();
        self.cells[point] = color;
        let mut captured = 0;
        for other in self.neighbors(point) {
            if ![color, '.'].contains(&self.cells[other]) {
                let (group, edge) = self.region(other);
                if !edge.contains(&'.') {
                    captured += u32::try_from(group.len()).unwrap();
                    group.into_iter().for_each(|stone| self.cells[stone] = '.');
                }
            }
        }
        if !self.region(point).1.contains(&'.') {
            self.cells = before;
            return None;
        }
        Some(captured)
    }

    /// With `b` and `w` for territory.
    fn with_territory(&self) -> String {
        let mut cells = self.cells.clone();
        let mut seen = vec![false; cells.len()];
        for point in 0..cells.len() {
            if cells[point] == '.' && !seen[point] {
                let (region, edge) = self.region(point);
                region.iter().for_each(|&empty| seen[empty] = true);
                let owner = match (edge.contains(&'B'), edge.contains(&'W')) {
                    (true, false) => 'b',
                    (false, true) => 'w',
                    _ => continue,
                };
                region.into_iter().for_each(|empty| cells[empty] = owner);
            }
        }
        cells.into_iter().collect()
    }
}

/// The start and this many moves of a random game, the same for the same seed.
pub fn go_game(size: u16, moves: usize, seed: u64) -> Vec<Ply> {
    let mut chance = StdRng::seed_from_u64(seed);
    let size = usize::from(size);
    let mut board = Board {
        size,
        cells: vec!['.'; size * size],
    };
    let mut prisoners = [0; 2];
    let mut plies = vec![go_ply(&board, None, prisoners, None)];
    while plies.len() <= moves {
        let side = (plies.len() + 1) % 2;
        let color = ['B', 'W'][side];
        let point = choose(&board, color, plies.len(), &mut chance);
        let Some(captured) = board.play(point, color) else {
            continue;
        };
        prisoners[side] += captured;
        let used = Duration::from_millis(chance.random_range(40..9_000));
        plies.push(go_ply(&board, Some((point, side)), prisoners, Some(used)));
    }
    plies
}

/// A point that is not too silly: first the corners and sides, then beside
/// other stones, and never in an eye.
fn choose(board: &Board, color: char, number: usize, chance: &mut StdRng) -> usize {
    let size = board.size;
    let line = |n: usize| n.min(size - 1 - n);
    loop {
        let point = chance.random_range(0..size * size);
        let near = board.neighbors(point);
        let own = near.iter().filter(|&&p| board.cells[p] == color).count();
        let full = near.iter().filter(|&&p| board.cells[p] != '.').count();
        let lowest = line(point / size).min(line(point % size));
        let opening = number < size && size > 7;
        let fits = match (opening, full) {
            (true, _) => lowest == 2 || lowest == 3,
            (false, 0) => lowest > 0 && chance.random_ratio(1, 12),
            (false, _) => chance.random_ratio(if lowest == 0 { 1 } else { 6 }, 6),
        };
        if board.cells[point] == '.' && own < near.len() && (full == 0 || !opening) && fits {
            return point;
        }
    }
}

fn go_ply(
    board: &Board,
    played: Option<(usize, usize)>,
    prisoners: [u32; 2],
    used: Option<Duration>,
) -> Ply {
    let shown = board.with_territory();
    let count = |color: char| {
        let own = shown.chars().filter(|c| c.eq_ignore_ascii_case(&color));
        f64::from(u32::try_from(own.count()).unwrap())
    };
    let coordinates = played.map(|(point, _)| [point / board.size, point % board.size]);
    Ply {
        text: coordinates.map_or_else(String::new, |[row, column]| format!("{row},{column}")),
        at: coordinates.map(|at| at.map(|n| u16::try_from(n).unwrap())),
        by: played.map(|(_, side)| [Color::Black, Color::White][side]),
        used,
        prisoners: Some(ByColor::new(prisoners[0], prisoners[1])),
        scores: Some(ByColor::new(count('B'), count('W') + 6.5)),
        board: shown,
    }
}
