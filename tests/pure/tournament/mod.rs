//! Tournaments: pairings, standings, and the results file.

mod absence;
mod events;
mod play;
mod quality;
mod results_file;
mod round_robin;
mod standings;
mod swiss;
mod views;
