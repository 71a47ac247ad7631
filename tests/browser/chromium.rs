//! A browser for tests: Chromium without a window, driven by chromedriver.
//!
//! All is blocking, so that a test reads from top to bottom. Whatever is looked
//! for is waited for: a page needs a moment.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use axum::http::Method;
use fantoccini::key::Key;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{self, Runtime};

/// How long something that must come is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A browser with one tab and a profile of its own.
pub struct Browser {
    client: Client,
    runtime: Runtime,
    driver: Child,
    _profile: TempDir,
}

impl Browser {
    /// Starts one.
    pub fn start() -> Browser {
        let chromium = ["chromium", "chromium-browser", "google-chrome"]
            .into_iter()
            .find_map(find)
            .expect("no Chromium is installed: apt-get install chromium chromium-driver");
        let (driver, port) = start_driver();
        let profile = tempfile::tempdir().unwrap();
        let user_data = format!("--user-data-dir={}", profile.path().display());
        let capabilities = json!({
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
            "goog:chromeOptions": {
                "binary": chromium,
                "args": [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                    "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
                    "--disable-background-networking", "--disable-component-update",
                    "--hide-scrollbars", "--lang=en-US", user_data,
                ],
            },
        });
        let Value::Object(capabilities) = capabilities else {
            unreachable!()
        };
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let client = runtime.block_on(async {
            ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new())
                .capabilities(capabilities)
                .connect(&format!("http://127.0.0.1:{port}"))
                .await
        });
        let browser = Browser {
            client: client.expect("chromedriver must be able to start Chromium"),
            runtime,
            driver,
            _profile: profile,
        };
        // The page that a new tab shows is not what is tested.
        browser.open("about:blank");
        browser.requests();
        browser
    }

    /// Opens a page.
    pub fn open(&self, url: &str) {
        self.runtime.block_on(self.client.goto(url)).unwrap();
    }

    /// Sets the size of what is seen of a page, in CSS pixels.
    pub fn resize(&self, width: u32, height: u32) {
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Sets whether the system is said to be `dark` or `light`.
    pub fn set_system_theme(&self, theme: &str) {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
        self.devtools("Emulation.setEmulatedMedia", features);
    }

    /// The value of an expression in the page.
    pub fn eval(&self, expression: &str) -> Value {
        let script = format!("return ({expression});");
        let result = self.runtime.block_on(self.client.execute(&script, vec![]));
        result.unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// The text that is seen of the first element that a CSS selector finds.
    pub fn text(&self, selector: &str) -> String {
        let locator = Locator::Css(selector);
        let text = self.runtime.block_on(async {
            let wait = self.client.wait().at_most(PATIENCE);
            wait.for_element(locator).await?.text().await
        });
        text.unwrap_or_else(|error| panic!("{selector}: {error}"))
    }

    /// How many elements a CSS selector finds.
    pub fn count(&self, selector: &str) -> usize {
        let elements = self.client.find_all(Locator::Css(selector));
        self.runtime.block_on(elements).unwrap().len()
    }

    /// Clicks with the mouse on the first element that a CSS selector finds.
    pub fn click(&self, selector: &str) {
        let locator = Locator::Css(selector);
        let clicked = self.runtime.block_on(async {
            let wait = self.client.wait().at_most(PATIENCE);
            wait.for_element(locator).await?.click().await
        });
        clicked.unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Presses keys one after the other: characters, and `fantoccini::key::Key`s.
    pub fn press(&self, keys: &str) {
        for key in keys.chars() {
            let locator = Locator::Css("html");
            let pressed = self.runtime.block_on(async {
                let focused = self.client.active_element().await;
                let node = match focused {
                    Ok(node) => node,
                    Err(_) => self.client.find(locator).await?,
                };
                node.send_keys(&key.to_string()).await
            });
            pressed.unwrap_or_else(|error| panic!("{key:?}: {error}"));
        }
    }

    /// Presses one key so many times as it needs until an element has the focus.
    pub fn press_until_focused(&self, key: Key, selector: &str) {
        let is_there = format!("document.activeElement.matches({})", json!(selector));
        for _ in 0..200 {
            self.press(&char::from(key).to_string());
            if self.eval(&is_there) == json!(true) {
                return;
            }
        }
        panic!("{selector} cannot be reached by {key:?}");
    }

    /// Waits until an expression in the page is true.
    pub fn wait_until(&self, expression: &str) {
        let end = Instant::now() + PATIENCE;
        while self.eval(expression) != json!(true) {
            if Instant::now() > end {
                let body = self.text("body");
                panic!("not so within {PATIENCE:?}: {expression}\nthe page:\n{body}");
            }
            thread::sleep(Duration::from_millis(30));
        }
    }

    /// Waits until an element's text has this in it.
    pub fn wait_for_text(&self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        self.wait_until(&format!(
            "document.querySelector({selector})?.textContent.includes({text}) ?? false"
        ));
    }

    /// Keeps a picture of what is seen in the folder for what tests make.
    pub fn screenshot(&self, name: &str) {
        let picture = self.runtime.block_on(self.client.screenshot()).unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name).with_extension("png"), picture).unwrap();
    }

    /// The addresses that were asked for since this was called last, those of
    /// WebSockets too.
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

    /// What was written to the console since this was called last: errors of
    /// scripts, and what the content security policy refused.
    pub fn console(&self) -> Vec<String> {
        let entries = self.log("browser");
        let message = |entry: &Value| entry["message"].as_str().map(str::to_owned);
        entries.iter().filter_map(message).collect()
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        let entries = self.issue("se/log", json!({"type": kind}));
        entries.as_array().cloned().unwrap_or_default()
    }

    /// Gives a command of Chromium's own protocol.
    fn devtools(&self, command: &str, params: Value) -> Value {
        self.issue(
            "goog/cdp/execute",
            json!({"cmd": command, "params": params}),
        )
    }

    /// Gives a command that only chromedriver has.
    fn issue(&self, path: &'static str, body: Value) -> Value {
        let answer = self.client.issue_cmd(Own { path, body });
        self.runtime
            .block_on(answer)
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let close = self.client.clone().close();
        let _ = self.runtime.block_on(close);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// A command that only chromedriver has.
#[derive(Debug)]
struct Own {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Own {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        let session = session.unwrap_or_default();
        base.join(&format!("session/{session}/{}", self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}

/// The path of a program.
fn find(program: &str) -> Option<String> {
    let folders = std::env::var_os("PATH")?;
    let mut paths = std::env::split_paths(&folders).map(|folder| folder.join(program));
    let path = paths.find(|path| path.is_file())?;
    Some(path.display().to_string())
}

/// Starts chromedriver on a free port.
fn start_driver() -> (Child, u16) {
    let path = find("chromedriver")
        .expect("no chromedriver is installed: apt-get install chromium chromium-driver");
    let mut driver = Command::new(path)
        .args(["--port=0", "--log-level=SEVERE"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let port = lines.find_map(|line| {
        let line = line.ok()?;
        let (_, port) = line.split_once("started successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    });
    // It must be able to go on writing.
    thread::spawn(move || lines.for_each(drop));
    (driver, port.expect("chromedriver must say its port"))
}
