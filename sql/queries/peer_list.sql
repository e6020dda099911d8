-- Reads. All peers, or those that are not retired, by name.
SELECT v.* FROM peer_v AS v WHERE :all OR v.retired_at IS NULL ORDER BY v.name;
