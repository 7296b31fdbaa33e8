use crate::report::numbers;
use crate::treebank::Tree;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What somebody found a sentence to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The annotation is wrong.
    Error,
    /// Both analyses can be defended.
    Ambiguous,
    /// The annotation is right, and the sentence hard.
    Correct,
    Unsure,
}

impl Verdict {
    pub const ALL: [Verdict; 4] =
        [Verdict::Error, Verdict::Ambiguous, Verdict::Correct, Verdict::Unsure];

    /// The name in files and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Error => "error",
            Verdict::Ambiguous => "ambiguous",
            Verdict::Correct => "correct",
            Verdict::Unsure => "unsure",
        }
    }
}

/// A line of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub schema: u32,
    /// File of the treebank.
    pub file: Arc<str>,
    /// Number of the sentence in its corpus, from 0.
    pub sentence: usize,
    /// [`fingerprint`] of its tree when the verdict was given.
    pub hash: String,
    /// Place in the ranking, from 1, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u64>,
    /// Weight in the ranking.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "optional")]
    pub weight: Option<f64>,
    /// Words `[start, end)` that the verdict is about; the whole sentence without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(u32, u32)>,
    /// The analysis that was looked at beside the annotation, in brackets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<String>,
    pub verdict: Verdict,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The tree as it should be, in brackets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
    /// Whether what was said of this part of the sentence is taken back: nothing holds of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
    /// Seconds since 1970-01-01 UTC.
    pub time: f64,
}

impl Entry {
    /// What the verdict is about.
    pub fn subject(&self) -> (Arc<str>, usize, Option<(u32, u32)>) {
        (self.file.clone(), self.sentence, self.span)
    }
}

/// A number that tells a tree from other trees, in hexadecimal: FNV-1a of 64 bits over its one-line
/// brackets. It is the same on every machine and in every version.
pub fn fingerprint(tree: &Tree) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = tree.to_string().bytes().fold(0xcbf2_9ce4_8422_2325, step);
    format!("{hash:016x}")
}

mod optional {
    use super::numbers::Number;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(Number).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Number>::deserialize(d)?.map(|n| n.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Reader;

    #[test]
    fn an_entry_is_the_object_that_the_manual_has_and_reads_back() {
        let entry = Entry {
            schema: 1,
            file: "a.mrg".into(),
            sentence: 7,
            hash: "00ff".into(),
            rank: Some(3),
            weight: Some(0.25),
            span: Some((2, 5)),
            analysis: Some("(TOP (NN a))".into()),
            verdict: Verdict::Error,
            note: "attached \"low\"".into(),
            proposal: None,
            withdrawn: false,
            time: 1.5,
        };
        let text = serde_json::to_string(&entry).expect("writes");
        let expected = r#"{"schema":1,"file":"a.mrg","sentence":7,"hash":"00ff","rank":3,"weight":0.25,"span":[2,5],"analysis":"(TOP (NN a))","verdict":"error","note":"attached \"low\"","time":1.5}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Entry>(&text).expect("reads"), entry);
    }

    #[test]
    fn the_fingerprint_is_that_of_the_brackets() {
        let tree =
            |text: &str| Reader::new(text.as_bytes(), "x").next().expect("one").expect("whole");
        // FNV-1a of "(S (NN a))", by the published algorithm.
        assert_eq!(fingerprint(&tree("(S\n  (NN a))")), fingerprint(&tree("(S (NN a))")));
        assert_ne!(fingerprint(&tree("(S (NN a))")), fingerprint(&tree("(S (NN b))")));
        assert_eq!(fingerprint(&tree("(S (NN a))")), "76e122ecd062ac75");
    }
}
