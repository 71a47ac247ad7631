//! The topics that a program playing Gothello must know in a position.

use super::checked::{CheckedGame, Guess, Sign};
use super::step::{Rule, steps};
use crate::base::color::{ByColor, Color};
use crate::base::rng::Rng;
use crate::games::game::Outcome;
use crate::games::gothello::{
    IllegalMove, Move, Next, Placements, Point, PointSet, Position, SIZE, Stones,
};

steps! {
    /// The topic of a situation or of an end of a game: what the program must know.
    pub(crate) enum Topic {
        from Rule::DOCUMENT => {
            Occupied: "occupied", "places no stone on an occupied point",
                Rule::OCCUPIED;
            Suicide: "suicide", "places no stone without a liberty",
                Rule::BLOCKED;
            OwnEye: "own-eye", "does not fill the only eye of a group of its own",
                Rule::BLOCKED;
            OpponentEye: "opponent-eye", "does not fill the only eye of a group of the opponent",
                Rule::BLOCKED_BEFORE_CAPTURES;
            OwnCaptures: "own-captures", "changes the color of what it captures",
                Rule::CAPTURES;
            OpponentCaptures: "opponent-captures", "changes the color of what is captured from it",
                Rule::CAPTURES;
            ForcedPass: "forced-pass", "passes when only a pass is legal",
                Rule::FORCED_PASS;
            LastPass: "last-pass", "passes when neither player can place a stone",
                Rule::LAST_PASS;
            OpponentPass: "opponent-pass", "plays on after a pass of the opponent",
                Rule::TWO_PASSES;
            LongGame: "long-game", "plays on to moves with numbers of two digits",
                "the move number is a standard decimal number", "section 2, table 6";
            WinByOwnPass: "win-by-own-pass", "ends when its pass wins",
                Rule::OWN_WIN;
            WinByOpponentPass: "win-by-opponent-pass", "ends when the opponent's pass loses",
                Rule::OPPONENT_LOSS;
            LossByOwnPass: "loss-by-own-pass", "ends when its pass loses",
                Rule::OWN_LOSS;
            LossByOpponentPass: "loss-by-opponent-pass", "ends when the opponent's pass wins",
                Rule::OPPONENT_WIN;
            DrawByOwnPass: "draw-by-own-pass", "ends when its pass draws",
                Rule::OWN_DRAW;
            DrawByOpponentPass: "draw-by-opponent-pass", "ends when the opponent's pass draws",
                Rule::OPPONENT_DRAW;
        }
    }
}

/// How much a client prefers each stone that it captures to a move that captures nothing.
const GREED: u32 = 3;

/// The value of a pass of a client that takes all legal moves for illegal, beside an illegal move,
/// which proves more.
const EARLY_PASS: f64 = 0.8;

/// The value of a move that a client takes for illegal: some check those that they are sent.
const SURPRISE: f64 = 0.5;

/// A wrong way to track the captures of one player, or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slip {
    /// Whose captures, if not those of both: [`Topic::OwnCaptures`] or
    /// [`Topic::OpponentCaptures`].
    topic: Topic,
    kind: SlipKind,
    /// Whether the captures of both are tracked like this, as by a program that has one function
    /// for them.
    is_of_both: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SlipKind {
    /// Captured stones keep their color.
    Forgotten,
    /// Captured stones are removed, as in Go.
    Removed,
    /// Only those captured stones change their color that are next to the move.
    OnlyNeighbors,
    /// Only the first of several captured groups changes its color.
    FirstGroup,
    /// Only the last one does.
    LastGroup,
    /// All stones between the move and another one change their color, as in Othello.
    Bracketed,
}

