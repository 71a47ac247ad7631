//! Faulty programs: the bots of the guide with small differences, and stand-ins of the tests.

/// A program with a fault.
pub struct Fault {
    /// What the fault is about; `None` for a correct program.
    pub kind: Option<Kind>,
    /// What it does wrong.
    pub name: &'static str,
    /// The program.
    pub bot: Bot,
    /// Whether the check only gives a notice: the protocol allows it.
    pub is_noticed: bool,
}

/// What a fault is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Where stones may be placed.
    Rules,
    /// What changes on the board after a move.
    Captures,
    /// Passes of both players.
    Passes,
    /// How requests are written, and when.
    Syntax,
    /// Where a message begins and ends.
    Framing,
    /// The time of the players.
    Clocks,
    /// The end of a game or of the connection.
    Ends,
    /// Games that go on from moves or positions.
    Resuming,
}

impl Kind {
    /// All kinds, with their names.
    pub const ALL: [(Kind, &str); 8] = [
        (Kind::Rules, "rules"),
        (Kind::Captures, "captures"),
        (Kind::Passes, "passes"),
        (Kind::Syntax, "numbering, syntax, turns"),
        (Kind::Framing, "framing"),
        (Kind::Clocks, "clocks"),
        (Kind::Ends, "ends"),
        (Kind::Resuming, "resuming"),
    ];
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
    /// A stand-in for a client of the network referee that plays Awari.
    Awari,
    /// A stand-in for a client of a Go contest.
    Agent,
    /// A stand-in for a GTP engine.
    Engine,
}

/// Texts of a bot, and what they are replaced by.
pub type Changes = &'static [(&'static str, &'static str)];

const fn python(kind: Kind, name: &'static str, changes: Changes) -> Fault {
    fault(kind, name, Bot::Python(changes))
}

const fn fault(kind: Kind, name: &'static str, bot: Bot) -> Fault {
    Fault {
        kind: Some(kind),
        ..correct(name, bot)
    }
}

const fn correct(name: &'static str, bot: Bot) -> Fault {
    Fault {
        kind: None,
        name,
        bot,
        is_noticed: false,
    }
}

/// The bots of the guide, and the stand-ins, without a fault: no check of one may fail.
pub const CORRECT: [Fault; 7] = [
    correct("none, in Python", Bot::Python(&[])),
    correct("none, in C", Bot::C(&[])),
    correct("none, in Java", Bot::Java(&[])),
    correct("none, in Rust", Bot::Rust(&[])),
    correct("none, of Awari", Bot::Awari),
    correct("none, of Go", Bot::Agent),
    correct("none, of GTP", Bot::Engine),
];

