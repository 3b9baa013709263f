package sitetest

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"unicode/utf16"
)

//go:embed pages
var pages embed.FS

func file(name string) string {
	b, err := pages.ReadFile("pages/" + name)
	if err != nil {
		panic("sitetest: " + err.Error()) // it is in this directory
	}
	return string(b)
}

// resources returns the resources of the site, by key. other is the URL of the other host.
func resources(other string) map[string]Resource {
	all := make(map[string]Resource)
	checked := marked("text/css", "p { background: url(../img/checked.png) }\n"+sheet("checked"))
	lib := script("lib")
	text := strings.NewReplacer("OTHER", other, "LONG", long, "CHECKED", integrity(checked), "LIB", integrity(lib))
	put := func(key, mediaType, body string) {
		all[key] = Resource{Type: mediaType, Body: []byte(marked(mediaType, body))}
	}

	for key, name := range map[string]string{
		"/": "index.html", "/index.html": "index.html", "/names.html": "names.html", "/frames.html": "frames.html",
		"/based/page.html": "based.html", "/apart.html": "apart.html", "/policy.html": "policy.html", "/checked.html": "checked.html",
	} {
		put(key, "text/html; charset=utf-8", text.Replace(file(name)))
	}
	put("/page.xhtml", "application/xhtml+xml", file("xhtml.html"))
	put("/strict", "application/xhtml+xml", file("xhtml.html"))
	put("/drawing.svg", "image/svg+xml", file("drawing.svg"))
	put("/feed.atom", "application/atom+xml", file("feed.atom"))
	put("/refresh.html", "text/html", `<meta http-equiv="refresh" content="300; url='refreshed?at=1'">`)
	put("/wide.html", "text/html", `<title>UTF-16</title><img src="img/wide-page.png"><a href="wide-a.html">a</a>`)
	all["/wide.html"] = Resource{Type: "text/html", Body: []byte(wide(string(all["/wide.html"].Body)))}
	for _, key := range htmlPages {
		put(key, "text/html; charset=utf-8", fmt.Sprintf("<!DOCTYPE html><title>%s</title><p id=part>A page. <a href=\"/\">Home</a>", strings.NewReplacer("<", "&lt;").Replace(key)))
	}
	for key, to := range map[string]string{
		"/docs": "/docs/", "/moved": "/moved-twice", "/moved-twice": "/about", "/moved-part": "/about#part",
	} {
		all[key] = Resource{To: to}
	}

	for i, key := range strings.Fields(strings.ReplaceAll(pictures, "LONG", long)) {
		put(strings.ReplaceAll(key, "␣", " "), "image/png", picture(i))
	}
	put("/vector?v=1", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>`)
	for _, name := range []string{"sprite.svg", "sprite2.svg?v=1"} {
		put("/"+name, "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><symbol id="icon"><circle r="4"/></symbol></svg>`)
	}
	for key, name := range map[string]string{
		"/css/plain": "plain", "/css/imported.css": "imported", "/css/imported2.css": "imported2", "/css/srcdoc.css": "srcdoc", "/css/dark.css": "dark",
		"/base/dir/based.css": "based", "/css/xml.css": "xml", "/css/xhtml.css?a=1&b=2": "xhtml", "/css/drawing.css": "drawing", "/css/drawing2.css": "drawing2",
		"/css/deep/sheet.css": "deep", "/css/policy.css": "policy",
	} {
		put(key, "text/css", sheet(name))
	}
	put("/css/main.css?v=3", "text/css; charset=utf-8", "@import 'deep/sheet.css';\nh1 { background: url(../img/main.png) }\n"+sheet("main"))
	put("/css/checked.css?1", "text/css", checked)
	put("/css/checked.css?2", "text/css", checked)
	put("other:/lib.css", "text/css", "h1 { border-image: url(far-border.png) }\n"+sheet("lib"))
	put("other:/lib.js", "text/javascript", lib)
	for key, name := range map[string]string{
		"/js/app.js?x=1&y=2": "app", "/js/late.js": "late", "/js/svg.js": "svg", "/js/xhtml.js": "xhtml", "/js/shared.js": "shared",
		"/js/module.mjs": "module", "/js/preloaded.mjs": "preloaded", "/js/policy.js": "policy",
	} {
		put(key, "text/javascript", script(name))
	}

	put("/fonts/site.ttf", "font/ttf", "no font") // a browser asks for a font only if a text has it
	for _, key := range []string{"/media/film.webm", "/media/source.webm"} {
		put(key, "video/webm", file("tiny.webm"))
	}
	put("/media/sound.wav", "audio/wav", silence())
	put("/media/captions.vtt", "text/vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\ncaption\n")
	put("/site.webmanifest", "application/manifest+json", `{"name": "site"}`)
	return all
}

