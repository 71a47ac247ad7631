//! A second implementation of the standings: it keeps the events, and recomputes everything from
//! them as the documentation says, without anything of the first one.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use gothello::Color;
use gothello::tournament::{
    Event, GameResult, Name, PairingSystem, Settings, Standing, Tournament,
};

/// A round as its events left it.
#[derive(Clone, Debug, Default)]
pub struct PlayedRound {
    /// Black and White of the first game of each pairing.
    pub pairings: Vec<(Name, Name)>,
    pub bye: Option<Name>,
    pub missed: BTreeSet<Name>,
    /// The results by pairing and game, from 1.
    pub results: BTreeMap<(u32, u32), GameResult>,
}

/// A game of a round, as one of its players sees it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub opponent: Name,
    pub color: Color,
    pub result: Option<GameResult>,
}

impl Seen {
    /// The points in quarters.
    pub fn points(&self) -> u32 {
        match &self.result {
            None => 0,
            Some(result) if result.winner == Some(self.color) => 4,
            Some(result) if result.winner.is_none() && !result.forfeit => 2,
            Some(_) => 0,
        }
    }

    pub fn is_played(&self) -> bool {
        self.result.as_ref().is_some_and(|result| !result.forfeit)
    }
}

/// A Swiss tournament as its events tell it.
#[derive(Clone, Debug)]
pub struct Log {
    pub games: u32,
    /// All players in the order of their starting numbers.
    pub players: Vec<Name>,
    pub forbidden: BTreeSet<(Name, Name)>,
    pub rounds: Vec<PlayedRound>,
    pub absent: BTreeSet<Name>,
    pub left: BTreeSet<Name>,
}

impl Log {
    pub fn new(settings: &Settings, entrants: &[Name]) -> Log {
        // Before the first round all are tied, in the order of their numbers.
        let fresh = Tournament::new(settings.clone(), entrants).unwrap();
        assert_ne!(settings.system, PairingSystem::RoundRobin);
        let players = fresh.standings().into_iter().map(|row| row.player);
        let mut log = Log {
            games: settings.games.number(),
            players: players.collect(),
            forbidden: BTreeSet::new(),
            rounds: Vec::new(),
            absent: BTreeSet::new(),
            left: BTreeSet::new(),
        };
        for [one, other] in &settings.forbidden {
            log.forbid(one, other);
        }
        log
    }

    fn forbid(&mut self, one: &Name, other: &Name) {
        self.forbidden.insert((one.clone(), other.clone()));
        self.forbidden.insert((other.clone(), one.clone()));
    }

    /// Adds an event that was accepted.
    pub fn add(&mut self, event: &Event) {
        match event {
            Event::Paired { pairings, bye, .. } => {
                let pairings = pairings.iter();
                let pairings = pairings.map(|pair| (pair.black.clone(), pair.white.clone()));
                self.rounds.push(PlayedRound {
                    pairings: pairings.collect(),
                    bye: bye.clone(),
                    missed: self.absent.clone(),
                    results: BTreeMap::new(),
                });
            }
            Event::Game { scheduled, result } | Event::Correction { scheduled, result } => {
                let round = &mut self.rounds[scheduled.number.round as usize - 1];
                let place = (scheduled.number.pairing, scheduled.number.game);
                round.results.insert(place, result.clone());
            }
            Event::Replay { scheduled, .. } => {
                let round = &mut self.rounds[scheduled.number.round as usize - 1];
                let place = (scheduled.number.pairing, scheduled.number.game);
                round.results.remove(&place);
            }
            Event::Withdrawal { player, .. } => {
                self.absent.remove(player);
                self.left.insert(player.clone());
                self.forfeit(player);
            }
            Event::Absence { player, .. } => {
                self.absent.insert(player.clone());
            }
            Event::Return { player } => {
                self.absent.remove(player);
            }
            Event::Entry { player, forbidden } => {
                self.players.push(player.clone());
                for other in forbidden {
                    self.forbid(player, other);
                }
            }
            Event::Ended { .. } => {}
        }
    }

    /// Forfeits all games of a player who leaves.
    fn forfeit(&mut self, player: &Name) {
        let games = self.games;
        for round in &mut self.rounds {
            for (number, (black, white)) in (1..).zip(&round.pairings) {
                if black != player && white != player {
                    continue;
                }
                for game in 1..=games {
                    let is_black = (black == player) == (game == 1);
                    let winner = if is_black { Color::White } else { Color::Black };
                    let forfeit = GameResult::forfeit(Some(winner), "withdrawal");
                    round.results.entry((number, game)).or_insert(forfeit);
                }
            }
        }
    }

    /// The players who can be paired, in the order of their starting numbers.
    pub fn available(&self) -> Vec<Name> {
        let players = self.players.iter();
        let here = players.filter(|name| !self.absent.contains(name) && !self.left.contains(name));
        here.cloned().collect()
    }

    /// The games of a player in a round; none if they had no opponent.
    pub fn games(&self, round: usize, player: &Name) -> Vec<Seen> {
        let round = &self.rounds[round];
        let mut seen = Vec::new();
        for (number, (black, white)) in (1..).zip(&round.pairings) {
            for game in 1..=self.games {
                let (first, second) = match game {
                    1 => (black, white),
                    _ => (white, black),
                };
                let (opponent, color) = match player {
                    _ if player == first => (second, Color::Black),
                    _ if player == second => (first, Color::White),
                    _ => continue,
                };
                seen.push(Seen {
                    opponent: opponent.clone(),
                    color,
                    result: round.results.get(&(number, game)).cloned(),
                });
            }
        }
        seen
    }

