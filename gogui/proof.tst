# What is proven of a position, for GoGui's analyze commands.

# Ten stones. Black wins by five points with the only winning move.
gogui-setup B C3 W C2 B D4 W B4 B B2 W D2 B A3 W E3 B C5 W B1
10 gothello-value
#? [B\+5]

20 gothello-winner
#? [Black wins]

30 gothello-best_moves
#? [COLOR #[0-9a-f]{6} A1\nTEXT B\+5 with A1]

# Every point where Black may place a stone has a label.
40 gothello-values
#? [(COLOR #[0-9a-f]{6}( [A-E][1-5])+\n)+LABEL( [A-E][1-5] ([+-]\d+|0)){15}\nTEXT B\+5 with A1; a pass W\+3]

50 gothello-pass_value
#? [W\+3, 8 points less than B\+5]

# Best play to the end of the game: two passes.
60 gothello-variation
#? [b A1 (w|b) .* pass b pass]

# The engine makes that move, and says that it was proven. Of a move that is only
# suggested, or taken back, it says nothing.
70 gothello-last_choice
#? [the engine did not choose the last move]

80 reg_genmove b
#? [A1]

81 gothello-suggested_move
#? [CIRCLE A1\nTEXT Black A1: B\+5, proven]

82 gothello-last_choice
#? [the engine did not choose the last move]

84 genmove b
#? [A1]

90 gothello-last_choice
#? [Black A1: B\+5, proven]

undo
92 gothello-last_choice
#? [the engine did not choose the last move]

# After a pass of Black White has as much as was told.
play b pass
100 gothello-value
#? [W\+3]

# Both players have stones that are safe, and a point of their own.
gogui-setup B A2 B B1 B B2 W E1 W D2 W E3 W C3 W D3 W D1
110 gothello-safety
#? [COLOR #[0-9a-f]{6} B1 D1 E1 A2 B2 D2 C3 D3 E3\nBLACK A1\nWHITE E2\nTEXT safe stones B 3 and W 6, points B 1 and W 1]

# A game that is over has its score, and no moves.
clear_board
play b c3
play w pass
play b pass
120 gothello-value
#? [B\+1]

130 gothello-winner
#? [the game is over: B\+1]

140 gothello-values
#? [TEXT the game is over: B\+1]

150 gothello-best_moves
#? [TEXT the game is over: B\+1]

160 gothello-pass_value
#? [the game is over: B\+1]

170 gothello-variation
#? []

clear_board
play b pass
play w pass
172 gothello-winner
#? [the game is over: drawn]

# How well the engine plays, as GoGui's dialog asks and sets it, and whether GoGui is
# shown how a proof goes.
180 gothello-param
#? [\[list/1/2/3/4/5/6/7/8/9/perfect\] level perfect\n\[string\] seed \d{1,6}\n\[bool\] live_graphics 1]

190 gothello-param level 3
#? []

200 gothello-param seed 7
#? []

204 gothello-param live_graphics 0
#? []

206 gothello-param live_graphics maybe
#? [.*]*

210 gothello-param
#? [\[list/1/2/3/4/5/6/7/8/9/perfect\] level 3\n\[string\] seed 7\n\[bool\] live_graphics 0]

# The same seed gives the same move. It is not proven.
clear_board
220 genmove b
#? [[A-E][1-5]]

230 gothello-last_choice
#? [Black [A-E][1-5]: about [BW]\+\d+\.\d, not proven]

# A suggestion is made at full strength, whatever the level.
undo
play b c3
232 gothello-suggested_move
#? [CIRCLE [A-E][1-5]\nTEXT White [A-E][1-5]: B\+3, proven]

# No such parameter, no such value.
240 gothello-param level 10
#? [.*]*

250 gothello-param seed x
#? [.*]*

260 gothello-param strength 3
#? [.*]*

270 gothello-value now
#? [.*]*
