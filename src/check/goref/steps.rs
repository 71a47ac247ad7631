//! The steps of the check of a client of Go contests.

use crate::check::step::{Rule, Step as _, rule, steps};

/// What follows the end of a game.
const READY: Rule = rule!(
    "after END, the client returns to READY to wait for a new START",
    "Scenarios, Ending a game"
);

/// Captures.
const CAPTURES: Rule = rule!(
    "the rules are those of Go: stones without a liberty are captured",
    "Formats and Enumerations"
);

/// The packets of messages.
const MESSAGES: Rule = rule!(
    "messages are those of WebSocket, wherever packets end",
    "Websockets"
);

impl GorefStep {
    /// Returns all steps in the order in which they are checked: those with many moves last.
    pub fn by_cost() -> Vec<GorefStep> {
        let mut steps = GorefStep::all();
        steps.sort_by_key(|step| matches!(step, GorefStep::LegalMoves | GorefStep::Retry));
        steps
    }
}

steps! {
    /// A step of the check of a client of Go contests.
    pub enum GorefStep {
        from "Go Communication Protocol" => {
            // The connection.
            Connect: "connect", "connects to the server",
                "the communication is done using the WebSocket protocol, version 13", "Websockets";
            Name: "name", "answers NAME with its name",
                "a client replies to NAME with {\"type\": \"NAME\", \"name\": String}, and \
                 \"protocol\", which is \"v1\" or \"v2\", if it wants to",
                "Scenarios, Initialization, and Client to Server Message Formats";
            Ready: "ready", "waits for START after its name",
                "the client waits in the READY state", "Scenarios, Initialization";
            Pong: "pong", "answers pings, even while it thinks",
                "a client that does not reply to a ping within the ping interval is disconnected",
                "Websockets";

            // The game.
            Black: "black", "plays Black",
                "the client whose color is the same as the current turn moves to THINKING",
                "Scenarios, Starting a game";
            White: "white", "plays White",
                "the other client moves to IDLE, and to THINKING when it receives MOVE",
                "Scenarios, Starting a game, and Client State Machine";
            MoveFormat: "move-format", "sends its moves as the protocol has them",
                "{\"type\": \"MOVE\", \"move\": {\"type\": \"place\", \"point\": {\"row\": Whole, \
                 \"column\": Whole}}}, or the move {\"type\": \"pass\"} or {\"type\": \"resign\"}",
                "Formats and Enumerations";
            TurnOrder: "turn-order", "sends nothing when it is not its turn",
                "MOVE is sent only in the state THINKING", "Client State Machine";
            LegalMoves: "legal-moves", "makes no illegal moves",
                "INVALID: the move is rejected, by the rules of Go with ko and superko",
                "Formats and Enumerations";
            Retry: "retry", "moves again after INVALID",
                "after INVALID, the client returns to the THINKING state",
                "Scenarios, Doing a move";
            OpponentPass: "opponent-pass", "plays on after a pass of the opponent",
                "after MOVE, the client moves to THINKING", "Client State Machine";
            TimePressure: "time-pressure", "moves before its flag falls",
                "remainingTime is the time of the player in milliseconds",
                "Formats and Enumerations";
            Bytewise: "bytewise", "reads messages that come byte by byte",
                MESSAGES;
            Merged: "merged", "reads messages that come in one packet",
                MESSAGES;
            Fragments: "fragments", "reads messages that come in several frames",
                "messages are those of WebSocket, which may be fragmented (RFC 6455, section 5.4)",
                "Websockets";

            // The rules.
            OwnCaptures: "own-captures", "removes what it captures",
                CAPTURES;
            OpponentCaptures: "opponent-captures", "removes what is captured from it",
                CAPTURES;
            Suicide: "suicide", "places no stone without a liberty",
                "INVALID: the move is rejected, by the rules of Go", "Formats and Enumerations";
            Ko: "ko", "does not take back a ko at once",
                "the property ko is true if the ko rule is applied",
                "Formats and Enumerations, GameConfiguration";
            Superko: "superko", "repeats no board with the same player to move",
                "superko means that the board and turn pair never repeat",
                "Formats and Enumerations, GameConfiguration";
            ForcedPass: "forced-pass", "passes when it can place no stone",
                "the move {\"type\": \"pass\"}", "Formats and Enumerations";

            // The positions from which a game starts or resumes.
            InitialState: "initial-state", "plays from a position with stones",
                "initialState contains the board, the players and the turn",
                "Formats and Enumerations, GameConfiguration";
            LogEven: "log-even", "goes on after an even number of moves",
                "the client applies all the moves in the log to the initial state; it thinks if its \
                 color is the initial turn and the length of the log is even",
                "Formats and Enumerations, GameConfiguration, and Scenarios, Starting a game";
            LogOdd: "log-odd", "goes on after an odd number of moves",
                "the client applies all the moves in the log to the initial state; it thinks if its \
                 color is not the initial turn and the length of the log is odd",
                "Formats and Enumerations, GameConfiguration, and Scenarios, Starting a game";
            LogPass: "log-pass", "goes on after moves with a pass",
                "the client applies all the moves in the log to the initial state",
                "Formats and Enumerations, GameConfiguration";
            FinalStates: "final-states", "goes on with protocol v2",
                "finalStates contains the latest two states, or one",
                "Formats and Enumerations, GameConfigurationV2";

            // The ends of a game.
            WinByOwnPass: "win-by-own-pass", "is ready for a game after its pass has won",
                READY;
            WinByOpponentPass: "win-by-opponent-pass", "is ready for a game after the opponent's pass has lost",
                READY;
            LossByOwnPass: "loss-by-own-pass", "is ready for a game after its pass has lost",
                READY;
            LossByOpponentPass: "loss-by-opponent-pass", "is ready for a game after the opponent's pass has won",
                READY;
            DrawByOwnPass: "draw-by-own-pass", "is ready for a game after its pass has drawn",
                READY;
            DrawByOpponentPass: "draw-by-opponent-pass", "is ready for a game after the opponent's pass has drawn",
                READY;
            OpponentResigns: "opponent-resigns", "is ready for a game after the opponent resigns",
                READY;
            OpponentFlag: "opponent-flag", "is ready for a game after the opponent's flag has fallen",
                READY;
            OwnFlag: "own-flag", "is ready for a game after its own flag has fallen",
                "END comes at any moment; the client returns to READY to wait for a new START",
                "Scenarios, Ending a game";
            Mercy: "mercy", "is ready for a game after one that mercy has ended",
                READY;
            Pause: "pause", "goes on after a pause",
                READY;
            Error: "error", "goes on after the opponent was disconnected",
                "clients that receive END with the reason error stay READY for the game to continue",
                "Scenarios, Disconnection";
            Reconnect: "reconnect", "connects again when the connection is lost",
                "the disconnected client requests a new connection and goes through the \
                 initialization sequence", "Scenarios, Disconnection, and Client State Machine";
            ReconnectInGame: "reconnect-in-game", "goes on after its connection was lost in a game",
                "after both clients are connected, the server sends a new START with the checkpoint",
                "Scenarios, Disconnection";
        }
    }
}
