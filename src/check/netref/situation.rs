//! What a client that plays Gothello must notice in a position.

use super::NetrefStep;
use crate::color::{ByColor, Color};
use crate::game::Outcome;
use crate::gothello::{IllegalMove, Move, Next, Placements, Point, PointSet, Position, Stones};

/// A game with a client, and the boards that a client has which forgets captures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    client: Color,
    position: Position,
    plies: u32,
    ending: Option<Ending>,
    /// The board without the captures of the client.
    without_own: ByColor<PointSet>,
    /// The board without the captures of the opponent.
    without_opponent: ByColor<PointSet>,
    /// Whether the last move has captured.
    has_captured: bool,
}

/// How a game has ended.
#[derive(Clone, Copy, Debug)]
struct Ending {
    outcome: Outcome,
    last: Color,
}

impl Situation {
    /// Returns the start of a game in which the client has this color.
    pub fn new(client: Color) -> Situation {
        Situation {
            client,
            position: Position::START,
            plies: 0,
            ending: None,
            without_own: ByColor::from_fn(|_| PointSet::EMPTY),
            without_opponent: ByColor::from_fn(|_| PointSet::EMPTY),
            has_captured: false,
        }
    }

    /// Returns the position; after the end of the game, the last one.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns whether the game is over.
    pub fn is_over(&self) -> bool {
        self.ending.is_some()
    }

    /// Returns the number of the next move. Both players' moves share numbers: 1, 1, 2, 2.
    pub fn number(&self) -> u64 {
        u64::from(self.plies / 2) + 1
    }

    /// Plays a move of the player to move.
    ///
    /// # Errors
    /// It is illegal.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let color = self.position.to_move();
        let before = self.position.stones_of(color.opponent());
        match self.position.play(mv)? {
            Next::Ends(outcome) => {
                let last = color;
                self.ending = Some(Ending { outcome, last });
            }
            Next::Continues(next) => {
                self.has_captured =
                    before.without(next.stones_of(color.opponent())) != PointSet::EMPTY;
                self.position = next;
            }
        }
        if let Move::Place(point) = mv {
            let is_own = color == self.client;
            place(&mut self.without_own, color, point, !is_own);
            place(&mut self.without_opponent, color, point, is_own);
        }
        self.plies += 1;
        Ok(())
    }

    /// Returns the points where the client could want to place a stone, although it must not, if
    /// it does not know what the step is about.
    fn tempting(&self, step: NetrefStep) -> PointSet {
        let placements = self.position.placements();
        let empty = self.position.empty();
        let illegal = || empty.without(placements.legal());
        let among_illegal = |is_tempting: &dyn Fn(Point) -> bool| {
            let points = illegal().iter().filter(|&point| is_tempting(point));
            points.fold(PointSet::EMPTY, |points, point| {
                points | PointSet::from(point)
            })
        };
        match step {
            NetrefStep::Occupied => !empty,
            NetrefStep::Suicide | NetrefStep::OwnEye | NetrefStep::OpponentEye => {
                among_illegal(&|point| blocked_step(&placements, point) == step)
            }
            NetrefStep::OwnCaptures => self.legal_on(&self.without_own) & illegal(),
            NetrefStep::OpponentCaptures => self.legal_on(&self.without_opponent) & illegal(),
            _ => PointSet::EMPTY,
        }
    }

    /// Returns the points where the client could place a stone if the board were this one.
    fn legal_on(&self, board: &ByColor<PointSet>) -> PointSet {
        let stones = Stones {
            mover: board[self.client],
            opponent: board[self.client.opponent()],
        };
        Placements::new(stones, self.position.empty()).legal()
    }

    /// Returns how likely a client that does not know what the step is about is to show it in
    /// this position, from 0 to 1: 0 if the situation has not come up.
    pub fn exposure(&self, step: NetrefStep) -> f64 {
        if let Some(ending) = self.ending {
            return f64::from(u8::from(self.end_step(ending) == step));
        }
        if self.position.to_move() != self.client {
            return 0.0;
        }
        let placements = self.position.placements();
        let legal = placements.legal();
        let can_move = !legal.is_empty();
        let opponent_can_move = || !placements.swapped().legal().is_empty();
        let is_there = match step {
            NetrefStep::ForcedPass => {
                !can_move && !self.position.empty().is_empty() && opponent_can_move()
            }
            NetrefStep::LastPass => !can_move && !opponent_can_move(),
            NetrefStep::OpponentPass => self.position.after_pass() && can_move,
            NetrefStep::LongGame => self.number() >= 10,
            _ => {
                let tempting = f64::from(self.tempting(step).len());
                return match tempting > 0.0 {
                    true => tempting / (tempting + f64::from(legal.len())),
                    false => 0.0,
                };
            }
        };
        f64::from(u8::from(is_there))
    }

    /// Returns the step about the end of the game; `None` if it goes on.
    pub fn ending(&self) -> Option<NetrefStep> {
        self.ending.map(|ending| self.end_step(ending))
    }

    fn end_step(&self, Ending { outcome, last }: Ending) -> NetrefStep {
        match (
            outcome.winner().map(|winner| winner == self.client),
            last == self.client,
        ) {
            (Some(true), true) => NetrefStep::WinByOwnPass,
            (Some(true), false) => NetrefStep::WinByOpponentPass,
            (Some(false), true) => NetrefStep::LossByOwnPass,
            (Some(false), false) => NetrefStep::LossByOpponentPass,
            (None, true) => NetrefStep::DrawByOwnPass,
            (None, false) => NetrefStep::DrawByOpponentPass,
        }
    }

    /// Returns the steps that an illegal move of the client fails: what the client seems not to
    /// know.
    pub fn faults(&self, point: Point) -> Vec<NetrefStep> {
        if !self.position.empty().contains(point) {
            return vec![NetrefStep::Occupied];
        }
        let placements = self.position.placements();
        let steps = [NetrefStep::OwnCaptures, NetrefStep::OpponentCaptures];
        let forgotten = |&step: &NetrefStep| self.tempting(step).contains(point);
        let forgotten = steps.into_iter().find(forgotten);
        let mut faults = vec![forgotten.unwrap_or(blocked_step(&placements, point))];
        if placements.legal().is_empty() {
            faults.push(match placements.swapped().legal().is_empty() {
                true => NetrefStep::LastPass,
                false => NetrefStep::ForcedPass,
            });
        }
        faults
    }

    /// Returns the step about what is special in the position, which a client that does not
    /// answer there fails.
    pub fn special(&self) -> NetrefStep {
        let steps = [
            NetrefStep::LastPass,
            NetrefStep::ForcedPass,
            NetrefStep::OpponentPass,
        ];
        let special = steps.into_iter().find(|&step| self.exposure(step) > 0.0);
        special.unwrap_or(match (self.has_captured, self.number() >= 10) {
            (true, _) => NetrefStep::OpponentCaptures,
            (false, true) => NetrefStep::LongGame,
            (false, false) => NetrefStep::Turn,
        })
    }
}

