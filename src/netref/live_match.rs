//! A match at a table: who plays it, and who is told what.
//!
//! A player's place in a match, and what he can read.
//!
//! Who is told what of a match.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use itertools::Itertools;
use thiserror::Error;

use super::client::{Client, ConnId, Who};
use super::effects::{Effect, Effects};
use super::game::NetrefGame;
use super::journal::{Entry, from_unix_millis, millis, unix_millis};
use super::log::LogEvent;
use super::records::{Ending, Player, Reason, Summary};
use super::referee::{Draw, Match, Refusal, ReplayError};
use super::table::Settings;
use super::wire::{Action, Forfeit, Name, Response, Status, Verdict, ellipses};
use crate::color::{ByColor, Color};

/// The last millisecond of the year 9999: no later time can be written.
const LAST_MS: u64 = 253_402_300_799_999;

/// Why a match cannot be restored from its journal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RestoreError {
    /// The first entry does not start a match.
    #[error("its first entry is no start of a match")]
    NoStart,
    /// The match is one of another game.
    #[error("it holds a match of {game}, and {expected} is played here")]
    OtherGame {
        /// The game of the journal.
        game: String,
        /// The game of the server.
        expected: &'static str,
    },
    /// The game has no such rules.
    #[error("{rules:?} are no rules of {game}")]
    Rules {
        /// The rules of the journal.
        rules: String,
        /// The game.
        game: String,
    },
    /// The match has no proper name.
    #[error("{0:?} is no name of a match")]
    Id(String),
    /// The time of the start, in milliseconds since 1970, is no date.
    #[error("it started {0} ms after 1970, which is no date")]
    Started(u64),
    /// An entry cannot follow those before it.
    #[error("entry {number}: {error}")]
    Entry {
        /// The number of the entry, from 1.
        number: usize,
        /// What is wrong with it.
        error: ReplayError,
    },
}

/// A match with its players.
#[derive(Debug)]
pub struct LiveMatch<G: NetrefGame> {
    pub(super) id: String,
    /// The number of its server.
    server: u16,
    started: SystemTime,
    /// What each side had on its clock at the start.
    times: Option<ByColor<Duration>>,
    pub(super) referee: Match<G>,
    pub(super) seats: ByColor<Seat>,
    /// Whether the players are there and know that it goes on.
    pub(super) begun: bool,
    /// Whether it was interrupted.
    pub(super) restored: bool,
    /// When players who have not come back are waited for no longer.
    pub(super) leaves_at: Option<Duration>,
    /// Whether observers are shown no board.
    pub(super) strict: bool,
}

impl<G: NetrefGame> LiveMatch<G> {
    /// A match that has not begun.
    pub(super) fn new(
        settings: &Settings<G>,
        seats: ByColor<Seat>,
        started: SystemTime,
    ) -> LiveMatch<G> {
        LiveMatch {
            id: id(settings.number, started),
            server: settings.number,
            started,
            times: settings.times,
            referee: Match::new(settings.start.clone(), settings.times),
            seats,
            begun: false,
            restored: false,
            leaves_at: None,
            strict: settings.strict,
        }
    }

