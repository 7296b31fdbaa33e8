//! TIGER-XML: a sentence is an `s` element with a graph of terminals and nonterminals, whose
//! edges go from parent to child. Sentences are cut out of the file first, so that XML that is
//! broken costs no more than its sentence.

use super::super::graph::{Graph, GraphFault, GraphNode};
use super::super::notation::{IMPLIED_ROOT, NO_TAG, ROOT_LABELS, atom, not_utf8};
use super::super::{Interner, Place, Problem, Tree};
use quick_xml::Reader as XmlReader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use std::collections::{HashMap, VecDeque};
use std::io::BufRead;
use std::sync::Arc;

/// What stands where there is nothing to say.
const NOTHING: &str = "--";

/// Reads the sentences of a TIGER-XML file.
#[derive(Debug)]
pub(super) struct TigerReader<R> {
    input: R,
    file: Arc<str>,
    interner: Interner,
    /// Bytes up to and with the last `>`.
    piece: Vec<u8>,
    /// Where the piece begins.
    line: u32,
    column: u32,
    in_comment: bool,
    /// The sentence that was begun, with its place.
    begun: Option<(Place, Vec<u8>)>,
    /// Still to be given before reading goes on.
    waiting: VecDeque<Result<Tree, Problem>>,
    anything: bool,
    ended: bool,
}

impl<R: BufRead> TigerReader<R> {
    pub fn new(input: R, file: &str, interner: Interner) -> TigerReader<R> {
        TigerReader {
            input,
            file: file.into(),
            interner,
            piece: Vec::new(),
            line: 1,
            column: 1,
            in_comment: false,
            begun: None,
            waiting: VecDeque::new(),
            anything: false,
            ended: false,
        }
    }

    pub fn into_interner(self) -> Interner {
        self.interner
    }

    fn place(&self, at: usize) -> Place {
        let (line, column) = moved((self.line, self.column), &self.piece[..at]);
        Place { file: self.file.clone(), line, column }
    }

    /// Reads up to the next `>` and acts on the tag that it closes.
    fn advance(&mut self) {
        (self.line, self.column) = moved((self.line, self.column), &self.piece);
        self.piece.clear();
        match self.input.read_until(b'>', &mut self.piece) {
            Ok(0) => return self.end(),
            Ok(_) => {}
            Err(e) => {
                self.end();
                let place = self.place(0);
                let message = format!("reading stopped: {e}");
                self.waiting.push_back(Err(problem(&place, "unreadable", message)));
                return;
            }
        }
        let was_comment = self.in_comment;
        if was_comment || self.piece.windows(4).any(|w| w == b"<!--") {
            self.in_comment = !self.piece.ends_with(b"-->");
            if let Some((_, chunk)) = &mut self.begun {
                chunk.extend_from_slice(&self.piece);
            }
            return;
        }
        let tag = self.piece.iter().rposition(|&b| b == b'<').unwrap_or(self.piece.len());
        let name = &self.piece[tag..];
        if name.starts_with(b"<s>")
            || name.starts_with(b"<s") && name[2..].trim_ascii_start().len() < name.len() - 2
        {
            self.anything = true;
            let place = self.place(tag);
            let chunk = self.piece[tag..].to_vec();
            if let Some((place, _)) = self.begun.replace((place, chunk)) {
                self.waiting.push_back(Err(unclosed(&place)));
            }
        } else if let Some((_, chunk)) = &mut self.begun {
            chunk.extend_from_slice(&self.piece);
            if name.starts_with(b"</s")
                && name[3..].trim_ascii() == b">"
                && let Some((place, chunk)) = self.begun.take()
            {
                let item = self.sentence(place, &chunk);
                self.waiting.push_back(item);
            }
        }
    }

    fn end(&mut self) {
        self.ended = true;
        if let Some((place, _)) = self.begun.take() {
            self.waiting.push_back(Err(unclosed(&place)));
        } else if !self.anything {
            let place = Place { file: self.file.clone(), line: 1, column: 1 };
            let message = "no sentence in the file: no `s` element".to_owned();
            self.waiting.push_back(Err(problem(&place, "no-trees", message)));
        }
        self.anything = true;
    }

