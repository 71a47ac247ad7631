# The engine's moves, with a tenth of a second for each.
time_settings 0 1 10

# A capture wins the game, everything else loses it.
gogui-setup B A1 B B1 B C1 B A2 B B2 B C2 B E2 B D3 B E4 B E5 W D1 W D2 W A3 W B3 W A4 W B4 W D4 W A5 W C5
gogui-setup_player W
10 reg_genmove w
#? [C3]

# reg_genmove only says what it would play.
20 gogui-rules_side_to_move
#? [white]

30 final_score
#? [B\+1]

40 genmove w
#? [C3]

50 gogui-rules_side_to_move
#? [black]

60 gogui-rules_board_gfx
#? [SQUARE .*]

# A quiet move wins by 24 points, everything else loses.
gogui-setup B A1 B B1 B C1 B D1 B A2 B B2 B A3 B B3 B A4 B B4 B A5 B B5 W D3 W C4 W D4 W E4 W C5 W D5 W E5
gogui-setup_player W
70 genmove w
#? [E2]

# One move wins by a point.
gogui-setup B D2 B E2 B A3 B A4 B B4 B C4 B E4 B A5 B D5 W A1 W B1 W C1 W D1 W E1 W A2 W B2 W C3 W D3 W E3
gogui-setup_player W
80 genmove w
#? [D4]

# Out of turn, without a color, with one that does not exist, and one argument
# too many.
90 genmove w
#? [.*]*

100 reg_genmove w
#? [.*]*

110 genmove
#? [.*]*

120 reg_genmove
#? [.*]*

130 genmove green
#? [.*]*

140 genmove b now
#? [.*]*

# Where no stone can be placed, the engine passes. After the second pass the
# game is over: then it passes as often as it is asked, and nothing changes.
gogui-setup B B1 B C1 B D1 B E1 B A2 B B2 B C2 B D2 B E2 B A3 B B3 B C3 B D3 B E3 B A4 B B4 B C4 B D4 B E4 B A5 B B5 B C5 B D5 B E5
150 genmove b
#? [pass]

160 gogui-rules_legal_moves
#? [pass]

170 genmove w
#? [pass]

180 gogui-rules_legal_moves
#? []

190 genmove b
#? [pass]

200 genmove b
#? [pass]

210 final_score
#? [B\+24]

# A new game. The first move is a stone, whatever the time that is left.
clear_board
220 genmove b
#? [[A-E][1-5]]

time_left w 0 0
230 genmove w
#? [[A-E][1-5]]

240 gogui-rules_legal_moves
#? [([A-E][1-5] )+pass]

# No limit by the clock: then --move-time counts, or one second.
time_settings 0 1 0
250 genmove b
#? [[A-E][1-5]|pass]

# The rest of the game: 52 moves are enough for any game to end.
time_settings 0 1 50
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
genmove w
genmove b
260 gogui-rules_legal_moves
#? []

270 gogui-rules_final_result
#? [(Black wins|White wins|The game is drawn).*B \d+ and W \d+\.]

280 final_score
#? [0|[BW]\+\d+]
