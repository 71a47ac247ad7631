//! How a contest carries out the commands of its organizer.

use itertools::Itertools;

use super::Contest;
use super::desk::{DeskError, TournamentDesk};
use super::effects::Timestamp;
use super::live_game::LiveGame;
use super::log::LogEvent;
use super::names::{ClientId, GameId, Name};
use super::organizer::{CommandError, OrganizerCommand};
use super::protocol::Protocol;
use super::table::Table;
use super::tournament_command::{Attending, RulingRequest, TournamentCommand};
use crate::base::color::Color;
use crate::base::names::isolated;
use crate::tournament::{self, NumberedGame, Settings};

impl<P: Protocol> Contest<P> {
    /// Carries out a command of the organizer. Returns what has happened.
    ///
    /// # Errors
    /// It cannot be carried out now.
    pub fn run_command(
        &mut self,
        command: &OrganizerCommand,
        now: Timestamp,
    ) -> Result<String, CommandError> {
        // If a flag has fallen, the player has lost before this.
        self.tick(now);
        if let Some(failure) = &self.failure
            && !matches!(
                command,
                OrganizerCommand::Disconnect(_) | OrganizerCommand::Help
            )
        {
            return Err(CommandError::DiskFails(failure.why.clone()));
        }
        let done = self.dispatch(command, now);
        self.tables.update_changed(now, &mut self.out);
        self.pair(now);
        self.tables.update_changed(now, &mut self.out);
        done
    }

    /// Passes a command to the part of the contest that it is for.
    fn dispatch(
        &mut self,
        command: &OrganizerCommand,
        now: Timestamp,
    ) -> Result<String, CommandError> {
        let (tables, out) = (&mut self.tables, &mut self.out);
        match *command {
            OrganizerCommand::Help => return Ok(OrganizerCommand::help()),
            OrganizerCommand::Tournament(ref command) => {
                return Ok(match command {
                    TournamentCommand::Begin(settings) => {
                        self.begin_tournament(settings.clone(), now)
                    }
                    TournamentCommand::Withdraw(name) => self.withdraw(name, now),
                    TournamentCommand::Attend(name, attending) => self.attend(name, *attending),
                    TournamentCommand::Rule(request) => self.rule(request, now),
                    TournamentCommand::End => self.desk.end(out),
                }?);
            }
            OrganizerCommand::Assign(table, color, client) => self.assign(table, color, client),
            OrganizerCommand::Swap(table) => tables.swap(tables.index(table)?, out),
            OrganizerCommand::Start(table) => {
                tables.start(tables.index(table)?, None, false, now, out)
            }
            OrganizerCommand::Pause(table) => {
                let index = tables.index(table)?;
                tables.try_touch_mut(index)?.pause(now, out)
            }
            OrganizerCommand::Resume(table) => tables.resume(tables.index(table)?, now, out),
            OrganizerCommand::Clear(table) => {
                let why = "the organizer voided the game";
                tables.clear(tables.index(table)?, why, now, out)
            }
            OrganizerCommand::Adjourn(table) => self.adjourn(table, now),
            OrganizerCommand::Free(table, color) => self.free(table, color, now),
            OrganizerCommand::Recall(table, game) => self.recall(table, game),
            OrganizerCommand::Disconnect(client) => self.close_connection(client, now),
        }?;
        Ok("done".to_owned())
    }

    fn assign(
        &mut self,
        number: u16,
        color: Color,
        client: Option<ClientId>,
    ) -> Result<(), CommandError> {
        let index = self.tables.index(number)?;
        let check_not_playing = |index| {
            self.tables
                .get(index)
                .map_or(Ok(()), Table::check_not_playing)
        };
        check_not_playing(index)?;
        let Some(client) = client else {
            self.tables.seat(index, color, None, &mut self.out);
            self.out.log(LogEvent::Unseated {
                table: number,
                side: color,
            });
            return Ok(());
        };
        if !self.clients.contains(client) {
            return Err(CommandError::ClientGone(client));
        }
        let player = self.clients.get_named(client);
        let player = player.ok_or(CommandError::ClientNameless(client))?.clone();
        if let Some(seat) = self.tables.seat_of(client) {
            check_not_playing(seat.table)?;
        }
        let name = player.name.to_string();
        self.tables.seat(index, color, Some(player), &mut self.out);
        self.out.log(LogEvent::Seated {
            table: number,
            side: color,
            name,
        });
        Ok(())
    }

    fn adjourn(&mut self, number: u16, now: Timestamp) -> Result<(), CommandError> {
        let index = self.tables.index(number)?;
        let adjourned = self.tables.adjourn(index, now, &mut self.out)?;
        if let Some(game) = adjourned
            && game.scheduled().is_some()
            && self.desk.running().is_some()
        {
            let what = format!(
                "the tournament waits for {}: move it to a table, so that the rounds go on",
                game.listed()
            );
            self.out.changes.games = true;
            self.out.log(LogEvent::Tournament { what });
        }
        Ok(())
    }

