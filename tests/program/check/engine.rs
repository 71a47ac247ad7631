//! A stand-in for a GTP engine that plays Gothello: correct, or with one fault. It is a test of
//! this program, which is run again with the variable [`ENGINE`]. Its standard output is
//! descriptor 3, because the test harness writes to 1.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufRead, Read, Write};
use std::mem;
use std::process;
use std::thread;
use std::time::Duration;

use gothello::game::{Game as _, Outcome};
use gothello::{ByColor, Color, Game, Move, Placements, Point, PointSet, Position, Stones, sgf};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::{hang, wrong_point};

/// The fault of the stand-in.
pub const ENGINE: &str = "GOTHELLO_TEST_ENGINE";

/// The exit code of a crash.
const CRASH: i32 = 3;

/// The commands of the stand-in.
const COMMANDS: [&str; 18] = [
    "boardsize",
    "clear_board",
    "final_score",
    "genmove",
    "known_command",
    "komi",
    "list_commands",
    "loadsgf",
    "name",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    "time_left",
    "time_settings",
    "undo",
    "version",
    "x-none",
];

#[test]
fn stand_in_engine() {
    run();
}

/// Is the stand-in, if this process was started as one.
pub fn run() {
    let Ok(fault) = env::var(ENGINE) else { return };
    let output = File::options().append(true).open("/dev/fd/3").unwrap();
    let mut engine = Engine {
        fault,
        output,
        game: Game::new(),
        without_captures: ByColor::from_fn(|_| ByColor::from_fn(|_| PointSet::EMPTY)),
        left: PointSet::EMPTY,
        games: 0,
        clock: None,
        has_no_time: false,
        think: Duration::ZERO,
        rng: StdRng::seed_from_u64(1),
    };
    engine.run();
    process::exit(0);
}

struct Engine {
    fault: String,
    output: File,
    game: Game,
    /// The board of an engine that forgets captures, when this color is to move: those of its
    /// opponent, or its own.
    without_captures: ByColor<ByColor<PointSet>>,
    /// The stones on the board of an engine that removes captured stones.
    left: PointSet,
    games: u32,
    clock: Option<Duration>,
    /// Whether it was told that no time is left.
    has_no_time: bool,
    /// How long one thinks about its next move that uses most of its time.
    think: Duration,
    rng: StdRng,
}

type Answer = Result<String, String>;

fn error<T>(why: &str) -> Result<T, String> {
    Err(why.to_owned())
}

impl Engine {
    fn has(&self, fault: &str) -> bool {
        self.fault == fault
    }

    fn write(&mut self, text: &str) {
        self.output.write_all(text.as_bytes()).unwrap();
    }

