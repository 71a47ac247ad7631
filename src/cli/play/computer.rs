//! The computer's part in a game at a terminal: its moves, its hints, and its files.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use itertools::Itertools;

use crate::awari;
use crate::color::Color;
use crate::counted::counted;
use crate::gothello;
use crate::netplay::Game;
use crate::player::{
    AnalysisControl, Analyzer, AwariSearch, DEFAULT_MOVE_TIME, Level, LeveledPlayer, Limits,
    PerfectPlayer, Player, Prover, Skill,
};
use crate::sgf;
use crate::solver::MoveBounds;

/// The time for the estimate of a move of Awari.
const ESTIMATE_TIME: Duration = Duration::from_millis(300);

/// What a game at a terminal asks of the computer. A search ends soon after `stop` is set,
/// and answers what it has found by then.
pub(super) trait Computer {
    type Game: Game;

    /// The rules in short.
    const RULES: &'static str;

    /// Returns a legal move in a game that is not over.
    fn choose(
        &mut self,
        game: &Self::Game,
        stop: &AtomicBool,
    ) -> <Self::Game as crate::game::Game>::Move;

    /// Says which move is best.
    fn hint(&mut self, game: &Self::Game, stop: &AtomicBool) -> String;

    /// Says what each move is worth, in lines.
    fn values(&mut self, game: &Self::Game, stop: &AtomicBool) -> String;

    /// Sets the level, or says why it cannot be set.
    fn set_level(&mut self, level: Level) -> Result<String>;

    /// Says what the last move did besides what the board shows.
    fn consequence(&self, game: &Self::Game) -> Option<String>;

    /// Returns the game as the text of a file.
    fn write(&self, game: &Self::Game) -> String;

    /// Reads a game from the text of a file.
    fn read(&self, text: &str) -> Result<Self::Game>;

    /// Returns whose color a letter, or else a whole line, of the board is drawn in.
    fn color_of(&self, line: &str, letter: char) -> Option<Color>;
}

/// The engine for Gothello.
pub(super) struct GothelloComputer {
    player: LeveledPlayer,
    prover: Arc<Prover>,
}

impl GothelloComputer {
    /// Creates an engine that asks this prover.
    pub fn new(prover: Prover, skill: Skill) -> GothelloComputer {
        let prover = Arc::new(prover);
        let perfect = PerfectPlayer::new(Arc::clone(&prover));
        GothelloComputer {
            player: LeveledPlayer::new(Box::new(perfect), skill),
            prover,
        }
    }
}

impl Computer for GothelloComputer {
    type Game = gothello::Game;

    const RULES: &'static str = "\
A liberty is an empty point next to a group of connected stones. Groups of the other color that your
stone leaves without a liberty change color; its own group must have one before that. Two passes in a
row end the game, and the player with more stones wins.";

    fn choose(&mut self, game: &gothello::Game, stop: &AtomicBool) -> gothello::Move {
        let limits = Limits::within(DEFAULT_MOVE_TIME).stopped_by(stop);
        let position = game.position();
        position.map_or(gothello::Move::Pass, |position| {
            self.player.choose(position, &limits).mv
        })
    }

    fn hint(&mut self, game: &gothello::Game, stop: &AtomicBool) -> String {
        let Some(position) = game.position() else {
            return "the game is over".into();
        };
        let control = AnalysisControl {
            stop,
            ..AnalysisControl::default()
        };
        let best = self.prover.best_moves(position, &control);
        let range = best.value.seen_by(position.to_move());
        match best.moves.is_empty() {
            true => format!("no move is proven to be best; the result is {range}"),
            false => format!("{}: {range}", best.moves.iter().join(" ")),
        }
    }

    fn values(&mut self, game: &gothello::Game, stop: &AtomicBool) -> String {
        let Some(position) = game.position() else {
            return "the game is over".into();
        };
        let control = AnalysisControl {
            stop,
            ..AnalysisControl::default()
        };
        let mut moves = self.prover.moves(position, &control);
        // The best first, and equal ones together.
        let order = |of_move: &MoveBounds| (-of_move.bounds.low, -of_move.bounds.high);
        moves.sort_by_key(order);
        let groups = moves.iter().chunk_by(|of_move| of_move.bounds);
        let lines = groups.into_iter().map(|(bounds, moves)| {
            let range = bounds.seen_by(position.to_move()).to_string();
            format!("{range:>4}: {}", moves.map(|of_move| of_move.mv).join(" "))
        });
        lines.collect_vec().join("\n")
    }

