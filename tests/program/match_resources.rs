//! `gothello match` on a machine that lacks something: open files, processes, threads, memory,
//! ports, or room on the disk. No player loses because of this, and each game is played once.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::thread;

use serde_json::Value;

use crate::executable::executable;
use crate::subcommand::Subcommand;
use crate::waiting::OutputInTime;

const MATCH: Subcommand = Subcommand("match");

/// The exit code when this machine lacks something.
const LACKING: i32 = 5;

/// Makes some calls of the program fail with an error of the system: one in `LACK_PERIOD` calls,
/// in the first `LACK_SECONDS` if this is not 0. Programs that it starts are not affected.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static char call[32];
static int period, error, seconds;
static atomic_int calls;
static struct timespec start;

__attribute__((constructor)) static void begin(void) {
    strncpy(call, getenv("LACK_CALL"), sizeof call - 1);
    period = atoi(getenv("LACK_PERIOD"));
    error = atoi(getenv("LACK_ERROR"));
    seconds = atoi(getenv("LACK_SECONDS"));
    clock_gettime(CLOCK_MONOTONIC, &start);
    unsetenv("LD_PRELOAD");
}

static int lacks(const char *name) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double passed = now.tv_sec - start.tv_sec + (now.tv_nsec - start.tv_nsec) / 1e9;
    if (seconds && passed >= seconds) return 0;
    return !strcmp(call, name) && (atomic_fetch_add(&calls, 1) + 1) % period == 0;
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const env[]) {
    if (lacks("spawn")) return error;
    int (*real)() = dlsym(RTLD_NEXT, "posix_spawnp");
    return real(pid, file, actions, attributes, argv, env);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
    if (lacks("thread")) return error;
    int (*real)() = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, run, argument);
}

int listen(int socket, int backlog) {
    if (lacks("listen")) { errno = error; return -1; }
    int (*real)() = dlsym(RTLD_NEXT, "listen");
    return real(socket, backlog);
}

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags) {
    if (lacks("accept")) { errno = error; return -1; }
    int (*real)() = dlsym(RTLD_NEXT, "accept4");
    return real(socket, address, length, flags);
}
"#;

/// The compiled shim.
static LIBRARY: LazyLock<PathBuf> = LazyLock::new(|| {
    // It is kept for all tests, also those of other runs, which may compile it at the same time.
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = tempfile::tempdir_in(kept).unwrap();
    let (source, library) = (folder.path().join("shim.c"), folder.path().join("shim.so"));
    fs::write(&source, SHIM).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-w", "-o"]);
    let output = compiler
        .args([&library, &source])
        .arg("-ldl")
        .output_in_time();
    assert!(output.status.success(), "{output:?}");
    let kept = kept.join("match_resources.so");
    fs::rename(library, &kept).unwrap();
    kept
});

/// Errors of the system by their numbers on Linux.
const EAGAIN: i32 = 11;
const ENOMEM: i32 = 12;
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;
const ENOBUFS: i32 = 105;

/// Writes an engine, and returns its command. It answers the other commands with nothing.
fn engine(folder: &Path, name: &str, cases: &str) -> String {
    let path = folder.join(name);
    let engine = format!(
        "while read -r id command rest; do case $command in\n\
         '') exit;;\n\
         {cases}\n\
         *) printf '=%s\\n\\n' $id;;\n\
         esac; done\n"
    );
    fs::write(&path, engine).unwrap();
    format!("sh {}", path.display())
}

/// Writes an engine that finds no dead stones, and returns the options that make it the scorer.
fn scorer(folder: &Path) -> [String; 2] {
    let cases = "list_commands) printf '=%s final_status_list\\n\\n' $id;;";
    ["--scorer".to_owned(), engine(folder, "scorer.sh", cases)]
}

/// Two engines of Go that pass, and the options of an event with this many games.
fn event(folder: &Path, games: usize, concurrency: usize) -> Vec<String> {
    let cases = "genmove) printf '=%s pass\\n\\n' $id;;";
    let passing = engine(folder, "passing.sh", cases);
    let player = |name| format!("{name}={passing}");
    let (one, two) = (player("one"), player("two"));
    let games = games.to_string();
    let concurrency = concurrency.to_string();
    let words = [
        "--player",
        &one,
        "--player",
        &two,
        "--game",
        "go",
        "--size",
        "3",
        "--seed",
        "1",
        "--games",
        &games,
        "--concurrency",
        &concurrency,
        "--results",
        "r.jsonl",
    ];
    words.map(str::to_owned).to_vec()
}

