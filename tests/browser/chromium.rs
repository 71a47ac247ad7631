//! A browser for tests: Chromium without a window, driven by chromedriver.
//!
//! All calls block, so that a test reads from top to bottom. They wait for
//! each element that a test names: a page needs a moment.
//!
//! A Chromium takes two seconds of processor time to start, more than most tests. So a browser
//! that a test no longer needs serves the next test, which gets a browser context of its own: a
//! profile in memory, like that of a private window, with its own storage, permissions, and tab.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::waiting::{Deadline, DeadlineStream, PATIENCE, Pipe, read_json};

/// How long a command of the driver may take, such as starting Chromium on a busy machine.
const COMMAND: Duration = Duration::from_secs(90);

/// How long to wait before looking again for something in the page.
const POLL: Duration = Duration::from_millis(20);

/// The name of an element's number in WebDriver's JSON.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A key that is not a character, in WebDriver's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Tab = 0xe004,
    Enter = 0xe007,
    Escape = 0xe00c,
    End = 0xe010,
    Home = 0xe011,
    Left = 0xe012,
    Right = 0xe014,
    Down = 0xe015,
}

impl From<Key> for char {
    fn from(key: Key) -> char {
        char::from_u32(key as u32).unwrap()
    }
}

/// A Chromium that cannot have a window: it needs half as much processor time.
pub const HEADLESS_SHELL: &str = "chromium-headless-shell";

/// The script that starts it with a page, without which the driver does not find it.
const WITH_A_PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/headless_shell");

/// The running Chromiums that no test uses.
static IDLE: Mutex<Vec<Chromium>> = Mutex::new(Vec::new());

/// Runs chromedriver until the standard input ends: when a [`Chromium`] is dropped, or this
/// program has ended, however it ends. Then all processes of the driver end, and the profile
/// is removed.
const KEEPER: &str = "setsid \"$0\" --port=0 --log-level=SEVERE & \
                      cat >/dev/null; kill -KILL -$!; wait; rm -rf \"$1\"";

/// A browser process with its driver.
struct Chromium {
    keeper: Child,
    /// The port of the driver.
    port: u16,
    /// The path of the driver's commands.
    session: String,
    /// The tab that exists from the start.
    first_tab: String,
    /// Accepts the commands of Chromium's own protocol that concern no tab.
    socket: RefCell<WebSocket<DeadlineStream>>,
}

impl Chromium {
    /// Starts the first of the browsers that is installed. Whoever includes this file names them.
    fn start() -> Chromium {
        let installed = crate::BROWSERS
            .iter()
            .find_map(|name| Some((name, find(name)?)));
        let chromium = match installed {
            Some((&HEADLESS_SHELL, _)) => WITH_A_PAGE.to_owned(),
            Some((_, path)) => path,
            None => panic!("no Chromium is installed: apt-get install chromium chromium-driver"),
        };
        let profile = tempfile::tempdir().unwrap().keep();
        let (keeper, port) = start_driver(&profile);
        let capabilities = json!({
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
            "timeouts": {"script": PATIENCE.as_millis() as u64},
            "goog:chromeOptions": {
                "binary": chromium,
                "args": [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                    "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
                    "--disable-background-networking", "--disable-component-update",
                    "--hide-scrollbars", "--lang=en-US",
                    "--disable-features=AutofillServerCommunication",
                    format!("--user-data-dir={}", profile.display()),
                ],
            },
        });
        let capabilities = json!({"capabilities": {"alwaysMatch": capabilities}});
        let answer = request(port, "POST", "/session", &capabilities)
            .unwrap_or_else(|error| panic!("chromedriver must be able to start Chromium: {error}"));
        let session = format!("/session/{}", answer["sessionId"].as_str().unwrap());
        // The initial page of a new tab is not part of the test.
        let blank = json!({"url": "about:blank"});
        request(port, "POST", &format!("{session}/url"), &blank).unwrap();
        let path = format!("{session}/window");
        let first_tab = request(port, "GET", &path, &Value::Null).unwrap();
        let address = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap();
        let (devtools, path) = address.trim_end().split_once('\n').unwrap();
        let stream = DeadlineStream::connect(format!("127.0.0.1:{devtools}"));
        let url = format!("ws://127.0.0.1:{devtools}{path}");
        let (socket, _) = tungstenite::client(url, stream).unwrap();
        Chromium {
            keeper,
            port,
            session,
            first_tab: first_tab.as_str().unwrap().to_owned(),
            socket: RefCell::new(socket),
        }
    }

