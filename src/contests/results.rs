//! The results of games, as both referees keep them: a line of JSON for each game that is over.
//!
//! The lines are the truth; tables and ratings are computed from them. Nothing is ever overwritten: if
//! the organizer changes a result, a later line of the same game has the new one, and counts.

use std::collections::HashMap;
use std::io::{self, BufRead, Read as _};
use std::ops::Not;
use std::time::SystemTime;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::base::color::{ByColor, Color};
use crate::base::csv;
use crate::pages::web;
use crate::tournament::{GameNumber, NumberedGame, ResultCode};

/// The file of the results in a state folder.
pub const RESULTS: &str = "results.jsonl";

/// The folder of the records beside it.
pub const RECORDS: &str = "games";

/// The maximum length of a line in bytes. The longest that a server writes has some thousands.
const MAX_LINE: u64 = 32 * 1024;

/// The version of the lines.
const VERSION: u32 = 1;

/// The name on the page of a player who sent none.
const NAMELESS: &str = "no name";

/// The winner of a draw.
const DRAW: &str = "draw";

/// A game that is over, as a line of the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultLine {
    /// Its number in the file, from 1; 0 if it was not [read there](read_lines).
    #[serde(skip)]
    pub number: usize,
    v: u32,
    /// The unique name of the game.
    pub id: String,
    /// The name of the kind of game, such as `Gothello`.
    pub game: String,
    /// The number of its table.
    pub table: u16,
    /// When it began.
    #[serde(with = "rfc3339")]
    pub began: SystemTime,
    /// The players: first the one who moves first.
    players: [ResultPlayer; 2],
    /// The side of the winner, or `draw`; `None` without a result.
    winner: Option<String>,
    /// Why it is over, in a word.
    pub reason: String,
    /// How it ended, as a sentence.
    pub result: String,
    /// The last lines that the player at fault has sent (`>`) and was sent (`<`), if the game ended
    /// by a fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchange: Vec<String>,
    /// The score of a game that was played to its end, as in `B+3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// The number of moves of both players.
    pub moves: usize,
    /// The name of its record in the folder [`RECORDS`].
    pub record: String,
    /// The number of the tournament in which it began; `None` for a free game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<u32>,
    /// Its place there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<GameNumber>,
    /// Why the organizer has decided so, if this line replaces an earlier one of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<String>,
    /// Whether a player has forfeited it, as the organizer has decided: it counts for no rating.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub forfeit: bool,
}

/// A player of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResultPlayer {
    /// The name of the side, such as `black`.
    pub side: String,
    /// The name that the client gave.
    #[serde(default)]
    pub name: Option<String>,
    /// The team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Whether it is the referee's own player.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub house: bool,
    /// The number of the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// The address of the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The points on the board, if they are counted for each player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
    /// The time on the clock at the start, in seconds; `None` without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<f64>,
    /// The time that the player thought, in seconds.
    pub seconds: f64,
}

/// What is the same of a game in both referees, for [`ResultLine::new`].
#[derive(Clone, Debug)]
pub struct GameOver {
    /// See [`ResultLine::id`].
    pub id: String,
    /// See [`ResultLine::game`].
    pub game: &'static str,
    /// See [`ResultLine::table`].
    pub table: u16,
    /// See [`ResultLine::began`].
    pub began: SystemTime,
    /// The winner: `Some(None)` is a draw, and `None` is no result.
    pub outcome: Option<Option<Color>>,
    /// See [`ResultLine::reason`].
    pub reason: String,
    /// See [`ResultLine::result`].
    pub result: String,
    /// See [`ResultLine::exchange`].
    pub exchange: Vec<String>,
    /// See [`ResultLine::score`].
    pub score: Option<String>,
    /// See [`ResultLine::moves`].
    pub moves: usize,
    /// The extension of the record.
    pub extension: &'static str,
    /// Its place in a tournament.
    pub scheduled: Option<NumberedGame>,
}

