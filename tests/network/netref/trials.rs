//! Crashes at any moment of many matches: every acknowledged action has happened, once, and
//! nothing else except the one in progress.

use std::thread;
use std::time::{Duration, Instant};

use gothello::{Color, Game, Move};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::netref::desk::Desk;
use crate::netref::referee::{Client, Referee};
use crate::netref::scenes::seat_when_free;
use crate::netref::server::{results, sole, sole_record};

/// The time on each clock at the start, in seconds.
const TIME: u64 = 300;

/// How much more time than a player needs may be lost, in seconds: a started second, and a busy
/// machine.
const TOLERANCE: u64 = 3;

/// A match that survives many crashes.
struct Trial {
    desk: Desk,
    rng: StdRng,
    named: bool,
    game: Game,
    /// The acknowledged moves: each move, and the seconds left after it.
    acknowledged: Vec<(String, Option<u64>)>,
    /// A move that was sent but not yet answered.
    under_way: Option<Move>,
    crashes: u32,
}

impl Trial {
    fn new(seed: u64) -> Trial {
        Trial {
            desk: Desk::new(),
            rng: StdRng::seed_from_u64(seed),
            named: seed.is_multiple_of(2),
            game: Game::new(),
            acknowledged: Vec::new(),
            under_way: None,
            crashes: 0,
        }
    }

    fn start(&self) -> Referee {
        self.desk.start(&[&TIME.to_string()])
    }

    fn seat(&self, referee: &Referee, color: Color) -> Client {
        let side = ["black", "white"][color as usize];
        let name = [" \"Ann\"", " \"Bob\""][color as usize];
        let name = if self.named { name } else { "" };
        seat_when_free(referee.addresses[0], &format!("player {side}{name}"))
    }

    /// Starts a referee, and the players come back. `None` if the match was over: the move in
    /// progress has ended it, or the players have no names.
    fn come_back(&mut self) -> Option<(Referee, [Client; 2])> {
        let mut referee = self.start();
        if !results(self.desk.state()).is_empty() {
            let (record, _) = sole_record(self.desk.state());
            if let Some(mv) = self.under_way.take()
                && record.len() > self.acknowledged.len()
            {
                self.play(mv, None);
            }
            let reason = &results(self.desk.state())[0][5];
            match self.game.is_over() {
                true => assert_eq!(reason, "play"),
                false => assert_eq!((&reason[..], self.named), ("interruption", false)),
            }
            return None;
        }
        assert!(self.named || self.crashes == 0, "strangers take it up");
        assert!(!self.game.is_over(), "its end is lost");
        if self.rng.random_range(0..5) == 0 {
            // One is back when it crashes again.
            let _alone = self.seat(&referee, Color::White);
            referee.kill();
            referee = self.start();
        }
        let mut clients = Color::ALL.map(|color| self.seat(&referee, color));
        let [black, white] = &mut clients;
        let heard = statuses(&black.lines_to("352 "));
        assert_eq!(heard, statuses(&white.lines_to("351 ")));
        let known = self.acknowledged.len();
        assert_eq!(heard[..known.min(heard.len())], self.acknowledged);
        match (&heard[known..], self.under_way.take()) {
            ([], _) => {}
            ([(word, secs)], Some(mv)) if *word == mv.to_string() => self.play(mv, *secs),
            (more, mv) => panic!("{more:?} was played, and {mv:?} was under way"),
        }
        Some((referee, clients))
    }

    /// Notes a move that was played.
    fn play(&mut self, mv: Move, secs: Option<u64>) {
        let before = self.acknowledged.iter().rev().nth(1);
        let before = before.and_then(|&(_, secs)| secs).unwrap_or(TIME);
        if let Some(secs) = secs {
            let range = before.saturating_sub(TOLERANCE)..=before;
            assert!(range.contains(&secs), "{before} seconds, then {secs}");
        }
        self.game.play(self.game.to_move(), mv).unwrap();
        self.acknowledged.push((mv.to_string(), secs));
    }

    fn choose(&mut self) -> Move {
        let moves: Vec<Move> = self.game.position().unwrap().legal_moves().collect();
        match self.rng.random_range(0..10) {
            0 => Move::Pass,
            _ => moves[self.rng.random_range(0..moves.len())],
        }
    }

    fn send(&mut self, mover: &mut Client) {
        let mv = self.choose();
        let plies = self.acknowledged.len();
        let dots = ["", "... "][plies % 2];
        mover.send(&format!("{} {dots}{mv}\r", plies / 2 + 1));
        self.under_way = Some(mv);
    }

    /// Reads the acknowledgement of the move in progress, if it still comes.
    fn hear(&mut self, mover: &mut Client) {
        let Some(answer) = mover.line() else { return };
        assert!(answer.starts_with("20"), "{answer}");
        let secs = answer.strip_prefix("207 ");
        let secs = secs.map(|rest| rest.split(' ').next().unwrap().parse().unwrap());
        let mv = self.under_way.take().unwrap();
        self.play(mv, secs);
    }

    /// Plays until the next crash, or until the match is over and then crashes.
    fn play_until_it_crashes(&mut self, referee: Referee, mut clients: [Client; 2]) {
        self.crashes += 1;
        while !self.game.is_over() {
            let mover = self.game.to_move() as usize;
            match self.rng.random_range(0..8) {
                // Between two requests.
                0 => return referee.kill(),
                // After a request, anywhere before or after its answer.
                1 => {
                    self.send(&mut clients[mover]);
                    thread::sleep(Duration::from_micros(self.rng.random_range(0..4_000)));
                    referee.kill();
                    return self.hear(&mut clients[mover]);
                }
                _ => {
                    self.send(&mut clients[mover]);
                    self.hear(&mut clients[mover]);
                    assert_eq!(self.under_way, None);
                }
            }
            for client in &mut clients {
                client.expect("3");
            }
        }
        if self.rng.random_range(0..2) == 0 {
            referee.wait_for_news("it is recorded", |_| self.desk.unrecorded().is_empty());
        }
        referee.kill();
    }

    /// Plays to the end. Returns how often it crashed.
    fn run(mut self) -> u32 {
        while let Some((referee, clients)) = self.come_back() {
            self.play_until_it_crashes(referee, clients);
        }
        let moves: Vec<&str> = self.acknowledged.iter().map(|(mv, _)| &mv[..]).collect();
        let (record, _) = sole_record(self.desk.state());
        assert_eq!(record, moves);
        sole(results(self.desk.state()));
        assert!(self.desk.unrecorded().is_empty());
        self.crashes
    }
}

/// The moves that a player is told before its role, with the seconds left.
fn statuses(lines: &[String]) -> Vec<(String, Option<u64>)> {
    let moves = lines.iter().filter(|line| line.starts_with("31"));
    let statuses = moves.map(|line| {
        let words: Vec<&str> = line.split(' ').filter(|&word| word != "...").collect();
        (words[2].to_owned(), words[3].parse().ok())
    });
    statuses.collect()
}

fn trials(seeds: std::ops::Range<u64>) {
    let start = Instant::now();
    let count = seeds.end - seeds.start;
    let crashes: u32 = seeds.map(|seed| Trial::new(seed).run()).sum();
    println!("{count} matches, {crashes} crashes, {:?}", start.elapsed());
}

#[test]
fn no_crash_loses_or_doubles_a_move() {
    trials(0..5);
}

#[test]
#[ignore = "takes minutes"]
fn none_of_hundreds_of_crashes_loses_or_doubles_a_move() {
    trials(5..105);
}
