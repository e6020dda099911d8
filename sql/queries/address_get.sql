-- Reads. One peer with its present address, without what became of it.
SELECT p.name, p.harness, p.delivery, a.session_id, a.workspace, a.home, a.socket, a.url
FROM peers AS p
LEFT JOIN peer_addresses AS a ON a.seq = (SELECT max(n.seq) FROM peer_addresses AS n WHERE n.peer = p.name)
WHERE p.name = :name;
