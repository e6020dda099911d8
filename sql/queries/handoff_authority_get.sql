-- Reads. The hash of the token that a receipt must present; private, never to be shown.
SELECT hash FROM handoff_capabilities WHERE handoff = :id;
