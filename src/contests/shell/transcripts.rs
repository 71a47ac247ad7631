//! Transcripts: everything that the clients of a team sent and received, with times, in a file for
//! each team.
//!
//! A thread writes them, so that no player waits for the disk. If lines come faster than it writes
//! them, some are left out, which is logged. A full file is renamed, and replaces the one before.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::base::counted::counted;

/// The maximum size of a file. Each team has at most two.
const MAX_SIZE: u64 = 8 * 1024 * 1024;

/// The capacity of the thread's queue, in lines.
const MAX_QUEUED: usize = 16_384;

/// The maximum number of lines of a connection that wait until its team is known.
const MAX_PENDING: usize = 64;

/// The maximum number of lines that are written before they are flushed.
const MAX_BATCH: usize = 1_024;

/// A job of the thread.
enum Job {
    /// Append this line to the transcript of a team.
    Line(String, String),
    /// Signal when all earlier lines are written.
    Flush(SyncSender<()>),
}

/// A handle to the thread, which ends when all handles are dropped.
#[derive(Clone, Debug)]
pub struct Transcripts {
    jobs: SyncSender<Job>,
    /// The number of lines that were left out.
    left_out: Arc<AtomicU64>,
}

impl Transcripts {
    /// Starts the thread, which writes the transcripts of these teams into files of these names in a
    /// folder. Errors are passed to `log`.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn start(
        folder: &Path,
        teams: impl IntoIterator<Item = (String, String)>,
        log: impl Fn(String) + Send + 'static,
    ) -> io::Result<Transcripts> {
        let (jobs, queue) = sync_channel(MAX_QUEUED);
        let left_out = Arc::new(AtomicU64::new(0));
        let paths = teams.into_iter().map(|(team, name)| {
            let path = folder.join(format!("{}.log", file_stem(&name)));
            (team, path)
        });
        let writer = Writer {
            paths: paths.collect(),
            files: HashMap::new(),
            left_out: Arc::clone(&left_out),
            has_failed: false,
            log: Box::new(log),
        };
        thread::Builder::new()
            .name("transcripts".into())
            .spawn(move || writer.run(&queue))?;
        Ok(Transcripts { jobs, left_out })
    }

    /// Begins the transcript of a client, whose connection has this number.
    pub fn begin(&self, client: impl Display) -> Transcript {
        Transcript {
            client: client.to_string(),
            team: None,
            pending: Vec::new(),
            transcripts: self.clone(),
        }
    }

    /// Waits until everything is written, but not longer than `limit`.
    pub fn finish(&self, limit: Duration) {
        let (done, is_done) = sync_channel(1);
        if self.jobs.try_send(Job::Flush(done)).is_ok() {
            let _ = is_done.recv_timeout(limit);
        }
    }

    fn append(&self, team: &str, line: String) {
        if self
            .jobs
            .try_send(Job::Line(team.to_owned(), line))
            .is_err()
        {
            self.left_out.fetch_add(1, Relaxed);
        }
    }
}

/// Returns a name as a part of a file name: its letters, digits, hyphens and underscores.
fn file_stem(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_".contains(c);
    name.chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect()
}

/// The transcript of one connection. Until its team is known, its lines wait.
#[derive(Debug)]
pub struct Transcript {
    client: String,
    team: Option<String>,
    pending: Vec<String>,
    transcripts: Transcripts,
}

impl Transcript {
    /// Returns whether its team is known.
    #[cfg(feature = "netref")]
    pub fn has_joined(&self) -> bool {
        self.team.is_some()
    }

    /// Adds what the client has sent (`>`), was sent (`<`), or what has happened (`*`).
    pub fn line(&mut self, mark: char, text: &str) {
        if self.team.is_none() && self.pending.len() >= MAX_PENDING {
            return;
        }
        let time = humantime::format_rfc3339_millis(SystemTime::now());
        let line = format!("{time} {} {mark} {text}\n", self.client);
        match &self.team {
            Some(team) => self.transcripts.append(team, line),
            None => self.pending.push(line),
        }
    }

    /// Appends the waiting lines and all later ones to the transcript of a team.
    pub fn join(&mut self, team: &str) {
        for line in self.pending.drain(..) {
            self.transcripts.append(team, line);
        }
        self.team = Some(team.to_owned());
    }
}

