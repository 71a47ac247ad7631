//! The steps of the check of a client of the network referee.

use derive_more::From;

use crate::check::checked::CheckedGame;
use crate::check::step::{Rule, Spec, Step, steps};
use crate::clients::agent::AgentGame;
use crate::contests::netref::NetrefGame;

/// A step of the check of a client of a game with these topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, From)]
pub(crate) enum ClientStep<T> {
    /// About its connection and its requests.
    #[from]
    Request(RequestStep),
    /// About its game.
    Game(T),
    /// About the referee's messages and timing.
    #[from]
    Referee(RefereeStep),
}

steps! {
    /// A step about the connection and the requests of a client.
    pub(crate) enum RequestStep {
        from "" => {
            // The connection and the first request.
            Connect: "connect", "connects to the port of its server number",
                "the server listens at a port for each server number", "section 2";
            Opening: "opening", "asks for its side",
                "the first request is <version> player <side>", "section 2, table 2";
            LineEnd: "line-end", "ends its requests with CR",
                "input to the server is lines of ASCII text, terminated with a CR", "section 2";
            SideTaken: "side-taken", "ends or asks again when its side is taken",
                "191: other player holds requested side", "section 2, table 3";
            RefusedSeat: "refused-seat", "ends or asks again when it gets no seat",
                "192: there are already two players; 199: request not understood",
                "section 2, table 3";

            // Its moves.
            Turn: "turn", "moves when it is its turn",
                "the server accepts moves from the players in alternation", "section 2";
            TurnOrder: "turn-order", "sends nothing when it is not its turn",
                "the server accepts moves from the players in alternation", "section 2";
            MoveSyntax: "move-syntax", "writes its moves as the protocol has them",
                "a move is <move number> <ellipses> <move>", "section 2, tables 6 and 7";
            Numbering: "numbering", "numbers its moves",
                "the number of either player's first move is 1, of their second moves 2",
                "section 2, table 6";
            Ellipses: "ellipses", "writes ... before the moves of the second player, and only there",
                "the ellipses are the string ... for a move by the second player and empty for one \
                 by the first",
                "section 2, table 6";
            Retry: "retry", "tries again after a request that was refused",
                "291: illegal request; the number of the move stays the same", "section 2, table 8";
        }
    }
}

steps! {
    /// A step about the referee's messages and timing.
    pub(crate) enum RefereeStep {
        from "" => {
            // The ends of a game off the board.
            OpponentResigns: "opponent-resigns", "ends when the opponent resigns",
                "327 or 328", "section 2, tables 7 and 9";
            OpponentLeaves: "opponent-leaves", "ends when the opponent disconnects in its own turn",
                "391 or 392", "section 2, table 9";
            OpponentLeavesInTurn: "opponent-leaves-in-turn",
                "ends when the opponent disconnects while the client is to move",
                "391 or 392", "section 2, table 9";
            OpponentFlag: "opponent-flag", "ends when the opponent's flag falls",
                "361 or 362", "section 2, table 9";
            OwnFlag: "own-flag", "ends when its own flag falls",
                "202: you lose; then 361 or 362", "section 2, tables 8 and 9";
            Interrupted: "interrupted", "ends or reconnects when the connection is lost",
                "upon termination of the game, the server closes all connections", "section 2";
            InterruptedInTurn: "interrupted-in-turn",
                "ends or reconnects when the connection is lost while it is to move",
                "upon termination of the game, the server closes all connections", "section 2";
            InterruptedInLine: "interrupted-in-line",
                "ends or reconnects when the connection is lost within a line",
                "a response is a line, terminated with CR and LF", "section 2";
            Reset: "reset", "ends or reconnects when the connection is reset",
                "upon termination of the game, the server closes all connections", "section 2";
            RefereeProblem: "referee-problem", "ends when the referee has a problem",
                "399: unknown problem; upon termination of the game, the server closes all \
                 connections",
                "section 2, table 9";

            // Draws by agreement, in games that have them.
            DrawOffer: "draw-offer", "answers an offer of a draw, or plays on after it",
                "331 or 332; the answer is draw or nodraw", "section 2, tables 7 and 9";

            // The referee's messages and timing.
            Clocks: "clocks", "plays with clocks",
                "101 <secs> <opp-secs>, 207 <secs>, 313 <move-number> <move> <secs>, 314",
                "section 2, tables 3, 8 and 9";
            TimePressure: "time-pressure", "plays with a few seconds on its clock",
                "101 <secs> <opp-secs>, 207 <secs>; 361 and 362 when a flag falls",
                "section 2, tables 3, 8 and 9";
            Bytewise: "bytewise", "reads responses that come byte by byte",
                "a response is a line, terminated with CR and LF, wherever packets end",
                "section 2";
            Merged: "merged", "reads responses that come in one packet",
                "a response is a line, terminated with CR and LF, wherever packets end",
                "section 2";
            Texts: "texts", "reads codes and not the texts after them",
                "the text after a code is explanatory and non-standard", "section 2";
            Resumes: "resumes", "goes on in a match that was interrupted",
                "a client with a name that has asked for its side with version 0.9.2 is sent the moves so \
                 far before 351 or 352",
                "as version 0.9.2 extends it: the guide, Write a bot, step 2";
            Names: "names", "reads names, whatever is in them",
                "341 <name>: a name is a double-quoted string of up to 31 characters, in which two \
                 double quotes are one",
                "section 2, tables 2 and 4";
            SlowOpponent: "slow-opponent", "waits for an opponent who takes time",
                "the server accepts moves from the players in alternation", "section 2";
        }
    }
}

/// The topic of a situation or of an end of a game.
pub(crate) trait ClientTopic: Step {
    /// The game.
    type Game: NetrefGame + AgentGame;
    /// A game with a client.
    type Checked: CheckedGame<Topic = Self, Move = <Self::Game as crate::games::game::Game>::Move>;

    /// The document of the protocol and the rules.
    const DOCUMENT: &'static str;

    /// Starts a game.
    fn start() -> Self::Game;

    /// Returns the document's rule for a step about requests or the referee, if it depends on the
    /// game.
    fn rule(step: ClientStep<Self>) -> Option<Rule>;
}

impl<T: ClientTopic> Step for ClientStep<T> {
    fn all() -> Vec<ClientStep<T>> {
        let requests = RequestStep::all().into_iter().map(ClientStep::Request);
        let topics = T::all().into_iter().map(ClientStep::Game);
        let referee = RefereeStep::all().into_iter().map(ClientStep::Referee);
        let has_game = |step: &ClientStep<T>| {
            T::Game::HAS_DRAWS || *step != ClientStep::Referee(RefereeStep::DrawOffer)
        };
        requests
            .chain(topics)
            .chain(referee.filter(has_game))
            .collect()
    }

    fn spec(self) -> Spec {
        let spec = match self {
            ClientStep::Request(step) => step.spec(),
            ClientStep::Game(topic) => topic.spec(),
            ClientStep::Referee(step) => step.spec(),
        };
        Spec {
            rule: T::rule(self).unwrap_or(spec.rule),
            document: T::DOCUMENT,
            ..spec
        }
    }
}

impl RequestStep {
    /// The steps without which no game is played.
    pub const BASICS: [RequestStep; 7] = [
        RequestStep::Connect,
        RequestStep::Opening,
        RequestStep::Turn,
        RequestStep::TurnOrder,
        RequestStep::MoveSyntax,
        RequestStep::Numbering,
        RequestStep::Ellipses,
    ];
}
