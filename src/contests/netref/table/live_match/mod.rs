//! A live match: its players and their seats, and the messages about it to players and
//! observers.
//!
//! Source: Bart Massey, *A Networked Gothello Referee: Specification*, section 2, and what
//! the client libraries in C, Java and Python can read (see [`Dialect`]).

mod house;
mod restore;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use itertools::Itertools;

pub use restore::RestoreError;

use super::effects::{Effect, Effects, FinishedMatch};
use super::referee::{Match, Refusal};
use super::refusals::{RefusedRow, drop_text, refuse};
use super::seeker::Seeker;
use super::snapshot::{MatchLabel, SeatedClient, SnapshotStage, TableSnapshot};
use super::{Loss, LossWaits, Settings, departure, granted, seated_event};
use crate::base::color::{ByColor, Color};
use crate::contests::netref::client::{ConnId, Name};
use crate::contests::netref::entry::{Entry, StartEntry, millis};
use crate::contests::netref::game::{NetrefGame, ellipses};
use crate::contests::netref::log::{LogEvent, MatchSoFar, Who};
use crate::contests::netref::summary::{MatchReason, Played, Player, Summary};
use crate::contests::netref::wire::{
    Action, Malformed, Response, RoleRefusal, Status, Verdict, forfeit_phrase,
};
use crate::tournament::{GameNumber, NumberedGame};

/// How long a match waits for its players whose connections were lost together, if it is none of a
/// tournament. Other clients cannot play at the table meanwhile.
const OUTAGE_WAIT: Duration = Duration::from_secs(120);

/// A match with its players.
#[derive(Debug)]
pub struct LiveMatch<G: NetrefGame> {
    id: String,
    /// The server number of the match's table.
    server: u16,
    started: SystemTime,
    /// The time on each clock at the start.
    times: Option<ByColor<Duration>>,
    referee: Match<G>,
    seats: ByColor<Seat>,
    /// Whether both players have come, and have been told that the match began or resumed.
    is_running: bool,
    /// Whether it goes on after an interruption or adjournment, when the players return.
    is_resumption: bool,
    /// When to stop waiting for absent players; `None` to wait without limit.
    wait_deadline: Option<Duration>,
    /// Whether observers get no state displays.
    strict: bool,
    /// The place in the tournament, if it is a match of one.
    scheduled: Option<NumberedGame>,
    /// The maximum time to wait for absent players, besides that of the table.
    wait_limit: Option<Duration>,
    /// Until when only the clients that played get the seats of an interrupted match; `None` if
    /// any client of their teams does.
    reserved_until: Option<Duration>,
    /// How long a lost connection is waited for.
    loss_waits: LossWaits,
    /// The players whose connections were lost while the match goes on.
    lost: ByColor<Option<LostPlayer>>,
    /// The flag that has fallen, until it is certain whether it counts.
    fallen: Option<FallenFlag>,
}

/// A player whose connection was lost, and who has not lost the match yet.
#[derive(Clone, Copy, Debug)]
struct LostPlayer {
    /// When the connection was lost.
    since: Duration,
    /// Until when the loss of the opponent's connection has most likely the same cause.
    together_until: Duration,
    /// When the player loses the match, unless the opponent is not there either.
    until: Duration,
    /// Whether the player may come back until then.
    may_return: bool,
    /// Whether the client has closed its connection.
    has_closed: bool,
}

/// A flag that has fallen, of which the players have been told.
///
/// It does not count if the connections of both players turn out to be lost without a sign of theirs:
/// most likely no move could arrive. It counts as soon as either player is heard.
#[derive(Clone, Debug)]
struct FallenFlag {
    loser: Color,
    /// When it fell.
    at: Duration,
    /// When it counts, because a lost connection would have turned out.
    until: Duration,
    /// The last lines of the loser before it fell.
    exchange: Vec<String>,
}

impl<G: NetrefGame> LiveMatch<G> {
    /// Creates a match that has not begun.
    pub(super) fn new(
        settings: &Settings<G>,
        players: ByColor<Player>,
        started: SystemTime,
        (scheduled, wait_limit): (Option<NumberedGame>, Option<Duration>),
    ) -> LiveMatch<G> {
        let mut referee = Match::new(settings.start.clone(), settings.times);
        referee.set_move_timeout(settings.move_timeout);
        LiveMatch {
            id: id(settings.number, started),
            server: settings.number,
            started,
            times: settings.times,
            referee,
            seats: players.map(Seat::new::<G>),
            is_running: false,
            is_resumption: false,
            wait_deadline: None,
            strict: settings.strict,
            scheduled,
            wait_limit,
            reserved_until: None,
            loss_waits: settings.waits,
            lost: ByColor::default(),
            fallen: None,
        }
    }

    /// Returns the match so far, for the log.
    pub fn so_far(&self) -> MatchSoFar {
        MatchSoFar {
            id: self.id.clone(),
            place: self.place(),
            players: Box::new(self.both()),
            moves: self.move_count(),
        }
    }

    /// Returns when the match began.
    pub fn started(&self) -> SystemTime {
        self.started
    }

