//! Requests and responses of the wire: every code, as in our server, the deployed one and the
//! paper; and parsing reverses printing.

use gothello::Move;
use gothello::contests::netref::{
    self, Action, Awari, Gothello, GothelloRow, MatchReason, MoveNumber, Name, NetrefGame, Opening,
    ResponseError, Role, RoleRefusal, Status, Times, Verdict, Version,
};
use gothello::{ByColor, Color};
use proptest::prelude::*;

type Response = netref::Response<Gothello>;

const BLACK: Color = Color::Black;
const WHITE: Color = Color::White;

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

#[track_caller]
fn reads(line: &str, message: Response) {
    assert_eq!(Response::parse(line), Ok(message), "{line}");
}

fn moved(side: Color, number: u64, text: &str, secs: Option<u64>) -> Response {
    let mv = mv(text);
    Response::Status(Status::Moved {
        side,
        number,
        mv,
        secs,
    })
}

fn last(side: Color, number: u64, winner: Option<Color>, forfeit: Option<MatchReason>) -> Response {
    Response::Status(Status::LastMove {
        side,
        number,
        mv: Move::Pass,
        winner,
        forfeit,
    })
}

#[test]
fn greetings_and_seats() {
    for greeting in [
        "0.9.1 version Gothello server says hello!",
        "Gothello 0.9.1 server says hello!",
        "Gothello",
    ] {
        let line = format!("000 {greeting}");
        reads(&line, Response::Greeting(greeting.into()));
    }
    reads("100 Request accepted", Response::Granted(None));
    reads("100", Response::Granted(None));
    for (line, is_own_first) in [
        (
            "101 60 120 Request accepted with time controls (you / opp)",
            true,
        ),
        ("101 60 120", false),
    ] {
        let secs = [60, 120];
        reads(line, Response::Granted(Some(Times { secs, is_own_first })));
    }
    reads(
        "191 Other player holds requested side",
        Response::Refused(
            RoleRefusal::SideTaken,
            "Other player holds requested side".into(),
        ),
    );
    reads(
        "195",
        Response::Refused(RoleRefusal::Other(195), String::new()),
    );
}

#[test]
fn configuration_and_start() {
    let ann = || "Ann \"the Ox\" Lee".to_owned();
    reads(
        "341 \"Ann \"\"the Ox\"\" Lee\" is the white player",
        Response::PlayerName(WHITE, ann()),
    );
    reads("342 \"\"", Response::PlayerName(BLACK, String::new()));
    reads(
        "343 17 \"Ann \"\"the Ox\"\" Lee\" is observer 17",
        Response::ObserverName(17, ann()),
    );
    reads("344 1 observer watches", Response::Observers(1));
    reads("351 You will play white", Response::RolePlayer(WHITE));
    reads("352", Response::RolePlayer(BLACK));
    reads("353 You will observe", Response::RoleObserver);
}

#[test]
fn responses_to_actions() {
    reads(
        "200 Move c3 accepted, continue playing",
        Response::Accepted(None, "Move c3 accepted, continue playing".into()),
    );
    reads(
        "207 59 secs remaining after move e2 accepted, continue playing",
        Response::Accepted(
            Some(59),
            "secs remaining after move e2 accepted, continue playing".into(),
        ),
    );
    reads(
        "201 Move pass accepted, You win",
        Response::Ended(Verdict::Win, "Move pass accepted, You win".into()),
    );
    reads(
        "202 Your time expires, and you lose",
        Response::Ended(Verdict::Loss, "Your time expires, and you lose".into()),
    );
    reads("203", Response::Ended(Verdict::Draw, String::new()));
    reads("204 Resignation accepted, you lose", Response::Resigned);
    reads("291 Illegal", Response::Illegal("Illegal".into()));
    reads("299", Response::NotUnderstood(String::new()));
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
    for (why, forfeit) in [
        ("resignation", MatchReason::Resignation),
        ("time expiring", MatchReason::Time),
        ("disconnection", MatchReason::Disconnection),
        ("protocol errors", MatchReason::Protocol),
        ("illegal requests", MatchReason::IllegalRequests),
        ("decree", MatchReason::Void),
    ] {
        let line = format!("322 3 pass and black loses by {why}");
        reads(&line, last(BLACK, 3, white, Some(forfeit)));
    }
    let line = "321 3 pass and black wins by move";
    reads(line, last(BLACK, 3, black, None));
    let status = |line, status| reads(line, Response::Status(status));
    status("327 Black wins by resignation", Status::Resigned(WHITE));
    status("328 White wins by resignation", Status::Resigned(BLACK));
    status(
        "361 Black wins by White time expiring",
        Status::FlagFell(WHITE),
    );
    status("362", Status::FlagFell(BLACK));
    status("391 Black disconnected", Status::Disconnected(BLACK));
    status("392", Status::Disconnected(WHITE));
    reads("399 Stopping", Response::Problem("Stopping".into()));
}

