//! `gothello match` without a subcommand: plays an event.

use std::net::Ipv4Addr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::{Result, anyhow, bail};
use clap::{ArgGroup, Args};

use super::event_file::read_event;
use super::open_files::allowed_games;
use super::options::EventOptions;
use super::records::{Records, RecordsArguments};
use super::show::Show;
use crate::base::journal::LineFileError;
use crate::base::shard::Shard;
use crate::cli::game_options::RandomArguments;
use crate::cli::listen::{ListenAddress, listen, reachable_addresses};
use crate::cli::page_options::PageArguments;
use crate::cli::search::{interrupt_flag, thread_count};
use crate::cli::values::nearest;
use crate::cli::{OutOfResources, bail_usage};
use crate::clients::agent::{BuiltIn, note};
use crate::contests::netref::NetrefGame;
use crate::games::awari;
use crate::games::go::{self, Position, Rules, Size};
use crate::games::gothello;
use crate::gtp::process::{Launch, Resource, adopt_orphans, end_orphans};
use crate::matches::{
    AgentMaker, AgentSeat, BuiltInSettings, ClientSeat, ClientSettings, EngineSeat, EngineSettings,
    EventResultsFile, EventSettings, Finish, Format, GameRecord, GameSettings, GameStore, Header,
    LiveGames, MAX_REPEATS, MatchGame, PlayerKind, PlayerSettings, ProgramFiles, ProgramHashes,
    Progress, Results, ResultsError, RunError, Runner, Schedule, Seat, SeatingError, joined,
};
use crate::player::{
    AwariChoice, AwariPlayer, AwariSearch, Level, Limits, MoveLimits, PerfectPlayer, Player, Prover,
};
use crate::statistics::Decision;
use crate::tournament::Name;

/// The table of a built-in player's proofs, in MiB.
const BUILT_IN_MIB: usize = 64;

/// The number of players that the title of the page names.
const TITLE_PLAYERS: usize = 4;

/// The exit code of `--exit-status` if the test has decided for H0.
const H0_EXIT: i32 = 3;

/// The exit code if the test has not decided.
const UNDECIDED_EXIT: i32 = 4;

/// What is run, and what comes out.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("page-options")
    .args(["allowed_hosts", "trusted_proxies"])
    .multiple(true)
    .requires("http"))]
pub struct EventArguments {
    /// Player: a GTP engine, as NAME=COMMAND or COMMAND; builtin, with
    /// options as in builtin:level=3,move-time=0.1 or builtin:positions=5000,random-best; or a client
    /// of the network referee, as in "NAME=java MyClient {side} {host} {server}", where {port} may
    /// stand for {server}. Repeat it for each player
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<PlayerSettings>,
    /// TOML file that describes the event: `[[player]]` tables, and these options as keys; options
    /// on the command line take precedence
    #[arg(long, value_name = "FILE")]
    event: Option<PathBuf>,
    /// Games at the same time [default: the number of physical cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    concurrency: Option<NonZeroUsize>,
    /// Run the players of each game on a core of their own (Linux)
    #[arg(long)]
    affinity: bool,
    /// Results file, a line of JSON for each game. If it exists, the event goes on where it was
    /// interrupted [default: results are only printed]
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    #[command(flatten)]
    records: RecordsArguments,
    /// Print an event as a line of JSON whenever a game begins or ends, and at the end
    #[arg(long)]
    json: bool,
    /// Print only the final table
    #[arg(long, short)]
    quiet: bool,
    /// End when a player fails: crashes, hangs, or breaks the rules
    #[arg(long)]
    stop_on_failure: bool,
    /// With --sprt: exit code 0 if H1 was accepted, 3 if H0 was, 4 if neither
    #[arg(long)]
    exit_status: bool,
    /// Play a part of the games, such as 3/8, so that several machines share an event; `gothello
    /// match report` merges the results files
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Show the event on a web page at this port of this machine, for its own browsers, or of another
    /// host, as in 0.0.0.0:8080; port 0 picks a free one
    #[arg(long, value_name = "[HOST:]PORT")]
    http: Option<ListenAddress>,
    #[command(flatten)]
    page: PageArguments,
    #[command(flatten)]
    options: EventOptions,
}

