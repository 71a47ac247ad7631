//! The commands of the protocol, which are the same for all games on a board.

use std::time::Duration;

use super::engine::Reply;
use super::{GtpStep, Session, Trouble, quoted};
use crate::games::gothello::Move;

/// The commands that every engine has.
const REQUIRED: [&str; 11] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
];

/// A command that no engine has.
const UNKNOWN: &str = "no_such_command";

/// How long to wait for unexpected output.
const SILENCE: Duration = Duration::from_millis(100);

/// The maximum number of listed commands that are looked up.
const MAX_COMMANDS: usize = 500;

/// The command with a known response.
const VERSION: &str = "protocol_version";

impl Session<'_> {
    /// Checks a step that is not about Gothello.
    ///
    /// # Errors
    /// The engine does something wrong, or the step is not reached.
    pub(super) fn protocol(&mut self, step: GtpStep) -> Result<(), Trouble> {
        match step {
            GtpStep::Start => self.start(),
            GtpStep::Response => self.responses(),
            GtpStep::NothingElse => self.nothing_else(),
            GtpStep::Order => self.order(),
            GtpStep::Id => self.ids(),
            GtpStep::LargeId => self.large_ids(),
            GtpStep::Comments => self.comments(),
            GtpStep::EmptyLines => self.one_response("\n   \n\t\n\r\nprotocol_version\n\n \n"),
            GtpStep::LineEnds => self.line_ends(),
            GtpStep::ControlCharacters => {
                self.one_response("proto\u{1}col_\u{1b}version\u{7f}\u{2}\n")
            }
            GtpStep::Tabs => self.accepted_on_new_board(&["play\tb\tC3", "komi\t6.5\t"]),
            GtpStep::Spaces => self.accepted_on_new_board(&["  play  b   C3  ", "komi 6.5 "]),
            GtpStep::Bytewise => self.bytewise(),
            GtpStep::UnknownCommand => self.unknown_command(),
            GtpStep::WrongArguments => self.wrong_arguments(),
            GtpStep::ProtocolVersion => self.protocol_version(),
            GtpStep::Name => self.one_line("name", false),
            GtpStep::Version => self.one_line("version", true),
            GtpStep::ListCommands => self.list_commands(),
            GtpStep::KnownCommand => self.known_command(),
            GtpStep::Quit => self.quit(),
            GtpStep::EndOfInput => self.end_of_input(),
            GtpStep::BoardSize => self.accepted_on_new_board(&[
                "play b E5",
                "play w A1",
                "boardsize 5",
                "clear_board",
                "play b A5",
            ]),
            GtpStep::OtherBoardSize => self.other_board_size(),
            GtpStep::ClearBoard => self.clear_board(),
            GtpStep::Komi => self.all_accepted(&["komi 0", "komi 6.5", "komi -3.5", "komi 1000"]),
            GtpStep::Colors => self.colors(),
            GtpStep::Vertices => self.vertices(),
            GtpStep::Genmove => self.genmove_form(),
            GtpStep::GenmovePlays => self.genmove_plays(),
            GtpStep::RefusedMove => self.refused_move(),
            GtpStep::RegGenmove => self.reg_genmove(),
            GtpStep::TimeSettings => self.all_accepted(&[
                "time_settings 60 0 0",
                "time_settings 60 30 5",
                "time_settings 0 10 1",
                "time_settings 0 1 0",
            ]),
            GtpStep::TimeLeft => self.time_left(),
            _ => Ok(()),
        }
    }

    fn start(&mut self) -> Result<(), Trouble> {
        let reply = self.engine.ask(VERSION)?;
        self.known.protocol_version = Some(reply.text().to_owned());
        Ok(())
    }

    /// Checks that a response is the one to `protocol_version`.
    fn expect_version(&self, reply: &Reply, sent: &str) -> Result<(), Trouble> {
        let expected = self.known.protocol_version.as_deref().unwrap_or_default();
        match reply.text() == expected {
            true => Ok(()),
            false => Err(Trouble::failed(format!(
                "it answered {} with {}, and otherwise {VERSION} with {}",
                quoted(sent),
                reply.quoted(),
                quoted(&format!("= {expected}")),
            ))),
        }
    }

    /// Sends text that contains `protocol_version` and nothing else that has a response.
    fn one_response(&mut self, text: &str) -> Result<(), Trouble> {
        self.engine.send(text);
        let reply = self.engine.reply(VERSION)?;
        self.expect_version(&reply, VERSION)?;
        self.no_second_response(text)
    }

    /// Checks that nothing comes after the only response that was due.
    fn no_second_response(&mut self, text: &str) -> Result<(), Trouble> {
        let after = format!("after its response to {}, the only one due", quoted(text));
        match self.engine.expect_silence(SILENCE, &after) {
            // It has answered more than it should.
            Err(Trouble::Failed(fault)) => Err(Trouble::failed(fault.found)),
            silent => silent,
        }
    }

    fn all_accepted(&mut self, commands: &[&str]) -> Result<(), Trouble> {
        for command in commands {
            self.engine.command(command)?;
        }
        Ok(())
    }

    fn accepted_on_new_board(&mut self, commands: &[&str]) -> Result<(), Trouble> {
        self.new_board()?;
        self.all_accepted(commands)
    }

    fn all_refused(&mut self, commands: &[&str]) -> Result<(), Trouble> {
        for command in commands {
            self.engine.refused(command)?;
        }
        Ok(())
    }

    fn responses(&mut self) -> Result<(), Trouble> {
        self.new_board()?;
        for command in [
            VERSION,
            "list_commands",
            "komi 0",
            "play b C3",
            UNKNOWN,
            "genmove w",
        ] {
            // Every response is checked.
            self.engine.ask(command)?;
        }
        Ok(())
    }

    fn nothing_else(&mut self) -> Result<(), Trouble> {
        self.engine
            .expect_silence(SILENCE, "before the first command")?;
        for command in [
            "name",
            "boardsize 5",
            "clear_board",
            "play b C3",
            UNKNOWN,
            "genmove w",
        ] {
            self.engine.ask(command)?;
            let after = format!("after its response to {}", quoted(command));
            self.engine.expect_silence(SILENCE / 2, &after)?;
        }
        Ok(())
    }

    fn order(&mut self) -> Result<(), Trouble> {
        let known = format!("known_command {VERSION}");
        let unknown = format!("known_command {UNKNOWN}");
        let commands = [
            VERSION,
            &known,
            &unknown,
            "boardsize 5",
            "clear_board",
            "genmove b",
        ];
        let text = commands.join("\n") + "\n" + VERSION + "\n";
        self.engine.send(&text);
        let together = "commands that came together";
        for command in commands {
            let reply = self.engine.reply(command)?;
            let is_right = match command {
                VERSION => self.expect_version(&reply, VERSION).is_ok(),
                _ if command == known => reply.result.as_deref() == Ok("true"),
                _ if command == unknown => reply.result.as_deref() != Ok("true"),
                // Another step checks whether it has such a board.
                _ => true,
            };
            if !is_right {
                let (command, reply) = (quoted(command), reply.quoted());
                let found = format!("it answered {command}, one of {together}, with {reply}");
                return Err(Trouble::failed(found));
            }
        }
        let last = self.engine.reply(VERSION)?;
        self.expect_version(&last, &format!("{VERSION}, the last of {together},"))
    }

    /// Sends a command with a number, which its response must repeat.
    fn ask_with_id(&mut self, id: &str, command: &str) -> Result<Reply, Trouble> {
        let command = format!("{id} {command}");
        self.engine.send(&format!("{command}\n"));
        let reply = self.engine.reply(&command)?;
        match reply.id.as_deref() == Some(id) {
            true => Ok(reply),
            false => Err(Trouble::failed(format!(
                "it answered {} with {}",
                quoted(&command),
                reply.quoted()
            ))),
        }
    }

    fn ids(&mut self) -> Result<(), Trouble> {
        for (id, command) in [
            ("1", VERSION),
            ("7", "list_commands"),
            ("3", UNKNOWN),
            ("0", "boardsize 5"),
            ("42", "clear_board"),
            ("43", "genmove b"),
        ] {
            self.ask_with_id(id, command)?;
        }
        // It must not repeat the last one.
        self.engine.ask(VERSION).map(drop)
    }

    fn large_ids(&mut self) -> Result<(), Trouble> {
        for id in ["1000000", "2147483647"] {
            let reply = self.ask_with_id(id, VERSION)?;
            self.expect_version(&reply, &format!("{id} {VERSION}"))?;
        }
        Ok(())
    }

    fn comments(&mut self) -> Result<(), Trouble> {
        self.one_response("# a comment\nprotocol_version # another\n   # play b C3\n")?;
        self.one_response("protocol_version#\n#quit\n")
    }

    fn line_ends(&mut self) -> Result<(), Trouble> {
        self.one_response("protocol_version\r\n\r\n")?;
        self.all_accepted(&["komi 6.5\r", "list_commands\r"])
    }

    fn bytewise(&mut self) -> Result<(), Trouble> {
        for command in [VERSION, "list_commands", "komi 6.5"] {
            self.engine.send_bytewise(&format!("{command}\n"));
            let reply = self.engine.reply(command)?;
            if reply.result.is_err() {
                let (command, reply) = (quoted(command), reply.quoted());
                let found = format!("it answered {command}, byte by byte, with {reply}");
                return Err(Trouble::failed(found));
            }
        }
        Ok(())
    }

    fn unknown_command(&mut self) -> Result<(), Trouble> {
        self.engine.refused(UNKNOWN)?;
        self.engine.refused(&format!("{UNKNOWN} b C3"))?;
        let reply = self.engine.ask(VERSION)?;
        self.expect_version(&reply, VERSION)
    }

    fn wrong_arguments(&mut self) -> Result<(), Trouble> {
        self.new_board()?;
        self.all_refused(&[
            "play",
            "play b",
            "play x C3",
            "play b Z9",
            "play b C",
            "play b 33",
            "boardsize",
            "boardsize five",
            "komi",
            "komi six",
        ])?;
        let reply = self.engine.ask(VERSION)?;
        self.expect_version(&reply, VERSION)
    }

    fn protocol_version(&mut self) -> Result<(), Trouble> {
        match self.engine.command(VERSION)?.as_str() {
            "2" => Ok(()),
            other => Err(Trouble::failed(format!(
                "it answered {VERSION} with {}",
                quoted(&format!("= {other}"))
            ))),
        }
    }

    /// Checks that the result of a command is one line.
    fn one_line(&mut self, command: &str, may_be_empty: bool) -> Result<(), Trouble> {
        let text = self.engine.command(command)?;
        match text.lines().count() {
            1 => Ok(()),
            0 if may_be_empty => Ok(()),
            lines => Err(Trouble::failed(format!(
                "its result of {command} has {lines} lines"
            ))),
        }
    }

    fn list_commands(&mut self) -> Result<(), Trouble> {
        let text = self.engine.command("list_commands")?;
        let commands = text.lines().map(str::trim);
        self.known.commands = commands.clone().map(str::to_owned).collect();
        if let Some(line) = commands.clone().find(|line| line.contains(' ')) {
            let line = quoted(line);
            let found = format!("it listed {line}: a row has the name of one command");
            return Err(Trouble::failed(found));
        }
        let mut required = REQUIRED.into_iter();
        match required.find(|&command| !self.known.commands.contains(command)) {
            None => Ok(()),
            Some(command) => Err(Trouble::failed(format!(
                "it did not list {command}, which is required"
            ))),
        }
    }

    fn known_command(&mut self) -> Result<(), Trouble> {
        let listed: Vec<String> = self
            .known
            .commands
            .iter()
            .take(MAX_COMMANDS)
            .cloned()
            .collect();
        let required = REQUIRED.map(str::to_owned).into_iter();
        let known = required.chain(listed).map(|name| (name, "true"));
        for (name, expected) in known.chain([(UNKNOWN.to_owned(), "false")]) {
            let command = format!("known_command {name}");
            let reply = self.engine.ask(&command)?;
            if reply.result.as_deref() != Ok(expected) {
                let found = format!(
                    "it answered {} with {}, not with {expected}",
                    quoted(&command),
                    reply.quoted()
                );
                return Err(Trouble::failed(found));
            }
        }
        Ok(())
    }

    fn quit(&mut self) -> Result<(), Trouble> {
        self.engine.send(&format!("{VERSION}\n1 quit\n"));
        let reply = self.engine.reply(VERSION)?;
        self.expect_version(&reply, VERSION)?;
        let reply = self.engine.reply("1 quit")?;
        if reply.result.is_err() || reply.id.as_deref() != Some("1") {
            let found = format!("it answered \"1 quit\" with {}", reply.quoted());
            return Err(Trouble::failed(found));
        }
        self.engine
            .expect_end(self.settings.check.limits.end, "quit")
    }

    fn end_of_input(&mut self) -> Result<(), Trouble> {
        self.engine.send(&format!("{VERSION}\n"));
        self.engine.close_input();
        let reply = self.engine.reply(VERSION)?;
        self.expect_version(&reply, VERSION)?;
        self.engine
            .expect_end(self.settings.check.limits.end, "the end of its input")
    }

    fn other_board_size(&mut self) -> Result<(), Trouble> {
        self.engine.refused("boardsize 1000")?;
        self.accepted_on_new_board(&["play b C3"])
    }

    fn clear_board(&mut self) -> Result<(), Trouble> {
        let game = ["play b C3", "play w D3", "play b C4", "clear_board"];
        self.accepted_on_new_board(&game)?;
        self.all_accepted(&game)?;
        self.all_accepted(&["play b D3", "clear_board", "clear_board", "play b D3"])
    }

    fn colors(&mut self) -> Result<(), Trouble> {
        for (black, white) in [
            ("b", "w"),
            ("B", "W"),
            ("black", "white"),
            ("Black", "White"),
            ("BLACK", "WHITE"),
        ] {
            self.new_board()?;
            self.engine.command(&format!("play {black} C3"))?;
            self.engine.command(&format!("play {white} D3"))?;
            self.engine.command(&format!("genmove {black}"))?;
        }
        Ok(())
    }

    fn vertices(&mut self) -> Result<(), Trouble> {
        self.accepted_on_new_board(&[
            "play b C3",
            "play w d3",
            "play b PASS",
            "play w E5",
            "play b pass",
        ])?;
        // They are the same points.
        self.all_refused(&["play w c3", "play w D3", "play w e5"])
    }

    /// Asks for a move; `None` if the engine resigns.
    pub(super) fn ask_for_move(&mut self, command: &str) -> Result<Option<Move>, Trouble> {
        let vertex = self.engine.command(command)?;
        self.known.asked = self.known.asked.saturating_add(1);
        if vertex.eq_ignore_ascii_case("resign") {
            return Ok(None);
        }
        let mv = vertex.parse();
        if let Ok(Move::Place(_)) = mv {
            self.known.placed = self.known.placed.saturating_add(1);
        }
        mv.map(Some).map_err(|_| {
            let (command, vertex) = (quoted(command), quoted(&format!("= {vertex}")));
            let found = format!(
                "it answered {command} with {vertex}: a vertex is a letter A-E and a digit 1-5"
            );
            Trouble::at(&[GtpStep::Genmove], found)
        })
    }

    fn genmove_form(&mut self) -> Result<(), Trouble> {
        self.new_board()?;
        self.ask_for_move("genmove b")?;
        self.ask_for_move("genmove w")?;
        self.new_board()?;
        self.engine.command("play black C3")?;
        self.ask_for_move("genmove white").map(drop)
    }

    fn genmove_plays(&mut self) -> Result<(), Trouble> {
        self.new_board()?;
        let Some(Move::Place(point)) = self.ask_for_move("genmove b")? else {
            return Err(Trouble::skipped("the engine passed or resigned"));
        };
        let vertex = point.to_string().to_ascii_uppercase();
        let other = if vertex == "C3" { "D3" } else { "C3" };
        self.engine.refused(&format!("play w {vertex}"))?;
        self.engine.command(&format!("play w {other}"))?;
        self.engine.refused(&format!("play b {vertex}"))
    }

    fn refused_move(&mut self) -> Result<(), Trouble> {
        self.new_board()?;
        self.engine.command("play b C3")?;
        let wrong = ["play w C3", "play w Z9", "play w", "komi six", UNKNOWN];
        for command in wrong {
            // Another step checks whether it refuses them.
            self.engine.ask(command)?;
        }
        self.engine.command("play w D3")?;
        self.all_refused(&["play b C3", "play b D3"])?;
        self.engine.command("play b C4").map(drop)
    }

    /// Sends the time left, which ends at zero; the engine must still answer.
    fn time_left(&mut self) -> Result<(), Trouble> {
        self.all_accepted(&[
            "time_left b 60 0",
            "time_left white 30 5",
            "time_left B 1 1",
            "time_left w 0 0",
        ])?;
        for left in ["time_left b 1 0", "time_left b 0 0"] {
            self.new_board()?;
            self.engine.command(left)?;
            self.ask_for_move("genmove b")?;
        }
        // No time limits for the next steps.
        self.engine.ask("time_settings 0 1 0").map(drop)
    }

    fn reg_genmove(&mut self) -> Result<(), Trouble> {
        self.new_board()?;
        self.engine.command("play b C3")?;
        match self.ask_for_move("reg_genmove w")? {
            Some(Move::Place(point)) => self.engine.command(&format!("play w {point}")).map(drop),
            _ => Err(Trouble::skipped("the engine passed or resigned")),
        }
    }
}
