package gateway

import (
	"crypto/rand"
	"crypto/subtle"
	"sync"
)

// A token is a text that no page of another site can know. It is made when it is first asked for,
// and is another one for each Handler.
type token struct {
	once sync.Once
	text string
}

func (t *token) String() string {
	t.once.Do(func() { t.text = rand.Text() })
	return t.text
}

// is reports whether text is the token, in a time that does not depend on the text.
func (t *token) is(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(t.String())) == 1
}
