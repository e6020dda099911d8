#!/usr/bin/env python3
"""htalk against real Claude Code sessions.

usage: claude_real.py --htalk BINARY --claude BINARY [--old-claude BINARY] [SCENARIO...]

BINARY for --claude is the native program of 2.1.332 or later, for --old-claude one without a socket (2.1.197). Where
`unshare -n` is permitted everything runs in a network namespace of its own. Needs tmux. Ends with 'N passed, N failed'.
"""
import argparse
import json
import os
import socket
import subprocess
import sys
import time

import claude_handoffs
from claude_handoffs import handoff, want_state
from claude_rig import Failure, Rig, asking, enter_own_network, kill, until, want

ARGUMENTS = None


def told(answer, submission, detail, exit):
    seen = (answer.get("submission"), answer.get("notification_detail"), answer["exit"])
    want(seen == (submission, detail, exit), seen, "instead of", (submission, detail, exit))
    return answer


def receipt(session):
    return f"claude_socket_bytes_written:{session.pid}"


def send(rig, text="What is the state?", to="b", *words):
    return rig.htalk("--as", "a", "send", to, "--message", text, *words)


def in_time(rig, submission, detail, exit):
    """Sends until the session was quick enough to be heard, at most five times; doubt is no failure, anything else is."""
    for _ in range(5):
        answer = send(rig)
        if answer["notification_detail"] != "claude_not_confirmed":
            return told(answer, submission, detail, exit)
        told(answer, "submission_unknown", "claude_not_confirmed", 2)
    raise Failure("the session is too slow: no report within 400 ms, five times")


def exchange(rig):
    """A question from one session, its answer from the other, both notices read and acknowledged by the models."""
    one, two = rig.session("one"), rig.session("two")
    one.register("one"), two.register("two")
    rig.orders += [
        ("ASK NOW", {"bash": "htalk send two --message 'Are you there?'"}),
        (r"left a request for you.*?(htalk --db \S+ --as two) show (\S+)", {"bash": r"\1 show \2 && htalk ack \2 && htalk reply \2 --message 'I am.'"}),
        (r"left the answer.*?(htalk --db \S+ --as one) show (\S+)", {"bash": r"\1 show \2 && htalk ack \2"}),
    ]
    one.type("ASK NOW")
    want(rig.saw("Are you there?", 0, 20), "the question was not shown", rig.screen("two"))
    want(rig.saw('"body":"I am."', 0, 20) or rig.saw("I am.", 0, 5), "the answer was not shown", rig.screen("one"))
    sent = until(lambda: [m for m in rig.htalk("--as", "one", "sent")["messages"] if m["reply"] and m["reply"]["ack_at"]])
    want(sent, rig.htalk("--as", "one", "sent"))
    # On a loaded machine a notice can be taken too late to be confirmed; it must never be called anything else.
    for message, session in ((sent[0], two), (sent[0]["reply"], one)):
        want(message["ack_at"] and message["notification_detail"] in (receipt(session), "claude_not_confirmed"), sent)
    want(rig.htalk("--as", "one", "inbox")["total"] == rig.htalk("--as", "two", "inbox")["total"] == 0, "mail left")
    whole = "\n".join(whole for whole, _ in rig.model.seen)
    want("Another Claude session sent a message" in whole, "the client's own frame around a notice is gone")


