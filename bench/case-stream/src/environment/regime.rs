//! The conditions of a measurement.

/// How memories and tools change during the stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regime {
    /// One letter.
    pub name: &'static str,
    /// The number of imported memories for each tool.
    pub imported_per_tool: usize,
    /// The share of imported memories that advise a wrong tool.
    pub misleading: f64,
    /// Whether every run creates a memory.
    pub grows: bool,
    /// The share of tools that are replaced by another tool from the middle of the stream on.
    pub drift: f64,
    /// How many of 100 tasks repeat an earlier one word for word.
    pub repeats: u32,
    /// The share of reviews with the wrong result.
    pub wrong_reviews: f64,
    /// Whether every arm runs in it. Otherwise only those that are compared in all regimes.
    pub every_arm: bool,
}

const LOOP: Regime = Regime {
    name: "B",
    imported_per_tool: 5,
    misleading: 0.4,
    grows: true,
    drift: 0.0,
    repeats: 0,
    wrong_reviews: 0.1,
    every_arm: true,
};

/// The measured regimes: only imported memories; the product's loop; the loop with changing tools; the loop with a clean
/// bank at the beginning; the loop with repeated tasks.
pub const REGIMES: [Regime; 5] = [
    Regime { name: "A", imported_per_tool: 10, grows: false, ..LOOP },
    LOOP,
    Regime { name: "C", drift: 0.3, ..LOOP },
    Regime { name: "K", misleading: 0.0, every_arm: false, ..LOOP },
    Regime { name: "R", repeats: 60, every_arm: false, ..LOOP },
];

/// The share of wrong signals.
pub const WRONG_SIGNALS: f64 = 0.2;
/// Regime A with signals instead of reviews by people.
pub const SIGNALLED: Regime =
    Regime { name: "S", imported_per_tool: 10, grows: false, wrong_reviews: WRONG_SIGNALS, ..LOOP };
