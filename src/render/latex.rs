//! Text for LaTeX.

/// Text as LaTeX prints it in words and tables; control characters become blanks.
pub fn escape_latex(text: &str) -> String {
    escape(text, |_| None)
}

/// The same where every sign is to be seen as it is: without ligatures, and in any font encoding.
pub(super) fn escape_literally(text: &str) -> String {
    escape(text, |c| {
        Some(match c {
            '<' => "\\textless{}",
            '>' => "\\textgreater{}",
            '|' => "\\textbar{}",
            // Straight quotes and runs of hyphens would be changed by ligatures.
            '"' => "\\textquotedbl{}",
            '-' => "{-}",
            '`' => "\\textasciigrave{}",
            _ => return None,
        })
    })
}

fn escape(text: &str, special: impl Fn(char) -> Option<&'static str>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            c if c.is_control() => out.push(' '),
            c => match special(c) {
                Some(name) => out.push_str(name),
                None => out.push(c),
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_latex_are_escaped_and_ligatures_kept_apart_where_asked() {
        assert_eq!(
            escape_latex("a_b & 5 %\t-- \\~^"),
            "a\\_b \\& 5 \\% -- \\textbackslash{}\\textasciitilde{}\\textasciicircum{}"
        );
        assert_eq!(
            escape_literally("--<\"`|"),
            "{-}{-}\\textless{}\\textquotedbl{}\\textasciigrave{}\\textbar{}"
        );
    }
}
