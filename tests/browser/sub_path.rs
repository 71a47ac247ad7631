//! The pages under a path of a reverse proxy, in a real browser.

use std::net::SocketAddr;

use crate::chromium::Browser;
use crate::contest_page::Server;
use crate::play_server::PlayServer;
use crate::reverse_proxy::ReverseProxy;

/// The option that trusts the proxy.
const TRUSTED: [&str; 2] = ["--trusted-proxy", "127.0.0.1"];

/// Checks that nothing went wrong, and that the page asked for nothing outside its path.
fn check(browser: &Browser, proxy: &ReverseProxy) {
    assert_eq!(browser.console(), Vec::<String>::new());
    let requests = browser.requests();
    assert!(requests.len() > 3, "{requests:?}");
    for request in requests {
        let (http, ws) = (proxy.url("http", ""), proxy.url("ws", ""));
        assert!(
            request.starts_with(&http) || request.starts_with(&ws) || request.starts_with("blob:"),
            "{request}"
        );
    }
}

#[test]
#[ignore = "starts Chromium"]
fn the_page_of_a_contest_works_under_a_path() {
    let token = "an-organizer-elsewhere";
    let server = Server::start(&[&TRUSTED[..], &["--token", token]].concat());
    let proxy = ReverseProxy::start(SocketAddr::from(([127, 0, 0, 1], server.port)));
    let browser = Browser::start();
    browser.open(&proxy.url("http", &format!("#token={token}")));
    // Only the organizer is told where clients connect, through the feed.
    let clients = format!("Clients connect to {}", proxy.url("ws", ""));
    browser.wait_for_text("#people-more", &clients);
    check(&browser, &proxy);
}

#[test]
#[ignore = "starts Chromium"]
fn the_page_to_play_works_under_a_path() {
    let server = PlayServer::start(&[&TRUSTED[..], &["--threads", "1"]].concat());
    let proxy = ReverseProxy::start(server.host().parse().unwrap());
    let browser = Browser::start();
    browser.open(&proxy.url("http", "#explore"));
    browser.wait_for_text("#phase", "to move");
    browser.click("[data-point=c3]");
    browser.wait_for_text("#phase", "c3");
    check(&browser, &proxy);
}
