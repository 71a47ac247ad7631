//! Game records in the Smart Game Format (SGF), which GoGui and most Go programs
//! read (<https://www.red-bean.com/sgf/>, version FF\[4\]).
//!
//! [`write()`] and [`read()`] are for Gothello, and a [`GameTree`] is a game with its
//! variations. [`Writer`] writes the records of any game on a board of points; a [`MainLine`]
//! adds notes to a text that exists.
//!
//! ```
//! use gothello::{Color, Game};
//! use gothello::sgf;
//!
//! let mut game = Game::new();
//! game.play(Color::Black, "c3".parse()?)?;
//! let record = sgf::write(&game);
//! assert!(record.ends_with(";B[cc])"));
//! assert_eq!(sgf::read(&record, usize::MAX)?, game);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotate;
#[cfg(feature = "encoding")]
mod encoding;
mod gothello;
mod tree;
mod writer;

pub use annotate::{MainLine, Note, games};
#[cfg(feature = "encoding")]
pub use encoding::decode;
pub use gothello::{Headers, MAX_NODES, MoveNotes, ReadError, read, write, write_with};
pub use tree::{AddError, GameTree, LeftOut};
pub use writer::Writer;
