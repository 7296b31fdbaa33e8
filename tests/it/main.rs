//! Tests that cross floors: goldens, command line, terminal end to end. One binary, so that
//! the numeric libraries are linked once.

mod floors;
mod shared;
