//! Built positions with few legal moves, or none: the client's moves show which rules it knows, and
//! games end when they should.

use super::{AMPLE, Session};
use crate::check::Failure;
use crate::check::goref::Trouble;
use crate::contests::goref::wire::{LogEntry, WireReason};
use crate::contests::goref::{GameSetup, Outcome};
use crate::games::go::{
    Board, ByColor, Color, Illegal, Komi, Move, Point, Position, Rules, Score, Size,
};

/// The number of times that a client must show that it forgets a capture, and must play otherwise
/// in the same position without one. A client that passes at random does so in fewer than one check
/// of 200.
const TRIALS: usize = 4;

/// The number of times that a client must make a move that it does not know to be illegal.
const TRIES: usize = 2;

/// A position: the rows of its upper left corner, with `x` for a stone of the client, `o` for one
/// of the opponent, and `.` for an empty point. All other points have stones of the opponent.
type Corner = &'static [&'static str];

/// The client can place no stone.
const BLOCKED: Corner = &[
    ".o.", //
    "ooo", //
];

/// The opponent takes a ko at [`KO_TAKEN`]. Then every other placement of the client is suicide.
const KO: Corner = &[
    "x.xoo", //
    "xxoo.", //
    ".oooo", //
    "oo.oo", //
];

const KO_TAKEN: Point = point(0, 1);

/// Two kos, of which each player has one. After [`SUPERKO_LOG`] the opponent takes the second one:
/// ko forbids taking that one back, superko the other, and every other placement is suicide.
const SUPERKO: Corner = &[
    "x.xoo", //
    "xxoo.", //
    ".oooo", //
    "xxooo", //
    "xo.oo", //
    "xxooo", //
];

/// The opponent moves first.
const SUPERKO_LOG: [Move; 4] = [
    Move::Pass,
    Move::Place(point(4, 2)),
    Move::Place(point(0, 1)),
    Move::Pass,
];

const SUPERKO_TAKEN: Point = point(4, 1);

/// The client can capture two stones, which is its only placement; the opponent answers at
/// [`FILLED`]. Then the client can place stones where it has captured, and nowhere else.
const OWN_CAPTURE: Corner = &[
    "oo.oo", //
    "xxxo.", //
    "ooooo", //
    "o.o.o", //
];

const OWN_CAPTURED: Corner = &[
    "..xoo", //
    "xxxo.", //
    "ooooo", //
    "ooo.o", //
];

const FILLED: Point = point(3, 1);

/// The opponent captures two stones at [`CAPTURING`]. Then the client can place stones there, and
/// nowhere else; a client that takes its stones for alive can capture all of the opponent's.
const OPPONENT_CAPTURE: Corner = &[
    "xx.o", //
    "oooo", //
    "o.oo", //
];

const OPPONENT_CAPTURED: Corner = &[
    "..oo", //
    "oooo", //
    "o.oo", //
];

const CAPTURING: Point = point(0, 2);

const fn point(row: u8, column: u8) -> Point {
    Point { row, column }
}

