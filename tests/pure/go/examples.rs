//! Cases decided by servers of the protocol, and cases that the paper decides in words.

use gothello::go::{
    Board, ByColor, Color, EndReason, Ending, Game, Illegal, Komi, Mercy, Move, Point, Position,
    Rules, Score, Scoring, Size,
};

/// A move in short: row and column, or `p` for a pass.
fn mv(word: &str) -> Move {
    let digit = |place: usize| word.as_bytes()[place] - b'0';
    match word {
        "p" => Move::Pass,
        "resign" => Move::Resign,
        _ => Move::Place(Point {
            row: digit(0),
            column: digit(1),
        }),
    }
}

/// Makes moves. All must be legal, and only the last may end the game.
fn make(game: &mut Game, moves: &str) -> Option<Ending> {
    let mut ending = None;
    for word in moves.split_whitespace() {
        assert_eq!(ending, None, "before {word}");
        ending = game.play(mv(word)).unwrap_or_else(|illegal| {
            panic!("{word}: {illegal} on\n{}", game.board());
        });
    }
    ending
}

/// A game of some moves from the empty board.
fn play(rules: &Rules, side: usize, moves: &str) -> Game {
    let start = Position::start(Size::square(side).unwrap());
    let mut game = Game::new(rules.clone(), start);
    make(&mut game, moves);
    game
}

/// A game from a picture.
fn from(rules: &Rules, picture: &str, turn: Color) -> Game {
    let position = Position {
        board: board(picture),
        turn,
        prisoners: ByColor::default(),
    };
    Game::new(rules.clone(), position)
}

fn board(picture: &str) -> Board {
    picture.parse().unwrap()
}

fn ko_rules(ko: bool, superko: bool) -> Rules {
    Rules {
        ko,
        superko,
        ..Rules::default()
    }
}

fn mercy_rules(margin: &str, start: u32, komi: &str) -> Rules {
    Rules {
        komi: score(komi),
        mercy: Mercy::new(score(margin), start).unwrap(),
        ..Rules::default()
    }
}

fn score(text: &str) -> Score {
    text.parse().unwrap()
}

/// Black's and White's scores as text.
fn scores(game: &Game) -> (String, String) {
    let ByColor { black, white } = game.score().map(|score| score.to_string());
    (black, white)
}

fn is(black: &str, white: &str) -> (String, String) {
    (black.to_owned(), white.to_owned())
}

#[track_caller]
fn assert_refused(game: &Game, word: &str, why: Illegal) {
    let before = format!("{game:?}");
    assert_eq!(
        game.check(mv(word)),
        Err(why),
        "{word} on\n{}",
        game.board()
    );
    let mut after = game.clone();
    assert_eq!(after.play(mv(word)), Err(why));
    assert_eq!(format!("{after:?}"), before);
    assert_eq!(after.positions(), game.positions());
}

/// White has just captured the stone at 12.
const KO: &str = "01 02 10 13 21 22 12 11";

#[test]
fn a_ko_may_not_be_retaken_at_once() {
    let game = play(&ko_rules(true, false), 5, KO);
    let picture = board(
        ". B W . .
         B W . W .
         . B W . .
         . . . . .
         . . . . .",
    );
    assert_eq!(game.board(), &picture);
    assert_eq!(game.prisoners(), ByColor::new(0, 1));
    assert_refused(&game, "12", Illegal::Ko);

    assert_refused(&play(&ko_rules(false, true), 5, KO), "12", Illegal::Superko);
    // If both rules forbid it, the stricter one is named.
    assert_refused(&play(&ko_rules(true, true), 5, KO), "12", Illegal::Superko);
    assert_eq!(play(&ko_rules(false, false), 5, KO).check(mv("12")), Ok(()));
}

#[test]
fn a_ko_may_be_retaken_after_a_threat_and_its_answer() {
    for superko in [false, true] {
        let mut game = play(&ko_rules(true, superko), 5, KO);
        make(&mut game, "44 43 12");
        let picture = board(
            ". B W . .
             B . B W .
             . B W . .
             . . . . .
             . . . W B",
        );
        assert_eq!(game.board(), &picture);
        // And now it is Black's ko.
        let why = if superko {
            Illegal::Superko
        } else {
            Illegal::Ko
        };
        assert_refused(&game, "11", why);
    }
}

#[test]
fn two_passes_end_a_game_before_a_ko_can_be_retaken_but_one_is_as_good_as_a_threat() {
    let mut game = play(&ko_rules(true, false), 5, KO);
    make(&mut game, "p 44");
    assert_eq!(game.check(mv("12")), Ok(()));
}

