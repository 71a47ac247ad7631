//! Games with a client: their referee and its opponent.

mod built;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::connection::{Client, Delivery, POLL_INTERVAL, Received};
use super::{GorefSettings, GorefStep, Trouble};
use crate::base::rng::Rng;
use crate::check::{Failure, TIME_OVER, has_passed, time_left};
use crate::clients::agent::AgentGame as _;
use crate::contests::contest::{GRACE_PERIOD, Notice, Protocol, Recipient};
use crate::contests::goref::wire::{ClientMessage, LogEntry, Millis, ServerMessage, WireReason};
use crate::contests::goref::{GameSetup, GoProtocol, Outcome, TimedGame, read};
use crate::games::go::{Board, ByColor, Color, Illegal, Mercy, Move, Position, Rules, Score};

/// The default time of each player, in milliseconds.
const AMPLE: Millis = 900_000;

/// The time of a player under time pressure.
const LITTLE: Millis = 3_000;

/// How long to wait for an unexpected message.
const SILENCE: Duration = Duration::from_millis(150);

/// The longest wait for the end of the connection of a client that need not send anything.
const DEPARTURE: Duration = Duration::from_millis(500);

/// The number of illegal moves in a row after which a game is given up.
const MAX_ILLEGAL: u32 = 10;

/// The number of moves of the client in a longer game.
const LONG: usize = 30;

/// A client under test, and its game.
pub struct Session<'a> {
    pub client: &'a mut Client,
    settings: &'a GorefSettings,
    rng: &'a mut Rng,
    begin: Instant,
    game: TimedGame,
    color: Color,
    /// The stones with which the game started or resumed.
    given: Board,
    /// The first illegal move of the client.
    pub illegal: Option<Failure>,
    /// The first one in its last turn, and why.
    refused: Option<(Illegal, Failure)>,
    /// The number of its moves on occupied points.
    on_stones: u32,
    /// The first of them on a stone with which a game started or resumed.
    on_given_stone: Option<Failure>,
    /// Its failures at the step, and those that later games have confirmed.
    pub wrong: Option<Failure>,
    /// Whether it has made a legal move after an illegal one.
    pub has_retried: bool,
    /// Whether the client may still send a move in the game that has just ended: it was sent the
    /// last move, or was thinking.
    is_in_grace: bool,
}

