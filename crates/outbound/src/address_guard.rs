//! Which addresses may be reached under names that users choose, and a resolver that returns no others.
//!
//! A name is resolved once, and the connection goes to the checked addresses, so a name server cannot answer the check with
//! one address and the connection with another.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::proxy::OutboundProxy;

/// How many names are resolved at one time. Each look-up occupies a thread, also after its request has ended, and a name server
/// that users choose need not answer.
const MOST_LOOKUPS: usize = 64;

/// Addresses that are not on the public internet, or stand for a group of machines (IANA registries of special-purpose
/// addresses).
const SPECIAL_V4: [Ipv4Net; 16] = [
    v4([0, 0, 0, 0], 8),
    v4([10, 0, 0, 0], 8),
    v4([100, 64, 0, 0], 10),
    v4([127, 0, 0, 0], 8),
    v4([169, 254, 0, 0], 16),
    v4([172, 16, 0, 0], 12),
    v4([192, 0, 0, 0], 24),
    v4([192, 0, 2, 0], 24),
    v4([192, 31, 196, 0], 24),
    v4([192, 52, 193, 0], 24),
    v4([192, 88, 99, 0], 24),
    v4([192, 168, 0, 0], 16),
    v4([198, 18, 0, 0], 15),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    v4([224, 0, 0, 0], 3),
];
/// The addresses of the public internet.
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
/// Those of them with another meaning: protocols, documentation, and IPv4 addresses in tunnels.
const SPECIAL_V6: [Ipv6Net; 4] = [
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
];
/// IPv4 addresses in networks that have only IPv6.
const TRANSLATED: Ipv6Net = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

const fn v4([a, b, c, d]: [u8; 4], length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6([a, b, c, d, e, f, g, h]: [u16; 8], length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), length)
}

/// Permits the addresses of the public internet, and further networks.
///
/// ```
/// use reflect_outbound::AddressGuard;
///
/// let guard = AddressGuard::new(vec!["10.1.0.0/16".parse().unwrap()]);
/// assert!(guard.permits("93.184.216.34".parse().unwrap()) && guard.permits("10.1.2.3".parse().unwrap()));
/// assert!(!guard.permits("127.0.0.1".parse().unwrap()));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressGuard {
    networks: Arc<[IpNet]>,
}

impl AddressGuard {
    /// Permits these networks too.
    pub fn new(networks: Vec<IpNet>) -> Self {
        Self { networks: networks.into() }
    }

    /// Whether an address may be reached.
    pub fn permits(&self, address: IpAddr) -> bool {
        is_public(address) || self.is_listed(address)
    }

    /// Whether an address is in one of the further networks.
    pub fn is_listed(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(&address))
    }

    /// Whether there are further networks.
    pub fn has_networks(&self) -> bool {
        !self.networks.is_empty()
    }
}

fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) if TRANSLATED.contains(&address) => {
            let [.., a, b, c, d] = address.octets();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        IpAddr::V6(address) => {
            GLOBAL_V6.contains(&address) && !SPECIAL_V6.iter().any(|special| special.contains(&address))
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|special| special.contains(&address))
}

/// A host has an address that may not be reached. The message does not name it: it could be that of an internal host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the host has an address that is not on the public internet; the operator can allow its network")]
pub struct ForbiddenAddress;

/// Resolves names with the resolver of the system. A name with an address that is not permitted has none.
#[derive(Debug, Clone)]
pub struct GuardedResolver {
    guard: AddressGuard,
    /// Whether only the further networks are permitted.
    listed_only: bool,
    /// A host that the operator has configured, such as a proxy.
    configured: Option<String>,
    /// Shared by clones.
    lookups: Arc<Semaphore>,
}

impl GuardedResolver {
    /// Permits what the guard permits, and the host of the proxy.
    pub fn new(guard: AddressGuard, proxy: Option<&OutboundProxy>) -> Self {
        Self {
            guard,
            listed_only: false,
            configured: proxy.and_then(|proxy| proxy.host().map(str::to_owned)),
            lookups: Arc::new(Semaphore::new(MOST_LOOKUPS)),
        }
    }