#[test]
fn no_position_repeats_under_superko() {
    const MOVES: &str = "01 11 00 10 01 00";
    let game = play(&ko_rules(true, true), 2, MOVES);
    assert_eq!(game.board(), &board("W . \n W W"));
    // Black's stone would capture everything, and then be alone, as after the first move.
    assert_refused(&game, "01", Illegal::Superko);

    let mut game = play(&ko_rules(true, false), 2, MOVES);
    make(&mut game, "01");
    assert_eq!(game.board(), &board(". B \n . ."));
    assert_eq!(game.positions()[1].board, *game.board());
}

#[test]
fn the_same_board_with_the_other_side_to_move_is_another_position() {
    for (side, moves, picture) in [
        (2, "00 11 01 p 10 11 00", "B . \n . W"),
        (3, "01 00 21 11 10 12 22 20 21", ". B . \n B W W \n . B ."),
    ] {
        let game = play(&ko_rules(true, true), side, moves);
        let same = |position: &&Position| position.board == board(picture);
        let turns = game.positions().iter().filter(same);
        let turns: Vec<Color> = turns.map(|position| position.turn).collect();
        assert_eq!(turns, [Color::Black, Color::White]);
        assert_eq!(game.board(), &board(picture));
    }
}

#[test]
fn the_first_position_may_not_repeat_either() {
    let mut game = from(&ko_rules(false, true), "B .", Color::White);
    make(&mut game, "01");
    assert_eq!(game.board(), &board(". W"));
    assert_refused(&game, "00", Illegal::Superko);

    let mut game = from(&ko_rules(true, false), "B .", Color::White);
    make(&mut game, "01");
    assert_refused(&game, "00", Illegal::Ko);
}

#[test]
fn a_position_after_a_pass_may_not_repeat_either() {
    let game = play(&ko_rules(true, true), 2, "00 01 p 11 10 01 11 01");
    assert_eq!(game.board(), &board(". W \n . ."));
    // White was to move on the board with this stone only after Black's pass.
    let after_pass = &game.positions()[3];
    assert_eq!(after_pass.board, board("B W \n . ."));
    assert_eq!(after_pass.turn, Color::White);
    assert_refused(&game, "00", Illegal::Superko);
}

#[test]
fn a_pass_may_bring_a_position_back() {
    // Only stones count: the board after the pass occurred before.
    let mut game = play(&ko_rules(true, true), 2, "00 11 01 p 10 11 00 p");
    let now = game.position().clone();
    let times = |position: &&Position| (&position.board, position.turn) == (&now.board, now.turn);
    assert_eq!(game.positions().iter().filter(times).count(), 2);
    assert_eq!(
        make(&mut game, "p").map(|ending| ending.reason),
        Some(EndReason::Pass)
    );
}

#[test]
fn suicide_is_forbidden() {
    assert_refused(&play(&Rules::default(), 1, ""), "00", Illegal::Suicide);
    let corner = ". W .
                  W . .
                  . . .";
    assert_refused(
        &from(&Rules::default(), corner, Color::Black),
        "00",
        Illegal::Suicide,
    );
    assert_eq!(
        from(&Rules::default(), corner, Color::White).check(mv("00")),
        Ok(())
    );
}

#[test]
fn suicide_of_several_stones_is_forbidden() {
    let game = from(
        &Rules::default(),
        ". B W .
         W W . .",
        Color::Black,
    );
    assert_refused(&game, "00", Illegal::Suicide);
}

#[test]
fn a_capture_gives_the_stone_its_liberty() {
    let mut game = from(
        &Rules::default(),
        ". W B
         W B .
         B . .",
        Color::Black,
    );
    make(&mut game, "00");
    let picture = board(
        "B . B
         . B .
         B . .",
    );
    assert_eq!(game.board(), &picture);
    assert_eq!(game.prisoners(), ByColor::new(2, 0));
}

#[test]
fn a_group_that_the_stone_touches_twice_is_captured_once() {
    let mut game = from(
        &Rules::default(),
        "W W W B
         W . W B
         W W W B
         B B B .",
        Color::Black,
    );
    make(&mut game, "11");
    assert_eq!(game.prisoners(), ByColor::new(8, 0));
    let picture = board(
        ". . . B
         . B . B
         . . . B
         B B B .",
    );
    assert_eq!(game.board(), &picture);
}

