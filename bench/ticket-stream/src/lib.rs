//! Ticket-Stream: an agent that never changes works on support tickets in several steps, in the telecom environment of
//! tau2-bench. Any improvement comes from the memories of its own reviewed runs. Arms differ only in their choice of
//! memories.

pub mod agent;
pub mod arms;
pub mod environment;
pub mod gates;
pub mod http;
pub mod measure;
pub mod project;
pub mod report;
pub mod stream;
