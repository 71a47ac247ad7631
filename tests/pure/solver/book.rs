//! The book: the built-in one, building one, and detecting faults.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gothello::solver::book::{
    Book, BookError, BuildEvent, BuildProgress, BuiltInBook, Entry, EntryError, Oracle, build,
    verify_entry,
};
use gothello::solver::{Control, Objective, Solver};
use gothello::{Move, Next, Position};

use super::positions::{Random, reachable};
use super::unlimited;

/// A position with few empty points, from which building a book is quick.
const LATE: &str = "bw.bw/.wbb./.b..b/.wwb./..wbw w";

/// The largest number of stones in the books that the tests build.
const STONES: u32 = 20;

fn late() -> Position {
    LATE.parse().unwrap()
}

fn solver() -> Solver {
    Solver::builder().memory_mib(16).threads(1).build()
}

/// Returns the entry of an event, if it has one.
fn entry_of(event: BuildEvent) -> Option<Entry> {
    match event {
        BuildEvent::LayerStarted => None,
        BuildEvent::EntryFound(entry) => Some(entry),
    }
}

/// Builds the book from [`LATE`] on with this many threads. Returns it and the entries in
/// the order in which they were found.
fn built(threads: usize) -> (Book, Vec<Entry>) {
    let mut found = Vec::new();
    let book = build(
        &late(),
        STONES,
        &solver(),
        threads,
        &unlimited(),
        [],
        |event, progress: BuildProgress| {
            assert!(progress.solved <= progress.total);
            found.extend(entry_of(event));
            Ok::<(), Infallible>(())
        },
    );
    (book.unwrap().unwrap(), found)
}

/// Returns the positions after every move that does not end the game.
fn children(position: &Position) -> impl Iterator<Item = Position> {
    let moves = position.legal_moves();
    moves.filter_map(|mv| match position.play(mv) {
        Ok(Next::Continues(child)) => Some(child),
        _ => None,
    })
}

#[test]
fn positions_before_those_in_the_book_are_decided_without_a_search() {
    let book = Book::built_in();
    let solver = solver().with_book(Arc::new(BuiltInBook));
    let mut tried = 0;
    for entry in book.entries().step_by(1_000) {
        let position = entry.position().unwrap();
        if position.stones().count() > book.stones() - 2 {
            continue;
        }
        // The owner has made the book's move; every reply leads to the book.
        let Ok(Next::Continues(after)) = position.play(entry.best) else {
            continue;
        };
        assert!(children(&after).all(|child| book.look_up(&child).is_some()));
        let before = solver.positions();
        let bounds = solver.search(&after, Objective::Value, &unlimited());
        assert_eq!(bounds.value(), Some(-entry.value), "{after}");
        assert!(solver.positions() - before < 100, "{after}");
        tried += 1;
    }
    assert!(tried > 5, "{tried}");
    assert!(solver.has_used_book());
}

/// A book that has about every second position.
#[derive(Debug)]
struct Half(Solver);

impl Oracle for Half {
    fn look_up(&self, position: &Position) -> Option<(i8, Move)> {
        if position.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0 {
            return None;
        }
        let bounds = self.0.search(position, Objective::Value, &unlimited());
        let value = bounds.value()?;
        let moves = (self.0).search_moves(position, Objective::AtLeast(value), &unlimited());
        let best = moves.iter().find(|judged| judged.bounds.low >= value)?;
        Some((value, best.mv))
    }
}

