//! A record of the events of a tournament, for the check of its waits.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::SystemTime;

use gothello::Color;

use crate::waits::Event;

/// The events of a tournament, each with its time and its connection.
#[derive(Default)]
pub struct Timeline {
    connections: AtomicUsize,
    events: Mutex<Vec<(SystemTime, usize, Event)>>,
}

/// The connection of a client, from its first request to its end.
pub struct Connection<'a> {
    timeline: &'a Timeline,
    number: usize,
}

impl Timeline {
    /// All events so far.
    pub fn events(&self) -> Vec<(SystemTime, usize, Event)> {
        self.events.lock().unwrap().clone()
    }

    fn note(&self, connection: usize, event: Event) {
        self.note_at(SystemTime::now(), connection, event);
    }

    fn note_at(&self, time: SystemTime, connection: usize, event: Event) {
        self.events.lock().unwrap().push((time, connection, event));
    }

    pub fn runs(&self) {
        self.note(0, Event::Runs);
    }

    pub fn is_killed(&self) {
        self.note(0, Event::Killed);
    }

    pub fn has_result(&self, time: SystemTime, black: usize, white: usize) {
        self.note_at(time, 0, Event::Result { black, white });
    }

    /// A client has asked for a side, or for either.
    pub fn asks(&self, team: usize, side: Option<Color>) -> Connection<'_> {
        let number = self.connections.fetch_add(1, SeqCst);
        self.note(number, Event::Asks { team, side });
        Connection {
            timeline: self,
            number,
        }
    }
}

impl Connection<'_> {
    pub fn plays(&self, opponent: Option<usize>) {
        self.timeline.note(self.number, Event::Plays { opponent });
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.timeline.note(self.number, Event::Ends);
    }
}
