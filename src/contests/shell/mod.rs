//! What surrounds a contest in a server: the task that owns it, the thread that writes to the disk,
//! and what its page shows.
//!
//! A module uses only those before it in this list: `hosted` (what a server needs of a protocol that
//! its contest does not: encoding, and pictures of boards), `page`, `disk`,
//! `transcripts`, `ladder`, `task`.

mod disk;
#[cfg(feature = "goref")]
mod hosted;
mod ladder;
#[cfg(feature = "goref")]
mod page;
#[cfg(feature = "goref")]
mod task;
mod transcripts;

pub use disk::{Disk, Files, RecordKeeper, Report};
#[cfg(feature = "goref")]
pub use hosted::{BoardView, Hosted};
pub use ladder::LadderThread;
#[cfg(feature = "goref")]
pub use page::Page;
#[cfg(feature = "goref")]
pub use task::{ContestTask, Input, MAX_QUEUED, Sink, ToClient};
pub use transcripts::{Transcript, Transcripts};
