//! How long the clients of a tournament wait, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use gothello::Color;

/// What happens to the referee, to a game, or to a client.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// The referee accepts clients.
    Runs,
    /// The referee is killed: all connections end.
    Killed,
    /// A game has its result, and is not played again.
    Result { black: usize, white: usize },
    /// A client of a team asks for a side, or for either.
    Asks { team: usize, side: Option<Color> },
    /// The client plays, against this team if it was told its name.
    Plays { opponent: Option<usize> },
    /// The client's connection has ended.
    Ends,
}

/// The longest waits that a referee's settings allow in a tournament in which every team plays
/// every other with both colors, at enough tables for all.
///
/// A client waits while its team plays, or while all opponents play that it could play against: no
/// match takes longer than both clocks. If an opponent is free, it plays at once. If an opponent
/// is missing, it waits for a limited time. If no game is left for its side, it is told so at once.
pub struct Promise {
    pub teams: usize,
    /// The teams that give their names: an interrupted match between two of them goes on.
    pub named: BTreeSet<usize>,
    /// Both clocks of a match.
    pub clocks: Duration,
    /// How long each run of the referee waits for a missing opponent.
    pub forfeit_after: Duration,
    /// The time that "at once" may take on a busy machine.
    pub at_once: Duration,
    /// The teams that send too much, whose requests are read up to this much later.
    pub read_later: (BTreeSet<usize>, Duration),
}

/// The longest waits found, except those of teams whose requests are read later.
#[derive(Debug, Default)]
pub struct Longest {
    pub matches: Duration,
    /// While an opponent was free, or no game was left.
    pub at_once: Duration,
    /// While an opponent was missing.
    pub missing: Duration,
    /// The whole wait, whatever the reason.
    pub wait: Duration,
}

/// A client that is connected.
struct Client {
    team: usize,
    side: Option<Color>,
    plays: bool,
    since: SystemTime,
    /// How long it has waited although it could play, without a break.
    at_once: Duration,
}

/// Why a client waits.
enum MatchReason {
    /// Its team plays, or all of its opponents do.
    Matches,
    /// No reason: an opponent is there, or no game is left.
    None,
    /// The requests of its team, or of the only opponents that are there, are read later.
    ReadLater,
    /// In these games, the opponent has no client there that could play.
    Missing(Vec<(usize, usize)>),
}

/// The state of the tournament at a time.
struct State<'a> {
    promise: &'a Promise,
    runs: bool,
    clients: BTreeMap<usize, Client>,
    finished: BTreeSet<(usize, usize)>,
    /// The teams whose match was interrupted, and continues when both are there again.
    interrupted: BTreeMap<usize, usize>,
    /// The last opponent of each team in this run, if both know it.
    opponents: BTreeMap<usize, usize>,
    /// How long each game has waited for one of its teams in this run.
    missing: BTreeMap<(usize, usize), Duration>,
    longest: Longest,
}

impl Promise {
    /// Goes through the events, each with its time and its connection, and fails if a client has
    /// waited for longer than allowed.
    pub fn check(&self, mut events: Vec<(SystemTime, usize, Event)>) -> Longest {
        events.sort_by_key(|&(time, ..)| time);
        let mut state = State {
            promise: self,
            runs: false,
            clients: BTreeMap::new(),
            finished: BTreeSet::new(),
            interrupted: BTreeMap::new(),
            opponents: BTreeMap::new(),
            missing: BTreeMap::new(),
            longest: Longest::default(),
        };
        let mut before = None;
        for (time, connection, event) in events {
            if let Some(before) = before.filter(|_| state.runs) {
                state.pass(time.duration_since(before).unwrap());
            }
            before = Some(time);
            state.take(time, connection, event);
            if state.finished.len() == self.teams * (self.teams - 1) {
                break;
            }
        }
        state.longest
    }
}

