package control

import "github.com/filmspool/filmspool/queue/viewing"

// HistoryMove asks for the delivered entries of one account to be sent to another one, too.
type HistoryMove struct {
	From   string `json:"from"`
	To     string `json:"to"`
	DryRun bool   `json:"dryRun"`
}

// HistoryMoved counts what a [HistoryMove] did, or would do in a dry run.
type HistoryMoved struct {
	HistoryMove
	Films     int `json:"films"`
	Episodes  int `json:"episodes"`
	Watchlist int `json:"watchlist"`
	Lists     int `json:"lists"` // including their items
	Known     int `json:"known"` // omitted because the account has them
	// AtService is how many of the films and episodes are in the other service's history already:
	// those are not sent. It is counted in a dry run, if the history is readable.
	AtService int             `json:"atService"`
	Readable  bool            `json:"readable,omitzero"`
	Reason    viewing.Message `json:"reason,omitzero"` // why it is not readable
	// SendSeconds is the approximate duration of the sending; 0 without a rate limit.
	SendSeconds int64 `json:"sendSeconds"`
}

// New returns how many entries the account gets.
func (m HistoryMoved) New() int { return m.Films + m.Episodes + m.Watchlist + m.Lists }
