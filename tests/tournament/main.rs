//! Tournaments: who meets whom, the standings, and the results file.

mod ledger;
mod play;
mod round_robin;
mod swiss;
