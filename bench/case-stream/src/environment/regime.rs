//! The conditions of a measurement.

/// How memories and tools change during the stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regime {
    /// One letter.
    pub name: &'static str,
    /// The number of imported memories for each tool.
    pub imported_per_tool: usize,
    /// Whether every run creates a memory.
    pub grows: bool,
    /// The share of tools that are replaced by another tool from the middle of the stream on.
    pub drift: f64,
}

/// The measured regimes: only imported memories; the product's loop; the loop with changing tools.
pub const REGIMES: [Regime; 3] = [
    Regime { name: "A", imported_per_tool: 10, grows: false, drift: 0.0 },
    Regime { name: "B", imported_per_tool: 5, grows: true, drift: 0.0 },
    Regime { name: "C", imported_per_tool: 5, grows: true, drift: 0.3 },
];