/// Why a line is not a result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResultLineError {
    /// It has more bytes than any result.
    #[error("it has more than {0} bytes, and is not a result")]
    TooLong(u64),
    /// It is not JSON, or lacks something.
    #[error("it is not the result of a game: {0}")]
    Damaged(String),
    /// Another version of the program wrote it.
    #[error("it has version {0}, and this program knows version {VERSION}")]
    Version(u32),
    /// The name of the record is that of a file elsewhere.
    #[error("the record {0:?} is not the name of a file in the folder {RECORDS}")]
    Record(String),
    /// Nobody of that name plays.
    #[error("the winner is {found:?}: write {:?}, {:?}, {DRAW:?}, or null", sides[0], sides[1])]
    Winner {
        /// What is there.
        found: String,
        /// The sides of the players.
        sides: [String; 2],
    },
}

impl ResultLine {
    /// Creates the line of a game.
    pub fn new(over: GameOver, players: ByColor<ResultPlayer>) -> ResultLine {
        let winner = over.outcome.map(|winner| match winner {
            Some(winner) => players[winner].side.clone(),
            None => DRAW.to_owned(),
        });
        let ByColor { black, white } = players;
        ResultLine {
            number: 0,
            v: VERSION,
            record: format!("{}.{}", over.id, over.extension),
            id: over.id,
            game: over.game.to_owned(),
            table: over.table,
            began: over.began,
            players: [black, white],
            winner,
            reason: over.reason,
            result: over.result,
            exchange: over.exchange,
            score: over.score,
            moves: over.moves,
            tournament: over.scheduled.as_ref().map(|game| game.tournament),
            place: over.scheduled.map(|game| game.scheduled.number),
            ruling: None,
            forfeit: false,
        }
    }

    /// Returns the line that replaces this one when the organizer decides that this is the result, or
    /// that the game is to be played again.
    #[must_use]
    pub fn ruled(&self, code: Option<ResultCode>, why: &str) -> ResultLine {
        let what = match code {
            Some(ResultCode {
                winner: Some(winner),
                is_forfeit,
            }) => {
                let how = if is_forfeit { " by forfeit," } else { "" };
                format!("{} wins{how}", capitalized(&self.player(winner).side))
            }
            Some(ResultCode {
                is_forfeit: true, ..
            }) => "Both players lose".to_owned(),
            Some(_) => "Drawn".to_owned(),
            None => "No result".to_owned(),
        };
        ResultLine {
            // A game that both have lost has neither a winner nor a draw.
            winner: code.and_then(|code| match (code.winner, code.is_forfeit) {
                (Some(winner), _) => Some(self.player(winner).side.clone()),
                (None, true) => None,
                (None, false) => Some(DRAW.to_owned()),
            }),
            reason: "ruling".to_owned(),
            result: format!("{what} by decision of the organizer, because {why}"),
            score: None,
            ruling: Some(why.to_owned()),
            forfeit: code.is_some_and(|code| code.is_forfeit),
            ..self.clone()
        }
    }

    /// Reads a line.
    ///
    /// # Errors
    /// It is not a result, or one of another version.
    pub fn read(line: &str) -> Result<ResultLine, ResultLineError> {
        #[derive(Deserialize)]
        struct Versioned {
            v: u32,
        }
        let damaged = |error: serde_json::Error| {
            let text = error.to_string();
            ResultLineError::Damaged(text.replace(" at line 1 column ", " at column "))
        };
        let read: Result<ResultLine, _> = serde_json::from_str(line);
        let v = match &read {
            Ok(read) => read.v,
            Err(_) => serde_json::from_str::<Versioned>(line).map_err(damaged)?.v,
        };
        if v != VERSION {
            return Err(ResultLineError::Version(v));
        }
        let read = read.map_err(damaged)?;
        if read.record.contains(['/', '\\']) {
            return Err(ResultLineError::Record(read.record));
        }
        match &read.winner {
            Some(winner) if winner != DRAW && read.color_of(winner).is_none() => {
                Err(ResultLineError::Winner {
                    found: winner.clone(),
                    sides: read.players.map(|player| player.side),
                })
            }
            _ => Ok(read),
        }
    }

    /// Returns the line, with its end.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn write(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    /// Returns what tells the game apart from all others, also from those of other folders.
    pub fn key(&self) -> (String, SystemTime) {
        (self.id.clone(), self.began)
    }

    /// Returns a player.
    pub fn player(&self, color: Color) -> &ResultPlayer {
        let [black, white] = &self.players;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }

    /// Returns the winner: `Some(None)` is a draw, and `None` is no result.
    pub fn outcome(&self) -> Option<Option<Color>> {
        self.winner.as_ref().map(|winner| self.color_of(winner))
    }

