//! The lobby: clients that wait for an opponent and a table. They connected through the port of a
//! team or, if a tournament is planned or running, of a table without the house; while the disk
//! cannot be written, through any port.
//!
//! Pure: decides which clients may meet, and in which order.

use std::time::Duration;

use super::client::ConnId;
use super::table::Seeker;

/// A client in the lobby.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// The client.
    pub seeker: Seeker,
    /// When it arrived, by the server's clock.
    pub since: Duration,
    /// The server number of the port through which it came.
    pub number: u16,
    /// The table whose port that is, by its index, if the client only waits until the disk can be
    /// written.
    pub table: Option<usize>,
}

/// The waiting clients, in order of arrival.
#[derive(Debug, Default)]
pub struct Lobby(Vec<Entrant>);

impl Lobby {
    /// Adds a client.
    pub fn enter(&mut self, entrant: Entrant) {
        self.0.push(entrant);
    }

    /// Removes and returns a client.
    pub fn remove(&mut self, conn: ConnId) -> Option<Entrant> {
        self.take_first(|entrant| entrant.seeker.conn == conn)
    }

    /// Removes and returns the first client that satisfies `fits`.
    pub fn take_first(&mut self, fits: impl FnMut(&Entrant) -> bool) -> Option<Entrant> {
        let at = self.0.iter().position(fits)?;
        Some(self.0.remove(at))
    }

    /// Removes and returns the first pair of clients that may play a free match.
    pub fn take_pair(&mut self) -> Option<[Entrant; 2]> {
        let pair = self.0.iter().enumerate().find_map(|(first, one)| {
            let mut later = self.0.iter().enumerate().skip(first + 1);
            let (second, _) = later.find(|(_, other)| one.seeker.may_meet(&other.seeker))?;
            Some((first, second))
        });
        let (first, second) = pair?;
        // The later one first, so that the other keeps its index.
        let second = self.0.remove(second);
        Some([self.0.remove(first), second])
    }

    /// Returns a client.
    pub fn get_mut(&mut self, conn: ConnId) -> Option<&mut Entrant> {
        self.0
            .iter_mut()
            .find(|entrant| entrant.seeker.conn == conn)
    }

    /// Returns the number of clients that wait.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the clients that wait.
    pub fn iter(&self) -> impl Iterator<Item = &Entrant> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::color::Color;
    use crate::contests::netref::{Client, Gothello, Name, Opening, Role};

    fn entrant(number: u64, team: &str, side: Option<Color>) -> Entrant {
        let client = Client {
            team: Name::new(team),
            ..ConnId(number).into()
        };
        let opening = Opening::new::<Gothello>(Role::of(side), None);
        Entrant {
            seeker: Seeker::new(client, opening),
            since: Duration::ZERO,
            number: 0,
            table: None,
        }
    }

    fn lobby(entrants: &[(&str, Option<Color>)]) -> Lobby {
        let mut lobby = Lobby::default();
        for (number, &(team, side)) in (1..).zip(entrants) {
            lobby.enter(entrant(number, team, side));
        }
        lobby
    }

    fn pair(lobby: &mut Lobby) -> Option<[u64; 2]> {
        let pair = lobby.take_pair()?;
        Some(pair.map(|entrant| entrant.seeker.conn.0))
    }

    const BLACK: Option<Color> = Some(Color::Black);
    const WHITE: Option<Color> = Some(Color::White);

    #[test]
    fn clients_meet_in_the_order_in_which_they_came() {
        let mut all = lobby(&[
            ("Red", BLACK),
            ("Blue", BLACK),
            ("Red", WHITE),
            ("Green", None),
            ("Blue", WHITE),
        ]);
        assert_eq!(pair(&mut all), Some([1, 4]));
        assert_eq!(pair(&mut all), Some([2, 3]));
        assert_eq!(pair(&mut all), None);
        assert_eq!(all.iter().count(), 1);
    }

    #[test]
    fn a_team_does_not_meet_itself() {
        let mut both = lobby(&[("Red", BLACK), ("Red", WHITE), ("Red", None)]);
        assert_eq!(pair(&mut both), None);
        both.enter(entrant(4, "Blue", BLACK));
        assert_eq!(pair(&mut both), Some([2, 4]));
    }

    proptest! {
        /// No client is lost, and none waits that could play.
        #[test]
        fn all_pairs_that_can_meet_do(entrants in prop::collection::vec((0..3_usize, 0..3_usize), 0..20)) {
            let teams = ["Red", "Blue", "Green"];
            let sides = [BLACK, WHITE, None];
            let named = entrants.iter().map(|&(team, side)| (teams[team], sides[side]));
            let mut all = lobby(&named.collect::<Vec<_>>());
            let mut taken = 0;
            while let Some([one, other]) = all.take_pair() {
                let (one, other) = (one.seeker, other.seeker);
                prop_assert!(one.conn < other.conn);
                prop_assert!(one.player.team() != other.player.team());
                prop_assert!(one.side.is_none() || one.side != other.side);
                taken += 2;
            }
            prop_assert_eq!(taken + all.iter().count(), entrants.len());
            let left: Vec<_> = all.iter().collect();
            for (at, one) in left.iter().enumerate() {
                for other in &left[at + 1..] {
                    prop_assert!(!one.seeker.may_meet(&other.seeker));
                }
            }
        }
    }
}