#[test]
fn points_off_the_board_and_occupied_points_are_refused() {
    let mut game = Game::new(Rules::default(), Position::start(Size::new(2, 3).unwrap()));
    for word in ["20", "03", "33"] {
        assert_refused(&game, word, Illegal::OutOfBounds);
    }
    for (row, column) in [(255, 0), (0, 255), (0, 32), (25, 0), (0, 25)] {
        let place = Move::Place(Point { row, column });
        assert_eq!(game.check(place), Err(Illegal::OutOfBounds));
    }
    make(&mut game, "12");
    assert_refused(&game, "12", Illegal::Nonempty);
    assert_eq!(game.legal_points().count(), 5);
}

#[test]
fn the_refusals_are_those_of_other_servers_word_for_word() {
    let words = [
        (Illegal::OutOfBounds, "Out of Bound"),
        (Illegal::Nonempty, "Nonempty point"),
        (Illegal::Suicide, "Suicide"),
        (Illegal::Superko, "SuperKo"),
        (Illegal::Ko, "Ko"),
    ];
    for (illegal, word) in words {
        assert_eq!(illegal.to_string(), word);
    }
}

const PRISONERS: &str = "01 00 10 44 34 43 33 42 32 41 31 40 30 p p";

#[test]
fn prisoners_count_as_many_points_as_the_contest_says() {
    for (prisoner_score, area, territory) in [(0, "25", "18"), (1, "31", "24"), (2, "37", "30")] {
        for (scoring, black) in [(Scoring::Area, area), (Scoring::Territory, territory)] {
            let rules = Rules {
                prisoner_score,
                scoring,
                ..Rules::default()
            };
            let game = play(&rules, 5, PRISONERS);
            let picture = board(
                ". B . . .
                 B . . . .
                 . . . . .
                 B B B B B
                 . . . . .",
            );
            assert_eq!(game.board(), &picture);
            assert_eq!(game.prisoners(), ByColor::new(6, 0));
            assert_eq!(scores(&game), is(black, "6.5"));
            let ending = Ending {
                reason: EndReason::Pass,
                winner: Some(Color::Black),
            };
            assert_eq!(game.ending(), Some(ending));
        }
    }
}

#[test]
fn a_lone_stone_owns_the_board() {
    let game = play(&Rules::default(), 5, "22");
    assert_eq!(scores(&game), is("25", "6.5"));
}

#[test]
fn the_empty_board_is_nobodys() {
    let rules = Rules {
        komi: Score::ZERO,
        ..Rules::default()
    };
    let game = play(&rules, 5, "p p");
    let ending = Ending {
        reason: EndReason::Pass,
        winner: None,
    };
    assert_eq!(game.ending(), Some(ending));
    assert_eq!(scores(&game), is("0", "0"));
    assert_eq!(scores(&play(&Rules::default(), 5, "p p")), is("0", "6.5"));
}

#[test]
fn a_shared_liberty_is_neutral_and_nothing_is_taken_for_dead() {
    let game = from(
        &Rules::default(),
        ". W B . .
         W W B . .
         B B B . .
         . . . B .
         . . . . W",
        Color::Black,
    );
    let owners = "
        W W B . .
        W W B . .
        B B B . .
        . . . B .
        . . . . W";
    assert_eq!(scores(&game), is("6", "11.5"));
    let owner = |point| game.ownership().owner(point).map_or('.', Color::capital);
    let found: String = game.board().size().points().map(owner).collect();
    assert_eq!(found, owners.replace(char::is_whitespace, ""));
}

#[test]
fn mercy_ends_a_game_when_the_scores_are_far_apart() {
    let mercy = |winner| {
        Some(Ending {
            reason: EndReason::Mercy,
            winner,
        })
    };
    // After Black's stone all of the board is Black's: 25 points of difference.
    let game = play(&mercy_rules("25", 0, "0"), 5, "22");
    assert_eq!(game.ending(), mercy(Some(Color::Black)));
    assert_eq!(play(&mercy_rules("25.01", 0, "0"), 5, "22").ending(), None);
    assert_eq!(play(&mercy_rules("0", 0, "0"), 5, "22").ending(), None);
    // Komi counts, for either side.
    assert_eq!(play(&mercy_rules("18.6", 0, "6.5"), 5, "22").ending(), None);
    let game = play(&mercy_rules("18.5", 0, "6.5"), 5, "22");
    assert_eq!(game.ending(), mercy(Some(Color::Black)));
    let game = play(&mercy_rules("40", 0, "65"), 5, "22");
    assert_eq!(game.ending(), mercy(Some(Color::White)));
    assert_refused(&game, "p", Illegal::Over);
}

