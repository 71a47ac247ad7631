//! The rounds of the tournament: when it begins, which are paired, and which games are forfeited.

use std::sync::Arc;
use std::time::SystemTime;

use super::desk::{Change, Desk, PAUSE, begins};
use super::effects::Delivery;
use super::{CommandError, Referee};
use crate::contests::contest::{Timestamp, TournamentEffect, Write};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::LogEvent;
use crate::tournament::{Event, StopAfter, Tournament};

impl<G: NetrefGame> Referee<G> {
    /// Returns the server number of the first table, for events of the tournament.
    pub(super) fn number(&self) -> u16 {
        let first = self.places.first();
        first.map_or(0, |place| place.table.number())
    }

    /// Logs what the tournament is when the server starts.
    pub fn tell_tournament(&mut self) {
        let sentence = self.desk.as_ref().and_then(Desk::first_sentence);
        if let Some(what) = sentence {
            self.out.log(self.number(), LogEvent::Tournament { what });
        }
    }

    /// Lets the tournament go on: writes what is due.
    pub(super) fn step_tournament(&mut self, now: Timestamp) {
        let Some(desk) = &mut self.desk else { return };
        self.out.tournament = true;
        if desk.is_writing || desk.retry_at.is_some_and(|at| now.clock < at) {
            return;
        }
        desk.retry_at = None;
        self.find_changes(now);
        let Some(desk) = &mut self.desk else { return };
        while let Some(first) = desk.waiting.front() {
            if matches!(first.effect, TournamentEffect::Begin { .. })
                && let Err(why) = desk.state.check_begin()
            {
                // Another one has begun since this was asked for.
                let command = desk.waiting.pop_front().and_then(|first| first.command);
                if let Some(reply) = command {
                    self.out.deliver(Delivery::Answer(reply, Err(why.into())));
                }
                continue;
            }
            desk.is_writing = true;
            let effect = first.effect.clone();
            self.out.write(Write::Tournament(effect));
            return;
        }
        let is_over = desk.state.is_finished();
        if is_over && self.settings.stop_after == Some(StopAfter::Tournament) {
            let why = "The referee stops: the tournament is over";
            self.stop.get_or_insert_with(|| why.to_owned());
        }
    }

    /// Finds what is due, if nothing waits to be written: the planned tournament begins, a round is
    /// paired, or games are forfeited.
    fn find_changes(&mut self, now: Timestamp) {
        let mut complaints = Vec::new();
        let Some(desk) = &mut self.desk else { return };
        if !desk.waiting.is_empty() {
            return;
        }
        if let Some((settings, entrants)) = desk.state.due_plan(&self.lobby) {
            match desk.state.check_begin() {
                Ok(()) => {
                    let sentence = begins(entrants.len(), settings.seed);
                    let effect = TournamentEffect::Begin { settings, entrants };
                    desk.waiting.push_back(Change::new(effect, Some(sentence)));
                    return;
                }
                Err(why) => complaints.push(why.to_string()),
            }
        }
        match desk.state.running().map(|running| running.next_round()) {
            Some(Ok(Some(round))) => {
                let effect = TournamentEffect::Event(round);
                desk.waiting.push_back(Change::new(effect, None));
                return;
            }
            Some(Err(why)) => complaints.push(why.to_string()),
            None | Some(Ok(None)) => {}
        }
        for forfeit in desk.state.take_forfeits(&self.lobby, now.clock) {
            let effect = TournamentEffect::Event(forfeit.event());
            desk.waiting.push_back(Change {
                forfeit: Some(forfeit.clone()),
                ..Change::new(effect, Some(forfeit.to_string()))
            });
        }
        complaints.retain(|what| desk.complain(what));
        for what in complaints {
            self.out.log(self.number(), LogEvent::Failed { what });
        }
    }

