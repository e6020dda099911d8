-- Writes. Begins a batch, or finds it as it is.
INSERT INTO batches (id, sender, size, has_notices) VALUES (:batch, :actor, :size, :has_notices);
