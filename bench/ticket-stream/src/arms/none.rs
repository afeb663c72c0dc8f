//! No memories.

use super::{Arm, Vote};
use crate::environment::Situation;

/// Shows no memories.
#[derive(Debug)]
pub(super) struct Nothing;

impl Arm for Nothing {
    fn choose(&mut self, _: &Situation, _: &[usize]) -> anyhow::Result<Vec<Vote>> {
        Ok(Vec::new())
    }
}
