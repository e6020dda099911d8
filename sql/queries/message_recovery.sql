-- Reads. What the actor can do about a message.
SELECT action, verb, target_id, options FROM recovery_v WHERE message_id = :id AND peer = :actor;
