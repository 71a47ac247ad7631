//! The commands of the organizer, who runs the server: from the terminal or the page.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path as UrlPath, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use itertools::Itertools;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;

use super::answer::{Answer, CommandError};
use super::journals::{ADJOURNED, Adjourned, list_adjourned};
use super::lobby::LobbyHub;
use super::tournament::{self, TournamentCommand, TournamentError};
use super::{LogSink, Message, Shared, stopping};
use crate::contests::netref::client::Name;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::records::Records;
use crate::pages::web::{
    self, AccessPolicy, CommandDone, CommandRefused, Feed, RejectedRequest, guarded,
};

/// The capacity of the queue of commands.
const MAX_QUEUED: usize = 16;

/// The commands that can be typed.
pub const HELP: &str = "\
list            show the tables and the adjourned matches
void TABLE      end the match at a table without a winner; it is recorded as void
adjourn TABLE   adjourn the match at a table, to be resumed later
resume MATCH    put an adjourned match back on its table, where it waits for its players
help            show this";

/// A command of the organizer to the referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefereeCommand {
    /// List the commands.
    Help,
    /// List the tables and the adjourned matches.
    List,
    /// End the match at the table with this server number without a winner.
    Void(u16),
    /// Adjourn the match at the table with this server number.
    Adjourn(u16),
    /// Resume the adjourned match with this ID.
    Resume {
        /// The ID of the match.
        id: String,
        /// Its table, if the organizer names it.
        table: Option<u16>,
    },
    /// Begin or end a tournament of the teams, or withdraw a team.
    Tournament(TournamentCommand),
}

/// An invalid command line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseRefereeCommandError {
    /// The first word is not a command.
    #[error("there is no command {0:?}: the commands are list, void, adjourn, resume and help")]
    Unknown(String),
    /// The command lacks an argument, or has one too many.
    #[error("{0}")]
    Incomplete(&'static str),
}

impl FromStr for RefereeCommand {
    type Err = ParseRefereeCommandError;

    fn from_str(line: &str) -> Result<RefereeCommand, ParseRefereeCommandError> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let table = |word: &&str| word.parse().ok();
        let [command, arguments @ ..] = &words[..] else {
            return Ok(RefereeCommand::Help);
        };
        let why = match (command.to_ascii_lowercase().as_str(), arguments) {
            ("help" | "?", _) => return Ok(RefereeCommand::Help),
            ("list", []) => return Ok(RefereeCommand::List),
            ("list", _) => "list takes no argument",
            ("void", [word]) if table(word).is_some() => {
                return Ok(RefereeCommand::Void(table(word).unwrap_or_default()));
            }
            ("void", _) => "void needs the number of a table, as in void 2",
            ("adjourn", [word]) if table(word).is_some() => {
                return Ok(RefereeCommand::Adjourn(table(word).unwrap_or_default()));
            }
            ("adjourn", _) => "adjourn needs the number of a table, as in adjourn 2",
            ("resume", [name]) => {
                return Ok(RefereeCommand::Resume {
                    id: (*name).to_owned(),
                    table: None,
                });
            }
            ("resume", _) => "resume needs the name of a match, which list shows",
            _ => return Err(ParseRefereeCommandError::Unknown((*command).to_owned())),
        };
        Err(ParseRefereeCommandError::Incomplete(why))
    }
}

/// A queued command.
struct PendingCommand {
    command: RefereeCommand,
    reply: oneshot::Sender<Answer>,
}

/// Sends commands to a running referee.
#[derive(Clone)]
pub struct RefereeHandle(mpsc::Sender<PendingCommand>);

/// The commands that a server receives.
pub struct RefereeCommands(mpsc::Receiver<PendingCommand>);

/// Creates a queue of commands: its sender, and the receiver for the server.
pub fn command_queue() -> (RefereeHandle, RefereeCommands) {
    let (sender, receiver) = mpsc::channel(MAX_QUEUED);
    (RefereeHandle(sender), RefereeCommands(receiver))
}

impl RefereeHandle {
    /// Sends a command and waits for its result. This blocks the thread.
    ///
    /// # Errors
    /// Returns the reason if the command is refused.
    pub fn run(&self, command: RefereeCommand) -> Answer {
        let (reply, answer) = oneshot::channel();
        let sent = self.0.blocking_send(PendingCommand { command, reply });
        sent.map_err(|_| CommandError::Stopping)?;
        answer.blocking_recv().map_err(|_| CommandError::Stopping)?
    }