    /// Permits only the further networks of the guard.
    #[must_use]
    pub fn listed_only(self) -> Self {
        Self { listed_only: true, ..self }
    }

    pub(crate) const fn is_listed_only(&self) -> bool {
        self.listed_only
    }

    fn check(&self, host: &str, found: &[SocketAddr]) -> Result<(), ForbiddenAddress> {
        if self.configured.as_deref() == Some(host) {
            return Ok(());
        }
        let permitted = |address: IpAddr| match self.listed_only {
            true => self.guard.is_listed(address),
            false => self.guard.permits(address),
        };
        if found.iter().all(|found| permitted(found.ip())) { Ok(()) } else { Err(ForbiddenAddress) }
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let turn = Arc::clone(&resolver.lookups).acquire_owned().await?;
            let host = name.as_str().to_owned();
            let found = spawn_blocking(move || {
                // The port is that of the URL, which replaces it.
                let found = (host.as_str(), 0).to_socket_addrs().map(Iterator::collect::<Vec<SocketAddr>>);
                drop(turn);
                found
            });
            let found = found.await??;
            resolver.check(name.as_str(), &found)?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn at(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| SocketAddr::new(address(text), 0)).collect()
    }

    #[test]
    fn only_addresses_of_the_public_internet_are_permitted() {
        let guard = AddressGuard::default();
        for public in ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "64:ff9b::1.1.1.1"] {
            assert!(guard.permits(address(public)), "{public}");
        }
        for special in [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.31.255.255",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::169.254.169.254",
            "2001:0:53aa:64c:0:7c6c:9e4d:5b3",
            "2002:7f00:1::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "ff02::1",
        ] {
            assert!(!guard.permits(address(special)), "{special}");
        }
    }

    #[test]
    fn the_operator_can_permit_further_networks() {
        let guard = AddressGuard::new(vec!["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()]);
        assert!(guard.permits(address("10.9.8.7")) && guard.permits(address("::ffff:10.9.8.7")));
        assert!(guard.permits(address("::1")) && guard.permits(address("1.1.1.1")));
        assert!(!guard.permits(address("127.0.0.1")) && !guard.is_listed(address("1.1.1.1")));
        assert!(guard.has_networks() && !AddressGuard::default().has_networks());
    }

    #[test]
    fn one_forbidden_address_forbids_the_name() {
        let proxy = OutboundProxy::new("http://proxy.internal:3128", &[]).unwrap();
        let guard = AddressGuard::new(vec!["10.0.0.0/8".parse().unwrap()]);
        let resolver = GuardedResolver::new(guard, Some(&proxy));

        assert_eq!(resolver.check("a.example", &at(&["1.1.1.1", "10.0.0.1"])), Ok(()));
        assert_eq!(resolver.check("a.example", &at(&["1.1.1.1", "127.0.0.1"])), Err(ForbiddenAddress));
        assert_eq!(resolver.check("proxy.internal", &at(&["192.168.0.1"])), Ok(()));
        let listed = resolver.listed_only();
        assert_eq!(listed.check("a.example", &at(&["1.1.1.1"])), Err(ForbiddenAddress));
        assert_eq!(listed.check("a.example", &at(&["10.0.0.1"])), Ok(()));
    }

    #[tokio::test]
    async fn this_machine_has_no_address_unless_it_is_permitted() {
        let name = || "localhost".parse::<Name>().unwrap();
        let refused = GuardedResolver::new(AddressGuard::default(), None).resolve(name()).await;
        assert!(refused.err().unwrap().is::<ForbiddenAddress>());

        let networks = vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
        let found = GuardedResolver::new(AddressGuard::new(networks), None).resolve(name()).await;
        assert!(found.unwrap().next().unwrap().ip().is_loopback());
    }
}
