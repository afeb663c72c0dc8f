//! The address of the client, also behind trusted proxies.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use ipnet::IpNet;

use crate::error::ApiError;

const FORWARDED_FOR: &str = "x-forwarded-for";
/// A longer chain of proxies is not a real one.
const MOST_HOPS: usize = 32;

/// The address of the client that sent the request. `observe` stores it in every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

impl ClientAddress {
    /// The address for a request. `0.0.0.0` if the server does not know the connection, so that no range allows it.
    pub(crate) fn of(request: &Request, trusted_proxies: &[IpNet]) -> Self {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip().to_canonical());
        Self(behind_proxies(peer, request.headers(), trusted_proxies))
    }
}

/// The last address that a trusted proxy reported. Every proxy appends the address it was called from, so the entries
/// are read from the end, as long as the reporting proxy is trusted.
fn behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|range| range.contains(address));
    if trusted.is_empty() || !is_trusted(&peer) {
        return peer;
    }
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    let entries = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
    let mut client = peer;
    for entry in entries.take(MOST_HOPS) {
        let Some(address) = parse(entry.trim()) else { break };
        client = address;
        if !is_trusted(&client) {
            break;
        }
    }
    client
}

/// An address, with or without a port.
fn parse(entry: &str) -> Option<IpAddr> {
    let bare = entry.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse().or_else(|_| entry.parse::<SocketAddr>().map(|address| address.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Self>().copied().ok_or_else(ApiError::internal)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn client(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut request = Request::builder();
        for line in forwarded {
            request = request.header(FORWARDED_FOR, *line);
        }
        let mut request = request.body(Body::empty()).unwrap();
        let peer: IpAddr = peer.parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(peer, 4711)));
        let trusted: Vec<IpNet> = trusted.iter().map(|range| range.parse().unwrap()).collect();
        ClientAddress::of(&request, &trusted).0.to_string()
    }

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        assert_eq!(client("203.0.113.9", &["10.0.0.1"], &[]), "203.0.113.9");
        assert_eq!(client("203.0.113.9", &["10.0.0.1"], &["10.0.0.0/8"]), "203.0.113.9");
        assert_eq!(client("10.1.1.1", &["203.0.113.9"], &["10.0.0.0/8"]), "203.0.113.9");
        assert_eq!(client("::ffff:10.1.1.1", &["203.0.113.9"], &["10.0.0.0/8"]), "203.0.113.9");
    }

    #[test]
    fn an_entry_that_the_client_wrote_is_ignored() {
        let trusted = ["10.0.0.0/8"];
        assert_eq!(client("10.1.1.1", &["127.0.0.1, 203.0.113.9"], &trusted), "203.0.113.9");
        assert_eq!(client("10.1.1.1", &["127.0.0.1", "203.0.113.9, 10.2.2.2"], &trusted), "203.0.113.9");
    }

    #[test]
    fn an_unreadable_entry_ends_the_chain() {
        let trusted = ["10.0.0.0/8"];
        assert_eq!(client("10.1.1.1", &["203.0.113.9, nonsense, 10.2.2.2"], &trusted), "10.2.2.2");
        assert_eq!(client("10.1.1.1", &[], &trusted), "10.1.1.1");
        assert_eq!(client("10.1.1.1", &["[2001:db8::1]:99"], &trusted), "2001:db8::1");
        assert_eq!(client("10.1.1.1", &["203.0.113.9:99"], &trusted), "203.0.113.9");
    }

    #[test]
    fn without_a_connection_no_range_allows_the_address() {
        let request = Request::new(Body::empty());
        assert_eq!(ClientAddress::of(&request, &[]).0, IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    }
}