#[test]
fn state_displays() {
    let state = |number, secs, to_move| Response::State {
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
    reads("382", Response::Board);
    reads("382 The board", Response::Board);
    let (black, white) = (Some(Color::Black), Some(Color::White));
    reads(
        ".b.w.",
        Response::Row(GothelloRow([None, black, None, white, None])),
    );
    reads(".....", Response::Row(GothelloRow([None; 5])));
}

#[test]
fn unknown_codes_are_tolerated_and_malformed_lines_are_not() {
    for (line, code, text) in [
        ("319 hello", 319, "hello"),
        ("320", 320, ""),
        ("500 x  y ", 500, "x  y"),
        ("001", 1, ""),
    ] {
        reads(line, Response::Other(code, text.into()));
    }
    for line in [
        "", "hello", "20", "2000 x", "20x", "....", "......", "..x..", " 200",
    ] {
        assert_eq!(
            Response::parse(line),
            Err(ResponseError::NoCode),
            "{line:?}"
        );
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
        let read = Response::parse(line);
        assert!(matches!(read, Err(ResponseError::Arguments(_))), "{line}");
    }
    insta::assert_snapshot!(Response::parse("313 1 c3").unwrap_err(), @"after the code there must be the number of the move, the move and a number of seconds");
}

/// A text after a code.
fn text() -> impl Strategy<Value = String> {
    "|[!-~]|[!-~][ -~]{0,30}[!-~]"
}

fn color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(BLACK), Just(WHITE)]
}

fn name() -> impl Strategy<Value = Name> {
    "[ -~]{0,31}".prop_map(|text| Name::new(&text).unwrap())
}

/// A game after some random moves, and a legal move.
fn game<G: NetrefGame + Default>() -> impl Strategy<Value = (G, G::Move)> {
    proptest::collection::vec(any::<prop::sample::Index>(), 1..40).prop_map(|choices| {
        let (mut game, mut next) = (G::default(), None);
        for choice in choices {
            let moves: Vec<_> = game.legal_moves().collect();
            if moves.is_empty() {
                break;
            }
            if let Some(mv) = next {
                game.play(game.to_move(), mv).unwrap();
            }
            let moves: Vec<_> = game.legal_moves().collect();
            next = (!moves.is_empty()).then(|| *choice.get(&moves));
        }
        let first = G::default().legal_moves().next().unwrap();
        (game, next.unwrap_or(first))
    })
}

fn a_move<G: NetrefGame + Default>() -> impl Strategy<Value = G::Move> {
    game::<G>().prop_map(|(_, mv)| mv)
}

fn action<G: NetrefGame + Default>() -> impl Strategy<Value = Action<G::Move>> {
    let numbered = (any::<u32>(), any::<bool>(), a_move::<G>());
    prop_oneof![
        numbered.prop_map(|(number, ellipses, mv)| Action::Move {
            number: Some(MoveNumber {
                number: number.into(),
                ellipses,
            }),
            mv,
        }),
        Just(Action::Resign),
    ]
}

