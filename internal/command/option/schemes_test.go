package option

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

// promised are the flags that users may rely on.
const promised = `
	-o --output -O --remote-name -J --remote-header-name --output-dir --create-dirs --skip-existing --no-clobber --overwrite -N --timestamping
	-i --input-file -I --head -r --range -z --time-cond --etag-compare --etag-save -C --continue-at --checksum --mirror-url --segments
	-H --header -A --user-agent -e --referer -u --user --basic --digest --anyauth -n --netrc --netrc-file --netrc-optional
	-b --cookie -c --cookie-jar -k --insecure --cacert --cert --key --tlsv1.2 --tlsv1.3 --tls-max --ciphers --curves --pinnedpubkey --crlfile --http1.1 --http2 --compressed
	-x --proxy --noproxy -U --proxy-user --proxy-basic --proxy-digest --proxy-anyauth -p --proxytunnel
	--preproxy --proxy-cacert --proxy-cert --proxy-key --proxy-insecure
	--unix-socket --dns-servers --happy-eyeballs-timeout-ms --keepalive-time --no-keepalive
	--max-redirs --proto --proto-redir --resolve --connect-to -L --location -4 -6 --interface
	--ftp-method --ftp-type -P --ftp-port --ftp-pasv --ssl-reqd --news-server --view --public-only
	--connect-timeout -m --max-time --stall-timeout --response-timeout -Y --speed-limit -y --speed-time --limit-rate --max-filesize --max-header --max-listing
	--retry --retry-delay --retry-max-time --retry-connrefused --retry-all-errors -j --parallel-max --per-host
	-s --silent -S --show-error -v --verbose --progress --json --events --raw --dry-run -f --fail --no-fail`

func TestFlagsThatArePromised(t *testing.T) {
	var there []string
	for _, f := range Table() {
		if f.On("get") {
			there = append(there, "--"+f.Name, "-"+f.Short)
		}
	}
	for word := range strings.FieldsSeq(promised) {
		if !slices.Contains(there, word) {
			t.Errorf("there is no %s", word)
		}
	}
}

// Every flag is for every scheme or for some that exist, and is refused for a URL of another.
func TestFlagsAndSchemes(t *testing.T) {
	all := strings.Fields("http https ftp ftps sftp scp s3 gopher gophers gemini wais prospero news snews nntp nntps finger dict tftp file telnet telnets rlogin tn3270 mailto data urn mid cid afs nfs mailserver whois++ z39.50 z39.50r z39.50s")
	for _, scheme := range all {
		if url.Describe(scheme) == "" {
			t.Errorf("there is no scheme %s", scheme)
		}
	}
	for _, f := range Table() {
		for scheme := range strings.FieldsSeq(f.Schemes) {
			if !slices.Contains(all, scheme) {
				t.Errorf("--%s is for %s, which does not exist", f.Name, scheme)
			}
		}
		given := Options{Sources: map[string]string{f.Name: CommandLine}}
		configured := Options{Sources: map[string]string{f.Name: "f:1"}}
		for _, scheme := range all {
			u := &url.URL{Scheme: scheme}
			if err := given.Applies(u); (err == nil) != f.For(scheme) || err != nil && !strings.Contains(err.Error(), "--"+f.Name+" means nothing for "+scheme) {
				t.Errorf("--%s with a URL of %s: %v", f.Name, scheme, err)
			}
			if err := configured.Applies(u); err != nil {
				t.Errorf("%s in the configuration, with a URL of %s: %v", f.Name, scheme, err)
			}
		}
	}
}

// The help of a flag has one form, and fits a line.
func TestFlagTexts(t *testing.T) {
	for _, f := range Table() {
		switch {
		case len(f.Help) > 100:
			t.Errorf("--%s: %q is too long for a line", f.Name, f.Help)
		case strings.HasSuffix(f.Help, "."), f.Help[0] < 'a' || f.Help[0] > 'z':
			t.Errorf("--%s: %q is a sentence", f.Name, f.Help)
		}
	}
}

// Each flag has one place in the manual, and each group a title of its own.
func TestGroups(t *testing.T) {
	seen := make(map[string]bool)
	for _, g := range Groups() {
		if g.Title == "" || seen[g.Title] || len(g.Flags) == 0 {
			t.Errorf("the group %q", g.Title)
		}
		seen[g.Title] = true
		for _, f := range g.Flags {
			if f.Group != g.Title {
				t.Errorf("--%s in %q says that it is in %q", f.Name, g.Title, f.Group)
			}
		}
	}
}
