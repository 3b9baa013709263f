package wais

// mediaType returns the media type of a WAIS type. The types are not standardized; these are the
// ones of common indexers and browsers.
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
