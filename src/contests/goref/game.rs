//! One game: the rules with clocks ([`TimedGame`]), then its players and its phase
//! ([`LiveGame`]).

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::clients::Name;
use super::setup::{GameSetup, game_state};
use super::wire::{
    Configuration, Decimal, GameState, LogEntry, Millis, Protocol, ScoreAndTime, ServerMessage,
    WireReason,
};
use crate::base::clock::Clock;
use crate::games::go::{self, ByColor, Color, Ending, Game, Illegal, Move, Score};
use crate::tournament::{Event, GameResult, ScheduledGame};

/// The maximum number of moves in a game. Without superko a game need not end, and clocks
/// hardly limit clients that answer within a microsecond.
const MAX_MOVES: usize = 20_000;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended.
    pub reason: WireReason,
    /// The winner; `None` in a draw.
    pub winner: Option<Color>,
}

impl Outcome {
    /// Returns the result as SGF writes it: `B+6.5`, `W+R`, `B+T`, `Draw`.
    pub(super) fn result(&self, score: ByColor<Score>) -> String {
        let Some(winner) = self.winner else {
            return "Draw".into();
        };
        let how = match self.reason {
            WireReason::Resign => "R".into(),
            WireReason::Timeout => "T".into(),
            _ => (score[winner] - score[winner.opponent()]).to_string(),
        };
        format!("{}+{how}", winner.capital())
    }
}

impl From<Ending> for Outcome {
    fn from(ending: Ending) -> Outcome {
        Outcome {
            reason: match ending.reason {
                go::EndReason::Pass => WireReason::Pass,
                go::EndReason::Resign => WireReason::Resign,
                go::EndReason::Mercy => WireReason::Mercy,
            },
            winner: ending.winner,
        }
    }
}

/// A game with clocks, between two players of which it knows only the colors.
///
/// The clocks count exactly. They show milliseconds, rounded up. A move takes the
/// difference of what its clock shows before and after it, so that a client that adds up
/// the log gets what the clocks show.
#[derive(Clone, Debug)]
pub struct TimedGame {
    setup: Arc<GameSetup>,
    game: Game,
    log: Vec<LogEntry>,
    clocks: ByColor<Clock>,
    /// The clocks after the last move.
    shown: ByColor<Millis>,
    /// The clocks before the last move.
    shown_before: ByColor<Millis>,
    outcome: Option<Outcome>,
}

impl TimedGame {
    /// Sets up a game; its clocks are stopped.
    pub fn new(setup: Arc<GameSetup>) -> TimedGame {
        let mut new = TimedGame {
            game: Game::new(setup.rules().clone(), setup.position().clone()),
            log: Vec::new(),
            clocks: setup
                .times()
                .map(|time| Clock::new(Duration::from_millis(time))),
            shown: setup.times(),
            shown_before: setup.times(),
            outcome: None,
            setup: Arc::clone(&setup),
        };
        for &entry in setup.log() {
            // The moves of a setup are legal.
            let _ = new.replay(entry);
        }
        new.set_idle(setup.idle());
        new
    }

    /// Returns the settings with which it began.
    pub fn setup(&self) -> &Arc<GameSetup> {
        &self.setup
    }

    /// Returns the game so far, without the clocks.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns all moves, those of the setup included.
    pub fn log(&self) -> &[LogEntry] {
        &self.log
    }

    /// Returns what the clocks showed after the last move.
    pub fn shown(&self) -> ByColor<Millis> {
        self.shown
    }

    /// Returns the player to move.
    pub fn turn(&self) -> Color {
        self.game.turn()
    }

    /// Returns how the game ended; `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Starts the clock of the player to move.
    pub fn start(&mut self, now: Duration) {
        if self.outcome.is_none() {
            self.clocks.get_mut(self.game.turn()).start(now);
        }
    }

    /// Stops the clocks.
    pub fn stop(&mut self, now: Duration) {
        self.clocks.black.stop(now);
        self.clocks.white.stop(now);
    }

    /// Returns when the flag of the player to move falls; `None` while the clocks are stopped.
    pub fn flag_deadline(&self) -> Option<Duration> {
        self.clocks.get(self.game.turn()).flag_deadline()
    }

    /// Ends the game if the flag of the player to move has fallen; the opponent wins.
    pub fn check_flag(&mut self, now: Duration) -> Option<Outcome> {
        let mover = self.game.turn();
        if self.outcome.is_some() || !self.clocks.get(mover).has_fallen(now) {
            return None;
        }
        self.stop(now);
        self.outcome = Some(Outcome {
            reason: WireReason::Timeout,
            winner: Some(mover.opponent()),
        });
        self.outcome
    }

