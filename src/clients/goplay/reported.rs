//! The game according to the server: rebuilt from a START message, then followed move by move.

use std::time::Duration;

use thiserror::Error;

use crate::contests::goref::wire::{Configuration, GameState, Millis};
use crate::games::go::{
    Board, ByColor, Color, Game, Illegal, IllegalBoard, Mercy, Move, Position, Rules, Score,
};

/// A game according to the server. If a move is illegal by our rules, the server prevails:
/// the game continues after the move, without its earlier positions.
#[derive(Clone, Debug)]
pub struct ReportedGame {
    game: Game,
    /// The number of moves before `game` begins.
    before: usize,
}

impl ReportedGame {
    /// Creates a game that is known after `before` moves.
    fn new(rules: Rules, position: Position, before: usize) -> ReportedGame {
        ReportedGame {
            game: Game::new(rules, position),
            before,
        }
    }

    /// Returns the game, or the part of it that is known.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the number of moves so far, passes included.
    pub fn move_count(&self) -> usize {
        self.before.saturating_add(self.game.moves().len())
    }

    /// Plays a move of the player to move. Returns why it is illegal by our rules, if
    /// it is.
    pub fn follow(&mut self, played: Move) -> Option<Illegal> {
        let why = self.game.play(played).err()?;
        let lenient = Rules {
            ko: false,
            superko: false,
            ..self.game.rules().clone()
        };
        let mut after = Game::new(lenient, self.game.position().clone());
        // If no stone can be placed at all, only the turn changes.
        let _ = after.play(played);
        let mut position = after.position().clone();
        position.turn = self.game.turn().opponent();
        self.continue_from(position, self.move_count().saturating_add(1));
        Some(why)
    }

    /// Continues a game that is over by our rules. Returns whether it was over.
    fn reopen(&mut self) -> bool {
        let was_over = self.game.is_over();
        if was_over {
            self.continue_from(self.game.position().clone(), self.move_count());
        }
        was_over
    }

    fn continue_from(&mut self, position: Position, before: usize) {
        let rules = self.game.rules().clone();
        *self = ReportedGame::new(rules, position, before);
    }
}

/// The current state of the game that a START describes.
#[derive(Clone, Debug)]
pub struct Rebuilt {
    /// The game.
    pub record: ReportedGame,
    /// The time left on the clocks.
    pub left: ByColor<Duration>,
    /// The contradictions in the START, as sentences.
    pub contradictions: Vec<String>,
}

/// Why the game of a START cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotPlayable {
    /// The first position is invalid.
    #[error("initialState: board: {0}")]
    InitialState(IllegalBoard),
    /// The last position, which is needed because the log cannot be followed, is invalid.
    #[error("finalStates: board: {0}")]
    FinalState(IllegalBoard),
    /// The log cannot be followed, and there is no final state.
    #[error("moveLog[{index}] is illegal by our rules: {}", why.in_words())]
    Log {
        /// The index of the first illegal move.
        index: usize,
        /// Why it is illegal.
        why: Illegal,
    },
}

/// Builds the game that a START describes: its first position, and all moves since (the document,
/// "GameConfiguration").
///
/// The log takes precedence over the final states: those of the existing server sometimes belong to
/// another game. They are used if the log cannot be followed.
///
/// # Errors
/// There is no such game.
pub fn rebuild(configuration: &Configuration) -> Result<Rebuilt, NotPlayable> {
    let mut contradictions = Vec::new();
    let rules = rules(configuration, &mut contradictions);
    let states = configuration.final_states.as_deref().unwrap_or_default();
    let (record, shown) = match replay(configuration, &rules) {
        Ok(replayed) => {
            compare(&replayed, states, &mut contradictions);
            let Replayed { record, shown, .. } = replayed;
            (record, shown)
        }
        Err(why) => {
            let Some(last) = states.last() else {
                return Err(why);
            };
            contradictions.push(format!("{why}; going on with finalStates"));
            let position = position(last).map_err(NotPlayable::FinalState)?;
            let moves = configuration.move_log.len();
            (ReportedGame::new(rules, position, moves), times(last))
        }
    };
    let mut rebuilt = Rebuilt {
        record,
        left: shown.map(Duration::from_millis),
        contradictions,
    };
    if rebuilt.record.reopen() {
        let text = "the game is over by our rules, but the server goes on with it";
        rebuilt.contradictions.push(text.into());
    }
    let mover = rebuilt.left.get_mut(rebuilt.record.game().turn());
    *mover = mover.saturating_sub(Duration::from_millis(configuration.idle_delta_time));
    Ok(rebuilt)
}