    /// Restores an interrupted or adjourned match from the entries of its journal.
    ///
    /// # Errors
    /// If the entries are not those of a match of this game.
    pub fn restore(entries: Vec<Entry>) -> Result<LiveMatch<G>, RestoreError> {
        let mut entries = entries.into_iter();
        let Some(Entry::Start {
            game,
            id,
            server,
            started_ms,
            names,
            clients,
            times_ms,
            rules,
        }) = entries.next()
        else {
            return Err(RestoreError::NoStart);
        };
        if game != G::NAME {
            let expected = G::NAME;
            return Err(RestoreError::OtherGame { game, expected });
        }
        let Some(start) = G::with_rules(rules.as_deref()) else {
            let rules = rules.unwrap_or_default();
            return Err(RestoreError::Rules { rules, game });
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if id.is_empty() || !id.chars().all(is_plain) {
            return Err(RestoreError::Id(id));
        }
        if started_ms > LAST_MS {
            return Err(RestoreError::Started(started_ms));
        }
        let times = times_ms.map(|ms| ByColor::from_fn(|side| Duration::from_millis(ms[side])));
        let mut playing = LiveMatch {
            id,
            server,
            times,
            started: from_unix_millis(started_ms),
            referee: Match::new(start, times),
            seats: ByColor::from_fn(|side| Seat {
                conn: None,
                player: Player {
                    name: names[side].as_deref().and_then(Name::new),
                    client: clients[side],
                },
                dialect: Dialect::Library,
                malformed: 0,
            }),
            begun: false,
            restored: true,
            leaves_at: None,
            strict: false,
        };
        for (number, entry) in entries.enumerate() {
            let number = number + 2;
            let replayed = playing.replay(entry);
            replayed.map_err(|error| RestoreError::Entry { number, error })?;
        }
        Ok(playing)
    }

    fn replay(&mut self, entry: Entry) -> Result<(), ReplayError> {
        if self.referee.ending().is_some() {
            return Err(ReplayError::Over);
        }
        match entry {
            Entry::Start { .. } => Err(ReplayError::SecondStart),
            Entry::Move {
                mv,
                spent_ms,
                left_ms,
            } => {
                let mv = G::parse_move(&mv).ok_or(ReplayError::NoMove(mv))?;
                let left = left_ms.map(Duration::from_millis);
                self.referee
                    .replay(mv, Duration::from_millis(spent_ms), left)
            }
            Entry::DrawOffer => self.referee.replay_draw(Draw::Offered),
            Entry::DrawRefusal => self.referee.replay_draw(Draw::Refused),
            Entry::Adjourned { spent_ms, left_ms } => {
                let left = left_ms.map(Duration::from_millis);
                let spent = Duration::from_millis(spent_ms);
                self.referee.replay_adjournment(spent, left);
                Ok(())
            }
            Entry::End { winner, reason } => {
                self.referee.end(winner, reason, Duration::ZERO);
                Ok(())
            }
        }
    }

    /// That it was restored, for the log.
    pub(super) fn restored_event(&self) -> LogEvent {
        LogEvent::Restored {
            id: self.id.clone(),
            players: self.both(),
            moves: self.referee.moves().count(),
        }
    }

    /// What its journal begins with.
    pub(super) fn start_entry(&self) -> Entry {
        Entry::Start {
            game: G::NAME.into(),
            id: self.id.clone(),
            server: self.server,
            started_ms: unix_millis(self.started),
            names: ByColor::from_fn(|side| {
                let name = self.seats[side].name();
                name.map(|name| name.as_str().to_owned())
            }),
            clients: ByColor::from_fn(|side| self.seats[side].player.client),
            times_ms: self
                .times
                .map(|times| ByColor::from_fn(|side| millis(times[side]))),
            rules: self.referee.game().rules(),
        }
    }

    /// Returns the entry that keeps the time of the current move when the match is
    /// adjourned.
    pub(super) fn adjournment_entry(&self, now: Duration) -> Entry {
        let left = self.referee.to_move().zip(self.left(now));
        Entry::Adjourned {
            spent_ms: millis(self.referee.spent(now)),
            left_ms: left.map(|(side, left)| millis(left[side])),
        }
    }

    /// What each side has left; `None` without time controls.
    pub(super) fn left(&self, now: Duration) -> Option<ByColor<Duration>> {
        self.referee.left(now)
    }

    /// A player for the log.
    pub(super) fn who(&self, side: Color) -> Who {
        let Seat { conn, player, .. } = &self.seats[side];
        Who {
            conn: conn.or(player.client.map(|client| client.conn)),
            side: Some(G::SIDES[side]),
            name: player.name.clone(),
            address: None,
        }
    }

    /// The players as the match began, for the log.
    pub(super) fn both(&self) -> [Who; 2] {
        Color::ALL.map(|side| Who::recorded::<G>(side, &self.seats[side].player))
    }

    /// Whether it can be taken up after an interruption: both players have names
    /// by which they are known when they come back. (The client libraries give
    /// none, and cannot take up a match.)
    pub fn can_resume(&self) -> bool {
        let names = Color::ALL.map(|side| self.seats[side].name());
        names.iter().all(|name| name.is_some_and(Name::identifies))
    }

    /// Ends an interrupted match that cannot be taken up; the summary and the
    /// record of it.
    pub(super) fn give_up(&mut self) -> Option<(Summary, String)> {
        self.referee.end(None, Reason::Interruption, Duration::ZERO);
        self.finished()
    }

    /// Returns the summary and the record of the match, if it is over.
    pub(super) fn finished(&self) -> Option<(Summary, String)> {
        let summary = self.summary()?;
        let moves: Vec<_> = self.referee.moves().copied().collect();
        let record = self.game().record(&summary, &moves);
        Some((summary, record))
    }

    /// The connections of the players who are there.
    pub(super) fn connections(&self) -> impl Iterator<Item = ConnId> {
        Color::ALL
            .into_iter()
            .filter_map(|side| self.seats[side].conn)
    }

    /// The side that a connection plays.
    pub(super) fn side_of(&self, conn: ConnId) -> Option<Color> {
        Color::ALL
            .into_iter()
            .find(|&side| self.seats[side].conn == Some(conn))
    }

    /// Whether both players are there.
    pub(super) fn is_complete(&self) -> bool {
        self.connections().count() == 2
    }

    /// The empty seat of an interrupted match that a client may take: the one
    /// that has its name. If both are empty and have it, and the client wants either
    /// side, it is the one whose player came from the client's host when the other
    /// did not.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn free_seat(
        &self,
        wanted: Option<Color>,
        client: Client,
        name: Option<&Name>,
    ) -> Result<Color, Response<G>> {
        if self.is_complete() {
            return Err(Response::full());
        }
        let is_own = |&side: &Color| {
            let seat = &self.seats[side];
            let is_free = seat.conn.is_none() && wanted.is_none_or(|wanted| wanted == side);
            is_free && seat.name().is_some_and(Name::identifies) && seat.name() == name
        };
        let own: Vec<Color> = Color::ALL.into_iter().filter(is_own).collect();
        let host = |client: Client| Some(client.address?.ip());
        let home = |side: Color| host(self.seats[side].player.client?);
        let is_only_home = |&side: &Color| {
            let (one, other) = (home(side), home(side.opponent()));
            one.is_some() && other.is_some() && one == host(client) && one != other
        };
        match own[..] {
            [] => Err(Response::side_kept()),
            [side] => Ok(side),
            _ => {
                let only = own.iter().copied().find(is_only_home);
                only.ok_or_else(Response::side_unclear)
            }
        }
    }

