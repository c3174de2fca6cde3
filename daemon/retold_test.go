package daemon

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/words"
)

// asTold is what an expression tells, with "held" for each value: a word that is a state,
// a reason and a text. It is "" where the expression is no text.
func asTold(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(x.Value) // a number is no text
		text = regexp.MustCompile(`%[\d.\[\]]*[a-z]`).ReplaceAllString(text, "held")
		return strings.ReplaceAll(text, "%%", "%")
	case *ast.BinaryExpr:
		left, right := asTold(x.X), asTold(x.Y)
		if x.Op != token.ADD || left+right == "" {
			return ""
		}
		either := func(text string) string { return map[bool]string{true: "held", false: text}[text == ""] }
		return either(left) + either(right)
	case *ast.CallExpr:
		if f, ok := x.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Sprintf" {
			return asTold(x.Args[0])
		}
	}
	return ""
}

// telling finds what the sources of packages tell: choose gives the expressions of a part
// of a source that tell something.
func telling(t *testing.T, rooms []string, choose func(ast.Node) []ast.Expr) (all []string) {
	t.Helper()
	for _, room := range rooms {
		files, err := filepath.Glob(room)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", room, len(files), err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for _, x := range choose(n) {
					all = append(all, asTold(x))
				}
				_, sum := n.(*ast.BinaryExpr)
				return !sum
			})
		}
	}
	return all
}

// notInGerman are the texts that the catalogue does not know in German, or not whole.
func notInGerman(t *testing.T, texts []string) (unknown []string) {
	t.Helper()
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	english := regexp.MustCompile(`\b(the|is|are|and|not|of|it|that|this|there|which|with|cannot)\b`)
	for _, text := range texts {
		told, known := c.In("de").Retell(text)
		if known = known && !english.MatchString(told); !known && !slices.Contains(unknown, text) {
			unknown = append(unknown, text)
		}
	}
	return unknown
}

// TestLivesAreToldInEveryLanguage: what befell an entry is told on its page in sentences
// that the catalogue knows.
func TestLivesAreToldInEveryLanguage(t *testing.T) {
	rooms := []string{"../queue/*.go", "../queue/rules/*.go", "../queue/replay/doubt/*.go", "../kodi/rule/*.go", "../queue/entry/explain.go", "../kodi/nfo/snapshot.go"}
	texts := telling(t, rooms, func(n ast.Node) []ast.Expr {
		if x, ok := n.(ast.Expr); ok && regexp.MustCompile(`(?s)^[A-Z][a-z]* .*[.?]$`).MatchString(asTold(x)) {
			return []ast.Expr{x}
		}
		return nil
	})
	if len(texts) < 100 {
		t.Fatalf("%d sentences are found", len(texts))
	}
	composed := []string{ // they stand below with values that they have
		"Ignored by held: it is kept for the record, and not sent.", "Held by held.", "Of the filters, held has it sent.",
		"The route for held leads to held.", "No route names held: it goes to held.",
		"At the start at held held. What was taken last may be lost. held entries that wait are held: they may have been sent.",
		"Its NFO is broken (held), so its identifiers are not usedheld.",
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return slices.Contains(composed, text) })
	texts = append(texts,
		"Ignored by filter 1 (kind episode, shorter than 5m0s): it is kept for the record, and not sent.",
		"Held by filter 2 (path /srv/kids).", "Of the filters, filter 1 (everything) has it sent.",
		"The route for kodi leads to the account attic.", "No route names kodi:/k: it goes to the account default.",
		"Nothing holds it back: it may leave from 2026-03-01T20:15:00Z. As an import it lets everything pass that is seen live.",
		"It is live, which the settings have sent: it may be sent.",
		"By the user: released; it was held (review).", "By the user: it is movie:tmdb:603, not movie:imdb:tt1; watched at 2026-03-01 20:15:00, not 2026-03-01 20:16:00.",
		"Withdrawn by kodi:/k: Kodi took the play count back.", "Corrected by browser:b1: Kodi now calls it Dr. No.",
		"Noted from kodi:/k: Kodi took the play count back. It was sent before that. To take it back: filmspool queue undo 7",
		"Seen by kodi:/k too as event e1, with its end 5s later: the same playback, so nothing is added.",
		"Seen by kodi:/k too, that day: the same playback. Entry 7, which was held (review), is merged into this one.",
		"Merged into entry 7: kodi:/k saw the same playback, with the same end.",
		"In doubt: The service answered 503: it had trouble of its own. It may have recorded the entry.",
		"Rejected: The service refuses this entry: no. Such. Film", "Delivered.", "Held: unresolved",
		"Its NFO is broken (nothing of it can be read), so its identifiers are not used; it seems to say tmdb 1, imdb tt1.",
		"some NFO files give less than they could: 3 broken, so their identifiers are not used (the first: a.nfo); 1 not readable by this user; 2 larger than 1 MiB; 4 folders lie more than 8 deep and are not looked at",
		"Read back: the service has this item at this time.", "The service was asked, and knows nothing of tt1. TMDB was asked. It is certain: TMDB has that number.",
		"At the start at 2026-03-01 20:15:00 the newest part of the queue's file was missing. What was taken last may be lost. 3 entries that wait are held: they may have been sent.",
	)
	for _, text := range notInGerman(t, texts) {
		t.Errorf("not known in German: %q", text)
	}
}

