use super::{Config, Family};

use Family::{CPcfg, Hmm, Lhmm, Lpcfg, NPcfg, Ngram, RankHmm, RankPcfg, TdPcfg};

const ALL: &[Family] = &Family::ALL;
const GRAMMARS: &[Family] = &[RankPcfg, TdPcfg, Lpcfg, NPcfg, CPcfg];
const HMMS: &[Family] = &[RankHmm, Lhmm, Hmm];
/// Those that learn by gradients, and not by counting.
const LEARNT: &[Family] = &[RankPcfg, TdPcfg, Lpcfg, NPcfg, CPcfg, RankHmm, Lhmm, Hmm];

/// Which families read which settings. Every key of `[model]` and `[training]` stands here, and
/// those of other sections that some families do not read.
const USES: [(&str, &[Family]); 31] = [
    ("precision", LEARNT),
    ("model.family", ALL),
    ("model.nonterminals", GRAMMARS),
    ("model.preterminals", GRAMMARS),
    ("model.states", HMMS),
    ("model.rank", &[RankPcfg, TdPcfg, Lpcfg, RankHmm, Lhmm]),
    ("model.embedding", LEARNT),
    ("model.order", &[Ngram]),
    ("model.dropout", HMMS),
    ("model.latent", &[CPcfg]),
    ("model.encoder", &[CPcfg]),
    ("model.encoder_embedding", &[CPcfg]),
    // Floors under logarithms, and what the plateau schedule takes for better.
    ("model.compat", LEARNT),
    ("model.elimination", &[RankPcfg, TdPcfg, RankHmm]),
    ("model.speeds", &[RankPcfg, TdPcfg, RankHmm]),
    ("training.epochs", ALL),
    ("training.max_steps", ALL),
    ("training.batch_size", LEARNT),
    ("training.batch_tokens", LEARNT),
    ("training.optimizer", LEARNT),
    ("training.learning_rate", LEARNT),
    ("training.beta1", LEARNT),
    ("training.beta2", LEARNT),
    ("training.weight_decay", LEARNT),
    ("training.clip", LEARNT),
    ("training.schedule", LEARNT),
    ("training.patience", ALL),
    ("training.curriculum", LEARNT),
    ("training.select", ALL),
    ("evaluation.decode", GRAMMARS),
    ("run.pinned", GRAMMARS),
];

/// The families that read a setting, which may be a part of one; `None` where all do.
fn readers(key: &str) -> Option<(&'static str, &'static [Family])> {
    let names = |known: &str| {
        key.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    USES.into_iter().find(|(known, families)| names(known) && *families != ALL)
}

impl Family {
    /// Whether a setting, by its full key, changes anything about a model of the family.
    pub fn reads(self, key: &str) -> bool {
        readers(key).is_none_or(|(_, families)| families.contains(&self))
    }
}

/// Settings that a family does not read, with those that do, as a sentence; `None` where it reads
/// all of them.
pub fn unused(family: Family, keys: &[&str]) -> Option<String> {
    let mut told: Vec<(Vec<&str>, &[Family])> = Vec::new();
    for (key, readers) in keys.iter().filter_map(|key| readers(key)) {
        match told.iter_mut().find(|(_, others)| *others == readers) {
            _ if family.reads(key) => {}
            Some((keys, _)) if keys.contains(&key) => {}
            Some((keys, _)) => keys.push(key),
            None => told.push((vec![key], readers)),
        }
    }
    let of_readers = |(keys, readers): &(Vec<&str>, &[Family])| {
        let others = match *readers {
            LEARNT => "all but ngram do".to_owned(),
            [one] => format!("only {} does", one.name()),
            some => format!("only {} do", listed(some.iter().map(|f| f.name()))),
        };
        format!("{} ({others})", listed(keys.iter().copied()))
    };
    let keys = told.iter().map(of_readers).collect::<Vec<_>>().join(", ");
    (!told.is_empty()).then(|| format!("the family {} does not use {keys}", family.name()))
}

pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

impl Config {
    /// Settings other than the family's defaults that it does not read.
    pub fn without_effect(&self) -> Vec<&'static str> {
        let family = self.model.family;
        let (own, defaults) = (table(self), table(&Config::of_family(family)));
        let keys = USES.into_iter().filter(|(_, readers)| !readers.contains(&family));
        keys.map(|(key, _)| key).filter(|key| value(&own, key) != value(&defaults, key)).collect()
    }
}

