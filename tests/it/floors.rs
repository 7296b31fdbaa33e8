//! Modules stand on floors and import only downwards, or without circles on their own floor.
//! The table below is the one of `src/lib.rs`; every `crate::` path in `src/` is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Floor and modules, the highest first. `main` is `src/main.rs`.
const FLOORS: &[(u32, &[&str])] = &[
    (7, &["main", "cli"]),
    (6, &["workbench"]),
    (5, &["run"]),
    (4, &["training", "ensemble", "rerank", "analysis"]),
    (3, &["model", "parser", "checkpoint", "render"]),
    (2, &["inference", "fgg", "device"]),
    (1, &["evaluation"]),
    (0, &["treebank", "report", "config"]),
];

fn floor(module: &str) -> Option<u32> {
    FLOORS.iter().find(|(_, modules)| modules.contains(&module)).map(|(floor, _)| *floor)
}

/// Which module imports which, with one place as evidence.
type Imports = BTreeMap<(String, String), String>;

#[test]
fn modules_import_only_from_lower_floors_and_without_circles_on_their_own() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut imports = Imports::new();
    for file in rust_files(&src) {
        let relative = file.strip_prefix(&src).expect("files lie below src");
        let text = std::fs::read_to_string(&file).expect("a source file is readable");
        collect(&relative.to_string_lossy(), &text, &mut imports);
    }
    let faults = faults(&imports);
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    assert!(
        imports.contains_key(&("model".into(), "treebank".into())),
        "the model reads batches, so an empty result means that this test reads nothing"
    );
}

#[test]
fn the_table_of_floors_names_every_module_and_only_those() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let there: BTreeSet<String> = std::fs::read_dir(&src)
        .expect("src is readable")
        .map(|entry| entry.expect("src is readable").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "lib")
        .collect();
    let named: BTreeSet<String> =
        FLOORS.iter().flat_map(|(_, modules)| modules.iter().map(|m| (*m).to_owned())).collect();
    assert_eq!(there, named);
}

#[test]
fn a_planted_import_from_a_higher_floor_is_found_in_every_way_of_writing_it() {
    for (file, text) in [
        ("model/mod.rs", "use crate::training::Optimizer;"),
        ("model/mod.rs", "use crate::{treebank::Batch, training::{self, Step}};"),
        ("model/rank.rs", "fn f() { crate::training::run(); }"),
        ("model/rank.rs", "use super::super::training;"),
        ("model/mod.rs", "mod tests { use super::super::{training::Step}; }"),
        ("model/mod.rs", "fn f(c: char) -> bool { c == '\"' && crate::training::x() }"),
        ("model/mod.rs", "fn f<'a>(x: &'a str) { r#\"quote \" \"#; crate::training::x(x) }"),
    ] {
        let mut imports = Imports::new();
        collect(file, text, &mut imports);
        let faults = faults(&imports);
        assert_eq!(faults.len(), 1, "{text}: {faults:?}");
        assert!(faults[0].contains("`model` (floor 3) imports `training` (floor 4)"), "{faults:?}");
    }
}

#[test]
fn a_planted_circle_on_one_floor_is_found() {
    let mut imports = Imports::new();
    collect("model/mod.rs", "use crate::checkpoint::Checkpoint;", &mut imports);
    assert_eq!(faults(&imports), [""; 0], "one direction on a floor is allowed");
    collect("checkpoint/mod.rs", "use crate::render::Layout;", &mut imports);
    collect("render/mod.rs", "use crate::model::Parse;", &mut imports);
    let faults = faults(&imports);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].contains("circle on floor 3"), "{faults:?}");
}

#[test]
fn comments_strings_and_imports_within_a_module_are_no_faults() {
    let mut imports = Imports::new();
    collect(
        "model/rank.rs",
        "// use crate::cli;\n/* crate::run /* nested */ crate::cli */\n\
         const S: &str = \"crate::workbench\";\nconst R: &str = r#\"crate::cli \"#;\n\
         use super::Parser; pub(crate) fn f() {} mod tests { use super::*; use super::super::x; }",
        &mut imports,
    );
    assert_eq!(faults(&imports), [""; 0]);
}

