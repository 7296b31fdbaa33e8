//! The Boost screen: the rounds of bagging or boosting, the sentences that boosting keeps pushing
//! up, and what people say of them.

mod book;
mod brackets;
mod choosing;
mod commands;
mod draw;
mod listing;
mod measure;
mod notes;
mod pairs;
mod panes;
mod proposals;
mod sentences;
mod signals;
#[cfg(test)]
mod tests;
mod twins;
mod verdicts;

use crate::ensemble::Analyses;
use crate::ensemble::ledger::FILE;
use crate::run::RunFolder;
use crate::workbench::choice::{named, on_off};
use crate::workbench::field::Field;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::news::TaskReport;
use crate::workbench::popup::{Answer, Popup};
use crate::workbench::screen::{Context, Effect, Input, Screen, View};
use crate::workbench::task::Task;
use crate::workbench::widgets::{TreeLayout, moves};
use book::{Book, RoundPage};
use brackets::Span;
use listing::Sort;
use measure::Measure;
use pairs::Pairs;
use panes::Panes;
use proposals::{Original, Written};
use ratatui::Frame;
use ratatui::layout::Rect;
use signals::Weighing;
use std::collections::BTreeSet;
use std::sync::Arc;
use verdicts::Given;

pub use commands::COMMANDS;
pub use notes::NOTES;

/// Curves drawn at most, one for each colour of a theme.
const CURVES: usize = 6;

/// What the keys are about, and in small terminals all that is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    #[default]
    Sentences,
    Figures,
}

#[derive(Default)]
pub struct Boost {
    run: Option<RunId>,
    /// Whether the screen has been looked at; before, nothing is read.
    seen: bool,
    /// Whether rounds were asked for, and up to which the run had told of them then.
    asked: Option<Option<u64>>,
    /// Whether a round was told of while others were being read.
    missed: bool,
    failure: Option<String>,
    book: Option<Book>,
    page: Page,
    /// Place of the round in view; the newest if nobody chose one.
    round: Option<usize>,
    /// Numbers of the rounds whose curves are drawn, if somebody chose some.
    chosen: Option<BTreeSet<u64>>,
    log_y: bool,
    measure: Measure,
    sort: Sort,
    reversed: bool,
    weighing: Weighing,
    filter: Field,
    filtering: bool,
    /// Sentences as listed.
    order: Vec<u32>,
    at: usize,
    /// The sentence that the list which is being made is for.
    wanted: Option<usize>,
    /// The bracket that verdicts are about; the whole sentence without.
    span: Option<Span>,
    /// The verdicts that hold.
    given: Given,
    /// What the parser of that round says.
    analyses: Option<(u64, Arc<Analyses>)>,
    /// Why it cannot be read.
    unread: Option<String>,
    panes: Panes,
    pairs: Pairs,
    /// What the proposal that is being typed is for.
    proposing: Option<Original>,
    layout: TreeLayout,
    zoomed: bool,
}

/// Analyses that a task read, with the number of their round.
struct Analysed(RunId, u64, Analyses);

/// Sentences in their order, as a task listed them.
struct Listed(RunId, Vec<u32>);

impl Boost {
    /// Place of the round in view.
    fn round(&self) -> usize {
        let last = self.book.as_ref().map_or(0, |book| book.rounds.len().saturating_sub(1));
        self.round.map_or(last, |round| round.min(last))
    }

    /// The selected sentence.
    fn sentence(&self) -> Option<usize> {
        Some(*self.order.get(self.at)? as usize)
    }

    /// What the parser of the round in view says, once it is read.
    fn analyses(&self) -> Option<&Arc<Analyses>> {
        let number = self.book.as_ref()?.rounds[self.round()].kept.number;
        self.analyses.as_ref().filter(|(n, _)| *n == number).map(|(_, analyses)| analyses)
    }

    /// Numbers of the rounds whose curves are drawn: the first, the middle and the last vote (where
    /// there is none, round) if nobody chose any.
    fn curves(&self) -> Vec<u64> {
        let Some(book) = &self.book else { return Vec::new() };
        match &self.chosen {
            Some(chosen) => chosen.iter().copied().collect(),
            None => {
                let number = |page: &Arc<RoundPage>| page.kept.number;
                let voting = book.rounds.iter().filter(|page| page.kept.vote.is_some());
                let mut drawn: Vec<u64> = voting.map(number).collect();
                if drawn.is_empty() {
                    drawn = book.rounds.iter().map(number).collect();
                }
                let places = [0, drawn.len() / 2, drawn.len().saturating_sub(1)];
                let some: BTreeSet<u64> =
                    places.into_iter().filter_map(|i| drawn.get(i).copied()).collect();
                some.into_iter().collect()
            }
        }
    }

