package cluster

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// giveUp makes a record of a URL that is not fetched any more, since workers died while they fetched it.
func (w *Worker) giveUp(h *holding, t *task) {
	item := &t.page.items[t.index]
	u, err := item.parse()
	if err != nil {
		u = nil
	}
	rec := record.New(u, w.now())
	if u == nil {
		rec.URL = item.URL
	}
	rec.Attempts = t.deaths
	rec.Fill(nil, fetchers.NewError("fetch", u, fmt.Errorf("%w: %d workers ended while they fetched it", record.ErrCrash, t.deaths)))
	o, err := (&visit{rec: rec}).outcome()
	if err == nil {
		err = o.keepOrigin(item)
	}
	if err != nil {
		w.trouble(err)
		return
	}
	w.finish(h, result{t, o})
}