/// What breaks the rule, one sentence each.
fn faults(imports: &Imports) -> Vec<String> {
    let mut faults = Vec::new();
    for ((from, to), place) in imports {
        match (floor(from), floor(to)) {
            (Some(a), Some(b)) if b > a => {
                faults.push(format!("{place}: `{from}` (floor {a}) imports `{to}` (floor {b})"));
            }
            (None, _) => faults.push(format!("{place}: `{from}` stands on no floor of the table")),
            _ => {}
        }
    }
    for (number, modules) in FLOORS {
        // Modules that nothing on this floor needs any more are taken away until none is left;
        // what cannot be taken away stands in a circle.
        let mut left: BTreeSet<&str> = modules.iter().copied().collect();
        let needs = |from: &str, to: &str| imports.contains_key(&(from.to_owned(), to.to_owned()));
        while let Some(&free) = left.iter().find(|&&m| !left.iter().any(|&other| needs(other, m))) {
            left.remove(free);
        }
        if !left.is_empty() {
            faults.push(format!("circle on floor {number} among {left:?}"));
        }
    }
    faults
}

/// Adds what the file `relative` (to `src/`) imports from other modules of the crate.
fn collect(relative: &str, text: &str, imports: &mut Imports) {
    let mut path: Vec<String> =
        relative.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    let from = path[0].clone();
    if from == "lib" {
        return;
    }
    let tokens = tokens(text);
    let word = |i: usize| tokens.get(i).map_or("", |(_, token)| token.as_str());
    // Inline modules that are open, with the brace depth at which each closes.
    let mut inline: Vec<u32> = Vec::new();
    let mut depth = 0;
    for i in 0..tokens.len() {
        match word(i) {
            "{" => {
                depth += 1;
                if i >= 2 && word(i - 2) == "mod" {
                    inline.push(depth);
                }
            }
            "}" => {
                if inline.last() == Some(&depth) {
                    inline.pop();
                }
                depth = depth.saturating_sub(1);
            }
            root @ ("crate" | "rankspace" | "super") if i == 0 || word(i - 1) != "::" => {
                let mut next = i + 1;
                let mut ups = 1;
                while root == "super" && word(next) == "::" && word(next + 1) == "super" {
                    next += 2;
                    ups += 1;
                }
                let at_root = root != "super" || ups >= path.len() + inline.len();
                if at_root && word(next) == "::" {
                    for module in heads(&tokens, next + 1) {
                        if module != from && floor(&module).is_some() {
                            imports
                                .entry((from.clone(), module))
                                .or_insert_with(|| format!("src/{relative}:{}", tokens[i].0));
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// First names of the path, or of every path of the group, that starts at token `i`.
fn heads(tokens: &[(usize, String)], i: usize) -> Vec<String> {
    let word = |i: usize| tokens.get(i).map_or("", |(_, token)| token.as_str());
    if word(i) != "{" {
        return vec![word(i).to_owned()];
    }
    let mut heads = Vec::new();
    let mut depth = 0;
    for j in i..tokens.len() {
        match word(j) {
            "{" => depth += 1,
            "}" => depth -= 1,
            name if depth == 1 && matches!(word(j - 1), "{" | ",") => heads.push(name.to_owned()),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    heads
}

/// Names and the punctuation that matters, with line numbers; comments and literals left out.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut tokens = Vec::new();
    let (mut i, mut line) = (0, 1);
    while i < chars.len() {
        let start = i;
        match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => {
                let mut depth = 0;
                while i < chars.len() {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            '"' => i = after_string(&chars, i),
            'r' if at(i + 1) == '"' || (at(i + 1) == '#' && matches!(at(i + 2), '#' | '"')) => {
                i = after_raw_string(&chars, i + 1);
            }
            // A character, or a lifetime, which has no closing quote.
            '\'' if at(i + 1) == '\\' => {
                i += 3;
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            }
            '\'' if at(i + 2) == '\'' => i += 3,
            ':' if at(i + 1) == ':' => {
                tokens.push((line, "::".to_owned()));
                i += 2;
            }
            c if c.is_alphanumeric() || c == '_' => {
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
                tokens.push((line, chars[start..i].iter().collect()));
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push((line, c.to_string()));
                }
                i += 1;
            }
        }
        line += chars[start..i.min(chars.len())].iter().filter(|c| **c == '\n').count();
    }
    tokens
}

fn after_string(chars: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

fn after_raw_string(chars: &[char], start: usize) -> usize {
    let hashes = chars[start..].iter().take_while(|c| **c == '#').count();
    let mut i = start + hashes + 1;
    while i < chars.len() {
        let closes = chars[i] == '"' && chars[i + 1..].iter().take(hashes).all(|c| *c == '#');
        if closes && chars.len() - i > hashes {
            return i + 1 + hashes;
        }
        i += 1;
    }
    i
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a source folder is readable") {
        let path = entry.expect("a source folder is readable").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
