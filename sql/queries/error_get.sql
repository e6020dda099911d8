-- Reads. What a code means to its user.
SELECT exit, meaning, next_step FROM error_codes WHERE code = :code;
