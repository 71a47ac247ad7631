//! The warnings on the page.

use std::sync::{Arc, Mutex, PoisonError};

use crate::contests::warnings::Warnings;
use crate::pages::web::Feed;

/// The warnings of a server, and the page that shows them. Clones are handles to the same ones.
#[derive(Clone, Debug, Default)]
pub struct WarningsPage {
    warnings: Arc<Mutex<Warnings>>,
    feed: Option<Feed>,
}

impl WarningsPage {
    /// Creates one without warnings. The transcripts of these players are kept.
    pub fn new(transcripts: impl IntoIterator<Item = String>, feed: Option<Feed>) -> WarningsPage {
        let warnings = Arc::new(Mutex::new(Warnings::new(transcripts)));
        WarningsPage { warnings, feed }
    }

    /// Changes the warnings, and shows them. Returns the new ones, which are to be logged.
    pub fn change(&self, change: impl FnOnce(&mut Warnings) -> Vec<String>) -> Vec<String> {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        let new = change(&mut warnings);
        if let Some(feed) = &self.feed {
            feed.set_warnings(warnings.list());
        }
        new
    }
}
