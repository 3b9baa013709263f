package option

import (
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/internal/command/spelling"
)

// check returns an error if s has no place where it stands: in a section for a scheme, or
// for all origins if that is "".
func (s Setting) check(scheme string) error {
	f, known := Lookup(s.Key)
	unsendable := s.sendable()
	switch {
	case !known:
		var names []string
		for _, f := range Table() {
			if f.Scope != OneRun {
				names = append(names, f.Name)
			}
		}
		slices.Sort(names)
		return fmt.Errorf("%s: there is no flag %q%s", s.Where, s.Key, spelling.DidYouMean("%q", spelling.Nearest(names, s.Key)))
	case f.Scope == OneRun:
		return fmt.Errorf("%s: %s is for a command line", s.Where, s.Key)
	case scheme != "" && f.Scope == ForAll:
		return fmt.Errorf("%s: %s is not for one origin: write it before the first section", s.Where, s.Key)
	case scheme == "" && f.Scope == OnlyOrigin:
		return fmt.Errorf("%s: %s is for one origin: write it in a section like [\"https://example.org\"]", s.Where, s.Key)
	case unsendable != nil:
		return fmt.Errorf("%s: %w", s.Where, unsendable)
	case scheme == "" && f.Secret == Field && s.secret():
		return fmt.Errorf("%s: that header is a secret, which is for one origin: write it in a section like [\"https://example.org\"]", s.Where)
	case scheme != "" && !f.For(scheme):
		return fmt.Errorf("%s: %s means nothing for %s", s.Where, s.Key, scheme)
	}
	return nil
}

// sendable returns an error if s is a header field, or several, that cannot be sent.
func (s Setting) sendable() error {
	switch f := row(s.Key); {
	case s.Key == "header" && slices.ContainsFunc(s.Values, isFile):
		return errors.New("header is NAME: VALUE: a file of fields is for a command line")
	case s.Key == "header":
		_, err := (&Ask{Headers: s.Values}).fields()
		return err
	case f.Field != "":
		if err := http.CheckFields(textproto.MIMEHeader{f.Field: s.Values}); err != nil {
			return err
		}
	}
	if s.Key == "write-out" && slices.ContainsFunc(s.Values, isFile) {
		return errors.New("write-out is a FORMAT: a file of it is for a command line")
	}
	if s.Key == "cookie" && len((&Ask{Cookies: s.Values}).CookieFiles()) > 0 {
		return errors.New("cookie is NAME=VALUE: a file of cookies is for a command line")
	}
	return nil
}

// set gives a flag the values.
func (s Setting) set(v value) error {
	list, several := v.(pflag.SliceValue)
	if several {
		list.Replace(nil)
	}
	if _, entries := v.(table); len(s.Values) != 1 && !several && !entries {
		return fmt.Errorf("%s: %s has one value, not %d", s.Where, s.Key, len(s.Values))
	}
	for _, one := range s.Values {
		var err error
		if row(s.Key).namesFile() {
			one, err = homed(one)
		}
		switch {
		case err != nil:
		case several:
			err = list.Append(one)
		default:
			err = v.Set(one)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.Where, s.Key, err)
		}
	}
	return nil
}

// Shown returns the setting as flags, with the secrets in its values masked.
func (s Setting) Shown() string { return s.textBy(http.MaskedSent) }

// secret reports whether the values hold a secret. A header field counts by its name, since
// most fields that are masked hold none.
func (s Setting) secret() bool { return strings.Contains(s.textBy(http.Masked), "***") }

// textBy is Shown with header fields as mask has them.
func (s Setting) textBy(mask func(name, value string) string) string {
	f := row(s.Key)
	values := make([]string, len(s.Values))
	for i, v := range s.Values {
		values[i] = f.maskedBy(mask, v)
	}
	return "--" + s.Key + " " + strings.Join(values, ", ")
}
