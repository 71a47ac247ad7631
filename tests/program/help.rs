//! The program's descriptions of itself: the help of each command, shell completions, man pages,
//! and the greeting at a terminal.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::executable::executable;
use crate::waiting::OutputInTime;

/// The commands, each with the words that lead to it.
pub(super) const COMMANDS: [&[&str]; 33] = [
    &[],
    &["awari-db"],
    &["awari-db", "build"],
    &["awari-db", "info"],
    &["awari-db", "verify"],
    &["check"],
    &["check", "goref"],
    &["check", "gtp"],
    &["check", "netref"],
    &["completions"],
    &["dataset"],
    &["goplay"],
    &["goref"],
    &["gtp"],
    &["man"],
    &["match"],
    &["match", "report"],
    &["match", "stats"],
    &["netplay"],
    &["netref"],
    &["perft"],
    &["play"],
    &["review"],
    &["solve"],
    &["standings"],
    &["tablebase"],
    &["tablebase", "build"],
    &["tablebase", "info"],
    &["tablebase", "pack"],
    &["tablebase", "probe"],
    &["tablebase", "survey"],
    &["tablebase", "verify"],
    &["help"],
];

fn gothello(arguments: &[&str]) -> Output {
    Command::new(executable())
        .args(arguments)
        .stdin(Stdio::null())
        // The width of the help.
        .env_remove("COLUMNS")
        .output_in_time()
}

fn stdout(arguments: &[&str]) -> String {
    let output = gothello(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    assert_eq!(error, "");
    String::from_utf8(output.stdout).unwrap()
}

/// The subcommands that a help page lists.
fn listed(help: &str) -> Vec<String> {
    let (_, list) = help.split_once("\nCommands:\n").unwrap_or_default();
    let (list, _) = list.split_once("\n\n").unwrap_or((list, ""));
    let lines = list.lines().filter_map(|line| line.strip_prefix("  "));
    let named = lines.filter(|line| !line.starts_with(' '));
    named
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn help_pages_match_their_snapshots() {
    let mut found = BTreeSet::new();
    for command in COMMANDS.iter().filter(|command| **command != ["help"]) {
        let page = stdout(&[command, &["--help"][..]].concat());
        assert!(page.contains("\nExample"), "{command:?}");
        for line in page.lines() {
            assert!(line.chars().count() <= 100, "{command:?}: {line}");
        }
        for subcommand in listed(&page) {
            let own_help = !command.is_empty() && subcommand == "help";
            if !own_help {
                let words = command.iter().map(|word| (*word).to_owned());
                found.insert(words.chain([subcommand]).collect::<Vec<_>>());
            }
        }
        let name = ["help", &command.join("_")].join("_");
        let name = name.trim_end_matches('_');
        insta::with_settings!({omit_expression => true}, {
            insta::assert_snapshot!(name, page);
        });
    }
    // The list above is complete.
    let named = COMMANDS.iter().filter(|command| !command.is_empty());
    let owned = |command: &&[&str]| command.iter().map(|word| (*word).to_owned()).collect();
    assert_eq!(found, named.map(owned).collect());
}

#[test]
fn help_as_a_command_and_as_an_option_are_the_same() {
    assert_eq!(stdout(&["help", "perft"]), stdout(&["perft", "--help"]));
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    for arguments in [&["--help"][..], &["netref", "--help"], &["--version"]] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let mut command = Command::new(executable());
        command.args(arguments).stdout(full.unwrap());
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        let output = child.output_in_time();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.starts_with("error: No space left"), "{error}");
    }
}

#[test]
fn completions_know_commands_and_options() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = stdout(&["completions", shell]);
        for word in [
            "netref",
            "awari-db",
            "moves-table",
            "move-time",
            "grand-slam",
        ] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        // An option that is hidden.
        assert!(!script.contains("before SERVER could have one"), "{shell}");
    }
    let output = gothello(&["completions", "tcsh"]);
    assert_eq!(output.status.code(), Some(2));
}

/// The completions of bash for each of these lines, whose last word may be empty.
#[cfg(unix)]
fn completed(lines: &[Vec<&str>]) -> Vec<Vec<String>> {
    let mut script = "source <(\"$GOTHELLO\" completions bash)\n".to_owned();
    for words in lines {
        let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let (words, last) = (words.join(" "), words.len() - 1);
        script += &format!(
            "COMPREPLY=(); COMP_WORDS=({words}); COMP_CWORD={last}\n\
             _gothello_or_command gothello \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
             echo \"${{COMPREPLY[@]}}\"\n"
        );
    }
    let output = Command::new("bash")
        .args(["-c", &script])
        .env("GOTHELLO", executable())
        .output_in_time();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let offered = String::from_utf8(output.stdout).unwrap();
    let lines = offered.lines();
    lines
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect()
}

