//! Requests and answers: what is sent, when it is sent again, and what a refusal means. No call is described here.

mod exchange;
mod refusal;
mod request;
mod retry;
mod transport;

pub(crate) use exchange::{Exchange, Manners};
pub(crate) use refusal::{no_connection, refusal};
pub(crate) use request::{Answer, Request, Unreachable};
pub(crate) use retry::{LONGEST_RETRY_AFTER, backoff, lot, retry_after};
pub(crate) use transport::Transport;
