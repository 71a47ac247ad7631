//! What is sent to the referee (tables 2, 6 and 7).

use std::fmt::Display;

use crate::color::Color;
use crate::netref::{Game, Name, Version, ellipses};

/// The first request of a client, in the version that both understand: ours,
/// unless the referee is older.
pub(super) fn opening<G: Game>(
    version: Option<Version>,
    role: &str,
    name: Option<&Name>,
) -> String {
    let ours = G::version();
    let version = version.map_or(ours.clone(), |theirs| theirs.min(ours));
    match name {
        None => format!("{version} {role}"),
        Some(name) => format!("{version} {role} {name}"),
    }
}

/// A move as it is sent, as in `1 c3` or `1 ... d3`.
pub(super) fn numbered<M: Display>(number: u64, side: Color, mv: M) -> String {
    format!("{number} {}{mv}", ellipses(side))
}

/// What the referee has yet to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request<M> {
    Move(M),
    Resign,
    OfferDraw,
    AcceptDraw,
    RefuseDraw,
}

impl<M: Display> Request<M> {
    /// The request as it is sent; a move has this number and is this side's.
    pub(super) fn written(&self, number: u64, side: Color) -> String {
        match self {
            Request::Move(mv) => numbered(number, side, mv),
            Request::Resign => "resign".into(),
            Request::OfferDraw => "draw?".into(),
            Request::AcceptDraw => "draw".into(),
            Request::RefuseDraw => "nodraw".into(),
        }
    }
}
