//! The tournament of the teams, and what is being written of it.
//!
//! The disk is authoritative: an event is written, and only then has it happened.

use std::collections::VecDeque;
use std::time::Duration;

use super::effects::ReplyTo;
use crate::base::counted::counted;
use crate::contests::contest::TournamentEffect;
use crate::contests::netref::tournament::TeamTournament;
use crate::tournament::Forfeit;

/// The pause after the results file could not be written.
pub const PAUSE: Duration = Duration::from_secs(1);

/// A line for the results file.
#[derive(Debug)]
pub struct Change {
    pub effect: TournamentEffect,
    /// The sentence that says what has happened, once it is written.
    pub sentence: Option<String>,
    /// The command that asks for it.
    pub command: Option<ReplyTo>,
    /// The forfeit that it is.
    pub forfeit: Option<Forfeit>,
}

impl Change {
    /// Creates a change that is not due to a command.
    pub fn new(effect: TournamentEffect, sentence: Option<String>) -> Change {
        Change {
            effect,
            sentence,
            command: None,
            forfeit: None,
        }
    }
}

/// The tournament, and the lines of its results file that are to be written.
#[derive(Debug)]
pub struct Desk {
    pub state: TeamTournament,
    /// Each is written when the one before it is.
    pub waiting: VecDeque<Change>,
    /// Whether the first of them is being written.
    pub is_writing: bool,
    /// When the first of them is tried again.
    pub retry_at: Option<Duration>,
    /// The last logged reason why the tournament cannot go on.
    complaint: Option<String>,
    /// Whether the tournament was over when that was last looked at.
    was_over: bool,
}

impl Desk {
    /// Creates the desk of a tournament.
    pub fn new(state: TeamTournament) -> Desk {
        let was_over = state.running().is_none();
        Desk {
            state,
            waiting: VecDeque::new(),
            is_writing: false,
            retry_at: None,
            complaint: None,
            was_over,
        }
    }

    /// Returns when the tournament may go on if nothing changes.
    pub fn next_deadline(&self) -> Option<Duration> {
        match (self.is_writing, self.retry_at) {
            (true, _) => None,
            (false, Some(retry_at)) => Some(retry_at),
            (false, None) => self.state.next_deadline(),
        }
    }

    /// Returns the sentences about a tournament that goes on or begins when the server starts.
    pub fn first_sentence(&self) -> Option<String> {
        let running = self.state.running()?;
        let teams = running.players().len();
        let (round, rounds) = (running.current_round(), running.rounds_planned());
        Some(match running.rounds_paired() {
            0 => begins(teams, running.settings().seed),
            _ => format!(
                "the tournament of {} goes on in round {round} of {rounds}: each game begins when \
                 both teams are there",
                counted(teams, "team")
            ),
        })
    }

    /// Notes why the tournament cannot go on. Returns whether that is new.
    pub fn complain(&mut self, what: &str) -> bool {
        let is_new = self.complaint.as_deref() != Some(what);
        if is_new {
            self.complaint = Some(what.to_owned());
        }
        is_new
    }

    /// Returns the sentences about the end of the tournament, if it has just come.
    pub fn take_end(&mut self) -> Vec<String> {
        let Some(tournament) = self.state.tournament() else {
            return Vec::new();
        };
        let was_over = std::mem::replace(&mut self.was_over, tournament.is_over());
        if was_over || !tournament.is_over() {
            return Vec::new();
        }
        let standings = tournament.standings_table();
        let lines = standings.lines().map(str::to_owned);
        std::iter::once("the tournament is over".to_owned())
            .chain(lines)
            .collect()
    }
}

/// Returns the sentence that a tournament begins.
pub fn begins(teams: usize, seed: u64) -> String {
    let teams = counted(teams, "team");
    format!("a tournament of {teams} begins, seed {seed}")
}
