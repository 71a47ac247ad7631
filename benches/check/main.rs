//! How many faults `gothello check` finds: programs with one fault each are checked with several
//! seeds, and those without a fault must pass.
//!
//! `cargo bench --bench check` checks all with 20 seeds, which takes an hour or more. `-- --seeds 2` takes
//! fewer seeds, `--jobs 2` checks fewer programs at the same time, and other words choose the checks
//! with these names and the faults whose names contain them. The variable `PYTHON` has the interpreter if it is not `python3`. A
//! check ends at the first failure: its time is that until the fault is found.

#[path = "../../tests/program/check/agent.rs"]
mod agent;
#[path = "../../tests/program/check/awari_client.rs"]
mod awari_client;
#[path = "../../tests/program/check/engine.rs"]
mod engine;
mod faults;
#[path = "../../tests/program/check/stand_in.rs"]
mod stand_in;

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use faults::{Bot, CORRECT, Changes, FAULTS, Fault, Kind};
use stand_in::{Peer, hang, wrong_point};
use tempfile::TempDir;

const GOTHELLO: &str = env!("CARGO_BIN_EXE_gothello");

/// The time in which a fault must be found.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The time limit of a check, which may wait longer only for the start or the end of a program.
const CHECK_LIMIT: Duration = Duration::from_secs(55);

fn main() {
    if env::var_os(agent::AGENT).is_some() {
        return agent::run();
    }
    if env::var_os(awari_client::AWARI_CLIENT).is_some() {
        return awari_client::run();
    }
    if env::var_os(engine::ENGINE).is_some() {
        return engine::run();
    }
    let mut seeds = 20;
    let mut jobs = 4;
    let mut words = Vec::new();
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().unwrap().parse().unwrap();
        match &*argument {
            "--seeds" => seeds = number(),
            "--jobs" => jobs = number(),
            "--bench" => {}
            _ => words.push(argument),
        }
    }
    let is_wanted = |fault: &&Fault| {
        let is_named = |word: &String| fault.name.contains(&**word) || check_of(fault) == word;
        words.is_empty() || words.iter().any(is_named)
    };
    let folder = TempDir::new().unwrap();
    let all = CORRECT.iter().chain(&FAULTS).filter(is_wanted);
    let programs: Vec<Program> = all
        .enumerate()
        .map(|(number, fault)| Program::new(fault, &folder.path().join(number.to_string())))
        .collect();
    let rows = check_all(&programs, seeds, jobs);
    print(&programs, &rows);
}

/// Returns the check of a program.
fn check_of(fault: &Fault) -> &'static str {
    match fault.bot {
        Bot::Python(_) | Bot::C(_) | Bot::Java(_) | Bot::Rust(_) | Bot::Awari => "netref",
        Bot::Agent => "goref",
        Bot::Engine => "gtp",
    }
}

/// A program to check.
struct Program {
    fault: &'static Fault,
    /// The arguments of `gothello check`.
    arguments: Vec<String>,
}

impl Program {
    /// Writes a bot into a folder, and compiles it if it must be.
    fn new(fault: &'static Fault, folder: &Path) -> Program {
        fs::create_dir_all(folder).unwrap();
        let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let write = |name: &str, changes: Changes| {
            let bots = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/bots/");
            let mut text = fs::read_to_string(format!("{bots}{name}")).unwrap();
            for (from, to) in changes {
                assert!(
                    text.contains(from),
                    "{}: the bot has no {from:?}",
                    fault.name
                );
                text = text.replace(from, to);
            }
            fs::write(folder.join(name), text).unwrap();
            path(name)
        };
        let compile = |compiler: &str, arguments: &[&str]| {
            let output = Command::new(compiler).args(arguments).output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {errors}", fault.name);
        };
        let command = match fault.bot {
            Bot::Python(changes) => {
                let python = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
                vec![python, write("bot.py", changes)]
            }
            Bot::C(changes) => {
                let source = write("bot.c", changes);
                compile("cc", &["-O1", "-o", &path("bot"), &source]);
                vec![path("bot")]
            }
            Bot::Rust(changes) => {
                let source = write("bot.rs", changes);
                compile("rustc", &["-A", "warnings", "-o", &path("bot"), &source]);
                vec![path("bot")]
            }
            Bot::Java(changes) => {
                let source = write("Bot.java", changes);
                compile("javac", &["-d", &path(""), &source]);
                let words = ["java", "-XX:TieredStopAtLevel=1", "-cp", &path(""), "Bot"];
                words.map(str::to_owned).to_vec()
            }
            Bot::Awari => stand_in_command(awari_client::AWARI_CLIENT, fault),
            Bot::Agent => stand_in_command(agent::AGENT, fault),
            Bot::Engine => stand_in_command(engine::ENGINE, fault),
        };
        let check = check_of(fault);
        let limit = CHECK_LIMIT.as_secs().to_string();
        let common = ["--quiet", "--json", "--fail-fast", "--time-limit", &limit];
        let (options, places): (&[&str], &[&str]) = match (check, fault.bot) {
            (_, Bot::Awari) => (
                &["--game", "awari", "--end-timeout", "3"],
                &["{side}", "{port}"],
            ),
            ("netref", _) => (
                &["--end-timeout", "3"],
                &["{side}", "{host}", "{port}", "Ann"],
            ),
            ("goref", _) => (&["--board", "9", "--ping-interval", "2"], &["{port}"]),
            _ => (&[], &[]),
        };
        let words = [
            &["check", check],
            &common[..],
            &["--timeout", "10"],
            options,
            &["--"],
        ];
        let words = words.concat();
        let places = places.iter().map(|&place| place.to_owned());
        Program {
            fault,
            arguments: words
                .into_iter()
                .map(str::to_owned)
                .chain(command)
                .chain(places)
                .collect(),
        }
    }

