package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// idempotencyKey names one act of the user towards one account: 64
// hexadecimal digits, the same for every resend of it, another one after an
// edit or a definite refusal. It tells the service nothing but that.
func idempotencyKey(installation string, e queue.Entry) string {
	parts := []string{
		installation,
		viewing.SourceKind(e.Source), e.EventID, strconv.Itoa(e.Part),
		e.Account, strconv.Itoa(e.Revision),
	}
	hash := sha256.New()
	for _, part := range parts {
		// With its length before it no part can run into the next.
		fmt.Fprintf(hash, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
