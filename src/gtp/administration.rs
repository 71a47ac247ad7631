//! Commands about the program itself.

use cpu_time::ProcessTime;

use super::command::{command_names, is_known};
use super::failure::Failure;
use super::response::Response;

pub(super) fn protocol_version(out: &mut Response<'_>) {
    out.words("2");
}

pub(super) fn name(out: &mut Response<'_>) {
    out.words("Gothello");
}

pub(super) fn version(out: &mut Response<'_>) {
    out.words(env!("CARGO_PKG_VERSION"));
}

pub(super) fn known_command(name: &str, out: &mut Response<'_>) {
    out.words(if is_known(name) { "true" } else { "false" });
}

pub(super) fn list_commands(out: &mut Response<'_>) {
    for (i, name) in command_names().enumerate() {
        if i > 0 {
            out.words("\n");
        }
        out.words(name);
    }
}

/// The processor time of the process so far, in seconds.
pub(super) fn cputime(out: &mut Response<'_>) -> Result<(), Failure> {
    let time = ProcessTime::try_now().map_err(Failure::CpuTime)?;
    out.text(format_args!("{:.3}", time.as_duration().as_secs_f64()));
    Ok(())
}
