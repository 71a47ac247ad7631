//! Shows the tables on the page: what is noted in [`Show`] becomes what the feed
//! is told. It lives on the observers' thread.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::client::ConnId;
use super::game::{NetrefGame, Picture};
use super::record::{Ending, Played, Reason};
use super::scene::{Guest, Scene, Stage};
use super::server::Shared;
use super::show::{Change, Show};
use crate::color::{ByColor, Color};
use crate::names::isolated;
use crate::web::{self, Feed, Ply, Seat};

/// How long the painter rests after each look: whoever moves meanwhile need not
/// wake this thread for it, and no eye sees the difference.
const REST: Duration = Duration::from_millis(20);

/// What paints the tables.
pub(super) struct Painter<G: NetrefGame> {
    feed: Feed,
    show: Arc<Show>,
    /// The game as it begins where nobody plays.
    start: G,
    /// The ports by their servers' numbers.
    ports: BTreeMap<u16, u16>,
    easels: BTreeMap<u16, Easel<G>>,
    shared: Shared,
}

/// One table as it is shown.
struct Easel<G: NetrefGame> {
    game: G,
    /// How many boards are shown.
    plies: usize,
    guests: Guests,
}

/// Those who are shown as playing.
type Guests = BTreeMap<ConnId, web::Client>;

impl<G: NetrefGame> Painter<G> {
    pub(super) fn new(
        feed: Feed,
        show: Arc<Show>,
        start: G,
        ports: BTreeMap<u16, u16>,
        shared: Shared,
    ) -> Painter<G> {
        Painter {
            feed,
            show,
            start,
            ports,
            easels: BTreeMap::new(),
            shared,
        }
    }

    /// Paints until the end, and once more then.
    pub(super) async fn run(mut self, end: impl Future<Output = ()>) {
        let show = Arc::clone(&self.show);
        let mut end = pin!(end);
        loop {
            self.refresh();
            let change = async {
                sleep(REST).await;
                show.changed.notified().await;
            };
            tokio::select! {
                () = &mut end => break,
                () = change => {}
            }
        }
        self.refresh();
    }

    /// Shows what has changed.
    fn refresh(&mut self) {
        while let Some(change) = self.show.next() {
            self.paint(change);
        }
        for past in self.show.finished() {
            self.feed.finished(past.view::<G>());
        }
        for (number, news) in self.show.log() {
            let whom = if self.ports.len() > 1 {
                format!("Table {number}")
            } else {
                String::new()
            };
            self.feed.log(whom, news.to_string());
        }
    }

    fn paint(&mut self, change: Change) {
        let Change {
            number,
            scene,
            game,
            is_new,
            moves,
        } = change;
        let easel = self.easels.entry(number).or_insert_with(|| Easel {
            game: self.start.clone(),
            plies: 0,
            guests: Guests::new(),
        });
        paint_guests::<G>(&self.feed, number, &scene, &mut easel.guests);
        let mut plies = Vec::new();
        if is_new {
            let game = game.as_ref();
            let start = game.and_then(|game| G::with_rules(game.rules.as_deref()));
            easel.game = start.unwrap_or_else(|| self.start.clone());
            easel.plies = 0;
            plies.push(start_ply(&easel.game));
        }
        // Each has been played once by the same rules.
        plies.extend(
            moves
                .iter()
                .map_while(|played| ply(&mut easel.game, played)),
        );
        let from = easel.plies;
        easel.plies += plies.len();
        let rules = match game {
            Some(_) => easel.game.rules_description(),
            None => self.start.rules_description(),
        };
        let view = self.table_view(number, &scene, rules);
        self.feed.play(view, from, plies);
    }

    fn table_view(&self, number: u16, scene: &Scene, rules: Option<String>) -> web::Table {
        let port = self.ports.get(&number).copied().unwrap_or_default();
        let [rows, columns] = G::SIZE;
        let now = self.shared.now();
        let clocks = scene.clocks;
        let running =
            |&side: &Color| clocks.is_some_and(|clocks| clocks[side].falls_at().is_some());
        web::Table {
            id: number.into(),
            kind: G::KIND,
            title: format!("Table {number}, port {port}"),
            rules: match rules {
                Some(rules) => format!("{}: {rules}", G::NAME),
                None => G::NAME.into(),
            },
            rows,
            columns,
            seats: ByColor::from_fn(|side| {
                let player = scene.players[side].as_ref();
                let client = player.and_then(|guest| Some(page_id(guest.conn?)));
                Seat {
                    code: G::LETTERS[side].to_ascii_uppercase().to_string(),
                    title: G::PLAYERS[side].into(),
                    name: player.map(called),
                    client,
                    connected: client.is_some(),
                    left: clocks.map(|clocks| clocks[side].left(now)),
                }
            }),
            phase: match scene.stage {
                Stage::Open => web::Phase::Waiting,
                Stage::Interrupted => web::Phase::Paused,
                Stage::Playing => web::Phase::Playing,
                Stage::Over(_) => web::Phase::Over,
            },
            result: words::<G>(scene),
            turn: scene.turn,
            running: Color::ALL.into_iter().find(running),
            round: None,
            commands: self.orders(scene),
        }
    }