    /// Gives the driver a command.
    fn command(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let path = format!("{}/{path}", self.session);
        request(self.port, method, &path, body)
    }

    /// Directs the driver's next commands to this tab.
    fn switch_to(&self, tab: &str) {
        let answer = self.command("POST", "window", &json!({"handle": tab}));
        answer.unwrap_or_else(|error| panic!("{tab}: {error}"));
    }

    /// Gives a command of Chromium's own protocol that concerns no tab.
    fn devtools(&self, command: &str, params: Value) -> Value {
        let mut socket = self.socket.borrow_mut();
        let message = json!({"id": 1, "method": command, "params": params});
        socket.send(Message::text(message.to_string())).unwrap();
        // Events may arrive first.
        socket.get_mut().renew();
        let mut answer = read_json(&mut socket, command, |answer| answer["id"] == 1);
        assert_eq!(answer["error"], Value::Null, "{command}");
        answer["result"].take()
    }

    /// Waits for the next event of this name, and returns its parameters.
    #[allow(dead_code)] // Only a benchmark traces.
    fn event(&self, name: &str) -> Value {
        let mut socket = self.socket.borrow_mut();
        socket.get_mut().renew();
        read_json(&mut socket, name, |event| event["method"] == name)["params"].take()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        Deadline::within(PATIENCE).find(|| self.keeper.try_wait().unwrap());
    }
}

/// A browser with one tab and a profile of its own.
pub struct Browser {
    /// It exists until this is dropped.
    chromium: Option<Chromium>,
    /// The number of the browser context.
    context: String,
}

impl Browser {
    /// Starts one.
    pub fn start() -> Browser {
        Browser::start_with(json!({}))
    }

    /// Starts one that sends the requests for all other machines to this address.
    pub fn start_behind(proxy: SocketAddr) -> Browser {
        Browser::start_with(json!({"proxyServer": format!("http://{proxy}")}))
    }

    fn start_with(options: Value) -> Browser {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let chromium = idle.unwrap_or_else(Chromium::start);
        let context = chromium.devtools("Target.createBrowserContext", options);
        let context = context["browserContextId"].as_str().unwrap();
        let tab = json!({"url": "about:blank", "browserContextId": context});
        let tab = chromium.devtools("Target.createTarget", tab);
        chromium.switch_to(tab["targetId"].as_str().unwrap());
        let browser = Browser {
            context: context.to_owned(),
            chromium: Some(chromium),
        };
        // Earlier requests are not part of the test.
        browser.requests();
        browser.console();
        browser
    }

    /// Opens a page. If only the part after `#` differs from the address of the page that is shown, that page
    /// stays, and shows what it has shown until it has taken note of it.
    pub fn open(&self, url: &str) {
        self.issue("url", json!({"url": url}));
    }

    /// Leaves the page and opens another one, or the same one again.
    pub fn open_anew(&self, url: &str) {
        self.open("about:blank");
        self.open(url);
    }

    /// Loads the page again.
    pub fn reload(&self) {
        self.issue("refresh", json!({}));
    }

