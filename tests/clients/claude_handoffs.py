"""Handoffs to real Claude Code sessions: scenarios of claude_real.py."""
import json
import os
import re
import signal
import subprocess
import time

from arguments import Watch
from claude_rig import Failure, asking, kill, until, want


def handoffs(rig):
    """A sender, a session, and a ledger."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    want(rig.htalk("handoff", "init")["exit"] == 0, "init")
    with open(rig.root + "/m", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write("MESSAGE OF THE HANDOFF")
    return session


def handoff(rig, verb, *words, **options):
    return rig.htalk("--as", "a", "handoff", verb, *words, **options)


def hand_over(rig, *words, **options):
    return handoff(rig, "send", *words, "--to", "b", "--message-file", "m", **options)


def prepared(rig):
    """The id of a prepared handoff."""
    return want_state(handoff(rig, "prepare", "--to", "b", "--message-file", "m"), "validated", 0)


def want_state(told, state, exit, reason=None):
    """The id of a handoff that is in a state."""
    seen = (told.get("handoff", {}).get("state"), told["exit"], told.get("reason"))
    want(seen == (state, exit, reason), seen, "instead of", (state, exit, reason), told)
    return told["handoff"]["correlation_id"]


def was_refused(rig, told, code, id):
    """An error that left a handoff prepared, and nobody told."""
    want((told.get("error"), told["exit"]) == (code, 1), told)
    want_state(handoff(rig, "status", id), "validated", 0)
    want(not rig.saw(id, 0, 1), "a notice of", id)


def handed_over(rig, *words, to="b"):
    """Hands over until the session was quick enough to be heard, at most five times."""
    for _ in range(5):
        told = handoff(rig, "send", *words, "--to", to, "--message-file", "m")
        if told.get("reason") != "claude_not_confirmed":
            return told
    raise Failure("the session is too slow: no report within 400 ms, five times")


# The notice of a handoff with authority: read the message, then present the receipt, as its words say. The pause keeps
# the processes long enough for a look at their arguments.
PRESENT = (r"(htalk --db \S+ --as b) show (\S+).*?\n(\S+ --db \S+ --as b handoff ack --receipt -)\n(\{[^\n]*\})",
           {"bash": "\\1 show \\2 && \\3 <<'EOT' && sleep 0.5\n\\4\nEOT"})


def handoff_acknowledged(rig):
    """The model reads the message and presents the receipt: evidence, without the token anywhere of htalk's."""
    session = handoffs(rig)
    rig.orders.append(PRESENT)
    with Watch('"kind":"receipt"') as watch:
        told = handed_over(rig, "--request-ack", "--wait-for", "acknowledged")
        # A quick model presents it while the sender still listens for a report; that is `pending` until it is over.
        answer = r'"duplicate":false,"classification":"(committed|pending)"'
        found = until(lambda: re.search(answer, "".join(new for _, new in rig.model.seen)))
        want(found, rig.model.seen)
        session.settle()
    id = want_state(told, "acknowledged", 0)
    ack, wait = told["handoff"]["ack"], told["handoff"]["wait"]
    want((ack["status"], ack["assurance"], ack["late"]) == ("acknowledged", "token_possession", False), told)
    want((wait["for"], wait["status"]) == ("acknowledged", "satisfied"), told)
    whole = rig.model.seen[-1][0]
    want(whole.count(f"message {id}") == 1 and "MESSAGE OF THE HANDOFF" in whole, whole)
    token = re.findall(r'"capability":"([\w-]{43})"', whole)[-1]
    after = [handoff(rig, "status", id), handoff(rig, "list"), rig.htalk("--as", "b", "show", id),
             rig.run("sqlite3", rig.environment["HTALK_DB"], ".dump").stdout]
    want(id in after[-1] and token not in str([told, *after]), "htalk shows the token")
    want(token not in whole.partition("TOOL RESULT")[2], "htalk printed the token")
    files = []
    for place, _, names in os.walk(rig.root):
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path) and not os.path.islink(path) and token.encode() in open(path, "rb").read():
                files.append(os.path.relpath(path, rig.root))
    # The transcript, and the arguments of the shell that the client's tool started: those are the client's own.
    want(all(path.endswith(".jsonl") for path in files), files)
    want(watch.seen <= {("bash", "cmdline")}, watch.seen)
    print("      the token is in", sorted(files), sorted(watch.seen), f"after {watch.looks} looks; it was", found[1])
    want_state(hand_over(rig, "--request-ack", "--wait-for", "delivered"), "refused", 1, "evidence_unsupported")


