//! The time that a player is given, as recorded by a stand-in player.

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gothello::gtp::server::{self, GothelloEngine, Session};
use gothello::player::{Choice, Limits, MoveLimits, Player};
use gothello::solver::Bounds;
use gothello::{Game, Move, Position};

use crate::analyzer::Knows;

/// Passes after a while, and notes how long it was given.
struct Notes {
    given: Arc<Mutex<Vec<Duration>>>,
    takes: Duration,
}

impl Player for Notes {
    fn choose(&mut self, _: &Position, limits: &Limits<'_>) -> Choice {
        self.given.lock().unwrap().push(limits.time.unwrap());
        std::thread::sleep(self.takes);
        Choice::new(Move::Pass)
    }
}

/// The times that a player is given, in milliseconds, when it takes 100 of
/// them for each move.
fn given(commands: &str, move_time: Option<Duration>) -> Vec<u128> {
    let given = Arc::default();
    let notes = Notes {
        given: Arc::clone(&given),
        takes: Duration::from_millis(100),
    };
    let engine = GothelloEngine::new(Box::new(notes), Arc::new(Knows(Bounds::UNKNOWN)));
    let limits = MoveLimits {
        time: move_time,
        ..MoveLimits::default()
    };
    let session = Session::new(Game::new(), engine, limits);
    let mut output = Vec::new();
    server::run(session, Cursor::new(commands.to_owned()), &mut output).unwrap();
    assert!(!String::from_utf8(output).unwrap().contains('?'));
    let times = given.lock().unwrap();
    times.iter().map(Duration::as_millis).collect()
}

#[test]
fn without_a_clock_the_time_is_a_second_or_that_of_the_command_line() {
    assert_eq!(given("genmove b\n", None), [1000]);
    let three = Some(Duration::from_secs(3));
    assert_eq!(given("genmove b\n", three), [3000]);
    assert_eq!(given("time_settings 0 1 0\ngenmove b\n", three), [3000]);
    assert_eq!(given("time_settings 9000 0 0\ngenmove b\n", three), [3000]);
}

#[test]
fn a_new_game_has_full_clocks_and_moves_use_them_up() {
    let file = tempfile::NamedTempFile::new().unwrap();
    write!(file.as_file(), "(;SZ[5])").unwrap();
    let load = format!("loadsgf {}", file.path().display());
    for restart in ["clear_board", "boardsize 5", load.as_str()] {
        let commands = format!(
            "time_settings 90 0 0\ngenmove b\nundo\ngenmove b\nundo\nreg_genmove b\n{restart}\ngenmove b\n"
        );
        let times = given(&commands, None);
        // The first of nine shares of the main time, less a reserve.
        assert_eq!(times[0], 9940, "{restart}: {times:?}");
        let used = times[0] - times[1];
        assert!((11..200).contains(&used), "{times:?}");
        assert!(times[2] < times[1], "{times:?}");
        assert_eq!(times[3], times[0], "{restart}");
    }
}

#[test]
fn every_move_has_a_share_of_the_overtime() {
    // A second in total, and then ten for each move, from the first move on.
    assert_eq!(given("time_settings 1 10 1\ngenmove b\n", None), [9940]);
    assert_eq!(given("time_settings 1 30 5\ngenmove b\n", None), [5940]);
    // The main time is used up, in whatever form the clock says so.
    for left in ["0 0", "-3 0", "-0.5 0"] {
        let commands = format!("time_settings 60 30 5\ntime_left b {left}\ngenmove b\n");
        assert_eq!(given(&commands, None), [5940], "{left}");
    }
    // Without overtime nothing is left then.
    let commands = "time_settings 60 0 0\ntime_left b -3 0\ngenmove b\n";
    assert_eq!(given(commands, None), [0]);
}

#[test]
fn time_left_replaces_the_engines_clock() {
    let times = given("time_left b 8 2\ngenmove b\nclear_board\ngenmove b\n", None);
    assert_eq!(times, [3940, 1000]);
}

/// The longest piece that was written at once.
struct Longest(usize);

impl Write for Longest {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.max(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn answers_do_not_pile_up() {
    let notes = Notes {
        given: Arc::default(),
        takes: Duration::ZERO,
    };
    let engine = GothelloEngine::new(Box::new(notes), Arc::new(Knows(Bounds::UNKNOWN)));
    let session = Session::new(Game::new(), engine, MoveLimits::default());
    let mut longest = Longest(0);
    let commands = "list_commands\n".repeat(20_000);
    server::run(session, Cursor::new(commands), &mut longest).unwrap();
    assert!(longest.0 < 128 * 1024, "{}", longest.0);
}
