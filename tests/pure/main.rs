//! Everything that is decided without a process, a socket or a clock: rules, searches,
//! players, tournaments, and the hall of Go contests.

mod architecture;
mod awari;
mod endgame;
mod go;
mod goref;
mod player;
mod rules;
mod solver;
mod tournament;

#[path = "../common/positions.rs"]
mod positions;
#[path = "../../src/solver/tests/splitmix.rs"]
mod random;
#[path = "../common/values.rs"]
mod values;