#[test]
fn mercy_waits_for_enough_moves_and_passes_are_moves() {
    let rules = mercy_rules("25", 2, "0");
    let mut game = play(&rules, 5, "22");
    assert_eq!(game.ending(), None);
    assert_eq!(
        make(&mut game, "p").map(|ending| ending.reason),
        Some(EndReason::Mercy)
    );
    // It looks at every move from then on, not only at that one.
    let mut game = play(&rules, 5, "22 00 p");
    assert_eq!(game.ending(), None);
    assert_eq!(scores(&game), is("1", "1"));
    assert_eq!(make(&mut game, "44 p").map(|ending| ending.reason), None);
}

#[test]
fn two_passes_take_precedence_over_mercy() {
    let game = play(&mercy_rules("25", 3, "0"), 5, "22 p p");
    let ending = Ending {
        reason: EndReason::Pass,
        winner: Some(Color::Black),
    };
    assert_eq!(game.ending(), Some(ending));
}

#[test]
fn the_passes_must_be_in_a_row_and_of_the_game() {
    assert_eq!(play(&Rules::default(), 5, "p 22 p 33 p 44").ending(), None);
    let before = play(&Rules::default(), 5, "22 p");
    let mut game = Game::new(Rules::default(), before.position().clone());
    assert_eq!(make(&mut game, "p"), None);
    assert_eq!(
        make(&mut game, "p").map(|ending| ending.reason),
        Some(EndReason::Pass)
    );
}

#[test]
fn resigning_loses_whatever_the_scores_are() {
    let mut game = play(&Rules::default(), 5, "22 p");
    let ending = Ending {
        reason: EndReason::Resign,
        winner: Some(Color::White),
    };
    assert_eq!(make(&mut game, "resign"), Some(ending));
    assert_eq!(scores(&game), is("25", "6.5"));
    assert_eq!(game.turn(), Color::Black);
    for word in ["00", "99", "p", "resign"] {
        assert_refused(&game, word, Illegal::Over);
    }
}

#[test]
fn a_pass_may_cost_a_prisoner() {
    let rules = Rules {
        pass_adds_to_prisoners: true,
        ..Rules::default()
    };
    let game = play(&rules, 5, "22 p 33 p p");
    assert_eq!(game.prisoners(), ByColor::new(2, 1));
    assert_eq!(scores(&game), is("27", "7.5"));
    // A resignation is not a pass.
    assert_eq!(play(&rules, 5, "resign").prisoners(), ByColor::new(0, 0));
    assert_eq!(
        play(&Rules::default(), 5, "22 p 33 p").prisoners(),
        ByColor::new(0, 0)
    );
}

#[test]
fn a_game_lists_every_position_that_it_was_in() {
    let game = play(&Rules::default(), 2, "00 01 11 resign");
    let boards = ["..\n..", "B.\n..", "BW\n..", "B.\n.B", "B.\n.B"];
    let turns = [
        Color::Black,
        Color::White,
        Color::Black,
        Color::White,
        Color::White,
    ];
    assert_eq!(game.positions().len(), game.moves().len() + 1);
    for ((position, picture), turn) in game.positions().iter().zip(boards).zip(turns) {
        assert_eq!(position.board, board(picture));
        assert_eq!(position.turn, turn);
    }
    assert_eq!(game.positions()[2].prisoners, ByColor::new(0, 0));
    assert_eq!(game.positions()[3].prisoners, ByColor::new(1, 0));
}

#[test]
fn the_competition_is_played_as_the_paper_says() {
    let rules = Rules::default();
    assert!(rules.ko && rules.superko && !rules.pass_adds_to_prisoners);
    assert_eq!(rules.komi, score("6.5"));
    assert_eq!(
        (rules.mercy.margin(), rules.mercy.start()),
        (score("50"), 100)
    );
    assert_eq!((rules.scoring, rules.prisoner_score), (Scoring::Area, 1));
}

#[test]
fn by_area_stones_and_territory_count_and_prisoners_do_not() {
    let rules = Rules::area(Komi::from_halves(15));
    let game = play(&rules, 5, PRISONERS);
    assert_eq!(game.prisoners(), ByColor::new(6, 0));
    assert_eq!(scores(&game), is("25", "7.5"));
    assert!(rules.ko && rules.superko && !rules.pass_adds_to_prisoners);
    // However large a lead is, the game goes on.
    assert_eq!(rules.mercy, Mercy::OFF);
    let alone = play(&rules, 9, "44 p");
    assert_eq!(scores(&alone), is("81", "7.5"));
    assert_eq!(alone.ending(), None);
}
