use std::fmt::Write;

/// Kinds of errors that are planted.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A phrase has another label.
    Label,
    /// A prepositional or adverbial phrase is attached higher or lower.
    Attachment,
    /// A bracket is missing, or there is one too many.
    Bracket,
    /// One construction is annotated otherwise in a third of its places.
    Systematic,
    /// A word has another tag.
    Tag,
}

impl Kind {
    pub const ALL: [Kind; 5] =
        [Kind::Label, Kind::Attachment, Kind::Bracket, Kind::Systematic, Kind::Tag];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Label => "label",
            Kind::Attachment => "attachment",
            Kind::Bracket => "bracket",
            Kind::Systematic => "systematic",
            Kind::Tag => "tag",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// An error that was planted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlantedError {
    /// Number of the sentence in its treebank, from 0.
    pub sentence: usize,
    pub kind: Kind,
    /// Words `[start, end)` of the part that changed, empty elements counted.
    pub start: u32,
    pub end: u32,
    /// Brackets of that part as they were, and as they are now.
    pub before: String,
    pub after: String,
}

/// A table that cannot be read; lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TableError {
    pub line: usize,
    pub message: String,
}

const HEAD: [&str; 6] = ["sentence", "kind", "start", "end", "before", "after"];
const RANKING: [&str; 3] = ["rank", "sentence", "score"];

/// `planted.tsv`: sentence, kind, start, end, before, after.
pub fn to_tsv(errors: &[PlantedError]) -> String {
    let mut text = format!("{}\n", HEAD.join("\t"));
    for PlantedError { sentence, kind, start, end, before, after } in errors {
        let kind = kind.name();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{sentence}\t{kind}\t{start}\t{end}\t{before}\t{after}");
    }
    text
}

/// Reads what [`to_tsv`] writes.
pub fn from_tsv(text: &str) -> Result<Vec<PlantedError>, TableError> {
    rows(text, HEAD[0])
        .map(|(line, fields)| {
            let error = |message: String| TableError { line, message };
            let [sentence, kind, start, end, before, after] = fields[..] else {
                return Err(error(format!(
                    "{} columns, expected {}",
                    fields.len(),
                    HEAD.join(", ")
                )));
            };
            let kind = Kind::named(kind).ok_or_else(|| {
                let known = Kind::ALL.map(Kind::name).join(", ");
                error(format!("unknown kind `{kind}`, expected one of {known}"))
            })?;
            Ok(PlantedError {
                sentence: number(line, HEAD[0], sentence)?,
                kind,
                start: number(line, HEAD[2], start)?,
                end: number(line, HEAD[3], end)?,
                before: before.to_owned(),
                after: after.to_owned(),
            })
        })
        .collect()
}

/// A ranking as a table: rank, sentence, score, with further columns of whoever made it.
pub fn ranking_to_tsv(scores: &[(usize, f64)]) -> String {
    let mut text = format!("{}\n", RANKING.join("\t"));
    for (rank, (sentence, score)) in scores.iter().enumerate() {
        let _ = writeln!(text, "{}\t{sentence}\t{score:e}", rank + 1);
    }
    text
}

/// Sentences and scores by rank; a table whose first columns are rank, sentence and score.
pub fn ranking_from_tsv(text: &str) -> Result<Vec<(usize, f64)>, TableError> {
    let mut ranked: Vec<(u64, usize, f64)> = rows(text, RANKING[0])
        .map(|(line, fields)| match fields[..] {
            [rank, sentence, score, ..] => Ok((
                number(line, RANKING[0], rank)?,
                number(line, RANKING[1], sentence)?,
                number(line, RANKING[2], score).and_then(|score: f64| match score.is_nan() {
                    true => Err(TableError { line, message: "NaN ranks nothing".into() }),
                    false => Ok(score),
                })?,
            )),
            _ => {
                let message =
                    format!("{} columns, expected {} first", fields.len(), RANKING.join(", "));
                Err(TableError { line, message })
            }
        })
        .collect::<Result<_, _>>()?;
    ranked.sort_by_key(|(rank, ..)| *rank);
    Ok(ranked.into_iter().map(|(_, sentence, score)| (sentence, score)).collect())
}

/// Lines with their fields, without the head and without empty ones.
fn rows<'a>(text: &'a str, head: &'a str) -> impl Iterator<Item = (usize, Vec<&'a str>)> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| (number, line.split('\t').collect::<Vec<_>>()))
        .filter(move |(number, fields)| *number > 1 || fields[0] != head)
}

fn number<T: std::str::FromStr>(line: usize, what: &str, text: &str) -> Result<T, TableError> {
    let message = || format!("`{text}` is no {what}");
    text.trim().parse().map_err(|_| TableError { line, message: message() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_come_back_as_they_were_written() {
        let error = PlantedError {
            sentence: 7,
            kind: Kind::Attachment,
            start: 2,
            end: 5,
            before: "(NP (NN a) (PP (IN b) (NN c)))".into(),
            after: "(NP (NN a))".into(),
        };
        let errors = vec![error.clone(), PlantedError { kind: Kind::Tag, ..error }];
        let text = to_tsv(&errors);
        assert!(
            text.starts_with("sentence\tkind\tstart\tend\tbefore\tafter\n7\tattachment\t2\t5\t")
        );
        assert_eq!(from_tsv(&text).expect("reads"), errors);
        let ranking = vec![(3, 0.1 + 0.2), (0, 1e-9), (2, f64::NEG_INFINITY)];
        assert_eq!(ranking_from_tsv(&ranking_to_tsv(&ranking)).expect("reads"), ranking);
    }

    #[test]
    fn a_ranking_is_taken_by_its_ranks_and_may_have_further_columns() {
        let text = "2\t5\t0.5\twhy\n1\t4\t0.5\n\n";
        assert_eq!(ranking_from_tsv(text).expect("reads"), [(4, 0.5), (5, 0.5)]);
    }

    #[test]
    fn what_is_wrong_with_a_table_is_said_with_its_line() {
        for (text, said) in [
            ("1\tlabel\t0", "line 1: 3 columns, expected sentence"),
            ("sentence\tkind\nx\tlabel\t0\t1\ta\tb", "line 2: `x` is no sentence"),
            ("1\tlable\t0\t1\ta\tb", "unknown kind `lable`, expected one of label, att"),
        ] {
            let error = from_tsv(text).expect_err(text).to_string();
            assert!(error.contains(said), "{error}");
        }
        let error = ranking_from_tsv("1\t2\tNaN").expect_err("no order").to_string();
        assert!(error.contains("NaN ranks nothing"), "{error}");
        let error = ranking_from_tsv("1\t2").expect_err("too few").to_string();
        assert_eq!(error, "line 1: 2 columns, expected rank, sentence, score first");
    }
}
