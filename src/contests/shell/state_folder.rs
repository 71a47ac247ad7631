//! The state folder of a referee: everything that a restart needs, and everything that is kept of
//! its games.
//!
//! | file | content |
//! |---|---|
//! | `journal` | the games that are not over |
//! | `results.jsonl` | a [`ResultLine`] for each game that is over |
//! | `games/` | their records |
//! | `tournament-0001.jsonl`, … | the events of each tournament |
//! | `transcripts/` | what the clients of each team sent and were sent |
//! | `token` | the organizer's token |

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::mem;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use itertools::Itertools;
use thiserror::Error;

use super::ladder::LadderThread;
use crate::base::journal::{
    FolderLock, Found, Journal, LineFile, OpenError, make_writable, sync_folder, temporary_beside,
    write_whole,
};
use crate::contests::contest::{DECIDED_ALREADY, DeskError, GameReport, Kept, RulingRequest};
use crate::contests::results::{BadLine, RECORDS, RESULTS, ResultLine, latest, read_lines};
use crate::pages::web::{Feed, Token, TokenError};
use crate::tournament::{Name, ResultsFileError, ResultsFiles, Ruling, Settings, Tournament};

/// The folder of the transcripts.
const TRANSCRIPTS: &str = "transcripts";

/// The number of results that the page lists at the start.
const LISTED: usize = 100;

/// The maximum number of bytes read from a record; no record is longer.
const MAX_RECORD: u64 = 1024 * 1024;

/// The maximum number of bytes read from the file of the token; no token is longer.
const MAX_TOKEN: u64 = 1_024;

/// Files that other versions of the program have put into such folders.
const FOREIGN: [&str; 4] = [
    "results.tsv",
    "games.jsonl",
    "matches.journal",
    "contest.journal",
];

/// An open state folder. It belongs to this process until this value is dropped.
#[derive(Debug)]
pub struct StateFolder<K: Kept> {
    pub(in crate::contests) journal: Journal<K::Entry>,
    /// The entries of the journal.
    pub(in crate::contests) entries: Vec<K::Entry>,
    /// How many bytes of a torn line were cut off the journal.
    pub(in crate::contests) cut: u64,
    pub(in crate::contests) games: GameFiles,
    /// The last results, in order.
    pub(in crate::contests) recent: Vec<ResultLine>,
    pub(in crate::contests) tournaments: ResultsFiles,
    folder: PathBuf,
    #[expect(dead_code, reason = "dropping it unlocks the folder")]
    lock: FolderLock,
}

/// Why a state folder cannot be opened.
#[derive(Debug, Error)]
pub enum StateError {
    /// The folder cannot be read or written, or another process uses it.
    #[error("{}: {error}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Another version of the program has written the folder.
    #[error(
        "{}: another version of this program has written {file} there, which this one does not \
         read: choose another folder",
        folder.display()
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// The file.
        file: &'static str,
    },
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] OpenError),
    /// The file of a tournament cannot be read.
    #[error(transparent)]
    Tournament(#[from] ResultsFileError),
    /// A line of the results is damaged.
    #[error("{}, line {line}: {why}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The error in the line.
        why: String,
    },
    /// The results are those of another game.
    #[error(
        "{}: this folder has results of {found}, and {wanted} is played here: choose another folder",
        folder.display()
    )]
    OtherGame {
        /// The folder.
        folder: PathBuf,
        /// The game of the results.
        found: String,
        /// The game that is wanted.
        wanted: &'static str,
    },
    /// The file of the token does not hold a valid one.
    #[error("{}: {why}; remove this file for a new token", path.display())]
    Token {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: TokenError,
    },
}

/// Names the file or folder of an error.
fn io_error(path: &Path) -> impl Fn(io::Error) -> StateError + Copy {
    |error| StateError::Io {
        path: path.to_owned(),
        error,
    }
}

