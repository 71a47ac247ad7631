//! The documentation: its commands print what it says, its command lines are valid,
//! and its links lead somewhere.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::executable::executable;
use crate::waiting::OutputInTime;

/// A Markdown file of the repository.
struct Page {
    path: PathBuf,
    text: String,
}

/// A fenced block of a page.
struct Block {
    language: String,
    text: String,
}

impl Page {
    fn read(path: &Path) -> Page {
        Page {
            path: path.to_owned(),
            text: fs::read_to_string(path).unwrap(),
        }
    }

    /// The fenced blocks, including those in an item of a list.
    fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut indent = None;
        for line in self.text.lines() {
            let fence = line.trim_start().strip_prefix("```");
            match (fence, indent) {
                (Some(language), None) => {
                    indent = Some(line.len() - line.trim_start().len());
                    blocks.push(Block {
                        language: language.to_owned(),
                        text: String::new(),
                    });
                }
                (Some(_), Some(_)) => indent = None,
                (None, Some(indent)) => {
                    let block = blocks.last_mut().unwrap();
                    block.text.push_str(line.get(indent..).unwrap_or_default());
                    block.text.push('\n');
                }
                (None, None) => {}
            }
        }
        assert_eq!(indent, None, "{}: a block has no end", self.path.display());
        blocks
    }

    /// The text without its fenced blocks.
    fn prose(&self) -> String {
        let mut is_block = false;
        let lines = self.text.lines().filter(|line| {
            let is_fence = line.trim_start().starts_with("```");
            is_block ^= is_fence;
            !is_block && !is_fence
        });
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// The anchors of the headings, as GitHub and mdBook make them.
    fn anchors(&self) -> Vec<String> {
        let prose = self.prose();
        let headings = prose.lines().filter(|line| line.starts_with('#'));
        let anchor = |heading: &str| {
            let words = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter_map(|c| match c {
                ' ' => Some('-'),
                '-' | '_' => Some(c),
                c => c.is_alphanumeric().then_some(c),
            });
            kept.collect()
        };
        headings.map(anchor).collect()
    }

    /// The targets of the links and pictures.
    fn links(&self) -> Vec<String> {
        let prose = self.prose();
        let targets = prose.split("](").skip(1);
        let targets = targets.filter_map(|rest| Some(rest.split_once(')')?.0));
        targets.map(str::to_owned).collect()
    }
}

/// The pages of the guide.
fn guide() -> Vec<Page> {
    let folder = root().join("docs/src");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let pages = files.filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.map(|path| Page::read(&path)).collect()
}

