package web

import "testing"

func TestCheckAddress(t *testing.T) {
	const example = "https://api.themoviedb.org/3"
	for given, ok := range map[string]bool{
		example: true, "http://127.0.0.1:8080/3": true, "http://[::1]:1/3": true,
		"http://api.themoviedb.org/3": false, "http://localhost.example/3": false, "https://api.themoviedb.org/3/": false,
		"https://a:b@c/3": false, "https://c/3?x=1": false, "https://c/3#x": false, "ftp://c/3": false, "/3": false, "": false, "https://%zz": false,
	} {
		if err := CheckAddress(given, example); (err == nil) != ok {
			t.Errorf("%q: %v", given, err)
		}
	}
}
