//! The connection of a player who waits in the lobby.

use std::future::pending;
use std::io;
use std::pin::pin;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::{RefusalDelay, drop_malformed, next_line, send};
use crate::color::Color;
use crate::netref::client::ConnId;
use crate::netref::game::NetrefGame;
use crate::netref::log::{LogEvent, Who};
use crate::netref::server::lobby::LobbyHub;
use crate::netref::server::transcripts::RecordedStream;
use crate::netref::server::{Message, Outbox, Permit, Shared, stopping};
use crate::netref::summary::Player;
use crate::netref::table::{MAX_MALFORMED, Refusal};
use crate::netref::tournament::NotDue;
use crate::netref::wire::{Action, Lines, Response};

/// Lets a player wait in the lobby; returns the sender to the table where it is seated, or `None`
/// if the connection is to be closed. What it requests meanwhile is refused.
///
/// # Errors
/// If the socket fails.
pub(super) async fn wait<G: NetrefGame>(
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
            checked.map_err(|NotDue { refusal, why }| match refusal {
                Some(refusal) => Response::<G>::Refused(refusal, why),
                None => Response::Problem(why),
            })
        }
    };
    let mut ticket = lobby.enter((conn, player), side, outbox, shared.now());
    let mut state = shared.state();
    let mut timeout = pin!(shared.lobby_over());
    let mut delay = RefusalDelay::default();
    let mut malformed = 0;
    let mut changes = shared.tournament().map(|tournament| tournament.changes());
    let ended = loop {
        if let Err(refusal) = check() {
            break Err(refusal);
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
            why = stopping(&mut state) => break Err(Response::Problem(why)),
            () = &mut timeout => {
                break Err(Response::Problem("Nobody came to play; ask again".to_owned()));
            }
            () = change => continue,
            line = next_line(stream, lines) => line,
        };
        let Ok(Some(line)) = line else {
            break Ok(line.map(|_| ()));
        };
        if permit.pace(stream).await {
            break Ok(Ok(()));
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
            break Ok(Err(error));
        }
        if malformed == MAX_MALFORMED {
            break Ok(drop_malformed::<G>(stream, who.clone(), shared).await);
        }
    };
    // A table may have seated it at the same moment.
    if let Some(table) = ticket.leave() {
        return match ended {
            Err(_) => Ok(Some(table)),
            Ok(left) => {
                let why = left.as_ref().err().map(io::Error::to_string);
                let at = shared.now();
                let _ = table.send(Message::Left { conn, at, why }).await;
                left.map(|()| None)
            }
        };
    }
    match ended {
        Err(response) => {
            let response = response.to_string();
            shared.log(LogEvent::Refused {
                who,
                response: response.trim_end().to_owned(),
            });
            send(stream, &response).await?;
        }
        Ok(left) => {
            left?;
            if malformed < MAX_MALFORMED {
                shared.log(LogEvent::Left { who });
            }
        }
    }
    Ok(None)
}