// TestFaultsAreToldInEveryLanguage: what a person is told when a page refuses something.
func TestFaultsAreToldInEveryLanguage(t *testing.T) {
	rooms := []string{"*.go", "operate/*.go", "identify/*.go", "../queue/viewing/typed/*.go"}
	texts := telling(t, rooms, func(n ast.Node) []ast.Expr {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if name, ok := n.Key.(*ast.Ident); ok && slices.Contains([]string{"Message", "Problem"}, name.Name) {
				return []ast.Expr{n.Value}
			}
		case *ast.CallExpr:
			name := ""
			switch f := n.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			switch {
			case name == "cannotUndo" && len(n.Args) == 2:
				return n.Args[1:]
			case slices.Contains([]string{"Refused", "Invalid"}, name) && len(n.Args) == 2:
				return n.Args[:1]
			}
		}
		return nil
	})
	elsewhere := []string{
		// The command line alone tells these.
		"held clients have the name held", "plays held is not one or all", "filmspool runs, but does not say where; held is held",
		"the queue in held is damaged, and nothing was changed: held", "there is no queue in held", "the instance that runs has its settings in held",
		"days must be 1 to held", "held is not retry, hold, release, settle, drop or move", "held: held",
		// The name of a month is English.
		"held does not exist: held held has held days",
		// TestRemarksAreToldInEveryLanguage has it.
		"heldheld, but what waits here was watched by user held.",
	}
	texts = slices.DeleteFunc(texts, func(text string) bool {
		return !strings.Contains(text, " ") || slices.Contains(elsewhere, text)
	})
	rooms = []string{"config/*.go"}
	values := telling(t, rooms, func(n ast.Node) []ast.Expr {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return nil
		}
		if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "fault" {
			return call.Args[1:2]
		}
		return nil
	})
	if len(values) < 35 {
		t.Fatalf("%d faults of settings are found", len(values))
	}
	const source = "held is not browser, program, kodi or cli, nor one of these with a name, such as kodi:/home/me/.kodi/userdata"
	for _, wrong := range append(values, source, source+"; a source of the library is a folder") {
		if !slices.Contains([]string{"", "held", "held; write held", source + "held"}, wrong) { // another text stands in it
			texts = append(texts, "bad configuration: a.b: "+wrong+" (line 7)", "bad configuration: a.b: "+wrong)
		}
	}
	texts = append(texts,
		"release entry 7: it is in doubt", "move entry 7: it is pending (it may have left)", "undo entry 7: the history changed while it was read; try again",
		"edit entry 7: watchedAt: lies ahead of this machine's clock", "bad configuration: replay.rate: \"x\" is not a number",
		"bad configuration: wave: -1 is not from 0 (no bound) to 1000 (line 3)", "/k is not Kodi's userdata folder: it holds no video library",
		"/k cannot be watched: This version of Kodi's library is not known yet.", "this is not the address of a service: it must end in /api/v1",
		"that setting cannot be changed here: x", "this is not a secret key: one begins with sk_ and has no spaces",
		"bad configuration: a.b: this is not the address of a service: it must begin with https://; write \"https://a.example/api/v1\" (line 3)",
		"bad configuration: a.b: \"x\" is no address such as https://ntfy.example/topic (line 3)", "bad configuration: a.b: \"x\" does not begin with https:// (line 3)",
		"bad configuration: accounts.A: account name \"A\" is not 1 to 32 lower-case letters, digits, - or _ (line 3)",
		"bad configuration: /c.toml has settings that do not exist", "bad configuration: /c.toml, line 3, column 4", "bad configuration: /c.toml is a folder, and no file",
		"bad configuration: there is no file /c.toml", "bad configuration: other users can read /k; make it yours alone: chmod 600 /k",
		"bad configuration: /k is damaged; give the key again: filmspool login",
		"nothing was added: media.season: must be from 0 (specials)", "edit entry 7: watchedAt: must lie in the years 1895 to 9999",
		"/k cannot be watched: find library in /k: MyVideos131.db: the library file is damaged or no database: malformed (26)",
		"this library is that of another userdata folder: /k", "no Kodi library found",
		"what the service has already would be there twice: account a: it does not show its history; account b: The service cannot be reached: the time was up",
	)
	kinds := telling(t, []string{"config/decode.go"}, func(n ast.Node) (all []ast.Expr) {
		if f, ok := n.(*ast.FuncDecl); ok && slices.Contains([]string{"kindWords", "wantedWords"}, f.Name.Name) {
			ast.Inspect(f.Body, func(part ast.Node) bool {
				if r, ok := part.(*ast.ReturnStmt); ok {
					all = append(all, r.Results...)
				}
				return true
			})
		}
		return all
	})
	if len(kinds) != 15 {
		t.Fatalf("%d kinds of values are found", len(kinds))
	}
	for _, wanted := range kinds[8:] {
		for _, found := range kinds[:8] {
			texts = append(texts, "  |       ~~~ this is "+found+", and "+wanted+" is wanted here")
		}
	}
	if len(texts) < 50 {
		t.Fatalf("%d faults are found", len(texts))
	}
	for _, text := range notInGerman(t, texts) {
		t.Errorf("not known in German: %q", text)
	}
}

