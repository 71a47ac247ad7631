//! Statements about the sources in ARCHITECTURE.md and the documentation of modules: which folders
//! are layers, in which order files use each other, which files read the clock, and which open
//! standard output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const ARCHITECTURE: &str = include_str!("../../ARCHITECTURE.md");

/// The module of a file: the names on the way to it. That of `src/lib.rs` is empty.
type Module = Vec<String>;

/// A source file.
struct Source {
    /// The path below `src/`, such as `gtp/mod.rs`.
    file: String,
    /// The text without comments and unit tests.
    code: String,
    /// The imports of the module: the name, and the path that it stands for.
    imports: BTreeMap<String, Module>,
}

/// All source files of the library.
struct Sources(BTreeMap<Module, Source>);

impl Sources {
    fn read() -> Sources {
        let mut sources = Sources(BTreeMap::new());
        sources.read_folder(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), "");
        sources
    }

    fn read_folder(&mut self, folder: &Path, inside: &str) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let file = format!("{inside}{name}");
            if path.is_dir() && name != "tests" {
                self.read_folder(&path, &format!("{file}/"));
            } else if let Some(module) = module_of(&file) {
                let code = code(&fs::read_to_string(&path).unwrap());
                let imports = imports(&code);
                let source = Source {
                    file,
                    code,
                    imports,
                };
                self.0.insert(module, source);
            }
        }
    }

    /// The modules right below a module.
    fn children(&self, module: &[String]) -> BTreeSet<&str> {
        let below = self.0.keys().filter(|path| path.starts_with(module));
        below
            .filter_map(|path| path.get(module.len()))
            .map(String::as_str)
            .collect()
    }

    fn has_child(&self, module: &[String], name: &str) -> bool {
        self.0.contains_key(&[module, &[name.to_owned()]].concat())
    }

    /// The module that defines what a path in a module names: a type is followed through `use`.
    fn resolve(&self, from: &[String], path: &[String]) -> Module {
        self.follow(from, path, 0)
    }

    fn follow(&self, from: &[String], path: &[String], steps: usize) -> Module {
        let mut module = from.to_vec();
        for (at, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => module.clear(),
                "super" => drop(module.pop()),
                "self" => {}
                _ if self.has_child(&module, name) => module.push(name.clone()),
                _ => {
                    let source = self.0.get(&module);
                    let Some(import) = source.and_then(|source| source.imports.get(name)) else {
                        return module;
                    };
                    let path = [import, &path[at + 1..]].concat();
                    // `use a::a` is not followed forever.
                    return match steps {
                        8 => module,
                        _ => self.follow(&module, &path, steps + 1),
                    };
                }
            }
        }
        module
    }

    /// The uses among the modules right below a module: the user, the used module, and the place.
    fn uses_among(&self, scope: &[String]) -> BTreeMap<(String, String), String> {
        let mut uses = BTreeMap::new();
        for (module, source) in &self.0 {
            let Some(user) = module.strip_prefix(scope).and_then(<[String]>::first) else {
                continue;
            };
            for path in paths_in(&source.code) {
                let used = self.resolve(module, &path);
                if let Some([used, ..]) = used.strip_prefix(scope)
                    && used != user
                {
                    let place = format!("{} uses {}", source.file, path.join("::"));
                    uses.entry((user.clone(), used.clone())).or_insert(place);
                }
            }
        }
        uses
    }
}

/// The module of a file below `src/`; `None` for files of unit tests, and those that are not
/// modules of the library.
fn module_of(file: &str) -> Option<Module> {
    let path = file.strip_suffix(".rs")?;
    let mut module: Module = path.split('/').map(str::to_owned).collect();
    match module.last()?.as_str() {
        "tests" | "main" => return None,
        "mod" | "lib" => drop(module.pop()),
        _ => {}
    }
    Some(module)
}

/// A text without its comments and its unit tests.
fn code(text: &str) -> String {
    let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The imports of the `use` declarations of a text. A list of attributes may precede them, and a
/// visibility.
fn imports(code: &str) -> BTreeMap<String, Module> {
    let declared = code.split(';').filter_map(|part| part.rsplit_once("use "));
    let is_declaration = |before: &str| {
        let line = before.lines().last().unwrap_or_default().trim();
        line.is_empty() || line == "pub" || line.starts_with("pub(")
    };
    declared
        .filter(|(before, _)| before.ends_with('\n') || is_declaration(before))
        .flat_map(|(_, tree)| paths(tree))
        .filter_map(|path| Some((path.last()?.clone(), path)))
        .collect()
}

/// The paths in a text that begin at the root of the crate, above, or at their own module.
fn paths_in(code: &str) -> Vec<Module> {
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let is_inside = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
            if !code[..at].ends_with(is_inside) {
                found.extend(paths(&code[at..]));
            }
        }
    }
    found
}

