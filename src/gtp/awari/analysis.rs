//! Commands that say more of a position in GoGui, and the list of them.

use itertools::Itertools;

use super::Awari;
use super::board::{player_of, reason, score};
use super::turn::{Turn, column};
use crate::awari::{Game, Pit, Player, Status};
use crate::gothello::{Color, Outcome};
use crate::gtp::chosen::NOT_CHOSEN;
use crate::gtp::game::Played;
use crate::gtp::generation;
use crate::gtp::response::Response;
use crate::gtp::session::Session;
use crate::player::AwariChoice;

/// The commands that GoGui offers in its analyze dialog.
pub(super) const COMMANDS: [&str; 6] = [
    "gfx/What Every Move Captures/gothello-gains",
    "plist/Legal Moves/gogui-rules_legal_moves",
    "gfx/Suggested Move/gothello-suggested_move",
    "string/How Sure the Last Move Was/gothello-last_choice",
    "string/Score/final_score",
    "string/Position as Text/gothello-position",
];

/// What a move does at once.
enum Gain {
    /// It captures so many stones, and the game goes on.
    Stones(u8),
    /// It ends the game: his stones less the opponent's.
    End(i16),
}

/// Beside each pit that may be sown is written what that captures, or how the
/// game ends with it.
pub(super) fn gains(game: &Game, out: &mut Response<'_>) {
    let player = game.to_move();
    if let Status::Over(outcome) = game.status() {
        return out.text(format_args!(
            "TEXT the game is over: {}",
            reason(game, outcome)
        ));
    }
    let gains = game.legal_moves().map(|pit| (pit, gain(game, pit)));
    let gains = gains.collect_vec();
    let row = match player {
        Player::South => 2,
        Player::North => 5,
    };
    let labels = gains.iter().map(|(pit, gain)| {
        let label = match *gain {
            Gain::Stones(0) => "0".to_owned(),
            Gain::Stones(stones) => format!("+{stones}"),
            Gain::End(1..) => "wins".to_owned(),
            Gain::End(0) => "drawn".to_owned(),
            Gain::End(_) => "loses".to_owned(),
        };
        format!("{}{row} {label}", column(*pit))
    });
    out.text(format_args!("LABEL {}\n", labels.format(" ")));
    let wins = gains
        .iter()
        .find(|(_, gain)| matches!(gain, Gain::End(1..)));
    let stones = gains.iter().map(|(_, gain)| match gain {
        Gain::Stones(stones) => *stones,
        Gain::End(_) => 0,
    });
    match (wins, stones.max()) {
        (Some(&(pit, _)), _) => {
            let turn = Turn::Sow(pit);
            out.text(format_args!("TEXT {player} wins with {turn}"));
        }
        (None, Some(most @ 1..)) => out.text(format_args!("TEXT {player} captures up to {most}")),
        (None, _) => out.text(format_args!("TEXT {player} captures nothing")),
    }
}

fn gain(game: &Game, pit: Pit) -> Gain {
    let (mut after, player) = (game.clone(), game.to_move());
    // The move is a legal one.
    let _ = after.play(player, pit);
    match after.status() {
        Status::Undecided => Gain::Stones(after.captured()),
        Status::Over(outcome) => {
            let of = |player| i16::from(outcome.scores.of(player));
            Gain::End(of(player) - of(player.opponent()))
        }
    }
}

/// A circle around the pit that the engine would sow. The numbers of stones stay:
/// GoGui takes all labels away for a command of type `var`.
pub(super) fn suggested_move(session: &mut Session<Awari>, out: &mut Response<'_>) {
    if let Status::Over(outcome) = session.played.game.status() {
        let reason = reason(&session.played.game, outcome);
        return out.text(format_args!("TEXT the game is over: {reason}"));
    }
    let color = session.played.to_move();
    // Of a game that goes on, and the player whose turn it is.
    if let Ok(Some(chosen)) = generation::choose(session, color) {
        out.text(format_args!("CIRCLE {}\nTEXT ", Turn::Sow(chosen.pit)));
        thought(color, chosen, out);
    }
}

/// What was thought of the last move, if it was chosen here.
pub(super) fn last_choice(game: &Game, last: Option<(Color, AwariChoice)>, out: &mut Response<'_>) {
    let Some((color, chosen)) = last else {
        return out.words(NOT_CHOSEN);
    };
    if game.is_over() && !chosen.proven {
        let turn = Turn::Sow(chosen.pit);
        out.text(format_args!("{color} {turn}: "));
        score(game, out);
        return out.words(", which ends the game; not proven to be the best move");
    }
    thought(color, chosen, out);
}

/// What was thought of a move of a player.
fn thought(color: Color, chosen: AwariChoice, out: &mut Response<'_>) {
    let turn = Turn::Sow(chosen.pit);
    let black = match color {
        Color::Black => chosen.margin,
        Color::White => -chosen.margin,
    };
    // At most 48.
    let margin = Outcome::from_lead(Color::Black, black.clamp(-48, 48) as i8);
    match (chosen.proven, margin) {
        // Only who wins is: a game ends with 25 stones.
        (true, Outcome::Won { winner, .. }) => {
            let winner = player_of(winner);
            out.text(format_args!("{color} {turn}: {winner} wins, proven"));
        }
        (true, Outcome::Drawn) => out.text(format_args!("{color} {turn}: drawn, proven")),
        (false, margin) => out.text(format_args!("{color} {turn}: about {margin}, not proven")),
    }
}
