//! The games of a tournament of teams: which of them can be played now, and which clients would wait
//! for one in vain.
//!
//! Pure. The tournament itself is at the [`TournamentDesk`](crate::contests::contest::TournamentDesk).

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use derive_more::Display;
use itertools::Itertools;

use super::client::Name;
use super::game::NetrefGame;
use super::lobby::Lobby;
use super::summary::Summary;
use super::table::Seeker;
use super::wire::{Response, RoleRefusal};
use crate::base::color::{ByColor, Color};
use crate::tournament::{
    self, Attendance, Event, GameNumber, GameResult, Need, Presence, ScheduledGame, Tournament,
};

/// The place of a game that has begun and is not over.
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq)]
pub enum GamePlace {
    /// At the table with this server number.
    #[display("at table {_0}")]
    Table(u16),
    /// Adjourned by the organizer.
    #[display("adjourned")]
    Adjourned,
}

/// The match at a table, and the teams there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableUse {
    /// Whether a match of a tournament could begin.
    pub is_free: bool,
    /// When the match at the table began.
    pub match_began: Option<SystemTime>,
    /// Whether the house plays there.
    pub is_of_house: bool,
    /// The teams of the clients that are connected there.
    pub teams: [Option<Name>; 2],
}

impl TableUse {
    /// Returns whether the teams there are busy for a tournament that began then. Those that play the
    /// house are only if their match began before.
    fn keeps_from(&self, began: Option<SystemTime>) -> bool {
        let began_before = self.match_began.zip(began);
        !self.is_of_house || began_before.is_some_and(|(its, own)| its <= own)
    }
}

/// The maximum number of characters of a reason that clients are told.
const MAX_REASON: usize = 200;

/// The games of a tournament that have begun and are not over, with their places.
pub type BegunGames = BTreeMap<GameNumber, (ScheduledGame, GamePlace)>;

/// Returns the beginning of a reason, so that it fits into a line of the protocol.
pub fn brief(reason: &str) -> String {
    let plain = |c: char| if (' '..='~').contains(&c) { c } else { '?' };
    reason.chars().take(MAX_REASON).map(plain).collect()
}

/// Checks whether a client may wait for a game of the running tournament.
///
/// # Errors
/// It would wait in vain: its team is not in the tournament, has been withdrawn, or has no game left, or
/// none with this side.
pub fn check_entrant<G: NetrefGame>(
    running: &Tournament,
    entrant: &Seeker,
) -> Result<(), Response<G>> {
    let problem = |why: String| Err(Response::Problem(why));
    let Some(name) = entrant.player.team().map(Name::as_str) else {
        let why = "A tournament of teams is being played here: come back when it is over";
        return problem(why.to_owned());
    };
    let mut players = running.players();
    let Some(player) = players.find(|player| player.as_str() == name) else {
        return problem(format!("{name} is not in the tournament"));
    };
    if running.has_left(player) {
        return problem(format!(
            "The organizer has withdrawn {name} from the tournament"
        ));
    }
    // Another round may be paired.
    if running.rounds_paired() < running.rounds_planned() {
        return Ok(());
    }
    let pending = running.pending_games();
    let has_black = pending.iter().any(|game| game.black == *player);
    let has_white = pending.iter().any(|game| game.white == *player);
    match (entrant.side, has_black, has_white) {
        (_, false, false) => {
            let unplayed = unplayed(running, player).unwrap_or_default();
            problem(format!(
                "{name} has no game left in the tournament{unplayed}"
            ))
        }
        (Some(side @ Color::Black), false, true) | (Some(side @ Color::White), true, false) => {
            let (asked, left) = (G::SIDES[side], G::SIDES[side.opponent()]);
            let why =
                format!("{name} has no game left in the tournament as {asked}: ask for {left}");
            Err(Response::Refused(RoleRefusal::SideTaken, why))
        }
        _ => Ok(()),
    }
}

/// Returns how the last game of a player came to its result, if none of its matches did.
fn unplayed(running: &Tournament, player: &tournament::Name) -> Option<String> {
    let games = running.games().filter(|(game, _)| game.has(player));
    let decided = games.filter_map(|(game, result)| Some((game, result?)));
    // A match has a record.
    let (game, result) = decided.last().filter(|(_, result)| result.id.is_none())?;
    let number = game.number.short();
    let mut rulings = running.rulings().iter();
    Some(
        match rulings
            .any(|ruling| ruling.scheduled == game && ruling.after.as_ref() == Some(result))
        {
            true => {
                let why = brief(result.reason.as_str());
                format!("; the organizer has decided game {number}: {why}")
            }
            false => {
                let who = match result.winner {
                    Some(Color::Black) => game.white.as_str(),
                    Some(Color::White) => game.black.as_str(),
                    None => "both teams",
                };
                format!("; {who} forfeited game {number}")
            }
        },
    )
}

