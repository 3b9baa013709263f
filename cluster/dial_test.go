package cluster

import (
	"strings"
	"testing"
)

func TestLoginIsNotSentInClear(t *testing.T) {
	for url, refused := range map[string]bool{
		"nats://u:hunter2@192.0.2.1:4222":                        true,
		"nats://127.0.0.1:4222,nats://u:hunter2@192.0.2.1:4222":  true,
		"nats://token@192.0.2.1":                                 true,
		"tls://u:hunter2@192.0.2.1:4222":                         false,
		"nats://u:hunter2@127.0.0.1:4222,nats://u:p@localhost:1": false,
		"nats://192.0.2.1:4222":                                  false,
	} {
		if err := (Server{URL: url}).guarded(); (err != nil) != refused || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestPasswordIsMasked(t *testing.T) {
	_, err := Dial(t.Context(), Server{URL: "nats://u:hunter2@127.0.0.1:1"}, Options{})
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Error(err)
	}
}
