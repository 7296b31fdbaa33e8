//! From the text of a pattern to its nodes and conditions, by recursive descent.

use super::{Condition, Is, Pattern, PatternError, PatternNode, Relation, Test};
use regex::Regex;
use std::sync::Arc;

/// Brackets within brackets, at most: the descent is recursive.
const DEEPEST: usize = 100;

/// Nodes in a pattern, at most: the search is recursive too.
const MOST: usize = 200;

/// Relations as they are written, longer ones before those that they begin with. Those with a
/// number or brackets behind them are told apart by what follows.
const RELATIONS: &[(&str, Relation)] = &[
    ("<<,", Relation::LeftEdge),
    ("<<-", Relation::RightEdge),
    ("<<`", Relation::RightEdge),
    ("<<:", Relation::OnlyBelow),
    ("<<", Relation::Below),
    (">>,", Relation::LeftEdgeOf),
    (">>-", Relation::RightEdgeOf),
    (">>`", Relation::RightEdgeOf),
    (">>:", Relation::OnlyAbove),
    (">>", Relation::Above),
    ("<,", Relation::Nth { place: 0, from_end: false }),
    ("<-", Relation::Nth { place: 0, from_end: true }),
    ("<`", Relation::Nth { place: 0, from_end: true }),
    ("<:", Relation::OnlyChild),
    ("<", Relation::Child),
    (">,", Relation::NthOf { place: 0, from_end: false }),
    (">-", Relation::NthOf { place: 0, from_end: true }),
    (">`", Relation::NthOf { place: 0, from_end: true }),
    (">:", Relation::OnlyChildOf),
    (">", Relation::Parent),
    ("$++", Relation::LaterSister),
    ("$..", Relation::LaterSister),
    ("$--", Relation::EarlierSister),
    ("$,,", Relation::EarlierSister),
    ("$+", Relation::NextSister),
    ("$.", Relation::NextSister),
    ("$-", Relation::PreviousSister),
    ("$,", Relation::PreviousSister),
    ("$", Relation::Sister),
    ("..", Relation::Later),
    (".", Relation::Next),
    (",,", Relation::Earlier),
    (",", Relation::Previous),
    ("==", Relation::Same),
];

