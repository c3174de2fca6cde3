package tmdb

import (
	"context"
	"net/http"

	"github.com/filmspool/filmspool/queue/resolve"
)

// DefaultImages is the address of TMDB's images.
const DefaultImages = "https://image.tmdb.org/t/p"

// The limits on the rate of requests.
const (
	imagesPerSecond = 20
	imagesBurst     = 20
)

// Images fetches images, without a token.
type Images struct {
	base string
	http *resolve.HTTP
}

// NewImages returns a client without sending anything. base is [DefaultImages], or another
// address that [resolve.CheckAddress] accepts.
func NewImages(base string) *Images {
	return &Images{base: base, http: resolve.NewHTTP("TMDB", imagesPerSecond, imagesBurst)}
}

// Poster fetches the image at a path, 185 pixels wide: a JPEG, PNG or WebP of at most 1 MB.
// Its errors are those of [resolve.HTTP.Do]; a response in another format is a
// [*resolve.UnavailableError], too.
func (i *Images) Poster(ctx context.Context, path string) ([]byte, error) {
	response, err := i.http.Do(ctx, i.base+"/w185"+path, nil, map[string]string{"User-Agent": "filmspool"})
	if err != nil {
		return nil, err
	}
	switch response.Status {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return nil, resolve.ErrUnanswerable
	default:
		return nil, i.http.Refused(response, 0)
	}
	switch http.DetectContentType(response.Body) {
	case "image/jpeg", "image/png", "image/webp":
		return response.Body, nil
	default:
		return nil, i.http.Malformed()
	}
}
