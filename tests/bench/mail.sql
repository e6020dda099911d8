-- The mail of a mailbox in use, the same for both programs. `size` says how much; `mail` is filled in the order of `n`.
CREATE TEMP TABLE size (
  exchanges INTEGER, -- questions of four peers to each other, answered, all read
  open INTEGER, -- questions to `busy` that lie unread
  asked INTEGER -- questions of `asker` to `desk`, for the benchmark to work on
);

CREATE TEMP VIEW mail AS
WITH RECURSIVE
exchange (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM exchange WHERE n + 1 < (SELECT exchanges FROM size)),
single (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM single WHERE n + 1 < (SELECT open + asked FROM size)),
part (n, is_answer, sender, recipient) AS (
  SELECT n, 0, 'peer' || (n % 4), 'peer' || ((n + 1) % 4) FROM exchange WHERE (SELECT exchanges FROM size)
  UNION ALL
  SELECT n, 1, 'peer' || ((n + 1) % 4), 'peer' || (n % 4) FROM exchange WHERE (SELECT exchanges FROM size)
  UNION ALL
  SELECT n + (SELECT exchanges FROM size), 0, iif(is_open, 'peer' || (n % 4), 'asker'), iif(is_open, 'busy', 'desk')
  FROM (SELECT n, n < (SELECT open FROM size) AS is_open FROM single WHERE (SELECT open + asked FROM size))
)
SELECT
  n * 2 + is_answer AS n,
  -- In no order, as random ids are.
  format('%08x-%04x-4000-8000-%012x', n * 2654435761 & 4294967295, is_answer, n) AS id,
  sender,
  recipient,
  iif(is_answer, format('%08x-%04x-4000-8000-%012x', n * 2654435761 & 4294967295, 0, n), NULL) AS in_reply_to,
  format('%06d ', n) || replace(format('%128c', 'x'), ' ', 'a word, ') AS body, -- 1 KB
  n < (SELECT exchanges FROM size) AND (is_answer OR n % 3) AS is_read
FROM part;
