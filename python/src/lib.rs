//! The classes and functions of the Python package `gothello` that are written in Rust. Their
//! documentation for users is in the docstrings here, and their types in `gothello/_gothello.pyi`.

mod arguments;
mod arrays;
mod awari;
mod dataset;
mod files;
mod game;
mod moves;
mod player;
mod position;
mod solver;
mod waiting;

use pyo3::prelude::*;

#[pymodule]
mod _gothello {
    #[pymodule_export]
    use crate::arguments::{integer, number, seconds};
    #[pymodule_export]
    use crate::arrays::arrays;
    #[pymodule_export]
    use crate::awari::module;
    #[pymodule_export]
    use crate::dataset::dataset;
    #[pymodule_export]
    use crate::game::Game;
    #[pymodule_export]
    use crate::moves::{Move, Outcome};
    #[pymodule_export]
    use crate::player::Player;
    #[pymodule_export]
    use crate::position::Position;
    #[pymodule_export]
    use crate::solver::{Solver, Tablebase};

    #[pymodule_export]
    const __VERSION__: &str = env!("CARGO_PKG_VERSION");
}
