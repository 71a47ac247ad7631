//! A bot for Gothello that speaks the protocol of the network referee.
//!
//!     rustc -O bot.rs && ./bot SIDE HOST PORT [NAME]
//!
//! SIDE is black or white. The port is 29068 plus the server number. The bot makes the move that
//! captures most. To make it stronger, change `choose_move`.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::{env, process};

/// A point: 0 is a1, 4 is e1, 24 is e5.
type Point = usize;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    Black,
    White,
}

#[derive(Clone, Copy)]
struct Board([Option<Color>; 25]);

/// Ends the program with an error.
fn fail(code: i32, error: &str) -> ! {
    eprintln!("{error}");
    process::exit(code)
}

fn name(point: Point) -> String {
    format!("{}{}", (b'a' + point as u8 % 5) as char, point / 5 + 1)
}

fn neighbors(point: Point) -> impl Iterator<Item = Point> {
    let (file, rank) = (point % 5, point / 5);
    let is_near = move |other: Point| file.abs_diff(other % 5) + rank.abs_diff(other / 5) == 1;
    (0..25).filter(move |&other| is_near(other))
}

impl Board {
    /// Returns the points of the group to which the stone at a point belongs.
    fn group(&self, point: Point) -> Vec<Point> {
        let mut group = vec![point];
        let mut visited = 0;
        while visited < group.len() {
            for neighbor in neighbors(group[visited]) {
                if self.0[neighbor] == self.0[point] && !group.contains(&neighbor) {
                    group.push(neighbor);
                }
            }
            visited += 1;
        }
        group
    }

    /// Returns whether the group of the stone at a point has an empty neighbor.
    fn has_liberty(&self, point: Point) -> bool {
        let mut around = self.group(point).into_iter().flat_map(neighbors);
        around.any(|neighbor| self.0[neighbor].is_none())
    }

    /// Returns the stones that a move captures, or `None` if the move is illegal.
    fn captures(&self, color: Color, point: Point) -> Option<Vec<Point>> {
        let mut after = *self;
        after.0[point] = Some(color);
        // Unlike in Go, the stone must have a liberty before it captures.
        if self.0[point].is_some() || !after.has_liberty(point) {
            return None;
        }
        let mut captured = Vec::new();
        for neighbor in neighbors(point) {
            let is_enemy = after.0[neighbor].is_some_and(|stone| stone != color);
            // Two neighbors may belong to one group.
            if is_enemy && !after.has_liberty(neighbor) && !captured.contains(&neighbor) {
                captured.extend(after.group(neighbor));
            }
        }
        Some(captured)
    }

    /// Places a stone. What it captures changes its color, and stays on the board.
    fn play(&mut self, color: Color, point: Point) {
        let Some(captured) = self.captures(color, point) else {
            fail(1, "the referee accepts a move that is illegal on this board");
        };
        for changed in captured.into_iter().chain([point]) {
            self.0[changed] = Some(color);
        }
    }

    fn legal_moves(&self, color: Color) -> Vec<Point> {
        (0..25).filter(|&point| self.captures(color, point).is_some()).collect()
    }
}

/// Chooses one of the moves; returns `None`, a pass, if there is none.
fn choose_move(board: &Board, color: Color, moves: &[Point]) -> Option<Point> {
    let captures = |point: Point| board.captures(color, point).map_or(0, |stones| stones.len());
    let most = moves.iter().map(|&point| captures(point)).max()?;
    let best: Vec<Point> = moves.iter().copied().filter(|&point| captures(point) == most).collect();
    // A hasher with random keys is the source of random numbers in the standard library.
    let random = RandomState::new().hash_one(0) as usize;
    Some(best[random % best.len()])
}

struct Bot {
    side: Color,
    /// The first request, after the version.
    opening: String,
    stream: TcpStream,
    board: Board,
    /// The number of moves and passes of both players so far.
    plies: usize,
    /// The moves to choose from in this turn.
    moves: Vec<Point>,
    /// The move that was sent last; `None` is a pass.
    last: Option<Point>,
    /// Whether the role has come.
    has_begun: bool,
    is_over: bool,
}

impl Bot {
    fn send(&mut self, request: &str) {
        eprintln!("> {request}");
        // A connection that is lost is noticed where the next response is read.
        let _ = self.stream.write_all(format!("{request}\r").as_bytes());
    }

