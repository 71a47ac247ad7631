//! Awari, for the check of clients.

use super::steps::{ClientStep, ClientTopic, RefereeStep, RequestStep};
use crate::base::color::Color;
use crate::base::rng::Rng;
use crate::check::checked::{CheckedGame, Guess, Sign};
use crate::check::step::{Rule, steps};
use crate::games::awari::{EndReason, Game, Pit, PlayError, Player, Status};
use crate::games::game::Undo as _;

/// The document of the protocol and the rules.
const DOCUMENT: &str = "A Networked Awari Referee: Specification";

/// The capture rule.
const CAPTURE: Rule = Rule {
    text: "if the last stone makes a group of two or three in a pit of the opponent, these are \
           captured, and so are those in the pits before it as long as they hold two or three",
    source: "section 1, Capture",
};

steps! {
    /// The topic of a situation or of an end of a game of Awari: what the client must know.
    pub(crate) enum AwariTopic {
        from DOCUMENT => {
            // The rules.
            OwnPits: "own-pits", "sows only pits of its own side",
                "a move is illegal if it is from a pit on the wrong side of the board",
                "section 1, IllegalMove";
            EmptyPits: "empty-pits", "sows no empty pit",
                "a move is illegal if it is from a pit with no stones", "section 1, IllegalMove";
            Feed: "feed", "gives stones to an opponent without any",
                "if the opponent's pits are all empty, the player must sow a pit which leaves the \
                 opponent a move if possible",
                "section 1, NormalMove and IllegalMove";
            OnlyMove: "only-move", "makes its only legal move",
                "the server accepts moves from the players in alternation; there is no pass",
                "sections 1, Sow, and 2";
            Lap: "lap", "skips the pit that is sown",
                "the original pit is skipped whenever it is encountered", "section 1, Sow";
            OwnCaptures: "own-captures", "takes what it captures off the board",
                CAPTURE;
            OpponentCaptures: "opponent-captures", "takes what is captured from it off the board",
                CAPTURE;
            LongGame: "long-game", "plays on to moves with numbers of two digits",
                "the move number is a standard decimal number", "section 2, table 6";

            // The ends of a game.
            WinByOwnMove: "win-by-own-move", "ends when its move wins",
                Rule::OWN_WIN;
            WinByOpponentMove: "win-by-opponent-move", "ends when the opponent's move loses",
                Rule::OPPONENT_LOSS;
            LossByOwnMove: "loss-by-own-move", "ends when its move loses",
                Rule::OWN_LOSS;
            LossByOpponentMove: "loss-by-opponent-move", "ends when the opponent's move wins",
                Rule::OPPONENT_WIN;
            DrawByOwnMove: "draw-by-own-move", "ends when its move draws",
                Rule::OWN_DRAW;
            DrawByOpponentMove: "draw-by-opponent-move", "ends when the opponent's move draws",
                Rule::OPPONENT_DRAW;
            Majority: "majority", "ends when a player has captured 25 stones",
                "if either player has 25 or more stones at the start of their turn, the game is \
                 over",
                "section 1, WinMargin";
            EmptySide: "empty-side", "ends when the player to move has no stones",
                "if the sowing is impossible, each player claims the stones on their side of the \
                 board, and the game is over",
                "section 1, NoMove";
            Repetition: "repetition", "ends when a position occurs again",
                "if the position is a repetition of a previous one, each player claims the stones \
                 on their side of the board, and the game is over",
                "section 1, NoMove";
            GrandSlam: "grand-slam", "ends when all stones of a player are captured",
                "a grand slam forfeits all stones still on the board", "section 1, GrandSlam";
        }
    }
}

impl ClientTopic for AwariTopic {
    type Game = Game;
    type Checked = CheckedAwari;

    const DOCUMENT: &'static str = DOCUMENT;

    fn start() -> Game {
        Game::default()
    }

