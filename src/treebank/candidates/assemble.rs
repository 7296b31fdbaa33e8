//! From scores and trees to lists: what all formats have in common.

use super::tree::{plain_words, read_tree};
use super::{Candidate, CandidateList, Dropped, LogBase, Message, MessageKind, Reason};
use crate::treebank::Interner;
use std::collections::VecDeque;
use std::sync::Arc;

/// Characters of a file's text that a message shows.
const SHOWN: usize = 40;

/// Puts lists together, and keeps what there is to say.
#[derive(Debug)]
pub(super) struct Assembler {
    base: LogBase,
    interner: Interner,
    open: Option<Open>,
    /// Sentences begun so far.
    sentences: usize,
    /// Sentences of which nothing could be read.
    lost: usize,
    in_stray: bool,
    pub ready: VecDeque<CandidateList>,
    pub dropped: Vec<Dropped>,
    pub messages: Vec<Message>,
}

/// A list that may get further candidates.
#[derive(Debug)]
struct Open {
    list: CandidateList,
    announced: Option<usize>,
    /// Pairs of score and tree, damaged ones included.
    found: usize,
    /// Candidates that are whole; which of them are over the sentence's words shows at its end.
    read: Vec<Read>,
    /// Places where the parser says that it has no tree.
    failures: Vec<u32>,
    /// Where the drops of the sentence begin.
    drops: usize,
}

/// A candidate with its words, and the line of its tree.
#[derive(Debug)]
struct Read {
    candidate: Candidate,
    words: Vec<Arc<str>>,
    tree_at: u32,
}

impl Assembler {
    pub fn new(base: LogBase) -> Assembler {
        Assembler {
            base,
            interner: Interner::default(),
            open: None,
            sentences: 0,
            lost: 0,
            in_stray: false,
            ready: VecDeque::new(),
            dropped: Vec::new(),
            messages: Vec::new(),
        }
    }

    /// Begins a sentence; the one before is complete.
    pub fn begin(&mut self, id: Option<&str>, line: u32, announced: Option<usize>) {
        self.end();
        self.sentences += 1;
        let list = CandidateList {
            id: id.map(str::to_owned),
            line,
            place: self.place(),
            words: Vec::new(),
            gold: None,
            fold: None,
            candidates: Vec::new(),
        };
        let (read, failures, drops) = (Vec::new(), Vec::new(), self.dropped.len());
        self.open = Some(Open { list, announced, found: 0, read, failures, drops });
    }

    /// Begins a sentence whose number of candidates is none.
    pub fn begin_miscounted(&mut self, id: &str, line: u32, count: &str) {
        self.begin(Some(id), line, None);
        self.message(line, Some(self.place()), MessageKind::BadCount(cut(count)));
    }

    /// Begins a sentence without a name where none is open.
    fn open_at(&mut self, line: u32) -> &mut Open {
        if self.open.is_none() {
            self.begin(None, line, None);
        }
        self.open.as_mut().expect("begun above")
    }

    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Sentences begun so far.
    pub fn sentences(&self) -> usize {
        self.sentences
    }

    /// Sentences of the file so far, those included of which nothing could be read.
    pub fn all(&self) -> usize {
        self.sentences + self.lost
    }

    /// Number of the sentence that was begun last.
    fn place(&self) -> usize {
        self.all() - 1
    }

    /// Sets the gold tree of the open sentence, whose yield every candidate must have.
    pub fn gold(&mut self, text: &str, line: u32) {
        match read_tree(text, line, &mut self.interner) {
            Ok(tree) => {
                let open = self.open_at(line);
                open.list.words = plain_words(&tree);
                open.list.gold = Some(Arc::new(tree));
            }
            Err(problem) => {
                self.drop(line, Reason::BadTree, format!("the gold tree: {problem}"));
            }
        }
    }

    pub fn fold(&mut self, fold: Option<u32>) {
        if let Some(open) = &mut self.open {
            open.list.fold = fold;
        }
    }

