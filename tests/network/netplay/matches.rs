//! Whole matches at the built referee.

use crate::client::Program;
use crate::netref::referee::Referee;

/// The weakest level does not search.
const FAST: [&str; 2] = ["--level", "1"];

fn fast<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &FAST].concat()
}

#[test]
fn our_player_plays_itself_and_an_observer_draws_it() {
    for (clocks, black, white) in [
        (&[][..], &["black"][..], &["white"][..]),
        (
            &["60", "30"],
            &["black", "--name", "Ann \"Ox\""],
            &["either"],
        ),
        (
            &["60"],
            &["either", "--name", "Ann"],
            &["either", "--name", "Bob"],
        ),
    ] {
        let referee = Referee::start(clocks);
        let observer = Program::netplay(&referee, &["observe", "--name", "Eve"]);
        referee.wait_for_line("will observe");
        let one = Program::netplay(&referee, &fast(black));
        referee.wait_for_line(" play ");
        let other = Program::netplay(&referee, &fast(white));
        let [one, other, seen] = [one, other, observer].map(Program::wait);
        for done in [&one, &other, &seen] {
            assert_eq!(done.code, Some(0), "{}", done.err);
            assert_eq!(done.result(), one.result());
        }
        assert_eq!(one.out, other.out);
        let moves: Vec<&str> = one.out.lines().collect();
        assert!(moves[0].starts_with("1 "), "{moves:?}");
        assert!(moves[1].starts_with("1 ... "), "{moves:?}");
        assert!(moves[moves.len() - 2].ends_with("pass"), "{moves:?}");
        let boards = seen.out.matches(" e\n5").count();
        assert_eq!(boards, moves.len() - 1, "{}", seen.out);
        assert!(seen.out.contains("The game is over\n"), "{}", seen.out);
    }
}

#[test]
fn an_interrupted_match_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().to_str().unwrap();
    let referee = Referee::start(&["60", "--state", journal]);
    let (mut black, mut white) = referee.pair_called("\"Ann\"", "\"Bob\"");
    black.ask("1 c3", "207 ");
    white.expect("313 ");
    white.ask("1 ... d3", "207 ");
    referee.kill();
    let referee = Referee::start(&["60", "--state", journal]);
    let black = Program::netplay(&referee, &fast(&["black", "--name", "Ann"]));
    referee.wait_for_line(" play ");
    let white = Program::netplay(&referee, &fast(&["either", "--name", "Bob"]));
    let [black, white] = [black, white].map(Program::wait);
    assert_eq!(black.code, Some(0), "{}", black.err);
    assert_eq!(black.out, white.out);
    assert!(black.out.starts_with("1 c3\n1 ... d3\n2 "), "{}", black.out);
}

#[test]
fn the_only_player_to_come_back_wins_an_interrupted_match() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().to_str().unwrap();
    let referee = Referee::start(&["60", "--state", journal]);
    let (mut black, _white) = referee.pair_called("\"Ann\"", "\"Bob\"");
    black.ask("1 c3", "207 ");
    referee.kill();
    let resume = ["60", "--state", journal, "--seat-timeout", "0.5"];
    let referee = Referee::start(&resume);
    let done = Program::netplay(&referee, &fast(&["black", "--name", "Ann"])).wait();
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(done.result(), "black wins by disconnection");
    referee.wait_for_line("is over");
}

/// Like `gothello netplay ... | head -n 1`.
#[test]
fn a_player_whose_output_nobody_reads_plays_on() {
    let referee = Referee::start(&[]);
    let mut black = Program::netplay(&referee, &fast(&["black"]));
    black.close_output();
    referee.wait_for_line(" play ");
    let white = Program::netplay(&referee, &fast(&["white"]));
    let [black, white] = [black, white].map(Program::wait);
    assert_eq!(white.code, Some(0), "{}", white.err);
    assert!(
        white.out.ends_with(&format!("{}\n", white.result())),
        "{}",
        white.out
    );
    assert!(!white.result().contains("disconnection"), "{}", white.out);
    assert_eq!(black.code, Some(0), "{}", black.err);
}

#[test]
fn a_referee_that_disappears_is_an_error() {
    let referee = Referee::start(&[]);
    let mut human = Program::netplay(&referee, &["black", "--human"]);
    let mut observer = Program::netplay(&referee, &["observe"]);
    let _white = referee.seat("player white");
    // Both know that the match has begun.
    human.tells("your move (");
    observer.tells("Black is ");
    referee.kill();
    let again = "; if the referee resumes the match, the same command with the same --name takes \
                 the seat again";
    for (client, is_player) in [(human, true), (observer, false)] {
        let done = client.wait();
        assert_eq!(done.code, Some(1), "{}", done.err);
        let error = done.error();
        assert!(error.contains("before the match was over"), "{error}");
        assert_eq!(error.ends_with(again), is_player, "{error}");
    }
}

#[test]
fn a_referee_that_disappears_before_the_match_is_an_error() {
    let referee = Referee::start(&[]);
    let human = Program::netplay(&referee, &["black", "--human"]);
    referee.wait_for_line(" play ");
    referee.kill();
    let done = human.wait();
    assert_eq!(done.code, Some(1));
    let error = done.error();
    assert!(error.contains("before the match began"), "{error}");
    assert!(!error.contains("--name"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_referee_that_is_asked_to_stop_says_so() {
    let referee = Referee::start(&[]);
    let black = Program::netplay(&referee, &["black"]);
    referee.wait_for_line(" play ");
    referee.signal("-INT");
    let done = black.wait();
    assert_eq!(done.code, Some(1));
    assert!(
        done.error().starts_with("the referee says: "),
        "{}",
        done.err
    );
}
