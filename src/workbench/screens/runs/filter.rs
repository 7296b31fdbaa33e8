//! Which runs a filter keeps: words, settings and figures.

use crate::workbench::comparison::Comparison;
use crate::workbench::shared::RunEntry;

/// Whether a run has all words of the filter. A word is part of the name, state or settings
/// (`seed=3`), or compares a dev figure (`s_f1>40`, `perplexity<300`).
pub fn keeps(filter: &str, run: &RunEntry) -> bool {
    filter.split_whitespace().all(|word| comparison(word, run).unwrap_or_else(|| has(word, run)))
}

/// Whether a figure is as a word demands; `None` where the word is text.
fn comparison(word: &str, run: &RunEntry) -> Option<bool> {
    let (name, sign, bound) = bounded(word)?;
    // Without a number it is said, and keeps every run.
    let Ok(bound) = bound else { return Some(true) };
    let value = run.best_dev().and_then(|m| m.get(name));
    Some(value.is_some_and(|value| sign.holds(value, bound)))
}

/// The parts of a word that compares a figure. With `=` it is about settings.
fn bounded(word: &str) -> Option<(&str, Comparison, Result<f64, String>)> {
    let (name, sign, value) = Comparison::split(word)?;
    let compares = sign != Comparison::Equal && !name.is_empty();
    compares.then(|| (name, sign, Comparison::number(name, value)))
}

/// What is wrong with a filter.
pub fn complaint(filter: &str) -> Option<String> {
    filter.split_whitespace().find_map(|word| bounded(word)?.2.err())
}

fn has(word: &str, run: &RunEntry) -> bool {
    let word = word.to_lowercase();
    let contains = |text: &str| text.to_lowercase().contains(&word);
    contains(&run.name)
        || contains(run.standing().word())
        || run.config.as_ref().is_some_and(|config| {
            // `key = "value"` as TOML writes it, and `key=value` as people do.
            config
                .to_toml()
                .lines()
                .any(|line| contains(line) || contains(&line.replace(" = ", "=").replace('"', "")))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::report::RunState;
    use crate::workbench::names::RunId;

    #[test]
    fn words_settings_and_figures_select_runs() {
        let mut run = RunEntry::new(RunId(1), "runs/2026-11-29-rank-pcfg".into());
        run.config = Some(Config { seed: 3, ..Config::default() });
        run.listed_state = Some(RunState::Finished);
        run.listed_dev = Some([("s_f1", 45.0)].into_iter().collect());
        for yes in [
            "",
            "11-29",
            "FINISHED",
            "seed=3 pcfg",
            "s_f1>40",
            "s_f1<50 finished",
            "s_f1>=45",
            "s_f1>abc",
        ] {
            assert!(keeps(yes, &run), "{yes}");
        }
        for no in ["seed=4", "s_f1>46", "running", "c_f1>1", "pcfg nothing"] {
            assert!(!keeps(no, &run), "{no}");
        }
        assert_eq!(complaint("finished s_f1>abc").as_deref(), Some("s_f1 needs a number"));
        assert_eq!((complaint("s_f1>=40 seed=x"), complaint("s_f1<").is_some()), (None, true));
    }
}
