//! The tournament desk: the tournament that is planned, runs, or was the last, its events, and how
//! long it waits for absent players.
//!
//! An event happens at once, and is written to the results file before anybody is told of it. If the
//! disk fails, the desk goes back to what is there.

use std::time::{Duration, SystemTime};

use itertools::Itertools;
use thiserror::Error;

use super::ordered::TournamentEffect;
use super::tournament_command::{Attending, RulingRequest, TournamentCommand, why_decided};
use crate::base::color::ByColor;
use crate::base::counted::counted;
use crate::base::names::isolated;
use crate::tournament::{
    Attendance, Event, EventError, Forfeit, ForfeitClocks, GameNumber, GameResult, LastTournament,
    Name, NameError, NumberedGame, Plan, Ruling, ScheduledGame, Settings, SetupError, Tournament,
};

/// Why a command about the tournament cannot be carried out now.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DeskError {
    /// Another tournament is running.
    #[error("a tournament is being held: end it first")]
    Held,
    /// A game of the last tournament is not over, as this sentence says. Its result would count for
    /// the new one.
    #[error("{0}")]
    LastGame(String),
    /// No tournament has begun.
    #[error("no tournament is held")]
    NoTournament,
    /// The tournament is over.
    #[error("the tournament is over")]
    Over,
    /// No tournament can be made of these settings and players.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The tournament does not allow it.
    #[error(transparent)]
    Event(#[from] EventError),
    /// A text is not a valid name of a player.
    #[error("{name:?}: {why}")]
    Name {
        /// The text.
        name: String,
        /// The error in the name.
        why: NameError,
    },
    /// Nobody has the name of a player who is to enter.
    #[error("{none} is called {}", isolated(player.as_str()))]
    UnknownPlayer {
        /// The name.
        player: Name,
        /// Those who could enter, none of whom has it.
        none: &'static str,
    },
    /// No game has this number or name.
    #[error(
        "there is no game {0:?}: give its number in the tournament, such as 2.1.1, or the name of its \
         record, which it has when it is over"
    )]
    NoGame(String),
    /// Several games have this number.
    #[error("{given} has several games: give the number of one of them, such as {one}")]
    SeveralGames { given: String, one: String },
    /// A game is one of an earlier tournament, or does not count in the last one.
    #[error(
        "game {id} is one of tournament {tournament}: games of the last tournament can be decided if \
         they are to be played or count, and games of an earlier one cannot"
    )]
    OtherTournament {
        /// The name of its record.
        id: String,
        /// The number of the tournament.
        tournament: u32,
    },
    /// The results cannot be read or written, for this reason.
    #[error("the results: {0}")]
    Results(String),
    /// A game without a result is to be played again, and has not begun.
    #[error("nothing can be played again: {0} has no result, and is not being played")]
    NotBegun(ScheduledGame),
    /// A player who is to enter has entered, and is absent.
    #[error("{0} is in the tournament, and absent: type `return {0}`")]
    Absent(Name),
    /// A decision needs a reason.
    #[error("give a reason: the players will ask for it")]
    NoReason,
    /// A player who is to be withdrawn is in a game, as this sentence says.
    #[error("{0}")]
    InGame(String),
}

/// Where a desk says what happens.
pub trait DeskOutput {
    /// What the players are, in the singular.
    const PLAYER: &'static str;

    /// The subject of a sentence about a name that nobody has who could enter.
    const NOBODY: &'static str;

    /// Writes something to the results file.
    fn write_tournament(&mut self, effect: TournamentEffect);

    /// Logs what has happened, after what has been written so far.
    fn tell(&mut self, what: String);

    /// Logs why the tournament cannot go on.
    fn complain(&mut self, what: String);

    /// Logs the standings of a tournament that is over, a line for each player, in order with
    /// [`tell`](DeskOutput::tell).
    fn tell_standings(&mut self, lines: Vec<String>);

    /// Notes for the page that rounds or standings have changed.
    fn show_standings(&mut self);

    /// Notes for the page that a countdown to a forfeit has changed.
    fn show_countdowns(&mut self);
}

/// Why a game that has begun is void after a crash or a failure of the disk if no decision says so: it is of
/// another tournament, has a result, or is not paired.
const NOT_TO_BE_PLAYED: &str = "the tournament here does not have it to be played";

/// The answer to a decision that a game has already.
pub const DECIDED_ALREADY: &str = "the game has this result already";

