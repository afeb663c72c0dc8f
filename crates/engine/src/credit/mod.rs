//! Credit: how much the memories of a run contributed to its outcome. Pure rules.

mod contextual;
mod expected;

pub use contextual::{Precedent, contextual_utility};
pub use expected::{
    NEIGHBOURS, NEIGHBOURS_OF_MEMORY, Neighbour, RECENT_REVIEWS, ReviewTally, expected_success,
};
