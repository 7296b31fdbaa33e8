use super::uses::{listed, table, value};
use super::{Config, Ensemble, Kind, Parser, ParserFamily};

/// What the shift-reduce parser alone reads.
const OF_SHIFT_REDUCE: [&str; 3] = ["parser.beam", "parser.passes", "parser.seed"];

/// What the treebank grammar alone reads.
const OF_GRAMMAR: [&str; 17] = [
    "parser.vertical",
    "parser.horizontal",
    "parser.binarisation",
    "parser.min_count",
    "parser.unary_internal",
    "parser.unary_external",
    "parser.unary_tags",
    "parser.tag_parent",
    "parser.tag_grandparent",
    "parser.split_words",
    "parser.base",
    "parser.right_recursive",
    "parser.dominates",
    "parser.head_tags",
    "parser.lexicon",
    "parser.prune",
    "parser.max_length",
];

/// What boosting alone reads.
const OF_BOOSTING: [&str; 3] = ["ensemble.update", "ensemble.on_failure", "ensemble.sampling"];

impl Config {
    /// Settings of `[parser]`, other than the defaults, that its family does not read, as a
    /// sentence.
    pub fn unused_by_parser(&self) -> Option<String> {
        let family = self.parser.family;
        let (keys, reader) = match family {
            ParserFamily::TreebankPcfg => (&OF_SHIFT_REDUCE[..], ParserFamily::ShiftReduce),
            ParserFamily::ShiftReduce => (&OF_GRAMMAR[..], ParserFamily::TreebankPcfg),
        };
        self.idle(keys, &format!("the parser {}", family.name()), reader.name())
    }

    /// Settings of `[ensemble]`, other than the defaults, that bags do not read, as a sentence.
    pub fn unused_by_bags(&self) -> Option<String> {
        (self.kind == Kind::Bag).then(|| self.idle(&OF_BOOSTING, "bag", "boost")).flatten()
    }

    fn idle(&self, keys: &[&str], who: &str, reader: &str) -> Option<String> {
        let defaults = Config {
            parser: Parser { family: self.parser.family, ..Parser::default() },
            ensemble: Ensemble::default(),
            ..self.clone()
        };
        let (own, defaults) = (table(self), table(&defaults));
        let changed = |key: &&str| value(&own, key) != value(&defaults, key);
        let keys: Vec<&str> = keys.iter().copied().filter(changed).collect();
        let told =
            || format!("{who} does not use {} (only {reader} does)", listed(keys.iter().copied()));
        (!keys.is_empty()).then(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(settings: &[&str]) -> Config {
        let settings: Vec<String> = settings.iter().map(|&s| s.to_owned()).collect();
        Config::from_toml("c", "", &settings).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn what_the_parser_does_not_read_is_named_with_the_one_that_does() {
        assert_eq!(
            config(&["parser.beam=9", "parser.passes=2", "parser.vertical=1"]).unused_by_parser(),
            Some(
                "the parser treebank-pcfg does not use parser.beam and parser.passes (only \
                 shift-reduce does)"
                    .into()
            )
        );
        let perceptron = ["parser.family=shift-reduce", "parser.beam=9", "parser.prune=0.1"];
        assert_eq!(
            config(&perceptron).unused_by_parser(),
            Some(
                "the parser shift-reduce does not use parser.prune (only treebank-pcfg does)"
                    .into()
            )
        );
        assert_eq!(config(&["parser.heads=first", "parser.vertical=1"]).unused_by_parser(), None);
        assert_eq!(config(&perceptron[..2]).unused_by_parser(), None);
    }

    #[test]
    fn bags_say_what_only_boosting_reads() {
        let settings = ["ensemble.update=literal", "ensemble.rounds=3", "kind=bag"];
        assert_eq!(
            config(&settings).unused_by_bags(),
            Some("bag does not use ensemble.update (only boost does)".into())
        );
        assert_eq!(config(&["ensemble.update=literal", "kind=boost"]).unused_by_bags(), None);
        assert_eq!(config(&["kind=bag"]).unused_by_bags(), None);
    }

    #[test]
    fn every_setting_of_a_parser_is_read_by_one_of_them_or_by_all() {
        let all = ["parser.family", "parser.heads"];
        let table = table(&Config::default());
        let section = table["parser"].as_table().expect("a section");
        for key in section.keys().map(|key| format!("parser.{key}")) {
            let lists: [&[&str]; 3] = [&all, &OF_SHIFT_REDUCE, &OF_GRAMMAR];
            let known = lists.iter().filter(|list| list.contains(&&*key)).count();
            assert_eq!(known, 1, "{key}");
        }
    }
}
