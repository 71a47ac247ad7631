//! `Serialize` and `Deserialize` for values whose text form says everything: as strings.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::{awari, game, go, gothello};

macro_rules! as_text {
    ($($type:ty: $what:literal,)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;

                impl Visitor<'_> for Text {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($what)
                    }

                    fn visit_str<E: Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                }

                deserializer.deserialize_str(Text)
            }
        }
    )*};
}

as_text! {
    game::Outcome: "an outcome such as `B+3`, or `0`",
    gothello::Position: "a position of Gothello",
    gothello::Point: "a point such as `c3`",
    gothello::Move: "a point such as `c3`, or `pass`",
    awari::Position: "a position of Awari",
    awari::Pit: "a pit of Awari",
    awari::Variant: "rules of Awari",
    go::Board: "a Go board",
    go::Score: "a number of points",
}

#[cfg(feature = "statistics")]
as_text! {
    crate::statistics::Sprt: "a sequential probability ratio test",
}

#[cfg(test)]
mod tests {
    use super::game::Outcome;
    use super::go;
    use super::gothello::{Move, Position};
    use crate::color::Color;

    #[test]
    fn an_outcome_is_read_as_it_is_written() {
        let outcomes = ["B+3", "W+24", "0", "B+127"];
        let json = serde_json::to_string(&outcomes).unwrap();
        let read: Vec<Outcome> = serde_json::from_str(&json).unwrap();
        assert_eq!(read[0], Outcome::from_lead(Color::Black, 3));
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        for text in [
            "", "B", "B+", "B+0", "B+03", "B++3", "B+-3", "B-3", "b+3", "+3", "00", "B+128",
            "B+3 ", "é+3",
        ] {
            assert!(text.parse::<Outcome>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn points_and_moves_of_go_are_objects() {
        let point = go::Point { row: 0, column: 3 };
        let moves = [go::Move::Place(point), go::Move::Pass, go::Move::Resign];
        let json = serde_json::to_string(&moves).unwrap();
        insta::assert_snapshot!(json, @r#"[{"place":{"row":0,"column":3}},"pass","resign"]"#);
        assert_eq!(serde_json::from_str::<[go::Move; 3]>(&json).unwrap(), moves);
    }

    /// Those that the guide lists, under *Types with serde*.
    #[test]
    #[cfg(feature = "cli")]
    fn the_types_of_the_guide_have_serde() {
        use serde::Serialize;
        use serde::de::DeserializeOwned;

        use crate::{ByColor, awari, gothello, review, statistics, tablebase, tournament};

        fn both<T: Serialize + DeserializeOwned>() {}
        fn serialize<T: Serialize>() {}

        both::<(Position, gothello::Point, Move, Outcome)>();
        both::<(awari::Position, awari::Pit, awari::Variant)>();
        both::<(go::Board, go::Score, go::Point, go::Move)>();
        both::<(Color, ByColor<u8>)>();
        both::<(
            statistics::Sprt,
            statistics::WinDrawLoss,
            statistics::Pentanomial,
        )>();
        both::<(review::Known, tournament::Settings, tournament::Event)>();
        both::<(tablebase::Summary, tablebase::Counts)>();
        serialize::<(review::Ply, review::PlayerReview, review::Judgment)>();
        serialize::<(
            statistics::Decision,
            tournament::Standing,
            tournament::Crosstable,
        )>();
        serialize::<(tablebase::Distribution, tablebase::Tally)>();
    }

    #[test]
    fn a_position_and_a_move_are_strings() {
        let position = "w.bb./b.bw./.bwww/b..ww/w..ww b";
        let json = format!("[\"{position}\",\"c2\"]");
        let read: (Position, Move) = serde_json::from_str(&json).unwrap();
        assert_eq!(read.0.to_string(), position);
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        let error = serde_json::from_str::<Move>("\"c9\"").unwrap_err();
        let wrong = "c9".parse::<Move>().unwrap_err();
        assert!(error.to_string().starts_with(&wrong.to_string()), "{error}");
    }
}
