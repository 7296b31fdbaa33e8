//! rankspace: train, inspect and compare latent-variable grammars in a terminal.
//!
//! The library is the product and the binary is thin. Modules stand on floors;
//! a module imports from floors below it (`tests/it/floors.rs` checks that):
//!
//! | floor | modules | concern |
//! |---|---|---|
//! | 7 | `cli` | arguments, exit codes, plain output |
//! | 6 | `workbench` | terminal, keys, screens |
//! | 5 | `run` | run folders, locks, background jobs |
//! | 4 | `training`, `ensemble`, `rerank`, `analysis` | loops and statistics; they emit events |
//! | 3 | `model`, `parser`, `checkpoint`, `render` | parameterisations, supervised parsers, weights in files, layout of trees |
//! | 2 | `inference`, `fgg`, `device` | dynamic programs over numbers; factor graph grammars; memory, products and kernels of a card |
//! | 1 | `evaluation` | bracket scores, perplexity |
//! | 0 | `treebank`, `report`, `config` | trees and corpora, the event type, settings |

pub mod analysis;
pub mod checkpoint;
pub mod cli;
pub mod config;
pub mod device;
pub mod ensemble;
pub mod evaluation;
pub mod fgg;
pub mod inference;
pub mod model;
pub mod parser;
pub mod render;
pub mod report;
pub mod rerank;
pub mod run;
pub mod training;
pub mod treebank;
pub mod workbench;
