//! nginx with a configuration of `docs/deploy`.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::tls::{self, Certificate};
use crate::waiting::{DeadlineStream, wait_until};

/// The text before and after the configuration in Debian's own.
const MAIN: &str = "daemon off;\nworker_processes 1;\npid FOLDER/pid;\nerror_log stderr;\n\
    events {}\nhttp {\naccess_log off;\nclient_body_temp_path FOLDER/body;\n\
    proxy_temp_path FOLDER/proxy;\nfastcgi_temp_path FOLDER/fastcgi;\n\
    uwsgi_temp_path FOLDER/uwsgi;\nscgi_temp_path FOLDER/scgi;\nCONFIGURATION\n}\n";

/// nginx, until this is dropped.
pub struct Nginx {
    child: Child,
    /// The port with TLS, and the one without.
    pub port: u16,
    pub plain_port: u16,
    pub certificate: Certificate,
    _folder: TempDir,
}

impl Nginx {
    /// Starts nginx with a file of `docs/deploy`, in which the addresses of servers are replaced.
    pub fn start(file: &str, servers: &[(&str, u16)]) -> Nginx {
        let folder = tempfile::tempdir().unwrap();
        let certificate = Certificate::create(folder.path());
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("docs/deploy")
            .join(file);
        let mut text = fs::read_to_string(path).unwrap();
        let [port, plain_port] = [free_port(), free_port()];
        let mut replace = |from: &str, to: &str| {
            assert!(text.contains(from), "{file} has no {from}");
            text = text.replace(from, to);
        };
        replace("listen 443 ssl;", &format!("listen 127.0.0.1:{port} ssl;"));
        replace("listen 80;", &format!("listen 127.0.0.1:{plain_port};"));
        for (server, port) in servers {
            replace(
                &format!("http://{server}/"),
                &format!("http://127.0.0.1:{port}/"),
            );
        }
        // The certificate, wherever the file names it.
        let text: Vec<String> = text
            .lines()
            .map(|line| match line.split_whitespace().next() {
                Some("ssl_certificate") => {
                    format!("ssl_certificate {};", certificate.certificate.display())
                }
                Some("ssl_certificate_key") => {
                    format!("ssl_certificate_key {};", certificate.key.display())
                }
                Some("server_name") => "server_name localhost;".to_owned(),
                _ => line.to_owned(),
            })
            .collect();
        let main = MAIN.replace("FOLDER", &folder.path().display().to_string());
        let main = main.replace("CONFIGURATION", &text.join("\n"));
        let configuration = folder.path().join("nginx.conf");
        fs::write(&configuration, main).unwrap();
        let mut child = Command::new("/usr/sbin/nginx")
            .arg("-p")
            .arg(folder.path())
            .arg("-c")
            .arg(&configuration)
            .stdin(Stdio::null())
            .spawn()
            .expect("nginx is installed: Debian's package nginx-light");
        wait_until("nginx", || {
            assert_eq!(child.try_wait().unwrap(), None, "nginx ends");
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Nginx {
            child,
            port,
            plain_port,
            certificate,
            _folder: folder,
        }
    }

    /// Connects by TLS.
    pub fn connect(&self) -> DeadlineStream {
        tls::connect(self.port, &self.certificate.certificate)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its workers end with it only if it is asked to end.
        let id = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.child.wait();
    }
}

/// A port at which nothing listens.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