impl Session<'_> {
    /// Lets the client pass when it has no other move.
    pub(super) fn forced_pass(&mut self) -> Result<(), Trouble> {
        self.begin(BLOCKED, Color::Black, true)?;
        self.own_move()
    }

    /// Lets a game end by the last of two passes, that of the client or that of the opponent, with
    /// this sign of the client's score minus the opponent's. The prisoners decide.
    pub(super) fn end_by_passes(&mut self, is_own: bool, sign: i8) -> Result<(), Trouble> {
        let color = if is_own { Color::Black } else { Color::White };
        let mut position = self.built(BLOCKED, color, !is_own)?;
        let points = u32::try_from(self.settings.size.points().count()).unwrap_or_default();
        position.prisoners[color] = match sign {
            1 => points.saturating_mul(2),
            0 => points,
            _ => 0,
        };
        let komi = if sign == 0 {
            Score::ZERO
        } else {
            Komi::from_halves(13)
        };
        let rules = Rules {
            komi,
            ..self.rules()
        };
        self.set_up(
            GameSetup::new(rules, position, ByColor::new(AMPLE, AMPLE)),
            color,
        );
        if is_own {
            self.opponent(Move::Pass)?;
            self.own_move()?;
        } else {
            self.own_move()?;
            if self.game.outcome().is_none() {
                self.opponent(Move::Pass)?;
            }
        }
        let winner = match sign {
            1 => Some(color),
            0 => None,
            _ => Some(color.opponent()),
        };
        let reason = WireReason::Pass;
        match self.game.outcome() == Some(Outcome { reason, winner }) {
            true => self.next_game(),
            false => Err(Trouble::skipped("the client did not pass")),
        }
    }

    /// Lets the client move when every placement is suicide.
    pub(super) fn suicide(&mut self) -> Result<(), Trouble> {
        self.expect_legal(&[Illegal::Suicide], |session| {
            session.begin(BLOCKED, Color::White, true)
        })
    }

    /// Lets the client move after the opponent has taken a ko.
    pub(super) fn ko(&mut self) -> Result<(), Trouble> {
        self.expect_legal(&[Illegal::Ko, Illegal::Superko], |session| {
            session.begin(KO, Color::White, false)?;
            session.opponent(Move::Place(KO_TAKEN))
        })
    }

    /// Lets the client move when superko forbids what ko allows.
    pub(super) fn superko(&mut self) -> Result<(), Trouble> {
        self.expect_legal(&[Illegal::Superko], |session| {
            let position = session.built(SUPERKO, Color::White, false)?;
            let delta_time = 10;
            let log = SUPERKO_LOG.map(|played| LogEntry { played, delta_time });
            let setup = session.setup(position).with_log(log.to_vec(), 0);
            let setup = setup.map_err(|why| Trouble::skipped(why.to_string()))?;
            session.set_up(setup, Color::White);
            session.opponent(Move::Place(SUPERKO_TAKEN))
        })
    }

    /// Lets the client move in games that `begin` starts: its first try must not be illegal for one
    /// of these reasons in all of them. A client that tries random points rarely is.
    fn expect_legal(
        &mut self,
        reasons: &[Illegal],
        begin: impl Fn(&mut Self) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut wrong = None;
        for _ in 0..TRIES {
            begin(self)?;
            let moved = self.own_move();
            match self.refused.take() {
                Some((why, failure)) if reasons.contains(&why) => wrong = Some(failure),
                _ => return moved,
            }
            if let Err(trouble) = &moved {
                let is_cut = matches!(trouble, Trouble::NotReached(why) if why.required);
                self.wrong = wrong.filter(|_| !is_cut);
                return moved;
            }
            self.let_opponent_resign();
        }
        self.wrong = wrong;
        Ok(())
    }

    /// Lets the client move after it has captured.
    pub(super) fn own_captures(&mut self) -> Result<(), Trouble> {
        self.captures(OWN_CAPTURED, |session| {
            session.begin(OWN_CAPTURE, Color::Black, true)?;
            session.own_move()?;
            match session.last_move() {
                Some(Move::Place(_)) => session.opponent(Move::Place(FILLED)),
                _ => Err(Trouble::skipped("the client does not capture")),
            }
        })
    }

    /// Lets the client move after the opponent has captured.
    pub(super) fn opponent_captures(&mut self) -> Result<(), Trouble> {
        self.captures(OPPONENT_CAPTURED, |session| {
            session.begin(OPPONENT_CAPTURE, Color::White, false)?;
            session.opponent(Move::Place(CAPTURING))
        })
    }

    /// Checks that the client places stones on points that a capture has emptied, or that it does
    /// not in the same position without a capture, `captured`, either.
    fn captures(
        &mut self,
        captured: Corner,
        capture: impl Fn(&mut Self) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut missed = None;
        for _ in 0..TRIALS {
            capture(self)?;
            missed = self.missed()?;
            if missed.is_none() {
                return Ok(());
            }
        }
        for _ in 0..TRIALS {
            self.begin(captured, Color::Black, true)?;
            if self.missed()?.is_some() {
                let why = "the client does not place stones there in other games either";
                return Err(Trouble::skipped(why));
            }
        }
        self.wrong = missed;
        Ok(())
    }

    /// Lets a client move that can place stones only on points that a capture has emptied, and ends
    /// the game. Returns the failure if it passes, or tries an illegal move, instead.
    fn missed(&mut self) -> Result<Option<Failure>, Trouble> {
        self.own_move()?;
        let missed = match (self.refused.take(), self.last_move()) {
            (Some((_, failure)), _) => Some(failure),
            (None, Some(Move::Place(_))) => None,
            (None, _) => Some(self.failure(
                "passed where it could place stones on points that a capture had emptied",
            )),
        };
        self.let_opponent_resign();
        Ok(missed)
    }

    /// Starts a game from a built position, in which the client is to move or the opponent.
    fn begin(&mut self, corner: Corner, color: Color, is_own_turn: bool) -> Result<(), Trouble> {
        let position = self.built(corner, color, is_own_turn)?;
        self.set_up(self.setup(position), color);
        Ok(())
    }

    /// Returns a built position, in which the client has this color.
    fn built(&self, corner: Corner, color: Color, is_own: bool) -> Result<Position, Trouble> {
        let board = board(self.settings.size, corner, color);
        let board = board.ok_or_else(|| Trouble::skipped("the board is too small"))?;
        let turn = if is_own { color } else { color.opponent() };
        let prisoners = ByColor::new(0, 0);
        Ok(Position {
            board,
            turn,
            prisoners,
        })
    }
}

