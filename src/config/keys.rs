//! Which keys there are, and which of them a mistyped or misplaced one was meant to be.

use super::Config;
use super::words::{nearest, quoted};

/// A key that no config has.
const NO_KEY: &str = "no-such-key";

/// Similarity from which a key of another section is taken for the one that was meant.
const ALIKE: f64 = 0.85;

/// Every key with its sections, e.g. `seed` and `data.vocabulary.max_size`, and the sections in
/// others.
pub(super) fn all() -> Vec<String> {
    let mut found = Vec::new();
    gather("", &mut found);
    found
}

/// What a section may hold is told by the refusal of a key that it may not.
fn gather(section: &str, found: &mut Vec<String>) {
    let refused = toml::from_str::<Config>(&format!("{section}{NO_KEY} = 0"));
    let Err(refused) = refused else { return };
    let mut names = quoted(refused.message());
    if !refused.message().starts_with("unknown field") || names.next() != Some(NO_KEY) {
        return;
    }
    for name in names {
        let known = found.len();
        gather(&format!("{section}{name}."), found);
        if found.len() == known || !section.is_empty() {
            found.push(format!("{section}{name}"));
        }
    }
}

/// The full key of the setting of that name, written as an option may be: `batch-size` is
/// `training.batch_size`.
pub fn setting(name: &str) -> Option<String> {
    let name = name.replace('-', "_");
    all().into_iter().find(|full| full.rsplit('.').next() == Some(&name))
}

/// What an unknown key was meant to be, of those that may stand beside it or anywhere else.
pub(super) fn meant<'a>(key: &str, beside: impl Iterator<Item = &'a str>) -> Option<String> {
    let all = all();
    let name = |full: &str| full.rsplit('.').next().unwrap_or_default().to_owned();
    let shown = |full: &String| match full.contains('.') {
        true => format!("`{full}`"),
        false => format!("`{full}` outside of all sections"),
    };
    let same: Vec<String> = all.iter().filter(|full| name(full) == key).map(shown).collect();
    if let Some((last, others)) = same.split_last() {
        let others = others.join(", ");
        return Some(if others.is_empty() { last.clone() } else { format!("{others} or {last}") });
    }
    if let Some(near) = nearest(key, 0.7, beside) {
        return Some(format!("`{near}`"));
    }
    let names: Vec<String> = all.iter().map(|full| name(full)).collect();
    let near = nearest(key, ALIKE, names.iter().map(String::as_str))?;
    all.iter().find(|full| name(full) == near).map(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_are_found_those_without_a_default_too() {
        let all = all();
        for key in [
            "seed",
            "data.train",
            "data.sections",
            "data.unary_chains",
            "data.vocabulary.min_count",
            "model.encoder",
            "training.schedule.factor",
            "training.schedule",
            "run.pinned",
        ] {
            assert!(all.iter().any(|known| known == key), "{key}: {all:?}");
        }
        assert!(!all.iter().any(|key| key == "data" || key == "data."), "{all:?}");
    }

    #[test]
    fn a_setting_is_found_by_its_name() {
        assert_eq!(setting("batch-size").as_deref(), Some("training.batch_size"));
        assert_eq!(setting("seed").as_deref(), Some("seed"));
        assert_eq!(setting("nothing"), None);
    }

    #[test]
    fn a_key_in_the_wrong_section_is_named_with_its_own() {
        for (setting, expected) in [
            ("training.threads=3", "did you mean `threads` outside of all sections?"),
            ("training.states=3", "did you mean `model.states`?"),
            ("epochs=3", "did you mean `training.epochs` or `rerank.epochs`?"),
            ("epoch=3", "did you mean `training.epochs`?"),
            ("model.batchsize=3", "did you mean `training.batch_size`?"),
            ("training.max_length=3", "did you mean `data.max_length`, `evaluation.max_length` or"),
            ("training.epoch=3", "did you mean `epochs`?"),
            ("training.xyz=3", "expected one of `epochs`"),
        ] {
            let error = Config::from_toml("c", "", &[setting.to_owned()]).unwrap_err().to_string();
            assert!(error.contains("unknown key") && error.contains(expected), "{error}");
        }
    }
}
