//! The file that plays: a program, or the script that an interpreter runs.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::record::ProgramIdentity;

/// The interpreters that are known, programs whose command line names another one: their names, which
/// digits and points of a version may follow; the options whose value is the next word; and the letters
/// of options that are followed by code instead of a file. Others are taken for the program itself.
const INTERPRETERS: [[&str; 3]; 9] = [
    ["python pythonw pypy", "-W -X --check-hash-based-pycs", "c"],
    [
        "sh bash dash zsh ksh ash",
        "-o -O +o +O --rcfile --init-file",
        "cs",
    ],
    [
        "java javaw",
        "-cp -classpath --class-path -p --module-path --add-modules",
        "",
    ],
    ["perl", "-I", "eE"],
    ["ruby jruby", "-I -r -C -E", "e"],
    ["node nodejs", "-r --require --import -C --conditions", "ep"],
    ["lua luajit", "-l", "e"],
    ["php", "-d -c", "r"],
    ["Rscript tclsh julia guile mono dotnet wine", "", "e"],
];

/// Returns the index of the word that names what an interpreter runs: a script, a module, or a
/// class. `None` if the program is not a known interpreter, or its code is on the command line.
pub fn script(words: &[String]) -> Option<usize> {
    let program = Path::new(words.first()?).file_name()?.to_str()?;
    let program = program.strip_suffix(".exe").unwrap_or(program);
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || "._-".contains(c));
    if name == "env" {
        return after_env(words);
    }
    let has = |list: &str, word: &str| list.split(' ').any(|listed| listed == word);
    let mut known = INTERPRETERS.into_iter();
    let [_, with_value, code] = known.find(|[names, ..]| has(names, name))?;
    let mut rest = words.iter().enumerate().skip(1);
    while let Some((index, word)) = rest.next() {
        let Some(option) = word.strip_prefix(['-', '+']) else {
            return Some(index);
        };
        if has(with_value, word) {
            rest.next()?;
        } else if !option.starts_with('-') && option.ends_with(|c| code.contains(c)) {
            return None;
        }
    }
    None
}

/// Returns the index of the script of the program that `env` starts.
fn after_env(words: &[String]) -> Option<usize> {
    let is_setting = |word: &&String| word.starts_with('-') || word.contains('=');
    let settings = words.iter().skip(1).take_while(is_setting).count();
    let start = settings.checked_add(1)?;
    script(words.get(start..)?)?.checked_add(start)
}

/// The largest file of which a hash is computed, in bytes.
const MAX_HASHED: u64 = 1 << 30;

/// The number of bytes of a hash that are kept.
const KEPT: usize = 8;

/// The number of bytes that are read at once.
const BLOCK: usize = 64 * 1024;

/// The files of a player's program, and the hashes of those of all players.
#[derive(Clone, Debug)]
pub struct ProgramFiles {
    program: Option<PathBuf>,
    script: Option<PathBuf>,
    hashes: Arc<ProgramHashes>,
}

/// The hashes of files, each computed once while the file is unchanged.
#[derive(Debug, Default)]
pub struct ProgramHashes(Mutex<HashMap<PathBuf, Hashed>>);

/// A hash, and the metadata that shows whether the file is unchanged.
#[derive(Debug)]
struct Hashed {
    length: u64,
    modified: Option<SystemTime>,
    digits: Option<String>,
}

impl ProgramFiles {
    /// Finds the files of a command, as the system would in this folder, with these variables added to
    /// the environment. There are none if an interpreter runs a module or a class: the interpreter's own
    /// file does not tell which program it runs.
    pub fn new(
        words: &[String],
        folder: Option<&Path>,
        environment: &[(String, String)],
        hashes: Arc<ProgramHashes>,
    ) -> ProgramFiles {
        let in_folder = |word: &String| match folder {
            Some(folder) => folder.join(word),
            None => PathBuf::from(word),
        };
        let found = |path: &PathBuf| path.is_file();
        let named = script(words).and_then(|index| words.get(index));
        let script = named.map(in_folder).filter(found);
        let is_known = named.is_none() || script.is_some();
        let program = words.first().and_then(|word| {
            if Path::new(word).components().count() > 1 {
                return Some(in_folder(word)).filter(found);
            }
            let own = environment.iter().rev().find(|(name, _)| name == "PATH");
            let path = match own {
                Some((_, path)) => OsString::from(path),
                None => std::env::var_os("PATH")?,
            };
            std::env::split_paths(&path)
                .map(|folder| folder.join(word))
                .find(found)
        });
        ProgramFiles {
            program: program.filter(|_| is_known),
            script,
            hashes,
        }
    }