    /// Puts a player in a seat.
    pub(super) fn sit_down(&mut self, side: Color, conn: ConnId, is_named: bool) {
        let seat = &mut self.seats[side];
        seat.conn = Some(conn);
        seat.dialect = Dialect::of::<G>(is_named);
        seat.malformed = 0;
    }

    /// Starts the clock of the player to move, who has been told so.
    pub(super) fn start_clock(&mut self, now: Duration) {
        if self.begun {
            self.referee.start_clock(now);
        }
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        if self.begun {
            self.referee.falls_at()
        } else {
            self.leaves_at
        }
    }

    /// Does what is due.
    pub(super) fn tick(
        &mut self,
        now: Duration,
        observers: &BTreeMap<ConnId, Option<Name>>,
        effects: &mut Effects<G::Move>,
    ) {
        if self.begun {
            if let Some(loser) = self.referee.fall(now) {
                self.announce_flag(loser, now, effects);
            }
        } else if self.leaves_at.is_some_and(|at| now >= at) {
            let back = Color::ALL
                .into_iter()
                .find(|&side| self.seats[side].conn.is_some());
            match back {
                Some(side) => {
                    self.welcome(side, observers, effects);
                    self.leave(side.opponent(), now, effects);
                }
                None => {
                    self.referee.end(None, Reason::Abandonment, now);
                    self.announce_abandonment(effects);
                }
            }
        }
    }

    /// A player's action.
    pub(super) fn act(
        &mut self,
        side: Color,
        action: Action<G::Move>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) -> Result<(), Refusal> {
        if !self.begun {
            return Err(Refusal::Illegal("your opponent is not back yet".into()));
        }
        match action {
            Action::Move { number, mv } => {
                let status = self.referee.play(side, number, mv, now)?;
                self.announce_move(side, mv, status, now, effects);
            }
            Action::Resign => {
                if self.referee.to_move() != Some(side) {
                    return Err(Refusal::Illegal("it is not your turn".into()));
                }
                self.referee.lose(side, Reason::Resignation, now);
                self.announce_resignation(side, now, effects);
            }
            Action::OfferDraw => {
                let status = self.referee.offer_draw(side, now)?;
                self.announce_draw(side, status, now, effects);
            }
            Action::RefuseDraw => {
                let status = self.referee.refuse_draw(side)?;
                self.announce_draw(side, status, now, effects);
            }
            Action::AcceptDraw => {
                let status = self.referee.accept_draw(side, now)?;
                self.announce_draw(side, status, now, effects);
            }
        }
        Ok(())
    }