impl EventArguments {
    pub fn run(mut self) -> Result<()> {
        if let Some(path) = &self.event {
            let (options, players) = read_event(path)?;
            self.options = self.options.or(options);
            self.players.splice(0..0, players);
        }
        if self.players.is_empty() {
            bail_usage!(
                "give at least two players, such as --player \"gnugo=gnugo --mode gtp\" --player \
                 builtin"
            );
        }
        adopt_orphans();
        let has_results = self.results.is_some();
        self.play_any().map_err(|error| blamed(error, has_results))
    }

    /// Plays the event in its game.
    fn play_any(self) -> Result<()> {
        match self.options.game()? {
            GameSettings::Gothello => {
                self.play(gothello::Game::default(), gothello_agent, Some(client_seat))
            }
            GameSettings::Awari { variant } => {
                let start = awari::Game::new(awari::Position::default(), variant);
                self.play(start, awari_agent, Some(client_seat))
            }
            GameSettings::Go {
                size,
                komi,
                superko,
                ..
            } => {
                let rules = Rules {
                    superko,
                    ..Rules::area(komi)
                };
                let size = Size::square(size.into())?;
                let start = go::Game::new(rules, Position::start(size));
                // The settings have been checked: nobody is a built-in player.
                self.play(start, |_| None, None)
            }
        }
    }

    /// Plays the event.
    fn play<G: MatchGame + Sync>(
        self,
        start: G,
        built_in: BuiltInMaker<G>,
        client: Option<ClientMaker<G>>,
    ) -> Result<()> {
        let (settings, is_resumed) = self.checked_settings(&start)?;
        // Of a Swiss tournament, which has no parts, not all games are known yet.
        let ours = match self.shard {
            None => None,
            Some(shard) => Some(Schedule::new(&settings)?.numbers_in(shard)),
        };
        let is_ours = |number: u32| ours.as_ref().is_none_or(|ours| ours.contains(&number));
        if !is_resumed {
            // Before a results file is created.
            self.records.check_new(&start, &is_ours)?;
        }
        let (mut store, played) = self.open_results(&settings)?;
        let records = Records::open(&self.records, &start, &played, &is_ours)?;
        let (notices, noticed) = channel();
        let results = self.results.clone();
        let mut show = Show::new(&settings, self.quiet, self.json, records, results, noticed);
        show.begin(played.len())?;
        show.knows(&played);
        let hashes = Arc::new(ProgramHashes::default());
        if !played.is_empty() {
            for player in &settings.players {
                if let Some(files) = files(player, &hashes) {
                    show.check_program(&player.name, files.identity());
                }
            }
        }
        let concurrency = match self.concurrency {
            Some(threads) => threads.get(),
            None => num_cpus::get_physical().min(num_cpus::get()),
        };
        let stop = interrupt_flag()?;
        let warn = |text: String| show.tell(&text);
        let concurrency = allowed_games(&settings, concurrency, self.http.is_some(), warn);
        let live = match &self.http {
            None => None,
            Some(address) => {
                let games = Arc::new(LiveGames::new(concurrency));
                self.serve_page(address, &settings, &start, &games, &played, &mut show)?;
                Some(games)
            }
        };
        let maker = {
            let seating = Seating {
                hashes,
                start_limit: self.options.start_limit(),
                hang_limit: settings.hang_limit(),
                has_comments: self.records.comments,
                is_pinned: self.affinity,
                notices,
            };
            move |player: &PlayerSettings, thread: usize| {
                make_seat::<G>(player, thread, &seating, built_in, client)
            }
        };
        let runner = Runner {
            settings: &settings,
            start,
            seat_maker: Box::new(maker),
            concurrency,
            shard: self.shard,
            live,
            stop_on_failure: self.stop_on_failure,
            stop,
        };
        let ran = runner.run(played, &mut store, &mut show);
        end_orphans();
        let (finish, progress) = ran.map_err(|error| with_hint(error, &settings))?;
        show.end(&progress, &store.into_results()?)?;
        self.finish(finish, &progress)
    }