    /// Takes over the tournament as it is on the disk: its number, when it began, and its state.
    /// With `is_line`, the line that was to be written is there.
    pub fn tournament_written(
        &mut self,
        (number, began): (u32, Option<SystemTime>),
        tournament: Option<Tournament>,
        is_line: bool,
        now: Timestamp,
    ) {
        let Some(desk) = &mut self.desk else { return };
        desk.state.set(number, began, tournament.map(Arc::new));
        let written = is_line.then(|| desk.waiting.pop_front()).flatten();
        desk.is_writing &= !is_line;
        let mut sentences = Vec::new();
        if let Some(written) = written {
            if let Some(forfeit) = written.forfeit {
                let game = desk.state.own(forfeit.scheduled);
                desk.state.release(&game);
            }
            if let (Some(reply), Some(sentence)) = (written.command, &written.sentence) {
                let answer = Delivery::Answer(reply, Ok(sentence.clone()));
                self.out.deliver(answer);
            }
            sentences.extend(written.sentence);
        }
        sentences.extend(desk.take_end());
        for what in sentences {
            self.out.log(self.number(), LogEvent::Tournament { what });
        }
        self.check_waiting();
        (self.must_step, self.must_seat) = (true, true);
        self.settle(now);
    }

    /// Notes that a line of the results file cannot be written. Commands are refused; what else is due
    /// then is found anew after a pause.
    pub fn tournament_failed(&mut self, why: &str, now: Timestamp) {
        let Some(desk) = &mut self.desk else { return };
        let is_command = desk
            .waiting
            .front()
            .is_some_and(|first| first.command.is_some());
        desk.retry_at = Some(now.clock.saturating_add(PAUSE));
        let what = format!("the results file: {why}");
        if !is_command && desk.complain(&what) {
            self.out.log(self.number(), LogEvent::Failed { what });
        }
        self.drop_changes(why);
        self.must_step = true;
        self.settle(now);
    }

    /// Drops what was to be written of the tournament, and refuses the commands among it.
    pub(super) fn drop_changes(&mut self, why: &str) {
        let Some(desk) = &mut self.desk else { return };
        desk.is_writing = false;
        for change in desk.waiting.drain(..) {
            if let Some(forfeit) = change.forfeit {
                let game = desk.state.own(forfeit.scheduled);
                desk.state.release(&game);
            }
            if let Some(reply) = change.command {
                let error = CommandError::Disk(why.to_owned());
                self.out.deliver(Delivery::Answer(reply, Err(error)));
            }
        }
    }

    /// Notes that matches are recorded, with their results if they are of the tournament.
    pub fn note_recorded(&mut self, ids: &[String], now: Timestamp) {
        for id in ids {
            let recorded = self.unrecorded.remove(id);
            let scheduled = recorded.and_then(|recorded| recorded.scheduled);
            if let (Some(desk), Some(scheduled)) = (&mut self.desk, scheduled) {
                desk.state.release(&scheduled);
                (self.must_step, self.must_seat) = (true, true);
            }
        }
        self.settle(now);
    }

    /// Refuses the clients in the lobby that would wait in vain.
    fn check_waiting(&mut self) {
        let Some(desk) = &self.desk else { return };
        let refused = self.lobby.iter().filter_map(|waiting| {
            let refusal = super::seating::refusal_of::<G>(&desk.state, waiting)?;
            Some((waiting.conn, refusal))
        });
        for (conn, refusal) in refused.collect::<Vec<_>>() {
            self.refuse(conn, refusal);
        }
    }

    /// Adds a change of the tournament that a command asks for.
    pub(super) fn ask_for(&mut self, change: Change, now: Timestamp) {
        if let Some(desk) = &mut self.desk {
            desk.waiting.push_back(change);
            self.must_step = true;
            self.settle(now);
        }
    }

    /// Returns the event that a team leaves the tournament.
    pub(super) fn withdrawal(player: crate::tournament::Name) -> Event {
        Event::Withdrawal {
            player,
            reason: "the organizer withdrew the team".into(),
        }
    }
}
