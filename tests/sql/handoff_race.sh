#!/usr/bin/env bash
# Twelve processes race for one fence, again and again, each with the whole transaction of a send in the plain sqlite3
# shell. One wins; the others are refused with handoff_already_attempted, and leave nothing behind.
# By hand: tests/sql/handoff_race.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
db=$work/mail.sqlite3
for file in $(printf '%s\n' sql/migrations/V*.sql | sort -V) sql/handoff/V*.sql; do cat "$file"; done | sqlite3 -bail "$db"
sqlite3 -bail "$db" > /dev/null <<SQL
PRAGMA journal_mode = WAL;
INSERT INTO peers (name, harness, delivery) VALUES ('a', 'test', 'pull');
.read tests/sql/fixtures/handoffs.sql
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO new_handoffs (id) SELECT value FROM generate_series(1, $rounds);
SQL

try() {
  sqlite3 -bail -batch "$db" > /dev/null 2> "$work/$2.err" <<SQL
.timeout 20000
BEGIN IMMEDIATE;
INSERT INTO handoff_attempts (
  handoff, sender, recipient, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES ('$1', 'a', 'x', 'gen-1', printf('%064d', 7), 1, 0, printf('%064d', 1), 2000 + $2);
INSERT INTO handoff_capabilities (handoff, hash) VALUES ('$1', printf('%064d', $2));
INSERT INTO messages (id, sender, recipient, body) VALUES ('$1', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, peer, goal, seconds, boot, at_ns)
VALUES ('$1', 1, 'a', 'acknowledged', 30, printf('%064d', 1), 2000 + $2);
COMMIT;
SQL
}

for round in $(seq "$rounds"); do
  id=$(printf '10000000-0000-4000-8000-%012d' "$round")
  pids=()
  for racer in $(seq 12); do
    try "$id" "$racer" &
    pids+=("$!")
  done
  winners=0
  for racer in $(seq 12); do
    if wait "${pids[racer - 1]}"; then
      winners=$((winners + 1))
      winner=$racer
    elif ! grep -q handoff_already_attempted "$work/$racer.err"; then
      echo "round $round: racer $racer was refused otherwise: $(cat "$work/$racer.err")" >&2
      exit 1
    fi
  done
  found=$(sqlite3 "$db" "
    SELECT count(*), max(a.at_ns - 2000), max(CAST(c.hash AS INTEGER)), max(w.at_ns - 2000), count(m.id)
    FROM handoff_attempts AS a JOIN handoff_capabilities AS c USING (handoff) JOIN handoff_waits AS w USING (handoff)
    JOIN messages AS m ON m.id = a.handoff WHERE a.handoff = '$id';")
  if [ "$winners" -ne 1 ] || [ "$found" != "1|$winner|$winner|$winner|1" ]; then
    echo "round $round: $winners winners, last $winner, recorded $found" >&2
    exit 1
  fi
done
echo "$rounds rounds of 12: one winner each"
