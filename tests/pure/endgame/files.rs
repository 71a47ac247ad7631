//! The file: it is read back unchanged, and invalid bytes are refused.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::Duration;

use gothello::awari::Variant;
use gothello::endgame::{Database, FileError, Partial, PartialError};
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

/// Returns a path for a build, in a folder of its own.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.partial");
    (folder, path)
}

/// Opens a build that no other test uses. A process started by another test inherits all open
/// files, and their locks, for a moment.
fn open(path: &std::path::Path, variant: Variant) -> Result<(Partial, Database), PartialError> {
    for _ in 0..1_000 {
        match Partial::open(path, variant) {
            Err(PartialError::Locked(_)) => sleep(Duration::from_millis(2)),
            opened => return opened,
        }
    }
    panic!("{} stays locked", path.display());
}

/// Continues a build until it has this many stones. Returns the database and the number of
/// stones that it had before.
fn go_on(path: &std::path::Path, stones: u8) -> (Database, u8) {
    let (mut partial, mut found) = open(path, Variant::default()).unwrap();
    let begun = found.stones();
    while found.stones() < stones {
        let layer = found.next_layer(1, &AtomicBool::new(false), &|_| ());
        let layer = layer.unwrap();
        partial.append(&layer).unwrap();
        found.push(layer).unwrap();
    }
    (found, begun)
}

#[test]
fn a_truncated_build_continues_from_its_last_complete_layer() {
    let (_folder, path) = place();
    let whole = go_on(&path, 3).0;
    let bytes = fs::read(&path).unwrap();
    // A layer has a byte for each board and a checksum.
    let ends = [0, 1, 12, 78, 364].iter().scan(HEADER, |end, count| {
        *end += if *count == 0 { 0 } else { count + 4 };
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    assert_eq!(ends.last(), Some(&bytes.len()));
    for length in 0..=bytes.len() {
        // In the large layers, a few lengths are enough.
        let is_near = |end: &usize| end.abs_diff(length) < 2;
        if !length.is_multiple_of(150) && !ends.iter().any(is_near) {
            continue;
        }
        fs::write(&path, &bytes[..length]).unwrap();
        let whole_layers = ends[1..].iter().filter(|&&end| end <= length).count();
        let (found, begun) = go_on(&path, 3);
        assert_eq!(
            usize::from(begun),
            whole_layers.saturating_sub(1),
            "{length}"
        );
        assert!(found == whole, "{length}");
        assert!(fs::read(&path).unwrap() == bytes, "{length}");
    }
}

#[test]
fn a_damaged_layer_is_computed_again() {
    let (_folder, path) = place();
    let whole = go_on(&path, 3).0;
    let mut bytes = fs::read(&path).unwrap();
    bytes[HEADER + 5 + 16 + 40] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (found, begun) = go_on(&path, 3);
    assert_eq!(begun, 1);
    assert!(found == whole);
}

#[test]
fn a_build_is_neither_shared_nor_overwritten() {
    let (_folder, path) = place();
    let variant = Variant::default();
    let (partial, _) = open(&path, variant).unwrap();
    let error = Partial::open(&path, variant).unwrap_err();
    assert!(matches!(error, PartialError::Locked(_)), "{error}");
    drop(partial);
    let other = Variant::all().find(|other| *other != variant).unwrap();
    let error = open(&path, other).unwrap_err().to_string();
    assert!(
        error.contains("(grand slam e, stones claimed on repetition, not grand slam a"),
        "{error}"
    );
    fs::write(&path, "my diary").unwrap();
    let error = open(&path, variant).unwrap_err();
    let is_right = matches!(
        &error,
        PartialError::Unusable {
            error: FileError::WrongPartialMagic,
            ..
        }
    );
    assert!(is_right, "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"my diary");
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn a_file_that_is_not_a_build_is_kept(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let (_folder, path) = place();
        fs::write(&path, &bytes).unwrap();
        if open(&path, Variant::default()).is_err() {
            prop_assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }
}
