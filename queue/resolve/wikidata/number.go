package wikidata

import (
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue/resolve/identity"
)

// numberOf is the property by which a question is asked, and the number as Wikidata
// has it. The property is "" for what Wikidata cannot tell.
func numberOf(q identity.Question) (property, number string) {
	switch q.Ask {
	case identity.AskIMDB:
		return "P345", q.Text
	case identity.AskTVDB:
		return "P4835", strconv.FormatInt(q.Number, 10)
	case identity.AtSite, identity.AtSiteTV:
		site, number, _ := strings.Cut(q.Text, " ")
		return atSite(site, number, q.Ask == identity.AtSiteTV)
	default:
		return "", ""
	}
}

// atSite is the same for the number of a film or series at a site: the table of the
// package's comment.
func atSite(site, number string, series bool) (property, value string) {
	of := map[string]struct{ film, show string }{
		"appletv":       {"P9586", "P9751"},
		"bbc-iplayer":   {"P827", "P827"},
		"crunchyroll":   {"", "P11330"},
		"hbomax":        {"P8298 movie/", "P8298 show/"},
		"hulu":          {"P6466", "P6467"},
		"jiohotstar":    {"P11049", "P11049"},
		"mubi":          {"P7299", ""},
		"netflix":       {"P1874", "P1874"},
		"paramountplus": {"P13147", ""},
		"primevideo":    {"P14462", ""},
		"tubi":          {"P7760", "P7760"},
	}[site]
	if series {
		of.film = of.show
	}
	property, before, _ := strings.Cut(of.film, " ")
	return property, before + number
}

// plain reports whether a number has nothing in it that could be more than a number.
func plain(number string) bool {
	return number != "" && !strings.ContainsFunc(number, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("._:/-", r)
	})
}
