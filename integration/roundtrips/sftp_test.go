package roundtrips

import (
	"crypto/ed25519"
	"encoding/binary"
	"encoding/pem"
	"io"
	"net"

	"golang.org/x/crypto/ssh"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
)

// A sshKey is a key that is the same in every run.
func sshKey(seed string) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte((seed + "________________________________")[:ed25519.SeedSize]))
}

// withKey makes the client log in with a key, and trust the server.
func withKey(s *fetch.Set) {
	block, err := ssh.MarshalPrivateKey(sshKey("user"), "")
	if err != nil {
		panic(err)
	}
	s.SFTP.User = "joe"
	s.SFTP.Keys = []sftp.Key{{Private: pem.EncodeToMemory(block)}}
	s.SFTP.AcceptNew = func(*sftp.HostKeyError, string) error { return nil }
}

// sftp serves a file to users with a key, as OpenSSH does.
func (s server) sftp(port int) (int, func()) {
	host, err := ssh.NewSignerFromKey(sshKey("host"))
	if err != nil {
		panic(err)
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, nil }}
	config.AddHostKey(host)
	return s.network.listen(port, func(conn net.Conn) {
		c, channels, requests, err := ssh.NewServerConn(conn, config)
		if err != nil {
			return
		}
		defer c.Close()
		go ssh.DiscardRequests(requests)
		for asked := range channels {
			channel, requests, err := asked.Accept()
			if err != nil {
				return
			}
			go func() {
				for r := range requests {
					r.Reply(r.Type == "subsystem", nil)
				}
			}()
			go s.packets(channel)
		}
	})
}

// packets answers the packets of SFTP (draft-ietf-secsh-filexfer-02).
func (s server) packets(channel ssh.Channel) {
	defer channel.Close()
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(channel, head); err != nil {
			return
		}
		p := make([]byte, binary.BigEndian.Uint32(head)-1)
		if _, err := io.ReadFull(channel, p); err != nil {
			return
		}
		number := func(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }
		text := func(s string) string { return number(len(s)) + s }
		id := string(p[:4])
		var answer string
		switch head[4] {
		case 1: // INIT
			answer = "\x02" + number(3)
		case 3: // OPEN
			answer = "\x66" + id + text("handle")
		case 8, 17: // FSTAT, STAT: the size and the mode
			answer = "\x69" + id + number(5) + number(0) + number(len(content)) + number(0o100644)
		case 5: // READ
			s.answering()
			answer = "\x67" + id + text(content)
		default: // CLOSE
			answer = "\x65" + id + number(0) + text("") + text("")
		}
		if _, err := io.WriteString(channel, text(answer)); err != nil {
			return
		}
	}
}