impl Slip {
    /// All slips.
    ///
    /// The games for a topic look for its slips in this order: first for those of programs that
    /// track the captures of both players in the same way, and for those that show rarely.
    const ALL: [Slip; 14] = [
        Slip::of_both(SlipKind::OnlyNeighbors),
        Slip::of_both(SlipKind::Forgotten),
        Slip::of_both(SlipKind::Removed),
        Slip::of_both(SlipKind::FirstGroup),
        Slip::of_both(SlipKind::LastGroup),
        Slip::new(Topic::OwnCaptures, SlipKind::OnlyNeighbors),
        Slip::new(Topic::OwnCaptures, SlipKind::Forgotten),
        Slip::of_both(SlipKind::Bracketed),
        Slip::new(Topic::OwnCaptures, SlipKind::Removed),
        Slip::new(Topic::OwnCaptures, SlipKind::Bracketed),
        Slip::new(Topic::OpponentCaptures, SlipKind::Forgotten),
        Slip::new(Topic::OpponentCaptures, SlipKind::OnlyNeighbors),
        Slip::new(Topic::OpponentCaptures, SlipKind::Removed),
        Slip::new(Topic::OpponentCaptures, SlipKind::Bracketed),
    ];

    const fn new(topic: Topic, kind: SlipKind) -> Slip {
        Slip {
            topic,
            kind,
            is_of_both: false,
        }
    }

    const fn of_both(kind: SlipKind) -> Slip {
        Slip {
            topic: Topic::OwnCaptures,
            kind,
            is_of_both: true,
        }
    }

    /// Returns the slips about a topic.
    fn of(topic: Topic) -> impl Iterator<Item = (usize, Slip)> {
        let all = Slip::ALL.into_iter().enumerate();
        all.filter(move |(_, slip)| slip.topic == topic)
    }

    /// Describes a program that passes too early because of this slip.
    fn early_pass(self) -> &'static str {
        match self.topic {
            Topic::OwnCaptures => {
                "passed although it could place a stone; in no game has it placed one where it \
                 must know that what it captured has changed color"
            }
            _ => {
                "passed although it could place a stone; in no game has it placed one where it \
                 must know what was captured from it, and what was not"
            }
        }
    }

    /// Plays a move on the board of a program that tracks captures like this.
    fn place(self, board: &mut ByColor<PointSet>, color: Color, point: Point, is_own: bool) {
        let opponent = color.opponent();
        let stones = Stones {
            mover: board[color],
            opponent: board[opponent],
        };
        let captured = placements(board, color).captures(point);
        let captured = captured.unwrap_or_default();
        let is_wrong = self.is_of_both || is_own == (self.topic == Topic::OwnCaptures);
        let beside = PointSet::from(point).neighbors();
        let flipped = match self.kind {
            _ if !is_wrong => captured,
            SlipKind::Forgotten | SlipKind::Removed => PointSet::EMPTY,
            SlipKind::OnlyNeighbors => captured & beside,
            SlipKind::FirstGroup => group_of((captured & beside).first(), captured),
            SlipKind::LastGroup => group_of((captured & beside).iter().last(), captured),
            SlipKind::Bracketed => captured | bracketed(stones, point),
        };
        let removed = match self.kind {
            SlipKind::Removed if is_wrong => captured,
            _ => PointSet::EMPTY,
        };
        board[color] = board[color] | PointSet::from(point) | flipped;
        board[opponent] = board[opponent].without(flipped | removed);
    }
}

/// A game of Gothello with a client (in checks of GTP engines, the engine), and the boards that a
/// client would have which tracks captures in one of the wrong ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedGothello {
    client: Color,
    position: Position,
    plies: u32,
    ending: Option<FinalMove>,
    /// The slip to look for, among those of the topic.
    round: usize,
    /// The board under each slip.
    boards: [ByColor<PointSet>; Slip::ALL.len()],
    /// The indexes of the slips whose boards are right.
    tracked: (usize, usize),
    /// The same before the last move, and the point of that move.
    before: [ByColor<PointSet>; Slip::ALL.len()],
    last: Option<Point>,
    /// Whether the last move has captured.
    has_captured: bool,
}

/// How a game has ended.
#[derive(Clone, Copy, Debug)]
struct FinalMove {
    outcome: Outcome,
    last: Color,
}

