//! Somebody who has the page open.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde_json::Value;
use tungstenite::{Message, WebSocket};

use crate::waiting::{DeadlineStream, next_message};

/// The state of a page, from the messages of the feed.
pub struct Spectator {
    socket: WebSocket<DeadlineStream>,
    /// The lines of the log: whom they are about, and what they say.
    pub log: Vec<(String, String)>,
    /// The tables, by their numbers.
    pub tables: BTreeMap<u64, Value>,
    /// The clients, by their numbers.
    pub clients: BTreeMap<u64, Value>,
    /// The games that are put away.
    pub adjourned: Value,
    /// The tournament, or null.
    pub tournament: Value,
    /// The ratings, or null.
    pub ladder: Value,
    /// The games that are over.
    pub finished: Vec<Value>,
    /// What the organizer is warned of, or null.
    pub warnings: Value,
}

impl Spectator {
    /// Connects.
    pub fn connect(address: SocketAddr) -> Spectator {
        let url = format!("ws://{address}/watch");
        let (socket, _) = tungstenite::client(url, DeadlineStream::connect(address)).unwrap();
        Spectator {
            socket,
            log: Vec::new(),
            tables: BTreeMap::new(),
            clients: BTreeMap::new(),
            adjourned: Value::Null,
            tournament: Value::Null,
            ladder: Value::Null,
            finished: Vec::new(),
            warnings: Value::Null,
        }
    }

    /// Reads until something is so.
    #[track_caller]
    pub fn wait_until(&mut self, what: &str, is_so: impl Fn(&Spectator) -> bool) {
        self.socket.get_mut().renew();
        while !is_so(self) {
            match next_message(&mut self.socket, what) {
                Ok(Message::Text(text)) => self.take(&serde_json::from_str(&text).unwrap()),
                Ok(_) => {}
                Err(error) => panic!(
                    "{what} is not shown: {error}; {:#?}, {:#?}",
                    self.log, self.tables
                ),
            }
        }
    }

    /// Reads until a line of the log about somebody contains this.
    #[track_caller]
    pub fn wait_for_line(&mut self, whom: &str, text: &str) {
        let is_it = |(client, line): &(String, String)| client == whom && line.contains(text);
        self.wait_until(text, |spectator| spectator.log.iter().any(is_it));
    }

    /// Reads until a table is in this phase.
    #[track_caller]
    pub fn wait_for_phase(&mut self, table: u64, phase: &str) {
        let is_it = |table: &Value| table["phase"] == phase;
        self.wait_until(phase, |spectator| {
            spectator.tables.get(&table).is_some_and(is_it)
        });
    }

    fn take(&mut self, change: &Value) {
        match change["type"].as_str().unwrap() {
            "all" => {
                self.log = change["log"].as_array().unwrap().iter().map(line).collect();
                self.tables = numbered(&change["tables"], |told| told["table"].clone());
                self.clients = numbered(&change["clients"], Value::clone);
                self.adjourned = change["adjourned"].clone();
                self.tournament = change["tournament"].clone();
                self.ladder = change["ladder"].clone();
                self.finished = change["finished"].as_array().unwrap().clone();
                self.warnings = change["warnings"].clone();
            }
            "log" => self.log.push(line(&change["line"])),
            "table" => {
                let table = &change["table"];
                self.tables
                    .insert(table["id"].as_u64().unwrap(), table.clone());
            }
            "client" => {
                let client = &change["client"];
                self.clients
                    .insert(client["id"].as_u64().unwrap(), client.clone());
            }
            "client-gone" => {
                self.clients.remove(&change["client"].as_u64().unwrap());
            }
            "adjourned" => self.adjourned = change["games"].clone(),
            "tournament" => self.tournament = change["tournament"].clone(),
            "finished" => self.finished.push(change["game"].clone()),
            "warnings" => self.warnings = change["warnings"].clone(),
            "ladder" => self.ladder = change["ladder"].clone(),
            _ => {}
        }
    }
}

fn line(line: &Value) -> (String, String) {
    let text = |key: &str| line[key].as_str().unwrap().to_owned();
    (text("client"), text("text"))
}

fn numbered(list: &Value, of: impl Fn(&Value) -> Value) -> BTreeMap<u64, Value> {
    let values = list.as_array().unwrap().iter().map(of);
    values
        .map(|value| (value["id"].as_u64().unwrap(), value))
        .collect()
}
