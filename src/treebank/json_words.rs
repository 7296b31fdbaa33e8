//! What is wrong with a line of JSON, in words of its own: of a library's message the place in the
//! text and the names of types are of no use to who wrote the line.

/// Types as the library calls them, and as people do.
const WORDS: [(&str, &str); 4] = [
    ("a sequence", "a list"),
    ("a string", "a text"),
    ("u32", "a whole number, 0 or more"),
    ("u64", "a whole number, 0 or more"),
];

/// The fault of a line, with its column.
pub(crate) fn in_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or(&text);
    if error.is_eof() {
        return format!("the line breaks off at column {}", error.column());
    }
    let said = match message.strip_prefix("missing field ") {
        Some(field) => format!("{field} is missing"),
        None => plain(message),
    };
    // A fault of the whole line has no column.
    match error.column() {
        0 => said,
        column => format!("column {column}: {said}"),
    }
}

/// "invalid type: string \"x\", expected a sequence" as "found string \"x\", expected a list".
fn plain(message: &str) -> String {
    let found = ["invalid type: ", "invalid value: ", "invalid length "];
    let Some(rest) = found.into_iter().find_map(|said| message.strip_prefix(said)) else {
        return message.to_owned();
    };
    let (found, expected) = rest.split_once(", expected ").unwrap_or((rest, ""));
    let word = WORDS.into_iter().find(|(said, _)| *said == expected).map(|(_, word)| word);
    let expected = match word {
        None if expected.starts_with("struct ") => "an object",
        word => word.unwrap_or(expected),
    };
    format!("found {found}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[expect(dead_code, reason = "only its faults are looked at")]
    struct Sentence {
        schema: u64,
        candidates: Vec<String>,
    }

    #[test]
    fn faults_are_told_without_the_names_of_types() {
        for (line, said) in [
            ("{\"schema\":1,\"candidates\":[\"a", "the line breaks off at column 28"),
            ("{\"schema\":1}", "column 12: `candidates` is missing"),
            ("[1]", "found 1, expected an object"),
            ("{\"schema\":-1,\"candidates\":[]}", "found integer `-1`, expected a whole number, 0"),
            ("{\"schema\":1,\"candidates\":\"x\"}", "found string \"x\", expected a list"),
            ("{schema:1}", "column 2: key must be a string"),
            ("7", "found integer `7`, expected an object"),
        ] {
            let error = serde_json::from_str::<Sentence>(line).expect_err("faulty");
            let told = in_words(&error);
            assert!(told.contains(said), "{line}: {told} for {error}");
            assert!(!told.contains("line 1") && !told.contains("u64"), "{told}");
        }
    }
}