    fn rule(step: ClientStep<AwariTopic>) -> Option<Rule> {
        let (text, source) = match step {
            ClientStep::Request(RequestStep::Connect) => (
                "the server listens at port 29046 plus the server number",
                "section 2",
            ),
            ClientStep::Request(RequestStep::Opening) => (
                "the first request is <version> player north or south, with at most a name of 31 \
                 characters in double quotes, and a version of at most 0.9",
                "section 2, table 2",
            ),
            ClientStep::Request(RequestStep::MoveSyntax) => (
                "a move is <move number> <ellipses if north> <move>, as in 1 C or 1 ... c; instead \
                 of one there may be resign or draw?",
                "section 2, tables 6 and 7",
            ),
            ClientStep::Referee(RefereeStep::OpponentFlag) => (
                "361: South wins by North time expiring; 362: North wins by South time expiring",
                "section 2, table 9",
            ),
            _ => return None,
        };
        Some(Rule { text, source })
    }
}

/// The number of pits.
const PITS: usize = Pit::ALL.len();

/// The stones in each pit, in the order of [`Pit::ALL`].
type Board = [u8; PITS];

/// A wrong way to keep the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slip {
    /// Captured stones stay in their pits.
    Forgotten,
    /// Only the last pit sown is captured.
    OnlyLast,
    /// The original pit gets a stone in each lap.
    NoSkip,
}

/// The wrong ways to keep the board, with the topic that the client does not know. A topic with
/// several has them in the order in which games look for them.
const SLIPS: [(AwariTopic, Slip); 5] = [
    (AwariTopic::OwnCaptures, Slip::Forgotten),
    (AwariTopic::OwnCaptures, Slip::OnlyLast),
    (AwariTopic::OpponentCaptures, Slip::Forgotten),
    (AwariTopic::OpponentCaptures, Slip::OnlyLast),
    (AwariTopic::Lap, Slip::NoSkip),
];

/// A game of Awari with a client, and the boards of clients that have a rule wrong.
#[derive(Clone, Debug)]
pub(crate) struct CheckedAwari {
    client: Color,
    game: Game,
    round: usize,
    boards: [Board; SLIPS.len()],
    /// The same before the last move.
    before: [Board; SLIPS.len()],
}

impl CheckedAwari {
    /// Returns the number of the client's empty pits in which it sees stones if its board is wrong
    /// about this topic.
    fn wrong_pits(&self, topic: AwariTopic) -> usize {
        self.board(topic).map_or(0, |board| {
            let pits = Pit::of(self.client.into()).iter();
            pits.filter(|pit| self.is_empty(**pit) && stones(board, **pit) > 0)
                .count()
        })
    }

    /// Returns the board of the wrong way that the game looks for.
    fn board(&self, topic: AwariTopic) -> Option<&Board> {
        let slips = SLIPS.iter().zip(&self.boards);
        let mut slips = slips.filter(|((of, _), _)| *of == topic);
        let number = self.round.checked_rem(slips.clone().count()).unwrap_or(0);
        slips.nth(number).map(|(_, board)| board)
    }

    fn is_empty(&self, pit: Pit) -> bool {
        stones(self.game.pits(), pit) == 0
    }

    /// Returns the pits of a player that are not empty.
    fn filled(&self, player: Player) -> usize {
        let pits = Pit::of(player).iter();
        pits.filter(|pit| !self.is_empty(**pit)).count()
    }

    /// Returns the topics unknown to clients on whose boards the pit of the opponent's last move
    /// was empty.
    fn surprises(&self) -> Vec<AwariTopic> {
        let Some(pit) = self.game.last_move() else {
            return Vec::new();
        };
        let slips = SLIPS.iter().zip(&self.before);
        let slips = slips.filter(|(_, board)| stones(board, pit) == 0);
        slips.map(|((topic, _), _)| *topic).collect()
    }
}

/// Returns the stones in a pit.
fn stones(board: &Board, pit: Pit) -> u8 {
    board.get(pit.index()).copied().unwrap_or(0)
}

fn set_stones(board: &mut Board, pit: Pit, count: u8) {
    if let Some(stones) = board.get_mut(pit.index()) {
        *stones = count;
    }
}

