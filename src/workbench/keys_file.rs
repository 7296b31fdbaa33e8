//! The user's own keys: `keys.toml` in the config directory.
//!
//! Commands go by their names in the table of commands, in a section for each screen; what is wrong
//! with a line is told with its number, and the other lines hold.

use super::command::{Command, Scope};
use super::commands;
use super::hints;
use super::keymap::Keymap;
use super::keys::Key;
use super::names::ScreenId;
use super::widgets::moves;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// Name of the file.
pub const FILE: &str = "keys.toml";
/// The section of global commands, and of those that several screens have.
const EVERYWHERE: &str = "everywhere";

/// Keys as a file gives them, and what is wrong with it: a sentence each, with file and line.
#[derive(Debug)]
pub struct Read {
    pub keymap: Keymap,
    pub problems: Vec<String>,
}

impl Default for Read {
    /// The keys of the table.
    fn default() -> Read {
        Read { keymap: commands::keymap(), problems: Vec::new() }
    }
}

/// Reads the user's keys; without a file those of the table hold.
pub fn read(path: &Path) -> Read {
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&path.display().to_string(), &text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Read::default(),
        Err(error) => {
            let problem = format!("{}: {error}; the keys are as without it", path.display());
            Read { problems: vec![problem], ..Read::default() }
        }
    }
}

/// A line that gives keys to a command.
struct Given {
    line: usize,
    scope: Scope,
    command: &'static Command,
    keys: Vec<String>,
    /// Whether it was given for every screen that has such a command.
    shared: bool,
}

/// Reads the text of such a file; `name` is what problems call it.
pub fn parse(name: &str, text: &str) -> Read {
    let line = |start: usize| text.get(..start).unwrap_or_default().matches('\n').count() + 1;
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let line = error.span().map_or(1, |span| line(span.start));
            let problem = format!("{name}:{line}: {}; no key of it holds", error.message());
            return Read { problems: vec![problem], ..Read::default() };
        }
    };
    let mut problems: Vec<(usize, String)> = Vec::new();
    let mut given: Vec<Given> = Vec::new();
    for (section, commands) in table.iter() {
        let at = line(section.span().start);
        let Some(scope) = scope_of(section.get_ref()) else {
            let screens = ScreenId::ALL.map(|id| id.title().to_lowercase());
            let known = [EVERYWHERE].into_iter().chain(screens.iter().map(String::as_str));
            let hint = nearest(section.get_ref(), known);
            problems.push((at, format!("no screen is named `{}`{hint}", section.get_ref())));
            continue;
        };
        let Some(commands) = commands.get_ref().as_table() else {
            let text =
                format!("`{0}` is a screen: write [{0}], and its keys below", section.get_ref());
            problems.push((at, text));
            continue;
        };
        for (command, keys) in commands.iter() {
            let at = line(command.span().start);
            let found = named(scope, command.get_ref());
            if found.is_empty() {
                problems.push((at, unknown(scope, command.get_ref())));
                continue;
            }
            match spelt(keys.get_ref(), found[0].1) {
                Ok(keys) => {
                    let shared = scope.is_none() && found[0].0.is_some();
                    given.extend(found.into_iter().map(|(scope, command)| Given {
                        line: at,
                        scope,
                        command,
                        keys: keys.clone(),
                        shared,
                    }));
                }
                Err(problem) => problems.push((at, problem)),
            }
        }
    }
    // What is said of one screen counts more than what is said of all.
    given.sort_by_key(|given| (given.shared, given.line));
    let mut seen: BTreeSet<(Scope, &str)> = BTreeSet::new();
    given.retain(|given| seen.insert((given.scope, given.command.name)));
    given.sort_by_key(|given| given.line);
    let (keymap, clashes) = settle(given);
    problems.extend(clashes);
    problems.sort();
    let problems = problems.into_iter().map(|(line, text)| format!("{name}:{line}: {text}"));
    Read { keymap, problems: problems.collect() }
}