/// Runs a match below a shell that does something first.
fn run_below(folder: &Path, first: &str, arguments: &[String]) -> Output {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{first}; exec \"$0\" match \"$@\"")])
        .arg(executable())
        .args(arguments)
        .current_dir(folder);
    command.output_in_time()
}

/// Runs a match in which one in `period` of these calls fails with this error.
fn run_lacking(folder: &Path, arguments: &[String], call: &str, error: i32, period: u32) -> Output {
    run_lacking_for(0, folder, arguments, call, error, period)
}

/// As above, but calls fail only in the first seconds, if this is not 0.
fn run_lacking_for(
    seconds: u32,
    folder: &Path,
    arguments: &[String],
    call: &str,
    error: i32,
    period: u32,
) -> Output {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = MATCH.command(folder, &arguments);
    command
        .env("LD_PRELOAD", &*LIBRARY)
        .envs([("LACK_CALL", OsString::from(call))])
        .envs(
            [
                ("LACK_PERIOD", period),
                ("LACK_SECONDS", seconds),
                ("LACK_ERROR", error.cast_unsigned()),
            ]
            .map(|(name, number)| (name, number.to_string())),
        );
    command.output_in_time()
}

/// The games in the results file. Asserts that no player failed in them and that none occurs
/// twice.
#[track_caller]
fn games(folder: &Path, case: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("r.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let games: Vec<Value> = lines.skip(1).collect();
    for game in &games {
        let verdict = game["verdict"].as_str().unwrap();
        assert!(
            ["count", "resignation"].contains(&verdict),
            "{case}: {game}"
        );
    }
    let mut numbers: Vec<u64> = games
        .iter()
        .map(|game| game["number"].as_u64().unwrap())
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), games.len(), "{case}");
    games
}

/// Plays an event, which must then have this many games, and returns its messages.
#[track_caller]
fn plays_all(case: &str, folder: &Path, output: &Output, number: usize) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{case}: {said}");
    assert_eq!(games(folder, case).len(), number, "{case}");
    said
}

/// Plays an event of engines with a limit of open files.
#[track_caller]
fn plays_with_open_files(limit: u32, games: usize, concurrency: usize) {
    let folder = tempfile::tempdir().unwrap();
    let arguments = event(folder.path(), games, concurrency);
    let output = run_below(folder.path(), &format!("ulimit -n {limit}"), &arguments);
    let case = format!("{limit} open files");
    let said = plays_all(&case, folder.path(), &output, games);
    let notice = format!("the system allows {limit} open files, which is enough for ");
    assert!(said.contains(&notice), "{case}: {said}");
    assert!(
        said.contains("raise the limit with ulimit -n "),
        "{case}: {said}"
    );
}

#[test]
fn with_few_open_files_fewer_games_are_played_at_the_same_time() {
    for limit in [40, 64, 100, 256, 512, 1024] {
        plays_with_open_files(limit, 200, 128);
    }
}

/// Each game has two players and a scorer running.
#[test]
fn a_scorer_needs_open_files_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = event(folder.path(), 50, 50);
    arguments.extend(scorer(folder.path()));
    let output = run_below(folder.path(), "ulimit -n 110", &arguments);
    let said = plays_all("scorer", folder.path(), &output, 50);
    let notice = "the system allows 110 open files, which is enough for 4 games at the same time, and \
                  not for 50: raise the limit with ulimit -n ";
    let (_, rest) = said.split_once(notice).unwrap_or_else(|| panic!("{said}"));
    assert!(!said.contains("is played later"), "{said}");
    let (limit, _) = rest.split_once(',').unwrap();
    let limit: u32 = limit.parse().unwrap();
    assert!(limit < 950, "{said}");
    for (limit, is_enough) in [(limit, true), (limit - 1, false)] {
        fs::remove_file(folder.path().join("r.jsonl")).unwrap();
        let output = run_below(folder.path(), &format!("ulimit -n {limit}"), &arguments);
        let said = plays_all("scorer", folder.path(), &output, 50);
        assert_eq!(!said.contains("open files"), is_enough, "{limit}: {said}");
        assert!(!said.contains("is played later"), "{limit}: {said}");
    }
}

