//! The built program in separate networks: two Linux network namespaces with a cable between them,
//! which a test can pull out.
//!
//! These tests need root and iproute2, so they are ignored by default.

mod addresses;
mod flags;
pub mod links;
mod network;
mod vanished;
