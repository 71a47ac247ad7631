//! The built referees through stalls, and tournaments through kills, stalls, lost connections and full
//! disks.
//!
//! These tests take longer than others, and the first letters of their names let them begin first.

mod goref;
mod goref_stalls;
#[cfg(target_os = "linux")]
mod ledger;
#[cfg(target_os = "linux")]
mod netref;
mod netref_stalls;
