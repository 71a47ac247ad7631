//! The `gothello` program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    gothello::cli::run()
}
