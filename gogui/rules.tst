# The rules, as GoGui asks for them when gothello is its ruler.

10 gogui-rules_game_id
#? [Gothello]

20 gogui-rules_board_size
#? [5]

# The start: an empty board, Black moves first and may place a stone anywhere.
clear_board
30 gogui-rules_board
#? [(\. \. \. \. \.\n?){5}]

40 gogui-rules_side_to_move
#? [black]

50 gogui-rules_captured_count
#? [0 0]

60 gogui-rules_legal_moves
#? [([A-E][1-5] ){25}pass]

70 gogui-rules_board_gfx
#? []

80 gogui-rules_final_result
#? [.*not over.*B 0 and W 0.*]

# A stone without a liberty is turned over and stays on the board: White's stone
# in the corner becomes black. The square marks it.
play b B1
play w A1
play b A2
90 gogui-rules_board
#? [.*X \. \. \. \.\nX X \. \. \.]

100 gogui-rules_board_gfx
#? [SQUARE A1]

110 gogui-rules_captured_count
#? [1 0]

120 final_score
#? [B\+3]

130 gogui-rules_side_to_move
#? [white]

# The mark goes with the next move; the count stays.
play w C3
140 gogui-rules_board_gfx
#? []

150 gogui-rules_captured_count
#? [1 0]

# A stone needs a liberty before it captures. Here Black in A1 would take the
# last liberty of A2, but has none himself: that is illegal, and a cross says so.
# (In Go it would be a capture.)
clear_board
play b A3
play w A2
play b B2
play w B1
160 gogui-rules_legal_moves
#? [(?!.*A1).*pass]

170 gogui-rules_board_gfx
#? [MARK A1]

180 play b A1
#? [.*]*

# The refused move has changed nothing.
190 gogui-rules_side_to_move
#? [black]

200 gogui-rules_board
#? [(\. \. \. \. \.\n){2}X \. \. \. \.\nO X \. \. \.\n\. O \. \. \.]

# For White A1 is allowed. The three stones then have a liberty in C1, and when
# Black takes it, all of them are turned over.
play b E5
210 play w A1
#? []

220 play b C1
#? []

230 gogui-rules_board
#? [\. \. \. \. X\n\. \. \. \. \.\nX \. \. \. \.\nX X \. \. \.\nX X X \. \.]

240 gogui-rules_board_gfx
#? [SQUARE A1 B1 A2]

250 gogui-rules_captured_count
#? [3 0]

# A move captures for the player who makes it only: their own stones are safe.
260 final_score
#? [B\+7]

# Nobody may place a stone on the last empty point: only the pass is left. That
# is not the end yet.
gogui-setup B B1 B C1 B D1 B E1 B A2 B B2 B C2 B D2 B E2 B A3 B B3 B C3 B D3 B E3 B A4 B B4 B C4 B D4 B E4 B A5 B B5 B C5 B D5 B E5
270 gogui-rules_legal_moves
#? [pass]

280 play b A1
#? [.*]*

290 gogui-rules_final_result
#? [.*not over.*]

# A pass does not end the game, two in succession do. Then there is no legal
# move at all, which is how GoGui learns that the game is over.
play b pass
300 gogui-rules_legal_moves
#? [pass]

play w pass
310 gogui-rules_legal_moves
#? []

320 gogui-rules_final_result
#? [Black wins by 24 points\..*B 24 and W 0\.]

# The result stands on the board, a word on each point, and in the status bar.
330 gogui-rules_board_gfx
#? [LABEL A3 Black B3 wins C3 by D3 24 E3 points\nTEXT Black wins by 24 points\. Final score is B 24 and W 0\.]

# A pass, a stone, a pass: the passes do not follow each other.
clear_board
play b pass
play w A1
play b pass
340 gogui-rules_legal_moves
#? [B1.*pass]

# Equal numbers of stones are a draw.
clear_board
play b pass
play w pass
350 gogui-rules_final_result
#? [.*drawn.*B 0 and W 0.*]

360 gogui-rules_board_gfx
#? [LABEL A3 The B3 game C3 is D3 a E3 draw\nTEXT The game is drawn\..*]

370 undo
#? []

380 gogui-rules_board_gfx
#? []
