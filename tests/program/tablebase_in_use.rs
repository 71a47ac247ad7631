//! Which tablebase the program uses: a file beside it, if that has more than the built-in one.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::drawn::drawn_tablebase;
use crate::executable::executable;
use crate::waiting::OutputInTime;

/// The program in a folder of its own.
struct Installed(TempDir);

impl Installed {
    fn new() -> Installed {
        // A file cannot be linked from another file system.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let program = folder.path().join("gothello");
        if fs::hard_link(executable(), &program).is_err() {
            // It is on another file system.
            fs::copy(executable(), &program).unwrap();
        }
        Installed(folder)
    }

    /// The program with this file beside it.
    fn with_tablebase(bytes: &[u8]) -> Installed {
        let installed = Installed::new();
        fs::write(installed.tablebase(), bytes).unwrap();
        installed
    }

    fn tablebase(&self) -> PathBuf {
        self.0.path().join("gothello.tablebase")
    }

    fn program(&self) -> PathBuf {
        self.0.path().join("gothello")
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        run(&self.program(), arguments, input)
    }
}

fn run(program: &PathBuf, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let written = child.stdin.take().unwrap().write_all(input.as_bytes());
    // Not every command reads its input.
    let _ = written;
    child.output_in_time()
}

/// The engine's value of the empty board, and its standard error.
fn value(output: Output) -> (String, String) {
    let [output, error] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let value = output.trim().strip_prefix("= ").unwrap().to_owned();
    (value, error)
}

#[test]
fn a_larger_one_beside_the_program_is_used() {
    let installed = Installed::with_tablebase(&drawn_tablebase(8));
    let drawn = ("0".to_owned(), String::new());
    assert_eq!(value(installed.run(&[], "gothello-value\n")), drawn);
    let solved = installed.run(&["solve", "--winner", "--json"], "");
    let solved = String::from_utf8(solved.stdout).unwrap();
    assert!(solved.contains(r#""winner":"draw""#), "{solved}");
    // Even through a link to the program.
    #[cfg(unix)]
    {
        let elsewhere = tempfile::tempdir().unwrap();
        let link = elsewhere.path().join("g");
        std::os::unix::fs::symlink(installed.program(), &link).unwrap();
        assert_eq!(value(run(&link, &[], "gothello-value\n")), drawn);
    }
}

#[test]
fn a_smaller_one_is_not_used() {
    let installed = Installed::with_tablebase(&drawn_tablebase(7));
    let (found, error) = value(installed.run(&[], "gothello-value\n"));
    assert_eq!((&*found, &*error), ("B+3", ""));
}

#[test]
fn the_program_warns_of_a_damaged_file_when_it_needs_it() {
    let mut bytes = drawn_tablebase(8);
    bytes[1000] ^= 1;
    let installed = Installed::with_tablebase(&bytes);
    let path = installed.tablebase();
    let path = path.to_str().unwrap();
    let warning = format!(
        "warning: {path} cannot be used: the file is damaged, or was not written or copied \
         completely; the built-in tablebase is used\n"
    );
    let (found, error) = value(installed.run(&[], "gothello-value\n"));
    assert_eq!((&*found, &*error), ("B+3", &*warning));
    let solved = installed.run(&["solve", "--winner"], "");
    assert_eq!(String::from_utf8(solved.stderr).unwrap(), warning);
    let late = "w.bb./b.bw./.bwww/b..ww/w..ww b";
    for arguments in [&["--version"][..], &["gtp"], &["solve", late]] {
        let output = installed.run(arguments, "name\n");
        assert_eq!(output.stderr, b"", "{arguments:?}");
    }
    // A file that is given explicitly must be valid.
    for arguments in [&[][..], &["solve"], &["netplay", "127.0.0.1:1", "black"]] {
        let output = installed.run(&[arguments, &["--tablebase", path]].concat(), "");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let error = format!(
            "error: --tablebase: {path} cannot be used: the file is damaged, or was not written \
             or copied completely\n"
        );
        assert_eq!(String::from_utf8(output.stderr).unwrap(), error);
    }
}

#[test]
fn it_is_packed_where_the_program_finds_it() {
    let installed = Installed::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/tablebase");
    let packed = installed.run(&["tablebase", "pack", folder, "--stones", "4"], "");
    assert!(packed.status.success(), "{packed:?}");
    let path = installed.tablebase();
    let path = path.to_str().unwrap();
    let told = format!("{path}: all 221667 positions with up to 4 stones, 18588 bytes\n");
    assert_eq!(String::from_utf8(packed.stdout).unwrap(), told);
    // The program would not use it.
    insta::assert_snapshot!(String::from_utf8(packed.stderr).unwrap(), @"warning: the program does not use this file: the built-in tablebase has all positions with up to 7 stones; use --stones 8 or more");
    let info = installed.run(&["tablebase", "info", path], "");
    let info = String::from_utf8(info.stdout)
        .unwrap()
        .replace(path, "PATH");
    insta::assert_snapshot!(info, @"
    file: PATH
    positions: all with up to 4 stones
    size: 18588 bytes
    CRC-32: bcd049f9
    ");
    let names = fs::read_dir(installed.0.path()).unwrap();
    assert_eq!(names.count(), 2);
}

#[test]
#[ignore = "takes seconds, unoptimized"]
fn the_one_in_use_is_described() {
    let info = |installed: &Installed| {
        let info = installed.run(&["tablebase", "info"], "");
        let path = installed.tablebase();
        let info = String::from_utf8(info.stdout).unwrap();
        info.replace(path.to_str().unwrap(), "PATH")
    };
    insta::assert_snapshot!(info(&Installed::new()), @"
    file: none, it is built into the program
    positions: all with up to 7 stones
    size: 3283702 bytes
    CRC-32: 4b715a55
    ");
    let larger = info(&Installed::with_tablebase(&drawn_tablebase(8)));
    assert!(larger.starts_with("file: PATH\n"), "{larger}");
}