def handoff_confirmed(rig):
    """A correlation-only handoff, the sender's own statement, and a wait that it satisfies."""
    handoffs(rig)
    told = handed_over(rig)
    id = want_state(told, "submitted", 0)
    want(told["handoff"]["ack"]["status"] == "not_requested", told)
    want(rig.saw(id) and not rig.saw('"kind":"receipt"', 0, 0), "not a usual notice")
    facts = told["handoff"]
    statement = {"schema_version": 1, "ledger_epoch": facts["ledger_epoch"], "correlation_id": id,
                 "target_generation": facts["target_generation"], "confirmed": True}
    told = handoff(rig, "confirm", "--receipt", "-", input=json.dumps(statement))
    want_state(told, "acknowledged", 0)
    told = handoff(rig, "wait", id, "--wait-timeout", "6")
    want_state(told, "acknowledged", 0)
    facts = told["handoff"]
    want((facts["ack"]["assurance"], facts["wait"]["status"]) == ("operator_confirmed", "satisfied"), told)
    again = hand_over(rig, id)
    want(again.get("error") == "handoff_already_attempted" and again["exit"] == 1, again)


def handoff_to_a_successor(rig):
    """What was prepared for one process is not handed to the next one of the same session, nor after /clear."""
    first = handoffs(rig)
    first.type("hello")
    want(rig.saw("hello"), "no turn")
    first.settle()
    session_id, id = first.id, prepared(rig)
    first.type("/exit")
    want(until(lambda: not first.record()), "not ended")
    was_refused(rig, hand_over(rig, id), "target_generation_unavailable", id)
    second = rig.session("again", rig.workspace("one"), "--resume", session_id)
    want(second.id == session_id and second.pid != first.pid, second.record())
    was_refused(rig, hand_over(rig, id, "--request-ack"), "handoff_binding_conflict", id)
    id = prepared(rig)
    second.type("/clear")
    want(until(lambda: second.id != session_id), "not cleared")
    was_refused(rig, hand_over(rig, id), "target_generation_unavailable", id)
    # Its new session is another one too, under whatever name.
    second.register("c", rig.workspace("one"))
    told = handoff(rig, "send", id, "--to", "c", "--message-file", "m")
    was_refused(rig, told, "handoff_binding_conflict", id)


def held_back(rig, peer, call):
    """Hands over, held back for three seconds before a system call behind the fence; a function for the answer."""
    tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:delay_enter=3s"]
    words = ["htalk", "--as", "a", "handoff", "send", "--to", peer, "--message-file", "m"]
    sender = subprocess.Popen([*tracer, *words], env=rig.environment, cwd=rig.root, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True)
    is_fenced = lambda one: one["recipient"] == peer and one["state"] == "unknown"
    want(until(lambda: any(map(is_fenced, handoff(rig, "list")["handoffs"]))), "no fence")
    time.sleep(0.5)
    return lambda: {**json.loads(sender.communicate()[0]), "exit": sender.returncode}


def stop(session):
    """Stops a client; its terminal first, which would continue it. Returns both."""
    both = int(session.rig.tmux("display-message", "-p", "#{pid}").stdout), session.pid
    for pid in both:
        os.kill(pid, signal.SIGSTOP)
    return both


def clear_it(session):
    before = session.id
    session.type("/clear")
    want(until(lambda: session.id != before), "not cleared")


