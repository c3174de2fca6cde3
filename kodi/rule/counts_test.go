package rule

import (
	"testing"

	"github.com/filmspool/filmspool/kodi/library"
)

// TestCountsFromNFO: an NFO with a count but without a date gives a file the current time.
func TestCountsFromNFO(t *testing.T) {
	const old, now = "2025-01-01 20:00:00", "2026-03-01 21:00:59"
	identified := func(f library.File, row int64) library.File {
		return modified(withItemID(f, f.Items[0].KodiID), func(f *library.File) { f.Items[0].IDRow = row })
	}
	runScenarios(t, []scenario{
		{name: "a file is scanned in, and played later", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 0, ""), film(2, 1, now)), want: []string{"backdated F2 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:30:00", empty: true},
			{at: "2026-03-02 02:30:30", files: list(film(1, 0, ""), film(2, 2, "2026-03-01 21:30:29")), want: []string{"live F2 2026-03-02T02:30:29Z"}},
		}},
		{name: "several are scanned in while another is played to its end", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:30"), film(2, 1, now), film(3, 4, now)), want: []string{"live F1 2026-03-02T02:00:30Z", "backdated F2 2026-03-02T02:00:59Z", "backdated F3 2026-03-02T02:00:59Z"}},
		}},
		{name: "scanned in while the service was off, too early to have been played", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 06:00:00", files: list(film(1, 0, ""), film(2, 1, "2026-03-01 21:59:00")), want: []string{"backdated F2 2026-03-02T02:59:00Z"}},
		}},
		{name: "scanned in while the service was off, late enough to have been played", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 06:00:00", files: list(film(1, 0, ""), film(2, 1, "2026-03-01 22:00:00")), want: []string{"review F2 2026-03-02T03:00:00Z"}},
		}},
		{name: "new files marked together with one that is known", first: list(episodes(0, "", 1)), steps: []step{
			{at: "2026-03-02 06:00:00", files: list(episodes(1, "2026-03-02 00:00:05", 1), episodes(1, "2026-03-02 00:00:05", 2)), want: []string{"bulk S S01E01 2026-03-02T05:00:05Z", "review S S01E02 2026-03-02T05:00:05Z"}},
		}},
		{name: "a refresh under a new id", first: list(film(1, 0, ""), film(2, 1, old)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(withItemID(film(1, 1, now), 8), withItemID(film(2, 3, now), 9)), want: []string{"review F1 2026-03-02T02:00:59Z", "backdated F2 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 12:01:00", files: list(withItemID(film(1, 2, "2026-03-02 05:00:00"), 8), withItemID(film(2, 3, now), 9)), want: []string{"catch-up F1 2026-03-02T10:00:00Z"}},
		}},
		{name: "a refresh while the service was off", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-04 02:00:00", files: list(withItemID(film(1, 1, "2026-03-02 21:00:00"), 8)), want: []string{"review F1 2026-03-03T02:00:00Z"}},
		}},
		{name: "a refresh of the highest id, whose identifiers have new rows", first: list(identified(film(1, 0, ""), 20)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(identified(film(1, 1, now), 27)), want: []string{"review F1 2026-03-02T02:00:59Z"}},
		}},
		{name: "a refresh of one of two episodes", first: list(episodes(0, "", 4, 5)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(modified(episodes(1, now, 4, 5), func(f *library.File) { f.Items[1].KodiID = 77 })), want: []string{"review S S01E04+S S01E05 2026-03-02T02:00:59Z"}},
		}},
		{name: "a refresh of the highest id, read in the middle", first: list(film(1, 0, ""), film(2, 0, "")), steps: []step{
			{at: "2026-03-02 02:00:58", files: list(withoutItem(film(1, 0, "")))}, // the other one outside of the sources
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, now), film(2, 1, "2026-03-01 21:00:50")), want: []string{"review F2 2026-03-02T02:00:50Z", "review F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:10:00", empty: true},
			{at: "2026-03-02 02:11:00", files: list(film(1, 1, now), film(2, 2, "2026-03-01 21:10:50")), want: []string{"live F2 2026-03-02T02:10:50Z"}},
		}},
		{name: "a refresh of the highest id leaves no trace: a false viewing", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, now)), want: []string{"live F1 2026-03-02T02:00:59Z"}},
		}},
		{name: "a refresh that keeps the count", first: list(film(1, 1, old)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(withItemID(film(1, 1, now), 8))},
		}},
		{name: "a refresh that lowers the count", first: list(film(1, 3, old)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(withItemID(film(1, 1, now), 8)), want: []string{"review F1 2026-03-02T02:00:59Z"}},
		}},
		{name: "an unmarked file stays unmarked when an NFO sets its count", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, now)), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:10", files: list(film(1, 0, ""))},
			{at: "2026-03-02 02:01:20", files: list(withItemID(film(1, 1, "2026-03-01 21:01:19"), 8)), want: []string{"review F1 2026-03-02T02:01:19Z"}},
			{at: "2026-03-02 03:01:20", files: list(withItemID(film(1, 1, "2026-03-01 21:01:19"), 8)), want: []string{"drop F1"}},
		}},
		{name: "played from Files and then scanned with such an NFO", first: list(film(2, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(2, 0, ""), withoutItem(film(1, 1, now))), want: []string{"live 1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:02:00", files: list(film(2, 0, ""), film(1, 1, "2026-03-01 21:01:59")), want: []string{"rename 1: note.calls title=F1"}},
		}},
		{name: "the same with a higher count, and the service off", first: list(film(2, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(2, 0, ""), withoutItem(film(1, 1, now))), want: []string{"live 1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 08:00:00", files: list(film(2, 0, ""), film(1, 2, "2026-03-02 01:00:00")), want: []string{"review F1 2026-03-02T06:00:00Z", "rename 1: note.calls title=F1"}},
		}},
	})
}

