//! What a client of the network referee is checked for.

use crate::check::rules;
use crate::check::situation::Topic;
use crate::check::step::steps;

steps! {
    /// A step of the check of a client of the network referee.
    pub enum NetrefStep {
        from rules::DOCUMENT => {
            // The connection and the first request.
            Connect: "connect", "connects to the port of its server number",
                "the server listens at port 29068 plus the server number", "section 2";
            Opening: "opening", "asks for its side",
                "the first request is <version> player white or black, with at most a name of 31 \
                 characters in double quotes, and a version of at most 0.9.1",
                "section 2, table 2";
            LineEnd: "line-end", "ends its requests with CR",
                "input to the server is lines of ASCII text, terminated with a CR", "section 2";
            SideTaken: "side-taken", "ends or asks again when its side is taken",
                "191: other player holds requested side", "section 2, table 3";

            // Its moves.
            Turn: "turn", "moves when it is its turn",
                "the server accepts moves from the players in alternation", "section 2";
            TurnOrder: "turn-order", "sends nothing when it is not its turn",
                "the server accepts moves from the players in alternation", "section 2";
            MoveSyntax: "move-syntax", "writes its moves as the protocol has them",
                "a move is <move number> <ellipses if white> <move>, as in 1 c3 or 1 ... d3; \
                 instead of one there may be pass or resign",
                "section 2, tables 6 and 7";
            Numbering: "numbering", "numbers its moves",
                "the number of Black's and of White's first move is 1, of their second moves 2",
                "section 2, table 6";
            Ellipses: "ellipses", "writes ... before White's moves, and only there",
                "the ellipses are the string ... for a move by White and empty for one by Black",
                "section 2, table 6";
            Retry: "retry", "tries again after a request that was refused",
                "291: illegal request; the number of the move stays the same", "section 2, table 8";

            // The rules.
            Occupied: "occupied", "places no stone on an occupied point",
                rules::OCCUPIED;
            Suicide: "suicide", "places no stone without a liberty",
                rules::BLOCKED;
            OwnEye: "own-eye", "does not fill the only eye of a group of its own",
                rules::BLOCKED;
            OpponentEye: "opponent-eye", "does not fill the only eye of a group of the opponent",
                rules::BLOCKED_BEFORE_CAPTURES;
            OwnCaptures: "own-captures", "changes the color of what it captures",
                rules::CAPTURES;
            OpponentCaptures: "opponent-captures", "changes the color of what is captured from it",
                rules::CAPTURES;
            ForcedPass: "forced-pass", "passes when only a pass is legal",
                rules::FORCED_PASS;
            LastPass: "last-pass", "passes when neither player can place a stone",
                rules::LAST_PASS;
            OpponentPass: "opponent-pass", "plays on after a pass of the opponent",
                rules::TWO_PASSES;
            LongGame: "long-game", "plays on to moves with numbers of two digits",
                "the move number is a standard decimal number", "section 2, table 6";

            // The ends of a game.
            WinByOwnPass: "win-by-own-pass", "ends when its pass wins",
                "201: you win; then the server closes the connection", "section 2, tables 8 and 9";
            WinByOpponentPass: "win-by-opponent-pass", "ends when the opponent's pass loses",
                "322 or 324; then the server closes the connection", "section 2, table 9";
            LossByOwnPass: "loss-by-own-pass", "ends when its pass loses",
                "202: you lose; then the server closes the connection", "section 2, tables 8 and 9";
            LossByOpponentPass: "loss-by-opponent-pass", "ends when the opponent's pass wins",
                "321 or 323; then the server closes the connection", "section 2, table 9";
            DrawByOwnPass: "draw-by-own-pass", "ends when its pass draws",
                "203: you draw; then the server closes the connection", "section 2, tables 8 and 9";
            DrawByOpponentPass: "draw-by-opponent-pass", "ends when the opponent's pass draws",
                "325 or 326; then the server closes the connection", "section 2, table 9";
            OpponentResigns: "opponent-resigns", "ends when the opponent resigns",
                "327 or 328; to a client without a name, the referee sends 322 or 324 with a pass \
                 instead",
                "section 2, tables 7 and 9";
            OpponentLeaves: "opponent-leaves", "ends when the opponent disconnects in its own turn",
                "391 or 392; to a client without a name, the referee sends 322 or 324 with a pass \
                 instead",
                "section 2, table 9";
            OpponentLeavesInTurn: "opponent-leaves-in-turn",
                "ends when the opponent disconnects while the client is to move",
                "391 or 392; to a client without a name, the referee sends 201, and 322 or 324 \
                 with a pass",
                "section 2, tables 8 and 9";
            OpponentFlag: "opponent-flag", "ends when the opponent's flag falls",
                "361: Black wins by White time expiring; 362: White wins by Black time expiring",
                "section 2, table 9";
            OwnFlag: "own-flag", "ends when its own flag falls",
                "202: you lose; then 361 or 362", "section 2, tables 8 and 9";
            Interrupted: "interrupted", "ends or reconnects when the connection is lost",
                "upon termination of the game, the server closes all connections", "section 2";
            InterruptedInTurn: "interrupted-in-turn",
                "ends or reconnects when the connection is lost while it is to move",
                "upon termination of the game, the server closes all connections", "section 2";

            // How and what the referee sends.
            Clocks: "clocks", "plays with clocks",
                "101 <secs> <opp-secs>, 207 <secs>, 313 <move-number> <move> <secs>, 314 and 317, \
                 318",
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
            SlowOpponent: "slow-opponent", "waits for an opponent who takes time",
                "the server accepts moves from the players in alternation", "section 2";
        }
    }
}

