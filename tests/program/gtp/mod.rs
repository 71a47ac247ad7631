//! The GTP engine, mostly as the built program behind its pipes.

mod analyzer;
mod answers;
mod awari;
mod book;
mod engine;
mod fuzz;
mod gogui;
mod lines;
mod proof;
mod records;
mod search;
mod time;

use engine::Engine;
