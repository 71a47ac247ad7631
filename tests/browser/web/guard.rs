//! Access rights, and the contents of the answers.

use gothello::pages::web::{Command, Limits};

use crate::web::page_server::{PageServer, feed};

/// A request with some headers and a body.
fn request(line: &str, headers: &[&str], body: &str) -> String {
    let headers: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    let length = body.len();
    format!(
        "{line} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// The number of an answer's status.
fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

const JSON: &str = "Content-Type: application/json";
const SWAP: &str = r#"{"action":"swap","table":3}"#;

#[test]
fn commands_need_the_token() {
    let server = PageServer::open(&feed(1));
    let host = format!("Host: {}", server.address);
    let token = format!("Authorization: Bearer {}", server.token);
    let command = |headers: &[&str]| server.answer(&request("POST /act", headers, SWAP));

    let answer = command(&[&host, JSON]);
    assert_eq!(status(&answer), "403");
    assert!(answer.contains("commands need a token"), "{answer}");
    assert_eq!(
        status(&command(&[&host, JSON, "Authorization: Bearer x"])),
        "403"
    );
    assert!(server.commands.try_recv().is_err());

    let answer = command(&[&host, JSON, &token]);
    assert_eq!(status(&answer), "200");
    assert!(answer.ends_with(r#"{"ok":true}"#), "{answer}");
    assert_eq!(server.command(), Command::Swap { table: 3 });
    let origin = format!("Origin: http://{}", server.address);
    assert_eq!(status(&command(&[&host, JSON, &token, &origin])), "200");
    server.command();

    // The token is not enough for a page of another origin.
    assert_eq!(
        status(&command(&[&host, JSON, &token, "Origin: http://a.example"])),
        "403"
    );
    assert_eq!(
        status(&command(&[&host, JSON, &token, "Origin: null"])),
        "403"
    );
    assert!(server.commands.try_recv().is_err());
}

#[test]
fn a_visitor_on_this_machine_needs_no_token() {
    let server = PageServer::with(&feed(1), true, Limits::default());
    let port = server.address.port();
    let asked = |host: &str| {
        let host = format!("Host: {host}:{port}");
        let answer = server.answer(&request("GET /me", &[&host], ""));
        answer.ends_with(r#"{"organizer":true}"#)
    };
    assert!(asked("localhost"));
    assert!(asked("127.0.0.1"));
    assert!(asked("referee.test"));
    assert!(!asked("attacker.example"));
}

#[test]
fn invalid_commands_are_answered_with_the_error() {
    let server = PageServer::open(&feed(1));
    let host = format!("Host: {}", server.address);
    let token = format!("Authorization: Bearer {}", server.token);
    let command = |kind: &str, body: &str| {
        let answer = server.answer(&request("POST /act", &[&host, kind, &token], body));
        let body = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
        format!("{} {body}", status(&answer))
    };
    insta::assert_snapshot!([
        command("Content-Type: text/plain", SWAP),
        command(JSON, "swap"),
        command(JSON, r#"{"action":"swap"}"#),
        command(JSON, r#"{"action":"swap","table":1,"chairs":2}"#),
        command(JSON, r#"{"action":"dance"}"#),
        command(JSON, r#"{"action":"start","table":2}"#),
        command(JSON, &format!("{{\"action\":\"withdraw\",\"name\":\"{}\"}}", "x".repeat(17_000))),
    ].join("\n"), @r#"
    415 {"error":"a command has the Content-Type application/json"}
    400 {"error":"not a valid command: expected value at line 1 column 1"}
    400 {"error":"not a valid command: missing field `table`"}
    400 {"error":"not a valid command: unknown field `chairs`, expected `table`"}
    400 {"error":"not a valid command: unknown variant `dance`, expected one of `assign`, `free`, `swap`, `start`, `pause`, `resume`, `void`, `adjourn`, `recall`, `disconnect`, `tournament`, `withdraw`, `enter`, `absent`, `return`, `correct`, `replay`, `end-tournament` at line 1 column 17"}
    409 {"error":"Table 2 has no player for White."}
    413 {"error":"a command has at most 16384 bytes"}
    "#);
}

#[test]
fn an_upgrade_from_another_origin_is_refused() {
    let server = PageServer::open(&feed(1));
    let host = format!("Host: {}", server.address);
    let upgrade = |origin: &str| {
        let headers = [
            &*host,
            origin,
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ];
        let request = request("GET /watch", &headers, "");
        request.replace("Connection: close", "Connection: Upgrade")
    };
    // The connection of an answer that is not an upgrade must end by itself.
    let closing =
        upgrade("Origin: http://a.example").replace("Upgrade\r\nContent", "close\r\nContent");
    assert_eq!(status(&server.answer(&closing)), "403");
    let own = format!("Origin: http://{}", server.address);
    let answer = crate::web::spectators::first_bytes(&server, &upgrade(&own));
    assert_eq!(status(&answer), "101");
}

#[test]
fn all_answers_have_headers_that_isolate_the_page() {
    let server = PageServer::open(&feed(1));
    let host = format!("Host: {}", server.address);
    for (path, expected) in [
        ("/", "200"),
        ("/page/app.js", "200"),
        ("/me", "200"),
        ("/none", "404"),
    ] {
        let answer = server.answer(&request(&format!("GET {path}"), &[&host], ""));
        assert_eq!(status(&answer), expected, "{path}");
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self';",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(answer.contains(header), "{path}: no {header} in\n{answer}");
        }
    }
    let answer = server.answer(&request("GET /", &[&host, "Origin: http://a.example"], ""));
    assert_eq!(status(&answer), "403");
    assert!(answer.contains("frame-ancestors 'none'"), "{answer}");
}

/// Everything that the page loads, starting from itself, is on this server.
#[test]
fn the_page_loads_only_what_is_served() {
    let server = PageServer::open(&feed(1));
    let host = format!("Host: {}", server.address);
    let get = |path: &str| server.answer(&request(&format!("GET {path}"), &[&host], ""));
    let mut paths = vec!["/".to_owned()];
    let mut next = 0;
    while let Some(path) = paths.get(next).cloned() {
        let answer = get(&path);
        assert_eq!(status(&answer), "200", "{path}");
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let quoted = body.split(['"', '\'']);
        for text in quoted {
            // The page may be under any path of a proxy.
            let absolute = text
                .strip_prefix('/')
                .is_some_and(|path| path.starts_with(|first: char| first.is_ascii_lowercase()));
            assert!(!absolute, "{path} has the absolute path {text}");
            let found = match text.strip_prefix("./") {
                Some(name) if name.ends_with(".js") => format!("/page/{name}"),
                _ if text.starts_with("page/") => format!("/{text}"),
                _ => continue,
            };
            if !paths.contains(&found) {
                paths.push(found);
            }
        }
        next += 1;
    }
    assert!(paths.len() > 10, "{paths:?}");
}

#[test]
fn no_command_is_accepted_if_all_visitors_are_spectators() {
    let server = PageServer::for_spectators(&feed(1));
    let host = format!("Host: localhost:{}", server.address.port());
    let token = format!("Authorization: Bearer {}", server.token);
    let ask = |line: &str| server.answer(&request(line, &[&host, &token, JSON], SWAP));
    assert_eq!(status(&ask("POST /act")), "404");
    assert!(ask("GET /me").ends_with(r#"{"organizer":false}"#));
    assert_eq!(status(&ask("GET /")), "200");
    assert_eq!(status(&ask("POST /")), "405");
}
