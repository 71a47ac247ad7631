//! Tournaments: who meets whom, the standings, and the results file.

mod absence;
mod events;
mod play;
mod quality;
mod results_file;
mod round_robin;
mod standings;
mod swiss;
mod views;
