//! The built program as a referee, and clients that talk to it line by line.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;

#[cfg(target_os = "linux")]
use socket2::{Domain, Socket, Type};

use crate::executable::executable;
use crate::server::ServerProcess;
use crate::waiting::{DeadlineStream, Pipe};

/// A running referee; it is killed when the test is done with it.
pub struct Referee {
    process: ServerProcess<String>,
    /// Where its tables listen.
    pub addresses: Vec<SocketAddr>,
    /// The input of its organizer, if it has one.
    input: Option<ChildStdin>,
    /// The answers to its organizer.
    answers: Option<Pipe>,
}

/// The version that a client sends with this opening: one that gives its name can resume a match.
pub fn version_of(opening: &str) -> &'static str {
    match opening.contains('"') {
        true => "0.9.2",
        false => "0.9.1",
    }
}

impl Referee {
    /// Starts `gothello netref 0 ARGUMENTS --port 0`, and waits until all its
    /// tables listen.
    pub fn start(arguments: &[&str]) -> Referee {
        let mut command = Command::new(executable());
        Referee::run(command.stdin(Stdio::null()), arguments)
    }

    /// Starts one as `nohup` does: it keeps running when its terminal is closed.
    #[cfg(target_os = "linux")]
    pub fn start_without_hangup(arguments: &[&str]) -> Referee {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", executable()]);
        Referee::run(command.stdin(Stdio::null()), arguments)
    }

    /// Starts one with an organizer, who types through a pipe.
    pub fn start_with_organizer(arguments: &[&str]) -> Referee {
        let mut command = Command::new(executable());
        command.stdin(Stdio::piped()).stderr(Stdio::piped());
        Referee::run(&mut command, arguments)
    }

    /// Types a line as the organizer. Returns the first line of the answer, which contains this.
    #[track_caller]
    pub fn command(&mut self, line: &str, answer: &str) -> String {
        self.type_in(&format!("{line}\n"));
        let first = self.read_answer(&format!("the answer to {line:?}"));
        assert!(
            first.contains(answer),
            "{line:?}: {first:?}, not {answer:?}"
        );
        first
    }

    /// The next line of the answer.
    #[track_caller]
    pub fn next_answer(&mut self) -> String {
        self.read_answer("the next line of the answer")
    }

    #[track_caller]
    fn read_answer(&mut self, awaited: &str) -> String {
        let line = self.answers.as_mut().unwrap().line(awaited);
        line.unwrap_or_else(|| panic!("it ends without {awaited}: {:#?}", self.log()))
    }

    /// Skips all answers up to one that begins with this.
    #[track_caller]
    pub fn skip_answers_to(&mut self, beginning: &str) {
        self.answers
            .as_mut()
            .unwrap()
            .take_to(&format!("\n{beginning}"));
    }

    /// Types this as the organizer.
    pub fn type_in(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
    }

    /// Closes the organizer's pipe.
    pub fn end_input(&mut self) {
        self.input = None;
    }

    /// Closes the reader of the answers to the organizer.
    #[cfg(unix)]
    pub fn close_answers(&mut self) {
        self.answers = None;
    }

    /// Starts one whose files cannot be larger than this many bytes: writing more fails as on a
    /// full disk.
    #[cfg(target_os = "linux")]
    pub fn start_with_room(room: Room, arguments: &[&str]) -> Referee {
        Referee::start_with_room_by(Command::new("prlimit"), room, arguments)
    }

    /// Starts one like this, by this command that begins with `prlimit`.
    #[cfg(target_os = "linux")]
    pub fn start_with_room_by(mut command: Command, room: Room, arguments: &[&str]) -> Referee {
        command.args([&room.option(), "sh", "-c"]);
        // Otherwise it is killed when it writes more.
        command.args(["trap '' XFSZ; exec \"$0\" \"$@\"", executable()]);
        Referee::run(command.stdin(Stdio::null()), arguments)
    }

    /// Changes how large its files can be.
    #[cfg(target_os = "linux")]
    pub fn set_room(&self, room: Room) {
        let mut prlimit = Command::new("prlimit");
        prlimit.args(["--pid", &self.process.id().to_string(), &room.option()]);
        assert!(prlimit.status().unwrap().success());
    }

    fn run(command: &mut Command, arguments: &[&str]) -> Referee {
        let command = command.args(["netref", "0"]).args(arguments);
        // Most tests are about something else than players whose connections are lost together: the
        // first loss decides a match at once, so that the table is free for the next one.
        if !arguments.contains(&"--loss-wait") {
            command.args(["--loss-wait", "0"]);
        }
        let mut process = ServerProcess::start(command.args(["--port", "0"]), |line| line);
        let tables = arguments
            .iter()
            .position(|&argument| argument == "--tables")
            .map_or(1, |at| arguments[at + 1].parse().unwrap());
        let addresses = process.wait_for("listening", |process| {
            let log = process.log();
            let lines = log.iter().filter(|line| !line.contains(TEAM_PORT));
            let addresses: Vec<_> = lines.filter_map(|line| listening(line)).collect();
            (addresses.len() == tables).then_some(addresses)
        });
        let (input, answers) = process.take_pipes();
        Referee {
            process,
            addresses,
            input,
            answers: answers.map(Pipe::new),
        }
    }