/// The faults.
pub const FAULTS: [Fault; 68] = [
    python(
        Kind::Rules,
        "places stones without a liberty",
        &[(
            "        if not after.has_liberty(point):\n            return None\n",
            "",
        )],
    ),
    python(
        Kind::Rules,
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
        Kind::Rules,
        "places stones on those of the opponent",
        &[(
            "if point in self.stones:",
            "if self.stones.get(point) == color:",
        )],
    ),
    fault(Kind::Rules, "starves", Bot::Awari),
    fault(Kind::Rules, "knows-no-suicide", Bot::Agent),
    fault(Kind::Rules, "knows-no-ko", Bot::Agent),
    fault(Kind::Rules, "knows-no-superko", Bot::Agent),
    fault(Kind::Rules, "captures-as-in-go", Bot::Engine),
    fault(Kind::Rules, "fills-its-eye", Bot::Engine),
    fault(Kind::Rules, "accepts-suicide", Bot::Engine),
    python(
        Kind::Captures,
        "captures only the stone next to the move",
        &[(
            "captured |= after.group(neighbor)",
            "captured.add(neighbor)",
        )],
    ),
    python(
        Kind::Captures,
        "removes what is captured, as in Go",
        &[(
            "            self.stones[changed] = color\n",
            "            self.stones[changed] = color\n        for gone in captured:\n            del self.stones[gone]\n",
        )],
    ),
    python(
        Kind::Captures,
        "forgets what is captured from it",
        &[(
            "            self.board.play(color, move)\n",
            "            if color == self.side:\n                self.board.play(color, move)\n            else:\n                self.board.stones[move] = color\n",
        )],
    ),
    python(
        Kind::Captures,
        "captures only one group",
        &[(
            "captured |= after.group(neighbor)\n",
            "captured |= after.group(neighbor)\n                break\n",
        )],
    ),
    fault(
        Kind::Captures,
        "does not capture, in Rust",
        Bot::Rust(&[(
            "Some(point) => self.board.play(color, point),",
            "Some(point) => self.board.0[point] = Some(color),",
        )]),
    ),
    fault(
        Kind::Captures,
        "captures-one-pit-of-the-opponent",
        Bot::Awari,
    ),
    fault(Kind::Captures, "forgets-captures", Bot::Agent),
    fault(Kind::Captures, "forgets-flips", Bot::Engine),
    fault(Kind::Captures, "removes-captured-stones", Bot::Engine),
    fault(Kind::Captures, "undoes-no-captures", Bot::Engine),
    python(
        Kind::Passes,
        "waits when it must pass",
        &[(
            "        self.move = choose_move(",
            "        if not self.moves:\n            import time\n            time.sleep(1e6)\n        self.move = choose_move(",
        )],
    ),
    python(
        Kind::Passes,
        "does not count passes",
        &[(
            "            self.board.play(color, move)\n        self.plies += 1\n",
            "            self.board.play(color, move)\n            self.plies += 1\n",
        )],
    ),
    python(
        Kind::Passes,
        "ends at a pass of the opponent",
        &[(
            "        self.plies += 1\n",
            "        elif color != self.side:\n            sys.exit(0)\n        self.plies += 1\n",
        )],
    ),
    Fault {
        kind: Some(Kind::Passes),
        name: "passes with a few legal moves left",
        bot: Bot::Python(&[(
            "if self.moves else \"pass\"",
            "if len(self.moves) > 3 else \"pass\"",
        )]),
        is_noticed: true,
    },
    fault(Kind::Passes, "stops-at-a-pass", Bot::Agent),
    fault(Kind::Passes, "never-passes", Bot::Engine),
    python(
        Kind::Syntax,
        "writes only the last digit of a number",
        &[("self.plies // 2 + 1", "(self.plies // 2 + 1) % 10")],
    ),
    python(
        Kind::Syntax,
        "writes no ellipsis",
        &[("{number} ... {self.move}", "{number} {self.move}")],
    ),
    python(
        Kind::Syntax,
        "ends its lines with LF",
        &[(
            "encode(\"ascii\") + b\"\\r\"",
            "encode(\"ascii\") + b\"\\n\"",
        )],
    ),
    python(
        Kind::Syntax,
        "counts a refused move",
        &[(
            "            self.moves.remove(self.move)\n",
            "            self.moves.remove(self.move)\n            self.plies += 2\n",
        )],
    ),
    python(
        Kind::Syntax,
        "waits after 29x",
        &[(
            "            self.moves.remove(self.move)\n            self.send_move()\n",
            "            pass\n",
        )],
    ),
    fault(Kind::Syntax, "moves-at-an-offer", Bot::Awari),
    fault(Kind::Syntax, "moves-twice", Bot::Agent),
    fault(Kind::Syntax, "stops-at-invalid", Bot::Agent),
    fault(Kind::Syntax, "writes-one-newline", Bot::Engine),
    fault(Kind::Syntax, "forgets-ids-of-errors", Bot::Engine),
    fault(Kind::Syntax, "changes-turns-at-errors", Bot::Engine),
    python(
        Kind::Framing,
        "takes what recv returns for a line",
        &[(
            "            for line in self.connection.makefile(encoding=\"ascii\", errors=\"replace\", newline=\"\\r\\n\"):\n                self.handle(line.rstrip(\"\\r\\n\"))\n",
            "            while data := self.connection.recv(4096):\n                self.handle(data.decode().split(\"\\r\\n\")[0])\n",
        )],
    ),
    python(
        Kind::Framing,
        "looks for 352 anywhere in a line",
        &[(
            "elif code.startswith(\"35\"):",
            "elif \"352\" in line or \"351\" in line:",
        )],
    ),
    fault(
        Kind::Framing,
        "reads lines into a short buffer, in C",
        Bot::C(&[("line[512];", "line[12];")]),
    ),
    fault(Kind::Framing, "reads-whole-packets", Bot::Agent),
    fault(Kind::Framing, "waits-for-the-socket", Bot::Agent),
    fault(Kind::Framing, "reads-no-fragments", Bot::Agent),
    fault(Kind::Framing, "reads-whole-packets", Bot::Engine),
    fault(Kind::Framing, "keeps-cr", Bot::Engine),
    python(
        Kind::Clocks,
        "knows no 101",
        &[(
            "        elif code.startswith(\"29\"):",
            "        elif code == \"101\":\n            raise ValueError(line)\n        elif code.startswith(\"29\"):",
        )],
    ),
    fault(
        Kind::Clocks,
        "knows no status lines with clocks, in Java",
        Bot::Java(&[("line.startsWith(\"31\")", "line.matches(\"31[1256].*\")")]),
    ),
    fault(Kind::Clocks, "knows-no-207", Bot::Awari),
    fault(Kind::Clocks, "thinks-for-long", Bot::Agent),
    fault(Kind::Clocks, "leaves-when-its-flag-falls", Bot::Agent),
    fault(Kind::Clocks, "does-not-hurry", Bot::Engine),
    fault(Kind::Clocks, "divides-by-time-left", Bot::Engine),
    python(
        Kind::Ends,
        "hangs when its pass draws",
        &[(
            "        elif code in (\"201\"",
            "        elif code == \"203\":\n            import time\n            time.sleep(1e6)\n        elif code in (\"201\"",
        )],
    ),
    python(
        Kind::Ends,
        "hangs when the opponent resigns",
        &[(
            "        elif code in (\"201\"",
            "        elif code in (\"327\", \"328\"):\n            import time\n            time.sleep(1e6)\n        elif code in (\"201\"",
        )],
    ),
    python(
        Kind::Ends,
        "waits for a line after the connection is lost",
        &[(
            "        return self.is_over\n",
            "        import time\n        while not self.is_over:\n            time.sleep(1)\n        return self.is_over\n",
        )],
    ),
    fault(
        Kind::Ends,
        "hangs when it gets no seat, in Java",
        Bot::Java(&[(
            "throw new IOException(\"there is no seat\");",
            "while (true) { Thread.yield(); }",
        )]),
    ),
    fault(Kind::Ends, "hangs-at-repetitions", Bot::Awari),
    fault(Kind::Ends, "crashes-at-a-draw", Bot::Awari),
    fault(Kind::Ends, "leaves-at-mercy", Bot::Agent),
    fault(Kind::Ends, "crashes-at-a-draw", Bot::Agent),
    fault(Kind::Ends, "ignores-the-end-of-input", Bot::Engine),
    fault(Kind::Ends, "hangs-after-the-end", Bot::Engine),
    python(
        Kind::Resuming,
        "ignores the moves before its role",
        &[(
            "        \"\"\"Reads the words of a move, `311 2 d3 ...` or `312 2 ... d3 ...`, of either player.\"\"\"\n",
            "        if not self.has_begun:\n            return\n",
        )],
    ),
    python(
        Kind::Resuming,
        "answers the moves before its role",
        &[(
            "if self.has_begun and color != self.side:",
            "if color != self.side:",
        )],
    ),
    fault(Kind::Resuming, "thinks-that-black-begins", Bot::Agent),
    fault(
        Kind::Resuming,
        "forgets-the-stones-of-the-start",
        Bot::Agent,
    ),
    fault(Kind::Resuming, "does-not-reconnect-in-game", Bot::Agent),
    fault(Kind::Resuming, "loads-nothing", Bot::Engine),
];
