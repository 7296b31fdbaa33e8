use super::{CandidateList, ListFormat, json};
use std::io::{self, Write};

/// Writes a list as a file of that format has it, in nats or the format's own base; what the format
/// has no place for (a gold tree, a name, a fold) is left out. Charniak & Johnson's format needs
/// the number of sentences before the first, and a gold tree.
pub fn write_list(list: &CandidateList, format: ListFormat, out: &mut dyn Write) -> io::Result<()> {
    let nats = format.log_base().nats();
    let scored = || list.candidates.iter().map(|c| (c.log_prob / nats, &c.tree));
    let id = list.id.as_deref().unwrap_or("-");
    let count = list.candidates.len();
    match format {
        ListFormat::Jsonl => return writeln!(out, "{}", json::text(list)),
        ListFormat::Bllip => {
            writeln!(out, "{count}\t{id}")?;
            for (score, tree) in scored() {
                writeln!(out, "{score}\n(S1 {tree})")?;
            }
        }
        ListFormat::BerkeleyEc => {
            writeln!(out, "{count}\t{id}")?;
            for (score, tree) in scored() {
                writeln!(out, "log_prob {score},\t\n( {tree})")?;
            }
        }
        ListFormat::Berkeley => {
            for (score, tree) in scored() {
                writeln!(out, "{score}\t( {tree})")?;
            }
            if count == 0 {
                writeln!(out, "(())")?;
            }
        }
        ListFormat::Stanford => {
            for (k, (score, tree)) in scored().enumerate() {
                writeln!(out, "# Parse {} with score {score}\n(ROOT {tree})\n", k + 1)?;
            }
            return Ok(());
        }
        ListFormat::CharniakJohnson => {
            let gold = list.gold.as_ref().ok_or_else(|| {
                io::Error::other(format!("sentence {id} has no gold tree, which the format needs"))
            })?;
            writeln!(out, "{count} (S1 {gold})")?;
            for (score, tree) in scored() {
                writeln!(out, "{score} (S1 {tree})")?;
            }
            return Ok(());
        }
    }
    writeln!(out)
}
