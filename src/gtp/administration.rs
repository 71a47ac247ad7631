//! Commands about the program itself.

use cpu_time::ProcessTime;

use super::command::{is_known, names};
use super::failure::Failure;
use super::game::Played;
use super::response::Response;

pub(super) fn protocol_version(out: &mut Response<'_>) {
    out.words("2");
}

/// The name of the program, which is that of the game.
pub(super) fn name<G: Played>(out: &mut Response<'_>) {
    out.words(G::NAME);
}

pub(super) fn version(out: &mut Response<'_>) {
    out.words(env!("CARGO_PKG_VERSION"));
}

pub(super) fn known_command<G: Played>(name: &str, out: &mut Response<'_>) {
    out.words(if is_known::<G>(name) { "true" } else { "false" });
}

pub(super) fn list_commands<G: Played>(out: &mut Response<'_>) {
    for (i, name) in names::<G>().enumerate() {
        if i > 0 {
            out.words("\n");
        }
        out.words(name);
    }
}

/// What to type first, for people. The moves are legal in any game.
pub(super) fn help(out: &mut Response<'_>) {
    out.words(
        "showboard: see the board\n\
         play b c3: make a move for Black (b) or White (w)\n\
         genmove w: let the engine move\n\
         undo: take back the last move\n\
         final_score: see the score\n\
         clear_board: start again\n\
         quit: leave\n\
         list_commands: see the names of all commands",
    );
}

/// The processor time of the process so far, in seconds.
pub(super) fn cputime(out: &mut Response<'_>) -> Result<(), Failure> {
    let time = ProcessTime::try_now().map_err(Failure::CpuTime)?;
    out.text(format_args!("{:.3}", time.as_duration().as_secs_f64()));
    Ok(())
}

/// The title of GoGui's window. GoGui asks for it at the start of a game only,
/// so that it says nothing of the position.
pub(super) fn title<G: Played>(out: &mut Response<'_>) {
    out.words(G::NAME);
}

pub(super) fn analyze_commands<G: Played>(out: &mut Response<'_>) {
    out.words(&G::ANALYZE.join("\n"));
}