    /// Where a team's port is: the first one, if it has several.
    pub fn port_of(&self, team: &str) -> SocketAddr {
        let line = format!("{TEAM_PORT}\"{team}\": listening on ");
        self.process.wait_for(&line, |process| {
            let log = process.log();
            let line = log.iter().find(|found| found.contains(&line))?;
            listening(line)
        })
    }

    /// A client of the first table.
    pub fn connect(&self) -> Client {
        Client::connect(self.addresses[0])
    }

    /// A client of the first table that has asked for a role and read the
    /// greeting and the answer.
    pub fn seat(&self, opening: &str) -> Client {
        let mut client = self.connect();
        client.expect("000 ");
        client.send(&format!("{} {opening}\r", version_of(opening)));
        client.expect("10");
        client
    }

    /// Black and White, without names, at the start of a match.
    pub fn pair(&self) -> (Client, Client) {
        self.pair_called("", "")
    }

    /// Black and White at the start of a match, with names in quotes or without
    /// names.
    pub fn pair_called(&self, black: &str, white: &str) -> (Client, Client) {
        let mut black = self.seat(&format!("player black {black}"));
        let mut white = self.seat(&format!("player white {white}"));
        black.lines_to("352 ");
        white.lines_to("351 ");
        (black, white)
    }

    /// Plays a whole match. Returns the lines that Black, White and an observer received after
    /// they got their roles, and with a `>` those that they sent. The requests are Black's and
    /// White's in turn; the last one ends the match.
    pub fn play(&self, names: [&str; 2], requests: &[&str]) -> [Vec<String>; 3] {
        let mut observer = self.seat("observer");
        let [black, white] = names;
        let black = self.seat(&format!("player black {black}"));
        let white = self.seat(&format!("player white {white}"));
        let mut players = [black, white];
        let mut heard = players.each_mut().map(|player| player.lines_to("35"));
        for (number, request) in requests.iter().enumerate() {
            let mover = number % 2;
            players[mover].send(&format!("{request}\r"));
            heard[mover].push(format!("> {request}"));
            for (player, heard) in players.iter_mut().zip(&mut heard) {
                heard.extend(player.lines_to("3"));
            }
        }
        for (player, heard) in players.iter_mut().zip(&mut heard) {
            heard.extend(player.rest());
        }
        let [black, white] = heard;
        [black, white, observer.rest()]
    }

    /// Returns its output so far.
    pub fn log(&self) -> Vec<String> {
        self.process.log()
    }

    /// Waits until it has printed the awaited text.
    #[track_caller]
    pub fn wait_for_news(&self, what: &str, found: impl Fn(&[String]) -> bool) {
        let found = |log: &[String]| found(log).then_some(());
        self.process.wait_for(what, |process| process.find(found));
    }

    /// Waits for a line that contains this, and returns the rest of it.
    #[track_caller]
    pub fn wait_for_rest(&self, text: &str) -> String {
        let rest = |line: &String| Some(line.split_once(text)?.1.to_owned());
        let find = |log: &[String]| log.iter().find_map(rest);
        self.process.wait_for(text, |process| process.find(find))
    }

    /// Waits until a line that it prints contains this.
    #[track_caller]
    pub fn wait_for_line(&self, text: &str) {
        self.wait_for_news(text, |log| log.iter().any(|line| line.contains(text)));
    }

    /// Sends a signal: `-INT`, `-TERM`.
    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        self.process.signal(signal);
    }

    /// Kills it as a power failure would.
    pub fn kill(self) {
        self.process.kill();
    }

    /// Waits until it ends by itself.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        self.process.wait()
    }
}

/// The beginning of a line of the log about the port of a team.
const TEAM_PORT: &str = "port of ";

/// How large files can be, in bytes.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
pub enum Room {
    Bytes(u64),
    Enough,
}

#[cfg(target_os = "linux")]
impl Room {
    /// The option of `prlimit`.
    fn option(self) -> String {
        match self {
            Room::Bytes(bytes) => format!("--fsize={bytes}:unlimited"),
            Room::Enough => "--fsize=unlimited:unlimited".into(),
        }
    }
}

/// The address of a line of the log, in text or JSON, that says where a table
/// listens.
fn listening(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line
        .split_once("listening on ")
        .or_else(|| line.split_once("\"listening\",\"address\":\""))?;
    rest.trim_end_matches(['"', '}']).parse().ok()
}