/// The pages whose examples are tested: the README, the guide, and the files for users of GoGui
/// and for contributors.
fn pages() -> Vec<Page> {
    let others = ["README.md", "gogui/README.md", "CONTRIBUTING.md"];
    let others = others.map(|name| Page::read(&root().join(name)));
    others.into_iter().chain(guide()).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Output without what differs from run to run.
fn without_timings(output: &str) -> Vec<&str> {
    let lines = output.lines();
    let is_timing = |line: &&str| line.ends_with("leaves/s") || line.ends_with("positions/s");
    lines.filter(|line| !is_timing(line)).collect()
}

/// The output of a block in a shell that finds the built program.
#[cfg(unix)]
fn run(block: &str, folder: &Path) -> String {
    let program = Path::new(executable());
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", block])
        .env("PATH", &path)
        .current_dir(folder)
        .output_in_time();
    String::from_utf8(output.stdout).unwrap()
}

/// The block of the guide with these words, with a port of its own: another server may be running
/// on this machine.
#[cfg(unix)]
fn block_at_a_free_port(words: &str) -> String {
    let pages = guide();
    let mut blocks = pages.iter().flat_map(Page::blocks);
    let block = blocks
        .find(|block| block.text.contains(words))
        .unwrap()
        .text;
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    let server = |name: &str| {
        (
            format!("gothello {name}"),
            format!("gothello {name} --port {port}"),
        )
    };
    let (netref, goref) = (server("netref"), server("goref"));
    block
        .replace(&netref.0, &netref.1)
        .replace(&goref.0, &goref.1)
        .replace("localhost", &format!("localhost:{port}"))
}

/// Waits for commands in the background, as a person would.
#[cfg(unix)]
fn run_to_the_end(block: &str, folder: &Path) -> String {
    run(&format!("{block}wait\n"), folder)
}

#[test]
#[cfg(unix)]
fn the_match_over_a_network_is_played_perfectly_and_recorded() {
    let block = block_at_a_free_port("--state course > referee.log &");
    let folder = tempfile::tempdir().unwrap();
    let printed = run_to_the_end(&block, folder.path());
    let state = folder.path().join("course");
    let results = std::fs::read_to_string(state.join("results.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(&results).unwrap();
    let players = [0, 1].map(|side| &line["players"][side]["name"]);
    assert_eq!(players, ["Ann", "Bob"], "{results}");
    let told = ["winner", "reason", "score"].map(|key| &line[key]);
    assert_eq!(told, ["black", "play", "B+3"], "{results}");
    let last = printed.lines().filter(|line| *line == "black wins by 3");
    assert_eq!(last.count(), 1, "{printed}");
    assert!(folder.path().join("ann.log").exists());
    let record = state.join("games").join(line["record"].as_str().unwrap());
    let text = std::fs::read_to_string(record).unwrap();
    assert!(gothello::sgf::read(&text, usize::MAX).unwrap().is_over());
}

#[test]
#[cfg(unix)]
fn the_game_of_a_contest_is_played_to_its_end() {
    let block = block_at_a_free_port("goref --setup small.toml");
    let folder = tempfile::tempdir().unwrap();
    let printed = run_to_the_end(&block, folder.path());
    // The first client is Black.
    let results = ["B+2.5 by pass, B 15, W 12.5", "W+7.5 by pass, B 10, W 17.5"];
    let is_told = |result: &str| printed.contains(&format!("{result}, 12 moves\n"));
    assert!(results.into_iter().any(is_told), "{printed}");
    assert!(
        printed.ends_with("stopping: the last game is over\n"),
        "{printed}"
    );
    let games = std::fs::read_to_string(folder.path().join("contest/results.jsonl")).unwrap();
    assert_eq!(games.lines().count(), 1, "{games}");
}

/// With GNU Go where it is installed, and without it everywhere.
#[test]
#[cfg(unix)]
#[ignore = "GNU Go computes for long: see .ci/run"]
fn gnu_go_plays_a_game_of_a_contest_or_is_missing() {
    let block = block_at_a_free_port("goref --setup nine.toml");
    let folder = tempfile::tempdir().unwrap();
    if Path::new("/usr/games/gnugo").exists() {
        let printed = run_to_the_end(&block, folder.path());
        assert!(printed.contains(" by pass, B "), "{printed}");
        assert!(
            printed.ends_with("stopping: the last game is over\n"),
            "{printed}"
        );
    }
    let block = block.replace("gnugo ", "no-such-gnugo ");
    let printed = run_to_the_end(&format!("exec 2>&1\n{block}"), folder.path());
    let error = "error: cannot start \"no-such-gnugo\": ";
    assert!(printed.contains(error), "{printed}");
    assert!(
        printed.contains("stopping: it was asked to terminate\n"),
        "{printed}"
    );
}

/// The file is valid except that its engines are missing here, and it shows every key.
#[test]
fn the_event_file_of_the_guide_can_be_read() {
    let page = Page::read(&root().join("docs/src/matches.md"));
    let mut blocks = page.blocks().into_iter();
    let block = blocks.find(|block| block.language == "toml").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let error = |text: &str| {
        fs::write(folder.path().join("event.toml"), text).unwrap();
        let output = Command::new(executable())
            .args(["match", "--event", "event.toml", "--concurrency", "1"])
            .current_dir(folder.path())
            .output_in_time();
        String::from_utf8(output.stderr).unwrap()
    };
    let told = error(&block.text.replace("gnugo --mode", "no-such-gnugo --mode"));
    assert!(told.contains("cannot start \"no-such-gnugo\""), "{told}");
    let told = error("no-such-key = 1\n");
    let told = told.lines().next().unwrap();
    let (_, keys) = told.split_once(": use ").unwrap();
    let keys: Vec<&str> = keys
        .split(", ")
        .filter(|key| !key.starts_with("or "))
        .collect();
    assert!(keys.len() > 10, "{told}");
    for key in keys {
        let lines = block.text.lines();
        let mut lines = lines.map(|line| line.trim_start_matches("# "));
        let is_shown = lines.any(|line| line.starts_with(&format!("{key} = ")));
        assert!(is_shown, "{key}");
    }
}

/// The file is the one that `tablebase_dask.rs` runs.
#[test]
fn the_dask_program_of_the_guide_is_the_file_beside_it() {
    let page = Page::read(&root().join("docs/src/tablebase.md"));
    let mut blocks = page.blocks().into_iter();
    let block = blocks.find(|block| block.language == "python").unwrap();
    let file = root().join("docs/src/examples/tablebase_dask.py");
    assert_eq!(block.text, fs::read_to_string(file).unwrap());
}

#[test]
#[cfg(unix)]
fn the_commands_print_what_the_documentation_shows() {
    let mut count = 0;
    for page in pages() {
        let blocks = page.blocks();
        for pair in blocks.windows(2) {
            if (pair[0].language.as_str(), pair[1].language.as_str()) != ("sh", "text") {
                continue;
            }
            let printed = run(&pair[0].text, Path::new("."));
            assert_eq!(
                without_timings(&printed),
                without_timings(&pair[1].text),
                "{}: {}",
                page.path.display(),
                pair[0].text
            );
            count += 1;
        }
    }
    assert!(count >= 9, "only {count} examples");
}

/// The arguments of each `gothello` in a shell line, even of one in quotes.
fn command_lines(line: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let words = shlex::split(line).unwrap_or_else(|| panic!("a quote is not closed: {line}"));
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        if word.starts_with("gothello ") {
            found.extend(command_lines(&word));
        } else if word == "gothello" {
            let mut arguments = Vec::new();
            while let Some(word) = words.next_if(|word| !word.starts_with(['|', '>', '<', '&']))
                && word != "2>&1"
            {
                if word.starts_with("gothello ") {
                    found.extend(command_lines(&word));
                }
                arguments.push(with_values(&word));
            }
            found.push(arguments);
        }
    }
    found
}

/// A word of a script in which the shell's variables have the value 1.
fn with_values(word: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut parts = word.split('$');
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| format!("1{}", part.trim_start_matches(is_name)));
    rest.fold(first.to_owned(), |word, part| word + &part)
}

/// The command lines of the services and containers in `docs/deploy`.
fn deployed() -> Vec<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(root().join("docs/deploy")).unwrap() {
        let path = entry.unwrap().path();
        let text = || fs::read_to_string(&path).unwrap();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("service") => {
                let text = text().replace("\\\n", " ");
                let command = text
                    .lines()
                    .find_map(|line| line.strip_prefix("ExecStart="));
                let command = command.unwrap().strip_prefix("/usr/local/bin/").unwrap();
                lines.push(command.to_owned());
            }
            Some("yaml") => {
                let text = text();
                let (_, rest) = text.split_once("command: >-\n").unwrap();
                let (command, _) = rest.split_once("ports:").unwrap();
                lines.push(format!("gothello {}", command.replace('\n', " ")));
            }
            _ => {}
        }
    }
    assert_eq!(lines.len(), 4, "{lines:?}");
    lines
}

