//! Whether an event fits what has happened before.

use std::collections::BTreeSet;

use super::event::{Event, Fixture, GameResult, Pair, Scores};
use super::name::Name;
use super::refusal::Refusal;
use super::round::{Id, Pairing, Round};
use super::settings::{Kind, MAX_ENTRANTS};
use super::state::{Tournament, count};

/// An event that fits, in terms of the tournament that it was checked for.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Duplicate,
    Round(Round),
    Result(Place, Option<GameResult>),
    Leave(Id),
    Enter(Name, Vec<Id>),
    End,
}

/// Where a game is kept; all numbers count from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) round: usize,
    pub(super) pairing: usize,
    pub(super) game: usize,
}

impl Tournament {
    /// What an event changes.
    pub(super) fn check(&self, event: &Event) -> Result<Change, Refusal> {
        if self.has_ended() && !matches!(event, Event::Correction { .. } | Event::Game { .. }) {
            return Err(Refusal::Ended);
        }
        match event {
            Event::Paired {
                round,
                pairings,
                bye,
            } => self.check_round(*round, pairings, bye.as_ref()),
            Event::Game { fixture, result } => match self.game(fixture)? {
                (_, Some(before)) if before == result => Ok(Change::Duplicate),
                (_, Some(_)) => Err(Refusal::HasResult(fixture.clone())),
                (place, None) => check_result(fixture, place, result),
            },
            Event::Correction { fixture, result } => match self.game(fixture)? {
                (_, Some(before)) if before == result => Ok(Change::Duplicate),
                (place, _) => check_result(fixture, place, result),
            },
            Event::Replay { fixture, .. } => match self.game(fixture)? {
                (_, None) => Err(Refusal::NoResult(fixture.clone())),
                (place, Some(_)) => self.check_replay(fixture, place),
            },
            Event::Withdrawal { player, .. } => Ok(Change::Leave(self.present_player(player)?)),
            Event::Entry { player, apart } => self.check_entry(player, apart),
            Event::Ended { .. } => Ok(Change::End),
        }
    }

    /// A player who has not left.
    fn present_player(&self, name: &Name) -> Result<Id, Refusal> {
        let id = self
            .find(name)
            .ok_or_else(|| Refusal::Unknown(name.clone()))?;
        if self.entrant(id).left.is_some() {
            return Err(Refusal::Gone(name.clone()));
        }
        Ok(id)
    }

    /// Where a game is kept, and its result.
    fn game(&self, fixture: &Fixture) -> Result<(Place, Option<&GameResult>), Refusal> {
        let number = fixture.number;
        let none = || Refusal::NoSuchGame(number);
        let index = |number: u32| usize::try_from(number).ok()?.checked_sub(1);
        let place = || {
            let place = Place {
                round: index(number.round)?,
                pairing: index(number.pairing)?,
                game: index(number.game)?,
            };
            let round = self.rounds().get(place.round)?;
            let meeting = round.pairings.get(place.pairing)?;
            Some((place, meeting, meeting.games.get(place.game)?))
        };
        let (place, meeting, result) = place().ok_or_else(none)?;
        let paired = self.fixture(number, meeting, place.game);
        if paired != *fixture {
            return Err(Refusal::OtherPlayers(paired));
        }
        Ok((place, result.as_ref()))
    }

    /// A game can be played again only as long as both players are there, and, in
    /// a Swiss tournament, before its result has decided who meets whom.
    fn check_replay(&self, fixture: &Fixture, place: Place) -> Result<Change, Refusal> {
        self.present_player(&fixture.black)?;
        self.present_player(&fixture.white)?;
        let swiss = matches!(self.settings().kind, Kind::Swiss { .. });
        if swiss && place.round + 1 < self.rounds().len() {
            return Err(Refusal::TooLate(fixture.clone()));
        }
        Ok(Change::Result(place, None))
    }

