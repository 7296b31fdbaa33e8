//! One JSON object a line: `{"words", "tags", "spans": [{"start", "end", "label"}]}`. Flat,
//! because readers of JSON bound the depth of nesting. Of equal spans the first is the outermost;
//! a span with a gap names its words by position instead: `"words": [0, 3, 4]`. Without `spans`
//! a line is a sentence without a tree. Unknown keys are passed over.

use super::super::graph::{Graph, GraphNode};
use super::super::json_words::in_words;
use super::super::notation::{NO_TAG, atom};
use super::super::{Annotation, Interner, NodeId, Place, Problem, Tree};
use super::entry::{Entry, TaggedWords};
use super::lines::Lines;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

/// A line. Nodes are counted from 0, words before spans.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct JsonTree {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    words: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spans: Option<Vec<JsonSpan>>,
    /// By node, where the file has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<usize, JsonAnnotation>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct JsonSpan {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<Vec<u32>>,
    #[serde(default)]
    label: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct JsonAnnotation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edge: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lemma: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    morphology: Option<String>,
    /// Further parents with their edge labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    secondary: Vec<(usize, String)>,
}

impl JsonTree {
    /// The tree as a line that reads back as the same tree.
    pub fn of(tree: &Tree) -> JsonTree {
        let yields = tree.yields();
        let phrases: Vec<NodeId> =
            tree.nodes().filter(|(_, n)| n.word.is_none()).map(|(id, _)| id).collect();
        let mut number = vec![0; tree.nodes().len()];
        for (i, id) in tree.preterminals().iter().chain(&phrases).enumerate() {
            number[id.index()] = i;
        }
        let span = |id: &NodeId| {
            let label = Some(tree.node(*id).label.to_string());
            let (start, end, count) = yields[id.index()];
            match count == end - start {
                true => JsonSpan { start: Some(start), end: Some(end), words: None, label },
                false => {
                    let words = Some(tree.positions_below(*id));
                    JsonSpan { start: None, end: None, words, label }
                }
            }
        };
        let annotation = |(id, a): (NodeId, &Annotation)| {
            let text = |t: &Option<Arc<str>>| t.as_deref().map(str::to_owned);
            let secondary = a.secondary.iter().map(|(to, l)| (number[to.index()], l.to_string()));
            let json = JsonAnnotation {
                edge: text(&a.edge),
                lemma: text(&a.lemma),
                morphology: text(&a.morphology),
                secondary: secondary.collect(),
            };
            (number[id.index()], json)
        };
        JsonTree {
            name: tree.name().map(|n| n.to_string()),
            words: tree.words().iter().map(|w| w.to_string()).collect(),
            tags: Some(tree.tags().map(|t| t.to_string()).collect()),
            spans: Some(phrases.iter().map(span).collect()),
            annotations: tree.annotations().map(annotation).collect(),
        }
    }

    /// Words without a tree.
    pub fn of_words(words: &[Arc<str>], tags: Option<&[Arc<str>]>) -> JsonTree {
        let texts = |list: &[Arc<str>]| list.iter().map(|t| t.to_string()).collect();
        JsonTree { words: texts(words), tags: tags.map(texts), ..JsonTree::default() }
    }

    fn into_entry(self, interner: &mut Interner, place: Place) -> Result<Entry, Fault> {
        let JsonTree { name, words, tags, spans, annotations } = self;
        if words.is_empty() {
            return Err(("empty-tree", "no words".into()));
        }
        if let Some(at) = words.iter().position(String::is_empty) {
            return Err(("empty-word", format!("word {at} is empty")));
        }
        if tags.as_ref().is_some_and(|tags| tags.len() != words.len()) {
            return Err(("json", "not as many tags as words".into()));
        }
        let mut shared = |text: &str| interner.intern(&atom(text));
        let words: Vec<Arc<str>> = words.iter().map(|w| shared(w)).collect();
        let tags: Option<Vec<Arc<str>>> = tags.map(|tags| {
            let tag = |t: &String| shared(if t.is_empty() { NO_TAG } else { t });
            tags.iter().map(tag).collect()
        });
        let Some(spans) = spans else {
            return Ok(Entry::Words(TaggedWords { words, tags, place }));
        };
        let n = words.len();
        let tags = tags.unwrap_or_else(|| vec![shared(NO_TAG); n]);
        let mut graph = Graph::default();
        for (i, (word, tag)) in words.into_iter().zip(tags).enumerate() {
            graph.nodes.push(GraphNode::new(tag, Some((i as u32, word)), None));
        }
        for span in &spans {
            let label = shared(span.label.as_deref().unwrap_or_default());
            graph.nodes.push(GraphNode::new(label, None, None));
        }
        nest(&mut graph, n, &spans)?;
        if n > 1 && graph.nodes.iter().filter(|node| node.parent.is_none()).count() > 1 {
            let root = graph.nodes.len();
            for node in graph.nodes.iter_mut().filter(|node| node.parent.is_none()) {
                node.parent = Some(root);
            }
            graph.nodes.push(GraphNode::new(shared(""), None, None));
        }
        let limit = n + spans.len();
        for (at, annotation) in annotations {
            let JsonAnnotation { edge, lemma, morphology, secondary } = annotation;
            if at >= limit || secondary.iter().any(|(to, _)| *to >= limit) {
                return Err(("json", format!("annotation {at}: no such word or span")));
            }
            let mut text = |t: Option<String>| t.map(|t| shared(&t));
            let node = &mut graph.nodes[at];
            node.annotation.edge = text(edge);
            node.annotation.lemma = text(lemma);
            node.annotation.morphology = text(morphology);
            node.secondary = secondary.iter().map(|(to, l)| (*to, shared(l))).collect();
        }
        let name = name.filter(|n| !n.is_empty()).map(|n| shared(&n));
        let tree = graph
            .assemble(place, name)
            .map_err(|_| ("crossing", "the spans do not nest into one tree".to_owned()))?;
        Ok(Entry::Tree(tree))
    }
}

