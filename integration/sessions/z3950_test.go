package sessions

import (
	"bufio"

	"github.com/seed1ea3422f/fetch/internal/z3950"
)

// serveZ3950 serves records of SUTRS whose docids are their names, and which come with the
// answer to a Present.
func serveZ3950(v *visit) {
	d := z3950.NewDecoder(bufio.NewReader(v.in))
	name := ""
	for {
		tag, err := d.Begin(1 << 20)
		if err != nil {
			return
		}
		switch tag {
		case z3950.InitRequestTag:
			m, err := d.Init()
			if err != nil {
				return
			}
			v.record("Init", false)
			v.last = string((&z3950.InitResponse{Accepted: true, Init: *m}).Append(nil))
			v.say(v.last)
			continue
		case z3950.SearchRequestTag:
			m, err := d.Search()
			if err != nil || len(m.Query) != 1 {
				return
			}
			name = m.Query[0].Term
			v.record("Search "+name, true)
			r := z3950.Response{Tag: z3950.SearchResponseTag, ReferenceID: m.ReferenceID, Count: 1, Found: true}
			if v.z3950Reply("Search", r) == gone {
				return
			}
		case z3950.PresentRequestTag:
			m, err := d.Present()
			if err != nil {
				return
			}
			v.record("Present "+name, false)
			r := z3950.Response{Tag: z3950.PresentResponseTag, ReferenceID: m.ReferenceID, Returned: 1, Records: []z3950.Record{
				{Syntax: z3950.SUTRS, Element: true, Content: []byte(text(name))},
			}}
			if v.z3950Reply("Present", r) == gone {
				return
			}
		default:
			return
		}
	}
}

// z3950Reply sends an answer to a request, or its version for the fault of the plan. The
// unrequested answer is to an earlier request, and has another record.
func (v *visit) z3950Reply(step string, m z3950.Response) verdict {
	stray := m
	stray.ReferenceID = "0"
	if len(m.Records) > 0 {
		record := m.Records[0]
		record.Content = []byte(text(stale))
		stray.Records = []z3950.Record{record}
	}
	leave := string((&z3950.Close{Reason: 1}).Append(nil))
	r := reply{whole: string(m.Append(nil)), surplus: string(stray.Append(nil)), end: 4, goodbye: leave}
	r.other = r.surplus
	return v.reply(step, r)
}
