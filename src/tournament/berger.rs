//! Round robins by Berger's tables (FIDE, C.05, annex 1).

use super::round::Id;
use super::state::Tournament;
use super::swiss::Paired;

/// How many rounds so many players need.
pub(super) const fn rounds(players: usize) -> usize {
    if players < 2 {
        return 0;
    }
    players - 1 + players % 2
}

/// The next round. With an odd number of players whoever would meet the last one
/// has none to meet. Pairs that may not meet are left out.
pub(super) fn round(tournament: &Tournament) -> Paired {
    let mut by_number: Vec<Id> = tournament.ids().collect();
    by_number.sort_by_key(|id| tournament.entrant(*id).number);
    let player = |place: usize| by_number.get(place).copied();
    let mut paired = Paired::default();
    for (first, second) in table(by_number.len(), tournament.rounds_paired()) {
        match (player(first), player(second)) {
            (Some(one), Some(other)) if tournament.are_apart(one, other) => {}
            (Some(black), Some(white)) => paired.pairings.push([black, white]),
            (one, other) => paired.bye = one.or(other),
        }
    }
    paired
}

/// A round of the table for so many players, who count from 0, as does the round.
/// The first of each pair has the first move. With an odd number there is one
/// player too many.
fn table(players: usize, round: usize) -> impl Iterator<Item = (usize, usize)> {
    let circle = rounds(players).max(1);
    let half = circle.div_ceil(2);
    // The last player sits still, all others move on by half of the circle.
    let turn = round * half % circle;
    let last = if round.is_multiple_of(2) {
        (turn, circle)
    } else {
        (circle, turn)
    };
    let others = (1..half).map(move |step| {
        let first = (turn + step) % circle;
        let second = (turn + circle - step) % circle;
        (first, second)
    });
    std::iter::once(last).chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_for_six_players_is_the_published_one() {
        let written = |round| {
            let pairs = table(6, round).map(|(one, other)| format!("{}-{}", one + 1, other + 1));
            pairs.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(written(0), "1-6 2-5 3-4");
        assert_eq!(written(1), "6-4 5-3 1-2");
        assert_eq!(written(2), "2-6 3-1 4-5");
        assert_eq!(written(3), "6-5 1-4 2-3");
        assert_eq!(written(4), "3-6 4-2 5-1");
    }
}
