//! Trees as they should be, and everything that was said of the treebank as files.

use super::Boost;
use crate::ensemble::ledger::{self, Ledger, Originals, Verdict, text_of, with_functions};
use crate::report::counted;
use crate::treebank::{ROOT_LABELS, Reader, Tree};
use crate::workbench::popup::Popup;
use crate::workbench::screen::{Context, Effect};
use crate::workbench::task::Task;
use std::path::Path;

/// The tree of the treebank that a proposal is made for, and what to begin with.
pub struct Original {
    sentence: usize,
    tree: Tree,
    text: String,
    /// Why it does not begin with the analysis, if it should have.
    note: Option<&'static str>,
}

/// That a treebank's tree holds what the analysis cannot have.
const TAKEN_OUT: &str =
    "It begins with the annotation: something was taken out of it for the parser";

/// What an export came to, for the status line; whether all of it is as asked.
pub struct Written(pub String, pub bool);

impl Boost {
    /// Reads the selected sentence's tree as its file has it.
    pub(super) fn propose(&mut self, context: &mut Context) {
        let (Some(sentence), Some(book)) = (self.sentence(), &self.book) else { return };
        let part = &book.sentences.part;
        let annotation = part.sentences[sentence].tree.clone();
        let number = part.sentences[sentence].index;
        let ledger = book.ledger.path().to_owned();
        let hash = book.sentences.hashes[sentence].clone();
        let analyses = self.analyses().and_then(|a| a.tree(sentence, part));
        let before = self.given.get(sentence, None).and_then(|entry| entry.proposal.clone());
        let title = "reading the tree of the treebank";
        context.spawn(Task::new("original", title, move |_| {
            let file = &annotation.place.file;
            let originals = Originals::read(file, &text_of(file, &ledger)?);
            let tree = originals.find(&hash, number).cloned().ok_or_else(|| {
                format!("{file} has no such tree: it was changed, or is not in brackets")
            })?;
            // Where preprocessing took more away than function tags, the analysis would as well.
            let had = analyses.is_some();
            let analysis = analyses
                .and_then(|found| with_functions(&tree, &annotation, &found))
                .map(|found| with_root_of(&tree, &found));
            let note = (had && analysis.is_none() && before.is_none()).then_some(TAKEN_OUT);
            let text = before.or(analysis).unwrap_or_else(|| tree.to_string());
            Ok(Original { sentence, tree, text, note })
        }));
    }

    /// Asks for the tree as it should be.
    pub(super) fn ask_for_proposal(&mut self, original: Original, context: &mut Context) {
        let popup = |text: &str, initial: &str| Popup::Prompt {
            id: "proposal",
            title: "The tree as it should be".into(),
            text: text.into(),
            initial: initial.into(),
        };
        let rule = "In brackets, over the same words; an empty line takes the proposal back";
        let text = [original.note, Some(rule)].into_iter().flatten().collect::<Vec<_>>().join("\n");
        context.push(Effect::Popup(popup(&text, &original.text)));
        self.proposing = Some(original);
    }

    pub(super) fn proposed(&mut self, text: &str, context: &mut Context) {
        let Some(original) = self.proposing.take() else { return };
        let text = text.trim();
        if text.is_empty() {
            return self.save(original.sentence, None, |entry| entry.proposal = None, context);
        }
        match read_proposal(text, &original.tree) {
            Ok(tree) if tree.to_string() == original.tree.to_string() => {
                context.status("not saved: this is the tree as the treebank has it");
            }
            Ok(tree) => {
                let new = self.given.get(original.sentence, None).is_none();
                let change = |entry: &mut ledger::Entry| {
                    entry.proposal = Some(tree.to_string());
                    if new {
                        entry.verdict = Verdict::Error;
                    }
                };
                self.save(original.sentence, None, change, context);
            }
            Err(reason) => {
                // What was typed is not lost.
                let original = Original { text: text.to_owned(), note: None, ..original };
                self.ask_for_proposal(original, context);
                context.warn(format!("not saved: {reason}"));
            }
        }
    }

