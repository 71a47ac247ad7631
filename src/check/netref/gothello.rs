//! Gothello, for the check of clients.

use super::checked::{CheckedGame, Sign};
use super::steps::{ClientTopic, RefereeStep, RequestStep};
use crate::base::color::Color;
use crate::base::rng::Rng;
use crate::check::gothello::{CheckedGothello, Topic};
use crate::check::step::Rule;
use crate::games::gothello::{Game, IllegalMove, Move};

impl ClientTopic for Topic {
    type Game = Game;
    type Checked = CheckedGothello;

    const DOCUMENT: &'static str = Rule::DOCUMENT;

    fn start() -> Game {
        Game::new()
    }

    fn request_rule(step: RequestStep) -> Option<Rule> {
        let (text, source) = match step {
            RequestStep::Connect => (
                "the server listens at port 29068 plus the server number",
                "section 2",
            ),
            RequestStep::Opening => (
                "the first request is <version> player white or black, with at most a name of 31 \
                 characters in double quotes, and a version of at most 0.9.1",
                "section 2, table 2",
            ),
            RequestStep::MoveSyntax => (
                "a move is <move number> <ellipses if white> <move>, as in 1 c3 or 1 ... d3; \
                 instead of one there may be pass or resign",
                "section 2, tables 6 and 7",
            ),
            _ => return None,
        };
        Some(Rule { text, source })
    }

    fn referee_rule(step: RefereeStep) -> Option<Rule> {
        let (text, source) = match step {
            RefereeStep::OpponentResigns => (
                "327 or 328; to a client without a name, the referee sends 322 or 324 with a pass \
                 instead",
                "section 2, tables 7 and 9",
            ),
            RefereeStep::OpponentLeaves => (
                "391 or 392; to a client without a name, the referee sends 322 or 324 with a pass \
                 instead",
                "section 2, table 9",
            ),
            RefereeStep::OpponentLeavesInTurn => (
                "391 or 392; to a client without a name, the referee sends 201, and 322 or 324 \
                 with a pass",
                "section 2, tables 8 and 9",
            ),
            RefereeStep::OpponentFlag => (
                "361: Black wins by White time expiring; 362: White wins by Black time expiring",
                "section 2, table 9",
            ),
            RefereeStep::Clocks => (
                "101 <secs> <opp-secs>, 207 <secs>, 313 <move-number> <move> <secs>, 314 and 317, \
                 318",
                "section 2, tables 3, 8 and 9",
            ),
            _ => return None,
        };
        Some(Rule { text, source })
    }
}

impl CheckedGame for CheckedGothello {
    type Topic = Topic;
    type Move = Move;
    type MoveError = IllegalMove;

    const SITUATIONS: &'static [Topic] = &Topic::SITUATIONS;
    const ROLLOUTS: usize = 64;
    const MAX_PLIES: usize = 80;

    fn new(client: Color, round: usize) -> CheckedGothello {
        CheckedGothello::new(client, round)
    }

    fn to_move(&self) -> Color {
        self.position().to_move()
    }

    fn number(&self) -> u64 {
        self.number()
    }

    fn legal_moves(&self) -> Vec<Move> {
        self.position().legal_moves().collect()
    }

    /// Places a stone, or passes if it cannot.
    fn random_move(&self, rng: &mut Rng) -> Option<Move> {
        let legal = self.position().placements().legal();
        let points: Vec<_> = legal.iter().map(|point| (point, 1.0)).collect();
        Some(rng.draw(&points).map_or(Move::Pass, Move::Place))
    }

    fn play_move(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.play(mv)
    }

    fn exposure(&self, topic: Topic) -> f64 {
        self.exposure(topic)
    }

    fn endings(&self) -> Vec<Topic> {
        self.ending().into_iter().collect()
    }

    fn difference(&self, topic: Topic) -> f64 {
        self.difference(topic)
    }

    fn faults(&self, mv: Move, wanted: Option<Topic>) -> Vec<Topic> {
        match mv {
            Move::Place(point) => self.faults(point, wanted),
            Move::Pass => Vec::new(),
        }
    }

    fn special(&self, wanted: Option<Topic>) -> Option<Topic> {
        self.special(wanted)
    }

    fn signs(&self, mv: Move) -> Vec<Sign<Topic>> {
        let signs = self
            .signs(mv)
            .map(|(way, topic, missed)| Sign { way, topic, missed });
        signs.collect()
    }

    fn has_ways(topic: Topic) -> bool {
        matches!(topic, Topic::OwnCaptures | Topic::OpponentCaptures)
    }
}
