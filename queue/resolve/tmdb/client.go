package tmdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/filmspool/filmspool/queue/resolve/web"
)

// DefaultBase is where TMDB's API is.
const DefaultBase = "https://api.themoviedb.org/3"

const (
	perSecond = 5
	burst     = 10
)

var (
	// ErrToken says that TMDB refuses the token.
	ErrToken = errors.New("TMDB refuses the token")
	// errNone says that there is nothing of that number.
	errNone = errors.New("TMDB has no such number")
	// errQuestion says that TMDB cannot answer this question, and may answer others.
	errQuestion = errors.New("TMDB cannot answer that")
)

// Client asks one address with one token. It may be used from several
// goroutines.
type Client struct {
	base  string
	token string
	web   *web.Client
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

// New makes a client and sends nothing. base is [DefaultBase], or another
// address with https or on this machine. Its errors never hold the token.
func New(base, token string) (*Client, error) {
	if err := errors.Join(web.CheckAddress(base, DefaultBase), CheckToken(token)); err != nil {
		return nil, fmt.Errorf("make client of TMDB: %w", err)
	}
	return &Client{base: base, token: token, web: web.New("TMDB", perSecond, burst)}, nil
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
		return c.web.Misshapen()
	}
	return nil
}

// get reads one answer into out. Its errors name no path and no query: both may
// tell what was watched.
func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path+"?"+query.Encode(), nil)
	if err != nil {
		return c.web.Later("its address is not valid")
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "filmspool")
	answer, err := c.web.Do(r)
	switch {
	case errors.Is(err, web.ErrLarge):
		return errQuestion
	case err != nil:
		return err
	}
	return c.judge(answer, out)
}

// judge reads an answer, or says why it is none.
func (c *Client) judge(answer web.Answer, out any) error {
	var problem struct {
		Code int `json:"status_code"`
	}
	switch status := answer.Status; {
	case status == http.StatusOK:
		if json.Unmarshal(answer.Body, out) != nil {
			return c.web.Misshapen()
		}
		return nil
	case json.Unmarshal(answer.Body, &problem) == nil && status == http.StatusUnauthorized && problem.Code > 0: // 3, 7, 10 or 14
		return ErrToken
	case status == http.StatusNotFound && (problem.Code == 34 || problem.Code == 6):
		return errNone
	case status == http.StatusBadRequest, status == http.StatusRequestURITooLong, status == http.StatusUnprocessableEntity, problem.Code == 44:
		return errQuestion
	default:
		return c.web.Refused(answer)
	}
}
