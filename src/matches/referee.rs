//! One game: the moves are checked by the rules, and the clocks are kept.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use super::game::{Counted, MatchGame, first_position};
use super::live::LiveGame;
use super::record::{GameRecord, LastLines, PlannedGame, Scoring, Verdict};
use super::scoring;
use super::seat::{GameStart, NotPlayed, Seat, SeatAction, SeatError, SeatTurn};
use super::setup::Opening;
use super::time::{MatchClock, TimeControl};
use crate::base::color::{ByColor, Color};
use crate::base::server_clock::{MAX_STALLED, ServerClock};
use crate::solving::solver::Solver;

/// The settings of the referee.
#[derive(Debug)]
pub struct Rules<'a> {
    /// How much longer than its time a player may take.
    pub margin: Duration,
    /// The number of moves after which a game is scored as it stands.
    pub move_limit: u32,
    /// The solver that proves results, and the number of empty points at which it does.
    pub exact: Option<(&'a Solver, u32)>,
    /// Receives the games for spectators.
    pub live: Option<&'a LiveGame>,
    /// The clock by which the players' times are measured.
    pub time: &'a ServerClock,
}

/// A game to be played.
#[derive(Debug)]
pub struct GameToPlay<'a, G> {
    /// Its id.
    pub id: String,
    /// Its place in the schedule.
    pub planned: PlannedGame,
    /// The game at its start.
    pub start: &'a G,
    /// The opening, which has been checked.
    pub opening: Option<&'a Opening>,
    /// The seed of the players' random choices.
    pub seeds: ByColor<u64>,
    /// The time control of each player.
    pub times: ByColor<Option<TimeControl>>,
}

/// A game that was played.
#[derive(Debug)]
pub struct PlayedGame {
    /// The record.
    pub record: GameRecord,
    /// The standard error of each player.
    pub errors: ByColor<String>,
}

/// How a game ended.
struct End {
    winner: Option<Color>,
    result: String,
    verdict: Verdict,
    detail: Option<String>,
    scoring: Option<Scoring>,
}

impl End {
    fn counted(counted: Counted, verdict: Verdict) -> End {
        End {
            winner: counted.winner,
            result: counted.result,
            verdict,
            detail: None,
            scoring: None,
        }
    }

    /// Returns the end of a game that `loser` has lost without a count.
    fn lost(loser: Color, verdict: Verdict, detail: Option<String>) -> End {
        let winner = loser.opponent();
        let letter = match verdict {
            Verdict::Resignation => 'R',
            Verdict::Time => 'T',
            _ => 'F',
        };
        End {
            winner: Some(winner),
            result: format!("{}+{letter}", winner.capital()),
            verdict,
            detail,
            scoring: None,
        }
    }
}

/// A game that is being played.
struct GameInPlay<'a, 's, G: MatchGame> {
    rules: &'a Rules<'a>,
    stop: &'a AtomicBool,
    seats: ByColor<&'a mut (dyn Seat<G> + 's)>,
    scorer: Option<&'a mut (dyn Seat<G> + 's)>,
    start: G,
    /// Whether the stones at the start are a handicap.
    handicap: bool,
    game: G,
    clocks: ByColor<Option<MatchClock>>,
    moves: Vec<String>,
    times: Vec<u64>,
    comments: Vec<String>,
    /// How long the runner had been stalled before the game.
    stalled_before: Duration,
}

