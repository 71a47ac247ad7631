//! Faulty programs: the bots of the guide with small differences, and stand-ins of the tests.

/// A program with a fault.
pub struct Fault {
    /// What it does wrong.
    pub name: &'static str,
    /// The program.
    pub bot: Bot,
    /// Whether the check only gives a notice: the protocol allows it.
    pub is_noticed: bool,
}

/// The program of a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bot {
    /// The guide's bot in Python with these texts replaced.
    Python(Changes),
    /// That in C.
    C(Changes),
    /// That in Java.
    Java(Changes),
    /// That in Rust.
    Rust(Changes),
    /// A stand-in for a client of a Go contest.
    Agent,
    /// A stand-in for a GTP engine.
    Engine,
}

/// Texts of a bot, and what they are replaced by.
pub type Changes = &'static [(&'static str, &'static str)];

const fn python(name: &'static str, changes: Changes) -> Fault {
    fault(name, Bot::Python(changes))
}

const fn fault(name: &'static str, bot: Bot) -> Fault {
    Fault {
        name,
        bot,
        is_noticed: false,
    }
}

/// The bots of the guide, and the stand-ins, without a fault: no check of one may fail.
pub const CORRECT: [Fault; 6] = [
    python("none, in Python", &[]),
    fault("none, in C", Bot::C(&[])),
    fault("none, in Java", Bot::Java(&[])),
    fault("none, in Rust", Bot::Rust(&[])),
    fault("none", Bot::Agent),
    fault("none", Bot::Engine),
];