#[test]
#[cfg(unix)]
fn bash_completes_commands_options_and_the_command_of_a_program() {
    for (words, offered) in [
        (&["sol"][..], &["solve"][..]),
        (&["solve", "--moves-"], &["--moves-table"]),
        (&["--move-"], &["--move-time", "--move-positions"]),
        (&["netplay", "localhost", "bl"], &["black"]),
        (&["netplay", "localhost", "so"], &["south"]),
        (&["netplay", "localhost", "ei"], &["either"]),
        (&["netplay", "localhost", "ob"], &["observe"]),
        (&["check", "gtp", "--li"], &["--list"]),
        // The options of the program are not those of the check.
        (&["check", "gtp", "--", "./engine", "--li"], &[]),
    ] {
        let words = [&["gothello"], words].concat();
        assert_eq!(
            completed(std::slice::from_ref(&words)),
            [offered],
            "{words:?}"
        );
    }
    let commands = &completed(&[vec!["gothello", "check", "gtp", "--", "bas"]])[0];
    assert!(commands.contains(&"bash".to_owned()), "{commands:?}");
}

#[test]
#[cfg(unix)]
fn bash_offers_the_options_that_the_help_has() {
    let named = |command: &&&[&str]| !command.is_empty() && ***command != ["help"];
    let commands: Vec<&[&str]> = COMMANDS.iter().filter(named).copied().collect();
    let lines = commands.iter();
    let lines: Vec<Vec<&str>> = lines
        .map(|command| [&["gothello"], *command, &["--"]].concat())
        .collect();
    for (command, mut offered) in commands.iter().zip(completed(&lines)) {
        let page = stdout(&[command, &["--help"][..]].concat());
        let options = page.lines().filter_map(|line| {
            let option = line.trim_start();
            let option = option.split_once(", ").map_or(option, |(_, long)| long);
            let is_option = line.starts_with("  -") || line.starts_with("      --");
            let name = option.split([' ', '=']).next()?;
            is_option.then(|| name.to_owned())
        });
        let mut options: Vec<String> = options.collect();
        options.sort();
        offered.sort();
        assert_eq!(offered, options, "{command:?}");
    }
}

#[test]
fn there_is_a_man_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    assert_eq!(stdout(&["man", pages.to_str().unwrap()]), "");
    let files = fs::read_dir(&pages).unwrap();
    let names: BTreeSet<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    for command in COMMANDS.iter().filter(|command| **command != ["help"]) {
        let name = [&["gothello"], *command].concat().join("-");
        let file = format!("{name}.1");
        assert!(names.contains(&file), "{file} is not in {names:?}");
        let page = fs::read_to_string(pages.join(&file)).unwrap();
        assert!(page.contains(&format!(".TH {name} 1 ")), "{page}");
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    // A file is in the way.
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = gothello(&["man", file.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("cannot be written"), "{error}");
}

/// What the program prints on standard error while it reads `quit` from this input.
fn error_before_quit(
    arguments: &[&str],
    input: Stdio,
    write: impl FnOnce(&mut std::process::Child),
) -> String {
    let mut child = Command::new(executable())
        .args(arguments)
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    write(&mut child);
    let output = child.output_in_time();
    assert!(output.status.success());
    assert_eq!(output.stdout, b"= \n\n");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
#[cfg(unix)]
fn at_a_terminal_three_lines_say_what_the_program_is() {
    use std::fs::{File, OpenOptions};

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let at_a_terminal = |arguments: &[&str]| {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let terminal = OpenOptions::new()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap();
        let mut keyboard = File::from(controller);
        error_before_quit(arguments, terminal.into(), |_| {
            keyboard.write_all(b"quit\n").unwrap();
        })
    };
    let version = env!("CARGO_PKG_VERSION");
    let greeting = at_a_terminal(&[]);
    assert_eq!(greeting.lines().count(), 3, "{greeting}");
    insta::assert_snapshot!(greeting.replace(version, "VERSION"), @"
    gothello VERSION plays Gothello and speaks GTP, the protocol of GoGui and other programs.
    Type showboard, play b c3, genmove w, or quit; list_commands lists all commands.
    It also solves positions and runs matches and contests: see gothello --help.
    ");
    let awari = at_a_terminal(&["--game", "awari"]);
    assert!(awari.contains("plays Awari and speaks GTP"), "{awari}");
}

#[test]
fn there_is_no_greeting_on_a_pipe() {
    let error = error_before_quit(&[], Stdio::piped(), |child| {
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"quit\n").unwrap();
    });
    assert_eq!(error, "");
}
