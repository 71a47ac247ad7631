//! A game in a terminal, without a page.

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Write, stdin};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;

use super::{Computer, GameFile, Side};
use crate::base::color::Color;
use crate::base::journal::write_whole;
use crate::cli::files::is_stdin;
use crate::cli::output::{Output, stop_when_unread};
use crate::cli::search::interrupt_flag;
use crate::cli::values::nearest;
use crate::clients::agent::{AgentGame as _, LineReader, NotAMove};
use crate::games::game::{Game as _, Outcome, Undo as _};

/// The commands besides moves.
const HELP: &str = "\
hint             the best moves
values           what each move is worth
undo             take back the last move, and the computer's answer
level LEVEL      how strong the computer is: 1 to 9, or perfect
side SIDE        what you play: black, white, both or none
new              start a new game
resign           give up the game
save FILE        write the game to a file; a game that is not saved is lost when the program ends
load FILE        read a game from a file
board            show the board again
quit             end the program, as Ctrl-C does; while the computer thinks, Ctrl-C stops that
A command may be abbreviated while no other begins in the same way: q for quit, le 5 for level 5.";

/// The words that are typed, besides points and pits.
const WORDS: [&str; 14] = [
    "help", "pass", "hint", "values", "undo", "level", "side", "new", "resign", "save", "load",
    "board", "quit", "exit",
];

/// Those after which nothing follows.
const ALONE: [&str; 9] = [
    "help", "hint", "values", "undo", "new", "resign", "board", "quit", "exit",
];

/// A game between a person and the computer.
pub struct TerminalGame<C: Computer> {
    pub computer: C,
    pub game: C::Game,
    pub side: Side,
    /// The player who has resigned.
    resigned: Option<Color>,
    /// The file that the game was last saved to or loaded from.
    file: Option<GameFile>,
    is_colored: bool,
    is_interactive: bool,
    out: Output,
}

/// Whether the game goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Continue,
    Quit,
}

impl<C: Computer> TerminalGame<C> {
    /// Creates a table with a new game.
    pub fn new(computer: C, game: C::Game, side: Side) -> TerminalGame<C> {
        let variable = |name| env::var_os(name).unwrap_or_default();
        let may_color = variable("NO_COLOR").is_empty() && variable("TERM") != "dumb";
        let out = Output::lock();
        TerminalGame {
            computer,
            game,
            side,
            resigned: None,
            file: None,
            is_colored: Output::is_terminal() && may_color,
            is_interactive: stdin().is_terminal(),
            out,
        }
    }

