//! Lists and rerankers as they are opened, and what follows from it.

use super::Rerank;
use super::book::{Book, Tool};
use super::load::{self, Loaded, Source};
use super::summary::Summary;
use crate::workbench::names::ScreenId;
use crate::workbench::popup::{Popup, Wanted};
use crate::workbench::screen::{Context, Effect, Target};
use crate::workbench::start::Named;
use crate::workbench::task::Task;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Rerank {
    /// Reads the sample where nothing was named.
    pub(super) fn begin(&mut self, context: &mut Context) {
        // A reranker that was named says which lists it is for, once it is read.
        if self.source.is_some() || matches!(self.tool_path, Some(Some(_))) {
            return;
        }
        self.read_lists(Source::Sample, context);
        self.read_tool(None, context);
    }

    pub(super) fn open_lists(&mut self, path: PathBuf, context: &mut Context) {
        // The sample's reranker knows nothing of other sentences.
        if self.tool_path == Some(None) {
            self.tool_path = None;
            self.tool = None;
            self.tool_failure = None;
            context.push(Effect::Cancel("reranker"));
        }
        self.read_lists(Source::File(path), context);
    }

    pub(super) fn open_reranker(&mut self, path: PathBuf, context: &mut Context) {
        self.read_tool(Some(path), context);
    }

    pub(super) fn ask_for_file(&mut self, context: &mut Context) {
        context.push(Effect::Popup(Popup::Files {
            id: "open",
            title: "Open candidate lists or a trained reranker".into(),
            wanted: Wanted::Lists,
            instead: Some("the sample"),
            initial: String::new(),
        }));
    }

    pub(super) fn open_file(&mut self, text: &str, context: &mut Context) {
        let text = text.trim();
        if text.is_empty() {
            self.tool_path = None;
            self.source = None;
            return self.begin(context);
        }
        let path = Path::new(text).to_owned();
        match Named::all(&path).as_deref() {
            Ok([Named::Lists(path)]) => self.open_lists(path.clone(), context),
            Ok([Named::Reranker(path)]) => self.open_reranker(path.clone(), context),
            Ok([Named::Corpus(path), ..]) => {
                context.push(Effect::Open(ScreenId::Corpora, Target::Corpus(path.clone())));
                context.warn("these are no candidate lists: opened as a corpus");
            }
            Ok(_) => context.warn(format!("{text} is neither candidate lists nor a reranker")),
            Err(reason) => context.error(reason.clone()),
        }
    }

    pub(super) fn reload(&mut self, context: &mut Context) {
        if let Some(source) = self.source.clone() {
            self.read_lists(source, context);
        }
        if let Some(path) = self.tool_path.clone() {
            self.read_tool(path, context);
        }
    }

    fn read_lists(&mut self, source: Source, context: &mut Context) {
        for kind in ["lists", "scores", "summary", "order", "parts"] {
            context.push(Effect::Cancel(kind));
        }
        let new = Rerank {
            seen: self.seen,
            source: Some(source.clone()),
            tool_path: self.tool_path.take(),
            tool: self.tool.take(),
            tool_failure: self.tool_failure.take(),
            followed: self.followed,
            gold: self.gold.take().filter(|_| self.source.as_ref() == Some(&source)),
            layout: self.layout,
            against: self.against,
            base_order: self.base_order,
            decisions: self.decisions,
            ..Rerank::default()
        };
        let old = std::mem::replace(self, new);
        if old.book.is_some() {
            put_away((old.loaded, old.book, old.parts), context);
        }
        let (title, gold) = (format!("reading {}", source.name()), self.gold.clone());
        context.spawn(Task::new("lists", title, move |handle| {
            load::read(source, gold.as_deref(), handle)
        }));
    }

    pub(super) fn ask_for_gold(&self, context: &mut Context) {
        let Some(loaded) = &self.loaded else {
            return context.warn("there are no lists to give gold trees to yet");
        };
        let known = loaded.lists.iter().filter(|list| list.list.gold.is_some()).count();
        if known == loaded.lists.len() && self.gold.is_none() {
            return context.warn("every list has its gold tree already");
        }
        let initial = self.gold.as_ref().map(|path| path.display().to_string());
        context.push(Effect::Popup(Popup::Prompt {
            id: "rerank-gold",
            title: "Gold trees".into(),
            text: "Treebank with the gold trees of the lists, in the same order or found by their \
                   words. Empty: only those of the lists"
                .into(),
            initial: initial.unwrap_or_default(),
        }));
    }

    /// Reads the lists again, with the gold trees of a file.
    pub(super) fn attach_gold(&mut self, text: &str, context: &mut Context) {
        let text = text.trim();
        self.gold = (!text.is_empty()).then(|| PathBuf::from(text));
        self.reload(context);
    }

    fn read_tool(&mut self, path: Option<PathBuf>, context: &mut Context) {
        for kind in ["reranker", "scores", "parts"] {
            context.push(Effect::Cancel(kind));
        }
        self.tool_path = Some(path.clone());
        self.tool_failure = None;
        if self.source.is_none() {
            self.failure = None;
        }
        context.spawn(Task::new("reranker", "reading the reranker", move |_| match path {
            Some(path) => Tool::read(&path),
            None => Tool::sample(),
        }));
    }

    pub(super) fn take_lists(&mut self, loaded: Loaded, context: &mut Context) {
        self.failure = None;
        match (&loaded.attached, &self.gold) {
            (Some(Ok(attached)), Some(gold)) => {
                context.status(attached.told(&gold.display().to_string()));
            }
            (Some(Err(reason)), _) => {
                context.error(reason.clone());
                self.gold = None;
            }
            _ => {}
        }
        self.show(Book::unranked(loaded.lists.clone()), context);
        self.loaded = Some(loaded);
        self.relist(context);
        self.score(context);
    }

    pub(super) fn take_tool(&mut self, tool: Tool, context: &mut Context) {
        self.tool_failure = None;
        let dev = tool.dev.as_ref().map(PathBuf::from).filter(|path| path.is_file());
        self.tool = Some(Arc::new(tool));
        // Other sentences than the sample's are meant, where it says which.
        match (&self.source, dev) {
            (None | Some(Source::Sample), Some(dev)) => {
                context.status(format!("{}: the lists that it was chosen by", dev.display()));
                return self.read_lists(Source::File(dev), context);
            }
            (None, None) => return self.read_lists(Source::Sample, context),
            _ => {}
        }
        self.score(context);
    }

    /// Has the lists reranked once both are there; without a reranker only their figures are told.
    pub(super) fn score(&mut self, context: &mut Context) {
        let Some(loaded) = &self.loaded else { return };
        let Some(tool) = self.tool.clone() else {
            let awaited = self.tool_path.is_some() && self.tool_failure.is_none();
            return if awaited { Default::default() } else { self.summarise(context) };
        };
        let lists = loaded.lists.clone();
        let title = format!("reranking {}", loaded.source.name());
        context.spawn(Task::new("scores", title, move |handle| Book::ranked(&lists, tool, handle)));
    }

    pub(super) fn take_book(&mut self, book: Book, context: &mut Context) {
        self.show(book, context);
        self.choose();
        self.relist(context);
        self.summarise(context);
    }

    fn show(&mut self, book: Book, context: &mut Context) {
        self.knows = book.ranked.is_some() && self.knows_the_lists(context.shared);
        let old = self.book.replace(Arc::new(book));
        let parts = self.parts.take();
        self.summary = None;
        self.unsummarised = None;
        if old.is_some() {
            put_away((old, parts), context);
        }
    }

    fn summarise(&mut self, context: &mut Context) {
        self.unsummarised = None;
        let Some(book) = self.book.clone().filter(|book| book.with_gold > 0) else { return };
        context.spawn(Task::new("summary", "computing figures and p-values", move |handle| {
            Summary::of(&book, handle)
        }));
    }
}

/// A million trees are not given back within a frame.
fn put_away<T: Send + 'static>(old: T, context: &mut Context) {
    context.spawn(Task::new("drop", "putting lists away", move |_| {
        drop(old);
        Ok(())
    }));
}
