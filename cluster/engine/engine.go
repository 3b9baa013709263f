// Package engine runs the server of a cluster's jobs, NATS with JetStream, within a program. It writes to
// stable storage before it acknowledges.
package engine

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// Options are the settings of a Server.
type Options struct {
	Dir    string // for the streams
	Listen string // HOST:PORT for clients; "" is 127.0.0.1:4222, and the port 0 is any that is free

	TLS *tls.Config // for clients; nil is no TLS

	// A Server that is one of several has a Name, the same ClusterName as the others, an address for them
	// in Peers, and theirs in Routes, as nats://HOST:PORT. It needs the same login and certificates of them as of
	// clients. Start refuses Peers that are more open than Listen, as ErrOpenPeers.
	Name, ClusterName, Peers string
	Routes                   []string

	MaxBytes int64 // that the streams may have on disk; 0 is what the disk has
	User     string
	Password string   // of User
	NKeys    []string // the public keys of users; without them and User, whoever reaches Listen may do anything
	LogFile  string   // "" is none

	// Say is told that the disk is full, and that it is not any more. It may be nil.
	Say func(text string)
}

// A Server is running.
type Server struct {
	options       Options
	stop, watched chan struct{}
	once          sync.Once // for stop

	mu     sync.Mutex
	server *server.Server // the last one that was ready
}

// Start starts a Server. The caller calls Stop.
func Start(o Options) (*Server, error) {
	running, err := start(o)
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(running.ClientURL()); err == nil {
		if host, _, err := net.SplitHostPort(o.Listen); err == nil {
			o.Listen = net.JoinHostPort(host, u.Port())
		}
	}
	s := &Server{options: o, server: running, stop: make(chan struct{}), watched: make(chan struct{})}
	go s.watch()
	return s, nil
}

func (s *Server) say(text string) {
	if s.options.Say != nil {
		s.options.Say(text)
	}
}

// start starts a server, and returns when it is ready.
func start(o Options) (*server.Server, error) {
	opts, err := o.server()
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	if o.LogFile != "" {
		s.ConfigureLogger()
	}
	s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, errors.New("engine: the server does not become ready: is the port in use?")
	}
	return s, nil
}

// server returns the settings in the words of the server.
func (o Options) server() (*server.Options, error) {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:4222"
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	host, port, err := address(o.Listen)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	opts := &server.Options{
		ServerName: o.Name, Host: host, Port: port, JetStream: true, StoreDir: filepath.Clean(o.Dir), SyncAlways: true,
		NoSigs: true, TLSConfig: o.TLS, MaxPayload: 1 << 20, JetStreamMaxStore: o.MaxBytes,
		Username: o.User, Password: o.Password, LogFile: o.LogFile, NoLog: o.LogFile == "",
	}
	for _, key := range o.NKeys {
		if !nkeys.IsValidPublicUserKey(key) {
			return nil, errors.New("a key is not the public NATS key of a user, which begins with U") // it may be a seed
		}
		opts.Nkeys = append(opts.Nkeys, &server.NkeyUser{Nkey: key})
	}
	if o.MaxBytes > 0 {
		opts.JetStreamMaxMemory = 64 << 20
	}
	if o.Peers == "" {
		return opts, nil
	}
	return opts, o.cluster(opts)
}

// address takes HOST:PORT apart.
func address(text string) (host string, port int, err error) {
	host, number, err := net.SplitHostPort(text)
	if err != nil {
		return "", 0, err
	}
	if port, err = strconv.Atoi(number); err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("the address %q has no port", text)
	}
	return host, port, nil
}

// URL returns the URL for clients.
func (s *Server) URL() string { return s.current().ClientURL() }

// Stop stops the server, and returns when its streams are closed.
func (s *Server) Stop() {
	s.once.Do(func() { close(s.stop) })
	<-s.watched
	s.current().Shutdown()
	s.current().WaitForShutdown()
}
