//! Whole matches of Awari between two clients at the built referee, with the status lines that an
//! observer receives.

use std::thread;

use crate::cases::some_of;
use crate::client::{Done, Program};
use crate::executable::executable;
use crate::netref::referee::{Client, Referee};

/// A referee of Awari that sends observers only what the paper has.
fn referee(arguments: &[&str]) -> Referee {
    Referee::start(&[&["--game", "awari", "--strict"], arguments].concat())
}

/// An observer that receives the lines unchanged.
fn observer(referee: &Referee) -> Client {
    let mut observer = referee.connect();
    observer.expect("000 0.9.2 ");
    observer.ask("0.9 observer", "10");
    observer
}

/// A client of ours that plays Awari.
fn client(referee: &Referee, arguments: &[&str]) -> Program {
    Program::netplay(referee, &[arguments, &["--game", "awari"]].concat())
}

/// Plays with South and North as people who type these lines. Returns how they ended, and the
/// lines that an observer received after the start.
fn plays(arguments: &[&str], south: &str, north: &str) -> (Done, Done, Vec<String>) {
    let referee = referee(arguments);
    let mut observer = observer(&referee);
    let [south, north] = [("south", south), ("north", north)].map(|(side, lines)| {
        let mut person = client(&referee, &[side, "--human"]);
        person.types(lines);
        person
    });
    observer.lines_to("353 ");
    let heard = observer.rest();
    (south.wait(), north.wait(), heard)
}

fn assert_result(done: &Done, result: &str) {
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(done.result(), result, "{}", done.err);
}

/// All ways are in `tests/pure/netplay/awari.rs`.
#[test]
fn the_rules_end_a_match() {
    let games = include_str!("../../common/awari_games.txt").lines();
    for game in some_of(games.filter(|line| !line.starts_with('#'))) {
        let (how, moves) = game.split_once(": ").unwrap();
        let words: Vec<&str> = moves.split(' ').collect();
        let typed = |first: usize| {
            let words = words.iter().skip(first).step_by(2);
            words.map(|word| format!("{word}\n")).collect::<String>()
        };
        let (south, north, heard) = plays(&[], &typed(0), &typed(1));
        let winner = how.split_once(", ").unwrap().1.to_lowercase();
        assert_eq!(south.result(), north.result());
        for done in [south, north] {
            assert_eq!(done.code, Some(0), "{}", done.err);
            let result = done.result();
            assert!(result.starts_with(&winner), "{how}: {result}");
        }
        assert_eq!(heard.len(), words.len(), "{how}: {heard:#?}");
    }
}

#[test]
fn an_error_about_a_move_mentions_other_rules() {
    // A grand slam, which captures nothing here.
    let (south, _, heard) = plays(
        &["--grand-slam", "b", "--loss-wait", "0"],
        "F\nA\nA\nA\nA\nA\nF\n",
        "a\nb\nc\nd\ne\nf\n",
    );
    assert_eq!(heard[12], "311 7 F is south move, game continues");
    assert_eq!(south.code, Some(1));
    assert!(south.err.contains("(see --grand-slam"), "{}", south.err);
}

#[test]
fn a_player_resigns() {
    let (south, north, heard) = plays(&[], "A\nresign\n", "b\n");
    assert_result(&south, "north wins by resignation");
    assert_result(&north, "north wins by resignation");
    assert_eq!(heard.last().unwrap(), "328 North wins by resignation");
    let (south, _, heard) = plays(&[], "A\n", "resign\n");
    assert_result(&south, "south wins by resignation");
    assert_eq!(heard.last().unwrap(), "327 South wins by resignation");
}

#[test]
fn a_draw_is_agreed() {
    let (south, north, heard) = plays(&[], "A\ndraw\n", "draw?\n");
    assert_result(&south, "drawn by agreement");
    assert_result(&north, "drawn by agreement");
    assert!(south.err.contains("North offers a draw\n"), "{}", south.err);
    assert!(
        south.err.contains("\nyour answer (draw, nodraw, help):\n"),
        "{}",
        south.err
    );
    assert_eq!(
        heard,
        [
            "311 1 A is south move, game continues",
            "332 Draw requested by North",
            "329 Draw accepted"
        ]
    );
}

