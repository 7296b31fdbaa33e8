//! Going to a sentence by its number, as several screens have it.

use super::command::Command;
use super::popup::Popup;

/// Id of the popup that asks for the number.
pub const POPUP: &str = "jump";

/// What screens with numbered sentences understand.
pub const COMMANDS: &[Command] = &[Command {
    name: "jump",
    keys: &["#"],
    help: "Go to a sentence by its number; if it is not listed, all are listed again",
    short: "",
}];

/// Asks for a number up to `last`.
pub fn popup(last: usize) -> Popup {
    asking(format!("The number of a sentence, 1 to {last}"), "")
}

/// Asks again, with why what was typed is none.
pub fn again(why: String, typed: &str) -> Popup {
    asking(why, typed)
}

fn asking(text: String, initial: &str) -> Popup {
    Popup::Prompt { id: POPUP, title: "Jump".into(), text, initial: initial.into() }
}

/// The number that was typed, counted from 1.
pub fn number(text: &str, last: usize) -> Result<usize, String> {
    let number = text.trim().trim_start_matches('#').parse::<usize>().ok();
    number
        .filter(|n| (1..=last).contains(n))
        .ok_or_else(|| format!("no sentence `{}`: they go from 1 to {last}", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sentences_are_taken_and_others_refused_with_what_there_is() {
        assert_eq!(number(" #12 ", 40), Ok(12));
        assert_eq!(number("40", 40), Ok(40));
        for odd in ["0", "41", "", "x", "-3", "99999999999999999999999"] {
            assert!(number(odd, 40).unwrap_err().ends_with("from 1 to 40"), "{odd}");
        }
    }
}