    /// Plays until the person quits, or the input ends.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn play(mut self, file: Option<&GameFile>) -> Result<()> {
        if let Some(file) = file {
            file.explained(self.open(file))?;
        }
        let stop = interrupt_flag()?;
        stop_when_unread(&stop)?;
        let lines = LineReader::new(stdin());
        writeln!(self.out, "{}\n{}", C::RULES, self.who_plays())?;
        writeln!(self.out, "Type a move or help.")?;
        self.show()?;
        while !self.out.is_closed() {
            if !self.is_over() && !self.side.has(self.game.to_move()) {
                self.computer_moves(&stop)?;
                continue;
            }
            write!(self.out, "{}> ", self.prompt())?;
            self.out.flush()?;
            let Ok(line) = lines.next_line(&stop) else {
                writeln!(self.out)?;
                return Ok(());
            };
            if !self.is_interactive {
                // What a terminal shows as it is typed.
                writeln!(self.out, "{}", line.trim())?;
            }
            match self.obey(line.trim(), &stop) {
                Ok(Then::Continue) => {}
                Ok(Then::Quit) => return Ok(()),
                Err(error) if error.is::<io::Error>() => return Err(error),
                Err(error) => writeln!(self.out, "{error:#}")?,
            }
            // The search that it stopped has ended.
            stop.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Says who plays which side.
    fn who_plays(&self) -> String {
        let [black, white] = Color::ALL.map(C::Game::mark);
        match self.side {
            Side::Black => format!("You play {black}, and the computer {white}."),
            Side::White => format!("You play {white}, and the computer {black}."),
            Side::Both => format!("You play both sides, {black} and {white}."),
            Side::None => format!("The computer plays both sides, {black} and {white}."),
        }
    }

    fn is_over(&self) -> bool {
        self.resigned.is_some() || self.game.is_over()
    }

    fn prompt(&self) -> String {
        match self.is_over() {
            true => "new, undo or quit".into(),
            false => C::Game::mark(self.game.to_move()),
        }
    }

    /// Lets the computer move.
    fn computer_moves(&mut self, stop: &AtomicBool) -> Result<()> {
        let color = self.game.to_move();
        let mv = self.computer.choose(&self.game, stop);
        self.game.play(color, mv)?;
        self.show_move()?;
        if stop.swap(false, Ordering::Relaxed) && self.side == Side::None {
            self.side = Side::Both;
            writeln!(self.out, "You play both sides now.")?;
        }
        Ok(())
    }

    /// Does what a line says.
    fn obey(&mut self, line: &str, stop: &AtomicBool) -> Result<Then> {
        let (word, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let argument = argument.trim();
        let command = self.unabbreviated(word);
        if !argument.is_empty() && ALONE.contains(&&*command) {
            bail!("{command} stands alone: type {command} without {argument:?}");
        }
        match command.as_str() {
            "" => {}
            "help" | "?" => writeln!(self.out, "{}\n\n{}\n{HELP}", C::RULES, C::Game::MOVE_HELP)?,
            "quit" | "exit" => return Ok(Then::Quit),
            "board" => self.show()?,
            "hint" | "values" if self.is_over() => bail!("the game is over: type new or undo"),
            "hint" => writeln!(self.out, "{}", self.computer.hint(&self.game, stop))?,
            "values" => writeln!(self.out, "{}", self.computer.values(&self.game, stop))?,
            "undo" => self.undo()?,
            "new" => {
                self.game.restart();
                (self.resigned, self.file) = (None, None);
                self.show()?;
            }
            "resign" if self.is_over() => bail!("the game is over: type new or undo"),
            "resign" => {
                self.resigned = Some(self.game.to_move());
                self.show_end()?;
            }
            "level" => {
                let level = argument.to_ascii_lowercase().parse().map_err(|_| {
                    anyhow!("{argument:?} is no level: type level 1 to level 9, or level perfect")
                })?;
                let done = self.computer.set_level(level)?;
                writeln!(self.out, "{done}")?;
            }
            "side" => match Side::from_str(argument, true) {
                Ok(side) => self.side = side,
                Err(_) => bail!("{argument:?} is no side: type side black, white, both or none"),
            },
            "save" | "load" if argument.is_empty() => {
                bail!("the name of a file is missing: type {command} FILE")
            }
            "save" => self
                .save(Path::new(argument))
                .with_context(|| argument.to_owned())?,
            "load" if is_stdin(Path::new(argument)) => {
                bail!("standard input has the moves: load a file")
            }
            "load" => self.load(argument)?,
            _ => self.make_move(line).map_err(|error| {
                match nearest(word, &WORDS).filter(|_| error.is::<NotAMove>()) {
                    Some(meant) => anyhow!("{error}; did you mean {meant}?"),
                    None => error,
                }
            })?,
        }
        Ok(Then::Continue)
    }

    /// Returns the command that a word is or abbreviates, or else the word, in lowercase. A word that
    /// is a move abbreviates nothing.
    fn unabbreviated(&self, word: &str) -> String {
        let typed = word.to_ascii_lowercase();
        let meant: Vec<&str> = WORDS
            .into_iter()
            .filter(|known| known.starts_with(&typed))
            .collect();
        match meant[..] {
            [only] if self.game.parse_typed(word).is_err() => only.to_owned(),
            _ => typed,
        }
    }

    /// Reads a game from a file, and shows it.
    fn load(&mut self, path: &str) -> Result<()> {
        let file = GameFile::read(Path::new(path))
            // Not an error of the terminal.
            .map_err(|error| anyhow!("{error:#}"))?;
        self.open(&file).with_context(|| path.to_owned())?;
        self.show()
    }

    /// Makes the move of the person.
    fn make_move(&mut self, word: &str) -> Result<()> {
        let mv = self.game.parse_typed(word)?;
        if self.is_over() {
            bail!("the game is over: type new or undo");
        }
        if let Err(why) = self.game.check(mv) {
            bail!("{word} is illegal: {why}");
        }
        self.game.play(self.game.to_move(), mv)?;
        self.show_move()
    }

    /// Takes back moves until it is the person's turn.
    fn undo(&mut self) -> Result<()> {
        let has_resigned = self.resigned.take().is_some();
        if !has_resigned {
            let before = self.game.clone();
            let mut undone = false;
            while self.game.undo() {
                undone = self.side.has(self.game.to_move()) || self.side == Side::None;
                if undone {
                    break;
                }
            }
            if !undone {
                self.game = before;
                bail!("there is no move of yours to take back");
            }
            if self.side == Side::None {
                // Else the computer would make the move again.
                self.side = Side::Both;
            }
        }
        self.show()
    }

    fn save(&mut self, path: &Path) -> Result<()> {
        let file = self.file.as_ref().filter(|file| file.path == path);
        if file.is_none() && fs::exists(path).unwrap_or(true) {
            bail!("it exists: save the game under another name");
        }
        let bytes = self.computer.write(&self.game, file)?;
        // Not an error of the terminal.
        write_whole(path, &bytes).map_err(|error| anyhow!("{error}"))?;
        self.file = GameFile::read(path).ok();
        writeln!(self.out, "saved to {}", path.display())?;
        Ok(())
    }

    fn open(&mut self, file: &GameFile) -> Result<()> {
        self.game = self.computer.read(file)?;
        (self.resigned, self.file) = (None, Some(file.clone()));
        Ok(())
    }

    /// Tells the last move, and shows the board.
    fn show_move(&mut self) -> Result<()> {
        if let Some((color, mv)) = self.game.moves().last() {
            let player = C::Game::mark(color);
            match Some(mv) == C::Game::PASS {
                true => write!(self.out, "{player} passes")?,
                false => write!(self.out, "{player} plays {mv}")?,
            }
            match self.computer.consequence(&self.game) {
                Some(text) => writeln!(self.out, " and {text}")?,
                None => writeln!(self.out)?,
            }
        }
        self.show()
    }

    /// Shows the board, and the end if the game is over.
    fn show(&mut self) -> Result<()> {
        for line in self.game.diagram().lines() {
            match self.is_colored {
                true => writeln!(self.out, "{}", self.painted(line))?,
                false => writeln!(self.out, "{line}")?,
            }
        }
        self.show_end()
    }

    fn show_end(&mut self) -> Result<()> {
        let players = C::Game::PLAYERS;
        if let Some(color) = self.resigned {
            let (loser, winner) = (players[color], players[color.opponent()]);
            writeln!(self.out, "{loser} resigns: {winner} wins.")?;
        } else if let Some(outcome) = self.game.outcome() {
            let scores = self.game.scores();
            let scores = format!("{} to {}", scores.black, scores.white);
            match outcome {
                Outcome::Drawn => writeln!(self.out, "The game is a draw, {scores}.")?,
                Outcome::Won { winner, margin } => {
                    writeln!(self.out, "{} wins by {margin}, {scores}.", players[winner])?;
                }
            }
        }
        Ok(())
    }

    /// Returns a line of the board with the players' colors, which people who see few
    /// colors can tell apart: blue and orange.
    fn painted(&self, line: &str) -> String {
        let paint = |letter| match self.computer.color_of(line, letter) {
            Some(Color::Black) => format!("\x1b[1;38;5;33m{letter}\x1b[0m"),
            Some(Color::White) => format!("\x1b[1;38;5;208m{letter}\x1b[0m"),
            None => letter.to_string(),
        };
        line.chars().map(paint).collect()
    }
}
