//! Integers that users give: errors name them, and say what would be right.

use std::fmt::{self, Display, Formatter};
use std::ops::RangeInclusive;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::moves::invalid;

/// What a user gives for an integer. Numbers of NumPy are integers, too.
pub enum Integer {
    Number(i128),
    /// An integer outside every range, as it is shown.
    Huge(String),
    /// What is no integer, as it is shown.
    Other(String),
}

impl Integer {
    /// Returns the number.
    ///
    /// # Errors
    /// It is outside the range (ValueError), or no integer (TypeError).
    pub fn within<T>(&self, name: &str, range: RangeInclusive<T>) -> PyResult<T>
    where
        T: Copy + Display + PartialOrd + TryFrom<i128>,
    {
        let found = match self {
            Integer::Number(number) => T::try_from(*number).ok(),
            Integer::Huge(_) | Integer::Other(_) => None,
        };
        found
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let most = match range.end().to_string() {
                    most if most == u64::MAX.to_string() => "2**64 - 1".into(),
                    most => most,
                };
                let least = range.start();
                let wrong = format!("{name} is an integer from {least} to {most}, not {self}");
                match self {
                    Integer::Other(_) => PyTypeError::new_err(wrong),
                    Integer::Number(_) | Integer::Huge(_) => invalid(wrong),
                }
            })
    }
}

impl Display for Integer {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Integer::Number(number) => number.fmt(formatter),
            Integer::Huge(shown) | Integer::Other(shown) => shown.fmt(formatter),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Integer {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Integer> {
        let Ok(index) = object.call_method0("__index__") else {
            return Ok(Integer::Other(object.repr()?.to_string()));
        };
        Ok(match index.extract() {
            Ok(number) => Integer::Number(number),
            // Python writes no number with thousands of digits.
            Err(_) => Integer::Huge(match index.str() {
                Ok(digits) => digits.to_string(),
                Err(_) => "a larger one".into(),
            }),
        })
    }
}

/// Returns an integer in a range.
#[pyfunction]
pub fn integer(name: &str, value: Integer, least: i128, most: i128) -> PyResult<i128> {
    value.within(name, least..=most)
}