    fn set_level(&mut self, level: Level) -> Result<String> {
        let skill = self.player.skill().context("the engine has no levels")?;
        skill.level = level;
        Ok(format!("the computer plays at level {level}"))
    }

    fn consequence(&self, game: &gothello::Game) -> Option<String> {
        let captured = game.last_captured().len();
        (captured > 0).then(|| format!("captures {}", counted(captured, "stone")))
    }

    fn write(&self, game: &gothello::Game) -> String {
        sgf::write(game) + "\n"
    }

    fn read(&self, text: &str) -> Result<gothello::Game> {
        match awari::is_record(text) {
            true => bail!("it is a game of Awari"),
            false => Ok(sgf::read(text, usize::MAX)?),
        }
    }

    fn color_of(&self, _: &str, letter: char) -> Option<Color> {
        Color::ALL.into_iter().find(|color| color.mark() == letter)
    }
}

/// The engine for Awari.
pub(super) struct AwariComputer {
    player: AwariSearch,
    variant: awari::Variant,
}

impl AwariComputer {
    /// Creates an engine for these rules.
    pub fn new(variant: awari::Variant) -> AwariComputer {
        AwariComputer {
            player: AwariSearch::new(None),
            variant,
        }
    }

    /// Says how far ahead `color` will be at the end.
    fn lead(color: Color, lead: i32, proven: bool) -> String {
        let ahead = if lead < 0 { color.opponent() } else { color };
        let ahead = awari::Player::from(ahead);
        match (lead, proven) {
            (0, true) => "a draw".into(),
            (0, false) => "even, it seems".into(),
            (_, true) => format!("{ahead} wins"),
            (lead, false) => {
                let stones = counted(lead.unsigned_abs(), "stone");
                format!("{ahead} will be {stones} ahead, it seems")
            }
        }
    }
}

impl Computer for AwariComputer {
    type Game = awari::Game;

    const RULES: &'static str = "\
Sow all stones of one of your pits, counterclockwise. If the last one makes two or three in a pit of
the other player, you capture these, and those in the pits before it that also hold two or three. 25
captured stones win.";

    fn choose(&mut self, game: &awari::Game, stop: &AtomicBool) -> awari::Pit {
        let limits = Limits::within(DEFAULT_MOVE_TIME).stopped_by(stop);
        self.player.choose(game, &limits).pit
    }

    fn hint(&mut self, game: &awari::Game, stop: &AtomicBool) -> String {
        let limits = Limits::within(DEFAULT_MOVE_TIME).stopped_by(stop);
        let choice = self.player.choose(game, &limits);
        let color = Color::from(game.to_move());
        let lead = AwariComputer::lead(color, choice.lead, choice.proven);
        format!("{}: {lead}", choice.pit)
    }

    fn values(&mut self, game: &awari::Game, stop: &AtomicBool) -> String {
        let color = Color::from(game.to_move());
        let limits = Limits::within(ESTIMATE_TIME).stopped_by(stop);
        let lines = game.legal_moves().filter_map(|pit| {
            let mut after = game.clone();
            crate::game::Game::play(&mut after, color, pit).ok()?;
            let lead = match crate::game::Game::outcome(&after) {
                Some(outcome) => AwariComputer::lead(color, outcome.lead_of(color).into(), true),
                None => {
                    let choice = self.player.choose(&after, &limits);
                    AwariComputer::lead(color, -choice.lead, choice.proven)
                }
            };
            Some(format!("{pit}: {lead}"))
        });
        lines.collect_vec().join("\n")
    }

    fn set_level(&mut self, _: Level) -> Result<String> {
        bail!("the engine for Awari has no levels")
    }

    fn consequence(&self, _: &awari::Game) -> Option<String> {
        None
    }

    /// The moves from the start, on a line.
    fn write(&self, game: &awari::Game) -> String {
        let moves = crate::game::Game::moves(game);
        moves.map(|(_, pit)| pit).join(" ") + "\n"
    }

    fn read(&self, text: &str) -> Result<awari::Game> {
        Ok(awari::read(text, self.variant)?)
    }

    fn color_of(&self, line: &str, _: char) -> Option<Color> {
        let is_of = |color: &Color| line.starts_with(&awari::Player::from(*color).to_string());
        Color::ALL.into_iter().find(is_of)
    }
}