impl CheckedGothello {
    /// Returns the position; after the end of the game, the last one.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the illegal points where a client that does not know `topic` could want to place a
    /// stone.
    pub fn tempting(&self, topic: Topic) -> PointSet {
        let placements = self.position.placements();
        let empty = self.position.empty();
        match topic {
            Topic::Occupied => !empty,
            Topic::Suicide | Topic::OwnEye | Topic::OpponentEye => {
                let illegal = empty.without(placements.legal()).iter();
                illegal
                    .filter(|&point| blocked_topic(&placements, point) == topic)
                    .collect()
            }
            Topic::OwnCaptures | Topic::OpponentCaptures => {
                self.legal_on_wrong_board(topic).without(placements.legal())
            }
            _ => PointSet::EMPTY,
        }
    }

    /// Returns the board of a client that makes the mistake about this topic that the game looks
    /// for; `None` if there is no such mistake.
    fn wrong_board(&self, topic: Topic) -> Option<&ByColor<PointSet>> {
        self.boards.get(self.wrong_way(topic)?)
    }

    /// Returns the index of the mistake about this topic that the game looks for.
    fn wrong_way(&self, topic: Topic) -> Option<usize> {
        let mut slips = Slip::of(topic);
        let number = self.round.checked_rem(Slip::of(topic).count())?;
        slips.nth(number).map(|(way, _)| way)
    }

    /// Returns the points where the client could place a stone on the
    /// [wrong board](CheckedGothello::wrong_board); no points if there is none.
    fn legal_on_wrong_board(&self, topic: Topic) -> PointSet {
        let board = self.wrong_board(topic);
        board.map_or(PointSet::EMPTY, |board| {
            placements(board, self.client).legal()
        })
    }

    /// Returns whether a client that forgets the captures of one player would think a stone at this
    /// point illegal.
    pub fn seems_illegal_without_captures(&self, point: Point) -> bool {
        let boards = Slip::ALL.iter().zip(&self.boards);
        let mut boards = boards.filter(|(slip, _)| slip.kind == SlipKind::Forgotten);
        boards.any(|(_, board)| !placements(board, self.client).legal().contains(point))
    }

    fn end_topic(&self, FinalMove { outcome, last }: FinalMove) -> Topic {
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

    /// Returns whether a client that does not know `topic` about captures thinks the opponent's
    /// last move illegal.
    fn is_surprising(&self, topic: Topic) -> bool {
        let Some(point) = self.last else { return false };
        let opponent = self.client.opponent();
        let boards = Slip::ALL.iter().zip(&self.before);
        let mut boards = boards.filter(|(slip, _)| slip.topic == topic);
        boards.any(|(_, board)| !placements(board, opponent).legal().contains(point))
    }
}

impl CheckedGame for CheckedGothello {
    type Topic = Topic;
    type Move = Move;
    type MoveError = IllegalMove;

    const FIRST_ENDING: Topic = Topic::WinByOwnPass;
    const ROLLOUTS: usize = 64;
    const MAX_PLIES: usize = 80;

    fn new(client: Color, round: usize) -> CheckedGothello {
        let boards = [ByColor::from_fn(|_| PointSet::EMPTY); Slip::ALL.len()];
        CheckedGothello {
            client,
            position: Position::START,
            plies: 0,
            ending: None,
            round,
            boards,
            tracked: (0, Slip::ALL.len()),
            before: boards,
            last: None,
            has_captured: false,
        }
    }

    fn focused(&self, topic: Topic) -> CheckedGothello {
        let way = self.wrong_way(topic);
        CheckedGothello {
            tracked: way.map_or((0, 0), |way| (way, way + 1)),
            ..*self
        }
    }

    fn client(&self) -> Color {
        self.client
    }

    fn to_move(&self) -> Color {
        self.position.to_move()
    }

    fn number(&self) -> u64 {
        u64::from(self.plies / 2) + 1
    }

    fn legal_moves(&self) -> Vec<Move> {
        self.position.legal_moves().collect()
    }

