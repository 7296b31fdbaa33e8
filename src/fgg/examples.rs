//! Grammars that come with the program.

/// A grammar file that is compiled in.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub name: &'static str,
    pub description: &'static str,
    /// As [`super::read`] takes it.
    pub text: &'static str,
}

/// All of them.
pub fn examples() -> &'static [Example] {
    &[
        Example {
            name: "hmm",
            description: "an HMM whose words hang on the rank node",
            text: include_str!("../../assets/fgg/hmm.json"),
        },
        Example {
            name: "hsmm",
            description: "a hidden semi-Markov model: segments of one to three words",
            text: include_str!("../../assets/fgg/hsmm.json"),
        },
        Example {
            name: "pcfg",
            description: "a PCFG in Chomsky normal form with a low-rank rule tensor",
            text: include_str!("../../assets/fgg/pcfg.json"),
        },
    ]
}

/// The one of a name.
pub fn example(name: &str) -> Option<Example> {
    examples().iter().copied().find(|example| example.name == name)
}
