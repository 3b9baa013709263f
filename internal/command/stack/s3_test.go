package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/s3"
	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// Flags go before variables, and these before the profile of the files.
func TestAWSAccount(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Join(home, ".aws"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".aws", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("credentials", "# keys\n[default]\naws_access_key_id = AKIDDEFAULT\naws_secret_access_key=s3cret+/= # mine\n\n[ work ]\nAWS_ACCESS_KEY_ID=AKIDWORK\naws_secret_access_key=w0rk\naws_session_token=t0ken\n[half]\naws_access_key_id=AKIDHALF\n")
	write("config", "[default]\nregion = eu-west-1\ns3 =\n  region = no\n[profile work]\nregion=eu-west-2\nendpoint_url = http://127.0.0.1:9\naws_access_key_id=AKIDOTHER\n[profile role]\nrole_arn=arn:aws:iam::1:role/x\n[work]\nregion=no\n[plain]\nregion=no\n")
	for _, c := range []struct {
		name    string
		options option.S3
		env     string // NAME=VALUE, with blanks between them
		want    string // region, endpoint and keys; or of an error, after "!"
	}{
		{"the default profile", option.S3{}, "", "eu-west-1  AKIDDEFAULT s3cret+/= "},
		{"another profile", option.S3{}, "AWS_PROFILE=work", "eu-west-2 http://127.0.0.1:9 AKIDWORK w0rk t0ken"},
		{"keys of variables", option.S3{}, "AWS_ACCESS_KEY_ID=A AWS_SECRET_ACCESS_KEY=B AWS_PROFILE=work", "eu-west-2 http://127.0.0.1:9 A B "},
		{"a region of variables", option.S3{}, "AWS_DEFAULT_REGION=us-west-1 AWS_REGION=us-west-2", "us-west-2  AKIDDEFAULT s3cret+/= "},
		{"endpoints of variables", option.S3{}, "AWS_ENDPOINT_URL=http://a AWS_ENDPOINT_URL_S3=http://b", "eu-west-1 http://b AKIDDEFAULT s3cret+/= "},
		{"flags", option.S3{Region: "r", Endpoint: "http://f"}, "AWS_REGION=us-west-2 AWS_ENDPOINT_URL=http://a", "r http://f AKIDDEFAULT s3cret+/= "},
		{"unsigned", option.S3{Unsigned: true}, "AWS_ACCESS_KEY_ID=A AWS_SECRET_ACCESS_KEY=B", "eu-west-1    "},
		{"a profile that is not there", option.S3{}, "AWS_PROFILE=nope", "!no profile nope"},
		{"a section that is no profile", option.S3{}, "AWS_PROFILE=plain", "!no profile plain"},
		{"a profile of a role", option.S3{}, "AWS_PROFILE=role", "!has role_arn"},
		{"a key without a secret", option.S3{}, "AWS_PROFILE=half", "!without a secret"},
		{"a bad endpoint", option.S3{}, "AWS_ENDPOINT_URL=http://u:s3cret@:x", "!endpoint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
				t.Setenv(name, "")
			}
			for setting := range strings.FieldsSeq(c.env) {
				name, value, _ := strings.Cut(setting, "=")
				t.Setenv(name, value)
			}
			var told strings.Builder
			u := &awsUser{options: c.options, home: home, remark: func(format string, args ...any) { fmt.Fprintf(&told, format+"\n", args...) }}
			a, err := u.account()
			got := fmt.Sprint(a.Region, " ", a.Endpoint, " ", a.AccessKey, " ", a.SecretKey, " ", a.SessionToken)
			if err != nil {
				got = "!" + err.Error()
			}
			if want, failed := strings.CutPrefix(c.want, "!"); got != c.want && !(failed && err != nil && strings.Contains(got, want)) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if all := told.String() + fmt.Sprint(err); strings.Contains(all, "s3cret") || strings.Contains(all, "w0rk") || strings.Contains(all, "t0ken") {
				t.Errorf("a secret is told: %s", all)
			}
		})
	}
}

// A machine without files asks unsigned.
func TestAWSNothing(t *testing.T) {
	for _, name := range []string{"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(name, "")
	}
	u := &awsUser{home: t.TempDir(), remark: t.Logf}
	if a, err := u.account(); err != nil || a != (s3.Account{}) {
		t.Errorf("%+v, %v", a, err)
	}
}
