//! The options of our own player of Awari, which several subcommands have.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;

use super::{Unusable, awari_db};
use crate::player::Sower;

/// How our own player plays Awari.
#[derive(Debug, Args)]
pub(super) struct SowerArguments {
    /// In Awari look up endgames in this file (see gothello awari-db build);
    /// without, or if it is for other rules, a small database is made when a move is
    /// asked for
    #[arg(long, value_name = "FILE")]
    endgames: Option<PathBuf>,
}

impl SowerArguments {
    /// The names of the options that are given.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        self.endgames.is_some().then_some("endgames").into_iter()
    }

    /// The player.
    ///
    /// # Errors
    /// The file cannot be used.
    pub(super) fn sower(&self) -> Result<Sower> {
        let database = self.endgames.as_deref().map(|path| {
            let unusable = |error| Unusable(format!("{error:#} (see --endgames)"));
            awari_db::read(path).map(Arc::new).map_err(unusable)
        });
        Ok(Sower::new(database.transpose()?))
    }
}
