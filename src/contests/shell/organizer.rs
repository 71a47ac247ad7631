//! The organizer, who gives commands to a server from its terminal or its page.

use std::fmt::Display;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use tokio::sync::{mpsc, oneshot};

use crate::pages::web::{self, CommandDone, CommandRefused, FromOrganizer};

/// The capacity of the queue of commands.
const MAX_QUEUED: usize = 1_024;

/// The answer to a command: a sentence or a list, which may be empty, or why the command is refused.
pub type Answer = Result<String, String>;

/// A command to a server.
pub trait ServerCommand: TryFrom<web::Command, Error: Display> + Send + 'static {
    /// The answer to commands that come when the server stops.
    const STOPPING: &'static str;
}

/// A command of the organizer, and where its answer is sent.
#[derive(Debug)]
pub(super) struct Asked<C> {
    pub command: C,
    pub reply: oneshot::Sender<Answer>,
}

/// The queue of the organizer's commands to a server.
#[derive(Debug)]
pub struct Commands<C> {
    organizer: OrganizerHandle<C>,
    receiver: mpsc::Receiver<Asked<C>>,
}

/// An empty queue.
impl<C> Default for Commands<C> {
    fn default() -> Commands<C> {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED);
        Commands {
            organizer: OrganizerHandle(sender),
            receiver,
        }
    }
}

impl<C> Commands<C> {
    /// Returns a handle by which the organizer gives commands to the server.
    pub fn organizer(&self) -> OrganizerHandle<C> {
        self.organizer.clone()
    }

    /// Waits for the next command.
    pub(super) async fn next(&mut self) -> Option<Asked<C>> {
        self.receiver.recv().await
    }

    /// Returns a command that waits, if there is one.
    pub(super) fn try_next(&mut self) -> Option<Asked<C>> {
        self.receiver.try_recv().ok()
    }
}

/// Gives commands to a running server.
#[derive(Debug)]
pub struct OrganizerHandle<C>(mpsc::Sender<Asked<C>>);

impl<C> Clone for OrganizerHandle<C> {
    fn clone(&self) -> OrganizerHandle<C> {
        OrganizerHandle(self.0.clone())
    }
}

impl<C: ServerCommand> OrganizerHandle<C> {
    /// Gives a command and waits for its answer. This blocks the thread.
    ///
    /// # Errors
    /// The command is refused.
    pub fn run(&self, command: C) -> Answer {
        let (reply, answer) = oneshot::channel();
        let _ = self.0.blocking_send(Asked { command, reply });
        // Without a server there is nobody to answer.
        let answer = answer.blocking_recv();
        answer.unwrap_or_else(|_| Err(C::STOPPING.to_owned()))
    }

    /// Gives a command and waits for its answer.
    async fn send(&self, command: C) -> Answer {
        let (reply, answer) = oneshot::channel();
        let _ = self.0.send(Asked { command, reply }).await;
        let answer = answer.await;
        answer.unwrap_or_else(|_| Err(C::STOPPING.to_owned()))
    }
}

/// Returns the route by which the page gives commands.
pub fn command_route<C: ServerCommand>(organizer: OrganizerHandle<C>) -> Router {
    Router::new().route("/act", post(act::<C>).with_state(organizer))
}

/// Carries out a command of the page.
async fn act<C: ServerCommand>(
    State(organizer): State<OrganizerHandle<C>>,
    FromOrganizer(command): FromOrganizer,
) -> Result<CommandDone, CommandRefused> {
    let refused = |why: &dyn Display| CommandRefused::new(why.to_string());
    let command = C::try_from(command).map_err(|why| refused(&why))?;
    let answer = organizer.send(command).await;
    answer.map(|_| CommandDone).map_err(|why| refused(&why))
}