// hinted are the expressions of a part of a source that say what to do.
func hinted(n ast.Node) (all []ast.Expr) {
	is := func(x ast.Expr, names ...string) bool {
		switch x := x.(type) {
		case *ast.Ident:
			return slices.Contains(names, x.Name)
		case *ast.SelectorExpr:
			return slices.Contains(names, x.Sel.Name)
		}
		return false
	}
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if is(n.Key, "Hint", "hint", "Next") {
			all = append(all, n.Value)
		}
	case *ast.ValueSpec:
		if is(n.Names[0], "forms", "ends", "which", "open", "where") {
			all = append(all, n.Values...)
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if len(n.Lhs) != len(n.Rhs) || !is(left, "Hint", "hint") {
				continue
			}
			all = append(all, n.Rhs[i])
			if call, ok := n.Rhs[i].(*ast.CallExpr); ok && is(call.Fun, "Or") {
				all = append(all, call.Args[1])
			}
		}
	case *ast.CallExpr:
		if is(n.Fun, "Refused", "Invalid", "refuse") && len(n.Args) > 1 {
			all = append(all, n.Args[1])
		}
	case *ast.CompositeLit:
		switch {
		case n.Type == nil && len(n.Elts) == 4, n.Type != nil && is(n.Type, "complaint") && len(n.Elts) == 4:
			all = append(all, n.Elts[3])
		case n.Type != nil && is(n.Type, "refused") && len(n.Elts) == 2:
			all = append(all, n.Elts[1])
		}
	case *ast.FuncDecl:
		if !regexp.MustCompile(`(?i)hint|^(remedy|Words|find|meant)$`).MatchString(n.Name.Name) {
			break
		}
		ast.Inspect(n.Body, func(part ast.Node) bool {
			if r, ok := part.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
				all = append(all, r.Results[len(r.Results)-1])
			}
			return true
		})
	}
	return all
}

