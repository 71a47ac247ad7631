//! The door of a table: connections come in, as many as there may be.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::sleep;

use super::client::{Client, Who};
use super::connection::{Message, close, send, serve};
use super::game::NetrefGame;
use super::news::News;
use super::server::{Permit, Shared, stopping};
use super::wire::Response;
use crate::net::configure_socket;

/// How many connections too many are told so at once.
pub(super) const DOORSTEP: usize = 64;

/// Who lets people in.
pub(super) struct Usher {
    pub(super) listener: TcpListener,
    pub(super) shared: Shared,
}

impl Usher {
    pub(super) async fn run<G: NetrefGame>(
        self,
        door: mpsc::Sender<Message<G::Move>>,
        connections: Arc<Semaphore>,
    ) {
        let mut state = self.shared.state();
        let doorstep = Arc::new(Semaphore::new(DOORSTEP));
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                _ = stopping(&mut state) => return,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Most likely there are too many open files: some will be
                    // closed in time.
                    let what = format!("cannot accept a connection: {error}");
                    self.shared.say(News::Failed { what });
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let conn = self.shared.next_connection();
            self.shared.say(News::Connected { conn, peer });
            // Without it, all works but for what has vanished.
            let _ = configure_socket(&stream);
            match Arc::clone(&connections).try_acquire_owned() {
                Ok(permit) => {
                    let (door, shared) = (door.clone(), self.shared.clone());
                    tokio::spawn(async move {
                        let permit = Permit::new(permit);
                        let client = Client {
                            conn,
                            address: Some(peer),
                        };
                        if let Err(error) =
                            serve::<G>(stream, client, permit, door, shared.clone()).await
                        {
                            let (who, why) = (Who::stranger(conn), error.to_string());
                            shared.say(News::Dropped { who, why });
                        }
                    });
                }
                Err(_) => {
                    let why = "there are too many connections".to_owned();
                    let who = Who::stranger(conn);
                    self.shared.say(News::Dropped { who, why });
                    turn_away::<G>(stream, &doorstep);
                }
            }
        }
    }
}

/// Tells a connection that there are too many; of those that come at once, a few
/// are told and the others just closed.
fn turn_away<G: NetrefGame>(mut stream: TcpStream, doorstep: &Arc<Semaphore>) {
    let Ok(permit) = Arc::clone(doorstep).try_acquire_owned() else {
        return;
    };
    let text = Response::<G>::Problem("There are too many connections".into()).to_string();
    tokio::spawn(async move {
        if send(&mut stream, &text).await.is_ok() {
            close(stream).await;
        }
        drop(permit);
    });
}
