//! The rules of Go: cases decided by servers of the protocol, and comparison with a second
//! implementation.

mod agreement;
mod examples;
mod naive;
mod properties;
mod scores;
mod text;