fn draw_action<M: Clone + std::fmt::Debug>() -> impl Strategy<Value = Action<M>> {
    prop_oneof![
        Just(Action::OfferDraw),
        Just(Action::AcceptDraw),
        Just(Action::RefuseDraw),
    ]
}

fn status<G: NetrefGame + Default>() -> BoxedStrategy<Status<G::Move>> {
    let moved = (color(), any::<u64>(), a_move::<G>(), any::<Option<u64>>());
    let moved = moved.prop_map(|(side, number, mv, secs)| Status::Moved {
        side,
        number,
        mv,
        secs,
    });
    let forfeit = prop::option::of(prop_oneof![
        Just(MatchReason::Resignation),
        Just(MatchReason::Time),
        Just(MatchReason::Disconnection),
        Just(MatchReason::Protocol),
        Just(MatchReason::IllegalRequests),
        Just(MatchReason::Void),
    ]);
    let last = (
        color(),
        any::<u64>(),
        a_move::<G>(),
        prop::option::of(color()),
        forfeit,
    );
    let last = last.prop_map(|(side, number, mv, winner, forfeit)| Status::LastMove {
        side,
        number,
        mv,
        winner,
        forfeit: G::FORFEIT_MOVE.and(forfeit),
    });
    let of_side = (color(), 0..5).prop_map(|(side, which)| match which {
        0 => Status::Resigned(side),
        1 => Status::FlagFell(side),
        2 if G::HAS_DRAWS => Status::DrawOffered(side),
        3 if G::HAS_DRAWS => Status::DrawRefused(side),
        _ => Status::Disconnected(side),
    });
    let agreed = Just(match G::HAS_DRAWS {
        true => Status::DrawAgreed,
        false => Status::Resigned(BLACK),
    });
    prop_oneof![moved, last, of_side, agreed].boxed()
}

fn response<G: NetrefGame + Default>() -> BoxedStrategy<netref::Response<G>> {
    use netref::Response;
    let verdict = prop_oneof![Just(Verdict::Win), Just(Verdict::Loss), Just(Verdict::Draw)];
    let refusal = prop_oneof![
        Just(RoleRefusal::SideTaken),
        Just(RoleRefusal::Full),
        Just(RoleRefusal::Private),
        Just(RoleRefusal::Version),
        Just(RoleRefusal::NotUnderstood),
        (194_u16..198).prop_map(RoleRefusal::Other),
    ];
    let times = (any::<[u64; 2]>(), any::<bool>());
    let times = times.prop_map(|(secs, is_own_first)| Times { secs, is_own_first });
    let secs = any::<Option<[u64; 2]>>();
    let secs = secs.prop_map(|secs| secs.map(|[black, white]| ByColor { black, white }));
    let state = (any::<u64>(), secs, prop::option::of(color()));
    let state = state.prop_map(|(number, secs, to_move)| Response::State {
        number,
        secs,
        to_move,
    });
    let row = (game::<G>(), any::<prop::sample::Index>());
    let row = row.prop_map(|((game, _), at)| Response::Row(at.get(&game.rows()).clone()));
    let fixed = (0..5).prop_map(|which| match which {
        0 => Response::RoleObserver,
        1 => Response::Resigned,
        2 if G::HAS_DRAWS => Response::OfferReceived,
        3 if G::HAS_DRAWS => Response::RefusalReceived,
        _ => Response::Board,
    });
    prop_oneof![
        text().prop_map(Response::Greeting),
        prop::option::of(times).prop_map(Response::Granted),
        (refusal, text()).prop_map(|(why, text)| Response::Refused(why, text)),
        (color(), ".{0,20}").prop_map(|(side, name)| Response::PlayerName(side, name)),
        (any::<u64>(), ".{0,20}").prop_map(|(at, name)| Response::ObserverName(at, name)),
        any::<u64>().prop_map(Response::Observers),
        color().prop_map(Response::RolePlayer),
        (any::<Option<u64>>(), text()).prop_map(|(secs, text)| Response::Accepted(secs, text)),
        (verdict, text()).prop_map(|(verdict, text)| Response::Ended(verdict, text)),
        text().prop_map(Response::Illegal),
        text().prop_map(Response::NotUnderstood),
        status::<G>().prop_map(Response::Status),
        text().prop_map(Response::Problem),
        state,
        row,
        fixed,
        (400_u16..1000, text()).prop_map(|(code, text)| Response::Other(code, text)),
    ]
    .boxed()
}