    /// What the operator can order at a table, and why it would be refused.
    fn orders(&self, scene: &Scene) -> BTreeMap<&'static str, Option<String>> {
        const NOTHING: &str = "no match is played here";
        let is_on = matches!(scene.stage, Stage::Playing | Stage::Interrupted);
        let adjourn = match is_on {
            true => may_adjourn(scene, self.shared.is_journaled()),
            false => Err(NOTHING),
        };
        let clear = if is_on { Ok(()) } else { Err(NOTHING) };
        let is_free = !is_on && scene.guests().next().is_none();
        let recall = if is_free {
            Ok(())
        } else {
            Err("the table is not free")
        };
        let orders = [("adjourn", adjourn), ("clear", clear), ("recall", recall)];
        let why = |may: Result<(), &str>| may.err().map(str::to_owned);
        orders.map(|(order, may)| (order, why(may))).into()
    }
}

/// Why a match cannot be adjourned.
fn may_adjourn(scene: &Scene, is_journaled: bool) -> Result<(), &'static str> {
    let is_named = |side: Color| {
        let name = scene.players[side].as_ref()?.name.as_ref()?;
        Some(name.identifies())
    };
    if !is_journaled {
        Err("only matches with a journal (--journal) can be adjourned")
    } else if Color::ALL.map(is_named) != [Some(true); 2] {
        Err("a player without a name cannot take up a match")
    } else {
        Ok(())
    }
}

/// Shows who plays at a table, and that others do no longer.
fn paint_guests<G: NetrefGame>(feed: &Feed, number: u16, scene: &Scene, shown: &mut Guests) {
    let guest_view = |(conn, guest, side): (ConnId, &Guest, Option<Color>)| {
        let side = side.map_or("either side", |side| G::PLAYERS[side]);
        let view = web::Client {
            id: page_id(conn),
            number: Some(format!("#{conn}")),
            name: Some(called(guest)),
            // Where he is is nobody's business.
            address: String::new(),
            protocol: String::new(),
            seat: Some(format!("Table {number}, {side}")),
        };
        (conn, view)
    };
    let guests: Guests = scene.guests().map(guest_view).collect();
    for gone in shown.keys().filter(|conn| !guests.contains_key(conn)) {
        feed.client_gone(page_id(*gone));
    }
    for (conn, view) in &guests {
        if shown.get(conn) != Some(view) {
            feed.client(view.clone());
        }
    }
    *shown = guests;
}

/// The number of a connection on the page, where numbers have 53 bits. Those that
/// differ within a hundred days of each other differ there, too.
fn page_id(conn: ConnId) -> u64 {
    conn.0 & ((1 << 53) - 1)
}

/// What a player is called: one without a name as the log has him.
fn called(guest: &Guest) -> String {
    match (&guest.name, guest.conn) {
        (Some(name), _) => name.as_str().to_owned(),
        (None, Some(conn)) => format!("#{conn}"),
        (None, None) => "no name".into(),
    }
}

/// How a match ended, or what a table waits for, as a sentence.
fn words<G: NetrefGame>(scene: &Scene) -> Option<String> {
    match (&scene.stage, &scene.either) {
        (Stage::Over(ending), _) => Some(outcome::<G>(ending)),
        (Stage::Interrupted, _) => Some("it goes on when both players are back".into()),
        (_, Some(guest)) => Some(format!(
            "{} will play either side",
            isolated(&called(guest))
        )),
        _ => None,
    }
}

pub(super) fn outcome<G: NetrefGame>(ending: &Ending) -> String {
    let score = ending.score.as_deref().unwrap_or_default();
    let Some(winner) = ending.winner else {
        return match ending.reason {
            // Gothello's score says no more.
            Reason::Play if score == "0" => "Drawn".into(),
            Reason::Play => format!("Drawn ({score})"),
            Reason::Agreement => "Drawn by agreement".into(),
            Reason::Interruption => {
                "No result: the referee was interrupted, and a player has no name".into()
            }
            Reason::Void => "No result: the operator ended the match".into(),
            _ => "No result: neither player came back".into(),
        };
    };
    let loser = G::PLAYERS[winner.opponent()];
    let winner = G::PLAYERS[winner];
    match ending.reason {
        Reason::Play => format!("{winner} wins ({score})"),
        Reason::Agreement => format!("{winner} wins by agreement"),
        Reason::Resignation => format!("{winner} wins: {loser} resigned"),
        Reason::Time => format!("{winner} wins: {loser} has no time left"),
        Reason::Disconnection => format!("{winner} wins: {loser} is gone"),
        Reason::Abandonment => format!("{winner} wins: {loser} did not come back"),
        Reason::Protocol => format!("{winner} wins: {loser} sent what nobody understands"),
        Reason::Interruption | Reason::Void => format!("{winner} wins"),
    }
}

/// The board before the first move.
fn start_ply<G: NetrefGame>(game: &G) -> Ply {
    let Picture {
        board,
        scores,
        captured,
    } = game.picture();
    Ply {
        board,
        text: String::new(),
        at: None,
        by: None,
        used: None,
        prisoners: captured,
        scores: Some(scores.map(f64::from)),
    }
}

/// Plays a move, and shows the board after it.
fn ply<G: NetrefGame>(game: &mut G, played: &Played) -> Option<Ply> {
    let mv = G::parse_move(&played.mv)?;
    game.play(played.side, mv).ok()?;
    Some(Ply {
        text: played.mv.clone(),
        at: G::place(mv),
        by: Some(played.side),
        used: Some(played.spent),
        ..start_ply(game)
    })
}