    /// Places a stone, or passes if it cannot.
    fn random_move(&self, rng: &mut Rng) -> Option<Move> {
        let legal = self.position.placements().legal();
        let points: Vec<_> = legal.iter().map(|point| (point, 1.0)).collect();
        Some(rng.draw(&points).map_or(Move::Pass, Move::Place))
    }

    fn play_move(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let color = self.position.to_move();
        let before = self.position.stones_of(color.opponent());
        match self.position.play(mv)? {
            Next::Ends(outcome) => {
                let last = color;
                self.ending = Some(FinalMove { outcome, last });
            }
            Next::Continues(next) => {
                self.has_captured =
                    before.without(next.stones_of(color.opponent())) != PointSet::EMPTY;
                self.position = next;
            }
        }
        self.last = None;
        if let Move::Place(point) = mv {
            self.last = Some(point);
            self.before = self.boards;
            let (first, end) = self.tracked;
            let boards = Slip::ALL.iter().zip(&mut self.boards);
            for (slip, board) in boards.take(end).skip(first) {
                slip.place(board, color, point, color == self.client);
            }
        }
        self.plies += 1;
        Ok(())
    }

    fn exposure(&self, topic: Topic) -> f64 {
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
                if tempting > 0.0 {
                    return tempting / (tempting + f64::from(legal.len()));
                }
                // A client that sees too few stones of its own passes too early.
                let passes = can_move
                    && matches!(topic, Topic::OwnCaptures | Topic::OpponentCaptures)
                    && self.legal_on_wrong_board(topic).is_empty();
                return if passes { EARLY_PASS } else { 0.0 };
            }
        };
        f64::from(u8::from(is_there))
    }

    fn endings(&self) -> Vec<Topic> {
        let ending = self.ending.map(|ending| self.end_topic(ending));
        ending.into_iter().collect()
    }

    fn difference(&self, topic: Topic) -> f64 {
        let stones = self.position.stones_of(self.client);
        self.wrong_board(topic).map_or(0.0, |board| {
            let believed = board[self.client];
            let different = believed.without(stones) | stones.without(believed);
            f64::from(different.len()) / f64::from(SIZE * SIZE)
        })
    }

    fn faults(&self, mv: Move, wanted: Option<Topic>) -> Vec<Topic> {
        let Move::Place(point) = mv else {
            return Vec::new();
        };
        let boards = Slip::ALL.iter().zip(&self.boards);
        let believed: Vec<Slip> = boards
            .filter(|(_, board)| placements(board, self.client).legal().contains(point))
            .map(|(slip, _)| *slip)
            .collect();
        let is_empty = self.position.empty().contains(point);
        let placements = self.position.placements();
        let topic = match is_empty {
            true => blocked_topic(&placements, point),
            false => Topic::Occupied,
        };
        let is_wanted = |topic| wanted == Some(topic);
        let wanted = believed.iter().find(|slip| is_wanted(slip.topic));
        let likely = believed.iter().find(|slip| match is_empty {
            true => **slip == Slip::new(Topic::OpponentCaptures, SlipKind::Forgotten),
            false => slip.kind == SlipKind::Removed,
        });
        let mut faults = vec![match (is_wanted(topic), wanted.or(likely)) {
            (false, Some(slip)) => slip.topic,
            (true, _) | (false, None) => topic,
        }];
        if !is_empty {
            return faults;
        }
        if placements.legal().is_empty() {
            faults.push(match placements.swapped().legal().is_empty() {
                true => Topic::LastPass,
                false => Topic::ForcedPass,
            });
        }
        faults
    }

    fn special(&self, wanted: Option<Topic>) -> Option<Topic> {
        let captures = [Topic::OwnCaptures, Topic::OpponentCaptures];
        let topics = [Topic::LastPass, Topic::ForcedPass, Topic::OpponentPass];
        let special = topics.into_iter().find(|&topic| self.exposure(topic) > 0.0);
        wanted
            .filter(|&topic| self.is_surprising(topic))
            .or(special)
            .or(self.has_captured.then_some(Topic::OpponentCaptures))
            .or_else(|| {
                captures
                    .into_iter()
                    .find(|&topic| self.is_surprising(topic))
            })
            .or((self.number() >= 10).then_some(Topic::LongGame))
    }

    /// Notices a client that has passed where every legal move is one that it would take for illegal.
    fn signs(&self, mv: Move) -> Vec<Sign<Topic>> {
        let legal = self.position.placements().legal();
        let boards = Slip::ALL.iter().zip(&self.boards).enumerate();
        let signs = boards.filter_map(|(way, (&slip, board))| {
            let believed = placements(board, self.client).legal();
            let is_missed = match mv {
                Move::Place(point) if believed.contains(point) => return None,
                Move::Place(_) => false,
                Move::Pass if legal.is_empty() => return None,
                Move::Pass => believed.is_empty(),
            };
            Some(Sign {
                way,
                topic: slip.topic,
                missed: is_missed.then_some(slip.early_pass()),
            })
        });
        signs.collect()
    }

    fn ways(topic: Topic) -> usize {
        Slip::of(topic).count().max(1)
    }

    fn guess(&self, topic: Topic, rng: &mut Rng) -> Guess<Move> {
        let Some(board) = self.wrong_board(topic) else {
            return Guess::Plays(self.random_move(rng));
        };
        let legal = self.position.placements().legal();
        let believed = placements(board, self.client);
        let points = believed.legal().iter().map(|point| {
            let captured = believed.captures(point).unwrap_or_default().len();
            (point, f64::from(1 + GREED * captured))
        });
        match rng.draw(&points.collect::<Vec<_>>()) {
            Some(point) if legal.contains(point) => Guess::Plays(Some(Move::Place(point))),
            Some(_) => Guess::Shows(1.0),
            None if legal.is_empty() => Guess::Plays(Some(Move::Pass)),
            // A single pass proves nothing.
            None => Guess::Shows(EARLY_PASS),
        }
    }

    fn surprise(&self, topic: Topic) -> f64 {
        let (Some(way), Some(point)) = (self.wrong_way(topic), self.last) else {
            return 0.0;
        };
        // Every second game for a slip looks for a client that believes every move of its opponent.
        let earlier = self.round.checked_div(Slip::of(topic).count());
        if earlier.is_some_and(|earlier| earlier % 2 == 1) {
            return 0.0;
        }
        let mover = self.position.to_move().opponent();
        let board = self.before.get(way);
        let is_legal = |board| placements(board, mover).legal().contains(point);
        match board.is_some_and(|board| !is_legal(board)) {
            true => SURPRISE,
            false => 0.0,
        }
    }
}