#[test]
fn the_limit_of_open_files_is_raised_as_far_as_the_system_allows() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = event(folder.path(), 16, 8);
    let output = run_below(folder.path(), "ulimit -S -n 40", &arguments);
    let said = plays_all("soft limit", folder.path(), &output, 16);
    assert!(!said.contains("open files"), "{said}");
}

/// Runs all cases at the same time: most of them wait.
fn each<T: Copy + Send>(cases: &[T], check: impl Fn(T) + Sync) {
    thread::scope(|scope| {
        for &case in cases {
            let check = &check;
            scope.spawn(move || check(case));
        }
    });
}

#[test]
fn a_temporary_lack_makes_no_player_lose() {
    let cases = [
        ("spawn", EAGAIN, 5),
        ("spawn", ENOMEM, 5),
        ("spawn", EMFILE, 5),
        ("spawn", ENFILE, 5),
        // The last of those that play games, after the one that reads the clock.
        ("thread", EAGAIN, 5),
    ];
    each(&cases, |(call, error, period)| {
        let folder = tempfile::tempdir().unwrap();
        let arguments = event(folder.path(), 12, 3);
        let output = run_lacking(folder.path(), &arguments, call, error, period);
        let case = format!("{call} fails with {error}");
        let said = plays_all(&case, folder.path(), &output, 12);
        let told = match call {
            "thread" => "at most 2 games at the same time: cannot start a thread: ",
            _ => " is played later: cannot start \"sh\": ",
        };
        assert!(said.contains(told), "{case}: {said}");
    });
}

/// Plays games with this number at the same time while no program can be started for some seconds.
/// Workers retire in this time, and come back after it.
#[track_caller]
fn recovers(seconds: u32, concurrency: usize, number: usize) {
    let case = format!("{concurrency} games at the same time, {seconds} s");
    let folder = tempfile::tempdir().unwrap();
    let arguments = event(folder.path(), number, concurrency);
    // The games take long enough for workers to come back. One engine of each game thinks at a time.
    let cases = "genmove) echo + >>thinking; sleep 0.2; echo - >>thinking; \
                 printf '=%s pass\\n\\n' $id;;";
    engine(folder.path(), "passing.sh", cases);
    let output = run_lacking_for(seconds, folder.path(), &arguments, "spawn", EAGAIN, 1);
    let said = plays_all(&case, folder.path(), &output, number);
    let thinking = fs::read_to_string(folder.path().join("thinking")).unwrap();
    let mut now = 0_usize;
    let numbers = thinking.lines().map(|line| {
        now = now
            .checked_add_signed(if line == "+" { 1 } else { -1 })
            .unwrap();
        now
    });
    assert_eq!(numbers.max(), Some(concurrency), "{case}: {said}");
    if concurrency == 1 {
        return;
    }
    let most = format!("at most {} game", concurrency - 1);
    assert!(said.contains(&most), "{case}: {said}");
    let again = format!("{concurrency} games at the same time again\n");
    assert!(said.contains(&again), "{case}: {said}");
}

#[test]
fn after_a_lack_as_many_games_are_played_at_the_same_time_as_before() {
    // About twice as long as a worker tries before it retires, for a busy machine.
    recovers(3, 3, 36);
}

#[test]
#[ignore = "waits for workers that stay away"]
fn after_a_long_lack_as_many_games_are_played_at_the_same_time_as_before() {
    each(
        &[(8, 1, 4), (4, 6, 120), (12, 3, 90)],
        |(seconds, concurrency, number)| {
            recovers(seconds, concurrency, number);
        },
    );
}

#[test]
fn a_temporary_lack_for_clients_makes_no_player_lose() {
    let client = "client=bash -c \"exec 3<>/dev/tcp/{host}/{port}; \
                  printf '0.9.1 player {side}\\r\\nresign\\r\\n' >&3; cat <&3 >/dev/null\"";
    let words = [
        "--player",
        client,
        "--player",
        "builtin:level=1",
        "--games",
        "8",
        "--concurrency",
        "1",
        "--results",
        "r.jsonl",
    ];
    let cases = [
        ("spawn", EAGAIN),
        ("listen", ENOBUFS),
        ("accept", EMFILE),
        ("thread", EAGAIN),
    ];
    each(&cases, |(call, error)| {
        let folder = tempfile::tempdir().unwrap();
        let arguments = words.map(str::to_owned);
        let output = run_lacking(folder.path(), &arguments, call, error, 4);
        let case = format!("{call} fails with {error}");
        let said = plays_all(&case, folder.path(), &output, 8);
        // A connection that cannot be accepted at once waits.
        let is_told = call == "accept" || said.contains("is played later: cannot ");
        assert!(is_told, "{case}: {said}");
    });
}

