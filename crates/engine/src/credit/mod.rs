//! Credit: how much of a run's outcome the memories that it used are worth. Pure rules.

mod contextual;
mod expected;

pub use contextual::{Precedent, contextual_utility};
pub use expected::{NEIGHBOURS, Neighbour, RECENT_REVIEWS, Tally, expected_success};
