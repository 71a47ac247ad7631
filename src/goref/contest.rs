//! A tournament that is held in the hall: its games are started as tables and
//! players are free, and their results are taken to it.

use std::collections::{BTreeMap, BTreeSet};

use super::client::ClientId;
use super::effects::{Effect, Finished, Note};
use super::hall::{Hall, Moment};
use super::name::Name;
use super::news::News;
use super::table::{Phase, Session};
use super::wire::Reason;
use crate::go::{ByColor, Color};
use crate::names::isolated;
use crate::tournament::{self, Event, Fixture, GameResult, Settings, Tournament};

/// A tournament that begins when so many players have told their names.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many.
    pub players: usize,
    /// How it is played.
    pub settings: Settings,
}

impl Hall {
    /// Whether a tournament has begun and is not over.
    pub(super) fn is_tournament_held(&self) -> bool {
        self.tournament.as_ref().is_some_and(|held| !held.is_over())
    }

    /// Begins the tournament that was planned when enough players are there.
    pub(super) fn begin_planned(&mut self) {
        let Some(Plan { players, settings }) = self.plan.clone() else {
            return;
        };
        if self.is_tournament_held() || self.named_clients() < players {
            return;
        }
        match self.begin_tournament(settings) {
            Ok(()) => self.plan = None,
            Err(why) => self.complain(format!("the tournament does not begin: {why}")),
        }
    }

    /// Begins a tournament of all clients who have a name, in order of arrival.
    ///
    /// # Errors
    /// One is being held already, a game of the last one is not over, or these
    /// players cannot play such a one.
    pub(super) fn begin_tournament(&mut self, settings: Settings) -> Result<(), String> {
        if self.is_tournament_held() {
            return Err("a tournament is being held: end it first".into());
        }
        // Its result would be taken for that of a game of this one.
        if let Some(session) = self.unfinished().find(|session| session.fixture.is_some()) {
            return Err(format!(
                "game {} of the last tournament is not over: let it end, or clear it first",
                session.id
            ));
        }
        let names = self
            .clients
            .values()
            .filter_map(|client| client.name.as_ref());
        let entrants: Vec<tournament::Name> = names.filter_map(entrant).collect();
        let begun = Tournament::new(settings.clone(), &entrants).map_err(|why| why.to_string())?;
        let seed = settings.seed;
        self.effects
            .push(Effect::Note(Note::Begin { settings, entrants }));
        let players = begun.players().len();
        self.tournament = Some(begun);
        self.changes.tournament = true;
        self.tell(News::Tournament {
            what: format!("a tournament of {players} players begins, seed {seed}"),
        });
        Ok(())
    }

    /// Takes a player out of the tournament: his other games are forfeited, and
    /// those that were broken off are given up.
    ///
    /// # Errors
    /// He is not in it, or plays just now.
    pub(super) fn withdraw(&mut self, name: &str, now: Moment) -> Result<(), String> {
        let player: tournament::Name = name.parse().map_err(|why| format!("{name:?}: {why}"))?;
        let his = |session: &Session| {
            let fixture = session.fixture.as_ref();
            fixture.is_some_and(|fixture| fixture.has(&player))
        };
        let mut games = self.unfinished().filter(|session| his(session));
        if let Some(session) = games.find(|session| session.phase == Phase::Playing) {
            return Err(format!(
                "{name} is in game {}: let it end, or pause it first",
                session.id
            ));
        }
        drop(games);
        self.happens(Event::Withdrawal {
            player: player.clone(),
            reason: "the organiser withdrew him".into(),
        })?;
        self.give_up(his, now);
        Ok(())
    }

