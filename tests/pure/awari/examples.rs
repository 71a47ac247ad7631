//! Examples of the rules, one move each.

use gothello::awari::{
    AwariOutcome, EndReason, Game, GrandSlam, IllegalMove, Next, Pit, Position, Repetition, Scores,
    Status, Variant,
};

fn pit(letter: &str) -> Pit {
    letter.parse().unwrap()
}

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

/// Returns the position after a move, or the outcome, as text.
fn after(text: &str, letter: &str, variant: Variant) -> Result<String, IllegalMove> {
    let next = position(text).sow(pit(letter), variant)?;
    Ok(match next {
        Next::Continues(position) => position.to_string(),
        Next::Ends(AwariOutcome { scores, ending, .. }) => {
            format!("{ending}: South {}, North {}", scores.south, scores.north)
        }
    })
}

/// Does the same in the default variant.
fn usual(text: &str, letter: &str) -> String {
    after(text, letter, Variant::default()).unwrap()
}

fn slam(grand_slam: GrandSlam) -> Variant {
    Variant {
        grand_slam,
        ..Variant::default()
    }
}

#[test]
fn the_pit_itself_is_skipped_on_every_lap() {
    // 12 stones: one for each other pit, and a second one for the first of them.
    assert_eq!(
        usual("0,0,0,0,0,9/12,0,0,0,0,8 10 9 s", "A"),
        "1,1,1,1,1,10/0,2,1,1,1,9 10 9 n"
    );
}

#[test]
fn two_or_three_are_captured_and_the_pits_before_them_too() {
    // F sows a to c, which then hold 2, 3 and 2.
    assert_eq!(
        usual("1,2,1,0,5,9/4,4,4,4,4,3 4 3 s", "F"),
        "0,0,0,0,5,9/4,4,4,4,4,0 4 10 n"
    );
    // With 4 in b the chain ends at c.
    assert_eq!(
        usual("1,3,1,0,5,9/4,4,4,4,4,3 4 2 s", "F"),
        "2,4,0,0,5,9/4,4,4,4,4,0 4 4 n"
    );
    // The last pit holds 4: nothing is captured.
    assert_eq!(
        usual("1,2,3,0,5,9/4,4,4,4,4,3 4 1 s", "F"),
        "2,3,4,0,5,9/4,4,4,4,4,0 4 1 n"
    );
}

#[test]
fn own_stones_are_not_captured() {
    // E sows F and a: a then holds 2, and so does F, which is South's own.
    assert_eq!(
        usual("1,2,1,0,5,9/4,4,4,4,2,1 6 5 s", "E"),
        "0,2,1,0,5,9/4,4,4,4,0,2 6 7 n"
    );
}

#[test]
fn a_player_who_can_must_give_the_opponent_a_stone() {
    let text = "0,0,0,0,0,0/1,0,0,0,0,2 22 23 s";
    assert_eq!(
        after(text, "A", Variant::default()),
        Err(IllegalMove::Starves(pit("A")))
    );
    assert_eq!(usual(text, "F"), "1,1,0,0,0,0/1,0,0,0,0,0 22 23 n");
    // If no move does, every move is legal, and the opponent has no stones.
    assert_eq!(
        usual("0,0,0,0,0,0/1,0,1,0,0,0 22 24 s", "A"),
        "no move: South 26, North 22"
    );
}

#[test]
fn with_25_stones_the_game_is_over_and_the_rest_stays() {
    assert_eq!(
        usual("1,0,0,0,0,9/4,4,0,0,0,1 6 23 s", "F"),
        "25 stones: South 25, North 6"
    );
}

#[test]
fn a_grand_slam_has_five_variants() {
    // F sows a and b, which then hold 2 and 3: all of North's stones.
    let text = "1,2,0,0,0,0/1,0,0,1,0,2 22 19 s";
    let ways = GrandSlam::ALL.map(|grand_slam| {
        after(text, "F", slam(grand_slam)).unwrap_or_else(|error| error.to_string())
    });
    assert_eq!(
        ways,
        [
            "F captures all of the opponent's stones, which is not allowed",
            "2,3,0,0,0,0/1,0,0,1,0,0 22 19 n",
            "2,0,0,0,0,0/1,0,0,1,0,0 22 22 n",
            "2,0,0,0,0,0/1,0,0,1,0,0 22 22 n",
            "grand slam: South 24, North 24",
        ]
    );
    // If there is no other move, the grand slam is legal in every variant.
    let only = "1,2,0,0,0,0/0,0,0,0,0,2 24 19 s";
    let ways = GrandSlam::ALL.map(|grand_slam| {
        after(only, "F", slam(grand_slam)).unwrap_or_else(|error| error.to_string())
    });
    assert_eq!(
        ways,
        [
            "no move: South 24, North 24",
            "2,3,0,0,0,0/0,0,0,0,0,0 24 19 n",
            "2,0,0,0,0,0/0,0,0,0,0,0 24 22 n",
            "2,0,0,0,0,0/0,0,0,0,0,0 24 22 n",
            "grand slam: South 24, North 24",
        ]
    );
}

#[test]
fn a_grand_slam_of_three_pits_captures_two_or_one() {
    // F sows a to c: 2, 2 and 3. The first that is captured is c.
    let text = "1,1,2,0,0,0/1,0,0,0,0,3 22 18 s";
    let way = |grand_slam| after(text, "F", slam(grand_slam)).unwrap();
    assert_eq!(
        way(GrandSlam::SparesLast),
        "2,0,0,0,0,0/1,0,0,0,0,0 22 23 n"
    );
    assert_eq!(way(GrandSlam::FirstOnly), "2,2,0,0,0,0/1,0,0,0,0,0 22 21 n");
}

#[test]
fn a_repeated_position_ends_the_game() {
    let board = *position("1,0,0,0,0,0/1,0,0,0,0,0 23 23 s").pits();
    for (repetition, scores, pits) in [
        (
            Repetition::Claim,
            Scores {
                south: 24,
                north: 24,
            },
            [0; 12],
        ),
        (
            Repetition::Discard,
            Scores {
                south: 23,
                north: 23,
            },
            board,
        ),
    ] {
        let variant = Variant {
            repetition,
            ..Variant::default()
        };
        let mut game = Game::new(position("1,0,0,0,0,0/1,0,0,0,0,0 23 23 s"), variant);
        let status = loop {
            let mover = game.to_move();
            let only = game.legal_moves().next().unwrap();
            game.play(mover, only).unwrap();
            if game.is_over() {
                break game.status();
            }
        };
        let ending = EndReason::Repetition;
        let outcome = AwariOutcome {
            scores,
            pits,
            ending,
        };
        assert_eq!(status, Status::Over(outcome));
    }
}
