//! Awari over GTP. South, who moves first, is Black.

mod board;

use std::convert::Infallible;

use itertools::Itertools;

use super::arguments::Arguments;
use super::game::{Execution, Extension, GtpGame, SearchContext};
use super::live::last_move_label;
use super::response::{Failure, Response};
use crate::base::color::{ByColor, Color};
use crate::games::awari::{
    AwariOutcome, EndReason, Game, IllegalMove, ParsePositionError, Pit, PlayError, Player, Status,
};
use crate::games::game;
use crate::player::{AwariChoice, AwariPlayer, Limits, awari_moves_to_go};

pub use board::{AwariVertex, ParseAwariVertexError};
use board::{COLUMNS, SIZE, column, row};

impl GtpGame for Game {
    const BOARD_SIZE: u8 = SIZE;
    const EXTENSIONS: &'static [(&'static str, Extension<Game>)] = &[
        ("gothello-gains", Extension::Show(write_gains)),
        ("gothello-position", Extension::Command(position)),
    ];
    const ANALYZE_COMMANDS: &'static [&'static str] = &[
        "gfx/What Every Move Captures/gothello-gains",
        "plist/Legal Moves/gogui-rules_legal_moves",
        "gfx/Suggested Move/gothello-suggested_move",
        "string/How Sure the Last Move Was/gothello-last_choice",
        "string/Score/final_score",
        "string/Position as Text/gothello-position",
    ];

    type ExtensionSearch = Infallible;
    type Engine = Box<dyn AwariPlayer>;
    type Choice = AwariChoice;
    type ParseVertexError = ParseAwariVertexError;

    fn parse_vertex(word: &str) -> Result<Pit, ParseAwariVertexError> {
        word.parse().map(|AwariVertex(pit)| pit)
    }

    fn vertex(pit: Pit) -> impl std::fmt::Display {
        AwariVertex(pit)
    }

    fn refusal(pit: Pit, error: PlayError) -> String {
        match error {
            PlayError::Illegal(IllegalMove::GameOver) => error.to_string(),
            error => format!("{}: {error}", AwariVertex(pit)),
        }
    }

    fn captured_counts(&self) -> ByColor<u32> {
        game::Game::scores(self).map(u32::from)
    }

    fn moves_to_go(&self) -> u32 {
        awari_moves_to_go(self)
    }

    fn choose(
        &self,
        engine: &mut Box<dyn AwariPlayer>,
        limits: &Limits<'_>,
    ) -> Option<AwariChoice> {
        if self.is_over() {
            return None;
        }
        let player = self.to_move();
        let chosen = engine.choose(self, limits);
        tracing::info!(%player, %chosen, "move chosen");
        Some(chosen)
    }

    fn chosen_move(choice: AwariChoice) -> Pit {
        choice.pit
    }

    fn write_evaluation(&self, color: Color, choice: AwariChoice, out: &mut Response<'_>) {
        if self.is_over() && !choice.proven {
            let vertex = AwariVertex(choice.pit);
            let score = game::Outcome::from_scores(game::Game::scores(self));
            return out.text(format_args!(
                "{color} {vertex}: {score}, which ends the game; not proven to be best"
            ));
        }
        write_evaluation(color, choice, out);
    }

    /// Writes the stones in each pit, each player's score, and above and below the
    /// letters of the pits. South's are those of the columns.
    fn show_board(&self, out: &mut Response<'_>) {
        match self.status() {
            Status::Over(outcome) => {
                let reason = reason(self, outcome);
                out.text(format_args!("The game is over: {reason}\n"));
            }
            Status::Undecided => {
                let player = self.to_move();
                let color = Color::from(player);
                out.text(format_args!("{player} ({color}) to move\n"));
            }
        }
        let letters = Pit::drawn_of(Player::North).into_iter().format("  ");
        out.text(format_args!("   {letters}\n"));
        let stones = self.pits();
        for player in [Player::North, Player::South] {
            let row = row(player);
            let counts = Pit::drawn_of(player).map(|pit| stones[pit.index()]);
            let counts = counts
                .iter()
                .format_with(" ", |count, f| f(&format_args!("{count:2}")));
            let score = score(self, player);
            out.text(format_args!("{row} {counts}  {player} has {score}\n"));
        }
        let columns = COLUMNS.into_iter().format("  ");
        out.text(format_args!("   {columns}"));
    }

    /// Writes a stone for each pit that is not empty, in the color of its owner. GoGui
    /// asks only whether a move is legal, not whether the point is occupied.
    fn rules_board(&self, out: &mut Response<'_>) {
        let stones = self.pits();
        let rows = (1..=SIZE).rev().map(|number| {
            let owner = Player::ALL.into_iter().find(|&p| row(p) == number);
            let Some(player) = owner else {
                return [". "; SIZE as usize].concat();
            };
            let mark = |pit: Pit| match stones[pit.index()] {
                0 => '.',
                _ => Color::from(player).mark(),
            };
            Pit::drawn_of(player).iter().map(|&pit| mark(pit)).join(" ")
        });
        let rows = rows.map(|row| row.trim_end().to_owned());
        out.text(format_args!("{}", rows.format("\n")));
    }

    /// Draws the number of stones in each pit, even 0, the scores beside the pits, the pits that
    /// may be sown in color, and squares around those from which the last move captured. A `TEXT`
    /// says how the game ended. There is none before the end, because GoGui would show it instead
    /// of saying that the engine is thinking.
    fn rules_board_gfx(&self, out: &mut Response<'_>) {
        if !self.is_over() {
            let legal = self.legal_moves().map(AwariVertex).format(" ");
            out.text(format_args!("COLOR {LEGAL} {legal}\n"));
        }
        let stones = self.pits();
        let label = |pit: Pit| {
            let number = match stones[pit.index()] {
                stones if self.last_move() == Some(pit) => last_move_label(stones),
                stones => stones.to_string(),
            };
            format!("{} {number}", AwariVertex(pit))
        };
        out.text(format_args!("LABEL {}", Pit::ALL.map(label).join(" ")));
        let captured = self.captured_from().map(AwariVertex).join(" ");
        if !captured.is_empty() {
            out.text(format_args!("\nSQUARE {captured}"));
        }
        for player in Player::ALL {
            let row = match player {
                Player::South => 1,
                Player::North => SIZE,
            };
            let (score, remark) = (score(self, player), remark(self, player));
            out.text(format_args!(
                "\nLABEL C{row} {player} D{row} {score} E{row} \"{remark}\""
            ));
        }
        if self.is_over() {
            out.push_str("\nTEXT ");
            self.rules_final_result(out);
        }
    }

    fn rules_final_result(&self, out: &mut Response<'_>) {
        let Status::Over(outcome) = self.status() else {
            let [south, north] = Player::ALL.map(|player| score(self, player));
            return out.text(format_args!(
                "The game is not over. South has {south} and North {north} stones."
            ));
        };
        match outcome.winner() {
            Some(winner) => {
                let color = Color::from(winner);
                let (won, lost) = (score(self, winner), score(self, winner.opponent()));
                out.text(format_args!(
                    "{winner} ({color}) wins with {won} stones to {lost}"
                ));
            }
            None => out.push_str("The game is drawn"),
        }
        match outcome.ending {
            // The scores say it.
            EndReason::Majority => out.push_str("."),
            _ => out.text(format_args!(": {}.", reason(self, outcome))),
        }
    }

    fn search(
        &self,
        _: &mut Box<dyn AwariPlayer>,
        search: Infallible,
        _: &SearchContext<'_>,
        _: &mut Response<'_>,
    ) {
        match search {}
    }
}

