//! Splits a typed sentence into words by the rules of the Penn Treebank:
//! punctuation stands alone, `don't` is `do n't`, `"` becomes `` or '', brackets
//! are escaped, the period of the sentence is split off, those of abbreviations
//! are not. A sentence in which a mark stands alone is tokenised already, and
//! comes out as it went in.

/// Marks that do not stand alone in text as people write it.
const LONE_MARKS: [&str; 14] =
    [",", ".", ";", ":", "?", "!", "\"", "``", "''", "(", ")", "-LRB-", "-RRB-", "..."];

/// Clitics that are words of their own.
const CLITICS: [&str; 6] = ["'s", "'m", "'d", "'ll", "'re", "'ve"];

/// Words written as one that are two.
const MERGED: [(&str, usize); 6] =
    [("cannot", 3), ("gonna", 3), ("gotta", 3), ("wanna", 3), ("lemme", 3), ("gimme", 3)];

/// Whether a mark stands alone, as people do not write it.
pub(super) fn is_tokenised(text: &str) -> bool {
    text.split_ascii_whitespace().any(|chunk| LONE_MARKS.contains(&chunk))
}

/// Words of a sentence in English.
pub(super) fn penn(text: &str) -> Vec<String> {
    let mut chunks = text.split_ascii_whitespace().peekable();
    if is_tokenised(text) {
        return chunks.map(str::to_owned).collect();
    }
    let mut words = Vec::new();
    while let Some(chunk) = chunks.next() {
        split_chunk(chunk, chunks.peek().is_none(), &mut words);
    }
    words
}

fn split_chunk(chunk: &str, last: bool, words: &mut Vec<String>) {
    let mut core = chunk;
    while let Some((token, rest)) = split_front(core) {
        words.push(token);
        core = rest;
    }
    let mut back = Vec::new();
    while let Some((rest, token)) = split_back(core, last) {
        back.push(token);
        core = rest;
    }
    split_core(core, words);
    words.extend(back.into_iter().rev());
}

/// Splits opening punctuation off something longer.
fn split_front(core: &str) -> Option<(String, &str)> {
    for mark in ["``", "--", "..."] {
        if let Some(rest) = core.strip_prefix(mark).filter(|r| r.contains(char::is_alphanumeric)) {
            return Some((mark.to_owned(), rest));
        }
    }
    let mut characters = core.chars();
    let first = characters.next()?;
    let rest = characters.as_str();
    let next = characters.next()?;
    let token = match first {
        '"' => "``".to_owned(),
        '(' | '[' | '{' => bracket(first),
        '“' | '„' | '«' | '‘' => first.to_string(),
        '$' | '£' | '€' | '#' if next.is_ascii_digit() => first.to_string(),
        _ => return None,
    };
    Some((token, rest))
}

/// Splits closing punctuation off something longer; `last` is the end of the sentence.
fn split_back(core: &str, last: bool) -> Option<(&str, String)> {
    for mark in ["''", "...", "--"] {
        if let Some(rest) = core.strip_suffix(mark).filter(|r| r.contains(char::is_alphanumeric)) {
            return Some((rest, mark.to_owned()));
        }
    }
    let final_character = core.chars().next_back()?;
    let rest = &core[..core.len() - final_character.len_utf8()];
    let before = rest.chars().next_back()?;
    let token = match final_character {
        '"' => "''".to_owned(),
        ')' | ']' | '}' => bracket(final_character),
        ',' | ';' | ':' | '?' | '!' | '”' | '»' | '…' => final_character.to_string(),
        '%' if before.is_ascii_digit() => "%".to_owned(),
        '\'' | '’' if before.is_alphanumeric() => final_character.to_string(),
        '.' if last && before != '.' && !is_abbreviation(rest) => ".".to_owned(),
        _ => return None,
    };
    Some((rest, token))
}

/// Whether periods inside, as in `U.S.` or `p.m.`, make the last one part of the word.
fn is_abbreviation(rest: &str) -> bool {
    rest.contains('.') && rest.split('.').all(|part| part.chars().count() <= 2)
}

fn bracket(c: char) -> String {
    match c {
        '(' => "-LRB-",
        ')' => "-RRB-",
        '[' => "-LSB-",
        ']' => "-RSB-",
        '{' => "-LCB-",
        _ => "-RCB-",
    }
    .to_owned()
}

/// Splits dashes and clitics inside a chunk.
fn split_core(core: &str, words: &mut Vec<String>) {
    for mark in ["--", "...", "—"] {
        if let Some((left, right)) = core.split_once(mark)
            && left.contains(char::is_alphanumeric)
            && right.contains(char::is_alphanumeric)
        {
            split_core(left, words);
            words.push(mark.to_owned());
            return split_core(right, words);
        }
    }
    let lower = core.to_lowercase().replace('’', "'");
    let straight = core.replace('’', "'");
    let split_at = if straight.len() != lower.len() {
        None // case changes the length: no English clitic
    } else if let Some((_, at)) = MERGED.iter().find(|(merged, _)| *merged == lower) {
        Some(*at)
    } else if lower.len() > 3 && lower.ends_with("n't") {
        Some(lower.len() - 3)
    } else {
        CLITICS
            .iter()
            .find(|c| lower.len() > c.len() && lower.ends_with(**c))
            .map(|c| lower.len() - c.len())
    };
    match split_at {
        Some(at) if straight.is_char_boundary(at) => {
            words.push(straight[..at].to_owned());
            words.push(straight[at..].to_owned());
        }
        _ if core.is_empty() => {}
        _ => words.push(core.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::penn;

    #[test]
    fn a_sentence_is_split_as_the_penn_treebank_does() {
        for (text, expected) in [
            ("The cat sat.", "The cat sat ."),
            ("\"Don't,\" she said.", "`` Do n't , '' she said ."),
            ("I can't; you cannot!", "I ca n't ; you can not !"),
            ("It's John's (the dogs' food).", "It 's John 's -LRB- the dogs ' food -RRB- ."),
            ("He left the U.S. at 5:30 p.m.", "He left the U.S. at 5:30 p.m."),
            ("Mr. Lee paid $1,000.50, or 7%.", "Mr. Lee paid $ 1,000.50 , or 7 % ."),
            ("Wait--what?", "Wait -- what ?"),
            ("well... no", "well ... no"),
            ("She’s here", "She 's here"),
            ("", ""),
            (" .  ", "."),
        ] {
            assert_eq!(penn(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn tokenised_text_comes_out_as_it_went_in() {
        for text in [
            "`` I do n't know , '' he 's said -LRB- twice -RRB- -- at 5 % : ... '",
            "Yahoo! and n' , (c) 50% cannot etc.",
        ] {
            assert_eq!(penn(text).join(" "), text);
        }
    }
}
