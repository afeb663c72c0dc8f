//! Settings for TLS.

use std::path::PathBuf;

use clap::Args;
use reflect_server::Tls;

/// The certificate of the server.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct TlsConfig {
    /// The file with the certificate chain in PEM form, for connections with TLS. The server reads it again after SIGHUP
    /// and when it changes. Default: connections without TLS.
    #[arg(long, env = "REFLECT_TLS_CERTIFICATE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,

    /// The file with the private key of the certificate, in PEM form.
    #[arg(long, env = "REFLECT_TLS_KEY", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
}

impl TlsConfig {
    pub(crate) const fn is_configured(&self) -> bool {
        self.tls_certificate.is_some()
    }

    /// Reads the certificate; `None` if TLS is not configured.
    pub(crate) fn load(&self) -> Result<Option<Tls>, String> {
        match (&self.tls_certificate, &self.tls_key) {
            (Some(certificate), Some(key)) => Tls::load(certificate, key).map(Some),
            _ => Ok(None),
        }
    }
}