// marked returns a text in which a copy may change links with a comment that stays, and any other as it is.
func marked(mediaType, text string) string {
	if strings.Contains(text, markBegin) {
		return text
	}
	begin, end := "<!-- ", " -->\n"
	switch mediaType, _, _ := strings.Cut(mediaType, ";"); mediaType {
	case "text/css":
		begin, end = "/* ", " */\n"
	case "text/html", "application/xhtml+xml", "image/svg+xml", "application/atom+xml":
	default:
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return text + begin + markBegin + hex.EncodeToString(sum[:8]) + end
}

// markBegin is how the text of such a comment begins.
const markBegin = "sitetest:"

// In reports whether a file of a copy has the content of the resource, but for the links in it.
func (r Resource) In(file []byte) bool {
	body := bytes.ReplaceAll(r.Body, []byte{0}, nil) // of UTF-16, too
	at := bytes.LastIndex(body, []byte(markBegin))
	if at < 0 || r.Type == "image/png" {
		return bytes.Equal(file, r.Body)
	}
	return bytes.Contains(bytes.ReplaceAll(file, []byte{0}, nil), body[at:at+len(markBegin)+16])
}

// long is a name of 280 octets, which is more than a file can have.
var long = strings.Repeat("long-name-", 28)

// htmlPages are pages without links but one.
var htmlPages = []string{
	"/about", "/docs/", "/docs/deep/page.html", "/list?page=2&sort=up", "/list?page=3&sort=up", "/list", "/area.html", "/long.html",
	"/inner.html", "/inner", "/srcdoc.html", "/object.html", "/search", "/svg-a.html", "/svg-xlink.html", "/feed-entry.html", "/frame one.html", "/frame?2", "/noframes.html",
	"/base/dir/", "/base/dir/below.html", "/refreshed?at=1", "/wide-a.html",
	"/a:b.html", "/news", "/news/", "/news/item.html", "/a?b.html", "/a%3Fb.html", "/döner.html", "/style.css.html", "/page.php?id=1&x=2", "/page.php/more",
}

// pictures are the keys of pictures. "␣" stands for a space.
const pictures = `/icons/favicon.png /icons/touch.png /img/preload.png /img/preload@2.png /img/body.png /img/set.png /img/set@2.png
/img/old.png /img/one.png /img/one@2.png /img/one@3.png other:/far.png other:/far-border.png /picture /img/wide.png /img/narrow.png /img/shared.png /img/policy.png other:/policy.png
/img/styled.png /img/table.png /img/cell.png /img/poster.png /img/srcdoc.png?a=1&b=2 /img/object.png /img/embed.png /img/button.png /img/svg.png
/img/xlink.png /img/in-svg.png /img/noscript.png /img/template.png /img/main.png /img/checked.png /img/xhtml.png /img/drawn.png /img/wide-page.png /base/dir/based.png
/img/two␣words.png /img/100%.png /img/50%.png /img/café.png /img/caf` + "\xe9" + `.png /img/a:b.png /img/a%3Fb.png /img/a#b.png /img/a%2Fb.png
/img/a;v=1.png /img/a,b.png /img/c,d.png /img/a&b.png /img/a+b.png /img/a"b.png /img/a'b.png /img/a(b).png /img/a)b.png /img/a*b.png /img/a|b.png /img/a<b>.png
/img/back.png /img/a~b.png /img/chart.php?of=a/b&at=1:2 /img/chart.php?of=é␣x /img/chart.php /img//twice.png /img/dotted.png /img/.hidden.png
/img/-dash.png /img/con.png /img/Case.png /img/case.png /img/end. /img/LONG.png`

// sheet returns a rule that shows that a style sheet was loaded.
func sheet(name string) string { return fmt.Sprintf(":root { --sheet-%s: 1 }\n", name) }

// script returns a script that shows that it has run.
func script(name string) string { return fmt.Sprintf("(window.scripts ||= []).push(%q)\n", name) }

// integrity returns the value of an attribute by which a browser checks a loaded resource.
func integrity(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// picture returns a small picture, another one for each n.
func picture(n int) string {
	img := image.NewGray(image.Rect(0, 0, 4, 4))
	for i := range 8 {
		img.SetGray(i%4, i/4, color.Gray{Y: uint8(n >> i & 1 * 255)})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("sitetest: " + err.Error()) // a Buffer takes all
	}
	return b.String()
}

// silence returns a tenth of a second of it.
func silence() string {
	const rate, samples = 8000, 800
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt ")
	b = binary.LittleEndian.AppendUint32(b, 16)
	for _, field := range []uint16{1, 1} { // PCM, one channel
		b = binary.LittleEndian.AppendUint16(b, field)
	}
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate) // octets a second
	for _, field := range []uint16{1, 8} {        // octets and bits of a sample
		b = binary.LittleEndian.AppendUint16(b, field)
	}
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, samples)
	b = append(b, bytes.Repeat([]byte{0x80}, samples)...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return string(b)
}

// wide returns a text in UTF-16, with a mark of its order.
func wide(text string) string {
	b := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return string(b)
}
