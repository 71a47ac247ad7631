//! Elo, tests and ratings: the figures of other programs, and naive second implementations.

mod ratings;
mod sprt;
mod strength;
