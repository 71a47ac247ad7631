# Moves, taking them back, and the end of the game.

# Colors and points in upper or lower case, short or long.
10 play b C3
#? []

20 play WHITE d3
#? []

30 play Black PASS
#? []

40 play W b3
#? []

# Occupied, off the board, a letter or a color that does not exist, missing
# arguments, and one too many.
50 play b C3
#? [.*]*

60 play b F1
#? [.*]*

70 play b A6
#? [.*]*

80 play b I3
#? [.*]*

90 play red A1
#? [.*]*

100 play b
#? [.*]*

110 play
#? [.*]*

120 play b A1 A2
#? [.*]*

# The players alternate: it is Black's turn.
130 play w A1
#? [.*]*

140 showboard
#? [.*3 \. O X O \. 3.*]

# Taking back.
150 undo
#? []

160 gogui-rules_side_to_move
#? [white]

170 gg-undo 2
#? []

180 showboard
#? [.*3 \. \. X \. \. 3.*]

190 gg-undo
#? []

200 undo
#? [.*]*

210 gg-undo 1
#? [.*]*

220 gg-undo x
#? [.*]*

230 gg-undo 0
#? []

# Several moves at once, all of them or none.
240 gogui-play_sequence B A1 W B1 B PASS W A2
#? []

250 gogui-rules_board
#? [.*O \. \. \. \.\nO O \. \. \.]

260 gogui-play_sequence B C3 W C3
#? [.*]*

270 gogui-play_sequence B C3 W
#? [.*]*

280 gogui-play_sequence B C3 W Z1
#? [.*]*

290 gogui-rules_board
#? [(\. \. \. \. \.\n){3}O \. \. \. \.\nO O \. \. \.]

300 gogui-play_sequence
#? []

# More moves than there are cannot be taken back, and then none is.
310 gg-undo 5
#? [.*]*

320 gg-undo 4
#? []

330 gogui-rules_board
#? [(\. \. \. \. \.\n?){5}]

# A captured stone is turned back.
gogui-play_sequence B B1 W A1 B A2
340 gogui-rules_captured_count
#? [1 0]

undo
350 gogui-rules_board
#? [.*\. \. \. \. \.\nO X \. \. \.]

360 gogui-rules_captured_count
#? [0 0]

# A whole game, the one in game.sgf.
clear_board
370 gogui-play_sequence B B1 W D2 B E2 W A1 B A2 W C1 B C3 W E4 B A3 W D5 B E1 W D3 B D1 W E3 B B4 W C2 B C4 W D4 B B2 W B5 B A4 W C5 B A5
#? []

380 gogui-rules_legal_moves
#? [pass]

390 gogui-play_sequence W PASS B PASS
#? []

400 showboard
#? [.*5 X O O O \. 5\n4 X X X O O 4\n3 X \. X O O 3\n2 X X O O O 2\n1 X X O O O 1.*]

410 gogui-rules_captured_count
#? [1 3]

420 final_score
#? [W\+3]

430 gogui-rules_final_result
#? [White wins by 3 points\..*B 10 and W 13\.]

# All stones count, none is dead.
440 final_status_list alive
#? [([A-E][1-5][ \n]?){23}]

450 final_status_list dead
#? []

460 final_status_list seki
#? []

470 final_status_list
#? [.*]*

480 final_status_list captured
#? [.*]*

# After the end a stone is refused; a pass is accepted and changes nothing,
# because tools send the last one twice.
490 play w B3
#? [.*]*

500 play w pass
#? []

510 gogui-rules_legal_moves
#? []

# Taking back the last pass opens the game again.
520 undo
#? []

530 gogui-rules_legal_moves
#? [pass]

540 clear_board
#? []

550 final_score
#? [0]
