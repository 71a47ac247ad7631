//! `gothello match` without a subcommand: plays an event.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::net::Ipv4Addr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};
use clap::Args;

use super::options::{EventOptions, Game, read_event};
use super::page::MatchPage;
use super::records::{Records, RecordsArguments};
use super::show::Show;
use crate::agent::{AgentGame, BuiltIn, note};
use crate::awari;
use crate::cli::listen::listen;
use crate::cli::search::{interrupt_flag, thread_count};
use crate::cli::values::number;
use crate::cli::wrong_usage;
use crate::go::{self, Mercy, Position, Rules, Size};
use crate::gothello;
use crate::gtp_engine::Launch;
use crate::matches::{
    AgentMaker, AgentSeat, BuiltInSettings, ClientSeat, ClientSettings, EngineSeat, Finish, Format,
    LiveGames, MatchGame, PlayerKind, PlayerSettings, Progress, Results, ResultsFile, Runner, Seat,
    Shard,
};
use crate::netref::NetrefGame;
use crate::player::{
    AwariPlayer, AwariSearch, Level, LeveledPlayer, PerfectPlayer, Player, Prover, Skill,
};
use crate::statistics::Decision;

/// The table of a built-in player's proofs, in MiB.
const BUILT_IN_MIB: usize = 64;

/// The number of players that the title of the page names.
const TITLE_PLAYERS: usize = 4;

/// The number of bytes at the beginning of a results file in which the end of a line is looked for.
const MAX_HEADER: u64 = 256 << 20;

/// The exit code of `--exit-status` if the test has decided for H0.
const H0_EXIT: i32 = 3;

/// The exit code if the test has not decided.
const UNDECIDED_EXIT: i32 = 4;

/// What is run, and what comes out.
#[derive(Debug, Args)]
pub(super) struct EventArguments {
    /// Player: a GTP engine, as NAME=COMMAND or COMMAND; builtin, or builtin:level=3,move-time=0.1;
    /// or a client of the network referee, as in "NAME=java MyClient {side} {host} {server} 3",
    /// where {port} may stand for {server}. Repeat it for each player
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
    /// Print the final table alone
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
    /// Show the event on a page at this port, for spectators on this machine
    #[arg(long, value_name = "PORT", value_parser = number(1..=u16::MAX))]
    http: Option<u16>,
    #[command(flatten)]
    options: EventOptions,
}