/// The planned tournament, and the one that is running or was the last.
#[derive(Debug, Default)]
pub struct TournamentDesk {
    plan: Option<Plan>,
    /// The plan that was given up when the tournament began.
    begun: Option<Plan>,
    /// The number of the tournament in its folder; 0 if there is none.
    number: u32,
    /// When it began, if that is known.
    began: Option<SystemTime>,
    tournament: Option<Tournament>,
    /// How long its games have waited for absent players; `None` if they wait without limit.
    forfeits: Option<ForfeitClocks>,
    /// Whether a tournament has been running since the start.
    has_run: bool,
    /// The last logged reason why the tournament cannot go on.
    complaint: Option<String>,
}

impl TournamentDesk {
    /// Creates a desk without a tournament. Absent players forfeit after this time, if there is one.
    pub fn new(plan: Option<Plan>, forfeit_after: Option<Duration>) -> TournamentDesk {
        TournamentDesk {
            plan,
            forfeits: forfeit_after.map(ForfeitClocks::new),
            ..TournamentDesk::default()
        }
    }

    /// Continues with the last tournament of the results files, in place of the planned one if it is
    /// not over. One that is over is only shown.
    pub fn resume(&mut self, last: LastTournament) {
        (self.number, self.began) = (last.number, last.began);
        self.tournament = last.tournament;
        if self.running().is_some() {
            self.has_run = true;
            // The plan has begun, or another tournament has begun in its place.
            self.begun = self.plan.take();
        }
    }

    /// Logs which tournament goes on, or is planned, when the server starts.
    pub fn tell_held<O: DeskOutput>(&self, out: &mut O) {
        let Some(running) = self.running() else {
            if let Some(plan) = &self.plan {
                let players = counted(plan.players, O::PLAYER);
                out.tell(format!("a tournament begins when {players} are there"));
            }
            return;
        };
        if running.rounds_paired() == 0 {
            return out.tell(beginning::<O>(running));
        }
        let players = counted(running.players().len(), O::PLAYER);
        let (round, rounds) = (running.current_round(), running.rounds_planned());
        out.tell(format!(
            "the unfinished tournament of {players} continues in round {round} of {rounds}: each \
             game begins when both {}s are there",
            O::PLAYER
        ));
    }

    /// Treats the last tournament as the one that this run was started for.
    pub fn count_last(&mut self) {
        self.has_run = self.tournament.is_some();
    }

    /// Returns the tournament that is running, or was the last.
    pub fn tournament(&self) -> Option<&Tournament> {
        self.tournament.as_ref()
    }

    /// Returns the tournament that is running.
    pub fn running(&self) -> Option<&Tournament> {
        self.tournament
            .as_ref()
            .filter(|running| !running.is_over())
    }

    /// Returns when the tournament began, if that is known.
    pub fn began(&self) -> Option<SystemTime> {
        self.began
    }

    /// Returns whether a tournament is running or planned.
    pub fn is_held(&self) -> bool {
        self.plan.is_some() || self.running().is_some()
    }

    /// Returns whether a tournament that was running since the start is over, and no other one is
    /// planned.
    pub fn is_over(&self) -> bool {
        self.has_run && !self.is_held()
    }

    /// Returns whether a game is one of the last tournament.
    pub fn is_of_it(&self, game: &NumberedGame) -> bool {
        game.tournament == self.number
    }

    /// Returns whether a game is one of the last tournament, and can be played on: it has no result, and is
    /// paired if the tournament is running.
    pub fn is_open(&self, game: &NumberedGame) -> bool {
        let can_end = |tournament: &Tournament| match tournament.is_over() {
            false => tournament.is_pending(&game.scheduled),
            true => !tournament.games().any(|(scheduled, result)| {
                scheduled.number == game.scheduled.number && result.is_some()
            }),
        };
        self.is_of_it(game) && self.tournament.as_ref().is_none_or(can_end)
    }

    /// Returns why a game that has begun is void after a crash or a failure of the disk: the organizer
    /// has decided it, or it cannot be played on for another reason. `None` if it
    /// [can](TournamentDesk::is_open).
    pub fn why_closed(&self, game: &NumberedGame) -> Option<String> {
        if self.is_open(game) {
            return None;
        }
        let tournament = self.tournament.as_ref().filter(|_| self.is_of_it(game));
        let rulings = tournament.map_or(&[][..], Tournament::rulings);
        let last = rulings
            .iter()
            .rfind(|ruling| ruling.scheduled.number == game.scheduled.number);
        let decided = last.filter(|ruling| ruling.after.is_some());
        Some(decided.map_or_else(
            || NOT_TO_BE_PLAYED.to_owned(),
            |ruling| why_decided(ruling.reason.as_str()),
        ))
    }

