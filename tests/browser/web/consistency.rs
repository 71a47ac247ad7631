//! A spectator that has received all updates knows the same as a new one.

use std::collections::BTreeMap;

use gothello::pages::web::{Adjourned, Feed, Ply, TableStatus};
use gothello::{ByColor, Color};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::web::page_server::{PageServer, feed};
use crate::web::scenes;
use crate::web::spectators::Spectator;

/// The state of a spectator: a second, plain implementation of what the messages mean.
#[derive(Debug, Default, PartialEq)]
struct Known {
    /// The head of each table, and all its boards and plies.
    tables: BTreeMap<u64, (Value, Vec<(String, Value)>)>,
    clients: BTreeMap<u64, Value>,
    log: Vec<Value>,
    adjourned: Value,
    finished: Vec<Value>,
    tournament: Value,
}

impl Known {
    fn hear(&mut self, message: &Value) {
        match message["type"].as_str().unwrap() {
            "all" => {
                *self = Known::default();
                for table in message["tables"].as_array().unwrap() {
                    self.table(table);
                }
                for client in message["clients"].as_array().unwrap() {
                    self.client(client);
                }
                self.log = message["log"].as_array().unwrap().clone();
                self.adjourned = message["adjourned"].clone();
                self.finished = message["finished"].as_array().unwrap().clone();
                self.tournament = message["tournament"].clone();
            }
            "table" => self.table(message),
            "table-gone" => drop(self.tables.remove(&number(&message["table"]))),
            "client" => self.client(&message["client"]),
            "client-gone" => drop(self.clients.remove(&number(&message["client"]))),
            "log" => {
                self.log.push(message["line"].clone());
                let extra = self.log.len().saturating_sub(300);
                self.log.drain(..extra);
            }
            "adjourned" => self.adjourned = message["games"].clone(),
            "finished" => {
                self.finished.push(message["game"].clone());
                self.finished
                    .sort_by_key(|game| (number(&game["began"]), number(&game["number"])));
                let extra = self.finished.len().saturating_sub(100);
                self.finished.drain(..extra);
            }
            "tournament" => self.tournament = message["tournament"].clone(),
            "alive" => {}
            other => panic!("{other}"),
        }
    }

    fn table(&mut self, message: &Value) {
        let id = number(&message["table"]["id"]);
        let (head, plies) = self.tables.entry(id).or_default();
        *head = json!([message["table"], message["at"]]);
        let from = usize::try_from(number(&message["from"])).unwrap();
        assert!(from <= plies.len());
        plies.truncate(from);
        for ply in message["plies"].as_array().unwrap() {
            let mut board: Vec<char> = match ply["board"].as_str() {
                Some(board) => board.chars().collect(),
                None => plies.last().unwrap().0.chars().collect(),
            };
            for set in ply["set"].as_array().into_iter().flatten() {
                let index = usize::try_from(number(&set[0])).unwrap();
                board[index] = set[1].as_str().unwrap().chars().next().unwrap();
            }
            let mut rest = ply.clone();
            for key in ["board", "set"] {
                rest.as_object_mut().unwrap().remove(key);
            }
            plies.push((board.into_iter().collect(), rest));
        }
    }

    fn client(&mut self, client: &Value) {
        self.clients.insert(number(&client["id"]), client.clone());
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Something that happens.
#[derive(Clone, Debug)]
enum Event {
    Head(u32, TableStatus),
    Plies(u32, usize, Vec<String>),
    TableGone(u32),
    Client(u64, Option<String>),
    ClientGone(u64),
    Log(String),
    Adjourned(usize),
    /// This many games are over at once.
    Finished(usize),
    Tournament(bool),
    /// A spectator connects.
    Join,
}

fn boards() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[BW.bw]{81}",
        // Two boards that hardly differ.
        8 => "[BW]\\.{80}",
        1 => "[0-9](,[0-9]{1,2}){11}",
        1 => "[BWäß]{0,9}",
    ]
}

