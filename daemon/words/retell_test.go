package words

import (
	"regexp"
	"strings"
	"testing"
)

// TestRetell: what a part of the program tells in English is told in the language of
// the person, with its values, and every sentence by its own text.
func TestRetell(t *testing.T) {
	c := catalogue(t)
	german, english := c.In("de"), c.In("")
	value := regexp.MustCompile(`\{(\w+)\}`)
	filled := func(text, what, state, settled string) string {
		text = strings.NewReplacer("{what}", what, "{state}", state, "{settled}", settled).Replace(text)
		return value.ReplaceAllStringFunc(text, func(name string) string { return "(" + name[1:len(name)-1] + ")" })
	}
	for _, key := range german.Keys() {
		if !strings.HasPrefix(key, "told.") {
			continue
		}
		text := filled(c["en"][key].other, "the time was up", "held", "Held")
		want := filled(c["de"][key].other, "die Zeit war um", "zurückgehalten", "zurückgehalten")
		for other, pattern := range c["en"] {
			left := mostTries
			if _, fits := german.valuesOf(pattern.other, text, &left); fits != (other == key) && strings.HasPrefix(other, "told.") {
				t.Errorf("%s: %q fits %s: %t", key, text, other, fits)
			}
		}
		if got, known := german.Retell(text); got != want || !known {
			t.Errorf("%s: %q is told as %q, %t, want %q", key, text, got, known, want)
		}
		if got, known := english.Retell(text + "."); got != text+"." || !known {
			t.Errorf("%s: in English it is told as %q, %t", key, got, known)
		}
	}
	for text, want := range map[string]string{
		"":                                       "",
		"The dog ate it.":                        "",
		"You have paused it.":                    "Du hast es angehalten.",
		"The service cannot be reached: pigeons": "",
		"The service cannot be reached: there is no way to it; is this machine online?.": "Der Dienst ist nicht zu erreichen: es führt kein Weg zu ihm; ist dieser Rechner online?",
		"1 films and 2 episodes, 3 watched; Kodi says what it plays; importing 4 of 9":   "1 Filme und 2 Episoden, 3 gesehen; Kodi sagt, was es spielt; 4 von 9 werden übernommen",
		"1 films and 2 episodes, 3 watched; it rains":                                    "",
		"Waiting for Kodi's library to appear, since 2026-11-23 15:04":                   "Kodis Bibliothek ist noch nicht da; sie wird erwartet, seit 2026-11-23 15:04",
		"In doubt: the time was up.":                                                     "Jetzt unklar: die Zeit war um.",
		"Held: unresolved":                                                               "Jetzt zurückgehalten: nicht bekannt, was es ist",
		"By the user: released; it was held (review).":                                   "Von dir: freigegeben; vorher zurückgehalten (nicht bewiesen).",
		"By the user: released; it was held (no reason).":                                "Von dir: freigegeben; vorher zurückgehalten (no reason).",
		"By the user: released; it was asleep.":                                          "",
		"You said that it is Dr. No.":                                                    "Du hast gesagt, es ist Dr. No.",
		"Kodi took the play count back. It waits to see whether that stays so.":          "Kodi hat den Zähler zurückgenommen. Es wartet ab, ob das so bleibt.",
		"The service cannot be reached: there is no way to it; is this machine online? It is tried again at 2026-11-23 15:04.": "Der Dienst ist nicht zu erreichen: es führt kein Weg zu ihm; ist dieser Rechner online? Um 2026-11-23 15:04 wird es wieder versucht.",
		"release entry 7: it is in doubt":                                                 "„Senden“ passt nicht zu Eintrag 7: unklar",
		"bad configuration: wave: 5000 is not from 0 (no bound) to 1000":                  "das passt nicht zu wave: 5000 liegt nicht zwischen 0 (keine Grenze) und 1000",
		"edit /c.toml, then: filmspool config reload; here you can change a, b":           "ändere /c.toml, und dann: filmspool config reload; hier lässt sich ändern: a, b",
		"find library in /k: MyVideos131.db: the library is busy: database is locked (5)": "/k: MyVideos131.db: die Bibliothek wird gerade benutzt (database is locked (5))",
	} {
		known := want != ""
		if !known {
			want = text
		}
		if got, ok := german.Retell(text); got != want || ok != known {
			t.Errorf("%q is told as %q, %t", text, got, ok)
		}
	}
}

// TestRetellGivesUpSoon: a stranger's text that could be read in endless ways stays as
// it is, at once.
func TestRetellGivesUpSoon(t *testing.T) {
	german := catalogue(t).In("de")
	for _, n := range []int{3, 20, 60} {
		for _, text := range []string{
			strings.Repeat("The service cannot be reached: looked at now and then: ", n) + strings.Repeat("x; ", n) + "x",
			strings.Repeat("Read back: ", n) + "x" + strings.Repeat(". It waits for you", n),
			strings.Repeat("Held: ", n) + "x" + strings.Repeat(", since x", n),
		} {
			if got, known := german.Retell(text); got != text || known {
				t.Errorf("%q is told as %q", text, got)
			}
		}
	}
}

// TestRetellWithin: a sentence within another is told as it is alone.
func TestRetellWithin(t *testing.T) {
	german := catalogue(t).In("de")
	for inner, pattern := range german.english {
		if !strings.HasPrefix(inner, "told.") || strings.Contains(pattern.other, "{") || strings.ContainsAny(pattern.other, ";.") {
			continue
		}
		for outer, around := range map[string]string{
			"Read back: {what}": "Beim Dienst nachgesehen: {what}", "Withdrawn by kodi:/k: {what}": "Zurückgezogen von kodi:/k: {what}",
			"In doubt: {what}": "Jetzt unklar: {what}", "bad configuration: a.b: {what} (line 7)": "das passt nicht zu a.b: {what} (Zeile 7)",
			"undo entry 7: {what}": "Eintrag 7 lässt sich nicht zurücknehmen: {what}", "{what}, since 2026-03-01": "{what}, seit 2026-03-01",
			"Nothing holds it back: {what}": "Nichts hält es zurück: {what}",
		} {
			text, want := strings.Replace(outer, "{what}", pattern.other, 1), strings.Replace(around, "{what}", german.Say(inner), 1)
			if got, _ := german.Retell(text); got != want {
				t.Errorf("%q is told as %q, want %q", text, got, want)
			}
		}
	}
	for text, want := range map[string]string{
		"bad configuration: wave: -1 is not from 0 (no bound) to 1000 (line 3)":             "das passt nicht zu wave: -1 liegt nicht zwischen 0 (keine Grenze) und 1000 (Zeile 3)",
		"Delivered: the service has this item already, watched at 20:15: the same playback": "Jetzt angekommen: der Dienst hat das schon, gesehen 20:15: dieselbe Wiedergabe",
		"In doubt: The service answered 503: it gave up waiting":                            "Jetzt unklar: Der Dienst hat mit 503 geantwortet: Er hat nicht länger gewartet",
	} {
		if got, _ := german.Retell(text); got != want {
			t.Errorf("%q is told as %q, want %q", text, got, want)
		}
	}
}