    /// Returns a game of this tournament with its number.
    pub fn numbered(&self, scheduled: ScheduledGame) -> NumberedGame {
        NumberedGame {
            tournament: self.number,
            scheduled,
        }
    }

    /// Returns the settings of the planned tournament if enough players are there, whose number
    /// is counted only if a tournament is planned.
    pub fn due_plan(&self, players: impl FnOnce() -> usize) -> Option<Settings> {
        let plan = self.plan.as_ref().filter(|_| self.running().is_none())?;
        (players() >= plan.players).then(|| plan.settings.clone())
    }

    /// Begins a tournament of players in order of arrival. Returns what has happened.
    ///
    /// # Errors
    /// Another one is running, or these players cannot play such a tournament.
    pub fn begin<O: DeskOutput>(
        &mut self,
        settings: Settings,
        entrants: Vec<Name>,
        now: SystemTime,
        out: &mut O,
    ) -> Result<String, DeskError> {
        if self.running().is_some() {
            return Err(DeskError::Held);
        }
        let begun = Tournament::new(settings.clone(), &entrants)?;
        begun.check_pairings()?;
        let what = beginning::<O>(&begun);
        out.write_tournament(TournamentEffect::Begin { settings, entrants });
        self.resume(LastTournament {
            number: self.number.saturating_add(1),
            began: Some(now),
            tournament: Some(begun),
        });
        out.tell(what.clone());
        out.show_standings();
        Ok(what)
    }

    /// Returns the player of the running tournament that the organizer calls so: the only one whose
    /// name is this one without regard to capitals, otherwise the one with just this name.
    ///
    /// # Errors
    /// No player can have this name, or no tournament is running.
    pub fn named(&self, name: &str) -> Result<Name, DeskError> {
        let Some(running) = self.running() else {
            return Err(match self.tournament {
                None => DeskError::NoTournament,
                Some(_) => DeskError::Over,
            });
        };
        let given = parse_name(name)?;
        let lower = given.as_str().to_lowercase();
        let alike = running.players();
        let alike = alike.filter(|player| player.as_str().to_lowercase() == lower);
        Ok(alike.exactly_one().cloned().unwrap_or(given))
    }

    /// Withdraws a player. Returns what has happened.
    ///
    /// # Errors
    /// No tournament is running, or the player is not in it.
    pub fn withdraw<O: DeskOutput>(
        &mut self,
        player: Name,
        out: &mut O,
    ) -> Result<String, DeskError> {
        let left = format!("{} leaves the tournament", isolated(player.as_str()));
        let withdrawal = Event::Withdrawal {
            player,
            reason: format!("the organizer withdrew the {}", O::PLAYER).into(),
        };
        self.apply(withdrawal, Some(&left), out)?;
        Ok(left)
    }

    /// Lets a player enter a Swiss tournament if `is_known`, miss the rounds from the next one on, or
    /// return. Returns what has happened.
    ///
    /// # Errors
    /// No tournament is running, the player cannot, or a misspelled name would enter.
    pub fn attend<O: DeskOutput>(
        &mut self,
        name: &str,
        attendance: Attending,
        is_known: impl FnOnce(&Name) -> bool,
        out: &mut O,
    ) -> Result<String, DeskError> {
        let mut player = self.named(name)?;
        if attendance == Attending::Enters {
            let is_absent = |running: &Tournament| running.is_absent(&player);
            if self.running().is_some_and(is_absent) {
                return Err(DeskError::Absent(player));
            }
            player = parse_name(name)?;
            if !is_known(&player) {
                let none = O::NOBODY;
                return Err(DeskError::UnknownPlayer { player, none });
            }
        }
        let name = isolated(player.as_str());
        let (what, event) = match attendance {
            Attending::Enters => {
                let forbidden = Vec::new();
                let what = format!("{name} enters the tournament");
                (what, Event::Entry { player, forbidden })
            }
            Attending::IsAbsent => {
                let reason = format!("the organizer let the {} miss rounds", O::PLAYER).into();
                let what = format!("{name} is not paired from the next round on");
                (what, Event::Absence { player, reason })
            }
            Attending::Returns => {
                let what = format!("{name} is paired again from the next round on");
                (what, Event::Return { player })
            }
        };
        self.check(&event)?;
        // It would have no effect.
        if self.running().is_some_and(Tournament::all_paired) {
            return Err(EventError::NoFurtherRound.into());
        }
        self.apply(event, Some(&what), out)?;
        Ok(what)
    }

