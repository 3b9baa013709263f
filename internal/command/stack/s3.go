package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers/s3"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/url"
)

// setS3 writes the flags into client, and the account in the user's files for the tools of AWS. The
// files are read when the first s3 URL is fetched.
func setS3(client *s3.Fetcher, o option.S3, s *term.Streams) {
	u := &awsUser{options: o, remark: s.Remark}
	u.home, _ = os.UserHomeDir() // without a home directory there are no files
	account := sync.OnceValues(u.account)
	client.Account = func(context.Context, string) (s3.Account, error) { return account() }
}

// An awsUser has the settings of the user for the tools of AWS: variables, files in ~/.aws, and flags in
// place of them.
type awsUser struct {
	options option.S3
	remark  func(format string, args ...any)
	home    string
}

// account returns the server, the region and the keys.
func (u *awsUser) account() (a s3.Account, err error) {
	profile, err := u.profile()
	if err != nil {
		return a, err
	}
	a.Region = cmp.Or(u.options.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), profile.values["region"])
	endpoint := cmp.Or(u.options.Endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), profile.values["endpoint_url"])
	if endpoint != "" {
		if a.Endpoint, err = url.Parse(endpoint); err != nil {
			return a, fmt.Errorf("the endpoint %s: %w", url.Redact(endpoint), err)
		}
		u.remark("the endpoint of s3 is %s", a.Endpoint.Redacted())
	}
	if u.options.Unsigned {
		return a, nil
	}
	a.Credentials, err = u.keys(profile)
	return a, err
}

// keys returns the keys of the variables, or else those of the profile.
func (u *awsUser) keys(profile awsProfile) (s3.Credentials, error) {
	keys := s3.Credentials{AccessKey: os.Getenv("AWS_ACCESS_KEY_ID"), SecretKey: os.Getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: os.Getenv("AWS_SESSION_TOKEN")}
	from := "AWS_ACCESS_KEY_ID"
	if keys.AccessKey == "" {
		keys = s3.Credentials{AccessKey: profile.values["aws_access_key_id"], SecretKey: profile.values["aws_secret_access_key"], SessionToken: profile.values["aws_session_token"]}
		from = "the profile " + profile.name
	}
	if keys.AccessKey == "" {
		for _, other := range []string{"role_arn", "credential_process", "sso_session", "sso_start_url"} {
			if profile.values[other] != "" {
				return s3.Credentials{}, fmt.Errorf("the profile %s has %s, by which fetch gets no keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use --s3-unsigned", profile.name, other)
			}
		}
		return s3.Credentials{}, nil
	}
	if keys.SecretKey == "" {
		return s3.Credentials{}, errors.New("an access key without a secret, from " + from)
	}
	u.remark("requests to s3 are signed with the keys of %s", from)
	return keys, nil
}

// profile returns the profile of AWS_PROFILE, from both files. A profile that is named has to
// exist.
func (u *awsUser) profile() (awsProfile, error) {
	named := os.Getenv("AWS_PROFILE")
	p := awsProfile{name: cmp.Or(named, "default"), values: make(map[string]string)}
	found := false
	for _, file := range []struct{ name, section string }{ // the first value counts
		{cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(u.home, ".aws", "credentials")), p.name},
		{cmp.Or(os.Getenv("AWS_CONFIG_FILE"), filepath.Join(u.home, ".aws", "config")), "profile " + p.name},
	} {
		has, err := p.read(file.name, file.section)
		if err != nil {
			return p, err
		}
		found = found || has
	}
	if named != "" && !found {
		return p, fmt.Errorf("there is no profile %s, which AWS_PROFILE names", named)
	}
	return p, nil
}
