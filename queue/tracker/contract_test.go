package tracker

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// Contract checks requests against the OpenAPI document.
type Contract struct {
	doc    *openapi3.T
	router routers.Router
}

func LoadContract(t *testing.T) Contract {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// Validates the examples, too.
	if err := doc.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return Contract{doc: doc, router: router}
}

// Request checks one HTTP request; its key may be in either header.
func (c Contract) Request(r *http.Request) error {
	route, params, err := c.router.FindRoute(r)
	if err != nil {
		return err
	}
	return openapi3filter.ValidateRequest(context.Background(), &openapi3filter.RequestValidationInput{
		Request: r, Route: route, PathParams: params,
		Options: &openapi3filter.Options{AuthenticationFunc: authenticate},
	})
}

func authenticate(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	h := in.RequestValidationInput.Request.Header
	if in.SecuritySchemeName == "bearer" && strings.HasPrefix(h.Get("Authorization"), "Bearer sk_") ||
		in.SecuritySchemeName == "apiKeyHeader" && strings.HasPrefix(h.Get("X-Api-Key"), "sk_") {
		return nil
	}
	return errors.New("no key")
}
