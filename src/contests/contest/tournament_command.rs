//! The commands of the organizer about the tournament, as they are typed, and as the page sends them.

use thiserror::Error;

use crate::base::names::breaks_line;
use crate::pages::web::{self, RequestedSettingsError};
use crate::tournament::{Remark, ResultCode, ResultCodeError, Settings};

/// How the files of records end.
const RECORD_ENDINGS: [&str; 2] = [".sgf", ".txt"];

/// A command of the organizer about the tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TournamentCommand {
    /// Begins a tournament of the players who are present.
    Begin(Settings),
    /// Withdraws the player of this name.
    Withdraw(String),
    /// Changes the attendance of the player of this name between the rounds of a Swiss tournament.
    Attend(String, Attending),
    /// Decides the result of a game. One that is being played must be paused first where games can be
    /// paused, and is void then.
    Rule(RulingRequest),
    /// Ends the tournament early.
    End,
}

/// A decision about a game that the organizer asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulingRequest {
    /// The game: its [number](crate::tournament::GameNumber::short) in the tournament, or the name of
    /// its record or the number with which that begins.
    pub game: String,
    /// The result; `None` if the game is to be played again.
    pub code: Option<ResultCode>,
    /// Why.
    pub reason: String,
}

/// An invalid command about the tournament.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseTournamentCommandError {
    /// The name of a player is missing.
    #[error("{0} needs the name of a player, as in {0} Red")]
    NoName(&'static str),
    /// The game, the result, or the reason is missing.
    #[error(
        "correct needs a game, its result, and why, as in correct 2.1.1 1-0 the clock was wrong"
    )]
    Correct,
    /// The game or the reason is missing.
    #[error("replay needs a game, and why, as in replay 2.1.1 the wrong program played")]
    Replay,
    /// The result is invalid.
    #[error(transparent)]
    Code(#[from] ResultCodeError),
}

/// An invalid command of the page about the tournament.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PageCommandError {
    /// The settings of a tournament are wrong.
    #[error(transparent)]
    Settings(#[from] RequestedSettingsError),
    /// The result is invalid.
    #[error(transparent)]
    Code(#[from] ResultCodeError),
}

impl TournamentCommand {
    /// What can be typed, for the organizer.
    pub const HELP: &str = "\
correct GAME RESULT WHY  set the result of a game: 1-0, 0-1, 1/2, or by forfeit +/-, -/+, -/-
replay GAME WHY          have a game of the tournament played again, or annul a free game
enter NAME               let a player enter a Swiss tournament that has begun
absent NAME              stop pairing a player, starting with the next round
return NAME              pair an absent player again
withdraw NAME            withdraw a player from the tournament";

    /// Parses a command that is typed; `None` if its first word is no command about the tournament.
    /// The case of that word does not matter.
    ///
    /// # Errors
    /// It lacks something.
    pub fn parse(line: &str) -> Option<Result<TournamentCommand, ParseTournamentCommandError>> {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim_start();
        let name = |what: &'static str| match rest {
            "" => Err(ParseTournamentCommandError::NoName(what)),
            name => Ok(name.to_owned()),
        };
        let attend = |what, attending| Ok(TournamentCommand::Attend(name(what)?, attending));
        Some(match command.to_ascii_lowercase().as_str() {
            "withdraw" => name("withdraw").map(TournamentCommand::Withdraw),
            "enter" => attend("enter", Attending::Enters),
            "absent" => attend("absent", Attending::IsAbsent),
            "return" => attend("return", Attending::Returns),
            "correct" => RulingRequest::parse(rest, true),
            "replay" => RulingRequest::parse(rest, false),
            _ => return None,
        })
    }

    /// Returns the command of the page; `None` if it is not about the tournament.
    ///
    /// # Errors
    /// Something in it is invalid.
    pub fn of_page(command: &web::Command) -> Option<Result<TournamentCommand, PageCommandError>> {
        let attend =
            |name: &str, attending| Ok(TournamentCommand::Attend(name.to_owned(), attending));
        let rule = |game, code, reason| Ok(RulingRequest::command(game, code, reason));
        Some(match command {
            web::Command::Tournament(request) => request
                .settings()
                .map(TournamentCommand::Begin)
                .map_err(PageCommandError::from),
            web::Command::EndTournament => Ok(TournamentCommand::End),
            web::Command::Withdraw { name } => Ok(TournamentCommand::Withdraw(name.clone())),
            web::Command::Enter { name } => attend(name, Attending::Enters),
            web::Command::Absent { name } => attend(name, Attending::IsAbsent),
            web::Command::Return { name } => attend(name, Attending::Returns),
            web::Command::Replay { game, reason } => rule(game, None, reason),
            web::Command::Correct {
                game,
                result,
                reason,
            } => match result.parse() {
                Ok(code) => rule(game, Some(code), reason),
                Err(error) => Err(PageCommandError::Code(error)),
            },
            _ => return None,
        })
    }
}

/// Returns why a game that was begun is void, given the reason for which the organizer decided it.
pub(super) fn why_decided(reason: &str) -> String {
    format!("the organizer decided the game, because {reason}")
}

impl RulingRequest {
    /// Returns the command to decide so about a game, which may be given by the file of its record.
    fn command(game: &str, code: Option<ResultCode>, reason: &str) -> TournamentCommand {
        let mut endings = RECORD_ENDINGS.iter();
        let game = endings
            .find_map(|ending| game.strip_suffix(ending))
            .unwrap_or(game);
        TournamentCommand::Rule(RulingRequest {
            game: game.to_owned(),
            code,
            reason: reason.replace(breaks_line, " ").trim().to_owned(),
        })
    }