    /// Plays a move of the player to move, and stops the clock. [`TimedGame::start`] starts
    /// the opponent's clock when the move has been sent.
    ///
    /// # Errors
    /// The move is illegal; the game is unchanged.
    pub fn play(&mut self, played: Move, now: Duration) -> Result<LogEntry, Illegal> {
        let mover = self.game.turn();
        let left = millis(self.clocks.get(mover).remaining(now));
        let delta_time = self.shown.get(mover).saturating_sub(left);
        let entry = LogEntry { played, delta_time };
        self.push(entry)?;
        self.stop(now);
        Ok(entry)
    }

    /// Plays a move of a log again.
    ///
    /// # Errors
    /// The move is illegal.
    pub fn replay(&mut self, entry: LogEntry) -> Result<(), Illegal> {
        let mover = self.game.turn();
        self.push(entry)?;
        let left = Duration::from_millis(self.shown[mover]);
        *self.clocks.get_mut(mover) = Clock::new(left);
        Ok(())
    }

    /// Sets the time that the player to move has used since the last move.
    pub fn set_idle(&mut self, idle: Millis) {
        let mover = self.game.turn();
        let left = self.shown.get(mover).saturating_sub(idle);
        *self.clocks.get_mut(mover) = Clock::new(Duration::from_millis(left));
    }

    /// Returns the time that the player to move has used since the last move
    /// (idleDeltaTime).
    pub fn idle(&self, now: Duration) -> Millis {
        let mover = self.game.turn();
        let left = millis(self.clocks.get(mover).remaining(now));
        self.shown.get(mover).saturating_sub(left)
    }

    /// Returns what the clocks show (RemainingTime).
    pub fn remaining(&self, now: Duration) -> ByColor<Millis> {
        self.clocks.map(|clock| millis(clock.remaining(now)))
    }

    /// Returns whether the game has reached the maximum number of moves.
    pub fn is_too_long(&self) -> bool {
        self.log.len() >= MAX_MOVES
    }

    /// Returns the current scores.
    pub fn score(&self) -> ByColor<Score> {
        self.game.score()
    }

    fn push(&mut self, entry: LogEntry) -> Result<(), Illegal> {
        let mover = self.game.turn();
        let ending = self.game.play(entry.played)?;
        self.shown_before = self.shown;
        let shown = self.shown.get_mut(mover);
        *shown = shown.saturating_sub(entry.delta_time);
        self.log.push(entry);
        self.outcome = ending.map(Outcome::from);
        Ok(())
    }

    /// Returns the message that starts or resumes the game for a player.
    pub fn start_message(&self, color: Color, protocol: Protocol, now: Duration) -> ServerMessage {
        let mut configuration = self.configuration(now);
        if protocol == Protocol::V2 {
            configuration.final_states = Some(self.final_states());
        }
        ServerMessage::Start {
            configuration: Box::new(configuration),
            color,
        }
    }

    /// Returns the message that ends or interrupts the game.
    pub fn end_message(&self, outcome: Outcome, now: Duration) -> ServerMessage {
        let (score, left) = (self.score(), self.remaining(now));
        ServerMessage::End {
            reason: outcome.reason,
            winner: outcome.winner,
            players: ByColor::from_fn(|color| ScoreAndTime {
                score: Decimal(score.get(color).to_f64()),
                remaining_time: left[color],
            }),
        }
    }

    /// Returns the last two states, or the only one.
    fn final_states(&self) -> Vec<GameState> {
        let positions = self.game.positions();
        let before = match positions {
            [.., before, _] => Some(game_state(before, self.shown_before)),
            _ => None,
        };
        let last = game_state(self.game.position(), self.shown);
        before.into_iter().chain([last]).collect()
    }

    /// Returns the game as clients are sent it (GameConfiguration).
    pub fn configuration(&self, now: Duration) -> Configuration {
        self.setup.configuration(&self.log, self.idle(now))
    }
}

/// Returns what a clock shows: milliseconds, rounded up, so that only a fallen flag shows
/// zero.
fn millis(left: Duration) -> Millis {
    let whole = left.as_nanos().div_ceil(1_000_000);
    Millis::try_from(whole).unwrap_or(Millis::MAX)
}

/// The number of a game, unique in a state folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameId(pub u64);

impl GameId {
    /// Returns the number after this one.
    pub(super) fn next(self) -> GameId {
        GameId(self.0.saturating_add(1))
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:04}", self.0)
    }
}

