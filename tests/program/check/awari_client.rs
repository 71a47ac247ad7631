//! A stand-in for a client of the network referee that plays Awari: correct, or with one fault. It
//! is a test of this program, which is run again with the variable [`AWARI_CLIENT`].

use std::env;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpStream};
use std::process;
use std::thread;
use std::time::Duration;

use gothello::awari::{EndReason, Game, Pit, Player, Status};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::{Peer, hang};

/// The kind of stand-in: `<fault> <side> <port>`.
pub const AWARI_CLIENT: &str = "GOTHELLO_TEST_AWARI_CLIENT";

/// The exit code of a crash.
const CRASH: i32 = 3;

#[test]
fn stand_in_awari_client() {
    run();
}

/// Is the stand-in, if this process was started as one.
pub fn run() {
    let Ok(text) = env::var(AWARI_CLIENT) else {
        return;
    };
    let words: Vec<&str> = text.split(' ').collect();
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, words[2].parse().unwrap())).unwrap();
    let player = match words[1] {
        "south" => Player::South,
        _ => Player::North,
    };
    let mut client = Client {
        player,
        lines: BufReader::new(stream.try_clone().unwrap()),
        peer: Peer::new(words[0], stream),
        game: Game::default(),
        board: [4; 12],
        rng: StdRng::seed_from_u64(1),
    };
    while let Some(line) = client.read() {
        client.handle(&line);
    }
    if client.peer.has("ignores-the-end") {
        hang();
    }
    process::exit(0);
}

struct Client {
    player: Player,
    peer: Peer,
    lines: BufReader<TcpStream>,
    game: Game,
    /// The stones as a client with the fault sees them.
    board: [u8; 12],
    rng: StdRng,
}

impl Client {
    fn read(&mut self) -> Option<String> {
        let mut line = String::new();
        self.lines.read_line(&mut line).ok()?;
        // A part of a line does not count: the connection is lost.
        line.ends_with('\n').then(|| line.trim_end().to_owned())
    }