impl<K: Kept> StateFolder<K> {
    /// Shows the last games on the page, and with `log` the ratings of all players; errors of the latter
    /// are logged.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(in crate::contests) fn show(
        &mut self,
        feed: &Feed,
        log: Option<impl Fn(String) + Send + 'static>,
    ) -> io::Result<()> {
        if let Some(log) = log {
            let results = self.games.results().to_owned();
            self.games.ladder = Some(LadderThread::start(results, feed.clone(), log)?);
        }
        for past in mem::take(&mut self.recent) {
            feed.add_finished(past.listed(true));
        }
        Ok(())
    }

    /// Opens a state folder of a game, and creates it if it does not exist. What a crash left
    /// incomplete is cut off. `played` is the game with its boards, such as `Go 9x9`.
    ///
    /// # Errors
    /// It cannot be read or written, is damaged, or has the results or an unfinished tournament of
    /// another game or version; or another process uses it.
    pub fn open(
        folder: &Path,
        game: &'static str,
        played: &str,
    ) -> Result<StateFolder<K>, StateError> {
        let named = io_error(folder);
        let lock = FolderLock::take(folder).map_err(named)?;
        if let Some(file) = FOREIGN.into_iter().find(|file| folder.join(file).exists()) {
            let folder = folder.to_owned();
            return Err(StateError::Foreign { folder, file });
        }
        let (mut games, mut recent) = GameFiles::open(folder, game)?;
        let Found {
            journal,
            entries,
            cut,
        } = Journal::open_or_create(&folder.join("journal"))?;
        let tournaments = ResultsFiles::open(folder, played)?;
        // After a crash, the line of the last ruling may be missing in the results.
        let rulings = tournaments
            .tournament()
            .map_or(&[][..], Tournament::rulings);
        recent.extend(games.rule(rulings).map_err(named)?);
        let recent = latest(recent);
        Ok(StateFolder {
            journal,
            entries,
            cut,
            games,
            recent,
            tournaments,
            folder: folder.to_owned(),
            lock,
        })
    }

    /// Returns the tournament that is continued, or was the last.
    pub fn last_tournament(&self) -> Option<&Tournament> {
        self.tournaments.tournament()
    }

    /// Begins a tournament before the server runs.
    ///
    /// # Errors
    /// It is impossible, or cannot be written.
    pub fn begin_tournament(&mut self, settings: &Settings, entrants: &[Name]) -> io::Result<()> {
        self.tournaments.begin(settings, entrants)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the journal.
    pub fn journal_path(&self) -> &Path {
        self.journal.path()
    }

    /// Returns the records.
    pub fn records(&self) -> Records {
        Records(self.games.folder.clone())
    }

    /// Returns the folder of the transcripts, which is created if need be.
    ///
    /// # Errors
    /// It cannot be written to.
    pub fn transcripts(&self) -> Result<PathBuf, StateError> {
        let path = self.folder.join(TRANSCRIPTS);
        match make_writable(&path) {
            Ok(()) => Ok(path),
            Err(error) => Err(StateError::Io { path, error }),
        }
    }

    /// Returns the path of the organizer's token.
    pub fn token_path(&self) -> PathBuf {
        self.folder.join("token")
    }

    /// Returns the organizer's token. The first time it is random, and then it stays.
    ///
    /// # Errors
    /// It cannot be read or written, or is not a valid token.
    pub fn token(&self) -> Result<Token, StateError> {
        let path = self.token_path();
        let named = io_error(&path);
        match File::open(&path) {
            Ok(file) => {
                let mut text = String::new();
                let read = file.take(MAX_TOKEN).read_to_string(&mut text);
                read.map_err(named)?;
                match text.trim_end().parse() {
                    Ok(token) => Ok(token),
                    Err(why) => Err(StateError::Token { path, why }),
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let token = Token::random().map_err(|error| named(io::Error::other(error)))?;
                write_secret(&path, &format!("{token}\n")).map_err(named)?;
                Ok(token)
            }
            Err(error) => Err(named(error)),
        }
    }
}

/// Writes a new file that only its owner can read, whole or not at all.
fn write_secret(path: &Path, text: &str) -> io::Result<()> {
    let temporary = temporary_beside(path);
    // A crash may have left it.
    let _ = fs::remove_file(&temporary);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&temporary)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    sync_folder(path)
}

/// The results of games, and their records.
#[derive(Debug)]
pub struct GameFiles {
    /// The folder of the records.
    folder: PathBuf,
    results: LineFile,
    /// The games that have a line.
    known: HashSet<String>,
    /// Is notified of new results.
    ladder: Option<LadderThread>,
}

