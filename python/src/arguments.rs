//! What users give: errors name it, and say what would be right.

use std::fmt::{self, Display, Formatter};
use std::ops::RangeInclusive;
use std::time::Duration;

use pyo3::PyClass;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::moves::invalid;

/// The largest number of seconds, as on the command line: about 31 years.
const MAX_SECONDS: f64 = 1e9;

/// What is longer is not shown in errors.
const LONGEST_SHOWN: usize = 80;

/// Returns the TypeError of what a user gives; `right` says what would be right, as in `a text`.
pub fn wrong_type(right: &str, given: &Bound<'_, PyAny>) -> PyErr {
    shown(given).map_or_else(
        |raised| raised,
        |shown| PyTypeError::new_err(format!("{right}, not {shown}")),
    )
}

/// Returns how errors show what a user gives: on one line.
fn shown(given: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = given.repr()?.to_string();
    if text.chars().count() > LONGEST_SHOWN || text.contains('\n') {
        return Ok(format!("an object of type {}", given.get_type().name()?));
    }
    Ok(text)
}

/// Returns a text; `right` says what would be right.
///
/// # Errors
/// It is no text.
pub fn text(given: &Bound<'_, PyAny>, right: &str) -> PyResult<String> {
    match given.is_instance_of::<PyString>() {
        true => given.extract(),
        false => Err(wrong_type(right, given)),
    }
}

/// Returns an object of a class; `right` says what would be right.
///
/// # Errors
/// It is of another class.
pub fn instance<'a, 'py, T: PyClass>(
    given: Borrowed<'a, 'py, PyAny>,
    right: &str,
) -> PyResult<Borrowed<'a, 'py, T>> {
    given.cast::<T>().map_err(|_| wrong_type(right, &given))
}

/// Returns what is read from each object of an iterable; `right` says what would be right.
///
/// # Errors
/// It is no iterable, or a text, whose characters nobody means; or one object cannot be read.
pub fn each<'py, T>(
    given: &Bound<'py, PyAny>,
    right: &str,
    mut read: impl FnMut(Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    if given.is_instance_of::<PyString>() || !given.hasattr("__iter__")? {
        return Err(wrong_type(right, given));
    }
    given.try_iter()?.map(|object| read(object?)).collect()
}

/// Returns a number in a range.
///
/// # Errors
/// It is outside the range (ValueError), or no number (TypeError).
#[pyfunction]
pub fn number(name: &str, given: &Bound<'_, PyAny>, least: f64, most: f64) -> PyResult<f64> {
    let right = format!("{name} is a number from {least} to {most}");
    match given.extract::<f64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) => Err(invalid(format!("{right}, not {}", shown(given)?))),
        Err(_) => Err(wrong_type(&right, given)),
    }
}

/// Returns a number of seconds.
///
/// # Errors
/// It is negative or too large (ValueError), or no number (TypeError).
#[pyfunction]
pub fn seconds(name: &str, given: &Bound<'_, PyAny>) -> PyResult<f64> {
    number(&format!("{name} in seconds"), given, 0.0, MAX_SECONDS)
}

/// A time to think, which is given in seconds.
pub struct Time(pub Duration);

impl FromPyObject<'_, '_> for Time {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Time> {
        let time = Duration::try_from_secs_f64(seconds("time", &object)?);
        time.map(Time).map_err(invalid)
    }
}

/// What a user gives for an integer. Numbers of NumPy are integers, too; True and False are not.
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
        let index = match object.is_instance_of::<PyBool>() {
            true => None,
            false => object.call_method0("__index__").ok(),
        };
        let Some(index) = index else {
            return Ok(Integer::Other(shown(&object)?));
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
