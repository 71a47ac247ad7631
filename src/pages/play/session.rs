//! The questions of a visitor: answered at once, or by a search.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::searcher::{MoveChoice, Report, Searcher};
use super::wire::{Content, Question, Request, Response, Search};
use crate::base::timer::{self, Moment};

/// The searches of a visitor: at most one about a position, and one review. They stop when they are
/// dropped.
pub struct Searches<R> {
    pub position: Option<R>,
    pub review: Option<R>,
}

impl<R> Default for Searches<R> {
    fn default() -> Searches<R> {
        Searches {
            position: None,
            review: None,
        }
    }
}

impl<R> Searches<R> {
    /// Answers a message, or starts the search that it asks for, in place of the last one of its kind.
    pub fn receive(
        &mut self,
        text: &str,
        start: impl FnOnce(u64, Search) -> R,
    ) -> Option<Response> {
        let request = match Request::parse(text) {
            Ok(request) => request,
            Err((id, error)) => {
                let content = Content::error(error);
                return Some(Response { id, content });
            }
        };
        let id = request.id;
        match request.question {
            Question::Answered(content) => {
                let id = Some(id);
                return Some(Response { id, content });
            }
            Question::Search(wanted) => {
                let place = match wanted {
                    Search::Review(_) => &mut self.review,
                    Search::Values(_)
                    | Search::BestLine(_)
                    | Search::Move(..)
                    | Search::AwariMove(..) => &mut self.position,
                };
                // The last one stops first.
                *place = None;
                *place = Some(start(id, wanted));
            }
            Question::Stop => self.position = None,
            Question::StopReview => self.review = None,
        }
        None
    }
}

/// What answers the page without a server: messages and time go in, messages come out, and all searches
/// run on the thread that calls it.
///
/// ```
/// use std::time::Duration;
///
/// use gothello::pages::play::{Searcher, Session};
/// use gothello::player::Prover;
///
/// let prover = Prover::new().memory_mib(1).threads(1);
/// let mut session = Session::new(Searcher::new(prover, Some(1), false, || 0));
/// let start = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w";
/// let question = format!(r#"{{"id":7,"ask":"values","line":{{"start":"{start}"}}}}"#);
/// assert_eq!(session.receive(&question), None);
/// let mut told = Vec::new();
/// while session.is_searching() {
///     told.extend(session.search(Duration::from_millis(50)));
/// }
/// let last = serde_json::to_value(told.last()).unwrap();
/// assert_eq!((&last["id"], &last["done"]), (&7.into(), &true.into()));
/// ```
pub struct Session {
    searcher: Searcher,
    searches: Searches<Started>,
}

/// A search that has been asked for and is not done.
struct Started {
    id: u64,
    search: Search,
    asked: Option<Moment>,
    choice: MoveChoice,
    /// What was last told of it.
    told: Option<Content>,
}

/// A search for a move goes on for at least one part in so many of the time that it has had: it begins anew
/// with what is proven.
const PARTS: u32 = 16;

impl Session {
    /// Creates a session without searches.
    pub fn new(searcher: Searcher) -> Session {
        Session {
            searcher,
            searches: Searches::default(),
        }
    }

    /// Answers a message, or notes the search that it asks for.
    pub fn receive(&mut self, text: &str) -> Option<Response> {
        self.searches.receive(text, |id, search| Started {
            id,
            search,
            asked: timer::now(),
            choice: MoveChoice::default(),
            told: None,
        })
    }

    /// Replaces what searches. The searches that have been asked for go on with it.
    pub fn set_searcher(&mut self, searcher: Searcher) {
        self.searcher = searcher;
        let Searches { position, review } = &mut self.searches;
        for started in position.iter_mut().chain(review) {
            started.choice = MoveChoice::default();
        }
    }

    /// Returns the number of positions searched so far.
    pub fn positions(&self) -> u64 {
        self.searcher.positions()
    }

    /// Returns whether there is a search to go on with.
    pub fn is_searching(&self) -> bool {
        self.searches.position.is_some() || self.searches.review.is_some()
    }

    /// Goes on with a search for about this time, first with one about a position, and returns what is to
    /// be told then, if that is new. The longer a search for a move has taken, the longer it goes on.
    pub fn search(&mut self, time: Duration) -> Option<Response> {
        let Searches { position, review } = &mut self.searches;
        let place = if position.is_some() { position } else { review };
        let started = place.as_mut()?;
        let (stop, told) = (AtomicBool::new(false), Mutex::new(None));
        let send = |content| {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(content);
        };
        let elapsed = started.asked.map_or(Duration::ZERO, Moment::elapsed);
        let time = match started.search {
            Search::Move(..) | Search::AwariMove(..) => time.max(elapsed / PARTS),
            Search::Values(_) | Search::BestLine(_) | Search::Review(_) => time,
        };
        let report = Report::new(&stop, timer::deadline_in(time), &send);
        let Started { search, choice, .. } = &mut *started;
        let is_done = search.run(&self.searcher, 1, elapsed, choice, &report);
        let id = Some(started.id);
        let content = told.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_new = content.is_some() && content != started.told;
        if is_done {
            *place = None;
        } else if is_new {
            started.told.clone_from(&content);
        }
        let content = content.filter(|_| is_new)?;
        Some(Response { id, content })
    }
}