    /// Checks a decision about the result of a game, also of a tournament that is over. Returns the
    /// game, and the event; `None` if a game that `has_begun`, and has no result, is to be played again:
    /// then it must only be void.
    ///
    /// # Errors
    /// It does not fit the tournament, or lacks a reason.
    pub fn check_ruling(
        &self,
        request: &RulingRequest,
        has_begun: impl FnOnce(&NumberedGame) -> bool,
    ) -> Result<(NumberedGame, Option<Event>), DeskError> {
        let tournament = self.tournament.as_ref().ok_or(DeskError::NoTournament)?;
        let (scheduled, result) = find_game(tournament, request)?;
        let event = ruling(&scheduled, result, request)?;
        let game = self.numbered(scheduled);
        match tournament.check(&event) {
            Ok(_) => Ok((game, Some(event))),
            Err(EventError::NoResult(_)) if has_begun(&game) => Ok((game, None)),
            Err(EventError::NoResult(scheduled)) => Err(DeskError::NotBegun(scheduled)),
            Err(why) => Err(why.into()),
        }
    }

    /// Returns the decision that a command asks for, if it is about no game of the tournament at this
    /// desk: it may be about a free one.
    pub fn free_ruling(
        desk: Option<&TournamentDesk>,
        command: &TournamentCommand,
    ) -> Option<RulingRequest> {
        let TournamentCommand::Rule(request) = command else {
            return None;
        };
        let tournament = desk.and_then(|desk| desk.tournament.as_ref());
        let is_free = tournament.is_none_or(|tournament| {
            matches!(find_game(tournament, request), Err(DeskError::NoGame(_)))
        });
        is_free.then(|| request.clone())
    }

    /// Carries out a decision that has been [checked](TournamentDesk::check_ruling). Returns what has
    /// been decided.
    ///
    /// # Errors
    /// It does not fit the tournament any more.
    pub fn rule<O: DeskOutput>(
        &mut self,
        decision: Event,
        out: &mut O,
    ) -> Result<String, DeskError> {
        let rulings =
            |desk: &TournamentDesk| desk.tournament.as_ref().map_or(0, |t| t.rulings().len());
        let before = rulings(self);
        let ends = self.take(&decision, out)?;
        let ruled = self.tournament.as_ref().and_then(|t| t.rulings().last());
        let Some(ruled) = ruled.filter(|_| rulings(self) > before) else {
            return Ok(DECIDED_ALREADY.to_owned());
        };
        out.write_tournament(TournamentEffect::Event(decision));
        let what = tell_ruling(ruled, out);
        self.tell_end(ends, out);
        Ok(what)
    }

    /// Logs that a game without a result, which is void now, is to be played again. Returns that
    /// sentence. The end of the game in the journal is all that is written of this decision, so that no
    /// crash can separate them.
    pub fn tell_restart<O: DeskOutput>(
        scheduled: ScheduledGame,
        request: &RulingRequest,
        out: &mut O,
    ) -> String {
        let ruled = Ruling {
            scheduled,
            before: None,
            after: None,
            reason: request.reason.trim().into(),
        };
        tell_ruling(&ruled, out)
    }

    /// Ends the tournament early. Returns what has happened.
    ///
    /// # Errors
    /// No tournament is running.
    pub fn end<O: DeskOutput>(&mut self, out: &mut O) -> Result<String, DeskError> {
        let ended = Event::Ended {
            reason: "the organizer ended it".into(),
        };
        let what = "the organizer has ended the tournament";
        self.apply(ended, Some(what), out)?;
        Ok(what.to_owned())
    }

    /// Checks whether an event can happen. Results files may have events after the end; none are
    /// added to them.
    fn check(&self, event: &Event) -> Result<(), DeskError> {
        let tournament = self.tournament.as_ref().ok_or(DeskError::NoTournament)?;
        match tournament.is_over() {
            true => Err(DeskError::Over),
            false => Ok(tournament.check(event).map(|_| ())?),
        }
    }

