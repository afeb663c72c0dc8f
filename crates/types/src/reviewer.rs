//! Who gave a review: a person or a program of the client, the project's judge, or a signal of another system.

/// The kind of a reviewer. Reviews of people are never replaced by the other two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewerKind {
    /// A person, or a program of the client.
    Person,
    /// The project's judge, a model.
    Judge,
    /// Signals of another system, such as CI.
    Signal,
}

impl ReviewerKind {
    /// The prefix of the reviewer name of a judge; the model follows.
    pub const JUDGE: &'static str = "judge:";
    /// The prefix of the reviewer name of signals; their source follows.
    pub const SIGNAL: &'static str = "signal:";

    /// The kind of a stored reviewer name. Names of keys and members have prefixes of their own.
    ///
    /// ```
    /// use reflect_types::ReviewerKind;
    ///
    /// assert_eq!(ReviewerKind::of("signal:ci"), ReviewerKind::Signal);
    /// assert_eq!(ReviewerKind::of("key:signal:ci"), ReviewerKind::Person);
    /// ```
    pub fn of(reviewer: &str) -> Self {
        if reviewer.starts_with(Self::JUDGE) {
            Self::Judge
        } else if reviewer.starts_with(Self::SIGNAL) {
            Self::Signal
        } else {
            Self::Person
        }
    }

    /// Whether a person's review replaces it without a request to replace.
    pub fn is_automatic(self) -> bool {
        self != Self::Person
    }
}
