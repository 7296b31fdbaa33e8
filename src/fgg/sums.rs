//! What sums to one in a grammar, and so has to go on doing it while its factors are trained.

use super::error::FggError;
use super::grammar::{Factor, Grammar, keyed};

/// How near a sum has to be to one.
const TOLERANCE: f64 = 1e-5;
/// Tables that are tried in sums of several.
const MOST_JOINT: usize = 16;

/// A table of numbers to train: a factor's, or a matrix of a CPD.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Terminal and number of the matrix; several where CPDs share a matrix.
    pub places: Vec<(usize, usize)>,
    pub name: String,
    pub values: Vec<f64>,
    pub sizes: Vec<usize>,
    /// What each dimension runs over; none for a rank.
    domains: Vec<Option<usize>>,
}

/// Tables that sum to one together, for every value of their other dimensions.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Number of a table, and the dimensions that are summed over.
    pub members: Vec<(usize, Vec<usize>)>,
}

/// All that can be trained in a grammar.
#[derive(Clone, Debug)]
pub struct Sums {
    pub(super) tables: Vec<Table>,
    pub(super) groups: Vec<Group>,
}

impl Sums {
    /// Looks for sums of one: in each table along its last dimensions (a CPD's first matrix by
    /// rows, its others by columns), else along others, else of up to four tables together.
    /// Equal matrices at the same place of several CPDs are one.
    ///
    /// # Errors
    /// [`FggError::Negative`]; [`FggError::Untrainable`] where nothing sums to one.
    pub fn of(grammar: &Grammar) -> Result<Sums, FggError> {
        let tables = tables(grammar)?;
        let mut groups = Vec::new();
        let mut left = Vec::new();
        for (number, table) in tables.iter().enumerate() {
            let fits = |summed: &Vec<usize>| {
                !summed.is_empty() && is_one(&marginal(table, &table.values, summed))
            };
            match subsets(table).into_iter().find(fits) {
                Some(summed) => groups.push(Group { members: vec![(number, summed)] }),
                None => left.push(number),
            }
        }
        left.truncate(MOST_JOINT);
        join(&tables, left, &mut groups);
        if groups.is_empty() {
            return Err(FggError::Untrainable(
                "no factor sums to one in any direction, and what does not is left as it is".into(),
            ));
        }
        Ok(Sums { tables, groups })
    }

    /// A line for everything that stays one, and for what stays as it is.
    pub fn describe(&self, grammar: &Grammar) -> Vec<String> {
        let mut lines = Vec::new();
        for group in &self.groups {
            let names: Vec<&str> =
                group.members.iter().map(|(t, _)| self.tables[*t].name.as_str()).collect();
            let (first, summed) = &group.members[0];
            let table = &self.tables[*first];
            let kept = (0..table.sizes.len()).filter(|k| !summed.contains(k));
            let kept: Vec<&str> = kept
                .map(|k| match table.domains[k] {
                    Some(domain) => grammar.domains()[domain].name.as_str(),
                    None => "rank",
                })
                .collect();
            let each = match kept.len() {
                0 => String::new(),
                _ => format!(" for every {}", kept.join(" and ")),
            };
            lines.push(format!("{} sums to 1{each}", names.join(" + ")));
        }
        for (number, table) in self.tables.iter().enumerate() {
            if !self.groups.iter().any(|g| g.members.iter().any(|(t, _)| *t == number)) {
                lines.push(format!("{} sums to 1 in no direction and stays as it is", table.name));
            }
        }
        lines
    }
}

fn tables(grammar: &Grammar) -> Result<Vec<Table>, FggError> {
    let mut tables: Vec<Table> = Vec::new();
    for (number, terminal) in grammar.terminals().iter().enumerate() {
        let negative = |values: &[f64]| match values.iter().find(|&&x| x < 0.0) {
            None => Ok(()),
            Some(x) => Err(FggError::Negative {
                at: keyed("interpretation.factors", &terminal.name),
                what: format!("the weight {x} is below 0"),
            }),
        };
        match &terminal.factor {
            Factor::Is(_) => {}
            Factor::Full(weights) => {
                negative(weights)?;
                tables.push(Table {
                    places: vec![(number, 0)],
                    name: terminal.name.clone(),
                    values: weights.clone(),
                    sizes: grammar.sizes(&terminal.domains),
                    domains: terminal.domains.iter().copied().map(Some).collect(),
                });
            }
            Factor::Cpd(cpd) => {
                for (k, matrix) in cpd.matrices.iter().enumerate() {
                    negative(matrix.values())?;
                    let domains = vec![Some(terminal.domains[k]), None];
                    let name = format!("{}.{}", terminal.name, k + 1);
                    let same = |t: &&mut Table| {
                        t.places[0].1 == k
                            && t.domains == domains
                            && matches!(grammar.terminals()[t.places[0].0].factor, Factor::Cpd(_))
                            && t.values == matrix.values()
                    };
                    match tables.iter_mut().find(same) {
                        Some(table) => {
                            table.places.push((number, k));
                            table.name = format!("{} = {name}", table.name);
                        }
                        None => tables.push(Table {
                            places: vec![(number, k)],
                            name,
                            values: matrix.values().to_vec(),
                            sizes: vec![matrix.rows(), matrix.columns()],
                            domains,
                        }),
                    }
                }
            }
        }
    }
    Ok(tables)
}