fn events() -> impl Strategy<Value = Event> {
    let phase = prop_oneof![
        Just(TableStatus::Playing),
        Just(TableStatus::Paused),
        Just(TableStatus::Over)
    ];
    prop_oneof![
        2 => (0..3u32, phase).prop_map(|(table, phase)| Event::Head(table, phase)),
        8 => (0..3u32, 0..12usize, vec(boards(), 0..4))
            .prop_map(|(table, from, boards)| Event::Plies(table, from, boards)),
        1 => (0..3u32).prop_map(Event::TableGone),
        2 => (0..4u64, proptest::option::of("\\PC{0,9}"))
            .prop_map(|(client, name)| Event::Client(client, name)),
        1 => (0..4u64).prop_map(Event::ClientGone),
        2 => "\\PC{0,9}".prop_map(Event::Log),
        1 => (0..3usize).prop_map(Event::Adjourned),
        1 => (1..70usize).prop_map(Event::Finished),
        1 => any::<bool>().prop_map(Event::Tournament),
        1 => Just(Event::Join),
    ]
}

/// Applies it to the feed, and to the expected `boards`.
fn happen(feed: &Feed, event: Event, boards: &mut BTreeMap<u32, Vec<String>>) {
    let head = |table| scenes::go_table(table, 9, ["one", "other"]);
    match event {
        Event::Head(table, phase) => {
            feed.set_table(gothello::pages::web::TableView {
                phase,
                ..head(table)
            });
            boards.entry(table).or_default();
        }
        Event::Plies(table, from, new) => {
            let plies = new.iter().enumerate().map(|(index, board)| Ply {
                board: board.clone(),
                text: format!("{from} {index}"),
                at: Some([0, 0]),
                by: Some(Color::Black),
                used: None,
                prisoners: None,
                scores: Some(ByColor::new(0.5, 1.0)),
            });
            feed.set_plies(head(table), from, plies.collect());
            let known = boards.entry(table).or_default();
            known.truncate(from);
            known.extend(new);
        }
        Event::TableGone(table) => {
            feed.remove_table(table);
            boards.remove(&table);
        }
        Event::Client(id, name) => feed.set_client(scenes::client(id, name.as_deref(), None)),
        Event::ClientGone(id) => feed.remove_client(id),
        Event::Log(text) => feed.log("", text),
        Event::Adjourned(count) => {
            let game = |id: usize| Adjourned {
                id: id.to_string(),
                title: String::new(),
                table: (id == 1).then_some(2),
            };
            feed.set_adjourned((0..count).map(game).collect());
        }
        Event::Finished(count) => {
            (0..count).for_each(|number| feed.add_finished(scenes::finished(number)));
        }
        Event::Tournament(there) => feed.set_tournament(there.then(scenes::tournament)),
        Event::Join => unreachable!(),
    }
}

/// The state of a spectator that has received everything.
fn all_heard(spectator: &mut Spectator) -> Known {
    let mut known = Known::default();
    spectator.read_until("the end", |message| {
        known.hear(message);
        known.log.last().is_some_and(|line| line["client"] == "end")
    });
    known
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn applying_all_changes_gives_the_state_of_a_new_snapshot(events in vec(events(), 1..60)) {
        let feed = feed(100);
        let server = PageServer::open(&feed);
        let mut boards = BTreeMap::new();
        let mut spectators = vec![Spectator::join(&server).unwrap()];
        for event in events {
            match event {
                Event::Join => spectators.push(Spectator::join(&server).unwrap()),
                event => happen(&feed, event, &mut boards),
            }
        }
        feed.log("end", "");
        let anew = all_heard(&mut Spectator::join(&server).unwrap());
        for spectator in &mut spectators {
            prop_assert_eq!(&all_heard(spectator), &anew);
        }
        for (id, (_, plies)) in &anew.tables {
            let shown: Vec<_> = plies.iter().map(|(board, _)| board).collect();
            let expected: Vec<_> = boards[&u32::try_from(*id).unwrap()].iter().collect();
            prop_assert_eq!(shown, expected);
        }
        prop_assert_eq!(anew.tables.len(), boards.len());
    }
}
