//! Tips for wrong command lines that the parser alone cannot give.

use std::env;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::command;

/// Words that people type for a command, each group with a tip.
const COMMAND_TIPS: [(&[&str], &str); 8] = [
    (
        &["engine", "gogui", "gpt"],
        "'gothello gtp', or 'gothello' alone, is the engine",
    ),
    (
        &["human", "client", "gui", "browser"],
        "'gothello play' is a page to play on; 'gothello netplay' plays a match over a network, \
         'gothello goplay' in a Go contest",
    ),
    (
        &["referee", "host", "server", "serve"],
        "'gothello netref' referees matches of Gothello and Awari, 'gothello goref' Go contests",
    ),
    (
        &["matches", "twogtp", "gauntlet", "sprt"],
        "'gothello match' plays matches of GTP engines and other programs; 'gothello netref' \
         referees those over a network",
    ),
    (
        &["observe", "watch"],
        "'gothello netplay' observes a match over a network",
    ),
    (
        &["contest", "tournament", "go"],
        "'gothello goref' runs a Go contest, 'gothello goplay' plays in one; 'gothello match' plays \
         tournaments of programs on one machine",
    ),
    (
        &["elo", "stats", "statistics"],
        "'gothello match stats' computes Elo and tests from the results of a match",
    ),
    (
        &["analyze", "prove", "value"],
        "'gothello solve' proves the value of a position",
    ),
];

/// The tip for players of a match that are given without an option.
const MATCH_TIP: &str =
    "give each player with an option, as in --player \"gnugo=gnugo --mode gtp\"";

/// The tip for an option of the built-in player that is given beside an engine.
const ENGINE_OPTION_TIP: &str =
    "give it to the engine, inside the quotes, as in --engine \"gothello gtp --move-time 2\"";

/// Adds a tip to an error: about an unknown command, which commands may be meant; about an
/// extra word, that quotes may be missing around a value, or around the command line of an
/// engine.
pub fn with_tip(mut error: clap::Error) -> clap::Error {
    let words = env::args_os().skip(1);
    let words: Vec<_> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    if let Some(tip) = (Mistake {
        error: &error,
        words: &words,
    })
    .tip()
    {
        error.remove(ContextKind::SuggestedSubcommand);
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// A wrong command line.
struct Mistake<'a> {
    error: &'a clap::Error,
    /// The words after the program's name.
    words: &'a [&'a str],
}

