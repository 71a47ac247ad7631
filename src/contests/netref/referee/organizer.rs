//! The commands of the organizer, carried out.

use itertools::Itertools;

use super::Referee;
use super::command::{CommandError, RefereeCommand, help};
use super::effects::MatchToRecord;
use crate::base::names::isolated;
use crate::contests::contest::{RulingRequest, Timestamp, TournamentDesk};
use crate::contests::netref::client::Name;
use crate::contests::netref::entry::Entry;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::table::{LiveMatch, Table};
use crate::contests::netref::tournament::{GamePlace, brief};
use crate::tournament::NumberedGame;

/// The text for everybody at a table when the organizer voids its match.
const VOID: &str = "The organizer has ended the match: it does not count";

/// The text for everybody at a table when the organizer decides the result of its game, before the
/// reason.
const DECIDED: &str = "The organizer has ended the match, and decided its result";

/// The text for everybody at a table when the organizer has its game played again, before the reason.
const PLAYED_AGAIN: &str = "The organizer has ended the match, which is played again";

/// The text for everybody at a table when the organizer withdraws one of the teams, before the reason.
const WITHDRAWN: &str = "The organizer has ended the match";

/// The text for everybody at a table when the organizer adjourns its match.
const ADJOURNED: &str = "The organizer has adjourned the match: come back when it is resumed";

/// The result of a command: a sentence or a list for the organizer.
type Answer = Result<String, CommandError>;

impl<G: NetrefGame> Referee<G> {
    /// Runs a command. The answer may be given when what the command has changed is on the disk.
    /// `ports` names the port of each table, for the list.
    ///
    /// # Errors
    /// The command is refused.
    pub fn run_command(
        &mut self,
        command: RefereeCommand,
        ports: &[u16],
        now: Timestamp,
    ) -> Answer {
        let answer = match command {
            RefereeCommand::Help => Ok(help()),
            RefereeCommand::List => Ok(self.list(ports, now)),
            RefereeCommand::Void(number) => self.at_table(number, |referee, index| {
                referee.void(index, VOID, None, now)
            }),
            RefereeCommand::Adjourn(number) => self.at_table(number, |referee, index| {
                referee.end_first(index, now)?;
                referee.adjourn(index, ADJOURNED, now)
            }),
            RefereeCommand::Resume { id, table } => self.resume(&id, table, now),
            RefereeCommand::Tournament(command) => self.run_tournament_command(command, now),
        };
        self.settle(now);
        answer
    }

    /// Runs a command at a table.
    fn at_table(
        &mut self,
        number: u16,
        run: impl FnOnce(&mut Referee<G>, usize) -> Answer,
    ) -> Answer {
        let Some(index) = self.index(number) else {
            let tables = self.table_numbers();
            return Err(CommandError::UnknownTable {
                table: number,
                tables,
            });
        };
        run(self, index).map_err(|error| CommandError::Table {
            table: number,
            error: Box::new(error),
        })
    }

    /// Lists the server numbers of all tables.
    fn table_numbers(&self) -> String {
        let numbers = self.places.iter().map(|place| place.table.number());
        numbers.format(", ").to_string()
    }

    /// Ends a match whose flag has fallen before the command.
    pub(super) fn end_first(&mut self, index: usize, now: Timestamp) -> Result<(), CommandError> {
        let mut ended = None;
        self.change(index, |table| {
            let due = table.tick(now.clock);
            let finished = due.finished();
            ended = finished.map(|end| LogEvent::ended::<G>(&end.summary).to_string());
            due
        });
        ended.map_or(Ok(()), |ended| Err(CommandError::Ended(ended)))
    }

    /// Decides the result of a game of the tournament. If it is being played or adjourned, the match is
    /// void.
    pub(super) fn rule(&mut self, request: &RulingRequest, now: Timestamp) -> Answer {
        let desk = self.desk.as_ref().ok_or(CommandError::NoTeams)?;
        let mut begun = self.begun_games();
        let has_begun = |game: &NumberedGame| begun.contains_key(&game.scheduled.number);
        let (game, decision) = desk.check_ruling(request, has_begun)?;
        let place = begun.remove(&game.scheduled.number);
        if let Some((_, GamePlace::Table(number))) = &place {
            self.at_table(*number, |referee, index| {
                referee.end_first(index, now).map(|()| String::new())
            })?;
        }
        // If the decision cannot be written, the match goes on.
        let desk = self.desk.as_mut().ok_or(CommandError::NoTeams)?;
        let decided = decision.map(|decision| desk.rule(decision, &mut self.out));
        let decided = decided.transpose()?;
        self.must_step = true;
        if let Some((_, place)) = place {
            let what = match request.code {
                Some(_) => DECIDED,
                None => PLAYED_AGAIN,
            };
            let told = format!("{what}: {}", brief(&request.reason));
            self.void_decided(&game, place, (&told, request.why_void()), now)?;
        }
        Ok(decided.unwrap_or_else(|| {
            TournamentDesk::tell_restart(game.scheduled, request, &mut self.out)
        }))
    }

