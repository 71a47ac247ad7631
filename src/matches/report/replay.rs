//! Games to replay on a page, which does not know the rules.

use serde::Serialize;

use crate::base::color::{ByColor, Color};
use crate::games::awari;
use crate::games::go;
use crate::games::gothello;
use crate::matches::game::{MatchGame, first_position};
use crate::matches::record::{GameRecord, ScoredBy, Scoring, Verdict};
use crate::matches::settings::GameSettings;
use crate::pages::web::BoardKind;
use crate::tournament::Name;

/// The maximum number of games on a page.
const MAX_GAMES: usize = 2_000;

/// The maximum number of moves of the games on a page.
const MAX_MOVES: usize = 100_000;

/// Games and the board that they are played on.
#[derive(Serialize)]
pub struct Replays {
    /// The shape of the board for the page.
    board: BoardShape,
    /// The board before the first move: a letter for each point, or the stones in each pit.
    start: Vec<String>,
    games: Vec<Replay>,
}

#[derive(Serialize)]
struct BoardShape {
    kind: BoardKind,
    rows: u16,
    columns: u16,
}

#[derive(Serialize)]
struct Replay {
    id: String,
    number: u32,
    players: [Name; 2],
    winner: Option<Color>,
    result: String,
    verdict: Verdict,
    detail: Option<String>,
    opening: Option<u32>,
    opening_moves: usize,
    /// The differences from the board before the first move of other games, as for moves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    setup: Vec<(usize, String)>,
    /// The player who makes the first move.
    first: Color,
    plies: Vec<Ply>,
    /// The board as it was counted, in Go.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<Count>,
}

/// The changes from counting a game of Go: dead stones are removed, and empty points have owners.
#[derive(Serialize)]
struct Count {
    by: ScoredBy,
    dead: Vec<String>,
    /// The cells of the board that changed, as for moves.
    c: Vec<(usize, String)>,
}

/// A move and its changes. The names are short because there are many moves.
#[derive(Serialize)]
struct Ply {
    /// The move.
    m: String,
    /// Its row and column.
    at: Option<[u16; 2]>,
    /// The cells of the board that changed, with their new content.
    c: Vec<(usize, String)>,
    /// The stones that each player has captured, in Awari.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<[u8; 2]>,
    /// The seconds that it took; `None` in the opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<f64>,
}

/// Returns the board, row by row from the top.
fn cells(game: &impl MatchGame) -> Vec<String> {
    cells_of(&game.ply().board)
}

fn cells_of(board: &str) -> Vec<String> {
    match board.contains(',') {
        true => board.split(',').map(str::to_owned).collect(),
        false => board.chars().map(String::from).collect(),
    }
}

/// Returns the stones that each player has captured, in Awari.
fn captured<G: MatchGame>(game: &G) -> Option<[u8; 2]> {
    let is_awari = G::KIND == BoardKind::Awari;
    let ByColor { black, white } = game.ply().scores.filter(|_| is_awari)?;
    Some([black as u8, white as u8])
}

impl Replays {
    /// Returns the last games, as many as a page can have; `None` if the rules are impossible.
    pub fn new(settings: &GameSettings, games: &[&GameRecord]) -> Option<Replays> {
        match settings {
            GameSettings::Gothello => Some(Replays::of(&gothello::Game::new(), games)),
            GameSettings::Awari { variant } => {
                let start = awari::Game::new(awari::Position::START, *variant);
                Some(Replays::of(&start, games))
            }
            GameSettings::Go { size, komi, .. } => {
                // All moves were legal: neither ko nor superko forbids them again.
                let rules = go::Rules {
                    ko: false,
                    superko: false,
                    ..go::Rules::area(*komi)
                };
                let size = go::Size::square((*size).into()).ok()?;
                let start = go::Game::new(rules, go::Position::start(size));
                Some(Replays::of(&start, games))
            }
        }
    }

    fn of<G: MatchGame>(start: &G, games: &[&GameRecord]) -> Replays {
        let mut moves = 0_usize;
        let last = games.iter().rev().take(MAX_GAMES).take_while(|game| {
            moves = moves.saturating_add(game.moves.iter().count());
            moves <= MAX_MOVES
        });
        let mut replays: Vec<Replay> = last.map(|game| replay(start, game)).collect();
        replays.reverse();
        let [rows, columns] = start.size();
        Replays {
            board: BoardShape {
                kind: G::KIND,
                rows,
                columns,
            },
            start: cells(start),
            games: replays,
        }
    }
}

fn replay<G: MatchGame>(start: &G, record: &GameRecord) -> Replay {
    let ByColor { black, white } = record.planned.players.clone();
    let begun = first_position(start, record.setup.as_ref());
    let (plies, last) = plies(&begun, record);
    let count = record.scoring.as_ref();
    let count = count.and_then(|scoring| count_of(&last, scoring));
    Replay {
        id: record.id.clone(),
        number: record.planned.number,
        players: [black, white],
        winner: record.winner,
        result: record.result_of_sides(G::PLAYERS),
        verdict: record.verdict,
        detail: record.detail.clone(),
        opening: record.planned.opening,
        opening_moves: record.opening_moves,
        setup: changes(&cells(start), &cells(&begun)),
        first: begun.to_move(),
        plies,
        count,
    }
}

