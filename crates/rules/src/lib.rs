//! Decisions about memories, their lessons and search index, receipts, signals, webhooks and members, and the hash chain
//! of the audit log: pure functions, called by the transactions that apply them.
//!
//! No I/O: the caller reads the inputs, and writes the result in the same transaction.

pub mod agreement;
pub mod audit_chain;
pub mod credit;
pub mod curation;
pub mod fold;
pub mod holdout;
pub mod inferred_use;
pub mod lessons;
pub mod receipts;
pub mod replay;
pub mod run_lessons;
pub mod sign_in;
pub mod signals;
pub mod trust;
pub mod vector_graph;
pub mod votes;
pub mod webhooks;
