use std::fmt;

/// Why a rule is not one of a B-FGG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Not exactly one external node, and not the start symbol's with none.
    Externals,
    /// A nonterminal edge that touches no node or several.
    NonterminalArity,
    /// A nonterminal edge on an external node.
    NonterminalOnExternal,
    /// Two nonterminal edges on one node.
    SharedNode,
}

impl Reason {
    /// As in files.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Externals => "externals",
            Reason::NonterminalArity => "nonterminal-arity",
            Reason::NonterminalOnExternal => "nonterminal-on-external",
            Reason::SharedNode => "shared-node",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Externals => "it has not exactly one external node",
            Reason::NonterminalArity => "a nonterminal edge does not touch exactly one node",
            Reason::NonterminalOnExternal => "a nonterminal edge touches an external node",
            Reason::SharedNode => "two nonterminal edges touch the same node",
        })
    }
}
