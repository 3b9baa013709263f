package session

import "testing"

// A service that echoes gets each key, and one that does not gets lines that were
// corrected.
func TestKeyboard(t *testing.T) {
	for _, c := range []struct {
		typed      string
		echoed     bool
		send, echo string
		left       bool
	}{
		{"ls\r", true, "ls\r", "", false},
		{"a\x7f\x03", true, "a\x7f\x03", "", false},
		{"a\x1db", true, "a", "", true},
		{"ls\r", false, "ls\r\n", "ls\r\n", false},
		{"a\nb", false, "a\r\n", "a\r\nb", false},
		{"ax\x7f\b\x7fb\r", false, "b\r\n", "ax\b \b\b \bb\r\n", false},
		{"\xe2\x82\xac\x7fx\r", false, "x\r\n", "\xe2\x82\xac\b \bx\r\n", false},
		{"ab\x03", false, "ab\x03", "ab", false},
		{"half\x1d", false, "", "half", true},
	} {
		var e lineEditor
		if send, echo, left := e.typed([]byte(c.typed), c.echoed); string(send) != c.send || string(echo) != c.echo || left != c.left {
			t.Errorf("%q, echoed %v: %q, %q, %v; want %q, %q, %v", c.typed, c.echoed, send, echo, left, c.send, c.echo, c.left)
		}
	}
	var e lineEditor
	long := make([]byte, 3*maxTyped)
	for i := range long {
		long[i] = 'x'
	}
	if send, _, _ := e.typed(append(long, '\r'), false); len(send) != maxTyped+2 {
		t.Errorf("a line of %d octets is sent, want %d", len(send), maxTyped+2)
	}
	e.typed([]byte("begun"), false)
	if send, _, _ := e.typed([]byte("!"), true); string(send) != "begun!" {
		t.Errorf("when the service begins to echo, %q is sent", send)
	}
}
