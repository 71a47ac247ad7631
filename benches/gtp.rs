//! How fast the built program answers: `cargo bench --bench gtp`.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

const GOTHELLO: &str = env!("CARGO_BIN_EXE_gothello");

/// A program with pipes to it.
struct Peer {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Peer {
    fn start(program: &str) -> Peer {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        Peer {
            input: child.stdin.take().expect("a pipe"),
            output: child.stdout.take().expect("a pipe"),
            child,
        }
    }

    /// Sends a line and waits for the end of what comes back.
    fn ask(&mut self, line: &[u8], end: &[u8]) -> usize {
        self.input.write_all(line).expect("it reads");
        let mut answer = [0; 4096];
        let mut len = 0;
        while !answer[..len].ends_with(end) {
            let read = self.output.read(&mut answer[len..]).expect("it writes");
            assert!(read > 0, "it ended");
            len += read;
        }
        len
    }

    /// Ends the input and waits for the end of the program.
    fn finish(mut self) {
        drop(self.input);
        self.child.wait().expect("it ends");
    }
}

/// Commands a second when a batch is piped in.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn a_batch_of_300_000_commands(bencher: Bencher<'_, '_>) {
    let batch = "play b c3\ngogui-rules_legal_moves\nundo\n".repeat(100_000);
    bencher.counter(ItemsCount::new(300_000_u32)).bench(|| {
        let mut peer = Peer::start(GOTHELLO);
        let mut input = peer.input;
        let batch = batch.clone();
        let writer = thread::spawn(move || input.write_all(batch.as_bytes()));
        let mut answers = Vec::new();
        peer.output.read_to_end(&mut answers).expect("it writes");
        writer.join().expect("no panic").expect("it reads");
        peer.child.wait().expect("it ends");
        answers.len()
    });
}

/// One command at a time, each sent when the one before is answered.
#[divan::bench(sample_count = 50, sample_size = 200)]
fn one_command(bencher: Bencher<'_, '_>) {
    let mut peer = Peer::start(GOTHELLO);
    bencher.bench_local(|| peer.ask(b"gogui-rules_legal_moves\n", b"\n\n"));
    peer.finish();
}

/// The same with `cat`, which does nothing: what the pipes take.
#[divan::bench(sample_count = 50, sample_size = 200)]
fn one_line_of_cat(bencher: Bencher<'_, '_>) {
    let mut peer = Peer::start("cat");
    let line =
        "= A1 B1 C1 D1 E1 A2 B2 C2 D2 E2 A3 B3 C3 D3 E3 A4 B4 C4 D4 E4 A5 B5 C5 D5 E5 pass\n\n";
    bencher.bench_local(|| peer.ask(line.as_bytes(), b"\n\n"));
    peer.finish();
}

/// From the start of the program to its first answer and its end.
#[divan::bench(sample_count = 50, sample_size = 1)]
fn start_and_first_answer(bencher: Bencher<'_, '_>) {
    bencher.bench(|| {
        let mut peer = Peer::start(GOTHELLO);
        peer.ask(b"gogui-rules_game_id\n", b"\n\n");
        peer.finish();
    });
}

/// The same with `cat`: what starting a program takes.
#[divan::bench(sample_count = 50, sample_size = 1)]
fn start_and_first_line_of_cat(bencher: Bencher<'_, '_>) {
    bencher.bench(|| {
        let mut peer = Peer::start("cat");
        peer.ask(b"= Gothello\n\n", b"\n\n");
        peer.finish();
    });
}
