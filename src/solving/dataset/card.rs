//! The data card: what a dataset is, in Markdown.

use std::collections::BTreeMap;

use super::plan::{Plan, Source};
use super::record::Record;
use super::uniform::position_count;
use crate::base::counted::counted;

/// The numbers of positions that the player to move wins, draws and loses.
type Results = [usize; 3];

/// Returns the data card of a file with the records of a plan: what it is, how the positions were drawn,
/// the command that makes it again, the numbers of positions by stones and by value, what the fields
/// mean, and how to load it.
pub fn card(plan: &Plan, records: &[Record], file: &str) -> String {
    let mut by_stones = BTreeMap::<u8, Results>::new();
    let mut by_value = BTreeMap::<i8, usize>::new();
    let mut after_pass = 0;
    for record in records {
        let value = record.value();
        let result = usize::from(value <= 0) + usize::from(value < 0);
        by_stones.entry(record.stones()).or_default()[result] += 1;
        *by_value.entry(value).or_default() += 1;
        after_pass += usize::from(record.position().after_pass());
    }
    let by_stones = by_stones.iter().map(|(stones, [won, drawn, lost])| {
        format!(
            "| {stones} | {} | {won} | {drawn} | {lost} |\n",
            won + drawn + lost
        )
    });
    let by_value = by_value
        .iter()
        .map(|(value, count)| format!("| {value} | {count} |\n"));
    let (by_stones, by_value): (String, String) = (by_stones.collect(), by_value.collect());
    format!(
        "---\n\
         license: mit\n\
         pretty_name: Positions of Gothello with exact values\n\
         ---\n\
         \n\
         # Positions of Gothello with exact values\n\
         \n\
         {title} has {count} of Gothello, a 5x5 game between Go and Othello, each with the value \
         of every legal move under best play by both players. The values are proven, not estimated.\n\
         \n\
         ## How it was made\n\
         \n\
         gothello {version} has written it with this command, which writes the same bytes again:\n\
         \n\
         ```sh\n\
         {command} --output {argument}\n\
         ```\n\
         \n\
         {source}\n\
         \n\
         Positions that are images of each other under the eight symmetries of the board, or have all \
         colors exchanged, count as one, and are there once: as the image with the smallest key, with \
         Black to move. In {after_pass} of them the last move was a pass.\n\
         \n\
         ## Positions by stones\n\
         \n\
         | stones | positions | won | drawn | lost |\n\
         |---:|---:|---:|---:|---:|\n\
         {by_stones}\
         \n\
         Won means that the player to move wins under best play.\n\
         \n\
         ## Positions by value\n\
         \n\
         | value | positions |\n\
         |---:|---:|\n\
         {by_value}\
         \n\
         ## Fields\n\
         \n\
         {fields}\
         \n\
         ## License\n\
         \n\
         MIT, as gothello.\n",
        title = code(file),
        argument = shlex::try_quote(file).unwrap_or_default(),
        count = counted(records.len(), "position"),
        version = env!("CARGO_PKG_VERSION"),
        command = command(plan),
        source = described(plan),
        fields = fields(file),
    )
}

/// Returns a text as a string of Python.
fn python_string(text: &str) -> String {
    let escaped = text.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        letter if letter.is_ascii_control() => format!("\\x{:02x}", u32::from(letter)),
        letter => letter.into(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// Returns a name as code in Markdown.
fn code(name: &str) -> String {
    match name.split(|letter| letter != '`').map(str::len).max() {
        None | Some(0) => format!("`{name}`"),
        Some(longest) => {
            let fence = "`".repeat(longest + 1);
            format!("{fence} {name} {fence}")
        }
    }
}

/// Returns the command that draws the same positions.
fn command(plan: &Plan) -> String {
    let Plan {
        source,
        positions,
        stones,
        seed,
    } = plan;
    let errors = match source {
        Source::GamesWithErrors { errors } => format!(" --errors {errors}"),
        Source::Uniform | Source::RandomGames => String::new(),
    };
    format!(
        "gothello dataset --source {source}{errors} --positions {positions} --stones {stones} --seed {seed}"
    )
}

/// Returns how the positions were drawn.
fn described(plan: &Plan) -> String {
    let stones = plan.stones.with_noun();
    let from_games = format!(
        "Each game, up to its first position with {}, has one of its positions with {stones}, \
         every one equally likely; one that an earlier game had is left out",
        counted(plan.stones.most(), "stone")
    );
    match plan.source {
        Source::Uniform => format!(
            "The positions are drawn at random from all {} legal positions with {stones}, \
             every one equally likely, whether a game leads to it or not.",
            position_count(plan.stones)
        ),
        Source::RandomGames => format!(
            "The positions are from games of random placements, in which a player passes only where no \
             placement is legal. {from_games}."
        ),
        Source::GamesWithErrors { errors } => format!(
            "The positions are from games of best play with mistakes: each move is, with the \
             probability {errors}, a random placement among those that are not best, if there is one, \
             and otherwise a random one of the best moves. {from_games}."
        ),
    }
}

/// Returns what the fields mean and how they are loaded.
fn fields(file: &str) -> String {
    let string = python_string(file);
    let key = "the stones of the player to move (bits 0 to 29, 6 for each row from a1), those of the \
               opponent (bits 30 to 59), and whether the last move was a pass (bit 60)";
    let value = "in stones for the player to move at the end of the game, -25 to 25";
    match file.ends_with(".npz") {
        true => format!(
            "| array | type | shape | content |\n\
             |---|---|---|---|\n\
             | `keys` | uint64 | (n,) | {key} |\n\
             | `stones` | uint8 | (n,) | the number of stones on the board |\n\
             | `values` | int8 | (n,) | the value, {value} |\n\
             | `move_values` | int8 | (n, 26) | the value of each move, -128 where it is illegal; move i \
             is at column i % 5 and row i // 5 from a1, and 25 is the pass |\n\
             \n\
             ```python\n\
             import numpy as np\n\
             \n\
             data = np.load({string})\n\
             best = data[\"move_values\"] == data[\"values\"][:, None]\n\
             ```\n\
             \n\
             `gothello.arrays` of the Python package reads keys.\n"
        ),
        false => format!(
            "Each line is a JSON object:\n\
             \n\
             | field | content |\n\
             |---|---|\n\
             | `position` | rows 5 to 1, `b`, `w` and `.`; the player to move; `pass` if the last move was one |\n\
             | `key` | {key} |\n\
             | `stones` | the number of stones on the board |\n\
             | `value` | the value, {value} |\n\
             | `best_moves` | the moves that keep the value |\n\
             | `moves` | each legal move with its value |\n\
             \n\
             ```python\n\
             import json\n\
             \n\
             with open({string}) as lines:\n    \
                 data = [json.loads(line) for line in lines]\n\
             ```\n"
        ),
    }
}
