//! What a check consists of.

use std::fmt::Debug;

/// A step of a check, a row of its table.
pub trait Step: Copy + Debug + Ord + 'static {
    /// Returns all steps, in the order of the report.
    fn all() -> Vec<Self>;

    /// Returns the row of the table.
    fn spec(self) -> Spec;

    /// Finds a step by its name.
    fn find(name: &str) -> Option<Self> {
        let mut steps = Self::all().into_iter();
        steps.find(|step| step.spec().name == name)
    }
}

/// A row of the table of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The name on the command line.
    pub name: &'static str,
    /// What the program should do, as a sentence about it: "numbers its moves".
    pub title: &'static str,
    /// What the protocol says.
    pub rule: &'static str,
    /// The document that says so.
    pub document: &'static str,
    /// Where it says so.
    pub source: &'static str,
}

/// What a protocol says, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// What it says, as a part of a sentence.
    pub text: &'static str,
    /// The section of its document.
    pub source: &'static str,
}

/// Defines the steps of a check as an enum, a row for each, under the documents that they are from: name,
/// title, and a [`Rule`] or its text and source.
macro_rules! steps {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $(
                from $document:expr => {
                    $($step:ident: $id:literal, $title:literal, $($rule:expr),+;)+
                }
            )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $vis enum $name {
            $($(#[doc = $title] $step,)+)+
        }

        impl $crate::check::Step for $name {
            fn all() -> Vec<$name> {
                vec![$($($name::$step),+),+]
            }

            fn spec(self) -> $crate::check::Spec {
                match self {
                    $($($name::$step => {
                        let rule = $crate::check::step::rule!($($rule),+);
                        $crate::check::Spec {
                            name: $id,
                            title: $title,
                            rule: rule.text,
                            document: $document,
                            source: rule.source,
                        }
                    })+)+
                }
            }
        }
    };
}

/// Returns a rule, or makes one of its text and source.
macro_rules! rule {
    ($rule:expr) => {
        $rule
    };
    ($text:expr, $source:expr) => {
        $crate::check::step::Rule {
            text: $text,
            source: $source,
        }
    };
}

pub(super) use {rule, steps};