    /// The points of a player in a round, in quarters.
    pub fn points_in(&self, round: usize, player: &Name) -> u32 {
        match self.rounds[round].bye.as_ref() == Some(player) {
            true => 4 * self.games,
            false => self.games(round, player).iter().map(Seen::points).sum(),
        }
    }

    fn points(&self, player: &Name) -> u32 {
        let rounds = 0..self.rounds.len();
        rounds.map(|round| self.points_in(round, player)).sum()
    }

    /// What a player's opponents get for them: rounds at the end without a game or a bye count as
    /// draws.
    fn points_as_opponent(&self, player: &Name) -> u32 {
        let last = (0..self.rounds.len()).rfind(|&round| {
            self.rounds[round].bye.as_ref() == Some(player) || !self.games(round, player).is_empty()
        });
        let after = self.rounds.len() - last.map_or(0, |last| last + 1);
        self.points(player) + after as u32 * 2 * self.games
    }

    fn row(&self, player: &Name) -> Row {
        let own = self.points(player);
        let mut row = Row {
            player: player.clone(),
            points: own,
            withdrawn: self.left.contains(player),
            absent: self.absent.contains(player),
            rank: 0,
            buchholz: 0,
            berger: 0,
            direct: None,
            wins: 0,
            draws: 0,
            losses: 0,
            forfeits: 0,
            byes: 0,
            missed: 0,
            blacks: 0,
            whites: 0,
        };
        for (round, played) in self.rounds.iter().enumerate() {
            let games = self.games(round, player);
            if games.is_empty() {
                row.buchholz += own;
                row.berger += own * self.points_in(round, player) / 4;
                row.byes += u32::from(played.bye.as_ref() == Some(player));
                row.missed += u32::from(played.missed.contains(player));
                continue;
            }
            if games.iter().all(|game| game.result.is_none()) {
                continue;
            }
            let value = match games.iter().any(Seen::is_played) {
                true => self.points_as_opponent(&games[0].opponent),
                false => own,
            };
            row.buchholz += value;
            row.berger += value * self.points_in(round, player) / 4;
            for game in games.iter().filter(|game| game.result.is_some()) {
                if !game.is_played() {
                    row.forfeits += 1;
                    continue;
                }
                match game.points() {
                    4 => row.wins += 1,
                    2 => row.draws += 1,
                    _ => row.losses += 1,
                }
                match game.color {
                    Color::Black => row.blacks += 1,
                    Color::White => row.whites += 1,
                }
            }
        }
        row
    }

    /// The points of one player against another, if the two have met and all their games are over.
    fn direct(&self, player: &Name, other: &Name) -> Option<u32> {
        (0..self.rounds.len()).find_map(|round| {
            let games = self.games(round, player);
            let met = games
                .iter()
                .any(|game| game.opponent == *other && game.is_played());
            let over = games.iter().all(|game| game.result.is_some());
            (met && over).then(|| games.iter().map(Seen::points).sum())
        })
    }

    /// The rows of the standings, the leader first.
    pub fn standings(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.players.iter().map(|name| self.row(name)).collect();
        let sums = |row: &Row| (row.points, row.buchholz, row.berger);
        for index in 0..rows.len() {
            let tied = rows.iter().filter(|row| sums(row) == sums(&rows[index]));
            let tied: Vec<&Name> = tied.map(|row| &row.player).collect();
            let all_met = tied.iter().all(|one| {
                let mut others = tied.iter().filter(|other| *other != one);
                others.all(|other| self.direct(one, other).is_some())
            });
            if tied.len() > 1 && all_met {
                let player = &rows[index].player;
                let points = tied.iter().filter_map(|other| self.direct(player, other));
                rows[index].direct = Some(points.sum());
            }
        }
        let order = |one: &Row, other: &Row| -> Ordering {
            let key = |row: &Row| (sums(row), row.direct, row.wins);
            key(other).cmp(&key(one))
        };
        rows.sort_by(order);
        for index in 0..rows.len() {
            let above = rows
                .iter()
                .filter(|row| order(row, &rows[index]) == Ordering::Less);
            rows[index].rank = 1 + above.count() as u32;
        }
        rows
    }
}

/// A row of the standings, with points in quarters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub rank: u32,
    pub player: Name,
    pub points: u32,
    pub buchholz: u32,
    pub berger: u32,
    pub direct: Option<u32>,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    pub forfeits: u32,
    pub byes: u32,
    pub missed: u32,
    pub blacks: u32,
    pub whites: u32,
    pub withdrawn: bool,
    pub absent: bool,
}

impl From<&Standing> for Row {
    fn from(row: &Standing) -> Row {
        let quarters = |points: gothello::tournament::Points| (points.as_f64() * 4.0) as u32;
        Row {
            rank: row.rank.unwrap(),
            player: row.player.clone(),
            points: quarters(row.points),
            buchholz: quarters(row.tie_breaks.buchholz.unwrap()),
            berger: quarters(row.tie_breaks.sonneborn_berger),
            direct: row.tie_breaks.direct.map(quarters),
            wins: row.wins,
            draws: row.draws,
            losses: row.losses,
            forfeits: row.forfeits,
            byes: row.byes,
            missed: row.missed,
            blacks: row.blacks,
            whites: row.whites,
            withdrawn: row.withdrawn,
            absent: row.absent,
        }
    }
}
