//! The line of a match in the results.

use std::time::Duration;

use super::entry::millis;
use super::game::NetrefGame;
use super::summary::Summary;
use crate::base::color::ByColor;
use crate::contests::results::{GameOver, ResultLine, ResultPlayer};

/// Returns the line of a match in the results.
pub fn result_line<G: NetrefGame>(summary: &Summary) -> ResultLine {
    let ending = &summary.ending;
    let players = ByColor::from_fn(|side| {
        let player = &summary.players[side];
        let client = player.client.as_ref();
        let address = client.and_then(|client| client.address);
        ResultPlayer {
            side: G::SIDES[side].to_owned(),
            name: player.name.as_ref().map(|name| name.as_str().to_owned()),
            team: player.team().map(|team| team.as_str().to_owned()),
            house: player.is_house(),
            connection: client.map(|client| client.conn.to_string()),
            address: address.map(|address| address.to_string()),
            points: None,
            clock: summary.times.map(|times| times[side].as_secs_f64()),
            seconds: Duration::from_millis(millis(summary.spent[side])).as_secs_f64(),
        }
    });
    let over = GameOver {
        id: summary.id.clone(),
        game: G::NAME,
        table: summary.server,
        began: summary.started,
        outcome: (!ending.is_void()).then_some(ending.winner),
        reason: ending.reason.to_string(),
        result: ending.describe(G::PLAYERS),
        exchange: ending.exchange.clone(),
        score: ending.score.clone(),
        moves: summary.plies,
        extension: G::RECORD_EXTENSION,
        scheduled: summary.scheduled.clone(),
    };
    ResultLine::new(over, players)
}
