//! A stand-in for a client of the network referee: correct, or with one fault. It is a test of
//! this program, which is run again with the variable [`CLIENT`].

use std::env;
use std::io::{Read, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::process;
use std::thread;
use std::time::Duration;

use gothello::game::Game as _;
use gothello::{ByColor, Color, Game, Move, Placements, Point, PointSet, Position, Stones};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::{Peer, hang, wrong_point};

/// The kind of stand-in: `<fault> <side> <port>`.
pub const CLIENT: &str = "GOTHELLO_TEST_CLIENT";

/// The exit code of a crash.
const CRASH: i32 = 3;

#[test]
fn stand_in_client() {
    let Ok(text) = env::var(CLIENT) else { return };
    let words: Vec<&str> = text.split(' ').collect();
    let color: Color = words[1].parse().unwrap();
    if words[0] == "does-not-connect" {
        return;
    }
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, words[2].parse().unwrap())).unwrap();
    let mut client = Client {
        color,
        peer: Peer::new(words[0], stream),
        unread: Vec::new(),
        game: Game::new(),
        board: ByColor::from_fn(|_| PointSet::EMPTY),
        moves: 0,
        secs: None,
        rng: StdRng::seed_from_u64(1),
    };
    client.play();
    process::exit(0);
}

struct Client {
    color: Color,
    peer: Peer,
    unread: Vec<u8>,
    game: Game,
    /// The board as a client with the fault sees it.
    board: ByColor<PointSet>,
    moves: u32,
    secs: Option<u64>,
    rng: StdRng,
}

