//! The page for people and its feed: over real sockets, and in a real browser.

mod consistency;
mod games;
mod guard;
mod house;
mod looks;
mod organiser;
mod page;
mod port;
mod scenes;
mod watchers;
