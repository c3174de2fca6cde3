package library

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"
)

func TestClassifyServer(t *testing.T) {
	said := func(number uint16) error {
		return fmt.Errorf("read: %w", &mysql.MySQLError{Number: number, Message: "in its own words"})
	}
	for name, test := range map[string]struct{ err, want error }{
		"no error":                  {nil, nil},
		"access denied":             {said(1045), ErrServerRefused},
		"a word unknown to us":      {said(3999), ErrServerRefused},
		"too many connections":      {said(1040), ErrBusy},
		"a table gone":              {said(1146), ErrUpgrading},
		"shutting down":             {said(1053), ErrServerAway},
		"refused":                   {&net.OpError{Op: "dial", Err: errors.New("refused")}, ErrServerAway},
		"cut":                       {io.ErrUnexpectedEOF, ErrServerAway},
		"no database server at all": {mysql.ErrMalformPkt, ErrServerAway},
		"another authority":         {x509.UnknownAuthorityError{}, ErrServerRefused},
		"classified before":         {fmt.Errorf("%w: half made", ErrUpgrading), ErrUpgrading},
	} {
		if got := classifyServer(test.err); !errors.Is(got, test.want) || (test.want == nil) != (got == nil) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}
