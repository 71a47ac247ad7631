//! The steps of the check of a GTP engine that plays Gothello.

use crate::check::step::{Rule, steps};

steps! {
    /// A step of the check of a GTP engine.
    pub enum GtpStep {
        from "Specification of the Go Text Protocol, version 2, draft 2" => {
            // Commands and responses.
            Start: "start", "answers its first command",
                "the controller sends commands, to which the engine responds",
                "section 1.3, Communication Model";
            Response: "response", "begins a response with = or ?, and ends it with an empty line",
                "a response is = or, if the command fails, ?, then the number of the command if it \
                 has one, a space, the result, and two newlines",
                "sections 2.6 and 2.7";
            NothingElse: "nothing-else", "writes nothing but responses on standard output",
                "all communication is initiated by the controller; an engine writes its log on \
                 standard error",
                "sections 1.3, Communication Model, and 2.6";
            Order: "order", "answers commands that come together, one after the other",
                "the controller may send commands before it has read the responses to those \
                 before, which come in the order of the commands",
                "section 2.8";
            Id: "id", "repeats the number of a command, and writes none if there is none",
                "a command may begin with a number, which the response must repeat right after = \
                 or ?",
                "sections 2.5, Command Structure, 2.6 and 2.7";
            LargeId: "large-id", "repeats a large number",
                "an int is an unsigned integer up to 2147483647", "section 3.2.1, Simple Entities";
            Comments: "comments", "ignores comments",
                "from a hash sign on, the text of a line is removed",
                "sections 2.9 and 3.1, Preprocessing";
            EmptyLines: "empty-lines", "ignores empty lines",
                "empty lines and lines with only white space are discarded",
                "sections 2.10 and 3.1, Preprocessing";
            LineEnds: "line-ends", "reads lines that end with CR and LF",
                "a CR is removed, wherever it is", "section 3.1, Preprocessing";
            ControlCharacters: "control-characters", "ignores control characters",
                "control characters other than HT and LF are removed", "section 3.1, Preprocessing";
            Tabs: "tabs", "reads tabs as spaces",
                "HT is converted to a space", "section 3.1, Preprocessing";
            Spaces: "spaces", "reads more spaces than one, at any place",
                "spaces and tabs are white space, which separates words", "section 2.3, Whitespace";
            Bytewise: "bytewise", "reads commands that come byte by byte",
                "a command ends with a newline, however it arrives",
                "section 2.4, Newline Convention";
            UnknownCommand: "unknown-command", "refuses a command that it does not know",
                "the response to a command that fails begins with ?", "section 2.7";
            WrongArguments: "wrong-arguments", "refuses wrong arguments",
                "boardsize, komi and play fail with a syntax error",
                "sections 6.3.2, Setup Commands, and 6.3.3, Core Play Commands";

            // The commands that every engine has.
            ProtocolVersion: "protocol-version", "speaks version 2 of the protocol",
                "protocol_version never fails; for this specification it is 2",
                "section 6.3.1, Administrative Commands";
            Name: "name", "gives its name",
                "name never fails", "section 6.3.1, Administrative Commands";
            Version: "version", "gives its version",
                "version never fails; it may be empty", "section 6.3.1, Administrative Commands";
            ListCommands: "list-commands", "lists its commands, those that are required among them",
                "list_commands never fails, and gives one command per row; protocol_version, name, \
                 version, known_command, list_commands, quit, boardsize, clear_board, komi, play \
                 and genmove are required",
                "sections 6.1, Required Commands, and 6.3.1, Administrative Commands";
            KnownCommand: "known-command", "knows the commands that it lists, and no others",
                "known_command never fails, and gives true or false",
                "section 6.3.1, Administrative Commands";
            Quit: "quit", "answers quit, and ends",
                "quit never fails; its full response is sent before the connection is closed",
                "section 6.3.1, Administrative Commands";
            EndOfInput: "end-of-input", "ends when its input ends",
                "the controller has closed the connection, and there is nobody to play for",
                "section 1.3, Communication Model";
            BoardSize: "boardsize", "accepts a board of 5x5 points",
                "boardsize changes the size of the board", "section 6.3.2, Setup Commands";
            OtherBoardSize: "other-boardsize", "refuses a board size that it does not have",
                "if the engine cannot handle the new size, boardsize fails with the error message \
                 \"unacceptable size\"",
                "section 6.3.2, Setup Commands";
            ClearBoard: "clear-board", "starts a new game, even in the middle of one",
                "clear_board never fails; it clears the board and the history",
                "section 6.3.2, Setup Commands";
            Komi: "komi", "accepts any komi",
                "the engine must accept the komi even if it should be ridiculous",
                "section 6.3.2, Setup Commands";
            Colors: "colors", "reads b and black, w and white, in upper and lower case",
                "a color is white or w, black or b, and is not case sensitive",
                "section 3.2.1, Simple Entities";
            Vertices: "vertices", "reads vertices and passes in upper and lower case",
                "a vertex is a letter and a number, or pass, and is not case sensitive",
                "sections 2.11 and 3.2.1, Simple Entities";
            Genmove: "genmove", "answers genmove with a vertex, pass or resign",
                "genmove never fails; it gives the vertex where the move was played, or resign",
                "section 6.3.3, Core Play Commands";
            GenmovePlays: "genmove-plays", "has played the move that it answers",
                "a stone is played where the engine chooses", "section 6.3.3, Core Play Commands";
            RefusedMove: "refused-move", "leaves the position as it was when it refuses a command",
                "a command that fails has no effect: play fails if the move is illegal",
                "section 6.3.3, Core Play Commands";

            // The commands that an engine may have.
            RegGenmove: "reg-genmove", "does not play the move of reg_genmove",
                "reg_genmove does not play the generated move",
                "section 6.3.5, Regression Commands";
            TimeSettings: "time-settings", "accepts any time control",
                "time_settings: the engine must accept the requested values",
                "sections 4.2, Time Handling, and 6.3.4, Tournament Commands";
            TimeLeft: "time-left", "accepts any time left",
                "time_left fails only with a syntax error", "section 6.3.4, Tournament Commands";

            // Games of Gothello by these commands.
            Undo: "undo", "takes moves back, with their captures",
                "the board is reset to the state before the last move",
                "section 6.3.3, Core Play Commands";
            LoadSgf: "loadsgf", "loads a game, and refuses a file that does not exist",
                "the position is found by replaying the game record; if the file does not exist, \
                 loadsgf fails with the error message \"cannot load file\"",
                "section 6.3.5, Regression Commands";
            BlackScore: "black-score", "tells the score of a game that Black has won",
                "the score is W+ or B+ and a number, or 0",
                "sections 4.3 and 6.3.4, Tournament Commands";
            WhiteScore: "white-score", "tells the score of a game that White has won",
                "the score is W+ or B+ and a number, or 0",
                "sections 4.3 and 6.3.4, Tournament Commands";
            DrawnScore: "drawn-score", "tells the score of a draw",
                "the score is W+ or B+ and a number, or 0",
                "sections 4.3 and 6.3.4, Tournament Commands";
            BothColors: "both-colors", "plays a game to its end, with both colors",
                "the controller is allowed to use genmove for either color",
                "section 6.3.3, Core Play Commands";
            TwoPasses: "two-passes", "answers after the end of a game, and starts another",
                "clear_board never fails", "section 6.3.2, Setup Commands";
            LongSession: "long-session", "plays many games, one after the other",
                "clear_board never fails; it clears the board and the history",
                "section 6.3.2, Setup Commands";
            TimePressure: "time-pressure", "keeps to a clock of a few seconds",
                "the main time is that for all moves of a game", "section 4.2, Time Handling";

            // The rules, for the moves that it is sent.
        }

        from Rule::DOCUMENT => {
            LegalMoves: "legal-moves", "accepts every legal move",
                "a move is illegal if it is to an occupied space, or if the stone becomes part of \
                 a group with no liberties; every other one is legal",
                "section 1";
            Passes: "passes", "accepts a pass at any time",
                "a player may pass instead of placing a stone", "section 1, GothelloPass";
            RefusesOccupied: "refuses-occupied", "refuses a stone on an occupied point",
                Rule::OCCUPIED;
            RefusesSuicide: "refuses-suicide", "refuses a stone without a liberty",
                Rule::BLOCKED;
            RefusesOwnEye: "refuses-own-eye",
                "refuses a stone that fills the only eye of its group",
                Rule::BLOCKED;
            RefusesOpponentEye: "refuses-opponent-eye",
                "refuses a stone that fills the only eye of a group of the opponent",
                Rule::BLOCKED_BEFORE_CAPTURES;
            Captures: "captures", "changes the color of captured stones",
                Rule::CAPTURES;

            // The rules, for its own moves.
            Occupied: "occupied", "places no stone on an occupied point",
                Rule::OCCUPIED;
            Suicide: "suicide", "places no stone without a liberty",
                Rule::BLOCKED;
            OwnEye: "own-eye", "does not fill the only eye of a group of its own",
                Rule::BLOCKED;
            OpponentEye: "opponent-eye", "does not fill the only eye of a group of the opponent",
                Rule::BLOCKED_BEFORE_CAPTURES;
            OpponentCaptures: "opponent-captures",
                "plays on after stones have been captured from it",
                Rule::CAPTURES;
            ForcedPass: "forced-pass", "passes when only a pass is legal",
                Rule::FORCED_PASS;
            LastPass: "last-pass", "passes when neither player can place a stone",
                Rule::LAST_PASS;
            OpponentPass: "opponent-pass", "plays on after a pass of the opponent",
                Rule::TWO_PASSES;
            LongGame: "long-game", "plays on after many moves",
                Rule::TWO_PASSES;
        }
    }
}
