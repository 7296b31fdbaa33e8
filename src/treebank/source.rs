//! From what `[data]` names to the files it means.

use super::TreebankError;
use super::formats::{EXTENSIONS, extension};
use crate::report::counted;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Something to read sentences from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    File(PathBuf),
    /// A split of the bundled sample.
    Sample(String),
}

/// The files that the names mean, in order: a name that exists is a file or a
/// folder, `sample:…` the bundled sample, anything else a pattern with `*`, `?`
/// and `**`. `sections` holds for folders with numbered subfolders.
pub fn expand(names: &[String], sections: &str) -> Result<Vec<Source>, TreebankError> {
    Ok(expand_with_notes(names, sections)?.files)
}

/// What names mean.
#[derive(Debug)]
pub struct Expanded {
    pub files: Vec<Source>,
    /// Folders some of whose files are of another format, and passed over.
    pub notes: Vec<String>,
}

/// [`expand`], with what of the folders is passed over.
pub fn expand_with_notes(names: &[String], sections: &str) -> Result<Expanded, TreebankError> {
    let asked = sections;
    let sections = parse_sections(asked)?;
    let (mut sources, mut notes) = (Vec::new(), Vec::new());
    let mut has_sections = false;
    for name in names {
        if let Some(split) = name.strip_prefix("sample:") {
            sources.push(Source::Sample(split.to_owned()));
            continue;
        }
        let paths = match Path::new(name) {
            path if path.exists() => vec![path.to_owned()],
            _ => matches(name)?,
        };
        for path in paths {
            // Its files are of formats that corpora have, too: every line of them would be a fault.
            if path.join("config.toml").is_file() && path.join("events.jsonl").is_file() {
                return Err(TreebankError::RunFolder { path: path.display().to_string() });
            }
            if path.is_dir() {
                let (files, others) = folder(&path, &sections)?;
                has_sections |= sections.is_some() && !section_folders(&path)?.is_empty();
                if others > 0 {
                    notes.push(passed_over(&path, &files, others));
                }
                sources.extend(files.into_iter().map(Source::File));
            } else {
                sources.push(Source::File(path));
            }
        }
    }
    if sections.is_some() && !has_sections {
        let named = names.join(", ");
        notes.push(format!(
            "{named}: sections = \"{asked}\" changes nothing: there is no folder with folders like \
             02, 03 and so on in it"
        ));
    }
    Ok(Expanded { files: sources, notes })
}

fn passed_over(folder: &Path, files: &[PathBuf], others: usize) -> String {
    let kind = files.first().and_then(|f| extension(&f.to_string_lossy())).unwrap_or_default();
    format!(
        "{}: {} of other formats passed over, {} like .{kind} read",
        folder.display(),
        counted(others, "file"),
        counted(files.len(), "file")
    )
}

/// The numbers of `"02-21"` or `"02-21,24"`.
pub fn section_numbers(text: &str) -> Result<BTreeSet<u32>, TreebankError> {
    Ok(parse_sections(text)?.unwrap_or_default())
}

/// Numbers of the section folders in a folder; none where it has none, or is none.
pub fn section_folders(path: &Path) -> Result<BTreeSet<u32>, TreebankError> {
    let entries = if path.is_dir() { list(path)? } else { Vec::new() };
    Ok(entries.iter().filter(|entry| entry.is_dir()).filter_map(|entry| number(entry)).collect())
}

/// Section numbers of `"02-21"` or `"02-21,24"`; `None` where nothing is asked for.
fn parse_sections(text: &str) -> Result<Option<BTreeSet<u32>>, TreebankError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let bad = || TreebankError::Sections {
        sections: text.to_owned(),
        reason: "expected numbers and ranges, e.g. \"02-21\" or \"00,22,24\"".to_owned(),
    };
    let mut sections = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: u32 = first.trim().parse().map_err(|_| bad())?;
        let last: u32 = last.trim().parse().map_err(|_| bad())?;
        if first > last || last > 9999 {
            return Err(bad());
        }
        sections.extend(first..=last);
    }
    Ok(Some(sections))
}

