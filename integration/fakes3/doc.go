// Package fakes3 holds the s3 Fetcher against gofakes3, a server of others that lives in the process of a test. It
// asks for no signature; versitygw, one of the real servers, checks those.
package fakes3