/// Sows a pit on a board that may be wrong, and captures; in a wrong way if there is one.
fn sow(board: &mut Board, pit: Pit, slip: Option<Slip>) {
    let mut last = pit;
    let count = stones(board, pit);
    set_stones(board, pit, 0);
    for _ in 0..count {
        last = last.after(1);
        if last == pit && slip != Some(Slip::NoSkip) {
            last = last.after(1);
        }
        let count = stones(board, last);
        set_stones(board, last, count.saturating_add(1));
    }
    let most = match slip {
        Some(Slip::Forgotten) => 0,
        Some(Slip::OnlyLast) => 1,
        Some(Slip::NoSkip) | None => Pit::ALL.len(),
    };
    for _ in 0..most {
        if last.owner() == pit.owner() || !matches!(stones(board, last), 2 | 3) {
            break;
        }
        set_stones(board, last, 0);
        last = last.after(PITS - 1);
    }
}

impl CheckedGame for CheckedAwari {
    type Topic = AwariTopic;
    type Move = Pit;
    type MoveError = PlayError;

    const FIRST_ENDING: AwariTopic = AwariTopic::WinByOwnMove;
    const ROLLOUTS: usize = 24;
    const MAX_PLIES: usize = 60;

    fn new(client: Color, round: usize) -> CheckedAwari {
        let game = Game::default();
        let boards = [*game.pits(); SLIPS.len()];
        CheckedAwari {
            client,
            game,
            round,
            boards,
            before: boards,
        }
    }

    fn client(&self) -> Color {
        self.client
    }

    fn to_move(&self) -> Color {
        self.game.to_move().into()
    }

    fn number(&self) -> u64 {
        self.game.undoable() as u64 / 2 + 1
    }

    fn legal_moves(&self) -> Vec<Pit> {
        self.game.legal_moves().collect()
    }

    fn random_move(&self, rng: &mut Rng) -> Option<Pit> {
        let moves: Vec<_> = self.game.legal_moves().map(|pit| (pit, 1.0)).collect();
        rng.draw(&moves)
    }

    fn play_move(&mut self, pit: Pit) -> Result<(), PlayError> {
        let player = self.game.to_move();
        self.game.play(player, pit)?;
        self.before = self.boards;
        let is_own = Color::from(player) == self.client;
        for ((topic, slip), board) in SLIPS.into_iter().zip(&mut self.boards) {
            let is_wrong = match topic {
                AwariTopic::OwnCaptures => is_own,
                AwariTopic::OpponentCaptures => !is_own,
                _ => true,
            };
            sow(board, pit, is_wrong.then_some(slip));
        }
        Ok(())
    }

    fn exposure(&self, topic: AwariTopic) -> f64 {
        if self.game.is_over() {
            return f64::from(u8::from(self.endings().contains(&topic)));
        }
        if self.to_move() != self.client {
            return 0.0;
        }
        let client = Player::from(self.client);
        let legal = self.game.legal_moves().count();
        let tempting = match topic {
            AwariTopic::OwnPits => self.filled(client.opponent()),
            AwariTopic::EmptyPits => Pit::of(client).len() - self.filled(client),
            AwariTopic::Feed => self.filled(client) - legal,
            AwariTopic::OnlyMove => return f64::from(u8::from(legal == 1)),
            AwariTopic::LongGame => return f64::from(u8::from(self.number() >= 10)),
            topic => self.wrong_pits(topic),
        };
        match tempting {
            0 => 0.0,
            _ => tempting as f64 / (tempting + legal) as f64,
        }
    }

    /// Returns the result, and the reason of the end.
    fn endings(&self) -> Vec<AwariTopic> {
        let Status::Over(end) = self.game.status() else {
            return Vec::new();
        };
        // The player who would be to move is the opponent of the last one.
        let is_own = self.to_move() != self.client;
        let has_won = end
            .winner()
            .map(|winner| Color::from(winner) == self.client);
        let result = match (has_won, is_own) {
            (Some(true), true) => AwariTopic::WinByOwnMove,
            (Some(true), false) => AwariTopic::WinByOpponentMove,
            (Some(false), true) => AwariTopic::LossByOwnMove,
            (Some(false), false) => AwariTopic::LossByOpponentMove,
            (None, true) => AwariTopic::DrawByOwnMove,
            (None, false) => AwariTopic::DrawByOpponentMove,
        };
        let reason = match end.ending {
            EndReason::Majority => AwariTopic::Majority,
            EndReason::NoMove => AwariTopic::EmptySide,
            EndReason::Repetition => AwariTopic::Repetition,
            EndReason::GrandSlam => AwariTopic::GrandSlam,
        };
        vec![result, reason]
    }

