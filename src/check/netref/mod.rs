//! The check of a client of the network referee.
//!
//! For each game the client is restarted, with a port of its own. The referee is the
//! [`Table`](crate::contests::netref::Table) of this project's server; the client gets the same
//! messages as there. The opponent chooses its moves so that random play would bring the client
//! into the wanted situation.

mod awari;
mod connection;
mod game;
mod gothello;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

use thiserror::Error;

use super::checked::{CheckedGame as _, Sign};
use super::{
    CheckSettings, DOUBT, Failure, Fault, NotReached, Outcome, Progress, Report, Run, Step, Trouble,
};
use crate::base::color::Color;
use crate::base::rng::Rng;
use crate::contests::netref::NetrefGame;
use crate::gtp::process::EngineError;
use game::Scenario;

pub(crate) use awari::AwariTopic;
pub(crate) use steps::{ClientStep, ClientTopic, RefereeStep, RequestStep};

/// The number of games in which a client must have passed too early to fail, without evidence to
/// the contrary.
const MISSED_GAMES: usize = 3;

/// The pause between two lines that must not come in the same packet: long enough for a client on a
/// loaded machine to read the first.
const LINE_PAUSE: Duration = Duration::from_millis(100);

/// How many times as many games are played for a situation while it does not come up.
const UNSEEN_GAMES: u32 = 4;

/// The settings of a check.
#[derive(Clone, Debug)]
pub(crate) struct NetrefSettings<S> {
    /// The settings of every check. The command has the placeholders `{side}`, `{host}`, `{server}`,
    /// `{port}` and `{name}`.
    pub check: CheckSettings<S>,
    /// The sides that it plays.
    pub sides: Vec<Color>,
    /// The server number; any free one if `None`.
    pub server: Option<u16>,
    /// The number of games to look for a situation, for each side.
    pub games: u32,
    /// Whether a client may end with any exit status.
    pub ignores_exit_status: bool,
}

/// Why a client could not be checked in a game.
#[derive(Debug, Error)]
pub enum StartError {
    /// No port is free.
    #[error("cannot listen: {0}")]
    Listen(io::Error),
    /// The port is taken.
    #[error(
        "cannot listen at port {port} of server number {server}: {why}; if a referee runs there, \
         stop it, or give another number to --server and to the client"
    )]
    Taken {
        /// The port.
        port: u16,
        /// The server number.
        server: u16,
        /// The error of the system.
        why: io::Error,
    },
    /// It cannot be started.
    #[error(transparent)]
    Start(EngineError),
    /// It does not connect in time, or ends before.
    #[error("{why}")]
    Connect {
        /// Its behavior instead, as a sentence without a period.
        why: String,
        /// The last lines of its standard error.
        errors: Vec<String>,
    },
}

/// Checks a client, and calls `progress` before each game.
///
/// # Errors
/// The client cannot be started, or no port is free.
pub(crate) fn check<T: ClientTopic>(
    settings: &NetrefSettings<ClientStep<T>>,
    progress: &mut Progress<'_, ClientStep<T>>,
) -> Result<Report<ClientStep<T>>, StartError> {
    let mut check = Check {
        settings,
        run: Run::new(&settings.check, |_| true),
        evidence: Evidence::new(),
        rng: Rng::new(settings.check.seed),
        reasons: BTreeMap::new(),
        tried: BTreeSet::new(),
        cut: BTreeSet::new(),
        line_pause: None,
        sound: BTreeMap::new(),
        progress,
    };
    check.check_all()?;
    Ok(check.finish())
}

struct Check<'a, T: ClientTopic> {
    settings: &'a NetrefSettings<ClientStep<T>>,
    run: Run<ClientStep<T>>,
    evidence: Evidence<T>,
    rng: Rng,
    /// Why steps were not reached.
    reasons: BTreeMap<ClientStep<T>, NotReached>,
    /// The steps for which a game was played.
    tried: BTreeSet<ClientStep<T>>,
    /// The steps for which more games would have been played if the check had not ended early.
    cut: BTreeSet<ClientStep<T>>,
    /// The pause after each line if the client has been found to read only packets of one line: it
    /// is checked further with such packets.
    line_pause: Option<Duration>,
    /// Whether the client has not failed in the first game for a step about more than moves.
    sound: BTreeMap<(ClientStep<T>, Color), bool>,
    progress: &'a mut Progress<'a, ClientStep<T>>,
}