    fn sentence(&mut self, place: Place, chunk: &[u8]) -> Result<Tree, Problem> {
        let fault = |at: usize, kind, message: String| {
            let (line, column) = moved((place.line, place.column), &chunk[..at.min(chunk.len())]);
            Problem { file: place.file.clone(), line, column, kind, message }
        };
        let text = std::str::from_utf8(chunk).map_err(|e| {
            let at = e.valid_up_to();
            fault(at, "not-utf8", not_utf8(&chunk[at..]))
        })?;
        let mut sentence = SentenceBuilder::new(&mut self.interner);
        let mut xml = XmlReader::from_str(text);
        loop {
            let at = xml.buffer_position() as usize;
            match xml.read_event() {
                Ok(Event::Start(element)) => sentence
                    .element(&element, at)
                    .map_err(|(kind, message)| fault(at, kind, message))?,
                Ok(Event::Empty(element)) => {
                    sentence
                        .element(&element, at)
                        .map_err(|(kind, message)| fault(at, kind, message))?;
                    sentence.end(element.local_name().as_ref());
                }
                Ok(Event::End(element)) => sentence.end(element.local_name().as_ref()),
                Ok(Event::Eof) => break,
                Ok(_) => {}
                Err(e) => {
                    let at = xml.error_position() as usize;
                    return Err(fault(at, "xml", format!("broken XML: {e}")));
                }
            }
        }
        sentence.finish(&place).map_err(|(at, kind, message)| fault(at, kind, message))
    }
}

impl<R: BufRead> Iterator for TigerReader<R> {
    type Item = Result<Tree, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.waiting.pop_front() {
                return Some(item);
            }
            if self.ended {
                return None;
            }
            self.advance();
        }
    }
}

/// Line and column behind some bytes.
fn moved((mut line, mut column): (u32, u32), bytes: &[u8]) -> (u32, u32) {
    for &byte in bytes {
        if byte == b'\n' {
            (line, column) = (line.saturating_add(1), 1);
        } else if byte & 0xc0 != 0x80 {
            column = column.saturating_add(1);
        }
    }
    (line, column)
}

fn problem(place: &Place, kind: &'static str, message: String) -> Problem {
    let Place { file, line, column } = place.clone();
    Problem { file, line, column, kind, message }
}

fn unclosed(place: &Place) -> Problem {
    problem(place, "unclosed", "sentence is not closed: no `</s>`".to_owned())
}

/// What the elements of one sentence say.
struct SentenceBuilder<'a> {
    interner: &'a mut Interner,
    graph: Graph,
    /// Where every node's element begins.
    offsets: Vec<usize>,
    ids: HashMap<String, usize>,
    /// Parent, child and label, with the place of the element.
    edges: Vec<(usize, String, Option<Arc<str>>, usize)>,
    secondary: Vec<(usize, String, Arc<str>, usize)>,
    name: Option<Arc<str>>,
    root: Option<String>,
    /// The terminal or nonterminal that is open.
    open: Option<usize>,
    words: u32,
}

