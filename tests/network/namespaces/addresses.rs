//! The addresses that are printed are those that other machines can open.

use crate::namespaces::network::{Machine, Network, Program};
use crate::waiting::{OutputInTime, wait_for};

/// Whether a machine gets a page at this address, such as `10.0.0.1:8080`.
fn opens(network: &Network, machine: Machine, address: &str) -> bool {
    let (host, port) = address.rsplit_once(':').unwrap();
    let script = format!(
        "exec 3<>/dev/tcp/{host}/{port}; \
         printf 'GET / HTTP/1.1\\r\\nHost: {address}\\r\\nConnection: close\\r\\n\\r\\n' >&3; \
         head -1 <&3"
    );
    let output = network
        .command(machine, "bash")
        .args(["-c", &script])
        .output_in_time();
    String::from_utf8_lossy(&output.stdout).starts_with("HTTP/1.1 200 ")
}

/// The text between these two in a program's output.
fn between(program: &Program, before: &str, after: &str) -> String {
    program.wait_for(before);
    let find = || {
        let out = program.out();
        let (found, _) = out.split_once(before)?.1.split_once(after)?;
        Some(found.to_owned())
    };
    wait_for(after, || program.out(), find)
}

#[test]
#[ignore = "needs root, to make network namespaces"]
fn a_network_without_a_route_to_elsewhere_has_addresses_too() {
    let network = Network::new();
    for host in ["0.0.0.0", "::"] {
        let netref = network.start(
            Machine::Here,
            &format!("netref 0 --port 0 --http 0 --host {host}"),
        );
        let page = between(&netref, "the page for spectators is http://", "/\n");
        assert!(page.starts_with("10.99.0.1:"), "{page}");
        assert!(opens(&network, Machine::There, &page), "{host}: {page}");

        let goref = network.start(
            Machine::Here,
            &format!("goref --no-state --port 0 --host {host}"),
        );
        let page = between(&goref, "from another machine, http://", "/#token=");
        assert!(page.starts_with("10.99.0.1:"), "{page}");
        assert!(opens(&network, Machine::There, &page), "{host}: {page}");
        let here = between(&goref, "open http://", "/ in a browser");
        let local = match host {
            "::" => "[::1]:",
            _ => "127.0.0.1:",
        };
        assert!(here.starts_with(local), "{here}");
    }
}

/// A machine in several networks has several addresses.
#[test]
#[ignore = "needs root, to make network namespaces"]
fn each_network_has_an_address() {
    let network = Network::new();
    for arguments in [
        "addr add 10.98.0.1/24 dev cable",
        "addr add 169.254.7.7/16 dev cable",
    ] {
        let status = network
            .command(Machine::Here, "ip")
            .args(arguments.split(' '))
            .status();
        assert!(status.unwrap().success(), "ip {arguments}");
    }
    let netref = network.start(
        Machine::Here,
        "netref 0 --port 0 --http 7999 --host 0.0.0.0",
    );
    let urls = between(&netref, "the page for spectators is ", "\n");
    assert_eq!(
        urls,
        "http://10.99.0.1:7999/ or http://10.98.0.1:7999/ or http://169.254.7.7:7999/"
    );
}