    /// Sends a command and waits for its result.
    ///
    /// # Errors
    /// Returns the reason if the command is refused.
    async fn send(&self, command: RefereeCommand) -> Answer {
        let (reply, answer) = oneshot::channel();
        let sent = self.0.send(PendingCommand { command, reply }).await;
        sent.map_err(|_| CommandError::Stopping)?;
        answer.await.map_err(|_| CommandError::Stopping)?
    }
}

impl RefereeCommands {
    /// Returns the next command, and the sender of its result; `None` when no
    /// [`RefereeHandle`] is left.
    async fn next(&mut self) -> Option<(RefereeCommand, oneshot::Sender<Answer>)> {
        let PendingCommand { command, reply } = self.0.recv().await?;
        Some((command, reply))
    }
}

/// Creates the routes of the page. All visitors can watch; `access` knows the organizer. The records
/// of matches are served from this folder. Rejected requests are logged for the table with this
/// server number.
pub fn site<G: NetrefGame>(
    feed: Feed,
    referee: RefereeHandle,
    access: AccessPolicy,
    records: Option<Records>,
    (number, sink): (u16, LogSink),
) -> Router {
    let routes = web::feed_routes(feed)
        .route("/", get(web::feed_page))
        .route("/act", post(act).with_state(referee))
        .route("/records/{name}", get(record::<G>).with_state(records));
    let tell = move |RejectedRequest { address, why }| {
        let address = address.map_or_else(|| "nowhere".into(), |address| address.to_string());
        sink(number, LogEvent::Rejected { address, why });
    };
    guarded(routes, access.on_rejected(tell))
}

