//! Colors as the journals and the messages of Go contests have them: `B`, `W`, and `.` for none.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::color::{ByColor, Color};

/// A [`Color`] as it is written, `B` or `W` (the document, "Color"), for serde's `with`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Color")]
pub(crate) enum ColorCode {
    #[serde(rename = "B")]
    Black,
    #[serde(rename = "W")]
    White,
}

/// A [`ByColor`] as an object with the keys `B` and `W`, for serde's `with`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "ByColor")]
pub(crate) struct ByColorCode<T> {
    #[serde(rename = "B")]
    black: T,
    #[serde(rename = "W")]
    white: T,
}

/// A color; `.` if there is none.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) enum WinnerCode {
    B,
    W,
    #[serde(rename = ".")]
    Nobody,
}

impl From<Option<Color>> for WinnerCode {
    fn from(color: Option<Color>) -> WinnerCode {
        match color {
            Some(Color::Black) => WinnerCode::B,
            Some(Color::White) => WinnerCode::W,
            None => WinnerCode::Nobody,
        }
    }
}

impl From<WinnerCode> for Option<Color> {
    fn from(code: WinnerCode) -> Option<Color> {
        match code {
            WinnerCode::B => Some(Color::Black),
            WinnerCode::W => Some(Color::White),
            WinnerCode::Nobody => None,
        }
    }
}

/// Reads and writes an optional [`Color`] as `B`, `W`, or `.` for none, for serde's `with`.
pub(crate) mod winner_code {
    use super::{Color, Deserialize, Deserializer, Serialize, Serializer, WinnerCode};

    pub(crate) fn serialize<S: Serializer>(
        winner: &Option<Color>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        WinnerCode::from(*winner).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Color>, D::Error> {
        WinnerCode::deserialize(deserializer).map(Option::from)
    }
}
