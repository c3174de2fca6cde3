package daemon

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/tracker"
)

// inSource are the texts of a source file that a pattern finds, with X for each value.
func inSource(t *testing.T, file, pattern string) (texts []string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	value := regexp.MustCompile(`" \+ .*? \+ "|%[ds]`)
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(source), -1) {
		texts = append(texts, value.ReplaceAllString(m[1], "X"))
	}
	return texts
}

// TestRemarksAreToldInEveryLanguage: how an account and a library stand is known to the
// catalogue by its English words, so that a page in another language has no English.
func TestRemarksAreToldInEveryLanguage(t *testing.T) {
	libraries := inSource(t, "../kodi/status.go", `State\w+, "([^"]*)"`)
	reasons := inSource(t, "../queue/tracker/v1/words.go", `(?m)^\t\treturn "(.*)"$`)
	if len(libraries) < 20 || len(reasons) < 8 {
		t.Fatalf("%d sentences about libraries and %d reasons are found: the pattern is wrong", len(libraries), len(reasons))
	}
	texts := libraries
	for _, why := range reasons {
		texts = append(texts, "The service cannot be reached: "+why+".")
	}
	texts = append(texts, inSource(t, "../queue/tracker/v1/probe.go", `v\.Problem = "([^"]+)"`)...)
	texts = append(texts, inSource(t, "../queue/tracker/v1/judge.go", `Fate: tracker\.Offline, Problem: "([^"]+)"`)...)
	for _, how := range inSource(t, "../queue/tracker/v1/words.go", `s\.answered\("([^"]+)"\)`) {
		texts = append(texts, "The service answered 503 "+how+".")
	}
	texts = append(texts, inSource(t, "../queue/tracker/v1/words.go", `Problem: +fmt\.Sprintf\("(What[^"]+)"`)...)
	texts = append(texts, inSource(t, "../queue/tracker/v1/words.go", `Problem += fmt\.Sprintf\("([^"]+)"`)...)
	texts = append(texts, inSource(t, "status.go", `(?:Reason|Note)(?::| =) "([^"]+)"`)...)
	texts = append(texts, tracker.KeyRefused, tracker.KeyReadOnly, anothersKey+"Ann, but what waits here was watched by user 7.")
	for _, pause := range []account.Pause{account.ByUser(time.Now(), time.Time{}, false), account.ByUser(time.Now(), time.Now(), true)} {
		texts = append(texts, pause.Problem)
	}
	for _, c := range []config.Credential{{}, {BaseURL: "https://a.example", KeyProblem: "no key is known"}} {
		texts = append(texts, standing(replay.Health{State: account.NoKey}, c, lacking(c), "").Reason)
	}
	texts = append(texts, standing(replay.Health{State: account.Offline}, config.Credential{}, "", "").Reason)
	for _, clock := range []int64{7200, -7200} {
		says, _ := rule.Clock{Off: clock, Votes: 100}.Words()
		for _, addons := range [][]string{nil, {"a"}, {"a", "b"}} {
			texts = append(texts, kodiSource(kodi.Status{
				State: kodi.StateOK, Beside: "3 tagged for the watchlist, 2 sets and playlists, 1 smart playlists not evaluated, 4 playlists without a list: filmspool kodi scan",
				Deaf: map[bool]string{false: "changes were found that no event told of", true: "the folder lies on a drive (nfs) on which others make changes without an event"}[clock > 0], Clock: says, Announcements: scan.Heard, Unwatched: addons, Reporters: addons, Writers: addons,
				Import: rule.Import{Total: 9, Done: 2}, Importing: addons == nil,
			}).Detail)
		}
	}
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if told, known := c.In("de").Retell(text); !known {
			t.Errorf("not known in German: %q, told as %q", text, told)
		}
	}
}

// TestNothingIsToldInVain: a sentence that the program does not tell any more is in
// nobody's language.
func TestNothingIsToldInVain(t *testing.T) {
	var all strings.Builder
	all.WriteString("unknown movie, unknown tv, unknown show, unknown episode") // viewing.Media.Label composes these
	for _, room := range []string{".", "../kodi", "../queue"} {
		err := filepath.WalkDir(room, func(name string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			source, err := os.ReadFile(name)
			all.Write(source)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	english := c.In(words.English)
	for _, key := range english.Keys() {
		if !strings.HasPrefix(key, "told.") {
			continue
		}
		parts := regexp.MustCompile(`\{\w+\}|[:;,.] | by `).Split(english.Say(key), -1)
		parts = slices.DeleteFunc(parts, func(part string) bool { return strings.Trim(part, ".:,() ") == "" })
		if len(parts) > 0 && !slices.ContainsFunc(parts, func(part string) bool {
			part = strings.Trim(part, ".: ")
			return len(part) >= 8 && strings.Contains(all.String(), part) || strings.Contains(all.String(), `"`+part)
		}) {
			t.Errorf("nobody tells %s: %q", key, english.Say(key))
		}
	}
}

// TestWordsOfTheAPIStayEnglish: a problem is told in the language that is asked for, and
// the reason that a script reads stays as it is.
func TestWordsOfTheAPIStayEnglish(t *testing.T) {
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	a := standing(replay.Health{State: account.Offline, Reason: "The service cannot be reached: the time was up.", Since: time.Now().Add(-48 * time.Hour)}, config.Credential{Account: "default"}, "", "")
	s := control.Status{Accounts: []control.Account{a}}
	s.Counts.Pending = 1
	v := health.Judge(c.In("de"), health.Conditions{Status: &s, Now: time.Now()})
	const german = "Der Dienst ist nicht zu erreichen: die Zeit war um"
	if !strings.Contains(v.Summary, german) || len(v.Problems) == 0 || !strings.Contains(v.Problems[0].Text, german) {
		t.Errorf("told as %q, %+v", v.Summary, v.Problems)
	}
	if s.Accounts[0].Reason != "The service cannot be reached: the time was up." {
		t.Errorf("the API says %q", s.Accounts[0].Reason)
	}
}
