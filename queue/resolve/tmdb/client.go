package tmdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// DefaultBase is where TMDB's API is.
const DefaultBase = "https://api.themoviedb.org/3"

const (
	perSecond = 5
	burst     = 10
	patience  = 30 * time.Second // for one answer
	maxAnswer = 16 << 20         // bytes; a series with 20 seasons has some 6 MB
)

var (
	// ErrToken says that TMDB refuses the token.
	ErrToken = errors.New("TMDB refuses the token")
	// errNone says that there is nothing of that number.
	errNone = errors.New("TMDB has no such number")
	// errQuestion says that TMDB cannot answer this question, and may answer others.
	errQuestion = errors.New("TMDB cannot answer that")
)

// LaterError says that TMDB cannot be asked now.
type LaterError struct {
	Why  string        // one clause, without anything that was asked
	Wait time.Duration // what TMDB asked for; 0 when it has not said
}

func (e *LaterError) Error() string { return "TMDB cannot be asked now: " + e.Why }

// Client asks one address with one token. It may be used from several
// goroutines.
type Client struct {
	base  string
	token string
	http  *http.Client
	pace  *rate.Limiter
}

// CheckToken says what is wrong with a token's form.
func CheckToken(token string) error {
	switch {
	case token == "":
		return errors.New("there is no token")
	case len(token) == 32 && strings.Trim(token, "0123456789abcdefABCDEF") == "":
		return errors.New("this is the API key; Filmspool needs the longer API Read Access Token, which stands below it")
	case len(token) > 4096 || strings.ContainsFunc(token, func(r rune) bool { return r < '!' || r > '~' }):
		return errors.New("this is no token: it has letters, digits and signs only, without blanks")
	}
	return nil
}

// CheckBase refuses an address to which the token must not go: one without
// https that is not on this machine.
func CheckBase(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(base, "/"):
		return fmt.Errorf("%q is no address such as %s", base, DefaultBase)
	case u.Scheme == "https", u.Scheme == "http" && net.ParseIP(u.Hostname()).IsLoopback():
		return nil
	default:
		return fmt.Errorf("%q does not begin with https://", base)
	}
}

// New makes a client and sends nothing. base is [DefaultBase], or another
// address with https or on this machine. Its errors never hold the token.
func New(base, token string) (*Client, error) {
	if err := errors.Join(CheckBase(base), CheckToken(token)); err != nil {
		return nil, fmt.Errorf("make client of TMDB: %w", err)
	}
	return &Client{base: base, token: token, pace: rate.NewLimiter(perSecond, burst), http: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// String names the address and leaves the token out, whoever prints it.
func (c *Client) String() string { return "TMDB client for " + c.base }

// GoString is String: %#v would show the token otherwise.
func (c *Client) GoString() string { return c.String() }

// LogValue is String, for loggers that take values apart.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Prove asks TMDB whether it takes the token.
func (c *Client) Prove(ctx context.Context) error {
	var taken struct{ Success bool }
	if err := c.get(ctx, "/authentication", nil, &taken); err != nil {
		return err
	}
	if !taken.Success {
		return misshapen()
	}
	return nil
}

// misshapen says that an answer is none.
func misshapen() error { return &LaterError{Why: "its answer is not of the documented shape"} }

// get reads one answer into out. Its errors name no path and no query: both may
// tell what was watched.
func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	if c.pace.Wait(ctx) != nil {
		return &LaterError{Why: "there was no time to ask"}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path+"?"+query.Encode(), nil)
	if err != nil {
		return &LaterError{Why: "its address is not valid"}
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "filmspool")
	answer, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &LaterError{Why: "it cannot be reached"}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &LaterError{Why: "its answer broke off"}
	case len(body) > maxAnswer:
		return errQuestion
	}
	return judge(answer, body, out)
}

// judge reads an answer, or says why it is none.
func judge(answer *http.Response, body []byte, out any) error {
	var problem struct {
		Code int `json:"status_code"`
	}
	switch status := answer.StatusCode; {
	case status == http.StatusOK:
		if json.Unmarshal(body, out) != nil {
			return misshapen()
		}
		return nil
	case json.Unmarshal(body, &problem) == nil && status == http.StatusUnauthorized && problem.Code > 0: // 3, 7, 10 or 14
		return ErrToken
	case status == http.StatusNotFound && (problem.Code == 34 || problem.Code == 6):
		return errNone
	case status == http.StatusBadRequest, status == http.StatusRequestURITooLong, status == http.StatusUnprocessableEntity, problem.Code == 44:
		return errQuestion
	default:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		wait := min(max(time.Duration(seconds)*time.Second, 0), 24*time.Hour)
		return &LaterError{Why: fmt.Sprintf("it answered %d", status), Wait: wait}
	}
}
