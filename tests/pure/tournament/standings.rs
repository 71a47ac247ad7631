//! Standings that were worked out by hand.

use gothello::tournament::{Event, GameResult, Pairing, ScheduledGame, Standing, Tournament};

use crate::tournament::play::{name, swiss};

/// A Swiss tournament with single games in which these games were played, round by
/// round: `Ann-Bob 1` if Ann won, who had Black, `0` if she lost, `=` for a draw, `+`
/// if Bob was absent. `Cyd bye` is a bye, `-Dee` says that Dee leaves.
fn played(players: &[&str], rounds: &[&str]) -> Vec<Standing> {
    use gothello::Color::{Black, White};
    let players: Vec<_> = players.iter().map(|player| name(player)).collect();
    let settings = swiss(rounds.len() as u32, 0);
    let mut tournament = Tournament::new(settings, &players).unwrap();
    for (round, games) in (1..).zip(rounds) {
        let (mut pairings, mut results, mut bye, mut gone) = (vec![], vec![], None, vec![]);
        for game in games.split(", ") {
            match game.split_once(' ') {
                None => gone.push(name(game.strip_prefix('-').unwrap())),
                Some((player, "bye")) => bye = Some(name(player)),
                Some((pair, result)) => {
                    let (black, white) = pair.split_once('-').unwrap();
                    let (black, white) = (name(black), name(white));
                    pairings.push(Pairing { black, white });
                    results.push(match result {
                        "1" => GameResult::played(Some(Black), "pass"),
                        "0" => GameResult::played(Some(White), "pass"),
                        "=" => GameResult::played(None, "pass"),
                        _ => GameResult::forfeit(Some(Black), "absent"),
                    });
                }
            }
        }
        let paired = Event::Paired {
            round,
            pairings,
            bye,
        };
        tournament.apply(&paired).unwrap();
        let due: Vec<ScheduledGame> = tournament.pending_games();
        for (scheduled, result) in due.into_iter().zip(results) {
            tournament
                .apply(&Event::Game { scheduled, result })
                .unwrap();
        }
        for player in gone {
            let reason = "".into();
            tournament
                .apply(&Event::Withdrawal { player, reason })
                .unwrap();
        }
    }
    tournament.standings()
}

/// Rank, name, points, Buchholz, Sonneborn-Berger and direct encounter.
fn lines(standings: &[Standing]) -> String {
    let line = |row: &Standing| {
        let ties = row.tie_breaks;
        let direct = ties
            .direct
            .map_or("-".to_owned(), |points| points.to_string());
        let rank = row.rank.unwrap();
        let (points, buchholz) = (row.points, ties.buchholz.unwrap());
        let berger = ties.sonneborn_berger;
        format!(
            "{rank} {} {points} {buchholz} {berger} {direct}\n",
            row.player
        )
    };
    standings.iter().map(line).collect()
}

/// Ann, Bob and Cyd have two points each. Ann's opponents Bob, Cyd and Dee have
/// 2 + 2 + 0 points; Bob's and Cyd's have as many. Ann lost to Bob, Bob to Cyd and Cyd
/// to Ann, and each won against Dee: they are tied in everything.
#[test]
fn players_tied_in_everything_share_a_rank() {
    let standings = played(
        &["Ann", "Bob", "Cyd", "Dee"],
        &[
            "Bob-Ann 1, Cyd-Dee 1",
            "Cyd-Bob 1, Ann-Dee 1",
            "Ann-Cyd 1, Bob-Dee 1",
        ],
    );
    let ranks: Vec<_> = standings.iter().map(|row| row.rank.unwrap()).collect();
    assert_eq!(ranks, [1, 1, 1, 4]);
    assert!(lines(&standings).ends_with("4 Dee 0 6 0 -\n"));
    for row in &standings[..3] {
        let ties = row.tie_breaks;
        assert_eq!(row.points.to_string(), "2");
        assert_eq!(ties.buchholz.unwrap().to_string(), "4");
        assert_eq!(ties.sonneborn_berger.to_string(), "2");
        assert_eq!(ties.direct.unwrap().to_string(), "1");
    }
}

