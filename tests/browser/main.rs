//! The pages for people: their feed over real sockets, and the pages themselves in
//! Chromium.

mod chromium;
mod contest_page;
mod web;
