//! The options of our own player of Awari, which several subcommands have.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;

use super::awari_db;
use crate::awari::Variant;
use crate::endgame::name_of;
use crate::player::AwariSearch;

/// How our own player plays Awari.
#[derive(Debug, Args)]
pub(super) struct AwariPlayerArguments {
    /// In Awari look up endgames in this file (see gothello awari-db build);
    /// without, a small database is made when a move is asked for
    #[arg(long, value_name = "FILE")]
    endgames: Option<PathBuf>,
}

impl AwariPlayerArguments {
    /// The names of the options that are given.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        self.endgames.is_some().then_some("endgames").into_iter()
    }

    /// The player.
    ///
    /// # Errors
    /// The file cannot be used, or is for other rules.
    pub(super) fn player(&self, variant: Variant) -> Result<AwariSearch> {
        let database = self.endgames.as_deref().map(|path| {
            let read = awari_db::read(path).context("--endgames")?;
            anyhow::Ok(Arc::new(read))
        });
        let database = database.transpose()?;
        match &database {
            Some(database) if database.variant() != variant => {
                let (found, wanted) = (name_of(database.variant()), name_of(variant));
                bail!("--endgames: the file is for other rules ({found}, not {wanted})")
            }
            _ => Ok(AwariSearch::new(database)),
        }
    }
}