/// `--help` after a command line, or before the `--` in it, prints the help if everything before
/// it is valid.
#[test]
fn every_command_line_in_the_documentation_is_valid() {
    let mut lines = BTreeSet::from_iter(deployed());
    for page in pages() {
        let blocks = page.blocks();
        let scripts = blocks.iter().filter(|block| block.language == "sh");
        lines.extend(scripts.flat_map(|block| block.text.lines().map(str::to_owned)));
        // Code spans are what people are told to type, unless a word in them is a placeholder.
        let prose = page.prose();
        let spans = prose.split('`').skip(1).step_by(2);
        let spans = spans.map(|span| span.replace('\n', " "));
        let is_command = |span: &String| {
            let stands_for = |word: &str| word.len() > 1 && !word.contains(char::is_lowercase);
            span.starts_with("gothello ") && !span.split(' ').any(stands_for)
        };
        lines.extend(spans.filter(is_command));
    }
    let commands: BTreeSet<_> = lines.iter().flat_map(|line| command_lines(line)).collect();
    for arguments in &commands {
        let own = arguments.iter().take_while(|word| *word != "--");
        let output = Command::new(executable())
            .args(own)
            .arg("--help")
            .stdin(Stdio::null())
            .output_in_time();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments:?}: {error}");
    }
    assert!(commands.len() >= 50, "only {} commands", commands.len());
}

