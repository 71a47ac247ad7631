//! Who is told what of a match.

use std::collections::BTreeMap;
use std::time::Duration;

use itertools::Itertools;

use super::chair::Dialect;
use super::client::ConnId;
use super::effects::{Effect, Effects};
use super::entry::{Entry, millis};
use super::game::NetrefGame;
use super::news::News;
use super::playing::Playing;
use super::record::Ending;
use super::wire::{Forfeit, Name, Response, Status, Verdict, ellipses};
use crate::color::Color;

/// The most observers whose names are told.
const MAX_LISTED: usize = 20;

/// The greatest number in a configuration message: all should be prepared for
/// three digits (paper, section 2).
const MAX_NUMBER: u64 = 999;

impl<G: NetrefGame> Playing<G> {
    /// Tells all that the match begins, or goes on, with all that has happened
    /// so far.
    pub(super) fn begin(
        &mut self,
        observers: &BTreeMap<ConnId, Option<Name>>,
        now: Duration,
        effects: &mut Effects,
    ) {
        for side in Color::ALL {
            self.welcome(side, observers, effects);
        }
        effects.push(Effect::StartClock);
        effects.log(if self.restored {
            News::Resumed {
                id: self.id.clone(),
                players: self.both(),
                moves: self.referee.moves().count(),
            }
        } else {
            News::Started {
                id: self.id.clone(),
                players: self.both(),
            }
        });
        if effects.is_watched() {
            effects.broadcast(if self.restored {
                // The observers have been told their role.
                self.display(now)
            } else {
                self.configuration(observers) + &Response::<G>::RoleObserver.to_string()
            });
        }
        self.begun = true;
        self.leaves_at = None;
    }

    /// Tells a player who plays, which side is his, and all that has happened.
    pub(super) fn welcome(
        &self,
        side: Color,
        observers: &BTreeMap<ConnId, Option<Name>>,
        effects: &mut Effects,
    ) {
        let chair = &self.chairs[side];
        let Some(conn) = chair.conn else { return };
        if chair.dialect == Dialect::Paper {
            effects.send_text(conn, self.configuration(observers));
        }
        effects.send(conn, &Response::<G>::RolePlayer(side));
        for status in self.referee.statuses() {
            effects.send(conn, &Response::<G>::Status(*status));
        }
        if let Some(status) = self.referee.draw_status() {
            effects.send(conn, &Response::<G>::Status(status));
        }
    }

    /// The configuration messages: who plays and who watches (table 4).
    pub(super) fn configuration(&self, observers: &BTreeMap<ConnId, Option<Name>>) -> String {
        let players = [Color::White, Color::Black].into_iter().filter_map(|side| {
            let name = self.chairs[side].name()?;
            Some(Response::<G>::PlayerName(side, name.as_str().to_owned()))
        });
        let listed = (1..).zip(observers.values()).filter_map(|(number, name)| {
            let name = name.as_ref()?;
            Some(Response::ObserverName(number, name.as_str().to_owned()))
        });
        let count = Response::Observers(MAX_NUMBER.min(observers.len() as u64));
        players
            .chain(listed.take(MAX_LISTED))
            .chain([count])
            .format("")
            .to_string()
    }

    /// The state displays, unless observers get none.
    pub(super) fn display(&self, now: Duration) -> String {
        if self.strict {
            return String::new();
        }
        self.referee.display(now).format("").to_string()
    }

    /// What an observer is told who comes in the middle of the match: who plays, its
    /// role, and how the match stands. One who is shown no board learns of it from
    /// the moves.
    pub(super) fn for_observers(
        &self,
        observers: &BTreeMap<ConnId, Option<Name>>,
        now: Duration,
    ) -> String {
        let moves = self.referee.statuses().filter(|_| self.strict).copied();
        let statuses = moves.chain(self.referee.draw_status());
        let statuses = statuses.map(Response::<G>::Status).format("").to_string();
        let role = Response::<G>::RoleObserver.to_string();
        self.configuration(observers) + &role + &statuses + &self.display(now)
    }

    pub(super) fn announce_move(
        &self,
        side: Color,
        mv: G::Move,
        status: Status<G::Move>,
        now: Duration,
        effects: &mut Effects,
    ) {
        let played = self.referee.moves().last();
        let left = played.and_then(|played| played.left);
        effects.journal(Entry::Move {
            mv: mv.to_string(),
            spent_ms: played.map_or(0, |played| millis(played.spent)),
            left_ms: left.map(millis),
        });
        let acknowledgement = match self.referee.ending() {
            None => Response::<G>::accepted(mv, left.map(|left| left.as_secs())),
            Some(ending) => Response::ended(
                Verdict::of(ending.winner, side),
                &format!("Move {mv} accepted"),
            ),
        };
        let news = match status {
            Status::Moved { number, .. } | Status::LastMove { number, .. } => Some(News::Moved {
                who: self.who(side),
                number,
                ellipses: ellipses(side),
                mv: mv.to_string(),
                left_ms: left.map(millis),
            }),
            _ => None,
        };
        let status = Response::Status(status);
        self.send(side, &acknowledgement, effects);
        self.send_all(&status, effects);
        effects.push(Effect::StartClock);
        if let Some(news) = news {
            effects.log(news);
        }
        self.broadcast(&status, now, effects);
    }

    pub(super) fn announce_resignation(&self, loser: Color, now: Duration, effects: &mut Effects) {
        self.journal_end(effects);
        self.send(loser, &Response::Resigned, effects);
        let status = Response::Status(Status::Resigned(loser));
        for side in [loser, loser.opponent()] {
            match self.chairs[side].dialect {
                Dialect::Paper => self.send(side, &status, effects),
                Dialect::Library => self.send_stand_in(side, loser, Forfeit::Resignation, effects),
            }
        }
        self.broadcast(&status, now, effects);
    }

