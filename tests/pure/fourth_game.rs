//! A game that the library does not know, to show what a match needs of a game: its rules, its
//! drawing, its words, and its records.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gothello::clients::agent::{AgentGame, GtpSetup, NotAMove};
use gothello::game::Game;
use gothello::matches::{
    Choice, GameRecord, GameStart, GameToPlay, MatchGame, PlannedGame, Rules, Seat, SeatAction,
    SeatError, SeatTurn, ServerClock, Verdict, play,
};
use gothello::pages::web::{BoardKind, DrawnGame, Ply};
use gothello::{ByColor, Color};

/// Players take one to three stones from a heap of ten in turn. The last stone is worth 1 point.
#[derive(Clone, Debug, Default, PartialEq)]
struct Heap {
    taken: Vec<u8>,
}

/// Why stones cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
enum NotTaken {
    OutOfTurn,
    TooMany,
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotTaken::OutOfTurn => "it is the opponent's turn",
            NotTaken::TooMany => "one to three stones are taken, and no more than there are",
        })
    }
}

impl std::error::Error for NotTaken {}

impl Heap {
    fn left(&self) -> u8 {
        10 - self.taken.iter().sum::<u8>()
    }
}

impl Game for Heap {
    type Move = u8;
    type PlayError = NotTaken;
    type Score = u8;

    const NAME: &'static str = "Heap";
    const PLAYERS: ByColor<&'static str> = ByColor::new("First", "Second");
    const PASS: Option<u8> = None;

    fn to_move(&self) -> Color {
        match self.taken.len() % 2 {
            0 => Color::Black,
            _ => Color::White,
        }
    }

    fn is_over(&self) -> bool {
        self.left() == 0
    }

    fn scores(&self) -> ByColor<u8> {
        let last = self.is_over().then(|| self.to_move().opponent());
        ByColor::from_fn(|color| u8::from(last == Some(color)))
    }

    fn legal_moves(&self) -> impl Iterator<Item = u8> {
        1..=self.left().min(3)
    }

    fn play(&mut self, color: Color, stones: u8) -> Result<(), NotTaken> {
        if color != self.to_move() {
            return Err(NotTaken::OutOfTurn);
        }
        if !(1..=self.left().min(3)).contains(&stones) {
            return Err(NotTaken::TooMany);
        }
        self.taken.push(stones);
        Ok(())
    }

    fn moves(&self) -> impl Iterator<Item = (Color, u8)> {
        let colors = [Color::Black, Color::White].into_iter().cycle();
        colors.zip(self.taken.iter().copied())
    }

    fn notation(&self, stones: u8) -> String {
        stones.to_string()
    }

    fn parse_notation(&self, text: &str) -> Option<u8> {
        text.parse().ok()
    }
}

impl AgentGame for Heap {
    const PROMPT: &'static str = "1, 2, 3, resign";
    const MOVE_HELP: &'static str = "2        the number of stones to take";
    const GTP_MOVES: &'static str = "1, 2, 3 or resign would be right";
    const DRAW_OFFERS: bool = false;
    const FALLBACK: Option<u8> = None;

    fn fixed_setup() -> Option<GtpSetup> {
        Some(GtpSetup::square(1))
    }

    fn gtp_setup(&self) -> GtpSetup {
        GtpSetup::square(1)
    }

    fn parse_typed(&self, word: &str) -> Result<u8, NotAMove> {
        self.parse_notation(word)
            .ok_or_else(|| NotAMove("type 1, 2 or 3".to_owned()))
    }

    fn mark(color: Color) -> String {
        Heap::PLAYERS[color].to_owned()
    }

    fn diagram(&self) -> String {
        "*".repeat(self.left().into()) + "\n"
    }
}

impl DrawnGame for Heap {
    const KIND: BoardKind = BoardKind::Gothello;

    fn size(&self) -> [u16; 2] {
        [1, 10]
    }

    fn ply(&self) -> Ply {
        Ply {
            board: format!("{:.<10}", "B".repeat(self.left().into())),
            text: String::new(),
            at: None,
            by: None,
            used: None,
            prisoners: None,
            scores: None,
        }
    }

    fn place(_: u8) -> Option<[u16; 2]> {
        None
    }
}

impl MatchGame for Heap {
    const RECORD_EXTENSION: &'static str = "txt";

    fn record_text(&self, record: &GameRecord) -> String {
        format!("{}: {}", self.ply().board, record.result)
    }
}

/// Takes this many stones each time.
struct Taker(u8);

impl Seat<Heap> for Taker {
    fn begin(&mut self, _: &GameStart<'_, Heap>) -> Result<(), SeatError> {
        Ok(())
    }

    fn choose(&mut self, _: &SeatTurn<'_, Heap>) -> Result<Choice<u8>, SeatError> {
        let action = SeatAction::Move(self.0);
        let used = Duration::ZERO;
        Ok(Choice { action, used })
    }

    fn notify_move(
        &mut self,
        _: &Heap,
        _: u8,
        _: Duration,
        _: &AtomicBool,
    ) -> Result<(), SeatError> {
        Ok(())
    }
}

/// Plays a game of a match between two takers.
fn played(black: u8, white: u8) -> GameRecord {
    let name = |text: &str| text.parse().unwrap();
    let to_play = GameToPlay {
        id: "heap-1".to_owned(),
        planned: PlannedGame {
            number: 1,
            round: 1,
            pair: 1,
            players: ByColor::new(name("A"), name("B")),
            opening: None,
        },
        start: &Heap::default(),
        opening: None,
        seeds: ByColor::new(1, 2),
        times: ByColor::new(None, None),
    };
    let (mut first, mut second) = (Taker(black), Taker(white));
    let seats: ByColor<&mut dyn Seat<Heap>> = ByColor::new(&mut first, &mut second);
    let stop = AtomicBool::new(false);
    let time = ServerClock::start();
    let rules = Rules {
        margin: Duration::ZERO,
        move_limit: 100,
        exact: None,
        live: None,
        time: &time,
    };
    play(to_play, seats, None, &rules, &stop).unwrap().record
}

/// The moves of a record.
fn moves(record: &GameRecord) -> String {
    record.moves.iter().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_match_of_another_game_is_played_to_its_end() {
    // 3, 1, 3, 1, and then only two are left.
    let record = played(3, 1);
    assert_eq!(moves(&record), "3 1 3 1");
    assert_eq!(
        (record.winner, record.verdict),
        (Some(Color::White), Verdict::IllegalMove)
    );
    // 2, 3, 2, 3: the second player takes the last stone.
    let record = played(2, 3);
    assert_eq!(moves(&record), "2 3 2 3");
    assert_eq!(
        (record.result.as_str(), record.verdict),
        ("W+1", Verdict::Count)
    );
    let end = Heap {
        taken: vec![2, 3, 2, 3],
    };
    assert_eq!(end.record_text(&record), "..........: W+1");
}

#[test]
fn provided_methods_follow_from_the_rules() {
    let mut game = Heap { taken: vec![3, 3] };
    assert_eq!(game.check(4), Err(NotTaken::TooMany));
    assert_eq!(game.check(3), Ok(()));
    assert_eq!(game.placements(), [1, 2, 3]);
    assert_eq!(game.forced_pass(), None);
    assert_eq!(game.play_word("3"), Some(3));
    assert_eq!(game.play_word("2"), None);
    assert!(game.counted().is_none());
    assert_eq!(game.play_word("1"), Some(1));
    assert_eq!(game.counted().unwrap().result, "W+1");
    assert_eq!(game.outcome().unwrap().to_string(), "W+1");
}
