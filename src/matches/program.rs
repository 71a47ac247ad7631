//! The file that plays: a program, or the script that an interpreter runs.

use std::path::Path;

/// An interpreter: a program whose command line names another one.
struct Interpreter {
    /// The beginnings of its names. Digits and points of a version may follow.
    names: &'static [&'static str],
    /// The options whose value is the next word.
    with_value: &'static [&'static str],
    /// The letters of options after which comes code, and no file.
    code: &'static str,
}

/// The interpreters that are known. Others are taken for the program itself.
const INTERPRETERS: [Interpreter; 9] = [
    Interpreter {
        names: &["python", "pythonw", "pypy"],
        with_value: &["-W", "-X", "--check-hash-based-pycs"],
        code: "c",
    },
    Interpreter {
        names: &["sh", "bash", "dash", "zsh", "ksh", "ash"],
        with_value: &["-o", "-O", "+o", "+O", "--rcfile", "--init-file"],
        code: "cs",
    },
    Interpreter {
        names: &["java", "javaw"],
        with_value: &[
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--add-modules",
        ],
        code: "",
    },
    Interpreter {
        names: &["perl"],
        with_value: &["-I"],
        code: "eE",
    },
    Interpreter {
        names: &["ruby", "jruby"],
        with_value: &["-I", "-r", "-C", "-E"],
        code: "e",
    },
    Interpreter {
        names: &["node", "nodejs"],
        with_value: &["-r", "--require", "--import", "-C", "--conditions"],
        code: "ep",
    },
    Interpreter {
        names: &["lua", "luajit"],
        with_value: &["-l"],
        code: "e",
    },
    Interpreter {
        names: &["php"],
        with_value: &["-d", "-c"],
        code: "r",
    },
    Interpreter {
        names: &[
            "Rscript", "tclsh", "julia", "guile", "mono", "dotnet", "wine",
        ],
        with_value: &[],
        code: "e",
    },
];

/// Returns the index of the word that names what an interpreter runs: a script, a module, or a class.
/// `None` if the program is none that is known as an interpreter, or its code is on the command line.
pub fn script(words: &[String]) -> Option<usize> {
    let program = Path::new(words.first()?).file_name()?.to_str()?;
    let program = program.strip_suffix(".exe").unwrap_or(program);
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || "._-".contains(c));
    let known = |interpreter: &&Interpreter| interpreter.names.contains(&name);
    if name == "env" {
        return after_env(words);
    }
    let interpreter = INTERPRETERS.iter().find(known)?;
    let mut rest = words.iter().enumerate().skip(1);
    while let Some((index, word)) = rest.next() {
        let Some(option) = word.strip_prefix(['-', '+']) else {
            return Some(index);
        };
        if interpreter.with_value.contains(&word.as_str()) {
            rest.next()?;
        } else if !option.starts_with('-') && option.ends_with(|c| interpreter.code.contains(c)) {
            return None;
        }
    }
    None
}

/// Returns the index of the script of what `env` starts.
fn after_env(words: &[String]) -> Option<usize> {
    let is_setting = |word: &&String| word.starts_with('-') || word.contains('=');
    let settings = words.iter().skip(1).take_while(is_setting).count();
    let start = settings.checked_add(1)?;
    script(words.get(start..)?)?.checked_add(start)
}

#[cfg(test)]
mod tests {
    use super::*;

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
