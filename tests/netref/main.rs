//! The referee, mostly as the built program behind real sockets.

mod matches;
mod referee;
