//! HTTP requests and responses, retries and error responses, independent of the individual calls.

mod exchange;
mod request;
mod response_error;
mod retry;
mod transport;
mod warnings;

pub(crate) use exchange::Exchange;
pub(crate) use request::{Answer, Request, Unreachable, counted};
pub(crate) use response_error::{no_connection, response_error};
pub(crate) use retry::{CallPolicy, MAX_RETRY_AFTER, backoff, jitter, retry_after};
pub(crate) use transport::Transport;
