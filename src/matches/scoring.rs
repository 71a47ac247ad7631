//! Finding the dead stones when a game of Go has ended.

use std::sync::atomic::AtomicBool;

use super::game::{Cleared, Counted, MatchGame};
use super::record::{ScoredBy, Scoring};
use super::seat::{GameStart, NotPlayed, Seat, SeatError, detail_text};
use crate::base::color::{ByColor, Color};

/// A score, and how it was counted.
pub(super) struct Scored {
    pub(super) counted: Counted,
    pub(super) scoring: Scoring,
    /// A note for people, unless all who were asked agree.
    pub(super) notice: Option<String>,
}

/// Asks for the dead stones of a finished game, and counts the others. The scorer is asked, or the
/// players if there is none or it fails. `start` is the game at its start.
///
/// # Errors
/// `stop` was set, or this machine lacks something.
pub(super) fn score<'s, G: MatchGame>(
    start: &G,
    game: &G,
    seats: &mut ByColor<&mut (dyn Seat<G> + 's)>,
    scorer: Option<&mut (dyn Seat<G> + 's)>,
    stop: &AtomicBool,
) -> Result<Scored, NotPlayed> {
    let mut notices = Vec::new();
    if let Some(scorer) = scorer {
        match ask_scorer(start, game, scorer, stop)? {
            Ok(cleared) => return Ok(scored(ScoredBy::Scorer, cleared, notices)),
            Err(why) => notices.push(format!("the scorer fails: {why}")),
        }
    }
    let mut ask = |color: Color| {
        let listed = ask(game, &mut *seats[color], stop)?;
        Ok(listed.map_err(|why| format!("{}: {why}", G::PLAYERS[color])))
    };
    let (by, cleared) = match (ask(Color::Black)?, ask(Color::White)?) {
        (Ok(black), Ok(white)) if black.dead == white.dead => (ScoredBy::Players, black),
        (Ok(black), Ok(white)) => {
            let names = |cleared: &Cleared<G>| match cleared.dead.is_empty() {
                true => "none".to_owned(),
                false => cleared.dead.join(" "),
            };
            let ByColor {
                black: one,
                white: other,
            } = G::PLAYERS;
            notices.push(format!(
                "all stones count as alive: {one} names {} as dead, {other} {}",
                names(&black),
                names(&white)
            ));
            (ScoredBy::Nobody, as_it_stands(game))
        }
        (Ok(black), Err(why)) => {
            notices.push(format!("only Black names dead stones; {why}"));
            (ScoredBy::Black, black)
        }
        (Err(why), Ok(white)) => {
            notices.push(format!("only White names dead stones; {why}"));
            (ScoredBy::White, white)
        }
        (Err(black), Err(white)) => {
            notices.push(format!("all stones count as alive; {black}; {white}"));
            (ScoredBy::Nobody, as_it_stands(game))
        }
    };
    Ok(scored(by, cleared, notices))
}

fn as_it_stands<G: MatchGame>(game: &G) -> Cleared<G> {
    Cleared {
        dead: Vec::new(),
        game: game.clone(),
    }
}

fn scored<G: MatchGame>(by: ScoredBy, cleared: Cleared<G>, notices: Vec<String>) -> Scored {
    let notice = (!notices.is_empty()).then(|| detail_text(&notices.join("; ")));
    Scored {
        counted: cleared.game.standing(),
        scoring: Scoring {
            by,
            dead: cleared.dead,
        },
        notice,
    }
}

/// Sends the scorer the game, and asks for the dead stones. The inner error says why there is no
/// answer.
fn ask_scorer<G: MatchGame>(
    start: &G,
    game: &G,
    scorer: &mut (dyn Seat<G> + '_),
    stop: &AtomicBool,
) -> Result<Result<Cleared<G>, String>, NotPlayed> {
    let begun = scorer.begin(&GameStart::for_scorer(start, game, stop));
    match begun.map_err(SeatError::into_loss) {
        Ok(()) => ask(game, scorer, stop),
        Err(lost) => lost.map(|(_, detail)| Err(detail)),
    }
}

/// Asks for the dead stones. The inner error says why there is no answer, or what is wrong with it.
fn ask<G: MatchGame>(
    game: &G,
    seat: &mut (dyn Seat<G> + '_),
    stop: &AtomicBool,
) -> Result<Result<Cleared<G>, String>, NotPlayed> {
    let named = seat.dead_stones(stop)?;
    Ok(named.and_then(|named| {
        let cleared = game.without_dead(&named);
        cleared.map_err(|word| format!("it names {word:?}, which is no stone"))
    }))
}
