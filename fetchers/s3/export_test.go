package s3

import "time"

// Sign returns the field Authorization of a request.
func Sign(keys Credentials, region, service string, at time.Time, method, path, query string, fields map[string]string) string {
	s := signer{keys, region, service, at}
	return s.authorization(method, path, query, fields)
}

// ReadPage reads a page of a listing, and returns the token of the next one.
func ReadPage(text []byte) (token string, err error) {
	var p pages
	err = p.read(text)
	return p.token, err
}

// Escape is escape.
var Escape = escape