    /// Returns whether the game is one of the tournament with this number, and has a result.
    pub fn counts_in(&self, tournament: u32) -> bool {
        self.tournament == Some(tournament) && self.winner.is_some()
    }

    /// Returns the decision of the organizer about the game, as a sentence. Its line was `before`.
    pub fn told(&self, before: &ResultLine) -> String {
        let called = |player: &ResultPlayer| player.called().unwrap_or(NAMELESS).to_owned();
        let [black, white] = self.players.each_ref().map(called);
        let (id, result, before) = (&self.id, &self.result, &before.result);
        format!("the organizer decides: game {id}, {black} - {white}: {result}; before: {before}")
    }

    /// Returns the game as the page lists it, with its record if that is kept.
    pub fn listed(&self, is_kept: bool) -> web::Finished {
        let sides = ByColor::from_fn(|color| capitalized(&self.player(color).side));
        let players = ByColor::from_fn(|color| {
            let player = self.player(color);
            match (player.called(), &player.connection) {
                (Some(name), _) => name.to_owned(),
                (None, Some(connection)) => format!("#{connection}"),
                (None, None) => NAMELESS.to_owned(),
            }
        });
        web::Finished {
            record: is_kept.then(|| self.record.clone()),
            began: self.began,
            table: format!("Table {}", self.table),
            sides,
            players,
            result: self.result.clone(),
            decided: self.ruling.is_some(),
            free: (is_kept && self.tournament.is_none()).then(|| self.id.clone()),
            exchange: self.exchange.clone(),
        }
    }

    /// Returns the color of a side.
    fn color_of(&self, side: &str) -> Option<Color> {
        let mut colors = Color::ALL.into_iter();
        colors.find(|&color| self.player(color).side == side)
    }
}

impl ResultPlayer {
    /// Returns what the player is called: the team, or the name that the client gave.
    pub fn called(&self) -> Option<&str> {
        self.team.as_deref().or(self.name.as_deref())
    }
}

/// A line that is not a result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {why}")]
pub struct BadLine {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: ResultLineError,
}

/// The lines of results, from the one after `number`. See [`read_lines`].
#[derive(Debug)]
pub(super) struct ResultLines<R> {
    pub(super) file: R,
    /// The number of lines before this one.
    pub(super) number: usize,
    /// The number of bytes read.
    pub(super) bytes: u64,
    /// Whether the last line need not have an end.
    pub(super) takes_rest: bool,
}

/// Reads the lines of results. Empty lines are left out, and so is the beginning of a last line that is
/// still being written.
pub fn read_lines(
    file: impl BufRead,
) -> impl Iterator<Item = io::Result<Result<ResultLine, BadLine>>> {
    ResultLines {
        file,
        number: 0,
        bytes: 0,
        takes_rest: true,
    }
}

impl<R: BufRead> ResultLines<R> {
    /// Reads a line, truncated if it is long. Returns it with its length in bytes; `None` if there is
    /// no whole line.
    fn next_line(&mut self) -> io::Result<Option<(Vec<u8>, u64)>> {
        let (mut line, mut rest) = (Vec::new(), Vec::new());
        let mut length = 0_u64;
        loop {
            rest.clear();
            let part = if length == 0 { &mut line } else { &mut rest };
            let read = self.file.by_ref().take(MAX_LINE).read_until(b'\n', part)?;
            length = length.saturating_add(read as u64);
            if part.ends_with(b"\n") {
                return Ok(Some((line, length)));
            }
            if read == 0 {
                let is_rest = self.takes_rest && length > 0;
                return Ok(is_rest.then_some((line, length)));
            }
        }
    }
}

impl<R: BufRead> Iterator for ResultLines<R> {
    type Item = io::Result<Result<ResultLine, BadLine>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (line, length) = match self.next_line().transpose()? {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            self.bytes = self.bytes.saturating_add(length);
            self.number = self.number.saturating_add(1);
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\n', '\r']);
            let read = match length == line.len() as u64 {
                true if text.is_empty() => continue,
                true => match ResultLine::read(text) {
                    // It is still being written.
                    Err(_) if !line.ends_with(b"\n") => return None,
                    read => read,
                },
                false => Err(ResultLineError::TooLong(MAX_LINE)),
            };
            let number = self.number;
            let read = read.map(|line| ResultLine { number, ..line });
            return Some(Ok(read.map_err(|why| BadLine { line: number, why })));
        }
    }
}

