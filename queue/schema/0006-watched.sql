-- The diary: what was watched on a day, and the order in which all happened.
CREATE INDEX entries_happened ON entries (happened_at);
