package fetchers

import "strings"

// TypeByName returns the media type of a file name's extension, or "". The table is fixed, so that
// the result does not depend on the machine.
func TypeByName(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	switch strings.ToLower(name[dot+1:]) {
	case "txt", "text", "asc", "log", "md", "readme":
		return "text/plain"
	case "htm", "html":
		return "text/html"
	case "css":
		return "text/css"
	case "csv":
		return "text/csv"
	case "xml", "rss", "atom":
		return "application/xml"
	case "json":
		return "application/json"
	case "js", "mjs":
		return "text/javascript"
	case "pdf":
		return "application/pdf"
	case "ps", "eps":
		return "application/postscript"
	case "rtf":
		return "application/rtf"
	case "gif":
		return "image/gif"
	case "jpg", "jpeg", "jpe":
		return "image/jpeg"
	case "png":
		return "image/png"
	case "svg":
		return "image/svg+xml"
	case "tif", "tiff":
		return "image/tiff"
	case "webp":
		return "image/webp"
	case "ico":
		return "image/vnd.microsoft.icon"
	case "mp3":
		return "audio/mpeg"
	case "ogg", "oga":
		return "audio/ogg"
	case "flac":
		return "audio/flac"
	case "wav":
		return "audio/vnd.wave"
	case "au", "snd":
		return "audio/basic"
	case "mp4", "m4v":
		return "video/mp4"
	case "mpg", "mpeg":
		return "video/mpeg"
	case "webm":
		return "video/webm"
	case "mov", "qt":
		return "video/quicktime"
	case "zip":
		return "application/zip"
	case "tar":
		return "application/x-tar"
	case "gz", "tgz":
		return "application/gzip"
	case "bz2":
		return "application/x-bzip2"
	case "xz":
		return "application/x-xz"
	case "zst":
		return "application/zstd"
	case "z":
		return "application/x-compress"
	case "7z":
		return "application/x-7z-compressed"
	case "hqx":
		return "application/mac-binhex40"
	case "wasm":
		return "application/wasm"
	case "eml":
		return "message/rfc822"
	case "bin", "exe", "iso", "img", "deb", "rpm", "o", "so":
		return "application/octet-stream"
	}
	return ""
}
