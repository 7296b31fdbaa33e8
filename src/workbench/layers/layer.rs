//! What a layer is, and the frame that all of them have.

use crate::workbench::news::TaskReport;
use crate::workbench::popup::Answer;
use crate::workbench::screen::{Effect, View};
use crate::workbench::text;
use crate::workbench::theme::Theme;
use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;
use ratatui::widgets::{Block, BorderType, Clear, Padding};

/// What a layer did with an event.
#[derive(Debug)]
pub enum Verdict {
    Consumed,
    /// It stays, and wants something done.
    Ask(Effect),
    /// Not for it; the layer below may have it.
    Pass,
    /// It is done.
    Close(Answer),
}

/// What comes to a layer.
#[derive(Debug)]
pub enum LayerInput<'a> {
    Key(KeyEvent),
    Paste(&'a str),
    /// The mouse chose a row of its list.
    Point(usize),
    /// The wheel was turned by so many rows, down if positive.
    Wheel(isize),
    /// A task that it asked for has news.
    Task(&'a mut TaskReport),
}

/// The name under which popups note the rows of their lists.
pub(super) const ROWS: &str = "popup";

/// A popup with state of its own.
pub trait Layer {
    /// What it wants done as it opens.
    fn begin(&mut self) -> Option<Effect> {
        None
    }

    fn update(&mut self, input: LayerInput) -> Verdict;

    /// Paints it inside `area`, which is everything but the line of keys.
    fn draw(&self, frame: &mut Frame, area: Rect, view: &View);

    /// Whether it has a text field.
    fn editing(&self) -> bool {
        false
    }

    /// What was typed into it, where that should not be lost.
    fn text(&self) -> Option<&str> {
        None
    }

    /// What its keys do, for the line of keys.
    fn keys(&self) -> &'static [(&'static str, &'static str)];
}

/// Areas of fewer rows have no frame around a popup.
const FRAMED: u16 = 7;

/// Clears a centred box of at most that size and draws its frame; gives the inside. Where there is
/// no room for a frame, all is cleared and the title stands above the inside.
pub(super) fn frame_popup(
    frame: &mut Frame,
    area: Rect,
    size: (u16, u16),
    title: &str,
    theme: &Theme,
) -> Rect {
    if area.height < FRAMED {
        frame.render_widget(Clear, area);
        let head = u16::from(area.height > 1);
        let title = text::fit(title, usize::from(area.width)).into_owned();
        frame.render_widget(Span::styled(title, theme.title), Rect { height: head, ..area });
        return Rect { y: area.y + head, height: area.height - head, ..area };
    }
    let width = size.0.min(area.width.saturating_sub(2)).max(1);
    let height = size.1.min(area.height).max(1);
    let place = Rect::new(
        area.x + (area.width.saturating_sub(width)) / 2,
        area.y + (area.height.saturating_sub(height)) / 2,
        width.min(area.width),
        height.min(area.height),
    );
    // A column free on both sides keeps text behind from touching the frame.
    let margin = Rect {
        x: place.x.saturating_sub(1).max(area.x),
        width: (place.width + 2).min(area.width),
        ..place
    };
    frame.render_widget(Clear, margin.intersection(area));
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(theme.focus)
        .title(format!(" {title} "))
        .title_style(theme.title)
        .padding(Padding::horizontal(1))
        .style(theme.text);
    let inside = block.inner(place);
    frame.render_widget(block, place);
    inside
}
