package option

import (
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// A Secret says which part of a flag's value is masked where it is shown. Of every value a
// password in a URL is.
type Secret int

// The kinds of secrets in values.
const (
	Public     Secret = iota
	Field             // NAME: VALUE of a header field
	FieldValue        // the value of the flag's header field
	Login             // NAME:PASSWORD; curl takes FILE:PASSWORD for --cert
	Answer            // LABEL=VALUE
)

// Masked returns a value of the flag as it may be shown, with header fields as sent to a
// server.
func (f Flag) Masked(value string) string { return f.maskedBy(http.MaskedSent, value) }

// maskedBy is Masked with header fields as mask has them.
func (f Flag) maskedBy(mask func(name, value string) string, v string) string {
	name, value, ok := strings.Cut(v, ":")
	switch f.Secret {
	case Field:
		if _, blank := blankField(v); blank || isFile(v) {
			return url.Redact(v)
		}
		if !ok {
			return "***" // a value that lacks its name
		}
		return name + ": " + mask(name, strings.TrimSpace(value))
	case FieldValue:
		return mask(f.Field, v)
	case Login:
		if ok {
			return name + ":***"
		}
		return v
	case Answer:
		if name, _, ok := strings.Cut(v, "="); ok {
			return name + "=***"
		}
	}
	return url.Redact(v)
}
