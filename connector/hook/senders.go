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

// message is what a sender posted: its texts, numbers and booleans by their names, in lower
// case. The name of a part begins with the name of the whole and a dot.
type message map[string]text

// sender says under which names a message has what, and which words mean what. Of Tautulli
// the numbers of an episode are those of its series.
type sender struct {
	event, user, playID, at      string // what happened to whom; the sender's name of the playback; when
	owner                        string // is "false" where somebody else than the owner of the account watches
	sessionFields                []string
	kind, title, episode, series string // episode is its title, where that has a name of its own
	year, seriesYear             string // of a film, of a series
	season, number, lastNumber   string // last is set for several episodes in one file
	filmIDs, episodeIDs, showIDs string // what the names of their numbers begin with; "-" is none
	length                       string
	unit                         float64           // of length, in a second
	watchedEvent, stopEvent      string            // the events that an item was watched, and that it has ended
	completed, position          string            // of an item that has ended: the sender says that it was watched; how much of it was
	fullPosition                 float64           // position at the end; 0 is the length
	markField, markValue         string            // a name, and its value where a person has marked the item
	html                         bool              // texts are escaped
	states                       map[string]string // of a playback, by event
}

// senders are those that can be read.
var senders = map[string]sender{
	// The plugin Webhook, a generic destination that sends all properties.
	"jellyfin": {
		event: "notificationtype", user: "notificationusername", at: "utctimestamp",
		sessionFields: []string{"serverid", "userid", "notificationusername", "deviceid", "itemid", "name"},
		kind:          "itemtype", title: "name", series: "seriesname", year: "year", seriesYear: "year",
		season: "seasonnumber", number: "episodenumber", lastNumber: "episodenumberend",
		filmIDs: "provider_", episodeIDs: "provider_", showIDs: "-", length: "runtimeticks", unit: ticks,
		stopEvent: "PlaybackStop", completed: "playedtocompletion", markField: "savereason", markValue: "TogglePlayed", html: true,
		states: map[string]string{"PlaybackStart": playing, "PlaybackStop": ended},
	},
	// The position may be 0 when the next item starts by itself.
	"emby": {
		event: "event", user: "user.name", playID: "playbackinfo.playsessionid",
		sessionFields: []string{"server.id", "user.id", "user.name", "session.deviceid", "item.id", "item.name"},
		kind:          "item.type", title: "item.name", series: "item.seriesname", year: "item.productionyear",
		season: "item.parentindexnumber", number: "item.indexnumber", lastNumber: "item.indexnumberend",
		filmIDs: "item.providerids.", episodeIDs: "item.providerids.", showIDs: "-", length: "item.runtimeticks", unit: ticks,
		watchedEvent: "playback.scrobble", stopEvent: "playback.stop", completed: "playbackinfo.playedtocompletion", position: "playbackinfo.positionticks",
		markField: "event", markValue: "item.markplayed",
		states: map[string]string{"playback.start": playing, "playback.unpause": playing, "playback.pause": paused, "playback.stop": ended},
	},
	// The webhooks of an account come for all users of its servers. It scrobbles at 90 %.
	"plex": {
		event: "event", user: "account.title", owner: "user",
		sessionFields: []string{"server.uuid", "account.id", "account.title", "player.uuid", "metadata.ratingkey", "metadata.title"},
		kind:          "metadata.type", title: "metadata.title", series: "metadata.grandparenttitle", year: "metadata.year",
		season: "metadata.parentindex", number: "metadata.index",
		filmIDs: "guid:", episodeIDs: "guid:", showIDs: "-", length: "metadata.duration", unit: millis, watchedEvent: "media.scrobble",
		states: map[string]string{"media.play": playing, "media.resume": playing, "media.pause": paused, "media.stop": ended},
	},
	"tautulli": { // [TautulliBody] as it is sent
		event: "action", user: "user", playID: "session", sessionFields: []string{"user", "key", "started", "title"},
		kind: "type", title: "title", episode: "name", series: "show", year: "year", seriesYear: "since",
		season: "season", number: "episode", episodeIDs: "-", length: "seconds", unit: 1, watchedEvent: "watched",
		states: map[string]string{"play": playing, "resume": playing, "pause": paused, "stop": ended},
	},
	// The add-on HTTP Scrobbler.
	"kodi": {
		event: "event", playID: "sessionid", at: "timestamp", sessionFields: []string{"dbid", "title"},
		kind: "mediatype", title: "title", series: "tvshowtitle", year: "year", season: "season", number: "episode",
		filmIDs: "uniqueids.", episodeIDs: "uniqueids.", showIDs: "tvshowuniqueids.", length: "duration", unit: 1,
		watchedEvent: "end", stopEvent: "stop", position: "progress.percent", fullPosition: 100,
		states: map[string]string{"start": playing, "resume": playing, "pause": paused, "stop": ended, "end": ended},
	},
}