/// `None` is no section at all.
fn scope_of(section: &str) -> Option<Scope> {
    if section == EVERYWHERE {
        return Some(None);
    }
    let is_it = |id: &ScreenId| id.title().to_lowercase() == section;
    ScreenId::ALL.into_iter().find(is_it).map(Some)
}

/// The commands that a name means in a section: of all screens those that share it.
fn named(section: Scope, name: &str) -> Vec<(Scope, &'static Command)> {
    let has = |(_, command): &(Scope, &'static Command)| command.name == name;
    match section {
        Some(id) => commands::on(id).filter(|(scope, _)| scope.is_some()).find(has),
        None => commands::global(name).map(|command| (None, command)),
    }
    .map_or_else(
        || match section {
            Some(_) => Vec::new(),
            None => commands::table().filter(has).collect(),
        },
        |found| vec![found],
    )
}

fn unknown(section: Scope, name: &str) -> String {
    if let Some(id) = section
        && commands::global(name).is_some()
    {
        return format!(
            "`{name}` is a command of every screen, not of {}: write it below [{EVERYWHERE}]",
            id.title()
        );
    }
    let known = commands::table().filter(|(scope, _)| section.is_none() || *scope == section);
    let hint = nearest(name, known.map(|(_, command)| command.name));
    let place = section.map_or("rankspace", ScreenId::title);
    format!("{place} has no command `{name}`{hint}; `rankspace keys` lists them")
}

fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let likeness = known.map(|known| (strsim::jaro_winkler(name, known), known));
    let best = likeness.filter(|(likeness, _)| *likeness > 0.75).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or(String::new(), |(_, known)| format!(", did you mean `{known}`?"))
}

/// The keys of a line: one, or several in brackets.
fn spelt(value: &DeValue, command: &Command) -> Result<Vec<String>, String> {
    let wanted =
        || format!("`{}` wants a key or a list of keys: \"p\", [\"p\", \"F5\"]", command.name);
    let values: Vec<&DeValue> = match (value.as_str(), value.as_array()) {
        (Some(_), _) => vec![value],
        (None, Some(values)) => values.iter().map(|value| value.get_ref()).collect(),
        (None, None) => return Err(wanted()),
    };
    let mut keys: Vec<String> = Vec::new();
    for value in values {
        let spelling = value.as_str().ok_or_else(wanted)?;
        let key = Key::parse(spelling).ok_or_else(|| {
            format!("`{spelling}` is no key: write p, G, Tab, Enter, Left, PageUp, F5, Ctrl-p, Alt-p or Shift-Left")
        })?;
        if Key::parse(commands::INTERRUPT) == Some(key) && command.name != "quit" {
            return Err(format!(
                "`{spelling}` always leaves what is open, and cannot be `{}`",
                command.name
            ));
        }
        if !keys.iter().any(|known| Key::parse(known) == Some(key)) {
            keys.push(spelling.to_owned());
        }
    }
    Ok(keys)
}

/// A key that two commands want: the line that is told, the key, who has it and who does not.
type Clash = (usize, String, String);

