//! A person at a terminal.

use std::io::Read;
use std::sync::atomic::AtomicBool;

use super::agent::{Agent, AgentError, Decision, Task, Turn};
use super::display::{note, prompt};
use super::game::Game;
use crate::typed::{NoLine, Typed, wait};

/// A person who types moves.
#[derive(Debug)]
pub struct Human {
    typed: Typed,
    /// A line that was no answer to an offer, of which the next question may make
    /// something.
    held: Option<String>,
    /// Whether what was typed before it was asked for is dropped.
    is_live: bool,
}

impl Human {
    /// Reads what is typed from `input`, a move a line. If it `is_live`, what
    /// was typed before it was asked for is dropped: it was meant for another
    /// position.
    pub fn new(input: impl Read + Send + 'static, is_live: bool) -> Human {
        Human {
            typed: Typed::new(input),
            held: None,
            is_live,
        }
    }
}

impl<G: Game> Agent<G> for Human {
    fn choose(
        &mut self,
        turn: &Turn<G>,
        stop: &AtomicBool,
    ) -> Result<Decision<G::Move>, AgentError> {
        let clock = turn
            .left
            .map_or_else(String::new, |left| format!(", {} s left", left.as_secs()));
        while self.is_live
            && let Some(line) = self.typed.waiting()
        {
            note(&format!(
                "it was not your turn: {:?} is dropped",
                line.trim()
            ));
        }
        loop {
            prompt(&match turn.task {
                Task::Move => format!("your move ({}, help){clock}: ", G::PROMPT),
                Task::Answer => "your answer (draw, nodraw, help): ".to_owned(),
            });
            // What is told next begins on a line of its own.
            let line = match self.held.take() {
                Some(line) => line,
                None => match self.typed.line(stop) {
                    Err(NoLine::Ended) if turn.task == Task::Answer => return leave_open(stop),
                    line => line.inspect_err(|_| note(""))?,
                },
            };
            match understand(&line, turn) {
                Ok(Some(decision)) => return Ok(decision),
                Ok(None) => {}
                // In a file of moves it is the next one: the offer is not answered.
                Err(_) if turn.task == Task::Answer && !self.is_live && is_move::<G>(&line) => {
                    self.held = Some(line);
                    return leave_open(stop);
                }
                Err(why) => note(&why),
            }
        }
    }
}

/// Leaves the question open until it is asked no more.
fn leave_open<T>(stop: &AtomicBool) -> Result<T, AgentError> {
    wait(stop);
    Err(AgentError::Stopped)
}

/// What a person may answer to the offer of a draw.
const ANSWER_HELP: &str = "\
draw     accept the draw that is offered
nodraw   refuse it
help     this";

/// What a person may type who is to move.
fn help<G: Game>() -> String {
    let draws = match G::HAS_DRAWS {
        true => "draw?    offer a draw\n",
        false => "",
    };
    let moves = G::MOVE_HELP;
    format!("{moves}\n{draws}resign   give the game up\nhelp     this")
}

/// Whether a line is what a player may say who is to move.
fn is_move<G: Game>(line: &str) -> bool {
    let word = line.trim();
    let is = |command| word.eq_ignore_ascii_case(command);
    is("resign") || is("draw?") || word.parse::<G::Move>().is_ok()
}

