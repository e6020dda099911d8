-- Reads. What a code means to its user.
SELECT kind, meaning, next_step FROM error_codes WHERE code = :code;
