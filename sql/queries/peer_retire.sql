-- Writes. Retires or restores a peer (:action is retired or restored); repeating it changes nothing.
INSERT INTO peer_retirements (peer, action) VALUES (:name, :action);
