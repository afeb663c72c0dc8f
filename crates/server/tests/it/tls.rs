//! Connections with TLS, and a certificate that is replaced while the server runs.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reflect_server::{Listener, ServerSettings, Tls, serve};
use reflect_test_support::TestApp;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

fn certificate(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/certificates").join(name)
}

/// One request by a client that trusts this certificate only.
async fn get(address: SocketAddr, trusted: &str) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate(trusted)).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

#[tokio::test]
async fn a_certificate_is_replaced_without_a_restart() {
    let folder = std::env::temp_dir().join(format!("reflect-tls-{}", uuid::Uuid::now_v7()));
    std::fs::create_dir(&folder).unwrap();
    let (chain, key) = (folder.join("chain.pem"), folder.join("key.pem"));
    let install = |name: &str| {
        std::fs::copy(certificate(&format!("{name}.pem")), &chain).unwrap();
        std::fs::copy(certificate(&format!("{name}.key")), &key).unwrap();
    };
    install("first");
    let tls = Tls::load(&chain, &key).unwrap();
    assert!(!tls.has_changed());

    let app = TestApp::with(ServerSettings { tls: true, ..ServerSettings::default() }).await;
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let listener = Listener { tls: Some(tls.clone()), ..Listener::from(socket) };
    let stop = CancellationToken::new();
    let serving =
        TaskTracker::new().spawn(serve(listener, app.service.clone(), stop.clone(), Duration::from_secs(5)));

    let answer = get(address, "first.pem").await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("strict-transport-security"), "{answer}");
    assert!(get(address, "second.pem").await.is_err());

    std::fs::write(&chain, "nonsense").unwrap();
    assert!(tls.reload().is_err());
    assert!(get(address, "first.pem").await.is_ok(), "the old one stays in use");

    install("second");
    // Clocks of file systems are coarse.
    let later = SystemTime::now() + Duration::from_secs(1);
    File::options().append(true).open(&chain).unwrap().set_modified(later).unwrap();
    assert!(tls.has_changed());
    tls.reload().unwrap();
    assert!(get(address, "second.pem").await.is_ok());
    assert!(get(address, "first.pem").await.is_err());

    stop.cancel();
    serving.await.unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
