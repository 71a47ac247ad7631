//! What the page has not been shown yet.
//!
//! The players' thread notes here how the tables stand, and the observers' thread
//! takes it away when it has time. Nothing is queued: what a table looked like
//! in between is forgotten, but for its moves. So there is no bound that a fast
//! match could meet. Both hold the lock for a moment only.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::game::NetrefGame;
use super::news::News;
use super::past::Past;
use super::record::{Played, Summary};
use super::scene::Scene;
use super::table::Table;

/// How many lines of the log may wait; the page keeps no more.
const LINES: usize = 300;

/// How many finished matches may wait; the page keeps no more.
const FINISHED: usize = 100;

/// What is to be shown.
#[derive(Debug, Default)]
pub(super) struct Show {
    notes: Mutex<Notes>,
    pub(super) changed: Notify,
}

#[derive(Debug, Default)]
struct Notes {
    /// The tables by their servers' numbers.
    tables: BTreeMap<u16, Note>,
    changed: BTreeSet<u16>,
    log: VecDeque<(u16, News)>,
    finished: VecDeque<Past>,
}

#[derive(Debug, Default)]
struct Note {
    scene: Option<Scene>,
    game: Option<Label>,
    /// Whether another game is shown than the last time.
    is_new: bool,
    /// How many of the game's moves have been noted.
    count: usize,
    /// Those that have not been shown.
    moves: Vec<Played>,
}

/// What tells one game from all others, and how it is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) id: String,
    /// As [`NetrefGame::rules`] tells them.
    pub(super) rules: Option<String>,
}

/// A table, and what has changed there.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) number: u16,
    pub(super) scene: Scene,
    /// The game that is shown; `None` at an empty table.
    pub(super) game: Option<Label>,
    /// Whether it is another one than before: then these moves are all.
    pub(super) is_new: bool,
    /// The new moves.
    pub(super) moves: Vec<Played>,
}

impl Show {
    /// Notes how a table stands. An empty one goes on showing the match that was
    /// played there.
    pub(super) fn table<G: NetrefGame>(&self, table: &Table<G>) {
        let (number, scene) = (table.settings.number, table.scene());
        let Some(playing) = table.playing() else {
            return self.note(number, scene, None, |_| Vec::new());
        };
        let label = Label {
            id: playing.id.clone(),
            rules: playing.game().rules(),
        };
        self.note(number, scene, Some(label), |count| {
            playing.referee.moves().skip(count).cloned().collect()
        });
    }

    /// Notes how the match of a table ended.
    pub(super) fn ended(&self, number: u16, scene: Scene, rules: Option<String>, end: &Summary) {
        let label = Label {
            id: end.id.clone(),
            rules,
        };
        keep(&mut self.lock().finished, FINISHED, Past::new(number, end));
        self.note(number, scene, Some(label), |count| {
            end.moves.get(count..).unwrap_or_default().to_vec()
        });
    }

    /// Notes a scene, and the moves of its game from a number on.
    fn note(
        &self,
        number: u16,
        scene: Scene,
        game: Option<Label>,
        moves: impl FnOnce(usize) -> Vec<Played>,
    ) {
        let mut notes = self.lock();
        let note = notes.tables.entry(number).or_default();
        let was_over = note.scene.as_ref().is_some_and(Scene::is_over);
        if was_over && scene.is_empty() {
            return;
        }
        if note.scene.is_none() || note.game != game {
            *note = Note {
                game,
                is_new: true,
                ..Note::default()
            };
        }
        let moves = moves(note.count);
        if moves.is_empty() && note.scene.as_ref() == Some(&scene) {
            return;
        }
        note.count += moves.len();
        note.moves.extend(moves);
        note.scene = Some(scene);
        notes.changed.insert(number);
        drop(notes);
        self.changed.notify_one();
    }

    /// Notes what spectators may read: what observers are told, and who plays.
    pub(super) fn news(&self, number: u16, news: &News) {
        match news {
            News::Seated { .. }
            | News::Started { .. }
            | News::Restored { .. }
            | News::Resumed { .. }
            | News::Adjourned { .. }
            | News::DrawOffered { .. }
            | News::DrawRefused { .. }
            | News::Ended { .. }
            | News::Stopping { .. } => {}
            _ => return,
        }
        let mut notes = self.lock();
        keep(&mut notes.log, LINES, (number, news.clone()));
        drop(notes);
        self.changed.notify_one();
    }

    /// Takes away a table that looks different than before.
    pub(super) fn next(&self) -> Option<Change> {
        let mut notes = self.lock();
        let number = notes.changed.pop_first()?;
        let note = notes.tables.get_mut(&number)?;
        Some(Change {
            number,
            scene: note.scene.clone()?,
            game: note.game.clone(),
            is_new: std::mem::take(&mut note.is_new),
            moves: std::mem::take(&mut note.moves),
        })
    }

