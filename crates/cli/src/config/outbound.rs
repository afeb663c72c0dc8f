//! The settings of outgoing connections.

use clap::Args;
use reflect_outbound::OutboundProxy;
use secrecy::{ExposeSecret, SecretString};

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
}

impl OutboundConfig {
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
