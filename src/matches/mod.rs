//! Matches and tournaments of programs: GTP engines, built-in players, and clients of the network
//! referee.
//!
//! An [`EventSettings`] determines a [`Schedule`]. A [`Runner`] plays its games side by side; a
//! [`Seat`] holds a player of any kind. Each game is refereed by the rules
//! ([`referee`](referee::play)), becomes a [`GameRecord`], and is a line of the [`EventResultsFile`],
//! from which everything else is computed.

mod differences;
mod evidence;
mod game;
mod live;
mod openings;
mod program;
mod progress;
mod record;
mod referee;
mod report;
mod results;
mod runner;
mod schedule;
mod scoring;
mod seat;
mod settings;
mod setup;
mod text_table;
mod time;

pub use crate::base::server_clock::{ServerClock, Stopwatch, Ticker};
pub use differences::Difference;
pub(crate) use differences::joined;
pub use evidence::{Evidence, PairingEvidence};
pub use game::{Cleared, Counted, MatchGame, PointNamer};
pub use live::{ChangedTable, LiveGame, LiveGames, LiveTables};
pub use openings::{
    Balanced, MAX_OPENINGS, OpeningSource, OpeningsError, ParseOpeningsError, read_openings,
};
pub use program::{ProgramFiles, ProgramHashes};
pub use progress::{MAX_REPEATS, PlayerStanding, Progress, TestStanding};
pub use record::{
    GameRecord, LastLines, MoveList, PlannedGame, ProgramIdentity, ScoredBy, Scoring, UtcTime,
    Verdict,
};
pub use referee::{GameToPlay, PlayedGame, Rules, play, replayed_text};
pub use report::{
    Failure, FirstMove, OpeningReport, PairingReport, PlayerReport, Report, Statistics, Test, page,
};
pub use results::{
    EventResultsFile, GameStore, Header, Opened, Results, ResultsError, VERSION, event_id,
};
pub use runner::{
    Finish, RunError, RunEvent, Runner, SeatMaker, SeatingError, WatchError, Watcher,
};
pub use schedule::Schedule;
pub use seat::{
    AgentMaker, AgentSeat, Choice, ClientSeat, ClientSettings, DeadStones, EngineSeat,
    EngineSettings, GameStart, NotPlayed, Notify, Seat, SeatAction, SeatError, SeatTurn,
};
pub(crate) use seat::{accept, fill_placeholders, is_timeout, listen, listen_at};
pub use settings::{
    BuiltInSettings, EventSettings, Format, GameSettings, MAX_GAMES, MAX_PLAYERS, MIN_SAMPLE,
    PlayerError, PlayerKind, PlayerSettings, Restart, SettingsError,
};
pub use setup::{Opening, Setup};
pub(crate) use text_table::{Column, TextTable, cut, width};
pub use time::{FlagFallen, MatchClock, ParseTimeControlError, TimeControl};

pub use crate::base::shard::{ParseShardError, Shard};
