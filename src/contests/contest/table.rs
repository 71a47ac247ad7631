//! A table: two seats and a game, from its start to its end.

use std::collections::BTreeSet;
use std::mem;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use itertools::Itertools;

use super::breaks::{BreakLimits, WaitsFor};
use super::clients::NamedClient;
use super::effects::{Delivery, Output, Timestamp};
use super::finished_game::FinishedGame;
use super::journal::Entry;
use super::live_game::{GamePhase, LiveGame, NewGame, Said, unix_seconds};
use super::log::LogEvent;
use super::names::{ClientId, GameId, Name};
use super::ordered::Write;
use super::organizer::CommandError;
use super::protocol::{MoveOf, Notice, Protocol, ReasonOf, Recipient, SetupOf};
use super::rules::Outcome;
use super::rules::{ContestGame, EndReason, Millis};
use crate::base::color::{ByColor, Color};
use crate::base::server_clock::MAX_STALLED;
use crate::tournament::NumberedGame;

/// A table: two seats, and a game or none.
#[derive(Debug)]
pub struct Table<P: Protocol> {
    /// The index among the tables.
    index: usize,
    /// From 1.
    number: u16,
    /// The settings of its next game.
    setup: Arc<SetupOf<P>>,
    players: ByColor<Option<NamedClient<P>>>,
    /// The current game; after its end it stays until the next one begins.
    game: Option<LiveGame<P>>,
}

/// A game that has just ended.
#[derive(Debug)]
pub struct Ended<P: Protocol> {
    /// The game for its record.
    pub finished: FinishedGame<P::Game>,
    /// The client that may still send a move: the one that was sent the last move, or was
    /// thinking when the flag fell.
    pub thinking: Option<ClientId>,
}

/// Why a move of a client is refused.
#[derive(Debug)]
pub enum MoveRefusal {
    /// The client plays no game.
    NoGame,
    /// The opponent is to move.
    OutOfTurn,
    /// The move is illegal.
    Illegal(String, ByColor<Millis>),
}

impl<P: Protocol> Table<P> {
    /// Creates a table without players.
    pub fn new(index: usize, number: u16, setup: Arc<SetupOf<P>>) -> Table<P> {
        Table {
            index,
            number,
            setup,
            players: ByColor::default(),
            game: None,
        }
    }

    pub fn number(&self) -> u16 {
        self.number
    }

    /// Returns the settings of its next game.
    pub fn setup(&self) -> &Arc<SetupOf<P>> {
        &self.setup
    }

    /// Sets the settings of its next game.
    pub fn configure(&mut self, setup: Arc<SetupOf<P>>, out: &mut Output<P>) {
        self.setup = setup;
        out.changes.tables.insert(self.index);
    }

    /// Returns the player on a seat.
    pub fn player(&self, color: Color) -> Option<&NamedClient<P>> {
        self.players[color].as_ref()
    }

    /// Returns the players on the seats.
    pub fn players(&self) -> &ByColor<Option<NamedClient<P>>> {
        &self.players
    }

    /// Replaces the player on a seat. Returns the previous one.
    pub fn replace_player(
        &mut self,
        color: Color,
        player: Option<NamedClient<P>>,
        out: &mut Output<P>,
    ) -> Option<NamedClient<P>> {
        out.changes.tables.insert(self.index);
        mem::replace(self.players.get_mut(color), player)
    }

    /// Returns the current game, or the last one.
    pub fn game(&self) -> Option<&LiveGame<P>> {
        self.game.as_ref()
    }

    pub fn phase(&self) -> Option<GamePhase<ReasonOf<P>>> {
        Some(self.game.as_ref()?.phase())
    }

    /// Returns the interrupted game, and why it is interrupted; `None` if there is none.
    pub fn interrupted(&self) -> Option<(&LiveGame<P>, WaitsFor)> {
        let game = self.game.as_ref()?;
        Some((game, game.interruption()?))
    }

    /// Returns the game that is being played or is interrupted.
    pub fn unfinished_game(&self) -> Option<&LiveGame<P>> {
        self.game.as_ref().filter(|game| !game.is_over())
    }