/// Places a stone on a board that need not be legal, with its captures or without.
fn place(board: &mut ByColor<PointSet>, color: Color, point: Point, captures: bool) {
    let opponent = color.opponent();
    let stones = Stones {
        mover: board[color],
        opponent: board[opponent],
    };
    let empty = !(stones.mover | stones.opponent);
    let captured = match captures {
        true => Placements::new(stones, empty).captures(point),
        false => None,
    };
    let captured = captured.unwrap_or_default();
    board[color] = board[color] | PointSet::from(point) | captured;
    board[opponent] = board[opponent].without(captured);
}

/// Returns the step about an empty point where a stone would have no liberty.
fn blocked_step(placements: &Placements, point: Point) -> NetrefStep {
    let beside = PointSet::from(point).neighbors();
    if beside.meets(placements.in_atari().opponent) {
        NetrefStep::OpponentEye
    } else if beside.meets(placements.stones().mover) {
        NetrefStep::OwnEye
    } else {
        NetrefStep::Suicide
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The situation in which the client is to move on this board.
    fn situation(text: &str) -> Situation {
        let position: Position = text.parse().unwrap();
        let board = ByColor::from_fn(|color| position.stones_of(color));
        Situation {
            position,
            without_own: board,
            without_opponent: board,
            ..Situation::new(position.to_move())
        }
    }

    fn faults(text: &str, point: &str) -> Vec<NetrefStep> {
        situation(text).faults(point.parse().unwrap())
    }

    #[test]
    fn an_illegal_move_tells_what_the_client_does_not_know() {
        use NetrefStep::{ForcedPass, LastPass, Occupied, OpponentEye, OwnEye, Suicide};
        // a1 is the eye of Black, e1 and e5 are those of White, who can fill one of them.
        let board = "bbww./bbwww/bbwww/bbwww/.bww.";
        assert_eq!(faults(&format!("{board} b"), "a1"), [OwnEye, ForcedPass]);
        assert_eq!(faults(&format!("{board} w"), "a1"), [OpponentEye]);
        assert_eq!(faults(&format!("{board} w"), "a2"), [Occupied]);
        // White's stones have other liberties, and a stone at a1 has none.
        let corner = "...../...../...../w..../.w... b";
        assert_eq!(faults(corner, "a1"), [Suicide]);
        // Both eyes are all that is left, and neither may be filled.
        let full = "bbwww/bbwww/bbwww/bbwww/.bww. b";
        assert_eq!(faults(full, "e1"), [OpponentEye, LastPass]);
    }

    #[test]
    fn a_client_that_forgets_a_capture_would_play_where_it_must_not() {
        let mut game = Situation::new(Color::White);
        // Black captures a1, so that b1 has a liberty for White no more.
        for mv in ["b1", "a1", "a2"] {
            game.play(mv.parse().unwrap()).unwrap();
        }
        let a1: Point = "a1".parse().unwrap();
        assert_eq!(game.position().stone_at(a1), Some(Color::Black));
        assert!(game.without_opponent[Color::White].contains(a1));
        assert!(game.without_own[Color::Black].contains(a1));
    }
}