impl<T: ClientTopic> Check<'_, T> {
    /// Plays the games in the order of their cost: first those for the messages of the protocol,
    /// whose opponent moves at once, then those for situations on the board: first those in which a
    /// client goes on where its situation comes up, then those in which the opponent searches for
    /// it. In either, there is one game for each situation, then a second one, and so on.
    ///
    /// Most faults in reading messages show on either side, so the messages are sent to the second
    /// side after the games in which a client goes on.
    fn check_all(&mut self) -> Result<(), StartError> {
        let mut sides = Vec::new();
        for &color in &self.settings.sides {
            if self.run.early_end().is_some() {
                break;
            }
            let first = Scenario {
                color,
                wanted: RequestStep::Turn.into(),
                round: 0,
                line_pause: self.line_pause,
            };
            let is_sound = self.play(first)?;
            let mut basics = RequestStep::BASICS.into_iter();
            if is_sound || !basics.any(|step| self.run.report.has_failed(step.into())) {
                sides.push(color);
            }
        }
        let selected = ClientStep::all().into_iter();
        let selected: Vec<_> = selected
            .filter(|&step| self.run.is_selected(step))
            .collect();
        let line_pause = self.line_pause;
        let scenarios = |round| {
            let sides = sides.clone();
            let selected = selected.iter().copied();
            selected.flat_map(move |wanted| {
                let scenario = move |color| Scenario {
                    color,
                    wanted,
                    round,
                    line_pause,
                };
                sides.clone().into_iter().map(scenario)
            })
        };
        let events: Vec<_> = scenarios(0).filter(Scenario::is_special).collect();
        let is_first = |color| sides.first() == Some(&color);
        let (first, second) = events
            .into_iter()
            .partition::<Vec<_>, _>(|event| is_first(event.color));
        self.look_for_events(first)?;
        let most = selected.iter().map(|step| self.games(*step)).max();
        let games = (0..most.unwrap_or(0)).flat_map(scenarios);
        let games = games.filter(|scenario| scenario.round < self.games(scenario.wanted));
        let (led, others) = games.partition::<Vec<_>, _>(|game| game.is_led(&self.run.report));
        for scenario in led {
            self.look_for(scenario)?;
        }
        self.look_for_events(second)?;
        for scenario in others {
            self.look_for(scenario)?;
        }
        Ok(())
    }

    /// Plays all games for steps about more than moves.
    fn look_for_events(&mut self, events: Vec<Scenario<T>>) -> Result<(), StartError> {
        for event in events {
            for round in 0..event.rounds() {
                self.look_for(Scenario { round, ..event })?;
            }
        }
        Ok(())
    }

    /// Returns the most games in which a situation on the board is looked for, for each side: more
    /// if there are several ways not to know it, or while it does not come up.
    fn games(&self, step: ClientStep<T>) -> u32 {
        let games = |topic| {
            let times = match T::Checked::ways(topic) {
                1 => UNSEEN_GAMES,
                ways => u32::try_from(ways.div_ceil(2)).unwrap_or(1),
            };
            self.settings.games.saturating_mul(times)
        };
        step.topic().map_or(0, games)
    }

    /// Plays the game unless its step is known, has failed, or there is no time left.
    fn look_for(&mut self, scenario: Scenario<T>) -> Result<(), StartError> {
        let Scenario {
            color,
            wanted,
            round,
            ..
        } = scenario;
        // A failure as one color says nothing about an event as the other.
        let is_first = scenario.is_special() && round == 0;
        let is_enough = round >= self.settings.games && self.evidence.has_come_up(wanted, color);
        if self.evidence.is_known(wanted, color)
            || is_enough
            || self.run.report.has_failed(wanted) && !is_first
        {
            return Ok(());
        }
        if self.run.early_end().is_some() {
            self.cut.insert(wanted);
            return Ok(());
        }
        if let Some(base) = scenario.base() {
            let key = (base.wanted, color);
            let is_sound = match self.sound.get(&key) {
                Some(&is_sound) => is_sound,
                None => self.play(base)?,
            };
            self.sound.insert(key, is_sound);
            if !is_sound {
                return Ok(());
            }
        }
        let is_sound = self.play(scenario)?;
        self.sound.entry((wanted, color)).or_insert(is_sound);
        Ok(())
    }

    /// Plays a game; returns whether the client has not failed.
    fn play(&mut self, scenario: Scenario<T>) -> Result<bool, StartError> {
        let Scenario { color, wanted, .. } = scenario;
        self.tried.insert(wanted);
        let number = self.evidence.begin_game();
        let side = T::Game::SIDES[color];
        let name = wanted.spec().name;
        (self.progress)(format!("game {number}: {side}, {name}"), self.run.known());
        let before = (self.run.report.clone(), self.evidence.clone());
        let mut played = self.play_game(scenario);
        if wanted == RefereeStep::TimePressure.into()
            && matches!(played, Ok(Err((Trouble::Failed(_), _))))
        {
            // The machine may have stood still. It does not do so twice.
            (self.run.report, self.evidence) = before.clone();
            played = self.play_game(scenario);
        }
        match played {
            Ok(Ok(())) => Ok(true),
            Ok(Err((Trouble::NotReached(why), _))) => {
                self.reasons.insert(wanted, why);
                Ok(true)
            }
            Ok(Err((Trouble::Failed(ref fault), Some(ref packet))))
                if wanted == RequestStep::Turn.into()
                    && self.line_pause.is_none()
                    && self.plays_line_by_line(scenario, before, fault, packet)? =>
            {
                Ok(true)
            }
            Ok(Err((Trouble::Failed(fault), _))) => {
                if fault.was_silent {
                    self.run.note_silence();
                }
                let why = NotReached::missed("the client failed before");
                self.reasons.insert(wanted, why);
                Ok(false)
            }
            Err(StartError::Connect { why, errors }) => {
                self.run.note_silence();
                let failure = Failure {
                    found: format!("as {side}: {why}"),
                    board: Vec::new(),
                    exchange: Vec::new(),
                    errors,
                };
                self.run.report.fail(RequestStep::Connect.into(), failure);
                Ok(false)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Plays a game with the client.
    fn play_game(
        &mut self,
        scenario: Scenario<T>,
    ) -> Result<Result<(), game::Unfinished<T>>, StartError> {
        game::play(
            scenario,
            self.settings,
            &mut self.run.report,
            &mut self.evidence,
            &mut self.rng,
            self.run.end,
        )
    }

    /// Plays a game that the client has failed by this fault again, with a packet for each line. If it
    /// does not fail there, the packets are what it has failed at, unless it does not fail a second
    /// time without these packets either; a client that waits without end is not asked again. Then
    /// the findings before the game, `before`, are what else is known. `packet` are the codes of lines
    /// that came in one packet.
    fn plays_line_by_line(
        &mut self,
        scenario: Scenario<T>,
        before: (Report<ClientStep<T>>, Evidence<T>),
        fault: &Fault<ClientStep<T>>,
        packet: &[String; 2],
    ) -> Result<bool, StartError> {
        (self.progress)(
            "the game again, with other packets".into(),
            self.run.known(),
        );
        let failed = (self.run.report.clone(), self.evidence.clone());
        let line_pause = Some(LINE_PAUSE);
        let mut has_passed = |line_pause| {
            (self.run.report, self.evidence) = before.clone();
            match self.play_game(Scenario {
                line_pause,
                ..scenario
            }) {
                Ok(played) => Ok(played.is_ok()),
                Err(StartError::Connect { .. }) => Ok(false),
                Err(refusal) => Err(refusal),
            }
        };
        let is_of_packets = (fault.was_silent || !has_passed(None)?) && has_passed(line_pause)?;
        if !is_of_packets {
            (self.run.report, self.evidence) = failed;
            return Ok(false);
        }
        let mut outcomes = failed.0.outcomes();
        let failure = outcomes.find_map(|(_, outcome)| match outcome {
            Outcome::Failed(failure) if failure.found.ends_with(&fault.found) => {
                Some(failure.clone())
            }
            Outcome::Failed(_) | Outcome::Passed | Outcome::NotReached(_) => None,
        });
        if let Some(failure) = failure {
            let [before, last] = packet;
            let found = format!(
                "{}: {last} came in the same packet as {before}, and it plays when each line comes in \
                 a packet of its own, so it takes what it reads at once for one line",
                failure.found
            );
            let merged = RefereeStep::Merged.into();
            self.run.report.fail(merged, Failure { found, ..failure });
        }
        self.line_pause = line_pause;
        Ok(true)
    }

    /// Notes why the remaining steps were not reached.
    fn finish(mut self) -> Report<ClientStep<T>> {
        self.evidence.conclude(&mut self.run.report);
        let early = self.run.early_end();
        for step in ClientStep::all() {
            let is_cut = self.cut.contains(&step) || !self.tried.contains(&step);
            let cut = early.filter(|_| is_cut);
            if cut.is_some() && step.has_ways() {
                // The games so far show only a few of the ways not to know it.
                self.run.report.withdraw(step);
            }
            let reason = self.reasons.remove(&step).filter(|_| cut.is_none());
            let reason = reason.unwrap_or_else(|| {
                let why = cut.unwrap_or(match self.run.report.failures() {
                    0 => "it did not come up in the games",
                    _ => "the games ended before",
                });
                NotReached {
                    why: why.to_owned(),
                    // The client's moves may not allow a situation on the board.
                    required: cut.is_some() || step.topic().is_none(),
                }
            });
            self.run.report.not_reached(step, reason);
        }
        self.run.known()
    }
}

impl<T: ClientTopic> ClientStep<T> {
    /// Returns the topic of the step, if it has one.
    fn topic(self) -> Option<T> {
        match self {
            ClientStep::Game(topic) => Some(topic),
            ClientStep::Request(_) | ClientStep::Referee(_) => None,
        }
    }

    /// Returns whether there are several ways not to know the topic of the step.
    fn has_ways(self) -> bool {
        self.topic()
            .is_some_and(|topic| T::Checked::ways(topic) > 1)
    }

    /// Returns the step about a topic; the one about moves if there is none.
    fn about(topic: Option<T>) -> ClientStep<T> {
        topic.map_or(RequestStep::Turn.into(), ClientStep::Game)
    }
}

/// The evidence of games about a client.
#[derive(Clone, Debug)]
struct Evidence<T> {
    /// The probability that a client of this color that does not know the topic of a step has not
    /// shown it.
    doubts: BTreeMap<(ClientStep<T>, Color), f64>,
    /// By the ways in which the client's board may be wrong.
    misses: BTreeMap<usize, Misses<T>>,
    games: u32,
    /// Whether the client's process has ever ended by itself.
    ends_by_itself: bool,
    /// The number of turns in which the client has passed although it could have moved, and the
    /// first of them, in words.
    passes: (u32, String),
}

/// Evidence of a client that thinks legal moves illegal.
#[derive(Clone, Debug)]
struct Misses<T> {
    /// The topic that such a client does not know.
    topic: T,
    /// The games in which it has passed too early.
    games: BTreeSet<u32>,
    /// Whether it has made a move that it would have taken for illegal, or passed for another
    /// reason.
    is_refuted: bool,
    /// The last time that it passed too early.
    last: Option<Failure>,
}

impl<T: ClientTopic> Evidence<T> {
    /// Returns no evidence.
    fn new() -> Evidence<T> {
        Evidence {
            doubts: BTreeMap::new(),
            misses: BTreeMap::new(),
            games: 0,
            ends_by_itself: false,
            passes: (0, String::new()),
        }
    }

    /// Begins a game, and returns its number.
    fn begin_game(&mut self) -> u32 {
        self.games += 1;
        self.games
    }

    /// Notes that a client has not shown ignorance that it would have shown with this probability.
    fn note_exposure(&mut self, step: ClientStep<T>, color: Color, exposure: f64) {
        *self.doubts.entry((step, color)).or_insert(1.0) *= 1.0 - exposure;
    }

    /// Returns whether the situation of a step has come up, and there is one way not to know it.
    fn has_come_up(&self, step: ClientStep<T>, color: Color) -> bool {
        !step.has_ways() && self.doubts.contains_key(&(step, color))
    }

    /// Returns whether a client has shown that it knows the topic of a step.
    fn is_known(&self, step: ClientStep<T>, color: Color) -> bool {
        // Each game looks for one way.
        let doubt = self.doubts.get(&(step, color));
        !step.has_ways() && doubt.is_some_and(|&doubt| doubt < DOUBT)
    }

    /// Notes the evidence of a turn about a client that may have a wrong board: `failure` describes
    /// an action that a client with this board would take.
    fn note_sign(&mut self, sign: &Sign<T>, failure: Option<Failure>) {
        let misses = self.misses.entry(sign.way);
        let misses = misses.or_insert_with(|| Misses {
            topic: sign.topic,
            games: BTreeSet::new(),
            is_refuted: false,
            last: None,
        });
        match failure {
            Some(_) => {
                misses.games.insert(self.games);
                misses.last = failure;
            }
            None => misses.is_refuted = true,
        }
    }

    /// Notes that the client, on this side, has passed in the move with this number although it
    /// could have moved.
    fn note_pass(&mut self, side: &str, number: u64) {
        let (count, first) = &mut self.passes;
        if *count == 0 {
            *first = format!("as {side}, in move {number} of game {}", self.games);
        }
        *count += 1;
    }

    /// Notes the failures of a client that has passed too early in several games, as one that
    /// tracks captures wrongly would, and has done nothing that this one would not.
    fn conclude(&mut self, report: &mut Report<ClientStep<T>>) {
        let (count, first) = &self.passes;
        if *count > 0 {
            report.notice(format!(
                "it passed in {count} turns in which it could place a stone, first {first}: this is \
                 legal, but rarely meant"
            ));
        }
        for (_, misses) in std::mem::take(&mut self.misses) {
            if let Some(failure) = misses.last
                && !misses.is_refuted
                && misses.games.len() >= MISSED_GAMES
            {
                report.fail(ClientStep::Game(misses.topic), failure);
            }
        }
    }
}