#[test]
fn a_draw_is_refused() {
    let referee = referee(&[]);
    let mut observer = observer(&referee);
    let mut south = client(&referee, &["south", "--human"]);
    let mut north = client(&referee, &["north", "--human"]);
    observer.lines_to("353 ");
    south.types("draw?\n");
    observer.expect("331 Draw requested by South");
    north.types("nodraw\n");
    observer.expect("334 Draw refused by North");
    // In the same turn the referee takes no other offer.
    south.types("draw?\nA\n");
    observer.expect("311 1 A is south move, game continues");
    north.types("draw?\n");
    observer.expect("332 Draw requested by North");
    south.types("nodraw\n");
    observer.expect("333 Draw refused by South");
    north.types("b\n");
    observer.expect("312 1 ... b is north move, game continues");
    south.types("draw?\n");
    observer.expect("331 Draw requested by South");
    // A move withdraws the offer, which its maker is told.
    south.types("B\n");
    observer.expect("311 2 B is south move, game continues");
    north.types("resign\n");
    observer.expect_last(&["327 South wins by resignation"]);
    let [south, north] = [south, north].map(Program::wait);
    assert_result(&south, "south wins by resignation");
    assert_result(&north, "south wins by resignation");
    assert!(
        south.err.contains("your offer was refused"),
        "{}",
        south.err
    );
    let lapses = |err: &str| err.matches("your offer of a draw lapses").count();
    assert_eq!([&*south.err, &north.err].map(lapses), [1, 0]);
}

/// A person who has typed all moves in advance does not have to answer an offer.
#[test]
fn an_offer_after_the_end_of_input_is_not_answered() {
    let referee = referee(&[]);
    let mut south = client(&referee, &["south", "--human"]);
    south.types("A\n");
    south.close_input();
    let mut north = referee.connect();
    north.expect("000 ");
    north.ask("0.9 player north", "100 ");
    north.lines_to("311 ");
    north.ask("draw?", "205 ");
    north.expect("332 ");
    north.expect_silence(std::time::Duration::from_millis(200));
    north.ask("1 ... a", "200 ");
    north.expect("312 ");
    north.expect_last(&["391 "]);
    assert_eq!(south.wait().code, Some(1));
}

#[test]
fn a_flag_falls() {
    let of_south = || {
        let (south, north, heard) = plays(&["1"], "", "");
        assert_result(&south, "north wins by time");
        assert_result(&north, "north wins by time");
        assert_eq!(heard, ["362 North wins by South time expiring"]);
    };
    let of_north = || {
        let (south, _, heard) = plays(&["1", "60"], "A\n", "");
        assert_result(&south, "south wins by time");
        let last = heard.last().unwrap();
        assert_eq!(last, "361 South wins by North time expiring");
    };
    thread::scope(|scope| {
        scope.spawn(of_south);
        scope.spawn(of_north);
    });
}

#[test]
fn a_player_disconnects() {
    for (stays, leaves, code, winner) in [
        ("south", "north", "392 North", "south"),
        ("north", "south", "391 South", "north"),
    ] {
        let referee = referee(&[]);
        let mut observer = observer(&referee);
        let one = client(&referee, &[stays, "--human"]);
        let other = client(&referee, &[leaves, "--human"]);
        observer.lines_to("353 ");
        // A person whose input ends leaves at the next turn.
        let mut players = [one, other];
        if stays == "south" {
            players[0].types("A\n");
            observer.expect("311 1 A ");
        }
        let [one, other] = players;
        assert_eq!(other.finish().code, Some(1));
        observer.expect_last(&[&format!("{code} disconnected")]);
        assert_result(&one.wait(), &format!("{winner} wins by disconnection"));
    }
}

/// Our own player against a GTP engine, which is our own player again.
#[test]
#[ignore = "takes seconds, unoptimized"]
fn programs_play_each_other() {
    let referee = referee(&["60"]);
    let mut observer = observer(&referee);
    let own = client(&referee, &["south", "--move-time", "0.001"]);
    let gtp = format!("{} gtp --game awari --move-time 0.001", executable());
    let engine = client(&referee, &["north", "--engine", &gtp]);
    observer.lines_to("353 ");
    let heard = observer.rest();
    let [own, engine] = [own, engine].map(Program::wait);
    assert_result(&own, engine.result());
    assert_eq!(engine.code, Some(0), "{}", engine.err);
    let last = heard.last().unwrap();
    assert!((b'1'..=b'6').contains(&last.as_bytes()[2]), "{last}");
    assert!(last.starts_with("32"), "{last}");
    // Our observer has drawn everything right, and both sides have drawn the same moves.
    assert_eq!(own.out, engine.out);
}
