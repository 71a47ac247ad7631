//! The pages for people: their feed over real sockets, and the pages themselves in
//! Chromium.

mod chromium;
mod color_vision;
mod contest_page;
mod embed;
mod guide;
mod match_page;
mod match_report;
mod mishaps;
mod play;
mod site;
mod static_site;
mod sub_path;
#[allow(dead_code)]
mod timed_games;
#[allow(dead_code)]
mod wasm_core;
mod web;

#[path = "../common/event.rs"]
mod event;
#[path = "../common/executable.rs"]
mod executable;
#[path = "../common/play_server.rs"]
mod play_server;
#[path = "../common/positions.rs"]
#[allow(dead_code)]
mod positions;
#[path = "../common/reverse_proxy.rs"]
mod reverse_proxy;
#[path = "../common/waiting.rs"]
mod waiting;

/// The first of these that is installed shows the pages.
const BROWSERS: [&str; 4] = [
    chromium::HEADLESS_SHELL,
    "chromium",
    "chromium-browser",
    "google-chrome",
];