impl State<'_> {
    fn take(&mut self, time: SystemTime, connection: usize, event: Event) {
        match event {
            Event::Runs => self.runs = true,
            Event::Killed => {
                self.runs = false;
                self.clients.clear();
                self.missing.clear();
                for (team, opponent) in std::mem::take(&mut self.opponents) {
                    let both = [team, opponent];
                    if both.iter().all(|team| self.promise.named.contains(team)) {
                        self.interrupted.insert(team, opponent);
                        self.interrupted.insert(opponent, team);
                    }
                }
            }
            Event::Result { black, white } => {
                self.finished.insert((black, white));
                for team in [black, white] {
                    self.opponents.remove(&team);
                }
                self.end_interruption(black, white);
            }
            Event::Asks { team, side } if self.runs => {
                let client = Client {
                    team,
                    side,
                    plays: false,
                    since: time,
                    at_once: Duration::ZERO,
                };
                self.clients.insert(connection, client);
            }
            Event::Plays { opponent } => {
                let Some(client) = self.clients.get_mut(&connection) else {
                    return;
                };
                client.plays = true;
                let wait = time.duration_since(client.since).unwrap();
                self.longest.wait = self.longest.wait.max(wait);
                client.since = time;
                let team = client.team;
                if let Some(opponent) = opponent {
                    self.opponents.insert(team, opponent);
                    self.end_interruption(team, opponent);
                }
            }
            Event::Ends => {
                if let Some(client) = self.clients.remove(&connection)
                    && client.plays
                {
                    let match_time = time.duration_since(client.since).unwrap();
                    assert!(
                        match_time <= self.promise.clocks + self.promise.at_once,
                        "a match of T{} took {match_time:?}",
                        client.team
                    );
                    self.longest.matches = self.longest.matches.max(match_time);
                }
            }
            Event::Asks { .. } => {}
        }
    }

    /// The interrupted match of two teams goes on, or is over.
    fn end_interruption(&mut self, one: usize, other: usize) {
        for (team, opponent) in [(one, other), (other, one)] {
            if self.interrupted.get(&team) == Some(&opponent) {
                self.interrupted.remove(&team);
            }
        }
    }

    /// Nothing happens for a time.
    fn pass(&mut self, time: Duration) {
        let reasons: Vec<(usize, MatchReason)> = self
            .clients
            .iter()
            .filter(|(_, client)| !client.plays)
            .map(|(&number, client)| (number, self.reason(client)))
            .collect();
        let mut missing = BTreeSet::new();
        for (number, reason) in reasons {
            let client = self.clients.get_mut(&number).unwrap();
            let limit = match &reason {
                MatchReason::None => self.promise.at_once,
                MatchReason::ReadLater => self.promise.at_once + self.promise.read_later.1,
                MatchReason::Matches | MatchReason::Missing(_) => {
                    client.at_once = Duration::ZERO;
                    if let MatchReason::Missing(games) = reason {
                        missing.extend(games);
                    }
                    continue;
                }
            };
            client.at_once += time;
            assert!(
                client.at_once <= limit,
                "a client of T{} waited for {:?}, and nothing prevented it from playing",
                client.team,
                client.at_once
            );
            if matches!(reason, MatchReason::None) {
                self.longest.at_once = self.longest.at_once.max(client.at_once);
            }
        }
        let limit = self.promise.forfeit_after + self.promise.at_once;
        for game in missing {
            let waited = self.missing.entry(game).or_default();
            *waited += time;
            assert!(
                *waited <= limit,
                "the game of T{} against T{} waited for one of them for {waited:?}",
                game.0,
                game.1
            );
            self.longest.missing = self.longest.missing.max(*waited);
        }
    }

    fn plays(&self, team: usize) -> bool {
        self.clients
            .values()
            .any(|client| client.plays && client.team == team)
    }

    /// Whether a team has a client that waits and could play a color.
    fn is_there(&self, team: usize, color: Color) -> bool {
        self.clients.values().any(|client| {
            !client.plays && client.team == team && client.side.is_none_or(|side| side == color)
        })
    }

    fn reason(&self, client: &Client) -> MatchReason {
        let team = client.team;
        if self.plays(team) {
            return MatchReason::Matches;
        }
        let sides = Color::ALL.into_iter();
        let sides = sides.filter(|&color| client.side.is_none_or(|side| side == color));
        let (mut left, mut free, mut missing) = (0, Vec::new(), Vec::new());
        for color in sides {
            for opponent in (0..self.promise.teams).filter(|&opponent| opponent != team) {
                let game = match color {
                    Color::Black => (team, opponent),
                    Color::White => (opponent, team),
                };
                if self.finished.contains(&game) {
                    continue;
                }
                left += 1;
                let is_bound = |team: usize, other: usize| {
                    let bound = self.interrupted.get(&team);
                    bound.is_some_and(|&opponent| opponent != other)
                };
                if is_bound(team, opponent) || is_bound(opponent, team) || self.plays(opponent) {
                    continue;
                }
                match self.is_there(opponent, color.opponent()) {
                    true => free.push(opponent),
                    false => missing.push(game),
                }
            }
        }
        let slow = &self.promise.read_later.0;
        let only_slow = !free.is_empty() && free.iter().all(|team| slow.contains(team));
        if !free.is_empty() || left == 0 {
            match only_slow || slow.contains(&team) {
                true => MatchReason::ReadLater,
                false => MatchReason::None,
            }
        } else if !missing.is_empty() {
            MatchReason::Missing(missing)
        } else {
            MatchReason::Matches
        }
    }
}