    /// Frees the seat of an absent player, and gives it to a client of that name, if there is
    /// one.
    fn free(&mut self, number: u16, color: Color, now: Timestamp) -> Result<(), CommandError> {
        let index = self.tables.index(number)?;
        let table = self.tables.try_touch_mut(index)?;
        let name = table.free(color, &mut self.out)?;
        if let Some((client, _)) = name.and_then(|name| self.returned(&name)) {
            self.welcome_back(client, now);
        }
        Ok(())
    }

    fn recall(&mut self, number: u16, game: GameId) -> Result<(), CommandError> {
        let index = self.tables.index(number)?;
        let names = self.tables.recall(index, game, &mut self.out)?;
        for color in Color::ALL {
            self.seat_by_name(index, color, &names[color]);
        }
        Ok(())
    }

    /// Gives a seat to a client of a name, if one has no seat: to one with the address that the
    /// seat is kept for, if there is one.
    fn seat_by_name(&mut self, index: usize, color: Color, name: &Name) {
        let kept = self.tables.get(index).and_then(Table::game);
        let kept = kept.and_then(|game| game.address(color));
        let players = self.unseated(name);
        if let Some(player) = players.min_by_key(|player| Some(player.address) != kept) {
            let player = player.clone();
            self.tables.seat(index, color, Some(player), &mut self.out);
        }
    }

    fn close_connection(&mut self, client: ClientId, now: Timestamp) -> Result<(), CommandError> {
        if !self.clients.contains(client) {
            return Err(CommandError::ClientGone(client));
        }
        self.disconnect_for(client, "the organizer disconnected it", now);
        Ok(())
    }

    /// Begins a tournament of all clients that have sent their names: of several with the same name, one
    /// plays.
    pub(super) fn begin_tournament(
        &mut self,
        settings: Settings,
        now: Timestamp,
    ) -> Result<String, DeskError> {
        let mut unfinished = self.tables.unfinished();
        if self.desk.running().is_none()
            && let Some(game) = unfinished.find(|game| game.scheduled().is_some())
        {
            return Err(DeskError::LastGame(format!(
                "{}, of the last tournament, is not over: let it end, or void it first",
                game.listed()
            )));
        }
        drop(unfinished);
        let players = self.clients.named().unique_by(|client| &client.name);
        // Both kinds of names follow the same rules.
        let players = players.filter_map(|client| client.name.as_ref().parse().ok());
        let players = players.collect();
        self.desk.begin(settings, players, now.date, &mut self.out)
    }

    /// Changes the attendance of a player.
    fn attend(&mut self, name: &str, attending: Attending) -> Result<String, DeskError> {
        let (clients, teams) = (&self.clients, &self.teams);
        let is_known = |player: &tournament::Name| {
            let connected = clients.named().map(|client| &client.name);
            let mut names = connected.chain(teams.names());
            names.any(|known| known.as_ref() == player.as_str())
        };
        self.desk.attend(name, attending, is_known, &mut self.out)
    }

    /// Decides the result of a game. If it is interrupted or adjourned, it is void.
    fn rule(&mut self, request: &RulingRequest, now: Timestamp) -> Result<String, DeskError> {
        let has_begun = |decided: &NumberedGame| {
            let mut games = self.tables.unfinished();
            games.any(|game| game.scheduled() == Some(decided))
        };
        let (scheduled, decision) = self.desk.check_ruling(request, has_begun)?;
        let is_it = |game: &LiveGame<P>| game.scheduled() == Some(&scheduled);
        let mut games = self.tables.unfinished().filter(|game| is_it(game));
        if let Some(game) = games.find(|game| game.is_playing()) {
            let game = game.id();
            let what = format!("game {game} is being played: pause it first");
            return Err(DeskError::InGame(what));
        }
        drop(games);
        // If the decision cannot be written, the game goes on.
        let decided = decision.map(|decision| self.desk.rule(decision, &mut self.out));
        let decided = decided.transpose()?;
        let why = |game: &LiveGame<P>| is_it(game).then(|| request.why_void());
        self.tables.void_all(why, now, &mut self.out);
        Ok(decided.unwrap_or_else(|| {
            TournamentDesk::tell_restart(scheduled.scheduled, request, &mut self.out)
        }))
    }

    /// Withdraws a player from the tournament: the player forfeits all games that have no
    /// result, and those that were interrupted are void.
    fn withdraw(&mut self, name: &str, now: Timestamp) -> Result<String, DeskError> {
        let player = self.desk.named(name)?;
        let is_theirs = |game: &LiveGame<P>| {
            let scheduled = game.scheduled();
            scheduled.is_some_and(|game| game.scheduled.has(&player))
        };
        let mut games = self.tables.unfinished().filter(|game| is_theirs(game));
        if let Some(game) = games.find(|game| game.is_playing()) {
            let game = game.id();
            let what = format!("{player} is in game {game}: let it end, or pause it first");
            return Err(DeskError::InGame(what));
        }
        drop(games);
        let withdrawn = self.desk.withdraw(player.clone(), &mut self.out)?;
        let left = || format!("{} left the tournament", isolated(player.as_str()));
        let why = |game: &LiveGame<P>| is_theirs(game).then(left);
        self.tables.void_all(why, now, &mut self.out);
        Ok(withdrawn)
    }
}