#[test]
fn a_book_changes_no_result() {
    let mut random = Random(16);
    let with_book = solver().with_book(Arc::new(Half(solver())));
    let without = solver();
    for round in 0..200 {
        let position = reachable(&mut random, 4 + round % 5);
        let value = without.search(&position, Objective::Value, &unlimited());
        // Each objective by itself, before the table has the value.
        for objective in [
            Objective::Winner,
            Objective::AtLeast(value.low),
            Objective::Value,
        ] {
            let bounds = with_book.search(&position, objective, &unlimited());
            assert!(objective.is_decided_by(bounds), "{position}");
            assert_eq!(bounds.and(value), value, "{position}");
        }
        assert_eq!(with_book.known_bounds(&position), value, "{position}");
        assert_eq!(
            with_book.search_moves(&position, Objective::Value, &unlimited()),
            without.search_moves(&position, Objective::Value, &unlimited()),
            "{position}"
        );
        let line = with_book.search_principal_variation(&position, value.low, &unlimited());
        let outcome = value.seen_by(position.to_move()).outcome();
        assert_eq!(line.outcome, outcome, "{position}");
    }
}

#[test]
fn known_bounds_are_correct() {
    let mut random = Random(17);
    let solver = solver();
    for _ in 0..200 {
        let position = reachable(&mut random, 9);
        let asked = solver.known_bounds(&position);
        solver.search(&position, Objective::Winner, &unlimited());
        let recalled: Vec<_> = children(&position)
            .map(|child| (child, solver.known_bounds(&child)))
            .collect();
        let known = solver.known_bounds(&position);
        let value = solver.search(&position, Objective::Value, &unlimited());
        assert_eq!(known.and(asked).and(value), value, "{position}");
        for (child, bounds) in recalled {
            let value = solver.search(&child, Objective::Value, &unlimited());
            assert_eq!(bounds.and(value), value, "{child}");
        }
    }
}

#[test]
fn the_built_in_book_is_complete() {
    let book = Book::built_in();
    assert!(!book.is_empty());
    book.check().unwrap();
    assert_eq!(book.missing(&Position::START).next(), None);
    assert_eq!(book.contradictions().next(), None);
    assert!(book.to_bytes().len() <= 4 << 20);
    // It has the value of the game, and the best first move that is hardest to answer.
    let c2 = "c2".parse().unwrap();
    assert_eq!(book.look_up(&Position::START), Some((3, Move::Place(c2))));
    for (_, position) in Position::START.children() {
        let (value, mv) = book.look_up(&position).unwrap();
        assert!(value >= -3 && position.play(mv).is_ok(), "{position}");
    }
}

#[test]
fn a_book_has_the_exact_value_of_every_position_that_its_owner_can_meet() {
    let (book, found) = built(2);
    assert_eq!(book.len(), found.len());
    book.check().unwrap();
    assert_eq!(book.missing(&late()).next(), None);
    let solver = solver();
    for entry in book.entries() {
        assert_eq!(verify_entry(&entry, &solver, &unlimited()), Some(Ok(())));
    }
    // Positions are looked up in all orientations.
    let mut met = vec![late()];
    let mut count = 0;
    while let Some(position) = met.pop() {
        if position.stones().count() > STONES {
            continue;
        }
        count += 1;
        let (value, mv) = book.look_up(&position).unwrap();
        let exact = solver.search(&position, Objective::Value, &unlimited());
        assert_eq!(exact.value(), Some(value), "{position}");
        let Ok(Next::Continues(next)) = position.play(mv) else {
            continue;
        };
        let answers = next.legal_moves().filter_map(|mv| next.play(mv).ok());
        met.extend(answers.filter_map(|next| match next {
            Next::Continues(position) => Some(position),
            Next::Ends(_) => None,
        }));
    }
    assert!(count >= book.len() && count > 100, "{count} {}", book.len());
}

