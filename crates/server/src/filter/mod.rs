//! The filter language of lists, bulk changes and the review queue: `status:pending error:true since:7d refund`.
//!
//! Clients send the text as `q`. docs/reference/filters.md describes the language.

#[cfg(test)]
mod fuzz;
mod memories;
mod merge;
mod review_queue;
mod traces;
mod values;
mod words;

pub(crate) use memories::with_memory_filter;
pub(crate) use review_queue::with_queue_filter;
pub(crate) use traces::{TraceConditions, with_trace_filter};
