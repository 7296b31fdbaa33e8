use super::bytes::{Content, Packed, Unpacked};
use crate::ensemble::{Analyses, Analysis, Labels, Phrase, Skeleton};
use crate::evaluation::Agreement;
use crate::parser::Fallback;
use crate::run::RunError;
use std::path::Path;

const NAME: &[u8; 8] = b"rstrees\0";

/// Reasons why a parse is not as asked, by the numbers that files have for them; 0 is none.
const FALLBACKS: [Fallback; 3] = [Fallback::Relaxed, Fallback::Fragments, Fallback::TooLong];

pub(super) fn write(analyses: &Analyses, path: &Path) -> Result<(), RunError> {
    let mut packed = Packed::new(NAME);
    packed.number(analyses.labels.names().len() as u64);
    analyses.labels.names().iter().for_each(|name| packed.text(name));
    packed.number(analyses.trees.len() as u64);
    for Analysis { skeleton, agreement, score, fallback } in &analyses.trees {
        packed.number(skeleton.tags.len() as u64);
        skeleton.tags.iter().for_each(|tag| packed.number(u64::from(*tag)));
        packed.number(skeleton.phrases.len() as u64);
        for Phrase { label, start, end } in &skeleton.phrases {
            packed.number(u64::from(*label));
            packed.number(u64::from(*start));
            packed.number(u64::from(end - start));
        }
        for count in [agreement.correct, agreement.spurious, agreement.missing] {
            packed.number(u64::from(count));
        }
        packed.f64(*score);
        let number = FALLBACKS.iter().position(|known| Some(known) == fallback.as_ref());
        packed.byte(number.map_or(0, |number| number as u8 + 1));
    }
    packed.write(path)
}

pub(super) fn read(path: &Path) -> Result<Analyses, RunError> {
    Content::read(path)?.parse(NAME, path, |unpacked| {
        let names = unpacked.count()?;
        let names = (0..names).map(|_| Ok(unpacked.text()?.into())).collect::<Result<_, String>>();
        let labels = Labels::from_names(names?).ok_or("a label is in it twice")?;
        let trees = unpacked.count()?;
        let trees = (0..trees).map(|_| analysis(unpacked)).collect::<Result<_, String>>()?;
        Ok(Analyses { labels, trees })
    })
}

fn analysis(unpacked: &mut Unpacked) -> Result<Analysis, String> {
    let tags = unpacked.count()?;
    let tags = (0..tags).map(|_| unpacked.small()).collect::<Result<_, _>>()?;
    let phrases = unpacked.count()?;
    let phrase = |_| {
        let (label, start, words) = (unpacked.small()?, unpacked.small()?, unpacked.small()?);
        let end = start.checked_add(words).ok_or("a number in it is too large")?;
        Ok(Phrase { label, start, end })
    };
    let phrases = (0..phrases).map(phrase).collect::<Result<_, String>>()?;
    let [correct, spurious, missing] = [unpacked.small()?, unpacked.small()?, unpacked.small()?];
    let score = unpacked.f64()?;
    let fallback = match unpacked.byte()? {
        0 => None,
        number => Some(
            FALLBACKS
                .get(usize::from(number) - 1)
                .copied()
                .ok_or_else(|| format!("{number} is no reason for a fallback"))?,
        ),
    };
    let agreement = Agreement { correct, spurious, missing };
    Ok(Analysis { skeleton: Skeleton { tags, phrases }, agreement, score, fallback })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::{Reader, Tree};

    fn tree(text: &str) -> Tree {
        Reader::new(text.as_bytes(), "test").next().expect("a tree").expect("well formed")
    }

    #[test]
    fn analyses_come_back_as_they_were() {
        let mut analyses = Analyses::default();
        let texts = ["(TOP (S (NP (NN a)) (VP (VB b))))", "(TOP (NN é))"];
        let fallbacks = [None, Some(Fallback::TooLong)];
        for (text, fallback) in texts.into_iter().zip(fallbacks) {
            let skeleton = analyses.labels.skeleton(&tree(text));
            let agreement = Agreement { correct: 3, spurious: 200, missing: 0 };
            let score = if fallback.is_some() { f64::NEG_INFINITY } else { -3.25 };
            analyses.trees.push(Analysis { skeleton, agreement, score, fallback });
        }
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("a.gz");
        write(&analyses, &path).expect("writes");
        let back = read(&path).expect("reads");
        assert_eq!(back.trees, analyses.trees);
        assert_eq!(back.labels.names(), analyses.labels.names());
        for (text, kept) in texts.into_iter().zip(&back.trees) {
            let tree = tree(text);
            let again = back.labels.tree(&kept.skeleton, tree.words(), &tree.place);
            assert_eq!(again, Some(tree));
        }
    }

    #[test]
    fn a_file_cut_short_anywhere_is_refused() {
        let mut analyses = Analyses::default();
        let skeleton = analyses.labels.skeleton(&tree("(TOP (S (NN a) (NN b)))"));
        let (agreement, score, fallback) = (Agreement::default(), -1.0, None);
        analyses.trees.push(Analysis { skeleton, agreement, score, fallback });
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("a.gz");
        write(&analyses, &path).expect("writes");
        let whole = std::fs::read(&path).expect("reads");
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("writes");
            assert!(read(&path).is_err(), "{length} of {} bytes", whole.len());
        }
    }
}
