//! What a program that plays Gothello must notice in a position.

use crate::color::{ByColor, Color};
use crate::game::Outcome;
use crate::gothello::{IllegalMove, Move, Next, Placements, Point, PointSet, Position, Stones};

/// What a situation of a game is about: what the program must know in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// A stone may not be placed on another.
    Occupied,
    /// A stone must have a liberty.
    Suicide,
    /// The only eye of a group of the same color must not be filled.
    OwnEye,
    /// The only eye of a group of the other color must not be filled.
    OpponentEye,
    /// What is captured from the program changes its color.
    OpponentCaptures,
    /// Only a pass is legal.
    ForcedPass,
    /// Neither player can place a stone.
    LastPass,
    /// The opponent has passed, and the game goes on.
    OpponentPass,
    /// The number of the move has two digits.
    LongGame,
    /// The pass of the program has ended the game, and it has won.
    WinByOwnPass,
    /// The pass of the opponent has ended the game, and the program has won.
    WinByOpponentPass,
    /// The pass of the program has ended the game, and it has lost.
    LossByOwnPass,
    /// The pass of the opponent has ended the game, and the program has lost.
    LossByOpponentPass,
    /// The pass of the program has ended the game with a draw.
    DrawByOwnPass,
    /// The pass of the opponent has ended the game with a draw.
    DrawByOpponentPass,
}

impl Topic {
    /// Those that come up in a game, or do not.
    pub const SITUATIONS: [Topic; 9] = [
        Topic::Occupied,
        Topic::Suicide,
        Topic::OwnEye,
        Topic::OpponentEye,
        Topic::OpponentCaptures,
        Topic::ForcedPass,
        Topic::LastPass,
        Topic::OpponentPass,
        Topic::LongGame,
    ];
}

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
    /// it does not know what `topic` says.
    pub fn tempting(&self, topic: Topic) -> PointSet {
        let placements = self.position.placements();
        let empty = self.position.empty();
        let illegal = || empty.without(placements.legal());
        let among_illegal = |is_tempting: &dyn Fn(Point) -> bool| {
            let points = illegal().iter().filter(|&point| is_tempting(point));
            points.fold(PointSet::EMPTY, |points, point| {
                points | PointSet::from(point)
            })
        };
        match topic {
            Topic::Occupied => !empty,
            Topic::Suicide | Topic::OwnEye | Topic::OpponentEye => {
                among_illegal(&|point| blocked_topic(&placements, point) == topic)
            }
            Topic::OpponentCaptures => self.legal_on(&self.without_opponent) & illegal(),
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

    /// Returns whether a client that forgets captures would not place a stone at a point, although
    /// that is legal.
    pub fn is_legal_by_captures(&self, point: Point) -> bool {
        let boards = [&self.without_own, &self.without_opponent];
        let mut legal = boards.into_iter().map(|board| self.legal_on(board));
        legal.any(|legal| !legal.contains(point))
    }

    /// Returns how likely a client that does not know what `topic` says is to show it in
    /// this position, from 0 to 1: 0 if the situation has not come up.
    pub fn exposure(&self, topic: Topic) -> f64 {
        if let Some(ending) = self.ending {
            return f64::from(u8::from(self.end_topic(ending) == topic));
        }
        if self.position.to_move() != self.client {
            return 0.0;
        }
        let placements = self.position.placements();
        let legal = placements.legal();
        let can_move = !legal.is_empty();
        let opponent_can_move = || !placements.swapped().legal().is_empty();
        let is_there = match topic {
            Topic::ForcedPass => {
                !can_move && !self.position.empty().is_empty() && opponent_can_move()
            }
            Topic::LastPass => !can_move && !opponent_can_move(),
            Topic::OpponentPass => self.position.after_pass() && can_move,
            Topic::LongGame => self.number() >= 10,
            _ => {
                let tempting = f64::from(self.tempting(topic).len());
                return match tempting > 0.0 {
                    true => tempting / (tempting + f64::from(legal.len())),
                    false => 0.0,
                };
            }
        };
        f64::from(u8::from(is_there))
    }

    /// Returns how the game has ended; `None` if it goes on.
    pub fn ending(&self) -> Option<Topic> {
        self.ending.map(|ending| self.end_topic(ending))
    }

    fn end_topic(&self, Ending { outcome, last }: Ending) -> Topic {
        match (
            outcome.winner().map(|winner| winner == self.client),
            last == self.client,
        ) {
            (Some(true), true) => Topic::WinByOwnPass,
            (Some(true), false) => Topic::WinByOpponentPass,
            (Some(false), true) => Topic::LossByOwnPass,
            (Some(false), false) => Topic::LossByOpponentPass,
            (None, true) => Topic::DrawByOwnPass,
            (None, false) => Topic::DrawByOpponentPass,
        }
    }

    /// Returns what the client seems not to know that makes an illegal move.
    pub fn faults(&self, point: Point) -> Vec<Topic> {
        if !self.position.empty().contains(point) {
            return vec![Topic::Occupied];
        }
        let placements = self.position.placements();
        // A client that forgets its own captures takes no illegal move for legal: it sees
        // fewer stones of its own, and so fewer liberties.
        let mut faults = vec![
            match self.tempting(Topic::OpponentCaptures).contains(point) {
                true => Topic::OpponentCaptures,
                false => blocked_topic(&placements, point),
            },
        ];
        if placements.legal().is_empty() {
            faults.push(match placements.swapped().legal().is_empty() {
                true => Topic::LastPass,
                false => Topic::ForcedPass,
            });
        }
        faults
    }

    /// Returns what is special in the position: what a client that does not answer there seems
    /// not to know.
    pub fn special(&self) -> Option<Topic> {
        let topics = [Topic::LastPass, Topic::ForcedPass, Topic::OpponentPass];
        let special = topics.into_iter().find(|&topic| self.exposure(topic) > 0.0);
        special.or(match (self.has_captured, self.number() >= 10) {
            (true, _) => Some(Topic::OpponentCaptures),
            (false, true) => Some(Topic::LongGame),
            (false, false) => None,
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

/// Returns what there is to know about an empty point where a stone would have no liberty.
fn blocked_topic(placements: &Placements, point: Point) -> Topic {
    let beside = PointSet::from(point).neighbors();
    if beside.meets(placements.in_atari().opponent) {
        Topic::OpponentEye
    } else if beside.meets(placements.stones().mover) {
        Topic::OwnEye
    } else {
        Topic::Suicide
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

    fn faults(text: &str, point: &str) -> Vec<Topic> {
        situation(text).faults(point.parse().unwrap())
    }

    #[test]
    fn an_illegal_move_tells_what_the_client_does_not_know() {
        use Topic::{ForcedPass, LastPass, Occupied, OpponentEye, OwnEye, Suicide};
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
