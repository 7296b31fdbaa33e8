use crate::render::{Charset, Diagram, Grid, Ink, Mark, Picture, Role};
use crate::render::{bracket_lines, bracket_row, indented, vertical};
use crate::workbench::theme::Theme;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

/// How trees are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TreeLayout {
    #[default]
    Vertical,
    Indented,
    Brackets,
    OneLine,
}

impl TreeLayout {
    /// The next one, for the key that changes layouts.
    pub fn next(self) -> TreeLayout {
        match self {
            TreeLayout::Vertical => TreeLayout::Indented,
            TreeLayout::Indented => TreeLayout::Brackets,
            TreeLayout::Brackets => TreeLayout::OneLine,
            TreeLayout::OneLine => TreeLayout::Vertical,
        }
    }

    /// The word for the screen.
    pub fn name(self) -> &'static str {
        match self {
            TreeLayout::Vertical => "vertical",
            TreeLayout::Indented => "horizontal",
            TreeLayout::Brackets => "brackets",
            TreeLayout::OneLine => "one line",
        }
    }

    fn picture(self, diagram: &Diagram, charset: Charset) -> Picture {
        match self {
            TreeLayout::Vertical => vertical(diagram, charset),
            TreeLayout::Indented => indented(diagram, charset),
            TreeLayout::Brackets => bracket_lines(diagram, charset),
            TreeLayout::OneLine => bracket_row(diagram, charset),
        }
    }
}

/// A picture and the place from which it is seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreePane {
    picture: Picture,
    column: usize,
    row: usize,
}

impl TreePane {
    /// A laid out tree, seen from its upper left corner.
    pub fn tree(diagram: &Diagram, layout: TreeLayout, theme: &Theme) -> TreePane {
        TreePane::picture(layout.picture(diagram, charset(theme)))
    }

    /// Any picture.
    pub fn picture(picture: Picture) -> TreePane {
        TreePane { picture, column: 0, row: 0 }
    }

    /// Moves the place; at least one column and row of the picture stay in view.
    pub fn scroll(&mut self, (columns, rows): (isize, isize)) {
        let to = |at: usize, by: isize, len: usize| {
            at.saturating_add_signed(by).min(len.saturating_sub(1))
        };
        self.column = to(self.column, columns, self.picture.width());
        self.row = to(self.row, rows, self.picture.height());
    }

    /// Draws the part that fits; arrows at the edges say where it goes on.
    pub fn draw(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        if width == 0 || height == 0 {
            return;
        }
        // A picture that fits is shown whole wherever it was scrolled to.
        let start = |at: usize, len: usize, room: usize| at.min(len.saturating_sub(room));
        let column = start(self.column, self.picture.width(), width);
        let row = start(self.row, self.picture.height(), height);
        let grid = self.picture.window(column, row, width, height);
        draw_grid(frame, area, &grid, theme);
        let mut arrow = |shown: bool, x: u16, y: u16, sign: &str| {
            if shown && let Some(cell) = frame.buffer_mut().cell_mut(Position::new(x, y)) {
                cell.set_symbol(sign).set_style(theme.accent);
            }
        };
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        arrow(column > 0, area.x, bottom, "◀");
        arrow(column + width < self.picture.width(), right, bottom, "▶");
        arrow(row > 0, right, area.y, "▲");
        let below = row + height < self.picture.height();
        arrow(below, right.saturating_sub(1).max(area.x), bottom, "▼");
    }
}

/// Line characters that the terminal has.
pub fn charset(theme: &Theme) -> Charset {
    if theme.unicode { Charset::Unicode } else { Charset::Ascii }
}

fn draw_grid(frame: &mut Frame, area: Rect, grid: &Grid<Ink>, theme: &Theme) {
    let buffer = frame.buffer_mut();
    for (y, row) in (area.y..).zip(0..grid.height()) {
        for (x, cell) in (area.x..).zip(grid.row(row)) {
            let Some(target) = buffer.cell_mut(Position::new(x, y)) else { continue };
            if cell.text.is_empty() {
                // The terminal skips what a wide character covers.
                target.reset();
                continue;
            }
            let coloured = matches!(cell.style.role, Role::Heat(_))
                && theme.heat(0.5).1.bg.is_some()
                && "░▒▓█".contains(&*cell.text);
            target.set_symbol(if coloured { " " } else { &cell.text });
            target.set_style(ink_style(cell.style, theme));
        }
    }
}

/// Style of a cell; every mark has its sign as well.
pub fn ink_style(ink: Ink, theme: &Theme) -> Style {
    let marked = match ink.mark {
        Mark::None => None,
        Mark::Matched => Some(theme.good),
        Mark::Missing => Some(theme.warning),
        Mark::Spurious => Some(theme.reference),
        Mark::Crossing => Some(theme.error),
    };
    match ink.role {
        Role::Blank => Style::new(),
        Role::Line => marked.unwrap_or(theme.border),
        Role::Label => marked.unwrap_or(theme.text).add_modifier(Modifier::BOLD),
        Role::Tag => theme.dim,
        Role::Word => theme.text,
        Role::UnknownWord => theme.warning.add_modifier(Modifier::ITALIC | Modifier::UNDERLINED),
        Role::Heat(percent) => {
            let heat = theme.heat(f64::from(percent) / 100.0).1;
            // A sign has to be seen on the lightest and on the darkest field.
            if heat.bg.is_some() && percent >= 60 {
                heat.fg(ratatui::style::Color::Indexed(16))
            } else {
                theme.text.patch(heat)
            }
        }
    }
}