    /// Checks the program; returns whether its fault was found, and how long that took.
    fn check(&self, seed: u32) -> (bool, Duration) {
        let begin = Instant::now();
        let (options, command) = self.arguments.split_at(2);
        let output = Command::new(GOTHELLO)
            .args(options)
            .args(["--seed", &seed.to_string()])
            .args(command)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let is_found = match self.fault.is_noticed {
            true => text.contains("\"notice\":"),
            false => text.contains("\"outcome\":\"failed\""),
        };
        if is_found && self.fault.kind.is_none() {
            println!("false alarm, seed {seed}: {}\n{text}", self.fault.name);
        }
        (is_found, begin.elapsed())
    }
}

/// Returns the command of a stand-in, which is this program.
fn stand_in_command(variable: &str, fault: &Fault) -> Vec<String> {
    let name = fault.kind.map_or("none", |_| fault.name);
    // The output of an engine is descriptor 3.
    let script = match variable {
        engine::ENGINE => format!("{variable}={name} exec \"$0\" 3>&1 >/dev/null"),
        _ => format!("{variable}=\"{name} $*\" exec \"$0\""),
    };
    let program = env::current_exe().unwrap().to_str().unwrap().to_owned();
    vec!["sh".to_owned(), "-c".to_owned(), script, program]
}

/// Checks every program with each seed, several at the same time. Returns the runs of each program:
/// whether its fault was found, and how long that took.
fn check_all(programs: &[Program], seeds: u32, jobs: u32) -> Vec<Vec<(bool, Duration)>> {
    let all = (1..=seeds).rev();
    let left: Vec<(usize, u32)> = all
        .flat_map(|seed| (0..programs.len()).rev().map(move |index| (index, seed)))
        .collect();
    let left = Mutex::new(left);
    let rows = Mutex::new(vec![Vec::new(); programs.len()]);
    let next = || left.lock().unwrap().pop();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((index, seed)) = next() {
                    let (is_found, time) = programs[index].check(seed);
                    let outcome = if is_found { "found" } else { "not found" };
                    let (name, check) = (programs[index].fault.name, &programs[index].arguments[1]);
                    let time_in_words = time.as_secs_f64();
                    eprintln!("seed {seed}, {check}, {outcome}, {time_in_words:.1} s: {name}");
                    rows.lock().unwrap()[index].push((is_found, time));
                }
            });
        }
    });
    rows.into_inner().unwrap()
}

/// Prints a row for each kind of fault, each check, and each program whose fault was not always
/// found in time.
fn print(programs: &[Program], rows: &[Vec<(bool, Duration)>]) {
    let all: Vec<_> = programs.iter().zip(rows).collect();
    println!(
        "| | programs | runs | caught | within 60 s | median time |\n|---|---|---|---|---|---|"
    );
    let print = |name: &str, is_wanted: &dyn Fn(&Program) -> bool| {
        let wanted: Vec<_> = all.iter().filter(|(of, _)| is_wanted(of)).collect();
        let mut times = Vec::new();
        let mut caught = 0;
        for &(is_found, time) in wanted.iter().flat_map(|(_, row)| *row) {
            times.push(time);
            caught += usize::from(is_found);
        }
        let in_time = wanted.iter().flat_map(|(_, row)| *row);
        let in_time = in_time.filter(|(is_found, time)| *is_found && *time <= TIME_LIMIT);
        times.sort();
        let Some(median) = times.get(times.len() / 2) else {
            return;
        };
        println!(
            "| {name} | {} | {} | {caught} | {:.1} % | {:.1} s |",
            wanted.len(),
            times.len(),
            100.0 * in_time.count() as f64 / times.len() as f64,
            median.as_secs_f64()
        );
    };
    let is_faulty = |of: &Program| of.fault.kind.is_some();
    for (kind, name) in Kind::ALL {
        print(name, &|of| of.fault.kind == Some(kind));
    }
    for check in ["netref", "goref", "gtp"] {
        print(check, &|of| is_faulty(of) && of.arguments[1] == check);
    }
    print("all faults", &is_faulty);
    print("no fault", &|of| !is_faulty(of));
    println!("\n| missed | caught |\n|---|---|");
    for (of, row) in all.iter().filter(|(of, _)| is_faulty(of)) {
        let found = row
            .iter()
            .filter(|(is_found, time)| *is_found && *time <= TIME_LIMIT);
        let (found, all) = (found.count(), row.len());
        if found < all {
            println!(
                "| {}, {} | {found} of {all} |",
                of.arguments[1], of.fault.name
            );
        }
    }
}