    /// Returns the first entry of the match in the journal.
    pub(super) fn start_entry(&self) -> Entry {
        let players = self.seats.as_ref().map(|seat| &seat.player);
        Entry::Start(Box::new(StartEntry {
            game: G::NAME.into(),
            id: self.id.clone(),
            server: self.server,
            started_ms: unix_millis(self.started),
            names: players.map(|player| Some(player.name.as_ref()?.as_str().to_owned())),
            clients: players.map(|player| player.client.clone().map(Box::new)),
            times_ms: self.times.map(|times| times.map(millis)),
            rules: self.referee.game().rules(),
            scheduled: self.scheduled.clone(),
        }))
    }

    /// Returns the entry that keeps the time of the current move when the match is
    /// interrupted.
    pub fn interruption_entry(&self, now: Duration) -> Entry {
        let left = self.referee.to_move().zip(self.remaining(now));
        Entry::Interrupted {
            spent_ms: millis(self.referee.spent(now)),
            left_ms: left.map(|(side, left)| millis(left[side])),
        }
    }

    /// Returns the time that each side has left; `None` without time controls.
    pub(super) fn remaining(&self, now: Duration) -> Option<ByColor<Duration>> {
        self.referee.remaining(now)
    }

    /// Names a player for the log.
    fn who(&self, side: Color) -> Who {
        let Seat { conn, player, .. } = &self.seats[side];
        let who = Who::of(player);
        Who {
            conn: conn.or(who.conn),
            side: Some(G::SIDES[side]),
            is_unlisted: false,
            ..who
        }
    }

    /// Names the players for the log, as they were when the match began.
    fn both(&self) -> [Who; 2] {
        Color::ALL.map(|side| Who::recorded::<G>(side, &self.seats[side].player))
    }

    /// Returns whether the match can be resumed after an interruption: both players can.
    pub fn can_resume(&self) -> bool {
        self.seats.iter().all(|seat| seat.player.can_resume())
    }

    /// Ends a match that a player cannot resume, and returns it for the records.
    pub fn give_up(&mut self) -> Option<FinishedMatch<G::Move>> {
        self.referee
            .end(None, MatchReason::Interruption, Duration::ZERO);
        self.finished()
    }

    /// Ends an adjourned match by command of the organizer, for this reason. Returns its last entry in
    /// the journal, and the match for the records.
    pub fn void_adjourned(&mut self, why: String) -> Option<(Entry, FinishedMatch<G::Move>)> {
        self.referee.void(Some(why), Duration::ZERO);
        Some((self.end_entry()?, self.finished()?))
    }

    /// Returns the match for the records, if it is over.
    pub fn finished(&self) -> Option<FinishedMatch<G::Move>> {
        let summary = self.summary()?;
        let moves: Vec<_> = self.moves().copied().collect();
        Some(FinishedMatch {
            record: self.game().record(&summary, &moves),
            summary,
            moves,
            snapshot: self.snapshot(),
        })
    }

    /// Returns the number of moves so far.
    pub fn move_count(&self) -> usize {
        self.referee.moves().count()
    }

    /// Returns the moves so far.
    pub fn moves(&self) -> impl Iterator<Item = &Played<G::Move>> {
        self.referee.moves()
    }

    /// Limits the time that an interrupted or adjourned match waits for absent players, if the
    /// table does not limit it to less.
    pub fn limit_wait(&mut self, limit: Option<Duration>) {
        self.wait_limit = limit;
    }

    /// Waits for the players of an interrupted or adjourned match.
    pub(super) fn wait_for_players(&mut self, settings: &Settings<G>, now: Duration) {
        self.strict = settings.strict;
        self.loss_waits = settings.waits;
        self.referee.set_move_timeout(settings.move_timeout);
        let timeouts = [settings.seat_timeout, self.wait_limit];
        let timeout = timeouts.into_iter().flatten().min();
        self.wait_deadline = timeout.map(|time| now.saturating_add(time));
        // Other clients of the teams must have time, too.
        let most = timeout.map_or(Duration::MAX, |time| time / 2);
        let reclaim_time = settings.reclaim_time.min(most);
        self.reserved_until = (!reclaim_time.is_zero()).then(|| now.saturating_add(reclaim_time));
    }

    /// Waits for the players anew, if the match is interrupted.
    pub(super) fn wait_anew(&mut self, settings: &Settings<G>, now: Duration) {
        if !self.is_running {
            self.wait_for_players(settings, now);
        }
    }

    /// Returns the connection of each player; `None` while the player is absent.
    pub fn conns(&self) -> ByColor<Option<ConnId>> {
        self.seats.as_ref().map(|seat| seat.conn)
    }

    /// Returns the connections of the players.
    pub(super) fn connections(&self) -> impl Iterator<Item = ConnId> {
        self.seats.iter().filter_map(|seat| seat.conn)
    }

    /// Returns the teams of the connected players.
    pub(super) fn teams(&self) -> [Option<&Name>; 2] {
        Color::ALL.map(|side| {
            let seat = &self.seats[side];
            seat.conn.and(seat.player.team())
        })
    }

    /// Returns the teams of both players, connected or not.
    pub fn both_teams(&self) -> impl Iterator<Item = &Name> {
        self.seats.iter().filter_map(|seat| seat.player.team())
    }

    /// Returns the side that a connection plays.
    fn side_of(&self, conn: ConnId) -> Option<Color> {
        Color::ALL
            .into_iter()
            .find(|&side| self.seats[side].conn == Some(conn))
    }