    /// Returns the reason as it is kept; `None` if there is none.
    pub fn remark(&self) -> Option<Remark> {
        let reason = self.reason.trim();
        (!reason.is_empty()).then(|| Remark::from(reason))
    }

    /// Returns why the game that was begun is void.
    pub fn why_void(&self) -> String {
        let reason = self.reason.trim();
        match self.code {
            Some(_) => why_decided(reason),
            None => format!("the organizer has the game played again, because {reason}"),
        }
    }

    /// Returns whether this names a game with a record of this name: by the name, or by the number
    /// with which it begins, unless that is a date.
    pub fn is_about(&self, id: &str) -> bool {
        let number = id
            .split('-')
            .next()
            .filter(|number| number.len() != "YYYYMMDD".len());
        let number: Option<u64> = number.and_then(|number| number.parse().ok());
        id == self.game || number.is_some() && number == self.game.parse().ok()
    }

    /// Parses the words after the command: the game, its result if there is one, and the reason.
    fn parse(
        rest: &str,
        has_result: bool,
    ) -> Result<TournamentCommand, ParseTournamentCommandError> {
        let lacks = match has_result {
            true => ParseTournamentCommandError::Correct,
            false => ParseTournamentCommandError::Replay,
        };
        let Some((game, rest)) = rest.split_once(char::is_whitespace) else {
            return Err(lacks);
        };
        let (code, reason) = match (
            has_result,
            rest.trim_start().split_once(char::is_whitespace),
        ) {
            (true, Some((code, reason))) => (Some(code.parse()?), reason),
            (true, None) => return Err(lacks),
            (false, _) => (None, rest),
        };
        match reason.trim() {
            "" => Err(lacks),
            reason => Ok(RulingRequest::command(game, code, reason)),
        }
    }
}

/// How the attendance of a player changes between two rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attending {
    /// The player enters.
    Enters,
    /// The player misses the rounds from the next one on.
    IsAbsent,
    /// The player returns.
    Returns,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_are_parsed_as_people_type_them() {
        let parse = |line| TournamentCommand::parse(line).unwrap().unwrap();
        let rule = |game: &str, code: &str, reason: &str| {
            TournamentCommand::Rule(RulingRequest {
                game: game.to_owned(),
                code: code.parse().ok(),
                reason: reason.to_owned(),
            })
        };
        let attend = |name: &str, attending| TournamentCommand::Attend(name.to_owned(), attending);
        for (line, command) in [
            (
                "correct 2.1.1 1-0 the clock was wrong",
                rule("2.1.1", "1-0", "the clock was wrong"),
            ),
            ("Correct\t2.1  +/- absent", rule("2.1", "+/-", "absent")),
            (
                "replay 0007-Ann-Bob wrong rules\r",
                rule("0007-Ann-Bob", "", "wrong rules"),
            ),
            (
                "replay 1.2 the\u{202e} clock\u{7}",
                rule("1.2", "", "the  clock"),
            ),
            ("enter Team Red", attend("Team Red", Attending::Enters)),
            ("absent Red", attend("Red", Attending::IsAbsent)),
            ("return Red", attend("Red", Attending::Returns)),
            ("withdraw Red", TournamentCommand::Withdraw("Red".into())),
        ] {
            assert_eq!(parse(line), command, "{line:?}");
        }
        for other in ["", "list", "corrects 1", "void 1"] {
            assert_eq!(TournamentCommand::parse(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_game_is_named_by_its_record_or_by_the_number_of_that() {
        let is_about = |game: &str, id| {
            let request = RulingRequest {
                game: game.to_owned(),
                code: None,
                reason: String::new(),
            };
            request.is_about(id)
        };
        for game in ["0012-Red-Blue", "12", "0012"] {
            assert!(is_about(game, "0012-Red-Blue"), "{game}");
        }
        for game in ["2", "Red", "12-Red", ""] {
            assert!(!is_about(game, "0012-Red-Blue"), "{game}");
        }
        // These begin with the date, on which others were played, too.
        let played = "20261120-093000-000000-0";
        assert!(is_about(played, played));
        assert!(!is_about("20261120", played));
    }

    #[test]
    fn what_a_command_lacks_is_told() {
        let told = [
            "correct",
            "correct 2.1",
            "correct 2.1 1-0",
            "correct 2.1 2-0 why",
            "replay",
            "replay 2.1",
            "enter ",
        ]
        .map(|line| {
            TournamentCommand::parse(line)
                .unwrap()
                .unwrap_err()
                .to_string()
        });
        insta::assert_snapshot!(told.join("\n"), @r#"
        correct needs a game, its result, and why, as in correct 2.1.1 1-0 the clock was wrong
        correct needs a game, its result, and why, as in correct 2.1.1 1-0 the clock was wrong
        correct needs a game, its result, and why, as in correct 2.1.1 1-0 the clock was wrong
        "2-0" is not a result: give 1-0, 0-1 or 1/2, with Black's (South's) points first, or +/-, -/+ or -/- for forfeits
        replay needs a game, and why, as in replay 2.1.1 the wrong program played
        replay needs a game, and why, as in replay 2.1.1 the wrong program played
        enter needs the name of a player, as in enter Red
        "#);
    }

    proptest! {
        #[test]
        fn no_line_makes_the_parser_panic(line in "(correct|replay|enter)?\\PC*") {
            let _ = TournamentCommand::parse(&line);
        }
    }
}
