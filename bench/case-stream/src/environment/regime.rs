//! Under which conditions an agent works.

/// What happens to memories and tools while tasks are done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regime {
    /// One letter.
    pub name: &'static str,
    /// How many memories are imported for each tool.
    pub imported_per_tool: usize,
    /// Whether every run becomes a memory.
    pub grows: bool,
    /// The share of tools whose tasks are another tool's from the middle on.
    pub drift: f64,
}

/// Those that are measured: what is there must do; the product's loop; the loop in a world that changes.
pub const REGIMES: [Regime; 3] = [
    Regime { name: "A", imported_per_tool: 10, grows: false, drift: 0.0 },
    Regime { name: "B", imported_per_tool: 5, grows: true, drift: 0.0 },
    Regime { name: "C", imported_per_tool: 5, grows: true, drift: 0.3 },
];
