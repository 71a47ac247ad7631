//! A match at a table: who plays it, and who is told what.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use super::chair::{Chair, Dialect};
use super::client::{Client, ConnId, Who};
use super::draw::Draw;
use super::effects::Effects;
use super::entry::{Entry, from_unix_millis, millis, unix_millis};
use super::game::NetrefGame;
use super::news::News;
use super::record::{Player, Reason, Summary};
use super::referee::{Match, Refusal};
use super::table::Settings;
use super::wire::{Action, Name, Response};
use crate::color::{ByColor, Color};

/// The last millisecond of the year 9999: no later time can be written.
const LAST_MS: u64 = 253_402_300_799_999;

/// A match with its players.
#[derive(Debug)]
pub struct Playing<G: NetrefGame> {
    pub(super) id: String,
    /// The number of its server.
    server: u16,
    started: SystemTime,
    /// What each side had on its clock at the start.
    times: Option<ByColor<Duration>>,
    pub(super) referee: Match<G>,
    pub(super) chairs: ByColor<Chair>,
    /// Whether the players are there and know that it goes on.
    pub(super) begun: bool,
    /// Whether it was interrupted.
    pub(super) restored: bool,
    /// When players who have not come back are waited for no longer.
    pub(super) leaves_at: Option<Duration>,
    /// Whether observers are shown no board.
    pub(super) strict: bool,
}

impl<G: NetrefGame> Playing<G> {
    /// A match that has not begun.
    pub(super) fn new(
        settings: &Settings<G>,
        chairs: ByColor<Chair>,
        started: SystemTime,
    ) -> Playing<G> {
        Playing {
            id: id(settings.number, started),
            server: settings.number,
            started,
            times: settings.times,
            referee: Match::new(settings.start.clone(), settings.times),
            chairs,
            begun: false,
            restored: false,
            leaves_at: None,
            strict: settings.strict,
        }
    }

    /// An interrupted match, from the entries of its journal.
    ///
    /// # Errors
    /// Says which entry cannot be, and why.
    pub fn restore(entries: Vec<Entry>) -> Result<Playing<G>, String> {
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
            return Err("its first entry is no start of a match".into());
        };
        if game != G::NAME {
            return Err(format!(
                "it holds a match of {game}, and {} is played here",
                G::NAME
            ));
        }
        let Some(start) = G::with_rules(rules.as_deref()) else {
            let rules = rules.unwrap_or_default();
            return Err(format!("{rules:?} are no rules of {game}"));
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if id.is_empty() || !id.chars().all(is_plain) {
            return Err(format!("{id:?} is no name of a match"));
        }
        if started_ms > LAST_MS {
            return Err(format!("it started {started_ms} ms after 1970"));
        }
        let times = times_ms.map(|ms| ByColor::from_fn(|side| Duration::from_millis(ms[side])));
        let mut playing = Playing {
            id,
            server,
            times,
            started: from_unix_millis(started_ms),
            referee: Match::new(start, times),
            chairs: ByColor::from_fn(|side| Chair {
                conn: None,
                player: Player {
                    name: names[side].as_deref().and_then(Name::new),
                    client: clients[side],
                },
                dialect: Dialect::Library,
                garbled: 0,
            }),
            begun: false,
            restored: true,
            leaves_at: None,
            strict: false,
        };
        for (number, entry) in entries.enumerate() {
            let number = number + 2;
            playing
                .replay(entry)
                .map_err(|why| format!("entry {number}: {why}"))?;
        }
        Ok(playing)
    }

