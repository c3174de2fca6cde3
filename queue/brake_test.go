package queue

// brakeless takes back what the fifth step of the schema has made.
func brakeless() []string {
	return []string{
		"DROP INDEX entries_wave", "DROP TABLE silences",
		"ALTER TABLE accounts DROP COLUMN paused_until", "ALTER TABLE accounts DROP COLUMN paused_drops",
	}
}
