//! The tournament of a referee with teams: what the options and the results files say of it, and
//! how it begins.

use std::fmt::Display;

use anyhow::{Result, anyhow, bail};

use super::Arguments;
use crate::base::counted::counted;
use crate::base::names::isolated;
use crate::cli::tournament_options::Upcoming;
use crate::cli::{bail_usage, wrong_usage};
use crate::clients::netplay::ClientGame;
use crate::contests::StateFolder;
use crate::contests::netref::{Matches, RefereeState, Team, Teams, TournamentSetup, player_name};
use crate::tournament::{Name, Plan, StopAfter, Tournament};

/// The tournament of the options.
pub(super) struct Wanted {
    plan: Plan,
    /// Its players, if it begins at once.
    players: Option<Vec<Name>>,
    upcoming: Upcoming,
}

/// Compares the last tournament of the state folder with that of the options. Nothing is written.
///
/// # Errors
/// The unfinished tournament does not fit the options. Wrong usage if there are options of
/// tournaments, and none can be held.
pub(super) fn check(
    arguments: &Arguments,
    state: &StateFolder<Matches>,
    wanted: Option<(Plan, Option<Vec<Name>>)>,
) -> Result<Option<Wanted>> {
    let last = state.last_tournament();
    let Some((plan, players)) = wanted else {
        if arguments.http.is_none() && last.is_none() {
            refuse_options(arguments, |option| {
                format!(
                    "{option} is for a tournament: hold one with --tournament, or begin one on the \
                     page of --http"
                )
            })?;
        }
        return Ok(None);
    };
    let (folder, page) = (state.path(), "the organizer's page (--http)");
    let pairing = &arguments.pairing;
    let upcoming = pairing.upcoming(&plan, players.as_deref(), folder, page, last)?;
    Ok(Some(Wanted {
        plan,
        players,
        upcoming,
    }))
}

/// Checks that the teams of the unfinished tournament in a state folder can come.
///
/// # Errors
/// One of them is not in the file of the teams, or there is none.
pub(super) fn check_teams(state: &StateFolder<Matches>, teams: &Teams) -> Result<()> {
    let last = state.last_tournament();
    let Some(running) = last.filter(|last| !last.is_over()) else {
        return Ok(());
    };
    let names = player_names(teams);
    let mut players = running.players();
    let lacks = players.find(|player| !running.has_left(player) && !names.contains(player));
    let Some(player) = lacks else {
        return Ok(());
    };
    bail!(
        "{}: the tournament there is not over, and {} could not come: start the referee with --teams \
         and the file with all teams of the tournament, or with another folder",
        state.path().display(),
        isolated(player.as_str())
    );
}

/// Checks that no game of the last tournament could still be played, if a tournament of the options
/// begins at once: it would be void.
///
/// # Errors
/// There is one.
pub(super) fn check_begun<G: ClientGame>(
    wanted: Option<&Wanted>,
    state: &RefereeState<G>,
) -> Result<()> {
    let begins = |wanted: &Wanted| wanted.upcoming == Upcoming::Begins && wanted.players.is_some();
    if !wanted.is_some_and(begins) {
        return Ok(());
    }
    match state.open_game() {
        Some(live) => bail!(
            "--tournament: a game of the last tournament is not over, {}: start the referee without \
             --tournament, and let the game end or void it",
            live.listed()
        ),
        None => Ok(()),
    }
}

/// Begins the tournament of the options unless there is an unfinished one. One that is over is
/// not held again, so that a service which is started again lets free matches be played. `say`
/// is called with what there is to say.
///
/// # Errors
/// The results file cannot be written.
pub(super) fn begin(
    wanted: Option<Wanted>,
    arguments: &Arguments,
    state: &mut StateFolder<Matches>,
    say: impl Fn(String),
) -> Result<TournamentSetup> {
    let last = state.last_tournament();
    let mut setup = TournamentSetup {
        forfeit_after: arguments.pairing.forfeit_after,
        ..TournamentSetup::default()
    };
    let Some(Wanted {
        plan,
        players,
        upcoming,
    }) = wanted
    else {
        // None can begin.
        setup.is_over = arguments.http.is_none() && last.is_some_and(Tournament::is_over);
        if setup.is_over {
            say("the last tournament in this folder is over".to_owned());
        }
        return Ok(setup);
    };
    setup.is_over = upcoming == Upcoming::IsOver;
    upcoming.sentence(last).into_iter().for_each(say);
    match players {
        _ if upcoming != Upcoming::Begins => {}
        Some(players) => state
            .begin_tournament(&plan.settings, &players)
            .map_err(|error| anyhow!("--tournament: {error}"))?,
        None => setup.plan = Some(plan),
    }
    Ok(setup)
}

/// Returns the names of teams as players of a tournament.
fn player_names(teams: &Teams) -> Vec<Name> {
    let names = teams.iter().map(Team::name);
    names.filter_map(player_name).collect()
}

/// Returns the tournament of the options, if there is one, and its players if it begins at once.
///
/// # Errors
/// Wrong usage if these teams cannot play it.
pub(super) fn wanted_tournament(
    arguments: &Arguments,
    teams: &Teams,
) -> Result<Option<(Plan, Option<Vec<Name>>)>> {
    let Some(system) = arguments.tournament else {
        return Ok(None);
    };
    let names = player_names(teams);
    let settings = arguments.pairing.settings(system)?;
    let players = arguments.players.unwrap_or(names.len());
    if players > names.len() {
        let teams = counted(names.len(), "team");
        bail_usage!("--players {players}: the file of --teams has only {teams}");
    }
    let wrong = |why: &dyn Display| wrong_usage(format!("--tournament: {why}"));
    let checked = settings.check_number(players);
    checked.map_err(|why| wrong(&why))?;
    let mut avoided = settings.forbidden.iter().flatten();
    if let Some(unknown) = avoided.find(|name| !names.contains(name)) {
        bail_usage!(
            "--avoid: the file of --teams has no team {}",
            isolated(unknown.as_str())
        );
    }
    let all = arguments.players.is_none().then_some(names);
    if let Some(names) = &all {
        let begun = Tournament::new(settings.clone(), names);
        let checked = begun.and_then(|begun| begun.check_pairings());
        checked.map_err(|why| wrong(&why))?;
    }
    Ok(Some((Plan { players, settings }, all)))
}

/// Checks the options that are only for tournaments, of a referee that may hold none.
///
/// # Errors
/// Wrong usage if there are no teams or records.
pub(super) fn check_options(arguments: &Arguments) -> Result<()> {
    match (&arguments.teams, &arguments.state) {
        (Some(_), Some(_)) => Ok(()),
        _ => refuse_options(arguments, |option| {
            format!("{option} is for tournaments, which need --teams and --state")
        }),
    }
}

/// Refuses options that are only for tournaments.
///
/// # Errors
/// Wrong usage if one is given.
fn refuse_options(arguments: &Arguments, why: impl Fn(&str) -> String) -> Result<()> {
    let stops = arguments.stop_after == Some(StopAfter::Tournament);
    let given = [
        ("--forfeit-after", arguments.pairing.forfeit_after.is_some()),
        ("--stop-after tournament", stops),
    ];
    let given = given.into_iter().find(|&(_, is_given)| is_given);
    given.map_or(Ok(()), |(option, _)| Err(wrong_usage(why(option))))
}
