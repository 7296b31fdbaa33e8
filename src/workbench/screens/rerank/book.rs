//! What is shown of every list: who would choose what, and by which scores.

use crate::rerank::{Judged, Reranker, RerankerFile, Scored};
use crate::treebank::sample;
use crate::workbench::task::TaskHandle;
use std::path::Path;
use std::sync::Arc;

/// Lists scored between two looks at whether to go on.
const CHUNK: usize = 128;

/// A reranker with its name.
pub struct Tool {
    pub name: String,
    pub reranker: Reranker,
    /// The lists that it was trained on and chosen by, as its file names them.
    pub train: String,
    pub dev: Option<String>,
}

/// Lists as far as the reranker sees them, with everybody's choices.
pub struct Book {
    pub lists: Arc<Vec<Judged>>,
    /// Lists with a gold tree.
    pub with_gold: usize,
    pub candidates: usize,
    /// The candidates of highest and of lowest F1 of every list with a gold tree and a candidate.
    extremes: Vec<Option<(u32, u32)>>,
    pub ranked: Option<Ranked>,
}

/// What a reranker makes of the lists.
pub struct Ranked {
    pub tool: Arc<Tool>,
    pub scored: Vec<Scored>,
    /// Places of the candidates by the reranker, from 0.
    ranks: Vec<Vec<u32>>,
}

impl Book {
    /// Lists that nobody reranks.
    pub fn unranked(lists: Arc<Vec<Judged>>) -> Book {
        let extremes = lists.iter().map(extremes).collect();
        Book {
            with_gold: lists.iter().filter(|list| list.list.gold.is_some()).count(),
            candidates: lists.iter().map(Judged::len).sum(),
            lists,
            extremes,
            ranked: None,
        }
    }

    /// Lists as a reranker scores them, which sees only the best of long ones.
    pub fn ranked(
        lists: &Arc<Vec<Judged>>,
        tool: Arc<Tool>,
        handle: &TaskHandle,
    ) -> Result<Book, String> {
        let most = tool.reranker.settings.candidates;
        let lists = match lists.iter().any(|list| list.len() > most) {
            true => Arc::new(lists.iter().map(|list| list.first(most)).collect()),
            false => lists.clone(),
        };
        let mut scored = Vec::with_capacity(lists.len());
        for chunk in lists.chunks(CHUNK) {
            if handle.cancelled() {
                return Err("stopped".into());
            }
            scored.extend(tool.reranker.score(chunk));
            handle.progress(scored.len() as u64, lists.len() as u64);
        }
        let ranks = scored.iter().map(ranks).collect();
        let ranked = Some(Ranked { tool, scored, ranks });
        Ok(Book { ranked, ..Book::unranked(lists) })
    }

    /// The candidate that the reranker takes, without one the base parser's first.
    pub fn choice(&self, sentence: usize) -> Option<usize> {
        match &self.ranked {
            Some(ranked) => ranked.scored[sentence].chosen,
            None => (!self.lists[sentence].is_empty()).then_some(0),
        }
    }

    pub fn oracle(&self, sentence: usize) -> Option<usize> {
        self.extremes[sentence].map(|(best, _)| best as usize)
    }

    /// The candidate of lowest F1, the first of equal ones.
    pub fn worst(&self, sentence: usize) -> Option<usize> {
        self.extremes[sentence].map(|(_, worst)| worst as usize)
    }

    /// F1 of a candidate, percent.
    pub fn f1(&self, sentence: usize, candidate: usize) -> Option<f64> {
        Some(self.lists[sentence].agreements.get(candidate)?.f1())
    }

    /// F1 that the reranker's choice has more than the base parser's.
    pub fn gain(&self, sentence: usize) -> Option<f64> {
        Some(
            self.f1(sentence, self.ranked.as_ref()?.scored[sentence].chosen?)?
                - self.f1(sentence, 0)?,
        )
    }

    /// Score of a candidate less that of the base parser's choice.
    pub fn margin(&self, sentence: usize, candidate: usize) -> Option<f64> {
        let scores = &self.ranked.as_ref()?.scored[sentence].scores;
        Some(scores.get(candidate)? - scores.first()?)
    }

    /// Whether the reranker takes another candidate than the base parser.
    pub fn is_changed(&self, sentence: usize) -> bool {
        self.choice(sentence).is_some_and(|k| k > 0)
    }

    /// Place of a candidate by the reranker, from 0.
    pub fn rank(&self, sentence: usize, candidate: usize) -> Option<usize> {
        Some(*self.ranked.as_ref()?.ranks[sentence].get(candidate)? as usize)
    }

    /// Candidates in the order of the reranker, or of the base parser.
    pub fn order(&self, sentence: usize, by_reranker: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.lists[sentence].len()).collect();
        if by_reranker && let Some(ranked) = &self.ranked {
            order.sort_by_key(|k| ranked.ranks[sentence][*k]);
        }
        order
    }
}

fn extremes(list: &Judged) -> Option<(u32, u32)> {
    let best = list.oracle()?;
    let f1 = |k: usize| list.agreements[k].f1();
    let worst = (0..list.len()).reduce(|worst, k| if f1(k) < f1(worst) { k } else { worst })?;
    Some((best as u32, worst as u32))
}

/// Places by votes where all versions vote, by scores, and by the base parser; the elected one is
/// first whatever its score.
fn ranks(scored: &Scored) -> Vec<u32> {
    let votes = |k: usize| scored.votes.as_ref().map_or(0, |votes| votes[k]);
    let mut order: Vec<usize> = (0..scored.scores.len()).collect();
    order.sort_by(|&a, &b| {
        let elected = |k: usize| scored.chosen == Some(k);
        let by_vote = elected(b).cmp(&elected(a)).then(votes(b).cmp(&votes(a)));
        by_vote.then(scored.scores[b].total_cmp(&scored.scores[a])).then(a.cmp(&b))
    });
    let mut ranks = vec![0; order.len()];
    for (rank, k) in order.into_iter().enumerate() {
        ranks[k] = rank as u32;
    }
    ranks
}

impl Tool {
    /// Reads a reranker's file.
    pub fn read(path: &Path) -> Result<Tool, String> {
        let file = RerankerFile::load(path).map_err(|e| e.to_string())?;
        // That of a run is called by the run.
        let run = path.parent().filter(|folder| folder.ends_with("checkpoints"));
        let named = run.and_then(Path::parent).unwrap_or(path);
        let name = named.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Tool::of(name, file))
    }

    /// The one that came with the program. It names lists of the folder that it was made in, which
    /// are nobody else's.
    pub fn sample() -> Result<Tool, String> {
        let file = RerankerFile::from_bytes("the sample's reranker", sample::reranker());
        let tool = Tool::of("sample".to_owned(), file.map_err(|e| e.to_string())?);
        Ok(Tool { train: String::new(), dev: None, ..tool })
    }

    fn of(name: String, file: RerankerFile) -> Tool {
        let RerankerFile { reranker, training, .. } = file;
        Tool { name, reranker, train: training.train, dev: training.dev }
    }
}
