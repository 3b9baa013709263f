package option

import (
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// OriginKey returns the key of the origin of u in Options.Origins.
func OriginKey(u *url.URL) string { return u.Scheme + "://" + u.Addr() }

// addSection checks a section and notes it.
func (o *Options) addSection(s *Section) error {
	u, err := idn.Parse(s.Origin)
	switch {
	case err != nil || u.Host == "" || url.Describe(u.Scheme) == "":
		return fmt.Errorf("%s: %q is no origin: write it like [\"https://example.org\"]", s.Where, url.Redact(s.Origin))
	case u.User != nil || strings.Trim(u.Path, "/") != "" || u.Query != "" || u.Fragment != "":
		return fmt.Errorf("%s: %s is more than an origin: a section is for all of a server", s.Where, u.Redacted())
	}
	if before := o.Origins[OriginKey(u)]; before != nil {
		return fmt.Errorf("%s: a second section for the origin of %s", s.Where, before.Where)
	}
	for _, set := range s.Settings {
		if err := set.check(u.Scheme); err != nil {
			return err
		}
	}
	o.Origins[OriginKey(u)] = s
	return nil
}

// complete makes the Options of the section from those of the run, which it does not change.
func (s *Section) complete(run *Options, verb string) error {
	own := run.clone()
	s.Options = &own
	s.disown(run, &own)
	for i, set := range s.Settings {
		f := row(set.Key)
		if !f.On(verb) || run.Given(set.Key) && set.Key != "header" || run.replaced(f) {
			continue // the command line goes before
		}
		if set.Key == "user" {
			s.User = &s.Settings[i]
		}
		s.Certified = s.Certified || set.Key == "cert"
		if err := set.set(f.bind(&own)); err != nil {
			return err
		}
		own.Sources[set.Key] = set.Where
	}
	var err error
	s.Fields, err = s.fields(run)
	return err
}

// Sets reports whether the section has a value for a flag.
func (s *Section) Sets(name string) bool {
	return slices.ContainsFunc(s.Settings, func(set Setting) bool { return set.Key == name })
}

// disown resets the flags whose owner the section replaces to their defaults: the values before the
// sections belong to another owner.
func (s *Section) disown(run, own *Options) {
	usual := Defaults()
	for _, f := range Table() {
		if slices.ContainsFunc(strings.Fields(f.Owner), s.Sets) && !run.replaced(f) && !run.Given(f.Name) {
			f.bind(own).Set(f.bind(&usual).String())
			delete(own.Sources, f.Name)
		}
	}
}

// clone returns a copy of o that shares no memory which a flag changes. The copy has no
// sections.
func (o *Options) clone() Options {
	own := *o
	own.Origins, own.Sources, own.URN = nil, maps.Clone(o.Sources), maps.Clone(o.URN)
	for _, f := range Table() {
		if list, ok := f.bind(&own).(pflag.SliceValue); ok {
			list.Replace(slices.Clone(list.GetSlice()))
		}
	}
	return own
}

// fields returns the header fields of the section, without those of the command line.
func (s *Section) fields(run *Options) (textproto.MIMEHeader, error) {
	var ask Ask
	own := textproto.MIMEHeader{}
	for _, set := range s.Settings {
		switch f := row(set.Key); {
		case set.Key == "header":
			ask.Headers = set.Values
		case set.Key == "cookie" && !run.Given(set.Key):
			ask.Cookies = set.Values
		case f.Field != "" && !run.Given(set.Key) && set.Values[0] != "":
			own[f.Field] = set.Values
		}
	}
	h, err := ask.fields()
	if err != nil {
		return nil, err
	}
	maps.Copy(h, own)
	if run.Given("header") {
		typed := run.Ask
		typed.Cookies = nil // the field of a section goes before it
		others, _ := typed.fields()
		for name := range others {
			h.Del(name)
		}
	}
	return h, nil
}
