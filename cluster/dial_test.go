package cluster

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

func TestLoginIsNotSentInClear(t *testing.T) {
	for url, refused := range map[string]bool{
		"nats://u:hunter2@192.0.2.1:4222":                        true,
		"nats://127.0.0.1:4222,nats://u:hunter2@192.0.2.1:4222":  true,
		"nats://token@192.0.2.1":                                 true,
		"tls://u:hunter2@192.0.2.1:4222":                         false,
		"nats://u:hunter2@127.0.0.1:4222,nats://u:p@localhost:1": false,
		"nats://192.0.2.1:4222":                                  false,
		"u:hunter2@192.0.2.1:4222":                               true,
		"127.0.0.1, u:hunter2@192.0.2.1":                         true,
		"hunter2@192.0.2.1":                                      true,
		"u:hunter2@127.0.0.1:4222,192.0.2.1:4222,":               false,
		"nats://u:hunter2@[::1":                                  true,
		"nats://u:hun%ter2@127.0.0.1":                            true,
	} {
		if _, err := (Server{URL: url}).guarded(); (err != nil) != refused || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestLoginIsMasked(t *testing.T) {
	for _, login := range []string{"u:hunter2@", "hunter2@", "hunter2:@"} {
		for _, scheme := range []string{"nats://", ""} {
			_, err := Dial(t.Context(), Server{URL: scheme + login + "127.0.0.1:1"}, Options{})
			if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "127.0.0.1:1") {
				t.Error(err)
			}
		}
	}
}

// A login that is sent in clear to this machine is not sent to the servers that this one names.
func TestLoginIsNotSentToOtherServers(t *testing.T) {
	for url, ignored := range map[string]bool{"nats://u:p@127.0.0.1:4222": true, "nats://127.0.0.1:4222": false, "tls://u:p@192.0.2.1": false} {
		list, err := Server{URL: url}.options()
		if err != nil {
			t.Fatal(err)
		}
		o := nats.GetDefaultOptions()
		for _, option := range list {
			if err := option(&o); err != nil {
				t.Fatal(err)
			}
		}
		if o.IgnoreDiscoveredServers != ignored {
			t.Errorf("%s: discovered servers are ignored: %v", url, o.IgnoreDiscoveredServers)
		}
	}
}
