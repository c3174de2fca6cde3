package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestReplay(t *testing.T) {
	for text, want := range map[string]Replay{
		"":                                      {BackfillRate: 5},
		"[replay]\nrate = 2":                    {Rate: 2, BackfillRate: 5},
		"[replay]\nrate = 0.5\ngrace = \"10m\"": {Rate: 0.5, BackfillRate: 5, Grace: Duration{Duration: 10 * time.Minute}},
		"[replay]\nbackfill_rate = 0":           {},
		"[replay]\ngrace = \"24h\"":             {BackfillRate: 5, Grace: Duration{Duration: 24 * time.Hour}},
	} {
		got, err := Load(write(t, text), true, env(), Overrides{})
		if err != nil || got.Replay != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got.Replay, err, want)
		}
	}
}

func TestReplayFaults(t *testing.T) {
	for text, want := range map[string]string{
		"rate = -1":           "replay.rate:",
		"rate = nan":          "replay.rate:",
		"rate = inf":          "replay.rate:",
		"backfill_rate = 1e9": "replay.backfill_rate:",
		`grace = "-1s"`:       "replay.grace:",
		`grace = "24h1ns"`:    "replay.grace:",
		`grace = "soon"`:      "10m or 1h30m",
		`grace = 10`:          "not a span of time",
		`speed = 1`:           "do not exist",
	} {
		_, err := Load(write(t, "[replay]\n"+text), true, env(), Overrides{})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(told(err), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestReplayIsShown shows that what is shown can be read again.
func TestReplayIsShown(t *testing.T) {
	c := Default()
	c.Replay = Replay{Rate: 0.5, BackfillRate: 2, Grace: Duration{Duration: 90 * time.Second}}
	text, err := c.Annotated()
	for _, name := range []string{"listen", "replay", "kodi", "resolve"} {
		if err == nil && !bytes.Contains(text, []byte("# "+name+": from ")) {
			t.Errorf("where %s comes from is not said", name)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(write(t, string(text)), true, env(), Overrides{})
	if err != nil || again.Replay != c.Replay {
		t.Errorf("%+v, %v, want %+v", again.Replay, err, c.Replay)
	}
	if shown, err := json.Marshal(c.Replay); err != nil || string(shown) != `{"rate":0.5,"backfillRate":2,"grace":"1m30s"}` {
		t.Errorf("shown as %s, %v", shown, err)
	}
}
