package sessions

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/internal/apdu"
)

// chunk is the size of a range that a client of WAIS requests: each document has two chunks.
const chunk = 256

// serveWAIS serves documents whose document-ids are their names.
func serveWAIS(v *visit) {
	for {
		_, body, err := apdu.Read(v.in, nil, 1<<20)
		if err != nil {
			return
		}
		if pdu, err := apdu.Kind(body); err != nil {
			return
		} else if pdu == apdu.InitPDU {
			v.record("Init", false)
			answer := apdu.InitResponse{Accepted: true, Init: apdu.Init{Options: apdu.OptionSearch, PreferredMessageSize: 100_000, MaximumRecordSize: 100_000}}
			v.last = message(answer.Append(nil))
			v.say(v.last)
			continue
		}
		m, err := apdu.ParseSearch(body)
		if err != nil || m.Retrieve == nil {
			return
		}
		name, from := m.Retrieve.DocumentID, m.Retrieve.Start
		step := "first chunk"
		if from > 0 {
			step = "last chunk"
		}
		v.record(fmt.Sprintf("%s of %s", step, name), from == 0)
		r := reply{whole: chunkOf(name, m), surplus: chunkOf(stale, m), end: 10}
		if step == "last chunk" || v.host.crowded {
			r.other = chunkOf(stale, m)
		}
		if v.reply(step, r) == gone {
			return
		}
	}
}

// chunkOf is the answer to m for the document of a name.
func chunkOf(name string, m *apdu.Search) string {
	document := text(name)
	from, to := min(int(m.Retrieve.Start), len(document)), min(int(m.Retrieve.End), len(document))
	r := apdu.Response{Returned: 1, ReferenceID: m.ReferenceID, Texts: []apdu.Text{{DocumentID: name, Data: []byte(document[from:to])}}}
	if to == len(document) {
		r.Diagnostics = []apdu.Diagnostic{{Code: "SF", Text: "Request out of range", Surrogate: true}}
	}
	return message(r.Append(nil))
}

func message(body []byte) string { return string(apdu.Plain.Append(nil, body)) }