pub(super) fn table(config: &Config) -> toml::Table {
    toml::Table::try_from(config).expect("a config holds only TOML values")
}

pub(super) fn value<'a>(table: &'a toml::Table, key: &str) -> Option<&'a toml::Value> {
    match key.split_once('.') {
        None => table.get(key),
        Some((section, rest)) => value(table.get(section)?.as_table()?, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Schedule, Speeds, presets};

    fn config(family: Family, settings: &[&str]) -> Config {
        let mut all = vec![format!("model.family={}", family.name())];
        all.extend(settings.iter().map(|&s| s.to_owned()));
        Config::from_toml("c", "", &all).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn the_list_of_families_is_whole() {
        let error = Config::from_toml("c", "", &["model.family=x".into()]).unwrap_err().to_string();
        let named = Family::ALL.iter().filter(|f| error.contains(&format!("`{}`", f.name())));
        assert_eq!(named.count(), error.matches('`').count() / 2 - 1, "{error}");
    }

    #[test]
    fn it_is_known_of_every_setting_of_model_and_training_who_reads_it() {
        let mut config = Config::default();
        config.training.schedule = Some(Schedule { plateau: 2, factor: 0.5 });
        let speeds = Speeds { multiply_adds: 1e11, packed: 1e9, streamed: 1e10 };
        config.model.speeds = Some(speeds);
        let table = table(&config);
        let mut keys = vec!["precision".to_owned()];
        for section in ["model", "training"] {
            let section_table = table[section].as_table().expect("a section");
            keys.extend(section_table.keys().map(|key| format!("{section}.{key}")));
        }
        for key in &keys {
            let known = USES.iter().filter(|(known, _)| known == key).count();
            assert_eq!(known, 1, "{key} stands in the table once");
        }
        for (key, _) in USES {
            assert!(value(&table, key).is_some(), "{key} is a setting");
        }
    }

    #[test]
    fn a_setting_that_a_family_does_not_read_is_named_with_the_families_that_do() {
        let keys = |family, settings: &[&str]| config(family, settings).without_effect();
        assert_eq!(keys(RankPcfg, &["model.states=9", "model.rank=9"]), ["model.states"]);
        assert_eq!(keys(RankHmm, &["model.nonterminals=9"]), ["model.nonterminals"]);
        assert_eq!(keys(NPcfg, &["model.dropout=0.5", "model.order=3"]).len(), 2);
        assert_eq!(keys(Hmm, &["model.dropout=0.5", "model.states=9"]), [""; 0]);
        let schedule = "training.schedule={ plateau = 2, factor = 0.5 }";
        assert_eq!(keys(Ngram, &[schedule]), ["training.schedule"]);
        assert_eq!(
            unused(RankPcfg, &["model.states", "seed", "model.rank"]).as_deref(),
            Some("the family rank-pcfg does not use model.states (only rank-hmm, lhmm and hmm do)")
        );
        assert_eq!(
            unused(Ngram, &["model.latent", "training.schedule.factor", "training.clip"])
                .as_deref(),
            Some(
                "the family ngram does not use model.latent (only c-pcfg does), \
                 training.schedule and training.clip (all but ngram do)"
            )
        );
        assert_eq!(unused(Ngram, &["model.order", "data.train"]), None);
        let read = ["model.rank", "model.states", "training.clip", "seed"].map(|k| Ngram.reads(k));
        assert_eq!(read, [false, false, false, true]);
    }

    #[test]
    fn defaults_and_presets_have_no_setting_without_effect() {
        for family in Family::ALL {
            assert_eq!(Config::of_family(family).without_effect(), [""; 0], "{}", family.name());
        }
        for preset in presets() {
            let config = preset.config(&[]).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(config.without_effect(), [""; 0], "{}", preset.name);
        }
    }
}
