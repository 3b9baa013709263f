package fault_test

import (
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/geminitest"
)

// geminiServer makes a server of the file, with a fault if it has one.
func geminiServer(path string, opts ...geminitest.Option) func(*scene) string {
	return func(s *scene) string {
		server := geminitest.NewServer(fstest.MapFS{"f.bin": {Data: v1.data}}, opts...)
		s.Cleanup(server.Close)
		s.trust = server.ClientTLS()
		return server.URL + path
	}
}

func geminiFault(f geminitest.Fault) func(*scene) string {
	return geminiServer("/f.bin", geminitest.Faults(f))
}

// geminiSays makes a server that answers with these octets.
func geminiSays(octets string) func(*scene) string {
	return geminiServer("/x", geminitest.Reply("/x", octets))
}

var geminiTrials = []trial{
	{name: "gemini with close_notify", does: "the file, and close_notify", serve: geminiServer("/f.bin"), want: mustBeRight},
	{name: "gemini without close_notify", does: "the file, and the end of the connection alone", serve: geminiServer("/f.bin", geminitest.NoNotify()), want: mustFail},
	{name: "gemini, half, no close_notify", does: "half of the file, and the end of the connection alone", serve: geminiFault(geminitest.Fault{After: atHalf, Do: geminitest.Cut}), want: mustFail},
	{name: "gemini is reset", does: "half of the file, and a reset", serve: geminiFault(geminitest.Fault{After: atHalf, Do: geminitest.Reset}), want: mustFail},
	{name: "gemini stalls", does: "half of the file, and nothing more", serve: geminiFault(geminitest.Fault{After: atHalf, Do: geminitest.Stall}), want: mustFail},
	{name: "silence after a gemini page", does: "the file, and neither close_notify nor an end", serve: geminiFault(geminitest.Fault{Do: geminitest.Hold}), want: mustFail},
	{name: "a gemini server that never answers", does: "nothing", serve: geminiFault(geminitest.Fault{Do: geminitest.Stall}), want: mustFail},
	{name: "a gemini answer without a status", does: "the file without a status line", serve: geminiSays(body), want: mustFail},
	{name: "a gemini text of 10 MB", does: "a status line of 10 MB", serve: geminiSays("20 " + strings.Repeat("x", 10<<20) + "\r\n"), want: mustFail},
	{name: "a gemini refusal in place of a file", does: "51", serve: geminiSays("51 Not found\r\n"), want: mustFail},
	{name: "a gemini redirection to itself", does: "30 with its own URL", serve: geminiSays("30 /x\r\n"), want: mustFail},
	{name: "a gemini redirection to a local file", does: "30 with file:///etc/passwd", serve: geminiSays("30 file:///etc/passwd\r\n"), want: mustFail},
	{name: "a gemini page of 100,000 links", does: "100,000 links", serve: listed(geminiSays("20 text/gemini\r\n" + strings.Repeat("=> a An entry\n", 100_000))), entries: 100_000, want: mustBeRight},
	{name: "a gemini page in one endless link", does: "one link of 10 MB", serve: listed(geminiSays("20 text/gemini\r\n=> " + strings.Repeat("x", 10<<20))), want: mustFail},
}
