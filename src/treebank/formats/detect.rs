//! What a file holds: its content tells where it can, else its extension.

use super::super::Reader;
use crate::config::{Encoding, Format};
use std::path::Path;

/// Extensions by format, in lower case, `.gz` left away; files of a folder are looked for in
/// this order.
pub(crate) const EXTENSIONS: [(Format, &[&str]); 6] = [
    (
        Format::Brackets,
        &["mrg", "ptb", "psd", "tree", "trees", "parse", "bracket", "brackets", "penn"],
    ),
    (Format::Export, &["export", "negra"]),
    (Format::Tiger, &["xml", "tiger"]),
    (Format::Json, &["jsonl"]),
    (Format::Columns, &["conll", "conllu", "conllx", "conll00", "col", "tags"]),
    (Format::Text, &["txt", "tok", "raw"]),
];

/// The extension in lower case, that of compression left away.
pub(crate) fn extension(name: &str) -> Option<String> {
    let of = |path: &Path| path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let path = Path::new(name);
    match of(path) {
        Some(gz) if gz == "gz" => of(Path::new(path.file_stem()?)),
        other => other,
    }
}

impl Format {
    /// What a file of this format holds, in words.
    pub fn describe(self) -> &'static str {
        match self {
            Format::Brackets => "bracketed trees",
            Format::Export => "NEGRA export",
            Format::Tiger => "TIGER-XML",
            Format::Columns => "columns of words and tags",
            Format::Json => "JSON lines",
            Format::Text => "plain text",
        }
    }

    /// The format that the extension of a file stands for.
    pub fn of_name(name: &str) -> Option<Format> {
        let extension = extension(name)?;
        EXTENSIONS.iter().find(|(_, all)| all.contains(&&*extension)).map(|(format, _)| *format)
    }

    /// By the first bytes of the content where they are telling, else by the extension; what
    /// neither tells is plain text.
    pub fn detect(name: &str, beginning: &[u8]) -> Format {
        let by_extension = Format::of_name(name);
        by_content(beginning, by_extension).or(by_extension).unwrap_or(Format::Text)
    }
}

/// Zero bytes among others that are not UTF-8: no encoding of text that is read here.
pub(super) fn is_binary(beginning: &[u8]) -> bool {
    let is_utf8 = match std::str::from_utf8(beginning) {
        Ok(_) => true,
        // A character may be cut where the beginning ends.
        Err(e) => e.error_len().is_none(),
    };
    !is_utf8 && beginning.contains(&0)
}

/// The encoding that an XML declaration names, if it is one that is read here.
pub(super) fn declared_encoding(beginning: &[u8]) -> Option<Encoding> {
    let declaration = text(beginning).strip_prefix(b"<?xml")?;
    let end = declaration.iter().position(|&b| b == b'>')?;
    let declaration = String::from_utf8_lossy(&declaration[..end]).to_lowercase();
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?;
    let name = value.trim_start().trim_start_matches(['"', '\'']);
    ["iso-8859-1", "latin1", "latin-1", "windows-1252"]
        .iter()
        .any(|known| name.starts_with(known))
        .then_some(Encoding::Latin1)
}

/// The beginning without byte order mark and blanks before the first sign.
fn text(beginning: &[u8]) -> &[u8] {
    beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start()
}

fn by_content(beginning: &[u8], by_extension: Option<Format>) -> Option<Format> {
    let content = text(beginning);
    let starts = |part: &&[u8]| content.starts_with(part);
    let xml: [&[u8]; 7] =
        [b"<?xml", b"<corpus", b"<subcorpus", b"<body", b"<s>", b"<s ", b"<!DOCTYPE"];
    if xml.iter().any(starts) {
        return Some(Format::Tiger);
    }
    let mut lines = content.split(|&b| b == b'\n').filter(|l| !l.trim_ascii().is_empty());
    let first = lines.next()?;
    if first.starts_with(b"{") && first.windows(7).any(|w| w == b"\"words\"") {
        return Some(Format::Json);
    }
    let of_export: [&[u8]; 3] = [b"#FORMAT ", b"#BOS ", b"#BOT "];
    let remarks = content.split(|&b| b == b'\n').take_while(|line| {
        line.trim_ascii().is_empty() || line.starts_with(b"%%") || line.starts_with(b"#")
    });
    if remarks.flat_map(|line| of_export.map(|mark| line.starts_with(mark))).any(|is| is) {
        return Some(Format::Export);
    }
    match by_extension {
        // Text may begin a line with a bracket, so a whole tree has to stand there.
        Some(Format::Text) => {
            let brackets = looks_bracketed(first) && holds_a_tree_first(content);
            brackets.then_some(Format::Brackets)
        }
        _ if content.split(|&b| b == b'\n').any(looks_bracketed) => Some(Format::Brackets),
        None if looks_tabular(content) => Some(Format::Columns),
        _ => None,
    }
}

