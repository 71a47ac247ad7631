//! `gothello play`.

mod page;
mod terminal;

use std::fmt::Display;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use itertools::Itertools;

use super::game_options::{ChosenGame, GameArguments, RandomArguments, prover, refuse};
use super::page_options::PageArguments;
use super::search::{mebibytes, thread_count, threads_or_all_cores};
use super::tablebase_options::TablebaseArguments;
use super::values::{given, number};
use super::{Run, bail_usage};
use crate::base::color::Color;
use crate::base::counted::counted;
use crate::cli::files::{FileError, is_stdin, read_file_or_stdin};
use crate::clients::netplay::ClientGame;
use crate::games::awari;
use crate::games::game::Undo;
use crate::games::gothello;
use crate::games::sgf::{self, GameTree, LeftOut, Place};
use crate::pages::play::OpenedFile;
use crate::pages::web::Origin;
use crate::player::{
    AnalysisControl, Analyzer, AwariSearch, DEFAULT_MOVE_TIME, Level, LeveledPlayer, Limits,
    PerfectPlayer, Player, Prover,
};
use crate::solving::solver::MoveBounds;
use page::{Page, Players, show_awari, show_gothello};
use terminal::TerminalGame;

/// Play, explore and review games on a page in the browser
///
/// The address of the page is printed, and opened in the browser if there is one. Play
/// against the engine at levels 1 to 9 or the perfect player, or two people at one screen;
/// look up the exact value of every move; set up positions; go through a game with what
/// each move cost. Ctrl-C ends the program.
///
/// Awari is played on the same page (--game awari), without values and reviews.
///
/// Only this machine can open the page, unless --host says otherwise.
///
/// With --terminal there is no page: the board is drawn in the terminal, moves are typed,
/// and `help` lists the commands, such as hint, values, undo, level, save, and quit. Ctrl-C
/// while the computer thinks lets it move at once; at the prompt it ends the program.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello play                          the page, in the browser\n  \
    gothello play --level 5 --side white   against level 5, which begins\n  \
    gothello play game.sgf                 a game to review\n  \
    gothello play --game awari             Awari, in the browser\n  \
    gothello play --terminal --level 5     a game in the terminal\n  \
    gothello play --host 0.0.0.0 --port 8080 --no-browser\n                                         \
    for a classroom")]
pub struct Arguments {
    /// Game to review, or with --side, --level or --terminal to go on with: an SGF file, or of Awari,
    /// which has no reviews, a record or the moves; `-` is standard input, for the page
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Side that you play: black, white, both or none [default: black]
    #[arg(long, value_name = "SIDE", hide_possible_values = true)]
    side: Option<Side>,
    /// Playing level: 1, the weakest, to 9, or perfect [default: 1]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,
    #[command(flatten)]
    random: RandomArguments,
    /// Play in the terminal, without a page
    #[arg(long, conflicts_with_all = ["no_browser", "host", "port", "allowed_hosts", "trusted_proxies", "embedders", "searches"])]
    terminal: bool,
    /// Print the address of the page, and open no browser
    #[arg(long)]
    no_browser: bool,
    /// Address to listen at; 0.0.0.0 is every address of this machine
    #[arg(long, default_value = "127.0.0.1", help_heading = "Network")]
    host: String,
    /// Port to listen at; 0 picks a free one
    #[arg(long, default_value_t = 0, value_parser = number(0..=u16::MAX), help_heading = "Network")]
    port: u16,
    #[command(flatten, next_help_heading = "Network")]
    hosts: PageArguments,
    /// Let pages of another origin (scheme, host, and port) show a board of this page in a frame, as those
    /// of its own origin may; repeat it for several
    #[arg(long = "embed-in", value_name = "ORIGIN", help_heading = "Network")]
    embedders: Vec<Origin>,
    /// Maximum number of visitors' searches at the same time; others wait for their turn
    /// [default: one for each core]
    #[arg(long, value_name = "N", value_parser = thread_count, help_heading = "Search")]
    searches: Option<NonZeroUsize>,
    /// Search threads that all searches share [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count, help_heading = "Search")]
    threads: Option<NonZeroUsize>,
    /// Memory for proofs in MiB, allocated when the first proof begins [default: 256]
    #[arg(long, value_name = "MiB", value_parser = mebibytes, help_heading = "Search")]
    hash: Option<NonZeroUsize>,
    #[command(flatten, next_help_heading = "Search")]
    tablebase: TablebaseArguments,
    #[command(flatten, next_help_heading = None::<&str>)]
    game: GameArguments,
}

/// The sides that the person plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Side {
    /// Black, or South in Awari
    #[default]
    Black,
    /// White, or North in Awari
    White,
    /// Both: two people, or one who tries something
    Both,
    /// None: the computer plays against itself
    None,
}

