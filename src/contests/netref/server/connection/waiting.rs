//! The connection of a player who waits in the lobby.

use std::future::pending;
use std::io;
use std::pin::pin;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::{RefusalDelay, drop_malformed, loss_of, next_line, send};
use crate::base::color::Color;
use crate::contests::netref::client::ConnId;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::{LogEvent, Who};
use crate::contests::netref::server::lobby::LobbyHub;
use crate::contests::netref::server::transcripts::RecordedStream;
use crate::contests::netref::server::{Message, Outbox, Permit, Shared, stopping};
use crate::contests::netref::summary::Player;
use crate::contests::netref::table::{Loss, MAX_MALFORMED, Refusal};
use crate::contests::netref::wire::{Action, Lines, Response};

/// How the wait of a player ends, other than with a seat.
enum WaitEnd<G: NetrefGame> {
    /// The player is sent this, and disconnected.
    Refused(Response<G>),
    /// The player has left.
    Left,
    /// The player sent too many malformed requests in a row, and has been disconnected.
    Malformed,
    /// The socket failed.
    Failed(io::Error),
}

/// Lets a player wait in the lobby; returns the sender to the table where it is seated, or `None`
/// if the connection is to be closed. Its requests are refused meanwhile.
///
/// # Errors
/// If the socket fails.
pub async fn wait<G: NetrefGame>(
    (stream, lines, permit): (&mut RecordedStream, &mut Lines, &Permit),
    conn: ConnId,
    (player, side, outbox): (Player, Option<Color>, Outbox),
    lobby: &Arc<LobbyHub<G::Move>>,
    shared: &Shared,
) -> io::Result<Option<mpsc::Sender<Message<G::Move>>>> {
    let who = Who::seeking::<G>(&player, side);
    shared.log(LogEvent::Waiting {
        who: Who {
            address: player.client.as_ref().and_then(|client| client.address),
            ..who.clone()
        },
    });
    let team = player.team().cloned();
    let check = || match shared.tournament() {
        None => Ok(()),
        Some(tournament) => {
            let state = tournament.state();
            let checked = state.check_entrant(team.as_ref(), side, G::SIDES);
            checked.map_err(|refusal| match refusal.role_refusal() {
                Some(code) => Response::<G>::Refused(code, refusal.to_string()),
                None => Response::Problem(refusal.to_string()),
            })
        }
    };
    let mut ticket = lobby.enter((conn, player), side, outbox, shared.now());
    let mut state = shared.state();
    let mut timeout = pin!(shared.lobby_over());
    let mut delay = RefusalDelay::default();
    let mut malformed = 0;
    let mut changes = shared.tournament().map(|tournament| tournament.changes());
    let end = loop {
        if let Err(refusal) = check() {
            break WaitEnd::Refused(refusal);
        }
        let change = async {
            if let Some(changes) = &mut changes
                && changes.changed().await.is_ok()
            {
                return;
            }
            pending().await
        };
        let line = tokio::select! {
            biased;
            table = ticket.seated() => return Ok(table),
            why = stopping(&mut state) => break WaitEnd::Refused(Response::Problem(why)),
            () = &mut timeout => {
                let why = "Nobody came to play; ask again".to_owned();
                break WaitEnd::Refused(Response::Problem(why));
            }
            () = change => continue,
            line = next_line(stream, lines) => line,
        };
        let line = match line {
            Ok(Some(line)) => line,
            Ok(None) => break WaitEnd::Left,
            Err(error) => break WaitEnd::Failed(error),
        };
        if permit.pace(stream).await {
            break WaitEnd::Left;
        }
        let refusal = match line.text().and_then(Action::<G::Move>::parse::<G>) {
            Ok(_) => {
                malformed = 0;
                Refusal::Illegal("the match has not begun".into())
            }
            Err(why) => {
                malformed += 1;
                why.into()
            }
        };
        let text = Response::<G>::from(refusal).to_string();
        shared.log(LogEvent::Refused {
            who: who.clone(),
            response: text.trim_end().to_owned(),
        });
        delay.delay_answer(true).await;
        if let Err(error) = send(stream, &text).await {
            break WaitEnd::Failed(error);
        }
        if malformed == MAX_MALFORMED {
            break match drop_malformed::<G>(stream, who.clone(), shared).await {
                Ok(()) => WaitEnd::Malformed,
                Err(error) => WaitEnd::Failed(error),
            };
        }
    };
    // A table may have seated it at the same moment.
    if let Some(table) = ticket.leave() {
        let (loss, result) = match end {
            WaitEnd::Refused(_) => return Ok(Some(table)),
            WaitEnd::Left | WaitEnd::Malformed => (Loss::Closed, Ok(None)),
            WaitEnd::Failed(error) => (loss_of(&error), Err(error)),
        };
        let at = shared.now();
        let _ = table.send(Message::Left { conn, at, loss }).await;
        return result;
    }
    match end {
        WaitEnd::Refused(response) => {
            let response = response.to_string();
            shared.log(LogEvent::Refused {
                who,
                response: response.trim_end().to_owned(),
            });
            send(stream, &response).await?;
        }
        WaitEnd::Left => shared.log(LogEvent::Left { who }),
        WaitEnd::Malformed => {}
        WaitEnd::Failed(error) => return Err(error),
    }
    Ok(None)
}