/// The color of the pits that may be sown.
const LEGAL: &str = "#60b060";

/// Sets the position up; without arguments writes it. The only letter in its text is that of the
/// player to move, which people type in either case.
fn position(
    execution: &mut Execution<'_, Game>,
    mut arguments: Arguments<'_>,
    out: &mut Response<'_>,
) -> Result<(), Failure> {
    let text = arguments.rest().join(" ").to_ascii_lowercase();
    let game = &mut *execution.game;
    if text.is_empty() {
        if game.is_over() {
            return Err(Failure::NoPosition);
        }
        out.text(format_args!("{}", game.position()));
        return Ok(());
    }
    let position = text.parse().map_err(|error| match error {
        ParsePositionError::Illegal(why) => Failure::IllegalPosition(why.to_string()),
        other => Failure::Syntax(other.to_string()),
    })?;
    *game = Game::new(position, game.variant());
    execution.is_new_game = true;
    Ok(())
}

/// Returns the stones that count for a player.
fn score(game: &Game, player: Player) -> u8 {
    game::Game::scores(game)[player.into()]
}

/// Returns why a game is over, as a self-contained phrase.
fn reason(game: &Game, outcome: AwariOutcome) -> String {
    match outcome.ending {
        EndReason::NoMove => format!("{} has no stones to sow", game.to_move()),
        ending => ending.to_string(),
    }
}

