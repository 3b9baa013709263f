package record

import (
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An Entry is one row of a listing, the same for all protocols. A nil pointer is a fact
// that the server did not tell.
type Entry struct {
	Name       string            `json:"name"`       // as the server shows it
	URL        *string           `json:"url"`        // null for a line that leads nowhere
	Kind       string            `json:"kind"`       // document, listing, index, session, unknown; text for a line that is only text; unparsed
	MediaType  *string           `json:"media_type"` // where the protocol or the name tells
	Size       *int64            `json:"size"`       // in bytes
	Modified   *string           `json:"modified"`   // RFC 3339, in UTC, to the second; or the date alone
	Title      *string           `json:"title"`      // where the server has one besides the name
	Author     *string           `json:"author"`     // of an article, with an address
	Target     *string           `json:"target"`     // of a symbolic link, as the server writes it
	Score      *int              `json:"score"`      // relevance, 1 to 1000, of a search by WAIS
	Attributes map[string]string `json:"attributes"` // further facts by name, such as unix.mode
}

// EntryOf returns an entry of a Listing as a row. Its URL can be fetched: it has the user,
// but no password, for which "***" would be taken.
func EntryOf(e *fetchers.Entry) Entry {
	row := Entry{
		Name: e.Name, Kind: e.Kind.String(), MediaType: orNull(e.MediaType),
		Size: sizeOrNull(e.Size), Modified: timeOrNull(e.ModTime),
		Title: orNull(e.Title), Author: orNull(e.Author), Target: orNull(e.Target()), Score: orNull(e.Score), Attributes: e.Attributes,
	}
	if e.DateOnly {
		row.Modified = orNull(e.ModTime.UTC().Format(time.DateOnly))
	}
	if e.URL != nil {
		row.URL = orNull(e.URL.WithoutPassword().Redacted())
	}
	if row.Attributes == nil {
		row.Attributes = map[string]string{}
	}
	return row
}
