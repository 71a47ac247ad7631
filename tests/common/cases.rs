//! How much of a long test runs: all of it in optimized builds, a part in debug builds, which
//! are for quick answers. `.ci/run` runs the tests in both.

// Not every test program needs everything.
#![allow(dead_code)]

use std::time::Duration;

/// More time than any instant operation takes, even on a busy machine.
pub const AT_ONCE: Duration = Duration::from_secs(3);

/// A debug build runs one case of this many.
const PART: u32 = 20;

/// Returns how many random cases to try, given the number for an optimized build.
pub const fn cases(full: u32) -> u32 {
    if cfg!(debug_assertions) {
        full.div_ceil(PART)
    } else {
        full
    }
}

/// Returns the items of a list to try: all of them in an optimized build, otherwise the first and
/// every 20th after it.
pub fn some_of<I: IntoIterator>(items: I) -> impl Iterator<Item = I::Item> {
    let step = if cfg!(debug_assertions) { PART } else { 1 };
    items.into_iter().step_by(step as usize)
}