/// The subfolder of that number, however many zeros it is written with.
pub(super) fn has_section(path: &Path, section: u32) -> Option<PathBuf> {
    let entries = if path.is_dir() { list(path).ok()? } else { return None };
    entries.into_iter().find(|entry| entry.is_dir() && number(entry) == Some(section))
}

/// The number that a section folder is named by.
fn number(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.parse().ok()
}

/// The treebank files below a folder, sorted by path: those of the first format that has any, trees
/// before text; and how many files of other formats there are.
fn folder(
    path: &Path,
    sections: &Option<BTreeSet<u32>>,
) -> Result<(Vec<PathBuf>, usize), TreebankError> {
    let numbered: Vec<_> =
        list(path)?.into_iter().filter(|p| p.is_dir() && number(p).is_some()).collect();
    let mut files = Vec::new();
    match sections {
        Some(wanted) if !numbered.is_empty() => {
            let chosen: Vec<_> = numbered
                .iter()
                .filter(|p| number(p).is_some_and(|n| wanted.contains(&n)))
                .collect();
            if chosen.is_empty() {
                return Err(TreebankError::Sections {
                    sections: wanted.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
                    reason: format!("no such section folder in {}", path.display()),
                });
            }
            for section in chosen {
                walk(section, &mut files)?;
            }
        }
        _ => walk(path, &mut files)?,
    }
    let all = || EXTENSIONS.iter().flat_map(|(_, extensions)| extensions.iter().copied());
    let any: Vec<&str> = all().collect();
    let readable = files.iter().filter(|f| has_extension(f, &any)).count();
    for (_, extensions) in EXTENSIONS {
        let known: Vec<_> =
            files.iter().filter(|f| has_extension(f, extensions)).cloned().collect();
        if !known.is_empty() {
            let others = readable - known.len();
            return Ok((known, others));
        }
    }
    Err(TreebankError::NothingInFolder {
        path: path.display().to_string(),
        extensions: all().collect::<Vec<_>>().join(", "),
    })
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    extension(&path.to_string_lossy()).is_some_and(|e| extensions.contains(&e.as_str()))
}

/// All files below a folder, each folder's entries in order of name.
fn walk(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), TreebankError> {
    for entry in list(path)? {
        // A link to a folder may lead round in a circle.
        if entry.is_symlink() && entry.is_dir() {
            continue;
        }
        if entry.is_dir() {
            walk(&entry, files)?;
        } else {
            files.push(entry);
        }
    }
    Ok(())
}

/// The entries of a folder in order of name, hidden ones left out.
fn list(path: &Path) -> Result<Vec<PathBuf>, TreebankError> {
    let failed = |e: std::io::Error| TreebankError::Read {
        path: path.display().to_string(),
        reason: e.to_string(),
    };
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            entries.push(entry.path());
        }
    }
    entries.sort();
    Ok(entries)
}

/// Files and folders that a pattern matches, in order of name; none is an error.
fn matches(pattern: &str) -> Result<Vec<PathBuf>, TreebankError> {
    let not_found = || TreebankError::NotFound { source_text: pattern.to_owned() };
    if !pattern.contains(['*', '?']) {
        return Err(not_found());
    }
    let absolute = pattern.starts_with('/');
    let mut found = vec![PathBuf::from(if absolute { "/" } else { "" })];
    for part in pattern.split('/').filter(|p| !p.is_empty()) {
        let mut next = Vec::new();
        for base in &found {
            let here = if base.as_os_str().is_empty() { Path::new(".") } else { base.as_path() };
            if part == "**" {
                next.push(base.clone());
                folders_below(here, base, &mut next)?;
            } else if part.contains(['*', '?']) {
                let entries = if here.is_dir() { list(here)? } else { Vec::new() };
                let names = entries.iter().filter_map(|e| e.file_name());
                next.extend(
                    names.filter(|n| wildcard(part, &n.to_string_lossy())).map(|n| base.join(n)),
                );
            } else if base.join(part).exists() {
                next.push(base.join(part));
            }
        }
        next.sort();
        next.dedup();
        found = next;
    }
    if found.is_empty() { Err(not_found()) } else { Ok(found) }
}

