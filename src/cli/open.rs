//! Without a command: the workbench, on what is named.

use super::args::{Arguments, Theme};
use super::failure::Usage;
use crate::workbench::{self, Options, ThemeName};
use anyhow::{Result, anyhow};
use clap::CommandFactory;
use std::path::{Path, PathBuf};

pub fn run(paths: Vec<PathBuf>, theme: Option<Theme>) -> Result<()> {
    if let Some(path) = paths.iter().find(|path| !path.exists()) {
        return Err(no_such_path(path));
    }
    let theme = theme.map(|theme| match theme {
        Theme::Dark => ThemeName::Dark,
        Theme::Light => ThemeName::Light,
        Theme::Safe => ThemeName::Safe,
        Theme::SafeLight => ThemeName::SafeLight,
        Theme::Mono => ThemeName::Mono,
    });
    workbench::run(Options { paths, theme }).map_err(|error| match error.exit_code() {
        2 => Usage(error.to_string()).into(),
        _ => error.into(),
    })
}

/// The first argument, where a flag is unknown only because that argument is a command mistyped:
/// then the flag is not what to complain about.
pub fn mistyped(error: &clap::Error) -> Option<PathBuf> {
    let first = PathBuf::from(std::env::args_os().nth(1)?);
    let is_command =
        Arguments::command().get_subcommands().any(|c| first == Path::new(c.get_name()));
    let is_flag = first.to_string_lossy().starts_with('-');
    let is_unknown_flag = error.kind() == clap::error::ErrorKind::UnknownArgument;
    (is_unknown_flag && !is_command && !is_flag && !first.exists()).then_some(first)
}

/// A bare word was most likely meant as a command.
pub fn no_such_path(path: &Path) -> anyhow::Error {
    let name = path.to_string_lossy();
    let is_bare = path.components().count() == 1 && path.extension().is_none();
    if !is_bare {
        return anyhow!("{name}: no such file or folder");
    }
    let root = Arguments::command();
    let nearest = root
        .get_subcommands()
        .map(|command| (strsim::jaro_winkler(&name, command.get_name()), command.get_name()))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = match nearest {
        Some((_, command)) => format!("did you mean `rankspace {command}`?"),
        None => "`rankspace --help` lists the commands".to_owned(),
    };
    Usage(format!("no command and no file named `{name}`; {hint}")).into()
}