    /// Applies an event if it can happen, and has it written to the results file. Then it is logged as
    /// this sentence.
    fn apply<O: DeskOutput>(
        &mut self,
        event: Event,
        what: Option<&str>,
        out: &mut O,
    ) -> Result<(), DeskError> {
        self.check(&event)?;
        let ends = self.take(&event, out)?;
        out.write_tournament(TournamentEffect::Event(event));
        if let Some(what) = what {
            out.tell(what.to_owned());
        }
        self.tell_end(ends, out);
        Ok(())
    }

    /// Applies an event. Returns whether it ends the tournament.
    fn take<O: DeskOutput>(&mut self, event: &Event, out: &mut O) -> Result<bool, DeskError> {
        let tournament = self.tournament.as_mut().ok_or(DeskError::NoTournament)?;
        let was_over = tournament.is_over();
        tournament.apply(event)?;
        out.show_standings();
        Ok(tournament.is_over() && !was_over)
    }

    /// Logs the end of the tournament, if an event that has been written ends it.
    fn tell_end<O: DeskOutput>(&self, ends: bool, out: &mut O) {
        if let Some(tournament) = self.tournament.as_ref().filter(|_| ends) {
            out.tell("the tournament is over".to_owned());
            let standings = tournament.standings_table();
            out.tell_standings(standings.lines().map(str::to_owned).collect());
        }
    }