/// Checks the beginnings of these lines, and that there are no others: the text after a code and
/// its arguments is free.
#[track_caller]
pub fn assert_begin(lines: &[String], beginnings: &[&str]) {
    let right = lines.len() == beginnings.len()
        && (lines.iter().zip(beginnings)).all(|(line, beginning)| line.starts_with(beginning));
    assert!(right, "{lines:#?} ought to begin {beginnings:#?}");
}

/// A connection that reads whole lines.
pub struct Client(BufReader<DeadlineStream>);

impl Client {
    /// Connects.
    pub fn connect(address: SocketAddr) -> Client {
        Client::over(TcpStream::connect(address).unwrap())
    }

    fn over(stream: TcpStream) -> Client {
        stream.set_nodelay(true).unwrap();
        Client(BufReader::new(DeadlineStream::new(stream)))
    }

    /// Connects from an address of the loopback interface, of which Linux has many.
    #[cfg(target_os = "linux")]
    pub fn connect_from(host: [u8; 4], address: SocketAddr) -> Client {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((host, 0)).into()).unwrap();
        socket.connect(&address.into()).unwrap();
        Client::over(socket.into())
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, text: &str) {
        self.send_bytes(text.as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    /// The next line without its end, which must be CR LF; `None` at the end.
    #[track_caller]
    pub fn line(&mut self) -> Option<String> {
        self.0.get_mut().renew();
        self.read("a line")
    }

    /// The next line before the deadline of the stream.
    #[track_caller]
    fn read(&mut self, awaited: &str) -> Option<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.strip_suffix("\r\n").expect(&line).to_owned()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{awaited} does not come: {error}"),
        }
    }

    /// Reads the next line, which must begin with this.
    #[track_caller]
    pub fn expect(&mut self, beginning: &str) -> String {
        self.0.get_mut().renew();
        let line = self.read(beginning);
        let line = line.unwrap_or_else(|| {
            panic!(
                "{beginning}: it is the end of:\n{}",
                self.0.get_ref().so_far()
            )
        });
        assert!(
            line.starts_with(beginning),
            "{beginning:?} is expected: {line:?}"
        );
        line
    }

    /// Sends a request and expects the next line to begin with this.
    #[track_caller]
    pub fn ask(&mut self, request: &str, beginning: &str) -> String {
        self.send(&format!("{request}\r"));
        self.expect(beginning)
    }

    /// Reads lines up to the first one that begins with this.
    #[track_caller]
    pub fn lines_to(&mut self, beginning: &str) -> Vec<String> {
        self.0.get_mut().renew();
        let mut lines = Vec::new();
        loop {
            match self.read(beginning) {
                Some(line) => lines.push(line),
                None => panic!("no {beginning:?} comes: {lines:#?}"),
            }
            if lines.last().is_some_and(|line| line.starts_with(beginning)) {
                return lines;
            }
        }
    }

    /// Expects the next lines to begin with these texts, in order.
    #[track_caller]
    pub fn expect_all(&mut self, beginnings: &[&str]) {
        for beginning in beginnings {
            self.expect(beginning);
        }
    }

    /// Expects the next lines to begin with these texts, and then the end of the connection.
    #[track_caller]
    pub fn expect_last(&mut self, beginnings: &[&str]) {
        assert_begin(&self.rest(), beginnings);
    }

    /// Expects the end of the connection, with no line before it.
    #[track_caller]
    pub fn expect_end(&mut self) {
        assert_eq!(self.line(), None);
    }

    /// All lines up to the end.
    #[track_caller]
    pub fn rest(&mut self) -> Vec<String> {
        self.0.get_mut().renew();
        std::iter::from_fn(|| self.read("the end")).collect()
    }

    /// Expects no data for this long.
    #[track_caller]
    pub fn expect_silence(&mut self, time: Duration) {
        assert_eq!(self.0.buffer(), b"");
        self.0.get_mut().renew_for(time);
        let mut line = String::new();
        let error = self.0.read_line(&mut line).expect_err(&line);
        assert_eq!((error.kind(), &*line), (ErrorKind::TimedOut, ""), "{error}");
    }

    /// Leaves, and returns the lines not read by then, after the referee has noticed. Otherwise
    /// the next client may be faster.
    #[track_caller]
    pub fn leave(mut self) -> Vec<String> {
        self.finish();
        self.rest()
    }

    /// Reads to the end, and closes the connection, for which a referee that stops waits a moment.
    #[track_caller]
    pub fn read_to_leave(mut self) {
        self.rest();
    }

    /// Ends the sending side of the connection.
    pub fn finish(&mut self) {
        self.0.get_ref().shutdown(Shutdown::Write).unwrap();
    }
}
