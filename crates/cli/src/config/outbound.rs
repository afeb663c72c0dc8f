//! The settings of outgoing connections.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use anyhow::Context;
use clap::Args;
use ipnet::IpNet;
use reflect_outbound::{AddressGuard, OutboundProxy};
use reflect_webhook_client::WebhookClient;
use secrecy::{ExposeSecret, SecretString};

use super::address_range;
use super::secret::secret;
use crate::failure::{Failure, Kind};

/// Outgoing connections.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Outgoing connections")]
pub(crate) struct OutboundConfig {
    /// The proxy of all outgoing HTTP connections (models and identity providers), such as http://proxy.example:3128. It
    /// may contain a user and a password. Variables of other programs, such as HTTPS_PROXY, are not read. The database is
    /// reached directly.
    #[arg(long, env = "REFLECT_PROXY", hide_env_values = true, value_parser = secret)]
    proxy: Option<SecretString>,

    /// Hosts that are reached without the proxy, separated by commas: names, domains, IP addresses and ranges, such as
    /// models.internal,10.0.0.0/8. This machine is always reached directly.
    #[arg(long, env = "REFLECT_NO_PROXY", value_delimiter = ',')]
    no_proxy: Vec<String>,

    /// Networks outside of the public internet that webhooks may reach, separated by commas, such as 10.1.0.0/16. Plain HTTP
    /// is accepted for addresses in these networks only. Default: none, so webhooks reach the public internet over HTTPS.
    #[arg(long, env = "REFLECT_WEBHOOK_NETWORKS", value_delimiter = ',', value_parser = address_range)]
    webhook_networks: Vec<IpNet>,
}

impl OutboundConfig {
    /// Lets webhooks reach this machine, unless other networks are configured.
    pub(crate) fn allow_this_machine(&mut self) {
        if self.webhook_networks.is_empty() {
            let loopback = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
            self.webhook_networks.extend(loopback.map(IpNet::from));
        }
    }

    /// The client that sends webhooks.
    pub(crate) fn webhook_client(&self, proxy: Option<&OutboundProxy>) -> anyhow::Result<WebhookClient> {
        let guard = AddressGuard::new(self.webhook_networks.clone());
        WebhookClient::new(guard, proxy).context("the client of webhooks cannot be built")
    }

    /// The proxy, if one is set.
    pub(crate) fn proxy(&self) -> Result<Option<OutboundProxy>, Failure> {
        let Some(url) = &self.proxy else { return Ok(None) };
        let proxy = OutboundProxy::new(url.expose_secret(), &self.no_proxy).map_err(|error| {
            Failure::new(Kind::Configuration, "configuration", format!("--proxy cannot be used: it {error}"))
                .fix("set REFLECT_PROXY (--proxy) to the URL of the proxy, or remove it")
        })?;
        Ok(Some(proxy))
    }
}
