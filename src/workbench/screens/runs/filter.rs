//! Which runs a filter keeps: words, settings and figures.

use crate::workbench::shared::RunEntry;

/// Whether a run has all words of the filter. A word is part of the name, state or settings
/// (`seed=3`), or compares a dev figure (`s_f1>40`, `perplexity<300`).
pub fn keeps(filter: &str, run: &RunEntry) -> bool {
    filter.split_whitespace().all(|word| comparison(word, run).unwrap_or_else(|| has(word, run)))
}

fn comparison(word: &str, run: &RunEntry) -> Option<bool> {
    let at = word.find(['<', '>'])?;
    let (key, rest) = word.split_at(at);
    let bound: f64 = rest[1..].parse().ok()?;
    let Some(value) = run.best_dev().and_then(|m| m.get(key)) else { return Some(false) };
    Some(if rest.starts_with('<') { value < bound } else { value > bound })
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
        for yes in ["", "11-29", "FINISHED", "seed=3 pcfg", "s_f1>40", "s_f1<50 finished"] {
            assert!(keeps(yes, &run), "{yes}");
        }
        for no in ["seed=4", "s_f1>46", "running", "c_f1>1", "pcfg nothing"] {
            assert!(!keeps(no, &run), "{no}");
        }
    }
}
