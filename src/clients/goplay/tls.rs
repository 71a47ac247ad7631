//! Encrypted connections, for `wss://` URLs: TLS with rustls, behind the feature `tls`. Without the
//! feature, [`Tls`] has no value, and errors say how to build with it.

use std::fmt::Debug;
use std::io;

use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};

pub use self::built_in::Tls;

/// Bytes in both directions, encrypted or not.
pub trait Stream: AsyncRead + AsyncWrite + Debug + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Debug + Send + Unpin> Stream for T {}

/// Why no connection can be encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct TlsError(String);

/// Why a connection is not encrypted.
#[derive(Debug)]
#[cfg_attr(not(feature = "tls"), expect(dead_code, reason = "only TLS fails so"))]
pub enum EncryptError {
    /// The certificate of the server is not trusted.
    Certificate(String),
    /// What listens there does not speak TLS.
    NotTls,
    /// The connection broke.
    Failed(io::Error),
}

#[cfg(not(feature = "tls"))]
mod built_in {
    use std::path::Path;

    use tokio::net::TcpStream;

    use super::{EncryptError, Stream, TlsError};

    /// A TLS configuration. It has no value, because the feature `tls` is off.
    #[derive(Clone, Debug)]
    pub enum Tls {}

    impl Tls {
        /// Returns the error that there is no TLS.
        ///
        /// # Errors
        /// Always.
        pub fn new(_: Option<&Path>) -> Result<Tls, TlsError> {
            Err(TlsError(
                "wss:// needs TLS, which this program was built without: build it with `cargo build \
                 --release --features tls`, or use ws://"
                    .into(),
            ))
        }

        pub(in crate::clients::goplay) async fn encrypt(
            &self,
            _: TcpStream,
            _: &str,
        ) -> Result<Box<dyn Stream>, EncryptError> {
            match *self {}
        }
    }
}

#[cfg(feature = "tls")]
mod built_in {
    use std::path::Path;
    use std::sync::Arc;

    use derive_more::Debug;
    use itertools::Itertools;
    use tokio::net::TcpStream;
    use tokio_rustls::TlsConnector;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
    use tokio_rustls::rustls::{self, CertificateError, ClientConfig, RootCertStore};

    use super::{EncryptError, Stream, TlsError};

    /// A TLS configuration with the trusted certificates.
    #[derive(Clone, Debug)]
    #[debug("Tls")]
    pub struct Tls(TlsConnector);

    impl Tls {
        /// Trusts the certificates in a file in PEM form, or else those of the system.
        ///
        /// # Errors
        /// The file cannot be read or has no certificate, or the system has none.
        pub fn new(file: Option<&Path>) -> Result<Tls, TlsError> {
            let setup = |error: rustls::Error| TlsError(format!("TLS cannot be set up: {error}"));
            let roots = match file {
                Some(path) => read(path)?,
                None => of_system()?,
            };
            let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(setup)?
                .with_root_certificates(roots)
                .with_no_client_auth();
            Ok(Tls(TlsConnector::from(Arc::new(config))))
        }

        /// Encrypts a connection to a host, whose certificate must be trusted and name the host.
        pub(in crate::clients::goplay) async fn encrypt(
            &self,
            stream: TcpStream,
            host: &str,
        ) -> Result<Box<dyn Stream>, EncryptError> {
            let name = ServerName::try_from(host.to_owned())
                .map_err(|error| EncryptError::Certificate(error.to_string()))?;
            match self.0.connect(name, stream).await {
                Ok(stream) => Ok(Box::new(stream)),
                Err(error) => {
                    let inner = error.get_ref();
                    Err(match inner.and_then(|inner| inner.downcast_ref()) {
                        Some(rustls::Error::InvalidCertificate(why)) => {
                            EncryptError::Certificate(explain(why))
                        }
                        Some(rustls::Error::InvalidMessage(_)) => EncryptError::NotTls,
                        _ => EncryptError::Failed(error),
                    })
                }
            }
        }
    }

    /// Describes the fault of a certificate.
    fn explain(why: &CertificateError) -> String {
        match why {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "nobody who is trusted has signed it; --ca names a file of those who are".into()
            }
            why => why.to_string(),
        }
    }

    /// Reads the certificates of a file.
    fn read(path: &Path) -> Result<RootCertStore, TlsError> {
        let wrong = |why: String| TlsError(format!("--ca: {}: {why}", path.display()));
        let certificates: Vec<_> = CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect)
            .map_err(|error| wrong(error.to_string()))?;
        if certificates.is_empty() {
            return Err(wrong("it has no certificate in PEM form".into()));
        }
        let mut roots = RootCertStore::empty();
        for certificate in certificates {
            roots
                .add(certificate)
                .map_err(|error| wrong(error.to_string()))?;
        }
        Ok(roots)
    }

    /// Returns the certificates that the system trusts, without unreadable ones.
    fn of_system() -> Result<RootCertStore, TlsError> {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(found.certs);
        match roots.is_empty() {
            true => Err(TlsError(format!(
                "this system has no certificates to trust: name a file of them with --ca ({})",
                found.errors.iter().join("; ")
            ))),
            false => Ok(roots),
        }
    }
}