    /// Returns whether the match is on, and a connection is that of one of its players.
    pub fn is_played_by(&self, conn: ConnId) -> bool {
        self.is_running && self.side_of(conn).is_some()
    }

    /// Returns whether a flag has fallen, and it is not certain yet whether that counts.
    pub fn is_flag_fallen(&self) -> bool {
        self.fallen.is_some()
    }

    /// Keeps the last lines of the player whose flag has fallen.
    pub(super) fn keep_exchange(&mut self, exchange: &[String]) {
        if let Some(fallen) = &mut self.fallen {
            fallen.exchange = exchange.to_vec();
        }
    }

    /// Returns whether the match is on, and both players are connected.
    pub fn is_on(&self) -> bool {
        self.is_running && self.is_complete()
    }

    /// Returns whether both players are connected.
    fn is_complete(&self) -> bool {
        self.connections().count() == 2
    }

    /// Returns the side of the empty seat of an interrupted match that a client may reclaim: the
    /// seat of the same player. A client of the same team with another name gets it only when the
    /// seats are no longer reserved, and never if a client of that name had a seat. If both players
    /// have that name and the client asks for either side, it is the seat of the player who came
    /// from the client's host, unless both came from it.
    ///
    /// # Errors
    /// Returns the refusal if there is no such seat, or it is unclear which of the two.
    fn reclaimable_seat(&self, seeker: &Seeker, now: Duration) -> Result<Color, Response<G>> {
        let (player, wanted) = (&seeker.player, seeker.side);
        let may_return =
            |side: Color| self.lost[side].is_some_and(|lost| lost.may_return && now < lost.until);
        let is_open = !self.is_running || Color::ALL.into_iter().any(may_return);
        if self.is_complete() || self.fallen.is_some() || !is_open {
            let why = "There are already two players";
            return Err(Response::Refused(RoleRefusal::Full, why.to_owned()));
        }
        let host = |player: &Player| Some(player.client.as_ref()?.address?.ip());
        let home = |side: Color| host(&self.seats[side].player);
        // While a match goes on, a name alone could be anybody's, even the opponent's.
        let is_trusted =
            |side: Color| !self.is_running || player.team().is_some() || home(side) == host(player);
        let is_own = |&side: &Color| {
            let seat = &self.seats[side];
            let is_open = seat.conn.is_none() && (!self.is_running || may_return(side));
            let is_free = is_open && wanted.is_none_or(|wanted| wanted == side);
            is_free && seat.player.is_again(player) && is_trusted(side)
        };
        let of_team: Vec<Color> = Color::ALL.into_iter().filter(is_own).collect();
        let has_its_name = |&side: &Color| self.seats[side].player.name == player.name;
        let of_client: Vec<Color> = of_team.iter().copied().filter(has_its_name).collect();
        let is_reserved = self.reserved_until.is_some_and(|until| now < until);
        let own = match of_client.is_empty() && !is_reserved {
            true => &of_team,
            false => &of_client,
        };
        let is_only_home = |&side: &Color| {
            let (one, other) = (home(side), home(side.opponent()));
            one.is_some() && other.is_some() && one == host(player) && one != other
        };
        let refusal = |why| Response::Refused(RoleRefusal::SideTaken, why);
        let is_called_so =
            |seat: &Seat| seat.conn.is_none() && seat.player.called() == player.called();
        match own[..] {
            [] if !of_team.is_empty() => Err(refusal(
                "The seat is kept for the client that played: ask again in a few seconds".into(),
            )),
            [] if !player.can_resume() && self.seats.iter().any(is_called_so) => Err(refusal(
                "The seat is kept for a client that can resume the match: ask with version 0.9.2"
                    .into(),
            )),
            [] => Err(refusal(
                "The seat is kept for a player of an interrupted match".into(),
            )),
            [side] => Ok(side),
            _ => {
                let only = own.iter().copied().find(is_only_home);
                only.ok_or_else(|| {
                    let ByColor { black, white } = G::SIDES;
                    refusal(format!(
                        "Both players of the interrupted match have this name: ask for {black} \
                         or {white}"
                    ))
                })
            }
        }
    }

    /// Returns whether a player has a seat of an interrupted match that waits for it.
    pub(super) fn has_seat_for(&self, seeker: &Seeker, now: Duration) -> bool {
        self.reclaimable_seat(seeker, now).is_ok()
    }

    /// Seats a client that comes back to an interrupted match, which goes on when both players
    /// are there, or to one that has gone on without it.
    ///
    /// # Errors
    /// Returns the refusal if the client is not one of the absent players.
    pub(super) fn come_back(
        &mut self,
        seeker: &Seeker,
        observers: &BTreeMap<ConnId, Option<Name>>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) -> Result<(), Response<G>> {
        let side = self.reclaimable_seat(seeker, now)?;
        let Seeker {
            conn, ref player, ..
        } = *seeker;
        effects.send(conn, &granted::<G>(self.remaining(now), Some(side)));
        let seat = &mut self.seats[side];
        seat.conn = Some(conn);
        seat.dialect = Dialect::of::<G>(player.name.is_some());
        seat.refused = RefusedRow::default();
        effects.push(seated_event(self.who(side), player));
        if self.is_running {
            // The match has gone on.
            self.lost[side] = None;
            self.welcome(side, observers, effects);
        } else if self.is_complete() {
            self.begin(observers, now, effects);
        }
        Ok(())
    }

