//! How much of a long test runs: all of it in optimized builds and with an optimized program, otherwise a
//! part, for quick answers. `.ci/run` does both.

// Not every test program needs everything.
#![allow(dead_code)]

use std::env;
use std::time::Duration;

/// More time than any instant operation takes, even on a busy machine.
pub const AT_ONCE: Duration = Duration::from_secs(3);

/// If only a part runs, it is one case of this many.
const PART: u32 = 20;

/// Returns whether only a part runs: neither these tests nor the program are optimized. `GOTHELLO_PROGRAM` names
/// one that is.
pub fn is_quick() -> bool {
    cfg!(debug_assertions) && env::var_os("GOTHELLO_PROGRAM").is_none()
}

/// Returns how many random cases to try, given the number of all.
pub fn cases(full: u32) -> u32 {
    if is_quick() {
        full.div_ceil(PART)
    } else {
        full
    }
}

/// Returns the items of a list to try: all of them, or the first and every 20th after it.
pub fn some_of<I: IntoIterator>(items: I) -> impl Iterator<Item = I::Item> {
    let step = if is_quick() { PART } else { 1 };
    items.into_iter().step_by(step as usize)
}
