//! What surrounds a contest in a server: the task that owns it, the thread that writes to the disk,
//! and what its page shows.
//!
//! A module uses only those before it in this list: `hosted` (what a server needs of a protocol that
//! its contest does not: encoding, and pictures of boards), `page`, `disk`, `task`.

mod disk;
mod hosted;
mod page;
mod task;

pub use disk::{Disk, Files, RecordKeeper, Report};
pub use hosted::{BoardView, Hosted};
pub use page::Page;
pub use task::{ContestTask, Input, MAX_QUEUED, Sink, ToClient};