/// Prints a response, and parses it again.
fn again<G: NetrefGame>(response: &netref::Response<G>) -> netref::Response<G> {
    let line = response.to_string();
    let line = line.strip_suffix("\r\n").unwrap();
    netref::Response::parse(line).unwrap()
}

proptest! {
    #[test]
    fn every_response_is_parsed_as_it_was_printed(
        gothello in response::<Gothello>(),
        awari in response::<Awari>(),
    ) {
        prop_assert_eq!(again(&gothello), gothello);
        prop_assert_eq!(again(&awari), awari);
    }

    #[test]
    fn every_request_is_parsed_as_it_was_printed(
        role in prop_oneof![
            color().prop_map(Role::Player),
            Just(Role::EitherPlayer),
            Just(Role::Observer),
        ],
        name in prop::option::of(name()),
        in_gothello in action::<Gothello>(),
        in_awari in prop_oneof![action::<Awari>(), draw_action()],
    ) {
        let opening = Opening::new::<Gothello>(role, name.clone());
        prop_assert_eq!(Opening::parse::<Gothello>(&opening.to_line::<Gothello>()), Ok(opening));
        let opening = Opening::answering::<Awari>("0.8 Awari", role, name);
        prop_assert_eq!(&opening.version, &Version::parse("0.8").unwrap());
        prop_assert_eq!(Opening::parse::<Awari>(&opening.to_line::<Awari>()), Ok(opening));
        let parsed = Action::parse::<Gothello>(&in_gothello.to_string());
        prop_assert_eq!(parsed, Ok(in_gothello));
        prop_assert_eq!(Action::parse::<Awari>(&in_awari.to_string()), Ok(in_awari));
    }

    #[test]
    fn any_text_is_read(line in ".*") {
        let _ = Response::parse(&line);
    }

    #[test]
    fn any_arguments_are_read(code in 0_u16..1000, words in proptest::collection::vec(
        prop_oneof!["[0-9]{1,25}", "c3|pass|f9", "\\.\\.\\.", "\"+", "[bw.]", ".{0,4}"], 0..6)) {
        let _ = Response::parse(&format!("{code:03} {}", words.join(" ")));
    }
}

#[test]
fn a_pass_without_a_number_is_parsed_as_it_was_printed() {
    let pass = Action::Move {
        number: None,
        mv: Move::Pass,
    };
    assert_eq!(Action::parse::<Gothello>(&pass.to_string()), Ok(pass));
}

#[test]
fn words_may_be_separated_and_surrounded_by_spaces_and_tabs() {
    let opening = Opening::parse::<Gothello>("\t 0.9.1\tplayer \t black\t\"Ann\" ").unwrap();
    assert_eq!(opening.role, Role::Player(BLACK));
    assert_eq!(opening.name, Name::new("Ann"));
    let action = |number, ellipses, word| {
        let number = Some(MoveNumber { number, ellipses });
        let mv = mv(word);
        Ok(Action::Move { number, mv })
    };
    let line = "  1 \t c3 and what follows is ignored";
    assert_eq!(Action::parse::<Gothello>(line), action(1, false, "c3"));
    let line = "1\t...\tpass\t";
    assert_eq!(Action::parse::<Gothello>(line), action(1, true, "pass"));
}