impl EventArguments {
    pub(super) fn run(mut self) -> Result<()> {
        if let Some(path) = &self.event {
            let (options, players) = read_event(path)?;
            self.options = self.options.or(options);
            self.players.splice(0..0, players);
        }
        if self.players.is_empty() {
            return Err(wrong_usage(
                "give at least two players, such as --player \"gnugo=gnugo --mode gtp\" --player \
                 builtin",
            ));
        }
        match self.options.game()? {
            Game::Gothello => {
                self.play(gothello::Game::default(), gothello_agent, Some(client_seat))
            }
            Game::Awari(variant) => {
                let start = awari::Game::new(awari::Position::default(), variant);
                self.play(start, awari_agent, Some(client_seat))
            }
            Game::Go {
                size,
                komi,
                superko,
            } => {
                let rules = Rules {
                    superko,
                    komi,
                    mercy: Mercy::OFF,
                    ..Rules::default()
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
        let earlier = match &self.results {
            Some(path) if has_line(path) => Some(Results::read(path)?),
            _ => None,
        };
        let seed = earlier.as_ref().map(|earlier| earlier.header.event.seed);
        let settings = self.options.settings(&start, self.players.clone(), seed)?;
        if self.shard.is_some() && (settings.format == Format::Swiss || settings.sprt.is_some()) {
            return Err(wrong_usage(
                "--shard is for events whose games are known from the start: not for --format \
                 swiss or --sprt",
            ));
        }
        if self.shard.is_some() && !self.options.has_seed() {
            return Err(wrong_usage(
                "--shard needs --seed, the same number for all parts of the event",
            ));
        }
        if self.exit_status && settings.sprt.is_none() {
            return Err(wrong_usage("--exit-status is for --sprt"));
        }
        let opened = match &self.results {
            Some(path) => Some(ResultsFile::open(path, &settings, SystemTime::now())?),
            None => None,
        };
        let (mut file, played) = match opened {
            None => (None, Vec::new()),
            Some(opened) => (Some(opened.file), opened.results.games),
        };
        let records = Records::open(&self.records, &start, &played)?;
        let mut show = Show::new(&settings, self.quiet, self.json, records);
        show.begin(played.len())?;
        let concurrency = match self.concurrency {
            Some(threads) => threads.get(),
            None => num_cpus::get_physical().min(num_cpus::get()),
        };
        let stop = interrupt_flag()?;
        let live = match self.http {
            None => None,
            Some(port) => {
                let remedy = "choose another port with --http";
                let listener = listen(&Ipv4Addr::LOCALHOST.to_string(), port, remedy)?;
                let games = Arc::new(LiveGames::new(concurrency));
                let title = settings.players.iter().map(|player| player.name.as_str());
                let title = title.take(TITLE_PLAYERS).collect::<Vec<_>>().join(" - ");
                let page = MatchPage::start(listener, start.clone(), Arc::clone(&games), title)?;
                show.on_page(page, G::side_titles());
                note(&format!("watch at http://{}:{port}/", Ipv4Addr::LOCALHOST));
                Some(games)
            }
        };
        let maker = {
            let hang_limit = settings.hang_limit();
            let is_pinned = self.affinity;
            move |player: &PlayerSettings, thread: usize| {
                let core = is_pinned.then_some(thread);
                make_seat::<G>(player, hang_limit, core, built_in, client)
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
        let (finish, progress) = runner.run(played, file.as_mut(), &mut show)?;
        show.end(&progress)?;
        self.finish(finish, &progress)
    }

    /// Turns the end of the event into an exit code.
    fn finish(&self, finish: Finish, progress: &Progress) -> Result<()> {
        match finish {
            Finish::Complete => {}
            Finish::Stopped => match &self.results {
                Some(_) => bail!("interrupted: the same command goes on with the event"),
                None => bail!("interrupted"),
            },
            Finish::Failed => bail!("a player failed, and --stop-on-failure ends the event"),
        }
        let failed = progress.games().iter().filter_map(|game| {
            let color = game.failed()?;
            Some(game.fixture.players[color].to_string())
        });
        let failed: BTreeSet<String> = failed.collect();
        if !failed.is_empty() {
            let failed: Vec<String> = failed.into_iter().collect();
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

/// Returns whether a file exists and has a whole line: the first one may be torn.
fn has_line(path: &Path) -> bool {
    let first = File::open(path).and_then(|file| {
        let mut line = Vec::new();
        let length = BufReader::new(file.take(MAX_HEADER)).read_until(b'\n', &mut line)?;
        Ok(line.ends_with(b"\n") || length as u64 == MAX_HEADER)
    });
    first.unwrap_or(false)
}

/// Returns what makes a built-in player; `None` if the game has none.
type BuiltInMaker<G> = fn(&BuiltInSettings) -> Option<Box<AgentMaker<G>>>;

fn gothello_agent(settings: &BuiltInSettings) -> Option<Box<AgentMaker<gothello::Game>>> {
    // It keeps its table from game to game.
    let prover = Arc::new(Prover::new().memory_mib(BUILT_IN_MIB));
    let level = settings.level.as_ref().and_then(|level| level.parse().ok());
    let level: Level = level.unwrap_or_default();
    let move_time = move_time(settings);
    Some(Box::new(move |seed| {
        let strong: Box<dyn Player> = Box::new(PerfectPlayer::new(Arc::clone(&prover)));
        let player: Box<dyn Player> = Box::new(LeveledPlayer::new(strong, Skill::new(level, seed)));
        Box::new(BuiltIn::new(player, move_time))
    }))
}

fn awari_agent(settings: &BuiltInSettings) -> Option<Box<AgentMaker<awari::Game>>> {
    let move_time = move_time(settings);
    Some(Box::new(move |_| {
        let player: Box<dyn AwariPlayer> = Box::new(AwariSearch::new(None));
        Box::new(BuiltIn::new(player, move_time))
    }))
}

fn move_time(settings: &BuiltInSettings) -> Option<Duration> {
    settings.move_time.map(Duration::from_secs_f64)
}

/// Seats a client of the network referee.
type ClientMaker<G> = fn(&[String], &PlayerSettings, Duration, Option<usize>) -> Box<dyn Seat<G>>;

fn client_seat<G: MatchGame + NetrefGame<Move = <G as AgentGame>::Play>>(
    command: &[String],
    player: &PlayerSettings,
    hang_limit: Duration,
    core: Option<usize>,
) -> Box<dyn Seat<G>> {
    let settings = ClientSettings {
        core,
        folder: player.folder.clone(),
        environment: player.environment.clone(),
    };
    let name = player.name.to_string();
    Box::new(ClientSeat::new(
        command.to_vec(),
        name,
        settings,
        hang_limit,
    ))
}

/// Seats a player.
fn make_seat<G: MatchGame>(
    player: &PlayerSettings,
    hang_limit: Duration,
    core: Option<usize>,
    built_in: BuiltInMaker<G>,
    client: Option<ClientMaker<G>>,
) -> Result<Box<dyn Seat<G>>, String> {
    match &player.kind {
        PlayerKind::BuiltIn(settings) => match built_in(settings) {
            Some(make) => Ok(Box::new(AgentSeat::new(make))),
            None => Err("there is no built-in player of this game".into()),
        },
        PlayerKind::Engine(words) => {
            let mut words = words
                .iter()
                .map(|word| word.replace("{name}", player.name.as_str()));
            let program = words.next().unwrap_or_default();
            let launch = Launch::new(program, words.collect::<Vec<_>>())
                .in_folder(player.folder.clone())
                .with_environment(player.environment.iter().cloned())
                .on_core(core)
                .numbering_commands(!player.without_ids);
            let init = player.init.clone();
            let seat = EngineSeat::new(launch, init, player.restart, hang_limit);
            Ok(Box::new(seat))
        }
        PlayerKind::Client(words) => match client {
            Some(make) => Ok(make(words, player, hang_limit, core)),
            None => Err("the network referee does not have this game".into()),
        },
    }
}