/// The faults.
pub const FAULTS: [Fault; 64] = [
    // Rules.
    python(
        "places stones without a liberty",
        &[(
            "        if not after.has_liberty(point):\n            return None\n",
            "",
        )],
    ),
    python(
        "captures before it counts liberties, as in Go",
        &[
            (
                "        if not after.has_liberty(point):\n            return None\n",
                "",
            ),
            (
                "        return captured\n",
                "        return captured if captured or after.has_liberty(point) else None\n",
            ),
        ],
    ),
    python(
        "looks only at the liberties of the stone itself",
        &[(
            "if not after.has_liberty(point):\n            return None",
            "if all(n in self.stones for n in NEIGHBORS[point]):\n            return None",
        )],
    ),
    python(
        "places stones on those of the opponent",
        &[(
            "if point in self.stones:",
            "if self.stones.get(point) == color:",
        )],
    ),
    python(
        "takes diagonal points for neighbors",
        &[(
            "if distance(a, b) == 1]",
            "if a != b and distance(a, b) <= 2 and a[0] != b[0] or distance(a, b) == 1]",
        )],
    ),
    python(
        "knows only four rows",
        &[("for rank in \"12345\"]", "for rank in \"1234\"]")],
    ),
    // Captures.
    python(
        "captures only the stone next to the move",
        &[(
            "captured |= after.group(neighbor)",
            "captured.add(neighbor)",
        )],
    ),
    python(
        "forgets captures",
        &[(
            "for changed in {point} | captured:",
            "for changed in {point}:",
        )],
    ),
    python(
        "removes what is captured, as in Go",
        &[(
            "            self.stones[changed] = color\n",
            "            self.stones[changed] = color\n        for gone in captured:\n            del self.stones[gone]\n",
        )],
    ),
    python(
        "forgets what is captured from it",
        &[(
            "            self.board.play(color, move)\n",
            "            if color == self.side:\n                self.board.play(color, move)\n            else:\n                self.board.stones[move] = color\n",
        )],
    ),
    python(
        "forgets what it captures",
        &[(
            "            self.board.play(color, move)\n",
            "            if color != self.side:\n                self.board.play(color, move)\n            else:\n                self.board.stones[move] = color\n",
        )],
    ),
    python(
        "captures only one group",
        &[(
            "captured |= after.group(neighbor)\n",
            "captured |= after.group(neighbor)\n                break\n",
        )],
    ),
    fault(
        "captures only the stone next to the move, in C",
        Bot::C(&[(
            "            for (int i = 0; i < size && !has_liberty; i++, captured++)\n                after[group[i]] = color;",
            "            if (size > 0 && !has_liberty) { after[other] = color; captured++; }",
        )]),
    ),
    fault(
        "does not capture, in Rust",
        Bot::Rust(&[(
            "Some(point) => self.board.play(color, point),",
            "Some(point) => self.board.0[point] = Some(color),",
        )]),
    ),
    // Passes.
    python(
        "waits when it must pass",
        &[(
            "        self.move = choose_move(",
            "        if not self.moves:\n            import time\n            time.sleep(1e6)\n        self.move = choose_move(",
        )],
    ),
    python(
        "does not count passes",
        &[(
            "            self.board.play(color, move)\n        self.plies += 1\n",
            "            self.board.play(color, move)\n            self.plies += 1\n",
        )],
    ),
    python(
        "ends at a pass of the opponent",
        &[(
            "        self.plies += 1\n",
            "        elif color != self.side:\n            sys.exit(0)\n        self.plies += 1\n",
        )],
    ),
    Fault {
        name: "passes with a few legal moves left",
        bot: Bot::Python(&[(
            "if self.moves else \"pass\"",
            "if len(self.moves) > 3 else \"pass\"",
        )]),
        is_noticed: true,
    },
    Fault {
        name: "passes after a pass of the opponent, in Rust",
        bot: Bot::Rust(&[
            (
                "self.moves = self.board.legal_moves(self.side);",
                "self.moves = if self.is_over { Vec::new() } else { self.board.legal_moves(self.side) };",
            ),
            (
                "        self.plies += 1;\n        if self.has_begun && color != self.side {\n            self.begin_turn();\n",
                "        self.plies += 1;\n        if self.has_begun && color != self.side {\n            self.is_over = word == \"pass\";\n            self.begin_turn();\n            self.is_over = false;\n",
            ),
        ]),
        is_noticed: true,
    },
    // Numbering and syntax.
    python(
        "numbers plies",
        &[("self.plies // 2 + 1", "self.plies + 1")],
    ),
    python(
        "counts from zero",
        &[("self.plies // 2 + 1", "self.plies // 2")],
    ),
    python(
        "writes only the last digit of a number",
        &[("self.plies // 2 + 1", "(self.plies // 2 + 1) % 10")],
    ),
    python(
        "writes no ellipsis",
        &[("{number} ... {self.move}", "{number} {self.move}")],
    ),
    python(
        "writes its first move in GTP",
        &[(
            "        self.send(f\"{number} {self.move}\" if",
            "        self.send(f\"play {self.side} {self.move}\" if self.plies < 2 else f\"{number} {self.move}\" if",
        )],
    ),
    fault(
        "writes an ellipsis as Black, in Java",
        Bot::Java(&[("side == Color.WHITE ? \"... \" : \"\"", "\"... \"")]),
    ),
    python(
        "ends its lines with LF",
        &[(
            "encode(\"ascii\") + b\"\\r\"",
            "encode(\"ascii\") + b\"\\n\"",
        )],
    ),
    python(
        "counts a refused move",
        &[(
            "            self.moves.remove(self.move)\n",
            "            self.moves.remove(self.move)\n            self.plies += 2\n",
        )],
    ),
    python(
        "waits after 29x",
        &[(
            "            self.moves.remove(self.move)\n            self.send_move()\n",
            "            pass\n",
        )],
    ),
    fault(
        "waits after 29x, in C",
        Bot::C(&[("        try_again();\n", "        return;\n")]),
    ),
    python(
        "asks to play Black as White, too",
        &[("player {self.side}{name}", "player black{name}")],
    ),
    python(
        "has too great a version",
        &[(
            "else \"0.9.1\"",
            "else \"0.9.1\"\n            version = \"1.0\"",
        )],
    ),
    // Turns.
    python(
        "moves after its own moves, too",
        &[(
            "if self.has_begun and color != self.side:",
            "if self.has_begun:",
        )],
    ),
    python(
        "moves as soon as it has a seat",
        &[(
            "        elif code.startswith(\"29\"):",
            "        elif code == \"100\" and self.side == \"black\":\n            self.begin_turn()\n        elif code.startswith(\"29\"):",
        )],
    ),
    python(
        "waits for an opponent no longer than a second",
        &[(
            "socket.create_connection((host, port))",
            "socket.create_connection((host, port), 1)",
        )],
    ),
    // Framing.
    python(
        "takes what recv returns for a line",
        &[(
            "            for line in self.connection.makefile(encoding=\"ascii\", errors=\"replace\", newline=\"\\r\\n\"):\n                self.handle(line.rstrip(\"\\r\\n\"))\n",
            "            while data := self.connection.recv(4096):\n                self.handle(data.decode().split(\"\\r\\n\")[0])\n",
        )],
    ),
    python(
        "takes what recv returns for whole lines",
        &[(
            "            for line in self.connection.makefile(encoding=\"ascii\", errors=\"replace\", newline=\"\\r\\n\"):\n                self.handle(line.rstrip(\"\\r\\n\"))\n",
            "            while data := self.connection.recv(4096):\n                for line in data.decode().splitlines():\n                    self.handle(line)\n",
        )],
    ),
    python(
        "reads texts in place of codes",
        &[(
            "elif code.startswith(\"31\"):",
            "elif code.startswith(\"31\") and \"game continues\" in line:",
        )],
    ),
    python(
        "splits names at quotes",
        &[(
            "        code = line[:3]\n",
            "        code = line[:3]\n        if code in (\"341\", \"342\"):\n            _, name, _ = line.split('\"')\n",
        )],
    ),
    python(
        "looks for 352 anywhere in a line",
        &[(
            "elif code.startswith(\"35\"):",
            "elif \"352\" in line or \"351\" in line:",
        )],
    ),
    fault(
        "reads lines into a short buffer, in C",
        Bot::C(&[("line[512];", "line[12];")]),
    ),
    // Clocks.
    python(
        "knows no 101",
        &[(
            "        elif code.startswith(\"29\"):",
            "        elif code == \"101\":\n            raise ValueError(line)\n        elif code.startswith(\"29\"):",
        )],
    ),
    python(
        "knows no status lines with clocks",
        &[(
            "elif code.startswith(\"31\"):",
            "elif code in (\"311\", \"312\", \"315\", \"316\"):",
        )],
    ),
    fault(
        "knows no status lines with clocks, in Java",
        Bot::Java(&[("line.startsWith(\"31\")", "line.matches(\"31[1256].*\")")]),
    ),
    python(
        "raises an exception at a fallen flag",
        &[(
            "        elif code in (\"201\"",
            "        elif code[:2] == \"36\":\n            raise ValueError(line)\n        elif code in (\"201\"",
        )],
    ),
    // Ends.
    python(
        "hangs when its pass draws",
        &[(
            "        elif code in (\"201\"",
            "        elif code == \"203\":\n            import time\n            time.sleep(1e6)\n        elif code in (\"201\"",
        )],
    ),
    python(
        "raises an exception when the opponent's pass draws",
        &[(
            "        elif code in (\"201\"",
            "        elif code in (\"325\", \"326\"):\n            raise ValueError(line)\n        elif code in (\"201\"",
        )],
    ),
    python(
        "hangs when the opponent resigns",
        &[(
            "        elif code in (\"201\"",
            "        elif code in (\"327\", \"328\"):\n            import time\n            time.sleep(1e6)\n        elif code in (\"201\"",
        )],
    ),
    python(
        "hangs when the opponent disconnects",
        &[(
            "        elif code in (\"201\"",
            "        elif code in (\"391\", \"392\"):\n            import time\n            time.sleep(1e6)\n        elif code in (\"201\"",
        )],
    ),
    python(
        "ends with exit code 1 after a loss",
        &[(
            "        elif code in (\"201\"",
            "        elif code == \"202\":\n            sys.exit(1)\n        elif code in (\"201\"",
        )],
    ),
    python(
        "waits for a line after the connection is lost",
        &[(
            "        return self.is_over\n",
            "        import time\n        while not self.is_over:\n            time.sleep(1)\n        return self.is_over\n",
        )],
    ),
    fault(
        "does not know when a match is over, in Rust",
        Bot::Rust(&[("=> self.is_over = true,", "=> {}")]),
    ),
    fault(
        "hangs when it gets no seat, in Java",
        Bot::Java(&[(
            "throw new IOException(\"there is no seat\");",
            "while (true) { Thread.yield(); }",
        )]),
    ),
    // Resuming.
    python(
        "ignores the moves before its role",
        &[(
            "        \"\"\"Reads the words of a move, `311 2 d3 ...` or `312 2 ... d3 ...`, of either player.\"\"\"\n",
            "        if not self.has_begun:\n            return\n",
        )],
    ),
    python(
        "answers the moves before its role",
        &[(
            "if self.has_begun and color != self.side:",
            "if color != self.side:",
        )],
    ),
    // Go contests.
    fault("moves-twice", Bot::Agent),
    fault("stops-at-a-pass", Bot::Agent),
    fault("reads-whole-packets", Bot::Agent),
    fault("forgets-captures", Bot::Agent),
    fault("knows-no-superko", Bot::Agent),
    fault("thinks-that-black-begins", Bot::Agent),
    fault("leaves-at-mercy", Bot::Agent),
    fault("does-not-reconnect-in-game", Bot::Agent),
    // GTP engines: others are in the tests.
    fault("forgets-flips", Bot::Engine),
    fault("captures-as-in-go", Bot::Engine),
];
