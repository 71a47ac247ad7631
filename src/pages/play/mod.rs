//! The page to play Gothello and Awari, and to explore and review Gothello: `gothello play`.
//!
//! The page knows no rules. It owns the tree of moves and asks the server about a [`Line`] of
//! it: a start position and the moves from there. [`plies`] describes each position of a line for the
//! page, and a [`Search`] finds values, chooses a move, or reviews a game. What the page needs of a
//! game is the trait [`PageGame`]. The server keeps nothing of a visitor but the searches that run: a
//! new question or a closed connection stops them.
//!
//! - `wire.rs`: the messages, parsed once into types that cannot be wrong;
//! - `files.rs`: what the page opens and saves;
//! - `line.rs`: a line and what the page shows of its positions, a pure function;
//! - `gothello.rs`, `awari.rs`: the games on the page;
//! - `searcher.rs`: a search on the thread that calls it; `session.rs`: the questions of a visitor, and what
//!   answers them where there is no server;
//! - `pool.rs`, `gate.rs`: how the searches of all visitors share the machine;
//! - `server.rs`: the routes, and the connection of a visitor;
//! - `page/`: HTML, CSS and JavaScript modules, which also use those of `web/page/`.

mod awari;
mod files;
#[cfg(feature = "play")]
mod gate;
mod gothello;
mod line;
#[cfg(feature = "play")]
mod pool;
mod searcher;
#[cfg(feature = "play")]
mod server;
mod session;
mod wire;

pub use files::{
    GameEntry, MAX_OPENED, MAX_SAVED, Opened, OpenedFile, OpenedTree, Saved, open, open_or_tell,
    save,
};
pub use gothello::{SetUp, set_up};
pub use line::{GroupView, IllegalLine, Line, PageGame, PlyView, plies};
#[cfg(feature = "play")]
pub use pool::Pool;
pub use searcher::{MoveChoice, Report, Searcher};
#[cfg(feature = "play")]
pub use server::{MAX_VISITORS, routes};
pub use session::{Searches, Session};
pub use wire::{
    Content, CostView, MAX_MESSAGE, MAX_MOVE_TIME, Question, Request, RequestError, Response,
    ReviewView, Search,
};
