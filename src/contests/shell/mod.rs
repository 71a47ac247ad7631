//! What surrounds a referee in a server: the thread that writes to the disk, and the task that drives
//! it. Both referees use these; a contest also has its shell and its page here.
//!
//! A module uses only those before it in this list: `transcripts`, `ladder`,
//! `state_folder`, `record_routes`, `disk`, `organizer` (who gives commands), `task`, `tournament` and `warnings` (on the page), `hosted` (what a server needs of a protocol that its contest does not:
//! encoding, and pictures of boards), `page`, `contest`.

#[cfg(feature = "goref")]
mod contest;
mod disk;
#[cfg(feature = "goref")]
mod hosted;
mod ladder;
mod organizer;
#[cfg(feature = "goref")]
mod page;
mod record_routes;
mod state_folder;
mod task;
mod tournament;
mod transcripts;
mod warnings;

#[cfg(feature = "goref")]
pub use contest::{ContestShell, Input, Sink, ToClient};
pub use disk::Report;
#[cfg(feature = "goref")]
pub use hosted::{BoardView, Hosted};
pub use organizer::{Answer, Commands, OrganizerHandle, ServerCommand, command_route};
#[cfg(feature = "goref")]
pub use page::Page;
pub use record_routes::record_routes;
pub use state_folder::{Records, StateError, StateFolder};
pub use task::{MAX_QUEUED, Shell, Task, timestamp};
pub use tournament::{TournamentPage, TournamentSetup};
pub use transcripts::{Transcript, Transcripts};
pub use warnings::WarningsPage;
