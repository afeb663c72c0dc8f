//! How often two sides that judged the same runs independently agree: a judge, or a source of signals, and people.

/// Runs that both sides judged without seeing the other's verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VerdictPairs {
    /// Runs that passed according to people.
    pub passes: i64,
    /// Those that passed according to the other side too.
    pub agreed_passes: i64,
    /// Runs that failed according to people.
    pub fails: i64,
    /// Those that failed according to the other side too.
    pub agreed_fails: i64,
}

impl VerdictPairs {
    /// Maximum number of pairs, newest runs first, because recent agreement matters.
    pub const MOST: i64 = 200;

    /// How many there are.
    pub const fn total(&self) -> i64 {
        self.passes + self.fails
    }

    /// On how many both agree.
    pub const fn agreed(&self) -> i64 {
        self.agreed_passes + self.agreed_fails
    }
}
