//! A game with its players: at a table, adjourned, or over.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::Serialize;

use super::breaks::{Absence, BreakLimits, BreakStart, Breaks, WaitChange, WaitsFor};
use super::finished_game::FinishedGame;
use super::names::{GameId, Name, in_tournament};
use super::protocol::{IllegalOf, MoveOf, Protocol, ReasonOf, SetupOf};
use super::rules::Outcome;
use super::rules::{EndReason as _, LogEntry, Millis};
use super::timed_game::{TimedGame, millis};
use crate::base::color::{ByColor, Color};
use crate::contests::exchange::{Exchange, marked};
use crate::tournament::{GameNumber, NumberedGame};

/// The phase of a game at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GamePhase<R> {
    /// It is being played.
    Playing,
    /// It was interrupted, for example by the organizer or because a player left, and can be
    /// resumed.
    Interrupted(WaitsFor),
    /// It is over.
    Over(Outcome<R>),
}

/// A game with its players: at a table, or adjourned.
#[derive(Clone, Debug)]
pub struct LiveGame<P: Protocol> {
    id: GameId,
    names: ByColor<Name>,
    /// The addresses that the players' seats are kept for; `None` for any.
    addresses: ByColor<Option<IpAddr>>,
    timed: TimedGame<P::Game>,
    phase: GamePhase<ReasonOf<P>>,
    began: SystemTime,
    scheduled: Option<NumberedGame>,
    paired: bool,
    breaks: ByColor<Breaks>,
    /// How the players who have left are away.
    absences: ByColor<Option<Absence>>,
    /// The absent player whom the game waits for, and since when.
    awaited: Option<(Color, Duration)>,
    /// How long the server was stalled while the game was played.
    stalled: Duration,
    /// The end of the exchange with each player.
    exchanges: ByColor<Exchange<Said<P::Message>>>,
}

/// What a player has sent or was sent. Few games need their last lines, so messages are written out
/// only for these.
#[derive(Clone, Debug)]
pub enum Said<M> {
    /// The player has sent this line, in which are no secrets.
    By(String),
    /// The player was sent this message.
    To(M),
}

impl<M: Serialize> Said<M> {
    /// Returns the line of the exchange.
    fn line(&self) -> String {
        match self {
            Said::By(line) => marked('>', line),
            // What cannot be written is not sent.
            Said::To(message) => marked('<', &serde_json::to_string(message).unwrap_or_default()),
        }
    }
}

/// The settings and players of a new game.
#[derive(Debug)]
pub struct NewGame<P: Protocol> {
    pub id: GameId,
    pub names: ByColor<Name>,
    /// The addresses that their seats are kept for; `None` for any.
    pub addresses: ByColor<Option<IpAddr>>,
    pub setup: Arc<SetupOf<P>>,
    /// When it began.
    pub began: SystemTime,
    /// Its place in the tournament.
    pub scheduled: Option<NumberedGame>,
    /// Whether the server paired the players, and frees their seats after the game.
    pub paired: bool,
}

impl<P: Protocol> LiveGame<P> {
    /// Begins a game.
    pub fn new(new: NewGame<P>) -> LiveGame<P> {
        LiveGame {
            id: new.id,
            names: new.names,
            addresses: new.addresses,
            timed: TimedGame::new(new.setup),
            phase: GamePhase::Playing,
            began: new.began,
            scheduled: new.scheduled,
            paired: new.paired,
            breaks: ByColor::default(),
            absences: ByColor::default(),
            awaited: None,
            stalled: Duration::ZERO,
            exchanges: ByColor::default(),
        }
    }

    pub fn id(&self) -> GameId {
        self.id
    }

    pub fn names(&self) -> &ByColor<Name> {
        &self.names
    }

    pub fn timed(&self) -> &TimedGame<P::Game> {
        &self.timed
    }

    pub fn phase(&self) -> GamePhase<ReasonOf<P>> {
        self.phase
    }

    pub fn began(&self) -> SystemTime {
        self.began
    }

    /// Returns the place of the game in the tournament.
    pub fn scheduled(&self) -> Option<&NumberedGame> {
        self.scheduled.as_ref()
    }

    /// Returns its number in the tournament.
    pub fn place(&self) -> Option<GameNumber> {
        self.scheduled.as_ref().map(|game| game.scheduled.number)
    }

    /// Describes the game for the organizer: who plays whom, with the number that decisions need.
    pub fn listed(&self) -> String {
        let ByColor { black, white } = self.names.as_ref().map(Name::isolated);
        let place = in_tournament(self.place());
        format!("game {}{place}, {black} - {white}", self.id)
    }

    /// Returns whether the server paired the players, and frees their seats after the
    /// game.
    pub fn is_paired(&self) -> bool {
        self.paired
    }