def states(rig):
    """idle, busy and waiting are seen, and a notice reaches each."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    checked = rig.htalk("peer", "check", "b")
    want((checked["pid"], checked["socket"], checked["runtime_status"]) == (session.pid, session.socket, "idle"), checked)
    answer = in_time(rig, "submitted", receipt(session), 0)
    want(answer["recipient_status"] == "idle" and rig.saw(answer["id"]), answer)
    session.settle()
    rig.orders += [("WORK", {"bash": "sleep 5"})]
    session.type("WORK")
    want(until(lambda: session.status() == "busy"), "not busy")
    time.sleep(1)
    answer = in_time(rig, "submitted", receipt(session), 0)
    want(answer["recipient_status"] == "busy" and rig.saw(answer["id"]), answer)
    session.settle()


def permission_prompt(rig):
    """A session that asks its person for a permission: the notice comes after the answer and does not answer it."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    rig.orders += [("WORK", {"bash": "touch made-by-work"})]
    session.type("WORK")
    want(until(lambda: session.status() == "waiting"), session.status(), rig.screen("one"))
    answer = in_time(rig, "submitted", receipt(session), 0)
    want(answer["recipient_status"] == "waiting", answer)
    time.sleep(1)
    want(not rig.saw(answer["id"], 0, 1) and session.status() == "waiting", "the prompt was answered")
    rig.tmux("send-keys", "-t", "one", "Enter")
    want(rig.saw(answer["id"]), "never shown")


def held(rig):
    """A session without permission prompts holds the notice for its person; the mail stays open."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    for _ in range(3):
        in_time(rig, "submission_unknown", "claude_held_for_person", 2)
    want(not rig.model.seen, "a request was made")
    want(rig.htalk("--as", "b", "inbox")["total"] == rig.htalk("--as", "a", "sent")["total"] >= 3, "the mail is gone")
    want(os.listdir(os.path.dirname(session.socket)) == [os.path.basename(session.socket)], "a socket was left")


def refused(rig):
    """A session whose settings refuse other sessions."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    in_time(rig, "not_submitted", "claude_refused", 2)
    want(not rig.model.seen, "a request was made")


def accepted(rig):
    """A session without permission prompts whose settings accept other sessions."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    answer = in_time(rig, "submitted", receipt(session), 0)
    want(rig.saw(answer["id"]), "never shown")


def clear(rig):
    """/clear gives the process another session: the registered one is gone, before and between look and write."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    before = session.id
    session.type("/clear")
    want(until(lambda: session.id != before), "not cleared")
    told(send(rig), "not_submitted", "recipient_unavailable", 2)
    want(rig.htalk("peer", "check", "b")["error"] == "recipient_unavailable", "check")
    listed = rig.htalk("peer", "discover", "--harness", "claude")["sessions"]
    want([row["session_id"] for row in listed] == [session.id], listed)


def clear_meanwhile(rig):
    """/clear while notices are being sent: each is refused, uncertain, or shown to the session that it was for."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    before = session.id
    rig.tmux("send-keys", "-t", "one", "-l", "/clear")
    time.sleep(0.5)
    rig.tmux("send-keys", "-t", "one", "Enter")
    answers = []
    end = time.monotonic() + 4
    while time.monotonic() < end and (not answers or answers[-1]["notification_detail"] != "recipient_unavailable"):
        answers.append(send(rig))
    want(session.id != before, "not cleared")
    time.sleep(2)
    lost = [a for a in answers if a["submission"] == "submitted" and not rig.saw(a["id"], 0, 1)]
    print("     ", [a["notification_detail"] for a in answers])
    want(not lost, "submitted and never shown:", [a["notification_detail"] for a in lost])


def several(rig):
    """A resumed session beside the first: the latest terminal gets the notice; its helper run does not."""
    asking(rig)
    first = rig.session("one")
    first.register("b")
    first.type("hello")
    first.settle()
    time.sleep(1)
    second = rig.session("again", rig.workspace("one"), "--resume", first.id)
    want(second.id == first.id and second.pid != first.pid, second.record())
    in_time(rig, "submitted", receipt(second), 0)
    listed = rig.htalk("peer", "discover", "--harness", "claude")["sessions"]
    want(len(listed) == 1, listed)
    kill(second)
    in_time(rig, "submitted", receipt(first), 0)


def killed_client(rig):
    """A killed client leaves record, key and socket behind, and for a while a zombie."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    kill(session)
    for _ in range(3):
        told(send(rig), "not_submitted", "recipient_unavailable", 2)
        time.sleep(0.3)
    want(session.record() and os.path.exists(session.socket), "the client cleans up by itself now")
    want(rig.htalk("peer", "discover", "--harness", "claude")["sessions"] == [], "listed")