    /// Sends one of the moves that are left. If there is none, it must pass.
    fn send_move(&mut self) {
        self.last = choose_move(&self.board, self.side, &self.moves);
        let word = self.last.map_or("pass".to_owned(), name);
        let number = self.plies / 2 + 1; // 1 for the first move of Black and for that of White
        let dots = if self.side == Color::White { "... " } else { "" };
        self.send(&format!("{number} {dots}{word}"));
    }

    fn begin_turn(&mut self) {
        self.moves = self.board.legal_moves(self.side);
        self.send_move();
    }

    /// Reads a move, `311 2 d3 ...` or `312 2 ... d3 ...`, of either player.
    fn see_move(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (color, word) = match words[..] {
            [_, _, "...", word, ..] => (Color::White, word),
            [_, _, word, ..] => (Color::Black, word),
            _ => fail(1, "a move is missing"),
        };
        if word != "pass" {
            match (0..25).find(|&point| name(point) == word) {
                Some(point) => self.board.play(color, point),
                None => fail(1, "a move is not understood"),
            }
        }
        self.plies += 1;
        if self.has_begun && color != self.side {
            self.begin_turn();
        }
    }

    /// Handles a line of the referee. What counts is its code, the first three characters.
    fn handle(&mut self, line: &str) {
        eprintln!("< {line}");
        match line.as_bytes() {
            // The greeting. With version 0.9.2, a referee that was interrupted lets this bot go on
            // in its match.
            [b'0', b'0', b'0', ..] => {
                let version = if line.contains("0.9.2") { "0.9.2" } else { "0.9.1" };
                self.send(&format!("{version} {}", self.opening));
            }
            [b'1', b'9', ..] => fail(1, "there is no seat"),
            // The game begins, or goes on after the moves so far.
            [b'3', b'5', ..] => {
                self.has_begun = true;
                if (self.plies % 2 == 0) == (self.side == Color::Black) {
                    self.begin_turn();
                }
            }
            // Refused; it is still this bot's turn.
            [b'2', b'9', ..] => {
                let Some(refused) = self.last else {
                    fail(1, "the referee refuses a pass");
                };
                self.moves.retain(|&point| point != refused);
                self.send_move();
            }
            [b'3', b'1', ..] => self.see_move(line), // a move or a pass, and the game goes on
            // Won, lost or drawn, on the board or off it.
            [b'2', b'0', b'1'..=b'4', ..] | [b'3', b'2' | b'6' | b'9', ..] => self.is_over = true,
            // 100 and 101 are a seat and the clocks, 200 and 207 that the move is accepted, and 341
            // to 344 the names: nothing that this bot needs.
            _ => {}
        }
    }

    /// Plays until the referee closes the connection; returns whether the game has ended.
    fn play(mut self) -> std::io::Result<bool> {
        let mut reader = BufReader::new(self.stream.try_clone()?);
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 {
            self.handle(line.trim_end());
            line.clear();
        }
        Ok(self.is_over)
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (side, host, port, name) = match &arguments[..] {
        [side, host, port] => (side, host, port, ""),
        [side, host, port, name] => (side, host, port, name.as_str()),
        _ => fail(2, "usage: bot black|white HOST PORT [NAME]"),
    };
    let color = match side.as_str() {
        "black" => Color::Black,
        "white" => Color::White,
        _ => fail(2, "the side is black or white"),
    };
    let quoted = name.replace('"', "\"\"");
    let name = if name.is_empty() { String::new() } else { format!(" \"{quoted}\"") };
    let stream = TcpStream::connect(format!("{host}:{port}"));
    let stream = stream
        .unwrap_or_else(|error| fail(1, &format!("cannot connect to {host}, port {port}: {error}")));
    let bot = Bot {
        side: color,
        opening: format!("player {side}{name}"),
        stream,
        board: Board([None; 25]),
        plies: 0,
        moves: Vec::new(),
        last: None,
        has_begun: false,
        is_over: false,
    };
    match bot.play() {
        Ok(true) => {}
        Ok(false) => fail(1, "the connection was lost"),
        Err(error) => fail(1, &error.to_string()),
    }
}
