//! The lobby of a server with teams, from which the tables take clients that they have seats for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, mpsc, oneshot};

use super::page::PageUpdates;
use super::{Message, Outbox};
use crate::base::color::Color;
use crate::contests::netref::client::ConnId;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::lobby::{Entrant, Lobby};
use crate::contests::netref::summary::Player;

/// How a client in the lobby is reached.
pub struct Link<M> {
    /// The queue of texts for it.
    outbox: Outbox,
    /// Receives the sender to its table, when it is seated.
    seat: oneshot::Sender<mpsc::Sender<Message<M>>>,
}

impl<M> Link<M> {
    /// Tells the client that it is seated at a table, and returns the queue of texts for it; `None`
    /// if it is gone.
    pub fn seat_at(self, table: mpsc::Sender<Message<M>>) -> Option<Outbox> {
        self.seat.send(table).ok()?;
        Some(self.outbox)
    }
}

/// The clients that wait, shared by all connections and tables of a server.
pub struct LobbyHub<M> {
    lobby: Mutex<Lobby<Link<M>>>,
    changed: Notify,
    /// What wakes each table, by server number.
    tables: Mutex<BTreeMap<u16, Arc<Notify>>>,
    /// Where changes are noted for the page, if there is one.
    page: Option<Arc<PageUpdates<M>>>,
}

impl<M: Copy> LobbyHub<M> {
    pub fn new(page: Option<Arc<PageUpdates<M>>>) -> LobbyHub<M> {
        LobbyHub {
            lobby: Mutex::default(),
            changed: Notify::new(),
            tables: Mutex::default(),
            page,
        }
    }

    /// Adds a client, which waits until its ticket is dropped or a table takes it.
    pub fn enter(
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
    pub fn read<T>(&self, read: impl FnOnce(&Lobby<Link<M>>) -> T) -> T {
        read(&self.lock())
    }

    /// Wakes the tables to look for clients that they have seats for, the first one first, so that
    /// spectators find matches at the first tables.
    pub fn wake(&self) {
        self.changed.notify_waiters();
        for table in self.tables().values() {
            table.notify_one();
        }
    }

    /// Returns what wakes the table with this server number.
    pub fn table(&self, number: u16) -> Arc<Notify> {
        Arc::clone(self.tables().entry(number).or_default())
    }

    /// Resolves when a client comes or leaves, or the tournament has changed.
    pub fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Describes the waiting clients, one per line.
    pub fn describe<G: NetrefGame<Move = M>>(&self) -> Vec<String> {
        self.read(|lobby| {
            let waiting = lobby.iter();
            waiting.map(|entrant| entrant.who::<G>().waits()).collect()
        })
    }

    /// Changes the lobby. If the number of clients has changed, all parts are notified.
    pub fn change<T>(&self, change: impl FnOnce(&mut Lobby<Link<M>>) -> T) -> T {
        let mut lobby = self.lock();
        let before = lobby.count();
        let result = change(&mut lobby);
        let has_changed = before != lobby.count();
        if let Some(page) = self.page.as_ref().filter(|_| has_changed) {
            page.lobby(&lobby);
        }
        drop(lobby);
        if has_changed {
            self.wake();
        }
        result
    }

    fn tables(&self) -> MutexGuard<'_, BTreeMap<u16, Arc<Notify>>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Lobby<Link<M>>> {
        self.lobby.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a client in the lobby; dropping this leaves the lobby.
pub struct Ticket<M: Copy> {
    hub: Arc<LobbyHub<M>>,
    conn: ConnId,
    seat: oneshot::Receiver<mpsc::Sender<Message<M>>>,
}

impl<M: Copy> Ticket<M> {
    /// Waits until the client is seated, and returns the sender to its table.
    pub async fn seated(&mut self) -> Option<mpsc::Sender<Message<M>>> {
        (&mut self.seat).await.ok()
    }

    /// Leaves the lobby; returns the sender to the table where the client has just been seated,
    /// if it has.
    pub fn leave(mut self) -> Option<mpsc::Sender<Message<M>>> {
        self.seat.try_recv().ok()
    }
}

impl<M: Copy> Drop for Ticket<M> {
    fn drop(&mut self) {
        self.hub.change(|lobby| lobby.remove(self.conn));
    }
}