/// Returns the last line of each game, in the order of the first ones: a later line replaces an
/// earlier one.
pub fn latest(lines: impl IntoIterator<Item = ResultLine>) -> Vec<ResultLine> {
    let mut places = HashMap::new();
    let mut games: Vec<ResultLine> = Vec::new();
    for line in lines {
        let place = *places.entry(line.key()).or_insert(games.len());
        match games.get_mut(place) {
            Some(earlier) => *earlier = line,
            None => games.push(line),
        }
    }
    games
}

/// Returns results as a CSV table. The two columns of the players have the names of the sides.
/// `winner` is a side, `draw`, or empty; an absent value is empty.
pub fn results_csv(lines: Vec<ResultLine>) -> String {
    let sides = lines
        .first()
        .map(|line| line.players.clone().map(|player| player.side));
    let [first, second] = sides.unwrap_or_default();
    let head = [
        "id",
        "began",
        "table",
        "tournament",
        "round",
        &first,
        &second,
        "winner",
        "reason",
    ];
    let more = ["score", "moves", "result", "ruling"].map(str::to_owned);
    let each = ["team", "seconds", "address"];
    let of_players = each
        .iter()
        .flat_map(|what| [&first, &second].map(|side| format!("{side}_{what}")));
    let mut table = csv::row(
        head.map(str::to_owned)
            .into_iter()
            .chain(more)
            .chain(of_players),
    );
    for line in lines {
        let text = |text: Option<&str>| csv::text(text.unwrap_or_default());
        let number =
            |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
        let [one, other] = &line.players;
        let mut fields = vec![
            csv::text(&line.id),
            humantime::format_rfc3339_millis(line.began).to_string(),
            line.table.to_string(),
            number(line.tournament),
            number(line.place.map(|place| place.round)),
            text(one.called()),
            text(other.called()),
            text(line.winner.as_deref()),
            text(Some(&line.reason)),
            text(line.score.as_deref()),
            line.moves.to_string(),
            text(Some(&line.result)),
            text(line.ruling.as_deref()),
        ];
        fields.extend([one, other].map(|player| text(player.team.as_deref())));
        fields.extend([one, other].map(|player| format!("{:.3}", player.seconds)));
        fields.extend([one, other].map(|player| text(player.address.as_deref())));
        table += &csv::row(fields);
    }
    table
}

/// Returns a word with a capital letter.
fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// Reads and writes a date as in RFC 3339, with milliseconds, for serde's `with`.
pub(crate) mod rfc3339 {
    use serde::de::Error;

    use super::{Deserialize, Deserializer, Serializer, SystemTime};