fn holds_a_tree_first(content: &[u8]) -> bool {
    matches!(Reader::new(content, "").next(), Some(Ok(_)))
}

/// Whether a line opens two brackets, as `(S (` or `( (`.
fn looks_bracketed(line: &[u8]) -> bool {
    let Some(inside) = line.trim_ascii_start().strip_prefix(b"(") else { return false };
    let inside = inside.trim_ascii_start();
    let label = inside.iter().position(|b| b" \t\r()".contains(b)).unwrap_or(inside.len());
    let rest = inside[label..].trim_ascii_start();
    // A label alone on its line, or one before the next bracket.
    rest.first().is_none_or(|&b| b == b'(')
}

/// Whether the lines have one and the same number of fields between tabs, two or more, and no
/// blank in the first two.
fn looks_tabular(content: &[u8]) -> bool {
    let whole = content.iter().rposition(|&b| b == b'\n').map_or(content, |end| &content[..end]);
    let rows: Vec<Vec<&[u8]>> = whole
        .split(|&b| b == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty() && !line.starts_with(b"# "))
        .map(|line| line.split(|&b| b == b'\t').collect())
        .collect();
    let width = rows.first().map_or(0, Vec::len);
    let word = |field: &&[u8]| !field.is_empty() && !field.contains(&b' ');
    width >= 2 && rows.iter().all(|row| row.len() == width && row[..2].iter().all(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_or_else_the_extension_tells_the_format() {
        use Format::{Brackets, Columns, Export, Json, Text, Tiger};
        for (name, content, expected) in [
            ("a.mrg", "just text", Brackets),
            ("a.PTB", "", Brackets),
            ("a.mrg.gz", "", Brackets),
            ("a.txt", "( a ) b", Text),
            ("a.txt", "(laughter) (applause)\n", Text),
            ("a.txt", "((c) 2004)\n", Text),
            ("ptb-train.txt", "(S (NP (NN a)) (VP (VB b)))\n", Brackets),
            ("a.txt", "word\tother\nword\tother\n", Text),
            ("-", "(S (NP (NN a)))", Brackets),
            ("-", "\u{feff}( (S", Brackets),
            ("-", "# remark\n((S (NN a)))", Brackets),
            ("-", "(TOP\n  (S", Brackets),
            ("-", "(laughter) he said", Text),
            ("-", "a sentence", Text),
            ("", "", Text),
            ("wsj_0001", "( (S", Brackets),
            ("-", "#FORMAT 3\n", Export),
            ("a.mrg", "%% remark\n#BOS 1 1 0 1\n", Export),
            ("a.txt", "#BOT ORIGIN\n", Export),
            ("-", "#1 hit\nof the year\n", Text),
            ("-", "<?xml version=\"1.0\"?>\n<corpus>", Tiger),
            ("a.txt", "<s id=\"s1\">", Tiger),
            ("-", "{\"words\": [\"a\"]}\n", Json),
            ("-", "{ he said }\n", Text),
            ("-", "1\tThe\tthe\tDET\n2\tcat\tcat\tNOUN\n\n", Columns),
            ("-", "# sent 1\nThe\tDT\ncat\tNN\n\n", Columns),
            ("a.conllu", "", Columns),
            ("a.jsonl", "", Json),
            ("a.negra", "", Export),
        ] {
            assert_eq!(Format::detect(name, content.as_bytes()), expected, "{name}: {content}");
        }
    }

    #[test]
    fn the_encoding_of_an_xml_declaration_holds() {
        let declared = |text: &str| declared_encoding(text.as_bytes());
        let latin1 = "<?xml version=\"1.0\" encoding='ISO-8859-1' standalone=\"yes\"?>\n<corpus>";
        assert_eq!(declared(latin1), Some(Encoding::Latin1));
        assert_eq!(declared("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), None);
        assert_eq!(declared("<corpus encoding=\"latin1\">"), None);
    }
}
