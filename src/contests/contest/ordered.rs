//! Effects in order: what is written to the disk, and what waits for it.

use std::fmt::Debug;
use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::tournament_command::RulingRequest;
use crate::contests::results::ResultLine;
use crate::tournament::{self, Event, NumberedGame, Settings};

/// What a server keeps on the disk, and what waits until it is there.
pub trait Kept: Debug + Sized + Send + 'static {
    /// An entry of the journal.
    type Entry: Clone + Debug + Serialize + DeserializeOwned + Send + 'static;
    /// A game that is to be recorded.
    type Finished: Clone + Debug + Send + 'static;
    /// Something that waits for the writes before it.
    type Delivery: Clone + Debug + Send + 'static;

    /// Returns an entry that changes nothing, which is written to see whether the disk has room.
    fn no_change() -> Self::Entry;

    /// Returns about how many moves are as long as an entry.
    fn weight(_: &Self::Entry) -> usize {
        1
    }

    /// Returns the entry of the journal that says that a game is recorded.
    fn recorded(finished: &Self::Finished) -> Self::Entry;

    /// Returns the number or name of a game.
    fn name(finished: &Self::Finished) -> String;

    /// Returns what is kept of a game.
    ///
    /// # Errors
    /// It cannot be written.
    fn report(finished: &Self::Finished) -> io::Result<GameReport>;

    /// Returns the event of a game for its tournament; `None` if it does not belong to one, or has
    /// no result.
    fn event(finished: &Self::Finished) -> Option<Event>;

    /// Returns the place of a game in its tournament; `None` for a free game.
    fn place(finished: &Self::Finished) -> Option<&NumberedGame>;
}

/// What is kept of a game that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReport {
    /// Its line in the results.
    pub result: ResultLine,
    /// Its records: the extension of each file, and its text.
    pub records: Vec<(&'static str, String)>,
}

/// An ordered effect: a write is on the disk before any later message is sent.
#[derive(Clone, Debug)]
pub enum OrderedEffect<K: Kept> {
    /// Write something.
    Write(Write<K>),
    /// Do this when everything before it has been written.
    Deliver(K::Delivery),
}

/// Something to be written.
#[derive(Clone, Debug)]
pub enum Write<K: Kept> {
    /// An entry of the journal.
    Journal(K::Entry),
    /// The record of a game that is over or void.
    Record(Box<K::Finished>),
    /// A line of the results file of the tournament.
    Tournament(TournamentEffect),
    /// What the organizer decides about a free game.
    Ruling(RulingRequest),
}

/// A line for the results file of a tournament. Results of games are written with their
/// records.
#[derive(Clone, Debug, PartialEq)]
pub enum TournamentEffect {
    /// A tournament begins.
    Begin {
        /// The settings.
        settings: Settings,
        /// The players.
        entrants: Vec<tournament::Name>,
    },
    /// Something happens in it.
    Event(Event),
}
