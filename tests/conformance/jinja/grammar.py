"""Draws templates from a small grammar: wild enough to meet odd combinations, tame enough that most
of them render."""

VARIABLES = {
    "i": 7, "j": -2, "f": 1.5, "s": "Talos", "w": "a b-c  d", "u": "grün", "e": "", "t": True,
    "n": None, "l": [3, 1, 2], "m": ["b", "A", "c"], "z": [], "d": {"a": 1, "b": [1, 2]},
    "nodes": [{"name": "cp1", "role": "cp", "ip": 4}, {"name": "w1", "role": "w", "ip": 2},
              {"name": "w2", "role": "w", "ip": 9}],
}
NUMBERS = ["i", "j", "f", "0", "1", "2.5", "10", "t", "l|length", "l|sum", "d.a"]
TEXTS = ["s", "w", "u", "e", "'x'", "'A-b c'", "'1,2'", "s|lower", "m|join(',')", "nodes[0].name"]
LISTS = ["l", "m", "z", "[1, 'a', none]", "range(4)|list", "w.split()", "d.keys()|list",
         "nodes|map(attribute='name')|list"]
TEXT_FILTERS = ["upper", "lower", "title", "capitalize", "trim", "length", "replace('a', 'X')",
                "reverse", "indent(2)", "center(9)", "truncate(5, true, '..', 0)", "wordcount",
                "list", "first|default('-')", "last|default('-')", "e", "urlencode", "tojson",
                "default('q', true)", "string", "int", "float", "wordwrap(3)", "unique|join",
                "sort|join('|')", "batch(2)|list"]
LIST_FILTERS = ["length", "join('-')", "first|default(0)", "last|default(0)", "reverse|list",
                "unique|list", "batch(2, 0)|list", "slice(2)|list", "tojson", "list", "string",
                "map('string')|list", "map('string')|join", "select|list", "reject|list",
                "sort", "min", "max", "select('string')|list", "select('number')|sum",
                "map('upper')|list", "default([])|length", "sum"]
NUMBER_FILTERS = ["abs", "round", "round(1)", "int", "float", "string", "tojson",
                  "round(0, 'floor')", "default(5)", "filesizeformat", "string|length"]
TESTS = ["odd", "even", "string", "number", "defined", "none", "integer", "float", "sequence",
         "mapping", "iterable", "divisibleby 2", "true", "lower", "upper", "boolean", "in [1, 'x']",
         "eq 7", "sameas none"]
METHODS = ["upper()", "split()", "split('-')", "strip('Ta')", "startswith('T')", "find('l')",
           "replace('l', '')", "title()", "count('a')", "zfill(8)", "partition('-')",
           "isalpha()", "splitlines()", "rjust(8, '.')"]


