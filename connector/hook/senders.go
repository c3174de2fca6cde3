package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// message is the flattened JSON of a request: texts, numbers and booleans by their path in lower
// case, such as "item.name".
type message map[string]text

// sender maps the fields and values of a sender's messages. All field names are paths as in
// [message].
type sender struct {
	event, user, playID, endedAt      string   // playID is the sender's id of the playback
	owner                             string   // field that is "false" if another user than the account's owner watches
	sessionFields                     []string // identify the playback together with playID
	kind, title, episodeTitle, series string   // episodeTitle is empty if title is used for episodes, too
	year, seriesYear                  string
	season, number, lastNumber        string // lastNumber is set for several episodes in one file
	filmIDs, episodeIDs, showIDs      string // prefixes of the identifier fields; "-" for none
	length                            string
	perSecond                         float64           // units of length and position per second
	watchedEvent, stopEvent           string            // event values for "watched" and "stopped"
	completed, position               string            // on stopEvent: whether it was watched, and how far
	fullPosition                      float64           // position at the end; 0 means the length
	markField, markValue              string            // a field, and its value if the user marked the item
	escaped                           bool              // texts are HTML-escaped
	states                            map[string]string // playback states by event
}

// senders are the supported senders.
var senders = map[string]sender{
	// The plugin Webhook: a generic destination with Send All Properties.
	"jellyfin": {
		event: "notificationtype", user: "notificationusername", endedAt: "utctimestamp",
		sessionFields: []string{"serverid", "userid", "notificationusername", "deviceid", "itemid", "name"},
		kind:          "itemtype", title: "name", series: "seriesname", year: "year", seriesYear: "year",
		season: "seasonnumber", number: "episodenumber", lastNumber: "episodenumberend",
		filmIDs: "provider_", episodeIDs: "provider_", showIDs: "-", length: "runtimeticks", perSecond: ticks,
		stopEvent: "PlaybackStop", completed: "playedtocompletion", markField: "savereason", markValue: "TogglePlayed", escaped: true,
		states: map[string]string{"PlaybackStart": playing, "PlaybackStop": ended},
	},
	// The position may be 0 if the next item starts automatically.
	"emby": {
		event: "event", user: "user.name", playID: "playbackinfo.playsessionid",
		sessionFields: []string{"server.id", "user.id", "user.name", "session.deviceid", "item.id", "item.name"},
		kind:          "item.type", title: "item.name", series: "item.seriesname", year: "item.productionyear",
		season: "item.parentindexnumber", number: "item.indexnumber", lastNumber: "item.indexnumberend",
		filmIDs: "item.providerids.", episodeIDs: "item.providerids.", showIDs: "-", length: "item.runtimeticks", perSecond: ticks,
		watchedEvent: "playback.scrobble", stopEvent: "playback.stop", completed: "playbackinfo.playedtocompletion", position: "playbackinfo.positionticks",
		markField: "event", markValue: "item.markplayed",
		states: map[string]string{"playback.start": playing, "playback.unpause": playing, "playback.pause": paused, "playback.stop": ended},
	},
	// An account's webhooks report all users of its servers. Plex scrobbles at 90 %.
	"plex": {
		event: "event", user: "account.title", owner: "user",
		sessionFields: []string{"server.uuid", "account.id", "account.title", "player.uuid", "metadata.ratingkey", "metadata.title"},
		kind:          "metadata.type", title: "metadata.title", series: "metadata.grandparenttitle", year: "metadata.year",
		season: "metadata.parentindex", number: "metadata.index",
		filmIDs: "guid:", episodeIDs: "guid:", showIDs: "-", length: "metadata.duration", perSecond: millis, watchedEvent: "media.scrobble",
		states: map[string]string{"media.play": playing, "media.resume": playing, "media.pause": paused, "media.stop": ended},
	},
	"tautulli": { // the fields of [TautulliBody]; its ids of an episode are those of the series
		event: "action", user: "user", playID: "session", sessionFields: []string{"user", "key", "started", "title"},
		kind: "type", title: "title", episodeTitle: "name", series: "show", year: "year", seriesYear: "since",
		season: "season", number: "episode", episodeIDs: "-", length: "seconds", perSecond: 1, watchedEvent: "watched",
		states: map[string]string{"play": playing, "resume": playing, "pause": paused, "stop": ended},
	},
	// The add-on HTTP Scrobbler.
	"kodi": {
		event: "event", playID: "sessionid", endedAt: "timestamp", sessionFields: []string{"dbid", "title"},
		kind: "mediatype", title: "title", series: "tvshowtitle", year: "year", season: "season", number: "episode",
		filmIDs: "uniqueids.", episodeIDs: "uniqueids.", showIDs: "tvshowuniqueids.", length: "duration", perSecond: 1,
		watchedEvent: "end", stopEvent: "stop", position: "progress.percent", fullPosition: 100,
		states: map[string]string{"start": playing, "resume": playing, "pause": paused, "stop": ended, "end": ended},
	},
}

