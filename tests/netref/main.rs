//! The referee, mostly as the built program behind real sockets.

mod clocks;
mod endings;
mod input;
mod matches;
mod openings;
mod recordings;
mod referee;
mod tables;
mod transcripts;
