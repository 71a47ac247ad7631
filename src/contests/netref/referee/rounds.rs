//! The rounds of the tournament: when it begins, which games begin, and which are forfeited.

use super::Referee;
use super::command::CommandError;
use crate::base::color::{ByColor, Color};
use crate::contests::contest::{DeskError, Timestamp, TournamentCommand, TournamentDesk};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::lobby::Entrant;
use crate::contests::netref::summary::Summary;
use crate::contests::netref::tournament::{
    BegunGames, GamePlace, TeamAttendance, may_play, player_names,
};
use crate::tournament::{Event, Name, NumberedGame, Settings, StopAfter};

impl<G: NetrefGame> Referee<G> {
    /// Logs which tournament goes on, or is planned, when the server starts.
    pub fn tell_tournament(&mut self) {
        if let Some(desk) = &self.desk {
            desk.tell_held(&mut self.out);
        }
    }

    /// Returns the games of the tournament that have begun and are not over.
    pub fn begun_games(&self) -> BegunGames {
        let is_open = |game: &NumberedGame| self.desk().is_some_and(|desk| desk.is_open(game));
        self.scheduled_games()
            .filter(|(game, _)| is_open(game))
            .map(|(game, place)| (game.scheduled.number, (game.scheduled.clone(), place)))
            .collect()
    }

    /// Returns the games of tournaments that are not over, at the tables and adjourned, also those that
    /// the tournament does not have to be played.
    pub(super) fn scheduled_games(&self) -> impl Iterator<Item = (&NumberedGame, GamePlace)> {
        let at_tables = self.places.iter().filter_map(|place| {
            let scheduled = place.table.live_match()?.scheduled()?;
            Some((scheduled, GamePlace::Table(place.table.number())))
        });
        let adjourned = self.adjourned.iter().filter_map(|live| {
            let scheduled = live.scheduled()?;
            Some((scheduled, GamePlace::Adjourned))
        });
        at_tables.chain(adjourned)
    }

    /// Returns the teams of the clients in the lobby, in the order in which they came, and at the
    /// tables.
    pub fn teams_present(&self) -> Vec<Name> {
        player_names(self.connected_teams())
    }

    /// Returns the teams that take part in a tournament that the organizer begins now: those that
    /// are [present](Referee::teams_present), and those of matches that were adjourned since the
    /// start. Matches that were adjourned earlier do not show which teams are present.
    pub fn tournament_entrants(&self) -> Vec<Name> {
        let recent = self
            .adjourned
            .iter()
            .filter(|live| !self.earlier.contains(live.id()));
        let teams = recent.flat_map(|live| live.both_teams());
        let teams = teams.filter(|team| self.settings.teams.contains(team));
        player_names(self.connected_teams().chain(teams))
    }

    fn connected_teams(&self) -> impl Iterator<Item = &crate::contests::netref::client::Name> {
        let waiting = self.lobby.iter();
        let waiting = waiting.filter_map(|entrant| entrant.seeker.player.team());
        let at_tables = self.places.iter().flat_map(|place| &place.noted.teams);
        waiting.chain(at_tables.flatten())
    }

    /// Returns the places of the teams and the games.
    fn attendance(&self) -> TeamAttendance {
        let tables = self.places.iter().map(|place| &place.noted);
        let began = self.desk.as_ref().and_then(TournamentDesk::began);
        TeamAttendance::new(self.begun_games(), tables, began, &self.lobby)
    }

    /// Lets the tournament go on: the planned one begins, rounds are paired, and games are forfeited.
    pub(super) fn step_tournament(&mut self, now: Timestamp) {
        if self.desk.is_none() || self.is_disk_failing {
            return;
        }
        self.out.changes.tournament = true;
        let due = |desk: &TournamentDesk| desk.due_plan(|| self.teams_present().len());
        if let Some(settings) = self.desk.as_ref().and_then(due)
            && let Err(why) = self.begin_tournament(settings, self.teams_present(), now)
            && let Some(desk) = &mut self.desk
        {
            desk.complain(why.to_string(), &mut self.out);
        }
        if let Some(desk) = &mut self.desk {
            desk.pair_rounds(&mut self.out);
        }
        let attendance = self.attendance();
        if let Some(desk) = &mut self.desk {
            let forfeits = desk.forfeit(&attendance, now.clock, &mut self.out);
            // They may end a round.
            self.must_step |= !forfeits.is_empty();
        }
        if self.out.changes.standings {
            self.must_seat = true;
            self.check_waiting();
        }
        let is_over = self.is_tournament_over();
        if is_over && self.settings.stop_after == Some(StopAfter::Tournament) {
            let why = "The referee stops: the tournament is over";
            self.stop.get_or_insert_with(|| why.to_owned());
        }
    }

