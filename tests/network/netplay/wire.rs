//! Lines → messages: every code, as our referee, the deployed one and the
//! paper have it.

use gothello::gothello::Move;
use gothello::netplay::{self, NotALine, Reason, Status};
use gothello::netref::{Gothello, Verdict, Version};
use gothello::{ByColor, Color};
use proptest::prelude::*;

type Message = netplay::Message<Gothello>;

const BLACK: Color = Color::Black;
const WHITE: Color = Color::White;

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

#[track_caller]
fn reads(line: &str, message: Message) {
    assert_eq!(Message::parse(line), Ok(message), "{line}");
}

fn moved(side: Color, number: u64, text: &str, secs: Option<u64>) -> Message {
    let mv = mv(text);
    Message::Status(Status::Moved {
        side,
        number,
        mv,
        secs,
    })
}

fn last(side: Color, number: u64, winner: Option<Color>, by: Option<Reason>) -> Message {
    Message::Status(Status::LastMove {
        side,
        number,
        mv: Move::Pass,
        winner,
        by,
    })
}

#[test]
fn greetings_and_seats() {
    let version = Version::parse("0.9.1");
    reads(
        "000 0.9.1 version Gothello server says hello!",
        Message::Greeting(version.clone()),
    );
    reads(
        "000 Gothello 0.9.1 server says hello!",
        Message::Greeting(version),
    );
    reads("000 Gothello", Message::Greeting(None));
    reads(
        "100 Request accepted",
        Message::Granted {
            secs: None,
            own: false,
        },
    );
    reads(
        "100",
        Message::Granted {
            secs: None,
            own: false,
        },
    );
    for (line, own) in [
        (
            "101 60 120 Request accepted with time controls (you / opp)",
            true,
        ),
        ("101 60 120", false),
    ] {
        let secs = Some((60, 120));
        reads(line, Message::Granted { secs, own });
    }
    reads(
        "191 Other player holds requested side",
        Message::Refused(191, "Other player holds requested side".into()),
    );
    reads("195", Message::Refused(195, String::new()));
}

#[test]
fn configuration_and_start() {
    let ann = || "Ann \"the Ox\" Lee".to_owned();
    reads(
        "341 \"Ann \"\"the Ox\"\" Lee\" is the white player",
        Message::PlayerName(WHITE, ann()),
    );
    reads("342 \"\"", Message::PlayerName(BLACK, String::new()));
    reads(
        "343 17 \"Ann \"\"the Ox\"\" Lee\" is observer 17",
        Message::ObserverName(17, ann()),
    );
    reads("344 1 observer watches", Message::Observers(1));
    reads("351 You will play white", Message::RolePlayer(WHITE));
    reads("352", Message::RolePlayer(BLACK));
    reads("353 You will observe", Message::RoleObserver);
}

#[test]
fn responses_to_actions() {
    reads(
        "200 Move c3 accepted, continue playing",
        Message::Continue(None),
    );
    reads(
        "207 59 secs remaining after move e2 accepted, continue playing",
        Message::Continue(Some(59)),
    );
    reads(
        "201 Move pass accepted, You win",
        Message::Ended(Verdict::Win),
    );
    reads(
        "202 Your time expires, and you lose",
        Message::Ended(Verdict::Loss),
    );
    reads("203", Message::Ended(Verdict::Draw));
    reads("204 Resignation accepted, you lose", Message::Resigned);
    reads("291 Illegal", Message::Illegal("Illegal".into()));
    reads("299", Message::NotUnderstood(String::new()));
}

#[test]
fn moves() {
    reads("311 1 c3", moved(BLACK, 1, "c3", None));
    reads(
        "311 1 c3 is black move, game continues",
        moved(BLACK, 1, "c3", None),
    );
    reads("312 12 ... a5 x", moved(WHITE, 12, "a5", None));
    reads(
        "313 1 e2 59 (secs) is black move, game continues",
        moved(BLACK, 1, "e2", Some(59)),
    );
    reads("314 1 ... e3 119", moved(WHITE, 1, "e3", Some(119)));
    reads("315 4 pass is black move", moved(BLACK, 4, "pass", None));
    reads("316 4 ... pass", moved(WHITE, 4, "pass", None));
    reads("317 4 pass 7", moved(BLACK, 4, "pass", Some(7)));
    reads("318 4 ... pass 7 (secs)", moved(WHITE, 4, "pass", Some(7)));
}