    /// Sets the size of the viewport, in CSS pixels, and waits until the page is laid out for it.
    pub fn resize(&self, width: u32, height: u32) {
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics);
        // The width of a page on a phone is that of its widest part.
        let is_so = |side: &str, size: u32| {
            format!("Math.abs(visualViewport.{side} * visualViewport.scale - {size}) < 1")
        };
        let is_set = [is_so("width", width), is_so("height", height)].join(" && ");
        self.wait_until(&is_set);
        self.wait_for_frame();
    }

    /// Makes the screen that of a phone, which is touched: nothing can hover over it.
    pub fn touch(&self) {
        self.devtools(
            "Emulation.setTouchEmulationEnabled",
            json!({"enabled": true}),
        );
        self.resize(390, 844);
    }

    /// Sets the color scheme that the system reports: `dark` or `light`.
    pub fn set_system_theme(&self, theme: &str) {
        self.set_media("prefers-color-scheme", theme);
    }

    /// Sets a media feature, such as `prefers-reduced-motion`.
    pub fn set_media(&self, name: &str, value: &str) {
        let features = json!({"features": [{"name": name, "value": value}]});
        self.devtools("Emulation.setEmulatedMedia", features);
        self.wait_for_animations();
    }

    /// Waits for the ends of all animations and transitions. Most colors change within 0.2 s.
    pub fn wait_for_animations(&self) {
        self.eval(
            "Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => null)",
        );
    }

    /// Sets a permission, such as `clipboard-write`, to `granted` or `denied`.
    pub fn set_permission(&self, name: &str, state: &str) {
        let permission = json!({
            "permission": {"name": name}, "setting": state, "browserContextId": self.context,
        });
        self.chromium()
            .devtools("Browser.setPermission", permission);
    }

    /// The value of an expression in the page.
    pub fn eval(&self, expression: &str) -> Value {
        let script = format!("return ({expression});");
        self.issue("execute/sync", json!({"script": script, "args": []}))
    }

    /// The visible text of the first element that a CSS selector finds.
    pub fn text(&self, selector: &str) -> String {
        let text = self.with_element(selector, |element| {
            self.command("GET", &format!("{element}/text"), &Value::Null)
        });
        text.as_str().unwrap().to_owned()
    }

    /// How many elements a CSS selector finds.
    pub fn count(&self, selector: &str) -> usize {
        let elements = self.issue("elements", css(selector));
        elements.as_array().unwrap().len()
    }

    /// Clicks with the mouse on the first element that a CSS selector finds, when it can be clicked. What is
    /// drawn meanwhile may move the element away from the mouse: then it is clicked once more.
    pub fn click(&self, selector: &str) {
        if self.click_once(selector) == json!(false) {
            self.click_once(selector);
        }
    }

    /// Returns whether the element was hit; null if another page is shown since.
    fn click_once(&self, selector: &str) -> Value {
        let watch = format!(
            "(window.isHit = false, addEventListener('click', \
               ({{ target }}) => {{ isHit = target.closest({}) !== null }}, {{ capture: true, once: true }}))",
            json!(selector)
        );
        self.with_element(selector, |element| {
            self.eval(&watch);
            self.command("POST", &format!("{element}/click"), &json!({}))
        });
        self.eval_after_frame("window.isHit")
    }

    /// Does something with the first element that a CSS selector finds, even if the page needs a moment to
    /// show it, or meanwhile draws another one in its place.
    fn with_element(&self, selector: &str, act: impl Fn(&str) -> Result<Value, String>) -> Value {
        let end = Instant::now() + PATIENCE;
        let passing = [
            "stale element",
            "element not interactable",
            "element click intercepted",
        ];
        loop {
            match act(&self.element(selector)) {
                Ok(value) => return value,
                Err(error)
                    if passing.iter().any(|reason| error.contains(reason))
                        && Instant::now() < end =>
                {
                    thread::sleep(POLL);
                }
                Err(error) => panic!("{selector}: {error}"),
            }
        }
    }

    /// Waits until the page has drawn the latest state: it draws with the next frame.
    fn wait_for_frame(&self) {
        self.eval_after_frame("null");
    }

    /// The value of an expression when the page has drawn the latest state.
    fn eval_after_frame(&self, expression: &str) -> Value {
        let script = format!(
            "const [done] = arguments; \
             requestAnimationFrame(() => requestAnimationFrame(() => done({expression})));"
        );
        self.issue("execute/async", json!({"script": script, "args": []}))
    }

    /// The path of the commands for the first element that a CSS selector finds.
    fn element(&self, selector: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.command("POST", "element", &css(selector)) {
                Ok(element) => return path_of(&element),
                Err(error) if Instant::now() > end => panic!("{selector}: {error}"),
                Err(_) => thread::sleep(POLL),
            }
        }
    }

    /// Presses keys one after the other: characters, and [`Key`]s.
    pub fn press(&self, keys: &str) {
        keys.chars().for_each(|key| self.press_one(key));
        self.wait_for_frame();
    }

    fn press_one(&self, key: char) {
        let focused = self.command("GET", "element/active", &Value::Null);
        let element = focused.map_or_else(|_| self.element("html"), |found| path_of(&found));
        self.issue(
            &format!("{element}/value"),
            json!({"text": key.to_string()}),
        );
    }

    /// Presses one key as often as needed until an element has the focus.
    pub fn press_until_focused(&self, key: Key, selector: &str) {
        let is_there = format!("document.activeElement.matches({})", json!(selector));
        for _ in 0..200 {
            self.press_one(key.into());
            if self.eval(&is_there) == json!(true) {
                return self.wait_for_frame();
            }
        }
        panic!("{selector} cannot be reached by {key:?}");
    }

    /// Waits until an expression in the page is true.
    pub fn wait_until(&self, expression: &str) {
        let end = Instant::now() + PATIENCE;
        // The page itself polls, which costs less than asking it each time.
        let script = format!(
            "const done = arguments[0], end = Date.now() + 1000; \
             const look = () => {{ try {{ \
               if (({expression}) === true) done(true); \
               else if (Date.now() > end) done(false); \
               else setTimeout(look, 20); \
             }} catch (error) {{ done(String(error)); }} }}; \
             look();"
        );
        loop {
            let body = json!({"script": script, "args": []});
            match self.command("POST", "execute/async", &body) {
                Ok(Value::Bool(true)) => break,
                Ok(Value::String(error)) => panic!("{expression}: {error}"),
                Ok(_) => {}
                // Another page is being loaded.
                Err(_) if Instant::now() < end => thread::sleep(POLL),
                Err(error) => panic!("{expression}: {error}"),
            }
            if Instant::now() > end {
                let body = self.text("body");
                panic!("not so within {PATIENCE:?}: {expression}\nthe page:\n{body}");
            }
        }
    }

    /// Waits until an element's text contains this.
    pub fn wait_for_text(&self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        self.wait_until(&format!(
            "document.querySelector({selector})?.textContent.includes({text}) ?? false"
        ));
    }

    /// Saves a screenshot in the folder for the files of tests.
    pub fn screenshot(&self, name: &str) {
        let picture = self.get("screenshot");
        let picture = from_base64(picture.as_str().unwrap());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name).with_extension("png"), picture).unwrap();
    }

    /// The addresses that the page requested since the last call, including those of WebSockets.
    pub fn requests(&self) -> Vec<String> {
        let entries = self.log("performance");
        let message = |entry: &Value| -> Option<String> {
            let text = entry["message"].as_str()?;
            let message: Value = serde_json::from_str(text).ok()?;
            let params = &message["message"]["params"];
            let url = match message["message"]["method"].as_str()? {
                "Network.requestWillBeSent" => &params["request"]["url"],
                "Network.webSocketCreated" => &params["url"],
                _ => return None,
            };
            url.as_str().map(str::to_owned)
        };
        entries.iter().filter_map(message).collect()
    }

    /// The messages written to the console since the last call: errors of scripts, and violations
    /// of the content security policy.
    pub fn console(&self) -> Vec<String> {
        let entries = self.log("browser");
        let message = |entry: &Value| entry["message"].as_str().map(str::to_owned);
        entries.iter().filter_map(message).collect()
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        let entries = self.issue("se/log", json!({"type": kind}));
        entries.as_array().cloned().unwrap_or_default()
    }

    /// Directs what follows to a frame of the page, or back to the page.
    pub fn switch_to_frame(&self, selector: Option<&str>) {
        let frame = selector.map_or(Value::Null, |selector| {
            self.element(selector);
            self.command("POST", "element", &css(selector)).unwrap()
        });
        self.issue("frame", json!({"id": frame}));
    }

    /// Gives a command of Chromium's own protocol.
    pub fn devtools(&self, command: &str, params: Value) -> Value {
        self.issue(
            "goog/cdp/execute",
            json!({"cmd": command, "params": params}),
        )
    }

    /// Returns the events of these categories while something runs.
    #[allow(dead_code)] // Only a benchmark traces.
    pub fn trace(&self, categories: &[&str], run: impl FnOnce()) -> Vec<Value> {
        let chromium = self.chromium();
        let config = json!({"includedCategories": categories, "excludedCategories": ["*"]});
        let start = json!({"transferMode": "ReturnAsStream", "traceConfig": config});
        chromium.devtools("Tracing.start", start);
        run();
        chromium.devtools("Tracing.end", json!({}));
        let ended = chromium.event("Tracing.tracingComplete");
        let mut trace = String::new();
        loop {
            let part = chromium.devtools("IO.read", json!({"handle": ended["stream"]}));
            trace += part["data"].as_str().unwrap();
            if part["eof"] == json!(true) {
                break;
            }
        }
        let mut trace: Value = serde_json::from_str(&trace).unwrap();
        serde_json::from_value(trace["traceEvents"].take()).unwrap()
    }

    /// Gives a command, which must succeed.
    fn issue(&self, path: &str, body: Value) -> Value {
        self.command("POST", path, &body)
            .unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    /// Asks for something that must exist.
    fn get(&self, path: &str) -> Value {
        self.command("GET", path, &Value::Null)
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        self.chromium().command(method, path, body)
    }

    fn chromium(&self) -> &Chromium {
        self.chromium.as_ref().unwrap()
    }
}

