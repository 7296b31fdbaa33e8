use super::bytes::{Content, Packed, Unpacked};
use crate::ensemble::Round;
use crate::evaluation::Agreement;
use crate::run::RunError;
use std::path::Path;

const NAME: &[u8; 8] = b"rsweight";

/// What a round says of every training sentence, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptWeights {
    /// Weights before the round; they sum to 1.
    pub before: Vec<f64>,
    /// Weights after it; `None` where boosting ended.
    pub after: Option<Vec<f64>>,
    /// How often each sentence was drawn, where the training set was drawn.
    pub drawn: Option<Vec<u32>>,
    /// Correct, spurious and missing constituents of the round's analysis.
    pub agreements: Vec<Agreement>,
}

impl KeptWeights {
    pub(super) fn of(round: &Round) -> KeptWeights {
        KeptWeights {
            before: round.weights.clone(),
            after: round.next.clone(),
            drawn: round.drawn.clone(),
            agreements: round.analyses.first().map(|a| a.agreements()).unwrap_or_default(),
        }
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), RunError> {
        let mut packed = Packed::new(NAME);
        packed.number(self.before.len() as u64);
        packed.byte(u8::from(self.after.is_some()));
        packed.byte(u8::from(self.drawn.is_some()));
        // Alike stands by alike, which compresses best.
        self.before.iter().for_each(|w| packed.f64(*w));
        self.after.iter().flatten().for_each(|w| packed.f64(*w));
        self.drawn.iter().flatten().for_each(|n| packed.number(u64::from(*n)));
        let mut counts = |count: fn(&Agreement) -> u32| {
            self.agreements.iter().for_each(|a| packed.number(u64::from(count(a))));
        };
        counts(|a| a.correct);
        counts(|a| a.spurious);
        counts(|a| a.missing);
        packed.write(path)
    }

    pub(super) fn read(path: &Path) -> Result<KeptWeights, RunError> {
        Content::read(path)?.parse(NAME, path, |unpacked| {
            let m = unpacked.count()?;
            let (has_after, has_drawn) = (unpacked.byte()? != 0, unpacked.byte()? != 0);
            let weights = |unpacked: &mut Unpacked| {
                (0..m).map(|_| unpacked.f64()).collect::<Result<Vec<f64>, _>>()
            };
            let counts = |unpacked: &mut Unpacked| {
                (0..m).map(|_| unpacked.small()).collect::<Result<Vec<u32>, _>>()
            };
            let before = weights(unpacked)?;
            let after = has_after.then(|| weights(unpacked)).transpose()?;
            let drawn = has_drawn.then(|| counts(unpacked)).transpose()?;
            let [correct, spurious, missing] =
                [counts(unpacked)?, counts(unpacked)?, counts(unpacked)?];
            let agreements = (0..m)
                .map(|i| Agreement {
                    correct: correct[i],
                    spurious: spurious[i],
                    missing: missing[i],
                })
                .collect();
            Ok(KeptWeights { before, after, drawn, agreements })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> KeptWeights {
        KeptWeights {
            before: vec![0.25, 0.1 + 0.2, 0.45],
            after: Some(vec![f64::MIN_POSITIVE, 1.0, 0.0]),
            drawn: Some(vec![0, 300, 2]),
            agreements: (0..3)
                .map(|i| Agreement { correct: 1000 * i, spurious: i, missing: 3 - i })
                .collect(),
        }
    }

    #[test]
    fn weights_come_back_to_the_bit() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("weights.gz");
        for kept in [kept(), KeptWeights { after: None, drawn: None, ..kept() }] {
            kept.write(&path).expect("writes");
            assert_eq!(KeptWeights::read(&path).expect("reads"), kept);
        }
    }

    #[test]
    fn files_of_others_and_damaged_ones_are_refused_with_their_fault() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("weights.gz");
        let said = || KeptWeights::read(&path).expect_err("refused").to_string();
        std::fs::write(&path, b"no gzip").expect("writes");
        assert!(said().contains("weights.gz"));
        Packed::new(b"rsothers").write(&path).expect("writes");
        assert!(said().contains("another kind of file"));
        let mut packed = Packed::new(NAME);
        packed.number(1 << 40);
        packed.write(&path).expect("writes");
        assert!(said().contains("ends too early"));
        let mut packed = Packed::new(NAME);
        [0, 0, 0, 9].into_iter().for_each(|byte| packed.byte(byte));
        packed.write(&path).expect("writes");
        assert!(said().contains("behind its end"));
    }
}