/// Returns the placements of a player on a board that need not be legal.
fn placements(board: &ByColor<PointSet>, color: Color) -> Placements {
    let stones = Stones {
        mover: board[color],
        opponent: board[color.opponent()],
    };
    Placements::new(stones, !(stones.mover | stones.opponent))
}

/// Returns the captured stones that are connected to one of them.
fn group_of(stone: Option<Point>, captured: PointSet) -> PointSet {
    let stone = stone.map_or(PointSet::EMPTY, PointSet::from);
    stone.flood(captured)
}

/// Returns the stones of the opponent in a row between a stone that is placed and another one of
/// the same color.
fn bracketed(stones: Stones, point: Point) -> PointSet {
    let directions = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y)));
    directions.fold(PointSet::EMPTY, |all, (x, y)| {
        let mut row = PointSet::EMPTY;
        let mut at = point;
        loop {
            let column = at.column().checked_add_signed(x);
            let next = column.zip(at.row().checked_add_signed(y));
            match next.and_then(|(column, row)| Point::new(column, row)) {
                // The direction 0, 0 stays at the point itself, which is empty.
                Some(next) if stones.opponent.contains(next) => {
                    row |= PointSet::from(next);
                    at = next;
                }
                Some(next) if stones.mover.contains(next) => return all | row,
                _ => return all,
            }
        }
    })
}

