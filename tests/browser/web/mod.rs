//! The page for people and its feed: over real sockets, and in a real browser.

mod consistency;
mod follow;
mod games;
mod guard;
mod looks;
mod organizer;
mod page;
mod page_server;
mod port;
mod scenes;
mod spectators;
mod tournament;
