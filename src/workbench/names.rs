//! By what every part of the workbench calls a screen or a run. Imports nothing.

/// The screens, by the number key that shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScreenId {
    Corpora,
    Train,
    Grammar,
    Parses,
    Boost,
    Rerank,
    Runs,
    Log,
}

impl ScreenId {
    /// In the order in which Tab goes through them.
    pub const ALL: [ScreenId; 8] = [
        ScreenId::Corpora,
        ScreenId::Train,
        ScreenId::Grammar,
        ScreenId::Parses,
        ScreenId::Boost,
        ScreenId::Rerank,
        ScreenId::Runs,
        ScreenId::Log,
    ];

    /// The number key.
    pub fn digit(self) -> char {
        match self {
            ScreenId::Corpora => '1',
            ScreenId::Train => '2',
            ScreenId::Grammar => '3',
            ScreenId::Parses => '4',
            ScreenId::Boost => '5',
            ScreenId::Rerank => '6',
            ScreenId::Runs => '7',
            ScreenId::Log => '8',
        }
    }

    /// The name on the tab; in lower case it is the global command that shows the screen.
    pub fn title(self) -> &'static str {
        match self {
            ScreenId::Corpora => "Corpora",
            ScreenId::Train => "Train",
            ScreenId::Grammar => "Grammar",
            ScreenId::Parses => "Parses",
            ScreenId::Boost => "Boost",
            ScreenId::Rerank => "Rerank",
            ScreenId::Runs => "Runs",
            ScreenId::Log => "Log",
        }
    }
}

/// A run for the length of this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u32);