    fn command(&mut self, name: &'static str, context: &mut Context) {
        let rounds = self.book.as_ref().map_or(0, |book| book.rounds.len());
        if self.page == Page::Figures
            && let Some(at) = moves::moved(name, self.round(), rounds)
        {
            return self.turn(at, context);
        }
        if let Some(at) = moves::moved(name, self.at, self.order.len()) {
            return self.select(at, context);
        }
        if let Some(by) = moves::scrolled(name) {
            self.panes.scroll(by);
            return self.pairs.scroll(by);
        }
        match name {
            "figures" => {
                self.page = match self.page {
                    Page::Sentences => Page::Figures,
                    Page::Figures => Page::Sentences,
                }
            }
            "filter" => {
                self.page = Page::Sentences;
                self.filtering = true;
            }
            "sort" => {
                self.sort = self.sort.next();
                self.relist(context);
            }
            "reverse" => {
                self.reversed = !self.reversed;
                self.relist(context);
            }
            "bracket" => self.turn_bracket(true, context),
            "previous-bracket" => self.turn_bracket(false, context),
            "clear" => {
                if !self.leave_bracket(context) && !self.filter.is_empty() {
                    self.filter.clear();
                    self.relist(context);
                }
            }
            "jump" => context.push(Effect::Popup(Popup::Prompt {
                id: "jump",
                title: "Jump".into(),
                text: "A rank, or # and the number of the sentence in its corpus (from 0)".into(),
                initial: String::new(),
            })),
            "earlier-round" => self.turn(self.round().saturating_sub(1), context),
            "later-round" => self.turn((self.round() + 1).min(rounds.saturating_sub(1)), context),
            "curve" => self.toggle_curve(context),
            "scale" => self.log_y = !self.log_y,
            "measure" => self.measure = self.measure.next(),
            "layout" => {
                self.layout = self.layout.next();
                self.lay_out(context);
                self.lay_out_twin(context);
            }
            "twins" => self.toggle_twins(context),
            "next-twin" => self.turn_twin(true, context),
            "previous-twin" => self.turn_twin(false, context),
            "propose" => self.propose(context),
            "export" => self.ask_for_folder(context),
            "zoom" => self.zoomed = !self.zoomed,
            "reload" => {
                self.failure = None;
                self.read(context);
                self.analyse(context);
            }
            _ => self.judge(name, context),
        }
    }

    /// Selects what the mouse chose; the keys go with it.
    fn point(&mut self, list: &str, row: usize, context: &mut Context) {
        match list {
            "rounds" => {
                self.page = Page::Figures;
                self.turn(row, context);
            }
            "sentences" => {
                self.page = Page::Sentences;
                self.select(row, context);
            }
            "twins" => self.select_twin(row, context),
            _ => {}
        }
    }

    fn toggle_curve(&mut self, context: &mut Context) {
        let Some(book) = &self.book else { return };
        let number = book.rounds[self.round()].kept.number;
        let mut chosen: BTreeSet<u64> = self.curves().into_iter().collect();
        if !chosen.remove(&number) {
            if chosen.len() == CURVES {
                return context.status(format!("{CURVES} curves are drawn: take one away first"));
            }
            chosen.insert(number);
        }
        self.chosen = Some(chosen);
    }

    /// Looks at another round: its ranking, its errors and its analyses.
    fn turn(&mut self, round: usize, context: &mut Context) {
        let last = self.book.as_ref().map_or(0, |book| book.rounds.len().saturating_sub(1));
        // The newest stays the newest when another one comes.
        self.round = (round < last).then_some(round);
        self.relist(context);
        self.analyse(context);
    }

    /// Reads the rounds that the screen lacks.
    fn read(&mut self, context: &mut Context) {
        let Some(run) = context.shared.boosted_run() else { return };
        self.asked = Some(run.history.checkpoints.get("round").copied());
        let known = self.book.as_ref().map(|b| (b.sentences.clone(), b.rounds.clone()));
        let (id, path) = (run.id, run.path.clone());
        let title = format!("reading the rounds of {}", run.name);
        context
            .spawn(Task::new("rounds", title, move |handle| Book::read(id, &path, known, handle)));
    }

    /// Reads what the parser of the round in view says, unless it is there.
    fn analyse(&mut self, context: &mut Context) {
        let Some(book) = &self.book else { return };
        let number = book.rounds[self.round()].kept.number;
        if self.analyses.as_ref().is_some_and(|(n, _)| *n == number) {
            return;
        }
        let Some(run) = context.shared.run(book.run) else { return };
        let (id, path, of) = (run.id, run.path.clone(), book.sentences.len());
        self.unread = None;
        let title = format!("reading the analyses of round {number}");
        context.spawn(Task::new("analyses", title, move |_| {
            let read = RunFolder::open(&path).and_then(|f| f.kept_analyses(number, "train"));
            let analyses = read.map_err(|e| e.to_string())?;
            match analyses.trees.len() == of {
                true => Ok(Analysed(id, number, analyses)),
                false => Err(format!("round {number} has {} trees for {of}", analyses.trees.len())),
            }
        }));
    }