    /// Adds the result of a game to the tournament, if it is one of it. The caller has the record of the
    /// game written before, and with it the result to the results file.
    ///
    /// # Errors
    /// It does not fit the tournament, and does not count.
    pub fn take_result<O: DeskOutput>(
        &mut self,
        game: &NumberedGame,
        event: &Event,
        out: &mut O,
    ) -> Result<(), DeskError> {
        match self.tournament {
            Some(_) if self.is_of_it(game) => {
                let ends = self.take(event, out)?;
                self.tell_end(ends, out);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Pairs the rounds that can be paired.
    pub fn pair_rounds<O: DeskOutput>(&mut self, out: &mut O) {
        while let Some(running) = self.running() {
            let paired = match running.next_round() {
                Ok(None) => return,
                Ok(Some(round)) => self.apply(round, None, out).map_err(|why| why.to_string()),
                Err(why) => Err(why.to_string()),
            };
            if let Err(why) = paired {
                return self.complain(why, out);
            }
        }
    }

    /// Forfeits the games whose players have been absent for too long, and returns them. Must be
    /// called after each change of the tournament or the attendance. `now` is the time since the start
    /// of the server.
    pub fn forfeit<O: DeskOutput>(
        &mut self,
        attendance: &impl Attendance,
        now: Duration,
        out: &mut O,
    ) -> Vec<Forfeit> {
        let Some(mut clocks) = self.forfeits.take() else {
            return Vec::new();
        };
        let before: Vec<_> = clocks.deadlines().collect();
        let mut forfeits = match self.running() {
            Some(running) => clocks.update(running, attendance, now),
            None => {
                clocks.clear();
                Vec::new()
            }
        };
        if !clocks.deadlines().eq(before) {
            out.show_countdowns();
        }
        self.forfeits = Some(clocks);
        forfeits.retain(|forfeit| {
            let applied = self.apply(forfeit.event(), Some(&forfeit.to_string()), out);
            if let Err(why) = &applied {
                self.complain(why.to_string(), out);
            }
            applied.is_ok()
        });
        forfeits
    }

    /// Returns the time after which an absent player forfeits a game.
    pub fn forfeit_after(&self) -> Option<Duration> {
        self.forfeits.as_ref().map(ForfeitClocks::limit)
    }

    /// Returns when the next game is forfeited if nothing changes, as the time since the start of
    /// the server; `None` if no game waits for an absent player.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.forfeits.as_ref()?.next_deadline()
    }

    /// Returns the games that are forfeited if nothing changes, as [`ForfeitClocks::deadlines`] does.
    pub fn deadlines(&self) -> impl Iterator<Item = (GameNumber, ByColor<Option<Duration>>)> {
        self.forfeits.iter().flat_map(ForfeitClocks::deadlines)
    }

    /// Goes back to the tournament that is on the disk, because the disk has failed:
    /// results and rounds that are not on the disk have not happened.
    pub fn take_back<O: DeskOutput>(&mut self, on_disk: LastTournament, out: &mut O) {
        // Nobody can come and play meanwhile: absent players are waited for anew.
        if let Some(forfeits) = &mut self.forfeits {
            forfeits.clear();
        }
        if self.tournament.take().is_none() {
            return;
        }
        // A tournament before this one does not go on.
        let is_there = on_disk.number == self.number && on_disk.tournament.is_some();
        let begun = self.begun.take();
        self.resume(LastTournament {
            tournament: on_disk.tournament.filter(|_| is_there),
            ..on_disk
        });
        self.begun = begun;
        out.show_standings();
        if !is_there {
            self.plan = self.begun.take();
            let next = match self.plan {
                Some(_) => "it begins again",
                None => "begin it again",
            };
            out.complain(format!("the tournament is not on the disk: {next}"));
        }
    }

    /// Logs once why the tournament cannot go on.
    pub fn complain<O: DeskOutput>(&mut self, what: String, out: &mut O) {
        if self.complaint.as_ref() != Some(&what) {
            self.complaint = Some(what.clone());
            out.complain(what);
        }
    }
}

fn parse_name(name: &str) -> Result<Name, DeskError> {
    name.parse().map_err(|why| DeskError::Name {
        name: name.to_owned(),
        why,
    })
}

/// Returns the sentence that a tournament begins.
fn beginning<O: DeskOutput>(tournament: &Tournament) -> String {
    let players = counted(tournament.players().len(), O::PLAYER);
    let seed = tournament.settings().seed;
    format!("a tournament of {players} begins, seed {seed}")
}

/// Finds a game by its number, or by the name of the record that its result has. Returns it with
/// its result.
fn find_game<'t>(
    tournament: &'t Tournament,
    request: &RulingRequest,
) -> Result<(ScheduledGame, Option<&'t GameResult>), DeskError> {
    let found = tournament.games().filter(|(scheduled, result)| {
        let id = result.and_then(|result| result.id.as_ref());
        scheduled.number.is_meant_by(&request.game)
            || id.is_some_and(|id| request.is_about(id.as_str()))
    });
    let only = found.exactly_one();
    only.map_err(|mut found| match found.next() {
        None => DeskError::NoGame(request.game.clone()),
        Some((game, _)) => DeskError::SeveralGames {
            given: request.game.clone(),
            one: game.number.short(),
        },
    })
}

/// Logs a decision. Returns the sentence.
fn tell_ruling<O: DeskOutput>(ruled: &Ruling, out: &mut O) -> String {
    let what = format!("the organizer decides: {ruled}");
    out.tell(what.clone());
    what
}

/// Returns the event of a decision about a game that has this result, if any.
fn ruling(
    scheduled: &ScheduledGame,
    before: Option<&GameResult>,
    request: &RulingRequest,
) -> Result<Event, DeskError> {
    let reason = request.remark().ok_or(DeskError::NoReason)?;
    let scheduled = scheduled.clone();
    let Some(code) = request.code else {
        return Ok(Event::Replay { scheduled, reason });
    };
    let result = GameResult {
        forfeit: code.is_forfeit,
        id: before.and_then(|result| result.id.clone()),
        ..GameResult::played(code.winner, reason)
    };
    Ok(Event::Correction { scheduled, result })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{Games, PairingSystem};

    /// What a desk has said, and when it wrote.
    #[derive(Default)]
    struct Said {
        lines: Vec<String>,
    }

    /// The line of a write.
    const WRITTEN: &str = "(written)";

    impl DeskOutput for Said {
        const PLAYER: &'static str = "team";
        const NOBODY: &'static str = "no team";

        fn write_tournament(&mut self, _: TournamentEffect) {
            self.lines.push(WRITTEN.to_owned());
        }

        fn tell(&mut self, what: String) {
            self.lines.push(what);
        }

        fn complain(&mut self, what: String) {
            self.lines.push(what);
        }

        fn tell_standings(&mut self, _: Vec<String>) {}

        fn show_standings(&mut self) {}

        fn show_countdowns(&mut self) {}
    }

    fn settings() -> Settings {
        Settings {
            system: PairingSystem::RoundRobin,
            games: Games::Single,
            seed: 7,
            forbidden: Vec::new(),
        }
    }

    fn teams() -> Vec<Name> {
        ["Red", "Blue"].map(|name| name.parse().unwrap()).to_vec()
    }

    fn begin(desk: &mut TournamentDesk, out: &mut Said) -> Result<(), DeskError> {
        desk.begin(settings(), teams(), SystemTime::UNIX_EPOCH, out)?;
        desk.pair_rounds(out);
        Ok(())
    }

    /// A desk with the plan of a tournament that needs no players.
    fn planned() -> TournamentDesk {
        let plan = Plan {
            players: 0,
            settings: settings(),
        };
        TournamentDesk::new(Some(plan), None)
    }

    #[test]
    fn a_plan_is_kept_until_a_tournament_has_begun() {
        let (mut desk, mut out) = (planned(), Said::default());
        for _ in 0..2 {
            assert_eq!(desk.due_plan(|| 0), Some(settings()));
        }
        begin(&mut desk, &mut out).unwrap();
        assert!(desk.is_held());
        assert_eq!(begin(&mut desk, &mut out), Err(DeskError::Held));
        // Even if the organizer began it.
        desk.end(&mut out).unwrap();
        assert!(!desk.is_held());
        assert_eq!(desk.due_plan(|| 9), None);
        assert_eq!(desk.end(&mut out), Err(DeskError::Over));
        // The beginning, a round, and the end.
        let written = out.lines.iter().filter(|line| *line == WRITTEN);
        assert_eq!(written.count(), 3);
    }

    #[test]
    fn a_tournament_without_a_game_does_not_begin() {
        let [red, blue] = ["Red", "Blue"].map(|name| name.parse::<Name>().unwrap());
        let systems = [
            PairingSystem::RoundRobin,
            PairingSystem::Swiss { rounds: 1 },
        ];
        for system in systems {
            let (mut desk, mut out) = (TournamentDesk::default(), Said::default());
            let settings = Settings {
                system,
                forbidden: vec![[red.clone(), blue.clone()]],
                ..settings()
            };
            let begun = desk.begin(settings, teams(), SystemTime::UNIX_EPOCH, &mut out);
            assert_eq!(begun, Err(SetupError::NothingToPlay.into()), "{system:?}");
            assert!(out.lines.is_empty(), "{:?}", out.lines);
        }
    }

    #[test]
    fn the_organizer_need_not_type_capitals() {
        let (mut desk, mut out) = (TournamentDesk::default(), Said::default());
        let all = ["Red", "Blue", "BLUE"].map(|name| name.parse().unwrap());
        let settings = Settings {
            system: PairingSystem::Swiss { rounds: 1 },
            ..settings()
        };
        let begun = desk.begin(settings, all.to_vec(), SystemTime::UNIX_EPOCH, &mut out);
        begun.unwrap();
        let named = ["red", "Blue", "BLUE", "blue", "green"].map(|name| desk.named(name).unwrap());
        assert_eq!(
            named.each_ref().map(Name::as_str),
            ["Red", "Blue", "BLUE", "blue", "green"]
        );
        // Nobody is there.
        let mut attend = |name, what| desk.attend(name, what, |_| false, &mut out);
        let absent = attend("rED", Attending::IsAbsent).unwrap();
        assert_eq!(absent, "Red is not paired from the next round on");
        let entry = attend("red", Attending::Enters).unwrap_err().to_string();
        assert_eq!(
            entry,
            "Red is in the tournament, and absent: type `return Red`"
        );
        attend("red", Attending::Returns).unwrap();
    }

    #[test]
    fn an_old_tournament_is_not_the_end_of_one_that_has_not_begun() {
        let mut out = Said::default();
        let mut old = TournamentDesk::default();
        begin(&mut old, &mut out).unwrap();
        old.end(&mut out).unwrap();
        let old = LastTournament {
            number: 1,
            began: None,
            tournament: old.tournament().cloned(),
        };
        let mut desk = planned();
        desk.resume(old.clone());
        assert!(desk.is_held() && !desk.is_over());
        begin(&mut desk, &mut out).unwrap();
        assert!(!desk.is_over());
        desk.end(&mut out).unwrap();
        assert!(desk.is_over());
        // Or it is the one that this run was started for.
        let mut desk = TournamentDesk::default();
        desk.resume(old);
        assert!(!desk.is_over());
        desk.count_last();
        assert!(desk.is_over());
    }

    #[test]
    fn a_pairing_with_two_games_does_not_name_one() {
        let mut desk = planned();
        let settings = Settings {
            games: Games::Both,
            ..settings()
        };
        let out = &mut Said::default();
        desk.begin(settings, teams(), SystemTime::UNIX_EPOCH, out)
            .unwrap();
        desk.pair_rounds(out);
        let decide = |game: &str| RulingRequest {
            game: game.to_owned(),
            code: "1-0".parse().ok(),
            reason: "the clock was wrong".to_owned(),
        };
        for game in ["1.1.1", "1.1.2"] {
            let (found, _) = desk.check_ruling(&decide(game), |_| false).unwrap();
            assert_eq!(found.scheduled.number.short(), game);
        }
        let error = desk.check_ruling(&decide("1.1"), |_| false).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1.1 has several games: give the number of one of them, such as 1.1.1"
        );
        for game in ["1", "1.1.3", "1.1.1.1", "1.2.1", "1.1.", "1.1.x", ""] {
            let error = desk.check_ruling(&decide(game), |_| false).unwrap_err();
            assert_eq!(error, DeskError::NoGame(game.to_owned()));
        }
        // None of these is about a free game but what is no number of this tournament.
        let is_free = |game: &str| {
            let command = TournamentCommand::Rule(decide(game));
            TournamentDesk::free_ruling(Some(&desk), &command).is_some()
        };
        assert!(is_free("0007-Ann-Bob") && !is_free("1.1") && !is_free("1.1.2"));
    }