    fn handle(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "000" => {
                let side = self.player.to_string().to_ascii_lowercase();
                let version = if self.peer.has("is-too-new") {
                    "1.0"
                } else {
                    "0.9"
                };
                self.peer.send(&format!("{version} player {side}"));
                if self.peer.has("moves-at-once") && self.player == Player::South {
                    self.peer.send("1 C");
                }
            }
            "191" if self.peer.has("hangs-when-refused") => hang(),
            "191" => process::exit(0),
            "352" if self.player == Player::South => self.make_move(),
            "207" if self.peer.has("knows-no-207") => process::exit(CRASH),
            // Its answer came after the opponent had moved.
            "291" if self.peer.has("answers-late") => {}
            "291" | "299" => {
                let pit = self.game.legal_moves().next().unwrap();
                self.send_move(pit);
            }
            "311" | "312" | "313" | "314" => self.see_move(&words),
            "321" | "322" | "323" | "324" | "325" | "326" => self.see_last_move(&words),
            "331" | "332" => self.answer_offer(words[0]),
            code => self.end(code),
        }
    }

    fn make_move(&mut self) {
        if self.peer.has("accepts-no-offer") {
            // After 291, it moves.
            return self.peer.send("draw");
        }
        let moves: Vec<Pit> = self.game.legal_moves().collect();
        if self.peer.has("waits-with-one-move") && moves.len() == 1 {
            hang();
        }
        if self.peer.has("ends-at-move-ten") && self.game.moves().count() >= 18 {
            process::exit(CRASH);
        }
        let own = Pit::of(self.player);
        let filled = |board: &[u8; 12], pit: Pit| board[pit.index()] > 0;
        let wrong = match &*self.peer.fault {
            "sows-for-the-opponent" => Pit::of(self.player.opponent()).first(),
            "sows-empty-pits" => own.iter().find(|pit| !filled(self.game.pits(), **pit)),
            "starves" => {
                let mut pits = own.iter().filter(|pit| filled(self.game.pits(), **pit));
                pits.find(|pit| !moves.contains(pit))
            }
            _ => {
                let mut pits = own.iter().filter(|pit| filled(&self.board, **pit));
                pits.find(|pit| !filled(self.game.pits(), **pit))
            }
        };
        let random = *moves.choose(&mut self.rng).unwrap();
        self.send_move(wrong.copied().unwrap_or(random));
    }

    fn send_move(&mut self, pit: Pit) {
        let number = self.game.moves().count() / 2 + 1;
        let number = match &*self.peer.fault {
            "counts-from-zero" => number - 1,
            "counts-plies" => self.game.moves().count() + 1,
            _ => number,
        };
        let dots = match (&*self.peer.fault, self.player) {
            ("never-writes-ellipses", _) | (_, Player::South) => "",
            (_, Player::North) => "... ",
        };
        self.peer.send(&match &*self.peer.fault {
            "speaks-gtp" => format!("play {pit}"),
            _ => format!("{number} {dots}{pit}"),
        });
    }

    /// Plays the move of a status line.
    fn see_move(&mut self, words: &[&str]) {
        let at = 2 + usize::from(words[2] == "...");
        let pit: Pit = words[at].parse().unwrap();
        let player = pit.owner();
        if self.game.play(player, pit).is_err() {
            process::exit(CRASH);
        }
        self.sow(pit);
        if self.game.to_move() == self.player {
            self.make_move();
        }
    }

    /// Sows a pit on the board of a client with the fault.
    fn sow(&mut self, pit: Pit) {
        let mut last = pit.index();
        let stones = std::mem::take(&mut self.board[last]);
        for _ in 0..stones {
            last = (last + 1) % 12;
            if last == pit.index() && !self.peer.has("fills-the-pit-itself") {
                last = (last + 1) % 12;
            }
            self.board[last] += 1;
        }
        let is_wrong = match pit.owner() == self.player {
            true => self.peer.fault.ends_with("of-its-own"),
            false => self.peer.fault.ends_with("of-the-opponent"),
        };
        let most = match () {
            () if is_wrong && self.peer.fault.starts_with("forgets-captures") => 0,
            () if is_wrong && self.peer.fault.starts_with("captures-one-pit") => 1,
            () => 12,
        };
        for _ in 0..most {
            if Pit::ALL[last].owner() == pit.owner() || !matches!(self.board[last], 2 | 3) {
                break;
            }
            self.board[last] = 0;
            last = (last + 11) % 12;
        }
    }

    fn answer_offer(&mut self, code: &str) {
        let is_own = (code == "331") == (self.player == Player::South);
        match &*self.peer.fault {
            _ if is_own => {}
            "hangs-at-an-offer" => hang(),
            "crashes-at-an-offer" => process::exit(CRASH),
            "moves-at-an-offer" => self.make_move(),
            "accepts-draws" => self.peer.send("draw"),
            "ignores-offers" => {}
            "answers-late" => {
                thread::sleep(Duration::from_millis(700));
                self.peer.send("nodraw");
            }
            _ => self.peer.send("nodraw"),
        }
    }

    /// Handles the move that ends the game.
    fn see_last_move(&mut self, words: &[&str]) {
        let at = 2 + usize::from(words[2] == "...");
        let pit: Pit = words[at].parse().unwrap();
        if self.game.play(pit.owner(), pit).is_err() {
            process::exit(CRASH);
        }
        let Status::Over(end) = self.game.status() else {
            process::exit(CRASH);
        };
        let reason = match end.ending {
            EndReason::Majority => "majorities",
            EndReason::NoMove => "empty-sides",
            EndReason::Repetition => "repetitions",
            EndReason::GrandSlam => "grand-slams",
        };
        if self.peer.has(&format!("hangs-at-{reason}")) {
            hang();
        }
        self.end(words[0]);
    }

    /// Ends after the game, or goes on reading.
    fn end(&self, code: &str) {
        let (won, lost) = match self.player {
            Player::South => ("324", "323"),
            Player::North => ("322", "321"),
        };
        match (&*self.peer.fault, code) {
            ("hangs-after-a-win", "201")
            | ("hangs-after-a-loss", "202")
            | ("hangs-after-resignation", "327" | "328")
            | ("ignores-36x", "361" | "362") => hang(),
            ("crashes-at-disconnection", "391" | "392")
            | ("crashes-at-a-draw", "203")
            | ("crashes-at-its-draw", "325" | "326") => process::exit(CRASH),
            ("crashes-at-its-win", code) if code == won => process::exit(CRASH),
            ("crashes-at-its-loss", code) if code == lost => process::exit(CRASH),
            _ => {}
        }
    }
}