    /// A side has offered, refused or accepted a draw, as the status says. (An end
    /// is journaled and logged where every match ends.)
    pub(super) fn announce_draw(
        &self,
        side: Color,
        status: Status<G::Move>,
        now: Duration,
        effects: &mut Effects,
    ) {
        let who = self.who(side);
        let (acknowledgement, news) = match status {
            Status::DrawOffered(_) => {
                effects.journal(Entry::DrawOffer);
                (Response::OfferReceived, Some(News::DrawOffered { who }))
            }
            Status::DrawRefused(_) => {
                effects.journal(Entry::DrawRefusal);
                (Response::RefusalReceived, Some(News::DrawRefused { who }))
            }
            _ => {
                self.journal_end(effects);
                (Response::ended(Verdict::Draw, "Draw accepted"), None)
            }
        };
        let status = Response::Status(status);
        self.send(side, &acknowledgement, effects);
        self.send_all(&status, effects);
        if let Some(news) = news {
            effects.log(news);
        }
        self.broadcast(&status, now, effects);
    }

    pub(super) fn announce_flag(&self, loser: Color, now: Duration, effects: &mut Effects) {
        self.journal_end(effects);
        let lost = Response::ended(Verdict::Loss, "Your time expires");
        self.send(loser, &lost, effects);
        let status = Response::Status(Status::FlagFell(loser));
        self.send(loser, &status, effects);
        let winner = loser.opponent();
        // The Python library cannot read a 36x; none reads on after a 32x.
        if self.chairs[winner].dialect == Dialect::Library {
            self.send_stand_in(winner, loser, Forfeit::Time, effects);
        }
        self.send(winner, &status, effects);
        self.broadcast(&status, now, effects);
    }

    /// The player of a side is gone. `thinking` says whether the other one was
    /// to move.
    pub(super) fn announce_disconnection(
        &self,
        side: Color,
        thinking: bool,
        now: Duration,
        effects: &mut Effects,
    ) {
        self.journal_end(effects);
        let why = format!("{} has disconnected", G::PLAYERS[side]);
        self.announce_absence(side, thinking, (why, Forfeit::Disconnection), now, effects);
    }

    /// The player of a side is closed, because it sent too much that was not
    /// understood; this side was to move.
    pub(super) fn announce_expulsion(
        &self,
        side: Color,
        to_move: Option<Color>,
        why: &str,
        now: Duration,
        effects: &mut Effects,
    ) {
        self.journal_end(effects);
        match self.chairs[side].dialect {
            Dialect::Paper => self.send(side, &Response::Problem(why.to_owned()), effects),
            Dialect::Library => {
                // In the words of a match that is lost: the libraries know no others.
                if to_move == Some(side) {
                    self.send(side, &Response::ended(Verdict::Loss, why), effects);
                }
                self.send_stand_in(side, side, Forfeit::Protocol, effects);
            }
        }
        let thinking = to_move == Some(side.opponent());
        let why = format!("{} is dropped for protocol errors", G::PLAYERS[side]);
        self.announce_absence(side, thinking, (why, Forfeit::Protocol), now, effects);
    }

    /// Tells all but the player of a side that it is gone: why, as a sentence for
    /// its opponent and as a reason. `thinking` says whether the opponent was to
    /// move.
    fn announce_absence(
        &self,
        side: Color,
        thinking: bool,
        (why, forfeit): (String, Forfeit),
        now: Duration,
        effects: &mut Effects,
    ) {
        let status = Response::Status(Status::Disconnected(side));
        let winner = side.opponent();
        match self.chairs[winner].dialect {
            Dialect::Paper => self.send(winner, &status, effects),
            Dialect::Library => {
                // One that thinks takes this for the answer to its move.
                if thinking {
                    self.send(winner, &Response::ended(Verdict::Win, &why), effects);
                }
                self.send_stand_in(winner, side, forfeit, effects);
            }
        }
        self.broadcast(&status, now, effects);
    }

    /// Neither player of an interrupted match has come back.
    pub(super) fn announce_abandonment(&self, effects: &mut Effects) {
        self.journal_end(effects);
        let why = "Neither player came back".to_owned();
        effects.broadcast(Response::<G>::Problem(why).to_string());
    }

    /// Sends a last move with which `loser` loses to a side that knows no other
    /// end.
    fn send_stand_in(&self, to: Color, loser: Color, forfeit: Forfeit, effects: &mut Effects) {
        let Some(mv) = G::STAND_IN else { return };
        let status = Status::LastMove {
            side: loser,
            number: self.referee.next_number(loser),
            mv,
            winner: Some(loser.opponent()),
            forfeit: Some(forfeit),
        };
        self.send(to, &Response::Status(status), effects);
    }

    /// Journals how the match ended without a move. This comes before anybody is told.
    pub(super) fn journal_end(&self, effects: &mut Effects) {
        if let Some(&Ending { winner, reason, .. }) = self.referee.ending() {
            effects.journal(Entry::End { winner, reason });
        }
    }

    /// Sends both players a status line.
    fn send_all(&self, status: &Response<G>, effects: &mut Effects) {
        for side in Color::ALL {
            self.send(side, status, effects);
        }
    }

    pub(super) fn send(&self, side: Color, response: &Response<G>, effects: &mut Effects) {
        if let Some(conn) = self.chairs[side].conn {
            effects.send(conn, response);
        }
    }

    /// Sends every observer a status line and the board after it.
    pub(super) fn broadcast(&self, status: &Response<G>, now: Duration, effects: &mut Effects) {
        if effects.is_watched() {
            effects.broadcast(status.to_string() + &self.display(now));
        }
    }
}