impl<'a> Session<'a> {
    /// Returns a session without a game.
    pub fn new(
        client: &'a mut Client,
        settings: &'a GorefSettings,
        rng: &'a mut Rng,
    ) -> Session<'a> {
        let position = Position::start(settings.size);
        let times = ByColor::new(AMPLE, AMPLE);
        let setup = GameSetup::new(Rules::default(), position, times);
        Session {
            client,
            settings,
            rng,
            begin: Instant::now(),
            game: TimedGame::new(Arc::new(setup)),
            color: Color::Black,
            given: Board::empty(settings.size),
            illegal: None,
            refused: None,
            on_stones: 0,
            on_given_stone: None,
            wrong: None,
            has_retried: false,
            is_in_grace: false,
        }
    }

    /// Leads a READY client through the scenario of a step, and leaves it READY.
    ///
    /// # Errors
    /// It does something wrong, or the step is not reached.
    pub fn run(&mut self, step: GorefStep) -> Result<(), Trouble> {
        match step {
            GorefStep::Ready => {
                return self.expect_silence(&[GorefStep::Ready], "before START");
            }
            GorefStep::Pong => self.pong()?,
            GorefStep::Black | GorefStep::MoveFormat => self.play(Color::Black, 3)?,
            GorefStep::White | GorefStep::TurnOrder => {
                self.start(Color::White, ByColor::new(AMPLE, AMPLE));
                self.expect_silence(&[GorefStep::TurnOrder], "as White, before the first move")?;
                self.moves(3)?;
            }
            GorefStep::LegalMoves | GorefStep::Retry => self.play(Color::Black, LONG)?,
            GorefStep::OpponentPass => {
                // Before the client has passed: a second pass would end the game.
                self.start(Color::White, ByColor::new(AMPLE, AMPLE));
                self.opponent(Move::Pass)?;
                self.own_move()?;
            }
            GorefStep::TimePressure => {
                self.start(Color::Black, ByColor::new(LITTLE, AMPLE));
                self.moves(3)?;
            }
            GorefStep::Bytewise => {
                self.deliver(Delivery::Bytewise, |session| session.play(Color::White, 2))?;
            }
            GorefStep::Merged => self.merged()?,
            GorefStep::Fragments => {
                self.deliver(Delivery::Fragments, |session| session.play(Color::White, 2))?;
            }
            GorefStep::OwnCaptures => self.own_captures()?,
            GorefStep::OpponentCaptures => self.opponent_captures()?,
            GorefStep::Suicide => self.suicide()?,
            GorefStep::Ko => self.ko()?,
            GorefStep::Superko => self.superko()?,
            GorefStep::ForcedPass => self.forced_pass()?,
            GorefStep::InitialState => self.initial_state()?,
            GorefStep::LogEven => self.resume(0, false)?,
            GorefStep::LogOdd => self.resume(1, false)?,
            GorefStep::LogPass => self.resume(0, true)?,
            GorefStep::FinalStates => {
                if self.client.protocol == crate::contests::goref::wire::Protocol::V1 {
                    let why = "the client does not ask for protocol v2";
                    return Err(Trouble::skipped(why));
                }
                self.resume(0, false)?;
            }
            GorefStep::WinByOwnPass => return self.end_by_passes(true, 1),
            GorefStep::WinByOpponentPass => return self.end_by_passes(false, 1),
            GorefStep::LossByOwnPass => return self.end_by_passes(true, -1),
            GorefStep::LossByOpponentPass => return self.end_by_passes(false, -1),
            GorefStep::DrawByOwnPass => return self.end_by_passes(true, 0),
            GorefStep::DrawByOpponentPass => return self.end_by_passes(false, 0),
            GorefStep::OpponentResigns => {
                self.play(Color::Black, 2)?;
                self.opponent(Move::Resign)?;
                return self.next_game();
            }
            GorefStep::OpponentFlag => {
                self.start(Color::Black, ByColor::new(AMPLE, 50));
                self.own_move()?;
                self.let_flag_fall();
                return self.next_game();
            }
            GorefStep::OwnFlag => {
                self.start(Color::Black, ByColor::new(1, AMPLE));
                self.let_flag_fall();
                return self.next_game();
            }
            GorefStep::Mercy => return self.mercy(),
            GorefStep::Pause => self.interrupt(WireReason::Pause)?,
            GorefStep::Error => self.interrupt(WireReason::Error)?,
            GorefStep::Reconnect => {
                self.client.cut();
                self.client.connect()?;
                self.client.greet()?;
                self.play(Color::Black, 1)?;
            }
            GorefStep::ReconnectInGame => {
                self.play(Color::Black, 2)?;
                self.client.cut();
                self.client.connect()?;
                self.client.greet()?;
                self.send_start();
                self.opponent_moves()?;
                self.own_move()?;
            }
            GorefStep::Connect | GorefStep::Name => return Ok(()),
        }
        self.let_opponent_resign();
        Ok(())
    }

    /// Ends a game that is not over.
    fn let_opponent_resign(&mut self) {
        if self.game.outcome().is_none() {
            self.end(Outcome {
                reason: WireReason::Resign,
                winner: Some(self.color),
            });
        }
    }

    fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Starts a game on an empty board.
    fn start(&mut self, color: Color, of_client_and_other: ByColor<Millis>) {
        let ByColor { black, white } = of_client_and_other;
        let times = ByColor::from_fn(|of| if of == color { black } else { white });
        let position = Position::start(self.settings.size);
        self.set_up(GameSetup::new(self.rules(), position, times), color);
    }

    /// Returns the rules: those of the competition, without mercy.
    fn rules(&self) -> Rules {
        Rules {
            mercy: Mercy::OFF,
            ..Rules::default()
        }
    }

    /// Returns a game with these rules, and with ample time.
    fn setup(&self, position: Position) -> GameSetup {
        GameSetup::new(self.rules(), position, ByColor::new(AMPLE, AMPLE))
    }

    fn set_up(&mut self, setup: GameSetup, color: Color) {
        self.game = TimedGame::new(Arc::new(setup));
        self.given = self.game.game().board().clone();
        self.color = color;
        self.send_start();
    }

    /// Starts or resumes the game.
    fn send_start(&mut self) {
        self.is_in_grace = false;
        let now = self.now();
        let protocol = self.client.protocol;
        let to = Recipient {
            color: self.color,
            dialect: protocol,
        };
        let message = GoProtocol::say(Notice::Begun(&self.game, now), to);
        self.client.send(&message);
        self.game.start(self.now());
    }

    /// Starts a game, and plays this many moves of the client.
    fn play(&mut self, color: Color, count: usize) -> Result<(), Trouble> {
        self.start(color, ByColor::new(AMPLE, AMPLE));
        self.moves(count)
    }

    /// Plays this many moves of the client, and those of the opponent before and between.
    fn moves(&mut self, count: usize) -> Result<(), Trouble> {
        for _ in 0..count {
            if self.game.turn() != self.color {
                self.opponent_moves()?;
            }
            if self.game.outcome().is_none() {
                self.own_move()?;
            }
            match self.game.outcome() {
                Some(outcome) if outcome.reason == WireReason::Resign => {
                    return Err(Trouble::missed("the client resigned"));
                }
                Some(_) => {
                    let why = "the client passed, and the opponent had no other move";
                    return Err(Trouble::skipped(why));
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Checks that the client sends nothing.
    fn expect_silence(&mut self, steps: &[GorefStep], when: &str) -> Result<(), Trouble> {
        match self.client.read(SILENCE) {
            Received::Text(_) => {
                let found = format!("it sent a message {when}");
                Err(Trouble::at(steps, found))
            }
            Received::Closed(why) => Err(Trouble::failed(format!("it left {when} ({why})"))),
            Received::Nothing => Ok(()),
        }
    }

    /// Waits for the move of the client.
    fn own_move(&mut self) -> Result<(), Trouble> {
        self.refused = None;
        for _ in 0..MAX_ILLEGAL {
            let played = self.read_move()?;
            let now = self.now();
            match self.game.play(played, now) {
                Ok(_) => {
                    let remaining_time = self.game.remaining(now);
                    self.client.send(&ServerMessage::Valid { remaining_time });
                    self.has_retried |= self.illegal.is_some();
                    match self.game.outcome() {
                        Some(outcome) => {
                            self.end(outcome);
                            // The last move was its own.
                            self.is_in_grace = false;
                        }
                        None => self.game.start(self.now()),
                    }
                    return Ok(());
                }
                Err(why) => {
                    let message = ServerMessage::Invalid {
                        message: why.in_words().to_owned(),
                        remaining_time: self.game.remaining(now),
                    };
                    self.client.send(&message);
                    self.note_illegal(played, why);
                }
            }
        }
        let why = format!("the client made {MAX_ILLEGAL} illegal moves in a row");
        Err(Trouble::skipped(why))
    }

    /// Returns a failure of the client now.
    fn failure(&self, found: &str) -> Failure {
        Failure {
            found: format!("as {}, it {found}", self.color),
            board: Vec::new(),
            exchange: self.client.exchange.lines(),
            errors: self.client.errors(),
        }
    }

    /// Notes an illegal move of the client.
    fn note_illegal(&mut self, played: Move, why: Illegal) {
        let found = format!("made an illegal move: {}", why.in_words());
        let diagram = self.game.game().diagram();
        let failure = Failure {
            board: diagram.lines().map(str::to_owned).collect(),
            ..self.failure(&found)
        };
        if self.refused.is_none() {
            self.refused = Some((why, failure.clone()));
        }
        self.illegal.get_or_insert(failure);
        if why != Illegal::Nonempty {
            return;
        }
        self.on_stones += 1;
        if let Move::Place(point) = played
            && self.given.get(point).is_some()
        {
            let failure = self.failure("played on a stone that it was given with START");
            self.on_given_stone.get_or_insert(failure);
        }
    }

    /// Returns the last move of the game.
    fn last_move(&self) -> Option<Move> {
        self.game.log().last().map(|entry| entry.played)
    }

    /// Reads a MOVE, unless the time for the check is over.
    fn read_move(&mut self) -> Result<Move, Trouble> {
        if has_passed(self.client.end) {
            return Err(Trouble::missed(TIME_OVER));
        }
        let flag = self.game.flag_deadline().unwrap_or(Duration::MAX);
        let limit = self.now().saturating_add(self.settings.check.limits.answer);
        let again = if self.illegal.is_some() && !self.has_retried {
            vec![GorefStep::Retry]
        } else if self.last_move() != Some(Move::Pass)
            && self.game.game().legal_points().next().is_none()
        {
            vec![GorefStep::ForcedPass]
        } else {
            Vec::new()
        };
        let number = self.game.log().len().saturating_add(1);
        loop {
            let left = flag.min(limit).saturating_sub(self.now());
            let of_check = time_left(self.client.end);
            match self.client.read(left.min(of_check)) {
                Received::Text(text) => {
                    return match read(&text) {
                        Ok(ClientMessage::Move { played, .. }) => Ok(played),
                        Ok(ClientMessage::Name { .. }) => Err(Trouble::at(
                            &[GorefStep::TurnOrder],
                            "it sent NAME instead of a move",
                        )),
                        Err(why) => Err(Trouble::at(
                            &[GorefStep::MoveFormat],
                            format!("it sent a message that is no move: {why}"),
                        )),
                    };
                }
                Received::Closed(why) => {
                    let found = format!("it left instead of making move {number} ({why})");
                    return Err(Trouble::at(&again, found));
                }
                Received::Nothing if of_check < left => return Err(Trouble::missed(TIME_OVER)),
                Received::Nothing if self.now() >= flag => {
                    let used = self.game.setup().times()[self.color];
                    let found = format!("its flag fell in move {number}: it had {used} ms");
                    return Err(Trouble::failed(found));
                }
                Received::Nothing if self.now() >= limit => {
                    let limit = self.settings.check.limits.answer.as_secs_f64();
                    let found = format!("it did not make move {number} within {limit} s");
                    return Err(Trouble::silent(&again, found));
                }
                Received::Nothing => {}
            }
        }
    }

    /// Lets the opponent make a random move.
    fn opponent_moves(&mut self) -> Result<(), Trouble> {
        let mv = random_move(&self.game, self.rng);
        self.opponent(mv)
    }

    /// Makes a legal move of the opponent.
    fn opponent(&mut self, played: Move) -> Result<(), Trouble> {
        if self.client.delivery() != Delivery::Merged {
            self.expect_silence(&[GorefStep::TurnOrder], "in the turn of its opponent")?;
        }
        let now = self.now();
        // It is legal.
        let _ = self.game.play(played, now);
        let remaining_time = self.game.remaining(now);
        self.client.send(&ServerMessage::Move {
            played,
            remaining_time,
        });
        match self.game.outcome() {
            Some(outcome) => {
                self.end(outcome);
                // It may think about the last move.
                self.is_in_grace = true;
            }
            None => self.game.start(self.now()),
        }
        Ok(())
    }

    fn end(&mut self, outcome: Outcome) {
        self.is_in_grace = self.game.turn() == self.color;
        let now = self.now();
        self.game.stop(now);
        let to = Recipient {
            color: self.color,
            dialect: self.client.protocol,
        };
        let message = GoProtocol::say(Notice::Over(&self.game, outcome, now), to);
        self.client.send(&message);
    }

    /// Lets the flag of the player to move fall.
    fn let_flag_fall(&mut self) {
        let flag = self.game.flag_deadline().unwrap_or_default();
        std::thread::sleep(flag.saturating_sub(self.now()));
        let now = self.now().max(flag);
        if let Some(outcome) = self.game.check_flag(now) {
            self.end(outcome);
        }
    }

    /// Starts another game after one that is over, and ends it.
    fn next_game(&mut self) -> Result<(), Trouble> {
        let wait = match self.is_in_grace {
            true => GRACE_PERIOD,
            false => DEPARTURE,
        };
        let deadline = Instant::now() + wait;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.client.read(left) {
                Received::Closed(why) => {
                    return Err(Trouble::failed(format!("it left after END ({why})")));
                }
                // The stale move: nothing else is waited for, except its departure.
                Received::Text(_) if self.is_in_grace => {
                    self.is_in_grace = false;
                    return self.next_game();
                }
                Received::Text(_) => {
                    let found = "it sent a message after END, before START".to_owned();
                    return Err(Trouble::at(&[GorefStep::TurnOrder], found));
                }
                Received::Nothing if left.is_zero() => break,
                Received::Nothing => {}
            }
        }
        self.play(Color::Black, 1)?;
        self.let_opponent_resign();
        Ok(())
    }

    /// Pings the client in its turn.
    fn pong(&mut self) -> Result<(), Trouble> {
        self.start(Color::Black, ByColor::new(AMPLE, AMPLE));
        let before = self.client.pongs;
        self.client.ping();
        let interval = self.settings.ping_interval;
        let deadline = Instant::now() + interval;
        let mut moves = 0;
        while self.client.pongs == before {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.client.read(left.min(POLL_INTERVAL)) {
                Received::Text(_) => moves += 1,
                Received::Closed(why) => {
                    return Err(Trouble::failed(format!("it left ({why})")));
                }
                Received::Nothing if left.is_zero() => {
                    let interval = interval.as_secs_f64();
                    let found = format!("it did not answer a ping within {interval} s");
                    return Err(Trouble::failed(found));
                }
                Received::Nothing => {}
            }
        }
        if moves == 0 {
            self.own_move()?;
        }
        Ok(())
    }

    /// Returns a random game that has not ended, with about half of the points occupied, and with
    /// a pass in the middle or none.
    fn random_game(&mut self, parity: usize, has_pass: bool) -> TimedGame {
        let setup = self.setup(Position::start(self.settings.size));
        let mut game = TimedGame::new(Arc::new(setup));
        let points = self.settings.size.points().count();
        let moves = points / 2 + 1;
        while game.log().len() < moves || game.log().len() % 2 != parity {
            let played = match has_pass && game.log().len() == moves / 2 {
                true => Move::Pass,
                false => random_move(&game, self.rng),
            };
            let delta_time = 10;
            let is_blocked = played == Move::Pass && !has_pass;
            if is_blocked || game.replay(LogEntry { played, delta_time }).is_err() {
                break;
            }
        }
        game
    }

    /// Lets the client play from a position without the moves that led there.
    fn initial_state(&mut self) -> Result<(), Trouble> {
        let position = self.random_game(0, false).game().position().clone();
        let color = position.turn;
        self.set_up(self.setup(position), color);
        self.moves(2)?;
        self.check_given_stones()
    }

    /// Lets the client play after the moves of a log: in its turn, and in that of its opponent.
    fn resume(&mut self, parity: usize, has_pass: bool) -> Result<(), Trouble> {
        for is_own_turn in [true, false] {
            let game = self.random_game(parity, has_pass);
            let mover = game.turn();
            let color = if is_own_turn { mover } else { mover.opponent() };
            let setup = self.setup(Position::start(self.settings.size));
            let setup = setup.with_log(game.log().to_vec(), 5);
            let setup = setup.map_err(|why| Trouble::skipped(why.to_string()))?;
            self.set_up(setup, color);
            self.moves(2)?;
            if is_own_turn {
                self.let_opponent_resign();
            }
        }
        self.check_given_stones()
    }

    /// Checks that the client knows the stones with which a game started or resumed. A client that
    /// plays on one passes if it also plays on stones of a game from the empty board: it leaves the
    /// rules to the server.
    fn check_given_stones(&mut self) -> Result<(), Trouble> {
        let Some(failure) = self.on_given_stone.take() else {
            return Ok(());
        };
        self.let_opponent_resign();
        let before = self.on_stones;
        self.start(Color::Black, ByColor::new(AMPLE, AMPLE));
        for _ in 0..LONG {
            let played = self.moves(1);
            if self.on_stones > before {
                return Ok(());
            }
            match played {
                Err(Trouble::NotReached(why)) if !why.required => break,
                played => played?,
            }
        }
        self.wrong = Some(failure);
        Ok(())
    }

    /// Sends messages together: VALID with MOVE, and the END of a game with the START of the next
    /// one. The server does this only if the client cannot have a move on its way: here the
    /// opponent, which is to move, runs out of time.
    fn merged(&mut self) -> Result<(), Trouble> {
        self.deliver(Delivery::Merged, |session| {
            session.play(Color::Black, 3)?;
            session.end(Outcome {
                reason: WireReason::Timeout,
                winner: Some(session.color),
            });
            session.play(Color::Black, 1)
        })
    }

    /// Plays with messages that are sent in this way.
    fn deliver(
        &mut self,
        delivery: Delivery,
        play: impl FnOnce(&mut Self) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        self.client.set_delivery(delivery);
        let played = play(self);
        self.client.set_delivery(Delivery::Plain);
        played
    }

    /// Lets mercy end a game.
    fn mercy(&mut self) -> Result<(), Trouble> {
        let mercy = Mercy::new(Score::from_halves(1), 4);
        let rules = Rules {
            mercy: mercy.unwrap_or(Mercy::OFF),
            ..Rules::default()
        };
        let position = Position::start(self.settings.size);
        let times = ByColor::new(AMPLE, AMPLE);
        self.set_up(GameSetup::new(rules, position, times), Color::White);
        while self.game.outcome().is_none() {
            match self.game.turn() == self.color {
                true => self.own_move()?,
                false => self.opponent_moves()?,
            }
        }
        if self
            .game
            .outcome()
            .is_some_and(|outcome| outcome.reason != WireReason::Mercy)
        {
            return Err(Trouble::skipped("the game ended before"));
        }
        self.next_game()
    }

    /// Interrupts and resumes a game.
    fn interrupt(&mut self, reason: WireReason) -> Result<(), Trouble> {
        self.play(Color::Black, 2)?;
        let winner = None;
        self.end(Outcome { reason, winner });
        self.expect_silence(&[GorefStep::TurnOrder], "between END and START")?;
        self.send_start();
        self.opponent_moves()?;
        self.own_move()
    }
}

/// Returns a random legal move: a pass if no stone can be placed.
fn random_move(game: &TimedGame, rng: &mut Rng) -> Move {
    let points: Vec<_> = game
        .game()
        .legal_points()
        .map(|point| (point, 1.0))
        .collect();
    rng.draw(&points).map_or(Move::Pass, Move::Place)
}