    /// Returns the settings of the event, and whether its results file has it already.
    fn checked_settings<G: MatchGame>(&self, start: &G) -> Result<(EventSettings, bool)> {
        let earlier = match &self.results {
            Some(path) => match Header::read(path) {
                Err(error @ ResultsError::NotRegularFile(_)) => {
                    bail_usage!("--results {error}");
                }
                read => read?,
            },
            None => None,
        };
        let is_resumed = earlier.is_some();
        let seed = earlier.map(|earlier| earlier.event.seed);
        let settings = self.options.settings(start, self.players.clone(), seed)?;
        if self.shard.is_some() && (settings.format == Format::Swiss || settings.sprt.is_some()) {
            bail_usage!(
                "--shard is for events whose games are known from the start: not for --format \
                 swiss or --sprt"
            );
        }
        if self.shard.is_some() && !self.options.has_seed() {
            bail_usage!("--shard needs --seed, the same number for all parts of the event");
        }
        if self.exit_status && settings.sprt.is_none() {
            bail_usage!("--exit-status is for --sprt");
        }
        Ok((settings, is_resumed))
    }

    /// Opens the storage of the event's games. Returns it with the games in it.
    fn open_results(&self, settings: &EventSettings) -> Result<(GameStore, Vec<GameRecord>)> {
        let now = SystemTime::now();
        let Some(path) = &self.results else {
            let header = Header::new(settings.clone(), now);
            let games = Vec::new();
            let results = Box::new(Results { header, games });
            return Ok((GameStore::Memory(results), Vec::new()));
        };
        let opened = EventResultsFile::open(path, settings, now)?;
        if !self.quiet && !opened.grown.is_empty() {
            note(&format!(
                "the event gets longer: {}",
                joined(&opened.grown, "; ")
            ));
        }
        Ok((GameStore::File(opened.file), opened.games))
    }

    /// Serves the page on which the games are watched, and says where it is.
    fn serve_page<G: MatchGame>(
        &self,
        ListenAddress { host, port }: &ListenAddress,
        settings: &EventSettings,
        start: &G,
        games: &Arc<LiveGames>,
        played: &[GameRecord],
        show: &mut Show,
    ) -> Result<()> {
        let localhost = || Ipv4Addr::LOCALHOST.to_string();
        let host = host.clone().unwrap_or_else(localhost);
        let listener = listen(&host, *port, "choose another port with --http")?;
        let addresses = reachable_addresses(&listener)?;
        let access = self.page.access(&host, &addresses, None);
        let title = settings.players.iter().map(|player| player.name.as_str());
        let title = title.take(TITLE_PLAYERS).collect::<Vec<_>>().join(" - ");
        let games = Arc::clone(games);
        show.serve_page(listener, start.clone(), games, title, access, played)?;
        for address in addresses.all() {
            note(&format!("watch at http://{address}/"));
        }
        Ok(())
    }

    /// Turns the end of the event into an exit code.
    fn finish(&self, finish: Finish, progress: &Progress) -> Result<()> {
        match finish {
            Finish::Complete => {}
            Finish::Repeating => note(&format!(
                "the test ends undecided: the last {MAX_REPEATS} games were all repeated; give \
                 more --openings and another file of --results, or players that do not always make the \
                 same moves"
            )),
            Finish::Stopped => match &self.results {
                Some(_) => bail!("interrupted: the same command goes on with the event"),
                None => bail!("interrupted"),
            },
            Finish::Failed => bail!("a player failed, and --stop-on-failure ends the event"),
        }
        let failed: Vec<&str> = progress.failed().iter().map(Name::as_str).collect();
        if !failed.is_empty() {
            bail!("failed in a game: {}", failed.join(", "));
        }
        if self.exit_status {
            match progress.test().map(|test| test.decision) {
                Some(Decision::H1) => {}
                Some(Decision::H0) => process::exit(H0_EXIT),
                Some(Decision::Continue) | None => process::exit(UNDECIDED_EXIT),
            }
        }
        Ok(())
    }
}

