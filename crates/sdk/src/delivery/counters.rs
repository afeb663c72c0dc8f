//! What was produced and what became of it, as callers see it.

/// What a flush came to.
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
    /// Not acknowledged yet; in memory only.
    pub pending: u64,
    /// Lost since the last flush; the log says why.
    pub dropped: u64,
}

/// Totals since the client was made: `produced == sent + pending + dropped.total()`, at every moment.
///
/// [`ReflectClient::delivery`](crate::ReflectClient::delivery) gives them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeliveryCounters {
    /// Taken over from the application.
    pub produced: u64,
    /// Acknowledged by the server.
    pub sent: u64,
    /// Waiting to be sent, or on the way.
    pub pending: u64,
    /// Lost, by reason.
    pub dropped: Dropped,
    /// Runs that said nothing, so that there was nothing to send. They are part of no other number.
    pub empty: u64,
}

/// Runs that were lost, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// There was no room for them: the server was away for too long, or they came too fast.
    pub full: u64,
    /// The server does not accept them; the log says why.
    pub rejected: u64,
    /// They could not be written as JSON.
    pub unwritable: u64,
}

impl Dropped {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.full + self.rejected + self.unwritable
    }
}