    /// Turns to the selected run, and reads what is new there.
    fn follow(&mut self, context: &mut Context) {
        let shown = context.shared.boosted_run();
        if self.run != shown.map(|run| run.id) {
            for kind in ["rounds", "list", "analyses", "catalogue", "twins", "signals"] {
                context.push(Effect::Cancel(kind));
            }
            let new = Boost {
                run: shown.map(|run| run.id),
                seen: self.seen,
                layout: self.layout,
                log_y: self.log_y,
                measure: self.measure,
                ..Boost::default()
            };
            let old = std::mem::replace(self, new);
            if let Some(book) = old.book {
                // A million words are not given back within a frame.
                let put_away = (book, old.analyses, old.pairs);
                context.spawn(Task::new("drop", "putting the rounds away", |_| {
                    drop(put_away);
                    Ok(())
                }));
            }
        }
        let shown = shown.filter(|run| run.is_ensemble() && !run.gone);
        let Some(run) = shown.filter(|_| self.seen) else { return };
        if !run.followed {
            context.push(Effect::Follow(run.id));
        }
        let told = run.history.checkpoints.get("round").copied();
        if self.asked.is_some_and(|asked| asked >= told) {
            return;
        }
        self.missed = context.shared.task(ScreenId::Boost, "rounds").is_some();
        if !self.missed {
            self.read(context);
        }
    }

    fn task(&mut self, report: &mut TaskReport, context: &mut Context) {
        if let Some(error) = report.error() {
            match report.kind {
                "rounds" => self.failure = Some(error.to_owned()),
                "catalogue" => self.pairs.asked = false,
                "signals" => self.weighing.failed(),
                "analyses" => self.unread = Some(error.to_owned()),
                _ => {}
            }
            return context.error(error);
        }
        if let Some(book) = report.take::<Option<Book>>() {
            self.failure = None;
            if let Some(mut book) = book.filter(|book| Some(book.run) == self.run) {
                // A verdict may have been given since its ledger was read.
                self.given.merge(std::mem::take(&mut book.given));
                if let Some(complaint) = book.ledger.complaint() {
                    context.warn(format!("{FILE}: {complaint}"));
                }
                self.book = Some(book);
                self.relist(context);
                self.analyse(context);
            }
            if std::mem::take(&mut self.missed) {
                self.follow(context);
            }
        } else if let Some(Analysed(run, number, analyses)) = report.take::<Analysed>()
            && Some(run) == self.run
        {
            self.analyses = Some((number, Arc::new(analyses)));
            self.lay_out(context);
            if listing::needs_analyses(self.filter.text()) {
                self.relist(context);
            }
        } else if let Some(Listed(run, order)) = report.take::<Listed>()
            && Some(run) == self.run
        {
            self.listed(order, context);
        } else if let Some(original) = report.take::<Original>() {
            self.ask_for_proposal(original, context);
        } else if let Some(Written(text, wholly)) = report.take::<Written>() {
            if wholly { context.status(text) } else { context.warn(text) }
        } else if !self.weighed(report, context) {
            self.found(report, context);
        }
    }
}

impl Screen for Boost {
    fn id(&self) -> ScreenId {
        ScreenId::Boost
    }

    fn update(&mut self, input: Input, context: &mut Context) {
        match input {
            Input::Command(name) => self.command(name, context),
            Input::Key(key) if self.filtering => self.filter_key(&key, context),
            Input::Paste(text) if self.filtering => {
                self.filter.paste(text);
                self.relist(context);
            }
            Input::Point { list, row } => self.point(list, row, context),
            Input::LeaveField => self.filtering = false,
            Input::Shown => {
                self.seen = true;
                self.follow(context);
            }
            Input::Selection => self.follow(context),
            Input::Run(id) if Some(id) == self.run => self.follow(context),
            Input::Answer { popup: "jump", answer: Answer::Text(text) } => {
                self.jump(text, context);
            }
            Input::Answer { popup: "note", answer: Answer::Text(text) } => {
                self.note(text, context);
            }
            Input::Answer { popup: "proposal", answer: Answer::Text(text) } => {
                self.proposed(text, context);
            }
            Input::Answer { popup: "export", answer: Answer::Text(text) } => {
                self.export(text, context);
            }
            Input::Task(report) => self.task(report, context),
            _ => {}
        }
    }

    fn choices(&self) -> Vec<(&'static str, String)> {
        vec![
            ("layout", self.layout.name().to_owned()),
            ("scale", on_off(self.log_y)),
            ("measure", self.measure.title().to_owned()),
        ]
    }

    fn recall(&mut self, name: &str, value: &str) {
        match name {
            "layout" => {
                self.layout = named(self.layout, TreeLayout::next, TreeLayout::name, value)
                    .unwrap_or(self.layout);
            }
            "scale" => self.log_y = value == "on",
            "measure" => {
                let measure = named(self.measure, Measure::next, Measure::title, value);
                self.measure = measure.unwrap_or(self.measure);
            }
            _ => {}
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        draw::draw(self, frame, area, view);
    }

    fn editing(&self) -> bool {
        self.filtering
    }
}