    /// Returns whether the game is being played: it is neither interrupted nor over.
    pub fn is_playing(&self) -> bool {
        self.phase == GamePhase::Playing
    }

    pub fn is_over(&self) -> bool {
        matches!(self.phase, GamePhase::Over(_))
    }

    /// Returns why the game is interrupted; `None` if it is not.
    pub fn interruption(&self) -> Option<WaitsFor> {
        match self.phase {
            GamePhase::Interrupted(waits_for) => Some(waits_for),
            _ => None,
        }
    }

    /// Returns whether one of the players has this name.
    pub fn has_player(&self, name: &Name) -> bool {
        self.names.iter().any(|player| player == name)
    }

    /// Starts the clock of the player to move, if the game still has this number of moves.
    pub fn begin_turn(&mut self, moves: usize, clock: Duration) {
        if self.is_playing() && self.timed.log().len() == moves {
            self.timed.start(clock);
        }
    }

    /// Plays a move of the player to move.
    ///
    /// # Errors
    /// The move is illegal; the game is unchanged.
    pub fn play(
        &mut self,
        played: MoveOf<P>,
        clock: Duration,
    ) -> Result<LogEntry<MoveOf<P>>, IllegalOf<P>> {
        self.timed.play(played, clock)
    }

    /// Plays a move of the journal again.
    ///
    /// # Errors
    /// The move is illegal.
    pub fn replay(&mut self, entry: LogEntry<MoveOf<P>>) -> Result<(), IllegalOf<P>> {
        self.timed.replay(entry)
    }

    /// Returns how the game ended if the flag of the player to move has fallen.
    pub fn check_flag(&mut self, clock: Duration) -> Option<Outcome<ReasonOf<P>>> {
        if self.is_playing() {
            self.timed.check_flag(clock)
        } else {
            None
        }
    }

    /// Ends the game.
    pub fn end(&mut self, outcome: Outcome<ReasonOf<P>>) {
        self.phase = GamePhase::Over(outcome);
    }

    /// Interrupts the game. Returns the time that the player to move has used since the
    /// last move.
    pub fn interrupt(&mut self, waits_for: WaitsFor, clock: Duration) -> Millis {
        self.timed.stop(clock);
        self.phase = GamePhase::Interrupted(waits_for);
        self.timed.idle(clock)
    }

    /// Sets why the game is interrupted.
    pub fn set_interrupted(&mut self, waits_for: WaitsFor) {
        self.phase = GamePhase::Interrupted(waits_for);
    }

    /// Sets the time that the player to move has used since the last move.
    pub fn set_idle(&mut self, idle: Millis) {
        self.timed.set_idle(idle);
    }

    /// Sets who plays.
    pub fn set_names(&mut self, names: ByColor<Name>) {
        self.names = names;
    }

    /// Returns the address that the seat of a player is kept for; `None` for any.
    pub fn address(&self, color: Color) -> Option<IpAddr> {
        self.addresses[color]
    }

    /// Keeps the seat of a player for an address; with `None`, for any.
    pub fn set_address(&mut self, color: Color, address: Option<IpAddr>) {
        self.addresses[color] = address;
    }

    /// Continues the game.
    pub fn set_playing(&mut self) {
        self.phase = GamePhase::Playing;
        self.stalled = Duration::ZERO;
    }

    /// Adds a stall of the server. Returns the time of all stalls since the game was begun or
    /// resumed.
    pub fn add_stalled(&mut self, stall: Duration) -> Duration {
        self.stalled = self.stalled.saturating_add(stall);
        self.stalled
    }

    /// Adds what a player has sent or was sent.
    pub fn note_said(&mut self, color: Color, said: Said<P::Message>) {
        self.exchanges[color].push(said);
    }

    /// Returns the last lines of a player.
    pub fn exchange(&self, color: Color) -> Vec<String> {
        self.exchanges[color].entries().map(Said::line).collect()
    }

    /// Returns the record of the game; without an outcome it is void.
    pub fn finished(
        &self,
        table: u16,
        outcome: Option<Outcome<ReasonOf<P>>>,
        ended: SystemTime,
    ) -> FinishedGame<P::Game> {
        let at_fault = outcome.filter(|outcome| outcome.reason == ReasonOf::<P>::TIMEOUT);
        let loser = at_fault.and_then(|outcome| Some(outcome.winner?.opponent()));
        FinishedGame {
            game: self.id,
            table,
            names: self.names.clone(),
            play: self.timed.clone(),
            outcome,
            void: String::new(),
            exchange: loser.map_or_else(Vec::new, |loser| self.exchange(loser)),
            scheduled: self.scheduled.clone(),
            began: self.began,
            ended,
        }
    }

