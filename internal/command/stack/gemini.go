package stack

import (
	"crypto/tls"
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// setGemini writes the settings into client.
func setGemini(client *gemini.Fetcher, config *tls.Config, s *shared) {
	client.TLS, client.Store = config, s.knownHosts
}

// newKnownHosts returns the certificates of Gemini servers: those in the file of --gemini-hosts,
// or in that of the state directory.
func newKnownHosts(o option.Gemini, s *term.Streams) *knownHosts {
	k := &knownHosts{name: o.Hosts, warn: s.Say}
	if k.name == "" {
		k.name, k.unnamed = option.StateFile("gemini-hosts"), true
	}
	return k
}

// maxStrangeHosts is how many Gemini servers in the URLs of strangers are remembered.
const maxStrangeHosts = 10_000

// ForStrangers prepares the Stack for the URLs of strangers, as in a gateway: the certificates of
// Gemini servers are remembered for the run only, and of a limited number of servers.
func (st *Stack) ForStrangers() {
	st.shared.knownHosts.reads = true
	st.shared.knownHosts.lost.Max = maxStrangeHosts
}

// question returns the text that asks the person at the terminal for the words of an Index, and
// whether the answer is hidden. The text of the server stands at the end, behind its name.
func question(index *fetchers.Resource) (text string, hidden bool) {
	if index.URL.Scheme != "gemini" {
		return "search " + index.URL.Redacted() + " for: ", false
	}
	return index.URL.Host + " asks: " + asked(index.Reply.Text), gemini.IsSecret(index)
}

// unanswered returns the error for an Index, if no person was asked.
func unanswered(index *fetchers.Resource) error {
	hint := "to answer it: fetch '" + index.Query("ANSWER").Redacted() + "'"
	if gemini.IsSecret(index) {
		hint = "it wants a secret: run fetch at a terminal, which asks for it"
	}
	return term.WithHints(fmt.Errorf("%s: asks %q: %w", index.URL.Redacted(), index.Reply.Text, fetchers.ErrNotRetrievable), hint)
}