    /// Asks where to write what was said.
    pub(super) fn ask_for_folder(&self, context: &mut Context) {
        let Some(run) = self.book.as_ref().and_then(|book| context.shared.run(book.run)) else {
            return;
        };
        if self.given.is_empty() {
            return context.status("no verdict was given yet");
        }
        let names = (1..).map(|n| match n {
            1 => "verdicts".to_owned(),
            n => format!("verdicts-{n}"),
        });
        let folders = names.map(|name| run.path.join("exports").join(name));
        let free = folders.into_iter().find(|folder| !folder.exists());
        context.push(Effect::Popup(Popup::Prompt {
            id: "export",
            title: "Export".into(),
            text: "Folder for verdicts.tsv, corrections.diff and corrected copies".into(),
            initial: free.map(|folder| folder.display().to_string()).unwrap_or_default(),
        }));
    }

    pub(super) fn export(&self, folder: &str, context: &mut Context) {
        let Some(book) = &self.book else { return };
        let (ledger, out) = (book.ledger.path().to_owned(), Path::new(folder.trim()).to_owned());
        context.spawn(Task::new("export", "writing the verdicts", move |_| {
            let ledger = Ledger::open(&ledger).map_err(|e| e.to_string())?;
            let done = ledger::export(&ledger, &out).map_err(|e| e.to_string())?;
            let mut text = format!(
                "{}, {} corrected: {}",
                counted(done.verdicts, "verdict"),
                counted(done.corrected, "tree"),
                out.display()
            );
            if let Some((file, refused)) = done.refused.first() {
                let n = counted(done.refused.len(), "proposal");
                text = format!(
                    "{n} refused (sentence {} of {file}: {}); {text}",
                    refused.sentence, refused.reason
                );
            }
            Ok(Written(text, done.refused.is_empty()))
        }));
    }
}

/// The brackets of an analysis below the root that the treebank's tree has, if it has one.
fn with_root_of(original: &Tree, analysis: &Tree) -> String {
    let text = analysis.to_string();
    let label = original.node(original.root()).label;
    let root = analysis.node(analysis.root());
    let below = text.strip_prefix('(').and_then(|rest| rest.strip_prefix(&**root.label));
    match below {
        Some(below) if ROOT_LABELS.contains(&&**label) => format!("({label}{below}"),
        Some(below) if root.children.len() == 1 => {
            below.trim_start().strip_suffix(')').unwrap_or(below).to_owned()
        }
        _ => text,
    }
}

/// The one tree of a text, over the words of another one.
fn read_proposal(text: &str, original: &Tree) -> Result<Tree, String> {
    let mut read = Reader::new(text.as_bytes(), "the proposal");
    let tree = match (read.next(), read.next()) {
        (Some(Ok(tree)), None) => tree,
        (Some(Err(problem)), _) => return Err(problem.message.to_string()),
        _ => return Err("it is not one tree".into()),
    };
    match tree.words() == original.words() {
        true => Ok(tree),
        false => Err("its words are not those of the treebank's tree".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        Reader::new(text.as_bytes(), "t").next().expect("one").expect("whole")
    }

    #[test]
    fn an_analysis_is_proposed_below_the_root_of_the_treebank() {
        let analysis = tree("(TOP (S (NN a) (VB b)))");
        for (original, expected) in [
            ("( (X (NN a) (VB b)))", "( (S (NN a) (VB b)))"),
            ("(ROOT (X (NN a) (VB b)))", "(ROOT (S (NN a) (VB b)))"),
            ("(X (NN a) (VB b))", "(S (NN a) (VB b))"),
        ] {
            let proposed = with_root_of(&tree(original), &analysis);
            assert_eq!(tree(&proposed), tree(expected), "{proposed}");
        }
    }

    #[test]
    fn a_proposal_is_one_tree_over_the_same_words() {
        let original = tree("(X (NN a) (VB b))");
        assert!(read_proposal("(S (NN a) (VB b))", &original).is_ok());
        for bad in ["(S (NN a) (VB c))", "(S (NN a) (VB b)) (S (NN a))", "(S (NN a", "a b"] {
            assert!(read_proposal(bad, &original).is_err(), "{bad}");
        }
    }
}
