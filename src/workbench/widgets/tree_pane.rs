use crate::render::{Charset, Diagram, Grid, Hit, Ink, Mark, Picture, Role};
use crate::render::{bracket_lines, bracket_row, indented, vertical};
use crate::workbench::text::fit;
use crate::workbench::theme::{Theme, ThemeName};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;
use unicode_width::UnicodeWidthStr;

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

    /// Moves the place so that the first word which is set apart is in view, with some of what
    /// stands before it.
    pub fn reveal_words_apart(&mut self) {
        if let Some((column, row)) = self.picture.first(Role::UnknownWord) {
            (self.column, self.row) = (column.saturating_sub(8), row.saturating_sub(4));
        }
    }

    /// Moves the place so that the match that a search stands at is in view, with some of what is
    /// around it.
    pub fn reveal_match(&mut self) {
        if let Some((column, row)) = self.picture.hit(Hit::Current) {
            (self.column, self.row) = (column.saturating_sub(16), row.saturating_sub(4));
        }
    }

    /// Draws the part that fits into the block; beside the title stands which part that is, if
    /// it is not the whole.
    pub fn draw_framed(
        &self,
        frame: &mut Frame,
        area: Rect,
        block: Block,
        title: &str,
        theme: &Theme,
    ) {
        let inside = block.inner(area);
        // A blank on either side of both, the corners, and a piece of line between.
        let room = usize::from(area.width).saturating_sub(7);
        let part = self.part_of(inside, room.saturating_sub(title.width()));
        let title = match part.is_empty() {
            true => fit(title, room + 3),
            false => fit(title, room.saturating_sub(part.width())),
        };
        let mut block = block.title(Span::styled(format!(" {title} "), theme.title));
        if !part.is_empty() {
            block = block.title(Line::styled(format!(" {part} "), theme.accent).right_aligned());
        }
        frame.render_widget(block, area);
        let (column, row) = self.corner(inside);
        let (width, height) = (usize::from(inside.width), usize::from(inside.height));
        if width > 0 && height > 0 {
            draw_grid(frame, inside, &self.picture.window(column, row, width, height), theme);
        }
    }

    /// Where the view begins. A picture that fits is shown whole wherever it was scrolled to.
    fn corner(&self, area: Rect) -> (usize, usize) {
        let start = |at: usize, len: usize, room: u16| at.min(len.saturating_sub(room.into()));
        (
            start(self.column, self.picture.width(), area.width),
            start(self.row, self.picture.height(), area.height),
        )
    }

    /// Which columns and rows are in view, with arrows to where the tree goes on, in as many
    /// words as there is room for; empty where all of it is.
    fn part_of(&self, area: Rect, room: usize) -> String {
        let (column, row) = self.corner(area);
        let sides = [
            ("columns", ["◀", "▶"], column, usize::from(area.width), self.picture.width()),
            ("rows", ["▲", "▼"], row, usize::from(area.height), self.picture.height()),
        ];
        let cut = || sides.iter().filter(|(_, _, _, shown, all)| shown < all);
        let arrow = |sign: &'static str, shown: bool| if shown { sign } else { "" };
        let words = |named: bool| {
            let side = |(name, [back, on], at, shown, all): &(&str, [&'static str; 2], _, _, _)| {
                let (at, shown, all): (usize, usize, usize) = (*at, *shown, *all);
                let name = if named { format!("{name} ") } else { String::new() };
                let of = if named { " of " } else { "/" };
                let (before, behind) = (arrow(back, at > 0), arrow(on, at + shown < all));
                let range = format!("{name}{}–{}{of}{all}", at + 1, at + shown);
                format!("{before} {range} {behind}").trim().to_owned()
            };
            cut().map(side).collect::<Vec<_>>().join(" · ")
        };
        let fitting = [words(true), words(false)].into_iter().find(|text| text.width() <= room);
        fitting.unwrap_or_else(|| {
            let arrows = cut().map(|&(_, [back, on], at, shown, all)| {
                [arrow(back, at > 0), arrow(on, at + shown < all)].concat()
            });
            arrows.collect()
        })
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

/// Style of a cell; every mark has its sign as well, and what a search found.
pub fn ink_style(ink: Ink, theme: &Theme) -> Style {
    let marked = match ink.mark {
        Mark::None => None,
        Mark::Matched => Some(theme.good),
        Mark::Missing => Some(theme.warning),
        Mark::Spurious => Some(theme.reference),
        Mark::Crossing => Some(theme.error),
    };
    let style = match ink.role {
        Role::Blank => Style::new(),
        Role::Line => marked.unwrap_or(theme.border),
        Role::Label => marked.unwrap_or(theme.text).add_modifier(Modifier::BOLD),
        Role::Tag => theme.dim,
        Role::Word => theme.text,
        Role::UnknownWord => theme.warning.add_modifier(Modifier::ITALIC | Modifier::UNDERLINED),
        Role::Heat(percent) => {
            let heat = theme.heat(f64::from(percent) / 100.0).1;
            // A sign has to be seen on the lightest and on the darkest field: with the light theme
            // fields darken as they rise.
            match (heat.bg, theme.name) {
                (Some(_), ThemeName::Light) if percent >= 93 => heat.fg(Color::Indexed(231)),
                (Some(_), _) if percent >= 50 => heat.fg(Color::Indexed(16)),
                _ => theme.text.patch(heat),
            }
        }
    };
    match ink.hit {
        Hit::None => style,
        Hit::Named => style.add_modifier(Modifier::UNDERLINED),
        Hit::Found => style.patch(theme.accent).add_modifier(Modifier::UNDERLINED),
        Hit::Current => style.patch(theme.hit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::DiagramSpan;
    use crate::workbench::testing::draw_text;
    use crate::workbench::widgets::{moves, pane};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::buffer::Buffer;

    /// Wider and deeper than any small window, with wide and combining characters and phrases
    /// without labels.
    fn tree() -> Diagram {
        let n = 24;
        let words: Vec<String> =
            (0..n).map(|i| ["言語", "e\u{301}t", "word"][i % 3].repeat(1 + i % 2)).collect();
        let labels = ["NP-SBJ", "", "文", "VP"];
        let spans: Vec<_> = (0..n as u32 - 1)
            .map(|i| DiagramSpan { start: i, end: n as u32, label: labels[i as usize % 4] })
            .collect();
        Diagram::from_spans(&words, Some(&vec!["TAG"; n]), &spans).expect("nested")
    }

    fn buffer(pane_of_tree: &TreePane, theme: &Theme, width: u16, height: u16) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
        let drawn = terminal.draw(|frame| {
            pane_of_tree.draw_framed(frame, frame.area(), pane("", theme, false), "T", theme);
        });
        drawn.expect("draws").buffer.clone()
    }

    #[test]
    fn scrolling_shows_every_cell_of_the_tree_and_none_that_is_not_of_it() {
        let theme = Theme::new(ThemeName::Dark, true);
        let layouts =
            [TreeLayout::Vertical, TreeLayout::Indented, TreeLayout::Brackets, TreeLayout::OneLine];
        for layout in layouts {
            let mut view = TreePane::tree(&tree(), layout, &theme);
            let (width, height) = (view.picture.width(), view.picture.height());
            let whole = view.picture.window(0, 0, width, height);
            let mut seen = vec![vec![false; width]; height];
            let (right, down) = ("scroll-right", "scroll-down");
            for _ in 0..=height / 3 {
                view.column = 0;
                for _ in 0..=width / 8 {
                    let cells = buffer(&view, &theme, 44, 12);
                    let inside = Rect { x: 2, y: 1, width: 40, height: 10 };
                    let (column, row) = view.corner(inside);
                    for (y, x) in (0..10).flat_map(|y| (0..40).map(move |x| (y, x))) {
                        let (r, c) = (row + y, column + x);
                        if r >= height || c >= width {
                            continue;
                        }
                        let symbol = cells[(x as u16 + 2, y as u16 + 1)].symbol();
                        let there = &*whole.row(r)[c].text;
                        // What a wide character covers is a blank cell in the buffer.
                        let same = symbol == there || (there.is_empty() && symbol == " ");
                        let edge = !(2..38).contains(&x);
                        assert!(
                            same || (edge && "… ".contains(symbol)),
                            "{symbol:?} for {there:?}"
                        );
                        seen[r][c] |= same;
                    }
                    view.scroll(moves::scrolled(right).expect("scrolls"));
                }
                view.scroll(moves::scrolled(down).expect("scrolls"));
            }
            assert!(seen.iter().flatten().all(|&cell| cell), "{layout:?}: a cell was never seen");
        }
    }

    #[test]
    fn a_view_that_is_cut_says_so_in_as_many_words_as_there_is_room_for() {
        let theme = Theme::new(ThemeName::Dark, true);
        let mut view = TreePane::tree(&tree(), TreeLayout::Vertical, &theme);
        let title = |view: &TreePane, width: u16, height: u16| {
            let drawn = draw_text(width, height, |frame| {
                view.draw_framed(frame, frame.area(), pane("", &theme, false), "Tree", &theme);
            });
            drawn.lines().next().expect("a row").trim_matches(['╭', '╮', '─']).to_owned()
        };
        let (width, height) = (view.picture.width(), view.picture.height());
        assert_eq!(title(&view, width as u16 + 4, height as u16 + 2), " Tree ");
        let first = title(&view, 70, 12);
        assert!(
            first.ends_with(&format!("columns 1–66 of {width} ▶ · rows 1–10 of {height} ▼ ")),
            "{first}"
        );
        view.scroll((8, 3));
        assert!(title(&view, 44, 12).contains("◀ 9–48/"), "{}", title(&view, 44, 12));
        assert!(title(&view, 20, 12).contains("◀▶▲▼"), "{}", title(&view, 20, 12));
    }
}