/// The state of the thread.
struct Writer {
    paths: HashMap<String, PathBuf>,
    /// The files that are open, by their paths. Teams with names that differ only in unusual
    /// characters share one.
    files: HashMap<PathBuf, TeamFile>,
    left_out: Arc<AtomicU64>,
    /// Whether the last attempt to write failed.
    has_failed: bool,
    log: Box<dyn Fn(String) + Send>,
}

impl Writer {
    /// Writes until all handles are dropped.
    fn run(mut self, queue: &Receiver<Job>) {
        while let Ok(first) = queue.recv() {
            let mut flushed = Vec::new();
            let mut written = Ok(());
            for job in std::iter::once(first).chain(queue.try_iter().take(MAX_BATCH)) {
                match job {
                    Job::Line(team, line) => {
                        let appended = self.append(&team, &line);
                        written = written.and(appended);
                    }
                    Job::Flush(done) => flushed.push(done),
                }
            }
            for file in self.files.values_mut() {
                written = written.and(file.file.flush());
            }
            self.report(written);
            for done in flushed {
                let _ = done.try_send(());
            }
        }
    }

    fn append(&mut self, team: &str, line: &str) -> io::Result<()> {
        let Some(path) = self.paths.get(team) else {
            return Ok(());
        };
        let file = match self.files.remove(path) {
            Some(file) => file,
            None => TeamFile::open(path)?,
        };
        let mut file = file.with_room(path, line.len() as u64)?;
        file.file.write_all(line.as_bytes())?;
        file.size += line.len() as u64;
        self.files.insert(path.clone(), file);
        Ok(())
    }

    /// Logs an error, unless the attempt before failed, too, and the number of lines left out.
    fn report(&mut self, written: io::Result<()>) {
        if let Err(error) = &written
            && !self.has_failed
        {
            (self.log)(format!("a transcript cannot be written: {error}"));
        }
        self.has_failed = written.is_err();
        match self.left_out.swap(0, Relaxed) {
            0 => {}
            count => {
                let lines = counted(count, "line");
                (self.log)(format!(
                    "the transcripts lack {lines}, which came faster than they were written"
                ));
            }
        }
    }
}

/// The file of a team.
struct TeamFile {
    file: BufWriter<File>,
    size: u64,
}

impl TeamFile {
    fn open(path: &Path) -> io::Result<TeamFile> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        let size = file.metadata()?.len();
        let file = BufWriter::new(file);
        Ok(TeamFile { file, size })
    }

    /// Returns the file, or a new one in its place if this many bytes would exceed its size.
    fn with_room(self, path: &Path, length: u64) -> io::Result<TeamFile> {
        if self.size == 0 || self.size + length <= MAX_SIZE {
            return Ok(self);
        }
        let TeamFile { mut file, .. } = self;
        file.flush()?;
        drop(file);
        fs::rename(path, path.with_extension("1.log"))?;
        TeamFile::open(path)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_full_file_is_renamed_and_takes_the_place_of_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let log: Arc<Mutex<Vec<String>>> = Arc::default();
        let events = Arc::clone(&log);
        let folder = folder.path().to_owned();
        let teams = [("Red/1".to_owned(), "4-Red/1".to_owned())];
        let sink = move |event| events.lock().unwrap().push(event);
        let transcripts = Transcripts::start(&folder, teams, sink).unwrap();
        let line = "x".repeat(1 << 20) + "\n";
        for number in 0..20 {
            transcripts.append("Red/1", format!("{number} {line}"));
            transcripts.finish(Duration::from_secs(10));
        }
        let mut files: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|file| {
                let path = file.unwrap().path();
                let text = fs::read_to_string(&path).unwrap();
                assert!(text.len() as u64 <= MAX_SIZE);
                let first = text.split(' ').next().unwrap().to_owned();
                (
                    path.file_name().unwrap().to_string_lossy().into_owned(),
                    first,
                )
            })
            .collect();
        files.sort();
        let named = |name: &str, first: &str| (name.to_owned(), first.to_owned());
        assert_eq!(
            files,
            [named("4-Red_1.1.log", "7"), named("4-Red_1.log", "14")]
        );
        // A reopened file is continued.
        drop(transcripts);
        assert_eq!(*log.lock().unwrap(), [""; 0]);
    }
}
