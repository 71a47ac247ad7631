//! The GTP engine, mostly as the built program behind its pipes.

mod analyzer;
mod answers;
mod awari;
mod engine;
mod fuzz;
mod gogui;
mod lines;
mod proof;
mod records;
mod search;
mod tablebase;
mod time;

use engine::Engine;
