-- Reads. The peers after a name (:all, or only those that are not retired), by name.
SELECT v.* FROM peer_v AS v WHERE v.name > :after AND (:all OR v.retired_at IS NULL) ORDER BY v.name LIMIT :limit;
