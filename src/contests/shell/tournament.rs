//! The tournament on the page.

use std::time::Duration;

use crate::base::color::ByColor;
use crate::base::server_clock::ServerClock;
use crate::contests::contest::TournamentDesk;
use crate::pages::web::{self, Feed, OpenGames};
use crate::tournament::{GameNumber, LastTournament, Name, Plan, Tournament, View};

/// The tournaments of a server.
#[derive(Debug, Default)]
pub struct TournamentSetup {
    /// The tournament that begins when enough players are there. If the state folder has an unfinished
    /// one, that continues instead.
    pub plan: Option<Plan>,
    /// Whether the last tournament in the state folder is over and is the one that this run was started
    /// for: a server that stops after the tournament has nothing to do.
    pub is_over: bool,
    /// The time after which an absent player forfeits a game; without limit if `None`.
    pub forfeit_after: Option<Duration>,
}

impl TournamentSetup {
    /// Returns the desk, with the last tournament of the state folder. One that is over is shown until
    /// another begins. The page suggests what is planned.
    pub fn desk(self, last: LastTournament, feed: Option<&Feed>) -> TournamentDesk {
        if let (Some(feed), Some(plan)) = (feed, &self.plan) {
            feed.set_plan(plan.settings.clone());
        }
        let mut desk = TournamentDesk::new(self.plan, self.forfeit_after);
        desk.resume(last);
        if self.is_over {
            desk.count_last();
        }
        desk
    }
}

/// What the page shows of the tournament.
#[derive(Debug)]
pub struct TournamentPage {
    feed: Feed,
    clock: ServerClock,
    /// The names of the sides there.
    sides: ByColor<&'static str>,
    /// What players are who are absent, such as `not there`.
    absent: &'static str,
    /// Its rounds and standings. They take long to compute, and change only with a result or a round.
    view: Option<View>,
    /// What the page shows.
    shown: Option<web::Tournament>,
}

impl TournamentPage {
    /// Creates an empty one, with the names of the sides, and what players are who are absent.
    pub fn new(
        feed: Feed,
        clock: ServerClock,
        sides: ByColor<&'static str>,
        absent: &'static str,
    ) -> TournamentPage {
        TournamentPage {
            feed,
            clock,
            sides,
            absent,
            view: None,
            shown: None,
        }
    }

    /// Notes that rounds or standings of the tournament have changed.
    pub fn update_view(&mut self, desk: &TournamentDesk) {
        self.view = desk.tournament().map(Tournament::view);
    }

    /// Shows the tournament: the places of the unfinished games that have begun, when others are
    /// forfeited, and what it waits for: these games, one sentence each, and absent players.
    pub fn show(
        &mut self,
        desk: &TournamentDesk,
        places: impl IntoIterator<Item = (GameNumber, String)>,
        mut waits: Vec<String>,
        is_absent: impl Fn(&Name) -> bool,
    ) {
        let view = self.view.as_ref().map(|view| {
            let mut states = OpenGames::new();
            for (number, place) in places {
                states.entry(number).or_default().place = Some(place);
            }
            let clock = |at| self.feed.clock_at(self.clock.moment(at));
            for (number, deadlines) in desk.deadlines() {
                states.entry(number).or_default().deadlines = deadlines.map(|at| at.map(clock));
            }
            match desk.running() {
                None => waits.clear(),
                Some(running) => {
                    let due = running.pending_games();
                    let is_due = |name: &Name| due.iter().any(|game| game.has(name));
                    let absent = running.players();
                    let absent = absent.filter(|name| is_due(name) && is_absent(name));
                    let absent = absent.map(Name::as_str);
                    waits.extend(web::absence(absent, self.absent, desk.forfeit_after()));
                }
            }
            web::Tournament::new(view, &states, waits, self.sides)
        });
        if view != self.shown {
            self.shown.clone_from(&view);
            self.feed.set_tournament(view);
        }
    }
}
