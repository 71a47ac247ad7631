# What a controller asks before a game.
#
# Lines with a number are tests. `#? [pattern]` is what the answer must be, a
# regular expression for the whole of it. `#? [.*]*` is the way to say that the
# command must be refused: gogui-regress counts every error answer as a failed
# test, and the star says that this failure is expected.

10 protocol_version
#? [2]

20 name
#? [Gothello]

30 version
#? [\d+\.\d+\.\d+.*]

# The commands, each in a line of its own. The other test files use them all.
40 list_commands
#? [([a-z_-]+\n)*quit\n([a-z_-]+\n)*[a-z_-]+]

50 known_command quit
#? [true]

60 known_command gogui-rules_legal_moves
#? [true]

70 known_command no_such_command
#? [false]

80 known_command
#? [.*]*

90 no_such_command
#? [.*]*

# A command in upper case is another command.
100 NAME
#? [.*]*

# One argument too many is an error, not ignored.
110 name x
#? [.*]*

# There is one board, 5x5.
120 boardsize 5
#? []

130 boardsize 19
#? [.*]*

140 boardsize 4
#? [.*]*

150 boardsize
#? [.*]*

160 boardsize five
#? [.*]*

170 gogui-rules_board_size
#? [5]

# Gothello has no komi. Tools send one nevertheless: it is accepted and changes
# nothing.
180 komi 6.5
#? []

190 final_score
#? [0]

200 komi x
#? [.*]*

# Processor time in seconds.
210 cputime
#? [\d+(\.\d+)?]

# What people ask first.
212 help
#? [.*genmove w.*\nlist_commands: .*]

# GoGui's own questions: the title of its window, the analyze commands with
# their type and label, and whether `# interrupt` is understood.
220 gogui-title
#? [Gothello]

230 gogui-analyze_commands
#? [.*gfx/[^/\n]+/gothello-groups.*]

240 gogui-analyze_commands
#? [.*gfx/[^/\n]+/gothello-captures.*]

# An empty line would end the answer; each line needs three fields.
250 gogui-analyze_commands
#? [([a-z]+/[^/\n]+/[^/\n]+\n?)+]

260 gogui-interrupt
#? []

# Time limits: main time, length of a byo-yomi period, stones in it.
270 time_settings 60 0 0
#? []

280 time_left b 59 0
#? []

290 time_left white 10 3
#? []

# A period without stones means that there is no limit; less than no time is none.
292 time_settings 60 30 0
#? []

294 time_left b -3 0
#? []

296 time_left b -3 -1
#? [.*]*

300 time_settings 60
#? [.*]*

310 time_settings a b c
#? [.*]*

320 time_settings -1 0 0
#? [.*]*

330 time_left 10 0
#? [.*]*

340 time_left green 10 0
#? [.*]*

# The last command. gogui-regress also ends every other file with it.
350 quit
#? []