type Fault = (&'static str, String);

/// Gives every span and word its parent, the innermost span around it.
fn nest(graph: &mut Graph, n: usize, spans: &[JsonSpan]) -> Result<(), Fault> {
    let mut yields: Vec<(u32, u32, Option<&[u32]>)> = Vec::with_capacity(spans.len());
    for (i, span) in spans.iter().enumerate() {
        let (start, end, positions) = match (&span.words, span.start, span.end) {
            (Some(words), _, _) => {
                if !words.is_sorted_by(|a, b| a < b) {
                    return Err(("json", format!("span {i}: its words do not ascend")));
                }
                let first = words.first().copied().unwrap_or_default();
                (first, words.last().map_or(0, |w| w.saturating_add(1)), Some(words.as_slice()))
            }
            (None, Some(start), Some(end)) => (start, end, None),
            _ => return Err(("json", format!("span {i}: expected start and end, or words"))),
        };
        if start >= end || end as usize > n {
            let message = format!("span {i} [{start}, {end}) is empty or beyond the words");
            return Err(("json", message));
        }
        yields.push((start, end, positions));
    }
    if yields.iter().all(|y| y.2.is_none()) {
        return nest_intervals(graph, n, &yields);
    }
    // The span seen last over a word is the innermost so far, for larger ones come first.
    let mut order: Vec<usize> = (0..yields.len()).collect();
    let size = |&(start, end, positions): &(u32, u32, Option<&[u32]>)| {
        positions.map_or((end - start) as usize, <[u32]>::len)
    };
    order.sort_by_key(|&i| std::cmp::Reverse(size(&yields[i])));
    let mut innermost: Vec<Option<usize>> = vec![None; n];
    for i in order {
        let (start, end, positions) = yields[i];
        let all: Vec<u32> = positions.map_or_else(|| (start..end).collect(), <[u32]>::to_vec);
        let parent = innermost[start as usize];
        if all.iter().any(|&w| innermost[w as usize] != parent) {
            return Err(("crossing", format!("span {i} crosses another")));
        }
        graph.nodes[n + i].parent = parent;
        all.iter().for_each(|&w| innermost[w as usize] = Some(n + i));
    }
    for (word, parent) in innermost.into_iter().enumerate() {
        graph.nodes[word].parent = parent;
    }
    Ok(())
}

/// [`nest`] in linear time for spans without gaps.
fn nest_intervals(
    graph: &mut Graph,
    n: usize,
    yields: &[(u32, u32, Option<&[u32]>)],
) -> Result<(), Fault> {
    let mut order: Vec<usize> = (0..yields.len()).collect();
    order.sort_by_key(|&i| (yields[i].0, std::cmp::Reverse(yields[i].1)));
    let mut next = order.into_iter().peekable();
    let mut open: Vec<usize> = Vec::new();
    for word in 0..n {
        while open.last().is_some_and(|&o| yields[o].1 as usize <= word) {
            open.pop();
        }
        while let Some(i) = next.next_if(|&i| yields[i].0 as usize == word) {
            if open.last().is_some_and(|&o| yields[o].1 < yields[i].1) {
                return Err(("crossing", format!("span {i} crosses another")));
            }
            graph.nodes[n + i].parent = open.last().map(|o| n + o);
            open.push(i);
        }
        graph.nodes[word].parent = open.last().map(|o| n + o);
    }
    Ok(())
}

/// Reads a file of JSON lines.
#[derive(Debug)]
pub(super) struct JsonReader<R> {
    lines: Lines<R>,
    interner: Interner,
    anything: bool,
}

impl<R: BufRead> JsonReader<R> {
    pub fn new(input: R, file: &str, interner: Interner) -> JsonReader<R> {
        JsonReader { lines: Lines::new(input, file), interner, anything: false }
    }

    pub fn into_interner(self) -> Interner {
        self.interner
    }
}

impl<R: BufRead> Iterator for JsonReader<R> {
    type Item = Result<Entry, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next() {
                Some(Ok(line)) if line.trim_ascii().is_empty() => continue,
                Some(Ok(line)) => line,
                Some(Err(problem)) => {
                    self.anything = true;
                    return Some(Err(problem));
                }
                None => {
                    return (!std::mem::replace(&mut self.anything, true)).then(|| {
                        Err(self.lines.problem(0, "no-trees", "no tree in the file: it is empty"))
                    });
                }
            };
            self.anything = true;
            let item = match serde_json::from_str::<JsonTree>(line) {
                Ok(tree) => {
                    let (file, line) = (self.lines.file().clone(), self.lines.number());
                    let place = Place { file, line, column: 1 };
                    tree.into_entry(&mut self.interner, place)
                        .map_err(|(kind, message)| self.lines.problem(0, kind, message))
                }
                Err(e) => {
                    let column = e.column().saturating_sub(1);
                    let said = format!("not a tree in JSON: {}", in_words(&e));
                    Err(self.lines.problem(column, "json", said))
                }
            };
            return Some(item);
        }
    }
}