class Grammar:
    def __init__(self, chance):
        self.chance = chance

    def options(self):
        return {flag: True for flag in ("trim_blocks", "lstrip_blocks", "keep_trailing_newline")
                if self.chance.random() < 0.4}

    def pick(self, *choices):
        return self.chance.choice(choices)

    def number(self, depth):
        if depth <= 0:
            return self.chance.choice(NUMBERS)
        inner = depth - 1
        return self.pick(
            lambda: self.chance.choice(NUMBERS),
            lambda: f"({self.number(inner)} {self.pick('+', '-', '*', '/', '//', '%')} "
                    f"{self.number(inner)})",
            lambda: f"-{self.number(0)}",
            lambda: f"({self.number(inner)})|{self.chance.choice(NUMBER_FILTERS)}",
            lambda: f"({self.list(inner)})|length",
            lambda: f"({self.number(inner)} if {self.condition(inner)} else {self.number(inner)})",
        )()

    def text(self, depth):
        if depth <= 0:
            return self.chance.choice(TEXTS)
        inner = depth - 1
        return self.pick(
            lambda: self.chance.choice(TEXTS),
            lambda: f"({self.text(inner)} ~ {self.value(inner)})",
            lambda: f"({self.text(inner)})|{self.chance.choice(TEXT_FILTERS)}",
            lambda: f"({self.text(inner)}).{self.chance.choice(METHODS)}",
            lambda: f"({self.text(inner)})[{self.bound()}:{self.bound()}]",
            lambda: f"({self.text(inner)})[::{self.pick('-1', '2', '-2')}]",
            lambda: f"('%s|%5s' % ({self.value(inner)}, {self.text(0)}))",
            lambda: f"'{{}}-{{:>4}}'.format({self.value(inner)}, {self.text(0)})",
            lambda: f"({self.text(0)} * {self.pick('2', '0', '-1')})",
        )()

    def bound(self):
        return self.pick("", "0", "1", "-1", "2", "9", "-9")

    def list(self, depth):
        if depth <= 0:
            return self.chance.choice(LISTS)
        inner = depth - 1
        return self.pick(
            lambda: self.chance.choice(LISTS),
            lambda: f"[{self.value(inner)}, {self.value(inner)}]",
            lambda: f"({self.list(inner)} + {self.list(inner)})",
            lambda: f"({self.list(inner)})[{self.bound()}:{self.bound()}]",
            lambda: f"({self.list(inner)})|{self.chance.choice(LIST_FILTERS)}",
            lambda: f"({self.value(inner)}, {self.number(0)})",
        )()

    def condition(self, depth):
        inner = depth - 1
        if depth <= 0:
            return self.pick("t", "not t", "i > 3", "s == 'Talos'", "z", "missing is defined")
        return self.pick(
            lambda: f"{self.value(inner)} is {self.pick('', 'not ')}{self.chance.choice(TESTS)}",
            lambda: f"({self.number(inner)} {self.pick('<', '<=', '==', '!=', '>')} "
                    f"{self.number(inner)})",
            lambda: f"({self.value(inner)} {self.pick('in', 'not in')} {self.list(inner)})",
            lambda: f"({self.condition(inner)} {self.pick('and', 'or')} {self.condition(inner)})",
            lambda: f"not {self.condition(inner)}",
        )()

    def value(self, depth):
        return self.pick(self.number, self.text, self.text, self.list)(depth)

    def space(self):
        return self.pick("", "", " ", "\n", "\n  ", "x", " y\n", "\n\n")

    def tag(self, inside):
        return "{%" + self.pick("", "", "", "-", "+") + f" {inside} " + \
            self.pick("", "", "", "-", "+") + "%}"

    def output(self, inside):
        return "{{" + self.pick("", "", "", "-") + f" {inside} " + self.pick("", "", "", "-") + "}}"

    def statement(self, depth):
        inner = depth - 1
        name = self.pick("v1", "v2")
        if depth <= 0:
            return self.output(self.value(2))
        return self.pick(
            lambda: self.output(self.value(3)),
            lambda: self.output(self.condition(2)),
            lambda: self.tag(f"if {self.condition(2)}") + self.body(inner)
            + self.pick("", self.tag("else") + self.body(inner)) + self.tag("endif"),
            lambda: self.tag(f"for x in {self.list(1)}")
            + self.output(self.pick("x", "loop.index", "loop.last", "loop.revindex0",
                                    "x is string"))
            + self.body(inner) + self.pick("", self.tag("else") + self.space())
            + self.tag("endfor"),
            lambda: self.tag(f"set {name} = {self.value(2)}")
            + self.output(f"{name}") + self.body(inner),
            lambda: self.tag(f"set {name}") + self.body(inner) + self.tag("endset")
            + self.output(f"{name}|upper"),
            lambda: self.tag("macro mac(p, q=2)") + self.output("p") + self.body(inner)
            + self.tag("endmacro") + self.output(f"mac({self.value(1)})"),
            lambda: self.tag(f"with {name} = {self.value(1)}") + self.output(name)
            + self.body(inner) + self.tag("endwith"),
            lambda: self.tag(f"filter {self.pick('upper', 'trim', 'indent(2)', 'title')}")
            + self.body(inner) + self.tag("endfilter"),
            lambda: self.tag(f"for k, v in {self.pick('d.items()', 'd|dictsort', 'd|items')}")
            + self.output("k") + self.space() + self.output("v") + self.tag("endfor"),
            lambda: self.tag("for n in nodes if n.ip > 3") + self.output("n.name ~ loop.length")
            + self.body(inner) + self.tag("endfor"),
            lambda: "{#" + self.pick("", "-") + " note " + self.pick("", "-", "+") + "#}",
            lambda: self.tag("raw") + self.space() + "{{ x }}" + self.tag("endraw"),
        )()

    def body(self, depth):
        return "".join(self.space() + self.statement(depth)
                       for _ in range(self.chance.randint(1, 2))) + self.space()

    def template(self):
        return self.body(2)
