//! Tournaments: who meets whom, results and standings.

mod berger;
mod change;
mod colors;
mod event;
mod ledger;
mod name;
mod points;
mod quality;
mod record;
mod refusal;
mod round;
mod settings;
mod standings;
mod swiss;
mod tournament;

pub use event::{
    Color, Event, Fixture, FixtureNumber, GameResult, MAX_REMARK, Pair, Remark, Scores,
};
pub use ledger::{Ledger, LedgerError, LineError, Opened, VERSION};
pub use name::{MAX_NAME, Name, NameError};
pub use points::Points;
pub use refusal::{NoPairing, Refusal};
pub use settings::{Games, Kind, MAX_ENTRANTS, MAX_ROUND_ROBIN, MAX_ROUNDS, Settings, SetupError};
pub use standings::{Standing, TieBreaks};
pub use tournament::{Applied, Tournament};
