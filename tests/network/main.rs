//! Referees and their clients: the built program behind real sockets.

mod chaos;
mod client;
mod deadlines;
mod goplay;
mod goref;
mod hosts;
#[cfg(unix)]
mod match_page;
#[cfg(target_os = "linux")]
mod namespaces;
mod netplay;
mod netref;
#[cfg(unix)]
mod nginx;
mod play;
#[cfg(target_os = "linux")]
mod processes;
mod proxies;
mod server;

#[path = "../common/cases.rs"]
mod cases;
#[path = "../common/executable.rs"]
mod executable;
#[path = "../common/go_messages.rs"]
mod go_messages;
#[path = "../common/play_server.rs"]
mod play_server;
#[cfg(unix)]
#[path = "../common/pty.rs"]
mod pty;
#[path = "../common/result_line.rs"]
mod result_line;
#[path = "../common/reverse_proxy.rs"]
mod reverse_proxy;
#[path = "../common/waiting.rs"]
mod waiting;
#[path = "../common/waits.rs"]
mod waits;
