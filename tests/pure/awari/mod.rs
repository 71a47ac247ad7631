//! The rules of Awari: the examples of the paper, counts of the game tree, and a
//! second implementation to compare with.

mod agreement;
mod examples;
mod games;
mod naive;
mod perft;
mod text;
