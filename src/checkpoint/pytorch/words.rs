use super::bytes::Bytes;
use super::pickle;
use super::value::{Object, Value};

/// Instructions of a vocabulary's pickle at most: several for each of a million words.
const INSTRUCTIONS: usize = 8_000_000;

/// Names of the field that holds word numbers in saved vocabularies.
const FIELDS: [&str; 3] = ["_word2idx", "word2idx", "stoi"];

/// The words of a pickled vocabulary by number: a list of words, a dictionary from words to
/// numbers, or an object that holds such a dictionary.
pub fn words(bytes: &[u8]) -> Result<Vec<&str>, String> {
    let pickle = pickle::read(&mut Bytes::new(bytes), INSTRUCTIONS)?;
    let fields = match pickle.object(pickle.root) {
        Some(Object::Instance(Some(fields))) => *fields,
        _ => pickle.root,
    };
    let inner = FIELDS.iter().find_map(|field| pickle.get(fields, field));
    // A word may be called `stoi`, too.
    let root = inner.filter(|&inner| pickle.dict(inner).is_some()).unwrap_or(fields);
    if let Some(items) = pickle.list(root) {
        return items
            .iter()
            .map(|item| match item {
                Value::Text(word) => Ok(*word),
                _ => Err("an item of its list is no word".to_owned()),
            })
            .collect();
    }
    let items = pickle.dict(root).ok_or("it holds neither a list nor a dictionary of words")?;
    let mut words = vec![None; items.len()];
    for item in items {
        let (Value::Text(word), Value::Int(number)) = *item else {
            return Err("an item of its dictionary is no word with its number".into());
        };
        let place = usize::try_from(number).ok().and_then(|number| words.get_mut(number));
        let place = place.ok_or_else(|| {
            format!("its word `{word:.40}` has number {number}, but there are {}", items.len())
        })?;
        if place.replace(word).is_some() {
            return Err(format!("two of its words have number {number}"));
        }
    }
    // As many words as numbers, none twice: every number has its word.
    Ok(words.into_iter().flatten().collect())
}