    /// Returns whether a game is being played or is interrupted.
    pub fn has_unfinished_game(&self) -> bool {
        self.unfinished_game().is_some()
    }

    /// Returns whether there are neither players nor an unfinished game.
    pub fn is_empty(&self) -> bool {
        !self.has_unfinished_game() && self.players.iter().all(Option::is_none)
    }

    /// Returns the colors of the absent players of this name, whose unfinished game is here, and
    /// the addresses that their seats are kept for; `None` for any.
    pub fn seats_of_absent(&self, name: &Name) -> impl Iterator<Item = (Color, Option<IpAddr>)> {
        // Most tables have both players, or nobody. All are asked whenever a client sends its name.
        let is_absent = self.players.iter().any(Option::is_none);
        let game = is_absent.then(|| self.unfinished_game()).flatten();
        let seats = game.into_iter().flat_map(|game| {
            Color::ALL.map(|color| (color, game.names().get(color), game.address(color)))
        });
        seats.filter_map(move |(color, player, address)| {
            (player == name && self.player(color).is_none()).then_some((color, address))
        })
    }

    /// Returns when the game needs attention: when a flag falls, or a wait ends.
    pub fn deadline(&self, limits: BreakLimits) -> Option<Duration> {
        self.game.as_ref()?.deadline(limits)
    }

    /// Returns what the clocks show, if it is the turn of this color.
    pub fn clocks_in_turn(&self, color: Color, now: Timestamp) -> Option<ByColor<Millis>> {
        let game = self.game.as_ref().filter(|game| game.is_playing())?;
        let is_in_turn = game.timed().turn() == color;
        is_in_turn.then(|| game.timed().remaining(now.clock))
    }

    fn is_playing(&self) -> bool {
        self.game.as_ref().is_some_and(LiveGame::is_playing)
    }

    /// Returns the names of the players, if both seats are taken.
    fn names(&self) -> Result<ByColor<Name>, CommandError> {
        let name = |color| self.player(color).map(|player| player.name.clone());
        match (name(Color::Black), name(Color::White)) {
            (Some(black), Some(white)) => Ok(ByColor::new(black, white)),
            _ => Err(CommandError::SeatEmpty),
        }
    }

    /// Tells a player something. An empty seat is told nothing.
    pub(super) fn say(&self, color: Color, notice: Notice<'_, P::Game>, out: &mut Output<P>) {
        if let Some(player) = self.player(color) {
            let dialect = player.dialect;
            out.send(player.client, P::say(notice, Recipient { color, dialect }));
        }
    }

    /// Tells both players something, Black first.
    fn say_to_both(&self, notice: Notice<'_, P::Game>, out: &mut Output<P>) {
        for color in Color::ALL {
            self.say(color, notice, out);
        }
    }

    /// Returns what a player does with a move, for the log.
    pub fn move_text(&self, played: MoveOf<P>) -> String {
        let game = self.game.as_ref();
        game.map_or_else(String::new, |game| game.timed().game().move_text(played))
    }
}

/// Checks of the organizer's commands.
impl<P: Protocol> Table<P> {
    /// Checks whether a game can start here. Returns the names of its players.
    ///
    /// # Errors
    /// A game is being played or interrupted, or a seat is empty.
    fn check_start(&self) -> Result<ByColor<Name>, CommandError> {
        if self.is_playing() {
            return Err(CommandError::AlreadyPlaying);
        }
        if self.has_unfinished_game() {
            return Err(CommandError::GameWaits);
        }
        self.names()
    }

    /// Checks whether the interrupted game can go on. Returns the names of its players.
    ///
    /// # Errors
    /// No game is interrupted, a seat is empty, or the game is one of the tournament and
    /// other players have its seats.
    fn check_resume(&self) -> Result<ByColor<Name>, CommandError> {
        let (game, _) = self.interrupted().ok_or(CommandError::NothingToResume)?;
        let names = self.names()?;
        // The result belongs to the players who were paired.
        if let Some(NumberedGame { scheduled, .. }) = game.scheduled()
            && let (black, white) = (&scheduled.black, &scheduled.white)
            && (names.black.as_ref(), names.white.as_ref()) != (black.as_str(), white.as_str())
        {
            return Err(CommandError::OtherPlayers {
                black: black.to_string(),
                white: white.to_string(),
            });
        }
        Ok(names)
    }