    /// Starts the clock of the player to move.
    pub(super) fn begin_turn(&mut self, now: Duration) {
        if self.is_running {
            self.referee.start_clock(now);
        }
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        if let Some(fallen) = &self.fallen {
            return Some(fallen.until);
        }
        if self.is_running {
            // If both are lost, nobody loses before one of them comes back.
            let lost = self.lost.iter().flatten().map(|lost| lost.until).max();
            let deadlines = [self.referee.flag_deadline(), self.reserved_until, lost];
            return deadlines.into_iter().flatten().min();
        }
        let deadlines = [self.wait_deadline, self.reserved_until];
        deadlines.into_iter().flatten().min()
    }

    /// Ends the match if a flag has fallen, or if the wait for absent players is over, or interrupts it
    /// if nobody is there to win it. Reserves the seats no longer if it is time.
    pub(super) fn check_deadlines(
        &mut self,
        settings: &Settings<G>,
        now: Duration,
        observers: &BTreeMap<ConnId, Option<Name>>,
        effects: &mut Effects<G::Move>,
    ) {
        self.reserved_until = self.reserved_until.filter(|&until| now < until);
        if let Some(fallen) = &self.fallen {
            if now >= fallen.until {
                self.count_flag(effects);
            }
        } else if self.is_running {
            let is_gone = |side: Color| self.lost[side].is_some_and(|lost| now >= lost.until);
            let is_there = |side: Color| self.lost[side].is_none();
            let flag = self.referee.fallen_flag(now);
            let absent = Color::ALL
                .into_iter()
                .find(|&side| is_gone(side) && is_there(side.opponent()));
            // Nobody wins who is gone as well.
            if let Some(side) = absent {
                self.handle_absence(side, now, effects);
            } else if Color::ALL.into_iter().all(is_gone)
                || flag.is_some_and(|loser| is_gone(loser.opponent()))
            {
                self.interrupt(settings, now, effects);
            } else if let Some(loser) = flag {
                self.announce_flag(loser, now, effects);
            }
        } else if self.wait_deadline.is_some_and(|at| now >= at) {
            let back = Color::ALL
                .into_iter()
                .find(|&side| self.seats[side].conn.is_some());
            match back {
                Some(side) => {
                    self.welcome(side, observers, effects);
                    self.handle_absence(side.opponent(), now, effects);
                }
                None => {
                    self.end(None, MatchReason::Abandonment, now, effects);
                    let why = "Neither player came back".to_owned();
                    effects.broadcast(Response::<G>::Problem(why).to_string());
                }
            }
        }
    }

    /// Handles a request of a player.
    pub(super) fn request(
        &mut self,
        conn: ConnId,
        request: Result<Action<G::Move>, Malformed>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let Some(side) = self.side_of(conn) else {
            return;
        };
        if let Some(fallen) = &self.fallen {
            // This player is there: its opponent, at most, cannot be reached.
            if now >= fallen.at {
                self.count_flag(effects);
            }
            return;
        }
        let opponent = side.opponent();
        let is_proof = |lost: LostPlayer| !lost.may_return && lost.since < now;
        if self.is_running && self.lost[opponent].is_some_and(is_proof) {
            // This player is there: only the opponent's connection was lost.
            self.handle_absence(opponent, now, effects);
            return;
        }
        let performed = match request {
            Ok(action) => self.act(side, action, now, effects),
            Err(malformed) => Err(malformed.into()),
        };
        let who = self.who(side);
        let refused = &mut self.seats[side].refused;
        match performed {
            Ok(()) => *refused = RefusedRow::default(),
            Err(refusal) => {
                if let Some(reason) = refuse::<G>(refused, who, refusal, effects) {
                    self.drop_player(side, reason, now, effects);
                }
            }
        }
    }

    /// Performs an action of a player.
    fn act(
        &mut self,
        side: Color,
        action: Action<G::Move>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) -> Result<(), Refusal> {
        if !self.is_running {
            return Err(Refusal::Illegal("your opponent is not back yet".into()));
        }
        let status = match action {
            Action::Move { number, mv } => {
                let offer = self.referee.draw_status();
                let status = self.referee.play(side, number, mv, now)?;
                let lapses = offer == Some(Status::DrawOffered(side));
                self.announce_move(status, lapses, now, effects);
                return Ok(());
            }
            Action::Resign => {
                if self.referee.to_move() != Some(side) {
                    return Err(Refusal::Illegal("it is not your turn".into()));
                }
                let winner = Some(side.opponent());
                self.end(winner, MatchReason::Resignation, now, effects);
                self.announce_resignation(side, now, effects);
                return Ok(());
            }
            Action::OfferDraw => self.referee.offer_draw(side, now)?,
            Action::RefuseDraw => self.referee.refuse_draw(side)?,
            Action::AcceptDraw => self.referee.accept_draw(side, now)?,
        };
        self.announce_draw(side, status, now, effects);
        Ok(())
    }