/// The phase of a game at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GamePhase {
    /// It is being played.
    Playing,
    /// It was interrupted, for example by the organizer or because a player left, and can be
    /// resumed.
    Interrupted(WireReason),
    /// It is over.
    Over(Outcome),
}

/// How often and how long a player may be away from a game without its clock running.
///
/// A player who is away can think while no clock runs, so breaks are limited. For each game a
/// player has a number of breaks and a total time:
///
/// - Every loss of the connection during the game begins a break, in either player's turn, as
///   long as one is left.
/// - The time that counts is the time for which the opponent, who is connected, waits for
///   the player. If both are away it counts for neither. Time that is given back counts, too:
///   to a player whose connection was dead before that was noticed, or to the opponent whose
///   turn is interrupted, and who has to think from the beginning after the next START.
/// - A break in the opponent's turn that would give back more time than is left uses it up, and
///   the opponent goes on thinking.
/// - When either is used up, the game is not interrupted any more, or goes on without the
///   player: its clock runs in its turn, and its flag can fall. The player may return at
///   any time.
///
/// A pause by the organizer, an adjournment, and a stop of the server are not breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakLimits {
    /// The maximum number of breaks.
    pub number: u32,
    /// The maximum total time of all breaks.
    pub time: Duration,
}

/// Ten breaks, ten minutes.
impl Default for BreakLimits {
    fn default() -> BreakLimits {
        BreakLimits {
            number: 10,
            time: Duration::from_secs(600),
        }
    }
}

impl BreakLimits {
    /// Returns how much longer a player may be away in all.
    fn time_left(self, breaks: Breaks) -> Duration {
        self.time.saturating_sub(Duration::from_millis(breaks.used))
    }

    /// Returns whether a player may have another break.
    fn allows_another(self, breaks: Breaks) -> bool {
        breaks.number < self.number && !self.time_left(breaks).is_zero()
    }
}

/// The breaks of a player in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breaks {
    /// The number of breaks so far.
    pub number: u32,
    /// The time for which the player was awaited.
    pub used: Millis,
}

/// How a player who has left during the game is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Absence {
    /// In a break.
    Break,
    /// Without a break, because none was left.
    NoBreakLeft,
}

/// A game with its players: at a table, or adjourned.
#[derive(Clone, Debug)]
pub struct LiveGame {
    id: GameId,
    names: ByColor<Name>,
    /// The addresses that the players' seats are kept for; `None` for any.
    addresses: ByColor<Option<IpAddr>>,
    timed: TimedGame,
    phase: GamePhase,
    began: SystemTime,
    scheduled: Option<ScheduledGame>,
    paired: bool,
    breaks: ByColor<Breaks>,
    /// How the players who have left are away.
    absences: ByColor<Option<Absence>>,
    /// The absent player whom the game waits for, and since when.
    awaited: Option<(Color, Duration)>,
    /// How long the server was stalled while the game was played.
    stalled: Duration,
}

/// The settings and players of a new game.
#[derive(Debug)]
pub struct NewGame {
    pub id: GameId,
    pub names: ByColor<Name>,
    /// The addresses that their seats are kept for; `None` for any.
    pub addresses: ByColor<Option<IpAddr>>,
    pub setup: Arc<GameSetup>,
    /// When it began.
    pub began: SystemTime,
    /// Its place in the tournament.
    pub scheduled: Option<ScheduledGame>,
    /// Whether the server paired the players, and frees their seats after the game.
    pub paired: bool,
}

/// The effect of a lost connection.
#[derive(Clone, Copy, Debug)]
pub struct BreakStart {
    /// Whether it counts as a break: one was left.
    pub counts: bool,
    /// Whether the game must be interrupted.
    pub interrupts: bool,
}

/// The effect of the end of a break.
#[derive(Debug, Default)]
pub struct WaitChange {
    /// The player whose breaks became longer.
    pub counted: Option<Color>,
    /// The player without whom the game goes on.
    pub goes_on_without: Option<Color>,
}

