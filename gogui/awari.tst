# Awari: gothello --game awari as engine and as ruler. The pits are points:
#
#   4  f e d c b a     North, White
#   3  A B C D E F     South, Black
#      A B C D E F

10 name
#? [Awari]

20 gogui-rules_game_id
#? [Awari]

# GoGui 1.6 draws square boards only.
30 gogui-rules_board_size
#? [6]

40 boardsize 6
#? []

50 boardsize 5
#? [.*]*

# Commands that only Gothello has are unknown.
60 known_command gogui-setup
#? [false]

70 gothello-values
#? [.*]*

# The start: four stones in each pit, and South moves first.
clear_board
80 gogui-rules_board
#? [(\. \. \. \. \. \.\n){2}O O O O O O\nX X X X X X\n\. \. \. \. \. \.\n\. \. \. \. \. \.]

90 gogui-rules_side_to_move
#? [black]

100 gogui-rules_legal_moves
#? [A3 B3 C3 D3 E3 F3]

110 gogui-rules_board_gfx
#? [COLOR #\w+ A3 B3 C3 D3 E3 F3\nLABEL F4 4 .* F3 4\nLABEL C1 South D1 0 E1 ""\nLABEL C6 North D6 0 E6 ""]

120 gogui-rules_captured_count
#? [0 0]

# Stones are sown against the clock, and a pit may be sown again and again.
130 play b f3
#? []

140 gothello-position
#? [5,5,5,5,4,4/4,4,4,4,4,0 0 0 n]

# Out of turn, the other's pit, an empty one, no pit, and a pass.
150 play b a3
#? [.*]*

160 play w a3
#? [.*]*

170 play w A1
#? [.*]*

180 play w G4
#? [.*]*

190 play w pass
#? [.*]*

200 undo
#? []

210 undo
#? [.*]*

# Two or three stones in the last pit are captured, and so on backwards: here five.
gothello-position 1,2,0,0,0,4/0,0,0,0,1,2 18 20 s
220 gothello-gains
#? [LABEL E2 0 F2 wins\nTEXT South wins with F3]

# A circle is what is suggested: the numbers stay.
222 gothello-suggested_move
#? [CIRCLE F3\nTEXT Black F3: South wins, proven]

230 genmove b
#? [F3]

# Squares are around the pits from which it captured, and the number of stones in
# the pit that was sown is beside GoGui's dot.
232 gogui-rules_board_gfx
#? [LABEL F4 0 E4 0 .* F3 "0 +"\nSQUARE F4 E4\nLABEL C1 South D1 25 E1 "wins"\nLABEL C6 North D6 18 E6 "loses"\nTEXT South .*]

240 gogui-rules_captured_count
#? [25 18]

# With 25 stones the game is over: there is no legal move, which is how GoGui
# learns of it, and only passes follow.
250 gogui-rules_legal_moves
#? []

260 final_score
#? [B\+7]

270 gogui-rules_final_result
#? [South \(Black\) wins with 25 stones to 18\.]

280 genmove w
#? [pass]

290 play b PASS
#? []

300 play b E3
#? [.*]*

310 gg-undo 3
#? []

320 gothello-position
#? [1,2,0,0,0,4/0,0,0,0,1,2 18 20 s]

# A player with stones must feed a player who has none.
gothello-position 0,0,0,0,0,0/1,0,0,0,0,2 22 23 s
330 gogui-rules_legal_moves
#? [F3]

340 play b A3
#? [.*]*

# Who has no stones ends it.
gothello-position 0,0,0,0,0,0/1,0,0,0,0,0 24 23 S
342 play b a3
#? []

344 gogui-rules_final_result
#? [The game is drawn: North has no stones to sow\.]

# A grand slam ends the game, and gives the rest to the other player.
gothello-position 1,0,0,0,0,0/3,0,0,0,0,1 24 19 s
350 play b F3
#? []

360 gogui-rules_final_result
#? [North \(White\) wins with 27 stones to 21: grand slam\.]

# So does a position that comes up again: two stones that run round the board.
gothello-position 1,0,0,0,0,0/1,0,0,0,0,0 22 24 s
370 gogui-play_sequence b a3 w f4 b b3 w e4 b c3 w d4 b d3 w c4 b e3 w b4 b f3 w a4
#? []

380 gogui-rules_final_result
#? [South \(Black\) wins with 25 stones to 23: repetition\.]

# What is no position.
390 gothello-position 4,4,4,4,4,4/4,4,4,4,4,4 0 1 s
#? [.*]*

400 gothello-position 4 4
#? [.*]*
