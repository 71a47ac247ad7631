//! The rules of Go: the cases that servers of the protocol were seen to decide,
//! and a second implementation to compare with.

mod agreement;
mod examples;
mod naive;
mod properties;
mod scores;
mod text;
