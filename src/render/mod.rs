//! Floor 3: layout of trees, span charts, surprisals and plots, independent of any terminal library.
//!
//! A [`Diagram`] is a tree ready to be drawn, with a [`Mark`] for every node. Laid out it
//! becomes a [`Picture`], whose size is known and of which any window can be asked for: views
//! scroll over it, and a tree never changes its look because the window is small. A window is a
//! [`Grid`] of cells that say what they are ([`Ink`]), not which colour they have. Exports
//! (brackets, JSON, LaTeX, SVG) start from the same diagram. Nothing here recurses, so depth
//! and length of sentences are bounded by memory only.

mod brackets;
mod diagram;
mod export;
mod grid;
mod heat;
mod hits;
mod indented;
mod latex;
mod letters;
mod marks;
mod picture;
mod plot;
#[cfg(test)]
mod read_back;
mod screen_svg;
mod sheet;
mod surprisal;
mod tree_png;
mod tree_svg;
mod vertical;

pub use brackets::{bracket_lines, bracket_row};
pub use diagram::{Diagram, DiagramNode, DiagramSpan};
pub use export::{to_brackets, to_forest, to_json};
pub use grid::{Cell, Grid, Ink, Role, clean, width};
pub use heat::heat_map;
pub use hits::Hit;
pub use indented::indented;
pub use latex::escape_latex;
pub use marks::{Mark, compared, mark_against};
pub use picture::{Charset, Picture};
pub use plot::{Axis, Plot, PlotPoint, Series, plot_to_svg};
pub use screen_svg::{Paint, screen_to_svg};
pub use sheet::{Anchor, Colour, LETTER, Shape, Sheet, sheet_to_png, sheet_to_svg};
pub use surprisal::{
    HeatStep, ScoredSentence, ScoredToken, SurprisalUnit, surprisal_lines, surprisal_rows,
    surprisals_to_json, surprisals_to_svg, surprisals_to_text,
};
pub use tree_png::trees_to_png;
pub use tree_svg::{tree_to_svg, trees_to_svg};
pub use vertical::vertical;
