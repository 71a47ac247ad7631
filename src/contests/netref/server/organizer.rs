//! The organizer, who runs the server: gives commands from the terminal or the page.

use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use tokio::sync::{mpsc, oneshot};

use super::{Answer, Input, Inputs, LogSink};
use crate::contests::contest::TournamentCommand;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::referee::{CommandError, RefereeCommand};
use crate::contests::shell::{Records, record_routes};
use crate::pages::web::{
    self, AccessPolicy, CommandDone, CommandRefused, Feed, RejectedRequest, guarded,
};

/// Sends commands to a running referee.
pub struct RefereeHandle<M>(mpsc::Sender<Input<M>>);

impl<M> Clone for RefereeHandle<M> {
    fn clone(&self) -> RefereeHandle<M> {
        RefereeHandle(self.0.clone())
    }
}

impl<M> Inputs<M> {
    /// Returns a handle by which the organizer gives commands to the server.
    pub fn organizer(&self) -> RefereeHandle<M> {
        RefereeHandle(self.sender.clone())
    }
}

impl<M> RefereeHandle<M> {
    /// Sends a command and waits for its result. This blocks the thread.
    ///
    /// # Errors
    /// Returns the reason if the command is refused.
    pub fn run(&self, command: RefereeCommand) -> Answer {
        let (reply, answer) = oneshot::channel();
        let sent = self.0.blocking_send(Input::Command { command, reply });
        sent.map_err(|_| CommandError::Stopping)?;
        answer.blocking_recv().map_err(|_| CommandError::Stopping)?
    }

    /// Sends a command and waits for its result.
    ///
    /// # Errors
    /// Returns the reason if the command is refused.
    async fn send(&self, command: RefereeCommand) -> Answer {
        let (reply, answer) = oneshot::channel();
        let sent = self.0.send(Input::Command { command, reply }).await;
        sent.map_err(|_| CommandError::Stopping)?;
        answer.await.map_err(|_| CommandError::Stopping)?
    }
}

/// Creates the routes of the page. All visitors can watch; `access` knows the organizer. The records
/// of matches are served from this folder. Rejected requests are logged for the table with this
/// server number.
pub fn site<G: NetrefGame>(
    feed: Feed,
    referee: RefereeHandle<G::Move>,
    access: AccessPolicy,
    records: Option<Records>,
    (number, sink): (u16, LogSink),
) -> Router {
    let routes = web::feed_routes(feed)
        .route("/", get(web::feed_page))
        .route("/act", post(act::<G::Move>).with_state(referee))
        .merge(record_routes(records));
    let tell = move |RejectedRequest { address, why }| {
        let address = address.map_or_else(|| "nowhere".into(), |address| address.to_string());
        sink(number, LogEvent::Rejected { address, why });
    };
    guarded(routes, access.on_rejected(tell))
}

/// Runs a command from the page.
async fn act<M: Send + 'static>(
    State(referee): State<RefereeHandle<M>>,
    web::FromOrganizer(action): web::FromOrganizer,
) -> Result<CommandDone, CommandRefused> {
    let number = |table: u32| {
        u16::try_from(table).map_err(|_| CommandRefused::new(format!("there is no table {table}")))
    };
    let command = match action {
        web::Command::Void { table } => RefereeCommand::Void(number(table)?),
        web::Command::Adjourn { table } => RefereeCommand::Adjourn(number(table)?),
        web::Command::Recall { table, game } => RefereeCommand::Resume {
            id: game,
            table: Some(number(table)?),
        },
        about_tournament => match TournamentCommand::of_page(&about_tournament) {
            Some(Ok(command)) => RefereeCommand::Tournament(command),
            Some(Err(why)) => return Err(CommandRefused::new(why.to_string())),
            None => {
                return Err(CommandRefused::new(
                    "here matches can be voided, adjourned and resumed only",
                ));
            }
        },
    };
    let sent = referee.send(command).await;
    sent.map_err(|why| CommandRefused::new(why.to_string()))?;
    Ok(CommandDone)
}