pub(super) fn parse(text: &str) -> Result<Pattern, PatternError> {
    let chars = text.chars().collect();
    let mut parser = Parser { chars, at: 0, depth: 0, nodes: Vec::new(), names: Vec::new() };
    parser.blanks();
    parser.node()?;
    match parser.peek() {
        None => {
            let Parser { nodes, names, .. } = parser;
            Ok(Pattern { text: text.into(), nodes, names })
        }
        Some(')' | ']') => Err(parser.error("closes a bracket that was not opened")),
        Some(c) => Err(parser.error(format!("expected a relation such as < or $, not {c}"))),
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    nodes: Vec<PatternNode>,
    names: Vec<Arc<str>>,
}

impl Parser {
    fn error(&self, reason: impl Into<String>) -> PatternError {
        PatternError { column: self.at + 1, reason: reason.into() }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Goes over a sign and the blanks behind it, if it is there.
    fn sign(&mut self, sign: char) -> bool {
        let is_there = self.peek() == Some(sign);
        if is_there {
            self.at += 1;
            self.blanks();
        }
        is_there
    }

    fn close(&mut self, sign: char) -> Result<(), PatternError> {
        match self.sign(sign) {
            true => Ok(()),
            false => Err(self.error(format!("expected {sign}"))),
        }
    }

    fn deeper<R>(
        &mut self,
        parse: impl FnOnce(&mut Parser) -> Result<R, PatternError>,
    ) -> Result<R, PatternError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(format!("more than {DEEPEST} brackets within each other")));
        }
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// A node with its relations; gives its number.
    fn node(&mut self) -> Result<usize, PatternError> {
        let number = self.described()?;
        self.nodes[number].relations = self.alternatives()?;
        Ok(number)
    }

    /// A node alone, or one with relations in brackets.
    fn operand(&mut self) -> Result<usize, PatternError> {
        if !self.sign('(') {
            return self.described();
        }
        self.deeper(|parser| {
            let number = parser.node()?;
            parser.close(')')?;
            Ok(number)
        })
    }

    /// A description and a name.
    fn described(&mut self) -> Result<usize, PatternError> {
        let is_named_only = self.peek() == Some('=') && self.chars.get(self.at + 1) != Some(&'=');
        let test = match is_named_only {
            true => Test { negated: false, basic: false, is: Is::Anything },
            false => self.test()?,
        };
        let mut name = None;
        if self.peek() == Some('=') && self.chars.get(self.at + 1) != Some(&'=') {
            self.at += 1;
            let from = self.at;
            while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
                self.at += 1;
            }
            if from == self.at {
                return Err(self.error("expected a name of letters and digits behind ="));
            }
            let text: String = self.chars[from..self.at].iter().collect();
            let place = self.names.iter().position(|known| **known == *text);
            name = Some(place.unwrap_or_else(|| {
                self.names.push(text.into());
                self.names.len() - 1
            }));
        }
        self.blanks();
        if self.nodes.len() == MOST {
            return Err(self.error(format!("more than {MOST} nodes")));
        }
        let relations = Condition::All(Vec::new());
        self.nodes.push(PatternNode { test, name, relations });
        Ok(self.nodes.len() - 1)
    }

    fn test(&mut self) -> Result<Test, PatternError> {
        let negated = self.sign('!');
        let basic = self.sign('@');
        let is = match self.peek() {
            Some('/') => Is::Like(self.regex()?),
            _ => {
                let mut all = vec![self.label()?];
                // Without a blank: with one it stands between relations.
                while self.peek() == Some('|') {
                    self.at += 1;
                    all.push(self.label()?);
                }
                match all.iter().any(|one| **one == *"__") {
                    true => Is::Anything,
                    false => Is::OneOf(all),
                }
            }
        };
        Ok(Test { negated, basic, is })
    }

    fn label(&mut self) -> Result<Box<str>, PatternError> {
        if self.peek() == Some('"') {
            return Ok(self.quoted('"')?.into());
        }
        let from = self.at;
        while let Some(c) = self.peek() {
            let is_first = self.at == from;
            let next = self.chars.get(self.at + 1).copied();
            let ends = next.is_none_or(|c| c.is_whitespace() || matches!(c, ')' | '|' | ']' | '='));
            match c {
                // PRP$ is a tag, $ alone a relation.
                '$' if !is_first && ends => self.at += 1,
                // Numbers and abbreviations have points and commas within.
                '.' | ',' if !is_first && !ends => self.at += 1,
                '(' | ')' | '[' | ']' | '<' | '>' | '$' | '.' | ',' | '|' | '&' | '!' | '?'
                | '=' | '/' | '"' | '@' => break,
                c if c.is_whitespace() => break,
                _ => self.at += 1,
            }
        }
        if from == self.at {
            return Err(self.error(match self.peek() {
                None => "expected a node: a label, a word, /a regular expression/ or __".into(),
                Some(c) => format!(
                    "expected a node: a label, a word, /a regular expression/ or __, not {c} (in \
                     quotation marks where it is meant as such: \"{c}\")"
                ),
            }));
        }
        let text: String = self.chars[from..self.at].iter().collect();
        Ok(text.into())
    }

    /// What stands between two signs; a backslash keeps the sign behind it.
    fn quoted(&mut self, sign: char) -> Result<String, PatternError> {
        let opened = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                c if c == sign => return Ok(text),
                '\\' if self.peek() == Some(sign) => {
                    text.push(sign);
                    self.at += 1;
                }
                c => text.push(c),
            }
        }
        self.at = opened;
        Err(self.error(format!("no {sign} closes this one")))
    }

    fn regex(&mut self) -> Result<Regex, PatternError> {
        let opened = self.at;
        let text = self.quoted('/')?;
        Regex::new(&text).map_err(|error| {
            // The last line of the message is the reason; those before draw the expression.
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
            PatternError { column: opened + 1, reason: format!("/{text}/: {reason}") }
        })
    }

    /// Conditions with `|` between them.
    fn alternatives(&mut self) -> Result<Condition, PatternError> {
        let from = self.at;
        let mut all = vec![self.conjunction()?];
        while self.sign('|') {
            all.push(self.conjunction()?);
            if let Some(Condition::All(none)) = all.last()
                && none.is_empty()
            {
                return Err(self.error("expected a relation behind |"));
            }
        }
        if all.len() == 1 {
            return Ok(all.remove(0));
        }
        match &all[0] {
            Condition::All(none) if none.is_empty() => {
                let reason = "expected a relation before |; labels have no blank beside it";
                Err(PatternError { column: from + 1, reason: reason.into() })
            }
            _ => Ok(Condition::Any(all)),
        }
    }

    /// Conditions one behind the other.
    fn conjunction(&mut self) -> Result<Condition, PatternError> {
        let mut all = Vec::new();
        loop {
            let with_sign = self.sign('&');
            match self.peek() {
                Some('!' | '?' | '[' | '<' | '>' | '$' | '.' | ',' | '=') => {
                    all.push(self.condition()?);
                }
                _ if with_sign => return Err(self.error("expected a relation behind &")),
                _ => return Ok(Condition::All(all)),
            }
        }
    }

    fn condition(&mut self) -> Result<Condition, PatternError> {
        if self.sign('!') {
            return Ok(Condition::Not(Box::new(self.deeper(Parser::condition)?)));
        }
        if self.sign('?') {
            return Ok(Condition::Maybe(Box::new(self.deeper(Parser::condition)?)));
        }
        if self.sign('[') {
            return self.deeper(|parser| {
                let inner = parser.alternatives()?;
                parser.close(']')?;
                Ok(inner)
            });
        }
        let relation = self.relation()?;
        self.blanks();
        Ok(Condition::Related(relation, self.operand()?))
    }

    fn relation(&mut self) -> Result<Relation, PatternError> {
        for sign in ["<+(", ">+("] {
            if self.starts(sign) {
                self.at += sign.len();
                self.blanks();
                let through = self.test()?;
                self.blanks();
                self.close(')')?;
                return Ok(match sign {
                    "<+(" => Relation::BelowThrough(through),
                    _ => Relation::AboveThrough(through),
                });
            }
        }
        if let Some(relation) = self.nth()? {
            return Ok(relation);
        }
        for (sign, relation) in RELATIONS {
            if self.starts(sign) {
                self.at += sign.len();
                return Ok(relation.clone());
            }
        }
        Err(self.error("expected a relation such as < or $"))
    }

    fn starts(&self, sign: &str) -> bool {
        sign.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    /// `<2`, `>2`, `<-2` and `>-2`.
    fn nth(&mut self) -> Result<Option<Relation>, PatternError> {
        let down = match self.peek() {
            Some('<') => true,
            Some('>') => false,
            _ => return Ok(None),
        };
        let from_end = self.chars.get(self.at + 1) == Some(&'-');
        let from = self.at + 1 + usize::from(from_end);
        let digits: String = self.chars[from..].iter().take_while(|c| c.is_ascii_digit()).collect();
        if digits.is_empty() {
            return Ok(None);
        }
        let Ok(number) = digits.parse::<u32>() else {
            return Err(self.error("no node has so many children"));
        };
        let Some(place) = (number as usize).checked_sub(1) else {
            return Err(self.error("children are counted from 1"));
        };
        self.at = from + digits.len();
        Ok(Some(match down {
            true => Relation::Nth { place, from_end },
            false => Relation::NthOf { place, from_end },
        }))
    }
}