impl GameFiles {
    /// Opens the files in a state folder. Returns the last results, too.
    fn open(folder: &Path, game: &'static str) -> Result<(GameFiles, Vec<ResultLine>), StateError> {
        let records = folder.join(RECORDS);
        make_writable(&records).map_err(io_error(&records))?;
        let path = folder.join(RESULTS);
        let failed = io_error(&path);
        let file = LineFile::open_or_create(&path, Duration::ZERO);
        let mut file = file.map_err(|error| failed(error.into()))?;
        let is_whole = |line: &str| ResultLine::read(line).is_ok();
        file.end_last_line(is_whole).map_err(failed)?;
        let results = file.keep_whole_lines().map_err(failed)?.file;
        let mut known = HashSet::new();
        let mut recent = VecDeque::new();
        for read in read_lines(results.reader().map_err(failed)?) {
            let read = read.map_err(failed)?;
            let line = read.map_err(|BadLine { line, why }| StateError::Line {
                path: path.clone(),
                line,
                why: why.to_string(),
            })?;
            if line.game != game {
                return Err(StateError::OtherGame {
                    folder: folder.to_owned(),
                    found: line.game,
                    wanted: game,
                });
            }
            known.insert(line.id.clone());
            if recent.len() >= LISTED {
                recent.pop_front();
            }
            recent.push_back(line);
        }
        let files = GameFiles {
            folder: records,
            results,
            known,
            ladder: None,
        };
        Ok((files, recent.into()))
    }

    /// Records a game, and waits until that is on the disk. A game is recorded only once: returns
    /// whether it was not yet.
    ///
    /// # Errors
    /// It could not be written.
    pub fn add(&mut self, report: &GameReport) -> io::Result<bool> {
        let GameReport { result, records } = report;
        if self.known.contains(&result.id) {
            return Ok(false);
        }
        for (extension, text) in records {
            let path = self.folder.join(format!("{}.{extension}", result.id));
            write_whole(&path, text.as_bytes())?;
        }
        self.results.append(&result.write()?)?;
        self.known.insert(result.id.clone());
        if let Some(ladder) = &self.ladder {
            ladder.notify();
        }
        Ok(true)
    }

    /// Writes what the organizer has decided about games. A decision that is written already is not
    /// written again. Returns the lines that are new.
    ///
    /// # Errors
    /// The results cannot be read or written.
    pub fn rule<'a>(
        &mut self,
        rulings: impl IntoIterator<Item = &'a Ruling>,
    ) -> io::Result<Vec<ResultLine>> {
        let rulings = rulings.into_iter();
        let last = rulings.filter_map(|ruling| Some((ruling.id()?, ruling)));
        let last: HashMap<&str, &Ruling> = last.collect();
        if last.is_empty() {
            return Ok(Vec::new());
        }
        let mut lines = BTreeMap::new();
        for line in read_lines(self.results.reader()?) {
            if let Ok(line) = line?
                && last.contains_key(line.id.as_str())
            {
                lines.insert(line.id.clone(), line);
            }
        }
        let ruled = lines.into_values().filter_map(|line| {
            let ruling = last.get(line.id.as_str())?;
            let ruled = line.ruled(ruling.code(), ruling.reason.as_str());
            (ruled != line).then_some(ruled)
        });
        let ruled: Vec<ResultLine> = ruled.collect();
        if !ruled.is_empty() {
            self.append_ruled(&ruled)?;
        }
        Ok(ruled)
    }

    /// Writes what the organizer has decided about a free game. Returns its line, and the decision as a
    /// sentence.
    ///
    /// # Errors
    /// There is no such game, it is one of a tournament, or the results cannot be read or written.
    pub fn rule_free(
        &mut self,
        request: &RulingRequest,
    ) -> Result<(ResultLine, String), DeskError> {
        let failed = |error: io::Error| DeskError::Results(error.to_string());
        let reason = request.remark().ok_or(DeskError::NoReason)?;
        let lines = read_lines(self.results.reader().map_err(failed)?);
        let about = lines.filter(|read| match read {
            Ok(Ok(line)) => request.is_about(&line.id),
            other => other.is_err(),
        });
        let about: Result<Vec<_>, _> = about.collect();
        let found = latest(about.map_err(failed)?.into_iter().flatten());
        let line = found.into_iter().exactly_one();
        let line = line.map_err(|_| DeskError::NoGame(request.game.clone()))?;
        if let Some(tournament) = line.tournament {
            let id = line.id;
            return Err(DeskError::OtherTournament { id, tournament });
        }
        let ruled = line.ruled(request.code, reason.as_str());
        if ruled == line {
            return Ok((ruled, DECIDED_ALREADY.to_owned()));
        }
        self.append_ruled(std::slice::from_ref(&ruled))
            .map_err(failed)?;
        let told = ruled.told(&line);
        Ok((ruled, told))
    }

    /// Appends lines that replace earlier ones, and waits until they are on the disk.
    fn append_ruled(&mut self, ruled: &[ResultLine]) -> io::Result<()> {
        let text = ruled.iter().map(ResultLine::write);
        self.results.append(&text.collect::<Result<String, _>>()?)?;
        if let Some(ladder) = &self.ladder {
            ladder.notify();
        }
        Ok(())
    }

    /// Returns the path of the results.
    pub fn results(&self) -> &Path {
        self.results.path()
    }

    /// Returns the IDs of all games that are recorded.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(String::as_str)
    }
}

