//! The GTP engine, mostly as the built program behind its pipes.

mod answers;
mod awari;
#[cfg(unix)]
mod closed_pipes;
mod engine;
mod gogui;
mod lines;
mod proof;
mod records;
mod repeatable;
mod search;
mod tablebase;
mod time;

use engine::Engine;
