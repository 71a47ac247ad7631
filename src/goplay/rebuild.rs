//! The game that a START describes: where it began, and all moves since (the
//! document, "GameConfiguration").

use std::time::Duration;

use super::record::Record;
use crate::go::{Board, ByColor, Color, Mercy, Position, Rules, Score, Scoring};
use crate::goref::wire::{Configuration, GameState, Millis};

/// A game as it stands.
#[derive(Clone, Debug)]
pub(super) struct Rebuilt {
    pub(super) record: Record,
    /// What is left on the clocks.
    pub(super) left: ByColor<Duration>,
    /// What does not agree with something else.
    pub(super) odd: Vec<String>,
}

/// Builds the game.
///
/// What the log says counts more than the final states: those of the server that
/// exists are sometimes of another game. They are gone on with where the log cannot
/// be followed.
///
/// # Errors
/// Says why there is no such game.
pub(super) fn rebuild(configuration: &Configuration) -> Result<Rebuilt, String> {
    let mut odd = Vec::new();
    let rules = rules(configuration, &mut odd);
    let states = configuration.final_states.as_deref().unwrap_or_default();
    let (record, shown) = match replay(configuration, &rules) {
        Ok(replayed) => {
            compare(&replayed, states, &mut odd);
            let Replayed { record, shown, .. } = replayed;
            (record, shown)
        }
        Err(why) => {
            let Some(last) = states.last() else {
                return Err(why);
            };
            odd.push(format!("{why}; going on with finalStates"));
            let position = position(last).map_err(|why| format!("finalStates: {why}"))?;
            let moves = configuration.move_log.len();
            (Record::resumed(rules, position, moves), times(last))
        }
    };
    let mut rebuilt = Rebuilt {
        record,
        left: shown.map(Duration::from_millis),
        odd,
    };
    if rebuilt.record.reopen() {
        let text = "the game is over by our rules, and the server goes on with it";
        rebuilt.odd.push(text.into());
    }
    let mover = rebuilt.left.get_mut(rebuilt.record.game().turn());
    *mover = mover.saturating_sub(Duration::from_millis(configuration.idle_delta_time));
    Ok(rebuilt)
}

/// A game after its log.
struct Replayed {
    record: Record,
    /// What the clocks showed after the last move.
    shown: ByColor<Millis>,
    /// What they showed before it.
    shown_before: ByColor<Millis>,
}

fn replay(configuration: &Configuration, rules: &Rules) -> Result<Replayed, String> {
    let initial = &configuration.initial_state;
    let start = position(initial).map_err(|why| format!("initialState: {why}"))?;
    let mut record = Record::new(rules.clone(), start);
    let mut shown = times(initial);
    let mut shown_before = shown;
    for (index, entry) in configuration.move_log.iter().enumerate() {
        shown_before = shown;
        let mover = shown.get_mut(record.game().turn());
        *mover = mover.saturating_sub(entry.delta_time);
        if let Some(why) = record.follow(entry.played) {
            return Err(format!("moveLog[{index}] is illegal by our rules: {why}"));
        }
    }
    Ok(Replayed {
        record,
        shown,
        shown_before,
    })
}

/// The rules, without mercy: when a game is over, the server says.
fn rules(configuration: &Configuration, odd: &mut Vec<String>) -> Rules {
    let komi = Score::try_from(configuration.komi.0).unwrap_or_else(|why| {
        odd.push(format!("komi: {why}; it is taken for 0"));
        Score::ZERO
    });
    Rules {
        ko: configuration.ko,
        superko: configuration.superko,
        komi,
        mercy: Mercy::OFF,
        scoring: Scoring::from(configuration.scoring_method),
        prisoner_score: configuration.prisoner_score,
        pass_adds_to_prisoners: configuration.pass_adds_to_prisoners,
    }
}

fn position(state: &GameState) -> Result<Position, String> {
    let rows: Vec<Vec<Option<Color>>> = state
        .board
        .iter()
        .map(|row| row.iter().map(|stone| stone.color()).collect())
        .collect();
    let turn = state.turn.color();
    Ok(Position {
        board: Board::from_rows(&rows).map_err(|why| format!("board: {why}"))?,
        turn: turn.ok_or("turn: it is nobody's, and \"B\" or \"W\" is expected")?,
        prisoners: ByColor::from(state.players).map(|player| player.prisoners),
    })
}

fn times(state: &GameState) -> ByColor<Millis> {
    ByColor::from(state.players).map(|player| player.remaining_time)
}

/// Whether the last two states are those that the log leads to.
fn compare(replayed: &Replayed, states: &[GameState], odd: &mut Vec<String>) {
    let positions = replayed.record.game().positions();
    let clocks = [replayed.shown, replayed.shown_before];
    let ours = positions.iter().rev().zip(clocks);
    if states.len() > 2 {
        odd.push(format!(
            "finalStates has {} states, and 1 or 2 are expected",
            states.len()
        ));
    }
    let names = ["the last", "the one before"];
    for ((state, (position, shown)), name) in states.iter().rev().zip(ours).zip(names) {
        if let Some(difference) = difference(state, position, shown) {
            odd.push(format!(
                "finalStates, {name}: {difference}; going on with moveLog"
            ));
        }
    }
}

/// The first thing in which a state differs from what it should be.
fn difference(state: &GameState, ours: &Position, shown: ByColor<Millis>) -> Option<String> {
    let theirs = match position(state) {
        Ok(theirs) => theirs,
        Err(why) => return Some(why),
    };
    let differ = |what: &str, theirs: &dyn std::fmt::Display, ours: &dyn std::fmt::Display| {
        Some(format!("{what} is {theirs}, and the moves lead to {ours}"))
    };
    let size = ours.board.size();
    if theirs.board.size() != size {
        return differ("the board", &theirs.board.size(), &size);
    }
    let stone = |position: &Position, point| {
        let color = position.board.get(point);
        color.map_or('.', Color::letter)
    };
    for point in size.points() {
        let (theirs, ours) = (stone(&theirs, point), stone(ours, point));
        if theirs != ours {
            return differ(&format!("point {point}"), &theirs, &ours);
        }
    }
    if theirs.turn != ours.turn {
        return differ("the turn", &theirs.turn, &ours.turn);
    }
    let their_times = times(state);
    for color in Color::ALL {
        let (theirs, ours) = (theirs.prisoners.get(color), ours.prisoners.get(color));
        if theirs != ours {
            return differ(&format!("{color}'s number of prisoners"), theirs, ours);
        }
        let (theirs, ours) = (their_times.get(color), shown.get(color));
        if theirs != ours {
            return differ(&format!("{color}'s time in ms"), theirs, ours);
        }
    }
    None
}