impl Drop for Browser {
    /// Leaves the Chromium to another test. If this one has failed, ends it and prints what it
    /// showed.
    fn drop(&mut self) {
        let Some(chromium) = self.chromium.take() else {
            return;
        };
        if thread::panicking() {
            let script = "return [location.href, innerWidth, innerHeight, document.body.innerText]";
            let body = json!({"script": script, "args": []});
            let shown = chromium.command("POST", "execute/sync", &body);
            eprintln!("the page, its width, height and text: {shown:#?}");
        } else {
            chromium.switch_to(&chromium.first_tab);
            let context = json!({"browserContextId": self.context});
            chromium.devtools("Target.disposeBrowserContext", context);
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push(chromium);
        }
    }
}

/// A selector as WebDriver has it.
fn css(selector: &str) -> Value {
    json!({"using": "css selector", "value": selector})
}

/// The path of the commands for an element.
fn path_of(element: &Value) -> String {
    format!("element/{}", element[ELEMENT].as_str().unwrap())
}

/// Sends a request to chromedriver, and returns the value that it answers with, or the
/// text of an error.
fn request(port: u16, method: &str, path: &str, body: &Value) -> Result<Value, String> {
    let answer = exchange(port, method, path, body);
    let (status, mut answer) = answer.map_err(|error| format!("{method} {path}: {error}"))?;
    match status.contains(" 200 ") {
        true => Ok(answer["value"].take()),
        false => Err(answer["value"]["message"].to_string()),
    }
}