// TestCountsFromRemotes: a remote that sets a count keeps the old time.
func TestCountsFromRemotes(t *testing.T) {
	const old, now = "2025-01-01 20:00:00", "2026-03-01 21:00:59"
	runScenarios(t, []scenario{
		{name: "0 to 1 with an old time", first: list(film(1, 0, old)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, old)), want: []string{"review F1 2025-01-02T01:00:00Z unsure"}},
		}},
		{name: "unmarked and marked again within seconds", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, now)), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:10", files: list(film(1, 0, now))},
			{at: "2026-03-02 02:01:20", files: list(film(1, 1, now)), want: []string{"review F1 2026-03-02T02:00:59Z unsure = F1"}},
			{at: "2026-03-02 09:01:20", files: list(film(1, 1, now))},
		}},
		{name: "unmarked and marked again hours later", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, now)), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:10", files: list(film(1, 0, now))},
			{at: "2026-03-02 07:01:10", files: list(film(1, 1, now)), want: []string{"review F1 2026-03-02T02:00:59Z unsure", "drop F1"}},
		}},
	})
}

// TestShowMarkOfFileWithTwoEpisodes: marking a show counts a file once for each of its episodes.
func TestShowMarkOfFileWithTwoEpisodes(t *testing.T) {
	const now = "2026-03-01 21:00:59"
	runScenarios(t, []scenario{
		{name: "with others", first: list(episodes(0, "", 1), episodes(0, "", 4, 5)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(episodes(1, now, 1), episodes(2, now, 4, 5)), want: []string{"bulk S S01E01 2026-03-02T02:00:59Z", "bulk S S01E04+S S01E05 2026-03-02T02:00:59Z"}},
		}},
		{name: "alone", first: list(episodes(0, "", 4, 5)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(episodes(2, now, 4, 5)), want: []string{"review S S01E04+S S01E05 2026-03-02T02:00:59Z"}},
		}},
		{name: "alone while the service was off", first: list(episodes(0, "", 4, 5)), steps: []step{
			{at: "2026-03-03 02:01:00", files: list(episodes(2, now, 4, 5)), want: []string{"review S S01E04+S S01E05 2026-03-02T02:00:59Z"}},
		}},
		{name: "two plays of a double file that was watched before", first: list(episodes(1, "2025-01-01 20:00:00", 4, 5)), steps: []step{
			{at: "2026-03-03 02:01:00", files: list(episodes(3, now, 4, 5)), want: []string{"catch-up S S01E04+S S01E05 2026-03-02T02:00:59Z"}},
		}},
	})
}
