package option

// The schemes that a flag can apply to. Some of them lead to others: prospero and urn to
// most, and http to https.
const (
	Web       = "http https"
	ftpFamily = "ftp ftps"
	ssh       = "sftp scp"
	leading   = "prospero urn"
	messages  = "news snews nntp nntps mid cid" // the message of a cid URL may be anywhere
	Menus     = "gopher gophers"
	Catalogs  = "z39.50r z39.50s"
	services  = "telnet telnets rlogin tn3270"

	weblike  = Web + " " + leading
	anyFTP   = ftpFamily + " " + leading
	withTLS  = Web + " " + ftpFamily + " " + messages
	withUser = withTLS + " " + ssh + " s3 dict " + Catalogs
	secured  = withTLS + " s3 gophers gemini telnets " + leading
	bySocket = Web + " " + Menus + " gemini nntp nntps finger dict" // one connection does all
	sessions = services + " " + Menus + " " + leading
	large    = Web + " " + ftpFamily + " " + ssh + " s3 file " + leading
	dated    = large + " " + Menus + " " + messages
	remote   = withUser + " gemini wais finger " + sessions

	Encrypted = "https s3 gophers gemini telnets " + ftpFamily + " " + messages // with TLS, or able to have it
	Fielded   = messages + " " + Menus                                          // with fields of a message, or attributes, and no HTTP
	Transfer  = Web + " " + ftpFamily + " " + ssh + " s3"                       // for files, mostly
)
