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
	film, show := "", ""
	switch site {
	case "appletv":
		film, show = "P9586", "P9751"
	case "bbc-iplayer":
		film, show = "P827", "P827"
	case "crunchyroll":
		show = "P11330"
	case "hbomax":
		film, show = "P8298 movie/", "P8298 show/"
	case "hulu":
		film, show = "P6466", "P6467"
	case "jiohotstar":
		film, show = "P11049", "P11049"
	case "mubi":
		film = "P7299"
	case "netflix":
		film, show = "P1874", "P1874"
	case "paramountplus":
		film = "P13147"
	case "primevideo":
		film = "P14462"
	case "tubi":
		film, show = "P7760", "P7760"
	}
	if series {
		film = show
	}
	property, before, _ := strings.Cut(film, " ")
	return property, before + number
}

// plain reports whether a number has nothing in it that could be more than a number.
func plain(number string) bool {
	return number != "" && !strings.ContainsFunc(number, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("._:/-", r)
	})
}
