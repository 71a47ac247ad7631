//! What the operator of a referee orders, at its terminal or from the page.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use itertools::Itertools;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;

use super::connection::Message;
use super::game::NetrefGame;
use super::journal::{Adjourned, Listed};
use super::log::News;
use super::server::{Shared, Sink};
use crate::web::{
    self, AccessPolicy, CommandDone, CommandRefused, Feed, RejectedRequest, Token, guarded,
};

/// How many orders may wait.
const WAITING: usize = 16;

/// What can be typed.
pub const HELP: &str = "\
list            show the tables and the adjourned matches
void TABLE      end the match at a table without a winner; it is recorded as void
adjourn TABLE   put the match at a table aside, to be resumed later
resume MATCH    put an adjourned match back on its table, where it waits for its players
help            show this";

/// An order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Tell what can be typed.
    Help,
    /// Tell what goes on.
    List,
    /// End the match at the table with this server number without a winner.
    Void(u16),
    /// Put the match at the table with this server number aside.
    Adjourn(u16),
    /// Go on with the adjourned match of this name.
    Resume {
        /// The match.
        id: String,
        /// Its table, if that was told.
        table: Option<u16>,
    },
}

/// A line that is no order.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OrderError {
    /// The first word is none that is known.
    #[error("there is no command {0:?}: the commands are list, void, adjourn, resume and help")]
    Unknown(String),
    /// What follows the first word is not what it needs.
    #[error("{0}")]
    Incomplete(&'static str),
}

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(line: &str) -> Result<Order, OrderError> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let table = |word: &&str| word.parse().ok();
        let [command, arguments @ ..] = &words[..] else {
            return Ok(Order::Help);
        };
        let why = match (command.to_ascii_lowercase().as_str(), arguments) {
            ("help" | "?", _) => return Ok(Order::Help),
            ("list", []) => return Ok(Order::List),
            ("list", _) => "list stands alone",
            ("void", [word]) if table(word).is_some() => {
                return Ok(Order::Void(table(word).unwrap_or_default()));
            }
            ("void", _) => "void is followed by the number of a table, as in void 2",
            ("adjourn", [word]) if table(word).is_some() => {
                return Ok(Order::Adjourn(table(word).unwrap_or_default()));
            }
            ("adjourn", _) => "adjourn is followed by the number of a table, as in adjourn 2",
            ("resume", [name]) => {
                return Ok(Order::Resume {
                    id: (*name).to_owned(),
                    table: None,
                });
            }
            ("resume", _) => "resume is followed by the name of a match, which list tells",
            _ => return Err(OrderError::Unknown((*command).to_owned())),
        };
        Err(OrderError::Incomplete(why))
    }
}

/// What is told when an order is carried out, or why it is not.
pub type Answer = Result<String, String>;

/// An order that waits to be carried out.
struct Ordered {
    order: Order,
    reply: oneshot::Sender<Answer>,
}

/// Gives orders to a server.
#[derive(Clone)]
pub struct Operator(mpsc::Sender<Ordered>);

/// The orders that a server is given.
pub struct Orders(mpsc::Receiver<Ordered>);

/// An operator, and the orders that it gives.
pub fn operator() -> (Operator, Orders) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (Operator(sender), Orders(receiver))
}

impl Operator {
    /// Gives an order and waits for the answer. It blocks the thread.
    ///
    /// # Errors
    /// Why it is not carried out.
    pub fn order(&self, order: Order) -> Answer {
        let (reply, answer) = oneshot::channel();
        let sent = self.0.blocking_send(Ordered { order, reply });
        sent.map_err(|_| stops())?;
        answer.blocking_recv().map_err(|_| stops())?
    }

    /// Gives an order and waits for the answer.
    ///
    /// # Errors
    /// Why it is not carried out.
    async fn ask(&self, order: Order) -> Answer {
        let (reply, answer) = oneshot::channel();
        let sent = self.0.send(Ordered { order, reply }).await;
        sent.map_err(|_| stops())?;
        answer.await.map_err(|_| stops())?
    }
}