    pub(crate) fn serialize<S: Serializer>(
        date: &SystemTime,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&humantime::format_rfc3339_millis(*date))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<SystemTime, D::Error> {
        let text = String::deserialize(deserializer)?;
        humantime::parse_rfc3339(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> ResultLine {
        let player = |side: &str, name: &str| ResultPlayer {
            side: side.to_owned(),
            name: Some(name.to_owned()),
            seconds: 1.5,
            ..ResultPlayer::default()
        };
        let over = GameOver {
            id: "7-Ann-Bob".into(),
            game: "Go",
            table: 2,
            began: SystemTime::UNIX_EPOCH,
            outcome: Some(Some(Color::White)),
            reason: "resign".into(),
            result: "White wins: Black resigned".into(),
            exchange: Vec::new(),
            score: None,
            moves: 12,
            extension: "sgf",
            scheduled: None,
        };
        ResultLine::new(
            over,
            ByColor::new(player("black", "Ann"), player("white", "Bob")),
        )
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let text = line().write().unwrap();
        insta::assert_snapshot!(text, @r#"{"v":1,"id":"7-Ann-Bob","game":"Go","table":2,"began":"1970-01-01T00:00:00.000Z","players":[{"side":"black","name":"Ann","seconds":1.5},{"side":"white","name":"Bob","seconds":1.5}],"winner":"white","reason":"resign","result":"White wins: Black resigned","moves":12,"record":"7-Ann-Bob.sgf"}"#);
        let read = ResultLine::read(&text).unwrap();
        assert_eq!(read, line());
        assert_eq!(read.outcome(), Some(Some(Color::White)));
        assert_eq!(read.player(Color::White).called(), Some("Bob"));
    }

    #[test]
    fn a_ruling_replaces_the_result_and_keeps_the_rest() {
        let rulings = ["1-0", "1/2", "+/-", "-/-"].map(|code| code.parse().ok());
        let told = rulings.into_iter().chain([None]).map(|code| {
            let ruled = line().ruled(code, "the clock was wrong");
            assert_eq!((&ruled.id, ruled.moves), (&line().id, line().moves));
            assert_eq!(
                ResultLine::read(&ruled.write().unwrap()).as_ref(),
                Ok(&ruled)
            );
            let forfeit = if ruled.forfeit { ", a forfeit" } else { "" };
            format!("{:?}{forfeit}: {}", ruled.outcome(), ruled.result)
        });
        insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r"
        Some(Some(Black)): Black wins by decision of the organizer, because the clock was wrong
        Some(None): Drawn by decision of the organizer, because the clock was wrong
        Some(Some(Black)), a forfeit: Black wins by forfeit, by decision of the organizer, because the clock was wrong
        None, a forfeit: Both players lose by decision of the organizer, because the clock was wrong
        None: No result by decision of the organizer, because the clock was wrong
        ");
    }

    #[test]
    fn all_lines_are_read_and_the_last_one_of_a_game_counts() {
        let [first, second] = ["1", "2"].map(|id| ResultLine {
            id: id.into(),
            ..line()
        });
        let ruled = first.ruled(None, "it was a test");
        let later = ResultLine {
            began: SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1),
            ..first.clone()
        };
        let lines = [&first, &second, &ruled, &later].map(|line| line.write().unwrap());
        let text = format!(
            "{}{}\r\n\nno\n{}",
            lines[0],
            lines[1].trim_end(),
            lines[2..].concat()
        );
        let (good, bad): (Vec<_>, Vec<_>) = read_lines(text.trim_end().as_bytes())
            .map(io::Result::unwrap)
            .partition(Result::is_ok);
        let bad: Vec<String> = bad
            .into_iter()
            .map(|bad| bad.unwrap_err().to_string())
            .collect();
        let why = "line 4: it is not the result of a game: expected ident at column 2";
        assert_eq!(bad, [why]);
        let latest = latest(good.into_iter().map(Result::unwrap));
        let numbered = latest.iter().map(|line| (line.number, line.id.as_str()));
        // A line that is being written is left out.
        let half = &lines[0][..40];
        let read = |text: &str| {
            read_lines(text.as_bytes())
                .filter(|line| matches!(line, Ok(Ok(_))))
                .count()
        };
        let all = |text: &str| read_lines(text.as_bytes()).count();
        for end in [half, &lines[1][..lines[1].len() - 2]] {
            let text = format!("{}{end}", lines[0]);
            assert_eq!((read(&text), all(&text)), (1, 1));
            assert_eq!(all(&format!("{text}\n")), 2);
        }
        // A game of another folder may have the same name.
        assert_eq!(numbered.collect::<Vec<_>>(), [(5, "1"), (2, "2"), (6, "1")]);
    }

    #[test]
    fn a_line_that_is_no_result_says_why() {
        let text = line().write().unwrap();
        let wrong = [
            "",
            "hello",
            "{}",
            &text.replace("\"v\":1", "\"v\":2"),
            &text.replace("\"winner\":\"white\"", "\"winner\":\"Bob\""),
            &text.replace("\"moves\":12,", ""),
            &text.replace("1970-", "197O-"),
            &text.replace("\"7-Ann-Bob.sgf", "\"../x.sgf"),
        ]
        .map(|line| ResultLine::read(line).unwrap_err().to_string());
        insta::assert_snapshot!(wrong.join("\n"), @r#"
        it is not the result of a game: EOF while parsing a value at column 0
        it is not the result of a game: expected value at column 1
        it is not the result of a game: missing field `v` at column 2
        it has version 2, and this program knows version 1
        the winner is "Bob": write "black", "white", "draw", or null
        it is not the result of a game: missing field `moves` at column 279
        it is not the result of a game: bad character where digit is expected at column 80
        the record "../x.sgf" is not the name of a file in the folder games
        "#);
    }
}
