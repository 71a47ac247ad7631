//! Checks of the engine as a board that receives the moves of both players.

use std::{env, fs, process};

use super::lines::Replay;
use super::{GtpStep, Ply, Session, Trouble, quoted, reached};
use crate::base::color::Color;
use crate::check::gothello::Topic;
use crate::games::game::Outcome;
use crate::games::gothello::{Move, Point};
use crate::games::sgf;

/// The number of games of a long session.
const SESSION: usize = 100;

/// The number of games in which moves are taken back.
const UNDO_GAMES: usize = 4;

/// The number of whole games in which all legal moves are sent.
const LEGAL_GAMES: usize = 10;

/// The number of illegal points tried in each position.
const TRIED: usize = 4;

/// Returns the command that plays a move. Vertices are in capitals, as GoGui and others write them.
fn play_command(color: Color, mv: Move) -> String {
    let vertex = match mv {
        Move::Pass => "pass".to_owned(),
        Move::Place(point) => point.to_string().to_ascii_uppercase(),
    };
    format!("play {} {vertex}", color.letter())
}

impl Session<'_> {
    /// Checks a step about the moves that the engine is sent.
    ///
    /// # Errors
    /// The engine does something wrong, or the step is not reached.
    pub(super) fn board(&mut self, step: GtpStep) -> Result<(), Trouble> {
        match step {
            GtpStep::Undo => self.undo(),
            GtpStep::LoadSgf => self.load_sgf(),
            GtpStep::BlackScore => self.score(Some(Color::Black)),
            GtpStep::WhiteScore => self.score(Some(Color::White)),
            GtpStep::DrawnScore => self.score(None),
            GtpStep::TwoPasses => self.two_passes(),
            GtpStep::LongSession => self.whole_games(SESSION),
            GtpStep::LegalMoves => self.whole_games(LEGAL_GAMES),
            GtpStep::Passes => self.passes(),
            GtpStep::RefusesOccupied => self.refuses(step, Topic::Occupied),
            GtpStep::RefusesSuicide => self.refuses(step, Topic::Suicide),
            GtpStep::RefusesOwnEye => self.refuses(step, Topic::OwnEye),
            GtpStep::RefusesOpponentEye => self.refuses(step, Topic::OpponentEye),
            GtpStep::Captures => self.captures(),
            _ => Ok(()),
        }
    }

    /// Sends the engine a legal move.
    fn tell(&mut self, replay: &mut Replay, (color, mv): Ply) -> Result<(), Trouble> {
        let command = play_command(color, mv);
        let reply = self.engine.ask(&command)?;
        if reply.result.is_err() {
            let step = match mv {
                Move::Pass => GtpStep::Passes,
                Move::Place(point)
                    if replay.checked_game().seems_illegal_without_captures(point) =>
                {
                    GtpStep::Captures
                }
                Move::Place(_) => GtpStep::LegalMoves,
            };
            let (command, reply) = (quoted(&command), reply.quoted());
            let found = format!("it refused the legal move {command} with {reply}");
            return Err(Trouble::on_board(&[step], found, replay.board()));
        }
        // The moves are those of a game.
        replay.play(mv);
        Ok(())
    }

    /// Sets up a position in the engine.
    pub(super) fn set_up(&mut self, plies: &[Ply]) -> Result<Replay, Trouble> {
        self.new_board()?;
        let mut replay = Replay::new();
        for &ply in plies {
            self.tell(&mut replay, ply)?;
        }
        Ok(replay)
    }

    /// Sends the engine an illegal move, which it must refuse.
    fn tell_illegal(
        &mut self,
        step: GtpStep,
        replay: &Replay,
        point: Point,
    ) -> Result<(), Trouble> {
        let color = replay.to_move();
        let command = play_command(color, Move::Place(point));
        let reply = self.engine.ask(&command)?;
        if reply.result.is_err() {
            return Ok(());
        }
        let why = replay.why_illegal(point);
        let found = format!("it accepted {}, which is illegal{why}", quoted(&command));
        Err(Trouble::on_board(&[step], found, replay.board()))
    }

    /// Sends the engine moves that are illegal for a reason.
    fn refuses(&mut self, step: GtpStep, topic: Topic) -> Result<(), Trouble> {
        let lines = self.lines();
        let positions = self.settings.positions as usize;
        let mut is_reached = false;
        for color in Color::ALL {
            for (line, _) in lines.about(topic, color).take(positions) {
                let replay = self.set_up(line.plies())?;
                for point in replay.checked_game().tempting(topic).iter().take(TRIED) {
                    self.tell_illegal(step, &replay, point)?;
                    is_reached = true;
                }
                // It has not been played, not even in part.
                let next = line.checked_game().position().legal_moves().next();
                let mut replay = replay;
                if let Some(mv) = next {
                    self.tell(&mut replay, (color, mv))?;
                }
            }
        }
        reached(is_reached)
    }

    /// Leads the engine into positions in which captures decide what is legal.
    fn captures(&mut self) -> Result<(), Trouble> {
        let lines = self.lines();
        let positions = self.settings.positions as usize;
        let mut is_reached = false;
        for color in Color::ALL {
            for (line, _) in lines.about(Topic::OpponentCaptures, color).take(positions) {
                let replay = self.set_up(line.plies())?;
                // Captured stones are still on the board, in the other color.
                let occupied = !replay.game().board().empty();
                let tempting = replay.checked_game().tempting(Topic::OpponentCaptures);
                for point in (tempting | occupied).iter() {
                    self.tell_illegal(GtpStep::Captures, &replay, point)?;
                    is_reached = true;
                }
            }
        }
        self.whole_games(positions)?;
        reached(is_reached)
    }

    /// Sends the engine whole games.
    fn whole_games(&mut self, count: usize) -> Result<(), Trouble> {
        let lines = self.lines();
        for game in lines.games().iter().take(count) {
            self.set_up(game.plies())?;
        }
        Ok(())
    }

    fn passes(&mut self) -> Result<(), Trouble> {
        let point = |text: &str| text.parse().map_or(Move::Pass, Move::Place);
        let start = [
            (Color::Black, Move::Pass),
            (Color::White, point("c3")),
            (Color::Black, point("d3")),
            (Color::White, Move::Pass),
            (Color::Black, Move::Pass),
        ];
        self.set_up(&start).map(drop)
    }

    fn two_passes(&mut self) -> Result<(), Trouble> {
        let lines = self.lines();
        for game in lines.games().iter().take(2) {
            self.set_up(game.plies())?;
            // It need not have a move, but must say so.
            let color = game.to_move().letter();
            self.engine.ask(&format!("genmove {color}"))?;
            self.engine.ask("protocol_version")?;
        }
        self.new_board()?;
        self.engine.command("play b C3").map(drop)
    }

    /// Takes moves back in games, and checks that the position is the one before.
    fn undo(&mut self) -> Result<(), Trouble> {
        let lines = self.lines();
        for game in lines.games().iter().take(UNDO_GAMES) {
            let mut replay = self.set_up(&[])?;
            for (index, &(color, mv)) in game.plies().iter().enumerate() {
                let before = replay.clone();
                self.tell(&mut replay, (color, mv))?;
                let is_last = index.saturating_add(1) == game.plies().len();
                if !replay.has_captured() && index % 5 > 0 && !is_last {
                    continue;
                }
                self.engine.command("undo")?;
                self.expect_position(&before)?;
                replay = before;
                self.tell(&mut replay, (color, mv))?;
            }
            // All of them, one after the other.
            for _ in game.plies() {
                self.engine.command("undo")?;
            }
            self.expect_position(&Replay::new())?;
        }
        Ok(())
    }

    /// Checks that the engine refuses illegal moves in a position, and accepts a legal one.
    fn expect_position(&mut self, replay: &Replay) -> Result<(), Trouble> {
        let attribute = |trouble| match trouble {
            Trouble::Failed(mut fault) if !fault.steps.contains(&GtpStep::NothingElse) => {
                fault.steps.clear();
                fault.found = format!("after undo, {}", fault.found);
                Trouble::Failed(fault)
            }
            other => other,
        };
        let legal = replay.game().legal_points();
        for point in (!legal).iter() {
            let told = self.tell_illegal(GtpStep::Undo, replay, point);
            told.map_err(attribute)?;
        }
        for point in legal.iter() {
            let ply = (replay.to_move(), Move::Place(point));
            self.tell(&mut replay.clone(), ply).map_err(attribute)?;
            self.engine.command("undo")?;
        }
        Ok(())
    }

    fn load_sgf(&mut self) -> Result<(), Trouble> {
        let name = format!("gothello-check-{}.sgf", process::id());
        let file = env::temp_dir().join(name);
        let path = file.to_string_lossy().into_owned();
        if path.contains([' ', '#']) {
            let why = format!("GTP has no way to write the name of the file {path}");
            return Err(Trouble::skipped(why));
        }
        self.new_board()?;
        self.engine.refused(&format!("loadsgf {path}.missing"))?;
        let lines = self.lines();
        let Some(game) = lines.games().first() else {
            return reached(false);
        };
        // Not to its end: after that, no move is legal.
        let mut replay = Replay::new();
        for &(_, mv) in game.plies().iter().take(12) {
            replay.play(mv);
        }
        if let Err(why) = fs::write(&file, sgf::write(replay.game())) {
            return Err(Trouble::skipped(format!("cannot write {path}: {why}")));
        }
        let loaded = self.engine.command(&format!("loadsgf {path}"));
        // The file may be left over.
        let _ = fs::remove_file(&file);
        loaded?;
        for point in (!replay.game().legal_points()).iter() {
            self.tell_illegal(GtpStep::LoadSgf, &replay, point)?;
        }
        let next = replay.game().legal_points().first();
        let next = next.map_or(Move::Pass, Move::Place);
        let command = play_command(replay.to_move(), next);
        self.engine.command(&command).map(drop)
    }

    /// Sends the engine games with this ending, and asks for their scores.
    fn score(&mut self, winner: Option<Color>) -> Result<(), Trouble> {
        let lines = self.lines();
        let ended = |game: &&Replay| game.outcome().is_some_and(|end| end.winner() == winner);
        let positions = self.settings.positions as usize;
        for game in lines.games().iter().filter(ended).take(positions) {
            self.set_up(game.plies())?;
            self.engine.command("komi 0")?;
            let reply = self.engine.ask("final_score")?;
            let Ok(score) = &reply.result else {
                let why = format!("the engine cannot score: {}", reply.quoted());
                return Err(Trouble::skipped(why));
            };
            let outcome = game.outcome().unwrap_or(Outcome::Drawn);
            if lead(score) != Some(f64::from(outcome.lead_of(Color::Black))) {
                let found = format!(
                    "it answered \"final_score\" with {}, but the score is {outcome}",
                    reply.quoted()
                );
                return Err(Trouble::on_board(&[], found, game.board()));
            }
        }
        Ok(())
    }
}

/// Returns the number of points by which Black leads: of `B+3`, of `W+3.0`, of `0` or `Draw`.
fn lead(score: &str) -> Option<f64> {
    let score = score.trim().to_ascii_lowercase();
    if score == "draw" {
        return Some(0.0);
    }
    let (sign, points) = match (score.strip_prefix("b+"), score.strip_prefix("w+")) {
        (Some(points), _) => (1.0, points),
        (None, Some(points)) => (-1.0, points),
        (None, None) => return (score.parse() == Ok(0.0)).then_some(0.0),
    };
    let points: f64 = points.parse().ok()?;
    Some(sign * points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_as_engines_write_them() {
        for (score, expected) in [
            ("B+3", Some(3.0)),
            ("W+3.0", Some(-3.0)),
            ("w+1", Some(-1.0)),
            ("0", Some(0.0)),
            ("Draw", Some(0.0)),
            ("B+", None),
            ("3", None),
            ("", None),
        ] {
            assert_eq!(lead(score), expected, "{score}");
        }
    }
}