impl Orders {
    /// The next order, and where its answer is waited for; `None` when nobody gives
    /// orders any more.
    pub(super) async fn next(&mut self) -> Option<(Order, oneshot::Sender<Answer>)> {
        let Ordered { order, reply } = self.0.recv().await?;
        Some((order, reply))
    }
}

fn stops() -> String {
    "the referee stops".into()
}

/// The page with its feed: everybody can watch, and whoever brings the token is the
/// operator. Requests that are turned away are news of the server with this number.
pub fn site(feed: Feed, operator: Operator, token: Token, (number, sink): (u16, Sink)) -> Router {
    let routes = web::routes(feed)
        .route("/", get(web::page))
        .route("/act", post(act).with_state(operator));
    let tell = move |RejectedRequest { address, why }| {
        let address = address.map_or_else(|| "nowhere".into(), |address| address.to_string());
        sink(number, News::TurnedAway { address, why });
    };
    guarded(routes, AccessPolicy::organizer(token).on_rejected(tell))
}

/// Does what is ordered from the page.
async fn act(
    State(operator): State<Operator>,
    web::FromOrganizer(action): web::FromOrganizer,
) -> Result<CommandDone, CommandRefused> {
    let number = |table: u32| {
        u16::try_from(table).map_err(|_| CommandRefused::new(format!("there is no table {table}")))
    };
    let order = match action {
        web::Command::Void { table } => Order::Void(number(table)?),
        web::Command::Adjourn { table } => Order::Adjourn(number(table)?),
        web::Command::ResumeAdjourned { table, game } => Order::Resume {
            id: game,
            table: Some(number(table)?),
        },
        _ => {
            return Err(CommandRefused::new(
                "here matches can be voided, adjourned and resumed only",
            ));
        }
    };
    operator.ask(order).await.map_err(CommandRefused::new)?;
    Ok(CommandDone)
}

/// What a table is ordered, and where the answer goes.
pub(super) struct TableOrder {
    pub(super) what: What,
    pub(super) reply: oneshot::Sender<Answer>,
}

/// What a table is ordered.
pub(super) enum What {
    /// To tell what goes on.
    Tell,
    /// To end its match without a winner.
    Void,
    /// To put its match aside.
    Adjourn,
    /// To take up the match that was put aside in this file.
    Resume(PathBuf),
}

/// Where orders arrive, and go on to the tables.
pub(super) struct Desk<G: NetrefGame> {
    /// The way to each table, by its server's number.
    pub(super) doors: BTreeMap<u16, mpsc::Sender<Message<G::Move>>>,
    pub(super) ports: BTreeMap<u16, u16>,
    /// Where adjourned matches are kept, too.
    pub(super) journals: Option<PathBuf>,
    pub(super) feed: Option<Feed>,
    pub(super) shared: Shared,
}

impl<G: NetrefGame> Desk<G> {
    /// Carries out orders, one after the other.
    pub(super) async fn run(self, mut orders: Orders) {
        let mut damaged = BTreeSet::new();
        for Adjourned { id, title, .. } in self.show_adjourned(&mut damaged).await {
            self.shared.say(News::Adjourned { id, title });
        }
        while let Some((order, reply)) = orders.next().await {
            let changes = matches!(
                order,
                Order::Void(_) | Order::Adjourn(_) | Order::Resume { .. }
            );
            let _ = reply.send(self.obey(order).await);
            if changes {
                self.show_adjourned(&mut damaged).await;
            }
        }
    }

    async fn obey(&self, order: Order) -> Answer {
        match order {
            Order::Help => Ok(HELP.into()),
            Order::List => Ok(self.list().await),
            Order::Void(table) => self.ask(table, What::Void).await,
            Order::Adjourn(table) => self.ask(table, What::Adjourn).await,
            Order::Resume { id, table } => {
                let found = self.adjourned().await.matches;
                let found = found.into_iter().find(|found| found.id == id);
                let found = found.ok_or_else(|| format!("no match {id:?} is adjourned"))?;
                if table.is_some_and(|table| table != found.server) {
                    return Err(format!("this is a match of table {}", found.server));
                }
                self.ask(found.server, What::Resume(found.path)).await
            }
        }
    }

