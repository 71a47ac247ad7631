//! The built program.

use std::env;
use std::fs;
use std::sync::LazyLock;

/// Returns the path of the program: of the one that was built with these tests, or of the one that the
/// variable `GOTHELLO_PROGRAM` names. `.ci/run` names one that is optimized: so the tests are compiled once.
pub fn executable() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| match env::var_os("GOTHELLO_PROGRAM") {
        // Some tests change the folder.
        Some(path) => match fs::canonicalize(&path) {
            Ok(path) => path.display().to_string(),
            Err(error) => panic!("GOTHELLO_PROGRAM is {path:?}: {error}"),
        },
        None => env!("CARGO_BIN_EXE_gothello").to_owned(),
    });
    &PROGRAM
}
