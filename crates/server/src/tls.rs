//! TLS: the certificate of the server, which can be replaced while the server runs.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// The certificate and its key, as files in PEM form.
#[derive(Clone)]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    current: Arc<RwLock<Loaded>>,
}

struct Loaded {
    config: Arc<ServerConfig>,
    changed: [Option<SystemTime>; 2],
}

/// Without the key.
impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads both files.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, String> {
        let loaded = read(certificate, key)?;
        let current = Arc::new(RwLock::new(loaded));
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), current })
    }

    /// Reads both files again, for new connections. After an error the old certificate stays in use.
    pub fn reload(&self) -> Result<(), String> {
        let loaded = read(&self.certificate, &self.key)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    /// Whether one of the files has changed since it was read.
    pub fn has_changed(&self) -> bool {
        let known = self.current.read().unwrap_or_else(PoisonError::into_inner).changed;
        known != changed(&self.certificate, &self.key)
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.current.read().unwrap_or_else(PoisonError::into_inner).config.clone().into()
    }
}

fn changed(certificate: &Path, key: &Path) -> [Option<SystemTime>; 2] {
    [certificate, key].map(|path| std::fs::metadata(path).and_then(|facts| facts.modified()).ok())
}

fn read(certificate: &Path, key: &Path) -> Result<Loaded, String> {
    let unreadable = |path: &Path, error: &dyn fmt::Display| {
        format!("cannot read {}: {error}; it must be a PEM file", path.display())
    };
    // Before the files are read: a change in between must be seen the next time.
    let changed = changed(certificate, key);
    let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| unreadable(certificate, &error))?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
    let mut config = config.map_err(|error| {
        format!("{} and {} do not work together: {error}", certificate.display(), key.display())
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Loaded { config: Arc::new(config), changed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_certificate_is_named() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let refused = Tls::load(&manifest, &manifest).unwrap_err();
        assert!(refused.contains("Cargo.toml"), "{refused}");
        let missing = Tls::load(Path::new("/nowhere/cert.pem"), &manifest).unwrap_err();
        assert!(missing.contains("/nowhere/cert.pem") && missing.contains("PEM"), "{missing}");
    }
}