    /// Asks a table.
    async fn ask(&self, table: u16, what: What) -> Answer {
        let numbers = || self.doors.keys().format(", ");
        let door = self
            .doors
            .get(&table)
            .ok_or_else(|| format!("there is no table {table}, but: {}", numbers()))?;
        let (reply, answer) = oneshot::channel();
        let order = TableOrder { what, reply };
        let at = self.shared.now();
        let sent = door.send(Message::Order { order, at }).await;
        sent.map_err(|_| stops())?;
        let answer = answer.await.map_err(|_| stops())?;
        answer.map_err(|why| format!("table {table}: {why}"))
    }

    /// What goes on, a line for each table and each adjourned match.
    async fn list(&self) -> String {
        let mut lines = Vec::new();
        for (&table, port) in &self.ports {
            let told = self.ask(table, What::Tell).await;
            let told = told.unwrap_or_else(|why| why);
            lines.push(format!("table {table}, port {port}: {told}"));
        }
        let Listed { matches, damaged } = self.adjourned().await;
        for Adjourned { id, title, .. } in matches {
            lines.push(format!("adjourned: match {id}, {title}"));
        }
        for why in damaged {
            lines.push(format!("adjourned, but it cannot be resumed: {why}"));
        }
        lines.join("\n")
    }

    async fn adjourned(&self) -> Listed {
        let Some(folder) = self.journals.clone() else {
            return Listed::default();
        };
        let named = |error| format!("{}: {error}", folder.display());
        // The disk may take long, and the tables need not wait for it.
        let within = folder.clone();
        let listed = spawn_blocking(move || Adjourned::list::<G>(&within)).await;
        let listed = listed.map_err(io::Error::from).flatten().map_err(named);
        listed.unwrap_or_else(|what| {
            self.shared.say(News::Failed { what });
            Listed::default()
        })
    }

    /// Shows the adjourned matches on the page, and tells of files that hold none, unless
    /// that is told already.
    async fn show_adjourned(&self, told: &mut BTreeSet<String>) -> Vec<Adjourned> {
        let Listed { matches, damaged } = self.adjourned().await;
        for why in damaged {
            let what = format!("an adjourned match cannot be resumed: {why}");
            if told.insert(why) {
                self.shared.say(News::Failed { what });
            }
        }
        if let Some(feed) = &self.feed {
            feed.adjourned(matches.iter().map(Adjourned::view).collect());
        }
        matches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn orders_are_read_as_people_type_them() {
        for (line, order) in [
            ("list", Order::List),
            ("  LIST ", Order::List),
            ("void 2", Order::Void(2)),
            ("Void\t12\r", Order::Void(12)),
            ("adjourn 0", Order::Adjourn(0)),
            (
                "resume 20261120-120000-000000-3",
                Order::Resume {
                    id: "20261120-120000-000000-3".into(),
                    table: None,
                },
            ),
            ("help", Order::Help),
            ("help void", Order::Help),
            ("?", Order::Help),
            ("", Order::Help),
        ] {
            assert_eq!(line.parse(), Ok(order), "{line:?}");
        }
    }

    #[test]
    fn what_is_no_order_is_told_what_would_be_right() {
        for (line, words) in [
            ("quit", "\"quit\""),
            ("void", "void 2"),
            ("void all", "void 2"),
            ("void 1 2", "void 2"),
            ("void -1", "void 2"),
            ("adjourn 70000", "adjourn 2"),
            ("resume", "list"),
            ("list 2", "alone"),
        ] {
            let error = line.parse::<Order>().unwrap_err().to_string();
            assert!(error.contains(words), "{line:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "\\PC*|(void|adjourn|resume|list) \\PC*") {
            let _ = line.parse::<Order>();
        }
    }
}
