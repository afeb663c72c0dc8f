//! The agent. It does not learn and does not see utilities: it adds up the advice of the memories it is shown. It takes
//! each action at most once per ticket.

use crate::arms::Vote;

/// The weight of a memory's advice against the agent's own opinion, as in Case-Stream.
const TRUST: f32 = 0.3;

/// The next action, given the agent's own opinion of each action, the actions that it has taken, and memories.
///
/// ```
/// use reflect_ticket_stream::agent::act;
/// use reflect_ticket_stream::arms::Vote;
///
/// let prior = [0.5, 0.4, 0.1];
/// assert_eq!(act(&prior, &[], &[]), 0);
/// assert_eq!(act(&prior, &[0], &[]), 1);
/// let vote = Vote { memory: 0, similarity: 0.8, votes: 2, action: Some(2) };
/// assert_eq!(act(&prior, &[], &[vote]), 2);
/// ```
pub fn act(prior: &[f32], taken: &[usize], votes: &[Vote]) -> usize {
    let mut scores = prior.to_vec();
    for vote in votes {
        if let Some(action) = vote.action {
            scores[action] += TRUST * vote.similarity * vote.votes as f32;
        }
    }
    for action in taken {
        scores[*action] = f32::NEG_INFINITY;
    }
    // The first of the highest.
    (0..scores.len()).rev().max_by(|one, other| scores[*one].total_cmp(&scores[*other])).unwrap_or(0)
}
