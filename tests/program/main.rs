//! The built program at its pipes: commands, the GTP engine, the README's examples.

mod awari_db;
mod cli;
mod gtp;
mod readme;
mod solve;

#[path = "../common/values.rs"]
mod values;
