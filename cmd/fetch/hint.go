package main

import (
	"errors"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A hinted error comes with what to do next, which is said after it.
type hinted struct {
	error
	hints []string
}

func (h hinted) Unwrap() error { return h.error }

// advised adds to the failure of fetching u what to do next, where the command has
// something for it.
func advised(u *url.URL, err error) error {
	switch {
	case errors.Is(err, fetchers.ErrNotRetrievable) && u.Scheme == "urn":
		return hinted{err, []string{"to say where such names lead: --urn 'NAMESPACE=https://…{nss}'"}}
	case errors.Is(err, fetchers.ErrBlocked):
		if _, notSession := u.Telnet(); notSession == nil {
			return hinted{err, []string{"to open it at a terminal all the same: --connect"}}
		}
	}
	return err
}
