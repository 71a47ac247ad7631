//! The positions of `values.txt`, whose values an independent solver found.

use gothello::Position;

/// A position, without and with a pass before, and its values as Black sees
/// them.
pub struct Known {
    pub positions: [Position; 2],
    pub values: [&'static str; 2],
}

/// The lines of the file, from 24 stones down to 9, with so many stones.
pub fn known(stones: std::ops::RangeInclusive<u32>) -> impl Iterator<Item = Known> {
    include_str!("values.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(read)
        .filter(move |known| stones.contains(&(known.positions[0].stones().count())))
}

fn read(line: &'static str) -> Known {
    let fields: Vec<&str> = line.split(" | ").collect();
    let position: Position = fields[1].parse().unwrap();
    let after_pass = format!("{position} pass").parse().unwrap();
    Known {
        positions: [position, after_pass],
        values: [fields[2], fields[3]],
    }
}