    /// Withdraws a team from the tournament: it forfeits all games that have no result. Its matches
    /// are void.
    pub(super) fn withdraw(&mut self, name: &str, now: Timestamp) -> Answer {
        let desk = self.desk.as_ref().ok_or(CommandError::NoTeams)?;
        let team = desk.named(name)?;
        for index in 0..self.places.len() {
            // A match whose flag has fallen has a result.
            let _ = self.end_first(index, now);
            let live = self.table(index).and_then(Table::live_match);
            let scheduled = live.and_then(LiveMatch::scheduled);
            if scheduled.is_some_and(|game| game.scheduled.has(&team)) {
                self.change(index, Table::count_flag);
            }
        }
        let begun = self.begun_games().into_values();
        let begun: Vec<_> = begun.filter(|(game, _)| game.has(&team)).collect();
        let desk = self.desk.as_mut().ok_or(CommandError::NoTeams)?;
        // If that cannot be written, the matches go on.
        let withdrawn = desk.withdraw(team.clone(), &mut self.out)?;
        let numbered = begun
            .into_iter()
            .map(|(game, at)| (desk.numbered(game), at));
        for (game, place) in numbered.collect::<Vec<_>>() {
            let why = format!("{} left the tournament", isolated(team.as_str()));
            let told = format!("{WITHDRAWN}: {why}");
            self.void_decided(&game, place, (&told, why), now)?;
        }
        Ok(withdrawn)
    }

    /// Ends the matches that the tournament does not have to be played, without a winner.
    pub(super) fn void_closed(&mut self, now: Timestamp) {
        let Some(desk) = &self.desk else {
            return;
        };
        let closed = self
            .scheduled_games()
            .filter_map(|(game, at)| Some((game.clone(), at, desk.why_closed(game)?)));
        for (game, place, why) in closed.collect::<Vec<_>>() {
            // Its flag may have fallen.
            let _ = self.void_decided(&game, place, (VOID, why), now);
        }
    }

    /// Ends the match of a game that has been decided, without a winner. Everybody at its table is sent
    /// the first text; the second one is the reason in the records.
    fn void_decided(
        &mut self,
        game: &NumberedGame,
        place: GamePlace,
        (told, why): (&str, String),
        now: Timestamp,
    ) -> Result<(), CommandError> {
        match place {
            GamePlace::Table(number) => {
                self.at_table(number, |referee, index| {
                    referee.void(index, told, Some(why), now)
                })?;
            }
            GamePlace::Adjourned => self.void_adjourned(game, &why),
        }
        Ok(())
    }

    fn void(&mut self, index: usize, told: &str, why: Option<String>, now: Timestamp) -> Answer {
        self.end_first(index, now)?;
        let live = self.table(index).and_then(Table::live_match);
        let id = live.map(|live| live.id().to_owned());
        let id = id.ok_or(CommandError::NoMatch)?;
        self.change(index, |table| table.void(told, why, now.clock));
        Ok(format!("match {id} is void"))
    }

    /// Ends the adjourned match of a game without a winner, for this reason.
    fn void_adjourned(&mut self, game: &NumberedGame, why: &str) {
        let is_it = |live: &mut Box<LiveMatch<G>>| live.scheduled() == Some(game);
        let void: Vec<_> = self.adjourned.extract_if(.., is_it).collect();
        for mut live in void {
            if let Some((end, finished)) = live.void_adjourned(why.to_owned()) {
                self.journal(live.id(), end);
                let event = LogEvent::ended::<G>(&finished.summary);
                self.out.log(live.server(), event);
                self.record(None, MatchToRecord::new::<G>(&finished), false);
            }
        }
        self.note_adjourned();
    }

