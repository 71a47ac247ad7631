//! The positions of `values.txt`, whose values an independent solver computed.

use gothello::Position;

/// A position without and with a preceding pass, and its values as Black sees them.
pub struct Known {
    pub positions: [Position; 2],
    pub values: [&'static str; 2],
}

/// Returns the positions with this many stones, in the order of the file: from 24 down to 9.
pub fn known(stones: std::ops::RangeInclusive<u32>) -> impl Iterator<Item = Known> {
    include_str!("values.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(parse)
        .filter(move |known| stones.contains(&known.positions[0].stones().count()))
}

fn parse(line: &'static str) -> Known {
    let fields: Vec<&str> = line.split(" | ").collect();
    let position: Position = fields[1].parse().unwrap();
    let after_pass = format!("{position} pass").parse().unwrap();
    Known {
        positions: [position, after_pass],
        values: [fields[2], fields[3]],
    }
}
