//! The referee of Go contests as the built program, behind real sockets.

pub mod client;
mod configuration;
mod crash;
mod disconnections;
pub mod disk;
mod forfeits;
mod frames;
mod framing;
mod heartbeat;
mod ladder;
mod offers;
mod organizer;
mod places;
mod presence;
mod robustness;
mod seats;
pub mod server;
mod spectator;
mod state;
mod streams;
mod takeover;
mod transcripts;
mod trials;
mod warnings;
