//! The tournament desk: the planned or running tournament, and its events.

use super::effects::Output;
use super::live_game::FinishedGame;
use super::log::LogEvent;
use super::names::Name;
use super::ordered::{TournamentEffect, Write};
use super::organizer::CommandError;
use super::protocol::Protocol;
use crate::base::counted::counted;
use crate::base::names::isolated;
use crate::tournament::{self, Event, Plan, ScheduledGame, Settings, Tournament};

/// The planned tournament, and the one that is running or was the last.
#[derive(Debug, Default)]
pub struct TournamentDesk {
    plan: Option<Plan>,
    /// The plan of the last tournament, if it was planned.
    begun: Option<Plan>,
    tournament: Option<Tournament>,
    /// Whether a tournament has been running since the start.
    has_run: bool,
    /// The last logged reason why the tournament cannot go on.
    complaint: Option<String>,
}

impl TournamentDesk {
    /// Plans a tournament.
    pub fn plan(&mut self, plan: Plan) {
        self.plan = Some(plan);
    }

    /// Continues a tournament of the results file. One that is over is only shown.
    pub fn resume<P: Protocol>(&mut self, tournament: Tournament, out: &mut Output<P>) {
        if !tournament.is_over() {
            let players = counted(tournament.players().len(), "player");
            let (round, rounds) = (tournament.current_round(), tournament.rounds_planned());
            out.log(LogEvent::Tournament {
                what: format!(
                    "the unfinished tournament of {players} continues in round {round} of {rounds}: \
                     each game begins when both players are there"
                ),
            });
        }
        self.set_tournament(Some(tournament), out);
    }

    /// Replaces the tournament, or removes it.
    fn set_tournament<P: Protocol>(&mut self, tournament: Option<Tournament>, out: &mut Output<P>) {
        self.tournament = tournament;
        self.has_run |= self.running().is_some();
        out.changes.tournament = true;
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

    /// Returns whether a tournament that was running since the start is over.
    pub fn is_over(&self) -> bool {
        self.has_run && self.tournament.as_ref().is_some_and(Tournament::is_over)
    }

    /// Returns the settings of the planned tournament if enough players are connected, whose number
    /// is counted only if a tournament is planned.
    pub fn due_plan(&self, players: impl FnOnce() -> usize) -> Option<Settings> {
        let plan = self.plan.as_ref()?;
        let plan = (players() >= plan.players).then_some(plan)?;
        self.running().is_none().then(|| plan.settings.clone())
    }

    /// Notes that the planned tournament has begun.
    pub fn end_plan(&mut self) {
        self.begun = self.plan.take();
    }

    /// Begins a tournament of players in order of arrival.
    ///
    /// # Errors
    /// Another one is running, or these players cannot play such a tournament.
    pub fn begin<'a, P: Protocol>(
        &mut self,
        settings: Settings,
        players: impl Iterator<Item = &'a Name>,
        out: &mut Output<P>,
    ) -> Result<(), CommandError> {
        if self.running().is_some() {
            return Err(CommandError::TournamentHeld);
        }
        // Both kinds of names follow the same rules.
        let entrants: Vec<tournament::Name> = players
            .filter_map(|name| name.as_ref().parse().ok())
            .collect();
        let begun = Tournament::new(settings.clone(), &entrants)?;
        let (players, seed) = (begun.players().len(), settings.seed);
        out.write(Write::Tournament(TournamentEffect::Begin {
            settings,
            entrants,
        }));
        self.set_tournament(Some(begun), out);
        self.begun = None;
        out.log(LogEvent::Tournament {
            what: format!("a tournament of {players} players begins, seed {seed}"),
        });
        Ok(())
    }

    /// Applies an event, and has it written to the results file.
    ///
    /// # Errors
    /// No tournament is running, or the event does not fit it.
    pub fn apply<P: Protocol>(
        &mut self,
        event: Event,
        out: &mut Output<P>,
    ) -> Result<(), CommandError> {
        let running = self.tournament.as_mut().ok_or(CommandError::NoTournament)?;
        // Results files may have events after the end; none are added to them.
        if running.is_over() {
            return Err(CommandError::TournamentOver);
        }
        running.apply(&event)?;
        let is_over = running.is_over();
        if let Event::Withdrawal { player, .. } = &event {
            let player = isolated(player.as_str());
            out.log(LogEvent::Tournament {
                what: format!("{player} leaves the tournament"),
            });
        }
        out.write(Write::Tournament(TournamentEffect::Event(event)));
        out.changes.tournament = true;
        if is_over {
            self.log_standings(out);
        }
        Ok(())
    }

    /// Pairs the rounds that can be paired.
    pub fn pair_rounds<P: Protocol>(&mut self, out: &mut Output<P>) {
        while let Some(running) = self.running() {
            match running.next_round() {
                Ok(None) => return,
                Ok(Some(round)) => {
                    if self.apply(round, out).is_err() {
                        return;
                    }
                }
                Err(why) => {
                    self.complain(why.to_string(), out);
                    return;
                }
            }
        }
    }

    /// Returns the games that can start, given which players are free.
    pub fn startable(&self, is_free: impl Fn(&str) -> bool) -> Vec<ScheduledGame> {
        self.running().map_or_else(Vec::new, |running| {
            running.startable(|name| is_free(name.as_str()))
        })
    }

    /// Adds the result of a game to the tournament. It is written to the results file with
    /// the record of the game.
    pub fn take_result<P: Protocol>(&mut self, finished: &FinishedGame<P>, out: &mut Output<P>) {
        let (Some(tournament), Some(event)) = (self.tournament.as_mut(), finished.event()) else {
            return;
        };
        let was_over = tournament.is_over();
        if let Err(why) = tournament.apply(&event) {
            let game = finished.game;
            self.complain(
                format!("the result of game {game} does not count: {why}"),
                out,
            );
            return;
        }
        let is_over = tournament.is_over() && !was_over;
        out.changes.tournament = true;
        if is_over {
            self.log_standings(out);
        }
    }

    /// Goes back to the tournament that is on the disk, because the disk has failed:
    /// results and rounds that are not on the disk have not happened.
    pub fn take_back<P: Protocol>(&mut self, on_disk: Option<Tournament>, out: &mut Output<P>) {
        let Some(tournament) = self.tournament.take() else {
            return;
        };
        // A tournament that was over before another one began does not go on.
        let on_disk = on_disk.filter(|on_disk| tournament.is_over() || !on_disk.is_over());
        self.set_tournament(on_disk, out);
        if self.tournament.is_none() {
            self.plan = self.begun.take();
            let next = match self.plan {
                Some(_) => "it begins again",
                None => "begin it again",
            };
            let what = format!("the tournament is not on the disk: {next}");
            out.log(LogEvent::Failed { what });
        }
    }

    /// Logs once why the tournament cannot go on.
    pub fn complain<P: Protocol>(&mut self, what: String, out: &mut Output<P>) {
        if self.complaint.as_ref() != Some(&what) {
            self.complaint = Some(what.clone());
            out.log(LogEvent::Failed { what });
        }
    }

    fn log_standings<P: Protocol>(&self, out: &mut Output<P>) {
        let Some(tournament) = &self.tournament else {
            return;
        };
        out.log(LogEvent::Tournament {
            what: "the tournament is over".into(),
        });
        let lines = tournament
            .standings_table()
            .lines()
            .map(str::to_owned)
            .collect();
        out.log(LogEvent::Standings { lines });
    }
}
