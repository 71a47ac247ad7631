//! The built program at its pipes: commands, the GTP engine, the examples of the documentation.

mod awari_db;
mod cli;
mod docs;
mod gtp;
mod help;
mod solve;

#[path = "../common/values.rs"]
mod values;