/// Returns the text beside a player's score: the stones captured by the last move, or
/// at the end how the game went.
fn remark(game: &Game, player: Player) -> String {
    match game.status() {
        Status::Over(outcome) => match outcome.winner() {
            Some(winner) if winner == player => "wins".to_owned(),
            Some(_) => "loses".to_owned(),
            None => "drawn".to_owned(),
        },
        Status::Undecided => match game.captured() {
            captured @ 1.. if player != game.to_move() => format!("+{captured}"),
            _ => String::new(),
        },
    }
}

/// The immediate effect of a move.
enum Gain {
    /// It captures stones, and the game goes on.
    Stones(u8),
    /// It ends the game: the mover's score minus the opponent's.
    End(i8),
}

/// Labels each pit that may be sown with the captures, or with the end of the game.
fn write_gains(game: &Game, out: &mut Response<'_>) {
    let player = game.to_move();
    if let Status::Over(outcome) = game.status() {
        return out.text(format_args!(
            "TEXT the game is over: {}",
            reason(game, outcome)
        ));
    }
    let gains = game.legal_moves().map(|pit| (pit, gain(game, pit)));
    let gains = gains.collect_vec();
    // Labels stand beside the pits, toward the edge of the board.
    let row = match player {
        Player::South => 2,
        Player::North => 5,
    };
    let labels = gains.iter().map(|(pit, gain)| {
        let label = match *gain {
            Gain::Stones(0) => "0".to_owned(),
            Gain::Stones(stones) => format!("+{stones}"),
            Gain::End(1..) => "wins".to_owned(),
            Gain::End(0) => "drawn".to_owned(),
            Gain::End(_) => "loses".to_owned(),
        };
        format!("{}{row} {label}", column(*pit))
    });
    out.text(format_args!("LABEL {}\n", labels.format(" ")));
    let wins = gains
        .iter()
        .find(|(_, gain)| matches!(gain, Gain::End(1..)));
    let stones = gains.iter().map(|(_, gain)| match gain {
        Gain::Stones(stones) => *stones,
        Gain::End(_) => 0,
    });
    match (wins, stones.max()) {
        (Some(&(pit, _)), _) => {
            let vertex = AwariVertex(pit);
            out.text(format_args!("TEXT {player} wins with {vertex}"));
        }
        (None, Some(most @ 1..)) => out.text(format_args!("TEXT {player} captures up to {most}")),
        (None, _) => out.text(format_args!("TEXT {player} captures nothing")),
    }
}

fn gain(game: &Game, pit: Pit) -> Gain {
    let (mut after, player) = (game.clone(), game.to_move());
    // The move is legal.
    let _ = after.play(player, pit);
    match game::Game::outcome(&after) {
        None => Gain::Stones(after.captured()),
        Some(outcome) => Gain::End(outcome.lead_of(player.into())),
    }
}

/// Writes the engine's evaluation of a move of `color`.
fn write_evaluation(color: Color, choice: AwariChoice, out: &mut Response<'_>) {
    let vertex = AwariVertex(choice.pit);
    // A lead is at most 48.
    let outcome = game::Outcome::from_lead(color, choice.lead.clamp(-48, 48) as i8);
    match (choice.proven, outcome) {
        // Only the winner is proven: a game ends with 25 stones.
        (true, game::Outcome::Won { winner, .. }) => {
            let winner = Player::from(winner);
            out.text(format_args!("{color} {vertex}: {winner} wins, proven"));
        }
        (true, game::Outcome::Drawn) => {
            out.text(format_args!("{color} {vertex}: drawn, proven"));
        }
        (false, about) => out.text(format_args!("{color} {vertex}: about {about}, not proven")),
    }
}
