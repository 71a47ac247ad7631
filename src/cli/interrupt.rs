//! Ctrl-C for a command that has something to say before it ends.

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::runtime;
use tokio::signal::ctrl_c;

/// The exit code of a program that was interrupted, as shells have it: 128 and
/// the number of the signal.
const INTERRUPTED: i32 = 130;

/// A flag that the first Ctrl-C sets. The second one ends the program at once.
///
/// # Errors
/// If the system lets no thread wait for it.
pub(super) fn interrupted() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&flag);
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let listen = async move {
        while ctrl_c().await.is_ok() {
            if heard.swap(true, Ordering::Relaxed) {
                process::exit(INTERRUPTED);
            }
        }
    };
    thread::Builder::new()
        .name("interrupt".into())
        .spawn(move || runtime.block_on(listen))?;
    Ok(flag)
}
