# Set-up of stones, records, and what the analyze commands show.

# The stones on a board that is otherwise empty. Black is to move.
10 gogui-setup B A5 B C3 W B4 W D3
#? []

20 gogui-rules_board
#? [X \. \. \. \.\n\. O \. \. \.\n\. \. X O \.\n\. \. \. \. \.\n\. \. \. \. \.]

30 gogui-rules_side_to_move
#? [black]

40 gogui-setup_player W
#? []

50 gogui-rules_side_to_move
#? [white]

60 gogui-setup_player
#? [.*]*

70 gogui-setup_player nobody
#? [.*]*

# Another set-up replaces the first.
80 gogui-setup W E1
#? []

90 gogui-rules_board
#? [(\. \. \. \. \.\n){4}\. \. \. \. O]

# Not a point, no point at all, a point with two stones, and a stone without a
# liberty: nothing of it is set up.
100 gogui-setup B Z9
#? [.*]*

110 gogui-setup B
#? [.*]*

120 gogui-setup B A1 W A1
#? [.*]*

130 gogui-setup B A1 W A2 W B1
#? [.*]*

140 gogui-rules_board
#? [(\. \. \. \. \.\n){4}\. \. \. \. O]

# A set-up is taken back like a move.
150 undo
#? []

160 gogui-rules_board
#? [X \. \. \. \.\n\. O \. \. \.\n\. \. X O \.\n.*]

# The liberties of each group.
170 gothello-groups
#? [(?=.*\bA5 2\b).*\bC3 3\b.*]

180 gothello-groups
#? [(?=.*\bD3 3\b).*\bB4 4\b.*]

# Nothing can be captured; then White's stones in D3 and E3, by a stone in C3.
190 gothello-captures
#? [TEXT none by .*]

gogui-setup B D2 B E2 B D4 B E4 W D3 W E3
200 gothello-captures
#? [.*LABEL C3 2.*]

210 gothello-captures
#? [.*\nTRIANGLE D3 E3\n.*]

# The answer is for the side to move.
gogui-setup_player w
220 gothello-captures
#? [TEXT none by .*]

# Both take no arguments.
230 gothello-groups b
#? [.*]*

240 gothello-captures b
#? [.*]*

# Records. A set-up is written as such.
clear_board
gogui-setup B A5 B C3 W B4 W D3
250 printsgf
#? [\(;FF\[4\]GM\[1\].*SZ\[5\].*AB(\[aa\]|\[cc\]){2}AW(\[bb\]|\[dc\]){2}.*\)]

# A whole game.
260 loadsgf game.sgf
#? []

270 final_score
#? [W\+3]

280 gogui-rules_final_result
#? [White wins by 3 points\..*]

290 printsgf
#? [\(;FF\[4\]GM\[1\].*SZ\[5\].*RE\[W\+3\]\s*;B\[be\];W\[dd\].*;B\[aa\];W\[\];B\[\]\)]

# Up to before move 15: White has just turned three stones over.
300 loadsgf game.sgf 15
#? []

310 gogui-rules_board_gfx
#? [SQUARE D1 E1 E2\nMARK E5]

320 gogui-rules_captured_count
#? [1 3]

# Saved and loaded again, it is the same game.
330 printsgf saved.sgf
#? []

clear_board
340 loadsgf saved.sgf
#? []

350 gogui-rules_captured_count
#? [1 3]

360 gogui-rules_board
#? [\. \. \. O \.\n\. \. \. \. O\nX \. X O O\nX \. \. O O\nX X O O O]

# No such file, not a record, no file named, a move number that is none. The
# game stays as it is.
370 loadsgf no-such-file.sgf
#? [.*]*

380 loadsgf setup.tst
#? [.*]*

390 loadsgf
#? [.*]*

400 loadsgf game.sgf x
#? [.*]*

410 printsgf no-such-folder/game.sgf
#? [.*]*

420 gogui-rules_captured_count
#? [1 3]