fn folders_below(here: &Path, base: &Path, into: &mut Vec<PathBuf>) -> Result<(), TreebankError> {
    for entry in list(here)? {
        if let Some(name) = entry.file_name().filter(|_| entry.is_dir() && !entry.is_symlink()) {
            into.push(base.join(name));
            folders_below(&entry, &base.join(name), into)?;
        }
    }
    Ok(())
}

/// Whether `*` (any characters) and `?` (one character) can be filled to give the name.
fn wildcard(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (p, n) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn treebank() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for file in [
            "wsj/02/wsj_0201.mrg",
            "wsj/02/wsj_0202.mrg",
            "wsj/03/wsj_0301.mrg",
            "wsj/22/wsj_2201.mrg",
            "wsj/README.md",
            "both/a.mrg",
            "both/a.txt",
            "text/b.txt",
            "none/c.pdf",
        ] {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().expect("has a parent")).expect("made");
            std::fs::write(path, "(S (NN a))\n").expect("written");
        }
        dir
    }

    #[test]
    fn a_run_folder_is_no_treebank() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for name in ["config.toml", "events.jsonl"] {
            std::fs::write(dir.path().join(name), "").expect("written");
        }
        let error = names(dir.path(), "", "").unwrap_err().to_string();
        assert!(error.contains("a run folder, no treebank"), "{error}");
    }

    fn names(dir: &Path, source: &str, sections: &str) -> Result<String, TreebankError> {
        let source = dir.join(source).display().to_string();
        let short = |s: &Source| match s {
            Source::File(p) => p.file_name().expect("a file").to_string_lossy().into_owned(),
            Source::Sample(name) => name.clone(),
        };
        Ok(expand(&[source], sections)?.iter().map(short).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn folders_patterns_and_sections_give_files_in_order() {
        let dir = treebank();
        for (source, sections, expected) in [
            ("wsj", "", "wsj_0201.mrg wsj_0202.mrg wsj_0301.mrg wsj_2201.mrg"),
            ("wsj", "02-21", "wsj_0201.mrg wsj_0202.mrg wsj_0301.mrg"),
            ("wsj", "3,22", "wsj_0301.mrg wsj_2201.mrg"),
            ("wsj/22", "02-21", "wsj_2201.mrg"),
            ("wsj/*/wsj_?2*1.mrg", "", "wsj_0201.mrg wsj_2201.mrg"),
            ("**/*01.mrg", "", "wsj_0201.mrg wsj_0301.mrg wsj_2201.mrg"),
            ("wsj/0*", "", "wsj_0201.mrg wsj_0202.mrg wsj_0301.mrg"),
            ("both", "", "a.mrg"),
            ("text", "", "b.txt"),
        ] {
            assert_eq!(names(dir.path(), source, sections).expect(source), expected, "{source}");
        }
    }

    #[test]
    fn sections_that_change_nothing_are_told() {
        let dir = treebank();
        let told = |source: &str, sections: &str| {
            let source = dir.path().join(source).display().to_string();
            let notes = expand_with_notes(&[source], sections).expect("readable").notes;
            notes.into_iter().filter(|note| note.contains("changes nothing")).count()
        };
        assert_eq!((told("wsj/22/wsj_2201.mrg", "02-21"), told("wsj/22", "02-21")), (1, 1));
        assert_eq!((told("wsj", "02-21"), told("wsj/22", "")), (0, 0));
    }

    #[test]
    fn what_cannot_be_found_is_named() {
        let dir = treebank();
        for (source, sections, part) in [
            ("absent.mrg", "", "absent.mrg"),
            ("wsj/*.xyz", "", "*.xyz"),
            ("none", "", "none"),
            ("wsj", "30-40", "section"),
            ("wsj", "two", "two"),
            ("wsj", "5-2", "5-2"),
        ] {
            let message = names(dir.path(), source, sections).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn wildcards_match_whole_names() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*.mrg", "a.mrg", true),
            ("*.mrg", "a.mrg2", false),
            ("a*b*c", "aXbYbc", true),
            ("?", "é", true),
            ("?", "", false),
        ] {
            assert_eq!(wildcard(pattern, name), expected, "{pattern} {name}");
        }
    }
}