def killed_sender(rig):
    """A sender killed while it listens: uncertain for ever, no second notice, and no socket left after the next run."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    folder = os.path.dirname(session.socket)
    own = [os.path.basename(session.socket)]
    key = "5f4ab7f4-0a7e-4e0f-9c4d-3c27f0c9a001"
    # A first prompt makes the transcript late, so the sender listens long enough.
    sender = subprocess.Popen(["htalk", "--as", "a", "send", "b", "--id", key, "--message", "x"], env=rig.environment,
                              stdout=subprocess.DEVNULL)
    want(until(lambda: len(os.listdir(folder)) > 1, 5, 0.001), "no socket seen")
    time.sleep(0.02)
    sender.kill()
    sender.wait()
    want(len(os.listdir(folder)) == 3, os.listdir(folder))
    want(rig.htalk("--as", "a", "show", key)["submission"] == "submission_unknown", "claimed")
    again = rig.htalk("--as", "a", "send", "b", "--id", key, "--message", "x")
    want(again["created"] is False and again["exit"] == 0, again)
    session.settle()
    foreign = socket.socket(socket.AF_UNIX)
    foreign.bind(folder + "/999999.sock")
    foreign.close()
    in_time(rig, "submitted", receipt(session), 0)
    want(sorted(os.listdir(folder)) == sorted(own + ["999999.sock"]), os.listdir(folder))
    shown = sum(f"message {key}" in new for _, new in rig.model.seen)
    want(shown <= 1, shown, "notices of one message")


def many(rig):
    """Seventy notices at once to a busy session: what is called submitted is shown, what was dropped is called so."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    rig.orders += [("left a request", {"pause": 4})]  # a turn long enough for the queue of 50 to fill
    senders = [subprocess.Popen(["htalk", "--as", "a", "send", "b", "--message", f"question {n}"], env=rig.environment,
                                stdout=subprocess.PIPE, text=True) for n in range(70)]
    answers = [json.loads(sender.communicate()[0]) for sender in senders]
    counts = {}
    for answer in answers:
        detail = answer["notification_detail"].split(":")[0]
        counts[answer["submission"], detail] = counts.get((answer["submission"], detail), 0) + 1
    print("     ", counts)
    time.sleep(5)
    session.settle()
    whole = "\n".join(whole for whole, _ in rig.model.seen)
    lost = [a["id"] for a in answers if a["submission"] == "submitted" and a["id"] not in whole]
    false = [a["id"] for a in answers if a["submission"] == "not_submitted" and a["id"] in whole]
    want(not lost and not false, "lost:", lost, "called dropped and shown:", false)


