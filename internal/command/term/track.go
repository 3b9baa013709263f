package term

import (
	"time"

	"github.com/vbauerster/mpb/v8"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// A track is one download that a Progress shows.
type track struct {
	download.Meter
	res   *fetchers.Resource // tells how far it is, if it is not nil
	name  string
	begun time.Time
	last  time.Time // of a line about it
	bar   *mpb.Bar
}

// Have returns how many octets are there.
func (t *track) Have() int64 {
	if t.res != nil {
		return t.res.Received()
	}
	return t.Meter.Have()
}

// Size returns how many octets there will be, or less than 1 if that is not known.
func (t *track) Size() int64 {
	if t.res != nil {
		return t.res.Size
	}
	return t.Meter.Size()
}

// amount says how much there is, and of how much.
func (t *track) amount() string {
	if size := t.Size(); size > 0 {
		return Human(float64(t.Have())) + " of " + Human(float64(size))
	}
	return Human(float64(t.Have()))
}

// rate says how fast the download is.
func (t *track) rate() string {
	return Human(float64(t.Have()-t.Resumed())/time.Since(t.begun).Seconds()) + "/s"
}

// left says for how long the download will go on.
func (t *track) left() string {
	come, missing := t.Have()-t.Resumed(), t.Size()-t.Have()
	if come <= 0 || missing < 0 {
		return ""
	}
	rest := time.Duration(float64(time.Since(t.begun)) / float64(come) * float64(missing))
	return rest.Round(time.Second).String() + " left"
}