impl Side {
    fn has(self, color: Color) -> bool {
        match self {
            Side::Black => color == Color::Black,
            Side::White => color == Color::White,
            Side::Both => true,
            Side::None => false,
        }
    }
}

impl Arguments {
    /// Refuses options that do nothing for Awari. On the page there is Gothello, too.
    ///
    /// # Errors
    /// Wrong usage if there are such options.
    fn check_awari(&self) -> Result<()> {
        let level = given([("level", self.level.is_some())]);
        let player = level.chain(self.random.given());
        let search = given([
            ("threads", self.threads.is_some()),
            ("hash", self.hash.is_some()),
        ]);
        let search = search.chain(self.tablebase.given());
        refuse(player.chain(search.filter(|_| self.terminal)), "gothello")
    }

    /// Plays in the terminal.
    ///
    /// # Errors
    /// The options do not fit together, or the file is no game.
    fn play_in_terminal(&self, game: ChosenGame, file: Option<&GameFile>) -> Result<()> {
        let side = self.side.unwrap_or_default();
        match game {
            ChosenGame::Gothello => {
                let level = self.level.unwrap_or(DEFAULT_LEVEL.parse()?);
                let prover = prover(self.threads, self.hash, &self.tablebase)?;
                let computer = GothelloComputer::new(prover, level, self.random);
                TerminalGame::new(computer, gothello::Game::new(), side).play(file)
            }
            ChosenGame::Awari(variant) => {
                let computer = AwariComputer::new(variant);
                TerminalGame::new(computer, variant.into(), side).play(file)
            }
        }
    }
}

/// The level that the computer plays at in the terminal.
const DEFAULT_LEVEL: &str = "1";

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let game = self.game.choose()?;
        let path = self.file.as_deref();
        if self.terminal && path.is_some_and(is_stdin) {
            bail_usage!("with --terminal, moves are read from standard input: name a file");
        }
        let file = path.map(GameFile::read).transpose()?;
        let game = match file.as_ref().is_some_and(GameFile::is_awari) {
            true => game.or_awari(),
            false => game,
        };
        if let ChosenGame::Awari(_) = game {
            self.check_awari()?;
        }
        if self.terminal {
            return self.play_in_terminal(game, file.as_ref());
        }
        let players = Players::new(self.side, self.level);
        let shown = match game {
            ChosenGame::Gothello => show_gothello(file, players)?,
            ChosenGame::Awari(variant) => show_awari(variant, file, players)?,
        };
        let page = Page {
            prover: prover(self.threads, self.hash, &self.tablebase)?,
            searches: threads_or_all_cores(self.searches),
            threads: threads_or_all_cores(self.threads),
            random: self.random,
            opens_browser: !self.no_browser,
            hosts: self.hosts,
            embedders: self.embedders,
        };
        page.serve(&self.host, self.port, shown)
    }
}

/// A file with a game.
#[derive(Clone)]
struct GameFile {
    path: PathBuf,
    bytes: Vec<u8>,
    /// All of its text.
    opened: OpenedFile,
    /// The text of the first game, and where it begins.
    text: String,
    begins: Place,
    /// The number of games in the file.
    games: usize,
}

impl GameFile {
    /// Reads a file, or for the path `-` standard input.
    ///
    /// # Errors
    /// It cannot be read or is too long.
    fn read(path: &Path) -> Result<GameFile> {
        let name = name(path);
        let bytes = match read_file_or_stdin(path, sgf::MAX_FILE_BYTES as u64) {
            Ok(bytes) => bytes,
            Err(FileError::Io(error)) => {
                return Err(error).with_context(|| format!("{name} cannot be read"));
            }
            Err(FileError::TooLarge(most)) => bail!("{name} has more than {most} bytes"),
        };
        let opened = OpenedFile::decode(&bytes, 0);
        let mut all = sgf::games(&opened.text);
        let first = all.next().context("there is no game")?;
        if first.text.len() > sgf::MAX_BYTES {
            bail!(
                "{name} is longer than {} bytes, the most of a game",
                sgf::MAX_BYTES
            );
        }
        Ok(GameFile {
            path: path.to_owned(),
            text: first.text.to_owned(),
            begins: first.begins,
            games: 1 + all.count(),
            opened,
            bytes,
        })
    }

    /// Warns of what is left out.
    fn warn(&self, left_out: impl IntoIterator<Item = LeftOut>) {
        for left_out in left_out {
            self.say(left_out.in_file(self.begins));
        }
    }

    /// Says something about it on standard error.
    fn say(&self, what: impl Display) {
        // A warning that cannot be written changes nothing.
        let _ = writeln!(io::stderr(), "warning: {}: {what}", self.name());
    }

