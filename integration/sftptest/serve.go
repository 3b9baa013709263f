package sftptest

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"

	"golang.org/x/crypto/ssh"
)

var errNotLetIn = errors.New("not let in")

// serve holds the conversation of one connection.
func (s *Server) serve(ctx context.Context, tcp *net.TCPConn, _ int) {
	conn, channels, requests, err := ssh.NewServerConn(tcp, s.config())
	if err != nil {
		return
	}
	defer conn.Close()
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { ssh.DiscardRequests(requests) })
	for asked := range channels {
		switch kind := asked.ChannelType(); {
		case kind == "session":
			channel, requests, err := asked.Accept()
			if err != nil {
				return
			}
			running.Go(func() { s.session(ctx, tcp, channel, requests) })
		case kind == "direct-tcpip" && s.jump:
			running.Go(func() { forward(asked) })
		default:
			asked.Reject(ssh.Prohibited, "not here")
		}
	}
}

// config returns the settings of SSH, with the accepted logins.
func (s *Server) config() *ssh.ServerConfig {
	config := &ssh.ServerConfig{MaxAuthTries: 6, NoClientAuth: len(s.users)+len(s.keys)+len(s.questions) == 0}
	config.AddHostKey(s.hostKey())
	if s.banner != "" {
		config.BannerCallback = func(ssh.ConnMetadata) string { return s.banner }
	}
	if len(s.users) > 0 {
		config.PasswordCallback = func(c ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			if want, ok := s.users[c.User()]; !ok || want != string(password) {
				return nil, errNotLetIn
			}
			return nil, nil
		}
	}
	answers := func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
		var texts []string
		for _, q := range s.questions {
			texts = append(texts, q[0])
		}
		given, err := ask("", s.instruction, texts, make([]bool, len(texts)))
		if err != nil {
			return nil, err
		}
		for i, q := range s.questions {
			if given[i] != q[1] {
				return nil, errNotLetIn
			}
		}
		return nil, nil
	}
	if len(s.questions) > 0 && !s.both {
		config.KeyboardInteractiveCallback = answers
	}
	if len(s.keys) > 0 {
		config.PublicKeyCallback = func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			switch {
			case !s.keys[string(key.Marshal())]:
				return nil, errNotLetIn
			case s.both:
				return nil, &ssh.PartialSuccessError{Next: ssh.ServerAuthCallbacks{KeyboardInteractiveCallback: answers}}
			}
			return nil, nil
		}
	}
	return config
}

// session serves SFTP after a request for that subsystem.
func (s *Server) session(ctx context.Context, tcp *net.TCPConn, channel ssh.Channel, requests <-chan *ssh.Request) {
	defer channel.Close()
	for r := range requests {
		var subsystem struct{ Name string }
		ok := r.Type == "subsystem" && ssh.Unmarshal(r.Payload, &subsystem) == nil && subsystem.Name == "sftp"
		r.Reply(ok, nil)
		if ok {
			go ssh.DiscardRequests(requests)
			if s.relay != "" {
				relay(channel, s.relay)
				return
			}
			c := &conversation{server: s, ctx: ctx, tcp: tcp, channel: channel, open: make(map[string]*handle)}
			c.converse()
			return
		}
	}
}

// forward connects a client to a further host.
func forward(asked ssh.NewChannel) {
	var to struct {
		Host       string
		Port       uint32
		OriginHost string
		OriginPort uint32
	}
	if err := ssh.Unmarshal(asked.ExtraData(), &to); err != nil {
		asked.Reject(ssh.ConnectionFailed, "no address")
		return
	}
	conn, err := net.Dial("tcp", net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port))))
	if err != nil {
		asked.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	channel, requests, err := asked.Accept()
	if err != nil {
		conn.Close()
		return
	}
	defer channel.Close()
	go ssh.DiscardRequests(requests)
	exchange(channel, conn)
}

// relay connects a channel to an address.
func relay(channel ssh.Channel, addr string) {
	if conn, err := net.Dial("tcp", addr); err == nil {
		exchange(channel, conn)
	}
}

// exchange copies the bytes of each side to the other one, until one of them ends.
func exchange(channel ssh.Channel, conn net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(channel, conn)
		channel.Close()
	}()
	io.Copy(conn, channel)
	conn.Close()
	<-done
}
