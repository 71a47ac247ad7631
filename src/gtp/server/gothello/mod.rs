//! Gothello over GTP.

mod analyze;
mod commands;

use std::fmt;
use std::sync::Arc;

use super::game::{Extension, GtpGame, SearchContext};
use super::response::Response;
use crate::base::color::{ByColor, Color};
use crate::base::counted::counted;
use crate::base::rng::Rng;
use crate::games::gothello::{
    Game, Move, Outcome, ParseMoveError, PlayError, Point, PointSet, SIZE, Status,
};
use crate::games::sgf::GameTree;
use crate::player::{Analyzer, Choice, Level, Limits, Player, moves_to_go};

pub use analyze::GothelloSearchCommand;

/// The engine of Gothello: a player that chooses moves and an analyzer of positions.
pub struct GothelloEngine {
    player: Box<dyn Player>,
    analyzer: Arc<dyn Analyzer>,
    /// The seeds of the player's choices between best moves, if these are random.
    random_best: Option<Rng>,
    /// The last record that was loaded. While the game is that of the record, it is printed as it was.
    loaded: Option<GameTree>,
}

impl GothelloEngine {
    /// Creates an engine from the player that `genmove` asks for moves, and the analyzer
    /// that the analyze commands ask.
    pub fn new(player: Box<dyn Player>, analyzer: Arc<dyn Analyzer>) -> GothelloEngine {
        GothelloEngine {
            player,
            analyzer,
            random_best: None,
            loaded: None,
        }
    }

    /// Lets the player make random choices between best moves, with the seed that it has.
    #[must_use]
    pub fn with_random_best(mut self) -> GothelloEngine {
        self.random_best = self.player.skill().map(|skill| Rng::new(skill.seed()));
        self
    }
}