/// Dimensions to sum over, the most usual first.
fn subsets(table: &Table) -> Vec<Vec<usize>> {
    let count = table.sizes.len();
    let all: Vec<usize> = (0..count).collect();
    if table.domains.last() == Some(&None) {
        return match table.places[0].1 {
            0 => vec![vec![1], vec![0], all],
            _ => vec![vec![0], vec![1], all],
        };
    }
    // Given the first, given the first two, ..., then all, then given the last ones.
    let last = (1..count).map(|k| (k..count).collect());
    let first = (1..count).rev().map(|k| (0..k).collect());
    last.chain([all]).chain(first).collect()
}

/// The sums over some dimensions, for every value of the others.
pub(super) fn marginal(table: &Table, values: &[f64], summed: &[usize]) -> Vec<f64> {
    let kept = (0..table.sizes.len()).filter(|k| !summed.contains(k));
    let mut sums = vec![0.0; kept.map(|k| table.sizes[k]).product()];
    for (flat, x) in values.iter().enumerate() {
        sums[kept_index(table, flat, summed)] += x;
    }
    sums
}

/// Which of the sums an entry belongs to.
pub(super) fn kept_index(table: &Table, flat: usize, summed: &[usize]) -> usize {
    let (mut left, mut stride, mut index) = (flat, 1, 0);
    for k in (0..table.sizes.len()).rev() {
        let own = left % table.sizes[k];
        left /= table.sizes[k];
        if !summed.contains(&k) {
            index += own * stride;
            stride *= table.sizes[k];
        }
    }
    index
}

fn is_one(sums: &[f64]) -> bool {
    sums.iter().all(|sum| (sum - 1.0).abs() <= TOLERANCE)
}

/// A table's sums that could be part of a sum of several.
struct Share {
    table: usize,
    summed: Vec<usize>,
    kept: Vec<Option<usize>>,
    sums: Vec<f64>,
}

/// Sums of two to four tables that are one.
fn join(tables: &[Table], mut left: Vec<usize>, groups: &mut Vec<Group>) {
    while let Some(&first) = left.first() {
        let shares = |&number: &usize| {
            let table = &tables[number];
            let mut subsets = subsets(table);
            subsets.push(Vec::new());
            let share = move |summed: Vec<usize>| Share {
                table: number,
                kept: (0..table.sizes.len())
                    .filter(|k| !summed.contains(k))
                    .map(|k| table.domains[k])
                    .collect(),
                sums: marginal(table, &table.values, &summed),
                summed,
            };
            subsets.into_iter().map(share)
        };
        let of_first: Vec<Share> = shares(&first).collect();
        let others: Vec<Share> = left[1..].iter().flat_map(shares).collect();
        let found = of_first.iter().find_map(|share| {
            let fitting: Vec<&Share> = others
                .iter()
                .filter(|o| o.kept == share.kept && o.sums.len() == share.sums.len())
                .collect();
            complete(&[share], &share.sums, &fitting)
        });
        match found {
            None => {
                left.remove(0);
            }
            Some(members) => {
                left.retain(|number| members.iter().all(|(t, _)| t != number));
                groups.push(Group { members });
            }
        }
    }
}

fn complete(
    chosen: &[&Share],
    sums: &[f64],
    others: &[&Share],
) -> Option<Vec<(usize, Vec<usize>)>> {
    if chosen.len() > 1 && is_one(sums) {
        return Some(chosen.iter().map(|s| (s.table, s.summed.clone())).collect());
    }
    if chosen.len() == 4 || sums.iter().any(|&s| s > 1.0 + TOLERANCE) {
        return None;
    }
    others.iter().enumerate().find_map(|(k, &share)| {
        let next: Vec<f64> = sums.iter().zip(&share.sums).map(|(a, b)| a + b).collect();
        let rest: Vec<&Share> =
            others[k + 1..].iter().copied().filter(|o| o.table != share.table).collect();
        let longer: Vec<&Share> = chosen.iter().copied().chain([share]).collect();
        complete(&longer, &next, &rest)
    })
}