    /// Returns the match of a table, which can be adjourned.
    ///
    /// # Errors
    /// There is none, or it cannot be.
    pub fn check_adjourn(&self, index: usize) -> Result<&LiveMatch<G>, CommandError> {
        let live = self.table(index).and_then(Table::live_match);
        match live.ok_or(CommandError::NoMatch)? {
            live if live.is_flag_fallen() => Err(CommandError::FlagFallen),
            _ if !self.settings.is_kept => Err(CommandError::NoJournal),
            live if !live.can_resume() => Err(CommandError::NotResumable),
            live => Ok(live),
        }
    }

    /// Adjourns the match of a table. Everybody there is sent this text.
    pub(super) fn adjourn(&mut self, index: usize, told: &str, now: Timestamp) -> Answer {
        let id = self.check_adjourn(index)?.id().to_owned();
        let mut adjourned = None;
        let named = Some(id.clone());
        self.change_match(index, named, |table| match table.adjourn(told, now.clock) {
            None => Default::default(),
            Some((live, effects)) => {
                adjourned = Some(live);
                effects
            }
        });
        if let Some(live) = adjourned {
            self.earlier.remove(&id);
            self.put_aside(live, true);
        }
        self.uncount_start();
        Ok(format!("match {id} is adjourned"))
    }

    fn resume(&mut self, id: &str, table: Option<u16>, now: Timestamp) -> Answer {
        let unknown = || CommandError::UnknownMatch(id.to_owned());
        let found = self
            .adjourned()
            .enumerate()
            .find(|(_, live)| live.id() == id);
        let (found, live) = found.ok_or_else(unknown)?;
        let server = live.server();
        if table.is_some_and(|table| table != server) {
            return Err(CommandError::OtherTable(server));
        }
        if self.index(server).is_none() {
            let tables = self.table_numbers();
            return Err(CommandError::OtherServer { server, tables });
        }
        self.at_table(server, |referee, index| {
            referee.resume_at(index, found, now)
        })
    }

    /// Returns a table at which an adjourned match can be resumed.
    ///
    /// # Errors
    /// It is not free, or no more matches begin.
    pub fn check_resume(&self, index: usize) -> Result<&Table<G>, CommandError> {
        let table = self.table(index).ok_or(CommandError::NoMatch)?;
        if !table.is_empty() {
            return Err(CommandError::NotFree {
                held: table.describe(),
                advice: match table.live_match() {
                    Some(_) => "wait for the end of that match, or adjourn or void it",
                    None => {
                        "that client waits for another match and must leave: resume first, then \
                         the players come back"
                    }
                },
            });
        }
        match self.is_open {
            true => Ok(table),
            false => Err(CommandError::NoMoreMatches),
        }
    }

    /// Puts the adjourned match with this index back on its table.
    fn resume_at(&mut self, index: usize, found: usize, now: Timestamp) -> Answer {
        let _ = self.end_first(index, now);
        let table = self.check_resume(index)?;
        let live = self.adjourned().nth(found);
        let live = live.ok_or(CommandError::NoMatch)?;
        check_house(live, table.house())?;
        if !live.can_resume() {
            return Err(CommandError::NotResumable);
        }
        let mut live = self.adjourned.remove(found);
        let (id, number) = (live.id().to_owned(), live.server());
        live.limit_wait(self.forfeit_after());
        self.journal(&id, Entry::Resumed);
        self.out.log(number, LogEvent::Restored(live.so_far()));
        self.change(index, |table| table.resume_match(live, now.clock));
        self.count_start();
        self.note_adjourned();
        Ok(format!("match {id} waits for its players"))
    }

    /// Describes the tables, the waiting clients, and the adjourned matches, one line for each.
    fn list(&mut self, ports: &[u16], now: Timestamp) -> String {
        for index in 0..self.places.len() {
            let _ = self.end_first(index, now);
        }
        let tables = self.places.iter().zip(ports).map(|(place, port)| {
            let (number, described) = (place.table.number(), place.table.describe());
            format!("table {number}, port {port}: {described}")
        });
        let waiting = self.lobby.iter();
        let waiting = waiting.map(|waiting| waiting.seeker.who::<G>().waits());
        let adjourned = self
            .adjourned()
            .map(|live| format!("adjourned: {}", live.listed()));
        tables.chain(waiting).chain(adjourned).join("\n")
    }
}

/// Checks that a resumed match against a house is against the one that plays at its table, if one does.
///
/// # Errors
/// Another house or none plays there.
pub fn check_house<G: NetrefGame>(
    live: &LiveMatch<G>,
    at_table: Option<&Name>,
) -> Result<(), CommandError> {
    match live.house() {
        Some(house) if at_table != Some(house) => Err(CommandError::House(house.clone())),
        _ => Ok(()),
    }
}
