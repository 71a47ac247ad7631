//! The rules of Awari: the examples of the paper, perft, and comparison with a second
//! implementation.

mod agreement;
mod examples;
mod games;
mod naive;
mod perft;
mod text;