    fn replay(&mut self, entry: Entry) -> Result<(), String> {
        if self.referee.ending().is_some() {
            return Err("the match is over before it".into());
        }
        match entry {
            Entry::Start { .. } => Err("another match starts".into()),
            Entry::Move {
                mv,
                spent_ms,
                left_ms,
            } => {
                let Some(mv) = G::parse_move(&mv) else {
                    return Err(format!("{mv:?} is no move"));
                };
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
    pub(super) fn restored_news(&self) -> News {
        News::Restored {
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
                let name = self.chairs[side].name();
                name.map(|name| name.as_str().to_owned())
            }),
            clients: ByColor::from_fn(|side| self.chairs[side].player.client),
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
        let Chair { conn, player, .. } = &self.chairs[side];
        Who {
            conn: conn.or(player.client.map(|client| client.conn)),
            side: Some(G::SIDES[side]),
            name: player.name.clone(),
            address: None,
        }
    }

    /// The players as the match began, for the log.
    pub(super) fn both(&self) -> [Who; 2] {
        Color::ALL.map(|side| Who::recorded::<G>(side, &self.chairs[side].player))
    }

    /// Whether it can be taken up after an interruption: both players have names
    /// by which they are known when they come back. (The client libraries give
    /// none, and cannot take up a match.)
    pub fn can_resume(&self) -> bool {
        let names = Color::ALL.map(|side| self.chairs[side].name());
        names.iter().all(|name| name.is_some_and(Name::identifies))
    }

    /// Ends an interrupted match that cannot be taken up; the summary and the
    /// record of it.
    pub(super) fn give_up(&mut self) -> Option<(Summary, String)> {
        self.referee.end(None, Reason::Interruption, Duration::ZERO);
        let summary = self.summary()?;
        let record = self.game().record(&summary);
        Some((summary, record))
    }

    /// The connections of the players who are there.
    pub(super) fn connections(&self) -> impl Iterator<Item = ConnId> {
        Color::ALL
            .into_iter()
            .filter_map(|side| self.chairs[side].conn)
    }

    /// The side that a connection plays.
    pub(super) fn side_of(&self, conn: ConnId) -> Option<Color> {
        Color::ALL
            .into_iter()
            .find(|&side| self.chairs[side].conn == Some(conn))
    }

    /// Whether both players are there.
    pub(super) fn is_complete(&self) -> bool {
        self.connections().count() == 2
    }

    /// The empty chair of an interrupted match that a client may take: the one
    /// that has its name. If both are empty and have it, and the client wants either
    /// side, it is the one whose player came from the client's host when the other
    /// did not.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn chair_for(
        &self,
        wanted: Option<Color>,
        client: Client,
        name: Option<&Name>,
    ) -> Result<Color, Response<G>> {
        if self.is_complete() {
            return Err(Response::full());
        }
        let is_own = |&side: &Color| {
            let chair = &self.chairs[side];
            let is_free = chair.conn.is_none() && wanted.is_none_or(|wanted| wanted == side);
            is_free && chair.name().is_some_and(Name::identifies) && chair.name() == name
        };
        let own: Vec<Color> = Color::ALL.into_iter().filter(is_own).collect();
        let host = |client: Client| Some(client.address?.ip());
        let home = |side: Color| host(self.chairs[side].player.client?);
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

    /// Puts a player in a chair.
    pub(super) fn sit_down(&mut self, side: Color, conn: ConnId, is_named: bool) {
        let chair = &mut self.chairs[side];
        chair.conn = Some(conn);
        chair.dialect = Dialect::of::<G>(is_named);
        chair.garbled = 0;
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
        effects: &mut Effects,
    ) {
        if self.begun {
            if let Some(loser) = self.referee.fall(now) {
                self.announce_flag(loser, now, effects);
            }
        } else if self.leaves_at.is_some_and(|at| now >= at) {
            let back = Color::ALL
                .into_iter()
                .find(|&side| self.chairs[side].conn.is_some());
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
        effects: &mut Effects,
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
    pub(super) fn leave(&mut self, side: Color, now: Duration, effects: &mut Effects) {
        self.chairs[side].conn = None;
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
    pub(super) fn expel(&mut self, side: Color, why: &str, now: Duration, effects: &mut Effects) {
        if self.waits(now) {
            if let Some(conn) = self.chairs[side].conn.take() {
                effects.dismiss::<G>(conn, why);
            }
            return;
        }
        let to_move = self.referee.to_move();
        self.referee.lose(side, Reason::Protocol, now);
        self.announce_expulsion(side, to_move, why, now, effects);
    }

    /// The operator ends the match without a winner.
    pub(super) fn void(&mut self, why: &str, now: Duration, effects: &mut Effects) {
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
            players: ByColor::from_fn(|side| self.chairs[side].player.clone()),
            times: self.times,
            moves: self.referee.moves().cloned().collect(),
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