/// Plays a game to its end, whatever the players do. The scorer, if there is one, names the dead
/// stones at the end of a game of Go.
///
/// # Errors
/// `stop` was set, this machine lacks a resource, or the runner was stalled for too long. The game
/// does not count.
pub fn play<'a, 's, G: MatchGame>(
    to_play: GameToPlay<'_, G>,
    seats: ByColor<&'a mut (dyn Seat<G> + 's)>,
    scorer: Option<&'a mut (dyn Seat<G> + 's)>,
    rules: &'a Rules<'a>,
    stop: &'a AtomicBool,
) -> Result<PlayedGame, NotPlayed> {
    let GameToPlay {
        id,
        planned,
        start,
        opening,
        seeds,
        times,
    } = to_play;
    let setup = opening.and_then(|opening| opening.setup.as_ref());
    let start = first_position(start, setup);
    let mut game = start.clone();
    let mut moves = Vec::new();
    for word in opening.iter().flat_map(|opening| &opening.moves) {
        // The opening has been checked.
        let before = game.clone();
        let Some(mv) = game.play_word(word) else {
            break;
        };
        moves.push(before.notation(mv));
    }
    let opening_moves = moves.len();
    let mut live = GameInPlay {
        rules,
        stop,
        seats,
        scorer,
        start,
        handicap: setup.is_some_and(|setup| setup.handicap),
        game,
        clocks: times.map(|time| time.map(MatchClock::new)),
        moves,
        times: Vec::new(),
        comments: Vec::new(),
        stalled_before: rules.time.stalled(),
    };
    if let Some(noted) = rules.live {
        noted.begins(
            &planned,
            setup,
            &live.moves,
            live.clocks,
            live.game.to_move(),
        );
    }
    let began = SystemTime::now().into();
    let begin = Instant::now();
    let end = live.play(seeds)?;
    let seconds = (begin.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    let mut last_lines = None;
    if end.verdict.is_failure()
        && let Some(winner) = end.winner
    {
        let lines = live.seats[winner.opponent()].last_lines();
        last_lines = (lines != LastLines::default()).then_some(lines);
    }
    let record = GameRecord {
        id,
        planned,
        winner: end.winner,
        result: end.result,
        verdict: end.verdict,
        detail: end.detail,
        scoring: end.scoring,
        programs: ByColor::from_fn(|color| live.seats[color].identity()),
        setup: setup.cloned(),
        moves: live.moves.iter().collect(),
        opening_moves,
        times: live.times,
        comments: live.comments,
        began,
        seconds,
        last_lines,
    };
    for color in Color::ALL {
        live.seats[color].end(&record);
    }
    if let Some(noted) = rules.live {
        noted.ends(&record, G::PLAYERS);
    }
    let errors = ByColor::from_fn(|color| live.seats[color].take_errors());
    Ok(PlayedGame { record, errors })
}

/// Returns the text of a record by playing its moves again from `start`.
pub fn replayed_text<G: MatchGame>(start: &G, record: &GameRecord) -> String {
    let mut game = first_position(start, record.setup.as_ref());
    for word in record.moves.iter() {
        if game.play_word(word).is_none() {
            break;
        }
    }
    game.record_text(record)
}

impl<G: MatchGame> GameInPlay<'_, '_, G> {
    /// Prepares both players and plays the moves.
    fn play(&mut self, seeds: ByColor<u64>) -> Result<End, NotPlayed> {
        for color in Color::ALL {
            let begun = self.seats[color].begin(&GameStart {
                start: &self.start,
                handicap: self.handicap,
                game: &self.game,
                color,
                seed: seeds[color],
                clocks: self.clocks,
                stop: self.stop,
            });
            if let Err(error) = begun {
                return end_by(color, error);
            }
        }
        loop {
            if let Some(end) = self.ended()? {
                return Ok(end);
            }
            if let Some(end) = self.make_move()? {
                return Ok(end);
            }
        }
    }

    /// Returns how the game has ended without a player's doing.
    fn ended(&mut self) -> Result<Option<End>, NotPlayed> {
        if let Some(counted) = self.game.counted() {
            return match G::REMOVES_DEAD_STONES {
                true => self.scored().map(Some),
                false => Ok(Some(End::counted(counted, Verdict::Count))),
            };
        }
        if let Some((solver, max_empty)) = self.rules.exact
            && let Some(proven) = self.game.proven(solver, max_empty)
        {
            return Ok(Some(End::counted(proven, Verdict::Adjudicated)));
        }
        let limit = usize::try_from(self.rules.move_limit).unwrap_or(usize::MAX);
        let is_long = self.moves.len() >= limit;
        Ok(is_long.then(|| End::counted(self.game.standing(), Verdict::MoveLimit)))
    }

    /// Returns the end of a game that is counted without its dead stones.
    fn scored(&mut self) -> Result<End, NotPlayed> {
        let scorer = self.scorer.as_deref_mut();
        let scored = scoring::score(&self.start, &self.game, &mut self.seats, scorer, self.stop)?;
        Ok(End {
            detail: scored.notice,
            scoring: Some(scored.scoring),
            ..End::counted(scored.counted, Verdict::Count)
        })
    }

    /// Lets the player to move make a move. Returns how the game ended, if it did so.
    fn make_move(&mut self) -> Result<Option<End>, NotPlayed> {
        let color = self.game.to_move();
        let chosen = self.seats[color].choose(&SeatTurn {
            game: &self.game,
            clocks: self.clocks,
            margin: self.rules.margin,
            time: self.rules.time,
            stop: self.stop,
        });
        let stalled = self.rules.time.stalled();
        if stalled.saturating_sub(self.stalled_before) > MAX_STALLED {
            return Err(NotPlayed::Stalled);
        }
        let choice = match chosen {
            Ok(choice) => choice,
            Err(error) => return end_by(color, error).map(Some),
        };
        let micros = u64::try_from(choice.used.as_micros()).unwrap_or(u64::MAX);
        if let Some(clock) = &mut self.clocks[color]
            && let Err(fallen) = clock.spend(choice.used, self.rules.margin)
        {
            let detail = Some(fallen.to_string());
            return Ok(Some(End::lost(color, Verdict::Time, detail)));
        }
        let SeatAction::Move(mv) = choice.action else {
            return Ok(Some(End::lost(color, Verdict::Resignation, None)));
        };
        let before = self.game.clone();
        let notation = before.notation(mv);
        if let Err(why) = self.game.advance(mv) {
            let detail = Some(format!("{}: {why}", before.to_gtp(mv)));
            return Ok(Some(End::lost(color, Verdict::IllegalMove, detail)));
        }
        if let Some(live) = self.rules.live {
            live.moves(&notation, choice.used, self.clocks, self.game.to_move());
        }
        self.moves.push(notation);
        self.times.push(micros);
        let comment = self.seats[color].take_comment();
        if !comment.is_empty() {
            // The players of the moves before have written nothing.
            let before = self.times.len().saturating_sub(1);
            self.comments.resize(before, String::new());
            self.comments.push(comment);
        }
        let opponent = color.opponent();
        match self.seats[opponent].notify_move(&before, mv, choice.used, self.stop) {
            Ok(()) => Ok(None),
            Err(error) => end_by(opponent, error).map(Some),
        }
    }
}

/// Returns the end of a game in which the player of `color` does not continue.
fn end_by(color: Color, error: SeatError) -> Result<End, NotPlayed> {
    let (verdict, detail) = error.into_loss()?;
    Ok(End::lost(color, verdict, Some(detail)))
}
