//! Random games, and their positions by topic.

use std::collections::BTreeMap;

use super::Ply;
use crate::base::color::{ByColor, Color};
use crate::base::rng::Rng;
use crate::check::checked::CheckedGame as _;
use crate::check::gothello::{CheckedGothello, Topic};
use crate::clients::agent::AgentGame as _;
use crate::games::game::Outcome;
use crate::games::gothello::{Game, Move, Point};

/// The number of random games.
const GAMES: usize = 500;

/// How often a player passes although it could place a stone.
const PASSES: f64 = 0.04;

/// A game, with the topics that each player must know.
#[derive(Clone, Debug)]
pub struct Replay {
    game: Game,
    plies: Vec<Ply>,
    by_client: ByColor<CheckedGothello>,
    captures: u32,
}

impl Replay {
    /// Returns the start of a game.
    pub fn new() -> Replay {
        Replay {
            game: Game::new(),
            plies: Vec::new(),
            by_client: ByColor::from_fn(|color| CheckedGothello::new(color, 0)),
            captures: 0,
        }
    }

    /// Plays a move; returns whether it is legal.
    pub fn play(&mut self, mv: Move) -> bool {
        let color = self.game.to_move();
        if self.game.play(color, mv).is_err() {
            return false;
        }
        for of in Color::ALL {
            // It is legal.
            let _ = self.by_client[of].play_move(mv);
        }
        self.captures += u32::from(self.has_captured());
        self.plies.push((color, mv));
        true
    }

    /// Returns the player to move.
    pub fn to_move(&self) -> Color {
        self.game.to_move()
    }

    /// Returns how the game has ended.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    /// Returns the game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the moves so far.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Returns the board, line by line.
    pub fn board(&self) -> Vec<String> {
        self.game.diagram().lines().map(str::to_owned).collect()
    }

    /// Returns the topics that the player to move must know.
    pub fn checked_game(&self) -> &CheckedGothello {
        &self.by_client[self.to_move()]
    }

    /// Returns whether the last move has captured.
    pub fn has_captured(&self) -> bool {
        !self.game.last_captured().is_empty()
    }

    /// Returns why no stone may be placed at a point, for the end of a sentence.
    pub fn why_illegal(&self, point: Point) -> String {
        let position = self.game.position();
        let why = position.and_then(|position| position.place(point).err());
        why.map(|why| format!(": {why}")).unwrap_or_default()
    }

    /// Returns a random move: mostly one that places a stone, if there is one.
    fn random_move(&self, rng: &mut Rng) -> Move {
        let points = self.game.legal_points();
        let mut moves: Vec<(Move, f64)> = points
            .iter()
            .map(|point| (Move::Place(point), 1.0))
            .collect();
        moves.push((Move::Pass, PASSES * f64::from(points.len()).max(1.0)));
        rng.draw(&moves).unwrap_or(Move::Pass)
    }
}

/// A position with a topic.
#[derive(Clone, Debug)]
struct Line {
    replay: Replay,
    exposure: f64,
}

/// Random games, and their positions by topic.
#[derive(Debug)]
pub struct Lines {
    games: Vec<Replay>,
    /// The positions by topic and player to move.
    positions: BTreeMap<(Topic, Color), Vec<Line>>,
}

impl Lines {
    /// Plays random games.
    pub fn new(rng: &mut Rng) -> Lines {
        let mut lines = Lines {
            games: Vec::new(),
            positions: BTreeMap::new(),
        };
        for _ in 0..GAMES {
            let mut replay = Replay::new();
            while replay.outcome().is_none() {
                lines.note(&replay);
                // It is legal.
                replay.play(replay.random_move(rng));
            }
            lines.games.push(replay);
        }
        // The best first: those in which a program that does not know the topic shows it most, and
        // needs to know nothing else, that is, without captures.
        for (&(topic, _), positions) in &mut lines.positions {
            positions.sort_by(|a, b| {
                let captures =
                    |line: &Line| topic != Topic::OpponentCaptures && line.replay.captures > 0;
                let by_captures = captures(a).cmp(&captures(b));
                by_captures.then(b.exposure.total_cmp(&a.exposure))
            });
        }
        lines
    }

    /// Notes the topics of a position.
    fn note(&mut self, replay: &Replay) {
        for topic in CheckedGothello::situations() {
            let exposure = replay.checked_game().exposure(topic);
            if exposure > 0.0 {
                let replay = replay.clone();
                let positions = self.positions.entry((topic, replay.to_move()));
                let line = Line { replay, exposure };
                positions.or_default().push(line);
            }
        }
    }

    /// Returns the games.
    pub fn games(&self) -> &[Replay] {
        &self.games
    }

    /// Returns the positions of a topic, the best first, with the probability that a program that
    /// does not know it shows it.
    pub fn about(&self, topic: Topic, to_move: Color) -> impl Iterator<Item = (&Replay, f64)> {
        let positions = self.positions.get(&(topic, to_move)).into_iter().flatten();
        positions.map(|line| (&line.replay, line.exposure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_games_lead_to_every_situation_of_both_players() {
        for seed in 0..4 {
            let lines = Lines::new(&mut Rng::new(seed));
            for color in Color::ALL {
                for topic in CheckedGothello::situations() {
                    let found = lines.about(topic, color).count();
                    assert!(found > 0, "{seed} {color:?} {topic:?}");
                }
            }
            for winner in [Some(Color::Black), Some(Color::White), None] {
                let games = lines.games().iter();
                let mut outcomes = games.filter_map(Replay::outcome);
                assert!(
                    outcomes.any(|outcome| outcome.winner() == winner),
                    "{winner:?} with seed {seed}"
                );
            }
        }
    }

    #[test]
    fn a_replay_counts_the_captures_of_both() {
        let mut replay = Replay::new();
        for mv in ["b1", "a1", "a2"] {
            assert!(replay.play(mv.parse().unwrap()), "{mv}");
        }
        assert!(replay.has_captured());
        assert!(!replay.play("a1".parse().unwrap()));
        assert_eq!(replay.plies().len(), 3);
    }
}
