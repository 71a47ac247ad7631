//! Files.

use std::fs;
use std::io;
use std::path::Path;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// Reads a file.
///
/// # Errors
/// It cannot be read: the OSError names it, as that of Python's `open` does.
pub fn read_file(py: Python<'_>, path: &Path) -> PyResult<Vec<u8>> {
    py.detach(|| fs::read(path))
        .map_err(|error| io_error(path, &error))
}

/// Returns the OSError of a file, which names it, as that of Python's `open` does.
pub fn io_error(path: &Path, error: &io::Error) -> PyErr {
    let Some(code) = error.raw_os_error() else {
        return PyOSError::new_err(format!("{}: {error}", path.display()));
    };
    let text = error.to_string();
    let (why, _) = text.split_once(" (os error").unwrap_or((&text, ""));
    // The last number is the error on Windows, and ignored elsewhere.
    PyOSError::new_err((code, why.to_owned(), path.as_os_str().to_owned(), code))
}
