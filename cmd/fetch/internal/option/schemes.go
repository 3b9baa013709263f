package option

// The schemes that a flag can apply to. Some of them lead to others: http to https and to
// ftp, prospero and urn to most.
const (
	Web       = "http https"
	ftpFamily = "ftp ftps"
	leading   = "prospero urn"
	messages  = "news snews nntp nntps mid cid" // the message of a cid URL may be anywhere
	Menus     = "gopher gophers"
	services  = "telnet telnets rlogin tn3270"

	weblike  = Web + " " + leading
	anyFTP   = Web + " " + ftpFamily + " prospero"
	withUser = Web + " " + ftpFamily + " " + messages
	secured  = withUser + " gophers telnets " + leading
	bySocket = Web + " " + Menus + " nntp nntps finger" // one connection does all
	sessions = services + " " + Menus + " " + leading
	large    = Web + " " + ftpFamily + " file " + leading
	dated    = large + " " + Menus + " " + messages
	remote   = withUser + " wais finger " + sessions

	Encrypted = "https gophers telnets " + ftpFamily + " " + messages // with TLS, or able to have it
	Transfer  = Web + " " + ftpFamily                                 // for files, mostly
)
