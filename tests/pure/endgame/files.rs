//! The file: it is read back unchanged, and invalid bytes are refused.

use std::sync::LazyLock;

use gothello::awari::Variant;
use gothello::endgame::Database;
use proptest::prelude::*;

use super::database;

/// The length of the header, in bytes.
const HEADER: usize = 20;

#[test]
fn a_database_is_read_as_it_was_written() {
    for variant in Variant::all() {
        let database = database(variant, 4);
        let read = Database::from_bytes(&database.to_bytes());
        assert!(read == Ok(database), "{variant}");
    }
    let empty = Database::new(Variant::default());
    assert!(Database::from_bytes(&empty.to_bytes()) == Ok(empty));
}

#[test]
fn every_error_says_what_is_wrong() {
    let bytes = database(Variant::default(), 3).to_bytes();
    let with = |place: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[place] = byte;
        // Keep the checksum of the header valid.
        if place < 16 {
            let sum = crc32fast::hash(&bytes[..16]);
            bytes[16..20].copy_from_slice(&sum.to_le_bytes());
        }
        Database::from_bytes(&bytes).unwrap_err().to_string()
    };
    insta::assert_snapshot!(with(0, b'A'), @r#"this is not an Awari database: it does not begin with "awari-eg""#);
    insta::assert_snapshot!(with(8, 2), @"the database's format has version 2: this program reads version 1");
    insta::assert_snapshot!(with(12, b'f'), @"the first 20 bytes of the database are damaged: byte 12 is not the letter of a grand slam rule, a to e");
    insta::assert_snapshot!(with(13, b'x'), @"the first 20 bytes of the database are damaged: byte 13 is not the letter of a repetition rule, c or d");
    insta::assert_snapshot!(with(14, 22), @"the first 20 bytes of the database are damaged: byte 14, the number of stones, is more than 21");
    insta::assert_snapshot!(with(14, 4), @"the database has 491 bytes, not the 1860 of one with up to 4 stones: it was not written or copied completely");
    insta::assert_snapshot!(with(15, 4), @"the first 20 bytes of the database are damaged: byte 15 is not zero");
    insta::assert_snapshot!(with(16, 4), @"the first 20 bytes of the database are damaged: the checksum is wrong");
    insta::assert_snapshot!(with(400, 99), @"the boards with 3 stones are damaged: the checksum is wrong");
    let short = Database::from_bytes(&bytes[..10]).unwrap_err().to_string();
    insta::assert_snapshot!(short, @"the first 20 bytes of the database are damaged: the file is shorter");
}

#[test]
fn impossible_bounds_are_refused() {
    let mut bytes = database(Variant::default(), 1).to_bytes();
    // The layer of one stone: twelve bytes and their checksum.
    let first = HEADER + 1 + 4;
    bytes[first] = 3;
    let sum = crc32fast::hash(&bytes[first..first + 12]);
    bytes[first + 12..].copy_from_slice(&sum.to_le_bytes());
    let error = Database::from_bytes(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the boards with 1 stones are damaged: a bound exceeds the number of stones"
    );
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        prop_assert!(Database::from_bytes(&bytes).is_err());
        let bytes = [&b"awari-eg"[..], &bytes].concat();
        prop_assert!(Database::from_bytes(&bytes).is_err());
    }

    #[test]
    fn changed_bytes_are_refused(place in any::<prop::sample::Index>(), change in 1..=u8::MAX) {
        static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| database(Variant::default(), 2).to_bytes());
        let mut bytes = WHOLE.clone();
        let place = place.index(bytes.len());
        bytes[place] ^= change;
        prop_assert!(Database::from_bytes(&bytes).is_err());
    }

    #[test]
    fn any_header_is_read_or_refused(
        rules in "[a-f][c-e]",
        stones in 0..=40_u8,
        rest in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let version = 1_u32.to_le_bytes();
        let middle = [rules.as_bytes(), &[stones, 0]].concat();
        let mut bytes = [&b"awari-eg"[..], &version, &middle].concat();
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes.extend(rest);
        prop_assert!(Database::from_bytes(&bytes).is_err());
    }
}
