//! The pages for people: their feed over real sockets, and the pages themselves in
//! Chromium.

mod chromium;
mod contest_page;
mod play;
mod web;

#[path = "../common/play_server.rs"]
mod play_server;