    fn run(&mut self) {
        eprintln!("noise on standard error");
        match &*self.fault {
            "does-not-answer" => hang(),
            "crashes-at-the-start" => process::exit(CRASH),
            "greets" => self.write("Welcome to the engine\n"),
            _ => {}
        }
        let mut input = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            if self.has("reads-whole-packets") {
                // In the pieces that read(2) returns.
                let mut packet = [0; 4_096];
                let length = input.read(&mut packet).unwrap();
                line.extend_from_slice(&packet[..length]);
                let first = line.iter().position(|&byte| byte == b'\n');
                line.truncate(first.map_or(line.len(), |end| end + 1));
            } else {
                input.read_until(b'\n', &mut line).unwrap();
            }
            match line.is_empty() {
                true if self.has("ignores-the-end-of-input") => hang(),
                true => return,
                false => self.answer(&line),
            }
        }
    }

    fn answer(&mut self, line: &[u8]) {
        let mut text = String::from_utf8_lossy(line).into_owned();
        if self.has("keeps-cr") && text.contains('\r') {
            text = text.replace('\r', "?");
        }
        if !self.has("knows-no-comments") {
            text = text.split('#').next().unwrap().to_owned();
        }
        let text: String = match &*self.fault {
            "keeps-control-characters" => text,
            _ => text
                .chars()
                .filter(|&c| c == '\t' || !c.is_control())
                .collect(),
        };
        let text = match &*self.fault {
            "keeps-tabs" => text,
            _ => text.replace('\t', " "),
        };
        let text = text.trim_end_matches('\n');
        let mut words: Vec<&str> = match &*self.fault {
            "splits-at-each-space" => text.split(' ').collect(),
            _ => text.split(' ').filter(|word| !word.is_empty()).collect(),
        };
        if words.is_empty() || words == [""] {
            if self.has("answers-empty-lines") {
                self.write("? unknown command\n\n");
            }
            return;
        }
        let max_id = if self.has("has-small-ids") {
            9_999
        } else {
            u64::MAX
        };
        let id = words[0].parse::<u64>().ok().map(|id| id.min(max_id));
        if id.is_some() {
            words.remove(0);
        }
        let id = match (&*self.fault, id) {
            ("forgets-ids", _) => String::new(),
            ("always-writes-an-id", None) => "0".to_owned(),
            ("writes-a-space-before-the-id", Some(id)) => format!(" {id}"),
            (_, Some(id)) => id.to_string(),
            (_, None) => String::new(),
        };
        let (name, arguments) = words.split_first().map_or(("", &[][..]), |(a, b)| (*a, b));
        if self.has("thinks-about-every-command") {
            thread::sleep(Duration::from_millis(100));
        }
        let answer = self.execute(name, arguments);
        let (sign, text) = match &answer {
            Ok(text) => ("=", text),
            Err(text) => ("?", text),
        };
        let id = match (&*self.fault, &answer) {
            ("forgets-ids-of-errors", Err(_)) => String::new(),
            _ => id,
        };
        self.write(&match &*self.fault {
            "writes-one-newline" => format!("{sign}{id} {text}\n"),
            "writes-no-sign" => format!("{text}\n\n"),
            "writes-no-space" => format!("{sign}{id}{text}\n\n"),
            "writes-a-prompt" => format!("{sign}{id} {text}\n\n> "),
            "logs-on-stdout" if name == "genmove" => format!("thinking\n{sign}{id} {text}\n\n"),
            _ => format!("{sign}{id} {text}\n\n"),
        });
        if name == "quit" && !self.has("ignores-quit") {
            process::exit(0);
        }
    }

    fn execute(&mut self, name: &str, arguments: &[&str]) -> Answer {
        match (name, arguments) {
            ("protocol_version", _) if self.has("speaks-version-1") => Ok("1".into()),
            ("protocol_version", _) => Ok("2".into()),
            ("name", _) if self.has("has-no-name") => Ok(String::new()),
            ("name", _) => Ok("Stand-in".into()),
            ("version", _) if self.has("has-no-version") => error("unknown command"),
            ("version", _) => Ok(String::new()),
            ("quit", _) if self.has("quits-without-a-response") => process::exit(0),
            ("quit", _) if self.has("aborts-after-games") && self.games > 1 => process::abort(),
            ("quit", _) => Ok(String::new()),
            ("known_command", [name]) => {
                let is_known = match &*self.fault {
                    "knows-everything" => true,
                    "knows-few" => *name == "play",
                    _ => self.is_listed(name) || *name == "komi",
                };
                Ok(is_known.to_string())
            }
            ("list_commands", _) => {
                let names = COMMANDS.into_iter().filter(|name| self.is_listed(name));
                let end = if self.has("lists-in-one-row") {
                    " "
                } else {
                    "\n"
                };
                Ok(names.collect::<Vec<_>>().join(end))
            }
            ("boardsize", [size]) => match size.parse() {
                Ok(5) if self.has("is-for-19x19") => error("unacceptable size"),
                Ok(5) => Ok(String::new()),
                Ok(_) if self.has("accepts-any-size") => Ok(String::new()),
                Ok(1_000) if self.has("crashes-at-a-size") => process::exit(CRASH),
                Ok(_) => error("unacceptable size"),
                Err::<u32, _>(_) => error("syntax error"),
            },
            ("komi", [komi]) => match komi.parse::<f64>() {
                Ok(komi) if self.has("refuses-negative-komi") && komi < 0.0 => error("no"),
                Ok(_) => Ok(String::new()),
                Err(_) => error("syntax error"),
            },
            ("clear_board", []) => self.clear_board(),
            ("play", [color, vertex]) => self.play(color, vertex),
            ("play" | "komi" | "boardsize", _) if self.has("crashes-at-missing-arguments") => {
                process::exit(CRASH)
            }
            ("genmove", [color]) => {
                let mv = self.choose(color)?;
                if let Some(mv) = mv
                    && !self.has("forgets-its-own-move")
                {
                    self.make(mv);
                }
                Ok(self.shown(mv))
            }
            ("reg_genmove", [color]) => {
                let mv = self.choose(color)?;
                if let Some(mv) = mv
                    && self.has("plays-at-reg-genmove")
                {
                    self.make(mv);
                }
                Ok(self.shown(mv))
            }
            ("undo", []) => self.undo(),
            ("time_settings", [main, ..]) => {
                if self.has("needs-main-time") && *main == "0" {
                    return error("syntax error");
                }
                self.clock = main
                    .parse()
                    .ok()
                    .filter(|&main| main > 0)
                    .map(Duration::from_secs);
                Ok(String::new())
            }
            ("time_left", [_, _, _]) if self.has("crashes-at-time-left") => process::exit(CRASH),
            ("time_left", [_, seconds, moves]) => {
                self.has_no_time = *seconds == "0";
                if let (Ok(seconds), Ok(moves)) = (seconds.parse(), moves.parse::<u32>()) {
                    let left = Duration::from_secs(seconds) / moves.max(1);
                    self.think = left.saturating_mul(6) / 10;
                }
                Ok(String::new())
            }
            ("final_score", []) => Ok(self.score()),
            ("loadsgf", [path, ..]) => {
                let Ok(text) = fs::read_to_string(path) else {
                    return match self.has("loads-what-is-missing") {
                        true => Ok(String::new()),
                        false => error("cannot load file"),
                    };
                };
                if !self.has("loads-nothing") {
                    self.game = sgf::read(&text, usize::MAX).map_err(|why| why.to_string())?;
                }
                Ok(String::new())
            }
            _ if self.has("accepts-unknown-commands") => Ok(String::new()),
            _ if self.has("crashes-at-unknown-commands") => process::exit(CRASH),
            _ => error("unknown command"),
        }
    }

    fn is_listed(&self, name: &str) -> bool {
        let is_hidden = match &*self.fault {
            "does-not-list-komi" => name == "komi",
            "has-nothing-optional" => {
                matches!(name, "undo" | "final_score" | "loadsgf" | "reg_genmove")
                    || name.starts_with("time_")
            }
            _ => false,
        };
        COMMANDS.contains(&name) && !is_hidden
    }

    fn clear_board(&mut self) -> Answer {
        self.games += 1;
        if self.has("crashes-after-many-games") && self.games > 60 {
            process::exit(CRASH);
        }
        let has_begun = self.game.undoable() > 0;
        if self.has("clears-finished-games-only") && has_begun && !self.game.is_over() {
            return Ok(String::new());
        }
        self.game = Game::new();
        self.without_captures = ByColor::from_fn(|_| ByColor::from_fn(|_| PointSet::EMPTY));
        self.left = PointSet::EMPTY;
        Ok(String::new())
    }

    fn color(&self, word: &str) -> Result<Color, String> {
        let lower = word.to_ascii_lowercase();
        match &*self.fault {
            "reads-lower-case-colors" if lower != word => error("syntax error"),
            "reads-letters-of-colors" if word.len() > 1 => error("syntax error"),
            _ => lower.parse().map_err(|_| "syntax error".to_owned()),
        }
    }

    fn play(&mut self, color: &str, vertex: &str) -> Answer {
        let color = match self.has("takes-any-color") {
            true => self.game.to_move(),
            false => self.color(color)?,
        };
        if self.has("reads-capitals") && vertex.chars().any(|c| c.is_ascii_lowercase()) {
            return error("syntax error");
        }
        let mv: Move = vertex.parse().map_err(|_| "syntax error".to_owned())?;
        let can_place = !self.game.legal_points().is_empty();
        if mv == Move::Pass && can_place && self.has("passes-when-forced") {
            return error("illegal move");
        }
        if self.accepts(mv) {
            // Its own board stays unchanged.
            return Ok(String::new());
        }
        if self.game.is_over() || color != self.game.to_move() {
            return error("illegal move");
        }
        if self.game.clone().play(color, mv).is_err() {
            if self.has("changes-turns-at-errors") {
                self.make(Move::Pass);
            }
            return error("illegal move");
        }
        if self.has("refuses-captures") && self.forgets(mv) {
            return error("illegal move");
        }
        // A legal move without special features, in the middle of a game.
        if self.has("refuses-c3") && mv.to_string() == "c3" && self.game.moves().count() > 4 {
            return error("illegal move");
        }
        self.make(mv);
        Ok(String::new())
    }

    /// Whether it accepts an illegal move.
    fn accepts(&self, mv: Move) -> bool {
        let (Some(position), Move::Place(point)) = (self.game.position(), mv) else {
            return false;
        };
        let placements = position.placements();
        let is_empty = position.empty().contains(point);
        if placements.legal().contains(point) {
            return false;
        }
        let beside = PointSet::from(point).neighbors();
        let (own, atari) = (placements.stones().mover, placements.in_atari().opponent);
        match &*self.fault {
            "accepts-occupied" => !is_empty,
            "accepts-suicide" => is_empty && !beside.meets(own) && !beside.meets(atari),
            "accepts-own-eyes" => is_empty && beside.meets(own) && !beside.meets(atari),
            "accepts-captures-as-in-go" => is_empty && beside.meets(atari),
            "removes-captured-stones" => !is_empty && !self.left.contains(point),
            _ => false,
        }
    }

    /// The placements of a player on the board of an engine that forgets captures when `of` is to
    /// move.
    fn without_captures(&self, of: Color, mover: Color) -> Placements {
        let board = self.without_captures[of];
        let stones = Stones {
            mover: board[mover],
            opponent: board[mover.opponent()],
        };
        Placements::new(stones, !(stones.mover | stones.opponent))
    }

    /// Whether a move is illegal on the board without captures.
    fn forgets(&self, mv: Move) -> bool {
        let color = self.game.to_move();
        let legal = self.without_captures(color, color).legal();
        matches!(mv, Move::Place(point) if !legal.contains(point))
    }

    fn make(&mut self, mv: Move) {
        let color = self.game.to_move();
        let (Ok(()), Move::Place(point)) = (self.game.play(color, mv), mv) else {
            return;
        };
        for of in Color::ALL {
            let is_forgotten = (of == color) == self.has("refuses-captures");
            let captured = match is_forgotten {
                true => None,
                false => self.without_captures(of, color).captures(point),
            };
            let captured = captured.unwrap_or_default();
            let board = &mut self.without_captures[of];
            board[color] |= PointSet::from(point) | captured;
            board[color.opponent()] = board[color.opponent()].without(captured);
        }
        self.left = (self.left | PointSet::from(point)).without(self.game.last_captured());
    }

    fn undo(&mut self) -> Answer {
        if self.has("undoes-nothing") {
            return Ok(String::new());
        }
        let captured = self.game.last_captured();
        if !self.game.undo() {
            return error("cannot undo");
        }
        if self.has("undoes-no-captures") && !captured.is_empty() {
            self.keep_captures(captured);
        }
        Ok(String::new())
    }

    /// Gives the stones that the move taken back has captured to the player who made it.
    fn keep_captures(&mut self, captured: PointSet) {
        let Some(before) = self.game.position().copied() else {
            return;
        };
        let color = before.to_move();
        let mut stones = ByColor::from_fn(|color| before.stones_of(color));
        stones[color] |= captured;
        stones[color.opponent()] = stones[color.opponent()].without(captured);
        let ByColor { black, white } = stones;
        if let Ok(position) = Position::new(black, white, color, before.after_pass()) {
            self.game.set_up(position);
        }
    }

    fn choose(&mut self, color: &str) -> Result<Option<Move>, String> {
        let color = self.color(color)?;
        if self.has("fails-at-genmove") {
            return error("cannot think");
        }
        if self.has("always-passes") {
            return Ok(Some(Move::Pass));
        }
        if self.has("plays-black-only") && color == Color::White {
            return error("wrong color");
        }
        if self.has("hangs-after-the-end") && self.game.is_over() {
            hang();
        }
        if let Some(clock) = self.clock
            && self.has("does-not-hurry")
        {
            thread::sleep(clock / 4);
        }
        if self.has("uses-most-of-its-time") {
            thread::sleep(mem::take(&mut self.think));
        }
        if self.has("divides-by-time-left") && self.has_no_time {
            process::exit(CRASH);
        }
        if self.has("crashes-at-move-ten") && self.game.moves().count() >= 18 {
            process::exit(CRASH);
        }
        if self.game.is_over() {
            return Ok(Some(Move::Pass));
        }
        if color != self.game.to_move() {
            return error("illegal move");
        }
        let Some(position) = self.game.position().copied() else {
            return Ok(None);
        };
        if self.has("resigns") {
            return Ok(None);
        }
        let forgetful = self.without_captures(color, color).legal();
        if let Some(point) = wrong_point(&self.fault, &position, forgetful) {
            return Ok(Some(Move::Place(point)));
        }
        if position.after_pass() && self.has("hangs-after-a-pass") {
            hang();
        }
        let legal: Vec<Point> = position.placements().legal().iter().collect();
        Ok(Some(
            legal
                .choose(&mut self.rng)
                .map_or(Move::Pass, |&point| Move::Place(point)),
        ))
    }

    fn shown(&self, mv: Option<Move>) -> String {
        match mv {
            None => "resign".to_owned(),
            Some(mv) if self.has("answers-moves-with-colors") => format!("black {mv}"),
            Some(mv) => mv.to_string().to_ascii_uppercase(),
        }
    }

    fn score(&self) -> String {
        let outcome = Outcome::from_scores(self.game.scores());
        match (&*self.fault, outcome.winner()) {
            ("scores-for-black", Some(Color::White)) => {
                format!("B+{}", outcome.lead_of(Color::White))
            }
            ("scores-for-white", Some(Color::Black)) => {
                format!("W+{}", outcome.lead_of(Color::Black))
            }
            ("scores-with-komi", None) => "W+0.5".to_owned(),
            _ => outcome.to_string(),
        }
    }
}
