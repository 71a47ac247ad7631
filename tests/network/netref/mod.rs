//! The referee as the built program behind real sockets.

mod awari_server;
mod bots;
mod crash;
mod desk;
mod disconnections;
mod faults;
#[cfg(target_os = "linux")]
mod full_disk;
mod house;
mod input;
mod ladder;
mod matches;
mod openings;
#[cfg(unix)]
mod organizer;
mod page;
mod page_server;
mod recordings;
pub mod referee;
mod robustness;
mod scenes;
pub mod server;
pub mod spectator;
mod streams;
mod team_limits;
mod teams;
mod timeline;
pub mod tournaments;
mod transcripts;
mod trials;
mod warnings;