    fn check_entry(&self, name: &Name, apart: &[Name]) -> Result<Change, Refusal> {
        if self.settings().kind == Kind::RoundRobin {
            return Err(Refusal::Late);
        }
        if self.find(name).is_some() {
            return Err(Refusal::Present(name.clone()));
        }
        if self.players().len() >= MAX_ENTRANTS {
            return Err(Refusal::Full);
        }
        let known = |name: &Name| {
            self.find(name)
                .ok_or_else(|| Refusal::Unknown(name.clone()))
        };
        let apart: Result<Vec<Id>, Refusal> = apart.iter().map(known).collect();
        Ok(Change::Enter(name.clone(), apart?))
    }

    fn check_round(
        &self,
        round: u32,
        pairings: &[Pair],
        bye: Option<&Name>,
    ) -> Result<Change, Refusal> {
        let expected = count(self.rounds().len() + 1);
        if self.all_paired() {
            return Err(Refusal::NoFurtherRound);
        }
        if round != expected {
            return Err(Refusal::OtherRound {
                expected,
                found: round,
            });
        }
        let swiss = matches!(self.settings().kind, Kind::Swiss { .. });
        if swiss && self.rounds().last().is_some_and(|last| !last.is_over()) {
            return Err(Refusal::TooEarly(expected - 1));
        }
        let mut paired = BTreeSet::new();
        let mut take = |name: &Name| {
            let id = match self.present_player(name) {
                // On paper he plays the round robin to its end.
                Err(Refusal::Gone(_)) if !swiss => self.find(name),
                found => Some(found?),
            };
            let id = id.ok_or_else(|| Refusal::Unknown(name.clone()))?;
            if !paired.insert(id) {
                return Err(Refusal::Twice(name.clone()));
            }
            Ok(id)
        };
        let mut meetings = Vec::new();
        for Pair { black, white } in pairings {
            let players = [take(black)?, take(white)?];
            self.check_pair(players)?;
            let games = self.settings().games.number();
            let games = (0..games).map(|_| None).collect();
            meetings.push(Pairing { players, games });
        }
        let without = bye.map(&mut take).transpose()?;
        if let Some(player) = without.filter(|player| swiss && !self.may_have_bye(*player)) {
            return Err(Refusal::SecondBye(self.name(player).clone()));
        }
        let left_out = self.present().find(|player| !paired.contains(player));
        match left_out {
            Some(player) if swiss => Err(Refusal::LeftOut(self.name(player).clone())),
            _ => Ok(Change::Round(Round::new(meetings, without))),
        }
    }

    fn check_pair(&self, [one, other]: [Id; 2]) -> Result<(), Refusal> {
        let names = || (self.name(one).clone(), self.name(other).clone());
        if self.are_apart(one, other) {
            let (one, other) = names();
            return Err(Refusal::Apart(one, other));
        }
        if self.have_met(one, other) {
            let (one, other) = names();
            return Err(Refusal::Met(one, other));
        }
        Ok(())
    }

    /// Whether two players have met: in a Swiss tournament over a game that was
    /// played (FIDE, C.04.1, rule b), in a round robin on paper.
    pub(super) fn have_met(&self, one: Id, other: Id) -> bool {
        let on_paper = self.settings().kind == Kind::RoundRobin;
        let mut pairings = self
            .rounds()
            .iter()
            .filter_map(|round| round.pairing_of(one));
        pairings.any(|pairing| pairing.opponent(one) == other && (on_paper || pairing.was_played()))
    }

    /// Whether a player may have a bye: not who had one, or has won all games of a
    /// round without playing one (FIDE, C.04.1, rule d).
    pub(super) fn may_have_bye(&self, player: Id) -> bool {
        let all = self.bye_points();
        !self.rounds().iter().any(|round| {
            let meeting = round.pairing_of(player);
            let won = meeting
                .is_some_and(|pairing| !pairing.was_played() && pairing.points(player) >= all);
            round.bye == Some(player) || won
        })
    }
}

/// What is no number could not be written to the results file.
fn check_result(fixture: &Fixture, place: Place, result: &GameResult) -> Result<Change, Refusal> {
    match result.scores {
        Some(Scores { black, white }) if !(black.is_finite() && white.is_finite()) => {
            Err(Refusal::Scores(fixture.clone()))
        }
        _ => Ok(Change::Result(place, Some(result.clone()))),
    }
}