/// Returns the topic of an empty point where a stone would have no liberty.
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

    /// Returns a game in which the client is to move in this position.
    fn checked(text: &str) -> CheckedGothello {
        let position: Position = text.parse().unwrap();
        let board = ByColor::from_fn(|color| position.stones_of(color));
        CheckedGothello {
            position,
            boards: [board; Slip::ALL.len()],
            ..CheckedGothello::new(position.to_move(), 0)
        }
    }

    fn faults(text: &str, point: &str) -> Vec<Topic> {
        checked(text).faults(Move::Place(point.parse().unwrap()), None)
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
        // Only the two eyes are left, and neither may be filled.
        let full = "bbwww/bbwww/bbwww/bbwww/.bww. b";
        assert_eq!(faults(full, "e1"), [OpponentEye, LastPass]);
    }

    #[test]
    fn a_client_that_forgets_a_capture_proposes_an_illegal_move() {
        let board = |client, topic, kind| {
            let mut game = CheckedGothello::new(client, 0);
            // Black captures a1.
            for mv in ["b1", "a1", "a2"] {
                game.play_move(mv.parse().unwrap()).unwrap();
            }
            let slips = Slip::ALL.iter().zip(game.boards);
            let mut slips = slips.filter(|(slip, _)| **slip == Slip::new(topic, kind));
            let (_, board) = slips.next().unwrap();
            let a1: Point = "a1".parse().unwrap();
            Color::ALL
                .into_iter()
                .find(|&color| board[color].contains(a1))
        };
        let (own, opponent) = (Topic::OwnCaptures, Topic::OpponentCaptures);
        let white = |topic, kind| board(Color::White, topic, kind);
        assert_eq!(white(opponent, SlipKind::Forgotten), Some(Color::White));
        assert_eq!(white(opponent, SlipKind::Removed), None);
        assert_eq!(white(opponent, SlipKind::OnlyNeighbors), Some(Color::Black));
        assert_eq!(white(own, SlipKind::Forgotten), Some(Color::Black));
        let black = |topic, kind| board(Color::Black, topic, kind);
        assert_eq!(black(own, SlipKind::Forgotten), Some(Color::White));
        assert_eq!(black(own, SlipKind::Removed), None);
        assert_eq!(black(opponent, SlipKind::Removed), Some(Color::Black));
    }

    #[test]
    fn a_pass_tells_that_the_client_takes_its_captures_for_stones_of_the_opponent() {
        let mut game = checked("wwwww/wwwww/wwwww/wwwww/.w.ww w");
        let forgotten = Slip::new(Topic::OwnCaptures, SlipKind::Forgotten);
        let way = Slip::ALL
            .iter()
            .position(|slip| *slip == forgotten)
            .unwrap();
        let board = &mut game.boards[way];
        *board = ByColor::new(board.white, board.black);
        let shown = |mv: &str| {
            let signs = game.signs(mv.parse().unwrap());
            let mut signs = signs.into_iter().filter(|sign| sign.way == way);
            signs.next().map(|sign| sign.missed.is_some())
        };
        assert_eq!(shown("pass"), Some(true));
        assert_eq!(shown("a1"), Some(false));
    }

    #[test]
    fn one_of_several_captured_groups_is_connected_to_a_stone() {
        let points = |text: &str| {
            let points = text.split(' ').map(|word| word.parse::<Point>().unwrap());
            points.fold(PointSet::EMPTY, |all, point| all | PointSet::from(point))
        };
        let captured = points("a1 a2 c1");
        for group in ["a1 a2", "c1"].map(points) {
            assert_eq!(group_of(group.first(), captured), group);
        }
        assert_eq!(group_of(None, captured), PointSet::EMPTY);
    }

    #[test]
    fn stones_in_a_row_between_two_are_bracketed() {
        let position: Position = "..b../.w.../wb.../w..../..... b".parse().unwrap();
        let stones = position.stones();
        let bracketed = |point: &str| bracketed(stones, point.parse().unwrap());
        assert_eq!(
            bracketed("b5"),
            PointSet::from("b4".parse::<Point>().unwrap())
        );
        assert_eq!(bracketed("a1"), PointSet::EMPTY);
    }
}