/// The folder with the records of games, to be read.
#[derive(Clone, Debug)]
pub struct Records(PathBuf);

impl Records {
    /// Returns the path of a record, if it is there.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let path = self.0.join(name);
        path.exists().then_some(path)
    }

    /// Reads the record with this file name for a spectator, without the addresses of the players;
    /// `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_public(&self, name: &str) -> io::Result<Option<String>> {
        // No other file, in the folder or outside of it, has such a name.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        let stem = name.strip_suffix(".sgf").or(name.strip_suffix(".txt"));
        if !stem.is_some_and(|stem| stem.chars().all(is_plain)) {
            return Ok(None);
        }
        let file = match File::open(self.0.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut record = Vec::new();
        file.take(MAX_RECORD).read_to_end(&mut record)?;
        Ok(Some(without_addresses(&String::from_utf8_lossy(&record))))
    }
}

/// Replaces a player's address in a record that spectators see.
const HIDDEN: &str = "address not shown";

/// Returns a record in which each IP address with a port, as in `127.0.0.1:40123`, is replaced.
fn without_addresses(record: &str) -> String {
    let mut shown = String::with_capacity(record.len());
    let mut rest = record;
    let mut previous = ' ';
    while let Some(first) = rest.chars().next() {
        // Text that begins within a number or a word is not an address.
        let length = (!previous.is_ascii_alphanumeric() && previous != '.')
            .then(|| address_length(rest))
            .flatten();
        let (taken, left) = rest.split_at(length.unwrap_or(first.len_utf8()));
        shown.push_str(if length.is_some() { HIDDEN } else { taken });
        previous = first;
        rest = left;
    }
    shown
}

