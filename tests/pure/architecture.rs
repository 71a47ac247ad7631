//! Which module uses which: the table of ARCHITECTURE.md against the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// For each module, those that it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The types of `color` are found at the root of the crate.
const COLOR: [&str; 3] = ["Color", "ByColor", "ParseColorError"];

/// The modules of the first column of the table, from the ground up, with those of
/// the second: names in backticks. What follows in a third column is for readers.
fn table() -> Vec<(String, BTreeSet<String>)> {
    let text = include_str!("../../ARCHITECTURE.md");
    let (_, rows) = text.split_once("\n| module | uses |").unwrap();
    let rows = rows.lines().skip(2).take_while(|row| row.starts_with('|'));
    rows.flat_map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let uses: BTreeSet<String> = names(cells[2]).collect();
        names(cells[1]).map(move |module| (module, uses.clone()))
    })
    .collect()
}

/// The words in backticks.
fn names(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// The modules at the root of the crate, each with its files.
fn modules() -> BTreeMap<String, Vec<PathBuf>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = BTreeMap::new();
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name != "lib" && name != "main" {
            modules.insert(name, files(path));
        }
    }
    modules
}

/// The Rust files at a path, without those of unit tests.
fn files(path: PathBuf) -> Vec<PathBuf> {
    if path.is_dir() {
        let is_tests = path.ends_with("tests");
        let entries = fs::read_dir(path).unwrap().filter(|_| !is_tests);
        entries
            .flat_map(|entry| files(entry.unwrap().path()))
            .collect()
    } else if path.extension().is_some_and(|extension| extension == "rs")
        && !path.ends_with("tests.rs")
    {
        vec![path]
    } else {
        Vec::new()
    }
}

/// The first words after `start` of all paths that begin with it in a source text, but
/// for its comments and its unit tests.
fn used(text: &str, start: &str) -> BTreeSet<String> {
    let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut used = BTreeSet::new();
    for path in code.split(start).skip(1) {
        match path.strip_prefix('{') {
            Some(list) => used.extend(heads(list)),
            None => used.extend(word(path)),
        }
    }
    used
}

/// The first words of the paths of a list, up to the brace that ends it.
fn heads(list: &str) -> BTreeSet<String> {
    let mut depth = 0;
    let mut is_head = true;
    let mut heads = BTreeSet::new();
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_head = true,
            _ if is_head && letter.is_alphabetic() => {
                heads.extend(word(&list[at..]));
                is_head = false;
            }
            _ => {}
        }
    }
    heads
}

fn word(text: &str) -> Option<String> {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let word = &text[..end.unwrap_or(text.len())];
    (!word.is_empty()).then(|| word.to_owned())
}

/// What the sources say.
fn uses() -> Uses {
    let modules = modules();
    let mut uses = Uses::new();
    for (module, files) in &modules {
        let uses = uses.entry(module.clone()).or_default();
        for file in files {
            for name in used(&fs::read_to_string(file).unwrap(), "crate::") {
                let name = match COLOR.contains(&&*name) {
                    true => "color".to_owned(),
                    false => name,
                };
                assert!(
                    modules.contains_key(&name),
                    "{}: crate::{name} is no module: use the path in its module",
                    file.display()
                );
                if name != *module {
                    uses.insert(name);
                }
            }
        }
    }
    uses
}

#[test]
fn a_module_uses_those_that_the_table_names() {
    let table: Uses = table().into_iter().collect();
    let uses = uses();
    let modules: Vec<&String> = uses.keys().collect();
    assert_eq!(
        table.keys().collect::<Vec<_>>(),
        modules,
        "the first column"
    );
    for (module, uses) in &uses {
        // The command line uses everything.
        if module != "cli" {
            assert_eq!(&table[module], uses, "{module}: the table, and the sources");
        }
    }
}

#[test]
fn a_module_uses_those_above_it_in_the_table() {
    let mut above = BTreeSet::new();
    for (module, uses) in table() {
        for name in &uses {
            assert!(
                above.contains(name),
                "{module} uses {name}, which is below it"
            );
        }
        above.insert(module);
    }
}