/// A game after its log.
struct Replayed {
    record: ReportedGame,
    /// What the clocks showed after the last move.
    shown: ByColor<Millis>,
    /// What they showed before it.
    shown_before: ByColor<Millis>,
}

fn replay(configuration: &Configuration, rules: &Rules) -> Result<Replayed, NotPlayable> {
    let initial = &configuration.initial_state;
    let start = position(initial).map_err(NotPlayable::InitialState)?;
    let mut record = ReportedGame::new(rules.clone(), start, 0);
    let mut shown = times(initial);
    let mut shown_before = shown;
    for (index, entry) in configuration.move_log.iter().enumerate() {
        shown_before = shown;
        let mover = shown.get_mut(record.game().turn());
        *mover = mover.saturating_sub(entry.delta_time);
        if let Some(why) = record.follow(entry.played) {
            return Err(NotPlayable::Log { index, why });
        }
    }
    Ok(Replayed {
        record,
        shown,
        shown_before,
    })
}

/// Returns the rules, without mercy: the server decides when a game is over.
fn rules(configuration: &Configuration, contradictions: &mut Vec<String>) -> Rules {
    let komi = Score::try_from(configuration.komi.0).unwrap_or_else(|why| {
        contradictions.push(format!("komi: {why}; it is taken for 0"));
        Score::ZERO
    });
    Rules {
        ko: configuration.ko,
        superko: configuration.superko,
        komi,
        mercy: Mercy::OFF,
        scoring: configuration.scoring_method,
        prisoner_score: configuration.prisoner_score,
        pass_adds_to_prisoners: configuration.pass_adds_to_prisoners,
    }
}

fn position(state: &GameState) -> Result<Position, IllegalBoard> {
    Ok(Position {
        board: Board::from_rows(&state.board)?,
        turn: state.turn,
        prisoners: state.players.map(|player| player.prisoners),
    })
}

fn times(state: &GameState) -> ByColor<Millis> {
    state.players.map(|player| player.remaining_time)
}

/// Compares the final states, which are one or two, with those that the log leads to.
fn compare(replayed: &Replayed, states: &[GameState], contradictions: &mut Vec<String>) {
    let positions = replayed.record.game().positions();
    let clocks = [replayed.shown, replayed.shown_before];
    let ours = positions.iter().rev().zip(clocks);
    if states.len() > 2 {
        contradictions.push(format!(
            "finalStates has {} states; 1 or 2 would be right",
            states.len()
        ));
    }
    let names = ["the last", "the one before"];
    for ((state, (position, shown)), name) in states.iter().rev().zip(ours).zip(names) {
        if let Some(difference) = difference(state, position, shown) {
            contradictions.push(format!(
                "finalStates, {name}: {difference}; going on with moveLog"
            ));
        }
    }
}

/// Returns the first fact of a state in which it differs from a position of ours.
fn difference(state: &GameState, ours: &Position, shown: ByColor<Millis>) -> Option<String> {
    let theirs = match position(state) {
        Ok(theirs) => facts(&theirs, times(state)),
        Err(why) => return Some(format!("board: {why}")),
    };
    let mut both = theirs.into_iter().zip(facts(ours, shown));
    let ((what, theirs), (_, ours)) = both.find(|(theirs, ours)| theirs != ours)?;
    Some(format!("{what} is {theirs}, but the moves lead to {ours}"))
}

/// Returns what can be said of a position and its clocks, each with a name.
fn facts(position: &Position, times: ByColor<Millis>) -> Vec<(String, String)> {
    let board = &position.board;
    let mut facts = vec![("the board".to_owned(), board.size().to_string())];
    facts.extend(board.size().points().map(|point| {
        let stone = board.get(point).map_or('.', Color::capital);
        (format!("point {point}"), stone.to_string())
    }));
    facts.push(("the turn".to_owned(), position.turn.to_string()));
    for color in Color::ALL {
        let (prisoners, time) = (position.prisoners[color], times[color]);
        facts.push((
            format!("{color}'s number of prisoners"),
            prisoners.to_string(),
        ));
        facts.push((format!("{color}'s time in ms"), time.to_string()));
    }
    facts
}