    #[test]
    fn a_game_without_a_result_is_played_again_if_it_has_begun() {
        let (mut desk, mut out) = (planned(), Said::default());
        begin(&mut desk, &mut out).unwrap();
        let replay = RulingRequest {
            game: "1.1".to_owned(),
            code: None,
            reason: "the board was wrong".to_owned(),
        };
        let error = desk.check_ruling(&replay, |_| false).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("nothing can be played again: round 1, "),
            "{error}"
        );
        // Only the game changes, and not the tournament.
        let (game, event) = desk.check_ruling(&replay, |_| true).unwrap();
        assert_eq!((event, desk.is_open(&game)), (None, true));
        let told = TournamentDesk::tell_restart(game.scheduled, &replay, &mut out);
        assert!(
            told.ends_with(": to be played again, because the board was wrong"),
            "{told}"
        );
        assert_eq!(out.lines.last(), Some(&told));
        // After the end of the tournament, no game begins again.
        desk.end(&mut out).unwrap();
        let error = desk.check_ruling(&replay, |_| true).unwrap_err();
        assert_eq!(error, DeskError::Event(EventError::Ended));
    }

    #[test]
    fn what_happens_is_logged_after_it_is_written() {
        let (mut desk, mut out) = (planned(), Said::default());
        begin(&mut desk, &mut out).unwrap();
        desk.withdraw("Red".parse().unwrap(), &mut out).unwrap();
        let lines: Vec<&str> = out.lines.iter().map(String::as_str).collect();
        assert_eq!(
            lines,
            [
                WRITTEN,
                "a tournament of 2 teams begins, seed 7",
                // The first round is paired.
                WRITTEN,
                WRITTEN,
                "Red leaves the tournament",
                "the tournament is over",
            ]
        );
    }

    #[test]
    fn what_is_not_on_the_disk_has_not_happened() {
        let (mut desk, mut out) = (planned(), Said::default());
        begin(&mut desk, &mut out).unwrap();
        let begun = LastTournament {
            number: 1,
            began: desk.began(),
            tournament: desk.tournament().cloned(),
        };
        let game = begun.tournament.as_ref().unwrap().pending_games().remove(0);
        let game = desk.numbered(game);
        assert!(desk.is_open(&game));
        let result = Event::Game {
            scheduled: game.scheduled.clone(),
            result: crate::tournament::GameResult::played(None, "play"),
        };
        desk.take_result(&game, &result, &mut out).unwrap();
        assert!(desk.is_over());
        // The result, and then the whole tournament.
        desk.take_back(begun, &mut out);
        assert!(!desk.is_over() && desk.is_open(&game));
        desk.take_back(LastTournament::default(), &mut out);
        assert!(desk.tournament().is_none() && !desk.is_of_it(&game));
        assert_eq!(
            out.lines.last().unwrap(),
            "the tournament is not on the disk: it begins again"
        );
        assert_eq!(desk.due_plan(|| 0), Some(settings()));
        begin(&mut desk, &mut out).unwrap();
        assert!(desk.is_open(&game));
        let of_another = NumberedGame {
            tournament: 2,
            ..game
        };
        assert!(!desk.is_open(&of_another));
    }
}
