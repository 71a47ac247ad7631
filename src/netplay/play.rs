//! A match from the first line to the last: the loop around what is pure.

use std::io::Write;
use std::time::Duration;

use super::agent::{Agent, AgentError, Decision};
use super::deed::Deed;
use super::display::Display;
use super::ending::Ending;
use super::error::Error;
use super::game::Game;
use super::link::{Event, Link};
use super::observer::Observer;
use super::session::Session;
use super::thinker::Thinker;
use crate::netref::Line;

/// How long nothing must come before the agent is asked for its first move.
const SETTLING: Duration = Duration::from_millis(50);

/// Plays a match. Its result has been shown when this returns, also with an
/// error.
///
/// # Errors
/// The match was not played to a regular end, or could not be shown.
pub fn play<G: Game, W: Write>(
    mut link: Link<G::Move>,
    mut session: Session<G>,
    agent: Box<dyn Agent<G>>,
    display: &mut Display<W>,
) -> Result<Ending, Error> {
    let mut thinker = Thinker::start(agent, link.sender());
    let result = run(&mut link, &mut session, &mut thinker, display);
    thinker.think_about(None);
    if result.is_ok() {
        link.part();
    }
    // In this order: the thinker may be about to report something.
    drop(link);
    thinker.finish();
    let ending = result.and_then(regular)?;
    display.finish()?;
    Ok(ending)
}

fn run<G: Game, W: Write>(
    link: &mut Link<G::Move>,
    session: &mut Session<G>,
    thinker: &mut Thinker<G>,
    display: &mut Display<W>,
) -> Result<(Ending, Option<AgentError>), Error> {
    let mut fault = None;
    let mut has_thought = false;
    loop {
        let turn = session.turn();
        // The moves of a match that goes on after a crash come one by one: the
        // agent is asked when they have come.
        let event = if turn.is_some() && !has_thought {
            link.next_event_within(SETTLING)
        } else {
            thinker.think_about(turn.clone());
            Some(link.next_event())
        };
        let Some(event) = event else {
            has_thought = true;
            thinker.think_about(turn);
            continue;
        };
        let deeds = match event {
            Event::Lines(lines) => {
                let mut ending = None;
                for line in &lines {
                    let deeds = session.receive(text(line)?)?;
                    ending = perform(deeds, link, display).or(ending);
                }
                if let Some(ending) = ending {
                    return Ok((ending, fault));
                }
                Vec::new()
            }
            Event::Closed(error) => match session.closed() {
                Some(ending) => vec![Deed::Over(ending)],
                None => return Err(fault.map_or_else(|| closed(error), Error::Agent)),
            },
            Event::Chosen(about, choice) if thinker.is_awaited(about) => {
                match choice.and_then(|decision| session.decide(decision)) {
                    Ok(deeds) => deeds,
                    // Who has gone does not resign.
                    Err(AgentError::Left) => return Err(AgentError::Left.into()),
                    Err(error) => {
                        fault = Some(error);
                        session.decide(Decision::Resign)?
                    }
                }
            }
            Event::Chosen(..) => Vec::new(),
        };
        if let Some(ending) = perform(deeds, link, display) {
            return Ok((ending, fault));
        }
    }
}

/// Watches a match. Its result has been shown when this returns, also with an
/// error.
///
/// # Errors
/// The match did not come to a regular end, or could not be shown.
pub fn observe<G: Game, W: Write>(
    mut link: Link<G::Move>,
    mut observer: Observer<G>,
    display: &mut Display<W>,
) -> Result<Ending, Error> {
    loop {
        match link.next_event() {
            Event::Lines(lines) => {
                for line in &lines {
                    perform(observer.receive(text(line)?)?, &mut link, display);
                    // An observer that cannot show anything has nothing to do.
                    display.finish()?;
                }
            }
            Event::Closed(error) => {
                let ending = observer.ending().ok_or_else(|| closed(error))?;
                display.show(&Deed::Over(ending));
                return display.finish().map(|()| ending);
            }
            Event::Chosen(..) => {}
        }
    }
}

/// Does what is to be done; the ending, if the match is over.
fn perform<M: Send + 'static, W: Write>(
    deeds: Vec<Deed>,
    link: &mut Link<M>,
    display: &mut Display<W>,
) -> Option<Ending> {
    let mut over = None;
    for deed in deeds {
        display.show(&deed);
        match deed {
            Deed::Send(request) => link.send(&request),
            Deed::Over(ending) => over = Some(ending),
            Deed::Note(_) | Deed::Moved(_) | Deed::Board(_) => {}
        }
    }
    over
}

/// What has gone wrong on our side although there is a result.
fn regular((ending, fault): (Ending, Option<AgentError>)) -> Result<Ending, Error> {
    match fault {
        Some(fault) => Err(fault.into()),
        None => Ok(ending),
    }
}

fn closed(error: Option<std::io::Error>) -> Error {
    error.map_or(Error::Closed, Error::Broken)
}

/// The text of a line.
fn text(line: &Line) -> Result<&str, Error> {
    line.text()
        .map_err(|why| Error::Unreadable(why.to_string()))
}
