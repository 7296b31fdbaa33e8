use crate::treebank::Tree;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::Arc;

/// Number of a subtree among those that were met.
pub type SubtreeId = u32;

/// Number of a label or word.
pub(super) type Name = u32;

/// A production: label and labels of the children; tag and word, marked as such, of a preterminal.
type Production = Box<[Name]>;

/// Stands before the names of a preterminal's production.
pub(super) const WORD: Name = u32::MAX;

/// Calls that may be open in a comparison; what is deeper does without.
const RECURSION: usize = 100;

/// Whole subtrees, each once, with what C makes of them.
#[derive(Clone, Debug)]
pub struct Subtrees {
    lambda: f64,
    names: HashMap<Arc<str>, Name, FixedState>,
    all_names: Vec<Arc<str>>,
    productions: HashMap<Production, u32, FixedState>,
    all_productions: Vec<Production>,
    /// Production and children.
    ids: HashMap<(u32, Box<[SubtreeId]>), SubtreeId, FixedState>,
    nodes: Vec<Subtree>,
    children: Vec<SubtreeId>,
}

#[derive(Clone, Copy, Debug)]
struct Subtree {
    production: u32,
    first: u32,
    count: u32,
    /// C with itself.
    own: f64,
}

/// Nodes of a tree by the subtrees below them, with how often each stands, by production.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes(pub Vec<(SubtreeId, u32)>);

/// Two subtrees being compared, with the product over the children so far.
struct Frame {
    a: SubtreeId,
    b: SubtreeId,
    next: u32,
    product: f64,
}

impl Subtrees {
    pub fn new(lambda: f64) -> Subtrees {
        Subtrees {
            lambda,
            names: HashMap::default(),
            all_names: Vec::new(),
            productions: HashMap::default(),
            all_productions: Vec::new(),
            ids: HashMap::default(),
            nodes: Vec::new(),
            children: Vec::new(),
        }
    }

    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Number of subtrees met.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of productions met.
    pub fn productions(&self) -> usize {
        self.all_productions.len()
    }

    pub fn production(&self, id: SubtreeId) -> u32 {
        self.nodes[id as usize].production
    }

    pub fn children(&self, id: SubtreeId) -> &[SubtreeId] {
        let Subtree { first, count, .. } = self.nodes[id as usize];
        &self.children[first as usize..][..count as usize]
    }

    /// A production as people write it.
    pub fn production_name(&self, production: u32) -> String {
        let name = |name: &Name| self.all_names[*name as usize].to_string();
        match &*self.all_productions[production as usize] {
            [WORD, tag, word] => format!("{} -> \"{}\"", name(tag), name(word)),
            [label, children @ ..] => {
                let children: Vec<String> = children.iter().map(name).collect();
                format!("{} -> {}", name(label), children.join(" "))
            }
            [] => String::new(),
        }
    }

    /// Labels and words by their numbers.
    pub fn names(&self) -> &[Arc<str>] {
        &self.all_names
    }

    /// The names of every production.
    pub fn production_names(&self) -> impl Iterator<Item = &[u32]> {
        self.all_productions.iter().map(|names| &**names)
    }

    /// Children that a subtree of the production has.
    pub fn arity(&self, production: u32) -> usize {
        match &*self.all_productions[production as usize] {
            [WORD, ..] => 0,
            names => names.len() - 1,
        }
    }

    /// The number of a label or word, new or known.
    pub fn name(&mut self, text: &Arc<str>) -> Name {
        if let Some(known) = self.names.get(text) {
            return *known;
        }
        let new = self.all_names.len() as Name;
        self.all_names.push(text.clone());
        self.names.insert(text.clone(), new);
        new
    }

    /// The number of a production, new or known.
    pub fn production_of(&mut self, names: Production) -> u32 {
        let new = self.all_productions.len() as u32;
        let all = &mut self.all_productions;
        *self.productions.entry(names).or_insert_with_key(|names| {
            all.push(names.clone());
            new
        })
    }

