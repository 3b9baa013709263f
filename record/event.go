package record

// The names of events. A reader passes over the names it does not know.
const (
	EventStart    = "start"    // the fetch of a URL begins
	EventSkip     = "skip"     // an earlier run has fetched the URL, or its file exists; no other event is about it
	EventRedirect = "redirect" // the server points elsewhere, and the client goes there
	EventRetry    = "retry"    // an attempt failed, and there will be another
	EventProgress = "progress" // so many bytes are there
	EventRecord   = "record"   // the fetch is over
)

// An Event is one thing that happens while URLs are fetched. Every event has a name, the
// number of its URL and a time; the other fields are left out where they mean nothing.
// Each EventStart is followed by one EventRecord with the same ID.
type Event struct {
	Name   string   `json:"event"`
	ID     int      `json:"id"`               // of the URL in this run, from 1
	Time   string   `json:"time"`             // see Stamp
	URL    string   `json:"url,omitempty"`    // of start and skip
	From   string   `json:"from,omitempty"`   // of redirect
	To     string   `json:"to,omitempty"`     // of redirect
	Try    int      `json:"try,omitempty"`    // of retry: which attempt failed, from 1
	Wait   *float64 `json:"wait,omitempty"`   // of retry, in seconds
	Error  *Failure `json:"error,omitempty"`  // of retry
	Have   *int64   `json:"have,omitempty"`   // of progress: bytes, with those of an earlier run
	Size   *int64   `json:"size,omitempty"`   // of progress: bytes of the whole, if that is known
	Record *Record  `json:"record,omitempty"` // of record
}