#[test]
#[ignore = "waits until the last worker gives up"]
fn a_permanent_lack_ends_the_event_and_no_player_loses() {
    let cases = [
        (
            EAGAIN,
            "raise the limit of processes (ulimit -u, or the container's)",
        ),
        (ENOMEM, "close other programs, or raise the limit of memory"),
    ];
    each(&cases, |(error, what)| {
        let folder = tempfile::tempdir().unwrap();
        let arguments = event(folder.path(), 6, 3);
        let output = run_lacking(folder.path(), &arguments, "spawn", error, 1);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(LACKING), "{said}");
        let message = said.lines().last().unwrap();
        assert!(
            message.starts_with("error: cannot start \"sh\": "),
            "{said}"
        );
        let end = format!(
            ": {what}; no player has lost by it, and the same command goes on with the event"
        );
        assert!(message.ends_with(&end), "{said}");
        assert!(games(folder.path(), what).is_empty());
        let output = run_below(folder.path(), ":", &arguments);
        plays_all(what, folder.path(), &output, 6);
    });
}

/// The runner does not wait for a program that is itself at fault.
#[test]
fn a_program_that_cannot_be_executed_is_a_fault_of_its_player() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plain.txt"), "no program").unwrap();
    for program in ["./missing", "./plain.txt"] {
        let arguments = [
            "--player",
            program,
            "--player",
            "builtin",
            "--results",
            "r.jsonl",
        ];
        let output = MATCH.run(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.contains("cannot start") && !said.contains("later"),
            "{said}"
        );
    }
}

/// Files cannot get larger than this, which fails as on a full disk. From here on, only this
/// program writes.
fn with_room(bytes: u64) -> String {
    // Otherwise it is killed when it writes more.
    format!("trap '' XFSZ; prlimit --pid $$ --fsize={bytes}:")
}

#[test]
fn a_full_disk_loses_nothing_and_no_player_forfeits() {
    let cases = [
        ("no header", &[][..], 10),
        ("some results", &[], 2_500),
        ("one record", &["--sgf", "games.sgf"], 600),
        ("no record", &["--sgf", "games"], 100),
        ("no log", &["--logs", "logs"], 5_000),
    ];
    each(&cases, |(case, options, room): (_, &[&str], _)| {
        let folder = tempfile::tempdir().unwrap();
        let mut arguments = event(folder.path(), 12, 2);
        arguments.extend(options.iter().map(|&word| word.to_owned()));
        if case == "no log" {
            // Its log is larger than all other files.
            let path = folder.path().join("passing.sh");
            let engine = fs::read_to_string(&path).unwrap();
            let talks = "genmove) yes | head -c 6000 >&2;";
            fs::write(&path, engine.replace("genmove)", talks)).unwrap();
        }
        let output = run_below(folder.path(), &with_room(room), &arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(LACKING), "{case}: {said}");
        let message = said.lines().last().unwrap();
        assert!(
            message.contains("File too large")
                && message.ends_with(
                    ": make room on the disk; no player has lost by it, and the same command goes \
                     on with the event"
                ),
            "{case}: {said}"
        );
        let before = match case {
            "no header" => 0,
            _ => games(folder.path(), case).len(),
        };
        assert!(before < 12, "{case}: {before} games were recorded");
        let output = run_below(folder.path(), ":", &arguments);
        plays_all(case, folder.path(), &output, 12);
        let records: String = match options {
            ["--sgf", "games.sgf"] => fs::read_to_string(folder.path().join("games.sgf")).unwrap(),
            ["--sgf", "games"] => {
                let files = fs::read_dir(folder.path().join("games")).unwrap();
                files
                    .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
                    .collect()
            }
            _ => return,
        };
        assert_eq!(records.matches("RE[").count(), 12, "{case}: {records}");
    });
}
