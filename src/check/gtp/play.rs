//! Checks of the engine as a player.

use std::time::{Duration, Instant};

use super::lines::Replay;
use super::{GtpStep, Session, Trouble, quoted, reached};
use crate::base::color::{ByColor, Color};
use crate::check::DOUBT;
use crate::check::checked::CheckedGame as _;
use crate::check::gothello::Topic;
use crate::games::gothello::Move;
use crate::gtp::process::time_left_arguments;

/// The clock of each player under time pressure.
const CLOCK: Duration = Duration::from_secs(5);

/// How much longer the engine may seem to take: the pipes and the scheduler need time, too.
const LAG: Duration = Duration::from_millis(200);

impl Session<'_> {
    /// Asks the engine for a move, and plays it; `None` if it resigns.
    fn genmove(&mut self, replay: &mut Replay) -> Result<Option<Move>, Trouble> {
        let color = replay.to_move();
        match self.ask_for_move(&format!("genmove {}", color.letter()))? {
            Some(mv) if !replay.play(mv) => Err(illegal(replay, mv)),
            mv => Ok(mv),
        }
    }

    /// Checks a step about the engine's own moves.
    ///
    /// # Errors
    /// It makes an illegal move, or does something else wrong.
    pub(super) fn player(&mut self, step: GtpStep) -> Result<(), Trouble> {
        match step.topic() {
            Some(topic) => self.positions(topic),
            None if step == GtpStep::TimePressure => self.time_pressure(),
            None => self.both_colors(),
        }
    }

    /// Lets the engine move in positions of a topic.
    fn positions(&mut self, topic: Topic) -> Result<(), Trouble> {
        let lines = self.lines();
        let positions = self.settings.positions as usize;
        let mut is_reached = false;
        let mut has_resigned = false;
        for color in Color::ALL {
            let mut doubt = 1.0;
            for (line, exposure) in lines.about(topic, color).take(positions) {
                if doubt < DOUBT {
                    break;
                }
                let mut replay = self.set_up(line.plies())?;
                match self.genmove(&mut replay)? {
                    None => has_resigned = true,
                    Some(_) => {
                        is_reached = true;
                        doubt *= 1.0 - exposure;
                    }
                }
            }
        }
        if has_resigned && !is_reached {
            return Err(Trouble::skipped("the engine resigned"));
        }
        reached(is_reached)
    }

    /// Lets the engine play a game against itself.
    ///
    /// # Errors
    /// It makes an illegal move, or does something else wrong.
    fn both_colors(&mut self) -> Result<(), Trouble> {
        let mut replay = self.set_up(&[])?;
        // No game has more than 50 moves.
        while replay.outcome().is_none() {
            if self.genmove(&mut replay)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Lets the engine play a game against itself, with a few seconds for each side.
    ///
    /// # Errors
    /// Its time is over, or it does something else wrong.
    fn time_pressure(&mut self) -> Result<(), Trouble> {
        let mut replay = self.set_up(&[])?;
        self.engine
            .command(&format!("time_settings {} 0 0", CLOCK.as_secs()))?;
        let mut used = ByColor::from_fn(|_| Duration::ZERO);
        let played = loop {
            if replay.outcome().is_some() {
                break Ok(());
            }
            let color = replay.to_move();
            let left = CLOCK.saturating_sub(used[color]).as_secs();
            let left = time_left_arguments(left, 0);
            let letter = color.letter();
            self.engine.command(&format!("time_left {letter} {left}"))?;
            let begin = Instant::now();
            let mv = self.genmove(&mut replay)?;
            used[color] += begin.elapsed();
            if used[color] > CLOCK + LAG {
                let used = used[color].as_secs_f64();
                let clock = CLOCK.as_secs();
                let moves = replay.plies().len();
                let found = format!(
                    "after {moves} moves of the game, it had used {used:.1} s of {clock} s as \
                     {color}"
                );
                break Err(Trouble::failed(found));
            }
            if mv.is_none() {
                break Ok(());
            }
        };
        // No time limits for the next steps.
        self.engine.ask("time_settings 0 1 0")?;
        played
    }
}

/// Returns the failure of an illegal move, at the topic that the engine seems not to know.
fn illegal(replay: &Replay, mv: Move) -> Trouble {
    let Move::Place(point) = mv else {
        return Trouble::failed("it passed after the end of the game");
    };
    let topics = replay.checked_game().faults(mv, None).into_iter();
    let steps: Vec<GtpStep> = topics.map(GtpStep::about).collect();
    let why = replay.why_illegal(point);
    let vertex = quoted(&format!("= {point}"));
    let color = replay.to_move().letter();
    let found = format!("it answered \"genmove {color}\" with {vertex}, which is illegal{why}");
    Trouble::on_board(&steps, found, replay.board())
}
