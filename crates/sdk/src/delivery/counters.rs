//! Public counters of queued, sent and dropped runs.

/// The result of a flush.
///
/// ```no_run
/// # async fn example(client: reflect_sdk::ReflectClient) {
/// let report = client.flush(std::time::Duration::from_secs(10)).await;
/// println!("{} sent, {} pending, {} dropped", report.sent, report.pending, report.dropped);
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlushReport {
    /// Acknowledged by the server since the last flush.
    pub sent: u64,
    /// Not acknowledged yet, and only in memory.
    pub pending: u64,
    /// Dropped since the last flush. The log has the reasons.
    pub dropped: u64,
}

/// Totals since the client was created. `produced == sent + pending + dropped.total()` always holds.
///
/// Returned by [`ReflectClient::delivery`](crate::ReflectClient::delivery).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeliveryCounters {
    /// Queued by the application.
    pub produced: u64,
    /// Acknowledged by the server.
    pub sent: u64,
    /// Queued or in flight.
    pub pending: u64,
    /// Dropped, by reason.
    pub dropped: Dropped,
    /// Runs without content, which are not sent. No other counter includes them.
    pub empty: u64,
}

/// Dropped runs, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The queue was full: the server was unavailable too long, or runs were produced too fast.
    pub full: u64,
    /// The server rejected them. The log has the reasons.
    pub rejected: u64,
    /// They could not be serialised as JSON.
    pub unwritable: u64,
}

impl Dropped {
    /// The sum of all reasons.
    pub fn total(&self) -> u64 {
        self.full + self.rejected + self.unwritable
    }
}