/// Files of modules, from the ground up.
const FILES: [(&str, &[&str]); 13] = [
    (
        "gtp",
        &[
            "request",
            "input",
            "response",
            "arguments",
            "time",
            "live",
            "game",
            "gothello",
            "awari",
            "command",
            "session",
        ],
    ),
    (
        "goref",
        &[
            "wire",
            "time",
            "setup",
            "config",
            "clients",
            "game",
            "log",
            "journal",
            "effects",
            "organizer",
            "table",
            "tables",
            "attendance",
            "desk",
            "contest",
            "page",
            "record",
            "disk",
            "contest_task",
            "connection",
            "server",
        ],
    ),
    (
        "netref",
        &[
            "client",
            "teams",
            "limits",
            "summary",
            "game",
            "wire",
            "log",
            "entry",
            "lobby",
            "table",
            "tournament",
            "records",
            "server",
        ],
    ),
    (
        "check",
        &["report", "step", "situation", "gtp", "goref", "netref"],
    ),
    (
        "go",
        &["point", "score", "rules", "board", "chains", "game"],
    ),
    (
        "gtp_engine",
        &[
            "guard",
            "no_guard",
            "output",
            "output_threads",
            "child",
            "responses",
            "process",
            "pipes",
            "program",
        ],
    ),
    ("journal", &["files", "line_file"]),
    (
        "player",
        &[
            "analyzer",
            "leveled",
            "table",
            "alphabeta",
            "awari",
            "prover",
            "perfect",
        ],
    ),
    ("review", &["evaluator", "players"]),
    (
        "solver",
        &[
            "bounds",
            "symmetry",
            "territory",
            "table",
            "parallel",
            "search",
            "solve",
            "analysis",
        ],
    ),
    ("statistics", &["counts", "ratings", "sprt"]),
    (
        "tournament",
        &[
            "settings",
            "event",
            "state",
            "results_file",
            "absence",
            "results_files",
        ],
    ),
    (
        "web",
        &[
            "view",
            "proxies",
            "feed",
            "server",
            "websocket",
            "proxies",
            "access",
            "command",
            "tournament",
            "site",
        ],
    ),
];

#[test]
fn a_file_uses_those_before_it_in_its_module() {
    for (module, names) in FILES {
        check_files(module, names);
    }
}

/// Checks that each file of a module uses only those before it, and that all are named.
fn check_files(module: &str, names: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src")
        .join(module);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let is_source = path.extension().is_some_and(|ending| ending == "rs");
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            !is_source || name == "mod" || names.contains(&&*name),
            "{module}/{name}.rs is not in the list"
        );
    }
    for (at, name) in names.iter().enumerate() {
        // A file, or a folder, or a file with a folder of its parts.
        let paths = [folder.join(name).with_extension("rs"), folder.join(name)];
        let paths = paths.into_iter().filter(|path| path.exists());
        let sources: Vec<PathBuf> = paths.flat_map(files).collect();
        assert!(!sources.is_empty(), "{module}/{name}");
        for file in sources {
            let text = fs::read_to_string(&file).unwrap();
            let mut used_here = used(&text, &format!("crate::{module}::"));
            used_here.extend(used(&text, &path_up(&folder, &file)));
            // A module inside a file uses the types of its file by `super`, and a macro names its
            // own file.
            used_here.retain(|other| other.starts_with(char::is_lowercase) && other != name);
            for other in &used_here {
                let other_at = names.iter().position(|file| file == other);
                assert!(
                    other_at.is_some_and(|other_at| other_at < at),
                    "{} uses {other}",
                    file.display()
                );
            }
        }
    }
}

/// The path from a file inside the folder of a module up to this module: `super::` for each
/// step.
fn path_up(folder: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(folder).unwrap();
    let is_folder = file.ends_with("mod.rs");
    "super::".repeat(inside.iter().count() - usize::from(is_folder))
}

#[test]
fn the_path_up_has_a_step_for_each_folder() {
    let path = |file: &str| path_up(Path::new("a"), Path::new(file));
    assert_eq!(path("a/b.rs"), "super::");
    assert_eq!(path("a/b/mod.rs"), "super::");
    assert_eq!(path("a/b/c.rs"), "super::super::");
    assert_eq!(path("a/b/c/mod.rs"), "super::super::");
    let text = "use super::super::d::{E, F};\nuse super::g::H;\n";
    assert_eq!(used(text, &path("a/b/c.rs")), ["d".to_owned()].into());
}

#[test]
fn paths_are_found_in_every_form() {
    let text = "use crate::a::B;\n\
        // use crate::comment::C;\n\
        use crate::{b, c::{D, E}, f::G};\n\
        fn x() { crate::h::i() }\n\
        #[cfg(test)]\nmod tests {\n    use crate::z;\n}\n";
    let used: Vec<String> = used(text, "crate::").into_iter().collect();
    assert_eq!(used, ["a", "b", "c", "f", "h"]);
}
