//! Decisions about memories, their search index, receipts and members, and the hash chain of the audit log: pure functions,
//! called by the transactions that apply them.
//!
//! No I/O: the caller reads the inputs, and writes the result in the same transaction.

pub mod audit_chain;
pub mod credit;
pub mod curation;
pub mod fold;
pub mod holdout;
pub mod receipts;
pub mod sign_in;
pub mod trust;
pub mod vector_graph;
pub mod votes;
