//! A table: two seats, and a game or none.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::breaks::Breaks;
use super::client::ClientId;
use super::entry::GameId;
use super::name::Name;
use super::referee::{Match, Outcome};
use super::terms::Terms;
use super::wire::Reason;
use crate::go::{ByColor, Color};
use crate::tournament::Fixture;

/// How a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It is played.
    Playing,
    /// It was broken off, by the organiser or because a player left.
    Stopped(Reason),
    /// It is over.
    Over(Outcome),
}

/// A game at a table, or adjourned.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) id: GameId,
    pub(super) names: ByColor<Name>,
    pub(super) play: Match,
    pub(super) phase: Phase,
    pub(super) began: SystemTime,
    /// What it is in the tournament.
    pub(super) fixture: Option<Fixture>,
    /// Whether the server paired the players, and frees their seats when the game
    /// is over.
    pub(super) paired: bool,
    /// How often and how long the players were away.
    pub(super) breaks: ByColor<Breaks>,
    /// Who is waited for, and since when.
    pub(super) awaited: Option<(Color, Duration)>,
}

/// A table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// From 1.
    pub(super) number: u16,
    /// For its next game.
    pub(super) terms: Arc<Terms>,
    pub(super) seats: ByColor<Option<ClientId>>,
    /// The last game stays until the next one begins.
    pub(super) session: Option<Session>,
}

impl Table {
    pub(super) fn new(number: u16, terms: Arc<Terms>) -> Table {
        Table {
            number,
            terms,
            seats: ByColor {
                black: None,
                white: None,
            },
            session: None,
        }
    }

    /// The game that is played.
    pub(super) fn playing(&mut self) -> Option<&mut Session> {
        let session = self.session.as_mut();
        session.filter(|session| session.phase == Phase::Playing)
    }

    /// The game that may go on, and why it does not.
    pub(super) fn stopped(&self) -> Option<(&Session, Reason)> {
        let session = self.session.as_ref()?;
        match session.phase {
            Phase::Stopped(reason) => Some((session, reason)),
            _ => None,
        }
    }

    /// Whether a game is played or may go on.
    pub(super) fn is_taken(&self) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|session| !matches!(session.phase, Phase::Over(_)))
    }

    /// The players, if both seats are taken.
    pub(super) fn players(&self) -> Option<ByColor<ClientId>> {
        Some(ByColor {
            black: self.seats.black?,
            white: self.seats.white?,
        })
    }
}