    /// Handles the loss of a connection.
    pub(super) fn lose(
        &mut self,
        conn: ConnId,
        loss: &Loss,
        settings: &Settings<G>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let Some(side) = self.side_of(conn) else {
            return;
        };
        if self.fallen.is_some() && *loss == Loss::Closed {
            // It was there, and has been told of the end.
            return self.count_flag(effects);
        }
        effects.push(departure(self.who(side), loss));
        let opponent = &self.seats[side.opponent()];
        let may_return =
            !self.loss_waits.comeback.is_zero() && self.seats[side].player.can_resume();
        if !self.is_running || opponent.player.is_house() && !may_return {
            return self.handle_absence(side, now, effects);
        }
        self.seats[side].conn = None;
        if self.fallen.is_some() {
            if self.connections().next().is_none() {
                self.interrupt(settings, now, effects);
            }
            return;
        }
        let is_together = |lost: LostPlayer| now <= lost.together_until;
        if self.lost[side.opponent()].is_some_and(is_together) {
            return self.interrupt(settings, now, effects);
        }
        let wait = match loss {
            Loss::Closed => self.loss_waits.closed,
            Loss::Silent | Loss::Dropped(_) => self.loss_waits.silent,
        };
        let time = match may_return {
            true => wait.max(self.loss_waits.comeback),
            false => wait,
        };
        if time.is_zero() && self.lost[side.opponent()].is_none() {
            return self.handle_absence(side, now, effects);
        }
        self.lost[side] = Some(LostPlayer {
            since: now,
            together_until: now.saturating_add(wait),
            until: now.saturating_add(time),
            may_return,
            has_closed: *loss == Loss::Closed,
        });
        let reclaim_time = settings.reclaim_time.min(time / 2);
        if may_return && !reclaim_time.is_zero() {
            self.reserved_until = Some(now.saturating_add(reclaim_time));
        }
    }

    /// Interrupts the match, because the connections of both players are lost. It waits for them if
    /// they can resume it, and the player to move begins its turn again; else it ends without a result.
    fn interrupt(&mut self, settings: &Settings<G>, now: Duration, effects: &mut Effects<G::Move>) {
        self.lost = ByColor::default();
        self.fallen = None;
        self.referee.restart_turn();
        // A match in which nothing was played can as well begin again.
        if !self.can_resume() || self.referee.moves().next().is_none() {
            self.end(None, MatchReason::Interruption, now, effects);
            let why = "The connections of both players were lost".to_owned();
            effects.broadcast(Response::<G>::Problem(why).to_string());
            return;
        }
        effects.push(self.interruption_entry(now));
        self.put_aside(now);
        if self.scheduled.is_none() {
            self.wait_limit.get_or_insert(OUTAGE_WAIT);
        }
        self.wait_for_players(settings, now);
        effects.push(LogEvent::Restored(self.so_far()));
    }

    /// Stops the match in the middle of a move, until it goes on. Nobody has a seat.
    pub(super) fn put_aside(&mut self, now: Duration) {
        self.referee.interrupt(now);
        self.is_running = false;
        self.is_resumption = true;
        self.wait_deadline = None;
        self.lost = ByColor::default();
        self.fallen = None;
        for seat in [&mut self.seats.black, &mut self.seats.white] {
            seat.conn = None;
        }
    }

    /// Handles the absence of a player, who loses unless the match waits for its players.
    fn handle_absence(&mut self, side: Color, now: Duration, effects: &mut Effects<G::Move>) {
        self.seats[side].conn = None;
        self.lost = ByColor::default();
        if self.awaits_players(now) {
            return;
        }
        let was_thinking = self.referee.to_move() == Some(side.opponent());
        let reason = MatchReason::Disconnection;
        self.end(Some(side.opponent()), reason, now, effects);
        let why = format!("{} has disconnected", G::PLAYERS[side]);
        self.announce_absence(side, was_thinking, (&why, reason), now, effects);
    }

    /// Returns whether absent players may still come back.
    fn awaits_players(&self, now: Duration) -> bool {
        !self.is_running && self.wait_deadline.is_none_or(|at| now < at)
    }

    /// Drops a player after too many refused requests. The player loses unless the match waits for
    /// its players.
    fn drop_player(
        &mut self,
        side: Color,
        reason: MatchReason,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let why = drop_text(reason);
        if self.awaits_players(now) {
            if let Some(conn) = self.seats[side].conn.take() {
                effects.send(conn, &Response::<G>::Problem(why.into()));
                effects.push(Effect::Close(conn));
            }
            return;
        }
        let to_move = self.referee.to_move();
        self.end(Some(side.opponent()), reason, now, effects);
        match self.seats[side].dialect {
            Dialect::Paper => self.send(side, &Response::Problem(why.to_owned()), effects),
            Dialect::Library => {
                // Send it as the loss of the match: the libraries recognize nothing else.
                if to_move == Some(side) {
                    self.send(side, &ended(Verdict::Loss, why), effects);
                }
                self.send_substitute_move(side, side, reason, effects);
            }
        }
        let was_thinking = to_move == Some(side.opponent());
        let why = format!(
            "{} is dropped for {}",
            G::PLAYERS[side],
            forfeit_phrase(reason)
        );
        self.announce_absence(side, was_thinking, (&why, reason), now, effects);
    }

    /// Ends the match without a winner, by command of the organizer, who may say `why`.
    pub(super) fn void(
        &mut self,
        told: &str,
        why: Option<String>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        self.referee.void(why, now);
        self.journal_end(effects);
        let response = Response::<G>::Problem(told.to_owned());
        // After a fallen flag, the players are sent nothing more.
        if self.fallen.take().is_none() {
            self.send_all(&response, effects);
        }
        self.broadcast(&response, now, effects);
    }

