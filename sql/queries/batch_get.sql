-- Reads. Who sent a batch.
SELECT sender FROM batches WHERE id = :id;
