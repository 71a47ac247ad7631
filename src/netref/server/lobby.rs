//! The lobby of a server with teams: the tables take from it the clients that they have seats
//! for.

use std::future::pending;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, mpsc, oneshot};

use super::connection::{RefusalDelay, drop_malformed, next_line, send};
use super::page::PageUpdates;
use super::transcripts::RecordedStream;
use super::{Message, Outbox, Permit, Shared, stopping};
use crate::color::Color;
use crate::netref::client::ConnId;
use crate::netref::game::NetrefGame;
use crate::netref::lobby::{Entrant, Lobby};
use crate::netref::log::{LogEvent, Who};
use crate::netref::summary::Player;
use crate::netref::table::{MAX_MALFORMED, Refusal};
use crate::netref::tournament::NotDue;
use crate::netref::wire::{Action, Lines, Response};

/// How a client in the lobby is reached.
pub(super) struct Link<M> {
    /// The queue of texts for it.
    pub(super) outbox: Outbox,
    /// Receives the sender to its table, when it is seated.
    pub(super) seat: oneshot::Sender<mpsc::Sender<Message<M>>>,
}

/// The clients that wait, shared by all connections and tables of a server.
pub(super) struct LobbyHub<M> {
    lobby: Mutex<Lobby<Link<M>>>,
    changed: Notify,
    /// Where changes are noted for the page, if there is one.
    page: Option<Arc<PageUpdates<M>>>,
}

impl<M: Copy> LobbyHub<M> {
    pub(super) fn new(page: Option<Arc<PageUpdates<M>>>) -> LobbyHub<M> {
        LobbyHub {
            lobby: Mutex::default(),
            changed: Notify::new(),
            page,
        }
    }

    /// Adds a client, which waits until its ticket is dropped or a table takes it.
    pub(super) fn enter(
        self: &Arc<Self>,
        (conn, player): (ConnId, Player),
        side: Option<Color>,
        outbox: Outbox,
        since: Duration,
    ) -> Ticket<M> {
        let (sender, seat) = oneshot::channel();
        let link = Link {
            outbox,
            seat: sender,
        };
        self.change(|lobby| {
            lobby.enter(Entrant {
                conn,
                player,
                side,
                since,
                link,
            });
        });
        Ticket {
            hub: Arc::clone(self),
            conn,
            seat,
        }
    }

    /// Reads the lobby.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Lobby<Link<M>>) -> T) -> T {
        read(&self.lock())
    }

    /// Lets the tables look again for whom they have a seat.
    pub(super) fn wake(&self) {
        self.changed.notify_waiters();
    }

    /// Resolves when a client comes or leaves, or the tournament has changed.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Describes the clients that wait, one line for each.
    pub(super) fn describe<G: NetrefGame<Move = M>>(&self) -> Vec<String> {
        self.read(|lobby| {
            let waiting = lobby.iter();
            waiting.map(|entrant| entrant.who::<G>().waits()).collect()
        })
    }

    /// Changes the lobby. If there are then more or fewer clients, all parts are told.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Lobby<Link<M>>) -> T) -> T {
        let mut lobby = self.lock();
        let before = lobby.len();
        let result = change(&mut lobby);
        let has_changed = before != lobby.len();
        if let Some(page) = self.page.as_ref().filter(|_| has_changed) {
            page.lobby(&lobby);
        }
        drop(lobby);
        if has_changed {
            self.wake();
        }
        result
    }

    fn lock(&self) -> MutexGuard<'_, Lobby<Link<M>>> {
        self.lobby.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a client in the lobby, which it leaves when this is dropped.
pub(super) struct Ticket<M: Copy> {
    hub: Arc<LobbyHub<M>>,
    conn: ConnId,
    seat: oneshot::Receiver<mpsc::Sender<Message<M>>>,
}

impl<M: Copy> Ticket<M> {
    /// Waits until the client is seated, and returns the sender to its table.
    pub(super) async fn seated(&mut self) -> Option<mpsc::Sender<Message<M>>> {
        (&mut self.seat).await.ok()
    }

    /// Leaves the lobby; returns the sender to the table where the client has just been seated,
    /// if it has.
    pub(super) fn leave(mut self) -> Option<mpsc::Sender<Message<M>>> {
        self.seat.try_recv().ok()
    }
}

impl<M: Copy> Drop for Ticket<M> {
    fn drop(&mut self) {
        self.hub.change(|lobby| lobby.remove(self.conn));
    }
}

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