impl NetrefStep {
    /// The steps without which no game is played.
    pub const BASICS: [NetrefStep; 7] = [
        NetrefStep::Connect,
        NetrefStep::Opening,
        NetrefStep::Turn,
        NetrefStep::TurnOrder,
        NetrefStep::MoveSyntax,
        NetrefStep::Numbering,
        NetrefStep::Ellipses,
    ];

    /// The steps about situations and ends of a game, with their topics.
    const TOPICS: [(NetrefStep, Topic); 16] = [
        (NetrefStep::Occupied, Topic::Occupied),
        (NetrefStep::Suicide, Topic::Suicide),
        (NetrefStep::OwnEye, Topic::OwnEye),
        (NetrefStep::OpponentEye, Topic::OpponentEye),
        (NetrefStep::OwnCaptures, Topic::OwnCaptures),
        (NetrefStep::OpponentCaptures, Topic::OpponentCaptures),
        (NetrefStep::ForcedPass, Topic::ForcedPass),
        (NetrefStep::LastPass, Topic::LastPass),
        (NetrefStep::OpponentPass, Topic::OpponentPass),
        (NetrefStep::LongGame, Topic::LongGame),
        (NetrefStep::WinByOwnPass, Topic::WinByOwnPass),
        (NetrefStep::WinByOpponentPass, Topic::WinByOpponentPass),
        (NetrefStep::LossByOwnPass, Topic::LossByOwnPass),
        (NetrefStep::LossByOpponentPass, Topic::LossByOpponentPass),
        (NetrefStep::DrawByOwnPass, Topic::DrawByOwnPass),
        (NetrefStep::DrawByOpponentPass, Topic::DrawByOpponentPass),
    ];

    /// Returns what situation or end of a game the step is about, if it is about one.
    pub(super) fn topic(self) -> Option<Topic> {
        let mut topics = Self::TOPICS.into_iter();
        topics.find_map(|(step, topic)| (step == self).then_some(topic))
    }

    /// Returns the step about a topic; that about moves if there is none.
    pub(super) fn about(topic: Option<Topic>) -> NetrefStep {
        let mut topics = Self::TOPICS.into_iter();
        let step = topics.find_map(|(step, of)| (Some(of) == topic).then_some(step));
        step.unwrap_or(NetrefStep::Turn)
    }
}
