//! Arguments of `corpus`.

use crate::cli::values::{seed, whole};
use crate::config::{Encoding, Format};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Corpus {
    /// Count trees, words and labels, and list what is wrong with the file
    Stats(CorpusStats),
    /// Write a treebank in another format
    Convert(CorpusConvert),
    /// Cut a treebank into parts: by section, by sentence or by file
    Split(CorpusSplit),
    /// Write a treebank as preprocessing leaves it
    Clean(CorpusClean),
    /// Find parts of trees by a pattern, as `NP < (PP << of)`
    Search(CorpusSearch),
    /// Generate sentences with gold trees from a grammar
    Generate(CorpusGenerate),
}

/// How files are read.
#[derive(Debug, Args)]
pub struct Reading {
    /// Format of the input, where its content shall not tell
    #[arg(long = "format", visible_alias = "from", value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    /// Bytes of the input, where they are not UTF-8
    #[arg(long, value_name = "ENCODING", value_parser = encoding())]
    pub encoding: Option<Encoding>,
}

fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).map(|name| {
        let known = Format::ALL.into_iter().find(|f| f.name() == name);
        known.expect("only names of formats are let through")
    })
}

fn encoding() -> impl TypedValueParser<Value = Encoding> {
    PossibleValuesParser::new(Encoding::ALL.map(Encoding::name)).map(|name| {
        let known = Encoding::ALL.into_iter().find(|e| e.name() == name);
        known.expect("only names of encodings are let through")
    })
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// One bracketed tree a line
    Brackets,
    /// Brackets over several lines
    Indented,
    /// NEGRA export, version 4
    Export,
    /// TIGER-XML
    Tiger,
    /// A word and its tag a line
    Columns,
    /// One JSON object a line
    Json,
    /// The words alone, one sentence a line
    Text,
    /// LaTeX, for the package forest
    Forest,
    /// One SVG picture with all trees
    Svg,
}

#[derive(Debug, Args)]
pub struct CorpusStats {
    /// Treebanks or tokenised text, one sentence a line: files, folders, patterns or sample:dev; -
    /// is standard input. Several are counted together
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Section folders to read of a folder that has them, e.g. 02-21
    #[arg(long, value_name = "SECTIONS")]
    pub sections: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// Count also what a data preset leaves, and what each of its steps takes away or rewrites; may
    /// be repeated to compare some, or `all`
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub preset: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A pattern is a node and relations: labels and words (NP, NP|NX, \"PRP$\", \
                        /^NP-/, __ for any, @NP for NP-SBJ too, !NP, NP=name) and\n  \
                        < > parent and child of, << >> above and below, <, <- first and last \
                        child, <2 second child,\n  \
                        <: only child, <+(VP) with nothing but VP between, $ sister, $+ $- next to \
                        it, $++ $-- somewhere,\n  \
                        . , right before and behind, .. ,, anywhere; ! not, ? or not, | or, [ ] \
                        together.\n\
                        Example: rankspace corpus search 'NP=big < (PP <, (IN=p !< of))' gum.mrg \
                        --table p"
)]
pub struct CorpusSearch {
    /// What to find
    #[arg(value_name = "PATTERN")]
    pub pattern: String,
    /// Treebanks: files, folders, patterns or sample:dev; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Section folders to read of a folder that has them, e.g. 02-21
    #[arg(long, value_name = "SECTIONS")]
    pub sections: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// Print how many there are, and nothing else
    #[arg(long)]
    pub count: bool,
    /// Print the whole trees in which there are some
    #[arg(long, conflicts_with = "count")]
    pub trees: bool,
    /// Count the labels or words of the node with this name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["count", "trees"])]
    pub table: Option<String>,
    /// Print one JSON object a match, with what the names stand for
    #[arg(long, conflicts_with_all = ["count", "trees", "table"])]
    pub json: bool,
}

/// What every command that writes files has.
#[derive(Debug, Args)]
pub struct Writing {
    /// Replace files that are there
    #[arg(long)]
    pub force: bool,
    /// Print the report as one JSON object, every change with its place
    #[arg(long)]
    pub json: bool,
}

/// What every command has that makes one treebank of another.
#[derive(Debug, Args)]
pub struct Rewriting {
    /// Treebanks: files, folders, patterns or sample:dev; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Section folders to read of a folder that has them, e.g. 02-21
    #[arg(long, value_name = "SECTIONS")]
    pub sections: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// Format to write [default: by the extension of --out, else brackets, of text and columns the
    /// same]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<Target>,
    /// File to write, compressed where it ends in .gz [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub writing: Writing,
}

#[derive(Debug, Args)]
pub struct CorpusConvert {
    #[command(flatten)]
    pub rewriting: Rewriting,
    /// Attach what stands apart from its phrase higher, until no phrase has a gap
    #[arg(long)]
    pub continuous: bool,
}

#[derive(Debug, Args)]
pub struct CorpusSplit {
    /// Treebanks: files, folders, patterns or sample:dev
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Folder for the parts, made where it is missing
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// A part and its share, e.g. train=80; may be repeated [default: train=80 dev=10 test=10]
    #[arg(long = "part", value_name = "NAME=SHARE", conflicts_with = "sections")]
    pub parts: Vec<String>,
    /// A part and its section folders, e.g. train=02-21; may be repeated. Sections that no part
    /// names are left out, and told
    #[arg(long, value_name = "NAME=SECTIONS")]
    pub sections: Vec<String>,
    /// The same seed draws the same parts
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = seed)]
    pub seed: u64,
    /// What stays together
    #[arg(long, value_enum, default_value_t = Unit::Sentence)]
    pub by: Unit,
    /// Give every part its share of short and of long sentences
    #[arg(long)]
    pub stratify: bool,
    /// Format to write
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Target::Brackets)]
    pub to: Target,
    #[command(flatten)]
    pub writing: Writing,
}

/// What goes into one part as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Unit {
    Sentence,
    File,
}

#[derive(Debug, Args)]
pub struct CorpusClean {
    #[command(flatten)]
    pub rewriting: Rewriting,
    /// Data preset to begin with
    #[arg(long, value_name = "NAME", default_value = "plain")]
    pub preset: String,
    /// Change one setting of [data], e.g. lowercase=false or unary_chains=collapse; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Leave out sentences of fewer words, counted after cleaning
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1,
          value_parser = whole)]
    pub min_length: usize,
    /// Leave out sentences of more words
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole)]
    pub max_length: Option<usize>,
}

#[derive(Debug, Args)]
pub struct CorpusGenerate {
    /// How many sentences
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 100,
          value_parser = whole)]
    pub sentences: usize,
    /// The same seed gives the same sentences
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = seed)]
    pub seed: u64,
    /// Grammar file, see assets/sample-grammar.txt [default: that grammar of English]
    #[arg(long, value_name = "FILE")]
    pub grammar: Option<PathBuf>,
    /// Shortest sentence in words
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 3,
          value_parser = whole)]
    pub min_length: usize,
    /// Longest sentence in words
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 30,
          value_parser = whole)]
    pub max_length: usize,
}