    /// Returns whether it has a game of Awari.
    fn is_awari(&self) -> bool {
        awari::is_record(&self.text)
    }

    /// Says that what was read is no game.
    fn explained<T, E>(&self, read: Result<T, E>) -> Result<T>
    where
        Result<T, E>: Context<T, E>,
    {
        read.with_context(|| format!("{} is no game", self.name()))
    }

    /// Returns what messages call it.
    fn name(&self) -> impl Display {
        name(&self.path)
    }
}

fn name(path: &Path) -> String {
    match is_stdin(path) {
        true => "standard input".into(),
        false => path.display().to_string(),
    }
}

/// The time for the estimate of a move of Awari.
const ESTIMATE_TIME: Duration = Duration::from_millis(300);

/// What a game at a terminal asks of the computer. A search ends soon after `stop` is set,
/// and answers what it has found by then.
trait Computer {
    type Game: ClientGame + Undo;

    /// The rules in short.
    const RULES: &'static str;

    /// Returns a legal move in a game that is not over.
    fn choose(
        &mut self,
        game: &Self::Game,
        stop: &AtomicBool,
    ) -> <Self::Game as crate::games::game::Game>::Move;

    /// Says which move is best.
    fn hint(&mut self, game: &Self::Game, stop: &AtomicBool) -> String;

    /// Says what each move is worth, in lines.
    fn values(&mut self, game: &Self::Game, stop: &AtomicBool) -> String;

    /// Sets the level, or says why it cannot be set.
    fn set_level(&mut self, level: Level) -> Result<String>;

    /// Says what the last move did besides what the board shows.
    fn consequence(&self, game: &Self::Game) -> Option<String>;

    /// Returns the game as a file, in place of the one in a file of which all else is kept.
    fn write(&self, game: &Self::Game, file: Option<&GameFile>) -> Result<Vec<u8>>;

    /// Reads a game from a file, and warns of what is left out.
    fn read(&self, file: &GameFile) -> Result<Self::Game>;

    /// Returns whose color a letter, or else a whole line, of the board is drawn in.
    fn color_of(&self, line: &str, letter: char) -> Option<Color>;
}

/// The engine for Gothello.
struct GothelloComputer {
    player: LeveledPlayer,
    prover: Arc<Prover>,
}

impl GothelloComputer {
    /// Creates an engine that asks this prover.
    fn new(prover: Prover, level: Level, random: RandomArguments) -> GothelloComputer {
        let prover = Arc::new(prover);
        let perfect = PerfectPlayer::new(Arc::clone(&prover));
        GothelloComputer {
            player: random.player(Box::new(perfect), level),
            prover,
        }
    }
}

impl Computer for GothelloComputer {
    type Game = gothello::Game;

    const RULES: &'static str = "\
A liberty is an empty point next to a group of connected stones. Groups of the other color that your
stone leaves without a liberty change color; its own group must have one before that. Two passes in a
row end the game, and the player with more stones wins.";

    fn choose(&mut self, game: &gothello::Game, stop: &AtomicBool) -> gothello::Move {
        let limits = Limits::within(DEFAULT_MOVE_TIME).stopped_by(stop);
        let position = game.position();
        position.map_or(gothello::Move::Pass, |position| {
            self.player.choose(position, &limits).mv
        })
    }

    fn hint(&mut self, game: &gothello::Game, stop: &AtomicBool) -> String {
        let Some(position) = game.position() else {
            return "the game is over".into();
        };
        let control = AnalysisControl::until(stop);
        let best = self.prover.best_moves(position, &control);
        let range = best.value.seen_by(position.to_move());
        match best.moves.is_empty() {
            true => format!("no move is proven to be best; the result is {range}"),
            false => format!("{}: {range}", best.moves.iter().join(" ")),
        }
    }

    fn values(&mut self, game: &gothello::Game, stop: &AtomicBool) -> String {
        let Some(position) = game.position() else {
            return "the game is over".into();
        };
        let control = AnalysisControl::until(stop);
        let mut moves = self.prover.moves(position, &control);
        // The best first, and equal ones together.
        let order = |of_move: &MoveBounds| (-of_move.bounds.low, -of_move.bounds.high);
        moves.sort_by_key(order);
        let groups = moves.iter().chunk_by(|of_move| of_move.bounds);
        let lines = groups.into_iter().map(|(bounds, moves)| {
            let range = bounds.seen_by(position.to_move()).to_string();
            format!("{range:>4}: {}", moves.map(|of_move| of_move.mv).join(" "))
        });
        lines.collect_vec().join("\n")
    }

    fn set_level(&mut self, level: Level) -> Result<String> {
        let skill = self.player.skill().context("the engine has no levels")?;
        skill.level = level;
        Ok(format!("the computer plays at level {level}"))
    }

