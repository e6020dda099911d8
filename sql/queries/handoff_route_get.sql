-- Reads. Whether an acknowledgment can come back from :recipient, on the machine :host (NULL: this one).
SELECT c.has_generation AND :host IS NULL AS is_acknowledgeable
FROM peers AS p JOIN handoff_harnesses AS c ON c.name = p.harness
WHERE p.name = :recipient;