/// Returns the changes from counting the board.
fn count_of<G: MatchGame>(game: &G, Scoring { by, dead }: &Scoring) -> Option<Count> {
    let cleared = game.without_dead(&dead.iter().cloned().collect()).ok()?;
    let counted = cells_of(&cleared.game.counted_ply().board);
    Some(Count {
        by: *by,
        dead: cleared.dead,
        c: changes(&cells(game), &counted),
    })
}

/// Returns the cells that differ, with their new content.
fn changes(before: &[String], now: &[String]) -> Vec<(usize, String)> {
    let both = now.iter().zip(before).enumerate();
    let changed = both.filter(|(_, (new, old))| new != old);
    changed.map(|(at, (new, _))| (at, new.clone())).collect()
}

/// Plays a game while its moves are legal. Returns the moves and the game at its end.
fn plies<G: MatchGame>(start: &G, record: &GameRecord) -> (Vec<Ply>, G) {
    let mut game = start.clone();
    let mut before = cells(&game);
    let times = record.times.iter().map(|&micros| Some(micros as f64 / 1e6));
    let times = std::iter::repeat_n(None, record.opening_moves).chain(times);
    let mut plies = Vec::new();
    let times = times.chain(std::iter::repeat(None));
    for (word, time) in record.moves.iter().zip(times) {
        let Some(mv) = game.play_word(word) else {
            break;
        };
        let now = cells(&game);
        plies.push(Ply {
            m: word.to_owned(),
            at: G::place(mv),
            c: changes(&before, &now),
            s: captured(&game),
            t: time,
        });
        before = now;
    }
    (plies, game)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::base::rng::Rng;
    use crate::games::awari::Variant;
    use crate::matches::record::PlannedGame;
    use crate::pages::web::DrawnGame;

    /// Plays random moves, and checks that the changes of a replay lead to the board at the end.
    fn check<G: MatchGame>(start: &G, seed: u64) {
        let mut rng = Rng::new(seed);
        let mut game = start.clone();
        let mut moves = Vec::new();
        while game.counted().is_none() && moves.len() < 60 {
            let legal = game.placements();
            let weighted: Vec<_> = legal.into_iter().map(|mv| (mv, 1.0)).collect();
            let mv = rng.draw(&weighted).or_else(|| game.forced_pass());
            let mv = mv.unwrap();
            moves.push(game.notation(mv));
            assert!(game.advance(mv).is_ok());
        }
        let record = GameRecord {
            id: "x-1".into(),
            planned: PlannedGame {
                number: 1,
                round: 1,
                pair: 1,
                players: ByColor::new("Ann".parse().unwrap(), "Bob".parse().unwrap()),
                opening: None,
            },
            winner: None,
            result: "0".into(),
            verdict: Verdict::Count,
            detail: None,
            scoring: None,
            programs: ByColor::default(),
            setup: None,
            opening_moves: 2,
            times: vec![1_500_000; moves.len().saturating_sub(2)],
            moves: moves.iter().collect(),
            began: SystemTime::UNIX_EPOCH.into(),
            comments: Vec::new(),
            seconds: 0.0,
            last_lines: None,
        };
        let replays = Replays::of(start, &[&record]);
        let mut board = replays.start;
        let BoardShape { rows, columns, .. } = replays.board;
        assert_eq!(board.len(), usize::from(rows * columns));
        let plies = &replays.games[0].plies;
        assert_eq!(plies.len(), record.moves.iter().count());
        for (number, ply) in plies.iter().enumerate() {
            for (at, cell) in &ply.c {
                board[*at].clone_from(cell);
            }
            assert!(
                ply.at
                    .is_none_or(|[row, column]| row < rows && column < columns)
            );
            assert_eq!(ply.t, (number >= 2).then_some(1.5));
        }
        assert_eq!(board, cells(&game));
        assert_eq!(plies.last().and_then(|ply| ply.s), captured(&game));
    }

    #[test]
    fn the_changes_of_all_moves_lead_to_the_board_at_the_end() {
        for seed in 0..20 {
            check(&gothello::Game::new(), seed);
            let awari = awari::Game::new(awari::Position::START, Variant::default());
            check(&awari, seed);
            let size = go::Size::square(5).unwrap();
            check(
                &go::Game::new(go::Rules::default(), go::Position::start(size)),
                seed,
            );
        }
    }

    #[test]
    fn a_stone_that_is_placed_is_where_the_move_says() {
        let mut game = gothello::Game::new();
        let mv = "a5".parse().unwrap();
        game.advance(mv).unwrap();
        assert_eq!(<gothello::Game as DrawnGame>::place(mv), Some([0, 0]));
        assert_eq!(cells(&game)[0], "B");
    }
}