    /// Takes away the lines of the log.
    pub(super) fn log(&self) -> VecDeque<(u16, News)> {
        std::mem::take(&mut self.lock().log)
    }

    /// Takes away the matches that are over.
    pub(super) fn finished(&self) -> VecDeque<Past> {
        std::mem::take(&mut self.lock().finished)
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        // Whoever panicked here has left notes that can be shown.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends to a list that holds so many at most, and forgets the oldest.
fn keep<T>(list: &mut VecDeque<T>, most: usize, item: T) {
    if list.len() >= most {
        list.pop_front();
    }
    list.push_back(item);
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use proptest::prelude::*;

    use super::*;
    use crate::color::Color;
    use crate::gothello::Move;
    use crate::netref::{
        Action, ConnId, Effect, Effects, FinishedMatch, Gothello, Opening, Role, Settings,
    };

    /// A table and what is noted of it.
    struct Stand {
        table: Table<Gothello>,
        show: Show,
        now: Duration,
        conns: u64,
    }

    impl Stand {
        fn new() -> Stand {
            Stand {
                table: Table::new(Settings {
                    number: 7,
                    start: Gothello::default(),
                    times: None,
                    private: false,
                    strict: false,
                    seat_timeout: None,
                }),
                show: Show::default(),
                now: Duration::ZERO,
                conns: 0,
            }
        }

        fn note(&mut self, effects: Effects) {
            self.table.start_clock(self.now);
            let finished = effects.into_iter().find_map(|effect| match effect {
                Effect::Finish(finished) => Some(*finished),
                _ => None,
            });
            match finished {
                Some(FinishedMatch {
                    summary,
                    scene,
                    rules,
                    ..
                }) => {
                    self.show.ended(7, scene, rules, &summary);
                }
                None => self.show.table(&self.table),
            }
            self.now += Duration::from_secs(1);
        }

        fn sit_down(&mut self, side: Color) -> ConnId {
            self.conns += 1;
            let (conn, role) = (ConnId(self.conns), Role::Player(side));
            let opening = Opening::new::<Gothello>(role, None);
            let wall = SystemTime::UNIX_EPOCH + self.now;
            let effects = self.table.open(conn, opening, self.now, wall, false);
            self.note(effects);
            conn
        }

        fn play(&mut self, conn: ConnId, mv: &str) {
            let mv: Move = mv.parse().unwrap();
            let action = Action::Move { number: None, mv };
            let effects = self.table.request(conn, Ok(action), self.now);
            self.note(effects);
        }
    }

    proptest! {
        /// Whoever looks now and then has seen the whole match in the end, and
        /// nothing of one before it.
        #[test]
        fn however_seldom_it_is_looked_no_move_is_missed(
            mut looks in prop::collection::vec(any::<bool>(), 12),
        ) {
            let mut stand = Stand::new();
            let mut seen: Vec<String> = Vec::new();
            let mut look = |stand: &Stand| {
                while let Some(change) = stand.show.next() {
                    if change.is_new {
                        seen.clear();
                    }
                    seen.extend(change.moves.into_iter().map(|played| played.mv));
                }
                seen.clone()
            };
            for moves in [["a1", "b2", "pass", "pass"], ["c3", "d3", "pass", "pass"]] {
                let mut players = Color::ALL.map(|side| stand.sit_down(side));
                for (count, mv) in (1..).zip(moves) {
                    stand.play(players[0], mv);
                    players.reverse();
                    if looks.pop() == Some(true) {
                        prop_assert_eq!(look(&stand), &moves[..count]);
                    }
                }
            }
            prop_assert_eq!(look(&stand), ["c3", "d3", "pass", "pass"]);
        }
    }

    #[test]
    fn a_match_that_is_over_is_shown_until_somebody_comes() {
        let mut stand = Stand::new();
        let [black, white] = Color::ALL.map(|side| stand.sit_down(side));
        stand.play(black, "pass");
        stand.play(white, "a1");
        let effects = stand.table.leave(black, stand.now);
        stand.note(effects);
        let end = stand.show.next().unwrap();
        assert!(end.scene.is_over() && end.game.is_some());
        let effects = stand.table.leave(white, stand.now);
        stand.note(effects);
        assert!(stand.show.next().is_none());
        stand.sit_down(Color::White);
        let next = stand.show.next().unwrap();
        assert!(next.is_new && next.game.is_none());
        assert_eq!(next.scene.guests().count(), 1);
    }

    #[test]
    fn what_changes_nothing_is_not_shown() {
        let mut stand = Stand::new();
        let [black, _] = Color::ALL.map(|side| stand.sit_down(side));
        stand.play(black, "c3");
        assert_eq!(stand.show.next().unwrap().moves.len(), 1);
        stand.play(black, "c4");
        assert!(stand.show.next().is_none());
    }
}
