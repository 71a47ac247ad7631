//! Tournaments at the built referees through kills, stalls, lost connections and full disks.
//!
//! They take longer than other tests, and the first letters of their name let them begin first.

mod goref;
#[cfg(target_os = "linux")]
mod netref;