#[test]
fn endings() {
    let (black, white) = (Some(BLACK), Some(WHITE));
    reads("321 14 pass and black wins", last(BLACK, 14, black, None));
    reads("322 14 pass and black loses", last(BLACK, 14, white, None));
    reads("323 9 ... pass and white wins", last(WHITE, 9, white, None));
    reads("324 9 ... pass", last(WHITE, 9, black, None));
    reads("325 2 pass and black draws", last(BLACK, 2, None, None));
    reads("326 1 ... pass and white draws", last(WHITE, 1, None, None));
    for (why, reason) in [
        ("resignation", Reason::Resignation),
        ("time expiring", Reason::Time),
        ("disconnection", Reason::Disconnection),
        ("decree", Reason::Untold),
    ] {
        let line = format!("322 3 pass and black loses by {why}");
        reads(&line, last(BLACK, 3, white, Some(reason)));
    }
    let line = "321 3 pass and black wins by move";
    reads(line, last(BLACK, 3, black, None));
    let status = |line, status| reads(line, Message::Status(status));
    status("327 Black wins by resignation", Status::Resigned(WHITE));
    status("328 White wins by resignation", Status::Resigned(BLACK));
    status(
        "361 Black wins by White time expiring",
        Status::FlagFell(WHITE),
    );
    status("362", Status::FlagFell(BLACK));
    status("391 Black disconnected", Status::Disconnected(BLACK));
    status("392", Status::Disconnected(WHITE));
    reads("399 Stopping", Message::Trouble("Stopping".into()));
}

#[test]
fn state_displays() {
    let state = |number, secs, to_move| Message::State {
        number,
        secs,
        to_move,
    };
    let secs = Some(ByColor {
        black: 59,
        white: 119,
    });
    reads("380 1 w", state(1, None, Some(WHITE)));
    reads("380 7 . the match is over", state(7, None, None));
    reads("381 2 59 119 b to move", state(2, secs, Some(BLACK)));
    reads("381 2 59 119 *", state(2, secs, None));
    let below = Some(ByColor { black: 0, white: 3 });
    reads("381 1 -1 3 *", state(1, below, None));
    reads("382", Message::Board);
    reads("382 The board", Message::Board);
    let (black, white) = (Some(Color::Black), Some(Color::White));
    reads(".b.w.", Message::Row([None, black, None, white, None]));
    reads(".....", Message::Row([None; 5]));
}

#[test]
fn what_is_not_known_is_tolerated_and_what_is_wrong_is_not() {
    for (line, code, text) in [
        ("319 hello", 319, "hello"),
        ("320", 320, ""),
        ("500 x  y ", 500, "x  y"),
        ("001", 1, ""),
    ] {
        reads(line, Message::Other(code, text.into()));
    }
    for line in [
        "", "hello", "20", "2000 x", "20x", "....", "......", "..x..", " 200",
    ] {
        assert_eq!(Message::parse(line), Err(NotALine::NoCode), "{line:?}");
    }
    for line in [
        "101 60",
        "101 60 -",
        "101 60 1.5",
        "101 60 99999999999999999999",
        "207",
        "207 59s",
        "311 c3",
        "311 1 f3",
        "311 1 ... c3",
        "312 1 c3",
        "313 1 c3",
        "314 1 ... c3 x",
        "321 14",
        "324 1 pass",
        "341 Ann",
        "341 \"Ann",
        "343 \"Ann\"",
        "344",
        "380 b",
        "380 1",
        "380 1 x",
        "381 1 b",
        "381 1 2 3 4 b",
    ] {
        let read = Message::parse(line);
        assert!(matches!(read, Err(NotALine::Arguments(_))), "{line}");
    }
    insta::assert_snapshot!(Message::parse("313 1 c3").unwrap_err(), @"the number of the move, the move and a number of seconds is expected after the code");
}

proptest! {
    #[test]
    fn any_text_is_read(line in ".*") {
        let _ = Message::parse(&line);
    }

    #[test]
    fn any_arguments_are_read(code in 0_u16..1000, words in proptest::collection::vec(
        prop_oneof!["[0-9]{1,25}", "c3|pass|f9", "\\.\\.\\.", "\"+", "[bw.]", ".{0,4}"], 0..6)) {
        let _ = Message::parse(&format!("{code:03} {}", words.join(" ")));
    }
}
