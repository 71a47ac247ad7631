//! What the organiser orders from the page.

use axum::extract::State;
use tokio::sync::{mpsc, oneshot};

use super::client::ClientId;
use super::entry::GameId;
use super::host::Input;
use super::organiser::Action;
use crate::go::Color;
use crate::tournament::{Games, Kind, Settings};
use crate::web::{self, CommandDone, CommandRefused, FromOrganizer};

/// Does what is ordered, and says whether it is done.
pub(super) async fn act(
    State(inputs): State<mpsc::Sender<Input>>,
    FromOrganizer(command): FromOrganizer,
) -> Result<CommandDone, CommandRefused> {
    let action = Action::try_from(command).map_err(CommandRefused::new)?;
    let (reply, answer) = oneshot::channel();
    let stops = |_| CommandRefused::new("the server stops");
    let act = Input::Act { action, reply };
    inputs
        .send(act)
        .await
        .map_err(|_| CommandRefused::new("the server stops"))?;
    match answer.await.map_err(stops)? {
        Ok(()) => Ok(CommandDone),
        Err(why) => Err(CommandRefused::new(why)),
    }
}

impl TryFrom<web::Command> for Action {
    type Error = String;

    fn try_from(ordered: web::Command) -> Result<Action, String> {
        Ok(match ordered {
            web::Command::Assign {
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
            web::Command::Swap { table } => Action::Swap {
                table: number(table)?,
            },
            web::Command::Start { table } => Action::Start {
                table: number(table)?,
            },
            web::Command::Pause { table } => Action::Pause {
                table: number(table)?,
            },
            web::Command::Resume { table } => Action::Resume {
                table: number(table)?,
            },
            web::Command::Void { table } => Action::Clear {
                table: number(table)?,
            },
            web::Command::Adjourn { table } => Action::Adjourn {
                table: number(table)?,
            },
            web::Command::ResumeAdjourned { table, game } => Action::Recall {
                table: number(table)?,
                game: game
                    .parse()
                    .map(GameId)
                    .map_err(|_| format!("{game:?} is no number of a game"))?,
            },
            web::Command::Disconnect { client } => Action::Disconnect {
                client: ClientId(client),
            },
            web::Command::Tournament {
                kind,
                rounds,
                games,
                apart,
            } => Action::Tournament(settings(kind, rounds, games, &apart)?),
            web::Command::Withdraw { name } => Action::Withdraw { name },
            web::Command::EndTournament => Action::EndTournament,
        })
    }
}

/// The settings of a tournament; the seed is drawn.
fn settings(
    kind: web::PairingSystem,
    rounds: Option<u16>,
    games: u16,
    apart: &[[String; 2]],
) -> Result<Settings, String> {
    let kind = match (kind, rounds) {
        (web::PairingSystem::RoundRobin, _) => Kind::RoundRobin,
        (web::PairingSystem::Swiss, Some(rounds)) => Kind::Swiss {
            rounds: rounds.into(),
        },
        (web::PairingSystem::Swiss, None) => return Err("how many rounds?".into()),
    };
    let games = u8::try_from(games).unwrap_or(u8::MAX);
    let games = Games::try_from(games).map_err(|why| why.to_string())?;
    let name = |name: &String| name.parse().map_err(|why| format!("{name:?}: {why}"));
    let pair = |[one, other]: &[String; 2]| Ok([name(one)?, name(other)?]);
    Ok(Settings {
        kind,
        games,
        seed: rand::random(),
        apart: apart.iter().map(pair).collect::<Result<_, String>>()?,
    })
}

fn number(table: u32) -> Result<u16, String> {
    u16::try_from(table).map_err(|_| format!("there is no table {table}"))
}
