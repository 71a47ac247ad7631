//! Tournaments: who meets whom, results and standings.
//!
//! A round robin, in which everybody meets everybody, or a Swiss tournament, in
//! which those meet who have about the same points. Two players meet in one game,
//! or in two with both colors.
//!
//! How data flows: [`Settings`] and entrants → [`Tournament`], which is pure →
//! [`Tournament::next_round`], [`Tournament::startable`] → games → [`Event`] →
//! [`Ledger`], which writes each event down before the tournament takes note of it.
//! The standings, and every further round, follow from the results file alone.

mod berger;
mod change;
mod colors;
mod event;
mod ledger;
mod ledger_error;
mod line;
mod name;
mod points;
mod quality;
mod record;
mod refusal;
mod round;
mod settings;
mod standings;
mod state;
mod swiss;
mod table;
mod view;

pub use crate::color::Color;
pub use event::{Event, Fixture, FixtureNumber, GameResult, MAX_REMARK, Pair, Remark, Scores};
pub use ledger::{Ledger, Opened};
pub use ledger_error::{LedgerError, LineError};
pub use line::VERSION;
pub use name::{MAX_NAME, Name, NameError};
pub use points::Points;
pub use refusal::{NoPairing, Refusal};
pub use settings::{Games, Kind, MAX_ENTRANTS, MAX_ROUND_ROBIN, MAX_ROUNDS, Settings, SetupError};
pub use standings::{Standing, TieBreaks};
pub use state::{Applied, Tournament};
pub use view::{FixtureView, RoundView, View};