/// Installed programs have the crate versions that were tested.
#[test]
fn programs_are_installed_with_the_versions_that_are_locked() {
    let pages = pages();
    let installs = pages
        .iter()
        .flat_map(|page| page.text.split("cargo install ").skip(1));
    let arguments = installs.map(|rest| rest.split(['\n', '`']).next().unwrap());
    let arguments: Vec<&str> = arguments.collect();
    assert!(arguments.len() >= 4, "{arguments:?}");
    for arguments in arguments {
        assert!(
            arguments.starts_with("--locked "),
            "cargo install {arguments}"
        );
    }
}

#[test]
fn the_readme_begins_with_answers_to_the_first_questions() {
    let readme = Page::read(&root().join("README.md"));
    let first_screen: Vec<&str> = readme.text.lines().take(35).collect();
    let first_screen = first_screen.join(" ");
    for said in [
        "Black wins by 3 stones",
        "The program is for",
        " cargo run --release -- play ",
        " cargo test ",
    ] {
        assert!(first_screen.contains(said), "{said}");
    }
}

#[test]
fn every_link_leads_somewhere() {
    let others = ["ARCHITECTURE.md", "CHANGELOG.md"].map(|name| Page::read(&root().join(name)));
    let mut count = 0;
    for page in pages().into_iter().chain(others) {
        for link in page.links() {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let path = match file {
                "" => page.path.clone(),
                file => page.path.parent().unwrap().join(file),
            };
            let shown = format!("{}: {link}", page.path.display());
            assert!(path.exists(), "{shown}");
            if !anchor.is_empty() {
                let anchors = Page::read(&path).anchors();
                assert!(anchors.iter().any(|found| found == anchor), "{shown}");
            }
            count += 1;
        }
    }
    assert!(count >= 50, "only {count} links");
}

#[test]
fn the_paths_in_the_documents_for_contributors_exist() {
    let folders = [
        "src/",
        "tests/",
        "docs/",
        "benches/",
        "python/",
        "wasm/",
        "examples/",
        "fuzz/",
        "gogui/",
    ];
    let mut count = 0;
    for name in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let prose = Page::read(&root().join(name)).prose();
        let spans = prose.split('`').skip(1).step_by(2);
        let words = spans.filter_map(|span| span.split_whitespace().next());
        let is_path = |word: &&str| folders.iter().any(|folder| word.starts_with(folder));
        for path in words.filter(is_path).filter(|path| !path.contains("your-")) {
            assert!(root().join(path).exists(), "{name}: {path}");
            count += 1;
        }
    }
    assert!(count >= 30, "only {count} paths");
}

#[test]
fn every_page_of_the_guide_is_in_its_summary() {
    let folder = root().join("docs/src");
    let summary = Page::read(&folder.join("SUMMARY.md")).links();
    let listed: BTreeSet<PathBuf> = summary.iter().map(|link| folder.join(link)).collect();
    let pages = guide().into_iter().map(|page| page.path);
    let pages: BTreeSet<PathBuf> = pages
        .filter(|path| path.file_name().is_some_and(|name| name != "SUMMARY.md"))
        .collect();
    assert_eq!(listed, pages);
}