// The states of a playback.
const playing, paused, ended = "playing", "paused", "ended"

const (
	ticks  = 1e7 // as Jellyfin and Emby count
	millis = 1e3
)

// TautulliBody is what a person gives Tautulli to send.
const TautulliBody = `{"action": "{action}", "user": "{username}", "session": "{session_id}", "started": "{started_unixtime}",
 "key": "{rating_key}", "type": "{media_type}", "title": "{title}", "year": "{year}", "seconds": "{duration_sec}",
 "show": "{show_name}", "since": "{show_year}", "name": "{episode_name}", "season": "{season_num}", "episode": "{episode_num}",
 "tmdb": "{themoviedb_id}", "imdb": "{imdb_id}", "tvdb": "{thetvdb_id}"}`

// parse reads a message.
func (s sender) parse(body []byte) (message, error) {
	var whole map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	err := d.Decode(&whole)
	m := message{}
	m.add("", whole)
	for name, value := range m {
		if s.html { // and quotes are escaped twice
			m[name] = text(html.UnescapeString(strings.ReplaceAll(string(value), `\"`, `"`)))
		}
		if from, number, isGUID := strings.Cut(string(value), "://"); isGUID && strings.HasPrefix(name, "metadata.guid.") {
			m["guid:"+from] = text(number)
		}
	}
	return m, err
}

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

// ids are the numbers that make sense among those of a beginning.
func (m message) ids(begin string) (ids viewing.IDs) {
	ids.TMDB, ids.TVDB = m[begin+"tmdb"].id(), m[begin+"tvdb"].id()
	imdb := string(m[begin+"imdb"])
	if digits, ok := strings.CutPrefix(imdb, "tt"); ok && len(digits) <= 12 && text(digits).id() > 0 {
		ids.IMDB = imdb
	}
	return ids
}

// text is a value that a sender may write as a text, a number or a boolean.
type text string

// id is a whole number above 0; 0 for anything else.
func (t text) id() int64 {
	n, err := strconv.ParseInt(string(t), 10, 64)
	if err != nil || n < 0 || n > 1<<53-1 {
		return 0
	}
	return n
}

// number is a whole number from least on; nil for anything else.
func (t text) number(least int64) *int {
	n, err := strconv.ParseInt(string(t), 10, 32)
	if err != nil || n < least {
		return nil
	}
	whole := int(n)
	return &whole
}

// year is a year in which there were films; 0 for anything else.
func (t text) year() int {
	if year := t.id(); year >= 1870 && year <= 2200 {
		return int(year)
	}
	return 0
}

// amount is a number of at least 0 that is not beyond reason; 0 for anything else.
func (t text) amount(unit float64) float64 {
	f, err := strconv.ParseFloat(string(t), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f/unit > 1e6 {
		return 0
	}
	return f / unit
}

// yes reports a boolean in any writing.
func (t text) isTrue() bool { return strings.EqualFold(string(t), "true") || t == "1" }