impl Mistake<'_> {
    /// Returns the tip, if there is one.
    fn tip(&self) -> Option<String> {
        if let Some(typed) = self.named(ContextKind::InvalidSubcommand) {
            return self.command_tip(typed);
        }
        let invalid = self.named(ContextKind::InvalidArg)?;
        match self.error.kind() {
            ErrorKind::ArgumentConflict => {
                self.is_of_engine().then(|| ENGINE_OPTION_TIP.to_owned())
            }
            ErrorKind::UnknownArgument => self
                .misplaced_tip(invalid)
                .or_else(|| self.check_tip(invalid))
                .or_else(|| self.stats_tip(invalid))
                .or_else(|| self.positional_tip(invalid))
                .or_else(|| self.quotes_tip(invalid)),
            _ => None,
        }
    }

    /// Returns what the error says of this kind: one word, several, or none.
    fn context(&self, kind: ContextKind) -> Vec<&str> {
        match self.error.get(kind) {
            Some(ContextValue::String(word)) => vec![word],
            Some(ContextValue::Strings(words)) => words.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the first word that the error says of this kind.
    fn named(&self, kind: ContextKind) -> Option<&str> {
        self.context(kind).first().copied()
    }

    /// Returns the tip about a word that is no command.
    fn command_tip(&self, typed: &str) -> Option<String> {
        let word = typed.to_ascii_lowercase();
        let mut tips = COMMAND_TIPS.iter();
        let found = tips.find(|(words, _)| words.contains(&&*word));
        let suggested = self.named(ContextKind::SuggestedSubcommand);
        match (found, self.words) {
            (Some((_, tip)), _) => Some((*tip).to_owned()),
            (None, ["match", rest @ ..]) => Some(match_tip(typed, rest, suggested)),
            (None, ["check", ..]) if suggested.is_none() => Some(format!(
                "say first what the program speaks, gtp, netref, or goref, as in \
                 gothello check gtp -- {typed}"
            )),
            _ => None,
        }
    }

    /// Returns the tip about an option of other commands that is given before any command.
    fn misplaced_tip(&self, option: &str) -> Option<String> {
        let name = option.strip_prefix("--")?;
        if !self.words.first()?.starts_with('-') {
            return None;
        }
        let all = command();
        let commands = all.get_subcommands().filter(|command| {
            let mut arguments = command.get_arguments();
            !command.is_hide_set() && arguments.any(|argument| argument.get_long() == Some(name))
        });
        let commands: Vec<_> = commands.map(clap::Command::get_name).collect();
        let commands = match commands.split_last()? {
            (last, []) => (*last).to_owned(),
            (last, others) => format!("{} and {last}", others.join(", ")),
        };
        Some(format!(
            "{option} is an option of {commands}: give it after the command"
        ))
    }

    /// Returns the tip about the command of a program that is given to `gothello check`: about a
    /// word before it, or about the place of its own options.
    fn check_tip(&self, invalid: &str) -> Option<String> {
        let ["check", rest @ ..] = self.words else {
            return None;
        };
        if invalid.starts_with('-') {
            let is_mistyped = self.error.get(ContextKind::SuggestedArg).is_some();
            let check = rest.first().unwrap_or(&"gtp");
            return (!is_mistyped).then(|| {
                format!(
                    "options of the program stand after -- and its command, as in \
                     gothello check {check} -- ./program {invalid}"
                )
            });
        }
        let place = self.words.iter().position(|&word| word == invalid)?;
        let (options, command) = self.words.split_at(place);
        let quoted = |words: &[&str]| shlex::try_join(words.iter().copied()).ok();
        Some(format!(
            "put -- before the command of the program: gothello {} -- {}",
            quoted(options)?,
            quoted(command)?
        ))
    }

    /// Returns the tip about a results file that is given to `gothello match stats`.
    fn stats_tip(&self, word: &str) -> Option<String> {
        let is_file = matches!(self.words, ["match", "stats", ..]) && !word.starts_with('-');
        is_file.then(|| format!("gothello match report {word} prints the report on a results file"))
    }

    /// Returns the tip about an unknown option for what is given in another way.
    fn positional_tip(&self, option: &str) -> Option<String> {
        let tip = match (*self.words.first()?, option) {
            ("netplay", "--host" | "--server" | "--address" | "--role" | "--color" | "--side") => {
                "give server and role without an option, as in gothello netplay localhost:29068 \
                 black"
            }
            ("goplay", "--host" | "--server" | "--address" | "--url" | "--port") => {
                "give the server without an option, as in gothello goplay localhost:8080"
            }
            ("netref", "--time" | "--clock" | "--seconds" | "--main-time") => {
                "give the seconds after the server number, without an option, as in gothello netref \
                 0 300"
            }
            ("solve", "--game") => "solve knows Gothello only",
            ("goref", "--http") => "the page is at the port for clients, which --port sets",
            _ => return None,
        };
        Some(tip.to_owned())
    }

    /// Returns the tip about a word that may belong to the value before it.
    fn quotes_tip(&self, word: &str) -> Option<String> {
        let example = if self.words.contains(&"--engine") {
            "--engine \"gnugo --mode gtp\""
        } else if self.words.contains(&"--name") && !word.starts_with('-') {
            "--name \"Ann Lee\""
        } else {
            return None;
        };
        Some(format!(
            "put a value that has spaces in quotes, as in {example}"
        ))
    }

    /// Returns whether an option of the built-in player conflicts with an engine.
    fn is_of_engine(&self) -> bool {
        let kinds = [ContextKind::InvalidArg, ContextKind::PriorArg];
        let options = kinds.map(|kind| self.context(kind)).concat();
        let has = |option: &str| options.iter().any(|given| given.starts_with(option));
        has("--engine ") && !has("--human")
    }
}

/// Returns the tip about a word after `gothello match` that is no command of it: a mistyped one, a
/// results file, or a player. `words` are those after `match`.
fn match_tip(typed: &str, words: &[&str], suggested: Option<&str>) -> String {
    let meant = match (words, suggested) {
        ([first, rest @ ..], Some(name)) if *first == typed => [&[name], rest].concat(),
        ([first, ..], None) if is_results_file(first) => [&["report"], words].concat(),
        _ => return MATCH_TIP.to_owned(),
    };
    format!("did you mean gothello match {}?", meant.join(" "))
}

/// Returns whether a word has the form of a results file's name.
fn is_results_file(word: &str) -> bool {
    let ending = Path::new(word).extension();
    !word.starts_with('-') && ending.is_some_and(|ending| ending == "jsonl")
}
