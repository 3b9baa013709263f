package fetchers_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// stepsOf decodes the answers of a server from octets, two per answer.
func stepsOf(octets []byte, size int64) (script []step) {
	for len(octets) > 1 {
		kind, amount := octets[0], int64(octets[1])
		octets = octets[2:]
		at := step{sends: size * amount / 512, version: int(kind >> 6), lend: kind&32 != 0} // at most half of the resource
		switch kind % 8 {
		case 0:
			at.err = errBusy
		case 1:
			at.to = fmt.Sprintf("http://h.example/%d", amount)
		case 2:
			at.weak = true
		case 3:
			at.whole = true
		case 4:
			at.err = fetchers.ErrLogin
		case 5:
			at.sends = amount // a few bytes
		}
		script = append(script, at)
	}
	return append(script, step{})
}

// FuzzRequests checks that, whatever a server answers, there are at most Max retries, and as many
// again for each amount of bytes that resets the count. A retry for the rest of a Body may be two
// requests: the second one is a restart. Redirections and logins are limited separately. The Trace
// reports each retry, and the error contains the number of failed requests.
func FuzzRequests(f *testing.F) {
	f.Add(uint8(2), uint32(1000), []byte("\x05\x0a\x05\x0a\x05\x0a"))
	f.Add(uint8(3), uint32(100<<20), []byte("\x07\xff\x00\x00\x07\xff\x46\x10\x02\x80\x03\xff"))
	f.Add(uint8(1), uint32(20), []byte("\x07\x20\x01\x03\x07\x20\x04\x00\x07\x20\x27\x20"))
	f.Add(uint8(9), uint32(1), []byte("\x00\x00\x82\xff\xc7\xff\x07\xff"))
	f.Fuzz(func(t *testing.T, most uint8, size uint32, octets []byte) {
		size = size%(64<<20) + 1
		octets = octets[:min(len(octets), 1000)]
		synctest.Test(t, func(t *testing.T) {
			server := &scripted{size: int64(size), script: stepsOf(octets, int64(size))}
			client := &fetchers.Client{Retry: fetchers.Retry{Max: int(most % 10)}, Keychain: &keychain{}}
			_, told, err := server.save(t.Context(), client, true)
			amount := min(1<<20, (int64(size)+19)/20)
			renewals := int64(size) / amount
			most := int64(client.Retry.Max) * (1 + renewals)
			if server.restarted {
				most *= 2
			}
			if retries := int64(len(told)); retries > most {
				t.Errorf("%d retries of %d bytes, with Max %d: %v", retries, size, client.Retry.Max, err)
			}
			var tried *fetchers.TriedError
			if errors.As(err, &tried) && tried.Tries != len(told)+1 {
				t.Errorf("%v, after %d retries", err, len(told))
			}
			if most := (len(told) + 1) * 22; server.requests > most { // ten redirections, and a login after each
				t.Errorf("%d requests, want at most %d", server.requests, most)
			}
		})
	})
}