/// Sends a request to chromedriver, and returns the status line and the body of the response.
fn exchange(port: u16, method: &str, path: &str, body: &Value) -> io::Result<(String, Value)> {
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let mut stream = DeadlineStream::new(TcpStream::connect(("127.0.0.1", port))?);
    stream.renew_for(COMMAND);
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes())?;
    let mut reader = BufReader::new(stream);
    let mut status = String::new();
    reader.read_line(&mut status)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut answer = vec![0; length];
    reader.read_exact(&mut answer)?;
    Ok((status, serde_json::from_slice(&answer)?))
}

/// The bytes that a text in Base64 stands for.
fn from_base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        (bits, count) = (bits << 6 | u32::from(value), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    bytes
}

/// The path of a program.
fn find(program: &str) -> Option<String> {
    let folders = std::env::var_os("PATH")?;
    let mut paths = std::env::split_paths(&folders).map(|folder| folder.join(program));
    let path = paths.find(|path| path.is_file())?;
    Some(path.display().to_string())
}

/// Starts chromedriver on a free port, for a browser with this profile.
fn start_driver(profile: &Path) -> (Child, u16) {
    let path = find("chromedriver")
        .expect("no chromedriver is installed: apt-get install chromium chromium-driver");
    let mut keeper = Command::new("sh")
        .args(["-c", KEEPER, &path])
        .arg(profile)
        // Ctrl-C, which ends the tests, does not end it before its work is done.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The rest is read, so that the driver can go on writing.
    let mut lines = Pipe::new(keeper.stdout.take().unwrap());
    lines.take_to("started successfully on port ");
    let port = lines.take_to(".");
    (keeper, port.trim_end_matches('.').parse().unwrap())
}