impl GtpGame for Game {
    const BOARD_SIZE: u8 = SIZE;
    const EXTENSIONS: &'static [(&'static str, Extension<Game>)] = commands::EXTENSIONS;
    const ANALYZE_COMMANDS: &'static [&'static str] = &[
        "gfx/Value of Every Move/gothello-values",
        "gfx/Best Moves/gothello-best_moves",
        "var/Best Play to the End/gothello-variation",
        "string/Value of the Position/gothello-value",
        "string/Who Wins/gothello-winner",
        "string/Value of Passing/gothello-pass_value",
        "gfx/Safe Stones and Points/gothello-safety",
        "plist/Legal Moves/gogui-rules_legal_moves",
        "gfx/Groups and Liberties/gothello-groups",
        "gfx/Stones That Can Be Captured/gothello-captures",
        "gfx/Suggested Move/gothello-suggested_move",
        "string/How Sure the Last Move Was/gothello-last_choice",
        "string/Score If Both Pass Now/final_score",
        "var/Move at the Playing Level/reg_genmove %m",
        "param/Playing Level and Settings/gothello-param",
    ];

    type ExtensionSearch = GothelloSearchCommand;
    type Engine = GothelloEngine;
    type Choice = Choice;
    type ParseVertexError = ParseMoveError;

    fn parse_vertex(word: &str) -> Result<Move, ParseMoveError> {
        word.parse()
    }

    fn vertex(mv: Move) -> impl fmt::Display {
        mv
    }

    #[inline]
    fn write_vertex(mv: Move, out: &mut Response<'_>) {
        match mv {
            Move::Place(point) => write_point(point, out),
            Move::Pass => out.push_str("pass"),
        }
    }

    fn refusal(_: Move, error: PlayError) -> String {
        error.to_string()
    }

    fn captured_counts(&self) -> ByColor<u32> {
        self.captured()
    }

    fn moves_to_go(&self) -> u32 {
        moves_to_go(self.board().empty().len())
    }

    fn choose(&self, engine: &mut GothelloEngine, limits: &Limits<'_>) -> Option<Choice> {
        if let Some(rng) = &mut engine.random_best {
            engine.player.vary(rng.next());
        }
        let choice = engine.player.choose(self.position()?, limits);
        tracing::info!(color = %self.to_move(), %choice, "move chosen");
        Some(choice)
    }

    fn suggest(&self, engine: &mut GothelloEngine, limits: &Limits<'_>) -> Option<Choice> {
        // The random numbers continue as if nothing had been suggested, too.
        let random_best = engine.random_best.clone();
        let before = engine.player.skill().map(|skill| {
            let before = skill.clone();
            skill.level = Level::Perfect;
            before
        });
        let choice = self.choose(engine, limits);
        if let (Some(before), Some(skill)) = (before, engine.player.skill()) {
            *skill = before;
        }
        engine.random_best = random_best;
        choice
    }

    fn chosen_move(choice: Choice) -> Move {
        choice.mv
    }

    fn write_evaluation(&self, color: Color, choice: Choice, out: &mut Response<'_>) {
        out.text(format_args!("{color} "));
        Game::write_vertex(choice.mv, out);
        let black = match color {
            Color::Black => choice.lead,
            Color::White => -choice.lead,
        };
        match self.status() {
            // A proven lead is a whole number.
            _ if choice.proven => {
                let outcome = Outcome::from_lead(Color::Black, black as i8);
                out.text(format_args!(": {outcome}, proven"));
            }
            // The value of the move is known, but not whether it is the best.
            Status::Over(outcome) => out.text(format_args!(
                ": {outcome}, which ends the game; not proven to be best"
            )),
            Status::Undecided => out.text(format_args!(": {}, not proven", estimated_lead(black))),
        }
    }

    fn show_board(&self, out: &mut Response<'_>) {
        const LETTERS: &str = "  A B C D E";
        out.push_str(match (self.is_over(), self.to_move()) {
            (true, _) => "The game is over",
            (false, Color::Black) => "Black (X) to move",
            (false, Color::White) => "White (O) to move",
        });
        out.push_str("\n");
        out.push_str(LETTERS);
        for row in (0..SIZE).rev() {
            let digit = char::from(b'1' + row);
            out.ascii(['\n', digit, ' ']);
            out.ascii(row_of_stones(self, row));
            out.ascii([' ', digit]);
        }
        let ByColor { black, white } = self.captured();
        out.text(format_args!(
            "\n{LETTERS}\nCaptured by Black {black}, by White {white}"
        ));
    }

    fn rules_board(&self, out: &mut Response<'_>) {
        for row in (0..SIZE).rev() {
            out.ascii(row_of_stones(self, row));
            if row > 0 {
                out.push_str("\n");
            }
        }
    }

    /// Draws the stones that the last move captured, the empty points where the player
    /// to move may not place a stone, and at the end who has won.
    ///
    /// The result is written across the middle row, because without an engine GoGui does not show
    /// it. It is also written as `TEXT`, which is not enough: GoGui clears the status bar after
    /// each move. Before the end there is no `TEXT`, because GoGui would show it instead of saying
    /// that the engine is thinking.
    fn rules_board_gfx(&self, out: &mut Response<'_>) {
        let mut end_of_line = "";
        if !self.last_captured().is_empty() {
            out.push_str("SQUARE");
            write_points(self.last_captured(), out);
            end_of_line = "\n";
        }
        if let Status::Over(outcome) = self.status() {
            let points = (0..SIZE).filter_map(|column| Point::new(column, SIZE / 2));
            out.text(format_args!("{end_of_line}LABEL"));
            for (point, word) in points.zip(outcome_in_five_words(outcome).split(' ')) {
                out.push_str(" ");
                write_point(point, out);
                out.text(format_args!(" {word}"));
            }
            out.push_str("\nTEXT ");
            return self.rules_final_result(out);
        }
        let forbidden = self.board().empty().without(self.legal_points());
        if !forbidden.is_empty() {
            out.text(format_args!("{end_of_line}MARK"));
            write_points(forbidden, out);
        }
    }

    fn rules_final_result(&self, out: &mut Response<'_>) {
        let count = self.count();
        let over = self.is_over();
        match (over, Outcome::from_scores(count)) {
            (true, Outcome::Drawn) => out.push_str("The game is drawn."),
            (false, Outcome::Drawn) => out.push_str("The game is not over. Nobody leads."),
            (true, Outcome::Won { winner, margin }) => {
                let margin = counted(margin.get(), "point");
                out.text(format_args!("{winner} wins by {margin}."));
            }
            (false, Outcome::Won { winner, margin }) => {
                let margin = counted(margin.get(), "point");
                out.text(format_args!(
                    "The game is not over. {winner} leads by {margin}."
                ));
            }
        }
        let ByColor { black, white } = count;
        let score = if over { "Final score" } else { "The score" };
        out.text(format_args!(" {score} is B {black} and W {white}."));
    }

    fn search(
        &self,
        engine: &mut GothelloEngine,
        search: GothelloSearchCommand,
        context: &SearchContext<'_>,
        out: &mut Response<'_>,
    ) {
        analyze::search(self, &*engine.analyzer, search, context, out);
    }
}

/// Writes a point in upper case.
#[inline]
fn write_point(point: Point, out: &mut Response<'_>) {
    out.ascii([point.letter().to_ascii_uppercase(), point.digit()]);
}

/// Writes points in upper case, each with a space before it.
fn write_points(points: PointSet, out: &mut Response<'_>) {
    for point in points {
        out.push_str(" ");
        write_point(point, out);
    }
}

/// Returns the points of a row from the left with a space between them, in the letters of
/// GoGui's boards: `X` is Black, `O` is White.
fn row_of_stones(game: &Game, row: u8) -> [char; 2 * SIZE as usize - 1] {
    let mut text = [' '; 2 * SIZE as usize - 1];
    for (place, column) in text.iter_mut().step_by(2).zip(0..) {
        let stone = Point::new(column, row).and_then(|point| game.stone_at(point));
        *place = stone.map_or('.', Color::mark);
    }
    text
}

/// Returns how a game ended, with a word for each point of a row.
fn outcome_in_five_words(outcome: Outcome) -> String {
    match outcome {
        Outcome::Drawn => "The game is a draw".to_owned(),
        Outcome::Won { winner, margin } => {
            format!("{winner} wins by {}", counted(margin.get(), "point"))
        }
    }
}

/// Describes an estimate of Black's lead.
fn estimated_lead(lead: f32) -> String {
    let rounded = format!("{:.1}", lead.abs());
    match lead {
        _ if rounded == "0.0" => "about 0".to_owned(),
        ..0.0 => format!("about W+{rounded}"),
        _ => format!("about B+{rounded}"),
    }
}
