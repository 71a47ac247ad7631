//! The WebAssembly module of the page searches as the program does.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gothello::pages::play::{Response, Searcher, Session};
use gothello::player::Prover;
use gothello::tablebase::PackedTablebase;
use serde_json::{Value, json};

use crate::waiting::EndsInTime;

/// What is known after a question.
pub struct Answer {
    /// The number of positions searched so far.
    pub positions: u64,
    /// The time for it, in milliseconds.
    pub time: f64,
    /// The memory of the module, in bytes.
    pub memory: u64,
    /// The last response.
    pub response: Value,
}

/// Answers questions with the program itself, with the memory that the module has.
pub fn native(questions: &[String]) -> Vec<Answer> {
    let prover = Prover::new().memory_mib(64).threads(1);
    let prover = prover.with_tablebase(PackedTablebase::built_in);
    let mut session = Session::new(Searcher::new(prover, None, false, || 0));
    let answer = |question: &String| {
        let since = Instant::now();
        let mut last: Option<Response> = session.receive(question);
        while session.is_searching() {
            last = session.search(Duration::from_secs(1_000_000)).or(last);
        }
        Answer {
            positions: session.positions(),
            time: since.elapsed().as_secs_f64() * 1e3,
            memory: 0,
            response: serde_json::to_value(last).unwrap(),
        }
    };
    questions.iter().map(answer).collect()
}

/// Answers questions with the module in a folder of the page, in Node.
pub fn webassembly(files: PathBuf, questions: &[String]) -> Vec<Answer> {
    let mut input = tempfile::NamedTempFile::new().unwrap();
    for question in questions {
        writeln!(input, "{question}").unwrap();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/wasm_core.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .args(["gothello.wasm", "gothello.tablebase"].map(|name| files.join("play").join(name)))
        .stdin(Stdio::from(File::open(input.path()).unwrap()))
        .stdout(Stdio::piped())
        .spawn()
        .expect("node is installed: apt-get install nodejs");
    let lines = BufReader::new(node.stdout.take().unwrap()).lines();
    let answers = lines.map(|line| {
        let line = line.unwrap();
        let fields: Vec<&str> = line.splitn(4, '\t').collect();
        let [positions, time, memory, response] = fields[..] else {
            panic!("{line}");
        };
        Answer {
            positions: positions.parse().unwrap(),
            time: time.parse().unwrap(),
            memory: memory.parse().unwrap(),
            response: serde_json::from_str(response).unwrap(),
        }
    });
    let answers = answers.collect();
    assert!(node.wait_in_time().success());
    answers
}

/// Returns a question of the page for the values of all moves.
pub fn values(number: usize, position: &str) -> String {
    json!({"id": number, "ask": "values", "line": {"start": position}}).to_string()
}