impl LiveGame {
    /// Begins a game.
    pub fn new(new: NewGame) -> LiveGame {
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
        }
    }

    pub fn id(&self) -> GameId {
        self.id
    }

    pub fn names(&self) -> &ByColor<Name> {
        &self.names
    }

    pub fn timed(&self) -> &TimedGame {
        &self.timed
    }

    pub fn phase(&self) -> GamePhase {
        self.phase
    }

    pub fn began(&self) -> SystemTime {
        self.began
    }

    /// Returns the place of the game in the tournament.
    pub fn scheduled(&self) -> Option<&ScheduledGame> {
        self.scheduled.as_ref()
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
    pub fn interruption(&self) -> Option<WireReason> {
        match self.phase {
            GamePhase::Interrupted(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns whether one of the players has this name.
    pub fn has_player(&self, name: &Name) -> bool {
        self.names.iter().any(|player| player == name)
    }

    /// Starts the clock of the player to move, if the game still has this number of moves.
    pub fn start_clock(&mut self, moves: usize, clock: Duration) {
        if self.is_playing() && self.timed.log().len() == moves {
            self.timed.start(clock);
        }
    }

    /// Plays a move of the player to move.
    ///
    /// # Errors
    /// The move is illegal; the game is unchanged.
    pub fn play(&mut self, played: Move, clock: Duration) -> Result<LogEntry, Illegal> {
        self.timed.play(played, clock)
    }

    /// Plays a move of the journal again.
    ///
    /// # Errors
    /// The move is illegal.
    pub fn replay(&mut self, entry: LogEntry) -> Result<(), Illegal> {
        self.timed.replay(entry)
    }

    /// Returns how the game ended if the flag of the player to move has fallen.
    pub fn check_flag(&mut self, clock: Duration) -> Option<Outcome> {
        if self.is_playing() {
            self.timed.check_flag(clock)
        } else {
            None
        }
    }

    /// Ends the game.
    pub fn end(&mut self, outcome: Outcome) {
        self.phase = GamePhase::Over(outcome);
    }

    /// Interrupts the game. Returns the time that the player to move has used since the
    /// last move.
    pub fn interrupt(&mut self, reason: WireReason, clock: Duration) -> Millis {
        self.timed.stop(clock);
        self.phase = GamePhase::Interrupted(reason);
        self.timed.idle(clock)
    }

    /// Sets why the game is interrupted.
    pub fn set_interrupted(&mut self, reason: WireReason) {
        self.phase = GamePhase::Interrupted(reason);
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
    pub fn resume(&mut self) {
        self.phase = GamePhase::Playing;
        self.stalled = Duration::ZERO;
    }

    /// Adds a stall of the server. Returns the time of all stalls since the game was begun or
    /// resumed.
    pub fn note_stall(&mut self, stall: Duration) -> Duration {
        self.stalled = self.stalled.saturating_add(stall);
        self.stalled
    }

    /// Returns the record of the game; without an outcome it is void.
    pub fn finished(
        &self,
        table: u16,
        outcome: Option<Outcome>,
        ended: SystemTime,
    ) -> FinishedGame {
        FinishedGame {
            game: self.id,
            table,
            names: self.names.clone(),
            play: self.timed.clone(),
            outcome,
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
            GamePhase::Playing | GamePhase::Interrupted(WireReason::Error)
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
            if is_seated[color] || self.phase == GamePhase::Interrupted(WireReason::Pause) {
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
        if self.phase != GamePhase::Interrupted(WireReason::Error) {
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

/// A game that is over, or void.
#[derive(Clone, Debug)]
pub struct FinishedGame {
    /// Its number.
    pub game: GameId,
    /// The number of its table.
    pub table: u16,
    /// The players.
    pub names: ByColor<Name>,
    /// Its moves and clocks.
    pub play: TimedGame,
    /// How it ended; `None` if it is void.
    pub outcome: Option<Outcome>,
    /// Its place in the tournament.
    pub scheduled: Option<ScheduledGame>,
    /// When it began.
    pub began: SystemTime,
    /// When it ended.
    pub ended: SystemTime,
}

impl FinishedGame {
    /// Returns the event of the tournament; `None` if the game does not belong to one or
    /// is void, so that it is played again.
    pub fn event(&self) -> Option<Event> {
        let (scheduled, outcome) = (self.scheduled.clone()?, self.outcome?);
        let score = self.play.score();
        let result = GameResult {
            scores: Some(score.map(Score::to_f64)),
            id: Some(self.file_name().into()),
            ..GameResult::played(outcome.winner, outcome.reason.to_string())
        };
        Some(Event::Game { scheduled, result })
    }

    /// Returns the name of its record, without an extension.
    pub(super) fn file_name(&self) -> String {
        let ByColor { black, white } = self.names.as_ref().map(|name| plain(name.as_ref()));
        format!("{}-{black}-{white}", self.game)
    }
}

/// Returns a name as a part of a file name.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(plain).take(24).collect()
}

/// Returns a calendar time in seconds since 1970.
pub fn unix_seconds(date: SystemTime) -> u64 {
    let since = date.duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