    /// Checks that no game is being played here.
    ///
    /// # Errors
    /// A game is being played.
    pub fn check_not_playing(&self) -> Result<(), CommandError> {
        match self.is_playing() {
            true => Err(CommandError::Playing(self.number)),
            false => Ok(()),
        }
    }

    fn check_pause(&self) -> Result<(), CommandError> {
        match self.is_playing() {
            true => Ok(()),
            false => Err(CommandError::NotPlaying(self.number)),
        }
    }

    fn check_clear(&self) -> Result<(), CommandError> {
        self.check_not_playing()?;
        match self.game {
            Some(_) => Ok(()),
            None => Err(CommandError::NoGame(self.number)),
        }
    }

    fn check_adjourn(&self) -> Result<(), CommandError> {
        match self.has_unfinished_game() {
            true => Ok(()),
            false => Err(CommandError::NoGameWaits(self.number)),
        }
    }

    /// Checks that the seat of an absent player can be freed for any address.
    ///
    /// # Errors
    /// There is no unfinished game, or the player is there.
    pub fn check_free(&self, color: Color) -> Result<(), CommandError> {
        match self.has_unfinished_game() {
            false => Err(CommandError::NoGameWaits(self.number)),
            true if self.player(color).is_some() => Err(CommandError::SeatTaken {
                table: self.number,
                color,
            }),
            true => Ok(()),
        }
    }

    /// Checks that an adjourned game can be recalled to this table.
    ///
    /// # Errors
    /// It has an unfinished game.
    pub fn check_recall(&self) -> Result<(), CommandError> {
        match self.has_unfinished_game() {
            true => Err(CommandError::TableTaken(self.number)),
            false => Ok(()),
        }
    }

