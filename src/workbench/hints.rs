//! Keys in texts: a text names a command, and what is shown is the key that the user has for it.
//!
//! `<.runs>` stands for the key of a command that works everywhere, `<train.new>` for one of a
//! screen's.

use super::command::{Command, Scope};
use super::keymap::Keymap;
use super::names::ScreenId;
use std::borrow::Cow;

/// The text with keys in place of commands. One that has no key is told by its name, for the
/// palette; what names no command stays as it is.
pub fn told<'a>(text: &'a str, keymap: &Keymap) -> Cow<'a, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((from, to)) = next_name(rest) {
        match command(keymap, &rest[from + 1..to]) {
            Some((scope, command)) => {
                out.push_str(&rest[..from]);
                out.push_str(&key(scope, command, keymap));
            }
            None => out.push_str(&rest[..=to]),
        }
        rest = &rest[to + 1..];
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The key of a command, spelt as sentences have it; of one without, the name by which the palette
/// finds it.
pub fn key(scope: Scope, command: &'static Command, keymap: &Keymap) -> String {
    match keymap.keys(scope, command).first() {
        Some(key) => (*key).to_owned(),
        None => format!("`{}`", command.name),
    }
}

/// Where the next name stands in its brackets.
fn next_name(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        from += text[from..].find('<')?;
        let name = &text[from + 1..];
        let end = name.find(|c: char| !(c.is_ascii_lowercase() || "-.".contains(c)))?;
        if name[end..].starts_with('>') && name[..end].contains('.') {
            return Some((from, from + 1 + end));
        }
        from += 1;
    }
}

fn command(keymap: &Keymap, name: &str) -> Option<(Scope, &'static Command)> {
    let (screen, name) = name.split_once('.')?;
    let scope = match screen {
        "" => None,
        _ => Some(ScreenId::ALL.into_iter().find(|id| id.title().to_lowercase() == screen)?),
    };
    Some((scope, keymap.command(scope, name)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::commands;
    use std::path::Path;

    #[test]
    fn texts_name_the_keys_that_the_user_has() {
        let mut keymap = commands::keymap();
        let told = |text: &str, keymap: &Keymap| told(text, keymap).into_owned();
        let text = "press <train.resume>, or <.runs> (NP < (PP <<, of)); <no.such> <b>";
        assert_eq!(told(text, &keymap), "press R, or 7 (NP < (PP <<, of)); <no.such> <b>");
        let (scope, resume) = command(&keymap, "train.resume").expect("a command");
        keymap.set(scope, resume, vec!["Shift-Up".into(), "x".into()]);
        keymap.set(None, commands::global("runs").expect("a command"), Vec::new());
        assert!(told(text, &keymap).starts_with("press Shift-Up, or `runs` ("));
        assert_eq!(told("<", &keymap), "<");
    }

    /// Sources below a folder, but for this one and tests.
    fn sources(folder: &Path, out: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).expect("readable").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                sources(&path, out);
            } else if name.ends_with(".rs") && name != "hints.rs" && !name.contains("tests") {
                out.push((name, std::fs::read_to_string(&path).expect("text")));
            }
        }
    }

    #[test]
    fn every_command_that_a_text_names_is_there() {
        let (keymap, mut all) = (commands::keymap(), Vec::new());
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/workbench"), &mut all);
        let mut named = 0;
        for (file, source) in &all {
            let mut rest = source.as_str();
            while let Some((from, to)) = next_name(rest) {
                let name = &rest[from + 1..to];
                assert!(command(&keymap, name).is_some(), "{file}: no command <{name}>");
                named += 1;
                rest = &rest[to + 1..];
            }
        }
        assert!(named > 10, "the sources are read");
    }
}
