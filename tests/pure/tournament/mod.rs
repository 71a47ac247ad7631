//! Tournaments: pairings, standings, and the results file.

mod absence;
mod attendance;
mod events;
mod exports;
mod naive;
mod play;
mod quality;
mod results_file;
mod round_robin;
mod standings;
mod swiss;
mod views;
