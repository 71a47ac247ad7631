//! A whole contest: the built server, two clients, and an organizer who uses only the page, in a
//! real browser.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::error::Error;
use tungstenite::{Message, WebSocket, client};

use crate::chromium::Browser;
use crate::executable::executable;
use crate::waiting::{PATIENCE, Pipe};

/// The built server, until this is dropped.
pub struct Server {
    child: Child,
    pub port: u16,
    /// What it prints.
    log: Pipe,
    _folder: tempfile::TempDir,
}

impl Server {
    pub fn start(arguments: &[&str]) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let game = folder.path().join("game.config.json");
        std::fs::write(&game, r#"{"initialState": {"board": 9}, "komi": 0}"#).unwrap();
        let mut child = Command::new(executable())
            .args(["goref", "--port", "0", "--state"])
            .arg(folder.path().join("state"))
            .arg("--setup")
            .arg(&game)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = Pipe::new(child.stdout.take().unwrap());
        let first = log.line("the port").unwrap();
        let port = first.rsplit(':').next().unwrap().parse().unwrap();
        Server {
            child,
            port,
            log,
            _folder: folder,
        }
    }

    fn page(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A team's client. It answers pings all the time, even while the test waits for Chromium: the
/// server drops a client that is silent.
struct Team {
    name: String,
    to_send: Sender<Message>,
    /// The messages received; closed at the end of the connection.
    messages: Receiver<Value>,
}

impl Team {
    fn connect(server: &Server, name: &str) -> Team {
        let stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        let url = format!("ws://127.0.0.1:{}/", server.port);
        let (socket, _) = client(url, stream).unwrap();
        let (to_send, outbox) = channel();
        let (inbox, messages) = channel();
        thread::spawn(move || Team::serve(socket, &outbox, &inbox));
        let team = Team {
            name: name.to_owned(),
            to_send,
            messages,
        };
        assert_eq!(team.read()["type"], "NAME");
        team.send(&json!({"type": "NAME", "name": name}));
        team
    }

    /// Reads and sends until the connection or the team ends.
    fn serve(mut socket: WebSocket<TcpStream>, outbox: &Receiver<Message>, inbox: &Sender<Value>) {
        let pause = Some(Duration::from_millis(5));
        socket.get_ref().set_read_timeout(pause).unwrap();
        loop {
            match socket.read() {
                Ok(Message::Text(text)) => {
                    let _ = inbox.send(serde_json::from_str(&text).unwrap());
                }
                // A ping is answered by the next call.
                Ok(_) => {}
                Err(Error::Io(error))
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => return,
            }
            loop {
                match outbox.try_recv() {
                    Ok(message) => socket.send(message).unwrap(),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
        }
    }

    fn send(&self, message: &Value) {
        let _ = self.to_send.send(Message::text(message.to_string()));
    }

    fn place(&self, row: u8, column: u8) {
        let point = json!({"row": row, "column": column});
        self.send(&json!({"type": "MOVE", "move": {"type": "place", "point": point}}));
    }

    /// Waits for the next message.
    #[track_caller]
    fn read(&self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        message.unwrap_or_else(|error| panic!("no message for {}: {error}", self.name))
    }

    /// Waits until the server ends the connection.
    #[track_caller]
    fn expect_end(&self) {
        let end = self.messages.recv_timeout(PATIENCE);
        assert_eq!(end, Err(RecvTimeoutError::Disconnected), "{}", self.name);
    }
}

/// The button for a command at a table, while it is allowed.
fn command(action: &str) -> String {
    format!("[data-action={action}]:not([aria-disabled])")
}

/// The button that gives a team a color.
fn seat(name: &str, color: &str) -> String {
    format!("[aria-label='Seat {name} as {color} at Table 1']")
}

#[test]
#[ignore = "starts Chromium"]
fn the_organizer_runs_a_game_using_only_the_page() {
    let server = Server::start(&[]);
    let ada = Team::connect(&server, "Ada <b>1</b>");
    let bob = Team::connect(&server, "Bob");
    let browser = Browser::start();
    browser.resize(1280, 900);
    browser.open(&server.page());
    browser.wait_for_text("#people", "Ada <b>1</b>");
    browser.wait_for_text("#people", "Bob");

    // Two clients are given the colors, and change them.
    browser.click(&seat("Bob", "Black"));
    browser.click(&seat("Ada <b>1</b>", "White"));
    browser.click(&command("swap"));
    browser.wait_for_text("#log", "Ada <b>1</b> plays Black");
    browser.click(&command("start"));
    let start = ada.read();
    assert_eq!(
        (&start["type"], &start["color"]),
        (&json!("START"), &json!("B"))
    );
    assert_eq!(bob.read()["color"], "W");

    // The page shows the moves, and also refused messages.
    ada.place(4, 4);
    assert_eq!(ada.read()["type"], "VALID");
    assert_eq!(bob.read()["type"], "MOVE");
    browser.wait_for_text("main", "E5");
    bob.place(4, 4);
    assert_eq!(bob.read()["message"], "Nonempty point");
    browser.wait_for_text("#log", "Nonempty point");
    ada.send(&json!("nonsense"));
    browser.wait_for_text("#log", "no JSON object");

    // A pause, and what comes after it.
    browser.click(&command("pause"));
    assert_eq!(ada.read()["reason"], "pause");
    assert_eq!(bob.read()["reason"], "pause");
    browser.click(&command("resume"));
    for team in [&ada, &bob] {
        let log = team.read()["configuration"]["moveLog"].clone();
        assert_eq!(log.as_array().unwrap().len(), 1);
    }
    // Adjourned and resumed.
    browser.click(&command("adjourn"));
    browser.click("#confirm-yes");
    assert_eq!(bob.read()["reason"], "pause");
    ada.read();
    browser.wait_for_text("#adjourned", "game 0001");
    browser.click(&command("recall"));
    browser.click(&command("resume"));
    assert_eq!(ada.read()["type"], "START");
    assert_eq!(bob.read()["type"], "START");

    bob.send(&json!({"type": "MOVE", "move": {"type": "resign"}}));
    assert_eq!(bob.read()["type"], "VALID");
    let end = bob.read();
    assert_eq!(
        (&end["reason"], &end["winner"]),
        (&json!("resign"), &json!("B"))
    );
    browser.wait_for_text("main", "Black wins by resignation");

    // A free game is decided after its end.
    browser.click("#finished .decide");
    browser.wait_for_text("#ruling-game", "Game 0001-Ada");
    browser.wait_for_text("#ruling-result", "Annulled: it does not count");
    browser.eval("document.getElementById('ruling-result').value = 'replay'");
    browser.click("#ruling-reason");
    browser.press("it was a test");
    browser.click("#ruling-yes");
    let decided = "decided No result by decision of the organizer, because it was a test";
    browser.wait_for_text("#finished", decided);
    assert_eq!(browser.count("#finished li"), 1);

    // A client that the organizer disconnects.
    let eve = Team::connect(&server, "Eve");
    browser.wait_for_text("#people", "Eve");
    let row = "[...document.querySelectorAll('#people > li')].findIndex(row => row.textContent.includes('Eve'))";
    let index = browser.eval(row).as_i64().unwrap() + 1;
    browser.click(&format!(
        "#people > li:nth-child({index}) [data-action=disconnect]"
    ));
    browser.click("#confirm-yes");
    eve.expect_end();

    // The page requested nothing from other servers.
    let here = format!("127.0.0.1:{}", server.port);
    for request in browser.requests() {
        assert!(
            request.contains(&here) || request.starts_with("data:"),
            "{request}"
        );
    }
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
#[ignore = "starts Chromium"]
fn a_tournament_begins_at_the_press_of_a_button() {
    let server = Server::start(&["--tables", "2"]);
    let players: Vec<_> = ["Ada", "Bob", "Carla"]
        .map(|name| {
            let team = Team::connect(&server, name);
            // Black resigns at once.
            thread::spawn(move || {
                let mut games = 0;
                while games < 4 {
                    let message = team.read();
                    if message["type"] == "START" && message["color"] == "B" {
                        team.send(&json!({"type": "MOVE", "move": {"type": "resign"}}));
                    }
                    games += usize::from(message["type"] == "END");
                }
                team
            })
        })
        .into_iter()
        .collect();
    let browser = Browser::start();
    browser.resize(1280, 900);
    browser.open(&server.page());
    browser.wait_for_text("#people", "Carla");
    let choose = "(() => { const kind = document.querySelector('[name=kind]'); \
                  kind.value = 'round-robin'; kind.dispatchEvent(new Event('change')); })()";
    browser.wait_until("document.querySelector('[name=kind]') !== null");
    browser.eval(choose);
    browser.click("[data-action=tournament]");
    let teams: Vec<Team> = players
        .into_iter()
        .map(|player| player.join().unwrap())
        .collect();
    // Nobody can leave a tournament that is over.
    browser.wait_until("document.querySelectorAll('[data-action=withdraw]').length === 0");
    browser.wait_for_text("#phase", "wins by resignation");
    // The players are still there.
    assert!(!browser.text("#seats").contains("not connected"));
    drop(teams);
    browser.wait_for_text("#seats", "not connected");
    // The final standings are one block of the log.
    browser.wait_for_text("#log li:has(pre)", "final standings:");
    let block = browser.text("#log pre");
    assert_eq!(block.lines().count(), 4, "{block}");
    assert!(block.lines().next().unwrap().contains("Points"), "{block}");
    let standings = browser.text("#tournament");
    for name in ["Ada", "Bob", "Carla"] {
        assert!(standings.contains(name), "{standings}");
    }
    let printed = server.log.so_far();
    assert!(printed.contains(", seed "), "{printed}");
}

#[test]
#[ignore = "starts Chromium"]
fn the_form_for_a_tournament_suggests_what_was_planned() {
    let swiss = ["--tournament", "swiss", "--rounds", "2", "--single"];
    let others = ["--players", "9", "--avoid", "Ada", "Bob", "--tables", "3"];
    let server = Server::start(&[&swiss[..], &others].concat());
    let connect = |name| Team::connect(&server, name);
    let mut teams = vec![connect("Ada"), connect("Carla")];
    let browser = Browser::start();
    browser.open(&server.page());
    // Two can play no more than one round, and Bob is not there.
    browser.wait_for_text("form.holding", "2 players, 1 round, 1 game in all");
    teams.extend(["Bob", "Dora"].map(connect));
    browser.wait_for_text("form.holding", "4 players, 2 rounds, 4 games in all");
    browser.wait_for_text("form.holding .chips", "Ada – Bob");
    // What the organizer changes stays changed.
    let choose = "(() => { const games = document.querySelector('[name=games]'); games.value = 2; \
                  games.dispatchEvent(new Event('input', { bubbles: true })); })()";
    browser.eval(choose);
    browser.wait_for_text("form.holding", "4 players, 2 rounds, 8 games in all");
    teams.extend(["Eve", "Fay"].map(connect));
    browser.wait_for_text("form.holding", "6 players, 2 rounds, 12 games in all");
    browser.click("[data-action=tournament]");
    for team in &teams {
        assert_eq!(team.read()["type"], "START");
    }
}

#[test]
#[ignore = "starts Chromium"]
fn spectators_see_everything_and_have_no_buttons() {
    let token = "0123456789abcdefTOKEN";
    let server = Server::start(&["--always-token", "--auto", "--token", token]);
    let ada = Team::connect(&server, "Ada");
    let bob = Team::connect(&server, "Bob");
    for team in [&ada, &bob] {
        assert_eq!(team.read()["type"], "START");
    }
    let browser = Browser::start();
    browser.open(&server.page());
    browser.wait_for_text("main", "Ada");
    assert_eq!(browser.count("[data-action]"), 0);
    ada.place(0, 0);
    browser.wait_for_text("main", "A9");
    let _second = Team::connect(&server, "Bob");
    browser.wait_for_text("#people", "same name as #2");
    // A visitor with the link from before the restart is told why there are none.
    browser.open_anew(&format!("{}#token=0123456789abcdefOTHER", server.page()));
    browser.wait_for_text("#notices", "no longer valid");
    assert_eq!(browser.count("[data-action]"), 0);
    // With the link, the same browser becomes the organizer's.
    browser.open_anew(&format!("{}#token={token}", server.page()));
    browser.click(&command("pause"));
    assert_eq!(ada.read()["type"], "VALID");
    let end = ada.read();
    assert_eq!(end["reason"], "pause");
}
