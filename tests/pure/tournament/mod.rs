//! Tournaments: who meets whom, the standings, and the results file.

mod events;
mod ledger;
mod play;
mod quality;
mod round_robin;
mod standings;
mod swiss;
mod views;