    /// The number of a subtree of known children, new or known.
    pub fn subtree(&mut self, production: u32, children: &[SubtreeId]) -> SubtreeId {
        let key = (production, Box::from(children));
        if let Some(known) = self.ids.get(&key) {
            return *known;
        }
        let new = self.nodes.len() as SubtreeId;
        let own = |child: &SubtreeId| 1.0 + self.nodes[*child as usize].own;
        let own = self.lambda * children.iter().map(own).product::<f64>();
        let (first, count) = (self.children.len() as u32, children.len() as u32);
        self.children.extend_from_slice(children);
        self.nodes.push(Subtree { production, first, count, own });
        self.ids.insert(key, new);
        new
    }

    /// The nodes of a tree, whose subtrees are kept. Phrases with gaps are phrases like others.
    pub fn nodes(&mut self, tree: &Tree) -> Nodes {
        let mut of_node = vec![0; tree.nodes().len()];
        let mut children = Vec::new();
        for id in tree.postorder() {
            let node = tree.node(id);
            let label = self.name(node.label);
            let production = match node.position {
                Some(position) => {
                    let word = self.name(&tree.words()[position as usize]);
                    self.production_of(Box::new([WORD, label, word]))
                }
                None => {
                    let mut names = vec![label];
                    for child in node.children {
                        names.push(self.name(tree.node(*child).label));
                    }
                    self.production_of(names.into())
                }
            };
            children.clear();
            children.extend(node.children.iter().map(|child| of_node[child.0 as usize]));
            of_node[id.0 as usize] = self.subtree(production, &children);
        }
        of_node.sort_unstable_by_key(|id| (self.production(*id), *id));
        let mut nodes: Vec<(SubtreeId, u32)> = Vec::with_capacity(of_node.len());
        for id in of_node {
            match nodes.last_mut() {
                Some((last, count)) if *last == id => *count += 1,
                _ => nodes.push((id, 1)),
            }
        }
        Nodes(nodes)
    }

    /// C of two subtrees.
    pub fn common(&self, a: SubtreeId, b: SubtreeId) -> f64 {
        self.common_below(a, b, 0)
    }

    /// The same, where so many calls are open: most comparisons end after one or two.
    fn common_below(&self, a: SubtreeId, b: SubtreeId, depth: usize) -> f64 {
        if a == b {
            return self.nodes[a as usize].own;
        }
        if self.production(a) != self.production(b) {
            return 0.0;
        }
        if depth == RECURSION {
            return self.common_at_any_depth(a, b);
        }
        // Equal preterminals are one subtree, so that these two are phrases.
        let pairs = self.children(a).iter().zip(self.children(b));
        let factors = pairs.map(|(a, b)| 1.0 + self.common_below(*a, *b, depth + 1));
        self.lambda * factors.product::<f64>()
    }

    /// C of two phrases of the same production without recursion.
    fn common_at_any_depth(&self, a: SubtreeId, b: SubtreeId) -> f64 {
        let frame = |a, b| Frame { a, b, next: 0, product: self.lambda };
        let mut stack = vec![frame(a, b)];
        let mut value = 0.0;
        while let Some(top) = stack.last_mut() {
            let (left, right) = (self.children(top.a), self.children(top.b));
            let next = top.next as usize;
            if next == left.len() {
                value = top.product;
                stack.pop();
                if let Some(above) = stack.last_mut() {
                    above.product *= 1.0 + value;
                }
                continue;
            }
            let (a, b) = (left[next], right[next]);
            top.next += 1;
            if a == b {
                top.product *= 1.0 + self.nodes[a as usize].own;
            } else if self.production(a) == self.production(b) {
                stack.push(frame(a, b));
            }
        }
        value
    }

    /// K of two trees: both lists of nodes are by production, so that only nodes that have a partner
    /// are looked at.
    pub fn kernel(&self, a: &Nodes, b: &Nodes) -> f64 {
        let mut sum = 0.0;
        let mut from = 0;
        for &(left, n) in &a.0 {
            let production = self.production(left);
            while b.0.get(from).is_some_and(|(id, _)| self.production(*id) < production) {
                from += 1;
            }
            let partners = b.0[from..].iter();
            for &(right, m) in partners.take_while(|(id, _)| self.production(*id) == production) {
                sum += f64::from(n) * f64::from(m) * self.common(left, right);
            }
        }
        sum
    }
}