/// Returns the length of the IP address with a port at the start of a text, if there is one. SGF
/// has a backslash before the closing bracket of an IPv6 address.
fn address_length(text: &str) -> Option<usize> {
    let is_digit = |c: char| c.is_ascii_digit();
    let host = match text.strip_prefix('[') {
        Some(inner) => {
            // No address is longer.
            let near = inner.bytes().zip(inner.bytes().skip(1)).take(64);
            1 + near.into_iter().position(|pair| pair == (b']', b':'))? + 1
        }
        None => text.find(|c: char| !is_digit(c) && c != '.')?,
    };
    let port = text.get(host..)?.strip_prefix(':')?;
    let digits = port.find(|c: char| !is_digit(c)).unwrap_or(port.len());
    let length = host + 1 + digits;
    let address = text.get(..length)?.replace('\\', "");
    address.parse::<SocketAddr>().ok().map(|_| length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contests::contest::TournamentCommand;

    /// Opens the results of Gothello in a folder with this text.
    fn open(folder: &Path, text: &str) -> (GameFiles, Vec<ResultLine>) {
        fs::write(folder.join(RESULTS), text).unwrap();
        GameFiles::open(folder, "Gothello").unwrap()
    }

    /// The results of a free game.
    const LINE: &str = r#"{"v":1,"id":"20261120-093000-000000-3","game":"Gothello","table":0,"began":"2026-11-20T09:30:00Z","players":[{"side":"black","seconds":1},{"side":"white","seconds":1}],"winner":"black","reason":"play","result":"Black wins (B+4)","moves":9,"record":"x.sgf"}"#;

    #[test]
    fn a_last_line_that_lacks_only_its_line_feed_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        for (text, found, kept) in [
            (LINE.to_owned(), 1, format!("{LINE}\n")),
            (format!("{LINE}\n{LINE}"), 2, format!("{LINE}\n{LINE}\n")),
            (format!("{LINE}\n{}", &LINE[..200]), 1, format!("{LINE}\n")),
        ] {
            let (files, recent) = open(folder.path(), &text);
            assert_eq!(recent.len(), found);
            assert_eq!(fs::read_to_string(files.results()).unwrap(), kept);
        }
    }

    #[test]
    fn free_games_are_decided_by_later_lines() {
        let folder = tempfile::tempdir().unwrap();
        let of_tournament = LINE.replace("000000-3", "000000-4");
        let of_tournament = of_tournament.replace("\"v\":1", "\"v\":1,\"tournament\":2");
        let numbered = LINE.replace("20261120-093000-000000-3", "0012-Ann-Bob");
        let text = format!("{LINE}\n{of_tournament}\n{numbered}\n");
        let (mut files, _) = open(folder.path(), &text);
        let mut decide = |line: &str| {
            let Some(Ok(TournamentCommand::Rule(request))) = TournamentCommand::parse(line) else {
                panic!("{line}");
            };
            let ruled = files.rule_free(&request);
            ruled.map_or_else(|why| why.to_string(), |(_, told)| told)
        };
        let told = [
            "correct 20261120-093000-000000-3 0-1 the clock was wrong",
            "replay 20261120-093000-000000-3 it was a test",
            "replay 20261120-093000-000000-3 it was a test",
            "correct 0012-Ann-Bob.sgf 1/2 both agreed",
            "correct 13 1/2 both agreed",
            // That could be two games.
            "correct 20261120 1/2 both agreed",
            "correct 20261120-093000-000000-4 1/2 both agreed",
        ]
        .map(&mut decide);
        insta::assert_snapshot!(told.join("\n"), @r#"
        the organizer decides: game 20261120-093000-000000-3, no name - no name: White wins by decision of the organizer, because the clock was wrong; before: Black wins (B+4)
        the organizer decides: game 20261120-093000-000000-3, no name - no name: No result by decision of the organizer, because it was a test; before: White wins by decision of the organizer, because the clock was wrong
        the game has this result already
        the organizer decides: game 0012-Ann-Bob, no name - no name: Drawn by decision of the organizer, because both agreed; before: Black wins (B+4)
        there is no game "13": give its number in the tournament, such as 2.1.1, or the name of its record, which it has when it is over
        there is no game "20261120": give its number in the tournament, such as 2.1.1, or the name of its record, which it has when it is over
        game 20261120-093000-000000-4 is one of tournament 2: games of the last tournament can be decided if they are to be played or count, and games of an earlier one cannot
        "#);
        let unreasoned = RulingRequest {
            game: "12".into(),
            code: None,
            reason: " ".into(),
        };
        assert_eq!(files.rule_free(&unreasoned), Err(DeskError::NoReason));
        let lines = fs::read_to_string(files.results()).unwrap();
        assert_eq!(lines.lines().count(), 3 + 3);
        drop(files);
        let (_, recent) = GameFiles::open(folder.path(), "Gothello").unwrap();
        let results = latest(recent).into_iter().map(|line| line.result);
        assert_eq!(
            results.collect::<Vec<_>>(),
            [
                "No result by decision of the organizer, because it was a test",
                "Black wins (B+4)",
                "Drawn by decision of the organizer, because both agreed"
            ]
        );
    }

    proptest! {
        #[test]
        fn no_record_keeps_an_address(
            before in "[^0-9A-Za-z.]{0,9}",
            address in any::<SocketAddr>(),
            after in "[^0-9]\\PC{0,9}",
        ) {
            let record = format!("{before}{address}{after}");
            prop_assert!(!without_addresses(&record).contains(&address.to_string()), "{}", record);
            let _ = without_addresses(&after);
        }
    }

    #[test]
    fn addresses_are_replaced_in_what_spectators_see() {
        for (record, shown) in [
            ("PB[127.0.0.1:40123]PW[Ann]", "PB[address not shown]PW[Ann]"),
            // As SGF escapes it.
            ("PW[[::1\\]:40123]RE[B+R]", "PW[address not shown]RE[B+R]"),
            ("PW[[fe80::1%2\\]:9]", "PW[address not shown]"),
            (
                "C[Black: 192.0.2.7:1, client k7-1\nWhite: [::ffff:192.0.2.8\\]:65535, client k7-2",
                "C[Black: address not shown, client k7-1\nWhite: address not shown, client k7-2",
            ),
            ("South at: [2001:db8::1]:5", "South at: address not shown"),
            ("North at: 192.0.2.7:5", "North at: address not shown"),
        ] {
            assert_eq!(without_addresses(record), shown);
        }
        for other in [
            "Seconds: 300 300",
            ";B[cc]BL[299.5]C[0.250 s]",
            "EV[20261120-093000-123456-3]",
            "PB[12:30]PW[1.2.3:4]",
            "PB[\u{e4}nn]",
        ] {
            assert_eq!(without_addresses(other), other);
        }
    }
}
