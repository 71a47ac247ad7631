//! The tables of a tournament as comma-separated values, for spreadsheets and scripts.

use super::Tournament;
use super::crosstable::CrossCell;
use crate::base::color::Color;
use crate::base::csv;
use crate::tournament::event::{GameResult, Remark, ScheduledGame};

/// A table has a row with the names of the columns, and `\n` line ends. A field with a comma, a
/// quote or a line end is quoted, as RFC 4180 has it. A text that a spreadsheet would take for a
/// formula, because it begins with `=`, `+`, `-` or `@`, is written after a `'`.
impl Tournament {
    /// Returns the standings as a CSV table, the leader first: the fields of
    /// [`Standing`](super::Standing), without a value where one is `None`. `status` is `present`,
    /// `absent` or `withdrawn`.
    ///
    /// ```
    /// use gothello::tournament::{Games, PairingSystem, Settings, Tournament};
    ///
    /// let system = PairingSystem::Swiss { rounds: 1 };
    /// let settings = Settings { system, games: Games::Single, seed: 1, forbidden: vec![] };
    /// let tournament = Tournament::new(settings, &["Ann".parse()?, "=Bob".parse()?])?;
    /// let table = tournament.standings_csv();
    /// assert!(table.starts_with("rank,player,points,"));
    /// assert!(table.contains("\n1,'=Bob,0,"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn standings_csv(&self) -> String {
        let columns = [
            "rank",
            "player",
            "points",
            "buchholz",
            "sonneborn_berger",
            "direct",
            "wins",
            "draws",
            "losses",
            "forfeits",
            "byes",
            "missed",
            "blacks",
            "whites",
            "status",
        ];
        let mut table = csv::row(columns.map(str::to_owned));
        for row in self.standings() {
            let ties = row.tie_breaks;
            let status = match (row.withdrawn, row.absent) {
                (true, _) => "withdrawn",
                (_, true) => "absent",
                (false, false) => "present",
            };
            table += &csv::row([
                or_empty(row.rank),
                csv::text(row.player.as_str()),
                row.points.to_string(),
                or_empty(ties.buchholz),
                ties.sonneborn_berger.to_string(),
                or_empty(ties.direct),
                row.wins.to_string(),
                row.draws.to_string(),
                row.losses.to_string(),
                row.forfeits.to_string(),
                row.byes.to_string(),
                row.missed.to_string(),
                row.blacks.to_string(),
                row.whites.to_string(),
                status.to_owned(),
            ]);
        }
        table
    }

    /// Returns the crosstable as a CSV table, in the order of the standings, with the number of
    /// the line, the player, and the points before it.
    ///
    /// A cell has the color of the player and the mark of each game as in
    /// [`standings_table`](Tournament::standings_table): `b1w=` is a win with Black and a draw
    /// with White. In a Swiss tournament, whose columns are the rounds, the line of the opponent
    /// comes first, as in `3b1`.
    pub fn crosstable_csv(&self) -> String {
        let standings = self.standings();
        let crosstable = self.crosstable(&self.ids_of(&standings));
        let swiss = self.is_swiss();
        let cell = |cell: &CrossCell| match cell {
            CrossCell::Games { opponent, games } => {
                let line = swiss.then(|| (opponent + 1).to_string());
                let games = games.iter();
                let marks = games.flat_map(|game| [game.color.letter(), game.mark.symbol()]);
                line.unwrap_or_default() + &marks.collect::<String>()
            }
            other => other.word().to_owned(),
        };
        let count = crosstable.rows.first().map_or(0, Vec::len);
        let head = ["line", "player", "points"].map(str::to_owned);
        let numbers = (1..=count).map(|number| number.to_string());
        let mut table = csv::row(head.into_iter().chain(numbers));
        for (line, (row, cells)) in (1_usize..).zip(standings.iter().zip(&crosstable.rows)) {
            let player = csv::text(row.player.as_str());
            let head = [line.to_string(), player, row.points.to_string()];
            table += &csv::row(head.into_iter().chain(cells.iter().map(cell)));
        }
        table
    }

    /// Returns all games that have been paired as a CSV table, in order, each once with its
    /// present result. `winner` is `black`, `white`, `draw`, `none` if both players forfeited the
    /// game, or empty if it has no result; `forfeit` is `true` or `false`.
    pub fn games_csv(&self) -> String {
        let columns = [
            "round",
            "pairing",
            "game",
            "black",
            "white",
            "winner",
            "forfeit",
            "reason",
            "black_score",
            "white_score",
            "id",
        ];
        let mut table = csv::row(columns.map(str::to_owned));
        for (scheduled, result) in self.games() {
            let ScheduledGame {
                number,
                black,
                white,
            } = &scheduled;
            let place = [number.round, number.pairing, number.game].map(|part| part.to_string());
            let players = [black, white].map(|player| csv::text(player.as_str()));
            let fields = place.into_iter().chain(players);
            table += &csv::row(fields.chain(result_fields(result)));
        }
        table
    }
}

/// Returns the last fields of a game.
fn result_fields(result: Option<&GameResult>) -> [String; 6] {
    let Some(result) = result else {
        return Default::default();
    };
    let winner = match (result.winner, result.forfeit) {
        (Some(Color::Black), _) => "black",
        (Some(Color::White), _) => "white",
        (None, false) => "draw",
        (None, true) => "none",
    };
    let score = |color| or_empty(result.scores.map(|scores| scores[color]));
    [
        winner.to_owned(),
        result.forfeit.to_string(),
        csv::text(result.reason.as_str()),
        score(Color::Black),
        score(Color::White),
        csv::text(result.id.as_ref().map_or("", Remark::as_str)),
    ]
}

fn or_empty<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
