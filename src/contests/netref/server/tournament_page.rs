//! The tournament of the teams on the page.

use std::time::Duration;

use super::Shared;
use crate::base::color::ByColor;
use crate::base::names::isolated;
use crate::contests::contest::TournamentDesk;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::referee::Referee;
use crate::contests::netref::tournament::{BegunGames, GamePlace};
use crate::pages::web::{self, Feed, OpenGames};
use crate::tournament::{Name, Tournament, View};

/// What the page shows of the tournament.
pub struct TournamentPage {
    /// The names of the sides there.
    sides: ByColor<&'static str>,
    /// Its rounds and standings. They take long to compute, and change only with a result or a round.
    view: Option<View>,
    /// What the page shows.
    shown: Option<web::Tournament>,
    /// The teams that would take part in a tournament, as the page shows them; `None` before it
    /// does.
    entrants: Option<Vec<Name>>,
}

impl TournamentPage {
    /// Creates an empty one, with the names of the sides.
    pub fn new(sides: ByColor<&'static str>) -> TournamentPage {
        TournamentPage {
            sides,
            view: None,
            shown: None,
            entrants: None,
        }
    }

    /// Notes that rounds or standings of the tournament have changed.
    pub fn update_view<G: NetrefGame>(&mut self, referee: &Referee<G>) {
        let tournament = referee.desk().and_then(TournamentDesk::tournament);
        self.view = tournament.map(Tournament::view);
    }

    /// Shows the tournament, and the teams that would take part in the next one.
    pub fn show<G: NetrefGame>(&mut self, feed: &Feed, referee: &Referee<G>, shared: &Shared) {
        let Some(desk) = referee.desk() else {
            return;
        };
        let (games, entrants) = (referee.begun_games(), referee.tournament_entrants());
        let view = self.view.as_ref().map(|view| {
            let waits = desk.running().map_or_else(Vec::new, |running| {
                waits(
                    &games,
                    running,
                    &referee.teams_present(),
                    desk.forfeit_after(),
                )
            });
            let clock = |at| feed.clock_at(shared.instant(at).into_std());
            let states = open_games(&games, desk, clock);
            web::Tournament::new(view, &states, waits, self.sides)
        });
        if view != self.shown {
            self.shown.clone_from(&view);
            feed.set_tournament(view);
        }
        if self.entrants.as_ref() != Some(&entrants) {
            feed.set_entrants(entrants.iter().map(Name::to_string).collect());
            self.entrants = Some(entrants);
        }
    }
}

/// Returns the reasons why the tournament waits, one sentence each. `present` are the teams that are
/// connected.
fn waits(
    games: &BegunGames,
    running: &Tournament,
    present: &[Name],
    forfeit_after: Option<Duration>,
) -> Vec<String> {
    let adjourned = games.values().filter_map(|(scheduled, place)| {
        let (black, white) = (
            isolated(scheduled.black.as_str()),
            isolated(scheduled.white.as_str()),
        );
        (*place == GamePlace::Adjourned)
            .then(|| format!("{black} - {white} is adjourned: resume it, so that the rounds go on"))
    });
    let mut waits: Vec<String> = adjourned.collect();
    let plays = |name: &Name| {
        let mut games = games.values();
        games.any(|(scheduled, place)| matches!(place, GamePlace::Table(_)) && scheduled.has(name))
    };
    let due = running.pending_games();
    let has_game = |name: &&Name| due.iter().any(|scheduled| scheduled.has(name));
    let absent = running.players().filter(has_game);
    let absent = absent.filter(|name| !present.contains(name) && !plays(name));
    let absent = absent.map(Name::as_str);
    waits.extend(web::absence(absent, "not there", forfeit_after));
    waits
}

/// Returns the places of the unfinished tournament games, and when others are forfeited, as times
/// of the server's clock.
fn open_games(
    games: &BegunGames,
    desk: &TournamentDesk,
    clock: impl Fn(Duration) -> u64,
) -> OpenGames {
    let mut states = OpenGames::new();
    for (&number, (_, place)) in games {
        let place = match place {
            GamePlace::Table(number) => format!("at table {number}"),
            GamePlace::Adjourned => "adjourned".to_owned(),
        };
        states.entry(number).or_default().place = Some(place);
    }
    for (number, deadlines) in desk.deadlines() {
        states.entry(number).or_default().deadlines = deadlines.map(|at| at.map(&clock));
    }
    states
}
