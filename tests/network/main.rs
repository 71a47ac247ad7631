//! Referees and their clients: the built program behind real sockets, and the state
//! machines of both sides.

mod client;
mod goplay;
mod goref;
#[cfg(target_os = "linux")]
mod namespaces;
mod netplay;
mod netref;
#[cfg(target_os = "linux")]
mod processes;
mod server;

#[path = "../common/cases.rs"]
mod cases;