    /// Returns the summary of the match, if it is over.
    fn summary(&self) -> Option<Summary> {
        let ending = self.referee.ending()?;
        Some(Summary {
            id: self.id.clone(),
            server: self.server,
            started: self.started,
            players: self.seats.as_ref().map(|seat| seat.player.clone()),
            times: self.times,
            plies: self.referee.moves().count(),
            spent: ByColor::from_fn(|side| {
                let moves = self.referee.moves().filter(|played| played.side == side);
                moves.map(|played| played.spent).sum()
            }),
            ending: ending.clone(),
            scheduled: self.scheduled.clone(),
        })
    }

    /// Returns the place in the tournament, if it is a match of one.
    pub fn scheduled(&self) -> Option<&NumberedGame> {
        self.scheduled.as_ref()
    }

    /// Returns the unique ID of the match.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Describes the match for the organizer: who plays whom, with the number that decisions need, and
    /// the number of moves.
    pub fn listed(&self) -> String {
        let so_far = self.so_far();
        format!("{so_far}, {}", so_far.moves())
    }

    /// Describes the match at its table for the organizer.
    pub(super) fn describe(&self) -> String {
        let state = if self.fallen.is_some() {
            ", a flag has fallen"
        } else if self.is_running {
            ""
        } else {
            ", waits for its players"
        };
        self.listed() + state
    }

    /// Returns its number in the tournament, if it is a match of one.
    fn place(&self) -> Option<GameNumber> {
        self.scheduled.as_ref().map(|game| game.scheduled.number)
    }

    /// Returns the server number of the match's table.
    pub fn server(&self) -> u16 {
        self.server
    }

    /// Returns the game.
    pub fn game(&self) -> &G {
        self.referee.game()
    }
}

/// Returns the ID of a match: the time of its start, to the microsecond in UTC, and
/// the server number of its table.
fn id(server: u16, started: SystemTime) -> String {
    let time = humantime::format_rfc3339_micros(started).to_string();
    let digits: String = time.chars().filter(|c| !"-:Z".contains(*c)).collect();
    format!("{}-{server}", digits.replace(['T', '.'], "-"))
}

/// The lines that a player's client can read.
///
/// The client libraries in C, Java and Python fail on some lines of the paper's protocol: names
/// (34x) before the start; resignations (327, 328) and disconnections (391, 392) while they wait
/// for a move; a lone fallen flag (36x) while they think. They never send a name. A client that
/// does has shown that it speaks the paper's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// All lines of the paper.
    Paper,
    /// The lines that the libraries can read.
    Library,
}

/// A player's seat in a match.
#[derive(Debug)]
struct Seat {
    /// The connection; `None` while the player of an interrupted match is absent.
    conn: Option<ConnId>,
    /// The player who sat here when the match began.
    player: Player,
    dialect: Dialect,
    /// The requests in a row that were refused.
    refused: RefusedRow,
}

impl Seat {
    /// Creates the seat of a player of a new match.
    fn new<G: NetrefGame>(player: Player) -> Seat {
        Seat {
            conn: player.client.as_ref().map(|client| client.conn),
            dialect: Dialect::of::<G>(player.name.is_some()),
            player,
            refused: RefusedRow::default(),
        }
    }
}

impl Dialect {
    fn of<G: NetrefGame>(is_named: bool) -> Dialect {
        if is_named || G::FORFEIT_MOVE.is_none() {
            Dialect::Paper
        } else {
            Dialect::Library
        }
    }
}

/// The maximum number of observer names in the configuration messages.
const MAX_LISTED: usize = 20;

/// The maximum number in a configuration message: clients should be prepared for three
/// digits (paper, section 2).
const MAX_NUMBER: u64 = 999;