/// Serves the record of a match, in which spectators do not see the addresses of the players.
async fn record<G: NetrefGame>(
    State(records): State<Option<Records>>,
    UrlPath(name): UrlPath<String>,
) -> Response {
    let read = spawn_blocking(move || records.map(|records| records.read_public::<G>(&name)));
    let content_type = match G::RECORD_EXTENSION {
        "sgf" => "application/x-go-sgf",
        _ => "text/plain; charset=utf-8",
    };
    match read.await {
        Ok(Some(Ok(Some(record)))) => ([(CONTENT_TYPE, content_type)], record).into_response(),
        Ok(None | Some(Ok(None))) => StatusCode::NOT_FOUND.into_response(),
        Ok(Some(Err(_))) | Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Runs a command from the page.
async fn act(
    State(referee): State<RefereeHandle>,
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
        web::Command::Tournament {
            kind,
            rounds,
            games,
            apart,
        } => {
            let settings = web::requested_settings(kind, rounds, games, &apart);
            let settings = settings.map_err(|why| CommandRefused::new(why.to_string()))?;
            RefereeCommand::Tournament(TournamentCommand::Begin(settings))
        }
        web::Command::Withdraw { name } => {
            RefereeCommand::Tournament(TournamentCommand::Withdraw(name))
        }
        web::Command::EndTournament => RefereeCommand::Tournament(TournamentCommand::End),
        _ => {
            return Err(CommandRefused::new(
                "here matches can be voided, adjourned and resumed only",
            ));
        }
    };
    let sent = referee.send(command).await;
    sent.map_err(|why| CommandRefused::new(why.to_string()))?;
    Ok(CommandDone)
}

/// A command for one table.
pub enum TableCommand {
    /// Describe the state of the table.
    Describe,
    /// End its match without a winner.
    Void,
    /// Adjourn its match.
    Adjourn,
    /// Resume the adjourned match in this file.
    Resume(PathBuf),
}

/// Runs the commands of the organizer one by one. `tables` and `ports` are the sender to each table
/// and its port, by server number; `lobby` has the clients that wait elsewhere; `journals` is the
/// folder of the journals, including those of adjourned matches.
pub async fn run_commands<G: NetrefGame>(
    commands: RefereeCommands,
    tables: BTreeMap<u16, mpsc::Sender<Message<G::Move>>>,
    lobby: Arc<LobbyHub<G::Move>>,
    ports: BTreeMap<u16, u16>,
    journals: Option<PathBuf>,
    feed: Option<Feed>,
    shared: Shared,
) {
    let handler = CommandHandler::<G> {
        tables,
        lobby,
        ports,
        journals,
        feed,
        shared,
    };
    handler.run(commands).await;
}

/// Receives the commands of the organizer, and sends them to the tables.
struct CommandHandler<G: NetrefGame> {
    tables: BTreeMap<u16, mpsc::Sender<Message<G::Move>>>,
    lobby: Arc<LobbyHub<G::Move>>,
    ports: BTreeMap<u16, u16>,
    journals: Option<PathBuf>,
    feed: Option<Feed>,
    shared: Shared,
}

impl<G: NetrefGame> CommandHandler<G> {
    async fn run(self, mut commands: RefereeCommands) {
        let mut known = KnownAdjourned::default();
        let found = self.show_adjourned(&mut known).await;
        known.earlier = found.iter().map(|found| found.id.clone()).collect();
        for found in found {
            let Adjourned {
                id, server, title, ..
            } = found;
            let shared = Shared {
                number: server,
                ..self.shared.clone()
            };
            shared.log(LogEvent::Adjourned { id, title });
        }
        let mut state = self.shared.state();
        // A command that is being run is answered before the end, which it may have brought about.
        while let Some((command, reply)) = tokio::select! {
            biased;
            _ = stopping(&mut state) => None,
            next = commands.next() => next,
        } {
            let changes = matches!(
                command,
                RefereeCommand::Void(_)
                    | RefereeCommand::Adjourn(_)
                    | RefereeCommand::Resume { .. }
            );
            let _ = reply.send(self.run_command(command).await);
            if changes {
                let found = self.show_adjourned(&mut known).await;
                let is_there = |id: &String| found.iter().any(|found| found.id == *id);
                known.earlier.retain(is_there);
                self.note_teams(&found, &known);
            }
        }
    }

    async fn run_command(&self, command: RefereeCommand) -> Answer {
        match command {
            RefereeCommand::Help => Ok(HELP.into()),
            RefereeCommand::Tournament(command) => match self.shared.tournament() {
                Some(hub) => {
                    Ok(tournament::run_command(hub, &self.lobby, command, &self.shared).await?)
                }
                None => Err(TournamentError::NoTeams.into()),
            },
            RefereeCommand::List => Ok(self.list().await),
            RefereeCommand::Void(table) => self.ask(table, TableCommand::Void).await,
            RefereeCommand::Adjourn(table) => self.ask(table, TableCommand::Adjourn).await,
            RefereeCommand::Resume { id, table } => {
                let (found, _) = self.adjourned().await;
                // A match may be named by its file, too.
                let id = id.strip_suffix(&format!(".{ADJOURNED}")).unwrap_or(&id);
                let found = found.into_iter().find(|found| found.id == id);
                let found = found.ok_or_else(|| CommandError::UnknownMatch(id.to_owned()))?;
                if table.is_some_and(|table| table != found.server) {
                    return Err(CommandError::OtherTable(found.server));
                }
                if !self.tables.contains_key(&found.server) {
                    return Err(CommandError::OtherServer {
                        server: found.server,
                        tables: self.table_numbers(),
                    });
                }
                self.ask(found.server, TableCommand::Resume(found.path))
                    .await
            }
        }
    }

    /// Sends a command to a table.
    async fn ask(&self, number: u16, command: TableCommand) -> Answer {
        let table = self
            .tables
            .get(&number)
            .ok_or_else(|| CommandError::UnknownTable {
                table: number,
                tables: self.table_numbers(),
            })?;
        let (reply, answer) = oneshot::channel();
        let at = self.shared.now();
        let message = Message::Command { command, reply, at };
        let sent = table.send(message).await;
        sent.map_err(|_| CommandError::Stopping)?;
        let answer = answer.await.map_err(|_| CommandError::Stopping)?;
        answer.map_err(|error| CommandError::Table {
            table: number,
            error: Box::new(error),
        })
    }

    /// Lists the server numbers of all tables.
    fn table_numbers(&self) -> String {
        self.tables.keys().format(", ").to_string()
    }

    /// Describes the tables and the adjourned matches, one line for each.
    async fn list(&self) -> String {
        let mut lines = Vec::new();
        for (&table, port) in &self.ports {
            let described = self.ask(table, TableCommand::Describe).await;
            let described = described.unwrap_or_else(|why| why.to_string());
            lines.push(format!("table {table}, port {port}: {described}"));
        }
        lines.extend(self.lobby.describe::<G>());
        let (matches, damaged) = self.adjourned().await;
        for Adjourned { id, title, .. } in matches {
            lines.push(format!("adjourned: match {id}, {title}"));
        }
        for why in damaged {
            lines.push(format!("adjourned, but it cannot be resumed: {why}"));
        }
        lines.join("\n")
    }

    /// Returns the adjourned matches, and the reasons why others cannot be resumed.
    async fn adjourned(&self) -> (Vec<Adjourned>, Vec<String>) {
        let Some(folder) = self.journals.clone() else {
            return Default::default();
        };
        let named = |error| format!("{}: {error}", folder.display());
        // The disk may take long, and the tables need not wait for it.
        let within = folder.clone();
        let listed = spawn_blocking(move || list_adjourned::<G>(&within)).await;
        let listed = listed.map_err(io::Error::from).flatten().map_err(named);
        listed.unwrap_or_else(|what| {
            self.shared.log(LogEvent::Failed { what });
            Default::default()
        })
    }

    /// Notes for the tournament which teams had matches adjourned since the start: they take part
    /// in a new one. Matches adjourned earlier do not show which teams are present.
    fn note_teams(&self, found: &[Adjourned], known: &KnownAdjourned) {
        let Some(tournament) = self.shared.tournament() else {
            return;
        };
        let recent = found
            .iter()
            .filter(|found| !known.earlier.contains(&found.id));
        let teams = recent.flat_map(|found| &found.teams);
        let is_known = |name: &&Name| self.shared.teams().iter().any(|team| team.name() == *name);
        tournament.note_adjourned(teams.filter(is_known).cloned().collect());
    }

    /// Shows the adjourned matches on the page. Logs each file without an adjourned match once.
    async fn show_adjourned(&self, known: &mut KnownAdjourned) -> Vec<Adjourned> {
        let (matches, damaged) = self.adjourned().await;
        for why in damaged {
            let what = format!("an adjourned match cannot be resumed: {why}");
            if known.damaged.insert(why) {
                self.shared.log(LogEvent::Failed { what });
            }
        }
        if let Some(feed) = &self.feed {
            feed.set_adjourned(matches.iter().map(view).collect());
        }
        matches
    }
}

/// The adjourned matches as last listed.
#[derive(Default)]
struct KnownAdjourned {
    /// The reasons why some cannot be resumed, which are logged.
    damaged: BTreeSet<String>,
    /// The names of those that were adjourned before the server was started.
    earlier: BTreeSet<String>,
}

/// Returns an adjourned match as the page shows it.
fn view(adjourned: &Adjourned) -> web::Adjourned {
    let Adjourned {
        id, server, title, ..
    } = adjourned;
    web::Adjourned {
        id: id.clone(),
        title: format!("Table {server}: {title}"),
        table: Some((*server).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commands_are_parsed_as_people_type_them() {
        for (line, command) in [
            ("list", RefereeCommand::List),
            ("  LIST ", RefereeCommand::List),
            ("void 2", RefereeCommand::Void(2)),
            ("Void\t12\r", RefereeCommand::Void(12)),
            ("adjourn 0", RefereeCommand::Adjourn(0)),
            (
                "resume 20261120-120000-000000-3",
                RefereeCommand::Resume {
                    id: "20261120-120000-000000-3".into(),
                    table: None,
                },
            ),
            ("help", RefereeCommand::Help),
            ("help void", RefereeCommand::Help),
            ("?", RefereeCommand::Help),
            ("", RefereeCommand::Help),
        ] {
            assert_eq!(line.parse(), Ok(command), "{line:?}");
        }
    }

    #[test]
    fn an_unknown_command_is_answered_with_what_would_be_right() {
        for (line, hint) in [
            ("quit", "\"quit\""),
            ("void", "void 2"),
            ("void all", "void 2"),
            ("void 1 2", "void 2"),
            ("void -1", "void 2"),
            ("adjourn 70000", "adjourn 2"),
            ("resume", "list"),
            ("list 2", "no argument"),
        ] {
            let error = line.parse::<RefereeCommand>().unwrap_err().to_string();
            assert!(error.contains(hint), "{line:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_the_parser_panic(line in "\\PC*|(void|adjourn|resume|list) \\PC*") {
            let _ = line.parse::<RefereeCommand>();
        }
    }
}