/// After two rounds Ann has 2 points, Bob and Cyd have 1, Dee has 0.
///
/// - Ann met Bob (1) and Cyd (1): Buchholz 2. She beat both: 2.
/// - Bob met Ann (2) and Dee (0): Buchholz 2. He won against Dee: 0.
/// - Cyd met Dee (0) and Ann (2): Buchholz 2. She won against Dee: 0. She has not met
///   Bob: they share a rank.
#[test]
fn stronger_opponents_break_a_tie() {
    let standings = played(
        &["Ann", "Bob", "Cyd", "Dee"],
        &["Ann-Bob 1, Cyd-Dee 1", "Cyd-Ann 0, Dee-Bob 0"],
    );
    let text = lines(&standings);
    assert!(text.starts_with("1 Ann 2 2 2 -\n2 "), "{text}");
    assert!(text.contains("2 Bob 1 2 0 -\n"), "{text}");
    assert!(text.contains("2 Cyd 1 2 0 -\n"), "{text}");
    assert!(text.ends_with("4 Dee 0 2 0 -\n"), "{text}");
}

/// A game that Bob forfeits because he does not come stays lost in Ann's Buchholz, 0 and Cyd's 1, also
/// in the last round. One that he misses after announcing it is a draw there: see
/// `tests/pure/tournament/attendance.rs`. For himself, and for Dee, it is one against an opponent with
/// the own points.
#[test]
fn a_player_who_does_not_come_has_lost_in_the_tie_breaks_of_others() {
    let standings = played(
        &["Ann", "Bob", "Cyd", "Dee"],
        &["Ann-Bob 1, Cyd-Dee 1", "Ann-Cyd 1, Dee-Bob +"],
    );
    assert_eq!(
        lines(&standings),
        "1 Ann 2 1 1 -\n2 Cyd 1 3 1 -\n3 Dee 1 2 1 -\n4 Bob 0 2 0 -\n"
    );
}

/// A bye counts as a win against an opponent with the player's own points; so does a game against
/// an absent opponent. A player who has left counts for opponents as if they had drawn the rest.
///
/// - Ann won against Bob, and against Dee who was absent: 2 points. Buchholz: Bob's 1
///   and her own 2. Sonneborn-Berger: the same.
/// - Bob lost to Ann and had a bye: 1 point. Buchholz: Ann's 2 and their own 1.
///   Sonneborn-Berger: their own 1.
/// - Dee won against Eve and was absent; Eve won against Cyd, who had a bye. They have
///   1 point each, Buchholz 2 and Sonneborn-Berger 1. Dee and Cyd have not met, so that
///   wins decide: Cyd's point is that of the bye.
#[test]
fn unplayed_rounds_count_as_games_against_oneself() {
    let standings = played(
        &["Ann", "Bob", "Cyd", "Dee", "Eve"],
        &[
            "Ann-Bob 1, Dee-Eve 1, Cyd bye",
            "Ann-Dee +, Cyd-Eve 0, Bob bye",
        ],
    );
    insta::assert_snapshot!(lines(&standings), @"
    1 Ann 2 3 3 -
    2 Bob 1 3 1 -
    3 Dee 1 2 1 -
    3 Eve 1 2 1 -
    5 Cyd 1 2 1 -
    ");
}

/// Ann met Bob, who then left. He has 0 points, and for her half a point more for the
/// round after: with half of Cyd's 1.5, Sonneborn-Berger is 0.5 + 0.75. Cyd met Dee, who
/// has 1 point: 1 + 0.75.
#[test]
fn a_player_who_left_counts_as_having_tied_the_rest() {
    let standings = played(
        &["Ann", "Bob", "Cyd", "Dee"],
        &["Ann-Bob 1, Cyd-Dee 1, -Bob", "Ann-Cyd =, Dee bye"],
    );
    insta::assert_snapshot!(lines(&standings), @"
    1 Cyd 1.5 2.5 1.75 -
    2 Ann 1.5 2 1.25 -
    3 Dee 1 2.5 1 -
    4 Bob 0 1.5 0 -
    ");
}

#[test]
fn names_from_right_to_left_keep_their_column() {
    let players = ["Ann", "فريق القاهرة"].map(name);
    let tournament = Tournament::new(swiss(1, 0), &players).unwrap();
    let table = tournament.standings_table();
    let lines: Vec<&str> = table.lines().skip(1).collect();
    let cairo = lines.iter().find(|line| line.contains('ق')).unwrap();
    assert!(cairo.contains("\u{2068}فريق القاهرة\u{2069}  "), "{table}");
    // The visible text is as wide as in the other line.
    let seen = cairo.replace(['\u{2068}', '\u{2069}'], "");
    let ann = lines.iter().find(|line| line.contains("Ann")).unwrap();
    assert_eq!(seen.chars().count(), ann.chars().count(), "{table}");
}