    /// A score, as read, with its tree.
    pub fn candidate(&mut self, score: Result<f64, &str>, at: u32, text: &str, tree_at: u32) {
        self.in_stray = false;
        self.open_at(at).found += 1;
        let log_prob = match score {
            Ok(score) => score * self.base.nats(),
            Err(found) => {
                let detail = match found.trim() {
                    "" => "no score stands before the tree".to_owned(),
                    found => format!("the score is \"{}\": expected a finite number", cut(found)),
                };
                return self.drop(at, Reason::BadScore, detail);
            }
        };
        let tree = match read_tree(text, tree_at, &mut self.interner) {
            Ok(tree) => tree,
            Err(problem) => return self.drop(tree_at, Reason::BadTree, problem),
        };
        let words = plain_words(&tree);
        let candidate = Candidate { tree: Arc::new(tree), log_prob, line: at };
        self.open_at(at).read.push(Read { candidate, words, tree_at });
    }

    /// A place where the parser says that it has no tree.
    pub fn failure(&mut self, at: u32) {
        self.open_at(at).failures.push(at);
    }

    /// A score that no tree follows.
    pub fn truncated(&mut self, line: u32) {
        self.open_at(line);
        self.drop(line, Reason::Truncated, "no tree follows the score".into());
    }

    /// Leaves something of the open sentence out.
    pub fn drop(&mut self, line: u32, reason: Reason, detail: String) {
        let sentence = self.open.is_some().then(|| self.place());
        self.dropped.push(Dropped { line, sentence, reason, detail });
    }

    /// Leaves a whole sentence out, which keeps its number.
    pub fn lose(&mut self, line: u32, reason: Reason, detail: &str) {
        self.end();
        self.lost += 1;
        self.drop(line, reason, format!("{detail}: sentence {} is left out", self.all()));
    }

    pub fn message(&mut self, line: u32, sentence: Option<usize>, kind: MessageKind) {
        self.messages.push(Message { line, sentence, kind });
    }

    /// Text that means nothing: told once for all that stands together.
    pub fn stray(&mut self, line: u32) {
        if !self.in_stray {
            let sentence = self.open.is_some().then(|| self.place());
            self.message(line, sentence, MessageKind::StrayText);
        }
        self.in_stray = true;
    }

    /// The open sentence is complete.
    pub fn end(&mut self) {
        let Some(Open { mut list, announced, found, read, failures, drops }) = self.open.take()
        else {
            return;
        };
        let sentence = Some(self.place());
        if list.gold.is_none() {
            list.words = common(&read).cloned().unwrap_or_default();
        }
        for Read { candidate, words, tree_at: line } in read {
            if words == list.words {
                list.candidates.push(candidate);
                continue;
            }
            let (reason, detail) = (Reason::YieldMismatch, difference(&list.words, &words));
            self.dropped.push(Dropped { line, sentence, reason, detail });
        }
        // Alone it says that the sentence has no candidate.
        for line in failures.into_iter().filter(|_| found > 0) {
            let (reason, detail) = (Reason::BadTree, "(()) is no tree".to_owned());
            self.dropped.push(Dropped { line, sentence, reason, detail });
        }
        let has_drops = self.dropped.len() > drops;
        self.dropped[drops..].sort_by_key(|dropped| dropped.line);
        let kind = match announced {
            Some(announced) if announced > found => {
                Some(MessageKind::FewerCandidates { announced, found })
            }
            Some(announced) if announced < found => {
                Some(MessageKind::MoreCandidates { announced, found })
            }
            _ if found == 0 && !has_drops => Some(MessageKind::NoCandidates),
            _ => None,
        };
        if let Some(kind) = kind {
            self.message(list.line, sentence, kind);
        }
        self.ready.push_back(list);
    }
}

/// The words of more than half of the candidates, else those of the first.
fn common(read: &[Read]) -> Option<&Vec<Arc<str>>> {
    let agree = |words: &&Vec<Arc<str>>| {
        2 * read.iter().filter(|other| other.words == **words).count() > read.len()
    };
    let all = || read.iter().map(|read| &read.words);
    // Of more than half of all one is among the first half and one more.
    let most = all().take(read.len() / 2 + 1).find(agree);
    most.or(all().next())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// How the words of a candidate differ from those of the sentence.
fn difference(sentence: &[Arc<str>], candidate: &[Arc<str>]) -> String {
    let at = sentence.iter().zip(candidate).position(|(a, b)| a != b);
    match at {
        Some(at) => {
            let [ours, theirs] = [&sentence[at], &candidate[at]].map(|word| cut(word));
            format!("word {} is \"{theirs}\", but \"{ours}\" in the sentence", at + 1)
        }
        None => format!("{} words, but {} in the sentence", candidate.len(), sentence.len()),
    }
}