/// Gives the keys out so that each means one thing on a screen. Of two lines the first has a key; a
/// command that the user said nothing of gives its key up. Both are told.
fn settle(given: Vec<Given>) -> (Keymap, Vec<(usize, String)>) {
    let mut keymap = commands::keymap();
    for Given { scope, command, keys, .. } in &given {
        keymap.set(*scope, command, keys.clone());
    }
    // Screens by what is told of them.
    let mut clashes: BTreeMap<Clash, Vec<ScreenId>> = BTreeMap::new();
    for screen in ScreenId::ALL {
        let mut owners: Vec<(Key, &Given)> = Vec::new();
        let here = given.iter().filter(|g| g.scope.is_none() || g.scope == Some(screen));
        for own in here {
            for spelling in &own.keys {
                let Some(key) = Key::parse(spelling) else { continue };
                match owners.iter().find(|(other, _)| *other == key) {
                    Some((_, first)) => {
                        let text = format!(
                            "`{spelling}` is `{}` (line {}) already, so it is not `{}`",
                            first.command.name, first.line, own.command.name
                        );
                        clashes.entry((own.line, spelling.clone(), text)).or_default().push(screen);
                        let kept = keymap.keys(own.scope, own.command).into_iter();
                        let kept = kept.filter(|other| Key::parse(other) != Some(key));
                        let kept = kept.map(str::to_owned).collect();
                        keymap.set(own.scope, own.command, kept);
                    }
                    None => owners.push((key, own)),
                }
            }
        }
        for (scope, command) in commands::on(screen) {
            if given.iter().any(|g| g.scope == scope && g.command.name == command.name) {
                continue;
            }
            let taken = |spelling: &&str| {
                let key = Key::parse(spelling);
                owners.iter().find(|(other, _)| Some(*other) == key).map(|(_, own)| *own)
            };
            let lost: Vec<(&str, &Given)> =
                command.keys.iter().filter_map(|key| Some((*key, taken(key)?))).collect();
            if lost.is_empty() {
                continue;
            }
            let kept = command.keys.iter().find(|key| taken(key).is_none());
            for (key, own) in &lost {
                let now = match kept {
                    Some(other) => format!("`{}` keeps `{other}`", command.name),
                    None => format!("`{}` has no key now: give it one", command.name),
                };
                let text =
                    format!("`{key}` was `{}` and is `{}`; {now}", command.name, own.command.name);
                clashes.entry((own.line, (*key).to_owned(), text)).or_default().push(screen);
            }
            // A screen's own command goes before a global one, which keeps its key elsewhere.
            let gone = |own: &Given| scope.is_some() || own.scope.is_none();
            if lost.iter().any(|(_, own)| gone(own)) {
                let stay = command.keys.iter().filter(|key| !taken(key).is_some_and(gone));
                keymap.set(scope, command, stay.map(|key| (*key).to_owned()).collect());
            }
        }
    }
    let told = clashes.into_iter().map(|((line, _, text), screens)| {
        let names: Vec<&str> = screens.iter().map(|id| id.title()).collect();
        let place = match names.len() == ScreenId::ALL.len() {
            true => "everywhere".to_owned(),
            false => format!("on {}", names.join(", ")),
        };
        (line, format!("{place}: {text}"))
    });
    (keymap, told.collect())
}

