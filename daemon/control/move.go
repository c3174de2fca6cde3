package control

import "github.com/filmspool/filmspool/queue/viewing"

// HistoryMove has what was delivered for one account sent to another, too.
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
	Lists     int `json:"lists"` // with what is on them
	Known     int `json:"known"` // left out: the account has them
	// AtService is how many of the films and episodes the other service shows in its
	// history: they are found there and not sent. It is counted in a dry run, where the
	// history can be read.
	AtService int             `json:"atService"`
	Readable  bool            `json:"readable,omitzero"`
	Reason    viewing.Message `json:"reason,omitzero"` // why it is not
	// SendSeconds is about how long the sending takes; 0 when nothing slows it.
	SendSeconds int64 `json:"sendSeconds"`
}

// New is how many entries the account gets.
func (m HistoryMoved) New() int { return m.Films + m.Episodes + m.Watchlist + m.Lists }