/// What a line says: `None` if it is empty.
fn understand<G: Game>(line: &str, turn: &Turn<G>) -> Result<Option<Decision<G::Move>>, String> {
    let word = line.trim();
    let lower = word.to_ascii_lowercase();
    match (turn.task, lower.as_str()) {
        (_, "") => return Ok(None),
        (Task::Move, "help" | "?") => return Err(help::<G>()),
        (Task::Answer, "help" | "?") => return Err(ANSWER_HELP.to_owned()),
        (Task::Move, "resign") => return Ok(Some(Decision::Resign)),
        (Task::Move, "draw?") if G::HAS_DRAWS => return Ok(Some(Decision::OfferDraw)),
        (Task::Answer, "draw") => return Ok(Some(Decision::AcceptDraw)),
        (Task::Answer, "nodraw") => return Ok(Some(Decision::RefuseDraw)),
        (Task::Answer, _) => {
            return Err(format!(
                "{word:?} is no answer: give draw or nodraw, or help"
            ));
        }
        (Task::Move, _) => {}
    }
    let Some(mv) = turn.game.read_typed(word) else {
        return Err(format!("{word:?} is no move: give {}, or help", G::MOVES));
    };
    let mut game = turn.game.clone();
    game.play(turn.side, mv)
        .map_err(|why| format!("{mv} is illegal: {why}"))?;
    Ok(Some(Decision::Move(mv)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::netref::{Awari, Gothello};

    /// What is made of a line.
    fn says<G: Game>(line: &str, turn: &Turn<G>) -> String {
        match understand(line, turn) {
            Ok(None) => "nothing".into(),
            Ok(Some(Decision::Move(mv))) => mv.to_string(),
            Ok(Some(decision)) => format!("{decision:?}"),
            Err(why) => why,
        }
    }

    #[test]
    fn lines_are_understood_or_explained() {
        let mut game = Gothello::default();
        game.play(Color::Black, "c3".parse().unwrap()).unwrap();
        let turn = Turn {
            task: Task::Move,
            refused: false,
            side: Color::White,
            game,
            left: None,
        };
        for (line, said) in [
            (" D3 \r\n", "d3"),
            ("Pass\n", "pass"),
            ("RESIGN", "Resign"),
            ("\n", "nothing"),
            ("c3", "c3 is illegal: c3 is occupied"),
        ] {
            assert_eq!(says(line, &turn), said);
        }
        insta::assert_snapshot!(says("f9\n", &turn), @r#""f9" is no move: give a letter a-e and a digit 1-5, pass or resign, or help"#);
        insta::assert_snapshot!(says("draw?\n", &turn), @r#""draw?" is no move: give a letter a-e and a digit 1-5, pass or resign, or help"#);
        insta::assert_snapshot!(says("Help\n", &turn), @"
        d3       a stone: the column's letter and the row's number
        pass     no stone; two passes end the game
        resign   give the game up
        help     this
        ");
    }

    #[test]
    fn draws_are_offered_and_answered_in_awari() {
        let mut turn = Turn {
            task: Task::Move,
            refused: false,
            side: Color::Black,
            game: Awari::default(),
            left: None,
        };
        for (line, said) in [
            ("A\n", "A"),
            // Nobody can sow the other's pits.
            ("a", "A"),
            ("Draw?", "OfferDraw"),
        ] {
            assert_eq!(says(line, &turn), said);
        }
        insta::assert_snapshot!(says("draw", &turn), @r#""draw" is no move: give a letter A-F (South) or a-f (North), draw? or resign, or help"#);
        insta::assert_snapshot!(says("?", &turn), @"
        c        sow the stones of your pit c
        draw?    offer a draw
        resign   give the game up
        help     this
        ");
        turn.task = Task::Answer;
        for (line, said) in [("draw", "AcceptDraw"), ("NODRAW\n", "RefuseDraw")] {
            assert_eq!(says(line, &turn), said);
        }
        insta::assert_snapshot!(says("A", &turn), @r#""A" is no answer: give draw or nodraw, or help"#);
        insta::assert_snapshot!(says("help", &turn), @"
        draw     accept the draw that is offered
        nodraw   refuse it
        help     this
        ");
    }

    #[test]
    fn whoever_ends_the_input_leaves() {
        let turn = Turn {
            task: Task::Move,
            refused: false,
            side: Color::Black,
            game: Gothello::default(),
            left: None,
        };
        let mut human = Human::new(&b"what\nc3"[..], false);
        let stop = AtomicBool::new(false);
        let choice = human.choose(&turn, &stop).unwrap();
        assert_eq!(choice, Decision::Move("c3".parse().unwrap()));
        let end = human.choose(&turn, &stop).unwrap_err();
        assert!(matches!(end, AgentError::Left), "{end}");
    }
}