// TestHintsAreToldInEveryLanguage: what to do about a refusal, or about a library. A
// command is the same in every language.
func TestHintsAreToldInEveryLanguage(t *testing.T) {
	rooms := []string{
		"*.go", "operate/*.go", "identify/*.go", "config/change.go", "page/*.go", "../queue/viewing/typed/*.go",
		"../kodi/*.go", "../kodi/rule/*.go", "../kodi/watch/*.go", "../queue/tracker/v1/*.go",
	}
	texts := telling(t, rooms, hinted)
	elsewhere := []string{
		// The command line alone tells these.
		"https://www.themoviedb.org/settings/api shows it; then: filmspool login --tmdb", "it may be starting: try again; its log tells more",
		"held; that sets the file aside and saves what can be read", "check --state-dir and FILMSPOOL_STATE_DIR; filmspool run makes a queue",
		"name that file with --config", "stop that one, or held", "FILE is what filmspool queue export has written",
		"what another diary has goes in one by one: filmspool add movie ID --watched-at DAY", "the lines before that one were taken",
		// The page of an account and of who is asked shows another text.
		"change base_url of [accounts.held] in held, then restart filmspool", "change the systemd credential of account held, then restart the service",
		"filmspool queue list --state pending --account held; then filmspool queue move ID --account NAME", "look at the folder held, then restart Filmspool",
		// They stand below with the values that they have.
		"name it with user and password in HTTPS_PROXY", "held; then: held",
	}
	command := regexp.MustCompile(`^filmspool( [a-z]+){1,2}( held| [A-Z]+| \d+h| "[^"]*"| --[a-z-]+( held| [a-z_]+| [A-Z]+| https://\S+)?)*$`)
	for i, text := range texts {
		texts[i] = strings.TrimPrefix(text, "; ") // it goes on behind another one
	}
	texts = slices.DeleteFunc(texts, func(text string) bool {
		return !strings.Contains(text, " ") || command.MatchString(text) || slices.Contains(elsewhere, text)
	})
	if len(texts) < 80 {
		t.Fatalf("%d hints are found", len(texts))
	}
	texts = append(texts,
		"name it with user and password in HTTPS_PROXY; then: filmspool login --base-url https://a.example/api/v1",
		"filmspool queue settle 7 --as delivered, if you find it at the service; else: filmspool queue retry 7 --may-double",
		"filmspool fix 7 NUMBER, with the number of TMDB; it is found at https://www.themoviedb.org/search?query=x",
		"raise the sysctl fs.inotify.max_user_watches",
	)
	for _, text := range notInGerman(t, texts) {
		t.Errorf("not known in German: %q", text)
	}
}

// TestTidingsAreToldInEveryLanguage: what happened to the queue's file, what stands
// between us and a library, and how those stand who are asked what an item is.
func TestTidingsAreToldInEveryLanguage(t *testing.T) {
	first := func(call *ast.CallExpr) []ast.Expr {
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"New", "Later"}, f.Sel.Name) && len(call.Args) == 1 {
			return call.Args
		}
		return nil
	}
	tidings := telling(t, []string{"../queue/disk/*.go", "../queue/upkeep/salvage.go"}, func(n ast.Node) []ast.Expr {
		if x, ok := n.(ast.Expr); ok && regexp.MustCompile(`^( held|[A-Z][a-z]* ).*(\.|written|: held)$`).MatchString(asTold(x)) {
			return []ast.Expr{x}
		}
		return nil
	})
	libraries := telling(t, []string{"../kodi/library/errors.go"}, func(n ast.Node) []ast.Expr {
		if call, ok := n.(*ast.CallExpr); ok {
			return first(call)
		}
		return nil
	})
	asked := telling(t, []string{"identify/identify.go", "../queue/replay/history.go", "../queue/resolve/tmdb/client.go", "../queue/resolve/web/web.go", "../queue/resolve/wikidata/client.go"}, func(n ast.Node) (all []ast.Expr) {
		switch n := n.(type) {
		case *ast.CallExpr:
			return first(n)
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if to, ok := left.(*ast.SelectorExpr); ok && len(n.Lhs) == len(n.Rhs) && slices.Contains([]string{"detail", "problem", "Detail"}, to.Sel.Name) {
					all = append(all, n.Rhs[i])
				}
			}
		}
		return all
	})
	if len(tidings) < 10 || len(libraries) < 12 || len(asked) < 6 {
		t.Fatalf("%d tidings, %d reasons and %d states are found", len(tidings), len(libraries), len(asked))
	}
	within := []string{"TMDB has no such number", "TMDB cannot answer that", "the answer is too large"} // no person hears of them
	texts := slices.DeleteFunc(append(tidings, asked...), func(text string) bool {
		return !strings.Contains(text, " ") || slices.Contains(within, text)
	})
	for _, why := range libraries {
		elsewhere := []string{"the database server does not answer", "the database server refuses this user", "this library is that of another userdata folder"}
		if !slices.Contains(elsewhere, why) { // the sentences of a status tell them
			texts = append(texts, "find library in /k: "+why, "find library in /k: MyVideos131.db: "+why+": open /k: denied (5)")
		}
	}
	for _, text := range notInGerman(t, texts) {
		t.Errorf("not known in German: %q", text)
	}
}

// TestWaysOfNoticesAreToldInEveryLanguage: why a way of notices is off, or has failed.
func TestWaysOfNoticesAreToldInEveryLanguage(t *testing.T) {
	texts := telling(t, []string{"notify/*.go"}, func(n ast.Node) []ast.Expr {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return nil
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"New", "Errorf"}, f.Sel.Name) {
			return call.Args[:1]
		}
		return nil
	})
	if len(texts) < 15 {
		t.Fatalf("%d texts are found", len(texts))
	}
	for _, text := range notInGerman(t, texts) {
		t.Errorf("not known in German: %q", text)
	}
}