def broken_record(rig):
    """A record that cannot be understood: the client's own list is asked instead, and nothing is called submitted."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    with open(f"{rig.config}/sessions/{session.pid}.json", "w") as file:
        file.write('{"pid": "new form"}')
    begun = time.monotonic()
    answer = send(rig)
    found = rig.htalk("peer", "discover", "--harness", "claude")
    print(f"      {time.monotonic() - begun:.2f} s", answer["notification_detail"], found["sources"], len(found["sessions"]))
    want(answer["submission"] == "not_submitted", answer)
    want(found["sources"][0]["status"] == "unavailable" and found["sources"][0]["rejected"] == 1, found)


def usual_places(rig):
    """The usual configuration and socket directories: nothing has to be named."""
    asking(rig)
    session = rig.session("one")
    listed = rig.htalk("peer", "discover", "--harness", "claude")["sessions"]
    want(len(listed) == 1 and listed[0]["home"] is None, listed)
    added = rig.htalk("peer", "add", "b", "--harness", "claude", "--session", session.id, "--workspace", rig.workspace("one"))
    want(added["exit"] == 0, added)
    answer = in_time(rig, "submitted", receipt(session), 0)
    want(rig.saw(answer["id"]), "never shown")


def timing(rig):
    """How long a send takes, and how long the part before the write."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    times = []
    for _ in range(12):
        session.settle()
        begun = time.monotonic()
        in_time(rig, "submitted", receipt(session), 0)
        times.append((time.monotonic() - begun) * 1000)
    checks = []
    for _ in range(20):
        begun = time.monotonic()
        rig.htalk("peer", "check", "b")
        checks.append((time.monotonic() - begun) * 1000)
    want(rig.htalk("handoff", "init")["exit"] == 0, "init")
    handoffs = []
    for _ in range(12):
        session.settle()
        begun = time.monotonic()
        told = handoff(rig, "send", "--to", "b", "--request-ack", input="What is the state?")
        if told.get("reason") != "claude_not_confirmed":
            want_state(told, "submitted", 0)
            handoffs.append((time.monotonic() - begun) * 1000)
    times.sort(), checks.sort(), handoffs.sort()
    print(f"      send, listening included: median {times[6]:.0f} ms, worst {times[-1]:.0f} ms; check: median {checks[10]:.1f} ms; "
          f"handoff send: median {handoffs[len(handoffs) // 2]:.0f} ms, worst {handoffs[-1]:.0f} ms of {len(handoffs)}")


def no_socket(rig):
    """A version without a socket: found, recognised as a caller without CLAUDE_PID, and never called notified."""
    asking(rig)
    session = rig.session("one")
    session.register("b")
    told(send(rig), "not_submitted", "recipient_has_no_socket", 2)
    want(rig.htalk("peer", "check", "b")["error"] == "recipient_has_no_socket", "check")
    listed = rig.htalk("peer", "discover", "--harness", "claude")["sessions"]
    want([row["session_id"] for row in listed] == [session.id], listed)
    rig.orders += [("LOOK", {"bash": "env | grep -c ^CLAUDE_PID= ; htalk inbox"})]
    session.type("LOOK")
    want(rig.saw("What is the state?"), rig.screen("one"))
    want(any(new.startswith("TOOL RESULT 0\n") for _, new in rig.model.seen), "CLAUDE_PID is set")


SCENARIOS = {
    exchange: {}, states: {}, permission_prompt: {"settings": {"permissions": {"defaultMode": "default"}}},
    held: {"mode": "bypass"}, accepted: {"mode": "bypass", "settings": {"crossSessionInbound": "accept"}},
    refused: {"settings": {"crossSessionInbound": "refuse"}}, clear: {}, clear_meanwhile: {}, several: {},
    killed_client: {}, killed_sender: {}, many: {}, broken_record: {}, usual_places: {"usual_places": True}, timing: {},
    **claude_handoffs.SCENARIOS,
    no_socket: {"old": True},
}


def main():
    global ARGUMENTS
    parser = argparse.ArgumentParser()
    for name in ("htalk", "claude", "old-claude"):
        parser.add_argument("--" + name, type=os.path.realpath)
    parser.add_argument("scenarios", nargs="*")
    ARGUMENTS = parser.parse_args()
    for program in (ARGUMENTS.htalk, ARGUMENTS.claude):
        if not program or not os.access(program, os.X_OK) or os.path.isdir(program):
            parser.error(f"--htalk and --claude name programs, {program} is none")
    enter_own_network()
    passed = failed = 0
    for scenario, options in SCENARIOS.items():
        options = dict(options)
        claude = ARGUMENTS.old_claude if options.pop("old", False) else ARGUMENTS.claude
        if not claude or ARGUMENTS.scenarios and scenario.__name__ not in ARGUMENTS.scenarios:
            continue
        rig = Rig(claude, ARGUMENTS.htalk, **options)
        try:
            scenario(rig)
            passed += 1
            print("ok   ", scenario.__name__, flush=True)
        except Exception as error:
            failed += 1
            print("FAIL ", scenario.__name__, type(error).__name__, str(error)[:1500], flush=True)
        finally:
            rig.close()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
