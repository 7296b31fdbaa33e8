//! What preprocessing does to one sentence.

use crate::treebank::{Preprocessing, Removed, Sentence, Step};
use std::sync::Arc;

/// The words of a sentence before and after, and what happened between.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effect {
    /// Words of the file in order, and whether each is still there.
    pub words: Vec<(Arc<str>, bool)>,
    /// What each step took away, by its name.
    pub removed: Removed,
    /// Words that are written differently now, each once: before and after.
    pub rewritten: Vec<(Arc<str>, Arc<str>)>,
    /// The same of phrase labels.
    pub relabelled: Vec<(Arc<str>, Arc<str>)>,
}

impl Effect {
    /// Of a sentence without a tree nothing is known of the words that went.
    pub fn of(sentence: &Sentence, preprocessing: &Preprocessing) -> Effect {
        let mut effect = Effect::default();
        for (before, after) in sentence.surface.iter().zip(&sentence.words) {
            note(&mut effect.rewritten, before, after);
        }
        let (Some(tree), Some(tags)) = (&sentence.tree, &sentence.tags) else {
            effect.words = sentence.surface.iter().map(|word| (word.clone(), true)).collect();
            return effect;
        };
        preprocessing.sentence(tree.clone(), sentence.index, &mut effect.removed);
        // A word goes by its form and tag alone, so equal ones share their fate.
        let mut kept = sentence.surface.iter().zip(tags).peekable();
        for (word, tag) in tree.words().iter().zip(tree.tags()) {
            let stays = kept.next_if_eq(&(word, tag)).is_some();
            effect.words.push((word.clone(), stays));
        }
        let keep = crate::config::FunctionLabels::Keep;
        let raw = Preprocessing { function_labels: keep, ..preprocessing.clone() };
        let raw = raw.sentence(tree.clone(), sentence.index, &mut Removed::default());
        let before = raw.and_then(|s| s.gold).unwrap_or_default();
        for (before, after) in before.iter().zip(sentence.gold.iter().flatten()) {
            note(&mut effect.relabelled, &before.label, &after.label);
        }
        effect
    }

    /// The words of the file with those that went in square brackets.
    pub fn before(&self) -> String {
        let word = |(word, stays): &(Arc<str>, bool)| match stays {
            true => word.to_string(),
            false => format!("[{word}]"),
        };
        self.words.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// What each step did, in one line; what was rewritten, word by word and label by label.
    pub fn summary(&self) -> String {
        let shown =
            |step: &Step| !["lower-case", "numbers", "function-labels"].contains(&step.name);
        let steps = self.removed.steps().filter(|(step, _)| shown(step));
        let mut parts: Vec<String> = steps.map(|(s, n)| format!("{} {n}", s.name)).collect();
        for changed in [&self.rewritten, &self.relabelled] {
            parts.extend(changed.iter().map(|(before, after)| format!("{before} → {after}")));
        }
        if parts.is_empty() { "nothing is changed".into() } else { parts.join(" · ") }
    }
}

fn note(changes: &mut Vec<(Arc<str>, Arc<str>)>, before: &Arc<str>, after: &Arc<str>) {
    if before != after && !changes.iter().any(|(b, _)| b == before) {
        changes.push((before.clone(), after.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Reader;

    #[test]
    fn what_each_step_did_to_a_sentence_is_told() {
        let text = "(S (NP-SBJ (-NONE- *)) (VP (VB Go) (NP (CD 23) (NNS miles))) (. .) (. .))";
        let tree = Reader::new(text.as_bytes(), "a").next().expect("a tree").expect("well formed");
        let rules = Preprocessing::default();
        let sentence = rules.sentence(Arc::new(tree), 0, &mut Removed::default()).expect("words");
        let effect = Effect::of(&sentence, &rules);
        assert_eq!(effect.before(), "[*] Go 23 miles [.] [.]");
        assert_eq!(
            effect.summary(),
            "traces 1 · punctuation 2 · empty-phrases 1 · Go → go · 23 → N"
        );
        let text = "(S (NP-SBJ (NN rain)) (VP (VBZ falls)))";
        let tree = Reader::new(text.as_bytes(), "a").next().expect("a tree").expect("well formed");
        let sentence = rules.sentence(Arc::new(tree), 0, &mut Removed::default()).expect("words");
        let effect = Effect::of(&sentence, &rules);
        assert_eq!(effect.summary(), "NP-SBJ → NP");
        let effect = Effect::of(&rules.text("It rains , Ann .", 0), &rules);
        assert_eq!(effect.before(), "It rains Ann");
        assert_eq!(effect.summary(), "It → it · Ann → ann");
    }
}
