//! Tests of the parts of the solver that are not to be seen from outside.

mod claims;
mod naive;
mod random;
mod splitmix;
mod table;
mod territory;
