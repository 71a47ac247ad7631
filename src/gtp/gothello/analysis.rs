//! Commands that show in GoGui what is on the board, and the list of them.

use crate::gothello::{Color, Game, PointSet, Position, Step};
use crate::gtp::response::Response;
use crate::gtp::ruler::beside_the_dot;

/// The commands that GoGui offers in its analyze dialog: how the response is
/// shown, the label, and the command.
pub(super) const COMMANDS: [&str; 14] = [
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
    "var/Suggested Move/reg_genmove %m",
    "string/How Sure the Last Move Was/gothello-last_choice",
    "string/Score If Both Pass Now/final_score",
    "param/Playing Level and Settings/gothello-param",
];

/// Every stone is labelled with the liberties of its group, and coloured by
/// them: red with one, yellow with two, green with more.
pub(super) fn groups(game: &Game, out: &mut Response<'_>) {
    let position = game.board();
    let last = match game.last_step() {
        Some(Step::Played { mv, .. }) => mv.point(),
        _ => None,
    };
    for group in position.groups() {
        let liberties = (group.neighbours() & position.empty()).len();
        let color = match liberties {
            0 | 1 => "#ff4040",
            2 => "#ffd040",
            _ => "#40c040",
        };
        out.text(format_args!("COLOR {color}"));
        out.points(group);
        out.words("\nLABEL");
        for point in group {
            out.words(" ");
            out.point(point);
            if last == Some(point) {
                out.text(format_args!(" {}", beside_the_dot(liberties)));
            } else {
                out.text(format_args!(" {liberties}"));
            }
        }
        out.words("\n");
    }
    if game.is_over() {
        // Between the numbers stand words of the result: they are taken away.
        out.words("LABEL");
        for point in position.empty() {
            out.words(" ");
            out.point(point);
            out.words(" \"\"");
        }
        out.words("\n");
    }
    let [black, white] = Color::ALL.map(|color| position.stones_of(color).groups().count());
    out.text(format_args!("TEXT {black} black and {white} white groups"));
}

/// The stones that the player to move can turn over with his next move have a
/// triangle (the ruler's crosses mean something else), and the points where he
/// does it are labelled with their number.
pub(super) fn captures(game: &Game, out: &mut Response<'_>) {
    let placements = game.position().map(Position::placements);
    let mut turned = PointSet::EMPTY;
    for point in game.legal_points() {
        let captured = placements.and_then(|placements| placements.captures(point));
        let captured = captured.unwrap_or_default();
        if !captured.is_empty() {
            turned |= captured;
            out.words("LABEL ");
            out.point(point);
            out.text(format_args!(" {}\n", captured.len()));
        }
    }
    if !turned.is_empty() {
        out.words("TRIANGLE");
        out.points(turned);
        out.words("\n");
    }
    let color = game.to_move();
    match turned.len() {
        0 => out.text(format_args!("TEXT none by {color}")),
        stones => out.text(format_args!("TEXT {stones} by {color}")),
    }
}
