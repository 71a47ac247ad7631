//! Which tablebase the solver and the players look positions up in.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use anyhow::{Context, Result};
use clap::Args;

use super::files::read_file_if;
use super::values::given;
use crate::games::gothello::Position;
use crate::solving::tablebase::{AnyTablebase, KeptLayers, PackedTablebase};

/// The name of the file beside the program that is used if it has more than what is built in.
const FILE_NAME: &str = "gothello.tablebase";

/// The tablebase in which positions are looked up before they are searched.
#[derive(Debug, Default, Args)]
pub struct TablebaseArguments {
    /// Tablebase to look positions up in: a file that `gothello tablebase pack` has made, or a folder with
    /// layers that `gothello tablebase build` has kept [default: gothello.tablebase beside the program if
    /// it has more than the built-in one]
    #[arg(long, value_name = "PATH", conflicts_with = "no_tablebase")]
    tablebase: Option<PathBuf>,
    /// Prove everything by search, without a tablebase
    #[arg(long)]
    no_tablebase: bool,
}

/// Reads the tablebase when it is first needed.
type ReadTablebase = Box<dyn FnOnce() -> AnyTablebase + Send>;

impl TablebaseArguments {
    /// Returns what reads the tablebase to use; `None` with --no-tablebase.
    ///
    /// What is given is read at once. The default may be large, and is read when it
    /// is first needed, so that the program starts quickly.
    ///
    /// # Errors
    /// The tablebase of --tablebase cannot be used.
    pub fn choose(&self) -> Result<Option<ReadTablebase>> {
        Ok(match (&self.tablebase, self.no_tablebase) {
            (_, true) => None,
            (Some(path), false) => {
                let tablebase = read_any(path).context("--tablebase")?;
                Some(Box::new(|| tablebase))
            }
            (None, false) => Some(Box::new(|| DefaultTablebase::find().tablebase.into())),
        })
    }

    /// Returns the tablebase for one position and those after its moves; `None` with
    /// --no-tablebase, or if the default one does not have the position.
    ///
    /// # Errors
    /// The tablebase of --tablebase cannot be used.
    pub fn choose_for(&self, position: &Position) -> Result<Option<AnyTablebase>> {
        let is_default = self.tablebase.is_none() && !self.no_tablebase;
        if is_default && position.stones().count() > most_stones_of_default() {
            return Ok(None);
        }
        Ok(self.choose()?.map(|read| read()))
    }

    /// Returns the names of the options that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        given([
            ("tablebase", self.tablebase.is_some()),
            ("no-tablebase", self.no_tablebase),
        ])
    }
}

/// The tablebase that is used if none is given.
pub struct DefaultTablebase {
    pub tablebase: Arc<PackedTablebase>,
    /// Its file; `None` if it is built in.
    pub path: Option<PathBuf>,
}

impl DefaultTablebase {
    /// Returns the tablebase beside the program if it has positions with more stones than the
    /// built-in one, else that. Warns if there is a file that cannot be used.
    pub fn find() -> DefaultTablebase {
        let built_in = PackedTablebase::built_in();
        if let Some(path) = path_beside_program().filter(|path| fs::exists(path).unwrap_or(true)) {
            match read(&path) {
                Ok(found) if found.stones() > built_in.stones() => {
                    return DefaultTablebase {
                        tablebase: Arc::new(found),
                        path: Some(path),
                    };
                }
                Ok(_) => {}
                Err(error) => {
                    // A warning that cannot be written changes nothing.
                    let _ = writeln!(
                        io::stderr(),
                        "warning: {error:#}; the built-in tablebase is used"
                    );
                }
            }
        }
        DefaultTablebase {
            tablebase: built_in,
            path: None,
        }
    }
}

/// Returns the most stones of the positions in the default tablebase. Of a file beside the
/// program only the header is read, which takes less time than all of it.
fn most_stones_of_default() -> u32 {
    let built_in = PackedTablebase::built_in().stones();
    let found = path_beside_program().and_then(|path| packed_stones(&path).ok()?);
    found.unwrap_or_default().max(built_in)
}

/// Returns where a tablebase beside the program would be; `None` if the system does not say
/// where the program is.
pub fn path_beside_program() -> Option<PathBuf> {
    let program = env::current_exe().and_then(fs::canonicalize).ok()?;
    Some(program.with_file_name(FILE_NAME))
}

/// Reads a packed tablebase, or opens one in a folder.
///
/// # Errors
/// It cannot be read, or has no positions.
fn read_any(path: &Path) -> Result<AnyTablebase> {
    if !path.is_dir() {
        return Ok(Arc::new(read(path)?).into());
    }
    let layers = KeptLayers::open(path, |error| {
        // A warning that cannot be written changes nothing.
        let _ = writeln!(
            io::stderr(),
            "warning: {error}; such positions are searched"
        );
    });
    Ok(Arc::new(layers?).into())
}

/// Reads a packed tablebase.
///
/// # Errors
/// It cannot be read, or is not a complete packed tablebase.
pub fn read(path: &Path) -> Result<PackedTablebase> {
    let name = path.display();
    // The tablebase of all positions has more bytes than the memory: the system says so.
    let bytes = read_file_if(path, u64::MAX, PackedTablebase::has_magic);
    let bytes = bytes.with_context(|| format!("{name} cannot be read"))?;
    PackedTablebase::from_bytes(bytes).with_context(|| format!("{name} cannot be used"))
}

/// Returns the most stones of the positions in a packed tablebase, by the beginning of its
/// file; `None` if the file is no packed tablebase.
///
/// # Errors
/// It cannot be read.
pub fn packed_stones(path: &Path) -> io::Result<Option<u32>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(20).read_to_end(&mut bytes)?;
    Ok(PackedTablebase::stones_in_header(&bytes))
}
