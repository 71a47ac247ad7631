//! A spectator, who reads the feed as the page does.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::SocketAddr;

use serde_json::Value;
use tungstenite::{ClientRequestBuilder, Message, WebSocket};

use crate::netref::referee::Referee;
use crate::waiting::{DeadlineStream, next_message};

/// A referee with a page.
pub fn start(arguments: &[&str]) -> Referee {
    Referee::start(&[arguments, &["--http", "0"]].concat())
}

/// The address of the page of a referee.
#[track_caller]
pub fn page(referee: &Referee) -> SocketAddr {
    let url = referee.wait_for_rest("the page for spectators is http://");
    url.trim_end_matches('/').parse().unwrap()
}

/// The token of the organizer's page, or the one in the file that is named in its place.
#[track_caller]
pub fn token(referee: &Referee) -> String {
    let url = referee.wait_for_rest("the page for the organizer is http://");
    let (_, token) = url.split_once("/#token=").unwrap();
    let kept = token.strip_prefix(" and the token in ");
    match kept.and_then(|kept| kept.split_once("; to print the link: ")) {
        Some((file, _)) => fs::read_to_string(file).unwrap().trim_end().to_owned(),
        None => token.to_owned(),
    }
}

/// The head and the body of the answer to a command, with a token or without.
pub fn act(address: SocketAddr, token: Option<&str>, action: &Value) -> String {
    let body = action.to_string();
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
    let token = token.unwrap_or_default();
    let mut stream = DeadlineStream::connect(address);
    let request = format!(
        "POST /act HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{token}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// The head and the body of the answer to a request without a body.
pub fn request(address: SocketAddr, what: &str) -> String {
    request_with(address, what, "")
}

/// The same with more headers, each with its end.
pub fn request_with(address: SocketAddr, what: &str, headers: &str) -> String {
    let mut stream = DeadlineStream::connect(address);
    let head = format!("{what} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// A connection to the feed that has not read anything.
pub fn watch(address: SocketAddr) -> WebSocket<DeadlineStream> {
    watch_with(address, &[])
}

/// The same with these subprotocols.
pub fn watch_with(address: SocketAddr, protocols: &[&str]) -> WebSocket<DeadlineStream> {
    let url = format!("ws://{address}/watch").parse().unwrap();
    let request = protocols
        .iter()
        .fold(ClientRequestBuilder::new(url), |request, protocol| {
            request.with_sub_protocol(*protocol)
        });
    let (socket, _) = tungstenite::client(request, DeadlineStream::connect(address)).unwrap();
    socket
}

/// A spectator and what they have seen.
pub struct Spectator {
    socket: WebSocket<DeadlineStream>,
    pub tables: BTreeMap<u64, Seen>,
    pub clients: BTreeMap<u64, Value>,
    /// The adjourned matches.
    pub adjourned: Vec<Value>,
    /// The tournament, or null.
    pub tournament: Value,
    /// The players of a tournament that begins now, if the page says so.
    pub entrants: Option<Vec<String>>,
    /// The ladder, or null.
    pub ladder: Value,
    /// What the organizer is warned of.
    pub warnings: Vec<String>,
    pub log: Vec<String>,
    /// The matches that are over.
    pub finished: Vec<Value>,
    /// All messages, unchanged.
    pub raw: String,
}

/// A table as a spectator sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub table: Value,
    /// The feed's clock when the clocks were as the table says.
    pub at: u64,
    pub plies: Vec<Seeing>,
}

/// A ply as a spectator sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seeing {
    pub board: String,
    pub ply: Value,
}

impl Spectator {
    /// Opens the page and reads everything on it.
    pub fn open(referee: &Referee) -> Spectator {
        let mut spectator = Spectator::on(watch(page(referee)));
        // The referee may only just have started to listen.
        let tables = referee.addresses.len();
        spectator.wait("the tables", |seen| seen.tables.len() == tables);
        spectator
    }

    /// Begins to read.
    #[track_caller]
    pub fn on(socket: WebSocket<DeadlineStream>) -> Spectator {
        let mut spectator = Spectator {
            socket,
            tables: BTreeMap::new(),
            clients: BTreeMap::new(),
            adjourned: Vec::new(),
            tournament: Value::Null,
            entrants: None,
            ladder: Value::Null,
            warnings: Vec::new(),
            log: Vec::new(),
            finished: Vec::new(),
            raw: String::new(),
        };
        spectator.socket.get_mut().renew();
        assert!(spectator.read("the first message"));
        spectator
    }

    /// Reads to the end.
    #[track_caller]
    pub fn read_to_end(&mut self) {
        self.socket.get_mut().renew();
        while self.read("the end") {}
    }

    /// Reads a message before the deadline of the stream; `false` at the end.
    #[track_caller]
    fn read(&mut self, awaited: &str) -> bool {
        let text = match next_message(&mut self.socket, awaited) {
            Ok(Message::Text(text)) => text,
            Ok(Message::Close(_)) | Err(_) => return false,
            Ok(_) => return true,
        };
        self.raw.push_str(&text);
        let message: Value = serde_json::from_str(&text).unwrap();
        match message["type"].as_str().unwrap() {
            "all" => {
                self.tables.clear();
                message["tables"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .for_each(|table| self.table(table));
                let clients = message["clients"].as_array().unwrap().iter();
                self.clients = clients
                    .map(|client| (number(&client["id"]), client.clone()))
                    .collect();
                self.adjourned = message["adjourned"].as_array().unwrap().clone();
                self.tournament = message["tournament"].clone();
                self.entrants = names(&message["entrants"]);
                self.ladder = message["ladder"].clone();
                self.warnings = names(&message["warnings"]).unwrap_or_default();
                self.log = message["log"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(line)
                    .collect();
                self.finished = message["finished"].as_array().unwrap().clone();
            }
            "table" => self.table(&message),
            "tournament" => self.tournament = message["tournament"].clone(),
            "entrants" => self.entrants = names(&message["names"]),
            "warnings" => self.warnings = names(&message["warnings"]).unwrap_or_default(),
            "ladder" => self.ladder = message["ladder"].clone(),
            "client" => {
                let client = &message["client"];
                self.clients.insert(number(&client["id"]), client.clone());
            }
            "client-gone" => drop(self.clients.remove(&number(&message["client"]))),
            "finished" => self.finished.push(message["game"].clone()),
            "log" => self.log.push(line(&message["line"])),
            "adjourned" => self.adjourned = message["games"].as_array().unwrap().clone(),
            _ => {}
        }
        true
    }

    fn table(&mut self, message: &Value) {
        let table = &message["table"];
        let seen = self
            .tables
            .entry(number(&table["id"]))
            .or_insert_with(|| Seen {
                table: Value::Null,
                at: 0,
                plies: Vec::new(),
            });
        seen.table = table.clone();
        seen.at = number(&message["at"]);
        let from = usize::try_from(number(&message["from"])).unwrap();
        assert!(from <= seen.plies.len(), "plies are missing: {message}");
        seen.plies.truncate(from);
        for told in message["plies"].as_array().unwrap() {
            let mut ply = told.as_object().unwrap().clone();
            let board = match (ply.remove("board"), ply.remove("set")) {
                (Some(board), _) => board.as_str().unwrap().to_owned(),
                (_, Some(set)) => {
                    let mut board: Vec<String> = seen
                        .plies
                        .last()
                        .unwrap()
                        .board
                        .chars()
                        .map(String::from)
                        .collect();
                    for change in set.as_array().unwrap() {
                        let index = usize::try_from(number(&change[0])).unwrap();
                        board[index] = change[1].as_str().unwrap().to_owned();
                    }
                    board.concat()
                }
                _ => panic!("a ply without a board: {told}"),
            };
            let ply = Value::Object(ply);
            seen.plies.push(Seeing { board, ply });
        }
    }

    /// Reads until a condition holds.
    #[track_caller]
    pub fn wait(&mut self, what: &str, looks: impl Fn(&Spectator) -> bool) {
        self.socket.get_mut().renew();
        while !looks(self) {
            let has_read = self.read(what);
            assert!(has_read, "{what}: it is the end. {:#?}", self.tables);
        }
    }

    /// Reads until table 0 has reached this phase.
    #[track_caller]
    pub fn wait_for(&mut self, phase: &str) {
        self.wait(phase, |seen| seen.first().table["phase"] == phase);
    }

    /// Reads until table 0 shows this many boards.
    #[track_caller]
    pub fn wait_for_plies(&mut self, count: usize) {
        self.wait("plies", |seen| seen.first().plies.len() == count);
    }

    /// Table 0.
    pub fn first(&self) -> &Seen {
        &self.tables[&0]
    }

    /// Reads until a line of the log contains this.
    #[track_caller]
    pub fn wait_for_line(&mut self, words: &str) {
        self.wait(words, |seen| seen.has_line(words));
    }

    /// Whether a line of the log contains this.
    pub fn has_line(&self, words: &str) -> bool {
        self.log.iter().any(|line| line.contains(words))
    }
}

impl Seen {
    /// A line for each ply: the player, the move, the board and the numbers.
    pub fn history(&self) -> String {
        let lines = self.plies.iter().map(|Seeing { board, ply }| {
            let [by, at, scores, prisoners] =
                ["by", "at", "scores", "prisoners"].map(|key| &ply[key]);
            let mv = ply["move"].as_str().unwrap();
            format!("{by} {mv:?} at {at}: {board} scores {scores} prisoners {prisoners}")
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The names at the two seats.
    pub fn names(&self) -> [Option<&str>; 2] {
        [0, 1].map(|seat| self.table["seats"][seat]["name"].as_str())
    }

    /// The remaining time on the clocks, in milliseconds.
    pub fn left(&self) -> [Option<u64>; 2] {
        [0, 1].map(|seat| self.table["seats"][seat]["left_ms"].as_u64())
    }
}

/// The names of an optional list.
fn names(list: &Value) -> Option<Vec<String>> {
    let names = list.as_array()?.iter();
    Some(
        names
            .map(|name| name.as_str().unwrap().to_owned())
            .collect(),
    )
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn line(line: &Value) -> String {
    let [client, text] = ["client", "text"].map(|key| line[key].as_str().unwrap());
    format!("{client}: {text}")
}