impl<G: NetrefGame> LiveMatch<G> {
    /// Tells all clients that the match begins or goes on, and replays what has happened so
    /// far.
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
        effects.push(if self.is_resumption {
            LogEvent::Resumed(self.so_far())
        } else {
            LogEvent::Started {
                id: self.id.clone(),
                place: self.place(),
                players: Box::new(self.both()),
            }
        });
        if effects.has_observers() {
            effects.broadcast(if self.is_resumption {
                // The observers have been told their role.
                self.display(now)
            } else {
                self.configuration(observers) + &Response::<G>::RoleObserver.to_string()
            });
        }
        self.is_running = true;
        self.wait_deadline = None;
        self.reserved_until = None;
    }

    /// Sends a player the configuration, what has happened so far, and their role.
    fn welcome(
        &self,
        side: Color,
        observers: &BTreeMap<ConnId, Option<Name>>,
        effects: &mut Effects<G::Move>,
    ) {
        let seat = &self.seats[side];
        let Some(conn) = seat.conn else { return };
        if seat.dialect == Dialect::Paper {
            effects.push(Effect::Send(conn, self.configuration(observers)));
        }
        // In a match that was interrupted, the role comes after the moves: the client has the
        // position when it is to move.
        for status in self.referee.statuses() {
            effects.send(conn, &Response::<G>::Status(*status));
        }
        if let Some(status) = self.referee.draw_status() {
            effects.send(conn, &Response::<G>::Status(status));
        }
        effects.send(conn, &Response::<G>::RolePlayer(side));
    }

    /// Returns the configuration messages: who plays and who observes (table 4).
    fn configuration(&self, observers: &BTreeMap<ConnId, Option<Name>>) -> String {
        let players = [Color::White, Color::Black].into_iter().filter_map(|side| {
            let name = self.seats[side].player.called()?;
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

    /// Returns the state displays, unless observers get none.
    fn display(&self, now: Duration) -> String {
        if self.strict {
            return String::new();
        }
        self.referee.display(now).format("").to_string()
    }

    /// Returns the messages for an observer who joins during the match: the configuration, the
    /// role, and the current state, or all moves if observers get no state displays.
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

    /// Announces the last move. `lapses` says whether the player has offered a draw in this turn, and
    /// was not answered.
    fn announce_move(
        &self,
        status: Status<G::Move>,
        lapses: bool,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let Some(played) = self.referee.moves().last() else {
            return;
        };
        let Played { side, mv, left, .. } = *played;
        effects.push(move_entry::<G>(played));
        let acknowledgement = match self.referee.ending() {
            None => accepted::<G>(mv, left.map(|left| left.as_secs()), lapses),
            Some(ending) => ended(
                Verdict::of(ending.winner, side),
                &format!("Move {mv} accepted"),
            ),
        };
        let status = Response::Status(status);
        self.send(side, &acknowledgement, effects);
        self.send_all(&status, effects);
        effects.push(Effect::StartClock);
        effects.push(LogEvent::Moved {
            who: self.who(side),
            number: self.move_count().div_ceil(2) as u64,
            ellipses: ellipses(side),
            mv: mv.to_string(),
            left_ms: left.map(millis),
        });
        self.broadcast(&status, now, effects);
    }

    fn announce_resignation(&self, loser: Color, now: Duration, effects: &mut Effects<G::Move>) {
        self.send(loser, &Response::Resigned, effects);
        let status = Response::Status(Status::Resigned(loser));
        for side in [loser, loser.opponent()] {
            match self.seats[side].dialect {
                Dialect::Paper => self.send(side, &status, effects),
                Dialect::Library => {
                    self.send_substitute_move(side, loser, MatchReason::Resignation, effects)
                }
            }
        }
        self.broadcast(&status, now, effects);
    }

    /// Announces that a side has offered, refused or accepted a draw, as the status says.
    fn announce_draw(
        &self,
        side: Color,
        status: Status<G::Move>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let who = self.who(side);
        let (acknowledgement, event) = match status {
            Status::DrawOffered(_) => {
                effects.push(Entry::DrawOffer);
                (Response::OfferReceived, Some(LogEvent::DrawOffered { who }))
            }
            Status::DrawRefused(_) => {
                effects.push(Entry::DrawRefusal);
                (
                    Response::RefusalReceived,
                    Some(LogEvent::DrawRefused { who }),
                )
            }
            _ => {
                self.journal_end(effects);
                (ended(Verdict::Draw, "Draw accepted"), None)
            }
        };
        let status = Response::Status(status);
        self.send(side, &acknowledgement, effects);
        self.send_all(&status, effects);
        if let Some(event) = event {
            effects.push(event);
        }
        self.broadcast(&status, now, effects);
    }

    /// Tells the players that a flag has fallen, which counts as soon as it is certain that the
    /// connections of both were not lost before.
    fn announce_flag(&mut self, loser: Color, now: Duration, effects: &mut Effects<G::Move>) {
        let winner = loser.opponent();
        // If the server fails before it is certain, it counts.
        effects.push(flag_entry(loser, Vec::new()));
        let lost = ended(Verdict::Loss, "Your time expires");
        self.send(loser, &lost, effects);
        let status = Response::Status(Status::FlagFell(loser));
        self.send(loser, &status, effects);
        // The Python library cannot read a fallen flag (36x). No library reads on after a last move
        // (32x).
        if self.seats[winner].dialect == Dialect::Library {
            self.send_substitute_move(winner, loser, MatchReason::Time, effects);
        }
        self.send(winner, &status, effects);
        self.fallen = Some(FallenFlag {
            loser,
            at: now,
            until: now.saturating_add(self.loss_waits.flag),
            exchange: Vec::new(),
        });
        if !self.may_be_outage(now) {
            return self.count_flag(effects);
        }
        for conn in self.connections() {
            effects.push(Effect::EndOutput(conn));
        }
    }

    /// Returns whether it may turn out that both connections were lost together. The house is always
    /// there.
    fn may_be_outage(&self, now: Duration) -> bool {
        let may_share = |lost: &LostPlayer| !lost.has_closed && now <= lost.together_until;
        let has_wait = !self.loss_waits.flag.is_zero() && self.house().is_none();
        has_wait && self.connections().next().is_some() && self.lost.iter().flatten().all(may_share)
    }

    /// Ends the match, if a flag has fallen: it counts.
    pub(super) fn count_flag(&mut self, effects: &mut Effects<G::Move>) {
        let Some(fallen) = self.fallen.take() else {
            return;
        };
        let FallenFlag { loser, at, .. } = fallen;
        let winner = Some(loser.opponent());
        let more = (fallen.exchange, None);
        self.referee.replay_end(winner, MatchReason::Time, more, at);
        self.broadcast(&Response::Status(Status::FlagFell(loser)), at, effects);
    }

    /// Tells the opponent and the observers that a player is gone. `why` is the sentence for
    /// the opponent. `thinking` says whether the opponent was to move.
    fn announce_absence(
        &self,
        side: Color,
        thinking: bool,
        (why, forfeit): (&str, MatchReason),
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let status = Response::Status(Status::Disconnected(side));
        let winner = side.opponent();
        match self.seats[winner].dialect {
            Dialect::Paper => self.send(winner, &status, effects),
            Dialect::Library => {
                // A thinking client takes this for the answer to its move.
                if thinking {
                    self.send(winner, &ended(Verdict::Win, why), effects);
                }
                self.send_substitute_move(winner, side, forfeit, effects);
            }
        }
        self.broadcast(&status, now, effects);
    }

    /// Sends a last move that loses for `loser`, to a client that recognizes no other end of a
    /// match.
    fn send_substitute_move(
        &self,
        to: Color,
        loser: Color,
        forfeit: MatchReason,
        effects: &mut Effects<G::Move>,
    ) {
        let Some(mv) = G::FORFEIT_MOVE else { return };
        let status = Status::LastMove {
            side: loser,
            number: self.referee.next_number(loser),
            mv,
            winner: Some(loser.opponent()),
            forfeit: Some(forfeit),
        };
        self.send(to, &Response::Status(status), effects);
    }

    /// Ends the match without a move, and journals that. Must come before all messages about it.
    fn end(
        &mut self,
        winner: Option<Color>,
        reason: MatchReason,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        self.referee.end(winner, reason, now);
        self.journal_end(effects);
    }

    /// Journals how the match ended without a move.
    fn journal_end(&self, effects: &mut Effects<G::Move>) {
        if let Some(entry) = self.end_entry() {
            effects.push(entry);
        }
    }

    /// Returns how the match ended without a move, if it is over.
    fn end_entry(&self) -> Option<Entry> {
        let ending = self.referee.ending()?;
        Some(Entry::End {
            winner: ending.winner,
            reason: ending.reason,
            exchange: Vec::new(),
            why: ending.why.clone(),
        })
    }

    /// Returns the current state for spectators.
    pub(super) fn snapshot(&self) -> TableSnapshot {
        TableSnapshot {
            label: Some(MatchLabel {
                id: self.id.clone(),
                rules: self.game().rules(),
                round: self.place().map(|place| place.round),
            }),
            stage: match self.referee.ending() {
                Some(ending) => SnapshotStage::Over(ending.clone()),
                None if self.is_running => SnapshotStage::Playing,
                None => SnapshotStage::Interrupted,
            },
            players: (self.seats.as_ref())
                .map(|seat| Some(SeatedClient::new(seat.conn, &seat.player))),
            either: None,
            clocks: self.referee.clocks(),
            turn: self.referee.to_move(),
        }
    }

    /// Sends a status line to both players.
    fn send_all(&self, status: &Response<G>, effects: &mut Effects<G::Move>) {
        for side in Color::ALL {
            self.send(side, status, effects);
        }
    }

    fn send(&self, side: Color, response: &Response<G>, effects: &mut Effects<G::Move>) {
        if let Some(conn) = self.seats[side].conn {
            effects.send(conn, response);
        }
    }

    /// Sends a status line and then the board to all observers.
    fn broadcast(&self, status: &Response<G>, now: Duration, effects: &mut Effects<G::Move>) {
        if effects.has_observers() {
            effects.broadcast(status.to_string() + &self.display(now));
        }
    }
}

/// Returns the answer to a move after which the game goes on. That an offer of a draw `lapses` has no
/// code in the papers: it is told in the text after the code, which clients do not read.
fn accepted<G: NetrefGame>(mv: G::Move, secs: Option<u64>, lapses: bool) -> Response<G> {
    let accepted = match secs {
        None => format!("Move {mv} accepted"),
        Some(_) => format!("secs remaining after move {mv} accepted"),
    };
    let offer = if lapses {
        ", your draw request lapses"
    } else {
        ""
    };
    Response::Accepted(secs, format!("{accepted}{offer}, continue playing"))
}

/// Returns the notice that the match is over, with the result for the client and the reason.
fn ended<G: NetrefGame>(verdict: Verdict, why: &str) -> Response<G> {
    let result = match verdict {
        Verdict::Win => "you win",
        Verdict::Loss => "you lose",
        Verdict::Draw => "you draw",
    };
    Response::Ended(verdict, format!("{why}, {result}"))
}

/// Returns the entry of the end of a match by a flag that has fallen, with the last lines of the loser.
fn flag_entry(loser: Color, exchange: Vec<String>) -> Entry {
    Entry::End {
        winner: Some(loser.opponent()),
        reason: MatchReason::Time,
        exchange,
        why: None,
    }
}

/// Returns the entry of a move.
fn move_entry<G: NetrefGame>(played: &Played<G::Move>) -> Entry {
    Entry::Move {
        mv: played.mv.to_string(),
        spent_ms: millis(played.spent),
        left_ms: played.left.map(millis),
    }
}

/// Returns milliseconds since 1970; 0 for an earlier time.
fn unix_millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, millis)
}