/// Says of an error that tells what this machine lacks what helps, and that nothing is lost.
fn blamed(error: anyhow::Error, has_results: bool) -> anyhow::Error {
    let Some(resource) = lacking(&error) else {
        return error;
    };
    let mut text = format!("{error:#}");
    if !text.contains(resource.remedy()) {
        text = format!("{text}: {}", resource.remedy());
    }
    let next = match has_results {
        true => "no player has lost by it, and the same command goes on with the event",
        false => "no player has lost by it; with --results FILE the same command would go on",
    };
    OutOfResources(format!("{text}; {next}")).into()
}

/// Returns what this machine lacks, if that is why the event has ended.
fn lacking(error: &anyhow::Error) -> Option<Resource> {
    let of_results = |error: &ResultsError| match error {
        ResultsError::File {
            error: LineFileError::Io(error),
            ..
        } => Resource::exhausted(error),
        _ => None,
    };
    let of_cause =
        |cause: &(dyn std::error::Error + 'static)| Resource::exhausted(cause.downcast_ref()?);
    match error.downcast_ref() {
        Some(RunError::Exhausted(why)) => return Some(why.resource),
        Some(RunError::Results(error)) => return of_results(error),
        Some(RunError::Watcher(error)) => {
            let causes = std::iter::successors(
                Some(&**error as &(dyn std::error::Error + 'static)),
                |cause| cause.source(),
            );
            return causes.into_iter().find_map(of_cause);
        }
        Some(_) => return None,
        None => {}
    }
    match error.downcast_ref() {
        Some(error) => of_results(error),
        None => error.chain().find_map(of_cause),
    }
}

/// Adds to the error of an engine that cannot be started whether the built-in player may be meant.
fn with_hint(error: RunError, settings: &EventSettings) -> anyhow::Error {
    let RunError::Player { name, .. } = &error else {
        return error.into();
    };
    let words = match settings.player(name).map(|player| &player.kind) {
        Some(PlayerKind::Engine(words)) => words.as_slice(),
        _ => &[],
    };
    let is_meant = |word: &str| {
        let before_options = word.split(':').next();
        before_options.is_some_and(|word| nearest(word, &["builtin"]).is_some())
    };
    match words {
        [word] if is_meant(word) => {
            anyhow!("{error}; did you mean builtin?")
        }
        _ => error.into(),
    }
}

/// Returns what makes a built-in player; `None` if the game has none.
type BuiltInMaker<G> = fn(&BuiltInSettings) -> Option<Box<AgentMaker<G>>>;

fn gothello_agent(settings: &BuiltInSettings) -> Option<Box<AgentMaker<gothello::Game>>> {
    let level = settings.level.as_ref().and_then(|level| level.parse().ok());
    let level: Level = level.unwrap_or_default();
    let (limits, random_best) = (settings.limits(), settings.random_best);
    let prover = for_each_game(limits, || {
        Arc::new(Prover::default().memory_mib(BUILT_IN_MIB))
    });
    Some(Box::new(move |seed| {
        let strong: Box<dyn Player> = Box::new(PerfectPlayer::new(prover()));
        let seed = Some(seed);
        let random = RandomArguments { seed, random_best };
        let player: Box<dyn Player> = Box::new(random.player(strong, level));
        Box::new(BuiltIn::new(player, limits))
    }))
}

fn awari_agent(settings: &BuiltInSettings) -> Option<Box<AgentMaker<awari::Game>>> {
    let limits = settings.limits();
    let search = for_each_game(limits, || Arc::new(Mutex::new(AwariSearch::new(None))));
    Some(Box::new(move |_| {
        let player: Box<dyn AwariPlayer> = Box::new(SharedSearch(search()));
        Box::new(BuiltIn::new(player, limits))
    }))
}

/// Returns what gives each game of a player its search. It keeps its tables from game to game, unless
/// there is a limit of positions: then what it knows of earlier games, which are others at another
/// concurrency, would change its moves.
fn for_each_game<S: Send + Sync + 'static>(
    limits: MoveLimits,
    new: impl Fn() -> Arc<S> + Send + 'static,
) -> impl Fn() -> Arc<S> + Send {
    let kept = limits.positions.is_none().then(&new);
    move || match &kept {
        Some(kept) => Arc::clone(kept),
        None => new(),
    }
}

/// A player of one game after the other.
struct SharedSearch(Arc<Mutex<AwariSearch>>);

impl AwariPlayer for SharedSearch {
    fn choose(&mut self, game: &awari::Game, limits: &Limits<'_>) -> AwariChoice {
        let mut search = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        search.choose(game, limits)
    }
}

/// The seating of players.
struct Seating {
    hashes: Arc<ProgramHashes>,
    start_limit: Duration,
    hang_limit: Duration,
    has_comments: bool,
    /// Whether the players of a game run on a core of their own.
    is_pinned: bool,
    /// A note for people.
    notices: Sender<String>,
}

impl Seating {
    /// Returns how a player's program is started, but for its words.
    fn launch(&self, player: &PlayerSettings, thread: usize) -> Launch {
        Launch {
            folder: player.folder.clone(),
            environment: player.environment.clone(),
            core: self.is_pinned.then_some(thread),
            numbers_commands: !player.without_ids,
            ..Launch::default()
        }
    }
}

/// Returns the files of a player's program; `None` for the built-in player.
fn files(player: &PlayerSettings, hashes: &Arc<ProgramHashes>) -> Option<ProgramFiles> {
    match &player.kind {
        PlayerKind::BuiltIn(_) => None,
        PlayerKind::Engine(words) | PlayerKind::Client(words) => Some(ProgramFiles::new(
            words,
            player.folder.as_deref(),
            &player.environment,
            Arc::clone(hashes),
        )),
    }
}

/// Seats a client of the network referee.
type ClientMaker<G> = fn(&[String], &PlayerSettings, usize, &Seating) -> Box<dyn Seat<G>>;

fn client_seat<G: MatchGame + NetrefGame>(
    command: &[String],
    player: &PlayerSettings,
    thread: usize,
    seating: &Seating,
) -> Box<dyn Seat<G>> {
    let settings = ClientSettings {
        files: files(player, &seating.hashes),
        start_limit: seating.start_limit,
        hang_limit: seating.hang_limit,
    };
    let (launch, name) = (seating.launch(player, thread), player.name.to_string());
    Box::new(ClientSeat::new(command.to_vec(), launch, name, settings))
}

/// Seats a player.
fn make_seat<G: MatchGame>(
    player: &PlayerSettings,
    thread: usize,
    seating: &Seating,
    built_in: BuiltInMaker<G>,
    client: Option<ClientMaker<G>>,
) -> Result<Box<dyn Seat<G>>, SeatingError> {
    match &player.kind {
        PlayerKind::BuiltIn(settings) => match built_in(settings) {
            Some(make) => Ok(Box::new(AgentSeat::new(make))),
            None => Err(SeatingError(
                "there is no built-in player of this game".into(),
            )),
        },
        PlayerKind::Engine(words) => {
            let words = words.iter();
            let words = words.map(|word| word.replace("{name}", player.name.as_str()));
            let launch = seating.launch(player, thread).with_words(words);
            let (name, notices) = (player.name.clone(), seating.notices.clone());
            let settings = EngineSettings {
                init: player.init.clone(),
                restart: player.restart,
                start_limit: seating.start_limit,
                hang_limit: seating.hang_limit,
                has_comments: seating.has_comments,
                files: files(player, &seating.hashes),
                notify: Some(Box::new(move |text| {
                    // The event may just be ending.
                    let _ = notices.send(format!("{name}: {text}"));
                })),
            };
            Ok(Box::new(EngineSeat::new(launch, settings)))
        }
        PlayerKind::Client(words) => match client {
            Some(make) => Ok(make(words, player, thread, seating)),
            None => Err(SeatingError(
                "the network referee does not have this game".into(),
            )),
        },
    }
}