def handoff_while_it_changes(rig):
    """A session that dies, becomes another or stands still behind the fence, before the last look and at the write."""
    handoffs(rig)
    cases = [
        (kill, "connect", "refused", "stale_target", 0),
        (kill, "sendto", "refused", "stale_target", 0),
        (clear_it, "connect", "refused", "stale_target", 0),
        (clear_it, "sendto", "unknown", "recipient_identity_changed", 0),
        (stop, "connect", "unknown", "claude_process_stopped", 1),
        (stop, "sendto", "unknown", "claude_process_stopped", 1),
    ]
    for number, (change, call, state, reason, notices) in enumerate(cases):
        name = f"case{number}"
        session = rig.session(name, rig.workspace("one"))
        session.register(name, rig.workspace("one"))
        finish = held_back(rig, name, call)
        stopped = change(session)
        try:
            told = finish()
        finally:
            for pid in stopped or ():
                os.kill(pid, signal.SIGCONT)
        id = want_state(told, state, 1, reason)
        shown = rig.saw(f"message {id}", 0, 5 if notices else 1)
        want(bool(shown) == bool(notices), name, "shown" if shown else "not shown")
        want_state(handoff(rig, "status", id), state, 0, reason)
        again = handoff(rig, "send", id, "--to", name, "--message-file", "m")
        want(again.get("error") == "handoff_already_attempted", again)
        if change is not kill:
            kill(session)


def handoff_modes(rig):
    """What the client does with a handoff in each of its modes, nobody at the terminal."""
    rig.environment["IS_SANDBOX"] = "1"
    handoffs(rig)
    off = "--dangerously-skip-permissions"
    allowed = "--allow-dangerously-skip-permissions"
    modes = [("plan", [], "submitted"), ("acceptEdits", [], "submitted"), ("auto", [], "submitted"),
             ("dontAsk", [], "submitted"), ("auto", [allowed], "submitted"), ("plan", [allowed], "unknown"),
             ("auto", [off], "unknown"), ("plan", [off], "unknown")]
    for number, (mode, words, state) in enumerate(modes):
        name = f"mode{number}"
        session = rig.session(name, rig.workspace("one"), *words, "--permission-mode", mode)
        session.register(name, rig.workspace("one"))
        told = handed_over(rig, "--request-ack", to=name)
        is_held = state == "unknown"
        id = want_state(told, state, int(is_held), "claude_held_for_person" if is_held else None)
        want(bool(rig.saw(id, 0, 2)) != is_held, mode, words, rig.screen(name))
        kill(session)


def handoff_held(rig):
    """A session without permission prompts holds the notice for its person: doubt, and no second try."""
    handoffs(rig)
    told = handed_over(rig, "--request-ack", "--wait-for", "acknowledged", "--wait-timeout", "7")
    want_state(told, "unknown", 1, "claude_held_for_person")
    want(not rig.model.seen, "a request was made")
    facts = told["handoff"]
    want((facts["ack"]["status"], facts["wait"]["reason"]) == ("unsupported", "evidence_failed"), told)
    # Its person accepts it later: the token of a submission that nobody confirmed has no authority.
    rig.orders.append(PRESENT)
    want("Deliver this message to Claude" in rig.screen("one"), rig.screen("one"))
    want("capability" not in rig.screen("one"), "the dialog shows the token", rig.screen("one"))
    # Its first keys the dialog ignores: they may have been meant for the prompt.
    chosen = lambda: "❯ Deliver" in rig.screen("one") or rig.tmux("send-keys", "-t", "one", "Down").stdout
    want(until(chosen, 10, 0.5), rig.screen("one"))
    rig.tmux("send-keys", "-t", "one", "Enter")
    want(rig.saw("receipt_authority_unavailable"), rig.model.seen[-1][0].partition("TOOL RESULT")[2])
    want_state(handoff(rig, "status", facts["correlation_id"]), "unknown", 0, "claude_held_for_person")


def handoff_refused(rig):
    """A session whose settings refuse other sessions."""
    handoffs(rig)
    told = handed_over(rig, "--request-ack", "--wait-for", "acknowledged", "--wait-timeout", "7")
    want_state(told, "refused", 1, "claude_refused")
    want(not rig.model.seen, "a request was made")


SCENARIOS = {
    handoff_acknowledged: {}, handoff_confirmed: {}, handoff_to_a_successor: {}, handoff_while_it_changes: {},
    handoff_modes: {"settings": {"skipDangerousModePermissionPrompt": True}}, handoff_held: {"mode": "bypass"},
    handoff_refused: {"settings": {"crossSessionInbound": "refuse"}},
}
