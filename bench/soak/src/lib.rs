//! What the fault tests of learning have in common: clients that log what they sent and what was acknowledged, an auditor
//! that compares the log with the database, and the scripted provider. `just soak` and `just kills` use them.

pub mod audit;
pub mod client;
pub mod drain;
pub mod provider;
