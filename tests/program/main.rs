//! The built program at its pipes: commands, the GTP engine, the examples of the documentation.

mod awari_db;
mod check;
mod cli;
#[cfg(unix)]
mod closed_output;
mod dataset;
mod docs;
mod gtp;
mod help;
mod match_go;
mod match_report;
#[cfg(target_os = "linux")]
mod match_resources;
mod match_run;
mod match_stats;
#[cfg(unix)]
mod match_terminal;
mod play_terminal;
mod review;
mod solve;
mod standings;
mod subcommand;
mod tablebase;
mod tablebase_dask;
mod tablebase_in_use;
#[cfg(target_os = "linux")]
mod threads;

#[path = "../common/analyzer.rs"]
mod analyzer;
#[path = "../common/cases.rs"]
mod cases;
#[path = "../common/drawn.rs"]
mod drawn;
#[path = "../common/event.rs"]
mod event;
#[path = "../common/executable.rs"]
mod executable;
#[cfg(unix)]
#[path = "../common/pty.rs"]
mod pty;
#[path = "../common/result_line.rs"]
mod result_line;
#[path = "../common/values.rs"]
mod values;
#[path = "../common/waiting.rs"]
mod waiting;
