-- Reads. One peer by its name.
SELECT v.* FROM peer_v AS v WHERE v.name = :name;