    fn difference(&self, topic: AwariTopic) -> f64 {
        self.board(topic).map_or(0.0, |board| {
            let pits = board.iter().zip(self.game.pits());
            let different = pits.filter(|(believed, right)| believed != right);
            different.count() as f64 / PITS as f64
        })
    }

    fn faults(&self, pit: Pit, wanted: Option<AwariTopic>) -> Vec<AwariTopic> {
        if Color::from(pit.owner()) != self.client {
            return vec![AwariTopic::OwnPits];
        }
        if !self.is_empty(pit) {
            return vec![AwariTopic::Feed];
        }
        // A client that does not look at the stones has no wrong board.
        let is_believed = |topic: AwariTopic| {
            let mut slips = SLIPS.iter().zip(&self.boards);
            slips.any(|((of, _), board)| *of == topic && stones(board, pit) > 0)
        };
        let topic = wanted.filter(|&topic| is_believed(topic));
        vec![topic.unwrap_or(AwariTopic::EmptyPits)]
    }

    fn special(&self, wanted: Option<AwariTopic>) -> Option<AwariTopic> {
        let only = (self.exposure(AwariTopic::OnlyMove) > 0.0).then_some(AwariTopic::OnlyMove);
        let surprises = self.surprises();
        wanted
            .filter(|topic| surprises.contains(topic))
            .or(only)
            .or(surprises.first().copied())
            .or((self.game.captured() > 0).then_some(AwariTopic::OpponentCaptures))
            .or((self.number() >= 10).then_some(AwariTopic::LongGame))
    }

    /// A client that is wrong about the board always knows a move, or none, as it is told: there is
    /// no pass.
    fn signs(&self, _: Pit) -> Vec<Sign<AwariTopic>> {
        Vec::new()
    }

    fn ways(topic: AwariTopic) -> usize {
        SLIPS.iter().filter(|(of, _)| *of == topic).count().max(1)
    }

    fn guess(&self, topic: AwariTopic, rng: &mut Rng) -> Guess<Pit> {
        let Some(board) = self.board(topic) else {
            return Guess::Plays(self.random_move(rng));
        };
        let pits = Pit::of(self.client.into()).iter();
        let believed: Vec<_> = pits
            .filter(|pit| stones(board, **pit) > 0)
            .map(|pit| (*pit, 1.0))
            .collect();
        match rng.draw(&believed) {
            Some(pit) if self.game.legal_moves().any(|legal| legal == pit) => {
                Guess::Plays(Some(pit))
            }
            // It may take the feeding of the opponent for unnecessary, which is another topic.
            Some(pit) if !self.is_empty(pit) => Guess::Plays(self.random_move(rng)),
            Some(_) => Guess::Shows(1.0),
            None => Guess::Shows(0.5),
        }
    }

    fn surprise(&self, topic: AwariTopic) -> f64 {
        match self.to_move() == self.client && self.surprises().contains(&topic) {
            true => 0.5,
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The boards that are right in one respect are right in all as long as it does not come up.
    #[test]
    fn boards_are_wrong_only_about_their_rule() {
        let mut rng = Rng::new(1);
        let mut is_wrong = [false; SLIPS.len()];
        for number in 0..200 {
            let client = Color::ALL[number % 2];
            let mut game = CheckedAwari::new(client, 0);
            let mut right = *game.game.pits();
            while let Some(pit) = game.random_move(&mut rng) {
                sow(&mut right, pit, None);
                game.play_move(pit).unwrap();
                if game.game.is_over() {
                    break;
                }
                assert_eq!(right, *game.game.pits(), "game {number}");
                for (is_wrong, board) in is_wrong.iter_mut().zip(game.boards) {
                    *is_wrong |= board != right;
                    assert!(
                        board.iter().sum::<u8>() <= crate::games::awari::STONES,
                        "game {number}: {board:?}"
                    );
                }
            }
        }
        assert_eq!(is_wrong, [true; SLIPS.len()]);
    }
}
