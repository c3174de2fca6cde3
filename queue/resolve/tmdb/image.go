package tmdb

import (
	"context"
	"net/http"

	"github.com/filmspool/filmspool/queue/resolve"
)

// DefaultImages is where TMDB's pictures are.
const DefaultImages = "https://image.tmdb.org/t/p"

// At most so many pictures are asked for in a second, and at once after a rest.
const (
	imagesPerSecond = 20
	imagesBurst     = 20
)

// Images fetches pictures. They need no token, and get none.
type Images struct {
	base string
	http *resolve.HTTP
}

// NewImages sends nothing. base is [DefaultImages], or another address that
// [resolve.CheckAddress] accepts.
func NewImages(base string) *Images {
	return &Images{base: base, http: resolve.NewHTTP("TMDB", imagesPerSecond, imagesBurst)}
}

// Poster fetches the picture of a path, 185 pixels wide: a JPEG, PNG or WebP of at most
// 1 MB. Its errors are those of [resolve.HTTP.Do]; a [*resolve.UnavailableError] also where the
// answer is no picture.
func (i *Images) Poster(ctx context.Context, path string) ([]byte, error) {
	answer, err := i.http.Do(ctx, i.base+"/w185"+path, nil, map[string]string{"User-Agent": "filmspool"})
	if err != nil {
		return nil, err
	}
	switch answer.Status {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return nil, resolve.ErrUnanswerable
	default:
		return nil, i.http.Refused(answer, 0)
	}
	switch http.DetectContentType(answer.Body) {
	case "image/jpeg", "image/png", "image/webp":
		return answer.Body, nil
	default:
		return nil, i.http.Malformed()
	}
}
