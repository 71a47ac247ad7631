//! The built program in networks of its own: two Linux network namespaces with a
//! cable between them, which a test can pull out.
//!
//! These tests need root and iproute2, and so they are ignored by default.

mod addresses;
mod network;
mod vanished;
