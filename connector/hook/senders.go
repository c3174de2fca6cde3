package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// text is a value that a sender may write as a text, a number or a boolean.
type text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *text) UnmarshalJSON(raw []byte) error {
	switch {
	case bytes.HasPrefix(raw, []byte(`"`)):
		var s string
		err := json.Unmarshal(raw, &s)
		*t = text(strings.TrimSpace(s))
		return err
	case bytes.ContainsAny(raw[:1], "{["):
		return errors.New("a value is an object or a list")
	case string(raw) != "null":
		*t = text(raw)
	}
	return nil
}

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

// amount is a number of at least 0 that is not beyond reason; 0 for anything else.
func (t text) amount(unit float64) float64 {
	f, err := strconv.ParseFloat(string(t), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f/unit > 1e6 {
		return 0
	}
	return f / unit
}

// yes reports a boolean in any writing.
func (t text) yes() bool { return strings.EqualFold(string(t), "true") || t == "1" }

// plain is a text of Jellyfin, which escapes it for HTML and quotes.
func (t text) plain() string {
	return html.UnescapeString(strings.ReplaceAll(string(t), `\"`, `"`))
}

const (
	ticks  = 1e7 // of a second, as Jellyfin and Emby count
	millis = 1e3
)

// jellyfin reads the plugin Webhook, a generic destination that sends all properties.
func jellyfin(body []byte) (r report, err error) {
	m, err := read[struct {
		NotificationType, SaveReason                             text
		NotificationUsername, UserID, DeviceID, ServerID, ItemID text
		ItemType, Name, SeriesName, Year                         text
		SeasonNumber, EpisodeNumber, EpisodeNumberEnd            text
		RunTimeTicks, PlayedToCompletion, UtcTimestamp           text
		IMDB                                                     text `json:"Provider_imdb"`
		TMDB                                                     text `json:"Provider_tmdb"`
		TVDB                                                     text `json:"Provider_tvdb"`
	}](body)
	r = report{
		event: string(m.NotificationType), user: m.NotificationUsername.plain(), skip: SkipGoing,
		item: key(m.ServerID, m.UserID, m.NotificationUsername, m.DeviceID, m.ItemID, m.Name),
		kind: string(m.ItemType), title: m.Name.plain(), series: m.SeriesName.plain(), year: yearOf(m.Year), since: yearOf(m.Year),
		season: m.SeasonNumber.number(0), number: m.EpisodeNumber.number(1), last: m.EpisodeNumberEnd.number(1),
		own: idsOf(m.TMDB, m.IMDB, m.TVDB), length: m.RunTimeTicks.amount(ticks),
	}
	r.at, _ = time.Parse(time.RFC3339Nano, string(m.UtcTimestamp)) // else the time of the call
	switch m.NotificationType {
	case "PlaybackStop":
		r.skip = watched(0, 0, m.PlayedToCompletion.yes())
	case "UserDataSaved":
		if m.SaveReason == "TogglePlayed" {
			r.skip = SkipMark
		}
	}
	return r, err
}

// emby reads the webhooks of Emby. The position may be 0 when the next item starts by itself.
func emby(body []byte) (r report, err error) {
	m, err := read[struct {
		Event                 text
		User, Server, Session struct{ ID, Name, DeviceID text }
		Item                  struct {
			ID, Type, Name, SeriesName, ProductionYear     text
			ParentIndexNumber, IndexNumber, IndexNumberEnd text
			RunTimeTicks                                   text
			ProviderIDs                                    struct{ TMDB, IMDB, TVDB text }
		}
		PlaybackInfo struct{ PositionTicks, PlayedToCompletion, PlaySessionID text }
	}](body)
	i, p := m.Item, m.PlaybackInfo
	r = report{
		event: string(m.Event), user: string(m.User.Name), skip: SkipGoing, play: string(p.PlaySessionID),
		item: key(m.Server.ID, m.User.ID, m.User.Name, m.Session.DeviceID, i.ID, i.Name),
		kind: string(i.Type), title: string(i.Name), series: string(i.SeriesName), year: yearOf(i.ProductionYear),
		season: i.ParentIndexNumber.number(0), number: i.IndexNumber.number(1), last: i.IndexNumberEnd.number(1),
		own: idsOf(i.ProviderIDs.TMDB, i.ProviderIDs.IMDB, i.ProviderIDs.TVDB), length: i.RunTimeTicks.amount(ticks),
	}
	switch m.Event {
	case "playback.stop":
		r.skip = watched(p.PositionTicks.amount(ticks), r.length, p.PlayedToCompletion.yes())
	case "playback.scrobble":
		r.skip = ""
	case "item.markplayed":
		r.skip = SkipMark
	}
	return r, err
}

// plex reads the webhooks of a Plex account. They come for all users of its servers.
func plex(body []byte) (r report, err error) {
	m, err := read[struct {
		Event           text
		User            text
		Account, Player struct{ ID, Title, UUID text }
		Server          struct{ UUID text }
		Metadata        struct {
			Type, Title, GrandparentTitle, Year text
			ParentIndex, Index                  text
			RatingKey, Duration                 text
			GUIDs                               json.RawMessage `json:"Guid"`
			GUID                                json.RawMessage `json:"guid"`
		}
	}](body)
	i := m.Metadata
	r = report{
		event: string(m.Event), user: string(m.Account.Title), skip: SkipGoing, stranger: m.User == "false",
		item: key(m.Server.UUID, m.Account.ID, m.Account.Title, m.Player.UUID, i.RatingKey, i.Title),
		kind: string(i.Type), title: string(i.Title), series: string(i.GrandparentTitle), year: yearOf(i.Year),
		season: i.ParentIndex.number(0), number: i.Index.number(1), length: i.Duration.amount(millis),
	}
	if m.Event == "media.scrobble" { // at 90 %
		r.skip = ""
	}
	var guids []struct{ ID text }
	_ = json.Unmarshal(i.GUIDs, &guids) // none for what no agent knows
	numbers := map[string]text{}
	for _, g := range guids {
		from, number, _ := strings.Cut(string(g.ID), "://")
		numbers[from] = text(number)
	}
	r.own = idsOf(numbers["tmdb"], numbers["imdb"], numbers["tvdb"])
	return r, err
}

// TautulliBody is what a person gives Tautulli to send. Of an episode the numbers are those of
// its series.
const TautulliBody = `{"action": "{action}", "user": "{username}", "session": "{session_id}", "started": "{started_unixtime}",
 "key": "{rating_key}", "type": "{media_type}", "title": "{title}", "year": "{year}", "seconds": "{duration_sec}",
 "show": "{show_name}", "since": "{show_year}", "name": "{episode_name}", "season": "{season_num}", "episode": "{episode_num}",
 "tmdb": "{themoviedb_id}", "imdb": "{imdb_id}", "tvdb": "{thetvdb_id}"}`

// tautulli reads [TautulliBody] as it is sent.
func tautulli(body []byte) (r report, err error) {
	m, err := read[struct {
		Action, User, Session, Started, Key, Type text
		Title, Year, Seconds                      text
		Show, Since, Name, Season, Episode        text
		TMDB, IMDB, TVDB                          text
	}](body)
	ids := idsOf(m.TMDB, m.IMDB, m.TVDB)
	r = report{
		event: string(m.Action), user: string(m.User), skip: SkipGoing, item: key(m.User, m.Key, m.Started, m.Title), play: string(m.Session),
		kind: string(m.Type), title: string(m.Title), series: string(m.Show), year: yearOf(m.Year), since: yearOf(m.Since),
		season: m.Season.number(0), number: m.Episode.number(1), length: m.Seconds.amount(1), own: ids,
	}
	if r.kind == "episode" {
		r.title, r.own, r.show = string(m.Name), viewing.IDs{}, ids
	}
	if m.Action == "watched" {
		r.skip = ""
	}
	return r, err
}

// kodi reads the add-on HTTP Scrobbler.
func kodi(body []byte) (r report, err error) {
	type numbers struct{ TMDB, IMDB, TVDB text }
	m, err := read[struct {
		Event, SessionID, MediaType, DBID, Title, Year, Timestamp text
		TVShowTitle, Season, Episode, Duration                    text
		UniqueIDs, TVShowUniqueIDs                                numbers
		Progress                                                  struct{ Time, Percent text }
	}](body)
	own, show := m.UniqueIDs, m.TVShowUniqueIDs
	r = report{
		event: string(m.Event), skip: SkipGoing, play: string(m.SessionID), item: key(m.DBID, m.Title),
		kind: string(m.MediaType), title: string(m.Title), series: string(m.TVShowTitle), year: yearOf(m.Year),
		season: m.Season.number(0), number: m.Episode.number(1), length: m.Duration.amount(1),
		own: idsOf(own.TMDB, own.IMDB, own.TVDB), show: idsOf(show.TMDB, show.IMDB, show.TVDB),
	}
	r.at, _ = time.Parse(time.RFC3339Nano, string(m.Timestamp)) // else the time of the call
	if m.Event == "end" || m.Event == "stop" {
		r.skip = watched(m.Progress.Percent.amount(1), 100, m.Event == "end")
	}
	return r, err
}
