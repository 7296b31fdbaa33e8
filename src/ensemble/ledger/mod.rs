//! What people say of suspicious sentences: a ledger of verdicts, and the corrections that it asks
//! for. The treebank itself is never written to.
//!
//! `verdicts.jsonl` has one [`Entry`] a line, appended as it is given; the last one about the same
//! part of a sentence holds. A line that a kill tore is passed over.

mod corrections;
mod diff;
mod entry;
mod export;
mod functions;
mod original;
mod store;

pub use corrections::{Corrected, Refused, correct, unified_diff};
pub use entry::{Entry, Verdict, fingerprint};
pub use export::{ExportError, Exported, export};
pub use functions::with_functions;
pub use original::{Originals, text_of};
pub use store::{Ledger, LedgerError};

/// Name of the ledger in a run folder.
pub const FILE: &str = "verdicts.jsonl";