    /// The player of a side is gone: he loses, unless the match waits for him.
    pub(super) fn leave(&mut self, side: Color, now: Duration, effects: &mut Effects<G::Move>) {
        self.seats[side].conn = None;
        if self.waits(now) {
            return;
        }
        let was_thinking = self.referee.to_move() == Some(side.opponent());
        self.referee.lose(side, Reason::Disconnection, now);
        self.announce_disconnection(side, was_thinking, now, effects);
    }

    /// Whether players who are gone may still come back.
    fn waits(&self, now: Duration) -> bool {
        !self.begun && self.leaves_at.is_none_or(|at| now < at)
    }

    /// The player of a side has sent too much that was not understood: it is told
    /// why it is closed, and loses, unless the match waits for it.
    pub(super) fn expel(
        &mut self,
        side: Color,
        why: &str,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        if self.waits(now) {
            if let Some(conn) = self.seats[side].conn.take() {
                effects.dismiss::<G>(conn, why);
            }
            return;
        }
        let to_move = self.referee.to_move();
        self.referee.lose(side, Reason::Protocol, now);
        self.announce_expulsion(side, to_move, why, now, effects);
    }

    /// The operator ends the match without a winner.
    pub(super) fn void(&mut self, why: &str, now: Duration, effects: &mut Effects<G::Move>) {
        self.referee.end(None, Reason::Void, now);
        self.journal_end(effects);
        let told = Response::<G>::Problem(why.to_owned());
        for side in Color::ALL {
            self.send(side, &told, effects);
        }
        self.broadcast(&told, now, effects);
    }

    /// The match for the records, if it is over.
    pub(super) fn summary(&self) -> Option<Summary> {
        let ending = self.referee.ending()?;
        Some(Summary {
            id: self.id.clone(),
            started: self.started,
            players: ByColor::from_fn(|side| self.seats[side].player.clone()),
            times: self.times,
            plies: self.referee.moves().count(),
            spent: ByColor::from_fn(|side| {
                let moves = self.referee.moves().filter(|played| played.side == side);
                moves.map(|played| played.spent).sum()
            }),
            ending: ending.clone(),
        })
    }

    /// What tells it from all other matches.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Who plays whom, and how far it is.
    pub(super) fn title(&self) -> String {
        let [first, second] = Color::ALL.map(|side| self.who(side));
        let moves = self.referee.moves().count();
        format!(
            "{} against {}, {moves} moves",
            first.as_player(),
            second.as_player()
        )
    }

    /// The number of its server.
    pub fn server(&self) -> u16 {
        self.server
    }

    /// The game as it stands.
    pub fn game(&self) -> &G {
        self.referee.game()
    }
}

/// The name of a match: the moment of its start, to the microsecond in UTC, and
/// the number of its server.
fn id(server: u16, started: SystemTime) -> String {
    let time = humantime::format_rfc3339_micros(started).to_string();
    let digits: String = time.chars().filter(|c| !"-:Z".contains(*c)).collect();
    format!("{}-{server}", digits.replace(['T', '.'], "-"))
}

/// Which lines a player can read.
///
/// The paper's protocol has lines that the client libraries in C, Java and
/// Python give up on: 34x before the start, 327, 328, 391 and 392 while they
/// wait for a move, a lone 36x when they think. They never send a name; one
/// that does has shown that it speaks the paper's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// All that the paper has.
    Paper,
    /// What the libraries read.
    Library,
}

/// A player's place in a match.
#[derive(Debug)]
pub(super) struct Seat {
    /// `None` while he has not come back to an interrupted match.
    pub(super) conn: Option<ConnId>,
    /// Who sat here when the match began.
    pub(super) player: Player,
    pub(super) dialect: Dialect,
    pub(super) malformed: u32,
}

impl Seat {
    pub(super) fn new<G: NetrefGame>(client: Client, name: Option<Name>) -> Seat {
        Seat {
            conn: Some(client.conn),
            dialect: Dialect::of::<G>(name.is_some()),
            player: Player {
                name,
                client: Some(client),
            },
            malformed: 0,
        }
    }

    /// The player's name.
    pub(super) fn name(&self) -> Option<&Name> {
        self.player.name.as_ref()
    }
}

impl Dialect {
    pub(super) fn of<G: NetrefGame>(is_named: bool) -> Dialect {
        if is_named || G::STAND_IN.is_none() {
            Dialect::Paper
        } else {
            Dialect::Library
        }
    }
}