    fn consequence(&self, game: &gothello::Game) -> Option<String> {
        let captured = game.last_captured().len();
        (captured > 0).then(|| format!("captures {}", counted(captured, "stone")))
    }

    fn write(&self, game: &gothello::Game, file: Option<&GameFile>) -> Result<Vec<u8>> {
        let Some(file) = file else {
            return Ok((sgf::write(game) + "\n").into_bytes());
        };
        let (mut tree, _) = GameTree::read_main_line(&file.text)?;
        let mut headers = tree.headers();
        let before = tree.game(usize::MAX);
        tree.set_main_line(game)?;
        if tree.game(usize::MAX) != before {
            // It is the result of another game.
            headers.result = None;
        }
        let written = file.opened.with_game(&tree.write(&headers));
        written.map_err(|why| anyhow!("{why}"))
    }

    fn read(&self, file: &GameFile) -> Result<gothello::Game> {
        if file.is_awari() {
            bail!("it is a game of Awari");
        }
        let (tree, left_out) = GameTree::read_main_line(&file.text)?;
        file.warn(left_out);
        Ok(tree.game(usize::MAX))
    }

    fn color_of(&self, _: &str, letter: char) -> Option<Color> {
        Color::ALL.into_iter().find(|color| color.mark() == letter)
    }
}

/// The engine for Awari.
struct AwariComputer {
    player: AwariSearch,
    variant: awari::Variant,
}

impl AwariComputer {
    /// Creates an engine for these rules.
    fn new(variant: awari::Variant) -> AwariComputer {
        AwariComputer {
            player: AwariSearch::new(None),
            variant,
        }
    }

    /// Says how far ahead `color` will be at the end.
    fn lead(color: Color, lead: i32, proven: bool) -> String {
        let ahead = if lead < 0 { color.opponent() } else { color };
        let ahead = awari::Player::from(ahead);
        match (lead, proven) {
            (0, true) => "a draw".into(),
            (0, false) => "even, it seems".into(),
            (_, true) => format!("{ahead} wins"),
            (lead, false) => {
                let stones = counted(lead.unsigned_abs(), "stone");
                format!("{ahead} will be {stones} ahead, it seems")
            }
        }
    }
}

impl Computer for AwariComputer {
    type Game = awari::Game;

    const RULES: &'static str = "\
Sow all stones of one of your pits, counterclockwise. If the last one makes two or three in a pit of
the other player, you capture these, and those in the pits before it that also hold two or three. 25
captured stones win.";

    fn choose(&mut self, game: &awari::Game, stop: &AtomicBool) -> awari::Pit {
        let limits = Limits::within(DEFAULT_MOVE_TIME).stopped_by(stop);
        self.player.choose(game, &limits).pit
    }

    fn hint(&mut self, game: &awari::Game, stop: &AtomicBool) -> String {
        let limits = Limits::within(DEFAULT_MOVE_TIME).stopped_by(stop);
        let choice = self.player.choose(game, &limits);
        let color = Color::from(game.to_move());
        let lead = AwariComputer::lead(color, choice.lead, choice.proven);
        format!("{}: {lead}", choice.pit)
    }

    fn values(&mut self, game: &awari::Game, stop: &AtomicBool) -> String {
        let color = Color::from(game.to_move());
        let limits = Limits::within(ESTIMATE_TIME).stopped_by(stop);
        let lines = game.legal_moves().filter_map(|pit| {
            let mut after = game.clone();
            crate::games::game::Game::play(&mut after, color, pit).ok()?;
            let lead = match crate::games::game::Game::outcome(&after) {
                Some(outcome) => AwariComputer::lead(color, outcome.lead_of(color).into(), true),
                None => {
                    let choice = self.player.choose(&after, &limits);
                    AwariComputer::lead(color, -choice.lead, choice.proven)
                }
            };
            Some(format!("{pit}: {lead}"))
        });
        lines.collect_vec().join("\n")
    }

    fn set_level(&mut self, _: Level) -> Result<String> {
        bail!("the engine for Awari has no levels")
    }

    fn consequence(&self, _: &awari::Game) -> Option<String> {
        None
    }

    /// The moves from the start, on a line.
    fn write(&self, game: &awari::Game, _: Option<&GameFile>) -> Result<Vec<u8>> {
        let moves = crate::games::game::Game::moves(game);
        let line = moves.map(|(_, pit)| pit).join(" ") + "\n";
        Ok(line.into_bytes())
    }

    fn read(&self, file: &GameFile) -> Result<awari::Game> {
        Ok(awari::read(&file.text, self.variant)?)
    }

    fn color_of(&self, line: &str, _: char) -> Option<Color> {
        let is_of = |color: &Color| line.starts_with(&awari::Player::from(*color).to_string());
        Color::ALL.into_iter().find(is_of)
    }
}