    /// Returns whether a tournament that was running since the start is over, no other one is planned,
    /// none of its games is still being played, and all are recorded.
    fn is_tournament_over(&self) -> bool {
        let mut games = self.begun_games().into_values();
        self.desk.as_ref().is_some_and(TournamentDesk::is_over)
            && !games.any(|(_, place)| matches!(place, GamePlace::Table(_)))
            && self.unrecorded.is_empty()
    }

    /// Begins a tournament of these teams.
    fn begin_tournament(
        &mut self,
        settings: Settings,
        entrants: Vec<Name>,
        now: Timestamp,
    ) -> Result<String, CommandError> {
        if self.settings.house_plays_lobby {
            return Err(CommandError::HouseEverywhere);
        }
        let is_running = self.running().is_some();
        let last = self.begun_games().into_values().find(|_| !is_running);
        if let Some((scheduled, place)) = last {
            let what = match place {
                GamePlace::Table(table) => format!("let it end at table {table}, or void it"),
                GamePlace::Adjourned => "resume it, and let it end or void it".to_owned(),
            };
            let what = format!("a game of the last tournament is not over, {scheduled}: {what}");
            return Err(DeskError::LastGame(what).into());
        }
        let desk = self.desk.as_mut().ok_or(CommandError::NoTeams)?;
        Ok(desk.begin(settings, entrants, now.date, &mut self.out)?)
    }

    /// Carries out a command about the tournament. Returns what has happened.
    pub(super) fn run_tournament_command(
        &mut self,
        command: TournamentCommand,
        now: Timestamp,
    ) -> Result<String, CommandError> {
        let entrants = self.tournament_entrants();
        let teams = player_names(self.settings.teams.iter());
        self.must_step = true;
        let desk = self.desk.as_mut().ok_or(CommandError::NoTeams)?;
        let out = &mut self.out;
        Ok(match command {
            TournamentCommand::Begin(settings) => self.begin_tournament(settings, entrants, now)?,
            TournamentCommand::Withdraw(name) => self.withdraw(&name, now)?,
            TournamentCommand::Attend(name, attending) => {
                let is_known = |player: &Name| teams.contains(player);
                desk.attend(&name, attending, is_known, out)?
            }
            TournamentCommand::Rule(request) => self.rule(&request, now)?,
            TournamentCommand::End => desk.end(out)?,
        })
    }

    /// Adds the result of a game of a tournament to it, if it has one.
    pub(super) fn take_result(&mut self, game: &NumberedGame, result: Option<Event>) {
        (self.must_step, self.must_seat) = (true, true);
        if let Some(desk) = &mut self.desk
            && let Some(event) = result
        {
            // The disk reports one that does not count.
            let _ = desk.take_result(game, &event, &mut self.out);
        }
    }

    /// Starts the first game that can be played now: takes its two clients out of the lobby. Returns
    /// `None` if no game can start.
    pub(super) fn next_game(&mut self) -> Option<(NumberedGame, ByColor<Entrant>)> {
        let desk = self.desk.as_ref()?;
        let scheduled = self.attendance().startable(desk.running()?)?;
        let game = desk.numbered(scheduled);
        let lobby = &mut self.lobby;
        let mut take = |name: &Name, color| {
            lobby.take_first(|entrant| may_play(&entrant.seeker, name.as_str(), color))
        };
        let black = take(&game.scheduled.black, Color::Black)?;
        let Some(white) = take(&game.scheduled.white, Color::White) else {
            lobby.enter(black);
            return None;
        };
        Some((game, ByColor::new(black, white)))
    }

    /// Returns the matches that are over and not recorded yet, in the order of their IDs.
    pub fn unrecorded(&self) -> impl Iterator<Item = &Summary> {
        let unrecorded = self.unrecorded.values();
        unrecorded.map(|unrecorded| &unrecorded.summary)
    }

    /// Notes that matches are recorded, or given up.
    pub fn note_recorded(&mut self, ids: &[String], now: Timestamp) {
        for id in ids {
            self.unrecorded.remove(id);
        }
        self.must_step = true;
        self.settle(now);
    }

    /// Refuses the clients in the lobby that would wait in vain.
    fn check_waiting(&mut self) {
        let Some(running) = self.running() else {
            return;
        };
        let refused = self.lobby.iter().filter_map(|waiting| {
            let refusal = super::seating::refusal_of::<G>(running, waiting)?;
            Some((waiting.seeker.conn, refusal))
        });
        for (conn, refusal) in refused.collect::<Vec<_>>() {
            self.refuse(conn, refusal);
        }
    }
}
