package resolve

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A deadline that is too short for the rate limit is not an error of the provider.
func TestTooShortDeadlineIsNotTheProvidersError(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer s.Close()
	c := NewHTTP("Wikidata", 1.0/3600, 1)
	do := func(ctx context.Context) error {
		_, err := c.Do(ctx, s.URL, nil, nil)
		return err
	}
	if err := do(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := do(ctx); !errors.Is(err, context.DeadlineExceeded) || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

func TestCheckAddress(t *testing.T) {
	const example = "https://api.themoviedb.org/3"
	for given, ok := range map[string]bool{
		example: true, "http://127.0.0.1:8080/3": true, "http://[::1]:1/3": true,
		"http://api.themoviedb.org/3": false, "http://localhost.example/3": false, "https://api.themoviedb.org/3/": false,
		"https://a:b@c/3": false, "https://c/3?x=1": false, "https://c/3#x": false, "ftp://c/3": false, "/3": false, "": false, "https://%zz": false,
	} {
		if err := CheckAddress(given, example); (err == nil) != ok {
			t.Errorf("%q: %v", given, err)
		}
	}
}