    /// Returns the breaks of a player.
    pub fn breaks(&self, color: Color) -> Breaks {
        self.breaks[color]
    }

    /// Sets the breaks of a player.
    pub fn set_breaks(&mut self, color: Color, breaks: Breaks) {
        self.breaks[color] = breaks;
    }

    /// Begins a break of a player who was last heard from at `heard`, if one is left; `None` if
    /// the game is paused or over, and does not wait for players.
    pub fn begin_break(
        &mut self,
        color: Color,
        heard: Duration,
        clock: Duration,
        limits: BreakLimits,
    ) -> Option<BreakStart> {
        if !matches!(
            self.phase,
            GamePhase::Playing | GamePhase::Interrupted(WaitsFor::Players)
        ) {
            return None;
        }
        let mut breaks = self.breaks[color];
        if !limits.allows_another(breaks) {
            self.absences[color] = Some(Absence::NoBreakLeft);
            return Some(BreakStart {
                counts: false,
                interrupts: false,
            });
        }
        self.absences[color] = Some(Absence::Break);
        breaks.number = breaks.number.saturating_add(1);
        let left = limits.time_left(breaks);
        let mut interrupts = self.is_playing();
        if interrupts {
            let is_own_turn = self.timed.turn() == color;
            // The time since then is given back: since the player was last heard from, or since
            // the opponent began to think.
            let from = match (is_own_turn, self.absences[color.opponent()]) {
                (true, _) => heard.max(clock.saturating_sub(left)),
                (false, None) => Duration::ZERO,
                (false, Some(_)) => clock,
            };
            let given_back = self.timed.idle(clock).saturating_sub(self.timed.idle(from));
            breaks.used = breaks.used.saturating_add(given_back.min(millis(left)));
            interrupts = is_own_turn || !limits.time_left(breaks).is_zero();
            if interrupts {
                self.timed.stop(from);
            }
        }
        self.breaks[color] = breaks;
        Some(BreakStart {
            counts: true,
            interrupts,
        })
    }

    /// Updates which absent player the game waits for. Must be called when the seats or the
    /// phase have changed, and when [`LiveGame::wait_deadline`] has come.
    pub fn update_wait(
        &mut self,
        is_seated: ByColor<bool>,
        clock: Duration,
        limits: BreakLimits,
    ) -> WaitChange {
        for color in Color::ALL {
            if is_seated[color] || self.phase == GamePhase::Interrupted(WaitsFor::Organizer) {
                self.absences[color] = None;
            }
        }
        let mut change = WaitChange::default();
        let awaited = self.awaited_player(is_seated);
        if let Some((color, since)) = self.awaited
            && (awaited != Some(color)
                || self.wait_deadline(limits).is_some_and(|end| clock >= end))
        {
            let breaks = self.breaks.get_mut(color);
            let waited = clock.saturating_sub(since).as_millis();
            let waited = Millis::try_from(waited).unwrap_or(Millis::MAX);
            breaks.used = breaks.used.saturating_add(waited);
            self.awaited = None;
            change.counted = (waited > 0).then_some(color);
        }
        change.goes_on_without = awaited.filter(|&color| {
            self.absences[color] == Some(Absence::NoBreakLeft)
                || limits.time_left(self.breaks[color]).is_zero()
        });
        if self.awaited.is_none() && change.goes_on_without.is_none() {
            self.awaited = awaited.map(|color| (color, clock));
        }
        change
    }

    /// Returns whether the opponent of a player who is in a break waits for that player.
    pub fn is_in_break(&self) -> bool {
        self.awaited.is_some()
    }

    /// Returns the absent player whom an interrupted game should wait for.
    fn awaited_player(&self, is_seated: ByColor<bool>) -> Option<Color> {
        if self.phase != GamePhase::Interrupted(WaitsFor::Players) {
            return None;
        }
        let is_awaited = |&color: &Color| {
            self.absences[color].is_some() && !is_seated[color] && is_seated[color.opponent()]
        };
        Color::ALL.into_iter().find(is_awaited)
    }

    /// Returns when the wait for a player ends if nothing changes.
    fn wait_deadline(&self, limits: BreakLimits) -> Option<Duration> {
        let (color, since) = self.awaited?;
        since.checked_add(limits.time_left(self.breaks[color]))
    }

    /// Returns when the game needs attention: when a flag falls, or a wait ends.
    pub fn deadline(&self, limits: BreakLimits) -> Option<Duration> {
        match self.phase {
            GamePhase::Playing => self.timed.flag_deadline(),
            GamePhase::Interrupted(_) | GamePhase::Over(_) => self.wait_deadline(limits),
        }
    }
}

/// Returns a calendar time in seconds since 1970.
pub fn unix_seconds(date: SystemTime) -> u64 {
    let since = date.duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
