//! A tablebase built with Dask by the program that the guide shows.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::tablebase::{COMMAND, files};
use crate::executable::executable;
use crate::waiting::{Deadline, EndsInTime, Pipe, RUN_PATIENCE};

/// The Python in which `python/check target/python` has installed the package and Dask.
fn python() -> PathBuf {
    let target = Path::new(executable()).ancestors().nth(2);
    let python = target.unwrap().join("python/empty/bin/python");
    assert!(
        python.exists(),
        "{} is missing: run python/check target/python",
        python.display()
    );
    python
}

const EXAMPLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/docs/src/examples/tablebase_dask.py"
);

/// A process that ends with the test.
struct Process(Child);

impl Process {
    /// Starts Python.
    fn start(folder: &Path, arguments: &[&str]) -> Process {
        let mut log = fs::File::options();
        log.create(true).append(true);
        let mut command = Command::new(python());
        command
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log.open(folder.join("log")).unwrap());
        Process(command.spawn().unwrap())
    }

    /// Whether it has a file in this folder open.
    fn has_open(&self, folder: &Path) -> bool {
        let open = fs::read_dir(format!("/proc/{}/fd", self.0.id()));
        let mut open = open.into_iter().flatten().flatten();
        open.any(|file| fs::read_link(file.path()).is_ok_and(|path| path.starts_with(folder)))
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait_in_time();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_until(what: &str, folder: &Path, mut is_true: impl FnMut() -> bool) {
    let log = || fs::read_to_string(folder.join("log")).unwrap_or_default();
    Deadline::within(RUN_PATIENCE).wait_for(what, log, || is_true().then_some(()));
}

#[test]
#[ignore = "takes half a minute, 1 GB of disk, Dask, and the Python package"]
fn a_build_with_dask_survives_the_loss_of_a_worker() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let scheduler = ["-m", "distributed.cli.dask_scheduler", "--no-dashboard"];
    let at = [
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--scheduler-file",
        "scheduler",
    ];
    let _scheduler = Process::start(folder, &[&scheduler[..], &at].concat());
    // The file exists before it is complete.
    let mut scheduler = serde_json::Value::Null;
    wait_until("the scheduler", folder, || {
        let file = fs::read_to_string(folder.join("scheduler")).unwrap_or_default();
        scheduler = serde_json::from_str(&file).unwrap_or_default();
        scheduler.is_object()
    });
    let scheduler = scheduler["address"].as_str().unwrap();
    let worker = [
        "-m",
        "distributed.cli.dask_worker",
        "--no-dashboard",
        "--no-nanny",
    ];
    let at = ["--nthreads", "1", "--scheduler-file", "scheduler"];
    let worker = [&worker[..], &at].concat();
    let mut lost = Process::start(folder, &worker);
    let _other = Process::start(folder, &worker);
    let shared = folder.join("shared");
    let arguments = [EXAMPLE, scheduler, shared.to_str().unwrap(), "24", "23"];
    let mut build = Process::start(folder, &arguments);

    // The worker is killed while it computes a shard: it has started a file.
    wait_until("a shard", folder, || lost.has_open(&shared.join("23")));
    lost.kill();
    assert!(!shared.join("23.json").exists());
    let log = || fs::read_to_string(folder.join("log")).unwrap();
    let status = build.0.end_in_time(&Deadline::within(RUN_PATIENCE), log);
    assert!(status.success(), "{}", log());
    let output = Pipe::new(build.0.stdout.take().unwrap()).rest();
    assert_eq!(output, "24 stones: complete\n23 stones: complete\n");

    // The same as a single process builds.
    COMMAND.stdout(folder, &["build", "whole", "--stones", "24..23"]);
    assert!(files(&shared) == files(&folder.join("whole")));
}