/// The paths that a text begins with: `a::{b, c::D}` stands for `a::b` and `a::c::D`.
fn paths(text: &str) -> Vec<Module> {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        return items(list).into_iter().flat_map(paths).collect();
    }
    let is_outside = |letter: char| !letter.is_alphanumeric() && letter != '_';
    let (name, rest) = text.split_at(text.find(is_outside).unwrap_or(text.len()));
    if name.is_empty() {
        return Vec::new();
    }
    let rest = rest.strip_prefix("::").map(paths).unwrap_or_default();
    let name = || name.to_owned();
    match rest.is_empty() {
        true => vec![vec![name()]],
        false => {
            let joined = rest.into_iter().map(|rest| [vec![name()], rest].concat());
            joined.collect()
        }
    }
}

/// The parts of a list separated by commas, up to the brace that ends it.
fn items(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut items = Vec::new();
    let mut start = 0;
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&list[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items
}

/// The words in backticks.
fn names(text: &str) -> impl Iterator<Item = String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// The folders of `src/` in the tree, from the ground up.
fn layers() -> Vec<String> {
    let (_, tree) = ARCHITECTURE.split_once("\nsrc/\n").unwrap();
    let lines = tree.lines().take_while(|line| line.starts_with("  "));
    let folders = lines.filter_map(|line| line.strip_prefix("  ")?.split_once('/'));
    folders
        .map(|(name, _)| name)
        .filter(|name| !name.contains(' '))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_folder_uses_only_those_above_it_in_the_tree() {
    let layers = layers();
    let sources = Sources::read();
    let listed: BTreeSet<&str> = layers.iter().map(String::as_str).collect();
    assert_eq!(sources.children(&[]), listed, "the folders, and the tree");
    let level = |name: &String| layers.iter().position(|layer| layer == name);
    let uses = sources.uses_among(&[]);
    assert!(uses.len() > 50, "{uses:#?}");
    for ((user, used), place) in uses {
        assert!(level(&used) < level(&user), "{place}");
    }
}

/// A file and the folder of its parts may use each other: the parts are private to it. Files and
/// folders that are side by side may not.
#[test]
fn files_of_a_folder_do_not_use_each_other_in_cycles() {
    let sources = Sources::read();
    let scopes: BTreeSet<&[String]> = sources
        .0
        .keys()
        .flat_map(|module| (0..module.len()).map(|length| &module[..length]))
        .collect();
    let mut circles = Vec::new();
    for scope in scopes {
        let mut uses = sources.uses_among(scope);
        // A module that uses no remaining module, or that none uses, is not part of a cycle.
        loop {
            let users: BTreeSet<String> = uses.keys().map(|(user, _)| user.clone()).collect();
            let used: BTreeSet<String> = uses.keys().map(|(_, used)| used.clone()).collect();
            let before = uses.len();
            uses.retain(|(user, to), _| users.contains(to) && used.contains(user));
            if uses.len() == before {
                break;
            }
        }
        circles.extend(uses.into_values());
    }
    assert!(circles.is_empty(), "{circles:#?}");
}

/// The modules whose documentation names their files from the ground up: the text, and how the
/// list begins.
const ORDERS: [(&str, &str, &str); 6] = [
    (
        "gtp::server",
        include_str!("../../src/gtp/server/mod.rs"),
        "Each file uses only those before it:",
    ),
    (
        "contests::contest",
        include_str!("../../src/contests/contest/mod.rs"),
        "A module imports only from those before it in this list:",
    ),
    (
        "contests::shell",
        include_str!("../../src/contests/shell/mod.rs"),
        "A module uses only those before it in this list:",
    ),
    (
        "contests::goref",
        include_str!("../../src/contests/goref/mod.rs"),
        "A module uses only those before it in this list:",
    ),
    (
        "contests::netref",
        ARCHITECTURE,
        "Each file or folder uses only those before it:",
    ),
    (
        "contests::netref::referee",
        include_str!("../../src/contests/netref/referee/mod.rs"),
        "A module imports only from those before it in this list:",
    ),
];

#[test]
fn a_file_uses_those_before_it_in_the_list_of_its_module() {
    let sources = Sources::read();
    for (module, text, start) in ORDERS {
        let (_, list) = text.split_once(start).unwrap();
        // A blank line ends it, even one of a comment.
        let lines = list
            .trim_start()
            .lines()
            .take_while(|line| !["", "//!"].contains(line));
        let list: String = lines.collect();
        let order = names(&list).map(|name| {
            let name = name.trim_end_matches(".rs").trim_end_matches('/');
            name.to_owned()
        });
        let order: Vec<String> = order.collect();
        let scope = path(module);
        let listed: BTreeSet<&str> = order.iter().map(String::as_str).collect();
        assert_eq!(listed, sources.children(&scope), "{module}: the list");
        let place = |name: &String| order.iter().position(|listed| listed == name);
        for ((user, used), place_of_use) in sources.uses_among(&scope) {
            assert!(place(&used) < place(&user), "{place_of_use}");
        }
    }
}

#[test]
fn the_files_that_read_the_clock_are_listed() {
    let (_, rows) = ARCHITECTURE.split_once("\n| the clock is read |").unwrap();
    let rows = rows.lines().skip(2).take_while(|row| row.starts_with('|'));
    let listed: BTreeSet<String> = rows.flat_map(names).collect();
    let sources = Sources::read();
    let reads = ["Instant::now(", "SystemTime::now(", ".elapsed("];
    let readers: BTreeSet<String> = sources
        .0
        .values()
        .filter(|source| reads.iter().any(|read| source.code.contains(read)))
        .map(|source| source.file.clone())
        .filter(|file| !file.starts_with("cli/"))
        .collect();
    // An entry that ends with a slash is a folder.
    let covers = |entry: &String, file: &String| match entry.ends_with('/') {
        true => file.starts_with(entry),
        false => file == entry,
    };
    for file in &readers {
        let is_listed = listed.iter().any(|entry| covers(entry, file));
        assert!(is_listed, "{file} reads the clock, and is not listed");
    }
    for entry in &listed {
        let is_right = readers.iter().any(|file| covers(entry, file));
        assert!(is_right, "{entry} is listed, and does not read the clock");
    }
}

/// Elsewhere an error for a closed pipe would end a command before its exit code is known.
#[test]
fn standard_output_is_opened_where_it_may_have_no_reader() {
    let sources = Sources::read();
    let files_with = |texts: &[&str]| -> Vec<&str> {
        let files = sources.0.values();
        let found = files.filter(|source| texts.iter().any(|text| source.code.contains(text)));
        found.map(|source| source.file.as_str()).collect()
    };
    let openers = files_with(&[" stdout()", "(stdout()", "::stdout("]);
    assert_eq!(openers, ["cli/gtp.rs", "cli/netplay.rs", "cli/output.rs"]);
    // These panic without a reader.
    assert_eq!(files_with(&["print!(", "println!("]), [""; 0]);
}

fn path(text: &str) -> Module {
    text.split("::").map(str::to_owned).collect()
}

#[test]
fn paths_are_found_in_every_form() {
    let text = "use crate::a::B;\n\
        // use crate::comment::C;\n\
        pub use crate::{b, c::{D, E}, f::G};\n\
        use super::super::d::*;\n\
        use self::k::L;\n\
        fn x() { crate::h::i::<J>(nocrate::j) }\n\
        #[cfg(test)]\nmod tests {\n    use crate::z;\n}\n";
    let mut found = paths_in(&code(text));
    found.sort();
    let expected = [
        "crate::a::B",
        "crate::b",
        "crate::c::D",
        "crate::c::E",
        "crate::f::G",
        "crate::h::i",
        "self::k::L",
        "super::super::d",
    ];
    assert_eq!(found, expected.map(path));
}

#[test]
fn a_type_is_followed_to_the_module_that_defines_it() {
    let files = [
        ("lib.rs", "pub use a::T;\n"),
        (
            "a/mod.rs",
            "mod b;\npub mod c;\n#[doc(hidden)]\npub(crate) use b::T;\n",
        ),
        ("a/b.rs", "pub struct T;\n"),
        ("a/c.rs", "use super::T;\nuse std::io;\n"),
    ];
    let sources = files.map(|(file, code)| {
        let source = Source {
            file: file.to_owned(),
            code: code.to_owned(),
            imports: imports(code),
        };
        (module_of(file).unwrap(), source)
    });
    let sources = Sources(sources.into());
    let defined = ["a", "b"].map(str::to_owned);
    for start in ["super::T", "crate::T", "crate::a::T", "super::b::T"] {
        assert_eq!(sources.resolve(&path("a::c"), &path(start)), defined);
    }
    let uses = sources.uses_among(&path("a"));
    assert_eq!(
        uses.into_values().collect::<Vec<_>>(),
        ["a/c.rs uses super::T"]
    );
}
