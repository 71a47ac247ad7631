//! The name that a client has if it is given none: what plays, and where.

use std::iter;

use crate::netref::{MAX_NAME, Name};

/// A name such as `GNU Go (ann@lab12)`, or `ann@lab12` for a person. It is the same
/// whenever the same user plays the same on the same machine, so that an interrupted
/// match finds its players; `None` if nothing is known.
pub(super) fn own_name(what: Option<&str>) -> Option<Name> {
    let host = whoami::hostname().unwrap_or_default();
    name(
        what.unwrap_or_default(),
        &whoami::username().unwrap_or_default(),
        // A host may be named with its domain.
        host.split('.').next().unwrap_or_default(),
    )
}

/// The longest name that may be sent.
fn name(what: &str, user: &str, host: &str) -> Option<Name> {
    let [what, user, host] = [what, user, host].map(printable);
    let place = [format!("{user}@{host}"), user.clone(), host.clone()];
    let place = match (user.is_empty(), host.is_empty()) {
        (false, false) => &place[..],
        _ => &place[1..],
    };
    let place = place.iter().filter(|place| !place.is_empty());
    let names: Vec<String> = match what.is_empty() {
        true => place.cloned().collect(),
        false => place
            .map(|place| format!("{what} ({place})"))
            .chain(iter::once(what.clone()))
            .collect(),
    };
    let cut = |name: &String| name.chars().take(MAX_NAME).collect::<String>();
    let fitting = names.iter().find(|name| name.len() <= MAX_NAME);
    let name = fitting.cloned().or_else(|| names.last().map(cut))?;
    Name::new(name.trim_ascii_end())
}

/// What may stand in a name: printable ASCII.
fn printable(text: &str) -> String {
    let chars = text.chars().filter(|c| matches!(c, ' '..='~'));
    chars.collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(what: &str, user: &str, host: &str) -> Option<String> {
        name(what, user, host).map(|name| name.as_str().to_owned())
    }

    #[test]
    fn what_plays_and_where_is_told_as_far_as_it_fits() {
        let name = |what, user, host| named(what, user, host).unwrap();
        assert_eq!(name("GNU Go", "ann", "lab12"), "GNU Go (ann@lab12)");
        assert_eq!(name("", "ann", "lab12"), "ann@lab12");
        assert_eq!(
            name("gothello", "ann", "a-machine-with-a-long-name"),
            "gothello (ann)"
        );
        assert_eq!(name("", "ann", "a-machine-with-a-very-long-name"), "ann");
        assert_eq!(
            name("An engine with a longer name, 2", "ann", "lab12"),
            "An engine with a longer name, 2"
        );
        assert_eq!(
            name("An engine with a much longer name", "ann", "lab12"),
            "An engine with a much longer na"
        );
    }

    #[test]
    fn what_is_not_known_or_not_printable_is_left_out() {
        assert_eq!(named("gothello", "", "").as_deref(), Some("gothello"));
        assert_eq!(
            named("gothello", "", "lab").as_deref(),
            Some("gothello (lab)")
        );
        assert_eq!(named("", "ann", "").as_deref(), Some("ann"));
        assert_eq!(named("", "J\u{f6}rg\n", "lab").as_deref(), Some("Jrg@lab"));
        assert_eq!(named("", "\u{30c6}", ""), None);
        assert_eq!(named("", "", ""), None);
    }
}