#[test]
fn the_book_has_the_best_move_that_is_hardest_to_answer() {
    let (book, _) = built(1);
    let solver = solver();
    let exact = |next: Result<Next, _>, lead: i8| match next.unwrap() {
        Next::Continues(next) => {
            let bounds = solver.search(&next, Objective::Value, &unlimited());
            bounds.value().unwrap()
        }
        Next::Ends(_) => lead,
    };
    let mut choices = 0;
    for entry in book.entries() {
        let position = entry.position().unwrap();
        if position.stones().count() + 2 > STONES {
            continue;
        }
        let lead = position.stones().lead();
        // The values for the owner after each reply to a best move.
        let answers = |mv| {
            let Next::Continues(after) = position.play(mv).unwrap() else {
                return None;
            };
            let left: Vec<i8> = after
                .legal_moves()
                .map(|answer| exact(after.play(answer), lead))
                .collect();
            (*left.iter().min().unwrap() == entry.value).then_some(left)
        };
        let chances = |left: &Vec<i8>| {
            let share = |is_wrong: &dyn Fn(i8) -> bool| {
                let wrong = left.iter().filter(|&&value| is_wrong(value)).count();
                wrong as f64 / left.len() as f64
            };
            let blunders = share(&|value| value.signum() > entry.value.signum());
            (blunders, share(&|value| value > entry.value))
        };
        let best: Vec<_> = position.legal_moves().filter_map(answers).collect();
        let chosen = chances(&answers(entry.best).unwrap());
        for other in best.iter().map(chances) {
            assert!(chosen >= other, "{position}: {chosen:?} {other:?}");
            choices += u32::from(chosen > other);
        }
    }
    assert!(choices > 0);
}

#[test]
fn an_interrupted_build_continues() {
    let (whole, _) = built(1);
    let stop = AtomicBool::new(false);
    let control = Control {
        stop: &stop,
        ..unlimited()
    };
    let mut found = Vec::new();
    let half = whole.len() / 2;
    let book = build(&late(), STONES, &solver(), 1, &control, [], |event, _| {
        found.extend(entry_of(event));
        stop.store(found.len() >= half, Ordering::Relaxed);
        Ok::<(), Infallible>(())
    });
    assert!(book.unwrap().is_none());
    // One more entry may have been on its way.
    assert!((half..whole.len()).contains(&found.len()));
    let known = found.clone();
    let book = build(
        &late(),
        STONES,
        &solver(),
        1,
        &unlimited(),
        known,
        |event, _| {
            let entry = entry_of(event);
            assert!(entry.is_none_or(|entry| !found.contains(&entry)));
            found.extend(entry);
            Ok::<(), Infallible>(())
        },
    );
    let book = book.unwrap().unwrap();
    // No entry is lost. (In the last layer, either of two best moves may have been found
    // first.)
    assert_eq!(book.len(), found.len());
    assert_eq!(book.missing(&late()).next(), None);
}

#[test]
fn an_error_of_the_callback_ends_the_build() {
    let stop = AtomicBool::new(false);
    let mut told = 0;
    let result = build(
        &late(),
        STONES,
        &solver(),
        2,
        &Control::until(&stop),
        [],
        |event, _| {
            entry_of(event).map_or(Ok(()), |_| {
                told += 1;
                Err("the disk is full")
            })
        },
    );
    assert_eq!(result.unwrap_err(), "the disk is full");
    assert_eq!(told, 1);
    // No thread continues to search.
    assert!(stop.load(Ordering::Relaxed));
}

#[test]
fn a_book_is_read_back_as_it_was_written() {
    let (book, _) = built(1);
    let read = Book::from_bytes(book.to_bytes()).unwrap();
    assert_eq!(read.stones(), STONES);
    assert!(read.entries().eq(book.entries()));
}

#[test]
fn missing_positions_are_found() {
    assert_eq!(
        Book::from_entries(0, []).missing(&Position::START).next(),
        Some(Position::START)
    );
    let (book, _) = built(1);
    let all: Vec<Entry> = book.entries().collect();
    for number in 0..all.len() {
        let mut entries = all.clone();
        entries.remove(number);
        let missing = Book::from_entries(STONES, entries).missing(&late()).count();
        assert!(missing > 0, "{:?}", all[number]);
    }
}

