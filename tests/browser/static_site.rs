//! The page that needs no server: its folder, and what serves it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::play_server::PlayServer;
use crate::waiting::Pipe;

/// Returns the folder of the page, which is built as the guide says.
pub fn site() -> &'static Path {
    static SITE: OnceLock<PathBuf> = OnceLock::new();
    SITE.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = source.join("target/site");
        let mut build = Command::new(source.join("wasm/build"));
        // What Cargo tells this test is not about the other package.
        for name in ["CARGO", "CARGO_TARGET_DIR", "RUSTUP_TOOLCHAIN"] {
            build.env_remove(name);
        }
        assert!(build.arg(&folder).status().unwrap().success());
        folder
    })
}

/// Serves the files of a folder, and nothing else.
pub fn serve(folder: &Path) -> PlayServer {
    let mut server = Command::new("python3");
    server
        .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"])
        .arg("--directory")
        .arg(folder);
    start(server)
}

/// Starts a server of files that prints its address in parentheses.
pub fn start(mut server: Command) -> PlayServer {
    let mut child = server
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Serving HTTP on 127.0.0.1 port 40000 (http://127.0.0.1:40000/) ...
    let told = Pipe::new(child.stdout.take().unwrap()).line("the address of the files");
    let told = told.expect("an address");
    let (_, url) = told.split_once('(').unwrap();
    let url = url.split(')').next().unwrap().to_owned();
    PlayServer { child, url }
}

/// Returns the folder with the files of the page whose addresses change with their content.
pub fn files() -> PathBuf {
    let folders = std::fs::read_dir(site()).unwrap();
    let mut paths = folders.map(|entry| entry.unwrap().path());
    let is_one = |path: &PathBuf| path.join("play/gothello.wasm").exists();
    paths.find(is_one).unwrap()
}
