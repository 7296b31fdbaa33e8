//! The picture of choosing a file.

use super::super::layer::{ROWS, frame_popup};
use super::{Files, Row};
use crate::workbench::popup::Wanted;
use crate::workbench::screen::View;
use crate::workbench::text::{bytes, clean, fit, fit_end, wrap};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

/// Columns of a size.
const SIZE: usize = 9;

pub fn draw(files: &Files, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let size = (area.width.saturating_sub(6).clamp(40, 110), area.height.saturating_sub(2).min(32));
    let inside = frame_popup(frame, area, size, &files.title, theme);
    files.field.draw(frame, Rect { height: 1, ..inside }.intersection(inside), "> ", true, theme);
    if inside.height < 3 {
        return;
    }
    let place = Rect { y: inside.y + 1, height: 1, ..inside };
    let width = usize::from(inside.width);
    let folder = files.folder().display().to_string();
    let folder = fit_end(&clean(&folder), usize::from(place.width)).into_owned();
    let (note, style) = match files.here() {
        _ if files.problem.is_some() => {
            (files.problem.as_deref().map(clean).unwrap_or_default().into_owned(), theme.error)
        }
        _ if files.chosen.is_some() => ("looking at it…".to_owned(), theme.dim),
        None => ("reading the folder…".to_owned(), theme.dim),
        Some(listing) => match &listing.problem {
            Some(problem) => (clean(problem).into_owned(), theme.warning),
            None => (folder, theme.dim),
        },
    };
    let mut notes = wrap(&note, width);
    // A reason may need some lines, but the list keeps most of the room.
    notes.truncate(usize::from(inside.height / 3).max(1));
    let above = notes.len() as u16;
    frame.render_widget(
        Paragraph::new(notes.join("\n")).style(style),
        Rect { height: above, ..place },
    );
    let list = Rect { y: place.y + above, height: inside.height - 1 - above, ..inside };
    if files.shown.is_empty() {
        let text = match files.here() {
            Some(_) => "nothing here matches; Enter opens what is typed, if it is there",
            None => "",
        };
        frame.render_widget(Span::styled(text, theme.dim), list);
        return;
    }
    let rows = usize::from(list.height);
    let top = (files.selected + 1).saturating_sub(rows);
    view.list(ROWS, list, top, files.selected, files.shown.len());
    let names = 9 * usize::from(list.width) / 20;
    for (y, (i, row)) in (list.y..).zip(files.shown.iter().enumerate().skip(top).take(rows)) {
        let place = Rect { y, height: 1, ..list };
        let chosen = i == files.selected;
        let (name, size, what, wanted) = columns(files, *row, names);
        let text = if wanted { theme.text } else { theme.dim };
        let (text, dim) = if chosen { (theme.selected, theme.selected) } else { (text, theme.dim) };
        if chosen {
            frame.buffer_mut().set_style(place, theme.selected);
        }
        let pad = " ".repeat(names.saturating_sub(name.width()));
        let room = usize::from(list.width).saturating_sub(names + SIZE + 6);
        let line = Line::from(vec![
            Span::styled(if chosen { "› " } else { "  " }, text),
            Span::styled(name, text),
            Span::styled(pad, text),
            Span::styled(format!("{size:>SIZE$}  "), dim),
            Span::styled(fit(&clean(&what), room).into_owned(), dim),
        ]);
        frame.render_widget(line, place);
    }
}

/// Name, size and what a row holds, and whether it is of the kind that is looked for.
fn columns(files: &Files, row: Row, names: usize) -> (String, String, String, bool) {
    let none = String::new;
    match row {
        Row::Instead => (files.instead.unwrap_or_default().to_owned(), none(), none(), true),
        Row::Recent(i) => {
            let recent = &files.recent[i];
            let path = recent.path.strip_prefix(&files.base).unwrap_or(&recent.path);
            let name = clean(&path.display().to_string()).into_owned();
            let name = fit_end(&name, names).into_owned();
            (name, none(), format!("recent {}", recent.what), true)
        }
        Row::Up => ("..".to_owned(), none(), "the folder above".to_owned(), true),
        Row::This => (".".to_owned(), none(), "this folder, as a treebank".to_owned(), true),
        Row::Entry(i) => {
            let Some(entry) = files.entry(i) else { return (none(), none(), none(), true) };
            let stroke = if entry.is_folder { "/" } else { "" };
            let name = fit(&clean(&entry.name), names.saturating_sub(1)).into_owned() + stroke;
            let what = entry.what.as_ref().map_or("…", |what| what.text.as_str());
            // A folder may hold what is looked for.
            let wanted = entry.what.is_none()
                || (entry.is_folder && files.wanted != Wanted::Anything)
                || files.fits(what);
            (name, entry.size.map_or_else(none, bytes), what.to_owned(), wanted)
        }
    }
}