#[test]
fn a_damaged_book_is_refused_with_a_reason() {
    let (book, _) = built(1);
    let bytes = book.to_bytes();
    let error = |bytes: Vec<u8>| Book::from_bytes(bytes).unwrap_err();
    assert_eq!(error(Vec::new()), BookError::WrongMagic);
    assert_eq!(error(b"gothfool".to_vec()), BookError::WrongMagic);
    for length in 8..bytes.len() {
        let error = error(bytes[..length].to_vec());
        assert!(
            matches!(error, BookError::Length { found, .. } if found == length),
            "{error}"
        );
    }
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert_eq!(error(newer), BookError::Version(2));
    for at in 24..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        let error = error(flipped);
        assert!(matches!(error, BookError::Damaged { .. }), "{error}");
    }
}

#[test]
fn an_invalid_entry_is_refused() {
    let (book, _) = built(1);
    let entry = book.entries().next().unwrap();
    assert_eq!(Entry::from_bits(entry.to_bits()), Ok(entry));
    let refused = |bits: u64| Entry::from_bits(bits).unwrap_err();
    // A stone of both players on a1, and more bits than a key has.
    assert_eq!(refused(1 << 36 | 1 << 11), EntryError::Key);
    assert_eq!(refused(1 << 61), EntryError::Key);
    // a5 is a1 mirrored, and has the larger number.
    assert_eq!(refused(1 << 31 | 32 << 5), EntryError::Key);
    assert_eq!(refused(63 << 5), EntryError::Value);
    assert_eq!(refused(32 << 5 | 29), EntryError::NoMove);
    // The opponent's stone is on a1.
    assert_eq!(refused(1 << 11 | 32 << 5), EntryError::IllegalMove);
}

#[test]
fn a_wrong_value_or_move_is_found() {
    let (book, _) = built(1);
    let solver = solver();
    let check = |entry: Entry| verify_entry(&entry, &solver, &unlimited()).unwrap();
    let mut bad_moves = 0;
    for entry in book.entries().take(20) {
        let wrong = Entry {
            value: entry.value - 1,
            ..entry
        };
        assert!(check(wrong).unwrap_err().to_string().contains("is worth"));
        let position = entry.position().unwrap();
        let value = |mv| match position.play(mv) {
            Ok(Next::Continues(next)) => {
                let bounds = solver.search(&next, Objective::Value, &unlimited());
                -bounds.value().unwrap()
            }
            _ => i8::MIN,
        };
        for best in position.legal_moves() {
            let keeps = value(best) == entry.value;
            assert_eq!(check(Entry { best, ..entry }).is_ok(), keeps);
            bad_moves += usize::from(!keeps);
        }
    }
    assert!(bad_moves > 0);
}

#[test]
fn contradictions_are_found() {
    let (book, _) = built(1);
    assert_eq!(book.contradictions().next(), None);
    let all: Vec<Entry> = book.entries().collect();
    let mut wrong = 0;
    for number in 0..all.len() {
        // The entries of the last layers have no successors.
        if all[number].position().unwrap().stones().count() + 2 <= STONES {
            let mut entries = all.clone();
            entries[number].value += 1;
            let faults = Book::from_entries(STONES, entries).contradictions().count();
            assert!(faults > 0, "{:?}", all[number]);
            wrong += 1;
        }
    }
    assert!(wrong > 0);
}

#[test]
#[ignore = "solves fifty entries of the built-in book anew"]
fn entries_of_the_built_in_book_are_correct() {
    let solver = Solver::builder().memory_mib(256).threads(2).build();
    let book = Book::built_in();
    let step = (book.len() / 50).max(1);
    // From the end of the file, where the entries have most stones.
    let entries: Vec<Entry> = book.entries().collect();
    let mut most: Vec<&Entry> = entries.iter().collect();
    most.sort_by_key(|entry| entry.position().unwrap().empty().len());
    for entry in most.iter().step_by(step).take(50) {
        let position = entry.position().unwrap();
        if position.stones().count() >= 4 {
            assert_eq!(
                verify_entry(entry, &solver, &unlimited()),
                Some(Ok(())),
                "{position}"
            );
        }
    }
}