/// The table of commands as such a file: keys of the user's own hold, the others are comments.
pub fn template(keymap: &Keymap, path: Option<&Path>) -> String {
    let path = path.map_or(FILE.to_owned(), |path| path.display().to_string());
    let mut text = format!(
        "# Keys of the workbench. What stands below as a comment is how things are. Take the # from a\n\
         # line to change its keys, and save it as\n\
         # {path}\n\
         #\n\
         # Keys are written p, G, ?, Space, Tab, Shift-Tab, Enter, Esc, Backspace, Delete, Insert, Left,\n\
         # Right, Up, Down, Home, End, PageUp, PageDown, F1 to F12, Ctrl-p, Alt-p. [] takes all keys of\n\
         # a command away. The first key is the one that the line of keys shows. Ctrl-c always leaves.\n"
    );
    let mut section = |title: String, note: &str, commands: Vec<(Scope, &'static Command)>| {
        text.push_str(&format!("\n[{title}]{note}\n"));
        for (scope, command) in commands {
            let keys: Vec<String> = keymap
                .keys(scope, command)
                .iter()
                .map(|key| toml::Value::String((*key).to_owned()).to_string())
                .collect();
            let mark = if keymap.is_own(scope, command) { "" } else { "# " };
            let line = format!("{mark}{} = [{}]", command.name, keys.join(", "));
            text.push_str(&format!(
                "{line:<44}  # {}\n",
                hints::told(command.help, &commands::keymap())
            ));
        }
    };
    let global = commands::GLOBAL.iter().map(|command| (None, command)).collect();
    section(EVERYWHERE.to_owned(), "", global);
    let shared = |command: &'static Command| moves::ALL.iter().any(|list| list.contains(command));
    for id in ScreenId::ALL {
        let own = commands::on(id).filter(|(scope, _)| scope.is_some());
        let changed = |c: &(Scope, &'static Command)| !shared(c.1) || keymap.is_own(c.0, c.1);
        section(id.title().to_lowercase(), "", own.filter(changed).collect());
    }
    text.push_str(
        "\n# Moving about, on every screen that has lists and trees. These stand below [everywhere] for all\n\
         # screens, or below the name of one.\n",
    );
    for command in moves::ALL.iter().flat_map(|list| list.iter()) {
        let keys: Vec<String> = command.keys.iter().map(|key| format!("{key:?}")).collect();
        let line = format!("# {} = [{}]", command.name, keys.join(", "));
        text.push_str(&format!(
            "{line:<44}  # {}\n",
            hints::told(command.help, &commands::keymap())
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(read: &Read, screen: ScreenId, key: &str) -> Option<&'static str> {
        let key = Key::parse(key).expect("a key");
        commands::find(&read.keymap, screen, key).map(|(_, command)| command.name)
    }

    #[test]
    fn commands_get_the_keys_that_the_file_gives_them() {
        let text = "[train]\npause = \"F5\"\n\n[everywhere]\npalette = [\"F1\", \"Ctrl-p\"]\n";
        let read = parse("keys.toml", text);
        assert_eq!(read.problems, [""; 0]);
        assert_eq!(find(&read, ScreenId::Train, "F5"), Some("pause"));
        assert_eq!(find(&read, ScreenId::Train, "p"), None);
        for screen in ScreenId::ALL {
            assert_eq!(find(&read, screen, "Ctrl-p"), Some("palette"));
            assert_eq!(find(&read, screen, ":"), None);
        }
        assert_eq!(find(&read, ScreenId::Runs, "p"), Some("open-parses"), "others keep theirs");
    }

    #[test]
    fn a_command_that_screens_share_is_given_keys_for_all_or_for_one() {
        let text = "[everywhere]\nscroll-left = \"F6\"\n[parses]\nscroll-left = \"F7\"\n";
        let read = parse("keys.toml", text);
        assert_eq!(read.problems, [""; 0]);
        assert_eq!(find(&read, ScreenId::Corpora, "F6"), Some("scroll-left"));
        assert_eq!(find(&read, ScreenId::Parses, "F6"), None);
        assert_eq!(find(&read, ScreenId::Parses, "F7"), Some("scroll-left"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_the_rest_holds() {
        let text = "[train]\npauze = \"p\"\nstop = 3\nresume = \"Hyper-r\"\nnew = \"Ctrl-c\"\n\
                    quit = \"Q\"\nfollow = \"F9\"\n[trains]\nx = \"y\"\n";
        let read = parse("keys.toml", text);
        let told = [
            "keys.toml:2: Train has no command `pauze`, did you mean `pause`?; `rankspace keys` lists them",
            "keys.toml:3: `stop` wants a key or a list of keys: \"p\", [\"p\", \"F5\"]",
            "keys.toml:4: `Hyper-r` is no key: write p, G, Tab, Enter, Left, PageUp, F5, Ctrl-p, Alt-p or Shift-Left",
            "keys.toml:5: `Ctrl-c` always leaves what is open, and cannot be `new`",
            "keys.toml:6: `quit` is a command of every screen, not of Train: write it below [everywhere]",
            "keys.toml:8: no screen is named `trains`, did you mean `train`?",
        ];
        assert_eq!(read.problems, told);
        assert_eq!(find(&read, ScreenId::Train, "F9"), Some("follow"));
        assert_eq!(find(&read, ScreenId::Train, "n"), Some("new"));
    }

    #[test]
    fn a_file_that_is_no_toml_changes_nothing() {
        let read = parse("keys.toml", "[train]\npause = \"p\nstop = \"x\"\n");
        assert!(read.keymap.has_keys_of(&commands::keymap()));
        assert_eq!(read.problems.len(), 1);
        assert!(read.problems[0].starts_with("keys.toml:2: "), "{:?}", read.problems);
    }

    #[test]
    fn of_two_lines_the_first_has_the_key() {
        let read = parse("k", "[train]\npause = \"F5\"\nstop = [\"F5\", \"F6\"]\n");
        assert_eq!(
            read.problems,
            ["k:3: on Train: `F5` is `pause` (line 2) already, so it is not `stop`"]
        );
        assert_eq!(find(&read, ScreenId::Train, "F5"), Some("pause"));
        assert_eq!(find(&read, ScreenId::Train, "F6"), Some("stop"));
    }

    #[test]
    fn a_command_that_nothing_was_said_of_gives_its_key_up_and_it_is_told() {
        let read = parse("k", "[train]\nstop = \"p\"\n");
        assert_eq!(
            read.problems,
            ["k:2: on Train: `p` was `pause` and is `stop`; `pause` keeps `Space`"]
        );
        assert_eq!(find(&read, ScreenId::Train, "p"), Some("stop"));
        assert_eq!(find(&read, ScreenId::Train, "Space"), Some("pause"));
        let read = parse("k", "[train]\nstop = \"n\"\n");
        assert!(read.problems[0].ends_with("`new` has no key now: give it one"), "{read:?}");
        // Both said: no clash at all.
        let read = parse("k", "[train]\nstop = \"n\"\nnew = \"x\"\n");
        assert_eq!(read.problems, [""; 0]);
        assert_eq!(find(&read, ScreenId::Train, "x"), Some("new"));
    }

    #[test]
    fn a_global_command_takes_a_key_from_the_screens_and_a_screen_one_from_it_there() {
        let read = parse("k", "[everywhere]\nhelp = \"x\"\n");
        assert_eq!(find(&read, ScreenId::Train, "x"), Some("help"));
        assert!(read.problems.iter().any(|p| p.contains("on Train: `x` was `stop`")), "{read:?}");
        let read = parse("k", "[train]\nstop = \"q\"\n");
        assert_eq!(find(&read, ScreenId::Train, "q"), Some("stop"));
        assert_eq!(find(&read, ScreenId::Runs, "q"), Some("quit"));
        assert_eq!(find(&read, ScreenId::Train, "Ctrl-c"), Some("quit"));
        assert_eq!(read.problems.len(), 1, "{read:?}");
    }

    #[test]
    fn the_template_is_such_a_file_and_says_how_things_are() {
        let plain = template(&commands::keymap(), None);
        let read = parse("k", &plain);
        let everything_is_a_comment = read.keymap.has_keys_of(&commands::keymap());
        assert!(everything_is_a_comment && read.problems.is_empty(), "{read:?}");
        let own = parse("k", "[train]\nstop = \"F5\"\n[log]\ndown = \"F6\"\n").keymap;
        let read = parse("k", &template(&own, None));
        assert!(read.keymap.has_keys_of(&own) && read.problems.is_empty(), "{read:?}");
    }

    #[test]
    fn every_line_of_the_template_holds_when_its_mark_is_taken_away() {
        let plain = template(&commands::keymap(), None);
        let is_key = |line: &&str| line.contains(" = [");
        let bare = |line: &str| match is_key(&line) {
            true => line.trim_start_matches("# ").to_owned(),
            false => line.to_owned(),
        };
        // Moving about comes last, and belongs to all screens.
        let (sections, moving) = plain.split_once("# Moving about").expect("both parts");
        let sections: String = sections.lines().map(|line| bare(line) + "\n").collect();
        let moving: String = moving.lines().filter(is_key).map(|line| bare(line) + "\n").collect();
        let everywhere = sections.replace("[everywhere]\n", &format!("[everywhere]\n{moving}"));
        let read = parse("k", &everywhere);
        assert_eq!(read.problems, [""; 0]);
        for id in ScreenId::ALL {
            for (_, command) in commands::on(id) {
                for key in command.keys {
                    assert_eq!(find(&read, id, key), Some(command.name), "{key} on {id:?}");
                }
            }
        }
    }
}
