use super::*;
use crate::workbench::shared::{RunEntry, Shared};
use crate::workbench::task::Outcome;
use crate::workbench::theme::{Theme, ThemeName};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn nothing() -> Parses { Parses::default() }