impl Client {
    /// Reads a line; at the end of the connection, ends.
    fn read(&mut self) -> String {
        loop {
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return String::from_utf8(line).unwrap().trim_end().to_owned();
            }
            let mut piece = [0; 1_024];
            if self.peer.has("gives-up-soon") && self.moves > 0 {
                let wait = Some(Duration::from_secs(1));
                self.peer.stream.set_read_timeout(wait).unwrap();
            }
            let read = self.peer.stream.read(&mut piece);
            if read.is_err() && self.peer.has("hangs-at-a-reset") {
                hang();
            }
            if read.is_err() && self.peer.has("gives-up-soon") {
                process::exit(CRASH);
            }
            let length = read.unwrap_or(0);
            let read = &piece[..length];
            if length == 0 && self.peer.has("takes-half-a-line") && !self.unread.is_empty() {
                return String::from_utf8(std::mem::take(&mut self.unread)).unwrap();
            }
            if length == 0 {
                match self.peer.has("ignores-the-end") {
                    true => hang(),
                    false => process::exit(0),
                }
            }
            if self.peer.has("reads-no-part-of-a-line") && !read.ends_with(b"\n") {
                process::exit(CRASH);
            }
            self.unread.extend_from_slice(read);
            let lines = self.unread.iter().filter(|&&byte| byte == b'\n').count();
            if self.peer.has("reads-two-lines-at-once") && lines > 2 {
                hang();
            }
        }
    }

    fn play(&mut self) {
        self.read();
        let side = match self.peer.has("asks-for-the-other-side") {
            true => self.color.opponent(),
            false => self.color,
        };
        let side = if side == Color::Black {
            "black"
        } else {
            "white"
        };
        let version = match &*self.peer.fault {
            "is-too-new" => "1.0",
            "forgets-the-moves-so-far" => "0.9.2",
            _ => "0.9.1",
        };
        if self.peer.has("asks-for-nothing") {
            return;
        }
        while self.peer.has("ends-no-line") && self.peer.stream.write_all(&[b'x'; 1_024]).is_ok() {}
        let name = match &*self.peer.fault {
            "is-named"
            | "splits-at-quotes"
            | "looks-for-352"
            | "knows-no-327"
            | "forgets-the-moves-so-far" => " \"Stand-in\"",
            _ => "",
        };
        self.peer.send(&format!("{version} player {side}{name}"));
        if self.peer.has("moves-at-once") && self.color == Color::Black {
            self.peer.send("1 c3");
        }
        let granted = self.read();
        match &granted[..3] {
            "100" => {}
            "101" => self.secs = granted.split(' ').nth(1).unwrap().parse().ok(),
            "191" if self.peer.has("hangs-when-refused") => hang(),
            "192" | "199" if self.peer.has("hangs-when-full") => hang(),
            "192" | "199" if self.peer.has("floods-when-full") => {
                while self.peer.stream.write_all(b"1 c3\r").is_ok() {}
            }
            _ => return,
        }
        self.wait_for_the_start();
        while !self.game.is_over() {
            match self.game.to_move() == self.color {
                true => self.make_move(),
                false => self.get_move(),
            }
        }
    }

    /// Reads lines up to the one that starts the game.
    fn wait_for_the_start(&mut self) {
        loop {
            let line = self.read();
            if self.peer.has("looks-for-352") && (line.contains("351") || line.contains("352")) {
                return;
            }
            if self.peer.has("hangs-at-399") && line.starts_with("399") {
                hang();
            }
            match &line[..3] {
                "341" | "342"
                    if self.peer.has("splits-at-quotes") && line.split('"').count() != 3 =>
                {
                    process::exit(CRASH);
                }
                "341" | "342" | "343" | "344" => {}
                "351" | "352" => return,
                "311" | "312" | "315" | "316" if self.peer.has("forgets-the-moves-so-far") => {}
                _ => process::exit(CRASH),
            }
        }
    }

    fn choose(&mut self) -> Move {
        let position = *self.game.position().unwrap();
        if let Some(point) = wrong_point(&self.peer.fault, &position, PointSet::EMPTY) {
            return Move::Place(point);
        }
        let legal: Vec<Point> = match self.peer.fault.starts_with("tries-points") {
            true => position.empty().iter().collect(),
            false => self.placements(self.color).legal().iter().collect(),
        };
        let chosen = legal.choose(&mut self.rng);
        chosen.map_or(Move::Pass, |&point| Move::Place(point))
    }

    fn make_move(&mut self) {
        let legal = self.game.legal_points();
        if legal.is_empty() && self.peer.has("waits-when-blocked") {
            hang();
        }
        if self.peer.has("stops-after-three-moves") && self.moves == 3 {
            hang();
        }
        let number = self.game.moves().count() / 2 + 1;
        if self.peer.has("ends-at-move-ten") && number >= 10 {
            process::exit(CRASH);
        }
        if self.peer.has("cannot-hurry") && self.secs.is_some_and(|secs| (1..=3).contains(&secs)) {
            process::exit(CRASH);
        }
        if self.peer.has("runs-out-of-time")
            && self.secs.is_some_and(|secs| (1..=3).contains(&secs))
        {
            thread::sleep(Duration::from_secs(4));
        }
        if self.peer.has("thinks-for-long") {
            thread::sleep(Duration::from_secs(3));
        }
        let mut mv = self.choose();
        let mut number = match &*self.peer.fault {
            "counts-from-zero" => number - 1,
            "counts-plies" => self.game.moves().count() + 1,
            _ => number,
        };
        loop {
            self.send_move(number, mv);
            let response = self.read();
            match &response[..3] {
                "200" | "207" => {
                    if response.starts_with("207") && self.peer.has("knows-no-207") {
                        process::exit(CRASH);
                    }
                    if self.peer.has("reads-texts") && !response.contains("continue playing") {
                        hang();
                    }
                    if response.starts_with("207") {
                        self.secs = response.split(' ').nth(1).unwrap().parse().ok();
                    }
                    break;
                }
                "291" if self.peer.has("tries-points-and-ignores-291") => break,
                "291" => {
                    let is_black = self.color == Color::Black;
                    if self.peer.has("tries-points-and-counts-on")
                        || self.peer.has("tries-points-and-counts-as-black") && is_black
                    {
                        number += 1;
                    }
                    mv = match self.game.legal_points().first() {
                        Some(point) => Move::Place(point),
                        None => Move::Pass,
                    };
                }
                code => self.finish(code.to_owned()),
            }
        }
        if self.peer.has("tries-points-and-ignores-291")
            && self.game.clone().play(self.color, mv).is_err()
        {
            self.read();
            hang();
        }
        self.read();
        self.moves += 1;
        self.note(self.color, mv);
        if self.peer.has("moves-after-a-while") {
            let wait = Some(Duration::from_millis(50));
            self.peer.stream.set_read_timeout(wait).unwrap();
            if self.peer.stream.peek(&mut [0]).is_err() {
                self.send_move(number + 1, Move::Pass);
            }
            self.peer.stream.set_read_timeout(None).unwrap();
        }
    }

    fn send_move(&mut self, number: usize, mv: Move) {
        let is_white = self.color == Color::White;
        let dots = match &*self.peer.fault {
            "never-writes-ellipses" => "",
            "always-writes-ellipses" => "... ",
            _ if is_white => "... ",
            _ => "",
        };
        let mv = match &*self.peer.fault {
            "writes-upper-case" => mv.to_string().to_ascii_uppercase(),
            _ => mv.to_string(),
        };
        self.peer.send(&match &*self.peer.fault {
            "speaks-gtp" => format!("play {mv}"),
            "writes-a-hash" => format!("#{number} {dots}{mv}"),
            _ => format!("{number} {dots}{mv}"),
        });
    }

    fn note(&mut self, color: Color, mv: Move) {
        if self.game.play(color, mv).is_err() {
            process::exit(CRASH);
        }
        if let Move::Place(point) = mv {
            let placed = PointSet::from(point);
            let captured = self.placements(color).captures(point).unwrap_or_default();
            let (own, is_own) = ("of-its-own", color == self.color);
            let has = |fault: &str| {
                let whose = self.peer.fault.strip_prefix(fault);
                whose.is_some_and(|whose| whose.ends_with(own) == is_own)
            };
            let flipped = match () {
                () if has("forgets-flips") || has("removes-captures") => PointSet::EMPTY,
                () if has("flips-neighbors-only") => captured & placed.neighbors(),
                () if has("flips-as-in-othello") => captured | self.bracketed(color, point),
                () => captured,
            };
            let removed = match has("removes-captures") {
                true => captured,
                false => PointSet::EMPTY,
            };
            self.board[color] |= placed | flipped;
            let opponent = color.opponent();
            self.board[opponent] = self.board[opponent].without(flipped | removed);
        }
    }

    /// The stones that a move would flip in Othello.
    fn bracketed(&self, color: Color, point: Point) -> PointSet {
        let step = |from: u8, by: usize| (usize::from(from) + by).checked_sub(1);
        let neighbor = |point: Point, x, y| {
            let column = u8::try_from(step(point.column(), x)?).ok()?;
            Point::new(column, u8::try_from(step(point.row(), y)?).ok()?)
        };
        let mut flipped = PointSet::EMPTY;
        for (x, y) in (0..9).map(|number| (number / 3, number % 3)) {
            let mut row = PointSet::EMPTY;
            let mut next = neighbor(point, x, y);
            while let Some(point) = next
                && self.board[color.opponent()].contains(point)
            {
                row |= PointSet::from(point);
                next = neighbor(point, x, y);
            }
            if next.is_some_and(|point| self.board[color].contains(point)) {
                flipped |= row;
            }
        }
        flipped
    }

    /// What a player can place on the board as the client sees it.
    fn placements(&self, color: Color) -> Placements {
        let stones = Stones {
            mover: self.board[color],
            opponent: self.board[color.opponent()],
        };
        Placements::new(stones, !(stones.mover | stones.opponent))
    }

    fn get_move(&mut self) {
        let line = self.read();
        let words: Vec<&str> = line.split(' ').collect();
        let at = match self.peer.has("misreads-ellipses") {
            true => 2,
            false => 2 + usize::from(words.get(2) == Some(&"...")),
        };
        match words[0] {
            "313" | "314" | "317" | "318" if self.peer.has("knows-no-313") => hang(),
            "311" | "312" | "313" | "314" | "315" | "316" | "317" | "318" => {
                let mv = match words[at].parse() {
                    Ok(mv) => mv,
                    Err(_) if self.peer.has("takes-half-a-line") => {
                        let first = self.game.legal_points().first();
                        first.map_or(Move::Pass, Move::Place)
                    }
                    Err(_) => process::exit(CRASH),
                };
                if mv == Move::Pass && self.peer.has("ends-at-a-pass") {
                    process::exit(0);
                }
                self.note(self.color.opponent(), mv);
            }
            code => {
                let mut code = code.to_owned();
                for word in ["resignation", "disconnection"] {
                    if line.contains(word) {
                        code = word.to_owned();
                    }
                }
                // Handles a pass that does not end the game: looks for the reason.
                let is_forfeit = code.starts_with("32") && !self.is_last_pass();
                if self.peer.has("reads-resignation") && is_forfeit {
                    hang();
                }
                self.finish(code);
            }
        }
    }

    /// Ends after the game.
    fn finish(&mut self, code: String) -> ! {
        let next = match self.peer.has("cannot-lose-on-time") {
            true if code == "202" => self.read(),
            _ => String::new(),
        };
        let is_pushed = self.peer.has("does-not-expect-201") && !self.is_last_pass();
        match (&*self.peer.fault, &*code) {
            ("hangs-after-a-win", "201")
            | ("hangs-after-a-loss", "202")
            | ("hangs-after-resignation", "resignation")
            | ("knows-no-327", "resignation")
            | ("hangs-at-399", "399")
            | ("ignores-36x", "361" | "362") => hang(),
            ("does-not-expect-201", "201") if is_pushed => hang(),
            ("crashes-at-a-draw", "203")
            | ("crashes-at-its-draw", "325" | "326")
            | ("crashes-at-disconnection", "disconnection")
            | ("crashes-at-its-win", "322" | "324")
            | ("crashes-at-its-loss", "321" | "323") => process::exit(CRASH),
            ("raises-at-draws-and-flags", "203" | "325" | "326" | "361" | "362") => {
                process::exit(1)
            }
            ("cannot-lose-on-time", _) if next.starts_with("36") => process::abort(),
            ("exits-with-1", _) => process::exit(1),
            _ => process::exit(0),
        }
    }

    /// Whether a pass would end the game.
    fn is_last_pass(&self) -> bool {
        self.game.position().is_some_and(Position::after_pass)
    }
}