    /// Returns the commands for this table by their names on the page, each with the reason
    /// why it would be refused now; `None` if it would be carried out.
    pub fn commands(&self) -> [(&'static str, Option<CommandError>); 9] {
        let seats = || self.check_not_playing().err();
        let free = self
            .check_free(Color::Black)
            .or_else(|_| self.check_free(Color::White));
        [
            ("start", self.check_start().err()),
            ("pause", self.check_pause().err()),
            ("resume", self.check_resume().err()),
            ("assign", seats()),
            ("swap", seats()),
            ("adjourn", self.check_adjourn().err()),
            ("void", self.check_clear().err()),
            ("recall", self.check_recall().err()),
            ("free", free.err()),
        ]
    }
}

/// The course of a game.
impl<P: Protocol> Table<P> {
    /// Starts a new game. If the server paired the players (`paired_by_server`), it frees
    /// their seats after the game.
    ///
    /// # Errors
    /// A game is being played or interrupted, or a seat is empty.
    pub fn start(
        &mut self,
        id: GameId,
        scheduled: Option<NumberedGame>,
        paired_by_server: bool,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Result<(), CommandError> {
        let names = self.check_start()?;
        let game = LiveGame::new(NewGame {
            id,
            names,
            addresses: self.addresses(),
            setup: Arc::clone(&self.setup),
            began: now.date,
            scheduled,
            paired: paired_by_server,
        });
        out.journal(game.opened_entry(self.number));
        out.log(LogEvent::Started {
            table: self.number,
            game: id,
            place: game.place(),
            black: game.names().black.to_string(),
            white: game.names().white.to_string(),
        });
        self.game = Some(game);
        self.announce_start(now, out);
        Ok(())
    }

    /// Continues an interrupted game with the players who have the seats now.
    ///
    /// # Errors
    /// No game is interrupted, a seat is empty, or the game is one of the tournament and
    /// other players have its seats.
    pub fn resume(&mut self, now: Timestamp, out: &mut Output<P>) -> Result<(), CommandError> {
        let names = self.check_resume()?;
        let game = self.game.as_mut().ok_or(CommandError::NothingToResume)?;
        game.set_names(names.clone());
        game.set_playing();
        let (id, moves) = (game.id(), game.timed().log().len());
        out.journal(Entry::Resumed {
            game: id,
            table: self.number,
            names,
        });
        out.log(LogEvent::Resumed {
            table: self.number,
            game: id,
            moves,
        });
        self.announce_start(now, out);
        Ok(())
    }

    /// Returns the addresses of the connected players.
    fn addresses(&self) -> ByColor<Option<IpAddr>> {
        let players = self.players.as_ref();
        players.map(|player| player.as_ref().map(|player| player.address))
    }

    /// Keeps the seats of the connected players for their addresses.
    fn keep_seats(&mut self, out: &mut Output<P>) {
        for color in Color::ALL {
            if let Some(address) = self.player(color).map(|player| player.address) {
                self.set_address(color, Some(address), out);
            }
        }
    }

    /// Keeps the seat of a player for an address; with `None`, for any.
    fn set_address(&mut self, color: Color, address: Option<IpAddr>, out: &mut Output<P>) {
        if let Some(game) = self.game.as_mut()
            && game.address(color) != address
        {
            game.set_address(color, address);
            out.journal(game.seat_entry(color));
        }
    }

    /// Tells the connected players that the game begins or goes on, Black first.
    fn announce_start(&mut self, now: Timestamp, out: &mut Output<P>) {
        self.keep_seats(out);
        out.changes.tables.insert(self.index);
        out.changes.games = true;
        let Some(game) = self.game.as_ref() else {
            return;
        };
        self.say_to_both(Notice::Begun(game.timed(), now.clock), out);
        out.deliver(start_clock(self.index, game));
    }

    /// Starts the clock of the player to move, if the game still has this number of moves.
    pub fn start_clock_of(&mut self, id: GameId, moves: usize, clock: Duration) {
        if let Some(game) = self.game.as_mut().filter(|game| game.id() == id) {
            game.begin_turn(moves, clock);
        }
    }

    /// Plays a move of the client on a seat. Returns the game if it is over.
    ///
    /// # Errors
    /// The client plays no game, it is not the client's turn, or the move is illegal.
    pub fn play_as(
        &mut self,
        color: Color,
        played: MoveOf<P>,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Result<Option<Ended<P>>, MoveRefusal> {
        let game = self.game.as_mut().filter(|game| game.is_playing());
        let game = game.ok_or(MoveRefusal::NoGame)?;
        if game.timed().turn() != color {
            return Err(MoveRefusal::OutOfTurn);
        }
        let result = game.play(played, now.clock);
        let remaining_time = game.timed().remaining(now.clock);
        let entry = result.map_err(|why| MoveRefusal::Illegal(why.to_string(), remaining_time))?;
        out.changes.tables.insert(self.index);
        let moves = game.timed().log().len();
        let (outcome, is_too_long) = (game.timed().outcome(), game.timed().is_too_long());
        let sent = start_clock(self.index, game);
        out.journal(Entry::Played {
            game: game.id(),
            entry,
        });
        let game = game.id();
        out.log(LogEvent::Moved {
            table: self.number,
            game,
            number: moves,
            side: color,
            played: self.move_text(played),
            delta_ms: entry.delta_time,
        });
        self.say(color, Notice::Accepted(remaining_time), out);
        let opponent = color.opponent();
        self.say(opponent, Notice::Moved(played, remaining_time), out);
        match outcome {
            Some(outcome) => Ok(self.end(outcome, now, out)),
            None if is_too_long => {
                self.interrupt(WaitsFor::Players, "it has too many moves", now, out);
                Ok(None)
            }
            None => {
                out.deliver(sent);
                Ok(None)
            }
        }
    }

    /// Ends the game if its flag has fallen. Returns the game if it is over.
    pub fn end_on_time(&mut self, now: Timestamp, out: &mut Output<P>) -> Option<Ended<P>> {
        let outcome = self.game.as_mut()?.check_flag(now.clock)?;
        self.end(outcome, now, out)
    }

    /// Ends the game and tells both players. Returns the game.
    fn end(
        &mut self,
        outcome: Outcome<ReasonOf<P>>,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Option<Ended<P>> {
        out.changes.tables.insert(self.index);
        let game = self.game.as_mut()?;
        game.end(outcome);
        let finished = game.finished(self.number, Some(outcome), now.date);
        let (score, place) = (game.timed().score(), game.place());
        out.journal(Entry::Ended {
            game: game.id(),
            reason: outcome.reason,
            winner: outcome.winner,
            at: unix_seconds(now.date),
            exchange: finished.exchange.clone(),
        });
        let notice = Notice::Over(&finished.play, outcome, now.clock);
        self.say_to_both(notice, out);
        out.log(LogEvent::Ended {
            table: self.number,
            game: finished.game,
            place,
            reason: outcome.reason.to_string(),
            winner: outcome.winner,
            scores: score.map(|score| score.to_string()),
        });
        let turn = finished.play.turn();
        let thinks = match outcome.reason == ReasonOf::<P>::RESIGNATION {
            true => turn.opponent(),
            false => turn,
        };
        let thinking = self.player(thinks).map(|player| player.client);
        Some(Ended { finished, thinking })
    }

    /// Interrupts the game, if one is being played. It can be resumed.
    pub fn interrupt(
        &mut self,
        waits_for: WaitsFor,
        why: &str,
        now: Timestamp,
        out: &mut Output<P>,
    ) {
        out.changes.tables.insert(self.index);
        let Some(game) = self.game.as_mut().filter(|game| game.is_playing()) else {
            return;
        };
        let (id, place) = (game.id(), game.place());
        let idle = game.interrupt(waits_for, now.clock);
        out.journal(Entry::Interrupted {
            game: id,
            waits_for,
            idle,
        });
        out.changes.games = true;
        for color in Color::ALL {
            self.say_interrupted(color, waits_for, now, out);
        }
        out.log(LogEvent::Interrupted {
            table: self.number,
            game: id,
            place,
            why: why.to_owned(),
        });
    }

    /// Tells a player that the game is interrupted, and what it waits for.
    pub fn say_interrupted(
        &self,
        color: Color,
        waits_for: WaitsFor,
        now: Timestamp,
        out: &mut Output<P>,
    ) {
        if let Some(game) = &self.game {
            let notice = Notice::Interrupted(game.timed(), waits_for, now.clock);
            self.say(color, notice, out);
        }
    }

    /// Counts a stall of the server. Pauses the game if it got back too much time by stalls.
    pub fn count_stall(&mut self, stall: Duration, now: Timestamp, out: &mut Output<P>) {
        let Some(game) = self.game.as_mut().filter(|game| game.is_playing()) else {
            return;
        };
        // The page counts down from the clocks that it was sent.
        out.changes.tables.insert(self.index);
        if game.add_stalled(stall) > MAX_STALLED {
            let why = "the server was stalled for too long: the organizer resumes it";
            self.interrupt(WaitsFor::Organizer, why, now, out);
        }
    }

    /// Interrupts the game until the organizer resumes it.
    ///
    /// # Errors
    /// No game is being played.
    pub fn pause(&mut self, now: Timestamp, out: &mut Output<P>) -> Result<(), CommandError> {
        self.check_pause()?;
        self.interrupt(WaitsFor::Organizer, "the organizer paused it", now, out);
        Ok(())
    }

    /// Clears the table: voids its interrupted game for this reason, or removes its finished one.
    /// Returns the game that is void.
    ///
    /// # Errors
    /// There is no game, or it is being played.
    pub fn clear(
        &mut self,
        why: &str,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Result<Option<LiveGame<P>>, CommandError> {
        self.check_clear()?;
        out.changes.tables.insert(self.index);
        let void = self.game.take().filter(|game| !game.is_over());
        if let Some(game) = &void {
            let away = Color::ALL.into_iter();
            let away = away
                .filter(|&color| self.player(color).is_none())
                .exactly_one();
            let exchange = away.map_or_else(|_| Vec::new(), |only| game.exchange(only));
            record_void(game, self.number, (why, exchange), now, out);
        }
        Ok(void)
    }

    /// Takes the game off the table, to be resumed another day. Returns the game.
    ///
    /// # Errors
    /// No game is being played or interrupted.
    pub fn adjourn(
        &mut self,
        limits: BreakLimits,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Result<LiveGame<P>, CommandError> {
        self.check_adjourn()?;
        self.interrupt(WaitsFor::Organizer, "the organizer adjourned it", now, out);
        if let Some(game) = self.game.as_mut() {
            // Only the organizer resumes it.
            game.set_interrupted(WaitsFor::Organizer);
        }
        self.update_wait(limits, now, out);
        let game = self.game.take();
        let game = game.ok_or(CommandError::NoGameWaits(self.number))?;
        out.journal(Entry::Adjourned { game: game.id() });
        out.log(LogEvent::Adjourned {
            game: game.id(),
            place: game.place(),
        });
        out.changes.adjourned = true;
        Ok(game)
    }

    /// Puts an adjourned game on the table, where it is paused. The table must have no
    /// unfinished game.
    pub fn recall(&mut self, game: LiveGame<P>, out: &mut Output<P>) {
        out.changes.tables.insert(self.index);
        out.changes.adjourned = true;
        out.changes.games = true;
        out.journal(Entry::Recalled {
            game: game.id(),
            table: self.number,
        });
        out.log(LogEvent::Recalled {
            game: game.id(),
            place: game.place(),
            table: self.number,
        });
        self.game = Some(game);
    }
}

/// Absent players.
impl<P: Protocol> Table<P> {
    /// Begins a break of a player who has left their seat and was last heard from at `heard`.
    /// Interrupts the game, unless it is interrupted already or the player has no break left.
    /// Returns whether there was a game to break.
    pub fn begin_break(
        &mut self,
        color: Color,
        heard: Duration,
        limits: BreakLimits,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> bool {
        let Some(game) = self.game.as_mut() else {
            return false;
        };
        let is_playing = game.is_playing();
        let Some(start) = game.begin_break(color, heard, now.clock, limits) else {
            return false;
        };
        if start.counts {
            let breaks = game.breaks(color);
            out.journal(game.breaks_entry(color));
            out.log(LogEvent::Break {
                table: self.number,
                game: game.id(),
                side: color,
                name: game.names()[color].to_string(),
                number: breaks.number,
                most: limits.number,
                used_ms: breaks.used,
                most_ms: Millis::try_from(limits.time.as_millis()).unwrap_or(Millis::MAX),
            });
        }
        if start.interrupts {
            let why = format!(
                "{color} left; it waits for {}, or until the organizer voids or adjourns it on the \
                 page",
                game.names()[color].isolated()
            );
            self.interrupt(WaitsFor::Players, &why, now, out);
        } else if is_playing {
            self.log_alone(color, out);
        }
        true
    }

    /// Updates which absent player the table waits for. If that player has no break left, the
    /// game goes on without them. Returns whether it does so now.
    pub fn update_wait(
        &mut self,
        limits: BreakLimits,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> bool {
        let is_seated = self.players.as_ref().map(|player| player.is_some());
        let Some(game) = self.game.as_mut() else {
            return false;
        };
        let change = game.update_wait(is_seated, now.clock, limits);
        if let Some(color) = change.counted {
            out.journal(game.breaks_entry(color));
        }
        let Some(color) = change.goes_on_without else {
            return false;
        };
        game.set_playing();
        out.journal(Entry::Resumed {
            game: game.id(),
            table: self.number,
            names: game.names().clone(),
        });
        self.log_alone(color, out);
        self.announce_start(now, out);
        true
    }

    /// Logs that the clock of an absent player runs.
    fn log_alone(&self, absent: Color, out: &mut Output<P>) {
        if let Some(game) = &self.game {
            out.log(LogEvent::Alone {
                table: self.number,
                game: game.id(),
                side: absent,
                name: game.names()[absent].to_string(),
            });
        }
    }

    /// Frees the seat of an absent player for any address. Returns the player's name.
    ///
    /// # Errors
    /// There is no unfinished game, or the player is there.
    pub fn free(
        &mut self,
        color: Color,
        out: &mut Output<P>,
    ) -> Result<Option<Name>, CommandError> {
        self.check_free(color)?;
        self.set_address(color, None, out);
        let name = self.game.as_ref().map(|game| game.names()[color].clone());
        if let Some(name) = &name {
            out.log(LogEvent::Freed {
                table: self.number,
                side: color,
                name: name.to_string(),
            });
        }
        Ok(name)
    }

    /// Tells a player who returns to a game that went on without them.
    pub fn rejoin(&mut self, color: Color, now: Timestamp, out: &mut Output<P>) {
        self.keep_seats(out);
        let Some(game) = &self.game else {
            return;
        };
        out.log(LogEvent::Rejoined {
            table: self.number,
            game: game.id(),
            side: color,
            name: game.names()[color].to_string(),
        });
        self.say(color, Notice::Begun(game.timed(), now.clock), out);
    }
}

/// The journal.
impl<P: Protocol> Table<P> {
    /// Puts an unfinished game of the journal on the table, where it waits for its players, or for the
    /// organizer who has paused it.
    pub fn restore(&mut self, game: LiveGame<P>, out: &mut Output<P>) {
        let (id, place) = (game.id(), game.place());
        out.log(match game.interruption() {
            Some(WaitsFor::Organizer) => LogEvent::Interrupted {
                table: self.number,
                game: id,
                place,
                why: "it was paused, and the organizer resumes it on the page".to_owned(),
            },
            _ => LogEvent::Waiting {
                table: self.number,
                game: id,
                place,
                moves: game.timed().log().len(),
                black: game.names().black.to_string(),
                white: game.names().white.to_string(),
            },
        });
        self.game = Some(game);
    }

    /// Adds what a player has sent or was sent to the exchange of the game.
    pub fn note_said(&mut self, color: Color, said: impl FnOnce() -> Said<P::Message>) {
        if let Some(game) = &mut self.game {
            game.note_said(color, said());
        }
    }

    /// Adds the entries from which the unfinished game can be restored.
    pub fn append_entries(&self, clock: Duration, entries: &mut Vec<Entry<P>>) {
        if let Some(game) = self.unfinished_game() {
            game.append_entries(self.number, clock, entries);
        }
    }

    /// Removes and returns the game if it is unfinished here or on the disk
    /// (`unfinished_on_disk`).
    pub fn take_unfinished(
        &mut self,
        unfinished_on_disk: &BTreeSet<GameId>,
    ) -> Option<LiveGame<P>> {
        // The end of a game that is not on the disk has not happened.
        let is_unfinished =
            |game: &mut LiveGame<P>| !game.is_over() || unfinished_on_disk.contains(&game.id());
        self.game.take_if(is_unfinished)
    }

    /// Lets the game go on that a disk failure has paused, if it is one of these. Returns whether
    /// it is.
    pub fn end_pause(&mut self, games: &BTreeSet<GameId>) -> bool {
        let game = self.game.as_mut().filter(|game| !game.is_over());
        let Some(game) = game.filter(|game| games.contains(&game.id())) else {
            return false;
        };
        game.set_interrupted(WaitsFor::Players);
        true
    }

    /// Pauses a game that was restored after a disk failure. Returns its number and its players.
    pub fn pause_restored(&mut self) -> Option<(GameId, ByColor<Name>)> {
        let game = self.game.as_mut().filter(|game| !game.is_over())?;
        game.set_interrupted(WaitsFor::Organizer);
        Some((game.id(), game.names().clone()))
    }
}

/// Writes the record of a game that is void for this reason, with the last lines of a player who was
/// away. An adjourned game has table 0.
pub fn record_void<P: Protocol>(
    game: &LiveGame<P>,
    table: u16,
    (why, exchange): (&str, Vec<String>),
    now: Timestamp,
    out: &mut Output<P>,
) {
    out.changes.games = true;
    out.journal(Entry::Voided {
        game: game.id(),
        at: unix_seconds(now.date),
        why: why.to_owned(),
        exchange: exchange.clone(),
    });
    out.log(LogEvent::Voided {
        table,
        game: game.id(),
        why: why.to_owned(),
    });
    let finished = FinishedGame {
        void: why.to_owned(),
        exchange,
        ..game.finished(table, None, now.date)
    };
    out.write(Write::Record(Box::new(finished)));
}

/// Returns the delivery that starts the clock of the player to move.
fn start_clock<P: Protocol>(table: usize, game: &LiveGame<P>) -> Delivery<P> {
    Delivery::StartClock {
        table,
        game: game.id(),
        moves: game.timed().log().len(),
    }
}