/// The most observers whose names are told.
const MAX_LISTED: usize = 20;

/// The greatest number in a configuration message: all should be prepared for
/// three digits (paper, section 2).
const MAX_NUMBER: u64 = 999;

impl<G: NetrefGame> LiveMatch<G> {
    /// Tells all that the match begins, or goes on, with all that has happened
    /// so far.
    pub(super) fn begin(
        &mut self,
        observers: &BTreeMap<ConnId, Option<Name>>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        for side in Color::ALL {
            self.welcome(side, observers, effects);
        }
        effects.push(Effect::StartClock);
        effects.log(if self.restored {
            LogEvent::Resumed {
                id: self.id.clone(),
                players: self.both(),
                moves: self.referee.moves().count(),
            }
        } else {
            LogEvent::Started {
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
        effects: &mut Effects<G::Move>,
    ) {
        let seat = &self.seats[side];
        let Some(conn) = seat.conn else { return };
        if seat.dialect == Dialect::Paper {
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
            let name = self.seats[side].name()?;
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
        effects: &mut Effects<G::Move>,
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
            Status::Moved { number, .. } | Status::LastMove { number, .. } => {
                Some(LogEvent::Moved {
                    who: self.who(side),
                    number,
                    ellipses: ellipses(side),
                    mv: mv.to_string(),
                    left_ms: left.map(millis),
                })
            }
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

    pub(super) fn announce_resignation(
        &self,
        loser: Color,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        self.journal_end(effects);
        self.send(loser, &Response::Resigned, effects);
        let status = Response::Status(Status::Resigned(loser));
        for side in [loser, loser.opponent()] {
            match self.seats[side].dialect {
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
        effects: &mut Effects<G::Move>,
    ) {
        let who = self.who(side);
        let (acknowledgement, news) = match status {
            Status::DrawOffered(_) => {
                effects.journal(Entry::DrawOffer);
                (Response::OfferReceived, Some(LogEvent::DrawOffered { who }))
            }
            Status::DrawRefused(_) => {
                effects.journal(Entry::DrawRefusal);
                (
                    Response::RefusalReceived,
                    Some(LogEvent::DrawRefused { who }),
                )
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

    pub(super) fn announce_flag(
        &self,
        loser: Color,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        self.journal_end(effects);
        let lost = Response::ended(Verdict::Loss, "Your time expires");
        self.send(loser, &lost, effects);
        let status = Response::Status(Status::FlagFell(loser));
        self.send(loser, &status, effects);
        let winner = loser.opponent();
        // The Python library cannot read a 36x; none reads on after a 32x.
        if self.seats[winner].dialect == Dialect::Library {
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
        effects: &mut Effects<G::Move>,
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
        effects: &mut Effects<G::Move>,
    ) {
        self.journal_end(effects);
        match self.seats[side].dialect {
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
        effects: &mut Effects<G::Move>,
    ) {
        let status = Response::Status(Status::Disconnected(side));
        let winner = side.opponent();
        match self.seats[winner].dialect {
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
    pub(super) fn announce_abandonment(&self, effects: &mut Effects<G::Move>) {
        self.journal_end(effects);
        let why = "Neither player came back".to_owned();
        effects.broadcast(Response::<G>::Problem(why).to_string());
    }

    /// Sends a last move with which `loser` loses to a side that knows no other
    /// end.
    fn send_stand_in(
        &self,
        to: Color,
        loser: Color,
        forfeit: Forfeit,
        effects: &mut Effects<G::Move>,
    ) {
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
    pub(super) fn journal_end(&self, effects: &mut Effects<G::Move>) {
        if let Some(&Ending { winner, reason, .. }) = self.referee.ending() {
            effects.journal(Entry::End { winner, reason });
        }
    }

    /// Sends both players a status line.
    fn send_all(&self, status: &Response<G>, effects: &mut Effects<G::Move>) {
        for side in Color::ALL {
            self.send(side, status, effects);
        }
    }

    pub(super) fn send(&self, side: Color, response: &Response<G>, effects: &mut Effects<G::Move>) {
        if let Some(conn) = self.seats[side].conn {
            effects.send(conn, response);
        }
    }

    /// Sends every observer a status line and the board after it.
    pub(super) fn broadcast(
        &self,
        status: &Response<G>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        if effects.is_watched() {
            effects.broadcast(status.to_string() + &self.display(now));
        }
    }
}
