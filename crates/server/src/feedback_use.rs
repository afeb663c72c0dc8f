//! Limits of votes with feedback tokens, which need no key: per address of the client and per token, and for all together.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::Clock as _;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use moka::future::Cache;
use reflect_types::Defence;
use tokio::sync::Semaphore;

use crate::error::ApiError;

/// Votes that are being stored. They have slots of their own, so that they do not delay people who sign in.
const SLOTS: usize = 16;
/// Many users share the address of an office or of a mobile network.
const PER_ADDRESS: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
const BURST_OF_ADDRESS: NonZeroU32 = NonZeroU32::MIN.saturating_add(49);
/// A person votes once and sometimes changes their mind.
const BURST_OF_TOKEN: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);
const PAUSE_OF_TOKEN: Duration = Duration::from_secs(10);
/// Addresses and tokens without a request for this time are forgotten.
const IDLE: Duration = Duration::from_secs(600);
const MOST_ENTRIES: u64 = 100_000;

type Limiters<K> = Cache<K, Arc<DefaultDirectRateLimiter>>;

/// What votes use.
#[derive(Debug)]
pub(crate) struct FeedbackLimits {
    pub(crate) slots: Arc<Semaphore>,
    addresses: Limiters<IpAddr>,
    tokens: Limiters<[u8; 32]>,
}

impl FeedbackLimits {
    pub(crate) fn new() -> Self {
        Self { slots: Arc::new(Semaphore::new(SLOTS)), addresses: limiters(), tokens: limiters() }
    }

    /// Counts a request from an address, before its body is read.
    pub(crate) async fn check_address(&self, address: IpAddr) -> Result<(), ApiError> {
        let quota = Quota::per_second(PER_ADDRESS).allow_burst(BURST_OF_ADDRESS);
        check(&self.addresses, network(address), quota, "this address sends too much feedback").await
    }

    /// Counts a vote with a token that is valid, by its digest.
    pub(crate) async fn check_token(&self, token: [u8; 32]) -> Result<(), ApiError> {
        let quota = Quota::with_period(PAUSE_OF_TOKEN).unwrap_or(Quota::per_second(NonZeroU32::MIN));
        let quota = quota.allow_burst(BURST_OF_TOKEN);
        check(&self.tokens, token, quota, "this feedback token is used too often").await
    }
}

fn limiters<K: std::hash::Hash + Eq + Send + Sync + 'static>() -> Limiters<K> {
    Cache::builder().max_capacity(MOST_ENTRIES).time_to_idle(IDLE).build()
}

/// The addresses of one client: with IPv6, a network of 64 bits is one client.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}

async fn check<K: std::hash::Hash + Eq + Send + Sync + 'static>(
    limiters: &Limiters<K>,
    key: K,
    quota: Quota,
    problem: &str,
) -> Result<(), ApiError> {
    if !Defence::FeedbackLimits.is_on() {
        return Ok(());
    }
    let limiter = limiters.get_with(key, async { Arc::new(RateLimiter::direct(quota)) }).await;
    limiter.check().map_err(|until| {
        metrics::counter!("reflect_http_requests_limited_total", "limit" => "feedback").increment(1);
        let wait = until.wait_time_from(limiter.clock().now());
        let seconds = u16::try_from(wait.as_secs()).unwrap_or(u16::MAX).saturating_add(1);
        ApiError::too_many_requests(format!("{problem}; retry after {seconds} s"), seconds)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_is_limited_and_others_are_not() {
        let limits = FeedbackLimits::new();
        let mut refused = 0;
        for _ in 0..100 {
            refused += u32::from(limits.check_address("10.0.0.1".parse().unwrap()).await.is_err());
        }
        assert!((45..=50).contains(&refused), "{refused}");
        assert!(limits.check_address("10.0.0.2".parse().unwrap()).await.is_ok());
    }

    #[tokio::test]
    async fn a_token_votes_a_few_times_in_a_row() {
        let limits = FeedbackLimits::new();
        for _ in 0..5 {
            assert!(limits.check_token([1; 32]).await.is_ok());
        }
        assert!(limits.check_token([1; 32]).await.is_err());
        assert!(limits.check_token([2; 32]).await.is_ok());
    }

    #[test]
    fn all_addresses_of_a_network_are_one_client() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }
}
