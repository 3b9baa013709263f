package main

import (
	"crypto/tls"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster/engine"
)

// upCommand runs the server of jobs.
func upCommand(s streams) *cobra.Command {
	var o engine.Options
	var passwordFile string
	var at server
	c := &cobra.Command{Use: "up", Short: "Run the server of jobs (NATS with JetStream), until it is interrupted", Args: noArguments}
	f := c.Flags()
	f.StringVar(&o.Dir, "dir", "fetchd-data", "directory for the jobs")
	f.StringVar(&o.Listen, "listen", "127.0.0.1:4222", "HOST:PORT for workers and other verbs")
	f.Int64Var(&o.MaxBytes, "max-store", 0, "size of all jobs on disk in bytes (0: the disk)")
	f.StringVar(&o.Name, "name", "", "name of the server in a cluster")
	f.StringVar(&o.ClusterName, "cluster", "fetchd", "name of the cluster")
	f.StringVar(&o.Peers, "peers", "", "HOST:PORT for the other servers of the cluster")
	f.StringSliceVar(&o.Routes, "route", nil, "nats://HOST:PORT of another server of the cluster")
	f.StringVar(&o.User, "user", "", "user that workers have to log in as")
	f.StringVar(&passwordFile, "password-file", "", "file with the password of --user")
	f.StringSliceVar(&o.NKeys, "nkey-user", nil, "public NATS key of a user that may log in; give it again for another one")
	f.StringVar(&o.LogFile, "log", "", "file for the log of the server")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		at.ca, at.cert, at.key = flag(cmd, "tls-ca"), flag(cmd, "tls-cert"), flag(cmd, "tls-key")
		config, err := at.tls()
		if err != nil {
			return err
		}
		if config != nil && at.ca != "" {
			config.ClientAuth = tls.RequireAndVerifyClientCert
		}
		o.TLS, o.Say = config, func(text string) { s.say("%s", text) }
		if passwordFile != "" {
			text, err := os.ReadFile(passwordFile)
			if err != nil {
				return record.InputError{Err: err}
			}
			o.Password = strings.TrimRight(string(text), "\r\n")
		}
		running, err := engine.Start(o)
		if errors.Is(err, engine.ErrOpenPeers) {
			return record.UsageError{Err: err}
		}
		if err != nil {
			return err
		}
		s.say("the server is at %s", running.URL())
		<-cmd.Context().Done()
		running.Stop()
		return nil
	}
	return c
}

// flag returns the value of a flag of all verbs.
func flag(cmd *cobra.Command, name string) string {
	if f := cmd.Flag(name); f != nil {
		return f.Value.String()
	}
	return ""
}