    /// Identifies the program by its files.
    pub fn identity(&self) -> ProgramIdentity {
        let hash = |path: &Option<PathBuf>| self.hashes.hash(path.as_deref()?);
        ProgramIdentity {
            name: None,
            version: None,
            sha256: hash(&self.program),
            script_sha256: hash(&self.script),
        }
    }
}

impl ProgramHashes {
    /// Returns the first digits of the hash of a file; `None` if it cannot be read, or is too large.
    fn hash(&self, path: &Path) -> Option<String> {
        let metadata = fs::metadata(path).ok()?;
        let (length, modified) = (metadata.len(), metadata.modified().ok());
        // Other threads that need the same hash wait for it.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hashed) = known.get(path)
            && (hashed.length, hashed.modified) == (length, modified)
        {
            return hashed.digits.clone();
        }
        let digits = (length <= MAX_HASHED).then(|| sha256(path).ok()).flatten();
        let hashed = Hashed {
            length,
            modified,
            digits: digits.clone(),
        };
        known.insert(path.to_owned(), hashed);
        digits
    }
}

/// Returns the first hexadecimal digits of the SHA-256 of a file.
fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?.take(MAX_HASHED);
    let mut hasher = Sha256::new();
    let mut block = vec![0; BLOCK];
    loop {
        match file.read(&mut block)? {
            0 => break,
            length => hasher.update(block.get(..length).unwrap_or_default()),
        }
    }
    let bytes = hasher.finalize();
    Ok(bytes
        .iter()
        .take(KEPT)
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_whose_script_is_no_file_has_no_hash() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["java", "python3", "engine.py"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        for (command, program, script) in [
            ("./java Grossthello black", false, false),
            ("./python3 -m engine", false, false),
            ("./python3 engine.py", true, true),
            ("./python3 -c print", true, false),
            ("./engine.py", true, false),
        ] {
            let words = shlex::split(command).unwrap();
            let files = ProgramFiles::new(&words, Some(folder.path()), &[], Arc::default());
            let found = files.identity();
            let found = (found.sha256.is_some(), found.script_sha256.is_some());
            assert_eq!(found, (program, script), "{command}");
        }
    }

    #[test]
    fn the_script_of_an_interpreter_is_found() {
        for (command, expected) in [
            ("python3 a.py", Some("a.py")),
            (
                "/usr/bin/python3.12 -u -X dev -W ignore bots/a.py --level 3",
                Some("bots/a.py"),
            ),
            ("python3 -m engine --fast", Some("engine")),
            ("python3 -c print", None),
            ("python3", None),
            ("pypy3 a.py", Some("a.py")),
            ("sh -eu a.sh", Some("a.sh")),
            ("bash -o pipefail a.sh", Some("a.sh")),
            ("bash -lc ./a", None),
            ("java -Xmx1g -jar a.jar gtp", Some("a.jar")),
            ("java -cp classes:lib.jar Main", Some("Main")),
            ("perl -w a.pl", Some("a.pl")),
            ("node --no-warnings a.js", Some("a.js")),
            ("env A=1 python3 a.py", Some("a.py")),
            ("env ./engine", None),
            ("wine engine.exe", Some("engine.exe")),
            ("gnugo --mode gtp", None),
            ("./python-like a.py", None),
            ("", None),
        ] {
            let words = shlex::split(command).unwrap();
            let found = script(&words).map(|index| words[index].as_str());
            assert_eq!(found, expected, "{command}");
        }
    }
}
