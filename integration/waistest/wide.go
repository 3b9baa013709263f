package waistest

import "github.com/seed1ea3422f/fetch/internal/apdu"

// stranger is an unknown element.
const stranger = "\x81\x48\x02xy"

// wide writes r as other servers did: with padded lengths, and with unknown elements in between.
func wide(r *apdu.Response) []byte {
	fields, _ := split(r.Append(nil))
	records := ""
	for _, h := range r.Hits {
		_, one := split((&apdu.Response{Hits: []apdu.Hit{h}}).Append(nil))
		records += stranger + "\x81\x16" + padded(stranger+value(value(one)))
	}
	for _, t := range r.Texts {
		_, one := split((&apdu.Response{Texts: []apdu.Text{t}}).Append(nil))
		records += stranger + "\x81\x19" + padded(stranger+value(value(one)))
	}
	if len(r.Diagnostics) > 0 {
		_, user := split((&apdu.Response{Diagnostics: r.Diagnostics}).Append(nil))
		records += value(user)
	}
	return []byte(fields + "\x63" + padded(records))
}

// split returns the front part of an APDU, with its length, and the rest.
func split(body []byte) (fields, user string) {
	n := 2 + int(body[0])<<8 + int(body[1])
	return string(body[:n]), string(body[n:])
}

// value returns the content of the first element of b, after its tag and its length.
func value(b string) string {
	for range 2 {
		for b[0] >= 0x80 {
			b = b[1:]
		}
		b = b[1:]
	}
	return b
}

// padded writes a value after its length, for which four octets are used.
func padded(value string) string {
	n := len(value)
	return string([]byte{0x80, byte(n>>14) | 0x80, byte(n>>7) | 0x80, byte(n) & 0x7F}) + value
}
