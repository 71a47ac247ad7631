//! Colors as the journals and the messages of Go contests have them: `B`, `W`, and `.` for none.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::color::{ByColor, Color};

/// A color as it is written (the document, "Color").
#[derive(Clone, Copy, Serialize, Deserialize)]
enum ColorCode {
    B,
    W,
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

/// Reads and writes a [`Color`] as `B` or `W`, for serde's `with`.
pub(crate) mod color_code {
    use super::{Color, ColorCode, Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        color: &Color,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match color {
            Color::Black => ColorCode::B,
            Color::White => ColorCode::W,
        }
        .serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Color, D::Error> {
        Ok(match ColorCode::deserialize(deserializer)? {
            ColorCode::B => Color::Black,
            ColorCode::W => Color::White,
        })
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

/// Reads and writes a [`ByColor`] as an object with the keys `B` and `W`, for serde's
/// `with`.
pub(crate) mod by_color_code {
    use super::{ByColor, Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Fields<T> {
        #[serde(rename = "B")]
        black: T,
        #[serde(rename = "W")]
        white: T,
    }

    pub(crate) fn serialize<T: Serialize, S: Serializer>(
        values: &ByColor<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let ByColor { black, white } = values.as_ref();
        Fields { black, white }.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<ByColor<T>, D::Error> {
        let Fields { black, white } = Fields::deserialize(deserializer)?;
        Ok(ByColor { black, white })
    }
}
