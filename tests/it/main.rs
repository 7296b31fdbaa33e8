//! Tests that cross floors: goldens, command line, terminal end to end. One binary, so that
//! the numeric libraries are linked once.

mod call;
mod card;
mod commands;
mod device;
mod ensembles;
mod evalb;
mod families;
mod fgg;
mod floors;
mod formats;
mod golden_checkpoints;
mod golden_ensembles;
mod golden_f1;
mod golden_fgg;
mod golden_hmm;
mod golden_parser;
mod golden_pcfg;
mod golden_rerank;
mod golden_train;
mod golden_transitions;
mod grammar;
mod kill;
mod language;
mod nasty;
mod ngrams;
mod runs;
mod sample;
mod seeds;
mod shared;
mod significance;
mod sweep;
mod terminal;
mod trained;
mod treebanks;
mod workbench;
