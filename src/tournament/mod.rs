//! Tournaments: pairings, results and standings.
//!
//! A tournament is a round robin, in which all players meet, or a Swiss tournament, in which
//! players with about the same points meet. Two players meet in one game, or in two with both
//! colors.
//!
//! [`Settings`] and the names of the entrants make a [`Tournament`], which is a pure value.
//! [`Tournament::next_round`] pairs a round and [`Tournament::startable`] returns the games that
//! can start. Every change is an [`Event`]. [`ResultsFile`] writes each event to the disk before
//! the tournament applies it, so that the standings and every further round follow from the results
//! file alone.

// Items that only this program's servers use are hidden.

mod absence;
mod event;
mod results_file;
mod results_files;
mod settings;
mod state;

#[doc(hidden)]
pub use absence::{Attendance, Forfeit, ForfeitClocks, Need, Presence};
pub use event::{
    Event, GameNumber, GameResult, MAX_REMARK, Pairing, Points, Remark, ResultCode,
    ResultCodeError, Ruling, ScheduledGame,
};
pub use results_file::{LineError, OpenedResults, ResultsFile, ResultsFileError, VERSION};
#[doc(hidden)]
pub use results_files::{LastTournament, NumberedGame, ResultsFiles};
pub use settings::{
    Games, MAX_ENTRANTS, MAX_NAME, MAX_ROUND_ROBIN, MAX_ROUNDS, Name, NameError, PairingSystem,
    Settings, SetupError,
};
pub use state::{
    Applied, CrossCell, CrossGame, Crosstable, EventError, Mark, PairingError, Standing, StopAfter,
    TieBreaks, Tournament, TrfError,
};
#[doc(hidden)]
pub use state::{GameView, Plan, RoundView, View};
