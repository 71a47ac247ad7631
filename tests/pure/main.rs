//! Tests without a process, a socket or a clock: rules, searches, players, tournaments, matches and
//! Go contests.

mod architecture;
mod awari;
mod census_plot;
mod dataset;
mod endgame;
mod examples;
mod fourth_game;
mod go;
mod goplay;
mod goref;
mod gtp_fuzz;
mod netplay;
mod netref;
mod play_page;
mod play_session;
mod player;
mod review;
mod rules;
mod solver;
mod statistics;
mod tablebase;
mod tablebase_survey;
mod text_serde;
mod tournament;

#[path = "../common/analyzer.rs"]
mod analyzer;
#[path = "../common/cases.rs"]
mod cases;
#[path = "../common/drawn.rs"]
mod drawn;
#[path = "../common/go_messages.rs"]
mod go_messages;
#[path = "../common/positions.rs"]
mod positions;
#[path = "../common/values.rs"]
mod values;
#[path = "../common/waits.rs"]
mod waits;
