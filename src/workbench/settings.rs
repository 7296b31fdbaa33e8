//! The user's settings of the workbench: `workbench.toml` in the config directory. What is chosen
//! by keys is remembered elsewhere, in [`super::memory`].

use super::theme::ThemeName;
use std::path::Path;
use toml::de::DeTable;

/// Name of the file.
pub const FILE: &str = "workbench.toml";

/// What every start begins with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub theme: Option<ThemeName>,
    /// Whether the workbench takes the mouse.
    pub mouse: Option<bool>,
}

/// Reads the settings, and what is wrong with them: a sentence each, with file and line.
pub fn read(path: &Path) -> (Settings, Vec<String>) {
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&path.display().to_string(), &text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Default::default(),
        Err(error) => (Settings::default(), vec![format!("{}: {error}", path.display())]),
    }
}

fn parse(name: &str, text: &str) -> (Settings, Vec<String>) {
    let line = |start: usize| text.get(..start).unwrap_or_default().matches('\n').count() + 1;
    let (mut settings, mut problems) = (Settings::default(), Vec::new());
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let line = error.span().map_or(1, |span| line(span.start));
            return (settings, vec![format!("{name}:{line}: {}", error.message())]);
        }
    };
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (key, value) in table.iter() {
        let problem = match key.get_ref().as_ref() {
            "theme" => {
                settings.theme = value.get_ref().as_str().and_then(ThemeName::parse);
                let names = ThemeName::ALL.map(|name| format!("\"{}\"", name.name())).join(", ");
                settings.theme.is_none().then(|| format!("theme is one of {names}"))
            }
            "mouse" => {
                settings.mouse = value.get_ref().as_bool();
                settings.mouse.is_none().then(|| "mouse is true or false".to_owned())
            }
            other => Some(format!("no setting is named `{other}`: there are theme and mouse")),
        };
        lines.extend(problem.map(|problem| (line(key.span().start), problem)));
    }
    lines.sort();
    problems.extend(lines.into_iter().map(|(line, problem)| format!("{name}:{line}: {problem}")));
    (settings, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_what_is_wrong_is_told_with_its_line() {
        let (settings, problems) = parse("w", "theme = \"safe-light\"\nmouse = false\n");
        let wanted = Settings { theme: Some(ThemeName::SafeLight), mouse: Some(false) };
        assert_eq!((settings, problems), (wanted, Vec::new()));
        let (settings, problems) = parse("w", "# mine\ntheme = \"sepia\"\nmouse = 1\nfont = 3\n");
        assert_eq!(settings, Settings::default());
        let told = [
            "w:2: theme is one of \"dark\", \"light\", \"safe\", \"safe-light\", \"mono\"",
            "w:3: mouse is true or false",
            "w:4: no setting is named `font`: there are theme and mouse",
        ];
        assert_eq!(problems, told);
        let (settings, problems) = parse("w", "theme = \"dark\"\nmouse = tru\n");
        assert_eq!(settings, Settings::default());
        assert!(problems.len() == 1 && problems[0].starts_with("w:2: "), "{problems:?}");
    }

    #[test]
    fn without_a_file_nothing_is_set_and_nothing_is_wrong() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(read(&folder.path().join(FILE)), Default::default());
    }
}
