//! Case-Stream: an agent that never changes does thousands of real tasks. Any improvement comes from the memories that
//! it is shown. Arms differ only in their choice of memories.

pub mod agent;
pub mod arms;
pub mod data;
pub mod environment;
pub mod gates;
pub mod http;
pub mod measure;
pub mod project;
pub mod report;
pub mod statistics;
pub mod stream;
pub mod vectors;

#[cfg(test)]
mod small;
