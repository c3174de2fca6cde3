package typed

// Error is a mistake in a command line.
type Error struct {
	Problem string // one sentence without a full stop
	Next    string // what to write or type instead; "" when the problem says it
	Cause   error  // what a text is refused for, in the place of the problem
}

// Error is the problem.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Cause.Error()
	}
	return e.Problem
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Hint is what to write or type instead.
func (e *Error) Hint() string { return e.Next }
