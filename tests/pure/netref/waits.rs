//! The check of the waits in a tournament finds those that are too long.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use crate::waits::{Event, Longest, Promise};

/// The result of these events in a tournament of three teams, at these seconds and for these
/// connections.
fn check(events: &[(u64, usize, Event)]) -> Longest {
    let events = events.iter().map(|&(seconds, connection, event)| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        (time, connection, event)
    });
    let promise = Promise {
        teams: 3,
        named: BTreeSet::from([0, 1, 2]),
        clocks: Duration::from_secs(10),
        forfeit_after: Duration::from_secs(8),
        at_once: Duration::from_secs(2),
        read_later: (BTreeSet::new(), Duration::ZERO),
    };
    promise.check(events.collect())
}

/// A client of a team that asks for either side.
fn asks(team: usize) -> Event {
    Event::Asks { team, side: None }
}

fn plays(opponent: usize) -> Event {
    let opponent = Some(opponent);
    Event::Plays { opponent }
}

/// T2 waits for a match of the others, and for the players of an interrupted one.
#[test]
fn promised_waits_are_measured() {
    let longest = check(&[
        (0, 0, Event::Runs),
        (0, 1, asks(0)),
        (1, 2, asks(1)),
        (1, 3, asks(2)),
        (2, 1, plays(1)),
        (2, 2, plays(0)),
        (11, 0, Event::Killed),
        (100, 0, Event::Runs),
        (100, 4, asks(2)),
        (101, 5, asks(0)),
        (109, 6, asks(1)),
        (110, 5, plays(1)),
        (110, 6, plays(0)),
        (115, 0, Event::Result { black: 0, white: 1 }),
        (115, 5, Event::Ends),
        (115, 6, Event::Ends),
        (116, 4, Event::Ends),
    ]);
    let seconds = [longest.matches, longest.at_once, longest.missing];
    assert_eq!(seconds.map(|time| time.as_secs()), [5, 1, 8]);
}

#[test]
#[should_panic(expected = "a client of T0 waited for 3s, and nothing prevented it from playing")]
fn a_team_whose_opponent_is_there_must_play() {
    check(&[
        (0, 0, Event::Runs),
        (0, 1, asks(0)),
        (1, 2, asks(1)),
        (4, 1, plays(1)),
    ]);
}

#[test]
#[should_panic(expected = "the game of T0 against T1 waited for one of them for 11s")]
fn a_missing_team_must_forfeit() {
    check(&[
        (0, 0, Event::Runs),
        (0, 1, asks(0)),
        (11, 0, Event::Result { black: 0, white: 1 }),
    ]);
}

#[test]
#[should_panic(expected = "a match of T0 took 13s")]
fn a_match_must_end_when_the_clocks_are_used_up() {
    check(&[
        (0, 0, Event::Runs),
        (0, 1, asks(0)),
        (0, 2, asks(1)),
        (0, 1, plays(1)),
        (0, 2, plays(0)),
        (13, 1, Event::Ends),
    ]);
}
