//! `gothello play` without a server: the exports of a WebAssembly module that a Web Worker loads.
//!
//! The worker writes a message of the page to [`input`] and calls [`receive`]; while [`is_searching`], it
//! calls [`search`] again and again. Both return the length of a response, which is at [`output`]; 0 is
//! none. Messages are those of the WebSocket of `gothello play`, in UTF-8. A packed tablebase is written
//! there, too, before [`load_tablebase`].
//!
//! The module imports `now` and `random` from `page`: WebAssembly has neither a clock nor random numbers.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use gothello::pages::play::{
    MAX_OPENED, MAX_SAVED, Response, Searcher, Session, open_or_tell, save,
};
use gothello::player::Prover;
use gothello::solver::set_clock;
use gothello::tablebase::PackedTablebase;

/// The memory for what is proven, in MiB: what a phone has.
const MEMORY_MIB: usize = 64;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Returns the time since a fixed moment, in milliseconds.
    safe fn now() -> f64;
    /// Returns a random number from 0 to 1, without 1.
    safe fn random() -> f64;
}

struct Page {
    session: Session,
    /// The number of stones up to which the tablebase has all positions; `None` without one.
    stones: Option<u32>,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Page {
    fn new() -> Page {
        set_clock(|| Duration::try_from_secs_f64(now() / 1_000.0).unwrap_or_default());
        Page {
            session: Session::new(searcher(prover())),
            stones: None,
            input: Vec::new(),
            output: Vec::new(),
        }
    }

    /// Sets the response, and returns its length.
    fn respond(&mut self, response: Option<Response>) -> usize {
        let text = response.and_then(|response| serde_json::to_vec(&response).ok());
        self.output = text.unwrap_or_default();
        self.output.len()
    }
}

fn prover() -> Prover {
    Prover::new().memory_mib(MEMORY_MIB).threads(1)
}

fn searcher(prover: Prover) -> Searcher {
    let random = || (random() * f64::from(u32::MAX)) as u64;
    Searcher::new(prover, None, false, random)
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::new(Page::new());
}

fn with<T>(act: impl FnOnce(&mut Page) -> T) -> T {
    PAGE.with_borrow_mut(act)
}

/// Returns where to write a message of this many bytes; null if there is not enough memory.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    with(|page| {
        page.input.clear();
        if page.input.try_reserve_exact(length).is_err() {
            return std::ptr::null_mut();
        }
        page.input.resize(length, 0);
        page.input.as_mut_ptr()
    })
}

/// Returns where the response is.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    with(|page| page.output.as_ptr())
}

/// Answers the message that was written, or notes the search that it asks for. Returns the length of the
/// response.
#[unsafe(no_mangle)]
pub extern "C" fn receive() -> usize {
    with(|page| {
        let text = String::from_utf8_lossy(&page.input);
        let response = page.session.receive(&text);
        page.respond(response)
    })
}

/// Returns the most bytes of a file for [`open_file`].
#[unsafe(no_mangle)]
pub extern "C" fn max_opened() -> usize {
    MAX_OPENED
}

/// Returns the most bytes of a game for [`save_file`].
#[unsafe(no_mangle)]
pub extern "C" fn max_saved() -> usize {
    MAX_SAVED
}

/// Opens the file that was written, or the game of it with this index, if that is not negative. Returns the
/// length of what is in it, in JSON.
#[unsafe(no_mangle)]
pub extern "C" fn open_file(game: i32) -> usize {
    with(|page| {
        let opened = open_or_tell(&page.input, usize::try_from(game).ok());
        page.output = serde_json::to_vec(&opened).unwrap_or_default();
        page.output.len()
    })
}

/// Writes the file that a game is saved as, which was written in JSON. Returns its length, or if it is no
/// legal game, the negative length of the reason.
#[unsafe(no_mangle)]
pub extern "C" fn save_file() -> isize {
    with(|page| {
        let (sign, output) = match save(&page.input) {
            Ok(file) => (1, file),
            Err(why) => (-1, why.to_string().into_bytes()),
        };
        page.output = output;
        sign * isize::try_from(page.output.len()).unwrap_or_default()
    })
}

/// Looks positions up in the packed tablebase that was written, if it has more of them than the one before.
/// Searches go on with it. Returns the length of the reason if it is none; 0 otherwise.
#[unsafe(no_mangle)]
pub extern "C" fn load_tablebase() -> usize {
    with(|page| {
        let bytes = std::mem::take(&mut page.input);
        page.output.clear();
        match PackedTablebase::from_bytes(bytes) {
            Ok(tablebase) if Some(tablebase.stones()) > page.stones => {
                page.stones = Some(tablebase.stones());
                let tablebase = Arc::new(tablebase);
                let searcher = searcher(prover().with_tablebase(|| tablebase));
                page.session.set_searcher(searcher);
            }
            Ok(_) => {}
            Err(why) => page.output = why.to_string().into_bytes(),
        }
        page.output.len()
    })
}

/// Returns the number of positions searched so far.
#[unsafe(no_mangle)]
pub extern "C" fn positions() -> u64 {
    with(|page| page.session.positions())
}

/// Returns whether there is a search to go on with.
#[unsafe(no_mangle)]
pub extern "C" fn is_searching() -> bool {
    with(|page| page.session.is_searching())
}

/// Goes on with a search for so many milliseconds. Returns the length of the response.
#[unsafe(no_mangle)]
pub extern "C" fn search(milliseconds: u32) -> usize {
    with(|page| {
        let time = Duration::from_millis(milliseconds.into());
        let response = page.session.search(time);
        page.respond(response)
    })
}
