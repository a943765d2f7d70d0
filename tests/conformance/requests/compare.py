"""Requests of two clients, field by field."""

STATE = "/cosi.resource.State/"
MACHINE = "/machine.MachineService/"


def fields(value, path=""):
    """Every field of a request with its value. A message that is set is a field of its own, because
    a server may look into it without asking."""
    if not isinstance(value, (dict, list)):
        return {path: value}
    found = {path: "(set)"} if path and isinstance(value, dict) else {}
    for name, below in value.items() if isinstance(value, dict) else enumerate(value):
        step = f"[{name}]" if isinstance(value, list) else f".{name}" if path else name
        found |= fields(below, path + step)
    return found


def subject(call):
    """What the calls of two clients must have in common to be compared."""
    request = call.get("request", {})
    if not call["method"].startswith(STATE):
        return (call["method"],)
    return (call["method"], request.get("type", ""), "one" if "id" in request else "all")


def commands_for(calls):
    """What talosctl needs for it to ask for the same resources: those that end, and those
    that do not."""
    ending, endless = [], []
    for method, kind, ident in sorted({(call["method"], call["request"].get("type", ""),
                                        call["request"].get("id", ""))
                                       for call in calls if call["method"].startswith(STATE)}):
        words = ["get", kind] + ([ident] if ident else [])
        if method == STATE + "Watch":
            endless.append(words + ["-w"])
        else:
            ending.append(words)
    return ending, endless


def different(ours, theirs):
    """{field: (ours, theirs)} of two requests, with None for what is not set."""
    one, other = fields(ours["request"]), fields(theirs["request"])
    found = {name: (one.get(name), other.get(name)) for name in sorted(one.keys() | other.keys())
             if one.get(name) != other.get(name)}
    for line in ours.get("unknown", []):
        found[f"unknown{line.split()[0]}"] = (line, None)
    return found


def headers(call):
    return {name for name in call["headers"] if not name.startswith(":")}


def shown(value):
    """A value as it is printed. A machine config is long, and full of keys."""
    text = repr(value)
    return text if len(text) <= 60 else f"({len(text)} characters)"


def judge(ours, theirs, meant, meant_headers):
    """Lines about everything that differs and is not meant to, and about what is meant to differ
    and does not. `meant` is {(method, field): reason}."""
    wrong, used, used_headers = [], set(), set()
    recorded = {}
    for call in theirs:
        recorded.setdefault(subject(call), []).append(call)
    for about in sorted({subject(call) for call in ours}):
        if about not in recorded:
            wrong.append(f"{' '.join(about)}: talosctl was not recorded making this call")
            continue
        lines = set()
        for call in (call for call in ours if subject(call) == about):
            nearest = min((different(call, other) for other in recorded[about]), key=len)
            for field, (mine, real) in nearest.items():
                key = (call["method"], field.split("[")[0])
                used |= {key} & meant.keys()
                if key not in meant:
                    lines.add(f"{' '.join(about)}: {field}: ichor {shown(mine)}, "
                              f"talosctl {shown(real)}")
        wrong += sorted(lines)
    mine = set().union(*map(headers, ours))
    real = set().union(*map(headers, theirs))
    for name in sorted(mine ^ real):
        used_headers |= {name} & meant_headers.keys()
        if name not in meant_headers:
            wrong.append(f"header {name}: only {'ichor' if name in mine else 'talosctl'} sends it")
    for key in sorted(meant.keys() - used):
        wrong.append(f"{' '.join(key)}: no longer different; take it off the list")
    for name in sorted(meant_headers.keys() - used_headers):
        wrong.append(f"header {name}: no longer different; take it off the list")
    return wrong
