package wais

// mediaType returns the media type of a WAIS type, which is a word of custom: these
// are the ones that indexers and browsers had.
func mediaType(kind string) string {
	switch kind {
	case "TEXT", "TEXT-FTP", "WCAT", "URL":
		return "text/plain"
	case "WSRC":
		return "application/x-wais-source"
	case "HTML":
		return "text/html"
	case "GIF":
		return "image/gif"
	case "TIFF":
		return "image/tiff"
	case "PICT":
		return "image/x-pict"
	case "JPEG", "JFIF":
		return "image/jpeg"
	case "PPM":
		return "image/x-portable-pixmap"
	case "PS":
		return "application/postscript"
	case "DVI":
		return "application/x-dvi"
	}
	return "application/octet-stream"
}
