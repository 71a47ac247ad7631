//! The wire protocol of the networked referee: every request and response as a
//! typed value, with its printing and its parsing side by side. The server
//! ([`netref`](super)) and the client ([`netplay`](crate::clients::netplay)) both use it.
//!
//! Source: Bart Massey, *A Networked Gothello Referee: Specification*, section 2
//! and tables 1 to 10, and *A Networked Awari Referee: Specification*, section 2
//! and tables 1 to 9, with what deployed servers and client libraries do otherwise.
//!
//! Bytes become lines in [`Lines`]. A client sends an [`Opening`] and then
//! [`Action`]s; the server answers with [`Response`]s. Parsing what was printed
//! gives the same value again.

mod line;
mod request;
mod response;

pub use line::{Line, Lines, MAX_LINE};
pub use request::{Action, Malformed, MoveNumber, Opening, OpeningError, Role};
pub(super) use response::forfeit_phrase;
pub use response::{Response, ResponseError, RoleRefusal, Status, Times, Verdict};
