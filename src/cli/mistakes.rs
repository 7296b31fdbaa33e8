//! What was most likely meant by arguments that cannot be parsed, where the parser's own words
//! lead astray.

use super::failure::Usage;
use crate::config;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::path::Path;

/// The commands that take settings by `--set`.
const WITH_SETTINGS: [&str; 4] = ["train", "bag", "boost", "plan"];

/// The commands that print what one might want in a file.
const PRINTING: [&str; 4] = ["parse", "score", "sample", "eval"];

/// `words` are the arguments behind the program's name.
pub fn explain(error: &clap::Error, words: &[String]) -> Option<Usage> {
    let command = words.first()?.as_str();
    if WITH_SETTINGS.contains(&command)
        && let Some(message) = split_setting(words)
    {
        return Some(Usage(message));
    }
    match (error.kind(), words) {
        (ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, [word])
            if Path::new(word).exists() =>
        {
            return Some(Usage(format!(
                "`{word}` is a command, which needs more (`rankspace {word} --help`); what has \
                 that name here is opened by `rankspace ./{word}`"
            )));
        }
        (ErrorKind::InvalidSubcommand, [command, word]) if Path::new(word).exists() => {
            // A bare name may be that of a command.
            let path = Path::new(".").join(word);
            let path = if word.contains('/') { Path::new(word) } else { &path };
            return Some(Usage(format!(
                "{command}: no such command `{word}` (`rankspace {command} --help`); `rankspace \
                 {}` opens what has that name here",
                path.display()
            )));
        }
        (ErrorKind::UnknownArgument, _) => {}
        _ => return None,
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = option.trim_start_matches('-').split('=').next()?;
    if WITH_SETTINGS.contains(&command)
        && let Some(key) = config::setting(name)
    {
        let message = format!("--{name}: a setting is changed by `--set {key}=VALUE`");
        return Some(Usage(message));
    }
    (PRINTING.contains(&command) && ["out", "output", "o"].contains(&name)).then(|| {
        Usage(format!("{option}: `{command}` prints to standard output; `> FILE` writes a file"))
    })
}

/// `--set epochs 3`, of which the parser sees a setting without a value and a file.
fn split_setting(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word == "--set")?;
    let [key, value] = words.get(at + 1..at + 3)? else { return None };
    if key.contains('=') || value.starts_with('-') {
        return None;
    }
    let value = value.trim_start_matches('=');
    let key = config::setting(key).unwrap_or_else(|| key.clone());
    Some(format!("--set {key} {value}: expected key=value, as in `--set {key}={value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Arguments;
    use clap::Parser;

    fn explained(line: &str) -> Option<String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let all = std::iter::once("rankspace".to_owned()).chain(words.iter().cloned());
        let error = Arguments::try_parse_from(all).expect_err("wrong usage");
        explain(&error, &words).map(|Usage(message)| message)
    }

    #[test]
    fn what_was_meant_is_named() {
        for (line, said) in [
            ("train --preset sample --epochs 3", "`--set training.epochs=VALUE`"),
            ("train --preset sample --seed=3", "`--set seed=VALUE`"),
            ("train --preset sample --batch-size 3", "`--set training.batch_size=VALUE`"),
            ("train --preset sample --set epochs 3", "`--set training.epochs=3`"),
            ("train --preset sample --set model.rank = 3", "`--set model.rank"),
            ("parse run --out x.svg", "`> FILE` writes a file"),
        ] {
            let message = explained(line).unwrap_or_else(|| panic!("{line} is explained"));
            assert!(message.contains(said), "{message}");
        }
        for line in ["train --nothing", "train", "parse run --epochs 3", "train --preset a b"] {
            assert_eq!(explained(line), None, "{line}");
        }
    }
}