    /// Ends the tournament before its time.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn end_tournament(&mut self) -> Result<(), String> {
        self.happens(Event::Ended {
            reason: "the organiser ended it".into(),
        })
    }

    /// Takes note of an event, and has it written down.
    fn happens(&mut self, event: Event) -> Result<(), String> {
        let held = self.tournament.as_mut().ok_or("no tournament is held")?;
        // Old results files may have more after the end; nothing is added any more.
        if held.is_over() {
            return Err("the tournament is over".into());
        }
        held.apply(&event).map_err(|why| why.to_string())?;
        let is_over = held.is_over();
        if let Event::Withdrawal { player, .. } = &event {
            let player = isolated(player.as_str());
            let what = format!("{player} leaves the tournament");
            self.tell(News::Tournament { what });
        }
        self.effects.push(Effect::Note(Note::Event(event)));
        self.changes.tournament = true;
        if is_over {
            self.tell_standings();
        }
        Ok(())
    }

    /// Pairs rounds, and starts the games that can be started.
    pub(super) fn pair_tournament(&mut self, now: Moment) {
        loop {
            let held = self.tournament.as_ref();
            let Some(held) = held.filter(|held| !held.is_over()) else {
                return;
            };
            match held.next_round() {
                Ok(None) => break,
                Ok(Some(round)) => {
                    if self.happens(round).is_err() {
                        return;
                    }
                }
                Err(why) => {
                    self.complain(why.to_string());
                    break;
                }
            }
        }
        let Some(held) = &self.tournament else { return };
        if self.free_table().is_none() {
            return;
        }
        // There may be tens of thousands of games to choose from.
        let free = self.free_clients();
        let fixtures = held.startable(|name| free.contains_key(name.as_str()));
        for fixture in fixtures {
            let Some(table) = self.free_table() else {
                return;
            };
            self.start_fixture(table, fixture, now);
        }
    }

    fn free_table(&self) -> Option<usize> {
        self.tables.iter().position(|table| !table.is_taken())
    }

    fn start_fixture(&mut self, table: usize, fixture: Fixture, now: Moment) {
        let free = self.free_clients();
        let players = [&fixture.black, &fixture.white].map(|name| free.get(name.as_str()).copied());
        let [Some(black), Some(white)] = players else {
            return;
        };
        self.free_seats(table);
        self.seat(table, Color::Black, Some(black));
        self.seat(table, Color::White, Some(white));
        if let Err(why) = self.start(table, Some(fixture), true, now) {
            self.complain(why);
        }
    }

    /// Tells the organiser once what keeps the tournament from going on.
    fn complain(&mut self, what: String) {
        if self.complaint.as_ref() != Some(&what) {
            self.complaint = Some(what.clone());
            self.tell(News::Failed { what });
        }
    }

    /// The clients who are in no game, by their names.
    fn free_clients(&self) -> BTreeMap<&str, ClientId> {
        let awaited: BTreeSet<&str> = self
            .unfinished()
            .flat_map(|session| [&session.names.black, &session.names.white])
            .map(AsRef::as_ref)
            .collect();
        let mut free = BTreeMap::new();
        for (&id, client) in &self.clients {
            let name = client.name.as_ref().map(AsRef::as_ref);
            let is_free = |name: &&str| !awaited.contains(name) && !self.resting.contains_key(&id);
            if let Some(name) = name.filter(is_free) {
                // Of two of one name, who came first.
                free.entry(name).or_insert(id);
            }
        }
        free
    }

    /// What holds up the tournament, a sentence each.
    pub(super) fn waits(&self) -> Vec<String> {
        let Some(held) = self.tournament.as_ref().filter(|held| !held.is_over()) else {
            return Vec::new();
        };
        let called = |session: &Session| {
            let ByColor { black, white } = session.names.as_ref().map(Name::isolated);
            format!("game {}, {black} - {white},", session.id)
        };
        let is_of_it = |session: &&Session| session.fixture.is_some();
        let put_away = self.adjourned.iter().filter(is_of_it);
        let put_away = put_away.map(|session| {
            let game = called(session);
            format!("{game} is put away: bring it back, so that the rounds go on")
        });
        let stopped = self.tables.iter().filter_map(|table| {
            let (session, reason) = table.stopped()?;
            is_of_it(&session).then_some(())?;
            let (game, number) = (called(session), table.number);
            Some(match reason {
                Reason::Pause => format!("{game} is paused at table {number}"),
                _ => format!("{game} is broken off at table {number}"),
            })
        });
        let connected: BTreeSet<&str> = self
            .clients
            .values()
            .filter_map(|client| client.name.as_ref().map(AsRef::as_ref))
            .collect();
        let due = held.due();
        let players = due.iter().flat_map(|game| [&game.black, &game.white]);
        let absent: BTreeSet<&str> = players
            .map(tournament::Name::as_str)
            .filter(|name| !connected.contains(name))
            .collect();
        let absent = absent.iter();
        let absent = absent.map(|name| format!("{} is not connected", isolated(name)));
        put_away.chain(stopped).chain(absent).collect()
    }

    /// The games that are played, or may go on.
    fn unfinished(&self) -> impl Iterator<Item = &Session> {
        let at_tables = self
            .tables
            .iter()
            .filter_map(|table| table.session.as_ref());
        at_tables
            .filter(|session| !matches!(session.phase, Phase::Over(_)))
            .chain(&self.adjourned)
    }

    /// Takes the result of a game to the tournament. That it is written down is
    /// part of recording the game.
    pub(super) fn take_result(&mut self, finished: &Finished) {
        let (Some(held), Some(event)) = (self.tournament.as_mut(), finished.event()) else {
            return;
        };
        let was_over = held.is_over();
        if let Err(why) = held.apply(&event) {
            let game = finished.game;
            self.complain(format!("the result of game {game} does not count: {why}"));
            return;
        }
        let is_over = held.is_over() && !was_over;
        self.changes.tournament = true;
        if is_over {
            self.tell_standings();
        }
    }

    fn tell_standings(&mut self) {
        let Some(held) = &self.tournament else { return };
        let table = held.standings_table();
        self.tell(News::Tournament {
            what: "the tournament is over".into(),
        });
        let lines = table.lines().map(str::to_owned).collect();
        self.tell(News::Standings { lines });
    }
}

impl Finished {
    /// What it is to the tournament; `None` if it is not of one, or was given up:
    /// then it is to be played again.
    pub fn event(&self) -> Option<Event> {
        let (fixture, outcome) = (self.fixture.clone()?, self.outcome?);
        let score = self.play.score();
        let winner = outcome.winner;
        let result = GameResult {
            scores: Some(score.map(|score| score.to_f64())),
            id: Some(self.file_name().into()),
            ..GameResult::played(winner, outcome.reason.to_string())
        };
        Some(Event::Game { fixture, result })
    }
}

/// A client's name as that of a player: they keep the same rules.
fn entrant(name: &Name) -> Option<tournament::Name> {
    name.as_ref().parse().ok()
}