// The states of a playback.
const playing, paused, ended = "playing", "paused", "ended"

const (
	ticks  = 1e7 // of Jellyfin and Emby, per second
	millis = 1e3
)

// TautulliBody is the JSON data that the user pastes into Tautulli's notification agent.
const TautulliBody = `{"action": "{action}", "user": "{username}", "session": "{session_id}", "started": "{started_unixtime}",
 "key": "{rating_key}", "type": "{media_type}", "title": "{title}", "year": "{year}", "seconds": "{duration_sec}",
 "show": "{show_name}", "since": "{show_year}", "name": "{episode_name}", "season": "{season_num}", "episode": "{episode_num}",
 "tmdb": "{themoviedb_id}", "imdb": "{imdb_id}", "tvdb": "{thetvdb_id}"}`

// parse parses the JSON of a request.
func (s sender) parse(body []byte) (message, error) {
	var whole map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	err := d.Decode(&whole)
	m := message{}
	m.add("", whole)
	for name, value := range m {
		if s.escaped { // quotes are also escaped with a backslash
			m[name] = text(html.UnescapeString(strings.ReplaceAll(string(value), `\"`, `"`)))
		}
		if from, number, isGUID := strings.Cut(string(value), "://"); isGUID && strings.HasPrefix(name, "metadata.guid.") {
			m["guid:"+from] = text(number)
		}
	}
	return m, err
}

// add adds a JSON value, with the fields of objects and the elements of arrays below its name.
func (m message) add(name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, part := range slices.Sorted(maps.Keys(value)) {
			m.add(strings.TrimPrefix(name+"."+strings.ToLower(part), "."), value[part])
		}
	case []any:
		for n, part := range value {
			m.add(name+"."+strconv.Itoa(n), part)
		}
	case nil:
	default:
		m[name] = text(strings.TrimSpace(fmt.Sprint(value)))
	}
}

// ids returns the valid identifiers in the fields with a prefix.
func (m message) ids(begin string) (ids viewing.IDs) {
	ids.TMDB, ids.TVDB = m[begin+"tmdb"].id(), m[begin+"tvdb"].id()
	imdb := string(m[begin+"imdb"])
	if digits, ok := strings.CutPrefix(imdb, "tt"); ok && len(digits) <= 12 && text(digits).id() > 0 {
		ids.IMDB = imdb
	}
	return ids
}

// text is a value that a sender may write as a string, a number or a boolean.
type text string

// id returns a positive integer, or 0 for anything else.
func (t text) id() int64 {
	n, err := strconv.ParseInt(string(t), 10, 64)
	if err != nil || n < 0 || n > 1<<53-1 {
		return 0
	}
	return n
}

// number returns an integer that is at least least, or nil for anything else.
func (t text) number(least int64) *int {
	n, err := strconv.ParseInt(string(t), 10, 32)
	if err != nil || n < least {
		return nil
	}
	whole := int(n)
	return &whole
}

// year returns a year from 1870 to 2200, or 0 for anything else.
func (t text) year() int {
	if year := t.id(); year >= 1870 && year <= 2200 {
		return int(year)
	}
	return 0
}

// amount returns a number divided by unit, or 0 unless the result is between 0 and 1e6.
func (t text) amount(unit float64) float64 {
	f, err := strconv.ParseFloat(string(t), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f/unit > 1e6 {
		return 0
	}
	return f / unit
}

// isTrue reports whether the value is "true" in any case, or 1.
func (t text) isTrue() bool { return strings.EqualFold(string(t), "true") || t == "1" }
