//! What the organiser orders from the page.

use axum::extract::State;
use tokio::sync::{mpsc, oneshot};

use super::client::ClientId;
use super::entry::GameId;
use super::host::Input;
use super::organiser::Action;
use crate::go::Color;
use crate::web::{self, Done, Order, Refused};

/// Does what is ordered, and says whether it is done.
pub(super) async fn act(
    State(inputs): State<mpsc::Sender<Input>>,
    Order(ordered): Order,
) -> Result<Done, Refused> {
    let action = Action::try_from(ordered).map_err(Refused::new)?;
    let (reply, answer) = oneshot::channel();
    let stops = |_| Refused::new("the server stops");
    let act = Input::Act { action, reply };
    inputs
        .send(act)
        .await
        .map_err(|_| Refused::new("the server stops"))?;
    match answer.await.map_err(stops)? {
        Ok(()) => Ok(Done),
        Err(why) => Err(Refused::new(why)),
    }
}

impl TryFrom<web::Action> for Action {
    type Error = String;

    fn try_from(ordered: web::Action) -> Result<Action, String> {
        Ok(match ordered {
            web::Action::Assign {
                table,
                color,
                client,
            } => Action::Assign {
                table: number(table)?,
                color: match color.as_str() {
                    "B" => Color::Black,
                    "W" => Color::White,
                    _ => return Err("the color is \"B\" or \"W\"".into()),
                },
                client: client.map(ClientId),
            },
            web::Action::Swap { table } => Action::Swap {
                table: number(table)?,
            },
            web::Action::Start { table } => Action::Start {
                table: number(table)?,
            },
            web::Action::Pause { table } => Action::Pause {
                table: number(table)?,
            },
            web::Action::Resume { table } => Action::Resume {
                table: number(table)?,
            },
            web::Action::Clear { table } => Action::Clear {
                table: number(table)?,
            },
            web::Action::Adjourn { table } => Action::Adjourn {
                table: number(table)?,
            },
            web::Action::Recall { table, game } => Action::Recall {
                table: number(table)?,
                game: game
                    .parse()
                    .map(GameId)
                    .map_err(|_| format!("{game:?} is no number of a game"))?,
            },
            web::Action::Disconnect { client } => Action::Disconnect {
                client: ClientId(client),
            },
            web::Action::Tournament { .. }
            | web::Action::Withdraw { .. }
            | web::Action::EndTournament => return Err("there are no tournaments yet".into()),
        })
    }
}

fn number(table: u32) -> Result<u16, String> {
    u16::try_from(table).map_err(|_| format!("there is no table {table}"))
}