/// Returns the board with this corner, on which the client has this color; `None` if it is too
/// small for it.
fn board(size: Size, corner: Corner, color: Color) -> Option<Board> {
    let stone = |row: u8, column: u8| {
        let row = corner.get(usize::from(row)).map(|row| row.as_bytes());
        match row.and_then(|row| row.get(usize::from(column))) {
            Some(b'x') => Some(color),
            Some(b'.') => None,
            _ => Some(color.opponent()),
        }
    };
    let columns = corner.iter().map(|row| row.len()).max()?;
    if usize::from(size.rows()) < corner.len() || usize::from(size.columns()) < columns {
        return None;
    }
    let rows: Vec<Vec<_>> = (0..size.rows())
        .map(|row| {
            (0..size.columns())
                .map(|column| stone(row, column))
                .collect()
        })
        .collect();
    Board::from_rows(&rows).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::contests::goref::TimedGame;
    use crate::games::go::Game;

    /// A game from a built position of the client, which has White, on boards of several sizes.
    fn games(corner: Corner, turn: Color) -> impl Iterator<Item = TimedGame> {
        [(6, 5), (9, 9), (19, 19)]
            .into_iter()
            .map(move |(rows, columns)| {
                let size = Size::new(rows, columns).unwrap();
                let board = board(size, corner, Color::White).unwrap();
                let prisoners = ByColor::new(0, 0);
                let position = Position {
                    board,
                    turn,
                    prisoners,
                };
                let times = ByColor::new(AMPLE, AMPLE);
                TimedGame::new(Arc::new(GameSetup::new(Rules::default(), position, times)))
            })
    }

    fn play(game: &mut TimedGame, played: Move) {
        let delta_time = 10;
        game.replay(LogEntry { played, delta_time }).unwrap();
    }

    fn legal(game: &TimedGame) -> Vec<Point> {
        game.game().legal_points().collect()
    }

    /// Why the placements on empty points are illegal.
    fn reasons(game: &TimedGame) -> Vec<Illegal> {
        let game = game.game();
        let points = game.board().size().points();
        let empty = points.filter(|&point| game.board().get(point).is_none());
        empty
            .filter_map(|point| game.check(Move::Place(point)).err())
            .collect()
    }

    #[test]
    fn a_blocked_client_can_place_no_stone() {
        for game in games(BLOCKED, Color::White) {
            assert_eq!(reasons(&game), [Illegal::Suicide; 2]);
            assert!(legal(&game).is_empty());
        }
    }

    #[test]
    fn after_a_ko_every_placement_but_taking_back_is_suicide() {
        for mut game in games(KO, Color::Black) {
            play(&mut game, Move::Place(KO_TAKEN));
            let mut reasons = reasons(&game);
            reasons.sort_unstable();
            let [rest @ .., last] = &reasons[..] else {
                panic!("{reasons:?}");
            };
            assert!(rest.iter().all(|&why| why == Illegal::Suicide));
            assert_eq!(*last, Illegal::Superko);
            assert!(legal(&game).is_empty());
        }
    }

    #[test]
    fn superko_forbids_what_ko_allows() {
        for mut game in games(SUPERKO, Color::Black) {
            for played in SUPERKO_LOG.into_iter().chain([Move::Place(SUPERKO_TAKEN)]) {
                play(&mut game, played);
            }
            assert!(legal(&game).is_empty());
            let first = game.game().positions()[0].clone();
            let rules = Rules {
                superko: false,
                ..Rules::default()
            };
            let mut lenient = Game::new(rules, first);
            for &played in game.game().moves() {
                lenient.play(played).unwrap();
            }
            let points: Vec<Point> = lenient.legal_points().collect();
            assert_eq!(points, [point(0, 2)]);
        }
    }

    #[test]
    fn after_a_capture_its_points_are_the_only_ones() {
        for mut game in games(OWN_CAPTURE, Color::White) {
            let [only] = legal(&game)[..] else {
                panic!("{:?}", game.game().board());
            };
            play(&mut game, Move::Place(only));
            play(&mut game, Move::Place(FILLED));
            assert_eq!(legal(&game), [point(0, 0), point(0, 1)]);
            let size = game.game().board().size();
            assert_eq!(
                *game.game().board(),
                board(size, OWN_CAPTURED, Color::White).unwrap()
            );
        }
        for mut game in games(OPPONENT_CAPTURE, Color::Black) {
            play(&mut game, Move::Place(CAPTURING));
            assert_eq!(legal(&game), [point(0, 0), point(0, 1)]);
            let size = game.game().board().size();
            let captured = board(size, OPPONENT_CAPTURED, Color::White).unwrap();
            assert_eq!(*game.game().board(), captured);
        }
    }
}