/// Returns the event that adds the result of a match to its tournament; `None` if the match is not
/// of a tournament, or ended without a result, so that the game is played again.
pub fn event_of_match(summary: &Summary) -> Option<Event> {
    let scheduled = summary.scheduled.clone()?.scheduled;
    let ending = &summary.ending;
    (!ending.is_void()).then(|| Event::Game {
        scheduled,
        result: GameResult {
            id: Some(summary.id.as_str().into()),
            ..GameResult::played(ending.winner, ending.reason.to_string())
        },
    })
}

/// Returns the name of a team as a player of a tournament.
pub fn player_name(team: &Name) -> Option<tournament::Name> {
    team.as_str().parse().ok()
}

/// Returns the names of teams as player names, without duplicates.
pub fn player_names<'a>(teams: impl Iterator<Item = &'a Name>) -> Vec<tournament::Name> {
    teams.filter_map(player_name).unique().collect()
}

/// Returns whether a client belongs to a team and may have a color.
pub fn may_play(seeker: &Seeker, team: &str, color: Color) -> bool {
    let its_team = seeker.player.team().map(Name::as_str);
    its_team == Some(team) && seeker.side.is_none_or(|side| side == color)
}

/// The places of the teams and the games.
pub struct TeamAttendance {
    games: BegunGames,
    /// The teams that play.
    busy: BTreeSet<String>,
    /// Whether a game of the tournament is being played.
    has_game_in_play: bool,
    /// The teams in the lobby, and which colors each could have.
    waiting: BTreeMap<String, ByColor<bool>>,
    has_free_table: bool,
}

impl TeamAttendance {
    /// Creates the attendance at a tournament that began then, if that is known: of the teams in the
    /// lobby, in its games, and at the tables.
    pub fn new<'a>(
        games: BegunGames,
        tables: impl Iterator<Item = &'a TableUse> + Clone,
        began: Option<SystemTime>,
        lobby: &Lobby,
    ) -> TeamAttendance {
        let at_tables = games
            .values()
            .filter(|(_, place)| matches!(place, GamePlace::Table(_)));
        let due_here = at_tables.flat_map(|(scheduled, _)| [&scheduled.black, &scheduled.white]);
        let mut busy: BTreeSet<String> = due_here.map(ToString::to_string).collect();
        let has_game_in_play = !busy.is_empty();
        let elsewhere = tables.clone().filter(|used| used.keeps_from(began));
        let elsewhere = elsewhere.flat_map(|used| used.teams.iter().flatten());
        busy.extend(elsewhere.map(|team| team.as_str().to_owned()));
        let mut waiting: BTreeMap<String, ByColor<bool>> = BTreeMap::new();
        for entrant in lobby.iter() {
            let Some(team) = entrant.seeker.player.team() else {
                continue;
            };
            let colors = waiting.entry(team.as_str().to_owned()).or_default();
            for color in Color::ALL {
                colors[color] |= may_play(&entrant.seeker, team.as_str(), color);
            }
        }
        TeamAttendance {
            games,
            busy,
            has_game_in_play,
            waiting,
            has_free_table: tables.into_iter().any(|used| used.is_free),
        }
    }

    /// Returns the first game of the running tournament that can be played now.
    pub fn startable(&self, running: &Tournament) -> Option<ScheduledGame> {
        let startable = running.startable_if(|scheduled| {
            let is_free = |name, color| self.presence(name, color) == Presence::Free;
            self.need(scheduled.number) == Need::Start
                && is_free(&scheduled.black, Color::Black)
                && is_free(&scheduled.white, Color::White)
        });
        startable.into_iter().next()
    }
}

impl Attendance for TeamAttendance {
    fn presence(&self, player: &tournament::Name, color: Color) -> Presence {
        let name = player.as_str();
        if self.busy.contains(name) {
            return Presence::Busy;
        }
        match self.waiting.get(name) {
            Some(colors) if colors[color] => Presence::Free,
            _ => Presence::Absent,
        }
    }

    fn is_present(&self, player: &tournament::Name) -> bool {
        let name = player.as_str();
        self.busy.contains(name) || self.waiting.contains_key(name)
    }

    fn need(&self, game: GameNumber) -> Need {
        match self.games.contains_key(&game) {
            // An interrupted match has its own wait.
            true => Need::Nothing,
            false => Need::Start,
        }
    }

    fn has_free_table(&self) -> bool {
        self.has_free_table
    }

    fn has_game_in_play(&self) -> bool {
        self.has_game_in_play
    }
}
