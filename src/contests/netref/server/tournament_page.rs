//! The tournament of the teams on the page.

use std::sync::Arc;
use std::time::Duration;

use super::Shared;
use crate::base::color::ByColor;
use crate::base::names::isolated;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::referee::Referee;
use crate::contests::netref::tournament::{GamePlace, TeamTournament};
use crate::pages::web::{self, Feed, OpenGames};
use crate::tournament::{Name, Tournament, View};

/// What the page shows of the tournament.
pub struct TournamentPage {
    /// The names of the sides there.
    sides: ByColor<&'static str>,
    view: CachedView,
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
            view: CachedView::default(),
            shown: None,
            entrants: None,
        }
    }

    /// Shows the tournament, and the teams that would take part in the next one.
    pub fn show<G: NetrefGame>(&mut self, feed: &Feed, referee: &Referee<G>, shared: &Shared) {
        let Some(state) = referee.tournament() else {
            return;
        };
        let lobby = referee.lobby();
        let (present, entrants) = (state.teams_present(lobby), state.entrants(lobby));
        let seen = state.tournament().map(|tournament| {
            let waits = match tournament.is_over() {
                true => Vec::new(),
                false => waits(state, tournament, &present),
            };
            let clock = |at| feed.clock_at(shared.instant(at).into_std());
            (Arc::clone(tournament), open_games(state, clock), waits)
        });
        let view = seen.map(|(tournament, states, waits)| {
            web::Tournament::new(self.view.of(tournament), &states, waits, self.sides)
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

/// The view of the tournament that was shown last; recomputed only when the tournament is replaced.
#[derive(Default)]
struct CachedView(Option<(Arc<Tournament>, View)>);

impl CachedView {
    /// Returns the view of a tournament.
    fn of(&mut self, tournament: Arc<Tournament>) -> &View {
        let cached = self.0.take();
        let cached = cached.filter(|(shown, _)| Arc::ptr_eq(shown, &tournament));
        let fresh = || {
            let view = tournament.view();
            (tournament, view)
        };
        &self.0.insert(cached.unwrap_or_else(fresh)).1
    }
}

/// Returns the reasons why the tournament waits, one sentence each. `present` are the teams that are
/// connected.
fn waits(state: &TeamTournament, tournament: &Tournament, present: &[Name]) -> Vec<String> {
    let adjourned = state.games().filter_map(|(scheduled, place)| {
        let (black, white) = (
            isolated(scheduled.black.as_str()),
            isolated(scheduled.white.as_str()),
        );
        (*place == GamePlace::Adjourned)
            .then(|| format!("{black} - {white} is adjourned: resume it, so that the rounds go on"))
    });
    let mut waits: Vec<String> = adjourned.collect();
    let plays = |name: &Name| {
        let mut games = state.games();
        games.any(|(scheduled, place)| matches!(place, GamePlace::Table(_)) && scheduled.has(name))
    };
    let due = tournament.pending_games();
    let has_game = |name: &&Name| due.iter().any(|scheduled| scheduled.has(name));
    let absent = tournament.players().filter(has_game);
    let absent = absent.filter(|name| !present.contains(name) && !plays(name));
    let absent = absent.map(Name::as_str);
    waits.extend(web::absence(absent, "not there", state.forfeit_after()));
    waits
}

/// Returns the places of the unfinished tournament games, and when others are forfeited, as times
/// of the server's clock.
fn open_games(state: &TeamTournament, clock: impl Fn(Duration) -> u64) -> OpenGames {
    let mut states = OpenGames::new();
    for (scheduled, place) in state.games() {
        let place = match place {
            GamePlace::Table(number) => format!("at table {number}"),
            GamePlace::Adjourned => "adjourned".to_owned(),
            GamePlace::Forfeited => continue,
        };
        states.entry(scheduled.number).or_default().place = Some(place);
    }
    for (number, deadlines) in state.deadlines() {
        states.entry(number).or_default().deadlines = deadlines.map(|at| at.map(&clock));
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{Games, PairingSystem, Settings};

    #[test]
    fn a_tournament_is_viewed_anew_when_it_has_been_set_anew() {
        let settings = Settings {
            system: PairingSystem::RoundRobin,
            games: Games::Single,
            seed: 7,
            forbidden: Vec::new(),
        };
        let teams = ["Red", "Blue"].map(|name| name.parse().unwrap());
        let first = Arc::new(Tournament::new(settings, &teams).unwrap());
        let second = Arc::new(Tournament::clone(&first));
        let mut view = CachedView::default();
        view.of(Arc::clone(&first));
        view.0.as_mut().unwrap().1.seed = "kept".into();
        assert_eq!(view.of(first).seed, "kept");
        assert_eq!(view.of(second).seed, "7");
    }
}