type Fault = (&'static str, String);

impl<'a> SentenceBuilder<'a> {
    fn new(interner: &'a mut Interner) -> SentenceBuilder<'a> {
        SentenceBuilder {
            interner,
            graph: Graph::default(),
            offsets: Vec::new(),
            ids: HashMap::new(),
            edges: Vec::new(),
            secondary: Vec::new(),
            name: None,
            root: None,
            open: None,
            words: 0,
        }
    }

    fn element(&mut self, element: &BytesStart, at: usize) -> Result<(), Fault> {
        let name = element.local_name();
        match name.as_ref() {
            "s" => self.name = attribute(element, "id")?.map(|id| self.interner.intern(&atom(&id))),
            "graph" => self.root = attribute(element, "root")?,
            "t" => {
                let word = required(element, "word")?;
                if word.is_empty() {
                    return Err(("empty-word", "a terminal whose word is empty".into()));
                }
                let word = self.interner.intern(&atom(&word));
                let tag = attribute(element, "pos")?.filter(|t| !t.is_empty());
                let tag = self.interner.intern(&atom(tag.as_deref().unwrap_or(NO_TAG)));
                let mut node = GraphNode::new(tag, Some((self.words, word)), None);
                node.annotation.lemma = self.said(element, "lemma")?;
                node.annotation.morphology = self.said(element, "morph")?;
                self.words += 1;
                self.node(element, node, at)?;
            }
            "nt" => {
                let label = self.interner.intern(&atom(&required(element, "cat")?));
                let mut node = GraphNode::new(label, None, None);
                node.annotation.morphology = self.said(element, "morph")?;
                self.node(element, node, at)?;
            }
            "edge" | "secedge" => {
                let Some(parent) = self.open else {
                    return Err(("xml", "an edge outside of a node".into()));
                };
                let to = required(element, "idref")?;
                if name.as_ref() == "edge" {
                    let label = self.said(element, "label")?;
                    self.edges.push((parent, to, label, at));
                } else {
                    let label = attribute(element, "label")?.unwrap_or_default();
                    let label = self.interner.intern(&atom(&label));
                    self.secondary.push((parent, to, label, at));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        if matches!(name, "t" | "nt") {
            self.open = None;
        }
    }

    fn said(&mut self, element: &BytesStart, key: &str) -> Result<Option<Arc<str>>, Fault> {
        let value = attribute(element, key)?.filter(|v| v != NOTHING && !v.is_empty());
        Ok(value.map(|v| self.interner.intern(&atom(&v))))
    }

    fn node(&mut self, element: &BytesStart, node: GraphNode, at: usize) -> Result<(), Fault> {
        let id = required(element, "id")?;
        let index = self.graph.nodes.len();
        self.graph.nodes.push(node);
        self.offsets.push(at);
        self.open = Some(index);
        match self.ids.insert(id.clone(), index) {
            Some(_) => Err(("duplicate-id", format!("a second node of the id `{id}`"))),
            None => Ok(()),
        }
    }

    fn finish(mut self, place: &Place) -> Result<Tree, (usize, &'static str, String)> {
        if self.words == 0 {
            return Err((0, "empty-tree", "a sentence without terminals".into()));
        }
        let unknown = |id: &str| format!("no node of the id `{id}` in the sentence");
        for (parent, id, label, at) in std::mem::take(&mut self.edges) {
            let child = *self.ids.get(&id).ok_or_else(|| (at, "no-parent", unknown(&id)))?;
            let node = &mut self.graph.nodes[child];
            if node.parent.replace(parent).is_some() {
                let message = format!("`{id}` has two parents; further ones are `secedge`s");
                return Err((at, "two-parents", message));
            }
            node.annotation.edge = label;
        }
        for (node, id, label, at) in std::mem::take(&mut self.secondary) {
            let to = *self.ids.get(&id).ok_or_else(|| (at, "no-parent", unknown(&id)))?;
            self.graph.nodes[node].secondary.push((to, label));
        }
        let root = match &self.root {
            Some(id) => Some(*self.ids.get(id).ok_or_else(|| (0, "no-parent", unknown(id)))?),
            None => None,
        };
        self.add_root(root);
        let SentenceBuilder { graph, offsets, name, .. } = self;
        let name = name.filter(|n| !n.is_empty());
        graph.assemble(place.clone(), name).map_err(|fault| {
            let (at, kind, message) = match fault {
                GraphFault::Childless(at) => (at, "empty-tree", "a nonterminal without edges"),
                GraphFault::Circle(at) => (at, "circle", "a nonterminal that is below itself"),
                GraphFault::BelowWord(at) => (at, "no-parent", "an edge from a terminal"),
                GraphFault::Roots(at) => {
                    (at.unwrap_or_default(), "no-parent", "not below the root")
                }
            };
            (offsets.get(at).copied().unwrap_or_default(), kind, message.to_owned())
        })
    }

    /// Puts what has no parent below the implied root, which may be in the file.
    fn add_root(&mut self, root: Option<usize>) {
        let nodes = &mut self.graph.nodes;
        let is_root = |&i: &usize| {
            let node: &GraphNode = &nodes[i];
            node.word.is_none() && node.parent.is_none() && ROOT_LABELS.contains(&&*node.label)
        };
        let root = match root.filter(is_root) {
            Some(root) => root,
            None => {
                let label = self.interner.intern(IMPLIED_ROOT);
                nodes.push(GraphNode::new(label, None, None));
                nodes.len() - 1
            }
        };
        for (i, node) in nodes.iter_mut().enumerate() {
            if i != root && node.parent.is_none() {
                node.parent = Some(root);
            }
        }
    }
}

fn attribute(element: &BytesStart, key: &str) -> Result<Option<String>, Fault> {
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|e| ("xml", format!("broken XML: {e}")))?;
        if attribute.key.as_ref() == key {
            let value =
                unescape(&attribute.value).map_err(|e| ("xml", format!("broken XML: {e}")))?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}

fn required(element: &BytesStart, key: &str) -> Result<String, Fault> {
    attribute(element, key)?.ok_or_else(|| {
        let name = element.local_name().into_inner();
        ("xml", format!("`{name}` without the attribute `{key}`"))
    })
}
